"""Who reads the turns of a session, and which of them an event loop reads itself."""

from __future__ import annotations

from threading import Event

from toolplan.domain import Domain
from toolplan.frontier.at_once import takes_long
from toolplan.planning.memo import per_domain
from toolplan.session.consent import read_within, with_consent
from toolplan.session.turns import Context, Reader, TurnReading

SHORT = 300
"""Letters of a turn that the default reader reads in a few milliseconds."""


def read_turn(reader: Reader | None, text: str, context: Context, most: int) -> TurnReading:
    """What `reader`, None for the default one, makes of the first `most` letters of `text`.

    It takes long where the host brings the reader, where the turn is long, and for the first turn about a domain: then what is worked out
    once is worked out.
    """
    is_practised = _practised(context.domain)
    if reader is not None or len(text) > SHORT or not is_practised.is_set():
        takes_long()
    turn = with_consent(read_within(reader or _default_reader(), text, context, most), context.asked)
    is_practised.set()
    return turn


def _default_reader() -> Reader:
    # Readers bring libraries, for which a session that is told its readings must not wait.
    from toolplan.session.readers import default

    return default()


@per_domain
def _practised(_: Domain) -> Event:
    """Set once a turn about the domain was read."""
    return Event()
