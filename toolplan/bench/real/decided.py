"""What a frontier decided, in the words of those who annotate dialogues: call a tool, ask for values, confirm, nothing to do, no way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toolplan.domain import Ask, AskKind
from toolplan.frontier import Act, Blocked, Clarify, Decision, Done, Frontier
from toolplan.goals.forms import Form, questions_of
from toolplan.goals.questions import Question
from toolplan.planning.plans import Plan
from toolplan.planning.problem import Problem

Kind = Literal["call", "ask", "confirm", "done", "blocked", "undecided"]


@dataclass(frozen=True, slots=True)
class NextAction:
    """`tool` is the real name of what is called or to be confirmed, or towards which values are asked for.

    `facts` are all values that can be asked for now, in one form.
    """

    kind: Kind
    tool: str = ""
    facts: frozenset[str] = frozenset()


def next_action(shown: Frontier) -> NextAction:
    """The decision of `shown` as an action."""
    problem = shown.planned.problem
    match shown.decision:
        case Act(step=step):
            return NextAction("call", problem.domain.tools[step.action].call_name)
        case Clarify(question=Question() | Form() as asked, plan=plan):
            asks = [problem.domain.asks[question.name] for question in questions_of(asked)]
            if asks[0].kind is AskKind.PERMISSION:
                return NextAction("confirm", problem.domain.tools[asks[0].permits].call_name)
            return NextAction("ask", _last_call(problem, plan), frozenset(fact for ask in asks for fact in _answered(ask)))
        case _:
            return NextAction(_other(shown.decision))


def _last_call(problem: Problem, plan: Plan) -> str:
    """The call with which `plan` ends; none where asking is all that is left."""
    tools = (problem.domain.tools.get(step.action) for step in reversed(plan.steps))
    return next((tool.call_name for tool in tools if tool is not None), "")


def _answered(ask: Ask) -> list[str]:
    return [effect.atom.fact for effect in ask.produces]


def _other(decision: Decision) -> Kind:
    match decision:
        case Done():
            return "done"
        case Blocked():
            return "blocked"
        case _:
            return "undecided"
