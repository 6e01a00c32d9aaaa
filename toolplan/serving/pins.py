"""What the tools of other servers were when they were seen first: a tool that has changed since is not offered until somebody accepts it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from toolplan.catalog import RealTool
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted


class Pins:
    """The digests of the tools of each server, in the file `path`, which processes may share. The first that sees a tool pins it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def changed(self, server: str, tools: Iterable[RealTool]) -> list[RealTool]:
        """Which of `tools` are not what they were. Those that nobody has seen yet are pinned as they are."""
        pins = self.known()
        known = pins.get(server, {})
        seen = {tool.name: tool for tool in tools}
        new = {name: tool.digest for name, tool in seen.items() if name not in known}
        if new:
            self._write({**pins, server: {**known, **new}})
        return [tool for name, tool in seen.items() if known.get(name, tool.digest) != tool.digest]

    def accept(self, server: str, tools: Iterable[RealTool]) -> None:
        """Pin `tools` as they are now."""
        pins = self.known()
        self._write({**pins, server: {**pins.get(server, {}), **{tool.name: tool.digest for tool in tools}}})

    def known(self) -> Mapping[str, Mapping[str, str]]:
        """Digests by server and tool. Raises DomainError where the file is not as it was written: what it pinned is not to be guessed."""
        try:
            pins = json.loads(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError):
            raise self._unreadable() from None
        if not isinstance(pins, dict) or not all(isinstance(pinned, dict) for pinned in pins.values()):
            raise self._unreadable()
        return pins

    def _write(self, pins: Mapping[str, Mapping[str, str]]) -> None:
        """At once, so that no other process reads half of it."""
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=self.path.parent, prefix=f"{self.path.name}.", delete=False) as file:
            json.dump(pins, file, indent=2, sort_keys=True)
            file.write("\n")
        os.replace(file.name, self.path)

    def _unreadable(self) -> DomainError:
        message = f"cannot read the tools that were accepted in {quoted(str(self.path))}"
        hint = "remove the file if all tools of all servers are to be accepted as they are"
        return DomainError([Diagnostic(Code.UNREADABLE_FILE, message, None, hint)])


def pins_beside(configuration: Path) -> Pins:
    """The pins of the servers of a file: `team.json` has them in `team.pins.json`."""
    return Pins(configuration.with_suffix(".pins.json"))
