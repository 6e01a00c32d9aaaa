"""Who takes part in the conformance suite: a desk with mail, the shipped office with the schemas of its real servers, and who waits for a loop."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from adapters.hosting import Calls, Setting, calls
from office import MINE, OFFICE, recorded

import toolplan
from toolplan.catalog import Catalog, RealTool, real_tools
from toolplan.domain import Performer, Principal
from toolplan.goals.readings import Candidate, Reading
from toolplan.receipts import Kind
from toolplan.session.readers import default
from toolplan.session.turns import Context, TurnReading

LISTS = Path(__file__).parents[1] / "data" / "mcp"
DESK = """
domain desk "A desk with mail"
fact message: text   "the identifier of the message"
fact opened
fact answered
fact filed
fact counted
fact colour: text    "the colour of the label"
fact labelled
fact summary: text   "a summary"
fact noted

tool find calls "mail_search" {
  "Find the message."
  passes   query free
  produces message
  returns  message = $.id
  risk read
}
tool look calls "mail_open" {
  "Open the message."
  requires message
  passes   id = message
  produces opened
  risk read
}
tool reply calls "mail_reply" {
  "Answer the message."
  requires opened
  passes   id = message, body free
  produces answered
  risk send
  confirm
}
tool file_away calls "mail_file" {
  "File the message."
  requires answered
  passes   id = message
  produces filed
  scopes   "mail:write"
  risk write
}
tool tally calls "mail_count" {
  "Count messages."
  produces counted
  risk read
}
tool label calls "mail_label" {
  "Label a message."
  requires colour
  passes   colour = colour
  produces labelled
  risk write
}
tool sum_up by model {
  "Sum the message up."
  produces summary
  verifies summary
  risk read
}
tool note calls "mail_note" {
  "Keep a note."
  requires summary
  passes   text = summary
  produces noted
  risk read
}
goal handle { "Answer the message and file it" achieves filed phrases "handle the message" }
goal count { "Count the messages" achieves counted phrases "count my messages" }
goal label_it { "Put a label on the message" achieves labelled given colour phrases "put a label on it" }
goal note_it { "Keep a summary" achieves noted phrases "keep a summary" }
ask which_colour { "Which colour should the label have?" produces colour }
"""
DOMAIN = toolplan.loads(DESK)
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "mail_search": ("query",),
    "mail_open": ("id",),
    "mail_reply": ("id", "body"),
    "mail_file": ("id",),
    "mail_count": (),
    "mail_label": ("colour",),
    "mail_note": ("text",),
}
NAMES = tuple(ARGUMENTS)
GOALS = {"handle": "handle", "count": "count", "label": "label_it", "keep": "note_it"}
"""The goals of the desk, by the word that names them in a turn."""
Run = Callable[[dict[str, Any]], Any]
TOOLS: Mapping[str, Run] = {
    "mail_search": lambda arguments: {"id": "m1"},
    "mail_open": lambda arguments: {"subject": "The offer"},
    "mail_reply": lambda arguments: {"sent": True},
    "mail_file": lambda arguments: {"filed": True},
    "mail_count": lambda arguments: {"count": 3},
    "mail_label": lambda arguments: {"labelled": True},
    "mail_note": lambda arguments: {"noted": True},
}


def real(name: str, arguments: tuple[str, ...], description: str = "") -> RealTool:
    """A tool of the mail server that takes texts."""
    schema = {"type": "object", "properties": {argument: {"type": "string"} for argument in arguments}}
    return RealTool(name, description or f"Does {name}.", schema, "mail")


CATALOG = Catalog([real(name, arguments) for name, arguments in ARGUMENTS.items()])


class Words:
    """Reads the goals that a turn names; of several, any may be meant. All else is read by rules."""

    def read(self, text: str, context: Context) -> TurnReading:
        named = [goal for word, goal in GOALS.items() if word in text]
        if not named:
            return default().read(text, context)
        return TurnReading(text, Reading(text, tuple(Candidate((goal,), 1 / len(named)) for goal in named), 0.0))


AT_THE_DESK = Setting(DOMAIN, TOOLS, catalog=CATALOG, reader=Words())
READ = (calls(("mail_search", {"query": "offer"})), calls("mail_open"))
REPLY = calls(("mail_reply", {"body": "We accept."}))

_LISTED = [tool for name in ("calendar", "gmail") for tool in real_tools(json.loads((LISTS / f"{name}.json").read_text("utf-8")), name)]
IN_THE_OFFICE = Setting(
    OFFICE,
    {
        **{tool.name: lambda arguments: {} for tool in _LISTED},
        **{tool.call_name: lambda arguments: {} for tool in OFFICE.tools.values() if tool.performer is Performer.CALL},
        "search-events": lambda arguments: recorded("search-events"),
        "update-event": lambda arguments: recorded("update-event"),
    },
    state=MINE,
    catalog=Catalog(_LISTED),
)


def through_the_dispatcher(turn: Calls) -> Calls:
    """The calls of a model that has seen one tool, with which it calls all others."""
    return Calls(tuple(("call", {"name": name, "arguments": arguments}) for name, arguments in turn.calls))


class Ticking:
    """Reads, keeps receipts and says who the principal is, and waits each time until the event loop has gone on. `stopped` is who stopped it."""

    def __init__(self) -> None:
        self.stopped: list[str] = []
        self.waited: list[str] = []
        self._ticked = threading.Event()
        self._words = Words()

    def read(self, text: str, context: Context) -> TurnReading:
        self._wait("the reader")
        return self._words.read(text, context)

    def write(self, session: str, kind: Kind, content: Mapping[str, object]) -> None:
        self._wait(f"the receipt of the {kind}")

    def principal(self) -> Principal:
        self._wait("the principal")
        return Principal(scopes=frozenset({"mail:write"}))

    async def tick(self) -> None:
        """Goes on as long as the loop does."""
        while True:
            self._ticked.set()
            await asyncio.sleep(0.001)

    def _wait(self, who: str) -> None:
        self._ticked.clear()
        self.waited.append(who)
        if not self._ticked.wait(1):
            self.stopped.append(who)
