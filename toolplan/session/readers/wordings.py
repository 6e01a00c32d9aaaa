"""The words that a model's answer says facts are told by: whether the turn has them, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from toolplan.domain import Fact
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.session.readers.prompts import sayings
from toolplan.session.readers.tokens import Token, tokens
from toolplan.session.spelling import spelling
from toolplan.session.turns import Context
from toolplan.values import found

CONTEXT = 2
"""Characters after words that show whether they end a word or a number."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Words of a turn that tell of `fact`, or that it has the value `option`; they touch the tokens from `start` to before `end`."""

    fact: Fact
    option: str | None
    words: str
    start: int
    end: int

    def overlaps(self, other: Wording) -> bool:
        """Whether the two share a token."""
        return self.start < other.end and other.start < self.end

    def without(self, others: Iterable[Wording]) -> tuple[int, int]:
        """From where to where it goes without what it begins or ends with that tells of another fact: "risks of [the report]"."""
        start, end = self.start, self.end
        for other in others:
            if other.fact is not self.fact and start <= other.start and other.end <= end:
                if start < other.start and other.end == end:
                    end = other.start
                elif start == other.start and other.end < end:
                    start = other.end
        return start, end


class Wordings:
    """The wordings of one answer about the turn `text`, each once, in the order of the answer. Words that the turn does not have are left out."""

    def __init__(self, text: str, context: Context, items: Iterable[object]) -> None:
        self.faults: list[Diagnostic] = []
        self.left_out: list[Diagnostic] = []
        self.turn = tokens(text, found(text, context.now))
        self._text = text
        self._starts = {token.start for token in tokens(text, ())}
        self._known = sayings(context.domain)
        self.all = tuple(dict.fromkeys(wording for number, item in enumerate(items, 1) for wording in self._read(number, item)))

    def tokens_of(self, wording: Wording) -> list[Token]:
        """The tokens that `wording` touches."""
        return self.turn[wording.start : wording.end]

    def _read(self, number: int, item: object) -> Iterator[Wording]:
        match item:
            case {"fact": str(name), "words": str(words), **rest} if not rest:
                if name not in self._known:
                    message = f"the answer states {quoted(name)}, which is nothing that a user can state"
                    self.faults.append(Diagnostic(Code.UNKNOWN_FACT, message))
                elif (place := self._place(spelling(words, self._text))) is not None:
                    yield Wording(*self._known[name], spelling(words, self._text), *place)
                else:
                    message = f"nothing is read of {quoted(name)}: the turn does not say {quoted(words)}"
                    self.left_out.append(Diagnostic(Code.ENGINE_NOT_BELIEVED, message))
            case _:
                self.faults.append(
                    Diagnostic(Code.BAD_JSON, f"item {number} of the words is not an object with nothing but `fact` and `words`")
                )

    def _place(self, words: str) -> tuple[int, int] | None:
        """From where to where the tokens go that `words` touch; None where there are none."""
        starts = [match.start() for match in re.finditer(re.escape(words), self._text)] if words else []
        whole = (start for start in starts if start in self._starts and spelling(words, self._text[start : start + len(words) + CONTEXT]))
        start = next(whole, starts[0] if starts else len(self._text))
        touched = [at for at, token in enumerate(self.turn) if token.start < start + len(words) and start < token.end]
        return (touched[0], touched[-1] + 1) if touched else None
