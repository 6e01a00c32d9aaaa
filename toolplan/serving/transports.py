"""How clients of the official SDK reach other servers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
from mcp import StdioServerParameters
from mcp.client import Transport
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from toolplan.serving.configuration import OAuthClient, Process, Remote, Target

Reached = Server[Any] | MCPServer | Transport | StdioServerParameters
"""What a client can be made of."""
Reach = Callable[[Target], Reached]

LARGEST_EVENT = 64 * 1024 * 1024
"""Bytes of one result."""
PATIENCE = httpx2.Timeout(30.0, read=None)
"""For connections. How long an answer may take is a matter of each call."""


def reached(target: Target) -> Reached:
    """A new way to `target`, which nothing has been sent on yet."""
    match target:
        case Process(command, args, env, cwd):
            return StdioServerParameters(command=command, args=list(args), env=dict(env), cwd=cwd)
        case Remote(transport="sse"):
            return sse_client(target.url, headers=dict(target.headers), sse_read_timeout=3600.0, auth=_auth(target))
        case Remote():
            return _streaming(target)


def _streaming(target: Remote) -> AbstractAsyncContextManager[Any]:
    @asynccontextmanager
    async def connect() -> AsyncIterator[Any]:
        async with (
            httpx2.AsyncClient(headers=dict(target.headers), timeout=PATIENCE, auth=_auth(target)) as client,
            streamable_http_client(target.url, http_client=client, max_sse_event_size=LARGEST_EVENT) as streams,
        ):
            yield streams

    return connect()


def _auth(target: Remote) -> httpx2.Auth | None:
    return _provider(target.url, target.oauth) if target.oauth else None


def _provider(url: str, client: OAuthClient) -> httpx2.Auth:
    return ClientCredentialsOAuthProvider(url, _Tokens(), client.id, client.secret, scope=client.scope, issuer=client.issuer)


class _Tokens:
    """The tokens of one connection, which end with it."""

    def __init__(self) -> None:
        self._tokens: OAuthToken | None = None
        self._client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self._tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._client = client_info
