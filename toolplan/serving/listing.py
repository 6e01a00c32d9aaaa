"""The constant tools as they are listed, and what is wrong with the arguments that one is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toolplan.language.diagnostics import quoted


class MetaTool(NamedTuple):
    """A tool as it is listed."""

    name: str
    description: str
    schema: Mapping[str, object]


def _schema(required: Mapping[str, object], optional: Mapping[str, object] | None = None) -> Mapping[str, object]:
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


HANDLE = {"type": "string", "description": "The conversation, as `frontier` named it."}
FRONTIER = MetaTool(
    "frontier",
    "What can be done next, and how. Begin every request with it, and look again after whatever happens outside. "
    "Without `conversation` it begins one.",
    _schema({}, {"conversation": HANDLE, "said": {"type": "string", "description": "What the user says, in their own words."}}),
)
CALL = MetaTool(
    "call",
    "Calls a tool by name. `frontier` says which can be called, and with what; any other is refused. Arguments that are known may be left out.",
    _schema(
        {"conversation": HANDLE, "tool": {"type": "string", "description": "A tool that can be called now."}},
        {"arguments": {"type": "object", "description": "Its arguments, by its schema."}},
    ),
)
ANSWER = MetaTool(
    "answer",
    "Passes on the answer to the open question, or what came of the instruction: a value, an option, or an object of values by fact. "
    "It cannot agree to a call: only a person can, elsewhere.",
    _schema({"conversation": HANDLE, "answer": {"description": "The answer."}}),
)
EXPLAIN = MetaTool(
    "explain",
    "Why a tool cannot be called now, and what would open it.",
    _schema({"conversation": HANDLE, "tool": {"type": "string", "description": "The name of the tool."}}),
)
DISCOVER = MetaTool(
    "discover",
    "Searches the tools by words, and says of each whether it can be called now.",
    _schema({"conversation": HANDLE, "query": {"type": "string", "description": "Words for what the tool should do."}}),
)
REPORT = MetaTool(
    "report",
    "Tells what a call has given that `call` let through. What is told so is uncertain.",
    _schema(
        {
            "conversation": HANDLE,
            "call": {"type": "string", "description": "The id that `call` gave."},
            "result": {"description": "What the tool gave."},
        }
    ),
)
TYPES: Mapping[str, type] = {"string": str, "object": dict}


def fault(tool: MetaTool, arguments: Mapping[str, object]) -> str:
    """What is wrong with `arguments`, without their values, which may be secrets."""
    properties = tool.schema["properties"]
    assert isinstance(properties, Mapping)
    required = tool.schema["required"]
    assert isinstance(required, list)
    missing = [name for name in required if name not in arguments]
    unknown = [name for name in arguments if name not in properties]
    if missing or unknown:
        wrong = [f"{quoted(name)} is missing" for name in missing] + [f"there is no {quoted(name)}" for name in unknown]
        return f"{'; '.join(wrong)}: {quoted(tool.name)} takes {', '.join(map(quoted, properties))}"
    kinds = {name: properties[name].get("type") for name in arguments}
    misfits = [
        f"{quoted(name)} is to be a JSON {kind}" for name, kind in kinds.items() if kind and not isinstance(arguments[name], TYPES[kind])
    ]
    return "; ".join(misfits)
