"""`toolplan check --fix`: fixes written into files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from toolplan.checks import lints
from toolplan.language.diagnostics import Diagnostic
from toolplan.language.mending import mend
from toolplan.language.source import Source

MOST_ROUNDS = 10
"""Times that the files are checked and mended again: one mend may bring another to light."""
MARK = b"\xef\xbb\xbf"


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
    """Write all texts, each file at once: whoever reads one sees the old text or the new one."""
    ready: list[tuple[str, str]] = []
    try:
        for source, text in texts.items():
            path = os.path.realpath(source.name)
            mark = MARK if Path(path).read_bytes().startswith(MARK) else b""
            number, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".toolplan-")
            ready.append((temporary, path))
            with os.fdopen(number, "wb") as file:
                file.write(mark + text.encode("utf-8"))
            os.chmod(temporary, os.stat(path).st_mode)
        while ready:
            os.replace(*ready[0])
            del ready[0]
    finally:
        for temporary, _ in ready:
            os.unlink(temporary)
