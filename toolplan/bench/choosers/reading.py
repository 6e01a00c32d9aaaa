"""A call out of what a model said."""

from __future__ import annotations

import json
import re

from toolplan.bench.choosers import NONE, Answer, Called, Nothing, Unreadable
from toolplan.exposure.declarations import DISPATCHER

_TAGGED = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|$)", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?\s*(\{.*?\})\s*```", re.DOTALL)


def read_call(text: str, *, dispatched: bool) -> Answer:
    """The first call in `text`: between tags, in a fence, or all of it. Of a call through the dispatcher the tool that it calls."""
    found = _TAGGED.search(text) or _FENCED.search(text)
    body = found[1] if found else text.strip()
    if not found and not body.startswith("{"):
        return Nothing(text)
    try:
        data, _ = json.JSONDecoder().raw_decode(body)
    except (ValueError, RecursionError):
        return Unreadable(text)
    if dispatched and isinstance(data, dict) and data.get("name") == DISPATCHER:
        data = data.get("arguments")
    match data:
        case {"name": str(name)} if name == NONE:
            return Nothing("")
        case {"name": str(name), "arguments": dict(arguments)}:
            return Called(name, arguments)
        case _:
            return Unreadable(text)
