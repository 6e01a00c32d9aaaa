"""What a changed domain means: what became reachable, riskier, dearer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from toolplan.domain import Domain, Goal
from toolplan.language.diagnostics import DomainError, quoted
from toolplan.planning.engines import solve
from toolplan.planning.inputs import build
from toolplan.planning.plans import Limit, Optimal, Unreachable
from toolplan.planning.problem import State

PATIENCE = Limit(expansions=10_000, seconds=1)
"""For the plan of one goal; a goal that takes longer is not compared."""


@dataclass(frozen=True, slots=True)
class Difference:
    """`what` became of the tool or goal `name`; `before` and `after` are its risk or its score, where it had one."""

    what: str
    kind: str
    name: str
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        values = " -> ".join(value for value in (self.before, self.after) if value)
        return f"{self.what}: {self.kind} {quoted(self.name)}{f', {values}' if values else ''}"

    def to_dict(self) -> dict[str, str]:
        """The difference as JSON."""
        return {"what": self.what, "kind": self.kind, "name": self.name, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class Reachable:
    """The best plan has this score."""

    score: Fraction


@dataclass(frozen=True, slots=True)
class NoPlan:
    """There is none."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody looked long enough."""


Outlook = Reachable | NoPlan | Unknown


def differences(before: Domain, after: Domain) -> tuple[Difference, ...]:
    """How `after` differs from `before`: its tools and their risks, then its goals, each planned from where nothing is known."""
    return (*_tools(before, after), *_goals(before, after))


def _tools(before: Domain, after: Domain) -> Iterator[Difference]:
    for name, tool in after.tools.items():
        level = after.risk_of(tool)
        if name not in before.tools:
            yield Difference("new", "tool", name, after=level.name)
        elif (earlier := before.risk_of(before.tools[name])).weight != level.weight:
            what = "riskier" if level.weight > earlier.weight else "less risky"
            yield Difference(what, "tool", name, earlier.name, level.name)
    yield from (Difference("gone", "tool", name) for name in before.tools if name not in after.tools)


def _goals(before: Domain, after: Domain) -> Iterator[Difference]:
    for name, goal in after.goals.items():
        earlier = outlook(before, before.goals[name]) if name in before.goals else NoPlan()
        match earlier, outlook(after, goal):
            case NoPlan(), Reachable(score):
                yield Difference("reachable", "goal", name, after=str(score))
            case Reachable(score), NoPlan():
                yield Difference("unreachable", "goal", name, str(score))
            case Reachable(old), Reachable(new) if old != new:
                yield Difference("dearer" if new > old else "cheaper", "goal", name, str(old), str(new))
    yield from (Difference("gone", "goal", name) for name in before.goals if name not in after.goals)


def outlook(domain: Domain, goal: Goal) -> Outlook:
    """The way to `goal` with an entity for each of its parameters."""
    entities = ", ".join(f"`{parameter.name}`" for parameter in goal.parameters)
    try:
        solution = solve(build(domain, State(), f"`{goal.name}`({entities})" if entities else f"`{goal.name}`"), limit=PATIENCE)
    except DomainError:
        return Unknown()
    match solution:
        case Optimal(plan):
            return Reachable(plan.score)
        case Unreachable():
            return NoPlan()
    return Unknown()
