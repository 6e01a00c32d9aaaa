"""Sessions on a Redis server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from toolplan.retrieval.packages import required
from toolplan.session.stores.reports import check_events, check_name, unusable

if TYPE_CHECKING:
    from redis import Redis

APPEND = """
if redis.call('LLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
for i = 3, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
if ARGV[2] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
"""
"""A server runs a script whole before anything else, and writes down all of its effects or none."""


class RedisStore:
    """Keeps each session in a list of the Redis server `server`, a client or a URL, under its name after `prefix`.

    With `ttl` a session is forgotten when nothing was appended to it for so long. Events outlive the server as far as it is set up for
    that: with `appendonly yes`, and with `maxmemory-policy noeviction`, so that it does not drop sessions when it is full.
    Raises DomainError where the package `redis` is missing or the server does not answer.
    """

    def __init__(self, server: Redis | str, *, ttl: timedelta | None = None, prefix: str = "toolplan:") -> None:
        driver = required("redis", "redis")
        self._error: type[Exception] = driver.RedisError
        self._ttl = "" if ttl is None else str(ttl // timedelta(milliseconds=1))
        self._prefix = prefix
        try:
            self._client: Redis = driver.Redis.from_url(server) if isinstance(server, str) else server
        except ValueError as error:
            raise unusable("Redis", error, "a URL looks like `redis://localhost:6379/0`") from None
        self._append = self._client.register_script(APPEND)

    def events(self, session: str, after: int = 0) -> list[str]:
        """The events of `session` in order, without the first `after`; none where there is no such session."""
        with self._asking():
            events = self._client.lrange(self._key(session), after, -1)
        return [event.decode() if isinstance(event, bytes) else event for event in events]

    def append(self, session: str, after: int, events: Sequence[str]) -> bool:
        """Add `events`, all or none, if `session` has exactly `after` events now."""
        check_events(session, events)
        with self._asking():
            return bool(self._append([self._key(session)], [after, self._ttl, *(event.encode() for event in events)]))

    def delete(self, session: str) -> None:
        """Forget `session`."""
        with self._asking():
            self._client.delete(self._key(session))

    def flush(self) -> None:
        """When the server writes what was appended to its disk is set up there: `appendfsync always` waits for it."""

    def close(self) -> None:
        """Close the connections to the server. A later use opens new ones."""
        self._client.close()

    def _key(self, session: str) -> bytes:
        check_name(session)
        return (self._prefix + session).encode()

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        except self._error as error:
            raise unusable("Redis", error, "the server must run, and let this client in") from None
