"""A second opinion: whether another engine comes to the same outcome and score."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import NamedTuple

from toolplan.frontier.records import Planned
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.numerals import numeral
from toolplan.planning.engines import FAST_DOWNWARD, UNIFORM_COST, checked, planners_installed, solve_task
from toolplan.planning.grounding import compile_task
from toolplan.planning.outside import bare_scores, fits
from toolplan.planning.plans import Bounded, EngineFailed, EngineMissing, Limit, Optimal, Solution, Undecided, Unreachable
from toolplan.planning.problem import Problem
from toolplan.planning.task import Task, relevant


@dataclass(frozen=True, slots=True)
class Agreed:
    """`engine` proves the same. `proved` says what that is, in words."""

    engine: str
    proved: str


@dataclass(frozen=True, slots=True)
class Disagreed:
    """`engine` contradicts the first answer, so at least one of the two is wrong."""

    engine: str
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class NotVerified:
    """Nothing was proved twice. `reason` says what kept `engine` from that."""

    engine: str
    reason: str


Verdict = Agreed | Disagreed | NotVerified


def verify(planned: Planned, engine: str, limit: Limit) -> Verdict:
    """What `engine` says of the problem of `planned`.

    It gets the whole problem, ground without regard to what can be reached, so that grounding and what is told without search are
    checked too. Raises DomainError where there is no such engine, or it is missing or fails.
    """
    limit = checked(limit, engine)
    task = _whole(planned.problem)
    return _verified(planned, task, engine, limit) if isinstance(task, Task) else NotVerified(engine, task)


def second_opinion(planned: Planned, limit: Limit) -> Verdict:
    """What the engine says of the problem of `planned` that checks it best.

    That is Fast Downward, where it is installed, is not what is to be checked, and can count the scores; else the oracle.
    """
    first = getattr(planned.solution, "engine", "")
    engine = FAST_DOWNWARD if planners_installed() and not first.startswith(FAST_DOWNWARD) else UNIFORM_COST
    limit = checked(limit, engine)
    task = _whole(planned.problem)
    if not isinstance(task, Task):
        return NotVerified(engine, task)
    return _verified(planned, task, engine if fits(bare_scores(task)) else UNIFORM_COST, limit)


def _whole(problem: Problem) -> Task | str:
    """All of `problem`, ground; or, where that is too large, what is said of it."""
    try:
        return relevant(compile_task(problem))
    except DomainError as error:
        return error.diagnostics[0].message


def _verified(planned: Planned, task: Task, engine: str, limit: Limit) -> Verdict:
    if not task.operators:
        return NotVerified(engine, "no step has a part in the goal, so there is nothing to search")
    second = solve_task(planned.problem, task, engine, limit)
    if isinstance(second, EngineMissing | EngineFailed):
        raise DomainError([second.diagnostic])
    return compare(planned.solution, second, engine)


def compare(first: Solution, second: Solution, engine: str) -> Verdict:
    """Whether `second`, the answer of `engine`, says the same as `first`, or what cannot be true together with it.

    Plans are compared by (score, number of steps). A bound that one answer proves contradicts a better plan that the other found.
    """
    one, other = best_score(first), best_score(second)
    if one.least > other.most or other.least > one.most:
        message = f"`{getattr(first, 'engine', '')}` says {_said(first)}, and `{engine}` says {_said(second)}"
        hint = "one of the two is wrong, and the domain is not to blame; please report it"
        return Disagreed(engine, Diagnostic(Code.ENGINE_NOT_BELIEVED, message, None, hint))
    for solution in (first, second):
        if isinstance(solution, Bounded | Undecided):
            return NotVerified(engine, f"{solution.engine} stopped after {solution.limit}")
    return Agreed(engine, _said(second))


class Range(NamedTuple):
    """Where the (score, number of steps) of the best plan lies; infinite where there is none."""

    least: tuple[Fraction | float, int]
    most: tuple[Fraction | float, int]


def best_score(solution: Solution) -> Range:
    """What `solution` proves of the best plan."""
    match solution:
        case Optimal(plan):
            return Range((plan.score, len(plan.steps)), (plan.score, len(plan.steps)))
        case Bounded(plan, bound):
            return Range((bound, 0), (plan.score, len(plan.steps)))
        case Unreachable():
            return Range((inf, 0), (inf, 0))
        case Undecided(bound):
            return Range((bound, 0), (inf, 0))
        case EngineMissing(diagnostic) | EngineFailed(diagnostic):
            raise DomainError([diagnostic])


def _said(solution: Solution) -> str:
    match solution:
        case Optimal(plan):
            return f"score {numeral(plan.score)} in {len(plan.steps)} step{'' if len(plan.steps) == 1 else 's'}"
        case Bounded(plan, bound):
            return f"a plan of score {numeral(plan.score)} in {len(plan.steps)} steps, and none below {numeral(bound)}"
        case Undecided(bound):
            return f"no plan below {numeral(bound)}"
        case _:
            return "unreachable"


def verdict_to_dict(verdict: Verdict) -> dict[str, object]:
    """A verdict as JSON values."""
    match verdict:
        case Agreed(engine, proved):
            return {"verdict": "agreed", "engine": engine, "proved": proved}
        case NotVerified(engine, reason):
            return {"verdict": "not verified", "engine": engine, "reason": reason}
        case Disagreed(engine, diagnostic):
            return {"verdict": "disagreed", "engine": engine, "diagnostic": diagnostic.to_dict()}
