"""`Links`: an address that lets whoever has it decide one question, once.

A link goes to the person, by mail or chat, and never through the conversation: a model that had it could agree with itself.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from dataclasses import asdict

import jwt
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolplan.language.diagnostics import DomainError
from toolplan.serving.approvals import Approval, Approvals, Undecidable
from toolplan.serving.pages import fields_of, filled, notice, page
from toolplan.serving.principals import read

PATH = "/approve"
LASTS = 3600.0
"""Seconds for which a link is good, where nothing else is said."""
BY_LINK = "whoever has the link"
_ALGORITHM, _AUDIENCE = "HS256", "toolplan/approve"
_TITLE = "May this call run?"
_QUESTION = """
<p>An agent of <b>$subject</b> wants to make a call, and $who decides. Nothing else is agreed to.</p>
<pre>$text</pre>
<form method="post"><button name="answer" value="yes">Accept</button> <button name="answer" value="no">Decline</button></form>
"""


class Links:
    """Signs links and takes them. Servers that share `secret` take each other's."""

    def __init__(self, secret: bytes) -> None:
        self._key = hmac.digest(secret, _AUDIENCE.encode(), "sha256")

    def sign(self, approval: Approval, *, seconds: float = LASTS) -> str:
        """The path of a page on which `approval` is decided, good for so many `seconds`."""
        claims = {"aud": _AUDIENCE, "exp": time.time() + seconds, **asdict(approval), "principal": approval.principal.to_dict()}
        return f"{PATH}/{jwt.encode(claims, self._key, algorithm=_ALGORITHM)}"

    def read(self, path: str) -> Approval:
        """What the link `path` is for. Raises Undecidable where it has expired, or was not signed here."""
        token = path.removeprefix(f"{PATH}/")
        try:
            claims = jwt.decode(token, self._key, algorithms=[_ALGORITHM], audience=_AUDIENCE, options={"require": ["exp", "aud"]})
        except jwt.ExpiredSignatureError:
            raise Undecidable("This link has expired: ask for another.") from None
        except (jwt.PyJWTError, ValueError):
            raise Undecidable("This is no link of this server.") from None
        return Approval(claims["session"], read(claims["principal"]), claims["question"], claims["by"])


def link_pages(links: Links, approvals: Approvals) -> list[Route]:
    """The pages of links. Opening one shows what is asked, so that whatever looks at addresses in mails decides nothing."""

    async def shown(request: Request) -> Response:
        approval = links.read(request.url.path)
        asked = await asyncio.to_thread(approvals.pending, approval)
        body = filled(_QUESTION, subject=approval.principal.subject or "somebody", who=approval.by or "the user", text=asked.text)
        return page(_TITLE, body)

    async def decided(request: Request) -> Response:
        approval = links.read(request.url.path)
        answer = (await fields_of(request)).get("answer")
        if answer not in ("yes", "no"):
            return notice("Nothing was decided", "Accept or decline.", 400)
        await asyncio.to_thread(approvals.decide, approval, yes=answer == "yes", name=BY_LINK)
        return notice("Accepted" if answer == "yes" else "Declined", "You can close this page.")

    async def served(request: Request) -> Response:
        try:
            return await (decided(request) if request.method == "POST" else shown(request))
        except Undecidable as error:
            return notice("Nothing to decide", str(error), 410)
        except DomainError:
            return notice("Not now", "It cannot be decided at this moment: try again later.", 503)

    return [Route(f"{PATH}/{{token}}", served, methods=["GET", "POST"])]
