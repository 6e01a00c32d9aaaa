"""A lean client of the protocol: the bytes that the official one sends, over a connection that is kept, and nothing else that takes time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any

from toolplan.bench.serving.sites import HOST

VERSION = "2026-07-28"
ABOUT = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}
CALL_ID = "toolplan/call-id"
END = b"\r\n\r\n"

Result = Mapping[str, Any]
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Balancer:
    """Knows which of the servers at `ports` are lost. A conversation stays with one of them as long as that listens."""

    def __init__(self, ports: Iterable[int]) -> None:
        self._ports = list(ports)

    def port(self, conversation: int) -> int:
        """Where `conversation` goes now."""
        return self._ports[conversation % len(self._ports)]

    def lost(self, port: int) -> None:
        """The server at `port` does not listen. Raises RuntimeError where none is left."""
        with suppress(ValueError):
            self._ports.remove(port)
        if not self._ports:
            raise RuntimeError("all servers are lost")


class Client:
    """The client of `conversation`, which shows each server the token for it. `moved` counts the times that it went to another server."""

    def __init__(self, conversation: int, balancer: Balancer, tokens: Mapping[int, str]) -> None:
        self._conversation, self._balancer, self._tokens = conversation, balancer, tokens
        self._port, self._numbers = 0, count(1)
        self._streams: Streams | None = None
        self.moved = 0

    async def call(self, tool: str, arguments: Result, call_id: str, again: Result | None = None) -> Result:
        """The result of `tool`. `again` is what comes with a request that was sent before: the answers, and the state.

        A request without an answer is sent once more, under the same `call_id`, and to another server where the first is lost.
        """
        params = {"_meta": {CALL_ID: call_id, **ABOUT}, "name": tool, "arguments": arguments, **(again or {})}
        body = json.dumps({"jsonrpc": "2.0", "id": next(self._numbers), "method": "tools/call", "params": params}).encode()
        answer: dict[str, Any] = json.loads(await self._sent(tool, body))
        if "result" not in answer:
            raise RuntimeError(f"a server refuses the protocol of this client: {answer}")
        result: Result = answer["result"]
        return result

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _sent(self, tool: str, body: bytes) -> bytes:
        """The answer to `body`, which is sent until there is one: servers close connections that nobody has used for a while."""
        while True:
            port, (reader, writer) = await self._connected()
            writer.write(_head(tool, port, self._tokens[port], len(body)) + body)
            with suppress(OSError, EOFError):
                fields = dict(line.lower().split(": ", 1) for line in (await reader.readuntil(END)).decode().split("\r\n")[1:] if line)
                return await (reader.readexactly(int(fields["content-length"])) if "content-length" in fields else _streamed(reader))
            self.close()

    async def _connected(self) -> tuple[int, Streams]:
        """The server that this conversation is with, and the connection to it."""
        while True:
            port = self._balancer.port(self._conversation)
            if self._streams is not None and port == self._port:
                return port, self._streams
            self.close()
            try:
                self._streams, self._port = await asyncio.open_connection(HOST, port), port
            except OSError:
                self._balancer.lost(port)
                self.moved += 1


async def _streamed(reader: asyncio.StreamReader) -> bytes:
    """The last message of a stream of events, which a server begins where its answer is long in coming."""
    events = b""
    while size := int(await reader.readline(), 16):
        events += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return [line.removeprefix(b"data: ") for line in events.splitlines() if line.startswith(b"data: ")][-1]


def _head(tool: str, port: int, token: str, length: int) -> bytes:
    lines = [
        "POST /mcp HTTP/1.1",
        f"host: {HOST}:{port}",
        f"authorization: Bearer {token}",
        "accept: application/json, text/event-stream",
        "content-type: application/json",
        f"mcp-protocol-version: {VERSION}",
        "mcp-method: tools/call",
        f"mcp-name: {tool}",
        f"content-length: {length}",
    ]
    return "\r\n".join(lines).encode() + END
