"""`Upstreams`: the servers that are fronted, as one catalog and one way to call it, with the credentials of whoever asks."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType

import anyio
from mcp.shared.dispatcher import ProgressFnT

from toolplan.catalog import Catalog, RealTool, prefixed
from toolplan.domain import Principal
from toolplan.language.diagnostics import quoted
from toolplan.serving.configuration import Target, Upstream, as_configured, secrets_of
from toolplan.serving.connections import USUAL, Connected, Connecting, Connection, Patience, Unreachable, UpstreamError
from toolplan.serving.hiding import Hiding
from toolplan.serving.pins import Pins
from toolplan.serving.transports import Reach, reached

Progress = Callable[[float, float | None, str | None], Awaitable[None]]
"""Told how far a call is: so much, of so much, in words."""
MOST_OWN = 64
"""Connections with credentials of principals that are kept."""

Credentials = Callable[[Upstream, Principal], Awaitable[Target | None]]
"""How a principal reaches a server, asked at every call; None for those who may not. Another answer than before is another connection."""


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that is there. `quarantined` are its tools that nobody has accepted as they are: they are new, or have changed. They cannot be called."""

    tools: tuple[str, ...]
    quarantined: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outage:
    """A server that is out of reach, and tried again. None of its tools are offered."""

    reason: str


Status = Serving | Outage


@dataclass(eq=False, slots=True)
class _Fronted:
    """One server: the connection over which it is listed, and its tools of which only those stand in the catalog that are as accepted."""

    upstream: Upstream
    prefix: str
    connection: Connection
    quarantined: tuple[RealTool, ...] = ()

    @property
    def offered(self) -> list[RealTool]:
        """Its tools that can be called, under the names of the catalog."""
        held = {tool.name for tool in self.quarantined}
        return prefixed([tool for tool in self.connection.tools.values() if tool.name not in held], self.prefix)


class Upstreams:
    """Servers that are connected while this is entered. Names of tools begin with that of their server, and a dot, where there are several.

    Raises DomainError on entering where `pins` cannot be read. A server that is out of reach stops nothing: its tools come when it does.
    """

    def __init__(
        self,
        upstreams: Sequence[Upstream],
        pins: Pins,
        *,
        credentials: Credentials = as_configured,
        patience: Patience = USUAL,
        reach: Reach = reached,
    ) -> None:
        self._pins, self._credentials = pins, credentials
        self._patience, self._reach = patience, reach
        self._own: OrderedDict[tuple[str, str, str], Connection] = OrderedDict()
        self._retired: list[Connection] = []
        self._observers: list[Callable[[Catalog], None]] = []
        # Not `NO_TOOLS`, of which nobody knows what is offered: here nothing is, before a server answers.
        self._catalog = Catalog()
        self._fronted = {
            upstream.name: _Fronted(upstream, f"{upstream.name}." if len(upstreams) > 1 else "", self._listing(upstream))
            for upstream in upstreams
        }

    async def __aenter__(self) -> Upstreams:
        """Connect to all servers. Waits until each has answered or failed for the first time."""
        self._pins.known()
        for fronted in self._fronted.values():
            fronted.connection.open()
        try:
            await asyncio.gather(*(fronted.connection.known() for fronted in self._fronted.values()))
        except asyncio.CancelledError:
            await self._close()
            raise
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._close()

    @property
    def catalog(self) -> Catalog:
        """The tools that can be called now, in the order of the servers and their lists. Whenever these change it is another object."""
        return self._catalog

    def on_change(self, observer: Callable[[Catalog], None]) -> None:
        """Call `observer`, which is not to raise, with every new catalog, in the event loop."""
        self._observers.append(observer)

    def states(self) -> dict[str, Status]:
        """How each server is, under its name. Tools are named as in the catalog."""
        return {name: _status(fronted) for name, fronted in self._fronted.items()}

    def accept(self) -> list[str]:
        """Take all tools that are quarantined as they are now, and return their names."""
        accepted: list[str] = []
        for name, fronted in self._fronted.items():
            self._pins.accept(name, fronted.quarantined)
            accepted += [fronted.prefix + tool.name for tool in fronted.quarantined]
            fronted.quarantined = ()
        self._publish()
        return accepted

    async def call(self, principal: Principal, tool: str, arguments: Mapping[str, object], progress: Progress) -> object:
        """The result of a call as JSON values, with the credentials of `principal` and none of them in it.

        Raises UpstreamError where the call has not run or in vain, and TimeoutError or ConnectionError where nobody knows. A call that is
        cancelled is cancelled at its server, too.
        """
        real = self._catalog.get(tool)
        if real is None:
            raise UpstreamError(f"no server offers {quoted(tool)} now")
        fronted = self._fronted[real.origin]
        target = await self._credentials(fronted.upstream, principal)
        if target is None:
            raise UpstreamError("there are no credentials for you at the server of this tool")
        hiding = Hiding(secrets_of(target) | secrets_of(fronted.upstream.target) | fronted.upstream.variables)
        connection = self._reaching(fronted, principal, target)
        try:
            result = await connection.call(tool.removeprefix(fronted.prefix), arguments, _hidden(progress, hiding))
        except UpstreamError as error:
            raise UpstreamError(hiding.text(str(error))) from None
        return hiding.value(result.model_dump(mode="json", by_alias=True, exclude_none=True))

    async def _close(self) -> None:
        connections = [*self._retired, *self._own.values(), *(fronted.connection for fronted in self._fronted.values())]
        # Servers that were started here get the time to end, also where whoever is done with them has none.
        with anyio.CancelScope(shield=True):
            await asyncio.gather(*(connection.close() for connection in connections))

    def _listing(self, upstream: Upstream) -> Connection:
        return Connection(upstream.name, upstream.target, self._reach, self._patience, lambda: self._listed(upstream.name))

    def _reaching(self, fronted: _Fronted, principal: Principal, target: Target) -> Connection:
        """The connection with these credentials: nobody gets one that was opened with those of somebody else."""
        if target == fronted.upstream.target:
            return fronted.connection
        key = (fronted.upstream.name, principal.tenant, principal.subject)
        known = self._own.pop(key, None)
        if known is not None and known.target != target:
            self._retire(known)
            known = None
        if known is None:
            known = Connection(fronted.upstream.name, target, self._reach, self._patience, lambda: None)
            known.open()
        while len(self._own) >= MOST_OWN:
            self._retire(self._own.popitem(last=False)[1])
        self._own[key] = known
        return known

    def _retire(self, connection: Connection) -> None:
        connection.retire()
        self._retired = [connection, *(earlier for earlier in self._retired if not earlier.is_closed)]

    def _listed(self, name: str) -> None:
        fronted = self._fronted[name]
        if isinstance(fronted.connection.state, Connected):
            fronted.quarantined = tuple(self._pins.unaccepted(name, fronted.connection.tools.values()))
        self._publish()

    def _publish(self) -> None:
        tools = [tool for fronted in self._fronted.values() for tool in fronted.offered]
        if tools != list(self._catalog.values()):
            self._catalog = Catalog(tools)
            for observer in self._observers:
                observer(self._catalog)


def _status(fronted: _Fronted) -> Status:
    match fronted.connection.state:
        case Connected():
            quarantined = tuple(fronted.prefix + tool.name for tool in fronted.quarantined)
            return Serving(tuple(tool.name for tool in fronted.offered), quarantined)
        case Unreachable(reason):
            return Outage(reason)
        case Connecting():
            return Outage("it has not answered yet")


def _hidden(observer: Progress, hiding: Hiding) -> ProgressFnT:
    async def told(progress: float, total: float | None, message: str | None) -> None:
        await observer(progress, total, hiding.text(message) if message is not None else None)

    return told
