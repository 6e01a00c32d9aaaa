"""From what was planned for a goal to the frontier, and to what is remembered of it."""

from __future__ import annotations

from dataclasses import replace

from toolplan.frontier.continuation import remember
from toolplan.frontier.deciding import decide
from toolplan.frontier.decisions import plan_of
from toolplan.frontier.modes import expose
from toolplan.frontier.records import Frontier, Mode, Planned
from toolplan.planning.plans import Limit, Optimal


def show(planned: Planned, known: Optimal | None, mode: Mode, engine: str, limit: Limit) -> Frontier:
    """The frontier of `planned` in `mode`. Its plan is kept, unless it is the one that is `known` already."""
    decision = decide(planned)
    followed = plan_of(decision)
    if followed is not None and isinstance(planned.solution, Optimal) and (known is None or followed.steps != known.plan.steps):
        remember(planned.problem, engine, replace(planned.solution, plan=followed))
    return expose(planned, decision, mode, engine, limit)
