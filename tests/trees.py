"""Random syntax trees: every declaration and clause of the grammar, with names and strings as nasty as they may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from toolplan.language import nodes
from toolplan.language.source import Source, Span
from toolplan.language.tables import keywords

NOWHERE = Span(0, 0)

Strategy = st.SearchStrategy[Any]

NASTY_NAMES = [
    "github.create-issue", "two words", "名前", "é", "1st", "#", "{", "}", '"', "a\\", "'", "$.x", "-", "True", "NOT", "x\t", "_",
]  # fmt: skip
NASTY_TEXTS = [
    "", '"', "\\", "\\n", "\t", "a\nb", "\n", "\r\n", "\r", "a\r\nb\n", '"\n', '\n"', '"""\n"""', '\n""', "\\\n", "#", "`", "{}",
    "\u2028", "\x00\n\x1b", "\ufeff", "\u202e", "🦷", "x" * 90, 'say "yes"',
]  # fmt: skip
PATHS = ["$", "$.items[*].id", '$[?@.a == "b, c"]', "$.a['x y']", "$[?(@.a\n == 1)]", '$."#"', "$..b[-1:]"]

characters = st.characters(exclude_categories=["Cs"])
identifiers = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,7}", fullmatch=True)
quoted = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="`\r\n"), min_size=1, max_size=8).filter(str.strip)
words = st.one_of(
    identifiers, st.sampled_from(["a", "b", "found", "report"]), st.sampled_from(sorted(keywords())), st.sampled_from(NASTY_NAMES), quoted
)
names = st.builds(nodes.Name, words, st.just(NOWHERE))
texts = st.builds(
    nodes.Text,
    st.one_of(st.sampled_from(["x", "some words"]), st.sampled_from(NASTY_TEXTS), st.text(characters, max_size=12)),
    st.just(NOWHERE),
)
numbers = st.builds(nodes.Number, st.from_regex(r"-?[0-9]{1,4}(\.[0-9]{1,3})?", fullmatch=True), st.just(NOWHERE))
paths = st.builds(nodes.PathText, st.sampled_from(PATHS), st.just(NOWHERE))


def node(kind: Any, *parts: Strategy) -> Strategy:
    """Nodes of a kind, made of `parts`."""
    return st.builds(kind, *parts, span=st.just(NOWHERE))


def some(items: Strategy, least: int = 1, most: int = 4) -> st.SearchStrategy[tuple[Any, ...]]:
    """Tuples of items."""
    return st.lists(items, min_size=least, max_size=most).map(tuple)


def maybe(items: Strategy) -> Strategy:
    """Items, or None."""
    return st.one_of(st.none(), items)


# Conditions, effects and values

formulas = node(nodes.Formula, names, maybe(some(st.one_of(names, texts, numbers), 0, 3)))
values = st.recursive(st.one_of(formulas, texts, numbers), lambda inner: node(nodes.Sequence, some(inner, 0)), max_leaves=6)
typed = node(nodes.Typed, names, names)
places = node(nodes.Typed, maybe(names), names)


def _larger(inner: Strategy) -> Strategy:
    return st.one_of(
        node(nodes.Negation, inner),
        node(nodes.Conjunction, some(inner, 2)),
        node(nodes.Disjunction, some(inner, 2)),
        node(nodes.Quantified, st.sampled_from(["forall", "exists"]), some(typed, 1, 2), inner),
    )


conditions = st.recursive(st.one_of(formulas, node(nodes.Equality, names, names, st.booleans())), _larger, max_leaves=12)
outcomes = some(st.one_of(formulas, node(nodes.Negation, formulas)), 1, 3)
effects = st.recursive(
    st.one_of(node(nodes.Change, formulas, maybe(conditions)), node(nodes.OneOf, some(outcomes, 1, 3))),
    lambda inner: node(nodes.QuantifiedChange, some(typed, 1, 2), some(inner, 1, 3)),
    max_leaves=4,
)

# What clauses list

operands = st.one_of(formulas, texts, numbers)
passings = st.one_of(
    node(nodes.Passing, st.one_of(names, texts), st.just("="), values),
    node(nodes.Passing, st.one_of(names, texts), st.just("if known"), formulas),
    node(nodes.Passing, st.one_of(names, texts), st.just("free"), st.none()),
)
derived = node(nodes.Passing, st.one_of(names, texts), st.just("from"), some(formulas))
comparisons = node(nodes.Comparing, operands, st.sampled_from(["<", "<=", ">", ">=", "=", "!="]), operands)
results = node(nodes.Returning, formulas, st.one_of(paths, texts, names))
levels = node(nodes.Level, names, numbers, st.booleans(), st.one_of(st.none(), st.just(nodes.Name("", NOWHERE)), names))
depths = node(nodes.Depth, numbers, maybe(numbers))
signals = st.one_of(
    node(nodes.Threshold, names, st.sampled_from(["<", "<=", ">", ">="]), numbers),
    node(nodes.Phrase, st.sampled_from(["no capability", "no choice"])),
)
bounds = st.one_of(
    node(nodes.Bound, numbers.map(lambda number: number.written), names),
    node(nodes.Bound, st.sampled_from(["2500ms", "2s", "0m"]), st.none()),
)
restrictions = st.one_of(numbers, node(nodes.Phrase, st.sampled_from(["exact capability", "confirm"])))
statements = st.one_of(
    node(nodes.Statement, formulas, st.sampled_from(["known", "uncertain"]), maybe(values)),
    node(nodes.Statement, formulas, st.just("denied"), st.none()),
)
options = st.one_of(formulas, node(nodes.Conjunction, some(formulas, 2)))
candidates = node(nodes.Candidate, options, numbers)
documents = st.recursive(
    st.one_of(texts, numbers, names),
    lambda inner: st.one_of(node(nodes.Object, some(st.tuples(texts, inner), 0)), node(nodes.Array, some(inner, 0))),
    max_leaves=6,
)
happenings = st.one_of(
    node(
        nodes.Happening,
        formulas,
        st.just("returns"),
        st.one_of(documents.filter(lambda it: isinstance(it, nodes.Object | nodes.Array | nodes.Text)), some(formulas)),
    ),
    node(nodes.Happening, formulas, st.sampled_from(["fails", "in doubt"]), st.none()),
    node(nodes.Happening, st.none(), st.just("says"), texts),
    node(nodes.Happening, st.none(), st.just("declines"), st.none()),
)

# Clauses: by the kind of block, what may follow each word

one_name, one_text, one_number, nothing = some(names, 1, 1), some(texts, 1, 1), some(numbers, 1, 1), st.just(())
condition = st.tuples(conditions)
shared = {"allow": st.tuples(names, texts)}
TOOL: Mapping[str, Strategy] = shared | {
    "": one_text, "requires": condition, "produces": some(effects), "removes": some(effects), "verifies": some(formulas),
    "finds": some(typed), "creates": some(typed), "enumerates": some(names), "cost": one_number, "risk": one_name,
    "confirm": nothing, "confirm by": one_name, "checks": some(comparisons), "key": some(st.one_of(names, texts), 1, 1),
    "passes": st.one_of(some(passings), st.builds(lambda first, last: (*first, last), some(passings, 0), derived)),
    "returns": some(results), "fails when": some(paths, 1, 1), "capability": some(names), "server": one_text,
    "id": one_text, "server versions": some(texts), "data": some(texts), "digest": one_text,
    "scopes": some(texts), "roles": some(texts), "tenants": some(texts), "environments": some(texts),
    "owner": one_text, "version": one_text, "supersedes": some(names), "use when": some(texts),
    "do not use when": some(texts), "idempotent": nothing, "side effect": one_text,
}  # fmt: skip
ASK: Mapping[str, Strategy] = shared | {
    "": one_text, "requires": condition, "produces": some(effects), "cost": one_number, "chooses": one_name, "permits": one_name,
}  # fmt: skip
GOAL: Mapping[str, Strategy] = shared | {"": one_text, "achieves": condition, "given": some(formulas), "phrases": some(texts)}
POLICY: Mapping[str, Strategy] = {
    "confidence": one_number, "margin": one_number, "plausible": one_number, "lambda": one_number, "clarify": one_name,
    "risk": some(levels), "always visible": some(names), "ask": one_number, "uncontracted": one_name,
    "budget": some(depths, 1, 1), "widen when": some(signals), "stop after": some(bounds), "high risk": some(restrictions),
}  # fmt: skip
TEST: Mapping[str, Strategy] = shared | {
    "given": some(statements), "goal": condition, "request": one_text, "expect": some(formulas), "expect frontier": some(formulas),
    "expect question": some(formulas), "expect blocked": nothing, "expect blocked by": some(formulas), "never": some(formulas),
    "expect question about": some(options), "expect form": some(formulas), "expect no goal": nothing, "candidates": some(candidates),
    "never without": some(formulas, 2), "when": some(happenings, 1, 1),
}  # fmt: skip
CLAUSES = {"tool": TOOL, "ask": ASK, "goal": GOAL, "policy": POLICY, "test": TEST}


def clauses(kind: str) -> Strategy:
    """The clauses of a block."""
    each = [
        st.builds(nodes.Clause, st.just(word), listed, span=st.just(NOWHERE), keyword=st.just(NOWHERE))
        for word, listed in CLAUSES[kind].items()
    ]
    return some(st.one_of(each), 0, 6)


def block(kind: str, name: Strategy, parameters: Strategy, calls: Strategy, performer: Strategy) -> Strategy:
    """Blocks of one kind."""
    return node(nodes.Block, st.just(kind), name, parameters, calls, performer, clauses(kind))


# Declarations

traits = st.one_of(
    node(nodes.Trait, st.sampled_from(["closed", "many", "lasting", "trust user", "by others"]), st.just("")),
    node(nodes.Trait, st.just("fresh"), st.sampled_from(["10m", "1h", "500ms", "0s", "30d"])),
)
fact_parts = st.one_of(st.tuples(maybe(names), st.just(())), st.tuples(names, some(texts)))
facts = st.builds(
    lambda name, parameters, value, marks, description: nodes.FactDeclaration(name, parameters, *value, marks, description, NOWHERE),
    names, some(places, 0, 3), fact_parts, some(traits, 0, 2), maybe(texts),
)  # fmt: skip
parameters = some(typed, 0, 4)
absent, by_call = st.none(), st.just("")
declarations = st.one_of(
    node(nodes.Header, names, maybe(texts)),
    node(nodes.Import, texts),
    node(nodes.TypeDeclaration, names, maybe(names), maybe(texts)),
    node(nodes.ConstantDeclaration, some(names), names, maybe(texts)),
    facts,
    facts,
    block("tool", names, parameters, maybe(texts), st.sampled_from(["", "user", "model"])),
    block("ask", names, parameters, absent, by_call),
    block("goal", names, parameters, absent, by_call),
    block("policy", st.just(nodes.Name("", NOWHERE)), nothing, absent, by_call),
    block("test", texts, nothing, absent, by_call),
)
files = st.builds(nodes.File, st.just(Source("<tree>", "")), some(declarations, 0, 5), st.just(()))
