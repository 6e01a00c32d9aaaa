"""The same conversations through a framework alone and through its adapter."""

from __future__ import annotations

import asyncio
import gc
import importlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol, cast

from toolplan.bench.gate import desk
from toolplan.bench.gate.talks import Talk
from toolplan.bench.planner.measuring import Promise, at_most, percentile
from toolplan.bench.tables import Row
from toolplan.gate import Gate

MOST = 1_000.0
"""Microseconds that an adapter may add to a step, in the median."""
WARM_UP = 3
FRAMEWORKS = {
    "langchain": "LangChain",
    "pydantic_ai": "Pydantic AI",
    "openai_agents": "OpenAI Agents SDK",
    "agent_framework": "Microsoft Agent Framework",
    "mcp": "MCP client",
    "fastmcp": "FastMCP",
    "loops": "loop",
    "async_loops": "loop, asynchronous",
}
"""The modules here that hold a `Framework` each, and what it is called."""


class Framework(Protocol):
    """A module that leads conversations. Each way leads `talk` to its end, within `talk.timed()`."""

    @staticmethod
    async def alone(talk: Talk) -> None:
        """With nothing but the framework."""

    @staticmethod
    async def guarded(talk: Talk, gate: Gate) -> None:
        """With the adapter of toolplan, through `gate`."""


@dataclass(frozen=True, slots=True)
class FrameworkRow(Row):
    """Steps through a framework alone and with the adapter, in microseconds of processor time. `added` is what the adapter adds to the median.

    `note` says why there are none.
    """

    framework: str
    steps: int | None
    alone_median: float | None = None
    alone_p99: float | None = None
    guarded_median: float | None = None
    guarded_p99: float | None = None
    added: float | None = None
    note: str = ""


def rows(conversations: int, note: Callable[[str], None]) -> Iterator[FrameworkRow]:
    """One row for each framework, also for those that are not installed."""
    for module, name in FRAMEWORKS.items():
        note(name)
        yield row(module, conversations)


def row(module: str, conversations: int) -> FrameworkRow:
    """The row of the framework that `module` holds."""
    try:
        framework = cast(Framework, importlib.import_module(f"toolplan.bench.gate.{module}"))
    except ModuleNotFoundError as error:
        return FrameworkRow(FRAMEWORKS[module], None, note=f"{error.name} is not installed")
    gc.collect()
    gc.freeze()  # No framework pays for the memory of another.
    try:
        return asyncio.run(_compared(FRAMEWORKS[module], framework, conversations))
    finally:
        gc.unfreeze()


async def _compared(name: str, framework: Framework, conversations: int) -> FrameworkRow:
    """The row of one framework. The conversations take turns, so that both ways see the same machine."""
    contracts, catalog = desk.domain(), desk.catalog()
    alone: list[float] = []
    guarded: list[float] = []
    for number in range(-WARM_UP, conversations):
        behind = _behind(framework, desk.gate(contracts, catalog))
        for times, lead in ((alone, framework.alone), (guarded, behind)):
            talk = Talk(number + WARM_UP)
            await lead(talk)
            times += talk.steps if number >= 0 else []
    (before, before_p99), (after, after_p99) = _figures(alone), _figures(guarded)
    return FrameworkRow(name, len(guarded), before, before_p99, after, after_p99, after - before)


def promises(measured: Sequence[FrameworkRow]) -> Iterator[Promise]:
    """What is promised of every framework that was measured."""
    for row in measured:
        if row.added is not None:
            yield at_most(f"µs that the adapter adds to a step of {row.framework}, in the median", row.added, MOST)


def _behind(framework: Framework, gate: Gate) -> Callable[[Talk], Awaitable[None]]:
    return lambda talk: framework.guarded(talk, gate)


def _figures(times: Sequence[float]) -> tuple[float, float]:
    return median(times), percentile(times, 99)
