"""From a reading to the frontier: what a policy chooses, as a decision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from toolplan.domain import Domain
from toolplan.frontier.at_once import takes_long
from toolplan.frontier.continuation import continued
from toolplan.frontier.deciding import asking, starting
from toolplan.frontier.decisions import Clarify, Explore
from toolplan.frontier.modes import COMPARISONS, expose, tools_of
from toolplan.frontier.records import Frontier, Mode, Planned
from toolplan.frontier.showing import show
from toolplan.goals.ambiguity import goal_doubted
from toolplan.goals.commitment import shared_leads
from toolplan.goals.forms import shared_form
from toolplan.goals.policies import AskGoal, Choice, GoalPolicy, NoGoal, Pursue, Share
from toolplan.goals.prospects import Considered, consider
from toolplan.goals.readings import Reading
from toolplan.goals.solving import Answer, Solver, solver
from toolplan.planning.engines import checked
from toolplan.planning.inputs import Forbidden, StateInput, Words
from toolplan.planning.plans import Limit, Optimal, Plan, Step
from toolplan.planning.preparation import REACHABILITY
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import goal_reached

NOTHING = Plan((), Fraction(0))


def considered_in(
    domain: Domain,
    reading: Reading,
    *,
    state: StateInput,
    forbid: Iterable[Forbidden],
    exhausted: Iterable[Words | Step],
    engine: str,
    limit: Limit,
) -> Considered:
    """`reading` in `state`, its candidates planned for by `engine` within `limit`, or answered from an earlier plan.

    Raises DomainError with what is wrong in the arguments.
    """
    return consider(domain, reading, _remembering(engine, checked(limit, engine)), state=state, forbid=forbid, exhausted=exhausted)


def _remembering(engine: str, limit: Limit) -> Solver:
    fresh = solver(engine, limit)

    def solved(problem: Problem) -> Answer:
        known = continued(problem, engine)
        if known is None:
            if not goal_reached(problem, problem.state):
                takes_long()
            return fresh(problem)
        return known

    return solved


def converse(considered: Considered, policy: GoalPolicy, mode: Mode, engine: str, limit: Limit) -> Frontier:
    """The frontier of what `policy` chooses. In no mode but those for comparison does it show more than the choice allows."""
    choice = policy.choose(considered)
    seen = () if isinstance(choice, NoGoal) else choice.signals
    left = considered.left if goal_doubted(seen) else ()
    return replace(_chosen(choice, considered, mode, engine, limit), reading=considered.reading, signals=seen, left=left)


def _chosen(choice: Choice, considered: Considered, mode: Mode, engine: str, limit: Limit) -> Frontier:
    match choice:
        case Pursue(prospect):
            planned = Planned(prospect.problem, prospect.answer)
            return show(planned, continued(prospect.problem, engine), mode, engine, limit)
        case Share():
            return _shared(choice, considered, mode, engine, limit)
        case AskGoal(question):
            return expose(_nothing(considered), Clarify(question, NOTHING), mode, engine, limit)
        case NoGoal():
            return expose(_nothing(considered), Explore((), "no goal fits"), mode, engine, limit)


def _shared(choice: Share, considered: Considered, mode: Mode, engine: str, limit: Limit) -> Frontier:
    """The frontier of a shared step. What else the plan of its goal would show is not shown: mode `ties` shows the other shared steps."""
    prospect, lead = choice.prospects[0], choice.leads[0]
    problem = prospect.problem
    planned = Planned(problem, _with_plan(prospect.answer, lead.plan))
    asked = shared_form((prospect.problem, lead.plan) for prospect, lead in zip(choice.prospects, choice.leads, strict=True))
    decision = starting(problem, lead.plan) if asked is None else asking(lead.plan, asked)
    if mode in COMPARISONS:
        return expose(planned, decision, mode, engine, limit)
    steps = tuple(leads[0].step for leads in shared_leads(considered.live)) if mode == "ties" else (lead.step,)
    return Frontier(planned, decision, mode, tools_of(problem, mode, steps), steps)


def _with_plan(answer: Answer, plan: Plan) -> Answer:
    return replace(answer, plan=plan) if isinstance(answer, Optimal) else answer


def most_probable(considered: Considered) -> Planned:
    """What is planned for the most probable candidate; for nothing where `none` is more probable."""
    top = considered.top
    return _nothing(considered) if top is None or considered.fits_none else Planned(top.problem, top.answer)


def _nothing(considered: Considered) -> Planned:
    """What is planned where no goal is settled."""
    return Planned(considered.nothing, Optimal(NOTHING, REACHABILITY))
