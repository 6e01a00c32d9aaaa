"""A plan to a decision."""

from __future__ import annotations

from toolplan.domain import Ask, Performer
from toolplan.frontier.decisions import Act, Blocked, Clarify, Decision, Done, Instruct, Question, Undecided
from toolplan.frontier.first_steps import first_step, moved_to_front
from toolplan.frontier.opening import opening
from toolplan.frontier.records import Planned
from toolplan.language.diagnostics import DomainError
from toolplan.planning import plans
from toolplan.planning.causes import reason
from toolplan.planning.plans import Bounded, EngineFailed, EngineMissing, Optimal, Plan, Unreachable
from toolplan.planning.problem import Problem


def decide(planned: Planned) -> Decision:
    """The decision that follows from a plan, or from why there is none."""
    match planned.solution:
        case Optimal(best):
            return _next(planned.problem, best) if best.steps else Done()
        case Unreachable(missing):
            return Blocked(missing, opening(planned.problem, missing))
        case Bounded(best, bound, _, limit):
            return Undecided(best, bound, limit)
        case plans.Undecided(bound, _, limit):
            return Undecided(None, bound, limit)
        case EngineMissing(diagnostic) | EngineFailed(diagnostic):
            raise DomainError([diagnostic])


def _next(problem: Problem, best: Plan) -> Act | Instruct | Clarify:
    first = first_step(problem, best)
    ordered = moved_to_front(best, first)
    action = problem.domain.action(first.action)
    if isinstance(action, Ask):
        about = f" ({', '.join(first.arguments)})" if first.arguments else ""
        return Clarify(Question(f"{action.question or action.name}{about}", action.name, first), ordered)
    if action.performer is not Performer.CALL:
        return Instruct(action.description or action.name, action.performer, first, ordered)
    return Act((action.name,), first, ordered, reason(problem, ordered))
