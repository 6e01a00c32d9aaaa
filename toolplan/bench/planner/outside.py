"""Problems from outside: PDDL that nobody of this project wrote, with optimal costs that others proved."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolplan.bench.planner.measuring import PATIENT, Promise, Settings, at_least
from toolplan.bench.tables import Row
from toolplan.importing import pddl
from toolplan.language.diagnostics import DomainError
from toolplan.planning.engines import AUTO, solve
from toolplan.planning.plans import Bounded, Optimal, Solution

TITLE = "Problems from outside: PDDL with recorded optimal costs, imported and solved within 60 s"


@dataclass(frozen=True, slots=True)
class OutsideRow(Row):
    """A problem, its recorded cost, and what `auto` makes of it; `proved` says that it proves this cost in time.

    The outcome of a problem that is refused is the code of what is wrong with it. Some engines count no expansions.
    """

    domain: str
    problem: str
    cost: int
    outcome: str
    score: float | None
    steps: int | None
    engine: str
    expansions: int
    import_s: float
    solve_s: float
    proved: bool


def rows(settings: Settings) -> Iterator[OutsideRow]:
    """One row a problem, in the order of the indices that the settings name."""
    for index in settings.problems:
        for entry in json.loads(index.read_text("utf-8")):
            settings.note(f"{entry['domain']} {entry['problem']}")
            yield _row(index.parent, entry)


def _row(folder: Path, entry: Mapping[str, Any]) -> OutsideRow:
    domain, problem, cost = entry["domain"], entry["problem"], entry["cost"]
    started = time.perf_counter()
    try:
        texts = [(folder / domain / name).read_text("utf-8") for name in ("domain.pddl", problem)]
        imported = pddl.read(*texts).problem
        ready = time.perf_counter()
        solution = solve(imported, AUTO, PATIENT)
    except DomainError as error:
        seconds = time.perf_counter() - started
        return OutsideRow(domain, problem, cost, error.diagnostics[0].code.number, None, None, "", 0, seconds, 0.0, proved=False)
    seconds = time.perf_counter() - ready
    return _solved(domain, problem, cost, solution, ready - started, seconds)


def _solved(domain: str, problem: str, cost: int, solution: Solution, importing: float, solving: float) -> OutsideRow:
    plan = solution.plan if isinstance(solution, Optimal | Bounded) else None
    return OutsideRow(
        domain,
        problem,
        cost,
        outcome=type(solution).__name__.lower(),
        score=float(plan.score) if plan else None,
        steps=len(plan.steps) if plan else None,
        engine=getattr(solution, "engine", ""),
        expansions=solution.expansions if isinstance(solution, Optimal) else 0,
        import_s=importing,
        solve_s=solving,
        proved=isinstance(solution, Optimal) and solution.plan.score == cost and importing + solving <= PATIENT.seconds,
    )


def promises(rows: Sequence[OutsideRow]) -> Iterator[Promise]:
    """What is promised of this tier."""
    yield at_least(f"problems from outside: of {len(rows)}, proved at the recorded cost", sum(row.proved for row in rows), len(rows))
