"""A registry without its copies: superseded versions, and the same tool from several servers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplan.retrieval.documents import Document
from toolplan.retrieval.scorers.words import likeness, tokens

NEAR = 0.9
"""The likeness of two descriptions from which on they say the same."""


@dataclass(frozen=True, slots=True)
class Collapsed:
    """The `documents` that are to be ranked, and of each that is not, under its name, the name of the one that stands for it."""

    documents: tuple[Document, ...]
    instead: Mapping[str, str]

    def canonical(self, name: str) -> str:
        """The name under which the tool `name` is found; its own where nothing stands for it."""
        return self.instead.get(name, name)


def collapsed(documents: Sequence[Document]) -> Collapsed:
    """`documents` with one for each tool that is there in several versions or copies, in their order.

    What a contract supersedes goes, and so does a later copy: one with the same `id`, or one of another server with the same schema, in
    nearly the same words. Of tools that say nothing, or name no arguments, nobody could tell that they are copies: they stay. Of documents
    that supersede each other in a circle the first stays.
    """
    instead = _superseded(documents)
    instead |= _copies([document for document in documents if document.name not in instead])
    ends = {name: _end(name, instead) for name in instead}
    return Collapsed(tuple(document for document in documents if document.name not in instead), ends)


def _superseded(documents: Sequence[Document]) -> dict[str, str]:
    names = {document.name for document in documents}
    instead: dict[str, str] = {}
    for document in documents:
        for older in document.supersedes:
            if older in names and older not in instead and _end(document.name, instead) != older:
                instead[older] = document.name
    return instead


def _copies(documents: Iterable[Document]) -> dict[str, str]:
    originals = _Originals()
    copies: dict[str, str] = {}
    for document in documents:
        original = originals.of(document)
        if original is None:
            originals.add(document)
        else:
            copies[document.name] = original
    return copies


class _Said(NamedTuple):
    """What a tool says of itself."""

    name: str
    server: str
    words: frozenset[str]


class _Originals:
    """The first of each kind of tool. Words are compared only where schemas are the same."""

    def __init__(self) -> None:
        self._by_id: dict[str, str] = {}
        self._by_schema: dict[str, list[_Said]] = {}

    def of(self, document: Document) -> str | None:
        """The name of the tool that `document` is a copy of, if it is one."""
        if document.id in self._by_id:
            return self._by_id[document.id]
        words = tokens(document.description)
        others = self._by_schema.get(document.schema, ())
        return next((said.name for said in others if said.server != document.server and likeness(words, said.words) >= NEAR), None)

    def add(self, document: Document) -> None:
        if document.id:
            self._by_id[document.id] = document.name
        if document.schema and document.description:
            self._by_schema.setdefault(document.schema, []).append(_Said(document.name, document.server, tokens(document.description)))


def _end(name: str, instead: Mapping[str, str]) -> str:
    while name in instead:
        name = instead[name]
    return name
