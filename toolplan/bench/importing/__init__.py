"""Are the lists of real servers imported as they are? Every list of tools and every OpenAPI document of a folder, without a hand edit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from toolplan.bench.tables import Row
from toolplan.checks import lints
from toolplan.checks.schemas import against_schemas, read_tools
from toolplan.importing.files import ENDING, Listing, read_listing, read_openapi
from toolplan.importing.tools import imported
from toolplan.importing.updating import updated
from toolplan.importing.updating.differences import Reachable, outlook
from toolplan.language.codes import Severity
from toolplan.language.diagnostics import DomainError
from toolplan.language.source import Source

TITLE = "Lists of tools, imported without a hand edit"
ENDINGS = (".json", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Import(Row):
    """One list. `reachable` are goals, one for each tool, to which there is a plan from nothing; `warnings` count notes, too, and are those of `check --tools`.

    `exact`: the schemas are kept byte for byte, or value for value where they came from no list. `stable`: an update by the same list changes
    nothing. `seconds` are those of the processor for the import alone.
    """

    file: str
    tools: int
    facts: int
    links: int
    reachable: int
    errors: int
    warnings: int
    exact: bool
    stable: bool
    seconds: float


def tables(folders: Sequence[Path], note: Callable[[str], None]) -> Iterator[tuple[str, Sequence[Row]]]:
    """One table of the files of every folder. What is neither a list of tools nor an OpenAPI document is left out."""
    for folder in folders:
        rows = []
        for path in sorted(path for path in folder.iterdir() if path.suffix in ENDINGS):
            note(path.name)
            if (listing := _read(path)) is not None:
                rows.append(_measured(path, listing))
        if rows:
            yield TITLE, rows


def _read(path: Path) -> Listing | None:
    for read in (read_openapi, read_listing):
        try:
            return read(path)
        except DomainError:
            continue
    return None


def _measured(path: Path, listing: Listing) -> Import:
    start = time.process_time()
    made = imported(listing.tools, name=path.stem)
    seconds = time.process_time() - start
    with TemporaryDirectory() as folder:
        kept = Path(folder, path.stem + ENDING)
        kept.write_bytes(listing.kept)
        real = read_tools(kept)
    resolved = lints.check_text(made.text, path.name)
    findings = [*resolved.diagnostics, *against_schemas(resolved, real)]
    again = updated(Source(path.name, made.text), listing.tools, list(real.values()))
    return Import(
        path.name,
        len(listing.tools),
        len(made.domain.facts),
        len(made.links),
        sum(isinstance(outlook(made.domain, goal), Reachable) for goal in made.domain.goals.values()),
        sum(finding.severity is Severity.ERROR for finding in findings),
        sum(finding.severity is not Severity.ERROR for finding in findings),
        [(tool.digest, tool.results) for tool in real.values()] == [(tool.digest, tool.results) for tool in listing.tools],
        again.text == made.text,
        seconds,
    )
