"""A receipt and its line of JSON.

The hash of a receipt is over the bytes of its line without the last field, `hash`. A line has the form of a receipt only if it is, byte
for byte, the one that its receipt gives: nothing can be changed that the hash does not see.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import NamedTuple

from toolplan.receipts.seals import Seal

ENCODING = ("utf-8", "surrogateescape")
"""How the bytes of a file become text from which they can be had back."""
MENDED = "mended"
"""The kind of a receipt that says what an interrupted write had left before it."""


class Receipt(NamedTuple):
    """One receipt. `seq` counts from 1 in each session, `at` is a time in UTC, `previous` the hash of the receipt before it, if any."""

    seq: int
    at: str
    session: str
    kind: str
    content: object
    previous: str
    hash: str = ""


START = Receipt(0, "", "", "", {}, "")
"""What the first receipt follows."""


def line_of(receipt: Receipt) -> str:
    """The line of `receipt`, without its end: ASCII, whatever the values are."""
    return json.dumps(receipt._asdict(), separators=(",", ":"))


def sealed(receipt: Receipt, seal: Seal) -> Receipt:
    """`receipt` with the hash that `seal` gives it."""
    return receipt._replace(hash=seal.over(_unsealed(receipt)))


def sealed_line(receipt: Receipt, seal: Seal) -> tuple[str, str]:
    """The line of `receipt` with the hash that `seal` gives it, and that hash."""
    text = _unsealed(receipt)
    hash = seal.over(text)
    return f"{text[:-1]},{json.dumps({'hash': hash}, separators=(',', ':'))[1:]}", hash


def receipt_in(line: str) -> Receipt | None:
    """The receipt that a line has the form of; None where it has that of none. Whether its hash fits is not looked at."""
    try:
        receipt = _receipt_of(json.loads(line))
        return receipt if receipt and line_of(receipt) == line else None
    except (ValueError, RecursionError):
        return None


def lines_in(text: str) -> list[str]:
    """The lines of a file, without their ends. Only `\\n` ends a line."""
    return text.removesuffix("\n").split("\n") if text else []


def torn_content(lines: Iterable[str]) -> dict[str, object]:
    """The content of a receipt that comes after `lines`, which are none."""
    return {"torn": "sha256:" + hashlib.sha256("\n".join(lines).encode(*ENCODING)).hexdigest()}


def _unsealed(receipt: Receipt) -> str:
    fields = receipt._asdict()
    del fields["hash"]
    return json.dumps(fields, separators=(",", ":"))


def _receipt_of(data: object) -> Receipt | None:
    match data:
        case {
            "seq": int(seq),
            "at": str(at),
            "session": str(session),
            "kind": str(kind),
            "content": content,
            "previous": str(previous),
            "hash": str(hash),
        }:
            return Receipt(seq, at, session, kind, content, previous, hash)
        case _:
            return None
