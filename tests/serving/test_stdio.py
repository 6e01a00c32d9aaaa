"""`toolplan serve` as a subprocess, with a server behind it in another: to clients of an older protocol, of FastMCP, and of nothing at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import pytest
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport
from mcp_types import TextContent
from serving.bank import CONTRACTS, run

SERVER = """
import os, sys, time
from mcp.server.mcpserver import MCPServer

server = MCPServer("bank")

@server.tool(name="get-balance")
def get_balance() -> dict[str, int]:
    return {"balance": 100}

@server.tool(name="pay-bill")
def pay_bill(to: str, sum: int) -> str:
    with open(sys.argv[1], "a") as ledger:
        ledger.write(f"{sum} to {to}\\n")
    time.sleep(float(sys.argv[2]))
    return "paid with " + os.environ["TOKEN"]

server.run()
"""
TOKEN = "hunter2-hunter2"
VERSION = "2025-06-18"


class Setup:
    """A domain, a server, and a store in a folder."""

    def __init__(self, folder: Path, seconds: float = 0.0) -> None:
        self.folder, self.ledger = folder, folder / "ledger.txt"
        (folder / "bank.toolplan").write_text(CONTRACTS, "utf-8")
        (folder / "bank_server.py").write_text(SERVER, "utf-8")
        (folder / "secret").write_text("a secret of a test, which is long enough\n", "utf-8")
        arguments = [str(folder / "bank_server.py"), str(self.ledger), str(seconds)]
        entry = {"command": sys.executable, "args": arguments, "env": {"TOKEN": "${BANK_TOKEN}"}}
        (folder / "servers.json").write_text(json.dumps({"mcpServers": {"bank": entry}}), "utf-8")
        self.environment = {**os.environ, "BANK_TOKEN": TOKEN}
        self.caller = ["--subject", "ann"]

    @property
    def arguments(self) -> list[str]:
        """Of Python."""
        kept = ["--store", "store.db", "--secret-file", "secret", "--receipts", "receipts"]
        return ["-m", "toolplan", "serve", "bank.toolplan", "--upstream", "servers.json", *self.caller, *kept]

    @property
    def paid(self) -> list[str]:
        return self.ledger.read_text("utf-8").splitlines() if self.ledger.exists() else []

    @property
    def receipts(self) -> str:
        return "".join(file.read_text("utf-8") for file in (self.folder / "receipts").iterdir())


class Raw:
    """A client that writes lines of JSON-RPC as clients of the first generation of the SDK do, without any of the SDK."""

    def __init__(self, setup: Setup, answers: Iterator[Mapping[str, object]]) -> None:
        self._answers, self._number = answers, 0
        self.process = subprocess.Popen(
            [sys.executable, *setup.arguments],
            cwd=setup.folder,
            env=setup.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        capabilities = {"elicitation": {}}
        about = {"protocolVersion": VERSION, "capabilities": capabilities, "clientInfo": {"name": "raw", "version": "1"}}
        assert self.request("initialize", about)["protocolVersion"] == VERSION
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None and self.process.stderr is not None
        self.process.stdin.close()
        self.process.wait(20)
        self.errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()

    def send(self, message: object) -> None:
        self.write(json.dumps(message))

    def write(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def request(self, method: str, params: Mapping[str, object]) -> Any:
        """The result of a request; what the server asks meanwhile is answered."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("method") == "elicitation/create":
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": next(self._answers)})
            elif message.get("id") == self._number:
                return message["result"]

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server has gone"
        message: dict[str, Any] = json.loads(line)
        return message

    def tool(self, name: str, **arguments: object) -> Any:
        return self.request("tools/call", {"name": name, "arguments": arguments})


@pytest.fixture
def setup(tmp_path: Path) -> Callable[..., Setup]:
    return lambda seconds=0.0: Setup(tmp_path, seconds)


def test_a_client_of_the_older_protocol_gets_from_words_to_done_through_garbage(setup: Callable[..., Setup]) -> None:
    bank = setup()
    answers: Iterator[Mapping[str, object]] = iter([{"action": "accept", "content": {"account": "DE12"}}, {"action": "decline"}])
    with Raw(bank, answers) as client:
        for line in ("no JSON", "[]", "{}", '{"jsonrpc": "2.0"}', '{"jsonrpc": "2.0", "id": "x", "method": 5}', "\x00", '{"id": ' * 2_000):
            client.write(line)
        listed = client.request("tools/list", {})["tools"]
        assert [tool["name"] for tool in listed] == ["frontier", "call", "answer", "explain", "discover"]
        handle = client.tool("frontier", said="pay 30")["structuredContent"]["conversation"]
        assert client.tool("call", conversation=handle, tool="get-balance")["structuredContent"]["outcome"] == "done"
        refused = client.tool("call", conversation=handle, tool="pay-bill")
        assert refused["isError"] and not bank.paid
        assert client.request("tools/list", {})["tools"] == listed
    assert client.process.returncode == 0
    kept = client.errors + bank.receipts
    assert handle not in kept and TOKEN not in kept


def test_the_client_at_stdin_acts_for_whom_the_options_say(setup: Callable[..., Setup]) -> None:
    bank = setup()
    rights = [("role", "clerk"), ("scope", "money:read"), ("tenant", "shop"), ("environment", "live"), ("clearance", "money")]
    asked = "\n".join(f'{"data" if right == "clearance" else f"{right}s"} "{name}"' for right, name in rights)
    (bank.folder / "bank.toolplan").write_text(CONTRACTS.replace("  produces balance\n", f"  produces balance\n{asked}\n"), "utf-8")
    bank.caller += [part for right, name in rights for part in (f"--{right}", name)]
    with Raw(bank, iter([{"action": "accept", "content": {"account": "DE12"}}])) as client:
        told = client.tool("frontier", said="pay 30")["structuredContent"]
    assert [tool["name"] for tool in told["callable"]] == ["get-balance"]


def test_a_client_of_fastmcp_gets_from_words_to_done_and_no_token_of_a_server_reaches_it(setup: Callable[..., Setup]) -> None:
    bank = setup()
    seen: list[str] = []

    async def user(message: str, response_type: Any, params: Any, context: Any) -> Any:
        (name,) = params.requested_schema["properties"]
        return ElicitResult(action="accept", content={name: True if name == "answer" else "DE12"})

    async def test() -> None:
        transport = StdioTransport(sys.executable, bank.arguments, env=bank.environment, cwd=str(bank.folder), keep_alive=False)
        async with Client(transport, elicitation_handler=user) as client:

            async def tool(name: str, **arguments: object) -> Any:
                result = await client.call_tool_mcp(name, arguments)
                seen.extend(block.text for block in result.content if isinstance(block, TextContent))
                return result.structured_content

            handle = (await tool("frontier", said="pay 30"))["conversation"]
            await tool("call", conversation=handle, tool="get-balance")
            assert (await tool("call", conversation=handle, tool="pay-bill"))["outcome"] == "done"

    run(test)
    assert bank.paid == ["30 to DE12"]
    assert any(text.startswith("paid with ") for text in seen) and not any(TOKEN in text for text in seen)


def test_a_client_that_is_gone_in_the_middle_of_a_call_finds_it_in_doubt_and_never_made_twice(setup: Callable[..., Setup]) -> None:
    bank = setup(1.0)
    yes: Mapping[str, object] = {"action": "accept", "content": {"answer": True}}
    with Raw(bank, iter([{"action": "accept", "content": {"account": "DE12"}}])) as client:
        handle = client.tool("frontier", said="pay 30")["structuredContent"]["conversation"]
        client.tool("call", conversation=handle, tool="get-balance")
        client.send({"jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": _call(handle, "pay-bill")})
        client.send({"jsonrpc": "2.0", "id": client.read()["id"], "result": yes})
        while not bank.paid:
            assert client.process.poll() is None
    with Raw(bank, iter([yes] * 5)) as client:
        now = client.tool("frontier", conversation=handle)["structuredContent"]
        assert "pay-bill" not in [tool["name"] for tool in now["callable"]]
        assert client.tool("call", conversation=handle, tool="pay-bill")["isError"]
    assert bank.paid == ["30 to DE12"]


def _call(handle: str, tool: str) -> Mapping[str, object]:
    return {"name": "call", "arguments": {"conversation": handle, "tool": tool}}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--store", "store.db"], "--secret-file"),
        (["--accept-changes"], "--upstream"),
        (["--upstream", "nosuch.json"], "nosuch.json"),
        (["--secret-file", "nosuch"], "cannot read"),
        (["--notify", "tee"], "--http"),
        (["--notify", "nosuch", "--http", "127.0.0.1:1"], "names no program"),
        (["--notify", "tee 'x", "--http", "127.0.0.1:1"], "no command"),
    ],
)
def test_a_mistake_is_told_and_nothing_goes_to_stdout(arguments: list[str], said: str, setup: Callable[..., Setup]) -> None:
    command = [sys.executable, "-m", "toolplan", "serve", "bank.toolplan", *arguments]
    done = subprocess.run(command, cwd=setup().folder, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode in (1, 2) and not done.stdout
    assert said in done.stderr and "Traceback" not in done.stderr
