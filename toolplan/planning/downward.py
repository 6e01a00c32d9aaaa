"""Fast Downward's search, fed through a pipe: no translation, no Python driver, and nothing on disk that could be left behind."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from math import ceil
from pathlib import Path

from toolplan.planning.answers import Answer, Broken, Exhausted, Found, Resource, Stopped, believable
from toolplan.planning.plans import Limit
from toolplan.planning.sas import to_sas
from toolplan.planning.splitting import can_split, split
from toolplan.planning.task import Task

VARIABLE = "TOOLPLAN_DOWNWARD"
"""The environment variable that names the program to run instead of the one that is installed."""
LM_CUT = "astar(lmcut())"
H_MAX = "astar(hmax())"
"""For conditional effects that are too many to be split up: LM-cut cannot take them."""


def program() -> Path | None:
    """The search binary: what TOOLPLAN_DOWNWARD names, or else what is installed."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else _installed()


@cache
def _installed() -> Path | None:
    """The binary inside the package up_fast_downward, which is not imported. Looked for once in a process."""
    package = find_spec("up_fast_downward")
    for directory in (package and package.submodule_search_locations) or ():
        found = Path(directory, "downward", "builds", "release", "bin", "downward")
        if found.exists():
            return found
    return None


def search_for(task: Task) -> str:
    """The search that can take all of `task`: with LM-cut where it can, else with h-max. Both are optimal."""
    return LM_CUT if all(map(can_split, task.operators)) else H_MAX


def ask(binary: Path, task: Task, costs: Sequence[int], limit: Limit) -> Answer:
    """What A* says of `task` when operator `i` costs `costs[i]`."""
    search = search_for(task)
    parts = [split(operator) if search == LM_CUT else [operator] for operator in task.operators]
    origins = [number for number, some in enumerate(parts) for _ in some]
    given = replace(task, operators=tuple(part for some in parts for part in some))
    # The plan goes to the same pipe as the log, which is written line by line.
    command = [str(binary), "--search", search, "--internal-plan-file", "/dev/stdout"]
    try:
        code, output = _run(command, to_sas(given, [costs[origin] for origin in origins]), limit)
    except OSError as error:
        return Broken(f"{type(error).__name__}: {error}")
    answer = believable(_answer(code, output), limit)
    return replace(answer, operators=tuple(origins[number] for number in answer.operators)) if isinstance(answer, Found) else answer


def _run(command: Sequence[str], text: str, limit: Limit) -> tuple[int | None, str]:
    """The exit code of `command` and what it wrote, with `text` as its input; no code where it took too long."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", start_new_session=True
    ) as process:
        try:
            _restrict(process.pid, limit)
            output, _ = process.communicate(text, timeout=limit.seconds)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            _kill(process)
            return None, process.communicate()[0]
        finally:
            _kill(process)


def _restrict(pid: int, limit: Limit) -> None:
    """Have the system end the process at its limits, also when nobody is left to do it.

    From outside and after its start, since code between fork and exec is not safe where there are threads.
    """
    if sys.platform == "linux":
        import resource

        for kind, most in ((resource.RLIMIT_CPU, ceil(limit.seconds) + 1), (resource.RLIMIT_AS, limit.megabytes * 2**20)):
            with contextlib.suppress(OSError):  # it may have ended already
                _, hard = resource.prlimit(pid, kind)
                allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
                resource.prlimit(pid, kind, (allowed, allowed))


def _kill(process: subprocess.Popen[str]) -> None:
    """End the process with all its group, unless it has been waited for already: its number may be another's by then."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _answer(code: int | None, output: str) -> Answer:
    """See Fast Downward's exit codes: 0 solved, 11 and 12 searched everything (A* is complete), 22 to 24 limits; negative for signals."""
    steps = re.findall(r"^\((\d+)\)$", output, re.MULTILINE)
    claimed = re.findall(r"^; cost = (\d+) ", output, re.MULTILINE)
    if code == 0 and claimed:
        return Found(tuple(map(int, steps)), int(claimed[-1]), claims_optimal=True)
    if code in (11, 12) and not claimed:
        return Exhausted()
    if code in (None, 23, -signal.SIGXCPU):
        return Stopped(Resource.TIME, _bound(output))
    if code in (22, 24):
        return Stopped(Resource.MEMORY, _bound(output))
    words = " / ".join(line.strip() for line in output.strip().splitlines()[-3:])
    ended = f"exit code {code}" if code is None or code >= 0 else f"signal {-code}"
    return Broken(f"{ended}: {words or 'it said nothing'}")


def _bound(output: str) -> int:
    """The least f among the states that A* had still to expand. It says so whenever that grows."""
    reached = re.findall(r"\bf = (\d+),", output)
    return int(reached[-1]) if reached else 0
