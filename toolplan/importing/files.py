"""Lists of tools as they are read and kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from toolplan.catalog import RealTool
from toolplan.checks.schemas import catalog_of
from toolplan.importing.tools.openapi import operations
from toolplan.importing.yaml import read_yaml
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.source import Location, Source, Span
from toolplan.receipts.reading import bytes_in

ENDING = ".tools.json"
"""Of the file with the exact schemas, beside that of the domain."""


@dataclass(frozen=True)
class Listing:
    """Tools, and the list of them that is kept byte for byte, for `toolplan check --tools`."""

    tools: tuple[RealTool, ...]
    kept: bytes


def beside(domain: Path) -> Path:
    """Where the list of the tools of a domain file stands."""
    return domain.parent / (domain.stem + ENDING)


def read_listing(path: Path) -> Listing:
    """The list of tools in a file, which is kept as it is. Raises DomainError."""
    data = bytes_in(path)
    return Listing(tuple(catalog_of(data, path).values()), data)


def read_openapi(path: Path) -> Listing:
    """The operations of the OpenAPI document in a file of JSON, or of YAML where PyYAML is installed. Raises DomainError."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot read {quoted(str(path))}: {reason.lower()}")]) from None
    document = _json(path, text) if path.suffix == ".json" or text.lstrip().startswith("{") else read_yaml(str(path), text)
    return listing_of(operations(document, path.name))


def listing_of(tools: Iterable[RealTool]) -> Listing:
    """Tools that came from anywhere but a list, with the list of them that a server would give: one a line."""
    found = tuple(tools)
    # What is half of a character becomes an escape, which means the same in JSON.
    lines = ",\n".join(json.dumps(_entry(tool), ensure_ascii=False, separators=(", ", ": ")) for tool in found)
    return Listing(found, f'{{"tools": [\n{lines}\n]}}\n'.encode("utf-8", "backslashreplace"))


def _entry(tool: RealTool) -> Mapping[str, object]:
    entry: dict[str, object] = {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}
    entry |= {"annotations": tool.hints} if tool.hints else {}
    return entry | ({"outputSchema": tool.results} if tool.results else {})


def _json(path: Path, text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        at = error.pos if isinstance(error, json.JSONDecodeError) else 0
        location = Location(Source(str(path), text), Span(at, at + 1))
        raise DomainError([Diagnostic(Code.BAD_JSON, "the document is no JSON", location)]) from None
