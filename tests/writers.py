"""Workers that append to sessions, as threads of a test and as processes of their own."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from random import Random

from toolplan.session.stores import PostgreSQLStore, SQLiteStore, Store

Shared = SQLiteStore | PostgreSQLStore

SESSIONS = [f"session {number}" for number in range(100)]
EACH = 5
BATCH = 3


def opened_at(kind: str, place: str) -> Shared:
    """A store that several processes can share."""
    return PostgreSQLStore(place) if kind == "postgresql" else SQLiteStore(place, deferred=kind == "deferred")


def write(store: Store, writer: str, seed: int) -> None:
    """Append `EACH` numbered events of `writer` to every session, in a random order, each again where somebody else was faster."""
    turns = SESSIONS * EACH
    Random(seed).shuffle(turns)
    written: Counter[str] = Counter()
    for session in turns:
        event = json.dumps([writer, written[session]])
        while not store.append(session, len(store.events(session)), [event]):
            pass
        written[session] += 1


def write_batches(store: Store) -> None:
    """Append batches of large events for ever, and print how many events are there after each."""
    length = 0
    while store.append("s", length, [json.dumps([number, "x" * 100_000]) for number in range(length, length + BATCH)]):
        length += BATCH
        print(length, flush=True)


def fork(store: Shared) -> None:
    """Append before a fork, in the child, and in the parent again."""
    assert store.append("s", 0, ["0"])
    child = os.fork()
    if child == 0:
        done = store.append("s", 1, ["1"])
        store.close()
        os._exit(0 if done else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert store.append("s", 2, ["2"])
    store.close()


if __name__ == "__main__":
    kind, place, what, *details = sys.argv[1:]
    opened = opened_at(kind, place)
    match what:
        case "write":
            write(opened, details[0], int(details[1]))
        case "batches":
            write_batches(opened)
        case "fork":
            fork(opened)
    opened.close()
