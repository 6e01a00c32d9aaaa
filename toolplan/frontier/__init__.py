"""The decision: which tools the model may see now. (In search, `frontier` is the open list; here it is the first steps of best plans.)

Deterministic: the same domain, state, request and engine give the same decision.

- `continuation`: answers from the plan that led to a state.
- `decisions`: what an agent may do next. `calls`: a step with the arguments of the real tool, and their sources.
- `records`: what `plan` and `frontier` return.
- `first_steps`: which steps can go first, and which of them is preferred.
- `deciding`: a plan to a decision; `opening`: what would help where there is none.
- `conversing`: a reading of what the user said to a decision; `showing`: what both have in common.
- `modes`: how much is shown; `ties`, `parallel` and `recovery` have a module each.
- `callable`: which calls that means.
- `verification`: a second engine's word on a plan.
- `at_once`: what an event loop does itself, and what it does not.
"""

from __future__ import annotations

from collections.abc import Iterable

from toolplan.domain import Domain
from toolplan.frontier.callable import callable_steps, callable_tools
from toolplan.frontier.calls import Argument, Call, Source
from toolplan.frontier.continuation import continued
from toolplan.frontier.conversing import considered_in, converse, most_probable
from toolplan.frontier.deciding import decide
from toolplan.frontier.decisions import (
    Act,
    Blocked,
    CallQuestion,
    Clarify,
    Decision,
    Done,
    EntityQuestion,
    Explore,
    Instruct,
    Undecided,
    next_step,
    plan_of,
)
from toolplan.frontier.first_steps import first_step, first_steps
from toolplan.frontier.modes import MODES, check_mode
from toolplan.frontier.records import Frontier, Mode, Planned, assumes, number, plan_to_dict, step_to_dict
from toolplan.frontier.showing import show
from toolplan.goals.commitment import SharedPrefix, shared_prefix
from toolplan.goals.forms import Form
from toolplan.goals.given import reading_from
from toolplan.goals.policies import LEAST_COMMITMENT, GoalPolicy
from toolplan.goals.prospects import repeatable
from toolplan.goals.questions import GoalQuestion, Option, Question
from toolplan.goals.readings import GoalRanker, Reading
from toolplan.goals.regret import moved_to_front
from toolplan.goals.solving import believed
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.loading import loaded
from toolplan.planning.engines import AUTO, checked, solve
from toolplan.planning.inputs import Forbidden, GoalInput, StateInput, Words, build
from toolplan.planning.plans import Limit, Step
from toolplan.planning.problem import Problem

__all__ = [
    "MODES",
    "Act",
    "Argument",
    "Blocked",
    "Call",
    "CallQuestion",
    "Clarify",
    "Decision",
    "Done",
    "EntityQuestion",
    "Explore",
    "Form",
    "Frontier",
    "GoalQuestion",
    "Instruct",
    "Mode",
    "Option",
    "Planned",
    "Question",
    "Source",
    "Undecided",
    "assumes",
    "callable_steps",
    "callable_tools",
    "decide",
    "first_step",
    "first_steps",
    "frontier",
    "frontier_of",
    "moved_to_front",
    "next_step",
    "number",
    "plan",
    "plan_of",
    "plan_to_dict",
    "step_to_dict",
    "steps_before_question",
]


def plan(
    domain: Domain,
    *,
    state: StateInput = None,
    goal: GoalInput | None = None,
    request: str | None = None,
    candidates: object = None,
    ranker: GoalRanker | None = None,
    forbid: Iterable[Forbidden] = (),
    exhausted: Iterable[Words | Step] = (),
    engine: str = AUTO,
    limit: Limit | None = None,
) -> Planned:
    """The whole best plan from `state` to `goal`, by (score, number of steps), proved by `engine` within `limit`.

    `state` holds atoms (`"date"`, `"found(report)"`, `("found", "report")`, `"event_id?"` for uncertain, `"not private(report)"`), or
    maps facts to values (False is known false, but the value of a boolean; None unknown). `goal` is a goal's name, a goal with arguments, a condition, or several.
    `forbid` names tools, questions or levels of risk; `exhausted` steps that are not to be tried again. Raises DomainError with every
    mistake in the call, and where the engine is missing or fails; no plan is an outcome, not an error.

    With `candidates` or a `request`, as `frontier` takes them, it is the plan for the most probable goal, however doubtful, and for nothing
    where none is more probable.
    """
    _check_call(domain, goal, request, candidates)
    if goal is None:
        state, forbid, exhausted = repeatable(state), repeatable(forbid), repeatable(exhausted)
        reading = _reading(domain, state, request, candidates, ranker)
        considered = considered_in(domain, reading, state=state, forbid=forbid, exhausted=exhausted, engine=engine, limit=limit or Limit())
        _refuse_mistakes(candidates, considered.reading)
        return most_probable(considered)
    problem = build(domain, state, goal, forbid, exhausted)
    bounds = checked(limit or Limit(), engine)
    known = continued(problem, engine)
    return _planned(problem, engine, bounds) if known is None else Planned(problem, known)


def frontier(
    domain: Domain,
    *,
    state: StateInput = None,
    goal: GoalInput | None = None,
    request: str | None = None,
    candidates: object = None,
    ranker: GoalRanker | None = None,
    forbid: Iterable[Forbidden] = (),
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

    Instead of `goal`, `candidates` are what may be wanted, as pairs or a mapping of goals and confidences: `[("move_event", 0.6),
    (("move_event", "archive_email"), 0.2), (None, 0.1)]`. What the confidences leave over belongs to none of these, as None does. Or a
    `request` is in the words of the user, and `ranker` says what it may mean, by default the one that is installed. See `frontier_of`.
    """
    check_mode(mode)
    _check_call(domain, goal, request, candidates)
    if goal is None:
        state, forbid, exhausted = repeatable(state), repeatable(forbid), repeatable(exhausted)
        reading = _reading(domain, state, request, candidates, ranker)
        now = frontier_of(domain, reading, state=state, forbid=forbid, exhausted=exhausted, mode=mode, engine=engine, limit=limit)
        _refuse_mistakes(candidates, now.reading or reading)
        return now
    problem = build(domain, state, goal, forbid, exhausted)
    bounds = checked(limit or Limit(), engine)
    known = continued(problem, engine)
    planned = _planned(problem, engine, bounds) if known is None else Planned(problem, known)
    return show(planned, known, mode, engine, bounds)


def frontier_of(
    domain: Domain,
    reading: Reading,
    *,
    state: StateInput = None,
    policy: GoalPolicy = LEAST_COMMITMENT,
    forbid: Iterable[Forbidden] = (),
    exhausted: Iterable[Words | Step] = (),
    mode: Mode = "one",
    engine: str = AUTO,
    limit: Limit | None = None,
) -> Frontier:
    """What the model may see and call now, where it is not settled which candidate of `reading` is wanted; `policy` decides about that.

    A clear goal is pursued as by `frontier`. What `reading` says of goals that the domain does not have is among the findings of the
    reading in the result, and leads to a question, never to more tools.
    """
    check_mode(mode)
    bounds = limit or Limit()
    considered = considered_in(domain, reading, state=state, forbid=forbid, exhausted=exhausted, engine=engine, limit=bounds)
    return converse(considered, policy, mode, engine, bounds)


def steps_before_question(
    domain: Domain,
    reading: Reading,
    *,
    state: StateInput = None,
    forbid: Iterable[Forbidden] = (),
    exhausted: Iterable[Words | Step] = (),
    engine: str = AUTO,
    limit: Limit | None = None,
) -> SharedPrefix:
    """What can be done before it must be known which plausible candidate of `reading` is wanted."""
    bounds = limit or Limit()
    return shared_prefix(considered_in(domain, reading, state=state, forbid=forbid, exhausted=exhausted, engine=engine, limit=bounds).live)


def _planned(problem: Problem, engine: str, limit: Limit) -> Planned:
    """The one place where the problem of a goal becomes a solution."""
    return Planned(problem, believed(solve(problem, engine, limit)))


def _reading(domain: Domain, state: StateInput, request: str | None, candidates: object, ranker: GoalRanker | None) -> Reading:
    if request is None:
        return reading_from(candidates)
    return (ranker or _default_ranker()).rank(request, domain, build(domain, state, ()).state)


def _default_ranker() -> GoalRanker:
    # Rankers bring libraries, for which a call with `goal=` must not wait.
    from toolplan.goals.rankers import default

    return default()


def _refuse_mistakes(candidates: object, reading: Reading) -> None:
    """Raises DomainError with what is wrong in the candidates of a caller. What a ranker got wrong is a doubt, not an error."""
    if candidates is not None and reading.findings:
        raise DomainError(reading.findings)


def _check_call(domain: object, goal: object, request: object, candidates: object) -> None:
    loaded(domain)
    given = [name for name, value in (("goal", goal), ("request", request), ("candidates", candidates)) if value is not None]
    if len(given) != 1:
        found = " and ".join(f"`{name}`" for name in given) or "none of them"
        message = f"exactly one of `goal`, `request` and `candidates` says what is wanted, not {found}"
        raise DomainError([Diagnostic(Code.NOT_ONE_GOAL, message, None, 'pass `goal="..."`')])
