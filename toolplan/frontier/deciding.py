"""A plan to a decision."""

from __future__ import annotations

from toolplan.domain import Performer
from toolplan.frontier.decisions import Act, Blocked, Clarify, Decision, Done, Instruct, Undecided
from toolplan.frontier.first_steps import first_step
from toolplan.frontier.opening import opening
from toolplan.frontier.records import Planned
from toolplan.goals.forms import Form, form_of, questions_of
from toolplan.goals.questions import Question
from toolplan.goals.regret import moved_to_front
from toolplan.language.diagnostics import DomainError
from toolplan.planning import plans
from toolplan.planning.causes import reason
from toolplan.planning.plans import Bounded, EngineFailed, EngineMissing, Optimal, Plan, Unreachable
from toolplan.planning.problem import Problem


def decide(planned: Planned) -> Decision:
    """The decision that follows from a plan, or from why there is none."""
    match planned.solution:
        case Optimal(best):
            return starting(planned.problem, _preferred(planned.problem, best)) if best.steps else Done()
        case Unreachable(missing):
            return Blocked(missing, opening(planned.problem, missing))
        case Bounded(best, bound, _, limit):
            return Undecided(best, bound, limit)
        case plans.Undecided(bound, _, limit):
            return Undecided(None, bound, limit)
        case EngineMissing(diagnostic) | EngineFailed(diagnostic):
            raise DomainError([diagnostic])


def _preferred(problem: Problem, best: Plan) -> Plan:
    """`best` with the preferred of its first steps first."""
    return moved_to_front(best, first_step(problem, best))


def starting(problem: Problem, ordered: Plan) -> Act | Instruct | Clarify:
    """The decision to take the first step of `ordered`."""
    asked = form_of(problem, ordered)
    if asked is not None:
        return asking(ordered, asked)
    first = ordered.steps[0]
    action = problem.domain.tools[first.action]
    if action.performer is not Performer.CALL:
        return Instruct(action.description or action.name, action.performer, first, ordered)
    return Act((action.name,), first, ordered, reason(problem, ordered))


def asking(plan: Plan, asked: Form | Question) -> Clarify:
    """The decision to ask all of `asked`, which `plan` asks too."""
    return Clarify(asked, moved_to_front(plan, *(question.step for question in questions_of(asked))))
