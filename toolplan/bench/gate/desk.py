"""A desk with a hundred tools: one request of a user, the calls that a model makes for it, and the tools that answer them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toolplan.catalog import Catalog, RealTool
from toolplan.domain import Domain
from toolplan.gate import Gate
from toolplan.goals.readings import Candidate, Reading
from toolplan.language.loading import loads
from toolplan.session import Session
from toolplan.session.turns import Context, TurnReading

TOOLS = 100
REQUEST = "Answer the mail about the offer, and file it"
FLOW = """
domain desk "A desk with mail"
fact message: text  "the identifier of the message"
fact opened
fact contact: text  "the identifier of the sender"
fact slot: text     "a free time"
fact draft: text    "the identifier of the draft"
fact filed
goal answer { "Draft an answer and file the message" achieves filed }

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
tool who calls "contact_find" {
  "Find the sender."
  requires opened
  passes   message = message
  produces contact
  returns  contact = $.id
  risk read
}
tool when_ calls "calendar_free" {
  "Find a free time."
  requires contact
  passes   contact = contact
  produces slot
  returns  slot = $.start
  risk read
}
tool write_ calls "mail_draft" {
  "Draft an answer that accepts."
  requires slot
  passes   id = message, start = slot
  produces draft
  returns  draft = $.id
  risk draft
}
tool file_away calls "mail_file" {
  "File the message with its draft."
  requires draft
  passes   id = message, draft = draft
  produces filed
  risk write
}
"""
OTHER = """
fact done_{number}
tool other_{number} calls "desk_other_{number}" {{
  "Does something else to a message, in the way {number}."
  requires opened
  passes   id = message, label free
  produces done_{number}
  risk write
}}
"""
PASSED: Mapping[str, tuple[str, ...]] = {
    "mail_search": ("query",),
    "mail_open": ("id",),
    "contact_find": ("message",),
    "calendar_free": ("contact",),
    "mail_draft": ("id", "start"),
    "mail_file": ("id", "draft"),
}
OTHERS = range(TOOLS - len(PASSED))


class Use(NamedTuple):
    """A call of a model: the id, the name of the real tool, and all arguments."""

    id: str
    tool: str
    arguments: dict[str, object]


def domain() -> Domain:
    """The contracts of all tools."""
    return loads(FLOW + "".join(OTHER.format(number=number) for number in OTHERS))


def catalog() -> Catalog:
    """All tools as their server lists them."""
    passed = {**PASSED, **{f"desk_other_{number}": ("id", "label") for number in OTHERS}}
    return Catalog(RealTool(name, f"Does what {name} says.", _schema(names), "desk") for name, names in passed.items())


def uses(number: int) -> list[Use]:
    """The calls of conversation `number`, whose values no other has."""
    message, contact, draft, start = f"m{number}", f"c{number}", f"d{number}", f"2026-12-01T16:{number:04}"
    arguments: list[tuple[str, dict[str, object]]] = [
        ("mail_search", {"query": f"offer {number}"}),
        ("mail_open", {"id": message}),
        ("contact_find", {"message": message}),
        ("calendar_free", {"contact": contact}),
        ("mail_draft", {"id": message, "start": start}),
        ("mail_file", {"id": message, "draft": draft}),
    ]
    return [Use(f"call{place}", name, passed) for place, (name, passed) in enumerate(arguments)]


def answer(number: int, tool: str) -> dict[str, object]:
    """What `tool` gives in conversation `number`."""
    answers: Mapping[str, dict[str, object]] = {
        "mail_search": {"id": f"m{number}"},
        "mail_open": {"subject": f"The offer {number}", "body": "Do you accept?"},
        "contact_find": {"id": f"c{number}"},
        "calendar_free": {"start": f"2026-12-01T16:{number:04}"},
        "mail_draft": {"id": f"d{number}"},
        "mail_file": {"filed": True},
    }
    return answers[tool]


class Given:
    """Reads every turn as the one request, so that no ranker is measured."""

    def read(self, text: str, context: Context) -> TurnReading:
        """The reading of a turn."""
        return TurnReading(text, Reading(text, (Candidate(("answer",), 1.0),), 0.0))


def gate(contracts: Domain, tools: Catalog) -> Gate:
    """The gate of a new conversation."""
    return Gate(Session(contracts, catalog=tools, reader=Given()))


def _schema(names: tuple[str, ...]) -> dict[str, object]:
    properties = {name: {"type": "string", "description": f"The {name}."} for name in names}
    return {"type": "object", "properties": properties, "required": list(names), "additionalProperties": False}
