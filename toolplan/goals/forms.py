"""Several missing facts as one question: a form, not an interrogation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from toolplan.domain import Action, Ask, AskKind
from toolplan.goals.landmarks import needed_from_user
from toolplan.goals.questions import Question
from toolplan.goals.regret import moved_to_front, preference
from toolplan.language.lint.flow import makes, needs
from toolplan.planning.plans import Plan, Step
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import applicable, is_valid_plan


@dataclass(frozen=True, slots=True)
class Form:
    """Two or more questions that are put to the user at once; any may be answered, in any order. `preface` says why, if that needs saying."""

    questions: tuple[Question, ...]
    preface: str = ""

    @property
    def text(self) -> str:
        """The words of all questions, a line each."""
        return "\n".join((*([self.preface] if self.preface else []), *(question.text for question in self.questions)))


def form_of(problem: Problem, plan: Plan) -> Form | Question | None:
    """What to ask where `plan` starts with a question: that question, with all others that will be asked anyway; None where it does not.

    Those are questions of the plan that every plan asks, that wait for nothing, and whose answers change nothing about each other. They
    follow the first in order of declaration. A permission is asked for alone, when the call that needs it is next.
    """
    if not plan.steps or not isinstance(problem.domain.action(plan.steps[0].action), Ask):
        return None
    first = plan.steps[0]
    asked = [first]
    if _is_value(problem.domain.action(first.action)):
        for step in _others(problem, plan):
            if not any(_interfere(problem, step, other) for other in asked) and is_valid_plan(problem, moved_to_front(plan, *asked, step)):
                asked.append(step)
    return _joined([_question(problem, step) for step in asked])


def questions_of(asked: Form | Question) -> tuple[Question, ...]:
    """The questions that are put to the user at once."""
    return asked.questions if isinstance(asked, Form) else (asked,)


def shared_form(starts: Iterable[tuple[Problem, Plan]]) -> Form | Question | None:
    """What several goals, each with a plan that starts with the same question, all ask; None where a plan starts otherwise."""
    first, *others = (() if (asked := form_of(problem, plan)) is None else questions_of(asked) for problem, plan in starts)
    questions = [question for question in first if all(question in other for other in others)]
    return _joined(questions) if questions else None


def _others(problem: Problem, plan: Plan) -> list[Step]:
    """The questions that may join the first step of `plan`, in order of declaration."""
    possible = {
        step
        for step in plan.steps
        if step != plan.steps[0] and _is_value(problem.domain.action(step.action)) and applicable(problem, problem.state, step)
    }
    needed = possible.intersection(needed_from_user(problem)) if possible else ()
    return sorted(needed, key=partial(preference, problem))


def _joined(questions: Sequence[Question]) -> Form | Question:
    return Form(tuple(questions)) if len(questions) > 1 else questions[0]


def _is_value(action: Action) -> bool:
    """Whether `action` asks for something that the user knows, not for a permission."""
    return isinstance(action, Ask) and action.kind is not AskKind.PERMISSION


def _interfere(problem: Problem, one: Step, other: Step) -> bool:
    """Whether the answer to one question may matter to the other. Told by the names of facts, so that it errs on the side of waiting."""
    first, second = problem.domain.action(one.action), problem.domain.action(other.action)
    return _answers(first, second) or _answers(second, first)


def _answers(one: Action, other: Action) -> bool:
    """Whether `one` makes something known that `other` looks at."""
    return not {literal.fact for literal in makes(one)}.isdisjoint(literal.fact for literal in needs(other))


def _question(problem: Problem, step: Step) -> Question:
    action = problem.domain.action(step.action)
    assert isinstance(action, Ask)
    about = f" ({', '.join(step.arguments)})" if step.arguments else ""
    return Question(f"{action.question or action.name}{about}", action.name, step)
