"""Fast Downward on PDDL text, without any of our bridge: the other side of the comparisons."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

from toolplan.planning.pddl import Pddl
from toolplan.planning.plans import Step


def solve_text(text: Pddl, search: str = "astar(blind())") -> tuple[int, list[Step]] | None:
    """The cost and the steps of the best plan for a domain and a problem as text; None where there is none."""
    driver = str(resources.files("up_fast_downward").joinpath("downward/fast-downward.py"))
    with tempfile.TemporaryDirectory() as directory:
        paths = {name: Path(directory, name) for name in ("domain.pddl", "problem.pddl", "plan", "output.sas")}
        paths["domain.pddl"].write_text(text.domain, "utf-8")
        paths["problem.pddl"].write_text(text.problem, "utf-8")
        command = [sys.executable, driver, "--plan-file", paths["plan"], "--sas-file", paths["output.sas"]]
        command += [paths["domain.pddl"], paths["problem.pddl"], "--translate-options", "--invariant-generation-max-candidates", "0"]
        run = subprocess.run(
            [*map(str, command), "--search-options", "--search", search], capture_output=True, text=True, cwd=directory, timeout=120
        )
        if run.returncode in (10, 11, 12):
            return None
        assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
        lines = paths["plan"].read_text().splitlines()
    cost = next(int(line.split()[3]) for line in lines if line.startswith("; cost"))
    steps = [line.strip("()").split() for line in lines if line.startswith("(")]
    return cost, [text.step(name, arguments) for name, *arguments in steps]
