"""The tools of a running server, through the official SDK, which is imported here."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Sequence

from mcp import Client

from toolplan.adapters.mcp import Connection, catalog_of
from toolplan.catalog import RealTool
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.serving.configuration import Process, Remote, Target
from toolplan.serving.connections import CLIENT
from toolplan.serving.transports import reached

PATIENCE = 60.0
"""Seconds for a server to start and to answer."""


def listed(words: Sequence[str]) -> list[RealTool]:
    """The tools of the server at a URL, or of the one that a command starts, here and with the variables of this process.

    Raises DomainError where it does not answer as a server.
    """
    parts = shlex.split(words[0]) if len(words) == 1 else list(words)
    target: Target = Process(parts[0], tuple(parts[1:]), dict(os.environ))
    if len(parts) == 1 and parts[0].startswith(("http://", "https://")):
        target = Remote(parts[0])
    try:
        return asyncio.run(asyncio.wait_for(_tools(target, parts[0]), PATIENCE))
    except DomainError:
        raise
    except Exception as error:
        # Transports raise what their libraries do.
        message = f"no tools came from {quoted(parts[0])}: {_reason(error)}"
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, message, None, "see that the server runs, and speaks MCP there")]) from None


async def _tools(target: Target, origin: str) -> list[RealTool]:
    async with Client(reached(target), client_info=CLIENT) as client:
        return list((await catalog_of([Connection(client, origin)])).values())


def _reason(error: BaseException) -> str:
    match error:
        case BaseExceptionGroup(exceptions=[first, *_]):
            return _reason(first)
        case TimeoutError():
            return "it has not answered in time"
        case OSError(strerror=str(words)):
            return words.lower()
    return f"it failed with {type(error).__name__}"
