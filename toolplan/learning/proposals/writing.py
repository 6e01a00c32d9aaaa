"""Proposals in the text of a domain: a new text, in which each declaration that changes says above it what speaks for that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from toolplan.importing import tree
from toolplan.importing.updating.clauses import merged_block
from toolplan.importing.updating.declared import Declared, declared
from toolplan.language import nodes
from toolplan.language.formatter import format_source
from toolplan.language.parser import parse
from toolplan.language.source import Source
from toolplan.learning.proposals.changes import Change, Proposal, Sign


class Written(NamedTuple):
    """The new text, and the proposals for tools that another file declares, which are not in it."""

    text: str
    elsewhere: tuple[Proposal, ...]


def with_proposals(source: Source, proposals: Iterable[Proposal]) -> Written:
    """`source`, which a domain was read from, with `proposals` for it. Raises DomainError where it cannot be read."""
    found, rest = declared(source)
    changed = {(one.kind, one.name): one for one in proposals}
    pieces = [_changed(own, changed[key]) if key in changed else own.above + own.text for key, own in found.items()]
    new = [_new(one) for key, one in changed.items() if one.kind != "tool" and key not in found]
    elsewhere = tuple(one for key, one in changed.items() if one.kind == "tool" and key not in found)
    return Written(format_source(Source(source.name, "".join([*pieces, *new, rest]))), elsewhere)


def _changed(own: Declared, proposal: Proposal) -> str:
    block = own.node
    if not isinstance(block, nodes.Block):
        return own.above + own.text
    words = dict.fromkeys(change.word for change in proposal.changes)
    kept = tuple(clause for clause in block.clauses if clause.word not in words)
    made = tuple(_clause(block, word, [change for change in proposal.changes if change.word == word]) for word in words)
    wanted = replace(block, clauses=(*kept, *(clause for clause in made if clause.values)))
    end = "" if not own.above or own.above.endswith("\n") else "\n"
    return f"{own.above}{end}{_comments(proposal)}{merged_block(block, own, wanted).text}"


def _clause(block: nodes.Block, word: str, changes: Sequence[Change]) -> nodes.Clause:
    """All that `block` says after `word`, without what goes and with what comes in."""
    values = [value for clause in block.clauses_of(word) for value in _items(clause)]
    for change in changes:
        (value,) = _items(_parsed(change))
        if change.sign is Sign.REMOVE:
            values = [each for each in values if each != value]
        elif value not in values:
            values.append(value)
    return tree.clause(word, values)


def _items(clause: nodes.Clause) -> Iterator[nodes.ClauseValue]:
    for value in clause.values:
        yield from value.items if isinstance(value, nodes.Conjunction) else (value,)


def _parsed(change: Change) -> nodes.Clause:
    file, _ = parse(Source("<proposal>", f"tool proposed {{ {change.word} {change.item} }}"))
    block = file.declarations[0]
    assert isinstance(block, nodes.Block)
    return block.clauses[0]


def _new(proposal: Proposal) -> str:
    if proposal.kind == "fact":
        return f"\n\n{_comments(proposal)}fact {proposal.heading}\n"
    achieves = [change.item for change in proposal.changes if change.word == "achieves"]
    phrases = [change.item for change in proposal.changes if change.word == "phrases"]
    clauses = [f"achieves {', '.join(achieves)}", *([f"phrases {', '.join(phrases)}"] if phrases else [])]
    return f"\n\n{_comments(proposal)}goal {proposal.heading} {{\n" + "".join(f"  {clause}\n" for clause in clauses) + "}\n"


def _comments(proposal: Proposal) -> str:
    """What speaks for each line but the phrases, which speak for themselves."""
    return "".join(
        f"# {change.sign} {change.word} {change.item}: {change.evidence}\n" for change in proposal.changes if change.word != "phrases"
    )
