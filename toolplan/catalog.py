"""The real tools that contracts call, as their servers describe them: names, descriptions and schemas, exactly as they came.

Schemas pass through unchanged: nothing here rewrites one, and its digest is what an approval is bound to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from toolplan.domain import Tool
from toolplan.language.codec import digest
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted

ANY_ARGUMENTS: Mapping[str, object] = {"type": "object"}


@dataclass(frozen=True)
class RealTool:
    """A tool as its server describes it. `schema` is the JSON schema of its arguments, `origin` names the server.

    `hints` are the annotations of MCP, of which any may be missing, and `results` the schema of its results, empty where there is none.
    Hints are claims of the server: nothing is allowed because of them. `version` is what the server says its own is, empty where it says
    nothing, and None where nobody has asked it. `prefix` is what a host of several servers has put before the name. `left_out` is what it
    takes besides, as far as whoever described it said so and `schema` cannot.
    """

    name: str
    description: str = ""
    schema: Mapping[str, object] = field(default_factory=lambda: ANY_ARGUMENTS)
    origin: str = ""
    hints: Mapping[str, object] = field(default_factory=dict)
    results: Mapping[str, object] = field(default_factory=dict)
    version: str | None = None
    prefix: str = ""
    left_out: tuple[str, ...] = field(default=(), compare=False)

    @property
    def properties(self) -> Mapping[str, object]:
        """The schemas of its arguments by name, as far as `schema` names them at its top; one that is only required takes anything."""
        found = self.schema.get("properties")
        described: Mapping[str, object] = found if isinstance(found, Mapping) else {}
        bare: dict[str, object] = {name: {} for name in self.required if name not in described}
        return {**described, **bare} if bare else described

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the arguments that no call may leave out."""
        found = self.schema.get("required")
        return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list | tuple) else ()

    def types_of(self, parameter: str) -> tuple[str, ...]:
        """The types of JSON that `parameter` may have; none where its schema leaves them open."""
        schema = self.properties.get(parameter)
        named = schema.get("type") if isinstance(schema, Mapping) else None
        return (named,) if isinstance(named, str) else tuple(named) if isinstance(named, list | tuple) else ()

    @cached_property
    def digest(self) -> str:
        """The same for two tools that a model and an approver see as the same: name, description, schema and hints."""
        return digest([self.name, self.description, self.schema, self.hints])

    def is_as_reviewed(self, contract: Tool) -> bool:
        """Whether it is what `contract` was reviewed for: the tool with its digest, at one of its versions of the server.

        A digest is that of the tool as its server calls it, or with its prefix.
        """
        asked = contract.evidence
        if self.version is not None and not asked.is_for(self.version):
            return False
        return asked.is_of(self.digest) or asked.is_of(replace(self, name=self.name.removeprefix(self.prefix)).digest)


class Catalog(Mapping[str, RealTool]):
    """Real tools by name, in the order in which they came. Raises DomainError, with both origins, where two have one name."""

    def __init__(self, tools: Iterable[RealTool] = ()) -> None:
        self._tools: dict[str, RealTool] = {}
        clashes: list[Diagnostic] = []
        for tool in tools:
            first = self._tools.setdefault(tool.name, tool)
            if first is not tool:
                origins = " and ".join(quoted(origin or "a server without a name") for origin in (first.origin, tool.origin))
                hint = "give each server a prefix of its own: `prefixed(tools, prefix)`"
                clashes.append(Diagnostic(Code.NAME_CLASH, f"two tools are called {quoted(tool.name)}: of {origins}", None, hint))
        if clashes:
            raise DomainError(clashes)

    def __getitem__(self, name: str) -> RealTool:
        return self._tools[name]

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)


NO_TOOLS = Catalog()


def prefixed(tools: Iterable[RealTool], prefix: str) -> list[RealTool]:
    """The same tools under names that begin with `prefix`, as hosts of several servers show them."""
    return [replace(tool, name=prefix + tool.name, prefix=prefix + tool.prefix) for tool in tools]


def real_tools(listed: object, origin: str = "") -> list[RealTool]:
    """The tools of a `tools/list` answer, or of a list in the shape of MCP, OpenAI (Chat and Responses), Anthropic or Gemini, as JSON values.

    An answer may still be in its JSON-RPC envelope. Raises DomainError with every entry that is no tool.
    """
    if isinstance(listed, Mapping) and isinstance(listed.get("result"), Mapping):
        listed = listed["result"]
    entries = listed.get("tools") if isinstance(listed, Mapping) else listed
    if not isinstance(entries, list | tuple):
        raise DomainError([_no_tool("this is no list of tools")])
    wrong: list[Diagnostic] = []
    tools: list[RealTool] = []
    for number, entry in enumerate(_declarations(entries), 1):
        match entry:
            case {"type": "function", "function": {"name": str(name)} as function} if _is_name(name):
                tools.append(_real_tool(name, function, origin))
            case {"name": str(name)} if isinstance(entry, Mapping) and _is_name(name):
                tools.append(_real_tool(name, entry, origin))
            case _:
                wrong.append(_no_tool(f"entry {number} of the list of tools is no tool with a name"))
    if wrong:
        raise DomainError(wrong)
    return tools


def _is_name(name: str) -> bool:
    """Whether a contract could call it so: it is not empty, and no half of a character is in it."""
    return name != "" and name == name.encode("utf-8", "ignore").decode("utf-8")


def _declarations(entries: Iterable[object]) -> Iterator[object]:
    """The entries, with those that Gemini keeps together apart."""
    for entry in entries:
        match entry:
            case {"functionDeclarations": list(inside)} | {"function_declarations": list(inside)}:
                yield from inside
            case _:
                yield entry


def _real_tool(name: str, entry: Mapping[str, object], origin: str) -> RealTool:
    keys = ("inputSchema", "input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema")
    schema = next((value for key in keys if isinstance(value := entry.get(key), Mapping)), ANY_ARGUMENTS)
    results = entry.get("outputSchema")
    hints = entry.get("annotations")
    return RealTool(
        name,
        str(entry.get("description") or ""),
        schema,
        origin,
        hints if isinstance(hints, Mapping) else {},
        results if isinstance(results, Mapping) else {},
    )


def _no_tool(message: str) -> Diagnostic:
    return Diagnostic(Code.BAD_JSON, message, None, 'as a server answers `tools/list`: {"tools": [{"name": ..., "inputSchema": ...}]}')
