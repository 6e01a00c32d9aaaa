"""A whole session as JSON, and back. A snapshot is the list of events; its bytes are the same whenever it is made of the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from toolplan.domain import Domain
from toolplan.language.codec import codec_of
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.planning.memo import per_domain
from toolplan.session.events import VERSION, Began, Event, from_line


@per_domain
def digest_of(domain: Domain) -> str:
    """The same for two domains that mean the same, whatever their tests."""
    text = json.dumps(codec_of(Domain).encode(replace(domain, tests=())), separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def snapshot_of(lines: Sequence[str]) -> str:
    """The session of the events `lines`, as one JSON text with an event on each line."""
    return f'{{"toolplan-session":{VERSION},"events":[\n' + ",\n".join(lines) + "\n]}\n"


def lines_of(snapshot: str | bytes) -> list[str]:
    """The events of a snapshot. Raises DomainError where it is none, or of a later version."""
    try:
        data = json.loads(snapshot)
    except (ValueError, RecursionError) as error:
        raise _unusable(f"the snapshot is no JSON: {error}") from None
    match data:
        case {"toolplan-session": int(version), "events": list(events)} if version <= VERSION:
            return [json.dumps(event, separators=(",", ":")) for event in events]
        case {"toolplan-session": int(version)}:
            raise _unusable(f"the snapshot has version {version}, and this is version {VERSION}")
        case _:
            raise _unusable("the snapshot is no session")


def read_events(domain: Domain, lines: Sequence[str], *, first: int = 0) -> list[Event]:
    """The events of `lines`, which are those from number `first` on.

    Raises DomainError where a line is none, or the session was begun with another domain.
    """
    try:
        events = [from_line(line) for line in lines]
    except (ValueError, TypeError, KeyError) as error:
        raise _unusable(f"an event of the session cannot be read: {error}") from None
    if first == 0 and events:
        _check(domain, events[0])
    return events


def _check(domain: Domain, event: Event) -> None:
    if not isinstance(event, Began):
        raise _unusable("the session does not begin with its beginning")
    if event.version > VERSION:
        raise _unusable(f"the session has version {event.version}, and this is version {VERSION}")
    if event.domain != digest_of(domain):
        raise _unusable("the session was begun with another domain, or with another version of it")


def _unusable(message: str) -> DomainError:
    return DomainError([Diagnostic(Code.BAD_JSON, message, None, "begin a new session")])
