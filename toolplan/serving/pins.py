"""What the tools of other servers were when they were accepted: one that has come or changed since is not offered until somebody accepts it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from toolplan.catalog import RealTool
from toolplan.checks.reviewing import Pin, Pinned
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted

Entry = str | Mapping[str, object]
"""A tool in the file: its digest alone, as it was written once, or with what the tool was."""


class Pins:
    """The tools of each server as they were accepted, in the file `path`, which processes may share."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def unaccepted(self, server: str, tools: Iterable[RealTool]) -> list[RealTool]:
        """Which of `tools`, all that `server` offers, nobody has accepted as they are. Of a server that is seen for the first time, all are accepted."""
        pins, offered = self._read(), list(tools)
        if server not in pins:
            self._write({**pins, server: {tool.name: _entry(tool) for tool in offered}})
            return []
        accepted = {name: _digest(entry) for name, entry in pins[server].items()}
        return [tool for tool in offered if accepted.get(tool.name) != tool.digest]

    def accept(self, server: str, tools: Iterable[RealTool]) -> None:
        """Pin `tools` as they are now."""
        pins = self._read()
        self._write({**pins, server: {**pins.get(server, {}), **{tool.name: _entry(tool) for tool in tools}}})

    def forget(self, server: str, names: Collection[str]) -> None:
        """Unpin tools that are not offered any more: one of such a name is new if it comes back."""
        pins = self._read()
        self._write({**pins, server: {name: entry for name, entry in pins.get(server, {}).items() if name not in names}})

    def known(self) -> Mapping[str, Mapping[str, str]]:
        """Digests by server and tool. Raises DomainError where the file is not as it was written: what it pinned is not to be guessed."""
        return {server: {name: _digest(entry) for name, entry in pinned.items()} for server, pinned in self._read().items()}

    def kept(self) -> Pinned:
        """What was accepted, by server and tool. Raises DomainError as `known` does."""
        return {
            server: {name: Pin(_digest(entry), _tool(server, name, entry)) for name, entry in pinned.items()}
            for server, pinned in self._read().items()
        }

    def _read(self) -> Mapping[str, Mapping[str, Entry]]:
        try:
            pins = json.loads(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError):
            raise self._unreadable() from None
        if not isinstance(pins, dict) or not all(isinstance(pinned, dict) for pinned in pins.values()):
            raise self._unreadable()
        if not all(_is_entry(server, name, entry) for server, pinned in pins.items() for name, entry in pinned.items()):
            raise self._unreadable()
        return pins

    def _write(self, pins: Mapping[str, Mapping[str, Entry]]) -> None:
        """At once, so that no other process reads half of it."""
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=self.path.parent, prefix=f"{self.path.name}.", delete=False) as file:
            json.dump(pins, file, indent=2, sort_keys=True)
            file.write("\n")
        os.replace(file.name, self.path)

    def _unreadable(self) -> DomainError:
        message = f"cannot read the tools that were accepted in {quoted(str(self.path))}"
        hint = "remove the file if all tools of all servers are to be accepted as they are"
        return DomainError([Diagnostic(Code.UNREADABLE_FILE, message, None, hint)])


def _entry(tool: RealTool) -> Entry:
    return {"digest": tool.digest, "description": tool.description, "schema": tool.schema, "hints": tool.hints}


def _digest(entry: Entry) -> str:
    return entry if isinstance(entry, str) else str(entry["digest"])


def _tool(server: str, name: str, entry: Entry) -> RealTool | None:
    match entry:
        case {"description": str(description), "schema": dict(schema), "hints": dict(hints)}:
            return RealTool(name, description, schema, server, hints)
        case _:
            return None


def _is_entry(server: str, name: str, entry: object) -> bool:
    """Whether `entry` is a digest, or a digest with the tool that has it."""
    match entry:
        case str():
            return True
        case {"digest": str(digest)} if isinstance(entry, Mapping):
            tool = _tool(server, name, entry)
            return tool is not None and tool.digest == digest
        case _:
            return False


def pins_beside(configuration: Path) -> Pins:
    """The pins of the servers of a file: `team.json` has them in `team.pins.json`."""
    return Pins(configuration.parent / f"{configuration.stem}.pins.json")
