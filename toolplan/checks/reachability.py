"""Rules that plan: goals that cannot be reached, and outcomes after which none can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from math import prod

from toolplan.domain import Constant, Domain, Goal, Parameter, Performer, Wanted
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.lint.facts import circles, sourceless
from toolplan.language.lint.flow import flow_of, wants
from toolplan.language.requests import conjunction, substitute
from toolplan.language.resolve import Resolved
from toolplan.planning.grounding import compile_task
from toolplan.planning.plans import Atom, Fluent, Status
from toolplan.planning.problem import Problem, State, with_superseded
from toolplan.planning.task import Operator, Task, closure, missing, reaches_goal

MOST_STEPS = 50_000
"""Steps of all goals together that the rules look at; goals beyond it are taken for reachable."""
MOST_VISITS = 300_000
"""Operators that are looked at for outcomes; outcomes beyond it are taken for harmless."""
MOST_NAMED = 3
"""Missing atoms that a message names."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A goal and its task: one object for each of its parameters, and nothing known but what it is given.

    `entities` are the objects that its parameters stand for, in their order. `strangers` are further objects, one of each type of which
    there would be none: the caller names them, and knows all about them.
    """

    goal: Goal
    task: Task
    entities: tuple[str, ...]
    strangers: frozenset[str]


def attempts(domain: Domain) -> list[Attempt]:
    """Each goal of `domain` with its task, as far as `MOST_STEPS` go."""
    found = []
    left = MOST_STEPS
    flow = flow_of(domain)
    rank = {action.name: number for number, action in enumerate(flow.actions)}
    brought = {tool.placeholder(new) for tool in domain.tools.values() for new in (*tool.finds, *tool.creates)}
    constants = {name: kind for name, kind in domain.constants.items() if name not in brought}
    for goal in domain.goals.values():
        helping = sorted(flow.helping(wants(goal)), key=rank.__getitem__)
        left -= len(helping)
        if left < 0:
            break
        problem = _problem(replace(domain, constants=constants), goal, helping)
        steps = _steps(problem)
        if steps > left:
            continue
        left -= steps
        try:
            entities = tuple(entity.name for entity in problem.wanted[0].entities)
            strangers = frozenset(problem.objects).difference(constants, problem.placeholders, entities)
            found.append(Attempt(goal, compile_task(problem), entities, strangers))
        except DomainError:
            # A condition with too many alternatives; planning will say so where it matters.
            continue
    return found


def _problem(domain: Domain, goal: Goal, helping: Sequence[str]) -> Problem:
    """From what `goal` is given to `goal`, with the actions `helping`; entities are called like its parameters."""
    superseded = with_superseded(domain, frozenset())
    tools = {name: domain.tools[name] for name in helping if name in domain.tools and name not in superseded}
    asks = {name: domain.asks[name] for name in helping if name in domain.asks}
    names = {parameter.name: _fresh(parameter.name, domain) for parameter in goal.parameters}
    binding = {name: Constant(fresh) for name, fresh in names.items()}
    entities = tuple(Parameter(names[parameter.name], parameter.type) for parameter in goal.parameters)
    known = frozenset(Atom(atom.fact, tuple(names.get(term.name, term.name) for term in atom.terms)) for atom in goal.given)
    condition = conjunction([substitute(goal.achieves, binding), *(substitute(atom, binding) for atom in goal.given)])
    objects = dict(domain.constants)
    objects |= {tool.placeholder(new): new.type for tool in tools.values() for new in (*tool.finds, *tool.creates)}
    objects |= {entity.name: entity.type for entity in entities}
    problem = Problem(replace(domain, tools=tools, asks=asks), objects, State(known), (Wanted(goal.name, condition, goal.name, entities),))
    needed = dict.fromkeys(parameter.type for action in problem.actions() for parameter in action.parameters)
    strangers = {_fresh(f"a {kind}", domain): kind for kind in needed if not problem.objects_of(kind)}
    return replace(problem, objects=objects | strangers)


def _fresh(name: str, domain: Domain) -> str:
    while name in domain.constants:
        name += "_"
    return name


def _steps(problem: Problem) -> int:
    return sum(prod(len(problem.objects_of(parameter.type)) for parameter in action.parameters) for action in problem.actions())


def unreachable_goals(resolved: Resolved, attempts: Sequence[Attempt]) -> Iterator[Diagnostic]:
    """Goals that what they are given does not lead to, even if nothing were ever undone.

    Silent where a finding about a fact says why already, or where a test states what is missing: then the caller knows it.
    """
    supposed = {*sourceless(resolved), *(name for circle in circles(resolved) for name in circle)}
    supposed |= {item.atom.fact for test in resolved.domain.tests for item in test.given}
    supposed |= {fact.name for fact in resolved.domain.facts.values() if fact.closed}
    for attempt in attempts:
        if lacking := _lacking(attempt, supposed):
            names = ", ".join(quoted(str(fluent)) for fluent in lacking[:MOST_NAMED])
            more = ", ..." if len(lacking) > MOST_NAMED else ""
            message = f"goal {quoted(attempt.goal.name)} cannot be reached from what it is given: missing {names}{more}"
            hint = "list it as `given`, or say which tool or question produces it from what is"
            yield resolved.finding(Code.UNREACHABLE_GOAL, ("goal", attempt.goal.name), message, hint)


def _lacking(attempt: Attempt, supposed: Set[str]) -> tuple[Fluent, ...]:
    """A smallest set of fluents, far from the goal, that would open a way to it; none if there is one where facts `supposed` are known."""
    task = attempt.task
    known = {
        number
        for number, (status, atom) in enumerate(task.fluents)
        if status is not Status.DENIED and (atom.fact in supposed or attempt.strangers.intersection(atom.arguments))
    }
    return missing(task, known) or ()


def unconfirmed_dead_ends(resolved: Resolved, attempts: Sequence[Attempt]) -> Iterator[Diagnostic]:
    """Tools that may turn out, unasked, in a way after which no goal that they serve can be reached any more, and in another it can."""
    domain = resolved.domain
    calls: dict[str, list[tuple[Task, Operator]]] = {}
    for attempt in attempts:
        for operator in attempt.task.operators:
            if operator.step.outcome >= 0:
                calls.setdefault(operator.step.action, []).append((attempt.task, operator))
    left = MOST_VISITS
    for name, own in calls.items():
        tool = domain.tools[name]
        level = domain.risk_of(tool)
        left -= sum(len(task.operators) for task, _ in own)
        if left < 0:
            return
        if level.safe or level.confirm or tool.confirm or tool.performer is Performer.USER:
            continue
        leading = {operator.step.outcome for task, operator in own if _leads_on(task, operator)}
        dead = next((outcome for number, outcome in enumerate(tool.outcomes) if number not in leading), None)
        if leading and dead is not None:
            shown = ", ".join([*map(str, dead.produces), *(f"not {atom}" for atom in dead.removes)])
            message = f"tool {quoted(name)} may turn out as {quoted(shown)}, from which no goal can be reached"
            hint = "add `confirm`, so that a person decides, or a tool that leads on from there"
            yield resolved.finding(Code.UNCONFIRMED_DEAD_END, ("action", name), message, hint)


def _leads_on(task: Task, operator: Operator) -> bool:
    """Whether a goal may be reached after `operator`, from all that can be known before its tool is called."""
    before = closure(task.initial, [other for other in task.operators if other.step.action != operator.step.action])
    left = (before | operator.requires.true) - operator.deletes
    after = closure(task.initial - operator.deletes, task.operators, left | operator.adds)
    return reaches_goal(task, after)


RULES = (unreachable_goals, unconfirmed_dead_ends)
