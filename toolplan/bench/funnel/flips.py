"""Which decisions a change that should make no difference changes: those of a model, and our own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolplan.bench.funnel.records import Run
from toolplan.bench.tables import Row
from toolplan.domain import Domain
from toolplan.frontier import Act, Frontier, Instruct, frontier
from toolplan.planning.problem import Problem, State
from toolplan.planning.semantics import successor

MOST_STEPS = 40
NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Flip:
    """A decision that came out otherwise: at a step of a task, with a menu and a change, what was chosen before and after."""

    menu: str
    change: str
    task: str
    step: int
    before: str
    after: str

    def to_dict(self) -> dict[str, object]:
        """The flip as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class FlipRow(Row):
    """How many of the `decisions` that were reached before and after a change came out otherwise, by the tool and by the verdict of the gate.

    `accepted` and `rejected` are tasks that are accepted only after it, and only before.
    """

    menu: str
    change: str
    decisions: int
    chosen: int
    verdict: int
    accepted: int
    rejected: int


@dataclass(frozen=True, slots=True)
class OwnRow(Row):
    """How many of our own decisions, in so many states, a change changes."""

    change: str
    states: int
    flipped: int


def compared(change: str, before: Sequence[Run], after: Sequence[Run], names: Mapping[str, str]) -> tuple[FlipRow, list[Flip]]:
    """The runs of one menu before and after `change`, task by task. `names` are the real tools of before by their names of after."""
    flips: list[Flip] = []
    decisions = verdicts = 0
    for one, other in zip(before, after, strict=True):
        later = {look.step: look for look in other.first_looks}
        for look in one.first_looks:
            if look.step not in later:
                continue
            changed = later[look.step]
            decisions += 1
            verdicts += look.verdict is not changed.verdict
            chosen = names.get(changed.chosen, changed.chosen)
            if chosen != look.chosen:
                flips.append(Flip(one.menu, change, one.task, look.step, look.chosen or NOTHING, chosen or NOTHING))
    accepted = sum(other.accepted and not one.accepted for one, other in zip(before, after, strict=True))
    rejected = sum(one.accepted and not other.accepted for one, other in zip(before, after, strict=True))
    return FlipRow(before[0].menu, change, decisions, len(flips), verdicts, accepted, rejected), flips


def names_before(before: Domain, after: Domain) -> dict[str, str]:
    """The real tools of `before` by the names that they have in `after`."""
    return {after.tools[name].call_name: tool.call_name for name, tool in before.tools.items() if name in after.tools}


@dataclass(frozen=True, slots=True)
class Decided:
    """What we decide in `state`, where `goals` are wanted: all first steps of best plans; where there is none, the kind of the decision.

    Which of equal steps is preferred is left out: authors say so by the order of their declarations.
    """

    goals: tuple[str, ...]
    state: State
    decision: tuple[str, ...]


def decisions(domain: Domain, starts: Iterable[Problem]) -> Iterator[Decided]:
    """Our decisions in every state on a best way from each of `starts`, problems of `domain`."""
    for problem in starts:
        goals = tuple(wanted.label for wanted in problem.wanted)
        state = problem.state
        for _ in range(MOST_STEPS):
            now = frontier(domain, state=state, goal=goals, mode="ties")
            yield Decided(goals, state, _comparable(now))
            if not isinstance(now.decision, Act | Instruct):
                break
            state = successor(now.planned.problem, state, now.decision.step)


def own(before: Iterable[Decided], after: Domain) -> tuple[int, int]:
    """How many decisions there are in `before`, and how many of them come out otherwise in `after`."""
    same = [one.decision == _comparable(frontier(after, state=one.state, goal=one.goals, mode="ties")) for one in before]
    return len(same), same.count(False)


def _comparable(now: Frontier) -> tuple[str, ...]:
    return tuple(sorted(map(str, now.steps))) or (type(now.decision).__name__,)
