"""One clause of a test held against a world: nothing where it holds, else what was found instead, and why."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from toolplan.checks.chains import differences, text_of
from toolplan.checks.invariants import Broken, Holds, prove_never
from toolplan.checks.wording import listed, tick
from toolplan.checks.worlds import World, described, matches, offered, why_not
from toolplan.domain import AtomicFormula, Expectation, Happening
from toolplan.frontier import Act, Blocked, Clarify, Decision, Done, EntityQuestion, Explore, Instruct, Undecided
from toolplan.goals.forms import Form
from toolplan.goals.questions import GoalQuestion, Question
from toolplan.language.numerals import numeral
from toolplan.planning.plans import Atom, Limit, Optimal, Plan, Step, Unreachable
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import applicable, score, successor


class Verdict(enum.Enum):
    """How a test, or one clause of it, ended. Undecided: a limit was reached first."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Finding:
    """A clause that does not hold, or is not decided; `lines` say what was found instead, and why."""

    clause: str
    verdict: Verdict
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([self.clause, *(f"  {line}" for line in self.lines)])


def expected(world: World, expectation: Expectation) -> Finding | None:
    """What is wrong with an `expect` clause in `world`."""
    end = world.walk.end if expectation.kind == "chain" else world.decision
    if isinstance(end, Undecided):
        return Finding(clause_of(expectation), Verdict.UNDECIDED, (described(end),))
    if expectation.kind == "chain":
        lines = differences(world, expectation.atoms)
    elif expectation.kind == "blocked":
        lines = _blocked(world, expectation.atoms)
    elif expectation.kind in HELD:
        lines = [] if HELD[expectation.kind](world.decision, expectation) else [f"found: {described(world.decision)}"]
    else:
        lines = _next(world, expectation)
    return failed(clause_of(expectation), [*world.before, *lines]) if lines else None


def failed(clause: str, lines: Iterable[str]) -> Finding:
    """A clause that does not hold."""
    return Finding(clause, Verdict.FAILED, tuple(lines))


def clause_of(part: Expectation | Happening) -> str:
    """A clause of a script as the language writes it; what a call returned is left out."""
    if isinstance(part, Expectation) and part.kind == "about":
        options = (goals[0] if len(goals) == 1 else f"({', '.join(goals)})" for goals in part.options)
        return f"expect question about {', '.join(options)}"
    if isinstance(part, Happening):
        return f"when {text_of(part.call) if part.call else 'user'} {part.kind}"
    words = {"chain": "expect", "blocked": "expect blocked by" if part.atoms else "expect blocked"}
    return f"{words.get(part.kind, f'expect {part.kind}')} {', '.join(map(text_of, part.atoms))}".rstrip()


def _next(world: World, expectation: Expectation) -> list[str]:
    """What is wrong with the next step, where it is none of those that are expected."""
    decision = world.decision
    is_asked = isinstance(decision, Clarify)
    if is_asked and any(_is_chosen_from(decision, item) for item in expectation.atoms):
        return []
    if any(matches(item, step) for item in expectation.atoms for step in offered(decision)) and (
        expectation.kind != "question" or is_asked
    ):
        return []
    return [f"found: {described(decision)}", *(f"why: {_not_next(world, item)}" for item in expectation.atoms)]


def _is_chosen_from(decision: Decision, item: AtomicFormula) -> bool:
    """Whether it is asked which value of the fact `item` is meant."""
    match decision:
        case Clarify(question=EntityQuestion(atom=atom)):
            return Atom(item.fact, tuple(term.name for term in item.terms)) == atom
        case _:
            return False


def _is_form(decision: Decision, expectation: Expectation) -> bool:
    """Whether exactly the questions that are expected are asked, together."""
    is_asked = isinstance(decision, Clarify) and isinstance(decision.question, Question | Form)
    asked, items = offered(decision) if is_asked else (), expectation.atoms
    every_item = all(any(matches(item, step) for step in asked) for item in items)
    return every_item and len(asked) == len(items) and all(any(matches(item, step) for item in items) for step in asked)


def _is_about(decision: Decision, expectation: Expectation) -> bool:
    """Whether it is asked which goal is meant, and exactly those goals are offered that are expected, in any order."""
    if not (isinstance(decision, Clarify) and isinstance(decision.question, GoalQuestion)):
        return False
    return {frozenset(option.goals) for option in decision.question.options if option.goals} == set(map(frozenset, expectation.options))


def _is_no_goal(decision: Decision, _: Expectation) -> bool:
    """Whether the answer is one in words."""
    return isinstance(decision, Explore)


HELD: Mapping[str, Callable[[Decision, Expectation], bool]] = {"form": _is_form, "about": _is_about, "no goal": _is_no_goal}
"""Kinds of expectation that hold of a decision or do not, and nothing can be said of why."""


def _not_next(world: World, item: AtomicFormula) -> str:
    """Why no step that `item` stands for is the next one."""
    problem = world.problem
    if item.fact not in problem.domain.tools and item.fact not in problem.domain.asks:
        return f"{tick(text_of(item))} is a fact of which nothing has to be chosen now"
    if any(matches(item, step) for step in offered(world.decision)):
        return f"{tick(text_of(item))} is a tool, and no question"
    possible = [step for step in problem.steps() if matches(item, step) and applicable(problem, problem.state, step)]
    if not possible:
        return f"{tick(text_of(item))} cannot run now: {why_not(problem, item)}"
    solutions = {step: world.engine.solve(replace(problem, state=successor(problem, problem.state, step))) for step in possible}
    plans = [_led(problem, step, rest.plan) for step, rest in solutions.items() if isinstance(rest, Optimal)]
    if not plans:
        closed = all(isinstance(rest, Unreachable) for rest in solutions.values())
        return f"{tick(text_of(item))} can run, but {'after it nothing leads to the goal' if closed else 'what follows is undecided'}"
    best = min(plans, key=lambda plan: (plan.score, len(plan.steps)))
    starts = f"{tick(text_of(item))} can run, but the best plan that starts with it"
    if isinstance(world.decision, Done):
        return f"{starts} leads only to what is known"
    if not isinstance(world.decision, Act | Instruct | Clarify) or not world.decision.plan.steps:
        return f"{tick(text_of(item))} can run, and no step is taken as long as the goal is open"
    own = world.decision.plan
    if best.score != own.score:
        return f"{starts} scores {numeral(best.score)}, {numeral(best.score - own.score)} more than the best: {listed(best.steps, 'and')}"
    longer = len(best.steps) - len(own.steps)
    if longer:
        return f"{starts} takes {longer} more step{'' if longer == 1 else 's'}"
    return f"{starts} scores as much; {tick(own.steps[0])} is preferred"


def _led(problem: Problem, step: Step, rest: Plan) -> Plan:
    steps = (step, *rest.steps)
    return Plan(steps, score(problem, steps))


def _blocked(world: World, atoms: Sequence[AtomicFormula]) -> list[str]:
    """What is wrong with `expect blocked`, where a way is open or other atoms are missing."""
    decision = world.decision
    if not isinstance(decision, Blocked):
        plan = decision.plan.steps if isinstance(decision, Act | Instruct | Clarify) else ()
        return [f"found: {described(decision)}", *([f"plan: {listed(plan, 'and')}"] if plan else [])]
    wanted = {Atom(item.fact, tuple(term.name for term in item.terms)) for item in atoms}
    found = {fluent.atom for fluent in decision.missing}
    return [f"found: {described(decision)}"] if atoms and wanted != found else []


def never(worlds: Sequence[World], atom: AtomicFormula) -> Finding | None:
    """What is wrong with `never` of a tool or a question: it is on no plan and no walk of any of `worlds`."""
    clause = f"never {text_of(atom)}"
    for world in worlds:
        walk = world.walk
        # As long as the goal is open, the plan in mind is that of one candidate, and only what is done counts.
        plans = walk.plans if world.is_settled else ()
        for steps in (walk.steps, *(plan.steps for plan in plans)):
            for position, step in enumerate(steps, start=1):
                if matches(atom, step):
                    return failed(clause, [f"found: {tick(step)} is step {position} of {listed(steps, 'and')}"])
        if isinstance(walk.end, Undecided):
            return Finding(clause, Verdict.UNDECIDED, (described(walk.end),))
    return None


def never_reached(start: Problem, limit: Limit, atom: AtomicFormula, without: AtomicFormula | None) -> Finding | None:
    """What is wrong with `never` in a state that can be reached from that of `start`, over all of which it is proved."""
    clause = f"never {text_of(atom)}" + (f" without {text_of(without)}" if without else "")
    match prove_never(start, atom, without, limit):
        case Holds():
            return None
        case Broken(steps, call):
            there = f"{tick(call)} can run" if call else f"{tick(text_of(atom))} is there"
            missing = f" and {tick(text_of(without))} is not known" if without else ""
            after = f"after {listed(steps, 'and')}" if steps else "in the given state"
            return failed(clause, [f"counterexample: {after}, {there}{missing}"])
        case open_proof:
            return Finding(clause, Verdict.UNDECIDED, (f"neither proved nor refuted: stopped after {open_proof.limit}",))
