"""Contracts against the schemas of the tools they call, where a server's `tools/list` answer is at hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as FilePath

from toolplan.catalog import Catalog, RealTool, real_tools
from toolplan.domain import AtomicFormula, Domain, Fact, IfKnown, Literal, Path, Tool
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.resolve import Resolved
from toolplan.language.source import Location, Source, Span
from toolplan.language.suggest import Suggester
from toolplan.receipts.reading import bytes_in

FIRST_NAME = re.compile(r"\$\.([A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*)")
TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "array": list,
    "object": dict,
    "null": type(None),
}
WRITTEN_AS: Mapping[str, frozenset[str]] = {
    "integer": frozenset({"integer", "number", "string"}),
    "decimal": frozenset({"integer", "number"}),
    "boolean": frozenset({"boolean"}),
    **dict.fromkeys(("text", "date", "datetime", "duration", "email", "url", "enum"), frozenset({"string"})),
}
"""The types of JSON as which the values of a fact are passed, by its type of values: whole numbers also as text."""


def read_tools(path: FilePath) -> Catalog:
    """The tools in a file: a `tools/list` answer, or a list of tools. Raises DomainError where it is neither, or names two of them alike."""
    return catalog_of(bytes_in(path), path)


def catalog_of(data: bytes, path: FilePath) -> Catalog:
    """The tools in `data`, which is what the file at `path` holds. Raises DomainError as `read_tools` does."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot read {quoted(str(path))}: it is not utf-8")]) from None
    return Catalog(tools_in(text, str(path), path.name))


def tools_in(text: str, name: str, origin: str) -> list[RealTool]:
    """The tools in a text, which findings call `name`. Raises DomainError where it is no list of tools."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        at = error.pos if isinstance(error, json.JSONDecodeError) else 0
        location = Location(Source(name, text), Span(at, at + 1))
        raise DomainError([Diagnostic(Code.BAD_JSON, "the list of tools is no JSON", location)]) from None
    return real_tools(data, origin)


def _closed_properties(schema: Mapping[str, object]) -> Mapping[str, object]:
    """The properties of a result, where the schema lists them all: without that, any path may lead somewhere."""
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) and schema.get("additionalProperties", False) is False else {}


def against_schemas(resolved: Resolved, real: Catalog) -> Iterator[Diagnostic]:
    """What in the contracts does not fit the real tools. Contracts whose tool the server does not have are reported, too."""
    suggester = Suggester()
    for tool in resolved.domain.tools.values():
        place = resolved.places["action", tool.name]
        found = real.get(tool.call_name)
        if found is None:
            hint = suggester.hint(tool.call_name, real)
            yield Diagnostic(Code.UNKNOWN_REAL_TOOL, f"the server has no tool {quoted(tool.call_name)}", place, hint)
        else:
            yield from _digest(tool, found, place)
            yield from _arguments(resolved.domain, tool, found, place, suggester)
            yield from _results(tool, found, place, suggester)
            yield from _hints(resolved, tool, found, place)


def _digest(tool: Tool, real: RealTool, place: Location) -> Iterator[Diagnostic]:
    if not real.is_as_reviewed(tool):
        message = f"{quoted(real.name)} is not the tool that the contract {quoted(tool.name)} was reviewed for"
        yield Diagnostic(Code.CHANGED_REAL_TOOL, message, place, f'see what has changed; the digest is now "sha256:{real.digest}"')


def _arguments(domain: Domain, tool: Tool, real: RealTool, place: Location, suggester: Suggester) -> Iterator[Diagnostic]:
    passes = tool.interface.passes
    for name, source in passes.items():
        schema = real.properties.get(name)
        if name not in real.properties:
            message = f"{quoted(real.name)} has no parameter {quoted(name)}"
            yield Diagnostic(Code.UNKNOWN_REAL_PARAMETER, message, place, suggester.hint(name, real.properties))
        elif isinstance(source, Literal) and isinstance(schema, dict) and not _fits(source.value, schema, real.types_of(name)):
            message = f"{quoted(real.name)} does not take {json.dumps(source.value)} as {quoted(name)}"
            yield Diagnostic(Code.UNFIT_LITERAL, message, place, _choices(schema))
        elif isinstance(source, AtomicFormula | IfKnown):
            fact = domain.facts[source.atom.fact if isinstance(source, IfKnown) else source.fact]
            yield from _fact(fact, real, name, place)
    missing = [name for name in real.required if isinstance(passes.get(name), IfKnown | None)]
    if passes and missing:
        message = f"{quoted(real.name)} requires {', '.join(map(quoted, missing))}, and {quoted(tool.name)} does not always pass it"
        yield Diagnostic(Code.MISSING_REAL_PARAMETER, message, place, "pass a fact, a literal, `from` facts, or `free`")


def _fact(fact: Fact, real: RealTool, parameter: str, place: Location) -> Iterator[Diagnostic]:
    """That the values of `fact` have a type which `parameter` never takes."""
    taken = real.types_of(parameter)
    if fact.value is None or fact.many or fact.value.kind not in WRITTEN_AS or not taken:
        return
    if WRITTEN_AS[fact.value.kind].isdisjoint(taken):
        message = f"{quoted(real.name)} takes {' or '.join(taken)} as {quoted(parameter)}, and {quoted(fact.name)} is {fact.value.kind}"
        yield Diagnostic(Code.UNFIT_FACT, message, place, "give the fact a type of values that the tool takes")


def _results(tool: Tool, real: RealTool, place: Location, suggester: Suggester) -> Iterator[Diagnostic]:
    """Paths whose first name the result does not have."""
    names = _closed_properties(real.results)
    paths = [reader.text for _, reader in tool.interface.returns if isinstance(reader, Path)] + list(tool.interface.fails_when)
    for path in paths:
        first = FIRST_NAME.match(path)
        if first and names and first[1] not in names:
            message = f"the result of {quoted(real.name)} has no {quoted(first[1])}, where {quoted(tool.name)} looks for `{path}`"
            yield Diagnostic(Code.UNKNOWN_RESULT, message, place, suggester.hint(first[1], names))


def _fits(value: object, schema: Mapping[str, object], types: Sequence[str]) -> bool:
    """Whether a literal is of one of `types` and among the values of a schema; what the schema does not say is no objection."""
    options = schema.get("enum")
    if isinstance(options, list) and value not in options:
        return False
    kinds = [TYPES[name] for name in types if name in TYPES]
    if isinstance(value, bool):
        return not kinds or bool in kinds
    return not kinds or any(isinstance(value, kind) for kind in kinds)


def _choices(schema: Mapping[str, object]) -> str:
    options = schema.get("enum")
    return f"it takes {', '.join(json.dumps(option) for option in options[:8])}" if isinstance(options, list) else ""


def _hints(resolved: Resolved, tool: Tool, real: RealTool, place: Location) -> Iterator[Diagnostic]:
    """Where contract and hints contradict each other; a hint that is missing says nothing here."""
    safe = resolved.domain.risk_of(tool).safe
    if safe and (real.hints.get("destructiveHint") is True or real.hints.get("readOnlyHint") is False) and not _is_told_apart(tool):
        message = f"{quoted(tool.name)} is rated safe, and the server says that {quoted(real.name)} changes something"
        yield Diagnostic(Code.CONTRADICTS_HINT, message, place, "rate it above safe, or pass the literal that makes it read")
    if not safe and tool.risk is not None and tool.removes and real.hints.get("readOnlyHint") is True:
        message = f"{quoted(tool.name)} removes facts, and the server says that {quoted(real.name)} only reads"
        yield Diagnostic(Code.CONTRADICTS_HINT, message, place, "see which of them is right")


def _is_told_apart(tool: Tool) -> bool:
    """Whether a literal picks one operation of a tool that has several, so that its hints speak of the worst of them."""
    return any(isinstance(source, Literal) for source in tool.interface.passes.values())
