"""Domains from the cache: the same as read afresh, and never from an entry that does not fit or cannot be trusted."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplan import Domain, DomainError, load
from toolplan.language import cache
from toolplan.language.codec import codec_of
from toolplan.language.loading import shipped_domains


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("TOOLPLAN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


TOOLS = 100


def large(path: Path, *, extra: str = "", imports: str = "") -> Path:
    """A domain large enough for an entry."""
    tools = "\n".join(f'tool t{number} {{ "{"what it does " * 100}" produces f risk read }}' for number in range(TOOLS))
    path.write_text(f"{imports}\nfact f\n{tools}\n{extra}", "utf-8")
    return path


def same(one: Domain, other: Domain) -> bool:
    parts = ("name", "description", "types", "constants", "facts", "tools", "asks", "goals", "policy", "tests")
    return all(getattr(one, part) == getattr(other, part) for part in parts)


@pytest.mark.parametrize("name", shipped_domains())
def test_every_shipped_domain_survives_the_codec(name: str) -> None:
    domain = load(name)
    codec = codec_of(Domain)
    assert same(codec.decode(json.loads(json.dumps(codec.encode(domain)))), domain)


def test_the_second_load_comes_from_the_cache_and_is_the_same(place: Path, tmp_path: Path) -> None:
    path = large(tmp_path / "d.toolplan")
    first = load(path)
    (entry,) = place.iterdir()
    written = entry.read_bytes()
    assert same(load(path), first)
    assert entry.read_bytes() == written


def test_small_domains_leave_no_entry(place: Path) -> None:
    load("contacts")
    assert not place.exists()


def test_off_is_off(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLPLAN_CACHE", "off")
    load(large(tmp_path / "d.toolplan"))
    assert not place.exists()


def test_a_changed_file_or_import_is_read_again(place: Path, tmp_path: Path) -> None:
    (tmp_path / "other.toolplan").write_text("fact g")
    path = large(tmp_path / "d.toolplan", imports='import "other.toolplan"')
    assert "h" not in load(path).facts
    (tmp_path / "other.toolplan").write_text("fact g fact h")
    assert "h" in load(path).facts
    large(path, extra="fact i", imports='import "other.toolplan"')
    assert "i" in load(path).facts
    (tmp_path / "other.toolplan").unlink()
    with pytest.raises(DomainError):
        load(path)


def test_a_domain_with_errors_is_not_kept(place: Path, tmp_path: Path) -> None:
    with pytest.raises(DomainError):
        load(large(tmp_path / "d.toolplan", extra="tool x { requires nothing }"))
    assert not place.exists()


def test_an_entry_that_others_may_write_is_not_read(place: Path, tmp_path: Path) -> None:
    path = large(tmp_path / "d.toolplan")
    load(path)
    (entry,) = place.iterdir()
    poisoned = entry.read_bytes().replace(b'"t7"', b'"evil"')
    _, _, payload = poisoned.partition(b"\n")
    entry.write_bytes(cache._digest(payload).encode() + b"\n" + payload)
    assert "evil" in load(path).tools
    entry.chmod(0o666)
    assert "evil" not in load(path).tools
    load(path)
    place.chmod(0o777)
    assert "t7" in load(path).tools


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_entry_is_as_good_as_none(data: st.DataObject) -> None:
    """Bytes changed, with and without a digest that fits them again."""
    directory = Path(os.environ["TOOLPLAN_CACHE"])
    path = directory.parent / "d.toolplan"
    if not path.exists():
        large(path)
        load(path)
    (entry,) = directory.glob("*.json")
    good = entry.read_bytes()
    digest, _, payload = good.partition(b"\n")
    at = data.draw(st.integers(0, len(payload) - 1))
    damaged = payload[:at] + data.draw(st.binary(max_size=4)) + payload[at + data.draw(st.integers(0, 8)) :]
    if data.draw(st.booleans()):
        digest = cache._digest(damaged).encode()
    entry.write_bytes(digest + b"\n" + damaged)
    try:
        assert isinstance(load(path), Domain)
    finally:
        entry.write_bytes(good)


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["TOOLPLAN_CACHE"] = str(tmp_path_factory.mktemp("own") / "cache")


@pytest.mark.parametrize("data", ["[]", "null", "[[],[]]", "[[], [1,2,3]]", "[" * 50_000, '[[["../x", "y"]], 3]'])
def test_a_strange_entry_is_as_good_as_none(data: str, place: Path, tmp_path: Path) -> None:
    path = large(tmp_path / "d.toolplan")
    load(path)
    (entry,) = place.iterdir()
    entry.write_bytes(cache._digest(data.encode()).encode() + b"\n" + data.encode())
    assert len(load(path).tools) == TOOLS
