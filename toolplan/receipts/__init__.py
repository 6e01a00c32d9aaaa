"""What was decided, why, and what came of it: one line of JSON each, chained by hashes, so that a change afterwards shows.

A receipt holds names, figures and sources as they are, and values only as digests, unless its writer is told otherwise: whoever hands
a value in marks it as `Private`. `FileReceipts` keeps a file for each session, which `verify` checks; `spans.Spans` tells OpenTelemetry.
"""

from __future__ import annotations

from toolplan.receipts.files import FileReceipts, Head
from toolplan.receipts.private import Private, Redaction
from toolplan.receipts.seals import read_key
from toolplan.receipts.writers import NO_RECEIPTS, Kind, Receipts, Tee, is_prompt

__all__ = ["NO_RECEIPTS", "FileReceipts", "Head", "Kind", "Private", "Receipts", "Redaction", "Tee", "is_prompt", "read_key"]
