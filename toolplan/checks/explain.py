"""Why this tool is next, and why another one is not: the causes of a decision, for people and as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolplan.checks.asked import read_step
from toolplan.checks.comparison import Comparison, preference
from toolplan.checks.needs import shown, standing
from toolplan.checks.reasons import Chosen, Preference, Reason, to_json
from toolplan.checks.wording import listed, tick
from toolplan.domain import Action, Tool
from toolplan.frontier import (
    Act,
    Blocked,
    CallQuestion,
    Clarify,
    Decision,
    Done,
    EntityQuestion,
    Explore,
    Frontier,
    GoalQuestion,
    Instruct,
    Planned,
    Undecided,
    decide,
    first_steps,
)
from toolplan.language.numerals import numeral
from toolplan.planning.causes import GOAL, causal_links
from toolplan.planning.engines import AUTO
from toolplan.planning.inputs import Words
from toolplan.planning.plans import Limit, Plan, Step
from toolplan.planning.problem import Problem, State
from toolplan.planning.semantics import applicable, replay, successor


@dataclass(frozen=True, slots=True)
class NeedsConfirmation:
    """A remark: were it called, `by` would be asked first, as the contract or its level of risk says."""

    level: str
    by: str

    def __str__(self) -> str:
        return f"risk {tick(self.level)}: {'the user' if self.by == 'user' else tick(self.by)} confirms every call"


@dataclass(frozen=True, slots=True)
class Visible:
    """A remark: the model sees it all the same, `because` of the policy or the mode."""

    because: str

    def __str__(self) -> str:
        return f"it is visible all the same: {self.because}"


Remark = NeedsConfirmation | Visible


@dataclass(frozen=True, slots=True)
class Cause:
    """What a step is good for: it `makes` something so ("`event_id` known"), and `consumer` requires that; None is the goal.

    `links`: whether the consumer asks for it by name. Where not, the consumer could not run without the step all the same, such as
    after one that removes what is in the way.
    """

    step: Step
    makes: tuple[str, ...]
    consumer: Step | None
    links: bool = True

    def __str__(self) -> str:
        made = f"{tick(self.step)} makes {' and '.join(self.makes)}"
        if self.links:
            return f"{made}, which {f'{tick(self.consumer)} requires' if self.consumer else 'the goal asks for'}"
        return f"{made}, without which {f'{tick(self.consumer)} could not run' if self.consumer else 'the goal would not hold'}"

    def to_dict(self) -> dict[str, object]:
        """The cause as JSON values; the consumer is null for the goal."""
        makes = [text.replace("`", "") for text in self.makes]
        return {"step": to_json(self.step), "makes": makes, "consumer": to_json(self.consumer) if self.consumer else None}


@dataclass(frozen=True, slots=True)
class Why:
    """Why the next step is what it is: `chain` leads from it to the goal. `rivals` could come first as well, and why they do not.

    Where there is no next step, the chain is empty and `lines` say why.
    """

    decision: Decision
    chain: tuple[Cause, ...]
    rivals: tuple[tuple[Step, Preference], ...]
    lines: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """The explanation as JSON values, as the command line prints it."""
        return {
            "decision": type(self.decision).__name__.lower().replace("unproved", "undecided"),
            "step": to_json(self.chain[0].step) if self.chain else None,
            "chain": [cause.to_dict() for cause in self.chain],
            "rivals": [{"step": to_json(step), "because": because.value} for step, because in self.rivals],
            "text": list(self.lines),
        }


def why(now: Planned | Frontier) -> Why:
    """Why the next step is taken: the chain of causes from it to the goal. Or why there is none."""
    decision = now.decision if isinstance(now, Frontier) else decide(now)
    planned = now.planned if isinstance(now, Frontier) else now
    match decision:
        case Clarify(GoalQuestion(text, options)):
            lines = [text, *(f"  {option.text}" for option in options)]
        case Clarify(EntityQuestion(text, _, choices)):
            lines = [text, *(f"  {choice}" for choice in choices)]
        case Clarify(CallQuestion(text)):
            lines = text.splitlines()
        case Explore(_, reason):
            lines = [reason]
        case Act(plan=plan) | Instruct(plan=plan) | Clarify(plan=plan):
            return _next(planned, decision, plan)
        case Done():
            lines = ["nothing is left to do: everything that is wanted is known"]
        case Blocked(missing, hint):
            blamed = f"nothing can add {listed(missing, 'and')}" if missing else "no order of the tools works"
            lines = [f"no step leads to the goal: {blamed}", f"what would change it: {hint}"]
        case Undecided(plan, bound, limit):
            found = f"the best plan so far is {', '.join(map(tick, plan.steps))}" if plan else "no plan was found"
            lines = [f"the next step is undecided: {limit}", f"{found}; none scores less than {numeral(bound)}"]
    return Why(decision, (), (), tuple(lines))


def _next(planned: Planned, decision: Decision, plan: Plan) -> Why:
    problem, first = planned.problem, plan.steps[0]
    chain = tuple(_chain(problem, plan))
    others = [step for step in first_steps(problem, plan) if step != first]
    rivals = tuple((step, preference(problem, first, step)) for step in others)
    goal = listed((wanted.label for wanted in problem.wanted), "and")
    return Why(
        decision,
        chain,
        rivals,
        (
            f"{tick(first)} is next: it starts a plan to {goal}, and none scores less than {numeral(plan.score)}",
            *(f"  {cause}" for cause in chain),
            *(f"  {tick(step)} could come first as well; {tick(first)} goes before it: {because.value}" for step, because in rivals),
        ),
    )


def _chain(problem: Problem, plan: Plan) -> Iterator[Cause]:
    """The causes from the first step of `plan` to the goal; of several consumers of a step the earliest."""
    states = _states(problem, plan)
    first = {link.producer: link for link in reversed(causal_links(problem, plan))}
    at = 0
    while at != GOAL:
        step = plan.steps[at]
        if (link := first.get(at)) is not None:
            made: tuple[str, ...] = (f"{tick(shown(link.atom))} {standing(problem, states[at + 1], link.atom).value}",)
            consumer = link.consumer
        else:
            made = tuple(_differences(problem, states[at], states[at + 1]))
            consumer = _dependant(problem, plan, at)
        yield Cause(step, made, None if consumer == GOAL else plan.steps[consumer], links=link is not None)
        at = consumer


def _states(problem: Problem, plan: Plan) -> list[State]:
    states = [problem.state]
    for step in plan.steps:
        states.append(successor(problem, states[-1], step))
    return states


def _dependant(problem: Problem, plan: Plan, at: int) -> int:
    """The first step that could not run if step number `at` were left out, or the goal. A best plan has no step to spare."""
    state = replay(problem, plan.steps[:at])
    assert state is not None
    for position, step in enumerate(plan.steps[at + 1 :], start=at + 1):
        if not applicable(problem, state, step):
            return position
        state = successor(problem, state, step)
    return GOAL


def _differences(problem: Problem, before: State, after: State) -> Iterator[str]:
    """What a step changed, atom by atom."""
    touched = (before.known ^ after.known) | (before.uncertain ^ after.uncertain) | (before.denied ^ after.denied)
    for atom in sorted(touched):
        yield f"{tick(shown(atom))} {standing(problem, after, atom).value}"


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why `step` is not the next one: of the steps of an action the one that is nearest to it, where no arguments were given.

    `remarks` hold whatever the reason is.
    """

    step: Step
    reason: Reason
    remarks: tuple[Remark, ...]

    @property
    def lines(self) -> list[str]:
        """The explanation for people."""
        first, *rest = self.reason.lines
        return [
            f"{tick(self.step)}: {first}",
            *rest,
            *(f"also: {remark}" for remark in self.remarks),
            f"what would change it: {self.reason.remedy}",
        ]

    def to_dict(self) -> dict[str, object]:
        """The explanation as JSON values, as the command line prints it."""
        step = {"action": self.step.action, "arguments": list(self.step.arguments)}
        return {**step, **self.reason.to_dict(), "remarks": [str(remark) for remark in self.remarks]}


def why_not(now: Planned | Frontier, action: Words, *, engine: str = AUTO, limit: Limit | None = None) -> WhyNot:
    """Why `action` is not the next step: a tool or a question, perhaps with arguments (`"share_file(report, anna)"`).

    There is exactly one reason. What a plan that starts with the step would score is planned by `engine` within `limit`. Raises
    DomainError for a name that neither the domain nor the call knows, and where the engine is missing or fails.
    """
    planned = now.planned if isinstance(now, Frontier) else now
    asked = read_step(planned.problem, action)
    step, reason = Comparison(planned, engine, limit).reason(asked)
    return WhyNot(step, reason, tuple(_remarks(now, planned.problem, asked.action, reason)))


def _remarks(now: Planned | Frontier, problem: Problem, action: Action, reason: Reason) -> Iterator[Remark]:
    if not isinstance(action, Tool):
        return
    level = problem.domain.risk_of(action)
    if confirmation := action.confirm or level.confirm:
        yield NeedsConfirmation(level.name, confirmation.by or "user")
    if action.name in problem.domain.policy.always_visible:
        yield Visible("the policy shows it at every step")
    elif isinstance(now, Frontier) and action.name in now.tools and not isinstance(reason, Chosen):
        yield Visible(f"{tick(now.mode)} is the mode" if now.mode != "one" else "the next step is a call of it with other arguments")
