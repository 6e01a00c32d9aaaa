"""The conversations of BFCL, to be played with contracts written for half of its tools. What the hosts know beforehand is who is logged in.

The rules of a session read each turn, with goals ranked by the words that they share with it: no model of any kind. Or an oracle does, which shows
what is lost by that. Wanted are then the gold calls without which no other call of the turn would fail and that give no other one a value; what a
call passes is said if its words occur in what the user has said so far.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from toolplan.bench.learning.datasets import bfcl
from toolplan.bench.learning.ready import Conversation, Request, Turn
from toolplan.catalog import Catalog, RealTool
from toolplan.domain import AtomicFormula, Domain
from toolplan.goals.rankers import ranker
from toolplan.goals.readings import reading_of
from toolplan.language.loading import loads
from toolplan.learning.runs import as_value, leaves
from toolplan.learning.traces import Execution, Requested, Returned
from toolplan.planning.plans import Atom
from toolplan.session.readers.rules import Rules
from toolplan.session.turns import Stated, TurnReading

Data = Mapping[str, Any]
Spoken = list[tuple[str, list[Execution]]]
"""What the user says in each turn, and the calls that follow."""
SHARED = {"from_city", "to_city"}
"""Facts that two contracts pass to one parameter of one tool."""


@cache
def domain() -> Domain:
    """The contracts. They were written by hand while looking at every other conversation, beginning with the first."""
    return loads(files("toolplan.bench.learning").joinpath("bfcl.toolplan").read_text("utf-8"))


def conversations(folder: Path) -> Iterator[Conversation]:
    """The conversations of `folder`, in order, read by rules."""
    reader = Rules(ranker("lexical"))
    for conversation, spoken in _spoken(folder):
        turns = tuple(Turn((Request(said, (), calls[-1]),) if calls else (), tuple(calls)) for said, calls in spoken)
        yield replace(conversation, turns=turns, reader=reader)


def by_oracle(folder: Path) -> Iterator[Conversation]:
    """The same, read by an oracle."""
    probes = {run["id"]: run["hard_deps"] for run in _json(folder / "dependency_probe.json")}
    for conversation, spoken in _spoken(folder):
        yield replace(conversation, turns=tuple(_read(spoken, probes[conversation.name])))


def _spoken(folder: Path) -> Iterator[tuple[Conversation, Spoken]]:
    """Each conversation without its turns, and these as they were spoken."""
    configs = {run["id"]: run["initial_config"] for run in _json(folder / "multi_turn_base.json")}
    catalog = _catalog(_json(folder / "tools.json"))
    for name, spoken in _turns(folder).items():
        yield Conversation(name, domain(), _state(configs[name]), (), _step, catalog), spoken


def _catalog(tools: Mapping[str, Sequence[Data]]) -> Catalog:
    """The tools as functions of Python: they take what they list, and nothing else."""
    closed = {"type": "object", "additionalProperties": False}
    return Catalog(
        RealTool(tool["name"], tool["description"], {**closed, "properties": {name: {} for name in tool["parameters"]["properties"]}})
        for group in tools.values()
        for tool in group
    )


def _json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def _turns(folder: Path) -> dict[str, Spoken]:
    turns: dict[str, Spoken] = {}
    for record in bfcl(folder):
        match record:
            case Requested(trace, text):
                turns.setdefault(trace, []).append((text, []))
            case Execution(trace=trace):
                turns[trace][-1][1].append(record)
    return turns


def _state(config: Data) -> dict[str, object]:
    known = {
        "tickets_open": config.get("TicketAPI", {}).get("current_user"),
        "posts_open": config.get("TwitterAPI", {}).get("authenticated"),
    }
    return {fact: True for fact, value in known.items() if value}


def _read(turns: Spoken, dependencies: Sequence[Sequence[int]]) -> Iterator[Turn]:
    said, first = "", 0
    for text, calls in turns:
        said = f"{said} {text}"
        places = range(first, first + len(calls))
        needed = {before for before, after in dependencies if before in places and after in places}
        wanted = [call for place, call in zip(places, calls, strict=True) if place not in needed and not _is_source(call, calls, said)]
        yield Turn(tuple(_requests(wanted, calls, said)), tuple(calls))
        first += len(calls)


def _is_source(call: Execution, calls: Sequence[Execution], said: str) -> bool:
    """Whether a later call of the turn passes something that nobody has said and that `call` returned."""
    given = {leaf for _, leaf in leaves(call.result.value)} if isinstance(call.result, Returned) else set()
    passed = (as_value(value) for later in calls[calls.index(call) + 1 :] for value in later.arguments.values())
    return any(value in given and _words(value, said) is None for value in passed if value is not None)


def _requests(wanted: Sequence[Execution], calls: Sequence[Execution], said: str) -> Iterator[Request]:
    """Each call that is wanted, with what the user says for it and for the calls that lead to it, if there is a goal for it."""
    for call in wanted:
        goal = _goal(call.tool)
        if goal is not None:
            leading = [call, *(other for other in calls if other not in wanted)]
            reading = TurnReading(said, reading_of(said, [((goal,), 1.0)]), tuple(_stated(leading, said)))
            yield Request(reading, ((call.tool, call.arguments),), call)


def _goal(tool: str) -> str | None:
    made = {effect.atom for contract in domain().tools.values() if contract.call_name == tool for effect in contract.produces}
    return next((goal.name for goal in domain().goals.values() if goal.achieves in made), None)


def _step(call: Execution) -> str | None:
    """The contract that calls the tool of `call`, if it is the only one."""
    contracts = [contract.name for contract in domain().tools.values() if contract.call_name == call.tool]
    return contracts[0] if len(contracts) == 1 else None


def _stated(calls: Sequence[Execution], text: str) -> Iterator[Stated]:
    """The facts whose values `calls` pass and the user has said. Of two contracts that call one tool, the first has what was said first."""
    spoken: defaultdict[tuple[str, str], dict[object, str]] = defaultdict(dict)
    for call in calls:
        for parameter, value in call.arguments.items():
            words = _words(value, text)
            if words is not None:
                spoken[call.tool, parameter].setdefault(value, words)
    found: set[str] = set()
    for contract in domain().tools.values():
        for parameter, source in contract.interface.passes.items():
            values = spoken[contract.call_name, parameter]
            if isinstance(source, AtomicFormula) and source.fact not in found and values:
                value = min(values, key=lambda value: text.index(values[value]))
                found.add(source.fact)
                yield Stated(Atom(source.fact), value, values[value])
                if source.fact in SHARED:
                    del values[value]


def _words(value: object, text: str) -> str | None:
    """The words in `text` that are `value`, as a user writes it; None where there are none."""
    if isinstance(value, bool | list | dict):
        return None
    written = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    found = re.search(rf"(?<![\w.]){re.escape(written)}(?![\w])", text, re.IGNORECASE) if written else None
    return None if found is None else found[0]
