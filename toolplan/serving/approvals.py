"""`Approvals`: what a person decides outside of the conversation, once, whichever process of the server hears of it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from toolplan.adapters.elicitation import digest_of
from toolplan.domain import Principal
from toolplan.serving.desk import Desk, NotFound, Pending
from toolplan.session.events import AskedCall
from toolplan.session.stores import Store

DECIDED = "This was decided already."
GONE = "This is not asked any more: it was decided, or the call has changed."


@dataclass(frozen=True, slots=True)
class Approval:
    """One question of the conversation `session` of `principal`, for somebody of the role `by`, empty for the user.

    `question` is a digest of all of it: of the call with its arguments, of the schema of its tool, and of what these rest on.
    """

    session: str
    principal: Principal
    question: str
    by: str


class Undecidable(Exception):
    """Why there is nothing to decide, in words for the person who wanted to."""


class Approvals:
    """Decides what is pending at `desk`. Who has decided is kept in `store`, which all processes of a server share."""

    def __init__(self, desk: Desk, store: Store) -> None:
        self._desk, self._store = desk, store

    def pending(self, approval: Approval) -> Pending:
        """What is asked. Raises Undecidable where it was decided, or is not asked any more."""
        try:
            asked = self._desk.take_up(approval.session, approval.principal).session.memory.open
        except NotFound:
            raise Undecidable(GONE) from None
        if not isinstance(asked, AskedCall) or digest_of(asked) != approval.question:
            raise self._closed(approval)
        return Pending(approval.question, asked.text, asked.by)

    def decide(self, approval: Approval, *, yes: bool, name: str) -> None:
        """Accept or decline, as the person called `name`. Raises Undecidable as `pending` does: of several who decide, the first has."""
        self.pending(approval)
        try:
            self._desk.approve(approval.session, approval.question, approval.by, yes=yes)
        except NotFound:
            raise self._closed(approval) from None
        # The conversation takes one answer, whoever else decides. A mark that came before it would close a question that nobody has answered,
        # where the process ends in between.
        self._store.append(_mark(approval), 0, [json.dumps({"name": name, "yes": yes})])

    def _closed(self, approval: Approval) -> Undecidable:
        return Undecidable(DECIDED if self._store.events(_mark(approval)) else GONE)


def _mark(approval: Approval) -> str:
    """The name under which a decision is kept. No conversation has it."""
    return f"decided/{approval.session}/{approval.question}"
