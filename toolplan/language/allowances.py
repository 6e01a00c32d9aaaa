"""`allow CODE "reason"` in a block: which findings about the block its author accepts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from toolplan.language import nodes
from toolplan.language.codes import Code, find_code
from toolplan.language.diagnostics import Diagnostic, Edit, quoted
from toolplan.language.scope import Scope
from toolplan.language.source import Location, Source, Span

Key = tuple[str, str]
"""What a block is filed under in `Resolved.places`."""
Allowed = Mapping[Key, Sequence[tuple[Code, Location]]]
"""The codes that each block allows, and where. Each accepts one finding."""


def block_key(block: nodes.Block, source: Source) -> Key:
    """The key of a block in `Resolved.places`."""
    name = block.name.text if isinstance(block.name, nodes.Name) else block.name.value
    kind = {"tool": "action", "ask": "action", "test": f"test in {source.name}"}.get(block.kind, block.kind)
    return kind, name


def resolve_allowances(scope: Scope, files: Iterable[nodes.File]) -> Allowed:
    """What the blocks of `files` allow. A code that does not exist is reported."""
    allowed: dict[Key, list[tuple[Code, Location]]] = {}
    for file in files:
        scope.source = file.source
        for block in file.declarations:
            if isinstance(block, nodes.Block):
                for clause in block.clauses_of("allow"):
                    if (code := _code(scope, clause)) is not None:
                        allowed.setdefault(block_key(block, file.source), []).append((code, Location(file.source, clause.span)))
    return allowed


def _code(scope: Scope, clause: nodes.Clause) -> Code | None:
    name = clause.values[0]
    assert isinstance(name, nodes.Name)
    code = find_code(name.text)
    if code is None:
        candidates = [text for known in Code for text in (known.number, known.slug)]
        scope.unknown(Code.UNKNOWN_ALLOWED_CODE, "code", name, candidates, "`toolplan check` prints codes in brackets")
    return code


def without_allowed(findings: Iterable[Diagnostic], allowed: Allowed) -> list[Diagnostic]:
    """`findings` without those that their block allows, and a finding for each `allow` that accepted nothing."""
    left = {key: list(allowances) for key, allowances in allowed.items()}
    kept = []
    for finding in findings:
        own = left.get(finding.block, []) if finding.block else []
        accepting = next((allowance for allowance in own if allowance[0] is finding.code), None)
        if accepting is None:
            kept.append(finding)
        else:
            own.remove(accepting)
    return kept + [_unused(code, location) for own in left.values() for code, location in own]


def _unused(code: Code, location: Location) -> Diagnostic:
    message = f"nothing here is {quoted(code.number)}, so there is nothing to allow"
    fix = (Edit(_whole_line(location), ""),)
    return Diagnostic(Code.UNUSED_ALLOW, message, location, "remove the `allow`", fix=fix)


def _whole_line(location: Location) -> Location:
    """`location`, with the rest of its line where nothing else stands there, else with the blanks before it."""
    text, span = location.source.text, location.span
    start = len(text[: span.start].rstrip(" \t"))
    end = text.find("\n", span.end)
    alone = end >= 0 and not text[span.end : end].strip() and (start == 0 or text[start - 1] == "\n")
    return Location(location.source, Span(start, end + 1) if alone else Span(start, span.end))
