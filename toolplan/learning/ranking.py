"""Inertia among steps that contracts hold to be equally good: it breaks ties, and authorises nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from toolplan.domain import Domain, Tool
from toolplan.frontier import Frontier
from toolplan.learning.graph import Graph
from toolplan.learning.runs import LONGEST_WINDOW, Run
from toolplan.planning.plans import Step
from toolplan.retrieval.searching import Prior


def by_inertia(frontier: Frontier, graph: Graph, run: Run) -> Frontier:
    """`frontier` with its steps, and its tools with them, in the order in which they tend to follow the last tools of `run`.

    The longest window of the run counts that was followed by any of these steps. Steps that it was never followed by keep their order,
    behind the others. No step and no tool comes or goes, and the decision, with its plan and its `ready` call, stays what it was.
    """
    domain = frontier.planned.problem.domain
    called = {step: _called(domain, step) for step in frontier.steps}
    strengths = _strengths(graph, run, frozenset(called.values()))
    steps = tuple(sorted(frontier.steps, key=lambda step: -strengths.get(called[step], 0.0)))
    first = {step.action: place for place, step in reversed([*enumerate(steps)])}
    tools = tuple(sorted(frontier.tools, key=lambda tool: first.get(tool, len(steps))))
    return replace(frontier, steps=steps, tools=tools)


def _strengths(graph: Graph, run: Run, tools: frozenset[str]) -> dict[str, float]:
    """How strong the edges to `tools` are that leave the longest window which any of them leaves."""
    run.settle()
    for window in reversed([*run.windows(LONGEST_WINDOW)]):
        found = {tool: weight.strength for tool, weight in graph.successors(window).items() if tool in tools and weight.strength > 0}
        if found:
            return found
    return {}


def prior_of(graph: Graph) -> Prior:
    """What mostly followed the last tools in the runs of `graph` counts up to twice as much: for `Settings.prior`.

    The longest window of the last tools counts that was followed by anything.
    """

    def prior(latest: Sequence[str]) -> Mapping[str, float]:
        for size in range(min(LONGEST_WINDOW, len(latest)), 0, -1):
            found = {tool: weight.strength for tool, weight in graph.successors(tuple(latest[-size:])).items()}
            if total := sum(found.values()):
                return {tool: 1.0 + strength / total for tool, strength in found.items()}
        return {}

    return prior


def _called(domain: Domain, step: Step) -> str:
    """The real tool of `step`, as runs name it; nothing where it calls none."""
    action = domain.action(step.action)
    return action.call_name if isinstance(action, Tool) else ""
