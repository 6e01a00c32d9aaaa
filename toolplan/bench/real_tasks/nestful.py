"""The sequences of NESTFUL as tasks. The data has no results: a field that is passed on has a value that is made up, and so have all others. Only one that is passed on as an argument which its own call was given, too, has
the value of that, and the later call need not wait for it.

A task whose arguments combine results, or take them out of lists, is left out: how that is written is not said. The tools are all tools of
its part of the data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from toolplan.bench.links import nestful as links
from toolplan.bench.real_tasks import imports
from toolplan.bench.real_tasks.arguments import Exactly
from toolplan.bench.real_tasks.reading import CrossValidated, Labelling
from toolplan.bench.real_tasks.tasks import GoldCall, Task
from toolplan.bench.real_tasks.toolboxes import Toolbox
from toolplan.catalog import RealTool
from toolplan.goals.readings import Goals
from toolplan.retrieval.encoders import Encoder

DATA = "nestful"
MOST_CALLS = 4
TYPES = ("string", "number", "integer", "boolean", "array", "object")
_REFERENCE = re.compile(r"\$(var\d+)\.(\w+(?:\.\w+)*)\$")
Record = Mapping[str, Any]


class _Sequence(NamedTuple):
    """A request with its calls, and the goals that those have run whose results are asked for."""

    name: str
    request: str
    toolbox: Toolbox
    gold: tuple[GoldCall, ...]
    goals: Goals


def tasks(folder: Path, encode: Encoder | None = None) -> list[Task]:
    """All tasks of one to four calls, in order."""
    found = [one for part, tools in zip(links.PARTS, _tools(folder), strict=True) for one in _part(folder, part, tools)]
    ranked = CrossValidated([Labelling(one.name, one.request, one.goals) for one in found], encode)
    return [
        imports.task(one.name, one.name, one.request, one.toolbox, one.gold, one.goals, ranked)
        for one in found
        if len(one.gold) <= MOST_CALLS
    ]


def _tools(folder: Path) -> Iterator[tuple[RealTool, ...]]:
    """The tools of each part, with types that JSON schema has: one of them takes a `Date (yyyy-mm-dd)`."""
    for tools in links.tools(folder):
        yield tuple(replace(tool, schema={**tool.schema, "properties": _typed(tool.properties)}) for tool in tools)


def _typed(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        name: {**schema, "type": "string"} if isinstance(schema, Mapping) and schema.get("type") not in TYPES else schema
        for name, schema in properties.items()
    }


def _part(folder: Path, part: str, tools: tuple[RealTool, ...]) -> Iterator[_Sequence]:
    toolbox = imports.toolbox_of(part, tools)
    for number, record in enumerate(json.loads((folder / f"{part}_tasks.json").read_text("utf-8"))):
        calls = [call for call in record["output"] if call["name"] != links.RESULT]
        if all(_is_plain(value) for call in calls for value in call["arguments"].values()):
            gold = _gold(calls, {tool.name: tool for tool in tools})
            asked = set(re.findall(r"\$(var\d+)", json.dumps(record["output"][-1]["arguments"])))
            goals = imports.goals_of(toolbox, [made for made, call in zip(gold, calls, strict=True) if call["label"] in asked])
            yield _Sequence(f"{part}-{number}", record["input"], toolbox, gold, goals)


def _is_plain(value: object) -> bool:
    return "$" not in json.dumps(value) or (isinstance(value, str) and (_REFERENCE.fullmatch(value) is not None or "$var" not in value))


def _gold(calls: Sequence[Record], tools: Mapping[str, RealTool]) -> tuple[GoldCall, ...]:
    """The calls with the values that stand for what they pass on."""
    places = {call["label"]: place for place, call in enumerate(calls)}
    passed = [dict(call["arguments"]) for call in calls]
    results: list[dict[str, object]] = [{} for _ in calls]
    brought: list[dict[str, int]] = [{} for _ in calls]
    for place, call in enumerate(calls):
        for argument, value in call["arguments"].items():
            if not isinstance(value, str) or (reference := _REFERENCE.fullmatch(value)) is None:
                continue
            source, path = places[reference[1]], reference[2].split(".")
            if argument in passed[source] and argument not in brought[source]:
                passed[place][argument] = _placed(results[source], path, passed[source][argument])
            else:
                made_up = _made_up(path[-1], source, tools[call["name"]].properties.get(argument))
                passed[place][argument] = _placed(results[source], path, made_up)
                brought[place][argument] = source
    return tuple(
        GoldCall(
            call["name"],
            {name: Exactly(value) for name, value in passed[place].items()},
            result := results[place] | _others(tools[call["name"]], results[place], place),
            imports.told(result),
            frozenset(brought[place].values()),
            frozenset(brought[place]),
        )
        for place, call in enumerate(calls)
    )


def _placed(result: dict[str, object], path: Sequence[str], value: object) -> object:
    """`value` at the end of `path` in `result`, or what is there already."""
    inside = result
    for name in path[:-1]:
        following = inside.setdefault(name, {})
        assert isinstance(following, dict)
        inside = following
    return inside.setdefault(path[-1], value)


def _others(tool: RealTool, result: Mapping[str, object], place: int) -> dict[str, object]:
    described = tool.results.get("properties")
    fields: Mapping[str, object] = described if isinstance(described, Mapping) else {}
    return {name: _made_up(name, place, schema) for name, schema in fields.items() if name not in result}


def _made_up(name: str, place: int, schema: object) -> object:
    """A value that fits `schema`, and stands for the field `name` of the result of the call at `place`."""
    text = f"{name}-{place + 1}"
    match schema.get("type") if isinstance(schema, Mapping) else None:
        case "number" | "integer" | "float":
            return 10 * (place + 1) + len(name)
        case "boolean":
            return True
        case "array":
            return [text]
        case "object":
            return {"name": text}
        case _:
            return text
