"""What the servers of a file offer at this moment. It imports the official SDK."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from toolplan.catalog import RealTool
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.serving.configuration import Upstream, read_upstreams
from toolplan.serving.connections import USUAL, Connected, Connection, Unreachable
from toolplan.serving.transports import reached


def offered(servers: Path) -> tuple[Mapping[str, Sequence[RealTool]], list[Diagnostic]]:
    """The tools of each server that answers, and a finding for each that does not. Raises DomainError with the mistakes of the file."""
    upstreams = read_upstreams(servers)
    states = asyncio.run(_states(upstreams))
    answered: dict[str, Sequence[RealTool]] = {}
    silent: list[Diagnostic] = []
    for upstream, state in zip(upstreams, states, strict=True):
        if isinstance(state, Connected):
            answered[upstream.name] = list(state.tools.values())
        else:
            reason = state.reason if isinstance(state, Unreachable) else "it has not answered in time"
            silent.append(Diagnostic(Code.UNREADABLE_FILE, f"no tools came from {quoted(upstream.name)}: {reason}"))
    return answered, silent


async def _states(upstreams: Sequence[Upstream]) -> list[object]:
    connections = [Connection(upstream.name, upstream.target, reached, USUAL, lambda: None) for upstream in upstreams]
    for connection in connections:
        connection.open()
    try:
        return list(await asyncio.gather(*(connection.known() for connection in connections)))
    finally:
        await asyncio.gather(*(connection.close() for connection in connections))
