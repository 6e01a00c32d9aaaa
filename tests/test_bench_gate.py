"""The benchmark of the gate, in small: that its conversations come to their end and its rows are whole, and not how long anything takes."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from commands import run

from toolplan.bench.gate import desk, measuring, parts
from toolplan.bench.gate.measuring import FRAMEWORKS, FrameworkRow
from toolplan.bench.gate.talks import Talk
from toolplan.bench.tables import table

STEPS = len(desk.PASSED) + 1


def test_the_desk_has_a_contract_and_a_schema_for_each_of_a_hundred_tools() -> None:
    contracts, tools = desk.domain(), desk.catalog()
    assert len(tools) == desk.TOOLS
    assert {tool.call_name for tool in contracts.tools.values()} == set(tools)
    assert {use.tool for use in desk.uses(1)} <= set(tools)


@pytest.mark.parametrize("module", FRAMEWORKS)
def test_conversations_go_the_same_way_alone_and_guarded(module: str) -> None:
    row = measuring.row(module, 1)
    assert (row.framework, row.note) == (FRAMEWORKS[module], "")
    assert row.steps == STEPS + 1
    assert row.alone_median is not None and row.guarded_median is not None
    assert row.alone_median > 0 and row.guarded_median > 0
    assert row.added == row.guarded_median - row.alone_median
    table([row])


class Counting(ThreadPoolExecutor):
    """Counts what an event loop gives to its threads."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """One more."""
        self.count += 1
        return super().submit(fn, *args, **kwargs)


class Threaded(Talk):
    """A talk that notes how much each of its steps has given to threads."""

    def __init__(self, number: int, threads: Counting) -> None:
        super().__init__(number)
        self.threads, self.counts = threads, list[int]()

    def asked(self) -> desk.Use | str:
        """As any talk."""
        self.counts.append(self.threads.count)
        self.threads.count = 0
        return super().asked()


@pytest.mark.parametrize("module", FRAMEWORKS)
def test_an_adapter_gives_a_step_that_needs_no_search_to_no_thread(module: str) -> None:
    framework = importlib.import_module(f"toolplan.bench.gate.{module}")

    async def counts() -> tuple[list[int], list[int]]:
        with Counting() as threads:
            asyncio.get_running_loop().set_default_executor(threads)
            contracts, tools = desk.domain(), desk.catalog()
            await framework.guarded(Talk(1), desk.gate(contracts, tools))
            alone, guarded = Threaded(2, threads), Threaded(2, threads)
            await framework.alone(alone)
            await framework.guarded(guarded, desk.gate(contracts, tools))
            return alone.counts, guarded.counts

    alone, guarded = asyncio.run(counts())
    assert guarded[1:5] == alone[1:5]  # The first hears the user, and a plan for the last has to be found.


def test_a_framework_that_is_not_installed_is_a_row_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "toolplan.bench.gate.fastmcp", raising=False)
    monkeypatch.delitem(sys.modules, "toolplan.adapters.fastmcp", raising=False)
    monkeypatch.setitem(sys.modules, "fastmcp", None)
    row = measuring.row("fastmcp", 1)
    assert (row.steps, row.added, row.note) == (None, None, "fastmcp is not installed")
    assert list(measuring.promises([row])) == []


def test_a_conversation_that_goes_another_way_is_no_figure() -> None:
    talk = Talk(1)
    with pytest.raises(RuntimeError, match="another way"), talk.timed():
        talk.asked()


def test_parts_are_measured_as_often_as_steps_have_them() -> None:
    rows = {row.part: row for row in parts.rows(2)}
    assert {name: row.calls for name, row in rows.items()} == {
        "Session, Gate and Guide": 2,
        "Gate.hear": 2,
        "Gate.next": 2 * STEPS,
        "Exposure.step": 2 * STEPS,
        "Gate.check": 2 * (STEPS - 1),
        "Gate.observe": 2 * (STEPS - 1),
        "next and payload": 2 * STEPS,
        "check and observe": 2 * (STEPS - 1),
    }
    assert all(0 < row.median <= row.p99 for row in rows.values())


def test_an_adapter_may_add_a_millisecond() -> None:
    def kept(added: float) -> bool:
        (promise,) = measuring.promises([FrameworkRow("MCP client", 7, added=added)])
        return promise.kept

    assert kept(1000.0)
    assert not kept(1001.0)


def test_the_command_prints_all_tables(tmp_path: Path) -> None:
    ran = run("bench", "gate", "--sizes", "1", "--json", cwd=tmp_path)
    tables = json.loads(ran.stdout)["tables"]
    assert [len(rows) for rows in tables.values()] == [8, len(FRAMEWORKS), len(FRAMEWORKS)]
    assert run("bench", "gate", "--sizes", "1,2", cwd=tmp_path).returncode == 2
