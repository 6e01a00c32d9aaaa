"""The tools of LiveMCPBench: real servers, and tasks with the tools that people found to be needed for each.

Contracts are imported from the schemas, and nobody has edited them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolplan.bench.recall.figures import Outcome, Recall, characters, recall
from toolplan.bench.recall.following import Menu
from toolplan.bench.recall.measuring import Case, Suite, everything, promises, runs
from toolplan.bench.recall.readers import Comparison, readable
from toolplan.bench.tables import Row
from toolplan.catalog import RealTool
from toolplan.importing.tools import imported
from toolplan.retrieval import shortlist, tool_documents

DATA = "livemcpbench"
TITLE = "The tools of real servers (LiveMCPBench)"
RECORDED = "claude_sonnet4_trajectories"
SOUGHT = re.compile(r"^tool: *(.+)$", re.MULTILINE)
"""What a search of the recorded agent says of the tool."""
DISCOVERED = (1, 3, 5)
"""How many tools one search gives."""


def tables(folder: Path, comparisons: Iterable[Comparison]) -> Iterator[tuple[str, Sequence[Row]]]:
    """Of all needed tools, how many are shown; the same of users who are not asked for their goal; what is promised; and what an agent finds."""
    servers, tasks, recorded = (json.loads((folder / f"{name}.json").read_text("utf-8")) for name in ("servers", "tasks", RECORDED))
    found = suite(servers, tasks)
    measured = [runs(found, comparison) for comparison in comparisons]
    yield TITLE, [one.row for one in (everything(found), *(one for run in measured for one in (*run.listed, *run.asked)))]
    yield f"{TITLE}: no question for the goal", [one.row for run in measured for one in run.unasked]
    yield f"{TITLE}: what is promised", list(promises(measured))
    words = searches(recorded)
    yield f"{TITLE}: found by the words of an agent", list(discoveries(found, [words[task["task_id"]] for task in tasks], comparisons))


def discoveries(suite: Suite, words: Sequence[Sequence[str]], comparisons: Iterable[Comparison]) -> Iterator[Recall]:
    """How many of the needed tools are among the first few that are found with `words`: for each case those in which an agent searched."""
    for comparison in comparisons:
        for k in DISCOVERED:
            outcomes = [_discovered(suite, case, searched, comparison, k) for case, searched in zip(suite.cases, words, strict=True)]
            yield recall(f"{comparison.name}, discover", k, outcomes)


def searches(recorded: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """For each task the searches of an agent, in order: what it says of the tool that it looks for."""
    return {
        run["task_id"]: [words[1] for call in run["calls"] if call["kind"] == "route" and (words := SOUGHT.search(call["query"]))]
        for run in recorded
    }


def _discovered(suite: Suite, case: Case, words: Sequence[str], comparison: Comparison, k: int) -> Outcome:
    lists = [shortlist(suite.documents, searched, top_k=k, scorer=comparison.tools).names for searched in words]
    shown = case.wanted.intersection(suite.menu.labels[name] for names in lists for name in names)
    return Outcome(len(case.wanted), len(shown), tuple(sum(suite.menu.sizes[name] for name in names) for names in lists))


def suite(servers: Sequence[Mapping[str, Any]], tasks: Sequence[Mapping[str, Any]]) -> Suite:
    """The tasks. A needed tool that no server has cannot be found by anyone and is left out.

    The annotation names tools without servers, so that of tools with one name any counts, and once.
    """
    tools = read_tools(servers)
    domain = imported(tools, name=DATA).domain
    labels = {tool.name: _plain(tool.name) for tool in tools}
    sizes = {tool.name: characters(tool.name, tool.description, tool.schema) for tool in tools}
    reached = {name: labels[contract.call_name] for name, contract in domain.tools.items()}
    cases = [Case(task["question"], {goal: label for goal, label in reached.items() if label in task["gold_tools"]}) for task in tasks]
    documents = tool_documents(tools)
    return Suite(Menu(domain, sizes, labels), readable(domain, documents), documents, cases)


def read_tools(servers: Sequence[Mapping[str, Any]]) -> list[RealTool]:
    """The tools of all servers. Where several have one name, the name of the server stands before it."""
    listed = [(server["server"], tool) for server in servers for tool in server["tools"]]
    times = Counter(tool["name"] for _, tool in listed)
    return [
        RealTool(
            tool["name"] if times[tool["name"]] == 1 else f"{server}/{tool['name']}",
            tool.get("description") or "",
            tool.get("inputSchema") or {"type": "object"},
            server,
        )
        for server, tool in listed
    ]


def _plain(name: str) -> str:
    """The name of a tool without its server."""
    return name.rpartition("/")[2]
