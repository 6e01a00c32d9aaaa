"""The clauses that say how a contract meets the real tool: arguments, results, metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from toolplan.domain import (
    ArgumentSource,
    AtomicFormula,
    Comparison,
    Derived,
    Evidence,
    Free,
    HostReader,
    IfKnown,
    Interface,
    Items,
    Literal,
    Path,
    Pattern,
    Variable,
)
from toolplan.language import nodes
from toolplan.language.clauses import Clauses
from toolplan.language.codes import Code
from toolplan.language.diagnostics import quoted
from toolplan.language.scope import Scope

ALGORITHM = "sha256:"
DIGEST = re.compile(rf"{ALGORITHM}[0-9a-f]{{64}}")
VERSION = re.compile(r"v?[0-9][0-9A-Za-z]*([._+-][0-9A-Za-z]+)*")
WORDS_AS_VALUES = {"true": True, "false": False, "null": None}


def interface_of(scope: Scope, block: nodes.Block, clauses: Clauses, variables: Mapping[str, str]) -> Interface:
    """How the contract meets the real tool."""
    passes: dict[str, ArgumentSource] = {}
    for passing in clauses.all("passes"):
        if isinstance(passing, nodes.Passing):
            name = passing.parameter.text if isinstance(passing.parameter, nodes.Name) else passing.parameter.value
            if name in passes:
                message = f"argument {quoted(name)} is passed twice"
                scope.report(Code.DUPLICATE_PARAMETER, message, passing.parameter.span, "keep one of them")
            elif (source := _source(scope, passing, variables)) is not None:
                passes[name] = source
    key = clauses.first("key")
    key_name = key.values[0] if key else None
    returns = [
        (atom, _reader(item.reader))
        for item in clauses.all("returns")
        if isinstance(item, nodes.Returning) and (atom := scope.atom(item.atom, variables)) is not None
    ]
    return Interface(
        calls=block.calls.value if block.calls else "",
        passes=passes,
        checks=tuple(
            Comparison(_operand(scope, item.left, variables), item.operator, _operand(scope, item.right, variables))
            for item in clauses.all("checks")
            if isinstance(item, nodes.Comparing)
        ),
        key=key_name.text if isinstance(key_name, nodes.Name) else key_name.value if isinstance(key_name, nodes.Text) else None,
        returns=tuple(returns),
        fails_when=tuple(value.text for value in clauses.all("fails when") if isinstance(value, nodes.PathText)),
    )


def _reader(node: nodes.PathText | nodes.Text | nodes.Name) -> Path | Pattern | HostReader:
    if isinstance(node, nodes.PathText):
        return Path(node.text)
    return Pattern(node.value) if isinstance(node, nodes.Text) else HostReader(node.text)


def _source(scope: Scope, passing: nodes.Passing, variables: Mapping[str, str]) -> ArgumentSource | None:
    if passing.word == "if known" and isinstance(passing.value, nodes.Formula):
        atom = scope.atom(passing.value, variables)
        return None if atom is None else IfKnown(atom)
    return _argument(scope, passing.value, variables)


def _argument(scope: Scope, value: nodes.Value | tuple[nodes.Formula, ...] | None, variables: Mapping[str, str]) -> ArgumentSource | None:
    if value is None:
        return Free()
    if isinstance(value, tuple):
        return Derived(tuple(atom for node in value if (atom := scope.atom(node, variables)) is not None))
    if isinstance(value, nodes.Formula):
        if value.terms is None and value.name.text in variables:
            return Variable(value.name.text)
        if value.terms is None and value.name.text in WORDS_AS_VALUES and value.name.text not in scope.facts:
            return Literal(WORDS_AS_VALUES[value.name.text])
        if value.terms is None and value.name.text in scope.constants:
            return Literal(value.name.text)
        return scope.atom(value, variables)
    if isinstance(value, nodes.Sequence):
        items = tuple(source for item in value.items if (source := _argument(scope, item, variables)) is not None)
        constant = all(isinstance(item, Literal) for item in items)
        return Literal(json_value(value)) if constant else Items(items)
    return Literal(json_value(value))


def json_value(node: nodes.Value) -> object:
    """A value written in the language as JSON would hold it; a bare word is `true`, `false`, `null` or a text."""
    if isinstance(node, nodes.Text):
        return node.value
    if isinstance(node, nodes.Number):
        return int(node.written) if "." not in node.written else float(node.written)
    if isinstance(node, nodes.Sequence):
        return [json_value(item) for item in node.items]
    return WORDS_AS_VALUES.get(node.name.text, node.name.text)


def _operand(
    scope: Scope, node: nodes.Formula | nodes.Text | nodes.Number, variables: Mapping[str, str]
) -> AtomicFormula | Variable | Literal:
    source = _argument(scope, node, variables)
    return source if isinstance(source, AtomicFormula | Variable | Literal) else Literal(None)


def evidence_of(scope: Scope, clauses: Clauses) -> Evidence:
    """The metadata of the contract."""
    evidence = Evidence(
        capability=tuple(name.text for name in clauses.names("capability")),
        server=clauses.text("server"),
        scopes=clauses.texts("scopes"),
        roles=clauses.texts("roles"),
        tenants=clauses.texts("tenants"),
        environments=clauses.texts("environments"),
        owner=clauses.text("owner"),
        version=clauses.text("version"),
        supersedes=tuple(name.text for name in clauses.names("supersedes")),
        use_when=clauses.texts("use when"),
        do_not_use_when=clauses.texts("do not use when"),
        side_effect=clauses.text("side effect"),
        id=clauses.text("id"),
        server_versions=clauses.texts("server versions"),
        data=clauses.texts("data"),
        digest=_digest(scope, clauses),
    )
    _check_versions(scope, clauses)
    return replace(evidence, idempotent=True) if clauses.first("idempotent") else evidence


def _check_versions(scope: Scope, clauses: Clauses) -> None:
    """Report what is no version, and versions of no server."""
    for value in (*clauses.all("version"), *clauses.all("server versions")):
        if isinstance(value, nodes.Text) and not VERSION.fullmatch(value.value):
            hint = "a version is one word that begins with a number, such as `3.2.1` or `2026-03-18`"
            scope.report(Code.BAD_VERSION, f"{quoted(value.value)} is no version", value.span, hint)
    clause = clauses.first("server versions")
    if clause is not None and not clauses.first("server"):
        scope.report(Code.MISSING_CLAUSE, "`server versions` of no server", clause.keyword, "name the server: `server`")


def _digest(scope: Scope, clauses: Clauses) -> str:
    """The digest without the name of its algorithm, as real tools have it."""
    clause = clauses.first("digest")
    written = clauses.text("digest")
    if clause is not None and not DIGEST.fullmatch(written):
        hint = "write `sha256:` and the 64 digits that `toolplan review` prints"
        scope.report(Code.BAD_DIGEST, f"{quoted(written)} is no digest", clause.values[0].span, hint)
        return ""
    return written.removeprefix(ALGORITHM)
