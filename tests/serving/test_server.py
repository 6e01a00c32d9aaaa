"""The server to the client of the official package, of both ways of the protocol: questions as results, and questions as requests."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from mcp import Client, MCPError
from mcp.client.client import ConnectMode
from mcp_types import CallToolResult, ElicitResult, ErrorData, InputRequiredResult, ListToolsResult, TextContent
from serving.bank import ANN, AWAY, BOB, NO, PAY, SECRET, YES, Ledger, alone, bank, run

from toolplan.domain import Principal
from toolplan.receipts import FileReceipts
from toolplan.serving.desk import Desk
from toolplan.serving.server import CALL_ID, server_of

WAYS: Sequence[ConnectMode] = ("auto", "legacy")
"""Questions as results, and questions as requests."""


@dataclass
class User:
    """Answers each form with the next of `answers`. An exception is that of a client that breaks down."""

    answers: Sequence[ElicitResult | ErrorData]
    forms: list[str] = field(default_factory=list)

    async def __call__(self, context: object, params: Any) -> ElicitResult | ErrorData:
        self.forms.append(params.message)
        return self.answers[len(self.forms) - 1]


class Host:
    """A client in one conversation."""

    def __init__(self, client: Client) -> None:
        self.client, self.handle = client, ""

    async def begin(self, said: str = PAY) -> Mapping[str, Any]:
        data = data_of(await self.client.call_tool("frontier", {"said": said}))
        self.handle = data["conversation"]
        return data

    async def call(self, tool: str, **options: Any) -> CallToolResult:
        return await self.client.call_tool("call", {"conversation": self.handle, "tool": tool}, **options)


@asynccontextmanager
async def hosted(desk: Desk, mode: ConnectMode = "auto", *, user: User | None = None, principal: Principal = ANN) -> AsyncIterator[Host]:
    server = server_of(desk, principal=lambda _: principal, secret=SECRET)
    async with Client(server, mode=mode, elicitation_callback=user) as client:
        yield Host(client)


def data_of(result: CallToolResult) -> Mapping[str, Any]:
    assert not result.is_error, text_of(result)
    return cast(Mapping[str, Any], result.structured_content)


def text_of(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def names_in(data: Mapping[str, Any]) -> list[str]:
    return [tool["name"] for tool in data["callable"]]


@pytest.mark.parametrize("mode", WAYS)
def test_a_request_goes_from_words_to_done(mode: ConnectMode, tmp_path: Path) -> None:
    ledger, user, told = Ledger(), User([ElicitResult(action="accept", content={"account": "DE12"}), YES]), []

    async def progress(*step: object) -> None:
        told.append(step)

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk, hosted(desk, mode, user=user) as ann:
            assert names_in(await ann.begin("pay 30")) == ["get-balance"]
            seen = await ann.call("get-balance")
            assert data_of(seen)["result"] == {"balance": 100} and names_in(data_of(seen)["next"]) == ["pay-bill"]
            paid = await ann.call("pay-bill", progress_callback=progress)
            assert text_of(paid).startswith("paid") and data_of(paid)["outcome"] == "done"

    run(test)
    assert ledger.paid == [("DE12", 30)] and len(user.forms) == 2
    assert told == [(1, 2, "half")]


@pytest.mark.parametrize("mode", WAYS)
def test_T9_a_client_that_lists_once_can_call_all_and_the_list_never_changes(mode: ConnectMode, tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk, hosted(desk, mode, user=User([YES])) as ann:

            async def listed() -> ListToolsResult:
                return await ann.client.list_tools(cache_mode="refresh")

            first = (await listed()).model_dump_json()
            await ann.begin()
            await ann.call("get-balance")
            await ann.call("pay-bill")
            assert (await listed()).model_dump_json() == first
            async with hosted(desk, mode, principal=BOB) as bob:
                assert (await bob.client.list_tools()).model_dump_json() == first

    run(test)
    assert ledger.paid


@pytest.mark.parametrize("mode", WAYS)
@pytest.mark.parametrize(
    "answer",
    [NO, AWAY, ElicitResult(action="accept", content={"answer": False}), ErrorData(code=-1, message="nobody is there"), None],
    ids=["decline", "cancel", "no", "error", "unsupported"],
)
def test_T23_only_a_yes_in_an_accepted_form_is_consent(mode: ConnectMode, answer: ElicitResult | ErrorData | None, tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk, hosted(desk, mode, user=None if answer is None else User([answer])) as ann:
            await ann.begin()
            await ann.call("get-balance")
            try:
                result = await ann.call("pay-bill")
            except MCPError:
                assert isinstance(answer, ErrorData)  # the client gives up where its own user interface fails
            else:
                assert result.is_error and ("stays closed" in text_of(result)) is (answer not in (NO, YES) and not _is_no(answer))

    run(test)
    assert not ledger.paid


def _is_no(answer: object) -> bool:
    return isinstance(answer, ElicitResult) and answer.content == {"answer": False}


def test_a_question_comes_back_only_to_the_request_that_asked_it(tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk, hosted(desk, user=User([])) as ann:
            await ann.begin()
            await ann.call("get-balance")

            async def pay(arguments: Mapping[str, object], **answer: Any) -> CallToolResult | InputRequiredResult:
                whole = {"conversation": ann.handle, "tool": "pay-bill", **arguments}
                return await ann.client.session.call_tool("call", whole, allow_input_required=True, **answer)

            asked = await pay({})
            assert isinstance(asked, InputRequiredResult) and asked.input_requests
            (key,) = asked.input_requests
            assert ann.handle not in asked.model_dump_json()
            # An answer without the seal of the question, with one that was changed, or to another call, is none.
            assert isinstance(await pay({}, input_responses={key: YES}), InputRequiredResult)
            assert asked.request_state is not None
            for state in (asked.request_state[:-2] + "xx", json.dumps([ann.handle, key])):
                with pytest.raises(MCPError, match="requestState"):
                    await pay({}, input_responses={key: YES}, request_state=state)
            with pytest.raises(MCPError, match="requestState"):
                await pay({"arguments": {}}, input_responses={key: YES}, request_state=asked.request_state)
            async with hosted(desk, user=User([]), principal=BOB) as bob:
                bob.handle = ann.handle
                with pytest.raises(MCPError, match="requestState"):
                    await bob.client.session.call_tool(
                        "call",
                        {"conversation": ann.handle, "tool": "pay-bill"},
                        input_responses={key: YES},
                        request_state=asked.request_state,
                    )
            assert not ledger.paid
            for _ in range(2):
                await pay({}, input_responses={key: YES}, request_state=asked.request_state)

    run(test)
    assert ledger.paid == [("DE12", 30)]


@pytest.mark.parametrize("mode", WAYS)
def test_the_handle_of_another_is_not_found(mode: ConnectMode, tmp_path: Path) -> None:
    async def test() -> None:
        async with bank(tmp_path, Ledger()) as desk, hosted(desk, mode) as ann, hosted(desk, mode, principal=BOB) as bob:
            await ann.begin()
            bob.handle = ann.handle
            stolen = await bob.call("get-balance")
            bob.handle = "nothing"
            assert stolen.is_error and text_of(stolen) == text_of(await bob.call("get-balance"))

    run(test)


@pytest.mark.parametrize("mode", WAYS)
def test_a_client_that_goes_in_the_middle_of_a_call_leaves_it_in_doubt(mode: ConnectMode, tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk:
            async with hosted(desk, mode, user=User([YES])) as ann:
                await ann.begin()
                await ann.call("get-balance")
                ledger.open.clear()
                call = asyncio.create_task(ann.call("pay-bill"))
                await ledger.began.wait()
                call.cancel()
                await asyncio.gather(call, return_exceptions=True)
            async with hosted(desk, mode) as again:
                again.handle = ann.handle
                while desk.find(ann.handle, ANN).session.running:
                    await asyncio.sleep(0.01)
                now = data_of(await again.client.call_tool("frontier", {"conversation": ann.handle}))
                assert "pay-bill" not in names_in(now)
                assert (await again.call("pay-bill")).is_error

    run(test)
    assert not ledger.paid


@pytest.mark.parametrize("mode", WAYS)
def test_a_call_that_a_host_sends_again_under_its_id_runs_once(mode: ConnectMode, tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk, hosted(desk, mode, user=User([YES, YES])) as ann:
            await ann.begin()
            await ann.call("get-balance")
            await asyncio.gather(*(ann.call("pay-bill", meta={CALL_ID: "mine"}) for _ in range(2)))
            await ann.call("pay-bill", meta={CALL_ID: "mine"})

    run(test)
    assert ledger.paid == [("DE12", 30)]


@pytest.mark.parametrize("mode", WAYS)
def test_garbage_gets_an_answer_and_the_server_goes_on(mode: ConnectMode) -> None:
    async def test() -> None:
        async with hosted(alone(), mode) as ann:
            for name in ("call", "nosuch", "", "frontier"):
                for arguments in ({}, {"conversation": [1]}, {"said": None}, {"x": "y" * 100_000}):
                    result = await ann.client.call_tool(name, arguments)
                    assert result.is_error or name == "frontier"
            assert names_in(await ann.begin()) == ["get-balance"]

    run(test)


def test_no_handle_and_no_secret_is_in_a_log_or_a_receipt(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def test() -> str:
        async with bank(tmp_path, Ledger(), receipts=FileReceipts(tmp_path / "receipts")) as desk:
            async with hosted(desk, user=User([YES])) as ann, hosted(desk, "legacy", principal=BOB) as bob:
                await ann.begin()
                await ann.call("get-balance")
                await ann.call("pay-bill")
                bob.handle = ann.handle
                await bob.call("get-balance")
                await ann.client.call_tool("frontier", {"conversation": ann.handle, "said": 5})
            return ann.handle

    handle = run(test)
    kept = caplog.text + "".join(file.read_text("utf-8") for file in (tmp_path / "receipts").iterdir())
    assert kept and handle not in kept and SECRET.decode() not in kept
