"""One conversation: what the user says and what the tools answer become facts, and the facts say what is next.

A session is the fold of its events. Nothing is planned, read or looked up while events are folded, so that a session that is taken up
anywhere knows the same.

- `turns`: what a turn says, and what its reader knows; `readers` make one of the other. `trust`: what of it is believed.
- `events`: what happens; `folding`, `turning`, `replying`: what each event does to the `memory`; `settling`: what a change takes with it. `frames`: what a request is about.
- `beliefs`: what is believed of an atom, from which source, and what it rests on.
- `deciding`: what is next. `binding`, `proposing`: from a step to a call. `observing`, `results`: from a result to what it makes known.
- `conversation`: `Session`, which does it all. `history`: what happened in it, and what that folds to. `stores`: where sessions are kept; `snapshots`: a whole one as JSON.
"""

from __future__ import annotations

from toolplan.session.conversation import Session, system_clock
from toolplan.session.events import MODEL, Outcome
from toolplan.session.proposing import Allowed, Held, Proposal, Refused, Why
from toolplan.session.settings import Settings

__all__ = ["MODEL", "Allowed", "Held", "Outcome", "Proposal", "Refused", "Session", "Settings", "Why", "system_clock"]
