"""The operator page: what is going on, and what waits for a person, for people who sign in with secrets of their own."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

import jwt
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from toolplan.checks.reviewing import quarantined
from toolplan.language.diagnostics import DomainError
from toolplan.receipts.files import FileReceipts
from toolplan.receipts.lines import ENCODING, lines_in, receipt_in
from toolplan.serving.approvals import Approval, Approvals, Undecidable
from toolplan.serving.attempts import Attempts
from toolplan.serving.desk import Desk, Live
from toolplan.serving.links import Links
from toolplan.serving.metrics import States
from toolplan.serving.operators import Operator, Operators
from toolplan.serving.pages import Html, fields_of, filled, joined, notice, page
from toolplan.serving.upstreams import Outage, Serving, Status

PATH = "/operator"
COOKIE = "toolplan-operator"
LASTS = 8 * 3600
"""Seconds after which an operator signs in again."""
MOST_RECEIPTS = 200
"""That a page shows, the latest ones."""
SHOWN = 8
"""Letters of the name of a conversation that are shown."""
_ALGORITHM, _AUDIENCE = "HS256", "toolplan/operator"

_SIGN_IN = f"""
<form method="post" action="{PATH}/sign-in">
<p><label>Name <input name="name" autocomplete="username" required></label></p>
<p><label>Secret <input name="secret" type="password" autocomplete="current-password" required></label></p>
<button>Sign in</button></form>
"""
_DESK = f"""
<p>$name, who decides for: $roles. <a href="{PATH}">Reload</a>
<form method="post" action="{PATH}/sign-out"><input type="hidden" name="csrf" value="$csrf"><button>Sign out</button></form></p>
<table><thead><tr><th>Conversation</th><th>For</th><th>Next</th><th>May be called</th><th>Waits for</th></tr></thead><tbody>$rows</tbody></table>
$servers
"""
_SERVERS = """
<h2>Servers</h2>
<table><thead><tr><th>Server</th><th>Now</th><th>Tools</th><th>Not accepted</th></tr></thead><tbody>$rows</tbody></table>
$unreviewed
"""
_SERVER = "<tr><td>$name</td><td>$now</td><td>$count</td><td>$quarantined</td></tr>"
_UNREVIEWED = "<p>Out of use, because their tools are none that they were reviewed for: $contracts</p>"
_ROW = f"""
<tr><td><a href="{PATH}/receipts/$session">$shown</a></td><td>$subject</td><td>$decision<br>$why</td><td>$tools</td><td>$pending</td></tr>
"""
_PENDING = "<p>$who</p><pre>$text</pre>$form"
_FORM = f"""
<form method="post" action="{PATH}/decide"><input type="hidden" name="csrf" value="$csrf"><input type="hidden" name="link" value="$link">
<button name="answer" value="yes">Accept</button> <button name="answer" value="no">Decline</button></form>
"""
_RECEIPTS = f"""
<p><a href="{PATH}">Back</a></p>
<table><thead><tr><th>At</th><th>Kind</th><th>What</th></tr></thead><tbody>$rows</tbody></table>
"""
_RECEIPT = "<tr><td>$at</td><td>$kind</td><td><pre>$content</pre></td></tr>"


@dataclass(frozen=True, slots=True)
class SignedIn:
    """An operator who is signed in. `csrf` is what their own pages send along, and no other page knows."""

    operator: Operator
    csrf: str


Fields = Mapping[str, str]
"""Those of the form that was sent; a page that is only looked at has none."""
Answer = Callable[[Request, SignedIn, Fields], Awaitable[Response]]


class SignIns:
    """Knows operators by a signed cookie, which servers that share `secret` understand."""

    def __init__(self, operators: Operators, secret: bytes) -> None:
        self._operators = operators
        self._key = hmac.digest(secret, _AUDIENCE.encode(), "sha256")

    def begin(self, name: str, secret: str) -> str | None:
        """The cookie of whoever is called `name` and has this secret."""
        operator = self._operators.signed_in(name, secret)
        claims = {"sub": name, "aud": _AUDIENCE, "exp": time.time() + LASTS}
        return jwt.encode(claims, self._key, algorithm=_ALGORITHM) if operator is not None else None

    def read(self, cookie: str) -> SignedIn | None:
        """Whose cookie it is."""
        try:
            claims = jwt.decode(cookie, self._key, algorithms=[_ALGORITHM], audience=_AUDIENCE, options={"require": ["exp", "sub"]})
        except (jwt.PyJWTError, ValueError):
            return None
        operator = self._operators.named(claims["sub"])
        return SignedIn(operator, hmac.new(self._key, cookie.encode(), "sha256").hexdigest()) if operator is not None else None


@dataclass(frozen=True, slots=True)
class OperatorPage:
    """What the page shows, and how it decides. `url` is what browsers call the server. Without `receipts` it shows none.

    It shows the conversations of the last days, whichever process has them at hand, and the servers behind as this process finds them:
    `states` tells. What is decided here is decided for all processes.
    """

    desk: Desk
    approvals: Approvals
    links: Links
    sign_ins: SignIns
    url: str
    receipts: FileReceipts | None = None
    states: States = dict
    attempts: Attempts = field(default_factory=Attempts)
    """To sign in, by name and address. Behind a proxy that names nobody all have its address."""

    def routes(self) -> list[Route]:
        """The page, to be served beside the server."""
        return [
            Route(PATH, self._for_operators(self._overview)),
            Route(f"{PATH}/receipts/{{session}}", self._for_operators(self._receipts)),
            Route(f"{PATH}/sign-in", self._sign_in, methods=["POST"]),
            Route(f"{PATH}/sign-out", self._for_operators(self._sign_out), methods=["POST"]),
            Route(f"{PATH}/decide", self._for_operators(self._decide), methods=["POST"]),
        ]

    async def _sign_in(self, request: Request) -> Response:
        fields = await fields_of(request)
        name, address = fields.get("name", ""), request.client.host if request.client else ""
        if not self.attempts.admits(name, address):
            return notice("Too often", "Wait a minute, and try again.", 429)
        cookie = self.sign_ins.begin(name, fields.get("secret", ""))
        if cookie is None:
            return page("Not signed in", joined([filled("<p>There is nobody of this name and secret.</p>"), filled(_SIGN_IN)]), 401)
        answer = RedirectResponse(PATH, 303)
        # A proxy may have taken TLS off, so that the request itself does not tell.
        is_secure = self.url.startswith("https:")
        answer.set_cookie(COOKIE, cookie, LASTS, path=PATH, secure=is_secure, httponly=True, samesite="strict")
        return answer

    async def _sign_out(self, request: Request, who: SignedIn, fields: Fields) -> Response:
        answer = RedirectResponse(PATH, 303)
        answer.delete_cookie(COOKIE, PATH)
        return answer

    async def _overview(self, request: Request, who: SignedIn, fields: Fields) -> Response:
        live = await asyncio.to_thread(self.desk.live)
        rows = joined([self._row(seen, who) for seen in live])
        roles = ", ".join(sorted(who.operator.roles)) or "nobody"
        body = filled(_DESK, name=who.operator.name, roles=roles, csrf=who.csrf, rows=rows, servers=self._servers())
        return page("Conversations", body)

    async def _decide(self, request: Request, who: SignedIn, fields: Fields) -> Response:
        approval, answer = self.links.read(fields.get("link", "")), fields.get("answer")
        if answer not in ("yes", "no"):
            return notice("Nothing was decided", "Accept or decline.", 400)
        if not who.operator.decides(approval.by, approval.principal.subject):
            whose = f"{approval.by} decides this, and nobody about a call of their own." if approval.by else "the user decides this."
            return notice("Not yours", whose, 403)
        await asyncio.to_thread(self.approvals.decide, approval, yes=answer == "yes", name=who.operator.name)
        return RedirectResponse(PATH, 303)

    async def _receipts(self, request: Request, who: SignedIn, fields: Fields) -> Response:
        session = request.path_params["session"]
        rows = await asyncio.to_thread(_receipts_of, self.receipts, session) if self.receipts is not None else []
        if not rows:
            return notice("No receipts", "There are none of this conversation.", 404)
        return page(f"Receipts of {session[:SHOWN]}", filled(_RECEIPTS, rows=joined(rows)))

    def _row(self, live: Live, who: SignedIn) -> Html:
        principal = live.principal
        return filled(
            _ROW,
            session=live.session,
            shown=live.session[:SHOWN],
            subject=f"{principal.subject} ({principal.tenant})" if principal.tenant else principal.subject,
            decision=live.decision,
            why=live.why,
            tools=", ".join(live.callable),
            pending=self._pending(live, who),
        )

    def _servers(self) -> Html:
        """How the servers behind are, and what of them is out of use until somebody has reviewed it."""
        states = self.states()
        if not states:
            return Html("")
        rows = joined([_server(name, status) for name, status in states.items()])
        contracts = ", ".join(quarantined(self.desk.domain, self.desk.catalog))
        unreviewed = filled(_UNREVIEWED, contracts=contracts) if contracts else Html("")
        return filled(_SERVERS, rows=rows, unreviewed=unreviewed)

    def _pending(self, live: Live, who: SignedIn) -> Html:
        if live.pending is None:
            return Html("")
        approval = Approval(live.session, live.principal, live.pending.question, live.pending.by)
        decides = who.operator.decides(approval.by, live.principal.subject)
        form = filled(_FORM, csrf=who.csrf, link=self.links.sign(approval)) if decides else Html("")
        return filled(_PENDING, who=approval.by or "the user", text=live.pending.text, form=form)

    def _for_operators(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        """`answer` for those who are signed in, and whatever changes something only from pages of ours."""

        async def answered(request: Request) -> Response:
            who = self.sign_ins.read(request.cookies.get(COOKIE, ""))
            if who is None:
                return page("Sign in", filled(_SIGN_IN), 401)
            fields = await fields_of(request)
            if request.method == "POST" and not hmac.compare_digest(fields.get("csrf", "").encode(), who.csrf.encode()):
                return notice("Not from here", "Reload the page, and try again.", 403)
            try:
                return await answer(request, who, fields)
            except Undecidable as error:
                return notice("Nothing to decide", str(error), 409)
            except DomainError:
                return notice("Not now", "It cannot be done at this moment: try again later.", 503)

        return answered


def _server(name: str, status: Status) -> Html:
    match status:
        case Serving(tools, held):
            return filled(_SERVER, name=name, now="in reach", count=str(len(tools)), quarantined=", ".join(held))
        case Outage(reason):
            return filled(_SERVER, name=name, now=f"out of reach: {reason}", count="", quarantined="")


def _receipts_of(receipts: FileReceipts, session: str) -> list[Html]:
    """The latest receipts of `session`, the last first."""
    path = receipts.path(session)
    if not path.exists():
        return []
    found = [receipt_in(line) for line in lines_in(path.read_bytes().decode(*ENCODING))[-MOST_RECEIPTS:]]
    return [
        filled(_RECEIPT, at=receipt.at, kind=receipt.kind, content=json.dumps(receipt.content, indent=2, ensure_ascii=False))
        for receipt in reversed(found)
        if receipt is not None
    ]
