"""`toolplan learn convert`: logs of any form as lines of traces, without the values in them unless asked."""

from __future__ import annotations

import secrets
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from io import TextIOWrapper
from itertools import count
from pathlib import Path
from typing import Annotated, TextIO

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.learn.reading import Files, Form, records_in
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, show_json
from toolplan.cli.writing import replacing
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.learning.open_runs import OpenRuns
from toolplan.learning.redaction import redacted
from toolplan.learning.traces import Ended, Execution, Failed, Record, Requested, Returned, written
from toolplan.receipts.seals import SHORTEST_KEY, read_key

EXAMPLE = "Example: toolplan learn convert runs.jsonl"


def command(
    files: Files,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the lines there, and not to stdout.", show_default=False)
    ] = None,
    form: Form = None,
    keeps_values: Annotated[bool, typer.Option("--with-values", help="Keep values and texts, and not only digests of them.")] = False,
    key_file: Annotated[
        Path | None,
        typer.Option("--key-file", metavar="FILE", help="A key for the digests, so that those of several conversions can be compared."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write logs as lines of traces. Values become digests under a key that nobody keeps, requests and thoughts are left out."""
    if keeps_values and key_file is not None:
        raise typer.BadParameter("--key-file is for digests, and --with-values keeps values")
    if as_json and out is None:
        raise typer.BadParameter("--json is about a file that --out names")
    if out is not None and any(out.exists() and path.exists() and out.samefile(path) for path in files):
        raise typer.BadParameter(f"{quoted(str(out))} is read, and cannot be written at the same time")
    with reporting(as_json=as_json):
        key = b"" if keeps_values else _key(key_file)
        records = records_in(files, form)
        with _opened(out) as lines:
            counts = _write(records if keeps_values else (redacted(record, key) for record in records), lines)
    if as_json:
        show_json({"file": str(out), **counts})
    else:
        said = f"{counts['executions']} executions ({counts['failed']} failed, {counts['unknown']} unknown) in {counts['runs']} runs"
        typer.echo(f"{said}, {counts['requests']} requests", err=True)


@contextmanager
def _opened(out: Path | None) -> Iterator[TextIO]:
    """What to write to; exits where that fails. A file is there when all is written, and else is as it was."""
    if out is None:
        yield sys.stdout
        return
    try:
        with replacing(out) as file:
            lines = TextIOWrapper(file, "ascii", newline="\n")
            yield lines
            lines.detach()
    except OSError as error:
        typer.echo(f"cannot write to {out}: {error.strerror}", err=True)
        raise typer.Exit(Exit.USAGE) from None


def _key(path: Path | None) -> bytes:
    if path is None:
        return secrets.token_bytes()
    key = read_key(path)
    if len(key) < SHORTEST_KEY:
        message = f"the key in {quoted(str(path))} has {len(key)} bytes, which can be guessed"
        raise DomainError([Diagnostic(Code.BAD_CONFIGURATION, message, None, "`openssl rand -hex 32` makes one")])
    return sha256(key).digest()


def _write(records: Iterable[Record], lines: TextIO) -> dict[str, int]:
    """Write a line for each record, and count them."""
    counts = Counter[str]()
    begun = count()
    runs = OpenRuns(lambda: next(begun))
    for record in records:
        lines.write(written(record) + "\n")
        runs.of(record.trace)
        match record:
            case Execution(result=result):
                kind = "returned" if isinstance(result, Returned) else "failed" if isinstance(result, Failed) else "unknown"
                counts.update(("executions", kind))
            case Requested():
                counts["requests"] += 1
            case Ended(trace):
                runs.end(trace)
    kinds = ("executions", "returned", "failed", "unknown", "requests")
    return {"runs": next(begun), **{kind: counts[kind] for kind in kinds}}
