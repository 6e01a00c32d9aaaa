"""Three versions of a block to one: what the author changed stays, and what the server changed comes in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolplan.importing import tree
from toolplan.importing.updating.declared import Declared
from toolplan.language import nodes
from toolplan.language.layout import flat
from toolplan.language.notation import clause as written
from toolplan.language.source import Span

Edit = tuple[Span, str]
BARE = tree.name("")
"""What stands for the values of a clause that is a word alone."""


@dataclass(frozen=True)
class Merged:
    """The text of a block, and the words of the clauses that both changed, whose versions of the author stay."""

    text: str
    disputed: tuple[str, ...]


def merged_block(base: nodes.Block, mine: Declared, theirs: nodes.Block) -> Merged:
    """`mine`, with what became of `base` in `theirs`. Lists are merged by their items; of anything else that both changed, mine stays."""
    block = mine.node
    assert isinstance(block, nodes.Block)
    edits: list[Edit] = []
    disputed = []
    for word in dict.fromkeys(clause.word for version in (base, block, theirs) for clause in version.clauses):
        old, own, new = (_values(version, word) for version in (base, block, theirs))
        is_single = max(len(old), len(own), len(new)) <= 1 and word not in LISTS
        if new in (old, own):
            continue
        if own == old:
            edits += _rewritten(mine, block, word, new)
        elif is_single:
            disputed.append(word or "description")
        else:
            edits += _rewritten(mine, block, word, _items(old, own, new))
    text = mine.text
    for span, replacement in sorted(edits, reverse=True):
        text = text[: span.start] + replacement + text[span.end :]
    return Merged(text, tuple(disputed))


LISTS = frozenset({"requires", "passes", "produces", "removes", "verifies", "returns", "given", "phrases", "scopes", "capability"})
"""Clauses whose items are merged one by one."""


def _values(block: nodes.Block, word: str) -> tuple[nodes.ClauseValue, ...]:
    """The items of all clauses that begin with `word`; None of them where there are none, and one that is empty for a bare word."""
    found: list[nodes.ClauseValue] = []
    for clause in block.clauses_of(word):
        for value in clause.values or (BARE,):
            found += value.items if isinstance(value, nodes.Conjunction) else (value,)
    return tuple(found)


def _items(
    old: Sequence[nodes.ClauseValue], own: Sequence[nodes.ClauseValue], new: Sequence[nodes.ClauseValue]
) -> tuple[nodes.ClauseValue, ...]:
    """Mine, without what the server took away, and with what it added; an argument that both pass is passed my way."""
    kept = [value for value in own if value not in old or value in new]
    subjects = {subject for value in (*own, *old) if (subject := _subject(value))}
    return (*kept, *(value for value in new if value not in old and value not in kept and _subject(value) not in subjects))


def _subject(value: nodes.ClauseValue) -> str:
    """What an item is about, where there can be one of it: the argument that is passed, the fact that is returned."""
    match value:
        case nodes.Passing(parameter=nodes.Name(text=text)) | nodes.Passing(parameter=nodes.Text(value=text)):
            return text
        case nodes.Returning(atom=atom):
            return atom.name.text
    return ""


def _rewritten(mine: Declared, block: nodes.Block, word: str, values: Sequence[nodes.ClauseValue]) -> Iterator[Edit]:
    """The edits that give the clauses of `word` these items: the first takes all of them, or a new one stands before the closing brace."""
    spans = [mine.inside(clause.span) for clause in block.clauses_of(word)]
    end = mine.text.rindex("}", 0, block.span.end - block.span.start)
    place, *others = spans or [Span(end, end)]
    text = "\n".join(flat(written(tree.clause(word, part))[0]) for part in _clauses(values))
    yield place, text if spans else f"  {text}\n"
    yield from ((span, "") for span in others)


def _clauses(values: Sequence[nodes.ClauseValue]) -> Iterator[Sequence[nodes.ClauseValue]]:
    """The items by clauses: what an argument is derived from ends one."""
    derived = [value for value in values if isinstance(value, nodes.Passing) and isinstance(value.value, tuple)]
    others = [value for value in values if value not in derived]
    if others:
        yield [value for value in others if value != BARE]
    yield from ([value] for value in derived)
