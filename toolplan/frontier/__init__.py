"""The decision: which tools the model may see now. (In search, `frontier` is the open list; here it is the first steps of best plans.)

Deterministic: the same domain, state, request and engine give the same decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from toolplan.domain import Ask, Domain, Performer, Tool
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.source import Location, Source, Span
from toolplan.language.suggest import Suggester
from toolplan.planning import plans
from toolplan.planning.causes import reason
from toolplan.planning.engines import AUTO, solve
from toolplan.planning.inputs import GoalInput, StateInput, Words, build
from toolplan.planning.plans import (
    Bounded,
    EngineFailed,
    EngineMissing,
    Fluent,
    Limit,
    Optimal,
    Plan,
    Solution,
    Status,
    Step,
    Unreachable,
)
from toolplan.planning.problem import ENUMERATED, Problem, ground
from toolplan.planning.semantics import applicable, is_valid_plan

Mode = Literal["one", "path", "executable", "all"]


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask the user: the words, with the entities that it is about in brackets, the question's name, and the step it is."""

    text: str
    name: str
    step: Step


@dataclass(frozen=True, slots=True)
class Act:
    """Call one of `tools`. `step` is the first of `plan`, which is proved to be of least score; `reason` says why it is needed."""

    tools: tuple[str, ...]
    step: Step
    plan: Plan
    reason: str


@dataclass(frozen=True, slots=True)
class Instruct:
    """The next step needs no call: the user does it by hand, or the host asks its model for a value (`performer`)."""

    instruction: str
    performer: Performer
    step: Step
    plan: Plan


@dataclass(frozen=True, slots=True)
class Clarify:
    """Ask the user first. `plan` starts with the question."""

    question: Question
    plan: Plan


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


Decision = Act | Instruct | Clarify | Done | Blocked | Undecided


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
    """

    planned: Planned
    decision: Decision
    mode: Mode
    tools: tuple[str, ...]

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
        }
        match self.decision:
            case Act(_, step, plan, why):
                data |= {"step": step_to_dict(problem, step), "why": why.replace("`", ""), "plan": plan_to_dict(problem, plan)}
            case Instruct(instruction, performer, step, plan):
                data |= {"instruction": instruction, "performer": performer.value, "step": step_to_dict(problem, step)}
                data["plan"] = plan_to_dict(problem, plan)
            case Clarify(question, plan):
                data |= {"question": question.text, "step": step_to_dict(problem, question.step), "plan": plan_to_dict(problem, plan)}
            case Blocked(missing, hint):
                data |= {"missing": [str(fluent) for fluent in missing], "hint": hint.replace("`", "")}
            case Undecided(best, bound, limit):
                data |= {"plan": plan_to_dict(problem, best) if best else None, "lower_bound": number(bound), "limit": limit}
            case Done():
                pass
        data["outcome"] = self.planned.outcome
        data["engine"] = getattr(self.planned.solution, "engine", "")
        return data


def plan(
    domain: Domain,
    *,
    state: StateInput = None,
    goal: GoalInput | None = None,
    request: str | None = None,
    candidates: object = None,
    forbid: Iterable[str] = (),
    exhausted: Iterable[Words | Step] = (),
    engine: str = AUTO,
    limit: Limit | None = None,
) -> Planned:
    """The whole best plan from `state` to `goal`, by (score, number of steps), proved by `engine` within `limit`.

    `state` holds atoms (`"date"`, `"found(report)"`, `("found", "report")`, `"event_id?"` for uncertain, `"not private(report)"`), or
    maps facts to values (False is known false, None unknown). `goal` is a goal's name, a goal with arguments, a condition, or several.
    `forbid` names tools, questions or levels of risk; `exhausted` steps that are not to be tried again. Raises DomainError with every
    mistake in the call, and where the engine is missing or fails; no plan is an outcome, not an error.
    """
    _one_goal(goal, request, candidates)
    assert goal is not None
    problem = build(domain, state, goal, forbid, exhausted)
    solution = solve(problem, engine, limit)
    if isinstance(solution, EngineMissing | EngineFailed):
        raise DomainError([solution.diagnostic])
    return Planned(problem, solution)


def frontier(
    domain: Domain,
    *,
    state: StateInput = None,
    goal: GoalInput | None = None,
    request: str | None = None,
    candidates: object = None,
    forbid: Iterable[str] = (),
    exhausted: Iterable[Words | Step] = (),
    mode: Mode = "one",
    engine: str = AUTO,
    limit: Limit | None = None,
) -> Frontier:
    """What the model may see and call now, on the way from `state` to `goal`; the arguments are those of `plan`.

    `mode` is `one` (the next tool), or for comparison `path` (every tool of the plan), `executable` (every tool that could run) or `all`.
    Of the steps of the plan that can run now, `one` takes questions first, then lower risk, then the order of declaration.
    """
    if mode not in get_args(Mode):
        hint = Suggester().hint(str(mode), get_args(Mode)) or f"the modes are {', '.join(get_args(Mode))}"
        source = Source("<mode>", str(mode))
        location = Location(source, Span(0, len(source.text)))
        raise DomainError([Diagnostic(Code.BAD_CALL, f"unknown mode `{mode}`", location, hint)])
    planned = plan(
        domain,
        state=state,
        goal=goal,
        request=request,
        candidates=candidates,
        forbid=forbid,
        exhausted=exhausted,
        engine=engine,
        limit=limit,
    )
    decision = decide(planned)
    return Frontier(planned, decision, mode, _exposed(planned, decision, mode))


def _one_goal(goal: object, request: object, candidates: object) -> None:
    given = [name for name, value in (("goal", goal), ("request", request), ("candidates", candidates)) if value is not None]
    if len(given) != 1:
        found = " and ".join(f"`{name}`" for name in given) or "none of them"
        message = f"exactly one of `goal`, `request` and `candidates` says what is wanted, not {found}"
        raise DomainError([Diagnostic(Code.NOT_ONE_GOAL, message, None, 'pass `goal="..."`')])
    if goal is None:
        message = f"`{given[0]}` is not understood by this version"
        raise DomainError([Diagnostic(Code.UNPLANNED_CONSTRUCT, message, None, "name the goal: `goal=...`")])


def decide(planned: Planned) -> Decision:
    """The decision that follows from a plan, or from why there is none."""
    problem, solution = planned.problem, planned.solution
    match solution:
        case Optimal(best):
            return _next(problem, best) if best.steps else Done()
        case Unreachable(missing):
            return Blocked(missing, _opening(problem, missing))
        case Bounded(best, bound, _, limit):
            return Undecided(best, bound, limit)
        case plans.Undecided(bound, _, limit):
            return Undecided(None, bound, limit)
        case EngineMissing(diagnostic) | EngineFailed(diagnostic):
            raise DomainError([diagnostic])


def _next(problem: Problem, best: Plan) -> Decision:
    first = first_steps(problem, best)[0]
    ordered = moved_to_front(best, first)
    action = problem.domain.action(first.action)
    if isinstance(action, Ask):
        about = f" ({', '.join(first.arguments)})" if first.arguments else ""
        return Clarify(Question(f"{action.question or action.name}{about}", action.name, first), ordered)
    if action.performer is not Performer.CALL:
        return Instruct(action.description or action.name, action.performer, first, ordered)
    return Act((action.name,), first, ordered, reason(problem, ordered))


def first_steps(problem: Problem, best: Plan) -> list[Step]:
    """The steps of a plan with which it can start, in order of preference: questions, lower risk, order of declaration."""
    order = {action.name: number for number, action in enumerate(problem.actions())}

    def preference(step: Step) -> tuple[bool, Fraction, int, tuple[str, ...]]:
        action = problem.domain.action(step.action)
        return isinstance(action, Tool), problem.domain.risk_of(action).weight, order[step.action], step.arguments

    can_run = (step for step in dict.fromkeys(best.steps) if applicable(problem, problem.state, step))
    return sorted((step for step in can_run if is_valid_plan(problem, moved_to_front(best, step))), key=preference)


def moved_to_front(best: Plan, step: Step) -> Plan:
    """`best` with `step` first and the others in their order."""
    at = best.steps.index(step)
    return Plan((step, *best.steps[:at], *best.steps[at + 1 :]), best.score)


def _exposed(planned: Planned, decision: Decision, mode: Mode) -> tuple[str, ...]:
    """The tools that `mode` shows; always-visible ones are counted apart."""
    problem = planned.problem
    callable_tools = [a.name for a in problem.actions() if isinstance(a, Tool) and a.performer is Performer.CALL]
    if mode == "one":
        names: Sequence[str] = decision.tools if isinstance(decision, Act) else ()
    elif mode == "path":
        on_path = {step.action for step in planned.steps}
        names = [name for name in callable_tools if name in on_path]
    elif mode == "executable":
        can_run = {step.action for step in problem.steps() if applicable(problem, problem.state, step)}
        names = [name for name in callable_tools if name in can_run]
    else:
        names = callable_tools
    hidden = set(problem.domain.policy.always_visible) if mode != "one" else set()
    return tuple(name for name in names if name not in hidden)


def _opening(problem: Problem, missing: Sequence[Fluent]) -> str:
    """What would open a way to an unreachable goal."""
    if not missing:
        return "each of the facts can be had, but no order of the tools has them together; look at what they remove"
    shown = ", ".join(f"`{fluent}`" for fluent in missing[:5])
    if any(fluent.status is Status.DENIED for fluent in missing):
        return f"say that {shown}, declare the fact `closed`, or add a tool that removes it"
    if unlisted := [fluent.atom.arguments[0] for fluent in missing if fluent.atom.fact == ENUMERATED]:
        return f"`forall` over {', '.join(f'`{name}`' for name in unlisted)} needs a tool that `enumerates` it"
    forbidden = [name for name in problem.forbidden if _makes(problem.domain, name, missing)]
    if forbidden:
        return f"it would take {', '.join(f'`{name}`' for name in sorted(forbidden))}, which the call forbids"
    return f"give {shown} with the state, add a tool that produces it, or an `ask` for it"


def _makes(domain: Domain, name: str, missing: Sequence[Fluent]) -> bool:
    facts = {fluent.atom.fact for fluent in missing}
    return any(effect.atom.fact in facts for effect in domain.action(name).produces)


def step_to_dict(problem: Problem, step: Step) -> dict[str, object]:
    """A step as JSON values: what it is, what it calls, and what it adds to the score."""
    action = problem.domain.action(step.action)
    level = problem.domain.risk_of(action)
    data: dict[str, object] = {"action": step.action, "arguments": list(step.arguments)}
    if isinstance(action, Tool):
        data |= {"kind": "tool", "calls": action.call_name, "risk": level.name}
        if action.confirm or level.confirm:
            data["confirm"] = (action.confirm or level.confirm).by or "user"  # type: ignore[union-attr]
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
