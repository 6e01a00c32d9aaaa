"""A tool and a result to what the result says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from toolplan.domain import AtomicFormula, Domain, HostReader, Path, Pattern, Tool, ValueType
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.planning.memo import per_domain
from toolplan.retrieval.packages import required
from toolplan.session.results.labels import as_text, item_label, line, shown
from toolplan.session.results.linear import EXTRA, compiled
from toolplan.session.results.matches import MOST_MATCHES, Failed, Found, InDoubt, Match, Nothing, Read, ResultReading
from toolplan.session.results.patterns import CompiledPattern, group_for
from toolplan.session.results.raw import Broken, Content, Unreadable, as_json, content_of, words_of
from toolplan.values import Misfit, Normal, normal

if TYPE_CHECKING:
    from toolplan.session.results.paths import CompiledPath

HostReaders = Mapping[str, Callable[[object], object]]
"""Readers that the host registers, for `returns ... by NAME`: a result to a value, to a list of values, or None for nothing.

They get the result as one JSON value, as the paths of the contract do.
"""
LONGEST_REASON = 300
"""Characters of the message of a failure."""
MESSAGES = ("message", "error", "reason", "detail")
"""Where an error that is an object says in words what it is."""
_key = json.JSONEncoder(sort_keys=True).encode
"""The same text for the same JSON value."""


@dataclass(frozen=True, slots=True)
class _Contract:
    """How the result of one tool is read."""

    fails_when: tuple[CompiledPath, ...]
    returns: tuple[tuple[AtomicFormula, CompiledPath | CompiledPattern | HostReader], ...]


def read_result(domain: Domain, tool: Tool, raw: object, now: datetime, readers: HostReaders) -> ResultReading:
    """What `raw` says of a call of `tool`.

    Never raises for anything that a result can be. Raises DomainError where a path or a pattern of the contract is none, or where the
    packages that follow them are not installed.
    """
    contract = _contract(domain, tool)
    match content_of(raw):
        case Broken(message):
            return Failed(line(message, LONGEST_REASON))
        case Unreadable(reason):
            return Read({atom: InDoubt(reason) for atom, _ in contract.returns})
        case content:
            return _read(domain, contract, content, now, readers)


def _read(domain: Domain, contract: _Contract, content: Content, now: datetime, readers: HostReaders) -> ResultReading:
    for path in contract.fails_when:
        if (said := path.first(content.value)) is not None:
            return Failed(_message(said))
    found: dict[AtomicFormula, Found | Nothing | InDoubt] = {}
    for atom, reader in contract.returns:
        matches = _matches(reader, content, readers)
        found[atom] = _found(domain.facts[atom.fact].value, matches, now) if isinstance(matches, tuple) else matches
    return Read(found)


def _message(said: object) -> str:
    words = [said[key] for key in MESSAGES if isinstance(said.get(key), str)] if isinstance(said, dict) else []
    return line(as_text(words[0] if words else said), LONGEST_REASON)


def _matches(
    reader: CompiledPath | CompiledPattern | HostReader, content: Content, readers: HostReaders
) -> tuple[Match, ...] | Nothing | InDoubt:
    """At least one match, as it stands in the result, or why there is none."""
    if isinstance(reader, HostReader):
        return _by_host(reader.name, content.value, readers)
    if not isinstance(reader, CompiledPattern):
        return reader.follow(content.value)
    if content.text is None:
        return InDoubt("the result has no text")
    return reader.find(content.text) or Nothing()


def _by_host(name: str, value: object, readers: HostReaders) -> tuple[Match, ...] | Nothing | InDoubt:
    if name not in readers:
        return InDoubt(f"no reader {quoted(name)} is registered")
    try:
        read = as_json(readers[name](value))
    except Exception as error:  # whatever it does, the call was made, and what came of it must not be lost
        return InDoubt(f"the reader {quoted(name)} failed: {line(words_of(error))}")
    values = read if isinstance(read, list) else [] if read is None else [read]
    return tuple(Match(each, item_label(each, ())) for each in values) or Nothing()


def _found(kind: ValueType | None, matches: tuple[Match, ...], now: datetime) -> Found | InDoubt:
    """`matches` in normal form, each value once, with the label of its first match."""
    if len(matches) > MOST_MATCHES:
        return InDoubt(f"there are more than {MOST_MATCHES:,} values")
    kept: dict[str, Match] = {}
    by_item: dict[str, object] = {}
    for match in matches:
        form = normal(kind, match.value, now) if kind else Normal(match.value)
        if isinstance(form, Misfit):
            return InDoubt(f"`{shown(match.value)}`: {form.reason}")
        kept.setdefault(_key(form.value), Match(form.value, match.label, match.item))
        if match.item:
            by_item.setdefault(match.item, form.value)
    return Found(tuple(kept.values()), by_item)


@per_domain
def _contracts(domain: Domain) -> dict[str, _Contract]:
    return {}


def _contract(domain: Domain, tool: Tool) -> _Contract:
    """How results of `tool` are read, made when the first one is, so that packages are needed only by what needs them."""
    made = _contracts(domain)
    if tool.name not in made:
        made[tool.name] = _Contract(
            tuple(_path(text) for text in tool.interface.fails_when),
            tuple((atom, _reader(atom.fact, reader)) for atom, reader in tool.interface.returns),
        )
    return made[tool.name]


def _reader(fact: str, reader: Path | Pattern | HostReader) -> CompiledPath | CompiledPattern | HostReader:
    if isinstance(reader, Path):
        return _path(reader.text)
    return _pattern(reader.text, fact) if isinstance(reader, Pattern) else reader


def _path(text: str) -> CompiledPath:
    required("jsonpath_rfc9535", EXTRA)
    from toolplan.session.results.paths import CompiledPath

    try:
        return CompiledPath(text)
    except ValueError as error:
        raise DomainError([Diagnostic(Code.BAD_PATH, f"{quoted(text)} is no path: {error}")]) from None


def _pattern(text: str, fact: str) -> CompiledPattern:
    try:
        regex = compiled(text)
    except ValueError as error:
        raise DomainError([Diagnostic(Code.BAD_PATTERN, f"{quoted(text)} is no pattern: {error}")]) from None
    group = group_for(fact, regex.groupindex)
    if group is None:
        raise DomainError([Diagnostic(Code.MISSING_GROUP, f"no group of {quoted(text)} is called {quoted(fact)}")])
    return CompiledPattern(regex, group)
