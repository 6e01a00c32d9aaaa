"""Least commitment: what can be done before it is clear which goal is meant.

Candidates are compared by all the steps that start some best plan of each. Two arbitrary best plans must not be: they may start with
different steps although each could start with the other's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from toolplan.domain import Ask, AskKind, Domain, Performer
from toolplan.goals.prospects import Prospect
from toolplan.goals.regret import Regret, as_called, led_by, preference, startable
from toolplan.planning.plans import Plan, Step
from toolplan.planning.problem import Problem, State
from toolplan.planning.semantics import successor

MOST_STATES = 200
"""States that the search for the longest shared prefix looks at."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A step, and the best plan of a goal that starts with it."""

    step: Step
    plan: Plan


@dataclass(frozen=True, slots=True)
class SharedPrefix:
    """The steps that can be taken before the goal must be known. `longest` says whether that was proved to be as many as can be."""

    steps: tuple[Step, ...]
    longest: bool


def commits_to_none(domain: Domain, step: Step) -> bool:
    """Whether `step` may be taken for a goal that turns out not to be meant.

    That is a call, or a step of the model, on a safe level of risk; and the question for a value or an entity, whose answer every goal that
    shares it needs. Asking for permission already says what is going to be done, and so does what the user is told to do by hand.
    """
    action = domain.action(step.action)
    if isinstance(action, Ask):
        return action.kind is not AskKind.PERMISSION
    return domain.risk_of(action).safe and action.performer is not Performer.USER


def shared_leads(live: Sequence[Prospect]) -> Iterator[tuple[Lead, ...]]:
    """The steps that commit to none and start a best plan of every one of `live`, each with these plans in the order of `live`.

    What needs no user comes first, questions last; then lower risk, then the order of declaration. Of a call that may turn out in several
    ways each goal may hope for its own. A step of which the limit keeps this from being proved is not shared, and neither is any where a
    plan is not proved best.
    """
    plans = [prospect.best for prospect in live]
    problems = [prospect.problem for prospect in live]
    return _leads(live, problems, [plan for plan in plans if plan is not None]) if live and None not in plans else iter(())


def _leads(live: Sequence[Prospect], problems: Sequence[Problem], plans: Sequence[Plan]) -> Iterator[tuple[Lead, ...]]:
    """As `shared_leads`, for `problems` of which `plans` are best plans."""
    ways = [_by_call(problem, plan) for problem, plan in zip(problems, plans, strict=True)]
    calls = [call for call in ways[0] if all(call in others for others in ways[1:])]
    for call in sorted(calls, key=lambda call: _late_questions(problems[0], call)):
        leads: list[Lead] = []
        for prospect, problem, plan, way in zip(live, problems, plans, ways, strict=True):
            if (lead := _lead(prospect, problem, plan, way[call])) is None:
                break
            leads.append(lead)
        else:
            yield tuple(leads)


def _by_call(problem: Problem, best: Plan) -> dict[Step, list[Step]]:
    """The steps that can run now and commit to none, under the calls that they are."""
    ways: dict[Step, list[Step]] = {}
    for step in startable(problem, best):
        if commits_to_none(problem.domain, step):
            ways.setdefault(as_called(step), []).append(step)
    return ways


def _lead(prospect: Prospect, problem: Problem, best: Plan, ways: Sequence[Step]) -> Lead | None:
    for step in ways:
        plan = led_by(problem, best, step, prospect.solver)
        if not isinstance(plan, Regret):
            return Lead(step, plan)
    return None


def _late_questions(problem: Problem, step: Step) -> tuple[object, ...]:
    is_call, *rest = preference(problem, step)
    return not is_call, *rest


def shared_prefix(live: Sequence[Prospect]) -> SharedPrefix:
    """The longest sequence of steps that commit to none and that starts a best plan of every one of `live`.

    Depth first over the states that such steps lead to. Each step leaves every best plan shorter by one, so all ways to a state are as
    long as each other, and a state is looked at once. It ends where a plan of one of `live` does.
    """
    plans = [prospect.best for prospect in live]
    if not live or None in plans:
        return SharedPrefix((), longest=True)
    start = _Node((), tuple(prospect.problem.state for prospect in live), tuple(plan for plan in plans if plan is not None))
    most = min(len(plan.steps) for plan in start.plans)
    deepest, seen, open_nodes = start.taken, {start.states}, [start]
    while open_nodes and len(deepest) < most:
        if len(seen) > MOST_STATES:
            return SharedPrefix(deepest, longest=False)
        node = open_nodes.pop()
        deepest = max(deepest, node.taken, key=len)
        for following in reversed(list(node.successors(live))):
            if following.states not in seen:
                seen.add(following.states)
                open_nodes.append(following)
    return SharedPrefix(deepest, longest=True)


@dataclass(frozen=True, slots=True)
class _Node:
    """Where shared steps have led: the state of each goal's problem, and what is left of a best plan for it.

    The states differ only in the outcome that each goal hopes for.
    """

    taken: tuple[Step, ...]
    states: tuple[State, ...]
    plans: tuple[Plan, ...]

    def successors(self, live: Sequence[Prospect]) -> Iterator[_Node]:
        """Where one more shared step leads, the preferred first."""
        problems = [replace(prospect.problem, state=state) for prospect, state in zip(live, self.states, strict=True)]
        for leads in _leads(live, problems, self.plans):
            states = tuple(successor(problem, problem.state, lead.step) for problem, lead in zip(problems, leads, strict=True))
            yield _Node(
                (*self.taken, as_called(leads[0].step)),
                states,
                tuple(_rest(problem, lead) for problem, lead in zip(problems, leads, strict=True)),
            )


def _rest(problem: Problem, lead: Lead) -> Plan:
    """What is left of a plan after its first step."""
    domain = problem.domain
    return Plan(lead.plan.steps[1:], lead.plan.score - domain.score_of(domain.action(lead.step.action)))
