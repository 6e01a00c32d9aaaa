"""A whole server: the servers behind it, the desk, and the clients in front, until it is told to end."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from starlette.routing import Route

from toolplan.domain import Domain, Principal
from toolplan.gate import Mode
from toolplan.receipts import NO_RECEIPTS, Receipts, Tee
from toolplan.receipts.files import FileReceipts
from toolplan.serving.approvals import Approvals
from toolplan.serving.configuration import read_upstreams
from toolplan.serving.desk import Desk
from toolplan.serving.links import Links, link_pages
from toolplan.serving.metatools import to_nobody
from toolplan.serving.metrics import Metrics, States
from toolplan.serving.notices import Notices
from toolplan.serving.operator_page import OperatorPage, SignIns
from toolplan.serving.operators import read_operators
from toolplan.serving.pins import pins_beside
from toolplan.serving.server import serve_stdio, server_of
from toolplan.serving.tokens import Tokens
from toolplan.serving.upstreams import Upstreams
from toolplan.serving.web import app_of, probes, serve_http
from toolplan.session import Session
from toolplan.session.stores import Store

COLLECTED_AFTER = (2_000, 10, 20)
"""After how many new objects the collector of garbage looks through the young ones, after how many times through older ones, and through all.

What conversations keep is no garbage: with the usual figures it is looked through too often."""


@dataclass(frozen=True, slots=True)
class Service:
    """What is served, and how it is kept. `upstreams` is the file of the servers behind it; without one, results are reported.

    `operators` is the file of those who may decide on the page for operators; without one, there is no such page. `notify` is the command of
    the program that takes links to whoever decides; without one, nobody is told.
    """

    domain: Domain
    store: Store
    secret: bytes
    upstreams: Path | None = None
    receipts: Receipts = NO_RECEIPTS
    mode: Mode = Mode.ENFORCE
    operators: Path | None = None
    notify: tuple[str, ...] = ()

    def desk(self, upstreams: Upstreams | None, metrics: Metrics | None = None) -> Desk:
        """The desk in front of `upstreams`, which `metrics` see work."""
        servers = upstreams if upstreams is None or metrics is None else metrics.over(upstreams)
        receipts = self.receipts if metrics is None else Tee(self.receipts, metrics)
        return Desk(self.domain, store=self.store, secret=self.secret, upstreams=servers, receipts=receipts, mode=self.mode)

    def warm_up(self) -> None:
        """Load and work out what the first conversation would wait for: models that rank goals, and what is known of the domain."""
        session = Session(self.domain)
        session.hear(" ".join(self.domain.goals))
        session.next()


@dataclass(frozen=True, slots=True)
class Site:
    """Where a server listens, what its clients call it (`url`), and whose tokens they show."""

    host: str
    port: int
    url: str
    tokens: Tokens
    scopes: tuple[str, ...] = ()


async def over_stdio(service: Service, principal: Principal) -> None:
    """Serve the one client at stdin, which acts for `principal`, until it goes."""
    async with fronting(service.upstreams) as upstreams:
        server = server_of(service.desk(upstreams), principal=lambda _: principal, secret=service.secret)
        keep_what_is_loaded()
        await serve_stdio(server)


async def over_http(service: Service, site: Site) -> None:
    """Serve whoever shows a token, until the process is told to end. It listens when it is ready."""
    await asyncio.to_thread(service.warm_up)
    async with fronting(service.upstreams) as upstreams:
        states = dict if upstreams is None else upstreams.states
        metrics = Metrics(states)
        desk = service.desk(upstreams, metrics)
        announce = Notices(service.notify, Links(service.secret), service.store, site.url).announce if service.notify else to_nobody
        server = server_of(desk, principal=site.tokens.principal, secret=service.secret, announce=announce)
        server.middleware.append(metrics.timed)
        routes = [*probes(service.domain, service.store, states, metrics), *approving(service, desk, states, site.url)]
        app = app_of(server, site.tokens, url=site.url, scopes=site.scopes, routes=routes)
        keep_what_is_loaded()
        await serve_http(app, site.host, site.port)


def keep_what_is_loaded() -> None:
    """Leave out of all later collections of garbage what this process has loaded.

    It lasts as long as the process, and to look through it would stop all conversations for a tenth of a second, again and again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED_AFTER)


def approving(service: Service, desk: Desk, states: States, url: str) -> list[Route]:
    """The pages on which people decide: of links where somebody is told of them, and of operators where they are named."""
    approvals, links = Approvals(desk, service.store), Links(service.secret)
    opened = link_pages(links, approvals) if service.notify or service.operators else []
    if service.operators is None:
        return opened
    sign_ins = SignIns(read_operators(service.operators), service.secret)
    receipts = service.receipts if isinstance(service.receipts, FileReceipts) else None
    page = OperatorPage(desk, approvals, links, sign_ins, url, receipts, states)
    return [*opened, *page.routes()]


async def accept_changes(path: Path) -> list[str]:
    """Take the tools of the servers of the file `path` as they are now. Returns the names of those that were new or had changed."""
    async with Upstreams(read_upstreams(path), pins_beside(path)) as upstreams:
        return upstreams.accept()


@asynccontextmanager
async def fronting(path: Path | None) -> AsyncIterator[Upstreams | None]:
    """The servers of the file `path`, connected."""
    if path is None:
        yield None
        return
    async with Upstreams(read_upstreams(path), pins_beside(path)) as upstreams:
        yield upstreams
