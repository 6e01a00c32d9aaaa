"""How long large domains take to load and to check, and how much memory: each run in a process of its own, medians of five."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toolplan.bench.registry import registry

RUNS = 5
LOAD = "import toolplan, sys; toolplan.load(sys.argv[1])"
CHECK = "import sys; sys.argv[1:1] = ['check']; from toolplan.cli import main; main()"


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: what was run, the median of its user time in seconds, and the largest memory in megabytes."""

    what: str
    tools: int
    seconds: float
    megabytes: float

    def to_dict(self) -> dict[str, object]:
        """The row as JSON values."""
        return {"what": self.what, "tools": self.tools, "seconds": round(self.seconds, 3), "megabytes": round(self.megabytes)}


def rows(sizes: tuple[int, ...] = (100, 10_000, 100_000)) -> Iterator[Row]:
    """Load cold, load from the cache, and check, at each size; the largest is loaded once, cold."""
    with tempfile.TemporaryDirectory() as directory:
        for tools in sizes:
            path = Path(directory, f"registry_{tools}.toolplan")
            path.write_text(registry(tools), "utf-8")
            runs = RUNS if tools <= 10_000 else 1
            yield _measured("load, cold", tools, runs, LOAD, path, cache="off")
            if tools <= 10_000:
                cache = str(Path(directory, "cache"))
                _run(LOAD, path, cache)
                yield _measured("load, from the cache", tools, runs, LOAD, path, cache)
                yield _measured("check", tools, runs, CHECK, path, cache="off")


def _measured(what: str, tools: int, runs: int, script: str, path: Path, cache: str) -> Row:
    results = [_run(script, path, cache) for _ in range(runs)]
    return Row(what, tools, statistics.median(seconds for seconds, _ in results), max(megabytes for _, megabytes in results))


def _run(script: str, path: Path, cache: str) -> tuple[float, float]:
    """User seconds and peak megabytes of one process, its start included."""
    report = f"{script}\n" if script == LOAD else f"try:\n    {script}\nexcept SystemExit as end:\n    assert not end.code\n"
    report += "import resource; used = resource.getrusage(resource.RUSAGE_SELF); print(used.ru_utime, used.ru_maxrss, file=sys.stderr)"
    environment = {**os.environ, "TOOLPLAN_CACHE": cache}
    run = subprocess.run([sys.executable, "-c", report, str(path)], capture_output=True, text=True, env=environment, check=True)
    seconds, peak = run.stderr.split()[-2:]
    return float(seconds), float(peak) / 1024


def machine() -> str:
    """The machine, as far as figures depend on it."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {sys.platform}, Python {sys.version.split()[0]}"
