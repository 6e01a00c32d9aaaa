"""`toolplan serve --http`: the whole command, with sign-in, other people's handles, probes, and the page for operators."""

from __future__ import annotations

import asyncio
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import jwt
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ElicitResult
from serving.site import await_ready, free_port
from serving.test_stdio import Setup

ISSUER = "https://issuer.example"


@contextmanager
def served(setup: Setup, key: str) -> Iterator[str]:
    """The address of a server of its own process, which ends well when it is told to."""
    place = f"http://127.0.0.1:{free_port()}"
    (setup.folder / "key").write_text(key, "utf-8")
    operators = {"operators": {"mia": {"secret": "a long secret of mia", "roles": ["user"]}}}
    (setup.folder / "operators.json").write_text(json.dumps(operators), "utf-8")
    web = ["--http", place.removeprefix("http://"), "--url", f"{place}/mcp", "--issuer", ISSUER, "--shared-key", "key"]
    command = [sys.executable, *setup.arguments, *web, "--operator", "operators.json"]
    process = subprocess.Popen(command, cwd=setup.folder, env=setup.environment, stderr=subprocess.PIPE, text=True)
    try:
        await_ready(place)
        yield place
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 0 and errors == ""


def token(subject: str, key: str, place: str) -> dict[str, str]:
    claims = {"sub": subject, "iss": ISSUER, "aud": f"{place}/mcp", "exp": time.time() + 600}
    return {"authorization": f"Bearer {jwt.encode(claims, key, 'HS256')}"}


async def agrees(_: object, params: object) -> ElicitResult:
    (name,) = params.requested_schema["properties"]  # type: ignore[attr-defined]  # a form, as the test expects
    return ElicitResult(action="accept", content={name: True if name == "answer" else "DE12"})


async def pays(place: str, headers: dict[str, str]) -> tuple[str, CallToolResult]:
    """From words to paid; the handle, and what came of it."""
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{place}/mcp", http_client=http), elicitation_callback=agrees) as client,
    ):
        begun = (await client.call_tool("frontier", {"said": "pay 30"})).structured_content
        assert begun is not None
        handle = str(begun["conversation"])
        await client.call_tool("call", {"conversation": handle, "tool": "get-balance"})
        return handle, await client.call_tool("call", {"conversation": handle, "tool": "pay-bill"})


async def told(place: str, headers: dict[str, str], handle: str) -> str:
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{place}/mcp", http_client=http)) as client,
    ):
        return str((await client.call_tool("frontier", {"conversation": handle})).content[0])


def test_from_words_to_paid_over_http(tmp_path: Path) -> None:
    setup, key = Setup(tmp_path), secrets.token_hex(32)
    with served(setup, key) as place:
        handle, paid = asyncio.run(pays(place, token("ann", key, place)))
        assert not paid.is_error and len(setup.paid) == 1
        others = [asyncio.run(told(place, token("bob", key, place), other)) for other in (handle, "x" * len(handle))]
        assert others[0] == others[1]
        assert httpx2.post(f"{place}/mcp", json={}).status_code == 401
        assert "toolplan_verdicts_total{" in httpx2.get(f"{place}/metrics").text
        assert httpx2.get(f"{place}/operator").status_code == 401
        assert handle not in setup.receipts and key not in setup.receipts
