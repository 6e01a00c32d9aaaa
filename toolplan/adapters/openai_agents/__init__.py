"""OpenAI Agents SDK: `guarded` makes an agent of which every model request is steered, and every call goes to the gate.

- `steering`: the model, asked only where there is a choice. `door`: the tools, behind the gate. `items`: the conversation in the SDK's items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from agents import Agent, FunctionTool, Model, MultiProvider, Tool

from toolplan.adapters.guide import Guide
from toolplan.adapters.openai_agents.door import Door
from toolplan.adapters.openai_agents.items import Asks
from toolplan.adapters.openai_agents.steering import SteeredModel
from toolplan.catalog import Catalog, RealTool
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted

__all__ = ["Asks", "catalog_of", "guarded"]

T = TypeVar("T")


def guarded(agent: Agent[T], guide: Guide, *, asks: Asks = "text") -> Agent[T]:
    """`agent` as `guide` drives it: its model is steered, and its tools are behind the gate.

    Raises DomainError for tools that are run past the gate (of MCP servers or of the provider), for two of one name, and for
    a strategy that the SDK cannot follow.
    """
    tools = [tool for tool in agent.tools if isinstance(tool, FunctionTool)]
    if found := [*_past_the_gate(agent), *_not_followed(guide)]:
        raise DomainError(found)
    catalog_of(tools)
    model = agent.model if isinstance(agent.model, Model) else MultiProvider().get_model(agent.model)
    door = Door(guide, asks, tools)
    behind: list[Tool] = [*door.tools()]
    return agent.clone(model=SteeredModel(model, guide, asks, door.waiting), tools=behind, model_settings=agent.model_settings)


def catalog_of(tools: Iterable[Tool], origin: str = "") -> Catalog:
    """The function tools among `tools`, for the session."""
    return Catalog(
        RealTool(tool.name, tool.description, tool.params_json_schema, origin) for tool in tools if isinstance(tool, FunctionTool)
    )


def _past_the_gate(agent: Agent[Any]) -> Iterator[Diagnostic]:
    for tool in agent.tools:
        if not isinstance(tool, FunctionTool):
            yield Diagnostic(Code.BAD_CALL, f"{quoted(tool.name)} is run past the gate", None, "give it to an agent of its own")
    for server in agent.mcp_servers:
        hint = "clone the agent: `mcp_servers=[]`, `tools=await agent.get_all_tools(...)`"
        yield Diagnostic(Code.BAD_CALL, f"the tools of the server {quoted(server.name)} are run past the gate", None, hint)


def _not_followed(guide: Guide) -> Iterator[Diagnostic]:
    provider, strategy = guide.exposure.provider, guide.exposure.strategy
    if strategy in ("append", "search") or (strategy == "allow" and provider not in ("openai", "openai-responses")):
        message = f"the Agents SDK cannot follow the strategy `{strategy}` with {provider}"
        yield Diagnostic(Code.BAD_CALL, message, None, "take the strategy `dispatch` or `trim`")
