"""The options that several commands share, and how their texts become values."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from toolplan.domain import Domain, Principal
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.loading import load
from toolplan.language.parser import parse
from toolplan.language.source import Location, Source, Span
from toolplan.planning.engines import ENGINES
from toolplan.planning.inputs import StateInput
from toolplan.planning.plans import Limit

DomainFile = Annotated[
    str, typer.Argument(metavar="DOMAIN", help="A .toolplan file, or the name of a domain that ships.", show_default=False)
]
StateTexts = Annotated[
    list[str],
    typer.Option(
        "--state",
        "-s",
        metavar="ATOMS|@FILE",
        help="What is known: `date,found(report)`, or @FILE with JSON (@- for stdin) or with a test that gives it. Lists may be repeated.",
        show_default=False,
    ),
]
GoalTexts = Annotated[
    list[str],
    typer.Option(
        "--goal",
        "-g",
        metavar="GOAL",
        help="A goal, or a condition: `share(report, anna)`. Of several, all are wanted together.",
        show_default=False,
    ),
]
Forbid = Annotated[list[str], typer.Option("--forbid", metavar="NAME", help="A tool, question or level of risk that must not be used.")]
Exhausted = Annotated[list[str], typer.Option("--exhausted", metavar="STEP", help="A step that was tried and must not be planned again.")]
Engine = Annotated[str, typer.Option("--engine", metavar="ENGINE", help=f"{', '.join(ENGINES)}, or up:NAME.")]
Seconds = Annotated[float, typer.Option("--seconds", help="Time limit of the planner.")]
Expansions = Annotated[int, typer.Option("--expansions", help="Limit of the in-process search.")]
Roles = Annotated[list[str], typer.Option("--role", metavar="ROLE", help="A role of the caller, who then sees only what they may use.")]
Scopes = Annotated[list[str], typer.Option("--scope", metavar="SCOPE", help="A scope of the caller.")]
Tenant = Annotated[str, typer.Option("--tenant", metavar="TENANT", help="The tenant of the caller.", show_default=False)]
Environment = Annotated[
    str, typer.Option("--environment", metavar="NAME", help="The environment in which the caller is.", show_default=False)
]
Clearances = Annotated[list[str], typer.Option("--clearance", metavar="CLASS", help="A class of data that the caller may touch.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, to stdout.")]


def caller_of(roles: Iterable[str], scopes: Iterable[str], tenant: str, environment: str, clearances: Iterable[str]) -> Principal | None:
    """Who calls; None where no option says anything of it."""
    caller = Principal("", tenant, frozenset(roles), frozenset(scopes), environment, frozenset(clearances))
    return caller if caller != Principal() else None


def load_for(path: str, caller: Principal | None) -> Domain:
    """The domain at `path`, without what `caller` may not use. Raises DomainError."""
    return load(path) if caller is None else load(path).for_principal(caller)


def together(texts: Iterable[str]) -> list[str]:
    """Those of `texts` that say something, each to be read for itself: what is odd in one of them is no part of the next."""
    return [text for text in texts if text.strip()]


def read_state(texts: Sequence[str]) -> StateInput:
    """The state that `--state` gives: the texts themselves, or what a file says.

    That is JSON, a list of atoms or a mapping from fact to value; or what the one test in a domain file is given. Exits where a file
    is not all that is given.
    """
    files = [text for text in texts if text.startswith("@")]
    if not files:
        return together(texts)
    if len(texts) > 1:
        raise typer.BadParameter(f"{quoted(files[0])} is all that is known: leave the other --state away")
    name = files[0][1:]
    try:
        text = sys.stdin.read().removeprefix("\ufeff") if name == "-" else Path(name).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot read `{name}`: {reason.lower()}")]) from None
    source = Source(name if name != "-" else "<stdin>", text)
    if name.endswith(".toolplan"):
        return _given(source)
    try:
        data = json.loads(source.text)
    except json.JSONDecodeError as error:
        raise _no_state(source, error.msg.lower(), error.pos) from None
    except RecursionError:
        raise _no_state(source, "nested too deep") from None
    except ValueError:
        raise _no_state(source, "a number has too many digits") from None
    if isinstance(data, list):
        return [tuple(item) if isinstance(item, list) else item for item in data]
    if isinstance(data, dict):
        return data
    hint = 'such as ["date", "found(report)"] or {"date": "2026-12-01"}'
    location = Location(source, Span(0, len(source.text.rstrip())))
    raise DomainError([Diagnostic(Code.BAD_JSON, "the state is neither a list of atoms nor a mapping", location, hint)])


def _no_state(source: Source, reason: str, at: int = 0) -> DomainError:
    return DomainError([Diagnostic(Code.BAD_JSON, f"the state is no JSON: {reason}", Location(source, Span(at, at + 1)))])


def _given(source: Source) -> str:
    """The state that the one test in a domain file is given, as text."""
    file, findings = parse(source)
    if findings:
        raise DomainError(findings)
    tests = [node for node in file.declarations if isinstance(node, nodes.Block) and node.kind == "test"]
    if len(tests) != 1:
        location = Location(source, tests[1].name.span) if tests else None
        message = f"{quoted(source.name)} has {'no test' if not tests else 'more than one test'} to take the state from"
        raise DomainError([Diagnostic(Code.BAD_CALL, message, location, "write the state as JSON, or as text")])
    spans = [value.span for clause in tests[0].clauses_of("given") for value in clause.values]
    return ", ".join(source.text[span.start : span.end] for span in spans)


def limit_of(seconds: float, expansions: int) -> Limit:
    """The limit that the options give."""
    return Limit(expansions=expansions, seconds=seconds)
