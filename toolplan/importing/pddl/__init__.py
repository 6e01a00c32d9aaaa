"""PDDL to a domain of the language, with the state and the goal of a problem.

The subset is that of the classical tracks: types, constants, negation, quantifiers, disjunction, equality, conditional effects and
action costs. Everything else is refused by its name. Nothing but the files themselves is looked at: not the names of requirements.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from toolplan.domain import Domain
from toolplan.importing import tree
from toolplan.importing.pddl.contracts import GOAL, contracts
from toolplan.importing.pddl.domains import read_domain
from toolplan.importing.pddl.findings import Findings
from toolplan.importing.pddl.problems import read_problem
from toolplan.language import nodes
from toolplan.language.codes import Severity
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.resolve import resolve
from toolplan.language.source import Source
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Step
from toolplan.planning.problem import Problem, State

__all__ = ["GOAL", "Imported", "read"]


@dataclass(frozen=True, eq=False)
class Imported:
    """A problem of PDDL in this language. `warnings` are what was odd about it and no error.

    `groups` are the declarations of `text`. `domain` is what they declare, without the test.
    """

    domain: Domain
    problem: Problem
    warnings: tuple[Diagnostic, ...]
    groups: tuple[tuple[nodes.Declaration, ...], ...]

    @cached_property
    def text(self) -> str:
        """The domain as a file of the language: its goal `solved`, and a test that gives the initial state."""
        return "\n".join(map(tree.formatted, self.groups))

    def pddl_step(self, step: Step) -> str:
        """A step as a line of a PDDL plan: `(drive truck1 depot0)`. Several tools may stand for one action; see `contracts`."""
        return f"({' '.join((self.domain.tools[step.action].call_name, *step.arguments))})"


def read(domain: Source | str, problem: Source | str) -> Imported:
    """Import the two texts. Raises DomainError with every finding, those about the domain first, if any of them is an error."""
    of_domain, of_problem = Findings(_source(domain, "<domain>")), Findings(_source(problem, "<problem>"))
    pddl_domain = read_domain(of_domain)
    pddl_problem = read_problem(of_problem, pddl_domain)
    groups = contracts(pddl_domain, pddl_problem)
    found = [finding for findings in (of_domain, of_problem) for finding in findings.in_order()]
    if any(finding.severity is Severity.ERROR for finding in found):
        raise DomainError(found)
    resolved = resolve([nodes.File(tree.BLANK, tuple(node for group in groups for node in group), ())], {tree.BLANK: []})
    if resolved.diagnostics:
        raise DomainError(resolved.diagnostics)
    (test,) = resolved.domain.tests
    state = State(frozenset(Atom(given.atom.fact, tuple(term.name for term in given.atom.terms)) for given in test.given))
    imported = replace(resolved.domain, tests=())
    return Imported(imported, build(imported, state, GOAL), tuple(found), groups)


def _source(text: Source | str, name: str) -> Source:
    return text if isinstance(text, Source) else Source(name, text)
