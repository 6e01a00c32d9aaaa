"""The server over HTTP, with what an operation needs beside it: sign-in by bearer tokens, health, readiness and metrics."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from toolplan.domain import Domain
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.serving.metrics import CONTENT_TYPE, Metrics, States
from toolplan.serving.tokens import Tokens
from toolplan.serving.upstreams import Serving
from toolplan.session.stores import Store

LOCAL = ("127.0.0.1:*", "localhost:*", "[::1]:*")
PROBE = "toolplan-readiness"
"""The name of a session that nobody has, by which a store is tried."""
PATIENCE = 2.0
"""Seconds that a store may take to answer."""
KEPT_ALIVE = 75
"""Seconds that a connection may be idle: longer than proxies keep one, which else would send a request as it closes."""


def app_of(server: Server[Any], tokens: Tokens, *, url: str, scopes: Sequence[str] = (), routes: Sequence[Route] = ()) -> Starlette:
    """`server` at the path of `url`, which is what clients call it, for whoever shows a token of `tokens` with all of `scopes`.

    Every request stands for itself, so that of several processes any can serve it. `routes` are served beside it, without tokens. Raises
    DomainError where `url` is no address.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DomainError([Diagnostic(Code.BAD_CALL, f"{quoted(url)} is no address", None, "write https://HOST/mcp, as clients call it")])
    return server.streamable_http_app(
        streamable_http_path=parts.path or "/",
        stateless_http=True,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[parts.netloc, *LOCAL],
            allowed_origins=[f"{parts.scheme}://{parts.netloc}"],
        ),
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(tokens.issuer),
            resource_server_url=AnyHttpUrl(url),
            required_scopes=list(scopes),
            # Tokens are those for an audience, which not every issuer calls by an address.
            validate_token_resource=False,
        ),
        token_verifier=tokens,
        custom_starlette_routes=list(routes),
    )


def probes(domain: Domain, store: Store, states: States, metrics: Metrics) -> list[Route]:
    """`/health`, `/ready` and `/metrics`, for whoever runs the server. They name servers, and no person, conversation or value.

    A process is ready as long as its store answers: without an upstream, what it serves is less.
    """

    async def health(request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def ready(request: Request) -> Response:
        answers = await _answers(store)
        upstreams = {name: "serving" if isinstance(status, Serving) else "out of reach" for name, status in states().items()}
        told = {"ready": answers, "store": "answers" if answers else "out of reach", "domain": domain.name, "upstreams": upstreams}
        return JSONResponse(told, status_code=200 if answers else 503)

    async def figures(request: Request) -> Response:
        return Response(metrics.page(), headers={"content-type": CONTENT_TYPE})

    return [Route("/health", health), Route("/ready", ready), Route("/metrics", figures)]


class _Server(uvicorn.Server):
    """Ends when it is told to, and leaves it to its caller to end the process: what stands behind it has to be closed first."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)


async def serve_http(app: Starlette, host: str, port: int) -> None:
    """Serve `app` until the process is told to end. Requests are not logged: addresses may hold a signed link."""
    config = uvicorn.Config(
        app, host=host, port=port, access_log=False, log_level="warning", server_header=False, timeout_keep_alive=KEPT_ALIVE
    )
    await _Server(config).serve()


async def _answers(store: Store) -> bool:
    try:
        await asyncio.wait_for(asyncio.to_thread(store.events, PROBE), PATIENCE)
    except (DomainError, TimeoutError):
        return False
    return True
