"""Tasks that nobody of this project wrote, by models that choose: each set is a suite of runs, with the same arms.

- `tasks`: a request, and the calls that answer it; `toolboxes`: real tools with their contracts; `arguments`: which of a call are right.
- `chains`: how far the calls of a task have come; `knowledge`: what is known by then.
- `reading`: what our readers make of a request, the same for all methods; `users`: a user who answers what is asked.
- `methods`: what a method shows; `scenes`: the task behind it, and what comes of a call; `suite`: the arms.
- `sgd`, `bfcl`, `nestful`, `telecom`: a set each; `imports`: what those with imported contracts share.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from toolplan.bench.real_tasks import bfcl, nestful, sgd, telecom
from toolplan.bench.real_tasks.suite import RealTasks
from toolplan.bench.real_tasks.tasks import Task


class Set(Protocol):
    """Tasks made from the files of a folder. `DATA` is its name."""

    DATA: str

    def tasks(self, folder: Path) -> list[Task]:
        """All of them, those with the same tools in a row. Raises DomainError where a package that reads requests is missing."""
        ...


SETS: Mapping[str, Set] = {"sgd": sgd, "bfcl": bfcl, "nestful": nestful, "telecom": telecom}


def suite_of(name: str, data: Path, count: int) -> RealTasks:
    """The suite of the set called `name`, with `count` of its tasks."""
    every = RealTasks(f"real-{name}", SETS[name].tasks(data / SETS[name].DATA))
    return every.only(every.tasks(count))
