"""toolplan decides, at every step of an LLM agent, which tools the model may see and call.

`load` a domain, then ask `frontier` at each step; `plan` shows the whole way. Input that is not usable raises `DomainError`, whose
`diagnostics` say what is wrong and where.
"""

from toolplan.domain import Domain
from toolplan.frontier import Act, Blocked, Clarify, Done, Explore, Frontier, Instruct, Planned, Undecided, frontier, plan
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.loading import load, loads
from toolplan.planning.plans import Limit
from toolplan.planning.problem import State

__all__ = [
    "Act",
    "Blocked",
    "Clarify",
    "Diagnostic",
    "Domain",
    "DomainError",
    "Done",
    "Explore",
    "Frontier",
    "Instruct",
    "Limit",
    "Planned",
    "State",
    "Undecided",
    "frontier",
    "load",
    "loads",
    "plan",
]
