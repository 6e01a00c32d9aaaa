"""A file as its declarations, each with the text that it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolplan.language import nodes
from toolplan.language.diagnostics import DomainError
from toolplan.language.parser import parse
from toolplan.language.source import Source, Span

Key = tuple[str, str]
"""The kind of a declaration and its name."""
LINE_END = re.compile(r"\r\n|\r|\n|\Z")


@dataclass(frozen=True)
class Declared:
    """A declaration, the lines of comments above it, and the rest of its text: from its first letter to the end of its last line."""

    key: Key
    node: nodes.Declaration
    above: str
    text: str

    @property
    def comments(self) -> tuple[str, ...]:
        """The comments above it."""
        return tuple(line.strip() for line in self.above.splitlines() if line.strip())

    def inside(self, span: Span) -> Span:
        """`span`, which lies in the declaration, as a part of `text`."""
        return Span(span.start - self.node.span.start, span.end - self.node.span.start)


Declarations = Mapping[Key, Declared]


def declared(source: Source) -> tuple[Declarations, str]:
    """The declarations of `source` in their order, and what stands below the last. Raises DomainError where it cannot be read."""
    file, findings = parse(source)
    if findings:
        raise DomainError(findings)
    found: dict[Key, Declared] = {}
    at = 0
    for node in file.declarations:
        ends = LINE_END.search(source.text, node.span.end)
        end = ends.start() if ends else node.span.end
        following = (other.span.start for other in file.declarations if node.span.end <= other.span.start < end)
        end = min(following, default=end)
        key = _key(node)
        while key in found:
            key = key[0], key[1] + "'"
        found[key] = Declared(key, node, source.text[at : node.span.start], source.text[node.span.start : end])
        at = end
    return found, source.text[at:]


def _key(node: nodes.Declaration) -> Key:
    match node:
        case nodes.Header():
            return "domain", ""
        case nodes.Import(path=path):
            return "import", path.value
        case nodes.ConstantDeclaration(names=names):
            return "constant", names[0].text
        case nodes.TypeDeclaration(name=name):
            return "type", name.text
        case nodes.FactDeclaration(name=name):
            return "fact", name.text
        case nodes.Block(kind=kind, name=name):
            return kind, name.text if isinstance(name, nodes.Name) else name.value


def named(node: object) -> Iterator[str]:
    """Every name inside `node`."""
    left = [node]
    while left:
        match left.pop():
            case nodes.Name(text=text):
                yield text
            case tuple() as items:
                left.extend(items)
            case Span() | str() | int() | None:
                pass
            case other if hasattr(other, "__dataclass_fields__"):
                left.extend(getattr(other, field) for field in other.__dataclass_fields__)
