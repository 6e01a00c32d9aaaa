"""Domains that were read before, as JSON files named by the content they came from.

An entry counts only where every text it came from is the same, and so are the grammar and the code that read them. It is data and is
checked as such: a file that is damaged, or that others may write to, is as good as none. `TOOLPLAN_CACHE` names another directory, or
`off`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from toolplan.domain import Domain
from toolplan.language.codec import codec_of

SMALLEST = 100_000
"""Characters of a domain that are worth an entry; reading less is as fast."""
MOST_ENTRIES = 64


def recall(root: Path, shown: str, text: str) -> Domain | None:
    """The domain that was read from `text` in the file `root`, if it and all it imports are as they were then."""
    directory = _directory()
    if directory is None or not _is_ours(directory):
        return None
    entry = directory / _key(shown, text)
    try:
        if not _is_ours(entry):
            return None
        digest, _, payload = entry.read_bytes().partition(b"\n")
        if digest != _digest(payload).encode():
            return None
        files, domain = json.loads(payload)
        if not all(_unchanged(root.parent, name, wanted) for name, wanted in files):
            return None
        decoded: Domain = codec_of(Domain).decode(domain)
        os.utime(entry)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return decoded


def remember(root: Path, shown: str, texts: Mapping[str, str], domain: Domain) -> None:
    """Keep `domain`, which was read from `texts`: real paths to contents, that of `root` among them. Failing to is no error."""
    directory = _directory()
    if directory is None or sum(map(len, texts.values())) < SMALLEST:
        return
    imported = [[os.path.relpath(path, root.parent), _digest(text.encode())] for path, text in texts.items() if Path(path) != root]
    payload = json.dumps([imported, codec_of(Domain).encode(domain)], separators=(",", ":")).encode()
    with contextlib.suppress(OSError):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(directory):
            return
        with tempfile.NamedTemporaryFile(dir=directory, delete=False) as file:
            file.write(_digest(payload).encode() + b"\n" + payload)
        os.replace(file.name, directory / _key(shown, texts[str(root)]))
        _forget_oldest(directory)


def _directory() -> Path | None:
    chosen = os.environ.get("TOOLPLAN_CACHE")
    if chosen == "off":
        return None
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home, "toolplan") if os.path.isabs(home) else None


def _is_ours(path: Path) -> bool:
    """Whether nobody but the user of this process may write to `path`."""
    if not hasattr(os, "getuid"):
        return True
    try:
        status = path.lstat()
    except OSError:
        return False
    return not stat.S_ISLNK(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


def _unchanged(directory: Path, name: str, wanted: str) -> bool:
    return _digest((directory / name).read_bytes()) == wanted


def _key(shown: str, text: str) -> str:
    """The name of an entry: what is printed in it comes from the shown name and the text, read by this very code."""
    stem = shown.replace("\\", "/").rsplit("/", 1)[-1]
    return _digest("\0".join([_reader(), stem, text]).encode("utf-8", "surrogatepass")) + ".json"


@cache
def _reader() -> str:
    """A digest of the grammar and of the modules that turn text into a domain."""
    digest = hashlib.sha256()
    for package in ("toolplan.grammar", "toolplan.domain", "toolplan.language"):
        for file in sorted(resources.files(package).iterdir(), key=lambda entry: entry.name):
            if file.is_file() and file.name.endswith((".py", ".lark")):
                digest.update(file.read_bytes())
    return digest.hexdigest()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _forget_oldest(directory: Path) -> None:
    entries = sorted(directory.glob("*.json"), key=lambda entry: entry.stat().st_mtime)
    for entry in entries[:-MOST_ENTRIES]:
        entry.unlink(missing_ok=True)
