"""The single turns of When2Call: call a tool, ask for the one value that is missing, or say that no tool can do it.

Each turn has tools of its own, and contracts are written from their schemas. What the user wants, and which values the turn holds, is read
by an oracle: from the labels. What is measured is what follows from a right reading.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import toolplan
from toolplan.bench.real.agreement import Agreement, Miss, Titled, agreement
from toolplan.bench.real.contracts import ask, fact, identifier, tool
from toolplan.bench.real.decided import NextAction, next_action

TITLE = "When2Call: call, ask, or neither (what is wanted and said: labelled oracle)"
DATA = "when2call"
KINDS = {"tool_call": "call", "request_for_info": "ask", "cannot_answer": "blocked"}
"""What the labels call our actions."""

UNKNOWN = "unknown tool"
"""What is wanted where no label names a tool that would do it."""

Gold = Literal["tool_call", "request_for_info", "cannot_answer"]
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn with its tools. `wanted` is the tool that would do it, at hand or not; `said` are the arguments that the turn has words for."""

    question: str
    tools: tuple[Schema, ...]
    wanted: str
    said: frozenset[str]
    missing: str | None
    gold: Gold


@dataclass(frozen=True, slots=True)
class Decided:
    """A turn and our answer to it."""

    turn: Turn
    ours: NextAction

    @property
    def agrees(self) -> bool:
        """Whether we answer as labelled: call the labelled tool, ask for the missing value, or find no way."""
        match self.turn.gold:
            case "tool_call":
                return self.ours.kind == "call" and self.ours.tool == self.turn.wanted
            case "request_for_info":
                return self.ours.kind == "ask" and self._missing in self.ours.facts
            case "cannot_answer":
                return self.ours.kind == "blocked"

    @property
    def asks_nothing_else(self) -> bool:
        """Whether the missing value is all that we ask for."""
        return self.ours.facts == {self._missing}

    @property
    def difference(self) -> str:
        """The kind of a disagreement."""
        return f"{self.ours.kind} for {KINDS[self.turn.gold]}"

    @property
    def _missing(self) -> str:
        return parameter_fact(self.turn.wanted, self.turn.missing or "")


def tables(folder: Path) -> Iterator[Titled]:
    """How often we answer as labelled, by label; and where we do not."""
    decided = list(decisions(folder))
    yield Titled(TITLE, agreements(decided))
    yield Titled(f"{TITLE}: misses", misses(decided))


def decisions(folder: Path) -> Iterator[Decided]:
    """Our answer to each turn of the files of `folder`, in order."""
    for path in sorted(folder.glob("*.json")):
        for record in json.loads(path.read_text("utf-8")):
            turn = turn_of(record)
            yield Decided(turn, decide(turn))


def turn_of(record: Schema) -> Turn:
    """A record as a turn. The oracle reads its label, and the call that the benchmark's authors give as the answer of a caller."""
    call, missing = _call(record["answers"]["tool_call"]), record["held_out_param"]
    wanted = record["target_tool"]["name"] if record["target_tool"] else call.get("name", UNKNOWN)
    said = frozenset(call.get("arguments", ())) - {missing}
    tools = {schema["name"]: schema for schema in record["tools"]}
    return Turn(record["question"], tuple(tools.values()), wanted, said, missing, record["correct_answer"])


def _call(text: str) -> Mapping[str, Any]:
    """A call, written by a model; an empty one where it is none."""
    try:
        call = json.loads(text)
    except ValueError:
        return {}
    return call if isinstance(call, dict) else {}


def decide(turn: Turn) -> NextAction:
    """What the frontier answers to `turn`, where the goal is that the wanted tool has run."""
    domain = toolplan.loads(text_of(turn))
    state = {parameter_fact(turn.wanted, parameter) for parameter in turn.said} & domain.facts.keys()
    return next_action(toolplan.frontier(domain, state=state, goal=done_fact(turn.wanted)))


def text_of(turn: Turn) -> str:
    """The contracts of the tools of `turn`: a tool requires its required arguments, and each of these can be asked for.

    What the wanted tool does is a fact, though no tool may produce it.
    """
    absent = [fact(done_fact(turn.wanted))] if turn.wanted not in {schema["name"] for schema in turn.tools} else []
    return "\n".join(["domain turn", *(line for schema in turn.tools for line in _tool(schema)), *absent])


def _tool(schema: Schema) -> Iterator[str]:
    name, described = schema["name"], schema["parameters"]["properties"]
    required = {parameter: parameter_fact(name, parameter) for parameter in schema["parameters"].get("required") or ()}
    for parameter, source in required.items():
        description = described.get(parameter, {}).get("description", parameter)
        yield fact(source, description)
        yield ask(identifier("ask", name, parameter), description, source)
    yield fact(done_fact(name))
    optional = [parameter for parameter in described if parameter not in required]
    yield tool(identifier(name), name, schema["description"], passes=required, optional=optional, produces=[done_fact(name)], risk="write")


def parameter_fact(name: str, parameter: str) -> str:
    """The fact that the value of `parameter` of the tool `name` is known."""
    return identifier(name, "with", parameter)


def done_fact(name: str) -> str:
    """The fact that the tool `name` has run."""
    return identifier(name, "done")


def agreements(decided: Sequence[Decided]) -> list[Agreement]:
    """The rows of `decided`."""
    asking = [one for one in decided if one.turn.gold == "request_for_info"]
    return [
        _agreeing("all turns", decided),
        *(_agreeing(f"{kind}: {label}", [one for one in decided if one.turn.gold == label]) for label, kind in KINDS.items()),
        agreement(DATA, "ask: for the missing value alone", asking, lambda one: one.asks_nothing_else, _surplus),
    ]


def misses(decided: Iterable[Decided]) -> list[Miss]:
    """The turns that we answer otherwise, in order."""
    return [Miss(DATA, one.turn.question, KINDS[one.turn.gold], one.ours.kind, one.difference) for one in decided if not one.agrees]


def _agreeing(what: str, cases: Sequence[Decided]) -> Agreement:
    return agreement(DATA, what, cases, lambda one: one.agrees, lambda one: one.difference)


def _surplus(one: Decided) -> str:
    return f"{len(one.ours.facts) - 1} more than labelled"
