"""What a model of LangChain is sent at a step: a payload in the words of `ModelRequest`, which writes them for each provider."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, cast

from langchain.agents.middleware import ModelRequest
from langchain.agents.structured_output import AutoStrategy, ToolStrategy
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, BaseMessage
from langchain_core.tools import BaseTool, tool
from pydantic import BaseModel

from toolplan.catalog import RealTool
from toolplan.exposure import DISPATCHER, Payload, Provider, Strategy
from toolplan.exposure.declarations import dispatcher
from toolplan.exposure.names import Names
from toolplan.exposure.surfaces import SURFACES
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError

Tools = Sequence[BaseTool | Callable[..., object]]
Listed = Sequence[BaseTool | dict[str, Any]]
"""Tools as a request lists them: what the provider itself runs is a dict."""

PROVIDERS: Mapping[str, Provider] = {
    "openai": "openai",
    "azure": "openai",
    "anthropic": "anthropic",
    "google_genai": "gemini",
    "google_vertexai": "gemini",
    "amazon_bedrock": "bedrock",
}
"""By the names that LangChain's models give theirs; all others are `plain`."""
HINTS = ("title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
"""The annotations of MCP, which LangChain keeps in the metadata of a tool."""


def base_tool(given: BaseTool | Callable[..., object]) -> BaseTool:
    """A tool of LangChain; functions become one as `create_agent` makes them."""
    return given if isinstance(given, BaseTool) else tool(given)


def real_tool(listed: BaseTool, origin: str) -> RealTool:
    """A tool as a model sees it: without the arguments that LangChain injects."""
    shape = listed.tool_call_schema
    schema = shape if isinstance(shape, dict) else cast(type[BaseModel], shape).model_json_schema()
    metadata = listed.metadata or {}
    return RealTool(listed.name, listed.description, schema, origin, {hint: metadata[hint] for hint in HINTS if hint in metadata})


def provider_of(request: ModelRequest[Any]) -> Provider:
    """Whose shapes the model of `request` speaks."""
    model = request.model
    provider = PROVIDERS.get(model._get_ls_params().get("ls_provider", ""), "plain")
    return "openai-responses" if provider == "openai" and _speaks_responses(request) else provider


def wish_for(strategy: Strategy | Literal["auto"], provider: Provider, request: ModelRequest[Any]) -> Strategy | Literal["auto"]:
    """The strategy to ask for, in a conversation that begins with `request`. Raises DomainError for one that LangChain cannot take."""
    is_forced = isinstance(request.response_format, ToolStrategy | AutoStrategy)
    match strategy, provider:
        case "auto", "anthropic" if _changes_tools(request.model):
            return "append"
        case "auto", "gemini":
            return "dispatch"
        case "auto", "openai" | "openai-responses" if is_forced:
            # Some tool has to be called, and which of them is not for us to say.
            return "dispatch"
        case "allow", "gemini":
            raise _unfit("LangChain cannot tell Gemini which tools it may call without making it call one of them")
        case "search", _:
            raise _unfit("LangChain cannot declare the provider's search beside the one tool that calls all others")
        case "append", _ if not _changes_tools(request.model):
            raise _unfit("the profile of the model does not say that it takes messages of the system between others")
        case _:
            return strategy


class Declaring:
    """Declares tools of an agent. Under `allow` every step declares the same, which are remembered."""

    def __init__(self) -> None:
        self._latest: tuple[Listed, Names, Listed] = ((), Names({}, {}), ())

    def declared(self, listed: Listed, payload: Payload, held: Collection[str]) -> Listed:
        """What of `listed` is declared by `payload`, where the conversation holds the tools `held`.

        What the provider itself runs is declared as it was: its calls never come to a host.
        """
        before, names, declared = self._latest
        is_same = payload.strategy == "allow" and same_tools(before, listed) and names == payload.names
        if not is_same:
            declared = [*_declared(listed, payload, held), *(one for one in listed if isinstance(one, dict))]
            if payload.strategy == "allow":
                self._latest = tuple(listed), payload.names, declared
        return declared


def same_tools(one: Listed, other: Listed) -> bool:
    """Whether two lists hold the very same tools."""
    return len(one) == len(other) and all(map(operator.is_, one, other))


def restricted(request: ModelRequest[Any], declared: Listed, payload: Payload, said: Sequence[BaseMessage]) -> ModelRequest[Any]:
    """`request` with the tools that are `declared`, what `payload` allows of them, and `said` after its messages."""
    nothing = None if payload.shown or not SURFACES[payload.provider].limits.forbids else "none"
    return request.override(
        tools=[*declared],
        tool_choice=payload.request.get("tool_choice", nothing),
        messages=[*request.messages, *cast(Sequence[AnyMessage], said)],
    )


def _declared(listed: Listed, payload: Payload, held: Collection[str]) -> Listed:
    """The tools that `payload` declares, as those of the agent, in their order."""
    if payload.strategy == "dispatch":
        return [_dispatcher(payload)]
    names = payload.names.shown_as
    tools = {names[one.name]: one for one in listed if not isinstance(one, dict) and one.name in names}
    if payload.strategy == "allow":
        return [_renamed(one, name) for name, one in tools.items()]
    if payload.strategy == "trim":
        wanted = {names[name] for name in (*payload.shown, *held)}
        return [_renamed(one, name) for name, one in tools.items() if name in wanted]
    shapes = {shape.get("function", shape)["name"]: shape for shape in cast(Sequence[dict[str, Any]], payload.request.get("tools", ()))}
    first = [_dispatcher(payload)] if DISPATCHER in shapes else []
    declared = [(_renamed(one, name), shapes[name]) for name, one in tools.items() if name in shapes]
    return [*first, *(_deferred(one) if shape.get("defer_loading") else one for one, shape in declared)]


def _dispatcher(payload: Payload) -> dict[str, Any]:
    """In the shape that all of LangChain's models take."""
    declared = dispatcher(SURFACES[payload.provider].limits.dispatched)
    function = {"name": declared.name, "description": declared.description, "parameters": dict(declared.schema)}
    return {"type": "function", "function": function}


def _renamed(one: BaseTool, name: str) -> BaseTool:
    return one if one.name == name else one.model_copy(update={"name": name})


def _deferred(one: BaseTool) -> BaseTool:
    """What is deferred must not be cached."""
    extras = {key: value for key, value in (one.extras or {}).items() if key != "cache_control"}
    return one.model_copy(update={"extras": {**extras, "defer_loading": True}})


def _speaks_responses(request: ModelRequest[Any]) -> bool:
    """Whether an OpenAI model will use the Responses interface: it decides by several of its settings, and by what it is sent."""
    decides = getattr(request.model, "_use_responses_api", None)
    tools = [{"type": "function"}, *(one for one in request.tools if isinstance(one, dict))]
    return callable(decides) and bool(decides({**request.model_settings, "tools": tools}))


def _changes_tools(model: BaseChatModel) -> bool:
    return bool((model.profile or {}).get("mid_conversation_system_messages"))


def _unfit(message: str) -> DomainError:
    return DomainError([Diagnostic(Code.BAD_CALL, message, None, "ask for `dispatch` or `trim`")])
