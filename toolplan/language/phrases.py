"""Phrases of goals: texts with slots in braces, each of which says what the words at its place tell of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from toolplan.domain import Slot, Template, Variable
from toolplan.language import expected, nodes
from toolplan.language.builder import offsets, token_span
from toolplan.language.codes import Code
from toolplan.language.scope import Scope
from toolplan.language.source import Span
from toolplan.language.tables import MisfitError, feed, raw_tokens

MARK = re.compile(r"\{\{|\}\}|\{(?P<slot>[^{}]*)\}|[{}]")
"""A brace that is meant as such, a slot, or a brace without its partner."""
OPEN_PLACE = "..."
"""What stands in place of a slot where only the words count."""
WHAT_FITS = "a slot names a fact, `{fact(parameter)}`, or a parameter of the goal, `{parameter}`"


def resolve_phrases(
    scope: Scope, phrases: Iterable[nodes.Text], variables: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[Template, ...]]:
    """All phrases as texts, and those with slots as templates. `variables` are the parameters of the goal, with their types."""
    templates = [_template(scope, phrase, variables) for phrase in phrases]
    texts = ("".join(part if isinstance(part, str) else OPEN_PLACE for part in template) for template in templates)
    return tuple(texts), tuple(template for template in templates if not all(isinstance(part, str) for part in template))


def _template(scope: Scope, phrase: nodes.Text, variables: Mapping[str, str]) -> Template:
    """`phrase` cut at its slots; one that could not be resolved is left out."""
    if not MARK.search(phrase.value):
        return (phrase.value,)
    places = _places(scope, phrase)
    parts: list[str | Slot] = []
    text, at = "", 0
    for mark in MARK.finditer(phrase.value):
        text += phrase.value[at : mark.start()]
        at = mark.end()
        span = Span(places[mark.start()], places[at])
        if mark["slot"] is None:
            text += _brace(scope, mark[0], span)
            continue
        if parts and not text.strip():
            scope.report(Code.BAD_SLOT, "nothing parts this slot from the one before it", span, "write the words that people say there")
        slot = _slot(scope, mark["slot"], places[mark.start("slot") : at], variables)
        parts += [part for part in (text, slot) if part]
        text = ""
    text += phrase.value[at:]
    return (*parts, text) if text else tuple(parts)


def _places(scope: Scope, phrase: nodes.Text) -> Sequence[int]:
    """Where each character of the phrase stands in the source, and where it ends."""
    start, end = phrase.span
    written = scope.source.text[start:end]
    quotes = 3 if written.startswith('"""') else 1
    places = [start + quotes + offset for offset in offsets(written[quotes:])]
    # A string that was mended, and reported, is longer than what stands there.
    return [*places, *[end] * (len(phrase.value) + 1 - len(places))]


def _brace(scope: Scope, written: str, span: Span) -> str:
    """The brace that is meant; one alone is reported."""
    brace = written[0]
    if written == brace:
        message = "this slot is not closed" if brace == "{" else "no slot is open before this brace"
        mend = "add `}` after it, or write" if brace == "{" else "write"
        scope.report(Code.BAD_SLOT, message, span, f"{mend} `{brace * 2}` for a brace that people say")
    return brace


def _slot(scope: Scope, written: str, places: Sequence[int], variables: Mapping[str, str]) -> Slot | None:
    """What a slot names; None where that is nothing. `places` are those of its characters and of the brace after them."""
    tokens = raw_tokens(written)
    if not tokens:
        scope.report(Code.BAD_SLOT, "this slot is empty", Span(places[0] - 1, places[-1] + 1), WHAT_FITS)
        return None
    for token in tokens:
        start, end = token_span(token)
        token.start_pos, token.end_pos = places[start], places[end]
    try:
        node: nodes.Formula = feed(tokens, "atom")
    except MisfitError as misfit:
        message = expected.message(misfit.acceptable, frozenset(), misfit.token.type, str(misfit.token))
        scope.report(Code.BAD_SLOT, message, token_span(misfit.token), WHAT_FITS)
        return None
    name = node.name.text
    if node.terms is None and name in variables:
        return Variable(name)
    if node.terms is None and name not in scope.facts:
        scope.unknown(Code.UNKNOWN_FACT, "fact or parameter", node.name, [*variables, *scope.facts], WHAT_FITS)
        return None
    return scope.atom(node, variables)
