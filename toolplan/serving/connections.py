"""`Connection`: a client of one server that is connected again whenever it was lost, and calls that end in one of three ways."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import anyio
import httpx2
from mcp import Client, InputRequiredRoundsExceededError, MCPError
from mcp.client import IncomingMessage
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    PARSE_ERROR,
    REQUEST_TIMEOUT,
    CallToolResult,
    Implementation,
    ToolListChangedNotification,
)
from pydantic import ValidationError

from toolplan.adapters.mcp import Connection as Listed
from toolplan.adapters.mcp import catalog_of
from toolplan.catalog import NO_TOOLS, Catalog
from toolplan.language.diagnostics import DomainError
from toolplan.serving.configuration import Target
from toolplan.serving.transports import Reach

CLIENT = Implementation(name="toolplan", version="1")
BROKEN_OFF = frozenset({CONNECTION_CLOSED, INTERNAL_ERROR, PARSE_ERROR})
"""Errors after which nobody knows whether a call has run. What stands between us and a server answers with the second, too."""
NEVER_RUN = "the server is out of reach: "


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds: for an answer to a `call`, for a `list`, until a server is `connected`, and `between` two lists that nobody asked for.

    A server that was lost is tried again after `first`, then after twice as long each time, at most after `longest`.
    """

    call: float = 120.0
    list: float = 10.0
    connected: float = 60.0
    between: float = 30.0
    first: float = 0.5
    longest: float = 30.0


USUAL = Patience()


class UpstreamError(Exception):
    """The call has not run, or in vain, as the message says to the model."""


@dataclass(frozen=True, slots=True)
class Connecting:
    """Nothing is known of the server yet."""


@dataclass(frozen=True, slots=True)
class Connected:
    """The server has answered, with `tools` at last."""

    client: Client
    tools: Catalog


@dataclass(frozen=True, slots=True)
class Unreachable:
    """The server was lost, or never found. It is tried again."""

    reason: str


State = Connecting | Connected | Unreachable


class Connection:
    """The server `origin`, as it is reached by `target`. `changed` is called after every change of `state`."""

    def __init__(self, origin: str, target: Target, reach: Reach, patience: Patience, changed: Callable[[], None]) -> None:
        self.origin, self.target = origin, target
        self.state: State = Connecting()
        self._reach, self._patience, self._changed = reach, patience, changed
        self._wake, self._known = asyncio.Event(), asyncio.Event()
        self._calls, self._is_retired = 0, False
        self._task: asyncio.Task[None] | None = None
        self._scope = anyio.CancelScope()

    @property
    def tools(self) -> Catalog:
        """What the server offers, under its own names; nothing while it is out of reach."""
        return self.state.tools if isinstance(self.state, Connected) else NO_TOOLS

    def open(self) -> None:
        """Connect, now and again, until it is closed."""
        self._task = asyncio.create_task(self._keep(), name=f"upstream {self.origin}")

    async def close(self) -> None:
        """Let go of the server; one that was started here ends. What is on its way is in doubt. Whoever waits for it cannot be cancelled."""
        if self._task is not None:
            # A scope waits for a server that was started here to end, which the cancellation of a task would not.
            self._scope.cancel()
            await _ended(self._task)

    def retire(self) -> None:
        """Close when nothing is on its way any more. It is not to be called again."""
        self._is_retired = True
        self._leave()

    @property
    def is_closed(self) -> bool:
        """Whether the server was let go of."""
        return self._task is not None and self._task.done()

    async def known(self) -> State:
        """The state, once there is one: the server has answered, or has failed to."""
        if self._known.is_set():
            return self.state
        with anyio.move_on_after(self._patience.connected):
            await self._known.wait()
        return self.state

    async def call(self, name: str, arguments: Mapping[str, object], progress: ProgressFnT) -> CallToolResult:
        """The result of the tool that the server calls `name`.

        Raises UpstreamError where it has not run or in vain, and TimeoutError or ConnectionError where nobody knows.
        """
        match await self.known():
            case Connected(client):
                return await self._called(client, name, arguments, progress)
            case Unreachable(reason):
                raise UpstreamError(NEVER_RUN + reason)
            case Connecting():
                raise UpstreamError(f"{NEVER_RUN}it has not answered yet")

    async def _called(self, client: Client, name: str, arguments: Mapping[str, object], progress: ProgressFnT) -> CallToolResult:
        self._calls += 1
        try:
            return await client.call_tool(name, dict(arguments), self._patience.call, progress)
        except Exception as error:
            raise self._ended(error) from None
        finally:
            self._calls -= 1
            self._leave()

    def _leave(self) -> None:
        if self._is_retired and not self._calls:
            self._scope.cancel()

    def _ended(self, error: Exception) -> Exception:
        """What a call that brought no result is to whoever asked for it: whatever is not known to be in vain is in doubt."""
        match error:
            case _ if _is_late(error):
                return TimeoutError("the server has not answered in time")
            case MCPError(code=code, message=message):
                self._wake.set()
                return ConnectionError("the server broke off while it was called") if code in BROKEN_OFF else UpstreamError(message)
            case InputRequiredRoundsExceededError():
                return UpstreamError("the server asks for what nobody can give it here")
            case _:
                # Something came, so that the tool may have run.
                return ConnectionError("the answer of the server does not follow the protocol")

    async def _keep(self) -> None:
        pause = self._patience.first
        with self._scope:
            while True:
                began = anyio.current_time()
                try:
                    await self._connected()
                except Exception as error:
                    # Transports raise what their libraries do. Of all of it no more follows than that the server was lost.
                    self._become(Unreachable(_reason(error)))
                pause = self._patience.first if anyio.current_time() - began > self._patience.longest else pause
                await anyio.sleep(pause)
                pause = min(2 * pause, self._patience.longest)

    async def _connected(self) -> None:
        """Connect, and look again and again what the server offers, until it is lost."""
        patience = self._patience
        with anyio.fail_after(patience.connected) as limit:
            client = Client(self._reach(self.target), read_timeout_seconds=patience.list, message_handler=self._heard, client_info=CLIENT)
            async with client, anyio.create_task_group() as group:
                limit.deadline = math.inf
                group.start_soon(self._listen, client)
                while True:
                    self._wake.clear()
                    await self._list(client)
                    with anyio.move_on_after(patience.between):
                        await self._wake.wait()

    async def _list(self, client: Client) -> None:
        try:
            self._become(Connected(client, await catalog_of([Listed(client, self.origin)])))
        except (MCPError, TimeoutError) as error:
            # A server that does one thing after the other is not lost while it has something to do.
            if not (_is_late(error) and self._calls):
                raise

    async def _listen(self, client: Client) -> None:
        """Look again when the server says that its list has changed, and when it ends. Servers before 2026-07-28 tell `_heard`."""
        with suppress(ListenNotSupportedError, MCPError, SubscriptionLost, TimeoutError):
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self._wake.set()
                self._wake.set()

    async def _heard(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._wake.set()

    def _become(self, state: State) -> None:
        self.state = state
        self._known.set()
        self._changed()


async def _ended(task: asyncio.Task[None]) -> None:
    """Wait until `task` has ended, also while this is cancelled, which is raised then."""
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


def _is_late(error: BaseException) -> bool:
    return isinstance(error, TimeoutError) or (isinstance(error, MCPError) and error.code == REQUEST_TIMEOUT)


def _reason(error: BaseException) -> str:
    """Why a server was lost, in words that can hold nothing of what was sent to it."""
    match error:
        case BaseExceptionGroup(exceptions=[first, *_]):
            return _reason(first)
        case FileNotFoundError():
            return "its program or folder was not found"
        case _ if _is_late(error):
            return "it has not answered in time"
        case ValidationError():
            return "its answers do not follow the protocol"
        case httpx2.ConnectError():
            return "nothing answers at its address"
        case DomainError():
            return "its list of tools is none that can be used"
        case OSError(strerror=str(words)):
            return words.lower()
        case _:
            return f"it failed with {type(error).__name__}"
