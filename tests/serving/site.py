"""The bank over HTTP: served by uvicorn on a free port, for callers with tokens."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import jwt
import uvicorn
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from mcp import Client
from mcp.client.client import ConnectMode
from mcp.client.streamable_http import streamable_http_client
from starlette.types import ASGIApp

ISSUER, URL = "https://issuer.example", "https://tools.example/mcp"
PRIVATE = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def key_set(path: Path) -> Path:
    """The public half of `PRIVATE` as the issuer publishes it."""
    key = RSAAlgorithm.to_jwk(PRIVATE.public_key(), as_dict=True) | {"kid": "k1", "alg": "RS256", "use": "sig"}
    path.write_text(json.dumps({"keys": [key]}))
    return path


def claims_of(subject: str, **others: object) -> dict[str, object]:
    return {"iss": ISSUER, "aud": URL, "sub": subject, "exp": int(time.time()) + 60, "scope": "tools", **others}


def signed(claims: Mapping[str, object], key: Any = PRIVATE, algorithm: str = "RS256", kid: str = "k1") -> str:
    return jwt.encode(dict(claims), key, algorithm=algorithm, headers={"kid": kid})


def free_port() -> str:
    """A port of this machine at which nothing listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


def await_ready(place: str) -> None:
    """Wait until a server of another process answers at `place`."""
    for _ in range(600):
        with suppress(httpx2.TransportError):
            if httpx2.get(f"{place}/ready").status_code == 200:
                return
        time.sleep(0.1)
    raise AssertionError("it does not get ready")


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[str]:
    """Where `app` is served, meanwhile."""
    web = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", 0, log_level="critical", timeout_graceful_shutdown=1))
    task = asyncio.create_task(web.serve())
    while not web.started:
        await asyncio.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{web.servers[0].sockets[0].getsockname()[1]}"
    finally:
        web.should_exit = True
        await task


@asynccontextmanager
async def signed_in(place: str, token: str, mode: ConnectMode = "auto") -> AsyncIterator[Client]:
    """A client that shows `token` with every request."""
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=10) as http:
        transport = streamable_http_client(f"{place}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client
