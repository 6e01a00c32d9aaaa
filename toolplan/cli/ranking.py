"""The files beside a domain that rankers are made of: what was learned, and what was calibrated."""

from __future__ import annotations

from pathlib import Path

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.writing import write_together
from toolplan.domain import Domain
from toolplan.goals.calibration import Calibrated, ranker_of, read_calibration
from toolplan.goals.rankers import best_installed, ranker
from toolplan.goals.rankers.labelled import Labelled, read_labelled
from toolplan.goals.readings import GoalRanker
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.source import Source

LABELLED = ".labelled.jsonl"
CALIBRATION = ".calibration.json"


def ranker_beside(path: str, domain: Domain, name: str = "") -> GoalRanker:
    """The ranker called `name` for the domain at `path`: with the examples and the calibration that lie beside it, if any.

    Without a name it is the ranker that was calibrated, or else the best one that is installed. Raises DomainError, also where the
    calibration is that of another ranker.
    """
    name = name or _calibrated_beside(path) or best_installed()
    examples, calibration = beside(path, LABELLED), beside(path, CALIBRATION)
    found = ranker(name, labelled_in(examples, domain) if examples.exists() else ())
    return Calibrated(found, read_calibration(text_of(calibration), name)) if calibration.exists() else found


def _calibrated_beside(path: str) -> str:
    """The name of the ranker whose calibration lies beside the domain at `path`; empty where none does."""
    calibration = beside(path, CALIBRATION)
    return ranker_of(text_of(calibration)) if calibration.exists() else ""


def beside(path: str, ending: str) -> Path:
    """The file with `ending` that belongs to the domain at `path`; for a domain that ships, in the working directory."""
    return Path(path).parent / (Path(path).stem + ending)


def labelled_in(path: Path, domain: Domain) -> list[Labelled]:
    """The labelled requests in a file. Raises DomainError."""
    return read_labelled(text_of(path), domain)


def text_of(path: Path) -> Source:
    """The text of a file. Raises DomainError."""
    try:
        return Source(str(path), path.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot read {quoted(str(path))}: {reason.lower()}")]) from None


def write(path: Path, text: str) -> None:
    """Write a file, and say so; exits where it cannot be written, and then it is as it was. Half a character is written as in JSON."""
    try:
        write_together({path: text.encode("utf-8", "backslashreplace")})
    except OSError as error:
        typer.echo(f"cannot write to {path}: {error.strerror}", err=True)
        raise typer.Exit(Exit.USAGE) from None
    typer.echo(f"wrote {path}", err=True)
