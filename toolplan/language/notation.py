"""How each node is written: names, texts, conditions, effects and clauses as parts of a layout."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from toolplan.language import expected, nodes
from toolplan.language.layout import COMMA, OR, Part, Series, flat, prefixed
from toolplan.language.source import Span
from toolplan.language.tables import keywords

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
RESERVED = frozenset(word.lower() for word in expected.OPERATORS)
RESERVED_AFTER = {
    "expect": frozenset(word.lower() for word in expected.RESERVED),
    "expect question": RESERVED | {"about"},
}
"""What is no name where it follows these words."""
RESERVED_AFTER_WHEN = RESERVED | {"user"}
RESERVED_IN_SIGNALS = RESERVED | {"no"}
SHORT = frozenset(["", "cost", "risk", "confirm", "confirm by", "idempotent", "allow"])
"""Clauses of a word or two, which are not padded so that values align."""
PHRASES = frozenset(
    [
        "fails when",
        "use when",
        "do not use when",
        "side effect",
        "server versions",
        "always visible",
        "widen when",
        "stop after",
        "high risk",
    ]
)
"""Clauses that are padded as a whole. Of all others, the first word is, and the longest of these words gives the width."""
INVISIBLE = frozenset(["Cc", "Zl", "Zp"])
"""Categories of characters that are written as escapes: control characters and foreign line ends."""


# Names and values


def name(node: nodes.Name, reserved: frozenset[str] = RESERVED) -> str:
    """A name, in backquotes where it would not be read as one."""
    return node.text if IDENTIFIER.fullmatch(node.text) and node.text not in reserved else f"`{node.text}`"


def text(node: nodes.Text) -> str:
    """A string, over several lines where the text has line breaks; only what has to be is escaped."""
    written = node.value.replace("\\", "\\\\")
    if "\n" in written:
        return '"""' + _visible(re.sub(r'"(?="|\Z)', r"\"", written), "\n\t") + '"""'
    return '"' + _visible(written.replace('"', '\\"'), "") + '"'


def _visible(written: str, kept: str) -> str:
    """`written` with escapes for what nobody could see, but for the `kept` characters and the line ends of Windows."""
    return re.sub(r"\r\n|[^ -~]", lambda found: found[0] if found[0] in ("\r\n", *kept) else _character(found[0]), written)


def _character(character: str) -> str:
    if unicodedata.category(character) not in INVISIBLE:
        return character
    return "\\t" if character == "\t" else f"\\u{{{ord(character):x}}}"


def argument(node: nodes.Name | nodes.Text) -> str:
    """The name of a parameter of the real tool."""
    return name(node) if isinstance(node, nodes.Name) else text(node)


def typed(node: nodes.Typed) -> str:
    """`name: type`, or the type alone."""
    return f"{name(node.name)}: {name(node.type)}" if node.name else name(node.type)


def formula(node: nodes.Formula, reserved: frozenset[str] = RESERVED) -> Part:
    """An atom, a step or an entity."""
    written = name(node.name, reserved)
    return written if node.terms is None else _series(f"{written}(", map(value, node.terms), ")")


def value(node: nodes.Value | nodes.Name) -> Part:
    """A value, or a term of an atom."""
    match node:
        case nodes.Formula():
            return formula(node)
        case nodes.Sequence():
            return _series("[", map(value, node.items), "]")
        case nodes.Number():
            return node.written
        case nodes.Text():
            return text(node)
        case nodes.Name():
            return name(node)


def _series(opening: str, parts: Iterable[Part], closing: str = "") -> Series:
    return Series(opening, tuple(parts), closing)


# Conditions and effects


def condition(node: nodes.Condition) -> Part:
    """A condition as it stands in brackets of its own or after a clause word."""
    match node:
        case nodes.Conjunction():
            return Series("", tuple(map(item, node.items)))
        case nodes.Disjunction():
            return Series("", tuple(map(item, node.items)), joint=OR)
        case nodes.Negation():
            return prefixed("not ", item(node.item))
        case nodes.Equality():
            return f"{name(node.left)} {'!=' if node.negated else '='} {name(node.right)}"
        case nodes.Quantified():
            return _bracketed(f"{node.quantifier} {', '.join(map(typed, node.parameters))} ", condition(node.item))
        case nodes.Formula():
            return formula(node)


def item(node: nodes.Condition) -> Part:
    """A condition as it stands among others: in brackets where it has several items."""
    inner = condition(node)
    return _bracketed("", inner) if isinstance(node, nodes.Conjunction | nodes.Disjunction) else inner


def effect(node: nodes.Effect) -> Part:
    """An effect of a tool."""
    match node:
        case nodes.Change():
            atom = formula(node.atom)
            return atom if node.condition is None else prefixed(f"{flat(atom)} when ", item(node.condition))
        case nodes.QuantifiedChange():
            return _series(f"forall {', '.join(map(typed, node.parameters))} (", map(effect, node.changes), ")")
        case nodes.OneOf():
            return Series("oneof (", tuple(map(_outcome, node.outcomes)), ")", OR)


def _outcome(changes: Sequence[nodes.Formula | nodes.Negation]) -> Part:
    parts = tuple(map(condition, changes))
    return parts[0] if len(parts) == 1 else Series("(", parts, ")")


def _bracketed(opening: str, inner: Part) -> Series:
    if isinstance(inner, str) or inner.opening or inner.closing:
        return Series(f"{opening}(", (inner,), ")")
    return Series(f"{opening}(", inner.parts, ")", inner.joint)


# What clauses list


def _passing(node: nodes.Passing) -> Part:
    parameter = argument(node.parameter)
    match node.value:
        case None:
            return f"{parameter} free"
        case tuple() as sources:
            return _series(f"{parameter} from ", map(formula, sources))
        case nodes.Formula() as atom if node.word == "if known":
            return f"{parameter} = {flat(formula(atom))} if known"
        case given:
            return prefixed(f"{parameter} = ", value(given))


def _returning(node: nodes.Returning) -> Part:
    atom = flat(formula(node.atom))
    match node.reader:
        case nodes.PathText():
            return f"{atom} = {node.reader.text}"
        case nodes.Text():
            return f"{atom} = pattern {text(node.reader)}"
        case nodes.Name():
            return f"{atom} = by {name(node.reader)}"


def _level(node: nodes.Level) -> str:
    words = [name(node.name), node.weight.written, *(["safe"] if node.safe else [])]
    if node.confirm is not None:
        words += ["confirm", "by", name(node.confirm)] if node.confirm.text else ["confirm"]
    return " ".join(words)


def _in_policy(node: nodes.InPolicy) -> str:
    match node:
        case nodes.Level():
            return _level(node)
        case nodes.Depth(least, most):
            return least.written if most is None else f"{least.written} to {most.written}"
        case nodes.Threshold():
            return f"{name(node.measure, RESERVED_IN_SIGNALS)} {node.operator} {node.number.written}"
        case nodes.Bound(written, unit):
            # Behind a number a clause may begin elsewhere, so no word of the language is a name there.
            return written if unit is None else f"{written} {name(unit, frozenset(keywords()))}"
        case nodes.Phrase(words):
            return words


def _statement(node: nodes.Statement) -> Part:
    atom = formula(node.atom)
    if node.status == "denied":
        return prefixed("not ", atom)
    if node.status == "uncertain":
        atom = f"{flat(atom)}?"
    return atom if node.value is None else prefixed(f"{flat(atom)} = ", value(node.value))


def _happening(node: nodes.Happening) -> Part:
    subject = "user" if node.call is None else flat(formula(node.call, RESERVED_AFTER_WHEN))
    opening = f"{subject} {node.word}"
    match node.value:
        case None:
            return opening
        case tuple() as atoms:
            return _series(f"{opening} ", map(formula, atoms))
        case result:
            return prefixed(f"{opening} ", _json(result))


def _json(node: nodes.Json) -> Part:
    match node:
        case nodes.Object():
            return _series("{", (prefixed(f"{text(key)}: ", _json(inner)) for key, inner in node.members), "}")
        case nodes.Array():
            return _series("[", map(_json, node.items), "]")
        case nodes.Text() | nodes.Number() | nodes.Name():
            return value(node)


def listed(node: nodes.ClauseValue) -> Part:
    """One of the values of a clause."""
    match node:
        case nodes.Name() | nodes.Text() | nodes.Number() | nodes.Formula():
            return value(node)
        case nodes.PathText():
            return node.text
        case nodes.Typed():
            return typed(node)
        case nodes.Change() | nodes.QuantifiedChange() | nodes.OneOf():
            return effect(node)
        case nodes.Passing():
            return _passing(node)
        case nodes.Comparing():
            return f"{flat(value(node.left))} {node.operator} {flat(value(node.right))}"
        case nodes.Returning():
            return _returning(node)
        case nodes.Level() | nodes.Depth() | nodes.Threshold() | nodes.Bound() | nodes.Phrase():
            return _in_policy(node)
        case nodes.Statement():
            return _statement(node)
        case nodes.Candidate():
            return f"{flat(item(node.goals))} {node.p.written}"
        case nodes.Happening():
            return _happening(node)
        case _:
            return item(node)


# Clauses


def width_of(clauses: Iterable[nodes.Clause]) -> int:
    """The width to which the words of clauses in one block are padded."""
    return max((len(node.word.partition(" ")[0]) for node in clauses if node.word not in SHORT | PHRASES), default=0)


def clause(node: nodes.Clause, width: int = 0) -> tuple[Series, list[Span]]:
    """A clause with its values as parts, and where each of these stood. Its word is padded to `width`."""
    word = node.word.removesuffix(" without")
    if word not in SHORT:
        padded = word if word in PHRASES else word.partition(" ")[0]
        word = f"{padded:<{width}}{word.removeprefix(padded)}"
    parts, spans = _values(node)
    joint = OR if len(node.values) == 1 and isinstance(node.values[0], nodes.Disjunction) else COMMA
    return Series(f"{word} " if word and parts else word.rstrip(), tuple(parts), joint=joint), spans


def _values(node: nodes.Clause) -> tuple[list[Part], list[Span]]:
    match node.values:
        case (nodes.Conjunction(items=values) | nodes.Disjunction(items=values),) if node.word != "expect question about":
            parts = [item(value) for value in values]
        case (nodes.Formula() as first, *_) as values if node.word in RESERVED_AFTER:
            parts = [formula(first, RESERVED_AFTER[node.word]), *map(listed, values[1:])]
        case values:
            parts = [listed(value) for value in values]
    spans = [value.span for value in values]
    joined = {"allow": " ", "never without": " without "}.get(node.word)
    if joined is not None:
        parts[-2:] = [flat(parts[-2]) + joined + flat(parts[-1])]
        spans[-2:] = [Span(spans[-2].start, spans[-1].end)]
    return parts, spans
