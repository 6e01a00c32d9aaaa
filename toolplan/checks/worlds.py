"""The world of a test: a session at one moment, what is next in it, and the walk that goes on from there as it is hoped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from toolplan.checks.needs import needs, unmet
from toolplan.checks.stages import Stage
from toolplan.checks.wording import listed, tick
from toolplan.domain import AtomicFormula
from toolplan.frontier import (
    Act,
    Blocked,
    Call,
    CallQuestion,
    Clarify,
    Decision,
    Done,
    EntityQuestion,
    Explore,
    Frontier,
    Instruct,
    Undecided,
    plan_of,
)
from toolplan.goals.forms import Form, questions_of
from toolplan.goals.questions import GoalQuestion, Question
from toolplan.planning.engines import AUTO, solve
from toolplan.planning.plans import Limit, Plan, Solution, Step
from toolplan.planning.problem import Problem
from toolplan.session import Settings

LIMIT = Limit(expansions=1_000_000, seconds=30)
"""What one question to a planner may use unless the caller says otherwise."""


@dataclass(frozen=True)
class Engine:
    """What plans, and how much it may use."""

    name: str = AUTO
    limit: Limit = LIMIT

    def solve(self, problem: Problem) -> Solution:
        """The best way to the goal of `problem`."""
        return solve(problem, self.name, self.limit)

    @property
    def settings(self) -> Settings:
        """Those of a session in which a call that has failed is not tried again: what a script says holds for good."""
        return Settings(retries=0, engine=self.name, limit=self.limit)


@dataclass(frozen=True, slots=True)
class Walk:
    """The steps that the frontier takes, one after the other, until `end`; `plans` are what it had in mind along the way."""

    steps: tuple[Step, ...]
    plans: tuple[Plan, ...]
    end: Decision


@dataclass(frozen=True)
class World:
    """One moment of a test. What happens makes another one, and leaves this as it is.

    `before` is what the last thing that happened came to, where that is not what it says itself.
    """

    stage: Stage
    engine: Engine
    now: Frontier
    before: tuple[str, ...] = ()

    @classmethod
    def of(cls, stage: Stage, engine: Engine, before: Iterable[str] = ()) -> Self:
        """The moment at which `stage` is."""
        return cls(stage, engine, stage.next(), tuple(before))

    @property
    def decision(self) -> Decision:
        """What is next."""
        return self.now.decision

    @property
    def problem(self) -> Problem:
        """What is planned for, in the state of this moment; it wants nothing as long as no goal is settled."""
        return self.now.planned.problem

    @property
    def is_settled(self) -> bool:
        """Whether it is certain what is wanted, or nothing is."""
        frame = self.stage.session.memory.active
        return frame is None or (len(frame.reading.candidates) == 1 and frame.reading.none == 0)

    @cached_property
    def walk(self) -> Walk:
        """From here to the end, every step as it is hoped. The question which goal is meant is an end, too."""
        stage, now = self.stage.copied(), self.now
        steps: list[Step] = []
        plans: list[Plan] = []
        while goes_on(now.decision):
            plans += [plan] if (plan := plan_of(now.decision)) is not None else []
            steps += stage.hope(now)
            now = stage.session.next()
        return Walk(tuple(steps), tuple(plans), now.decision)


def goes_on(decision: Decision) -> bool:
    """Whether there is a next step, or a question that is no question for the goal."""
    return isinstance(decision, Act | Instruct) or (isinstance(decision, Clarify) and not isinstance(decision.question, GoalQuestion))


def offered(decision: Decision) -> tuple[Step, ...]:
    """The steps that are next: several where they are asked together, and none where the goal is not settled or at an end.

    A call that waits for somebody to agree is the next step, too.
    """
    match decision:
        case Act(step=step) | Instruct(step=step) | Clarify(question=CallQuestion(call=Call(step=step))):
            return (step,)
        case Clarify(question=Question() | Form() as asked):
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
        case Clarify(EntityQuestion(_, atom, options)):
            return f"it is asked which {tick(atom)} is meant: {listed(options, 'or')}"
        case Clarify(CallQuestion(_, call, by)):
            return f"{by or 'the user'} is asked whether {tick(call.step)} may run"
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
