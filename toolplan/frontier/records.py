"""What a call returns: a whole plan, or the frontier of one step; both also as JSON values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from toolplan.domain import Tool
from toolplan.frontier.calls import Call
from toolplan.frontier.decisions import (
    Act,
    Blocked,
    CallQuestion,
    Clarify,
    Decision,
    Done,
    EntityQuestion,
    Explore,
    Instruct,
    Undecided,
    UserQuestion,
)
from toolplan.goals.ambiguity import Signal
from toolplan.goals.forms import Form
from toolplan.goals.prospects import Left
from toolplan.goals.questions import GoalQuestion, Question
from toolplan.goals.readings import Reading
from toolplan.planning import plans
from toolplan.planning.plans import Bounded, Optimal, Plan, Solution, Step, Unreachable
from toolplan.planning.problem import Problem, ground

Mode = Literal["one", "ties", "parallel", "recovery", "path", "executable", "all"]


@dataclass(frozen=True, slots=True)
class Planned:
    """A whole plan, or why there is none."""

    problem: Problem
    solution: Solution

    @property
    def outcome(self) -> str:
        """`optimal`, `bounded`, `unreachable` or `undecided`."""
        return type(self.solution).__name__.lower()

    @property
    def plan(self) -> Plan | None:
        """The plan, if one was found."""
        return self.solution.plan if isinstance(self.solution, Optimal | Bounded) else None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the plan; none where there is no plan."""
        return self.plan.steps if self.plan else ()

    @property
    def score(self) -> Fraction | None:
        """The score of the plan, in the author's unit."""
        return self.plan.score if self.plan else None

    def to_dict(self) -> dict[str, object]:
        """The plan as JSON values, as the command line prints it."""
        data: dict[str, object] = {"domain": self.problem.domain.name, "outcome": self.outcome}
        data["goal"] = [wanted.label for wanted in self.problem.wanted]
        match self.solution:
            case Optimal(plan, engine):
                data |= plan_to_dict(self.problem, plan) | {"engine": engine}
            case Bounded(plan, bound, engine, limit):
                data |= plan_to_dict(self.problem, plan) | {"lower_bound": number(bound), "limit": limit, "engine": engine}
            case Unreachable(missing, engine):
                data |= {"missing": [str(fluent) for fluent in missing], "engine": engine}
            case plans.Undecided(bound, engine, limit):
                data |= {"lower_bound": number(bound), "limit": limit, "engine": engine}
            case _:
                pass
        return data


@dataclass(frozen=True, slots=True)
class Frontier:
    """What the agent gets at one step.

    `tools` are the contracts whose tools the model may see, besides those that are always visible; `mode` says how they were chosen.
    `steps` are what was chosen, with arguments, the preferred first: questions and what the user or the model does stand among them,
    and only calls among `tools`. `undecided` are the steps of which mode `ties` could not tell within the limit.

    Where candidates or a request said what is wanted, `reading` is what that was taken for, `signals` are what was doubtful in it, and
    `left` the plausible candidates that are achieved or unreachable and so took no part. `planned` is then for the candidate that the
    decision is about, the most probable live one where a step serves several, and for nothing where none is settled.

    `opened` are tools that a conversation has looked for and found: they may be called beside what is next.
    """

    planned: Planned
    decision: Decision
    mode: Mode
    tools: tuple[str, ...]
    steps: tuple[Step, ...] = ()
    undecided: tuple[Step, ...] = ()
    reading: Reading | None = None
    signals: tuple[Signal, ...] = ()
    left: tuple[Left, ...] = ()
    opened: tuple[str, ...] = ()

    @property
    def always_visible(self) -> tuple[str, ...]:
        """The tools that the policy keeps visible at every step."""
        return self.planned.problem.domain.policy.always_visible

    def to_dict(self) -> dict[str, object]:
        """The decision as JSON values, as the command line prints it."""
        problem = self.planned.problem
        data: dict[str, object] = {
            "domain": problem.domain.name,
            "goal": [wanted.label for wanted in problem.wanted],
            "decision": type(self.decision).__name__.lower(),
            "mode": self.mode,
            "tools": list(self.tools),
            "calls": {name: problem.domain.tools[name].call_name for name in self.tools},
            "always_visible": list(self.always_visible),
            "steps": [step_to_dict(problem, step) for step in self.steps],
        }
        if self.undecided:
            data["undecided"] = [step_to_dict(problem, step) for step in self.undecided]
        data |= _decision_to_dict(problem, self.decision)
        if problem.wanted:
            data |= {"outcome": self.planned.outcome, "engine": getattr(self.planned.solution, "engine", "")}
        if self.reading is not None:
            data["reading"] = self._read(self.reading)
        return data

    def _read(self, reading: Reading) -> dict[str, object]:
        return {
            "request": reading.request,
            "candidates": [{"goals": list(candidate.goals), "p": round(candidate.p, 6)} for candidate in reading.candidates],
            "none": round(reading.none, 6),
            "signals": [{"doubt": signal.doubt.value, "detail": signal.detail.replace("`", "")} for signal in self.signals],
            "left": [{"goals": list(left.candidate.goals), "why": left.why.value, "detail": left.detail} for left in self.left],
            "findings": [finding.to_dict() for finding in reading.findings],
        }


def _decision_to_dict(problem: Problem, decision: Decision) -> dict[str, object]:
    """What a decision says, as JSON values."""
    data: dict[str, object]
    match decision:
        case Act(_, step, plan, why, ready):
            data = {"step": step_to_dict(problem, step), "why": why.replace("`", ""), "plan": plan_to_dict(problem, plan)}
            return data if ready is None else data | {"ready": call_to_dict(ready)}
        case Instruct(instruction, performer, step, plan):
            data = {"instruction": instruction, "performer": performer.value, "step": step_to_dict(problem, step)}
            return data | {"plan": plan_to_dict(problem, plan)}
        case Clarify(question, plan):
            return _question_to_dict(problem, question) | ({"plan": plan_to_dict(problem, plan)} if plan.steps else {})
        case Explore(_, why):
            return {"why": why}
        case Blocked(missing, hint):
            return {"missing": [str(fluent) for fluent in missing], "hint": hint.replace("`", "")}
        case Undecided(best, bound, limit):
            return {"plan": plan_to_dict(problem, best) if best else None, "lower_bound": number(bound), "limit": limit}
        case Done():
            return {}


def _question_to_dict(problem: Problem, question: UserQuestion) -> dict[str, object]:
    match question:
        case Question(text, _, step):
            return {"question": text, "step": step_to_dict(problem, step)}
        case Form(questions):
            return {"questions": [{"question": asked.text, "step": step_to_dict(problem, asked.step)} for asked in questions]}
        case GoalQuestion(text, options):
            return {"question": text, "options": [{"goals": list(option.goals), "text": option.text} for option in options]}
        case EntityQuestion(text, atom, choices):
            return {"question": text, "about": str(atom), "options": [{"text": choice} for choice in choices]}
        case CallQuestion(text, call, by):
            return {"question": text, "confirm": by or "user", "call": call_to_dict(call)}


def call_to_dict(call: Call) -> dict[str, object]:
    """A call as JSON values: each argument with its source, and the fact that it is the value of."""
    arguments: dict[str, object] = {}
    for name, argument in call.arguments.items():
        about = {} if argument.fact is None else {"fact": str(argument.fact)}
        arguments[name] = {"value": argument.value, "source": argument.source.value, **about}
    return {"id": call.id, "step": str(call.step), "tool": call.tool, "arguments": arguments}


def step_to_dict(problem: Problem, step: Step) -> dict[str, object]:
    """A step as JSON values: what it is, what it calls, and what it adds to the score."""
    action = problem.domain.action(step.action)
    level = problem.domain.risk_of(action)
    data: dict[str, object] = {"action": step.action, "arguments": list(step.arguments)}
    if isinstance(action, Tool):
        data |= {"kind": "tool", "calls": action.call_name, "risk": level.name}
        if confirmation := action.confirm or level.confirm:
            data["confirm"] = confirmation.by or "user"
    else:
        data |= {"kind": "ask", "question": action.question}
    if assumed := assumes(problem, step):
        data["assumes"] = assumed
    return data | {"score": number(problem.domain.score_of(action))}


def assumes(problem: Problem, step: Step) -> list[str]:
    """What a plan hopes that `step` brings, where its call may turn out in several ways."""
    action = problem.domain.action(step.action)
    if not isinstance(action, Tool) or step.outcome < 0:
        return []
    binding, outcome = problem.binding(step), action.outcomes[step.outcome]
    return [
        *(str(ground(formula, binding)) for formula in outcome.produces),
        *(f"not {ground(formula, binding)}" for formula in outcome.removes),
    ]


def plan_to_dict(problem: Problem, plan: Plan) -> dict[str, object]:
    """A plan as JSON values."""
    return {"steps": [step_to_dict(problem, step) for step in plan.steps], "score": number(plan.score)}


def number(value: Fraction) -> int | float:
    """A score for JSON: whole numbers as such, others as the nearest decimal."""
    return value.numerator if value.denominator == 1 else float(value)
