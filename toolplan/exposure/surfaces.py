"""The shapes of each provider's requests. Translation only, without a package of any of them.

Limits and shapes are those of the providers' references as of November 2026; the tests hold them against the types of their packages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from toolplan.exposure.declarations import Declaration
from toolplan.exposure.names import NameRule
from toolplan.exposure.providers import Choice, History, Json, Limits, NoCall, Only, Provider, Whichever

WORDS = "a-zA-Z0-9_-"
MANY = 10_000
"""Tools of a provider that names no smaller number."""
TOOL_CHANGES = "mid-conversation-tool-changes-2026-07-01"
"""The beta of Anthropic under which tools are added and removed by reference."""
CHANGING = (
    *("claude-opus-4-8", "claude-opus-5", "claude-sonnet-5-5", "claude-haiku-5-5"),
    *("claude-fable-5", "claude-mythos-5"),
)
"""How the names of Anthropic's models begin that take such changes."""
ANTHROPIC_SEARCH: Json = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
OPENAI_SEARCH: Json = {"type": "tool_search"}
"""The searches of providers over what is deferred, as tools that they run themselves."""


def at_the_end(conversation: Sequence[object], messages: Sequence[Json]) -> list[object]:
    """`conversation`, and `messages` after it."""
    return [*conversation, *messages]


@dataclass(frozen=True, slots=True)
class Surface:
    """The shapes of one provider: `tool` is a tool as it is declared; `request` says that these, of which there are some, are declared, and
    what of them may be called; `message` is one of the user's turn, and `appended` a conversation with such messages at its end.

    `search` is the provider's own search over what is deferred, if it has one, as it is declared.

    A message may quote what results say, so it never has the role of the system.
    """

    limits: Limits
    tool: Callable[[Declaration], Json]
    request: Callable[[Sequence[Json], Choice], dict[str, object]]
    message: Callable[[str], Json]
    appended: Callable[[Sequence[object], Sequence[Json]], list[object]] = at_the_end
    search: tuple[Json, ...] = ()

    def tools(self, declared: Sequence[Declaration]) -> list[Json]:
        """All of them as they are declared."""
        return [self.tool(declaration) for declaration in declared]


def tool_change(added: Sequence[str], removed: Sequence[str]) -> Json:
    """The message that changes what Claude is offered. It stands after the user's turn and before Claude's, and stays there."""
    blocks = [("tool_addition", name) for name in added] + [("tool_removal", name) for name in removed]
    return {"role": "system", "content": [{"type": kind, "tool": {"type": "tool_reference", "name": name}} for kind, name in blocks]}


def _described(tool: Declaration) -> dict[str, object]:
    """Some providers take no empty description."""
    return {"name": tool.name, "description": tool.description} if tool.description else {"name": tool.name}


def _deferred(tool: Declaration) -> Json:
    return {"defer_loading": True} if tool.deferred else {}


def _user_text(text: str) -> Json:
    return {"role": "user", "content": text}


# OpenAI


def _with_properties(schema: Json) -> Json:
    """OpenAI refuses an object without `properties`, though to name none is to say the same."""
    return schema if "properties" in schema else {**schema, "properties": {}}


def _chat_tool(tool: Declaration) -> Json:
    return {"type": "function", "function": {**_described(tool), "parameters": _with_properties(tool.schema)}}


def _chat_request(tools: Sequence[Json], choice: Choice) -> dict[str, object]:
    match choice:
        case Only(names):
            allowed = [{"type": "function", "function": {"name": name}} for name in names]
            return {"tools": tools, "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": allowed}}}
        case _:
            return {"tools": tools, "tool_choice": _word(choice)}


def _responses_tool(tool: Declaration) -> Json:
    """A strict schema would be another schema."""
    return {"type": "function", **_described(tool), "parameters": _with_properties(tool.schema), "strict": False, **_deferred(tool)}


def _responses_request(tools: Sequence[Json], choice: Choice) -> dict[str, object]:
    match choice:
        case Only(names):
            allowed = [{"type": "function", "name": name} for name in names]
            return {"tools": tools, "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": allowed}}
        case _:
            return {"tools": tools, "tool_choice": _word(choice)}


def _responses_message(text: str) -> Json:
    return {"type": "message", "role": "user", "content": text}


def _word(choice: Choice) -> str:
    return "none" if isinstance(choice, NoCall) else "auto"


# Anthropic


def _anthropic_tool(tool: Declaration) -> Json:
    return {**_described(tool), "input_schema": tool.schema, **_deferred(tool)}


def _anthropic_request(tools: Sequence[Json], choice: Choice) -> dict[str, object]:
    """What is deferred is found by the search, or else added by reference, which is a beta."""
    by_reference = ANTHROPIC_SEARCH not in tools and any("defer_loading" in tool for tool in tools)
    betas = {"betas": [TOOL_CHANGES]} if by_reference else {}
    return {"tools": tools, "tool_choice": {"type": _word(choice)}, **betas}


def _anthropic_message(text: str) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


# Gemini, in the names of its REST interface, which its Python package takes as well


def _gemini_tool(tool: Declaration) -> Json:
    return {**_described(tool), "parametersJsonSchema": tool.schema}


def _gemini_request(tools: Sequence[Json], choice: Choice) -> dict[str, object]:
    return {"tools": [{"functionDeclarations": tools}], "toolConfig": {"functionCallingConfig": _gemini_choice(choice)}}


def _gemini_choice(choice: Choice) -> Json:
    """Under `VALIDATED` words stay possible; `ANY` would force a call, and without names any call."""
    match choice:
        case Whichever():
            return {"mode": "AUTO"}
        case Only(names):
            return {"mode": "VALIDATED", "allowedFunctionNames": list(names)}
        case NoCall():
            return {"mode": "NONE"}


def _gemini_message(text: str) -> Json:
    return {"role": "user", "parts": [{"text": text}]}


# Bedrock


def _bedrock_tool(tool: Declaration) -> Json:
    return {"toolSpec": {**_described(tool), "inputSchema": {"json": tool.schema}}}


def _bedrock_request(tools: Sequence[Json], choice: Choice) -> dict[str, object]:
    return {"toolConfig": {"tools": tools, "toolChoice": {"auto": {}}}}


def _bedrock_message(text: str) -> Json:
    return {"role": "user", "content": [{"text": text}]}


def _in_the_last_turn(conversation: Sequence[object], messages: Sequence[Json]) -> list[object]:
    """Turns must alternate, so that what follows the user's last turn becomes part of it."""
    match list(conversation):
        case [*before, {"role": "user", "content": [*content], **rest}]:
            more = [block for message in messages for block in _content(message)]
            return [*before, {"role": "user", "content": [*content, *more], **rest}]
        case _:
            return at_the_end(conversation, messages)


def _content(message: Json) -> Sequence[object]:
    content = message["content"]
    return content if isinstance(content, list) else [content]


# A host that writes its requests itself


def _plain_tool(tool: Declaration) -> Json:
    return {**_described(tool), "parameters": tool.schema}


def _plain_request(tools: Sequence[Json], choice: Choice) -> dict[str, object]:
    return {"tools": tools, "tool_choice": _word(choice)}


_OPENAI = Limits(("allow", "dispatch", "trim"), NameRule(WORDS, WORDS, 64), 128)
_RESPONSES = replace(_OPENAI, strategies=(*_OPENAI.strategies, "search"))
_ANTHROPIC = Limits(("append", "dispatch", "trim", "search"), NameRule(WORDS, WORDS, 128), MANY, history=History.ANY)
_GEMINI = Limits(
    ("allow", "dispatch", "trim"),
    NameRule("a-zA-Z0-9_.:-", "a-zA-Z_", 64),
    128,
    history=History.EACH,
    # An object of which no properties are named may come back empty.
    dispatched={"type": "string"},
)
_BEDROCK = Limits(("dispatch", "trim"), NameRule(WORDS, WORDS, 64), MANY, history=History.ANY, forbids=False)
_PLAIN = Limits(("trim", "dispatch"), NameRule("a-zA-Z0-9_./:-", "a-zA-Z0-9_./:-", 128), MANY, unfit=())

SURFACES: Mapping[Provider, Surface] = {
    "openai": Surface(_OPENAI, _chat_tool, _chat_request, _user_text),
    "openai-responses": Surface(_RESPONSES, _responses_tool, _responses_request, _responses_message, search=(OPENAI_SEARCH,)),
    "anthropic": Surface(_ANTHROPIC, _anthropic_tool, _anthropic_request, _anthropic_message, search=(ANTHROPIC_SEARCH,)),
    "gemini": Surface(_GEMINI, _gemini_tool, _gemini_request, _gemini_message),
    "bedrock": Surface(_BEDROCK, _bedrock_tool, _bedrock_request, _bedrock_message, _in_the_last_turn),
    "plain": Surface(_PLAIN, _plain_tool, _plain_request, _user_text),
}
