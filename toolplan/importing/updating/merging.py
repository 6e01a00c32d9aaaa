"""Three versions of a file to one, declaration by declaration."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property

from toolplan.importing.updating.clauses import merged_block
from toolplan.importing.updating.declared import Declarations, Declared, Key, declared, named
from toolplan.language import nodes
from toolplan.language.diagnostics import quoted
from toolplan.language.source import Source

GONE = "# gone: the server does not list this tool any more"


@dataclass(frozen=True)
class Merging:
    """What was imported (`base`), what the author made of it (`mine`), what is imported now (`theirs`), and the contracts that are `gone`."""

    mine: Declarations
    base: Declarations
    theirs: Declarations
    gone: Set[str]

    @cached_property
    def text(self) -> str:
        """My declarations with what changed in them, and after them those that are new.

        What I deleted stays away, unless something new needs it. Facts and questions that came with an import and are gone from it go, once
        nothing names them.
        """
        firm = {key: self._merged(key) for key in self.mine if not self._is_loose(key)}
        used = _names_in("\n".join([*firm.values(), *(self.theirs[key].text for key in self._new)]))
        pieces = [
            firm[key] if key in firm else own.above + own.text for key, own in self.mine.items() if key in firm or used & _about(key, own)
        ]
        missed = [key for key in self.theirs if key[0] == "fact" and key[1] in used and key not in self.mine and key not in self._new]
        return "".join([*pieces, *(self.theirs[key].above + self.theirs[key].text for key in (*missed, *self._new))])

    @cached_property
    def disputed(self) -> tuple[str, ...]:
        """What both changed, and stands as I wrote it."""
        found = []
        for key, own in self.mine.items():
            match own.node, self._node(self.base, key), self._node(self.theirs, key):
                case nodes.Block(), nodes.Block() as base, nodes.Block() as theirs:
                    words = merged_block(base, own, theirs).disputed
                    found += [f"{quoted(word)} of {key[0]} {quoted(key[1])}" for word in words]
                case node, base, theirs if base is not None and theirs not in (None, base, node) and node != base:
                    found.append(f"{key[0]} {quoted(key[1])}")
        return tuple(found)

    @cached_property
    def _new(self) -> tuple[Key, ...]:
        return tuple(key for key in self.theirs if key not in self.mine and key not in self.base)

    def _node(self, version: Declarations, key: Key) -> nodes.Declaration | None:
        return version[key].node if key in version else None

    def _is_loose(self, key: Key) -> bool:
        """Whether it is a fact or a question that only the import was for."""
        base = self._node(self.base, key)
        return key[0] in ("fact", "ask") and key not in self.theirs and base == self.mine[key].node

    def _merged(self, key: Key) -> str:
        own, base, theirs = self.mine[key], self.base.get(key), self.theirs.get(key)
        if base is None or theirs is None:
            return f"{self._marked(own)}{own.text}"
        above = theirs.above if own.comments == base.comments else _unmarked(own)
        if isinstance(base.node, nodes.Block) and isinstance(theirs.node, nodes.Block):
            return f"{above}{merged_block(base.node, own, theirs.node).text}"
        return f"{above}{theirs.text if own.node == base.node != theirs.node else own.text}"

    def _marked(self, own: Declared) -> str:
        if own.key[0] != "tool":
            return own.above
        if own.key in self.theirs:
            return _unmarked(own)
        return f"{own.above}{GONE}\n" if own.key[1] in self.gone and GONE not in own.comments else own.above


def _unmarked(own: Declared) -> str:
    return own.above.replace(f"{GONE}\n", "")


def _names_in(text: str) -> set[str]:
    found, _ = declared(Source("<merged>", text))
    return {name for declaration in found.values() for name in named(declaration.node)}


def _about(key: Key, own: Declared) -> set[str]:
    """The fact that is declared, or those that a question asks for."""
    return {key[1]} if key[0] == "fact" else set(named(own.node)) - {key[1]}
