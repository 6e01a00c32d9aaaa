"""Where the arguments of a predicted call come from, in the three stages of AutoTool: what they were taken from before, what the state
says, and what fits otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from toolplan.learning.graph import Graph
from toolplan.learning.runs import Place, Run, Value

Pick = Callable[[Run, Place, Place], Value | None]
"""Which value at a place an argument takes: `pick(run, place, argument)`."""


class Filled(NamedTuple):
    """The arguments of a call, and for each the stage that has found it: `dependency`, `state` or `heuristic`."""

    arguments: Mapping[str, Value]
    stages: Mapping[str, str]


class Known(NamedTuple):
    """What arguments are looked for in: the run so far, what the host knows by name, and what the agent has thought last."""

    run: Run
    state: Mapping[str, Value]
    thought: str


def filled(graph: Graph, known: Known, tool: str, required: Sequence[str], pick: Pick) -> Filled | None:
    """Every argument in `required`, or None where one of them is not found: a call with a gap needs a model.

    The dependency edges are followed back, the strongest first, to the first place at which `pick` finds a value in this run. Then comes
    the state, then a value of this run that the thought mentions, then the one that an argument of this name was given last.
    """
    arguments: dict[str, Value] = {}
    stages: dict[str, str] = {}
    for name in required:
        for stage, value in _found(graph, known, Place(tool, name), pick):
            if value is not None:
                arguments[name], stages[name] = value, stage
                break
        else:
            return None
    return Filled(arguments, stages)


def _found(graph: Graph, known: Known, argument: Place, pick: Pick) -> Sequence[tuple[str, Value | None]]:
    return (
        ("dependency", _by_dependency(graph, known.run, argument, pick)),
        ("state", known.state.get(argument.at)),
        ("heuristic", _by_guess(known, argument.at)),
    )


def _by_dependency(graph: Graph, run: Run, argument: Place, pick: Pick) -> Value | None:
    edges = graph.sources.get(argument)
    if not edges:
        return None
    values = (pick(run, place, argument) for place in sorted(edges, key=lambda place: (-edges[place], place)))
    return next((value for value in values if value is not None), None)


def _by_guess(known: Known, name: str) -> Value | None:
    run, thought = known.run, known.thought
    if thought:
        mentioned = (value for value in reversed(run.values) if isinstance(value, str) and len(value) > 2 and value in thought)
        if (value := next(mentioned, None)) is not None:
            return value
    return next((run.latest(place) for place in reversed(run.found) if place.at == name), None)
