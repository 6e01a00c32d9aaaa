"""Contracts learned from random runs, beside those that are written: what they require and produce, and the tasks that are planned with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple

from toolplan.bench.cmtf.tasks import Task, tasks
from toolplan.bench.learning.random_runs import runs
from toolplan.bench.tables import Row
from toolplan.domain import And, AtomicFormula, Condition, Domain, Effect, Not, Performer, Tool
from toolplan.frontier import plan
from toolplan.language.loading import load
from toolplan.learning.contracts import NOT, Learned, formula, learned
from toolplan.planning.inputs import build
from toolplan.planning.semantics import goal_reached, replay

PLAIN = ("calendar", "email", "files")
"""Domains whose contracts are conjunctions of facts."""
HARDER = ("contacts", "github", "refunds")
"""A small domain, and two with negation, conditional effects and objects that tools bring."""
COUNTS = (25, 50, 100, 200, 400)
SEEDS = 5
NOISE = 0.05
"""The share of executions that are recorded wrongly."""


@dataclass(frozen=True, slots=True)
class LearnedRow(Row):
    """One domain, learned from `runs` runs of each seed. Precision and recall are means over the seeds, with their lowest and highest values.

    What is written without being a fact of the arguments, or `not` one (alternatives, quantifiers, conditional effects) counts
    as missed.
    """

    domain: str
    runs: int
    requires_precision: str
    requires_recall: str
    produces_precision: str
    produces_recall: str
    exact: str


@dataclass(frozen=True, slots=True)
class SolvedRow(Row):
    """Of the tasks, those whose plan with learned contracts can be followed with the written ones and reaches the goal.

    `learned` is the mean over the seeds, with the lowest and highest; `share` is that of those solved with written contracts.
    """

    runs: int
    tasks: int
    written: int
    learned: str
    share: float


def tables(
    note: Callable[[str], None], counts: Sequence[int] = COUNTS, seeds: int = SEEDS, harder: Sequence[str] = HARDER
) -> Iterator[tuple[str, Sequence[Row]]]:
    """Each table with its title, when it is measured."""
    found: dict[tuple[str, int], list[Contracts]] = {}
    for title, names in (("Contracts learned from random runs", PLAIN), ("The same of harder domains", harder)):
        for name in names:
            note(name)
            found |= {(name, count): [_contracts(load(name), count, seed) for seed in range(seeds)] for count in counts}
        yield title, [_row(load(name), count, found[name, count]) for name in names for count in counts]
    note("tasks")
    solved = [_solved(count, zip(*(found[name, count] for name in PLAIN), strict=True)) for count in counts]
    yield "Tasks planned with learned contracts", solved


Contracts = Mapping[str, Learned]
"""What was learned of each tool."""


def _contracts(domain: Domain, count: int, seed: int) -> Contracts:
    return {one.tool: one for one in learned(runs(domain, count, NOISE, seed))}


class _Score(NamedTuple):
    """How many of the facts that were learned are written, how many were learned, and how many are written."""

    right: int
    learned: int
    written: int

    @property
    def precision(self) -> float:
        return self.right / self.learned if self.learned else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.written if self.written else 1.0


def _row(domain: Domain, count: int, found: Sequence[Contracts]) -> LearnedRow:
    called = [tool for tool in domain.tools.values() if tool.performer is Performer.CALL]
    requires = [_score((_required(tool), _rules(each, tool).requires) for tool in called) for each in found]
    produces = [_score((_produced(tool), _rules(each, tool).produces) for tool in called) for each in found]
    exact = [sum((_required(tool), _produced(tool)) == _rules(each, tool) for tool in called) / len(called) for each in found]
    return LearnedRow(
        domain.name,
        count,
        _range([one.precision for one in requires]),
        _range([one.recall for one in requires]),
        _range([one.precision for one in produces]),
        _range([one.recall for one in produces]),
        _range(exact),
    )


def _score(pairs: Iterable[tuple[Set[str], Set[str]]]) -> _Score:
    """Over pairs of what is written and what was learned."""
    counted = [(len(written & found), len(found), len(written)) for written, found in pairs]
    return _Score(*map(sum, zip(*counted, strict=True)))


class _Rules(NamedTuple):
    """What a tool requires and produces, as texts."""

    requires: Set[str]
    produces: Set[str]


def _rules(found: Contracts, tool: Tool) -> _Rules:
    one = found.get(tool.name)
    if one is None:
        return _Rules(frozenset(), frozenset())
    return _Rules({rule.fact for rule in one.requires}, {rule.fact for rule in one.produces})


def _required(tool: Tool) -> Set[str]:
    parts = tool.requires.conditions if isinstance(tool.requires, And) else (tool.requires,)
    return set(map(_text, parts))


def _text(condition: Condition) -> str:
    """A literal as a rule writes it; anything else as something that no rule writes."""
    match condition:
        case AtomicFormula():
            return str(condition)
        case Not(AtomicFormula() as fact):
            return f"{NOT}{fact}"
        case _:
            return repr(condition)


def _produced(tool: Tool) -> Set[str]:
    outcomes = {str(atom) for outcome in tool.outcomes for atom in outcome.produces}
    return {str(effect.atom) if effect.always_fires else repr(effect) for effect in tool.produces} | outcomes


def _range(values: Sequence[float]) -> str:
    return f"{fmean(values):.3f} ({min(values):.2f}-{max(values):.2f})"


def _solved(count: int, found: Iterable[Sequence[Contracts]]) -> SolvedRow:
    """Over what was learned with each seed, of each domain."""
    domain = load("workspace")
    hidden = {name for each in PLAIN for name in load(each).tools}
    wanted = tasks()
    written = sum(_solves(domain, domain, task) for task in wanted)
    solved = [sum(_solves(domain, taught, task) for task in wanted) for taught in (with_contracts(domain, hidden, each) for each in found)]
    return SolvedRow(count, len(wanted), written, _range(solved), sum(solved) / (written * len(solved)))


def _solves(domain: Domain, taught: Domain, task: Task) -> bool:
    """Whether the plan that `taught` has for `task` can be followed in `domain` and reaches the goal there."""
    steps = plan(taught, state=task.given, goal=task.goal).steps
    problem = build(domain, dict(task.given), task.goal)
    end = replay(problem, steps)
    return end is not None and goal_reached(problem, end)


def with_contracts(domain: Domain, hidden: Set[str], found: Iterable[Contracts]) -> Domain:
    """`domain`, its `hidden` tools with what was learned of them instead of what is written. One that was never seen to succeed is left out."""
    known = {name: one for each in found for name, one in each.items() if one.done}
    return replace(
        domain,
        tools={
            name: _taught(tool, known[name]) if name in hidden else tool
            for name, tool in domain.tools.items()
            if name not in hidden or name in known
        },
    )


def _taught(tool: Tool, found: Learned) -> Tool:
    return replace(
        tool,
        requires=And(tuple(_condition(rule.fact) for rule in found.requires)),
        produces=tuple(Effect(formula(rule.fact)) for rule in found.produces),
        removes=tuple(Effect(formula(rule.fact)) for rule in found.removes),
        outcomes=(),
    )


def _condition(literal: str) -> Condition:
    fact = formula(literal.removeprefix(NOT))
    return Not(fact) if literal.startswith(NOT) else fact
