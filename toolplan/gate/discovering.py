"""The tool with which a model looks for tools: a plain function, to be given to any framework beside the others.

It finds the conversation by the call that is running: a gate runs each call in a context that knows its session. So it takes no session, and
two conversations never mix.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from toolplan.frontier import callable_tools
from toolplan.retrieval.searching import Match, Outage
from toolplan.session import Session

_SESSION: ContextVar[Session | None] = ContextVar("toolplan session", default=None)


@contextmanager
def running_in(session: Session) -> Iterator[None]:
    """Calls that run within are those of `session`."""
    token = _SESSION.set(session)
    try:
        yield
    finally:
        _SESSION.reset(token)


def discover_tools(words: str) -> str:
    """Look for a tool among all there are, by a few words about what it should do; a tool that is found can be called from then on, if it may be."""
    session = _SESSION.get()
    if session is None:
        return "Nothing can be looked for outside a conversation."
    match session.discover(words):
        case None:
            return "No tool fits these words. Say in other words what it should do."
        case Outage():
            return "Tools cannot be looked for now."
        case Match(document=document) if document.name in callable_tools(session.next()):
            return f"Found {' '.join(document.lines)} It can be called now."
        case Match(document=document):
            return f"Found {' '.join(document.lines)} It cannot be called before its turn: call what can be called now, which leads there."
