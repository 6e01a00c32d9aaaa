"""Who takes receipts: what a gate needs of it, nobody, and several at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

Kind = Literal["decision", "verdict", "outcome", "answer"]
"""What a receipt is of: a decision about what may be called, the verdict on one call, what came of it, or the answer to a question."""


class Receipts(Protocol):
    """Takes receipts. Safe to use from several threads. Where it is `prompt`, an event loop may write them itself; see `is_prompt`."""

    def write(self, session: str, kind: Kind, content: Mapping[str, object]) -> None:
        """Keep one receipt. `content` is made of JSON values and of `Private` ones.

        Raises DomainError where it cannot be kept. A call whose verdict is not on record should not run.
        """


def is_prompt(receipts: Receipts) -> bool:
    """Whether `receipts` say that they take no longer than a line of a log: nobody is asked, and no disk waited for."""
    return getattr(receipts, "prompt", False) is True


class _NoReceipts:
    prompt = True

    def write(self, session: str, kind: Kind, content: Mapping[str, object]) -> None:
        """Keep nothing."""


NO_RECEIPTS: Receipts = _NoReceipts()


class Tee:
    """Hands each receipt to all of `receipts`, in their order. Where one raises, those after it do not get the receipt."""

    def __init__(self, *receipts: Receipts) -> None:
        self._receipts = receipts
        self.prompt = all(map(is_prompt, receipts))

    def write(self, session: str, kind: Kind, content: Mapping[str, object]) -> None:
        """Hand the receipt on."""
        for each in self._receipts:
            each.write(session, kind, content)
