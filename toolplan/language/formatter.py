"""Syntax tree to text: the one layout of the language, with every comment kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from toolplan.language import nodes, notation
from toolplan.language.diagnostics import DomainError
from toolplan.language.layout import SPACE, Line, Part, Series, fill, fits, flat, prefixed, render
from toolplan.language.parser import parse
from toolplan.language.source import Source, Span

_Plain = nodes.Header | nodes.Import | nodes.TypeDeclaration | nodes.ConstantDeclaration | nodes.FactDeclaration
"""A declaration without clauses."""

INDENT = "  "
BLANK_LINE = re.compile(r"\n\s*\n")
BRACE = re.compile(r"#[^\r\n]*|\{")
"""The brace that opens a block, or a comment, which may hold one that does not."""


class MisreadError(AssertionError):
    """What was written does not read as what was to be written: a mistake of the formatter."""


def format_source(source: Source) -> str:
    """The text of `source` in the one layout. Raises DomainError where it cannot be read."""
    file, findings = parse(source)
    if findings:
        raise DomainError(findings)
    return format_file(file)


def format_file(file: nodes.File) -> str:
    """`file`, which was read without a finding, in the one layout, with the line ends that its source has.

    The result is read again: raises MisreadError where that does not give the same tree and the same comments.
    """
    # The last line end: one before it may be part of a text.
    end = "\r\n" if file.source.text.rpartition("\n")[0].endswith("\r") else "\n"
    text = "".join(line + end for line in render(_file(file)))
    again, findings = parse(Source(file.source.name, text))
    if findings or again.declarations != file.declarations or _remarks(again) != _remarks(file):
        raise MisreadError(f"`{file.source.name}` would not mean the same once formatted")
    return text


def _remarks(file: nodes.File) -> list[str]:
    return [comment.text.rstrip() for comment in file.comments]


@dataclass(frozen=True, slots=True)
class _Around:
    """The comments of one of several things that follow each other: `after` is the one at the end of its line."""

    above: tuple[nodes.Comment, ...]
    inside: tuple[nodes.Comment, ...]
    after: tuple[nodes.Comment, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """Lines that stand together, and where they stood. `tall` where blank lines belong around them."""

    span: Span
    lines: tuple[Line, ...]
    tall: bool = False
    is_comment: bool = False


def _file(file: nodes.File) -> list[Line]:
    text = file.source.text
    around, rest = _attached([declaration.span for declaration in file.declarations], file.comments, text)
    entries = []
    for declaration, comments in zip(file.declarations, around, strict=True):
        entries += [*map(_remark, comments.above), _declaration(declaration, comments, text)]
    return _spaced([*entries, *map(_remark, rest)], text)


def _attached(spans: Sequence[Span], comments: Sequence[nodes.Comment], text: str) -> tuple[list[_Around], Sequence[nodes.Comment]]:
    """The comments of each of `spans`, and those after the last."""
    at = 0

    def take_before(offset: int) -> tuple[nodes.Comment, ...]:
        nonlocal at
        start = at
        while at < len(comments) and comments[at].span.start < offset:
            at += 1
        return tuple(comments[start:at])

    around = []
    for number, span in enumerate(spans):
        above, inside = take_before(span.start), take_before(span.end)
        limit = spans[number + 1].start if number + 1 < len(spans) else len(text)
        line_end = re.compile(r"[\r\n]").search(text, span.end, limit)
        around.append(_Around(above, inside, take_before(line_end.start() if line_end else limit)))
    return around, comments[at:]


def _spaced(entries: Sequence[_Entry], text: str) -> list[Line]:
    """The lines of all entries, one blank line where the source has any, and around what is tall."""
    lines = list(entries[0].lines) if entries else []
    leads_to_tall = _leading_to_tall(entries, text)
    for number, (before, entry) in enumerate(pairwise(entries), start=1):
        if before.tall or _is_apart(before, entry, text) or (number in leads_to_tall and not before.is_comment):
            lines.append(Line(""))
        lines += entry.lines
    return lines


def _leading_to_tall(entries: Sequence[_Entry], text: str) -> set[int]:
    """Which entries are tall, or comments directly above one that is."""
    found: set[int] = set()
    for number in reversed(range(len(entries))):
        entry = entries[number]
        goes_on = entry.is_comment and number + 1 in found and not _is_apart(entry, entries[number + 1], text)
        if entry.tall or goes_on:
            found.add(number)
    return found


def _is_apart(before: _Entry, after: _Entry, text: str) -> bool:
    return BLANK_LINE.search(text, before.span.end, max(before.span.end, after.span.start)) is not None


# Declarations


def _declaration(node: nodes.Declaration, comments: _Around, text: str) -> _Entry:
    if isinstance(node, nodes.Block):
        above, lines = _block(node, comments, text)
    else:
        above = _remarks_of(comments.inside)
        lines = _described(*_head(node))
        lines[-1] = _with_comment(lines[-1], comments.after)
    is_tall = len(lines) > 1 or "\n" in lines[0].text
    return _Entry(_extended(node.span, comments.after), (*above, *lines), is_tall)


def _head(node: _Plain) -> tuple[Part, nodes.Text | None, str]:
    """A declaration without its description, the description, and the word that tells with which others it aligns."""
    match node:
        case nodes.Header():
            return f"domain {notation.name(node.name)}", node.description, "domain"
        case nodes.Import():
            return f"import {notation.text(node.path)}", None, "import"
        case nodes.TypeDeclaration():
            parent = f": {notation.name(node.parent)}" if node.parent else ""
            return f"type {notation.name(node.name)}{parent}", node.description, "type"
        case nodes.ConstantDeclaration():
            names = tuple(map(notation.name, node.names))
            return Series("constant ", names, f": {notation.name(node.type)}"), node.description, "constant"
        case nodes.FactDeclaration():
            return _fact(node), node.description, "fact"


def _fact(node: nodes.FactDeclaration) -> Part:
    """A fact without its description; where that is too long, its options are broken, or else its parameters."""
    opening = f"fact {notation.name(node.name)}"
    parts = tuple(map(notation.typed, node.parameters))
    closing = f": {notation.name(node.value)}" if node.value else ""
    if node.options:
        opening = f"{opening}{'(' if parts else ''}{', '.join(parts)}{')' if parts else ''}{closing}"
        parts, closing = tuple(map(notation.text, node.options)), ""
    closing += "".join(f" {trait.word}{' ' if trait.duration else ''}{trait.duration}" for trait in node.traits)
    return Series(f"{opening}(", parts, f"){closing}") if parts else opening + closing


def _described(head: Part, description: nodes.Text | None, kind: str) -> list[Line]:
    *before, last = fill(head, 0)
    written = notation.text(description) if description else ""
    if before or "\n" in written:
        return [*map(Line, before), Line(f"{last} {written}".rstrip(" "))]
    return [Line(last, written, kind=kind)]


# Blocks


def _block(node: nodes.Block, comments: _Around, text: str) -> tuple[list[Line], list[Line]]:
    """The comments that move above the block, and its lines."""
    head = _block_head(node)
    spans = [Span(node.span.start, _brace_end(node, text)), *(clause.span for clause in node.clauses)]
    (top, *around), rest = _attached(spans, comments.inside, text)
    above = _remarks_of(top.inside)
    was_short = not comments.inside and "\n" not in text[node.span.start : node.span.end]
    is_empty = not node.clauses and not top.after and not rest
    if (was_short or is_empty) and fits(short := _on_one_line(node, flat(head)), 0):
        return above, [_with_comment(Line(short), comments.after)]
    width = notation.width_of(node.clauses)
    entries = []
    for clause, those in zip(node.clauses, around, strict=True):
        entries += [*(_remark(comment, INDENT) for comment in those.above), _clause(clause, those, width, text)]
    body = _spaced([*entries, *(_remark(comment, INDENT) for comment in rest)], text)
    *before, last = fill(head, 0)
    opening = [*map(Line, before), _with_comment(Line(last), top.after)]
    return above, [*opening, *body, _with_comment(Line("}"), comments.after)]


def _block_head(node: nodes.Block) -> Part:
    """The head of a block with its brace; where that is too long, `calls` moves below the name before the parameters are broken."""
    if node.kind == "policy":
        return "policy {"
    name = notation.argument(node.name)
    parameters = tuple(map(notation.typed, node.parameters))
    parts: list[Part] = [Series(f"{name}(", parameters, ")") if parameters else name]
    if node.calls:
        parts.append(f"calls {notation.text(node.calls)}")
    if node.performer:
        parts.append(f"by {node.performer}")
    return Series(f"{node.kind} ", tuple(parts), " {", SPACE)


def _on_one_line(node: nodes.Block, head: str) -> str:
    clauses = [flat(notation.clause(clause)[0]) for clause in node.clauses]
    return " ".join([head, *clauses, "}"]) if clauses else f"{head}}}"


def _brace_end(node: nodes.Block, text: str) -> int:
    """Where the head of a block ends: after its brace."""
    after = max(node.name.span.end, node.calls.span.end if node.calls else 0, *(part.span.end for part in node.parameters))
    return next((found.end() for found in BRACE.finditer(text, after, node.span.end) if found[0] == "{"), after)


def _clause(node: nodes.Clause, comments: _Around, width: int, text: str) -> _Entry:
    """A clause. A comment among its values stays beside the one that it follows or precedes; before the second, it goes above all."""
    series, spans = notation.clause(node, width)
    spans = [Span(node.span.start, spans[0].end), *spans[1:]] if spans else [node.span]
    around, _ = _attached(spans, comments.inside, text)
    lines = _remarks_of(around[0].inside, INDENT)
    margin = " " * len(INDENT + series.opening)
    starts = [at for at in range(1, len(spans)) if around[at].above or around[at].inside or around[at - 1].after]
    for start, end in pairwise([0, *starts, len(spans)]):
        parts, ends = series.parts[start:end], series.joint.ends if end < len(spans) else ""
        if start:
            lines += _remarks_of([*around[start].above, *around[start].inside], margin)
            parts = (prefixed(series.joint.starts, parts[0]), *parts[1:])
        *before, last = fill(Series(margin if start else INDENT + series.opening, parts, ends, series.joint), 0)
        after = around[end - 1].after if end < len(spans) else comments.after
        lines += [*map(Line, before), _with_comment(Line(last), after)]
    return _Entry(_extended(node.span, comments.after), tuple(lines))


# Comments


def _remark(comment: nodes.Comment, indent: str = "") -> _Entry:
    return _Entry(comment.span, (Line(indent + comment.text.rstrip()),), is_comment=True)


def _remarks_of(comments: Iterable[nodes.Comment], indent: str = "") -> list[Line]:
    return [line for comment in comments for line in _remark(comment, indent).lines]


def _with_comment(line: Line, comments: Iterable[nodes.Comment]) -> Line:
    text = next((comment.text.rstrip() for comment in comments), "")
    return Line(line.text, line.description, text, line.kind)


def _extended(span: Span, comments: Sequence[nodes.Comment]) -> Span:
    return Span(span.start, comments[-1].span.end) if comments else span
