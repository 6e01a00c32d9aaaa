"""Turns in which a parameter or a tool is missing: we ask, or find that there is no way; in all others we call.

Each gold call of a turn is a tool of its own, which requires the values that it passes and the calls that it fails without. The goal is
that all calls have run which no other call of the turn needs. What the turn wants and which values it lacks is read by an oracle, from the
gold; the dependencies were measured by others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import toolplan
from toolplan.bench.real.agreement import Agreement, Miss, Titled, agreement
from toolplan.bench.real.bfcl_conversations import Call, Turn, read
from toolplan.bench.real.contracts import ask, fact, tool
from toolplan.bench.real.decided import NextAction, next_action

TITLE = "BFCL multi-turn: a parameter or a tool is missing (what is wanted, and missing values: labelled oracle)"
DATA = "bfcl"


@dataclass(frozen=True, slots=True)
class Decided:
    """A turn and our first action in it."""

    turn: Turn
    ours: NextAction

    @property
    def agrees(self) -> bool:
        """Whether we ask, find no way, or call what nothing else of the turn has to precede."""
        first = {call.name for call in self.turn.calls if not call.needs & _places(self.turn.calls)}
        return self.ours.kind == self.turn.expected and (self.ours.kind != "call" or self.ours.tool in first)

    @property
    def difference(self) -> str:
        """The kind of a disagreement."""
        if self.turn.expected == "ask" and not self.turn.missing:
            return "no gold call lacks a value"
        if self.turn.expected == "blocked" and not self.turn.absent & {call.name for call in self.turn.calls}:
            return "the gold does without the missing tool"
        return f"{self.ours.kind} for {self.turn.expected}"


def tables(folder: Path) -> Iterator[Titled]:
    """How often we do what is to be done, by what that is; and where we do not."""
    decided = list(decisions(folder))
    yield Titled(TITLE, agreements(decided))
    yield Titled(f"{TITLE}: misses", misses(decided))


def decisions(folder: Path) -> Iterator[Decided]:
    """Our first action in every turn of the files of `folder`, in order."""
    for turn in read(folder):
        yield Decided(turn, decide(turn))


def decide(turn: Turn) -> NextAction:
    """What the frontier does in `turn`, where all calls of earlier turns have run."""
    places, values = _places(turn.calls), _values(turn.calls)
    domain = toolplan.loads(text_of(turn))
    earlier = {done_fact(place) for call in turn.calls for place in _before(call) - places}
    said = {name for value, name in values.items() if value not in turn.missing}
    return next_action(toolplan.frontier(domain, state=earlier | said, goal=goal_of(turn)))


def goal_of(turn: Turn) -> list[str]:
    """The facts that the calls have run which no other call of `turn` needs."""
    needed = frozenset(place for call in turn.calls for place in _before(call))
    return [done_fact(place) for place in sorted(_places(turn.calls) - needed)]


def text_of(turn: Turn) -> str:
    """The contracts of the calls of `turn` whose tools are there, with a question for each value that the user has to say."""
    places, values = _places(turn.calls), _values(turn.calls)
    needed = places | {place for call in turn.calls for place in _before(call)}
    lines = ["domain turn", *(fact(done_fact(place)) for place in sorted(needed))]
    for value, name in values.items():
        lines += [fact(name, value), ask(f"ask_{name}", f"{value}?", name)]
    return "\n".join([*lines, *(_tool(call, values) for call in turn.calls if call.name not in turn.absent)])


def _tool(call: Call, values: Mapping[str, str]) -> str:
    passes = {argument.parameter: values[argument.value] for argument in call.arguments if argument.of is None}
    returned = [argument.parameter for argument in call.arguments if argument.of is not None]
    return tool(
        f"call_{call.place}",
        call.name,
        call.description,
        passes=passes,
        optional=[*returned, *call.chosen],
        after=[done_fact(place) for place in sorted(_before(call))],
        produces=[done_fact(call.place)],
        risk="write",
    )


def done_fact(place: int) -> str:
    """The fact that the call at `place` of the conversation has run."""
    return f"done_{place}"


def _before(call: Call) -> frozenset[int]:
    """The calls that `call` fails without, and those that return what it passes."""
    return call.needs | {argument.of for argument in call.arguments if argument.of is not None}


def _places(calls: Sequence[Call]) -> frozenset[int]:
    return frozenset(call.place for call in calls)


def _values(calls: Sequence[Call]) -> dict[str, str]:
    """The values that the user has to say, each with the name of its fact: one for all calls that pass it."""
    said = (argument.value for call in calls for argument in call.arguments if argument.of is None)
    return {value: f"value_{number}" for number, value in enumerate(dict.fromkeys(said))}


def agreements(decided: Sequence[Decided]) -> list[Agreement]:
    """The rows of `decided`. Where a parameter is missing, what the oracle went by is told apart."""
    asking = [one for one in decided if one.turn.expected == "ask"]
    said = [one for one in asking if one.turn.said_next]
    return [
        _agreeing("a parameter is missing: ask", asking),
        _agreeing("of these the next turn has its value", said),
        _agreeing("of these it has words for it", [one for one in asking if not one.turn.said_next]),
        _agreeing("a tool is missing: blocked", [one for one in decided if one.turn.expected == "blocked"]),
        _agreeing("nothing is missing: call", [one for one in decided if one.turn.expected == "call"]),
    ]


def misses(decided: Iterable[Decided]) -> list[Miss]:
    """The turns in which we do something else, in order."""
    return [Miss(DATA, one.turn.name, one.turn.expected, one.ours.kind, one.difference) for one in decided if not one.agrees]


def _agreeing(what: str, cases: Sequence[Decided]) -> Agreement:
    return agreement(DATA, what, cases, lambda one: one.agrees, lambda one: one.difference)
