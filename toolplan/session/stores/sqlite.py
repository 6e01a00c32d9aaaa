"""Sessions in a file of SQLite, which the standard library reads: what a host uses that has no server for them."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from os.path import abspath

from toolplan.frontier.at_once import TakesLong
from toolplan.language.diagnostics import DomainError, quoted
from toolplan.session.stores.connections import Connection
from toolplan.session.stores.reports import check_events, check_name, unusable

PATIENCE = 30.0
"""Seconds that a writer waits for the others."""
LOG = "-wal"
"""What SQLite calls the log of a file, after the name of the file: appends go there first."""
LONGEST_LOG = 10_000
"""Pages of the log after which an event loop moves it on. Threads do so after a tenth of that."""
MOST_APPENDED = 400
"""Appends of an event loop after which whoever waits for the disk anyway moves the log on."""
NORMAL = 1
"""How SQLite counts the mode in which an append does not wait for the disk."""
APPLICATION = 0x746F6F6C
"""What SQLite keeps in the head of a file to say whose it is: the bytes of `tool`."""
VERSION = 1
"""Of the tables. Counted up when they change."""

TABLE = """
    CREATE TABLE event (session TEXT NOT NULL, number INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (session, number)) WITHOUT ROWID
"""
EVENTS = "SELECT event FROM event WHERE session = ? AND number > ? ORDER BY number"
LENGTH = "SELECT coalesce(max(number), 0) FROM event WHERE session = ?"
APPEND = f"""
    INSERT INTO event SELECT :session, :after + given.key + 1, given.value FROM json_each(:events) AS given
    WHERE ({LENGTH.replace("?", ":session")}) = :after
"""
"""One statement, so that the file is not locked while Python does something else between two."""
HEAD = "SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version FROM pragma_application_id, pragma_user_version"

HINTS = {
    sqlite3.SQLITE_CANTOPEN: "its directory must exist, and this user must be allowed to write there",
    sqlite3.SQLITE_READONLY: "this user must be allowed to write the file and its directory",
    sqlite3.SQLITE_NOTADB: "name a file that does not exist yet, or one that a store has made",
    sqlite3.SQLITE_CORRUPT: "restore the file from a copy, or name another one",
    sqlite3.SQLITE_BUSY: "another process holds the file: end it, or try again",
    sqlite3.SQLITE_FULL: "there is no room left on the disk",
}


class SQLiteStore:
    """Keeps sessions in the file at `path`, which it makes where there is none. Any number of processes on one machine may use it.

    An append is on the disk when it returns, so that neither a killed process nor a power failure loses it. A disk takes milliseconds for
    that, so a store that is `deferred` leaves it to `flush`: a killed process loses nothing there either, a power failure what came after.
    The file must not lie on a network drive: its locks do not reach over one. Raises DomainError where the file cannot be used, or is not
    one of this store.
    """

    def __init__(self, path: str | PathLike[str], *, deferred: bool = False) -> None:
        self._path, self._deferred = abspath(path), deferred
        self._connection = Connection(self._open)
        with self._use() as connection:  # A file that cannot be used is told of now.
            is_prompt = connection.execute("PRAGMA synchronous").fetchone() == (NORMAL,)
        self._hasty = _Hasty(self._path) if is_prompt else None

    def events(self, session: str, after: int = 0) -> list[str]:
        """The events of `session` in order, without the first `after`; none where there is no such session."""
        check_name(session)
        with self._use() as connection:
            return [event for (event,) in connection.execute(EVENTS, (session, after))]

    def append(self, session: str, after: int, events: Sequence[str]) -> bool:
        """Add `events`, all or none, if `session` has exactly `after` events now."""
        check_events(session, events)
        with self._use() as connection:
            if not events:
                return bool(connection.execute(LENGTH, (session,)).fetchone() == (after,))
            return connection.execute(APPEND, {"session": session, "after": after, "events": json.dumps(list(events))}).rowcount > 0

    def delete(self, session: str) -> None:
        """Forget `session`."""
        check_name(session)
        with self._use() as connection:
            connection.execute("DELETE FROM event WHERE session = ?", (session,))

    def flush(self) -> None:
        """Return when what was appended before is on the disk."""
        if not self._deferred:
            return
        try:
            # What is not in the log any more went to the disk when SQLite moved it on. No lock of SQLite is on this file.
            with open(f"{self._path}{LOG}", "r+b", buffering=0) as log:
                _sync(log.fileno())
        except FileNotFoundError:
            pass  # There is no log where all stores are closed, and whoever closes the last one moves all of it on.
        except OSError as error:
            raise self._unusable(error, "the disk must have room, and work") from None
        if self._hasty is not None and self._hasty.appended >= MOST_APPENDED:
            self._hasty.appended = 0
            with self._use() as connection:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def at_hand(self) -> SQLiteStore | None:
        """The same file over a connection that waits for no other. None where an append waits for the disk."""
        return self._hasty

    def close(self) -> None:
        """Close the file. A later use opens it again."""
        self._connection.close()
        if self._hasty is not None:
            self._hasty.close()

    @contextmanager
    def _use(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._connection.use() as connection:
                yield connection
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def _failure(self, error: sqlite3.Error) -> Exception:
        """What an error of SQLite is to whoever uses the store."""
        return self._unusable(error, HINTS.get(_cause(error), ""))

    def _open(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        except ValueError as error:
            raise self._unusable(error, "name a file") from None
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the table in an empty file. A file of somebody else stays as it is."""
        if _is_empty(connection):
            _make_table(connection)
        _, application, version = connection.execute(HEAD).fetchone()
        if application != APPLICATION:
            raise self._unusable("it is a database of another program", HINTS[sqlite3.SQLITE_NOTADB])
        if version != VERSION:
            raise self._unusable(f"its tables have version {version}, and this toolplan reads {VERSION}", "update toolplan")
        is_ahead = _log_ahead(connection)
        connection.execute(f"PRAGMA synchronous = {'NORMAL' if self._deferred and is_ahead else 'FULL'}")

    def _unusable(self, reason: Exception | str, hint: str) -> DomainError:
        return unusable(f"the file {quoted(self._path)}", reason, hint)


class _Hasty(SQLiteStore):
    """The same for an event loop: where another connection would have to be waited for, TakesLong is raised, and nothing was done."""

    def __init__(self, path: str) -> None:
        # Opened when it is first used: the file was found to be one of this store already.
        self._path, self._deferred, self._hasty = path, True, None
        self._connection = Connection(self._open)
        self.appended = 0

    def append(self, session: str, after: int, events: Sequence[str]) -> bool:
        """Add `events`, and count how often that was done."""
        self.appended += 1
        return super().append(session, after, events)

    def _open(self) -> sqlite3.Connection:
        connection = super()._open()
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute(f"PRAGMA wal_autocheckpoint = {LONGEST_LOG}")
        return connection

    def _failure(self, error: sqlite3.Error) -> Exception:
        return TakesLong() if _cause(error) == sqlite3.SQLITE_BUSY else super()._failure(error)


def _sync(file: int) -> None:
    """Wait until what is in `file` is on the disk; when it was written last is of no use to anybody, where the system can tell them apart."""
    getattr(os, "fdatasync", os.fsync)(file)


def _is_empty(connection: sqlite3.Connection) -> bool:
    head: tuple[int, ...] = connection.execute(HEAD).fetchone()
    return not any(head)


def _make_table(connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if _is_empty(connection):  # Another process may have been faster.
            connection.execute(TABLE)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")


def _log_ahead(connection: sqlite3.Connection) -> bool:
    """Let readers read while somebody writes; whether they can. While another process opens the file too, that is left to whoever opens it next."""
    try:
        return bool(connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",))
    except sqlite3.OperationalError as error:
        if _cause(error) != sqlite3.SQLITE_BUSY:
            raise
        return False


def _cause(error: sqlite3.Error) -> int:
    """What went wrong, without the details in the upper bits; nothing where the library and not SQLite complains."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF
