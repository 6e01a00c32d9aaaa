"""The server over HTTP: who is let in, whom they are, and what an operation sees of it."""

from __future__ import annotations

import hmac
import json
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest
from mcp import Client
from mcp_types import CallToolResult, TextContent
from serving.bank import BANK, PAY, SECRET, Ledger, Words, run
from serving.site import ISSUER, OTHER, URL, claims_of, key_set, serving, signed, signed_in

from toolplan.domain import Principal
from toolplan.language.diagnostics import DomainError
from toolplan.serving.configuration import Process, Upstream
from toolplan.serving.connections import Patience
from toolplan.serving.desk import Desk
from toolplan.serving.metrics import Metrics
from toolplan.serving.pins import pins_beside
from toolplan.serving.server import server_of
from toolplan.serving.tokens import ClaimNames, Keys, Tokens, read_key_set, read_shared_key
from toolplan.serving.upstreams import Upstreams
from toolplan.serving.web import app_of, probes
from toolplan.session.stores import MemoryStore, RedisStore, Store


@asynccontextmanager
async def site(folder: Path, *, store: Store | None = None, keys: Keys | None = None, ledger: Ledger | None = None) -> AsyncIterator[str]:
    """Where the bank is served, with all that an operation looks at."""
    store, ledger = store or MemoryStore(), ledger or Ledger()
    keys = keys or read_key_set(key_set(folder / "keys.json"))
    async with Upstreams(
        [Upstream("bank", Process("bank"))],
        pins_beside(folder / "bank.json"),
        patience=Patience(call=5.0, between=60.0),
        reach=lambda _: ledger.server(),
    ) as upstreams:
        metrics = Metrics(upstreams.states)
        desk = Desk(BANK, store=store, secret=SECRET, upstreams=metrics.over(upstreams), reader=Words(), receipts=metrics)
        tokens = Tokens(keys, issuer=ISSUER, audience=URL)
        server = server_of(desk, principal=tokens.principal, secret=SECRET)
        server.middleware.append(metrics.timed)
        routes = probes(BANK, store, upstreams.states, metrics)
        async with serving(app_of(server, tokens, url=URL, scopes=["tools"], routes=routes)) as place:
            yield place


async def asked(
    place: str, token: str | None, method: str = "tools/list", params: Mapping[str, object] | None = None, **headers: str
) -> httpx2.Response:
    """The answer to a request as it is, by default one for the list of tools."""
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    headers |= {"Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient() as http:
        return await http.post(f"{place}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}, headers=headers)


async def got(place: str, path: str) -> httpx2.Response:
    async with httpx2.AsyncClient() as http:
        return await http.get(f"{place}{path}")


async def use(client: Client, name: str, /, **arguments: Any) -> CallToolResult:
    return await client.call_tool(name, arguments)


def text_of(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def data_of(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error and result.structured_content is not None, text_of(result)
    return result.structured_content


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_caller_with_a_token_is_served_by_requests_that_stand_for_themselves(tmp_path: Path, mode: Any) -> None:
    async def test() -> None:
        async with site(tmp_path) as place:
            async with signed_in(place, signed(claims_of("ann")), mode) as client:
                begun = data_of(await use(client, "frontier", said=PAY))
            async with signed_in(place, signed(claims_of("ann")), mode) as client:
                seen = data_of(await use(client, "call", conversation=begun["conversation"], tool="get-balance"))
            assert seen["result"] == {"balance": 100}

    run(test)


def test_the_handle_of_somebody_else_is_not_found(tmp_path: Path) -> None:
    async def test() -> None:
        async with site(tmp_path) as place:
            async with signed_in(place, signed(claims_of("ann"))) as client:
                handle = data_of(await use(client, "frontier", said=PAY))["conversation"]
            async with signed_in(place, signed(claims_of("bob"))) as client:
                theirs = await use(client, "frontier", conversation=handle)
                nobodys = await use(client, "frontier", conversation="x" * len(handle))
        assert theirs.is_error
        assert text_of(theirs) == text_of(nobodys)

    run(test)


def test_roles_and_tenant_come_from_the_token_and_never_from_a_call(tmp_path: Path) -> None:
    async def test() -> list[bool]:
        async with site(tmp_path) as place:
            closable = []
            for roles in ([], ["admin"]):
                async with signed_in(place, signed(claims_of("ada", roles=roles))) as client:
                    told = await use(client, "frontier", said="close the account, as an admin")
                    closable.append("close-account" in text_of(told))
            return closable

    assert run(test) == [False, True]


def forged(claims: Mapping[str, object], key: bytes) -> str:
    """A token under HS256 with a key of another kind, which the library makes for nobody."""
    parts = [json.dumps(part).encode() for part in ({"alg": "HS256", "kid": "k1"}, claims)]
    signing = b".".join(jwt.utils.base64url_encode(part) for part in parts)
    return b".".join([signing, jwt.utils.base64url_encode(hmac.digest(key, signing, "sha256"))]).decode()


def wrong_tokens(folder: Path) -> dict[str, str | None]:
    claims = claims_of("ann")
    return {
        "none": None,
        "words": "let me in",
        "three words": "a.b.c",
        "deep": jwt.utils.base64url_encode(b"[" * 20_000).decode() + ".e30.e30",
        "of another key": signed(claims, OTHER),
        "of a key that nobody has": signed(claims, kid="k2"),
        "unsigned": jwt.encode(claims, None, algorithm="none"),
        "signed with what is public": forged(claims, (folder / "keys.json").read_bytes()),
        "expired": signed(claims | {"exp": int(time.time()) - 5}),
        "without an end": signed({name: value for name, value in claims.items() if name != "exp"}),
        "without a subject": signed({name: value for name, value in claims.items() if name != "sub"}),
        "for somebody else": signed(claims | {"aud": "https://other.example/mcp"}),
        "of another issuer": signed(claims | {"iss": "https://other.example"}),
        "not yet": signed(claims | {"nbf": int(time.time()) + 60}),
    }


def test_nobody_without_a_good_token_is_let_in(tmp_path: Path) -> None:
    async def test() -> dict[str, tuple[int, str]]:
        async with site(tmp_path) as place:
            answers = {name: await asked(place, token) for name, token in wrong_tokens(tmp_path).items()}
            assert (await asked(place, signed(claims_of("ann")))).status_code != 401
            return {name: (answer.status_code, answer.text) for name, answer in answers.items()}

    answers = run(test)
    assert {status for status, _ in answers.values()} == {401}
    assert len({text for _, text in answers.values()}) == 1


def test_a_refusal_says_where_a_token_is_to_be_had(tmp_path: Path) -> None:
    async def test() -> tuple[str, dict[str, Any]]:
        async with site(tmp_path) as place:
            challenge = (await asked(place, None)).headers["WWW-Authenticate"]
            metadata = await got(place, "/.well-known/oauth-protected-resource/mcp")
            return challenge, metadata.json()

    challenge, metadata = run(test)
    assert 'resource_metadata="https://tools.example/.well-known/oauth-protected-resource/mcp"' in challenge
    assert metadata["resource"] == URL
    assert [server.rstrip("/") for server in metadata["authorization_servers"]] == [ISSUER]


def test_a_token_without_the_scope_is_told_which(tmp_path: Path) -> None:
    async def test() -> httpx2.Response:
        async with site(tmp_path) as place:
            return await asked(place, signed(claims_of("ann", scope="mail")))

    answer = run(test)
    assert answer.status_code == 403
    assert "tools" in answer.headers["WWW-Authenticate"]


def test_a_page_of_another_origin_is_refused(tmp_path: Path) -> None:
    async def test() -> Sequence[int]:
        async with site(tmp_path) as place:
            token = signed(claims_of("ann"))
            origins = [await asked(place, token, Origin=origin) for origin in ("https://evil.example", "https://tools.example")]
            hosts = [await asked(place, token, Host="evil.example")]
            return [answer.status_code for answer in (*origins, *hosts)]

    evil, own, host = run(test)
    assert (evil, host) == (403, 421)
    assert own not in (401, 403, 421)


def test_an_issuer_may_share_its_key(tmp_path: Path) -> None:
    secret = "0123456789abcdef" * 2
    (tmp_path / "shared.key").write_text(f"{secret}\n")

    async def test() -> Sequence[int]:
        async with site(tmp_path, keys=read_shared_key(tmp_path / "shared.key")) as place:
            tokens = [jwt.encode(claims_of("ann"), key, algorithm="HS256") for key in (secret, secret[::-1])]
            return [(await asked(place, token)).status_code for token in tokens]

    right, wrong = run(test)
    assert (right == 401, wrong == 401) == (False, True)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}', "[" * 5_000, '{"keys": 1}', "\udcff"])
def test_a_file_without_keys_is_a_mistake(tmp_path: Path, content: str) -> None:
    (tmp_path / "keys.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(DomainError, match=r"holds (no JSON web|a shared) key"):
        read_key_set(tmp_path / "keys.json")


def test_a_key_that_can_be_guessed_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "shared.key").write_text("hunter2")
    with pytest.raises(DomainError, match="7 bytes"):
        read_shared_key(tmp_path / "shared.key")


def test_who_a_token_is_of_is_read_as_the_issuer_writes_it(tmp_path: Path) -> None:
    keys = read_key_set(key_set(tmp_path / "keys.json"))
    tokens = Tokens(keys, issuer=ISSUER, audience="api", names=ClaimNames("groups", "org", "data"), environment="live")
    claims = claims_of("ann", aud=["other", "api"], groups=["clerk", 7], roles=["admin"], org="shop", scp=["a", "b"])
    claims |= {"data": "personal", "clearances": ["secret"]}
    del claims["scope"]

    async def test() -> Principal:
        desk = Desk(BANK, store=MemoryStore(), secret=SECRET, reader=Words())
        app = app_of(server_of(desk, principal=tokens.principal, secret=SECRET), tokens, url=URL)
        async with serving(app) as place, signed_in(place, signed(claims)) as client:
            await use(client, "frontier", said=PAY)
            (live,) = desk.live()
            return live.principal

    expected = Principal("ann", "shop", frozenset({"clerk"}), frozenset({"a", "b"}), "live", frozenset({"personal"}))
    assert run(test) == expected


def test_what_has_been_verified_does_not_hold_the_token(tmp_path: Path) -> None:
    tokens = Tokens(read_key_set(key_set(tmp_path / "keys.json")), issuer=ISSUER, audience=URL)
    token = signed(claims_of("ann"))
    access = run(lambda: tokens.verify_token(token))
    assert access is not None
    assert token not in access.model_dump_json()


def test_no_process_keeps_a_client(tmp_path: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a client", "version": "1"}}

    async def test() -> httpx2.Response:
        async with site(tmp_path) as place:
            return await asked(place, signed(claims_of("ann")), "initialize", hello)

    answer = run(test)
    assert answer.status_code == 200
    assert "Mcp-Session-Id" not in answer.headers


def test_an_address_that_is_none_is_a_mistake(tmp_path: Path) -> None:
    tokens = Tokens(read_key_set(key_set(tmp_path / "keys.json")), issuer=ISSUER, audience=URL)
    desk = Desk(BANK, store=MemoryStore(), secret=SECRET)
    with pytest.raises(DomainError, match="no address"):
        app_of(server_of(desk, principal=tokens.principal, secret=SECRET), tokens, url="tools.example")


def test_a_process_is_healthy_and_ready(tmp_path: Path) -> None:
    async def test() -> tuple[int, httpx2.Response]:
        async with site(tmp_path) as place:
            return (await got(place, "/health")).status_code, await got(place, "/ready")

    health, ready = run(test)
    assert health == 200
    assert ready.json() == {"ready": True, "store": "answers", "domain": "bank", "upstreams": {"bank": "serving"}}


def test_a_process_whose_store_is_out_of_reach_is_healthy_and_not_ready(tmp_path: Path) -> None:
    async def test() -> tuple[int, httpx2.Response]:
        async with site(tmp_path, store=RedisStore("redis://127.0.0.1:1")) as place:
            return (await got(place, "/health")).status_code, await got(place, "/ready")

    health, ready = run(test)
    assert health == 200
    assert (ready.status_code, ready.json()["store"]) == (503, "out of reach")


def test_figures_count_what_happens_and_hold_no_value(tmp_path: Path) -> None:
    async def test() -> tuple[str, str]:
        ledger = Ledger()
        async with site(tmp_path, ledger=ledger) as place:
            before = (await got(place, "/metrics")).text
            async with signed_in(place, signed(claims_of("ann"))) as client:
                handle = data_of(await use(client, "frontier", said=PAY))["conversation"]
                await use(client, "call", conversation=handle, tool="drop-everything")
                await use(client, "call", conversation=handle, tool="get-balance")
                await use(client, "call", conversation=handle, tool="pay-bill")
                await use(client, "made-up")
            after = (await got(place, "/metrics")).text
            assert handle not in after
            return before, after

    before, after = run(test)
    figures = dict(re.findall(r"^(\w+(?:\{[^}]*\})?) (\S+)$", after, re.MULTILINE))
    assert 'toolplan_upstream_up{server="bank"} 1.0' in before
    assert figures['toolplan_upstream_tools{server="bank"}'] == "3.0"
    assert figures['toolplan_verdicts_total{reason="",verdict="allow"}'] == "1.0"
    assert figures['toolplan_verdicts_total{reason="",verdict="hold"}'] == "1.0"
    assert figures['toolplan_verdicts_total{reason="not callable now",verdict="refuse"}'] == "1.0"
    assert figures['toolplan_outcomes_total{outcome="done"}'] == "1.0"
    assert figures['toolplan_calls_in_flight{server="bank"}'] == "0.0"
    assert figures['toolplan_call_seconds_count{server="bank"}'] == "1.0"
    assert figures['toolplan_request_seconds_count{tool="call"}'] == "3.0"
    assert figures['toolplan_request_seconds_count{tool="other"}'] == "1.0"
    for said in ("DE12", "ann", "drop-everything", "made-up"):
        assert said not in after
