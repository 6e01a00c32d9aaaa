"""What a raw result says: whether the call failed, and what was found of each fact that the contract reads from it.

- `raw`: whatever a framework or a server gives back, as one JSON value.
- `paths`, `patterns`: how a contract says where a value is; `filters`, `linear`: matching in linear time.
- `labels`: the words to choose among several values by.
- `reading`: a tool and a result to a `ResultReading`, whose types are in `matches`.
"""

from __future__ import annotations

from toolplan.session.results.matches import Failed, Found, InDoubt, Match, Nothing, Read, ResultReading
from toolplan.session.results.raw import words_of
from toolplan.session.results.reading import HostReaders, read_result

__all__ = ["Failed", "Found", "HostReaders", "InDoubt", "Match", "Nothing", "Read", "ResultReading", "read_result", "words_of"]
