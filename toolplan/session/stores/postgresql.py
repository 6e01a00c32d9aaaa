"""Sessions in a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from toolplan.retrieval.packages import required
from toolplan.session.stores.connections import Connection
from toolplan.session.stores.reports import check_events, check_name, unusable

if TYPE_CHECKING:
    import psycopg

LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('toolplan_event ' || %s, 0))"
"""Held to the end of the transaction, so that nobody appends to a session while somebody else appends to it or deletes it."""
FIND_TABLE = "SELECT to_regclass('toolplan_event')"
TABLE = """
    CREATE TABLE toolplan_event
    (session text COLLATE "C", number integer, event text NOT NULL, PRIMARY KEY (session, number))
"""
EVENTS = "SELECT event FROM toolplan_event WHERE session = %s AND number > %s ORDER BY number"
LENGTH = "SELECT coalesce(max(number), 0) FROM toolplan_event WHERE session = %s"
APPEND = "INSERT INTO toolplan_event SELECT %s, %s + row, event FROM unnest(%s::text[]) WITH ORDINALITY AS given (event, row)"
DELETE = "DELETE FROM toolplan_event WHERE session = %s"


class PostgreSQLStore:
    """Keeps sessions in the table `toolplan_event` of the database that `conninfo` names; makes it where there is none.

    `conninfo` is a connection string of libpq, or a URL. Each store uses one connection, and opens another after any error.
    Raises DomainError where the package `psycopg` is missing or the database cannot be used.
    """

    def __init__(self, conninfo: str) -> None:
        self._driver = required("psycopg", "postgresql")
        self._conninfo = conninfo
        self._connection = Connection(self._open)
        self._make_table()

    def events(self, session: str, after: int = 0) -> list[str]:
        """The events of `session` in order, without the first `after`; none where there is no such session."""
        check_name(session)
        with self._use() as connection:
            return [event for (event,) in connection.execute(EVENTS, [session, after])]

    def append(self, session: str, after: int, events: Sequence[str]) -> bool:
        """Add `events`, all or none, if `session` has exactly `after` events now."""
        check_events(session, events)
        with self._locked(session) as connection:
            if connection.execute(LENGTH, [session]).fetchone() != (after,):
                return False
            connection.execute(APPEND, [session, after, list(events)])
            return True

    def delete(self, session: str) -> None:
        """Forget `session`."""
        check_name(session)
        with self._locked(session) as connection:
            connection.execute(DELETE, [session])

    def flush(self) -> None:
        """What was appended is on the disk of the server already, unless `synchronous_commit` is off there."""

    def close(self) -> None:
        """Close the connection. A later use opens another."""
        self._connection.close()

    def _open(self) -> psycopg.Connection:
        connection: psycopg.Connection = self._driver.connect(self._conninfo, autocommit=True)
        # Whatever the database does by default: who waited for a lock must see what was committed meanwhile.
        connection.isolation_level = self._driver.IsolationLevel.READ_COMMITTED
        return connection

    def _make_table(self) -> None:
        """Make the table where it is missing: a user who may not make one can use the one that is there."""
        with self._locked("") as connection:
            if connection.execute(FIND_TABLE).fetchone() == (None,):
                connection.execute(TABLE)

    @contextmanager
    def _locked(self, session: str) -> Iterator[psycopg.Connection]:
        with self._use() as connection, connection.transaction():
            connection.execute(LOCK, [session])
            yield connection

    @contextmanager
    def _use(self) -> Iterator[psycopg.Connection]:
        try:
            with self._connection.use() as connection:
                yield connection
        except self._driver.Error as error:
            self._connection.close()
            raise unusable("PostgreSQL", error, "the server must run, and let this user read and write") from None
