"""A domain of mail, the frontiers of a run through it, and what any payload says of tools: for the tests of exposure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import toolplan
from toolplan.catalog import Catalog, RealTool
from toolplan.exposure import Payload
from toolplan.frontier import Frontier

TEXT = """
fact found: text  "the message"
fact opened
fact answered
fact filed

goal handle { "Answer the message and file it" achieves answered, filed }

tool find calls "mail.search" {
  "Find a message."
  passes query free, limit = 5
  produces found
  risk read
}
tool look calls "open_message" {
  "Open it."
  requires found
  passes id = found
  produces opened
  risk read
}
tool reply calls "send-reply" {
  "Answer it."
  requires opened
  passes id = found, body from found
  produces answered
  risk draft
}
tool file calls "file_message" {
  "File it."
  requires answered
  passes id = found, method = "move"
  produces filed
  risk draft
}
tool remove calls "purge" {
  "Delete everything."
  requires found
  removes found
  produces filed
  cost 50
  risk delete
}
"""
ALWAYS = 'tool aid calls "help" { "Explain." produces opened  risk read  cost 40 }  policy { always visible aid }'
MAIL = toolplan.loads(TEXT)
HELPED = toolplan.loads(f"{TEXT}\n{ALWAYS}")
STEPS = ("", "found", "found, opened", "found, opened, answered", "found, opened, answered, filed")
"""The states of a run. In the last one there is nothing left to do."""
SHOWN = (("mail.search",), ("open_message",), ("send-reply",), ("file_message",), ())


def run(domain: toolplan.Domain = MAIL) -> list[Frontier]:
    return [toolplan.frontier(domain, state=state, goal="handle", engine="uniform-cost") for state in STEPS]


def domain_of(names: Sequence[str]) -> toolplan.Domain:
    """A domain that calls real tools of these names, the first of which reaches its goal at least cost."""
    tools = (
        f"tool t{number} calls {json.dumps(name, ensure_ascii=False)} {{ produces paid  cost {number}  risk read }}"
        for number, name in enumerate(names, 1)
    )
    return toolplan.loads(f"fact paid  goal pay {{ achieves paid }} {' '.join(tools)}")


def paying(names: Sequence[str]) -> Frontier:
    return toolplan.frontier(domain_of(names), goal="pay", engine="uniform-cost")


def catalog_of(**schemas: Mapping[str, object]) -> Catalog:
    return Catalog([RealTool(name, f"What {name} does.", schema) for name, schema in schemas.items()])


def declared(payload: Payload) -> list[object]:
    """The tools of a request, in the provider's shape."""
    match payload.request:
        case {"toolConfig": {"tools": list(tools)}}:
            return tools
        case {"tools": [{"functionDeclarations": list(tools)}]} | {"tools": list(tools)}:
            return tools
        case _:
            return []


def names_of(payload: Payload) -> list[str]:
    """Their names."""
    return [name for tool in declared(payload) for name in _names(tool)]


def _names(tool: object) -> Iterator[str]:
    match tool:
        case {"function": {"name": str(name)}} | {"toolSpec": {"name": str(name)}} | {"name": str(name)}:
            yield name


def as_bytes(value: object) -> bytes:
    return json.dumps(value).encode()
