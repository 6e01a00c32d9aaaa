"""The telecom support of tau2-bench as tasks: a phone with faults, all of which are known, and the actions that mend it.

The agent acts for the user, too, so what the user does by hand is a call like any other: the contracts are those that ship, but for that. The
gold calls are those that the simulator needs, and one has to wait for another where no plan has them the other way round.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from toolplan.bench import telecom
from toolplan.bench.real_tasks.arguments import Exactly
from toolplan.bench.real_tasks.reading import NOW
from toolplan.bench.real_tasks.tasks import GoldCall, Task
from toolplan.bench.real_tasks.toolboxes import Toolbox
from toolplan.catalog import RealTool
from toolplan.frontier import plan
from toolplan.goals.rankers import ranker
from toolplan.goals.readings import GoalRanker, Reading, reading_of
from toolplan.planning.plans import Step
from toolplan.planning.problem import Problem, State
from toolplan.planning.semantics import goal_reached, replay, successor
from toolplan.retrieval.encoders import Encoder
from toolplan.session.turns import TurnReading

DATA = "tau2"
MOST_CALLS = 5
"""Calls of a task; more leave no step for a mistake."""
Record = Mapping[str, Any]


def tasks(folder: Path, encode: Encoder | None = None) -> list[Task]:
    """The tasks of one to five calls that can be solved, and whose best plan has exactly the calls that are needed, in order."""
    text = files("toolplan.domains").joinpath("telecom.toolplan").read_text("utf-8").replace(" by user", "")
    toolbox = Toolbox("telecom", tuple(_tools(json.loads((folder / "tools.json").read_text("utf-8"))["telecom"])), text)
    data = json.loads((folder / "telecom_full.json").read_text("utf-8"))
    reads = ranker("mixed", (), encode)
    found = (_task(data["base_state"], record, toolbox, reads) for record in data["tasks"])
    return [task for task in found if task is not None]


def _tools(listed: Mapping[str, Sequence[Record]]) -> Iterator[RealTool]:
    for side, tools in listed.items():
        for tool in tools:
            hints = {"readOnlyHint": tool["toolType"] == "read"}
            schema = _inlined(tool["inputSchema"], tool["inputSchema"].get("$defs", {}))
            assert isinstance(schema, dict)
            yield RealTool(tool["name"], tool["description"], schema, side, hints)


def _inlined(schema: object, definitions: Record) -> object:
    """`schema` with its definitions where they are referred to: a grammar is made of many schemas at once."""
    match schema:
        case {"$ref": str(reference), **others}:
            return _inlined({**definitions[reference.rpartition("/")[2]], **others}, definitions)
        case dict():
            return {name: _inlined(inside, definitions) for name, inside in schema.items() if name != "$defs"}
        case list():
            return [_inlined(inside, definitions) for inside in schema]
        case _:
            return schema


def _task(base: Record, record: Record, toolbox: Toolbox, reads: GoalRanker) -> Task | None:
    task = telecom.task_of(base, record)
    if task.escalate or not task.needed or len(task.needed) > MOST_CALLS:
        return None
    domain, request = toolbox.domain, str(record["reason"])
    looks = tuple(tool.name for tool in domain.tools.values() if domain.risk_of(tool).safe)
    planned = plan(domain, state=task.state, goal=task.goal, forbid=looks)
    if {telecom.call_of(planned.problem, step) for step in planned.steps} != task.needed:
        return None
    state, goals = planned.problem.state, (_name(task.goal),)
    return Task(
        task.id,
        request,
        toolbox,
        tuple(_gold(planned.problem, planned.steps)),
        goals,
        state,
        _words(state),
        TurnReading(request, _named(reads.rank(request, domain, state))),
        TurnReading(request, reading_of(request, [(goals, 1.0)])),
        NOW,
    )


def _gold(problem: Problem, steps: Sequence[Step]) -> Iterator[GoldCall]:
    """The calls of a plan, each with what it changes."""
    state = problem.state
    for place, step in enumerate(steps):
        before = _words(state)
        state = replace(successor(problem, state, step), values=problem.state.values)
        changes = {name: value for name, value in _words(state).items() if before.get(name) != value}
        answer = "; ".join(f"{name} = {value}" for name, value in changes.items()) or "done"
        call = telecom.call_of(problem, step)
        arguments = {name: Exactly(value) for name, value in call.arguments}
        after = frozenset(earlier for earlier in range(place) if not _can_wait(problem, steps, earlier, place))
        yield GoldCall(call.tool, arguments, {"done": True}, answer, after, entities=step.arguments, changes=changes)


def _can_wait(problem: Problem, steps: Sequence[Step], earlier: int, later: int) -> bool:
    """Whether the step at `earlier` can as well be taken right after the one at `later`."""
    moved = [*steps[:earlier], *steps[earlier + 1 : later + 1], steps[earlier], *steps[later + 1 :]]
    end = replay(problem, tuple(moved))
    return end is not None and goal_reached(problem, end)


def _words(state: State) -> dict[str, str]:
    """What is known, as a model is told it: values, yes and no. What is absent of a fact that is closed is not told."""
    known = {str(atom): str(state.values.get(atom, "yes")) for atom in sorted(state.known)}
    return known | {str(atom): "no" for atom in sorted(state.denied)}


def _named(reading: Reading) -> Reading:
    """`reading` with goals by their names alone: a session finds out what they are about."""
    return reading_of(reading.request, [(tuple(map(_name, candidate.goals)), candidate.p) for candidate in reading.candidates])


def _name(goal: str) -> str:
    return goal.partition("(")[0]
