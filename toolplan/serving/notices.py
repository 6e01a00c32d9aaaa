"""`Notices`: a person outside of the conversation hears of a call that waits, and gets a link to decide about it.

A program of whoever runs the server takes the notice to them, by mail or chat: it knows who has which role, and how they are reached.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from urllib.parse import urlsplit

from toolplan.adapters.elicitation import digest_of
from toolplan.language.diagnostics import DomainError
from toolplan.serving.approvals import Approval
from toolplan.serving.desk import Conversation
from toolplan.serving.links import LASTS, Links
from toolplan.session.events import AskedCall
from toolplan.session.stores import Store

PATIENCE = 10.0
"""Seconds that the program may take."""
_log = logging.getLogger(__name__)


class Notices:
    """Starts `command` with each notice as a line of JSON at its stdin, and nothing of it among its arguments.

    A question is told of once while its link is good, whichever of the processes that share `store` hears of it; where the program
    fails, when it is heard of again. It may take `patience` seconds. `url` is what clients call the server.
    """

    def __init__(self, command: Sequence[str], links: Links, store: Store, url: str, *, patience: float = PATIENCE) -> None:
        self._command, self._links, self._store, self._patience = command, links, store, patience
        self._origin = urlsplit(url)._replace(path="", query="", fragment="").geturl()

    async def announce(self, conversation: Conversation) -> None:
        """Tell of the call that waits in `conversation`, if one does."""
        asked = conversation.session.at_hand.open
        if not isinstance(asked, AskedCall):
            return
        approval = Approval(conversation.session.id, conversation.principal, digest_of(asked), asked.by)
        try:
            await self._tell(approval, asked.text)
        except DomainError:
            _log.warning("nobody is told of a call that waits: the store does not answer")

    async def _tell(self, approval: Approval, text: str) -> None:
        mark, now = f"told/{approval.session}/{approval.question}", time.time()
        told = await asyncio.to_thread(self._store.events, mark)
        if told and now < float(told[-1]) + LASTS:
            return
        if await self._ran(self._notice(approval, text, now)):
            await asyncio.to_thread(self._store.append, mark, len(told), [str(now)])

    def _notice(self, approval: Approval, text: str, now: float) -> bytes:
        notice = {
            "link": self._origin + self._links.sign(approval),
            "expires": datetime.fromtimestamp(now + LASTS, UTC).isoformat(timespec="seconds"),
            "by": approval.by or "user",
            "subject": approval.principal.subject,
            "tenant": approval.principal.tenant,
            "text": text,
        }
        return json.dumps(notice).encode() + b"\n"

    async def _ran(self, notice: bytes) -> bool:
        """Whether the program has taken the notice. What it prints is not kept: it may hold the link."""
        try:
            process = await asyncio.create_subprocess_exec(*self._command, stdin=PIPE, stdout=DEVNULL)
        except OSError as error:
            _log.warning("the program that takes notices cannot be started: %s", error.strerror)
            return False
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._patience):
                    await process.communicate(notice)
        finally:
            if process.returncode is None:
                process.kill()
            code = await process.wait()
        if code != 0:
            _log.warning("the program that takes notices has ended with %d", code)
        return code == 0
