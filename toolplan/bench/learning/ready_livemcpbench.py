"""Runs over the servers of LiveMCPBench, to be played with written contracts.

Patterns read what a question wants looked up: no oracle. What is to come of it, a report or a drawing, is for the model.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from toolplan.bench.learning.datasets import livemcpbench
from toolplan.bench.learning.questions_livemcpbench import Question, read
from toolplan.bench.learning.ready import Conversation, Made, Request, Turn
from toolplan.catalog import Catalog, real_tools
from toolplan.domain import Domain
from toolplan.language.loading import loads
from toolplan.learning.traces import Execution, Failed, Requested, Returned

SERVERS = {"Yahoo Finance MCP Server": "yfmcp", "Desktop Commander MCP": "desktop-commander"}
"""How runs call servers that contracts name, since others have tools of the same names."""


@cache
def domain() -> Domain:
    """The contracts."""
    return loads(files("toolplan.bench.learning").joinpath("livemcpbench.toolplan").read_text("utf-8"))


def conversations(folder: Path) -> Iterator[Conversation]:
    """One for each run of `folder`, in order."""
    catalog = _catalog(json.loads((folder / "servers.json").read_text("utf-8")))
    for name, records in groupby(livemcpbench(folder), key=lambda record: record.trace):
        known = list(records)
        asked = " ".join(record.text for record in known if isinstance(record, Requested))
        calls = tuple(_answered(record, catalog) for record in known if isinstance(record, Execution))
        yield _conversation(name, read(asked), calls, catalog)


def _catalog(servers: Sequence[Mapping[str, Any]]) -> Catalog:
    """The tools whose names are their own, and those of the servers that contracts name with theirs."""
    offers = {server["server"]: real_tools(server["tools"]) for server in servers}
    times = Counter(tool.name for tools in offers.values() for tool in tools)
    alone = [tool for tools in offers.values() for tool in tools if times[tool.name] == 1]
    shared = [
        replace(tool, name=f"{key}/{tool.name}") for server, key in SERVERS.items() for tool in offers[server] if times[tool.name] > 1
    ]
    return Catalog([*alone, *shared])


def _conversation(name: str, question: Question, calls: tuple[Execution, ...], catalog: Catalog) -> Conversation:
    requests = tuple(Request((want,), _named(want, calls), calls[-1]) for want in question.wants if calls)
    turn = Turn(requests, calls)
    return Conversation(name, domain(), question.state, (turn,), lambda call: _step(call, question.state), catalog)


def _named(want: str, calls: tuple[Execution, ...]) -> tuple[Made, ...]:
    """The calls that bring what is wanted, if they are made."""
    tools = {tool.call_name for tool in domain().tools.values() if want.partition("(")[0] in {effect.atom.fact for effect in tool.produces}}
    return tuple((call.tool, call.arguments) for call in calls if call.tool in tools)


def _answered(call: Execution, catalog: Catalog) -> Execution:
    """`call` with the answer as a server gives it, of a tool that is called without its server where only one has such a tool."""
    _, _, tool = call.tool.partition("/")
    result = call.result
    if isinstance(result, Failed):
        result = Returned({"isError": True, "content": [{"type": "text", "text": result.message}]})
    return replace(call, tool=tool if tool in catalog else call.tool, result=result)


def _step(call: Execution, state: Mapping[str, object]) -> str | None:
    """The contract for `call`: of an entity whose value it passes, or else that which speaks of none."""
    contracts = [contract for contract in domain().tools.values() if contract.call_name == call.tool]
    passed = [atom.partition("(")[2].rstrip(")") for atom, value in state.items() if value in call.arguments.values()]
    for contract in contracts:
        for parameter in contract.parameters:
            for entity in passed:
                if entity.startswith(f"{parameter.type}_"):
                    return f"{contract.name}({entity})"
    return next((contract.name for contract in contracts if not contract.parameters), None)
