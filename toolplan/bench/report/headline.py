"""The report in a few lines: what a model does when it is shown all tools, and what it does with toolplan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from toolplan.bench.runs.figures import BASE, MethodRow, rows
from toolplan.bench.runs.keeping import Runs
from toolplan.bench.tables import Row

NEXT, READY = "frontier, gate", "frontier, ready"


@dataclass(frozen=True, slots=True)
class HeadlineRow(Row):
    """Tasks done, in percent with the 95% interval of Wilson, of the same n by each of the columns.

    `next_tool` is the frontier of a session behind its gate, `ready` the same where calls of which all is known are made without a model. `tokens`
    are those of `next_tool`, and of `ready`, of what all tools took; `p` compares `next_tool` with all tools, task by task (McNemar).
    """

    tasks: str
    model: str
    n: int
    tools: int
    all_tools: str
    next_tool: str
    ready: str
    tokens: str
    p: float | None


def headline(files: Iterable[Runs]) -> Iterator[HeadlineRow]:
    """A row for each chooser and suite of which the same tasks were run with all tools and with the next one."""
    for runs in files:
        arms = {row.method: row for row in rows(runs)}
        base = arms.get(BASE)
        comparable = {name: row for name, row in arms.items() if base is not None and row.n == base.n}
        if base is not None and NEXT in comparable:
            yield _row(runs, base, comparable[NEXT], comparable.get(READY))


def _row(runs: Runs, base: MethodRow, following: MethodRow, ready: MethodRow | None) -> HeadlineRow:
    tokens = following.of_all if ready is None else f"{following.of_all}, {ready.of_all}"
    done = "-" if ready is None else ready.success
    return HeadlineRow(
        runs.subject.suite, runs.subject.chooser, base.n, round(base.tools), base.success, following.success, done, tokens, following.p
    )
