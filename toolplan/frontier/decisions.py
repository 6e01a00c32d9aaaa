"""The decision types: what an agent may do next. Each is a type of its own; none is a flag on another."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from toolplan.domain import Performer
from toolplan.frontier.calls import Call
from toolplan.goals.forms import Form
from toolplan.goals.questions import GoalQuestion, Question
from toolplan.planning.plans import Atom, Fluent, Plan, Step


@dataclass(frozen=True, slots=True)
class Act:
    """Call one of `tools`. `step` is the first of `plan`, which is proved to be of least score; `reason` says why it is needed.

    `ready` is the call of `step`, where a conversation knows all its arguments and whoever must agree has agreed: no model is needed.
    """

    tools: tuple[str, ...]
    step: Step
    plan: Plan
    reason: str
    ready: Call | None = None


@dataclass(frozen=True, slots=True)
class Instruct:
    """The next step needs no call: the user does it by hand, or the host asks its model for a value (`performer`)."""

    instruction: str
    performer: Performer
    step: Step
    plan: Plan


@dataclass(frozen=True, slots=True)
class EntityQuestion:
    """Which of several things that a call found is meant. `options` are words for each, in the order in which they were found."""

    text: str
    atom: Atom
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallQuestion:
    """Whether `call` may run, with exactly these arguments; the text shows them all. `by` names who has to agree, empty for the user."""

    text: str
    call: Call
    by: str = ""


UserQuestion = Question | Form | GoalQuestion | EntityQuestion | CallQuestion


@dataclass(frozen=True, slots=True)
class Clarify:
    """Ask the user first. `plan` starts with what is asked for; it is empty where that is which goal to plan for."""

    question: UserQuestion
    plan: Plan


@dataclass(frozen=True, slots=True)
class Explore:
    """There is no step to take for a goal. `tools` are what retrieval opened; without any the answer is text alone."""

    tools: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Done:
    """All that is wanted is known."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """Proved: nothing leads to the goal.

    `missing` are the atoms that would open a way if they were known, as few as can be; it is empty where each can be had, but never
    all together. `hint` says what question or contract would help.
    """

    missing: tuple[Fluent, ...]
    hint: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """The limit was reached first. `plan` is the best that was found, if any; none has a smaller score than `bound`."""

    plan: Plan | None
    bound: Fraction
    limit: str


Decision = Act | Instruct | Clarify | Explore | Done | Blocked | Undecided


def next_step(decision: Decision) -> Step | None:
    """The step that `decision` takes; None where it takes none."""
    match decision:
        case Act(step=step) | Instruct(step=step) | Clarify(question=Question(step=step) | Form(questions=(Question(step=step), *_))):
            return step
        case Clarify() | Explore() | Done() | Blocked() | Undecided():
            return None


def plan_of(decision: Decision) -> Plan | None:
    """The proved plan that `decision` starts; None where it starts none."""
    match decision:
        case Clarify(question=GoalQuestion()):
            return None
        case Act(plan=plan) | Instruct(plan=plan) | Clarify(plan=plan):
            return plan
        case _:
            return None
