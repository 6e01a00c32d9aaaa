"""The decision: which tools the model may see now. (In search, `frontier` is the open list; here it is the first steps of best plans.)

Deterministic: the same domain, state, request and engine give the same decision.

- `continuation`: answers from the plan that led to a state.
- `decisions`: what an agent may do next.
- `records`: what `plan` and `frontier` return.
- `first_steps`: which steps can go first, and which of them is preferred.
- `deciding`: a plan to a decision; `opening`: what would help where there is none.
- `exposure`: the modes; `ties`, `parallel` and `recovery` have a module each.
- `verification`: a second engine's word on a plan.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from toolplan.domain import Domain
from toolplan.frontier.continuation import continued, remember
from toolplan.frontier.deciding import decide
from toolplan.frontier.decisions import Act, Blocked, Clarify, Decision, Done, Instruct, Question, Undecided, next_step, plan_of
from toolplan.frontier.exposure import MODES, check_mode, expose
from toolplan.frontier.first_steps import first_step, first_steps, moved_to_front
from toolplan.frontier.records import Frontier, Mode, Planned, assumes, number, plan_to_dict, step_to_dict
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.planning.engines import AUTO, solve
from toolplan.planning.inputs import GoalInput, StateInput, Words, build
from toolplan.planning.plans import EngineFailed, EngineMissing, Limit, Optimal, Step
from toolplan.planning.problem import Problem

__all__ = [
    "MODES",
    "Act",
    "Blocked",
    "Clarify",
    "Decision",
    "Done",
    "Frontier",
    "Instruct",
    "Mode",
    "Planned",
    "Question",
    "Undecided",
    "assumes",
    "decide",
    "first_step",
    "first_steps",
    "frontier",
    "moved_to_front",
    "next_step",
    "number",
    "plan",
    "plan_of",
    "plan_to_dict",
    "step_to_dict",
]


def plan(
    domain: Domain,
    *,
    state: StateInput = None,
    goal: GoalInput | None = None,
    request: str | None = None,
    candidates: object = None,
    forbid: Iterable[str] = (),
    exhausted: Iterable[Words | Step] = (),
    engine: str = AUTO,
    limit: Limit | None = None,
) -> Planned:
    """The whole best plan from `state` to `goal`, by (score, number of steps), proved by `engine` within `limit`.

    `state` holds atoms (`"date"`, `"found(report)"`, `("found", "report")`, `"event_id?"` for uncertain, `"not private(report)"`), or
    maps facts to values (False is known false, None unknown). `goal` is a goal's name, a goal with arguments, a condition, or several.
    `forbid` names tools, questions or levels of risk; `exhausted` steps that are not to be tried again. Raises DomainError with every
    mistake in the call, and where the engine is missing or fails; no plan is an outcome, not an error.
    """
    _one_goal(goal, request, candidates)
    assert goal is not None
    problem = build(domain, state, goal, forbid, exhausted)
    known = continued(problem, engine)
    return _planned(problem, engine, limit) if known is None else Planned(problem, known)


def frontier(
    domain: Domain,
    *,
    state: StateInput = None,
    goal: GoalInput | None = None,
    request: str | None = None,
    candidates: object = None,
    forbid: Iterable[str] = (),
    exhausted: Iterable[Words | Step] = (),
    mode: Mode = "one",
    engine: str = AUTO,
    limit: Limit | None = None,
) -> Frontier:
    """What the model may see and call now, on the way from `state` to `goal`; the arguments are those of `plan`.

    `mode` says what is shown: `one` (the next tool), `ties` (every tool that starts some best plan), `parallel` (the calls of the plan
    that can run now, in any order), `recovery` (the next tool, and the fewest to fall back on or to look again with), and for comparison
    `path` (every tool of the plan), `executable` (every tool that could run) or `all`. The decision is the same in every mode.
    Of the steps of the plan that can run now, `one` takes questions first, then lower risk, then the order of declaration.
    """
    check_mode(mode)
    _one_goal(goal, request, candidates)
    assert goal is not None
    problem = build(domain, state, goal, forbid, exhausted)
    known = continued(problem, engine)
    planned = _planned(problem, engine, limit) if known is None else Planned(problem, known)
    decision = decide(planned)
    followed = plan_of(decision)
    if followed is not None and isinstance(planned.solution, Optimal) and (known is None or followed.steps != known.plan.steps):
        remember(problem, engine, replace(planned.solution, plan=followed))
    return expose(planned, decision, mode, engine, limit or Limit())


def _planned(problem: Problem, engine: str, limit: Limit | None) -> Planned:
    """The one place where a problem becomes a solution."""
    solution = solve(problem, engine, limit)
    if isinstance(solution, EngineMissing | EngineFailed):
        raise DomainError([solution.diagnostic])
    return Planned(problem, solution)


def _one_goal(goal: object, request: object, candidates: object) -> None:
    given = [name for name, value in (("goal", goal), ("request", request), ("candidates", candidates)) if value is not None]
    if len(given) != 1:
        found = " and ".join(f"`{name}`" for name in given) or "none of them"
        message = f"exactly one of `goal`, `request` and `candidates` says what is wanted, not {found}"
        raise DomainError([Diagnostic(Code.NOT_ONE_GOAL, message, None, 'pass `goal="..."`')])
    if goal is None:
        message = f"`{given[0]}` is not understood by this version"
        raise DomainError([Diagnostic(Code.UNPLANNED_CONSTRUCT, message, None, "name the goal: `goal=...`")])
