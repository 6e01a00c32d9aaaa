"""Rules about pairs of goals: those that nothing tells apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from toolplan.checks.reachability import Attempt
from toolplan.domain import Goal, Tool
from toolplan.goals.distinguishing import come_together, want_the_same
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, Label, quoted
from toolplan.language.lint.flow import Flow, flow_of, literals
from toolplan.language.resolve import Resolved

MOST_PAIRS = 2_000
"""Pairs of goals that are compared; those beyond it are taken to be told apart."""


def indistinct_goals(resolved: Resolved, attempts: Sequence[Attempt]) -> Iterator[Diagnostic]:
    """Goals that are reached together, whatever is done for one of them: no plan shows which was meant, and no question helps.

    Only goals that the same tools achieve are compared, each with the first of every group that is reached together.
    """
    flow = flow_of(resolved.domain)
    tried = {attempt.goal.name: attempt for attempt in attempts}
    groups: dict[Hashable, list[Goal]] = {}
    left = MOST_PAIRS
    for goal in resolved.domain.goals.values():
        firsts = groups.setdefault(_achievers(flow, goal), [])
        left -= len(firsts)
        if left < 0:
            return
        same = next((first for first in firsts if _indistinct(first, goal, tried)), None)
        if same is None:
            firsts.append(goal)
        else:
            message = f"goals {quoted(same.name)} and {quoted(goal.name)} are always reached together, and nothing tells them apart"
            hint = "make them one goal with the phrases of both, or say what only one of them achieves"
            labels = (Label(resolved.places["goal", same.name], "the other one"),)
            yield resolved.finding(Code.INDISTINCT_GOALS, ("goal", goal.name), message, hint, labels)


def _achievers(flow: Flow, goal: Goal) -> Hashable:
    """What goals must have in common to be reached together: what they are about, and the tools that achieve some of what they want."""
    makers = (action.name for literal in literals(goal.achieves) for action in flow.makers.get(literal, ()) if isinstance(action, Tool))
    return tuple(parameter.type for parameter in goal.parameters), frozenset(makers)


def _indistinct(one: Goal, other: Goal, tried: dict[str, Attempt]) -> bool:
    if want_the_same(one, other):
        return True
    first, second = tried.get(one.name), tried.get(other.name)
    if first is None or second is None:
        return False
    return come_together(first.task, second.task, dict(zip(first.entities, second.entities, strict=True)))


RULES = (indistinct_goals,)
