"""What planning must not run into: memory, the depth of the stack, and other threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import toolplan
from toolplan.bench.planner.measuring import PATIENT, Promise, Settings, at_least, at_most
from toolplan.bench.registries import GeneratedTask, GeneratedTool, Registry, families, layered
from toolplan.bench.tables import Row
from toolplan.planning.plans import Atom

TITLE = "Memory, long plans, threads"
STEPS = 2_000
THREADS = 8
SCRIPT = """
import json, resource, sys, toolplan
now = toolplan.frontier(toolplan.load(sys.argv[1]), **json.loads(sys.argv[2]))
assert isinstance(now.decision, toolplan.Act), now
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@dataclass(frozen=True, slots=True)
class LimitRow(Row):
    """One figure, and the figure that is promised: at most that many megabytes, exactly that many steps and answers."""

    what: str
    figure: float
    promised: float
    unit: str


def rows(settings: Settings) -> Iterator[LimitRow]:
    """The memory of the largest registry, the length of a long plan, and equal answers of a pool of threads."""
    tools = max(settings.sizes)
    settings.note(f"{tools:,} tools in a process of their own")
    yield LimitRow(f"peak of a process that loads {tools:,} tools and plans a task", _peak(families(tools, settings.seeds[0])), 1024, "MB")
    settings.note(f"a plan of {STEPS:,} steps")
    yield LimitRow(f"plan of a chain of {STEPS:,} tools", _chain(STEPS), STEPS, "steps")
    settings.note(f"{THREADS} threads")
    equal, tasks = _equal_answers(settings.seeds[0])
    yield LimitRow(f"answers of {THREADS} threads that are those of one", equal, tasks, "answers")


def _peak(registry: Registry) -> float:
    """The largest resident size in megabytes of a process that reads the text of `registry` and decides its first task."""
    task = registry.tasks[0]
    call = json.dumps({"state": [atom.fact for atom in task.given], "goal": task.goal})
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "registry.toolplan")
        path.write_text(registry.text, "utf-8")
        command = [sys.executable, "-c", SCRIPT, str(path), call]
        run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TOOLPLAN_CACHE": "off"}, check=True)
    return float(run.stdout) / 1024


def _chain(steps: int) -> int:
    """The length of the plan for a task in which each tool needs the one before."""
    facts = [Atom(f"f{number}") for number in range(steps + 1)]
    tools = [GeneratedTool(f"t{number}", (facts[number],), (facts[number + 1],), 1) for number in range(steps)]
    task = GeneratedTask((facts[0],), (facts[-1],))
    domain = toolplan.loads(Registry({fact.fact: () for fact in facts}, tools, [task]).text)
    return len(toolplan.plan(domain, state=task.state, goal=task.goal, limit=PATIENT).steps)


def _equal_answers(seed: int) -> tuple[int, int]:
    """How many tasks a pool of threads answers as one thread does, and how many there are. Nothing is shared between the two."""
    registries = [families(1_000, seed, 3), layered(100, seed)]
    alone = [answer for registry in registries for answer in _answers(registry, threads=1)]
    pooled = [answer for registry in registries for answer in _answers(registry, THREADS)]
    return sum(one == other for one, other in zip(alone, pooled, strict=True)), len(alone)


def _answers(registry: Registry, threads: int) -> list[dict[str, object]]:
    domain = toolplan.loads(registry.text)

    def answer(task: GeneratedTask) -> dict[str, object]:
        return toolplan.frontier(domain, state=task.state, goal=task.goal, limit=PATIENT).to_dict()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(answer, registry.tasks))


def promises(rows: Sequence[LimitRow]) -> Iterator[Promise]:
    """What is promised of this tier."""
    for row in rows:
        claim = at_most if row.unit == "MB" else at_least
        yield claim(f"{row.what}, {row.unit}", row.figure, row.promised)
