"""`toolplan doctor`: what is installed, what is missing, and whether the planner works."""

from __future__ import annotations

import platform
import time
from importlib import metadata

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson
from toolplan.cli.output import say, show_json
from toolplan.language.loading import loads, shipped_domains
from toolplan.planning.engines import DOWNWARD, FAST_DOWNWARD, IN_PROCESS, UNIFORM_COST, planners_installed, solve
from toolplan.planning.inputs import build
from toolplan.planning.plans import EngineFailed, EngineMissing, Limit, Optimal

EXAMPLE = "Example: toolplan doctor"

PACKAGES = ("lark", "typer", "rich", "unified-planning", "up-fast-downward", "pddl")
TRIAL = """
fact asked  fact found  fact done
tool look { requires asked produces found risk read }
tool act { requires found produces done risk write }
"""


def command(as_json: AsJson = False) -> None:
    """Say what is installed and try each planner on a small task."""
    packages = {name: _version(name) for name in ("toolplan", *PACKAGES)}
    engines = {name: _trial(name) for name in (IN_PROCESS, UNIFORM_COST, DOWNWARD, FAST_DOWNWARD)}
    if as_json:
        show_json({"python": platform.python_version(), "packages": packages, "engines": engines, "domains": shipped_domains()})
    else:
        say(f"python            {platform.python_version()} on {platform.system()} {platform.machine()}")
        for name, version in packages.items():
            say(f"{name:<17} {version or 'not installed'}")
        for name, verdict in engines.items():
            say(f"engine {name:<10} {verdict}")
        say(f"domains           {', '.join(shipped_domains())}")
        if not planners_installed():
            say("For proofs by Fast Downward: pip install 'toolplan[planners]'")
    if any(verdict.startswith("failed") for verdict in engines.values()):
        raise typer.Exit(Exit.INTERNAL)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _trial(engine: str) -> str:
    """What `engine` makes of a task of two steps."""
    problem = build(loads(TRIAL), "asked", "done")
    started = time.monotonic()
    match solve(problem, engine, Limit(seconds=30)):
        case Optimal():
            return f"works ({time.monotonic() - started:.2f} s for two steps, loading included)"
        case EngineMissing():
            return "not installed"
        case EngineFailed(diagnostic):
            return f"failed: {diagnostic.message}"
        case solution:
            return f"failed: {type(solution).__name__.lower()}"
