"""An agent over a server of MCP, whose tools are called in the order that contracts say. The model is a script, and wants to create at once.

Run it: python examples/mcp_agent.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, Tool

import toolplan
from toolplan.adapters.guide import Ask, Choose, Guide, Make
from toolplan.adapters.mcp import Connection, Host, catalog_of
from toolplan.gate import Gate, ToolCall

DOMAIN = toolplan.loads("""
  fact bucket: text "the name of the bucket"
  fact scanned
  fact created
  tool run_checkov { "Scan the plan." produces scanned risk read }
  tool create_resource { "Create it." requires scanned, bucket passes name = bucket produces created risk write confirm }
  goal create_bucket { "Create a bucket." achieves created given bucket phrases "create a bucket called {bucket}" }
""")


async def main() -> None:
    async with Client(SERVER) as client:
        servers = [Connection(client, "cloud")]
        host = Host(Guide.of(Gate(toolplan.Session(DOMAIN, catalog=await catalog_of(servers))), "plain"), servers)
        for number, text in enumerate(("Create a bucket called logs", "yes")):
            await host.guide.aheard(f"turn {number}", text)
            await turn(host)


async def turn(host: Host) -> None:
    while True:
        match await host.step():
            case Ask(_, question):
                return print(f"agent: {question}")
            case Make(call):
                said(await host.make(call))
            case Choose(payload):
                calls = model(payload.note, await host.list_tools())
                if not calls:
                    return print("agent: Done.")
                for result in await host.call_tools(calls):
                    said(result)


# A server, and a script in place of a model

SERVER = MCPServer("cloud")
SCRIPT = [ToolCall("1", "create_resource", {"name": "logs"}), ToolCall("2", "run_checkov", {})]


@SERVER.tool()
def run_checkov() -> dict[str, int]:
    return {"failures": 0}


@SERVER.tool()
def create_resource(name: str) -> str:
    return f"{name} is there"


def model(note: str, tools: Sequence[Tool]) -> list[ToolCall]:
    print(f"model sees: {', '.join(tool.name for tool in tools) or 'nothing'}")
    return [SCRIPT.pop(0)] if SCRIPT else []


def said(result: CallToolResult) -> None:
    print(f"tool: {' '.join(getattr(block, 'text', '').replace(chr(10), '') for block in result.content)}")


if __name__ == "__main__":
    asyncio.run(main())
