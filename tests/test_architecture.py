"""The shape of the code: rooms, sizes, the public surface, and what importing costs."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import toolplan

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "toolplan").rglob("*.py"))


def test_rooms_import_only_what_stands_above_them() -> None:
    run = subprocess.run([str(Path(sys.executable).parent / "lint-imports"), "--no-cache"], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stdout


def test_no_module_is_long_and_none_is_called_utils() -> None:
    for module in MODULES:
        assert len(module.read_text("utf-8").splitlines()) <= 400, module
        assert module.stem not in {"utils", "helpers", "common", "misc"}


def test_every_module_says_what_it_is() -> None:
    for module in MODULES:
        assert ast.get_docstring(ast.parse(module.read_text("utf-8"))), module


def test_the_public_surface_is_exactly_what_is_listed() -> None:
    assert toolplan.__all__ == sorted(toolplan.__all__)
    for name in toolplan.__all__:
        assert getattr(toolplan, name).__doc__


def test_every_package_is_in_the_wheel() -> None:
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {".".join(path.parent.relative_to(ROOT).parts) for path in MODULES if path.name == "__init__.py"}
    assert listed == found | {"toolplan.grammar", "toolplan.domains"}


def test_importing_loads_no_planner_and_prints_nothing() -> None:
    heavy = ("unified_planning", "up_fast_downward", "numpy", "networkx", "pydantic")
    script = f"import sys, toolplan; print([name for name in sys.modules if name.split('.')[0] in {heavy}])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("[]\n", "")


def test_planning_prints_nothing() -> None:
    """The planner libraries print a banner; nothing of it may reach the output of a host."""
    script = (
        "import toolplan\n"
        "domain = toolplan.load('workspace')\n"
        "for engine in ('fast-downward', 'up:fast-downward', 'uniform-cost'):\n"
        "    toolplan.plan(domain, state='date, event_description, new_time', goal='move_event', engine=engine, limit=toolplan.Limit(seconds=60))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
