"""`Metrics`: what a server does, in figures for Prometheus, by names that are ours and never by what a caller or a tool has said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from toolplan.catalog import Catalog
from toolplan.domain import Principal
from toolplan.receipts import Kind
from toolplan.serving.desk import Progress, Servers
from toolplan.serving.listing import ANSWER, CALL, DISCOVER, EXPLAIN, FRONTIER, REPORT
from toolplan.serving.upstreams import Serving, Status

CONTENT_TYPE = CONTENT_TYPE_LATEST
TOOLS = frozenset(tool.name for tool in (FRONTIER, CALL, ANSWER, EXPLAIN, DISCOVER, REPORT))
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Bounds of the durations that are counted together."""

States = Callable[[], Mapping[str, Status]]


class Metrics:
    """The figures of one process. As `Receipts` it counts decisions, verdicts, outcomes and answers; `states` tells how the upstreams are."""

    prompt = True

    def __init__(self, states: States = dict) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Upstreams(states))
        self._decisions = self._counter("toolplan_decisions", "Decisions about what may be called", "decision")
        self._verdicts = self._counter("toolplan_verdicts", "Verdicts on calls, and the reasons of refusals", "verdict", "reason")
        self._outcomes = self._counter("toolplan_outcomes", "What became of calls", "outcome")
        self._answers = self._counter("toolplan_answers", "Answers to questions", "answer")
        self._flying = Gauge("toolplan_calls_in_flight", "Calls that upstreams have not answered", ["server"], registry=self._registry)
        self._calls = self._durations("toolplan_call_seconds", "How long calls of upstreams took", "server")
        self._requests = self._durations("toolplan_request_seconds", "How long requests took, with the calls in them", "tool")

    def write(self, session: str, kind: Kind, content: Mapping[str, object]) -> None:
        """Count one receipt."""
        match kind:
            case "decision":
                self._decisions.labels(str(content["decision"])).inc()
            case "verdict":
                self._verdicts.labels(str(content["verdict"]), str(content.get("reason", ""))).inc()
            case "outcome":
                self._outcomes.labels(str(content["outcome"])).inc()
            case "answer":
                self._answers.labels(_kind_of(content["answer"])).inc()

    def over(self, servers: Servers) -> Servers:
        """`servers`, whose calls are counted."""
        return _Counted(servers, self._flying, self._calls)

    async def timed(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """A middleware of the server, which times the requests to call a tool."""
        if ctx.method != "tools/call":
            return await call_next(ctx)
        name = (ctx.params or {}).get("name")
        with self._requests.labels(name if name in TOOLS else "other").time():
            return await call_next(ctx)

    def page(self) -> bytes:
        """All figures, as Prometheus reads them."""
        return generate_latest(self._registry)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, registry=self._registry)

    def _durations(self, name: str, text: str, *labels: str) -> Histogram:
        return Histogram(name, text, labels, buckets=SECONDS, registry=self._registry)


class _Counted:
    """Servers whose calls are counted and timed, under the name of the server."""

    def __init__(self, servers: Servers, flying: Gauge, seconds: Histogram) -> None:
        self._servers, self._flying, self._seconds = servers, flying, seconds

    @property
    def catalog(self) -> Catalog:
        return self._servers.catalog

    async def call(self, principal: Principal, tool: str, arguments: Mapping[str, object], progress: Progress) -> object:
        real = self._servers.catalog.get(tool)
        server = real.origin if real is not None else ""
        with self._flying.labels(server).track_inprogress(), self._seconds.labels(server).time():
            return await self._servers.call(principal, tool, arguments, progress)


class _Upstreams(Collector):
    """How the upstreams are at the moment of the scrape."""

    def __init__(self, states: States) -> None:
        self._states = states

    def collect(self) -> Iterator[GaugeMetricFamily]:
        up = GaugeMetricFamily("toolplan_upstream_up", "Whether an upstream is in reach", labels=["server"])
        tools = GaugeMetricFamily("toolplan_upstream_tools", "Tools that can be called", labels=["server"])
        quarantined = GaugeMetricFamily(
            "toolplan_upstream_quarantined_tools", "Tools that nobody has accepted as they are", labels=["server"]
        )
        for name, status in self._states().items():
            is_up = isinstance(status, Serving)
            up.add_metric([name], float(is_up))
            tools.add_metric([name], len(status.tools) if isinstance(status, Serving) else 0.0)
            quarantined.add_metric([name], len(status.quarantined) if isinstance(status, Serving) else 0.0)
        yield from (up, tools, quarantined)


def _kind_of(answer: object) -> str:
    """What an answer was, without what was said: a turn that answers nothing has none."""
    match answer:
        case bool():
            return "yes" if answer else "no"
        case None:
            return "none"
        case str():
            return answer
        case _:
            return "value"
