"""The stress tier: dense layers, where the search is hard. What `auto` proves, and how fast, against the same task piped elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import median
from typing import NamedTuple

import toolplan
from toolplan.bench.planner.measuring import Promise, Settings, at_least, at_most, geometric_mean
from toolplan.bench.registries import layered
from toolplan.bench.tables import Row
from toolplan.planning.engines import AUTO, ENGINES, FAST_DOWNWARD, planners_installed, solve
from toolplan.planning.inputs import build
from toolplan.planning.plans import Bounded, Limit, Optimal, Solution
from toolplan.planning.preparation import prepare
from toolplan.planning.problem import Problem
from toolplan.planning.task import Task

TITLE = "Stress tier: dense layers; B is our pruned task piped to Fast Downward's binary, pruning counted on all sides"
LARGEST = 10_000
SEEDS = 3
PIPED = "downward"
LIMIT = Limit(expansions=10**9, seconds=25)
OUTSIDE_LIMIT = Limit(expansions=10**9, seconds=60)
OUTSIDE_STEPS = 8
"""The longest plan for which Fast Downward is asked through unified-planning, too."""
PROVED = "optimal"
ROUNDS = 3
QUICK = 1.0
"""A task that both sides solve in fewer seconds is solved `ROUNDS` times, in turns, and the medians count."""


class Run(NamedTuple):
    """What an engine says, and how long that took."""

    seconds: float
    solution: Solution

    @property
    def outcome(self) -> str:
        """The type of the answer in a word."""
        return type(self.solution).__name__.lower()

    @property
    def proved(self) -> tuple[Fraction, int] | None:
        """The score and the number of steps of the best plan; None without a proof."""
        return (self.solution.plan.score, len(self.solution.plan.steps)) if isinstance(self.solution, Optimal) else None


@dataclass(frozen=True, slots=True)
class StressRow(Row):
    """One task: the size of its pruned form, its best plan, and seconds and outcome for `auto`, B and Fast Downward.

    `gap` is how far the score of `auto`'s plan may be from the least, as a share of it. `same` says whether all proofs agree.
    """

    tools: int
    seed: int
    goals: int
    operators: int
    steps: int | None
    score: float | None
    auto: str
    engine: str
    auto_s: float
    gap: float | None
    b: str
    b_s: float | None
    fast_downward: str
    fast_downward_s: float | None
    same: bool | None


def rows(settings: Settings) -> Iterator[StressRow]:
    """One row a task, of the first seeds, at the sizes where the search and not the loading is what takes time."""
    _warm_up()
    for tools in (size for size in settings.sizes if size <= LARGEST):
        for seed in settings.seeds[:SEEDS]:
            registry = layered(tools, seed)
            domain = toolplan.loads(registry.text)
            problems = [build(domain, task.state, task.goal) for task in registry.tasks]
            prepare(replace(problems[-1]))
            for goals, problem in enumerate(problems, 1):
                settings.note(f"{tools:,} tools, seed {seed}, {goals} goals")
                yield _row(tools, seed, goals, problem, _runs(problem))


def _warm_up() -> None:
    """Load what the engines need."""
    registry = layered(20, 0)
    problem = build(toolplan.loads(registry.text), registry.tasks[0].state, registry.tasks[0].goal)
    for engine in (*_rivals(), *([FAST_DOWNWARD] if planners_installed() else [])):
        solve(problem, engine, LIMIT)


def _rivals() -> list[str]:
    """The two sides; `auto` alone where Fast Downward is not installed."""
    return [AUTO, PIPED] if PIPED in ENGINES and planners_installed() else [AUTO]


def _runs(problem: Problem) -> dict[str, Run]:
    """Both sides in turns, and Fast Downward through unified-planning where the plan is short."""
    rounds = [{engine: _run(problem, engine, LIMIT) for engine in _rivals()}]
    while len(rounds) < ROUNDS and all(run.seconds < QUICK for run in rounds[0].values()):
        rounds.append({engine: _run(problem, engine, LIMIT) for engine in _rivals()})
    runs = {engine: Run(median(turn[engine].seconds for turn in rounds), run.solution) for engine, run in rounds[0].items()}
    if planners_installed() and any(run.proved and run.proved[1] <= OUTSIDE_STEPS for run in runs.values()):
        runs[FAST_DOWNWARD] = _run(problem, FAST_DOWNWARD, OUTSIDE_LIMIT)
    return runs


def _run(problem: Problem, engine: str, limit: Limit) -> Run:
    """One run from the problem to the answer, with nothing kept of an earlier one."""
    fresh = replace(problem)
    started = time.perf_counter()
    solution = solve(fresh, engine, limit)
    return Run(time.perf_counter() - started, solution)


def _row(tools: int, seed: int, goals: int, problem: Problem, runs: dict[str, Run]) -> StressRow:
    task = prepare(problem)
    auto, piped, outside = runs[AUTO], runs.get(PIPED), runs.get(FAST_DOWNWARD)
    plan = auto.solution.plan if isinstance(auto.solution, Optimal | Bounded) else None
    proofs = [run.proved for run in runs.values() if run.proved]
    return StressRow(
        tools,
        seed,
        goals,
        operators=len(task.operators) if isinstance(task, Task) else 0,
        steps=len(plan.steps) if plan else None,
        score=float(plan.score) if plan else None,
        auto=auto.outcome,
        engine=getattr(auto.solution, "engine", ""),
        auto_s=auto.seconds,
        gap=_gap(auto.solution),
        b=piped.outcome if piped else "not run",
        b_s=piped.seconds if piped else None,
        fast_downward=outside.outcome if outside else "not run",
        fast_downward_s=outside.seconds if outside else None,
        same=len(set(proofs)) == 1 if len(proofs) > 1 else None,
    )


def _gap(solution: Solution) -> float | None:
    match solution:
        case Optimal():
            return 0.0
        case Bounded(plan, bound):
            return float((plan.score - bound) / plan.score)
        case _:
            return None


def promises(rows: Sequence[StressRow]) -> Iterator[Promise]:
    """What is promised of this tier."""
    proved = [row for row in rows if row.auto == PROVED]
    yield at_least(f"stress tier, the goal: tasks of {len(rows)} that auto proves", len(proved), len(rows))
    yield at_least("stress tier: tasks for which auto has a plan", sum(row.steps is not None for row in rows), len(rows))
    compared = [row.same for row in rows if row.same is not None]
    yield at_least(f"equal: tasks of {len(compared)} whose proofs all give the same score and steps", sum(compared), len(compared))
    against = [row for row in rows if row.b == PROVED]
    both = [row for row in against if row.auto == PROVED]
    if against:
        yield at_most(f"stress tier: tasks of B's {len(against)} that auto does not prove", sum(row.auto != PROVED for row in against), 0)
        yield at_most(
            f"stress tier: geometric mean of auto's time over B's, {len(both)} tasks", _ratio((row.auto_s, row.b_s) for row in both), 1.1
        )
    short = [row for row in proved if row.fast_downward == PROVED]
    if short:
        name = f"stress tier: geometric mean of auto's time over fast-downward's, {len(short)} short plans"
        yield at_most(name, _ratio((row.auto_s, row.fast_downward_s) for row in short), 1 / 3)


def _ratio(pairs: Iterable[tuple[float, float | None]]) -> float:
    return geometric_mean(one / other for one, other in pairs if other)
