"""A task that others wrote: a request, the calls that answer it, what each brought, and how the request was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from toolplan.bench.real_tasks.arguments import Wanted
from toolplan.bench.real_tasks.toolboxes import Toolbox
from toolplan.goals.readings import Goals
from toolplan.planning.plans import Atom
from toolplan.planning.problem import State
from toolplan.session.turns import TurnReading


@dataclass(frozen=True, slots=True)
class GoldCall:
    """A call that is right once those at the places `after` have been made. `result` is what the tool answers, and `told` how a model is told it.

    The arguments `brought` have values that one of those calls has returned. `entities` are those of its contract, and `changes` what a
    model is told from then on of what is known.
    """

    tool: str
    arguments: Mapping[str, Wanted]
    result: object
    told: str
    after: frozenset[int] = frozenset()
    brought: frozenset[str] = frozenset()
    entities: tuple[str, ...] = ()
    changes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """A request made at `now`, and the calls of the gold. `state` is what is known before it, and `before` what a model is told of that.

    `goals` are what the request means. `reading` is what our readers make of it, and `oracle` the same by the annotation.
    """

    id: str
    request: str
    toolbox: Toolbox
    gold: tuple[GoldCall, ...]
    goals: Goals
    state: State
    before: Mapping[str, str]
    reading: TurnReading
    oracle: TurnReading
    now: datetime

    @property
    def annotated(self) -> Task:
        """The same, read as the annotation has it: what the user has to say is known from the beginning."""
        return replace(self, state=knowing(self.state, {one.atom: one.value for one in self.oracle.stated}), reading=self.oracle)


def knowing(state: State, values: Mapping[Atom, object]) -> State:
    """`state`, in which these are known, too, with their values."""
    return replace(state, known=state.known.union(values), denied=state.denied.difference(values), values={**state.values, **values})
