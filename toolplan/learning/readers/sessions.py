"""Our own sessions, as `Session.snapshot()` writes them: what was called with what, and what was found.

A raw result is not in a session, only what was read from it: that stands in its place, under the names of its facts. The states before and after
a call are left out: a session takes them from the contracts, and what is learned from them would be that the contracts are right.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.learning.readers.documents import Document
from toolplan.learning.readers.pairing import Pairing
from toolplan.learning.traces import UNKNOWN, Failed, Record, Result, Returned, left_out
from toolplan.session.events import Began, Event, Heard, Observed, Outcome, Started, Withdrawn, from_line

FAILURES = (Outcome.FAILED, Outcome.RETRY)


def read(documents: Iterable[Document]) -> Iterator[Record | Diagnostic]:
    """The requests and executions of each session, which is called as its id."""
    for document in documents:
        match document.data:
            case {"toolplan-session": _, "events": list(data)}:
                events: list[Event] = []
                for number, each in enumerate(data, 1):
                    try:
                        events.append(from_line(json.dumps(each)))
                    except (ValueError, TypeError, KeyError, RecursionError):
                        yield left_out(f"event {number} of {quoted(document.name)}", "it is none of this version")
                yield from _records(document.name, events)
            case _:
                yield left_out(document.name, "it is no session")


def tells(data: object) -> bool:
    """Whether a document is of this form, and of no other."""
    match data:
        case {"toolplan-session": _}:
            return True
        case _:
            return False


def _records(place: str, events: Iterable[Event]) -> Iterator[Record | Diagnostic]:
    events = list(events)
    named = next((event.id for event in events if isinstance(event, Began)), "")
    never_ran = {event.call for event in events if isinstance(event, Withdrawn)}
    never_ran |= {event.call for event in events if isinstance(event, Observed) and event.outcome is Outcome.REFUSED}
    pairing, running = Pairing(named or place, place), set[str]()
    for event in events:
        match event:
            case Heard(reading=reading):
                pairing.requested(reading.text)
            case Started(call=call) if call.id not in never_ran:
                if not running:
                    pairing.begin_turn()
                running.add(call.id)
                pairing.called(call.id, call.tool, call.values)
            case Observed(call=id) if id in running:
                running.discard(id)
                pairing.ended(id, _result(event))
            case _:
                pass
    yield from pairing.records()


def _result(seen: Observed) -> Result:
    if seen.outcome in FAILURES:
        return Failed(seen.reason)
    if seen.outcome is Outcome.IN_DOUBT:
        return UNKNOWN
    found: dict[str, object] = {belief.atom.fact: belief.value for belief in seen.learned if belief.value is not None}
    return Returned(found | {several.atom.fact: list(several.values) for several in seen.several})
