"""Rules about names and texts: what providers refuse, what models look for in vain, and what readers cannot see."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from toolplan.domain import Performer, Tool
from toolplan.language import nodes
from toolplan.language.allowances import block_key
from toolplan.language.alphabets import disguised, invisible, named
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.language.resolve import Resolved
from toolplan.language.source import Location, Source

LONG = 64
"""Characters of a name that every provider takes."""
TOO_LONG = 128
"""Characters of a name that any provider takes."""
PORTABLE = re.compile(r"[A-Za-z0-9_-]*")
COMPOUND = re.compile(r"`[^`\s]+`|[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+")
"""What can only be the name of a tool in a sentence: `search_files`, `files.search`, `searchFiles`, or any word in backquotes."""


def long_names(resolved: Resolved) -> Iterator[Diagnostic]:
    """Names of real tools that some providers refuse for their length, or all."""
    for tool in _called(resolved):
        size = len(tool.call_name)
        if size > LONG:
            code, who = (Code.TOO_LONG_NAME, "any provider takes") if size > TOO_LONG else (Code.LONG_NAME, "some providers take")
            limit = TOO_LONG if size > TOO_LONG else LONG
            message = f"the name {quoted(tool.call_name)} is longer than the {limit} characters that {who}"
            yield resolved.finding(code, ("action", tool.name), message, "give the real tool a shorter name")


def unportable_names(resolved: Resolved) -> Iterator[Diagnostic]:
    """Names of real tools with characters that some providers refuse."""
    for tool in _called(resolved):
        if not PORTABLE.fullmatch(tool.call_name):
            message = f"the name {quoted(tool.call_name)} holds more than letters, digits, `_` and `-`"
            yield resolved.finding(Code.UNPORTABLE_NAME, ("action", tool.name), message, "some providers take no other characters")


def _called(resolved: Resolved) -> Iterator[Tool]:
    return (tool for tool in resolved.domain.tools.values() if tool.performer is Performer.CALL)


def hidden_tools_named(resolved: Resolved) -> Iterator[Diagnostic]:
    """Descriptions that name another tool, which the model may not see at that moment and will look for."""
    domain = resolved.domain
    names = {name: tool for tool in domain.tools.values() for name in (tool.call_name, tool.name)}
    for tool in domain.tools.values():
        for word in dict.fromkeys(found.strip("`") for found in COMPOUND.findall(tool.description)):
            other = names.get(word)
            hidden = other is not None and other is not tool and other.name not in domain.policy.always_visible
            if hidden and word not in (tool.call_name, *domain.facts):
                message = f"the description of {quoted(tool.name)} names {quoted(word)}, which may be hidden"
                hint = "the model would look for it; say what the tool does, and leave the order to the contracts"
                yield resolved.finding(Code.HIDDEN_TOOL_NAMED, ("action", tool.name), message, hint)
                break


def mixed_scripts(resolved: Resolved) -> Iterator[Diagnostic]:
    """Words in which Cyrillic or Greek letters pass for Latin ones."""
    for text, location, block in _texts(resolved):
        found = disguised(text)
        if found is not None:
            word, odd = found
            message = f"{quoted(word)} mixes alphabets: {unicodedata.name(odd).lower()} looks like a Latin letter"
            yield Diagnostic(Code.MIXED_SCRIPTS, message, location, "write the word in one alphabet", block=block)


def invisible_characters(resolved: Resolved) -> Iterator[Diagnostic]:
    """Names and strings with characters that nobody sees, or that turn the order of the others around."""
    for text, location, block in _texts(resolved):
        hidden = invisible(text)
        if hidden is not None:
            message = f"{quoted(text)} holds an invisible character: {named(hidden)}"
            yield Diagnostic(Code.INVISIBLE_CHARACTER, message, location, "remove it", block=block)


def _texts(resolved: Resolved) -> Iterator[tuple[str, Location, tuple[str, str] | None]]:
    """The names and strings that are not plain ASCII, with their places and their blocks."""
    for file in resolved.files:
        if not file.source.text.isascii() or "\\u" in file.source.text:
            for declaration in file.declarations:
                block = block_key(declaration, file.source) if isinstance(declaration, nodes.Block) else None
                for node in _words(declaration):
                    text = node.text if isinstance(node, nodes.Name) else node.value
                    if not text.isascii():
                        yield text, Location(file.source, node.span), block


def _words(node: object) -> Iterator[nodes.Name | nodes.Text]:
    """The names and strings in a node, in order."""
    if isinstance(node, nodes.Name | nodes.Text):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _words(part)
    elif is_dataclass(node) and not isinstance(node, Source):
        for field in fields(node):
            yield from _words(getattr(node, field.name))
