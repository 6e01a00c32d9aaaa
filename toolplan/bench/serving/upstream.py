"""The server of the shop, as a program of its own: `python -m toolplan.bench.serving.upstream PORT LEDGER`.

Every payment is a line of the ledger, a file to which lines are only added.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer

from toolplan.bench.serving import shop

TAKES = 5.0
"""Seconds of a payment with which the shop takes its time."""


def server_of(ledger: Path) -> MCPServer:
    """The shop that writes its payments into `ledger`."""
    server = MCPServer("shop")

    @server.tool(name=shop.QUOTE)
    def quote(order: int) -> dict[str, int]:
        """What an order costs."""
        return {"price": shop.price_of(order)}

    @server.tool(name=shop.PAY)
    async def pay(order: int, price: int) -> str:
        """Pays an order."""
        if shop.is_slow(order) and order % 2:
            await asyncio.sleep(TAKES)
        _write(ledger, f"{order} {price}\n")
        if shop.is_slow(order) and not order % 2:
            await asyncio.sleep(TAKES)
        return "paid"

    return server


def _write(ledger: Path, line: str) -> None:
    file = os.open(ledger, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


if __name__ == "__main__":
    server_of(Path(sys.argv[2])).run("streamable-http", port=int(sys.argv[1]), stateless_http=True)
