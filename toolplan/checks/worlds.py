"""The world of a test: what is known and what was tried, the walk that the frontier makes from there, and what a script lets happen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from toolplan.checks.needs import needs, unmet
from toolplan.checks.wording import listed, tick
from toolplan.domain import AtomicFormula, Happening, Performer, Tool
from toolplan.frontier import Act, Blocked, Clarify, Decision, Done, Explore, Instruct, Planned, Undecided, decide, frontier_of
from toolplan.goals.forms import questions_of
from toolplan.goals.questions import GoalQuestion, answer_goal
from toolplan.goals.readings import Goals, Reading
from toolplan.planning.engines import AUTO, solve
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Limit, Plan, Solution, Step
from toolplan.planning.problem import Problem, State
from toolplan.planning.semantics import applicable, successor

LIMIT = Limit(expansions=1_000_000, seconds=30)
"""What one question to a planner may use unless the caller says otherwise."""


class ScriptError(Exception):
    """Something that a script lets happen, and that cannot happen where it stands."""


@dataclass(frozen=True)
class Engine:
    """What plans, and how much it may use."""

    name: str = AUTO
    limit: Limit = LIMIT

    def solve(self, problem: Problem) -> Solution:
        """The best way to the goal of `problem`."""
        return solve(problem, self.name, self.limit)


@dataclass(frozen=True, slots=True)
class Walk:
    """The steps that the frontier takes, one after the other, until `end`; `plans` are what it had in mind along the way."""

    steps: tuple[Step, ...]
    plans: tuple[Plan, ...]
    end: Decision


@dataclass(frozen=True)
class World:
    """One moment of a test."""

    problem: Problem
    engine: Engine

    @cached_property
    def decision(self) -> Decision:
        """What the frontier decides here."""
        return decide(Planned(self.problem, self.engine.solve(self.problem)))

    @cached_property
    def walk(self) -> Walk:
        """From here to the end, every step as the plan hopes. It ends: each step leaves a plan with one step less.

        The question which goal is meant is an end, too.
        """
        steps: list[Step] = []
        plans: list[Plan] = []
        world = self
        while isinstance(decision := world.decision, Act | Instruct | Clarify) and (taken := offered(decision)):
            steps += taken
            plans.append(decision.plan)
            world = world.moved(_state_after(world.problem, taken))
        return Walk(tuple(steps), tuple(plans), world.decision)

    def moved(self, state: State) -> Self:
        """The same world in another state."""
        return replace(self, problem=replace(self.problem, state=state))

    def without(self, *steps: Step) -> Self:
        """The same world where `steps` were tried and are not tried again."""
        tried = {Step(step.action, step.arguments) for step in steps}
        return replace(self, problem=replace(self.problem, exhausted=self.problem.exhausted | tried))

    def after(self, happening: Happening) -> World:
        """The world once that has happened. Raises ScriptError where it cannot."""
        if happening.call is None:
            asked = self._asked()
            return self.moved(_state_after(self.problem, asked)) if happening.kind == "says" else self.without(*asked)
        step = self._called(happening.call)
        match happening.kind:
            case "returns":
                return self._returned(step, happening.observed)
            case "fails":
                return self.without(step)
            case _:
                return self.moved(_doubted(self.problem, step)).without(step)

    def _called(self, call: AtomicFormula) -> Step:
        """The step that a script speaks of: that of the frontier if it fits, else the only one that can run."""
        hoped = next((step for step in offered(self.decision) if matches(call, step)), None)
        if hoped is not None:
            return hoped
        fitting = list(dict.fromkeys(Step(step.action, step.arguments) for step in self.problem.steps() if matches(call, step)))
        possible = [step for step in fitting if applicable(self.problem, self.problem.state, step)]
        if len(possible) == 1:
            return possible[0]
        if possible:
            raise ScriptError(f"{tick(call)} may be any of {listed(possible, 'and')}: write its arguments")
        raise ScriptError(f"{tick(call)} cannot have been called: {why_not(self.problem, call)}")

    def _asked(self) -> tuple[Step, ...]:
        """The questions that are open, or what the user was told to do by hand."""
        decision = self.decision
        if isinstance(decision, Clarify) or (isinstance(decision, Instruct) and decision.performer is Performer.USER):
            return offered(decision)
        raise ScriptError(f"the user has not been asked: {described(decision)}")

    def _returned(self, step: Step, observed: tuple[AtomicFormula, ...]) -> Self:
        """After `step`, in the outcome that `observed` chooses: without it the one that was hoped for, or else the first."""
        atoms = {Atom(item.fact, tuple(term.name for term in item.terms)) for item in observed}
        for outcome in _outcomes(self.problem, step):
            after = successor(self.problem, self.problem.state, outcome)
            if atoms <= after.known | after.uncertain and (atoms or step.outcome in (outcome.outcome, -1)):
                return self.moved(after)
        raise ScriptError(f"no outcome of {tick(step)} makes {listed(observed, 'and')} known")


@dataclass(frozen=True)
class Unsettled(World):
    """A moment at which nobody said which goal is meant: `reading` is what the request was taken for, and `problem` what it means."""

    reading: Reading

    @cached_property
    def decision(self) -> Decision:
        """What the frontier decides here."""
        problem, engine = self.problem, self.engine
        now = frontier_of(
            problem.domain,
            self.reading,
            state=problem.state,
            exhausted=sorted(problem.exhausted),
            engine=engine.name,
            limit=engine.limit,
        )
        return now.decision

    def after(self, happening: Happening) -> World:
        """The world once that has happened. The user who is asked for a goal chooses what `problem` wants, or else none of these."""
        decision = self.decision
        if not (happening.call is None and isinstance(decision, Clarify) and isinstance(decision.question, GoalQuestion)):
            return super().after(happening)
        if not self.problem.wanted:
            raise ScriptError("the user is asked for a goal, and the test names no `goal` to answer with")
        options = [option.goals for option in decision.question.options]
        if happening.kind == "says" and any(map(self._is_meant, options)):
            return World(self.problem, self.engine)
        return replace(self, reading=answer_goal(self.reading, options, ()))

    def _is_meant(self, goals: Goals) -> bool:
        offered = build(self.problem.domain, self.problem.state, goals)
        return {wanted.condition for wanted in offered.wanted} == {wanted.condition for wanted in self.problem.wanted}


def offered(decision: Decision) -> tuple[Step, ...]:
    """The steps that a decision takes: several where they are asked together, and none where the goal is not settled or at an end."""
    match decision:
        case Act(step=step) | Instruct(step=step):
            return (step,)
        case Clarify(question=asked) if not isinstance(asked, GoalQuestion):
            return tuple(question.step for question in questions_of(asked))
        case _:
            return ()


def described(decision: Decision) -> str:
    """A decision in a few words."""
    match decision:
        case Act(_, step, _, reason):
            return f"the next step is {tick(step)}, as {reason}"
        case Instruct(_, performer, step):
            return f"the next step is {tick(step)}, by the {performer.value}"
        case Clarify(GoalQuestion(options=options)):
            return f"it is asked which goal is meant: {listed((' and '.join(option.goals) for option in options if option.goals), 'or')}"
        case Clarify():
            steps = offered(decision)
            return f"the next step is the {'form' if len(steps) > 1 else 'question'} {listed(steps, 'and')}"
        case Explore(_, reason):
            return f"nothing is done: {reason}"
        case Blocked(missing):
            return f"it is blocked: nothing can add {listed(missing, 'or')}" if missing else "it is blocked: no order of the tools works"
        case Undecided(_, _, limit):
            return f"it is undecided: stopped after {limit}"
        case Done():
            return "everything that is wanted is known"


def matches(written: AtomicFormula, step: Step) -> bool:
    """Whether `step` is what a test wrote; without arguments that is any step of the action."""
    return written.fact == step.action and (not written.terms or tuple(term.name for term in written.terms) == step.arguments)


def why_not(problem: Problem, written: AtomicFormula) -> str:
    """Why nothing that `written` stands for can run in the state of `problem`."""
    if any(matches(written, step) for step in problem.exhausted):
        return "it was tried before"
    fitting = [step for step in problem.steps() if matches(written, step)]
    if not fitting:
        return "neither the state nor the goal names what to call it with"
    missing = min((unmet(needs(problem, step)) for step in fitting), key=len)
    return f"it requires {listed((need.condition for need in missing), 'and')}"


def _state_after(problem: Problem, steps: Iterable[Step]) -> State:
    state = problem.state
    for step in steps:
        state = successor(problem, state, step)
    return state


def _outcomes(problem: Problem, step: Step) -> list[Step]:
    action = problem.domain.action(step.action)
    if isinstance(action, Tool) and action.outcomes:
        return [Step(step.action, step.arguments, number) for number in range(len(action.outcomes))]
    return [step]


def _doubted(problem: Problem, step: Step) -> State:
    """The state after a call of which nobody knows whether it worked: all that it may change is uncertain."""
    state = problem.state
    changed: set[Atom] = set()
    for outcome in _outcomes(problem, step):
        after = successor(problem, state, outcome)
        changed |= (after.known ^ state.known) | (after.denied ^ state.denied) | (after.uncertain ^ state.uncertain)
    doubted = {atom for atom in changed if atom.fact in problem.domain.facts}
    return State(state.known - doubted, state.uncertain | doubted, state.denied - doubted, state.values)
