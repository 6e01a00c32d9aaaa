"""`toolplan audit`: whether receipts are as they were written, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, say, show_findings, show_json
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted, visible
from toolplan.receipts.files import SUFFIX
from toolplan.receipts.lines import Receipt
from toolplan.receipts.seals import Keyed, Plain, Seal, read_key
from toolplan.receipts.summary import Summary
from toolplan.receipts.verifying import Audited, source_of, verify, verify_head

EXAMPLE = "Example: toolplan audit receipts"


class _Audit(NamedTuple):
    """One file, what was found in it, and its last receipt, if any."""

    path: Path
    found: Audited

    @property
    def last(self) -> Receipt | None:
        return self.found.receipts[-1] if self.found.receipts else None


def command(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE|FOLDER...", help=f"Files of receipts, or folders with *{SUFFIX}.", show_default=False)
    ],
    key_file: Annotated[
        Path | None, typer.Option("--key-file", metavar="FILE", help="The key with which the receipts were written.", show_default=False)
    ] = None,
    head: Annotated[
        str,
        typer.Option("--head", metavar="HASH", help="A head that was kept elsewhere: the file must reach that far.", show_default=False),
    ] = "",
    count: Annotated[
        int | None,
        typer.Option("--count", metavar="N", min=0, help="How many receipts there were at least; the head is the last of them."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Verify receipts, and sum up what they say: decisions, verdicts by tool, why calls were refused, what came of calls."""
    with reporting(as_json=as_json):
        seal = Plain() if key_file is None else Keyed(read_key(key_file))
        files = [file for path in paths for file in _files(path)]
        if len(files) != 1 and (head or count is not None):
            raise typer.BadParameter(f"--head and --count are of one file, and there are {len(files)}")
        audits = [_audit(file, seal, head, count) for file in files]
    summary = Summary(receipt for audit in audits for receipt in audit.found.receipts)
    faults = [fault for audit in audits for fault in audit.found.faults]
    if as_json:
        show_json({"files": [_file(audit) for audit in audits], **summary.to_dict(), "diagnostics": [fault.to_dict() for fault in faults]})
    else:
        for line in (*_told(audits), *_drawn(summary)):
            say(visible(line))
        show_findings(faults)
    if faults:
        raise typer.Exit(Exit.INPUT)


def _files(path: Path) -> list[Path]:
    """`path`, or the files of receipts in it where it is a folder. Raises DomainError where that has none."""
    if not path.is_dir():
        return [path]
    files = sorted(path.glob(f"*{SUFFIX}"))
    if not files:
        message = f"there are no receipts in {quoted(str(path))}"
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, message, None, f"receipts lie in files *{SUFFIX}")])
    return files


def _audit(path: Path, seal: Seal, head: str, count: int | None) -> _Audit:
    source = source_of(path)
    found = verify(source, seal)
    missing = verify_head(source, found.receipts, head, count)
    return _Audit(path, found._replace(faults=(*found.faults, *missing)))


def _file(audit: _Audit) -> dict[str, object]:
    session, hash = (audit.last.session, audit.last.hash) if audit.last else ("", "")
    return {
        "file": str(audit.path),
        "session": session,
        "receipts": len(audit.found.receipts),
        "head": hash,
        "torn": audit.found.torn,
        "whole": not audit.found.faults,
    }


def _told(audits: list[_Audit]) -> list[str]:
    """A line for each file, and one for each line in it that an interrupted write has left."""
    lines = []
    for audit in audits:
        verdict = "BROKEN" if audit.found.faults else "whole"
        session, hash = (audit.last.session, audit.last.hash) if audit.last else ("-", "-")
        lines.append(f"{verdict:<7} {session}: {_number(audit)}, head {hash}")
        lines += [f"        line {number} was left by an interrupted write" for number in audit.found.torn]
    return lines


def _number(audit: _Audit) -> str:
    count = len(audit.found.receipts)
    return f"{count} receipt{'' if count == 1 else 's'}"


def _drawn(summary: Summary) -> list[str]:
    """The counts, under what is counted."""
    groups: list[tuple[str, Mapping[str, object]]] = [
        ("decisions", summary.decisions),
        ("verdicts", {tool: _shown(verdicts) for tool, verdicts in summary.tools.items()}),
        *((verdict, reasons) for verdict, reasons in summary.reasons.items()),
        ("outcomes", summary.outcomes),
        ("answers", summary.answers),
    ]
    width = max((len(name) for _, counts in groups for name in counts), default=0)
    return [line for label, counts in groups if counts for line in ("", label, *(f"  {name:<{width}}  {n}" for name, n in counts.items()))]


def _shown(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())
