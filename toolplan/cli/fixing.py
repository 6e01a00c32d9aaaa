"""`toolplan check --fix`: fixes written into files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from toolplan.checks import lints
from toolplan.cli.texts import in_place_of
from toolplan.cli.writing import write_together
from toolplan.language.diagnostics import Diagnostic
from toolplan.language.mending import mend
from toolplan.language.source import Source

MOST_ROUNDS = 10
"""Times that the files are checked and mended again: one mend may bring another to light."""


def fix_files(names: Sequence[str]) -> list[Diagnostic]:
    """Mend what can be mended in the domain files `names` and in what they import; the findings that are gone.

    A file that has changed since it was read stays as it is, and so do the domains that ship under their bare names.
    """
    mended: list[Diagnostic] = []
    for _ in range(MOST_ROUNDS):
        checked = [lints.check(name) for name in names]
        findings = dict.fromkeys(finding for resolved in checked for finding in resolved.diagnostics)
        sources = dict.fromkeys(file.source for resolved in checked for file in resolved.files)
        mending = mend(findings, _writable(sources))
        if not mending.mended:
            break
        _write(mending.texts)
        mended += mending.mended
    return mended


def _writable(sources: Iterable[Source]) -> list[Source]:
    """The sources that are files, each once."""
    found: dict[str, Source] = {}
    for source in sources:
        try:
            if Path(source.name).read_bytes().decode("utf-8-sig") == source.text:
                found.setdefault(os.path.realpath(source.name), source)
        except (OSError, ValueError):
            continue
    return list(found.values())


def _write(texts: Mapping[Source, str]) -> None:
    paths = {source: Path(source.name) for source in texts}
    write_together({paths[source]: in_place_of(paths[source].read_bytes(), text) for source, text in texts.items()})
