"""Which tools a method of the paper shows, where it needs no conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import toolplan
from toolplan.bench.real_tasks.toolboxes import Toolbox
from toolplan.bench.runs.menus import likest
from toolplan.domain import Performer
from toolplan.goals.rankers.arguments import Entities
from toolplan.goals.readings import Reading
from toolplan.planning.problem import State


class Standing(NamedTuple):
    """What a method goes by: the tools, what is known, what the request may mean, and all that a model is told."""

    toolbox: Toolbox
    state: State
    reading: Reading
    told: str


Method = Callable[[Standing], Iterable[str]]
"""The real tools that are shown."""


def _all(standing: Standing) -> Iterable[str]:
    return [tool.name for tool in standing.toolbox.tools]


def _keyword(count: int) -> Method:
    def method(standing: Standing) -> Iterable[str]:
        always = standing.toolbox.always
        return likest(standing.toolbox.metadata, (name for name in _all(standing) if name not in always), standing.told, count)

    return method


def _state_aware(standing: Standing) -> Iterable[str]:
    shown = toolplan.frontier(standing.toolbox.domain, state=standing.state, goal=[], mode="executable").tools
    return [standing.toolbox.names[contract] for contract in shown]


def _full_path(standing: Standing) -> Iterable[str]:
    domain = standing.toolbox.domain
    entities = Entities(domain, standing.state)
    wanted = [(goals, one.p) for one in standing.reading.candidates for goals in entities.instances(one.goals)[:1]]
    planned = toolplan.plan(domain, state=standing.state, candidates=wanted)
    called = (step.action for step in planned.steps if step.action in domain.tools)
    return [standing.toolbox.names[name] for name in called if domain.tools[name].performer is Performer.CALL]


METHODS: Mapping[str, Method] = {
    "all": _all,
    "keyword-5": _keyword(5),
    "keyword-10": _keyword(10),
    "state-aware": _state_aware,
    "full-path": _full_path,
}
"""By the names of the paper, in its order."""
