"""Files to a domain: reads a file and all that it imports, and raises every finding at once."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path

from toolplan.domain import Domain
from toolplan.language import cache, nodes
from toolplan.language.codes import Code, Severity
from toolplan.language.diagnostics import Diagnostic, DomainError, chain, visible
from toolplan.language.lint import lint
from toolplan.language.parser import parse
from toolplan.language.resolve import Resolved, resolve
from toolplan.language.source import Location, Source
from toolplan.language.suggest import Suggester

LARGEST_FILE = 200_000_000
"""Bytes read from one file."""
DEEPEST_IMPORT = 100
"""Files that import each other in a row."""

UNKNOWN = frozenset(
    [
        Code.UNKNOWN_FACT,
        Code.UNKNOWN_TYPE,
        Code.UNKNOWN_VALUE_TYPE,
        Code.UNKNOWN_TERM,
        Code.UNKNOWN_ACTION,
        Code.UNKNOWN_RISK,
        Code.UNKNOWN_GOAL_NAME,
    ]
)
"""What a file that could not be imported may well have declared."""


def load(path: str | os.PathLike[str]) -> Domain:
    """The domain in a `.toolplan` file, with all that it imports.

    A bare name without dot or slash (`"workspace"`) is a domain that ships with toolplan. Raises DomainError with every finding. A large
    domain that was read before comes from a cache (see `cache`), as long as nothing it was read from has changed.
    """
    shown, file = _located(path)
    real = _real(file)
    reading = _Loading(real.parent)
    text = reading.text(file, shown, None)
    known = None if text is None else cache.recall(real, shown, text)
    if known is not None:
        return known
    with _collector_paused():
        if text is not None:
            reading.take(str(real), Source(shown, text))
        domain = _usable(reading.resolved(Source(shown, "")))
    cache.remember(real, shown, reading.texts(), domain)
    return domain


def loads(text: str, name: str = "<text>", directory: str | os.PathLike[str] | None = None) -> Domain:
    """The domain in `text`. `name` is printed in diagnostics; imports are looked up in `directory`. Raises DomainError."""
    source = Source(name, text)
    with _collector_paused():
        return _usable(_read_text(source, directory).resolved(source))


def loaded(domain: object) -> Domain:
    """`domain`, if it is one. Raises DomainError, for whoever has the name of one and has not loaded it."""
    if isinstance(domain, Domain):
        return domain
    message = f"the domain is a `{type(domain).__name__}`, and no domain"
    raise DomainError([Diagnostic(Code.BAD_CALL, message, None, "load it first: `toolplan.load(PATH)`")])


def check(path: str | os.PathLike[str]) -> Resolved:
    """The domain in a file, with errors and lint findings instead of an exception."""
    shown, file = _located(path)
    with _collector_paused():
        return _read_file(shown, file).linted(Source(shown, ""))


def check_text(text: str, name: str = "<text>", directory: str | os.PathLike[str] | None = None) -> Resolved:
    """The domain in `text`, with errors and lint findings instead of an exception."""
    source = Source(name, text)
    with _collector_paused():
        return _read_text(source, directory).linted(source)


def _read_file(shown: str, file: Path) -> _Loading:
    reading = _Loading(_real(file).parent)
    reading.read(file, shown, None)
    return reading


def _read_text(source: Source, directory: str | os.PathLike[str] | None) -> _Loading:
    reading = _Loading(None if directory is None else _real(directory))
    reading.add(source, None)
    return reading


def _located(path: str | os.PathLike[str]) -> tuple[str, Path]:
    """The name to print for `path`, and the file it means."""
    shown = os.fspath(path)
    if os.sep not in shown and "." not in shown and not os.path.exists(shown) and shown in shipped_domains():
        return shown, Path(str(resources.files("toolplan.domains").joinpath(f"{shown}.toolplan")))
    return shown, Path(shown)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Within, no search for reference cycles: trees have none, and looking takes longer than reading."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def shipped_domains() -> list[str]:
    """The names of the domains that ship with toolplan, sorted."""
    names = (entry.name for entry in resources.files("toolplan.domains").iterdir())
    return sorted(name.removesuffix(".toolplan") for name in names if name.endswith(".toolplan"))


def _usable(resolved: Resolved) -> Domain:
    errors = [finding for finding in resolved.diagnostics if finding.severity is Severity.ERROR]
    if errors:
        raise DomainError(errors)
    return resolved.domain


@dataclass
class _Loading:
    """Files read so far, each after its imports. `root` is the directory that no import may leave; None allows none."""

    root: Path | None
    files: list[nodes.File] = field(default_factory=list)
    imports: dict[Source, list[Source]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    complete: bool = True
    """Whether every import could be read."""
    _by_path: dict[str, Source] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)

    def resolved(self, source: Source) -> Resolved:
        """The domain, once all is read; a file that cannot be read gives an empty one."""
        files = self.files or [nodes.File(source, (), ())]
        resolved = resolve(files, {source: [], **self.imports})
        findings = [*self.diagnostics, *(finding for finding in resolved.diagnostics if self.complete or finding.code not in UNKNOWN)]
        return replace(resolved, diagnostics=_in_order(findings, self.files))

    def linted(self, source: Source) -> Resolved:
        """The domain, and if it has no errors, what in it is probably not meant."""
        resolved = self.resolved(source)
        if any(finding.severity is Severity.ERROR for finding in resolved.diagnostics):
            return resolved
        return replace(resolved, diagnostics=_in_order([*resolved.diagnostics, *lint(resolved)], self.files))

    def texts(self) -> dict[str, str]:
        """The files that were read, by their real paths."""
        return {path: source.text for path, source in self._by_path.items()}

    def read(self, path: Path, shown: str, place: Location | None) -> Source | None:
        """Read a file unless it was read before; `place` is the import that asks for it."""
        real = str(_real(path))
        if real in self._open:
            circle = [Path(name).name for name in [*self._open[self._open.index(real) :], real]]
            self._report(Code.IMPORT_CYCLE, f"imports go in a circle: {chain(circle)}", place, "move what both need to a third file")
            return None
        if real in self._by_path:
            return self._by_path[real]
        if len(self._open) >= DEEPEST_IMPORT:
            message = f"more than {DEEPEST_IMPORT} files import each other in a row"
            self._fail(Code.NESTED_TOO_DEEP, message, place, "import them side by side")
            return None
        text = self.text(path, shown, place)
        if text is None:
            return None
        source = Source(shown, text)
        self.take(real, source)
        return source

    def take(self, real: str, source: Source) -> None:
        """Parse `source`, which was read from the real path `real`, and what it imports."""
        self._by_path[real] = source
        self._open.append(real)
        self.add(source, Path(real).parent)
        self._open.pop()

    def add(self, source: Source, directory: Path | None) -> None:
        """Parse `source`, then what it imports, and append it after those."""
        file, findings = parse(source)
        self.diagnostics += findings
        self.imports[source] = []
        for node in file.declarations:
            if isinstance(node, nodes.Import):
                imported = self._import(source, directory or self.root, node)
                if imported is not None:
                    self.imports[source].append(imported)
        self.files.append(file)

    def _import(self, source: Source, directory: Path | None, node: nodes.Import) -> Source | None:
        place = Location(source, node.path.span)
        written = node.path.value
        if directory is None or self.root is None:
            self._fail(Code.IMPORT_OUTSIDE_ROOT, "a text without a directory cannot import", place, "pass `directory=` to `loads`")
            return None
        target = directory / written
        if os.path.isabs(written) or not _real(target).is_relative_to(self.root):
            hint = "imports stay inside the directory of the file that is loaded, and their paths are relative"
            self._fail(Code.IMPORT_OUTSIDE_ROOT, f"import of `{visible(written)}` leaves the directory of the domain", place, hint)
            return None
        return self.read(target, os.path.join(os.path.dirname(source.name), written), place)

    def text(self, path: Path, shown: str, place: Location | None) -> str | None:
        """The text of a file; where it cannot be read, that is reported."""
        try:
            with path.open("rb") as file:
                data = file.read(LARGEST_FILE + 1)
            if len(data) > LARGEST_FILE:
                raise OSError(f"it is larger than {LARGEST_FILE // 1_000_000} MB")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            self._fail(Code.UNREADABLE_FILE, f"cannot read `{visible(shown)}`: {reason.lower()}", place, self._near(path))
            return None
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            message = f"`{visible(shown)}` is not UTF-8: byte 0x{data[error.start]:02x} on line {line}"
            self._fail(Code.NOT_UTF8, message, place, "save the file as UTF-8")
            return None

    def _near(self, path: Path) -> str:
        try:
            names = sorted(entry.name for entry in path.parent.iterdir() if entry.suffix == ".toolplan")
        except (OSError, ValueError):
            names = []
        shipped = shipped_domains() if len(path.parts) == 1 and "." not in path.name else []
        return Suggester().hint(path.name, [*names, *shipped])

    def _fail(self, code: Code, message: str, place: Location | None, hint: str) -> None:
        self.complete = False
        self._report(code, message, place, hint)

    def _report(self, code: Code, message: str, place: Location | None, hint: str) -> None:
        self.diagnostics.append(Diagnostic(code, message, place, hint))


def _real(path: str | os.PathLike[str]) -> Path:
    """`path` without links; a path that no file can have stays as it is, for `open` to refuse."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:
        return Path(path)


def _in_order(findings: Sequence[Diagnostic], files: Sequence[nodes.File]) -> list[Diagnostic]:
    """By file in order of reading, then by place; findings without a place first."""
    rank = {file.source: number for number, file in enumerate(files)}

    def key(finding: Diagnostic) -> tuple[int, int]:
        if finding.location is None:
            return (-1, 0)
        return rank.get(finding.location.source, len(rank)), finding.location.span.start

    return sorted(findings, key=key)
