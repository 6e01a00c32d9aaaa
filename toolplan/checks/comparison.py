"""Why a step is not the next one: the order in which reasons are tried, and the comparison with the best plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from toolplan.checks.asked import Asked
from toolplan.checks.needs import Standing, needs, standing, unmet
from toolplan.checks.reasons import (
    AlreadyTrue,
    Chosen,
    DeadEnd,
    Exhausted,
    ForbiddenByCall,
    GoalReached,
    GoalUnreachable,
    NotCompared,
    NotExecutable,
    NothingToActOn,
    OnBestPlanLater,
    OnNoBestPlan,
    Preference,
    Reason,
    Superseded,
    Tied,
)
from toolplan.domain import Ask, Tool
from toolplan.frontier import Blocked, Planned, decide, first_steps
from toolplan.language.diagnostics import DomainError
from toolplan.planning.engines import solve
from toolplan.planning.grounding import compile_task
from toolplan.planning.plans import (
    Atom,
    Bounded,
    EngineFailed,
    EngineMissing,
    Limit,
    Optimal,
    Plan,
    Solution,
    Step,
    Undecided,
    Unreachable,
)
from toolplan.planning.problem import Problem, ground, instead_of
from toolplan.planning.semantics import certain, produces, removes, successor
from toolplan.planning.task import relevant


@dataclass(frozen=True)
class Comparison:
    """One planned call, with which other first steps are compared."""

    planned: Planned
    engine: str
    limit: Limit | None

    @property
    def problem(self) -> Problem:
        """What was planned."""
        return self.planned.problem

    def reason(self, asked: Asked) -> tuple[Step, Reason]:
        """The step that is explained, and why it is not the next one."""
        name, solution = asked.action.name, self.planned.solution
        bare = Step(name, asked.arguments or ())
        if name in self.problem.forbidden and (newer := instead_of(self.problem, name)):
            return bare, Superseded(newer)
        if name in self.problem.forbidden:
            return bare, ForbiddenByCall(name, self.problem.domain.risk_of(asked.action).name)
        steps = list(_groundings(self.problem, asked))
        if not steps:
            lacking = tuple(p for p in asked.action.parameters if not self.problem.objects_of(p.type))
            return bare, NothingToActOn(lacking)
        fresh = [step for step in steps if step._replace(outcome=-1) not in self.problem.exhausted]
        if not fresh:
            return steps[0], Exhausted(steps[0])
        if isinstance(solution, Optimal) and not solution.plan.steps:
            return fresh[0], GoalReached()
        if isinstance(solution, Optimal) and (found := self._on_plan(solution.plan, fresh)) is not None:
            return found
        return self._nearest(fresh)

    def _on_plan(self, plan: Plan, steps: list[Step]) -> tuple[Step, Reason] | None:
        """The reason where one of `steps` is on the best plan."""
        step = next((step for step in plan.steps if step in steps), None)
        if step is None:
            return None
        firsts = first_steps(self.problem, plan)
        if step == firsts[0]:
            return step, Chosen()
        if step in firsts:
            return step, Tied(firsts[0], preference(self.problem, firsts[0], step))
        position = plan.steps.index(step)
        return step, OnBestPlanLater(position + 1, plan.steps[:position], unmet(needs(self.problem, step)))

    def _nearest(self, steps: list[Step]) -> tuple[Step, Reason]:
        """The reason for the step with the fewest unmet needs that would change something."""
        changing = [step for step in steps if _changes(self.problem, step)]
        if not changing:
            return steps[0], AlreadyTrue(tuple(_produced(self.problem, steps[0])))
        found = {step: needs(self.problem, step) for step in changing}
        step = min(changing, key=lambda step: len(unmet(found[step])))
        if unmet(found[step]):
            return step, NotExecutable(found[step], self._leads_on(step))
        return step, self._compared(step)

    def _compared(self, step: Step) -> Reason:
        """What a plan that starts with `step`, which can run, is worth beside the best."""
        solution = self.planned.solution
        if isinstance(solution, Unreachable):
            decision = decide(self.planned)
            return GoalUnreachable(solution.missing, decision.hint if isinstance(decision, Blocked) else "")
        if not isinstance(solution, Optimal):
            return NotCompared(_limit(solution))
        best = solution.plan
        match solve(replace(self.problem, state=successor(self.problem, self.problem.state, step)), self.engine, self.limit):
            case Optimal(rest):
                own = self.problem.domain.score_of(self.problem.domain.action(step.action))
                extra, longer = own + rest.score - best.score, 1 + len(rest.steps) - len(best.steps)
                first = first_steps(self.problem, best)[0]
                if (extra, longer) == (Fraction(0), 0):
                    return Tied(first, Preference.ENGINE)
                return OnNoBestPlan(extra, longer, (step, *rest.steps), first, self._leads_on(step))
            case Unreachable(missing):
                return DeadEnd(missing)
            case EngineMissing(diagnostic) | EngineFailed(diagnostic):
                raise DomainError([diagnostic])
            case undecided:
                return NotCompared(_limit(undecided))

    def _leads_on(self, step: Step) -> bool:
        """Whether anything that `step` does can help the goal, even indirectly."""
        return any(operator.step == step for operator in relevant(compile_task(self.problem)).operators)


def preference(problem: Problem, first: Step, other: Step) -> Preference:
    """Which rule of `first_steps` puts `first` before `other`."""
    one, another = problem.domain.action(first.action), problem.domain.action(other.action)
    if isinstance(one, Ask) and isinstance(another, Tool):
        return Preference.QUESTION
    if problem.domain.risk_of(one).weight < problem.domain.risk_of(another).weight:
        return Preference.RISK
    return Preference.DECLARATION if one.name != another.name else Preference.ARGUMENTS


def _groundings(problem: Problem, asked: Asked) -> Iterator[Step]:
    """The steps that were asked about, exhausted ones too."""
    outcomes = range(len(asked.action.outcomes)) if isinstance(asked.action, Tool) and asked.action.outcomes else (-1,)
    bindings = [asked.arguments] if asked.arguments is not None else (tuple(b.values()) for b in problem.bindings(asked.action.parameters))
    for arguments in bindings:
        for outcome in outcomes:
            yield Step(asked.action.name, arguments, outcome)


def _produced(problem: Problem, step: Step) -> list[Atom]:
    """All that `step` may add, whatever the conditions of its effects."""
    action, binding = problem.domain.action(step.action), problem.binding(step)
    effects = produces(action, step)
    atoms = [ground(effect.atom, {**binding, **inner}) for effect in effects for inner in problem.bindings(effect.parameters)]
    return list(dict.fromkeys([*atoms, *certain(problem.domain, step, binding)]))


def _changes(problem: Problem, step: Step) -> bool:
    """Whether `step` could make anything known that is not, or remove anything that may be there."""
    action, binding, state = problem.domain.action(step.action), problem.binding(step), problem.state
    if not state.known.issuperset(_produced(problem, step)):
        return True
    gone = {ground(effect.atom, {**binding, **inner}) for effect in removes(action, step) for inner in problem.bindings(effect.parameters)}
    return any(standing(problem, state, atom) is not Standing.FALSE for atom in gone.difference(_produced(problem, step)))


def _limit(solution: Solution) -> str:
    match solution:
        case Undecided(_, engine, limit):
            return f"`{engine}` stopped after {limit}"
        case Bounded(_, _, engine, _):
            return f"`{engine}` proves no plan to be the best"
        case _:
            return "nothing was proved"
