"""toolplan decides, at every step of an LLM agent, which tools the model may see and call.

`load` a domain, then ask `frontier` at each step; `plan` shows the whole way. Input that is not usable raises `DomainError`, whose
`diagnostics` say what is wrong and where.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from toolplan.contract import contract
from toolplan.domain import Domain, Principal
from toolplan.frontier import Act, Blocked, Clarify, Done, Explore, Frontier, Instruct, Planned, Undecided, frontier, plan
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.loading import load, loads
from toolplan.planning.plans import Limit
from toolplan.planning.problem import State

if TYPE_CHECKING:
    from toolplan.exposure import payload
    from toolplan.gate import Gate
    from toolplan.session import Session

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
    "Gate",
    "Instruct",
    "Limit",
    "Planned",
    "Principal",
    "Session",
    "State",
    "Undecided",
    "contract",
    "frontier",
    "load",
    "loads",
    "payload",
    "plan",
]


_LATER = {"Gate": "toolplan.gate", "Session": "toolplan.session", "payload": "toolplan.exposure"}
"""A conversation reads dates, schemas and results, for which a single call must not wait."""


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
