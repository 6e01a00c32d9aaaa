"""Whether the receipts in a file are as they were written: what was changed, removed, added or moved since."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.language.source import Location, Source, Span
from toolplan.receipts.lines import ENCODING, MENDED, START, Receipt, lines_in, receipt_in, sealed, torn_content
from toolplan.receipts.reading import bytes_in
from toolplan.receipts.seals import Keyed, Seal

JSON = json.JSONDecoder()
BEFORE_CONTENT = ("seq", "session")
"""The fields that stand before the content of a receipt, which may have fields of the same name."""


class Audited(NamedTuple):
    """The receipts in a file, the numbers of the lines that an interrupted write has left, and what is wrong, in the order of the file."""

    receipts: tuple[Receipt, ...]
    torn: tuple[int, ...]
    faults: tuple[Diagnostic, ...]


class _Line(NamedTuple):
    location: Location
    text: str
    receipt: Receipt | None

    @property
    def number(self) -> int:
        return self.location.start[0]


def source_of(path: Path) -> Source:
    """The text of a file of receipts, whatever its bytes are. Raises DomainError where it cannot be read."""
    return Source(str(path), bytes_in(path).decode(*ENCODING))


def verify(source: Source, seal: Seal) -> Audited:
    """Check every line against its hash, and the chain of hashes. `source` is what `source_of` has read.

    Not to be seen in a file alone: that its last receipts were cut off, and without a key, that all of it was written anew.
    """
    lines = list(_lines(source))
    receipts = tuple(line.receipt for line in lines if line.receipt)
    other = _sealed_otherwise(lines, seal)
    if other:
        return Audited(receipts, (), (other,))
    chain = _Chain(receipts, seal)
    for line in lines:
        chain.follow(line)
    chain.finish()
    return Audited(receipts, tuple(chain.torn), tuple(chain.faults))


def verify_head(source: Source, receipts: tuple[Receipt, ...], hash: str, count: int | None = None) -> list[Diagnostic]:
    """Check that the receipts reach as far as a head that was kept elsewhere; more may have been written since.

    Without `count`, any of them may be the one with this hash. An empty `hash` fits all.
    """
    end = Location(source, Span(max(0, len(source.text) - 1), len(source.text)))
    if count is not None and len(receipts) < count:
        message = f"the end was cut off: there are {_number(len(receipts))}, and there were {count}"
        return [Diagnostic(Code.BROKEN_RECEIPTS, message, end, "restore the file from a copy")]
    candidates = receipts if count is None else receipts[count - 1 : count]
    if hash and hash not in [receipt.hash for receipt in candidates]:
        where = "no receipt" if count is None else f"receipt {count}"
        message = f"{where} has the hash of the head: the end was cut off, or the file was written anew"
        return [Diagnostic(Code.BROKEN_RECEIPTS, message, end, "restore the file from a copy; or the head is that of another session")]
    return []


class _Chain:
    """Follows the lines of one file.

    `before` is the receipt that the next one has to follow; None after a line that cannot be relied on, which is a fault already.
    """

    def __init__(self, receipts: Iterable[Receipt], seal: Seal) -> None:
        self._seal = seal
        self._present = {receipt.seq for receipt in receipts}
        self._before: Receipt | None = START
        self._session: str | None = None
        self._junk: list[_Line] = []
        self.torn: list[int] = []
        self.faults: list[Diagnostic] = []

    def follow(self, line: _Line) -> None:
        """Take the next line in."""
        receipt = line.receipt
        if receipt is None:
            self._junk.append(line)
            return
        self._explain_junk(line, receipt)
        if sealed(receipt, self._seal).hash != receipt.hash:
            self._find("this receipt was changed after it was written", line.location, "restore the line from a copy")
            self._before = None
        elif self._session not in (None, receipt.session):
            message = f"this receipt belongs to session {quoted(receipt.session)}, the others to {quoted(self._session or '')}"
            self._find(message, _field(line, "session"), "each session has a file of its own")
        else:
            self._check_place(line, receipt)
            self._before, self._session = receipt, receipt.session

    def finish(self) -> None:
        """There are no more lines."""
        if self._junk and self._junk[-1].location.span.end == len(self._junk[-1].location.source.text):
            self._find(
                "the last receipt was not written to its end",
                self._junk[-1].location,
                "a write was interrupted, or is under way; the next receipt of the session says so",
            )
        elif self._junk:
            self._find_junk()

    def _explain_junk(self, line: _Line, receipt: Receipt) -> None:
        """Lines that are no receipts are no fault where the next receipt was written to say so."""
        claimed = receipt.kind == MENDED
        if claimed and receipt.content == torn_content(each.text for each in self._junk):
            self.torn += [each.number for each in self._junk]
        elif claimed:
            self._find(
                "what an interrupted write had left before this receipt was changed or removed", line.location, "restore it from a copy"
            )
            self._before = None
        elif self._junk:
            self._find_junk()
        self._junk = []

    def _check_place(self, line: _Line, receipt: Receipt) -> None:
        before = self._before
        if before is None:
            return
        if receipt.seq == before.seq + 1:
            if receipt.previous != before.hash:
                hint = "one of the two was written anew: compare them with a copy"
                self._find("this receipt does not follow the one before it", _field(line, "previous"), hint)
            return
        between = sum(before.seq < seq < receipt.seq for seq in self._present)
        gone = receipt.seq - before.seq - 1 - between
        if gone > 0:
            message = f"{_number(gone)} before this one {'was' if gone == 1 else 'were'} removed"
        else:
            message = f"receipt {receipt.seq} stands where receipt {before.seq + 1} belongs"
        self._find(message, _field(line, "seq"), "restore the file from a copy")

    def _find_junk(self) -> None:
        self._find("this is no receipt", self._junk[0].location, "nothing but receipts belongs into the file")
        self._before = None

    def _find(self, message: str, location: Location, hint: str) -> None:
        self.faults.append(Diagnostic(Code.BROKEN_RECEIPTS, message, location, hint))


def _sealed_otherwise(lines: list[_Line], seal: Seal) -> Diagnostic | None:
    """That the file has hashes of another kind, or of another key; then nothing more can be said of it."""
    receipts = [(line, line.receipt) for line in lines if line.receipt]
    for line, receipt in receipts:
        scheme = receipt.hash.partition(":")[0]
        if scheme != seal.scheme:
            message = f"this receipt is sealed by {quoted(scheme)}, not by `{seal.scheme}`"
            keyed = "it was not written with the key" if isinstance(seal, Keyed) else "to check seals of a key, give it: --key-file"
            return Diagnostic(Code.BROKEN_RECEIPTS, message, _field(line, "hash"), keyed)
    if isinstance(seal, Keyed) and receipts and all(sealed(receipt, seal).hash != receipt.hash for _, receipt in receipts):
        hint = "is it the key with which they were written?"
        return Diagnostic(Code.BROKEN_RECEIPTS, "the key fits none of the receipts", _field(receipts[0][0], "hash"), hint)
    return None


def _lines(source: Source) -> Iterator[_Line]:
    at = 0
    for text in lines_in(source.text):
        yield _Line(Location(source, Span(at, at + len(text))), text, receipt_in(text))
        at += len(text) + 1


def _field(line: _Line, name: str) -> Location:
    """Where the value of the field `name` of a receipt stands. No text has such a key in it: its quotes would be escaped."""
    source, span = line.location
    key = f'"{name}":'
    at = line.text.find(key) if name in BEFORE_CONTENT else line.text.rfind(key)
    _, end = JSON.raw_decode(line.text, at + len(key))
    return Location(source, Span(span.start + at + len(key), span.start + end))


def _number(receipts: int) -> str:
    return f"{receipts} {'receipt' if receipts == 1 else 'receipts'}"
