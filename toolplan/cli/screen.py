"""The terminal of a session, or the pipes that stand in for it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager

from rich.console import Console
from rich.text import Text

from toolplan.cli.telling import Line
from toolplan.frontier import Frontier
from toolplan.language.diagnostics import visible

WIDTH = 9
"""Columns of a label."""
STYLES = {"call": "bold", "ask": "bold", "done": "green", "gone": "yellow", "perhaps": "yellow", "blocked": "red", "stopped": "red"}


class Screen:
    """The terminal, or what stands in for it: a pipe, whose lines are shown as they are read. With JSON, only decisions go to stdout."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._console = Console(stderr=as_json, highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._is_terminal = sys.stdin.isatty()

    def ask(self, prompt: str) -> str | None:
        """A line; None at the end of input."""
        if self._is_terminal:
            try:
                return self._console.input(Text(prompt, "cyan"))
            except EOFError:
                self.say()
                return None
        raw = sys.stdin.buffer.readline()
        if not raw:
            return None
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        self.say(f"{prompt}{line}")
        return line

    def say(self, text: str = "", style: str = "") -> None:
        """A line for the person."""
        self._console.print(self._text(text, style))

    def show(self, lines: Iterable[Line]) -> None:
        """Lines with labels, each only where it changes."""
        last = ""
        for label, text in lines:
            shown = f"{label}:" if label not in ("", last) else ""
            last = label or last
            self._console.print(Text(f"{shown:<{WIDTH}}", "dim"), self._text(text, STYLES.get(last, "")), sep="")

    def decide(self, now: Frontier) -> None:
        """A decision for programs."""
        if self._as_json:
            print(json.dumps(now.to_dict()), flush=True)

    def busy(self, doing: str) -> AbstractContextManager[object]:
        """A sign on a terminal that something takes a while."""
        return Console(stderr=True).status(doing)

    def _text(self, text: str, style: str) -> Text:
        encoding = self._console.encoding
        return Text(visible(text).encode(encoding, "replace").decode(encoding), style)
