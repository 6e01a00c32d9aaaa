"""Runs that others have published, as records: each set with the folder it lies in, and in what it differs from the runs of the paper."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolplan.learning.traces import Ended, Execution, Failed, Record, Requested, Result, Returned, Unknown

Data = Mapping[str, Any]
TIMED_OUT, FAILED = "Tool call timed out.", '"isError": true'
ANSWER = re.compile(r'"text": "((?:[^"\\]|\\(?:u[0-9a-f]{4}|[^u]))*)')
"""The first block of text in the answer of a server, which may be cut off."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A set of runs. `read(folder)` gives its records in order of time, `tools(folder)` what a model is told of the tools."""

    name: str
    folder: str
    difference: str
    read: Callable[[Path], Iterator[Record]]
    tools: Callable[[Path], str]


def scienceworld(folder: Path) -> Iterator[Record]:
    """The gold paths of ScienceWorld. Arguments have no names there, and are called by their position."""
    for run in _json(folder / "gold_trajectories.json")["trajectories"]:
        trace = run_name(run)
        yield Requested(trace, run["description"])
        for step in run["steps"]:
            arguments = {str(position): value for position, value in enumerate(step["args"], 1)}
            yield Execution(trace, step["tool"], arguments, Returned(step["obs"]))
        yield Ended(trace, run["final_score"] == 100)


def run_name(run: Data) -> str:
    """What a gold path is called: its task, and which variation of it."""
    return f"{run['task']}:{run['variation']}"


def airline(folder: Path) -> Iterator[Record]:
    """What an agent did in the airline of tau-bench. What it notes with the tool `think` is also the thought before its next call."""
    for run in _json(folder / "gpt4o_airline_trajectories.json"):
        trace, thought = f"{run['task_id']}:{run['trial']}", ""
        for call in run["calls"]:
            result: Result = Returned(call["result"]) if call["ok"] else Failed(call["result"])
            yield Execution(trace, call["name"], call["args"], result, thought)
            thought = call["args"].get("thought", "") if call["name"] == "think" else ""
        yield Ended(trace, run["reward"] > 0)


def retail(folder: Path) -> Iterator[Record]:
    """The gold calls of the shop of tau-bench. Nobody has written down what they return."""
    for file in ("retail_train.json", "retail_dev.json"):
        for run in _json(folder / file):
            yield Requested(run["id"], run["instruction"])
            for call in run["gold"]:
                yield Execution(run["id"], call["name"], call["args"])
            yield Ended(run["id"], success=True)


def bfcl(folder: Path) -> Iterator[Record]:
    """The gold calls of the multi-turn conversations of BFCL, with what a simulator answered."""
    parameters = {tool["name"]: list(tool["parameters"]["properties"]) for tools in _json(folder / "tools.json").values() for tool in tools}
    spoken = {run["id"]: [turn["user"] for turn in run["turns"]] for run in _json(folder / "multi_turn_base.json")}
    for run in _json(folder / "dependency_probe.json"):
        turns = spoken.get(run["id"], [])
        heard = 0
        for call in run["calls"]:
            for text in turns[heard : call["turn"] + 1]:
                yield Requested(run["id"], text)
            heard = max(heard, call["turn"] + 1)
            arguments = dict(zip(parameters[call["name"]], call["args"], strict=False)) | call["kwargs"]
            result: Result = Returned(call["result"]) if call["ok"] else Failed(str(call["result"]))
            yield Execution(run["id"], call["name"], arguments, result)
        yield Ended(run["id"], success=True)


def livemcpbench(folder: Path) -> Iterator[Record]:
    """What an agent did in LiveMCPBench. What it looked for with its router is its thought before the next call.

    Whether a run succeeded is the word of a model there, and left out: all count as successes.
    """
    for run in _json(folder / "claude_sonnet4_trajectories.json"):
        trace, thought = run["task_id"], ""
        yield Requested(trace, run["question"])
        for call in run["calls"]:
            if call["kind"] == "route":
                thought = call["query"]
                continue
            yield Execution(trace, f"{call['server']}/{call['tool']}", _arguments(call["params"]), _answer(call), thought)
            thought = ""
        yield Ended(trace, success=True)


def _answer(call: Data) -> Result:
    """What a server has answered, out of what Python has printed of it, of which the set keeps 300 characters."""
    printed = call["result"]
    if printed == TIMED_OUT:
        return Unknown()
    unquoted = re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[1], printed)
    found = ANSWER.search(unquoted)
    text = json.loads(f'"{found[1]}"', strict=False) if found is not None else unquoted
    failed = call["is_error"] or FAILED in unquoted or text.startswith("Error")
    return Failed(text) if failed else Returned(text)


def _arguments(text: str) -> Mapping[str, Any]:
    """The arguments that `text` holds as JSON; those of a call that was cut off are not known."""
    try:
        arguments = json.loads(text)
    except ValueError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


def _templates(folder: Path) -> str:
    return json.dumps(_json(folder / "gold_trajectories.json")["action_templates"])


def _schemas(part: str) -> Callable[[Path], str]:
    return lambda folder: json.dumps(_json(folder / "tools.json")[part])


def _all_schemas(folder: Path) -> str:
    return json.dumps(_json(folder / "tools.json"))


def _router(_: Path) -> str:
    """An agent of LiveMCPBench is told of two tools: one that looks for others, and one that calls them."""
    return ""


def _json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


DATASETS = (
    Dataset(
        "scienceworld",
        "scienceworld",
        "gold paths of 89 variations of 29 tasks; the paper has 322 runs of an agent, 6,014 calls, with its detours and mistakes",
        scienceworld,
        _templates,
    ),
    Dataset("tau1 airline", "tau1", "68 runs of GPT-4o on airline tasks; the paper has none of these", airline, _schemas("airline")),
    Dataset("tau1 retail", "tau1", "gold calls of 520 tasks, without results; the paper has none of these", retail, _schemas("retail")),
    Dataset("bfcl", "bfcl", "gold calls of 99 conversations, with results; the paper has none of these", bfcl, _all_schemas),
    Dataset(
        "livemcpbench",
        "livemcpbench",
        "50 runs of Claude Sonnet 4 over 527 tools; the paper has none of these, and whether a run succeeded is left out here",
        livemcpbench,
        _router,
    ),
)
