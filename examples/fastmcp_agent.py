"""A host of FastMCP with a server mounted in process; the middleware shows and runs what contracts say. The user agrees in a form.

Run it: python examples/fastmcp_agent.py
"""

from __future__ import annotations

import asyncio

from fastmcp import Client, Context, FastMCP

import toolplan
from toolplan.adapters.fastmcp import Toolplan, catalog_of
from toolplan.adapters.guide import Guide
from toolplan.gate import Gate

DOMAIN = toolplan.loads("""
  fact bucket: text "the name of the bucket"
  fact scanned
  fact created
  tool run_checkov calls "cloud_run_checkov" { "Scan the plan." produces scanned risk read }
  tool create_resource calls "cloud_create_resource" {
    "Create it." requires scanned, bucket passes name = bucket produces created risk write confirm
  }
  goal create_bucket { "Create a bucket." achieves created given bucket phrases "create a bucket called {bucket}" }
""")


async def main() -> None:
    host = FastMCP("host")
    host.mount(CLOUD, namespace="cloud")
    guide = Guide.of(Gate(toolplan.Session(DOMAIN, catalog=await catalog_of(host))), "plain")
    host.add_middleware(Toolplan(guide))
    guide.heard("turn 1", "Create a bucket called logs")
    async with Client(host, elicitation_handler=user) as client:
        for name in SCRIPT:
            print(f"model sees: {', '.join(tool.name for tool in await client.list_tools())}")
            result = await client.call_tool_mcp(name, {})
            print(f"{name}: {' '.join(getattr(block, 'text', '') for block in result.content)}")


# A server, a user, and a script in place of a model

CLOUD = FastMCP("cloud")
SCRIPT = ["cloud_create_resource", "cloud_run_checkov", "cloud_create_resource"]


@CLOUD.tool
def run_checkov() -> dict[str, int]:
    return {"failures": 0}


@CLOUD.tool
def create_resource(name: str) -> str:
    return f"{name} is there"


async def user(message: str, form: type, params: object, context: Context) -> dict[str, bool]:
    print(f"user is asked: {message}")
    return {"answer": True}


if __name__ == "__main__":
    asyncio.run(main())
