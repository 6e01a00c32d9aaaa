"""Signed links: opened by a person, read by a mail gateway, sent on, tried again, made up, and kept until they are of no use."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from serving.bank import ANN, BOB, SECRET, SUPERVISED, Counter, Ledger, Words, bank, run, told
from starlette.applications import Starlette

from toolplan.domain import Principal
from toolplan.serving.approvals import Approval, Approvals, Undecidable
from toolplan.serving.desk import Desk
from toolplan.serving.links import Links, link_pages
from toolplan.session.stores import MemoryStore

OTHER = Links(b"the secret of another server, which is long too")


class Inbox:
    """Somebody who gets links, each to the call that the conversation of `counter` waits with."""

    def __init__(self, desk: Desk, store: MemoryStore, counter: Counter, ledger: Ledger) -> None:
        self.desk, self.store, self.counter, self.ledger = desk, store, counter, ledger
        self.links = Links(SECRET)
        self.http = self.browser(desk)

    def browser(self, desk: Desk) -> httpx2.AsyncClient:
        app = Starlette(routes=link_pages(Links(SECRET), Approvals(desk, self.store)))
        return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="https://tools.example")

    def pending(self, principal: Principal = ANN) -> Approval:
        (live,) = [live for live in self.desk.live() if live.pending is not None]
        assert live.pending is not None
        return Approval(live.session, principal, live.pending.question, live.pending.by)

    async def open(self, link: str) -> tuple[int, str]:
        answer = await self.http.get(link)
        return answer.status_code, answer.text

    async def decide(self, link: str, answer: str = "yes", http: httpx2.AsyncClient | None = None) -> tuple[int, str]:
        shown = await (http or self.http).post(link, data={"answer": answer})
        return shown.status_code, shown.text

    async def pays(self) -> bool:
        """Whether the agent gets the payment through, now."""
        await self.counter.use("call", tool="pay-bill")
        return bool(self.ledger.paid)


class Killed(BaseException):
    """What a process does not survive."""


class Dying:
    """The store of a process that is killed when it has appended `left` times."""

    def __init__(self, store: MemoryStore, left: int) -> None:
        self.events, self.delete, self.flush = store.events, store.delete, store.flush
        self._store, self._left = store, left

    def append(self, session: str, after: int, events: Sequence[str]) -> bool:
        if not self._left:
            raise Killed
        self._left -= 1
        return self._store.append(session, after, events)


@asynccontextmanager
async def inbox(folder: Path) -> AsyncIterator[Inbox]:
    """A payment waits for a supervisor."""
    ledger, store = Ledger(), MemoryStore()
    async with bank(folder, ledger, contracts=SUPERVISED, store=store) as desk:
        counter = Counter(desk)
        told(await counter.begin())
        told(await counter.use("call", tool="get-balance"))
        await counter.use("call", tool="pay-bill")
        yield Inbox(desk, store, counter, ledger)


def test_a_link_shows_the_call_and_lets_it_run(tmp_path: Path) -> None:
    async def test() -> None:
        async with inbox(tmp_path) as box:
            link = box.links.sign(box.pending())
            status, text = await box.open(link)
            assert status == 200
            for shown in ("pay-bill", "DE12", "30", "ann", "supervisor"):
                assert shown in text
            assert not await box.pays()
            assert (await box.decide(link))[0] == 200
            assert await box.pays()
            assert box.ledger.paid == [("DE12", 30)]

    run(test)


def test_a_declined_call_does_not_run(tmp_path: Path) -> None:
    async def test() -> None:
        async with inbox(tmp_path) as box:
            status, text = await box.decide(box.links.sign(box.pending()), "no")
            assert (status, "Declined" in text) == (200, True)
            assert not await box.pays()

    run(test)


def test_whatever_opens_a_link_decides_nothing(tmp_path: Path) -> None:
    async def test() -> None:
        async with inbox(tmp_path) as box:
            link = box.links.sign(box.pending())
            for _ in range(3):
                await box.http.get(link)
                await box.http.head(link)
            assert not await box.pays()
            assert (await box.decide(link, "perhaps"))[0] == 400
            assert not await box.pays()
            assert (await box.decide(link))[0] == 200

    run(test)


def test_a_link_is_good_once(tmp_path: Path) -> None:
    async def test() -> None:
        async with inbox(tmp_path) as box:
            link, again = box.links.sign(box.pending()), box.links.sign(box.pending(), seconds=60)
            assert (await box.decide(link, "no"))[0] == 200
            for used in (link, again):
                status, text = await box.decide(used)
                assert (status, "decided already" in text) == (410, True)
                assert (await box.open(used))[0] == 410
            assert not await box.pays()

    run(test)


def test_of_two_who_decide_at_once_in_two_processes_one_has(tmp_path: Path) -> None:
    async def test() -> None:
        async with inbox(tmp_path) as box, bank(tmp_path, box.ledger, contracts=SUPERVISED, store=box.store) as elsewhere:
            link = box.links.sign(box.pending())
            both = await asyncio.gather(box.decide(link, "yes"), box.decide(link, "no", box.browser(elsewhere)))
            assert sorted(status for status, _ in both) == [200, 410]
            accepted = both[0][0] == 200
            assert await box.pays() is accepted

    run(test)


def test_a_link_that_has_expired_decides_nothing(tmp_path: Path) -> None:
    async def test() -> None:
        async with inbox(tmp_path) as box:
            link = box.links.sign(box.pending(), seconds=-1)
            for status, text in (await box.open(link), await box.decide(link)):
                assert (status, "has expired" in text) == (410, True)
            assert not await box.pays()

    run(test)


def changed(link: str, **claims: object) -> str:
    """`link` with other claims under its old signature."""
    header, payload, signature = link.rsplit("/", 1)[1].split(".")
    held = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))) | claims
    forged = base64.urlsafe_b64encode(json.dumps(held).encode()).decode().rstrip("=")
    return f"/approve/{header}.{forged}.{signature}"


def unsigned(link: str) -> str:
    none = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    return f"/approve/{none}.{link.split('.')[1]}."


def test_what_was_not_signed_here_decides_nothing(tmp_path: Path) -> None:
    async def test() -> None:
        async with inbox(tmp_path) as box:
            link = box.links.sign(box.pending())
            made_up = [
                "/approve/x",
                "/approve/a.b.c",
                unsigned(link),
                changed(link, by=""),
                changed(link, exp=9e9),
                OTHER.sign(box.pending()),
            ]
            for forged in made_up:
                status, text = await box.decide(forged)
                assert (status, "no link of this server" in text) == (410, True)
            assert not await box.pays()

    run(test)


@pytest.mark.parametrize("other", ["question", "principal", "session"])
def test_a_link_is_for_one_call_of_one_conversation(tmp_path: Path, other: str) -> None:
    async def test() -> None:
        async with inbox(tmp_path) as box:
            held = box.pending()
            changes = {
                "question": Approval(held.session, ANN, "0" * 64, held.by),
                "principal": Approval("0" * 64, BOB, held.question, held.by),
                "session": Approval("0" * 64, ANN, held.question, held.by),
            }
            status, text = await box.decide(box.links.sign(changes[other]))
            assert (status, "not asked any more" in text) == (410, True)
            assert not await box.pays()

    run(test)


def test_a_link_to_a_call_that_has_changed_decides_nothing(tmp_path: Path) -> None:
    async def test() -> None:
        async with inbox(tmp_path) as box:
            link = box.links.sign(box.pending())
            told(await box.counter.use("frontier", said="pay 31 to DE12"))
            await box.counter.use("call", tool="pay-bill")
            assert "31" in (await box.open(box.links.sign(box.pending())))[1]
            for status, text in (await box.open(link), await box.decide(link)):
                assert (status, "not asked any more" in text) == (410, True)
            assert not await box.pays()

    run(test)


def test_another_process_takes_a_link(tmp_path: Path) -> None:
    async def test() -> None:
        async with inbox(tmp_path) as box, bank(tmp_path, box.ledger, contracts=SUPERVISED, store=box.store) as elsewhere:
            assert (await box.decide(box.links.sign(box.pending()), http=box.browser(elsewhere)))[0] == 200
            assert await box.pays()

    run(test)


def test_what_a_model_wrote_is_text_on_the_page(tmp_path: Path) -> None:
    async def test() -> None:
        mallory = Principal("<script>alert(1)</script>")
        ledger, store = Ledger(), MemoryStore()
        async with bank(tmp_path, ledger, contracts=SUPERVISED, store=store) as desk:
            counter = Counter(desk, mallory)
            told(await counter.begin())
            told(await counter.use("call", tool="get-balance"))
            await counter.use("call", tool="pay-bill")
            box = Inbox(desk, store, counter, ledger)
            answer = await box.http.get(box.links.sign(box.pending(mallory)))
            assert "<script" not in answer.text
            assert "&lt;script&gt;" in answer.text
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert answer.headers["Cache-Control"] == "no-store"

    run(test)


@pytest.mark.parametrize("appended", [0, 1])
def test_a_process_that_is_killed_while_it_decides_has_decided_or_leaves_it_to_others(appended: int, tmp_path: Path) -> None:
    async def test() -> bool:
        async with inbox(tmp_path) as box:
            store, approval = Dying(box.store, appended), box.pending()
            desk = Desk(SUPERVISED, store=store, secret=SECRET, reader=Words())
            with pytest.raises(Killed):
                Approvals(desk, store).decide(approval, yes=True, name="mia")
            if appended:
                with pytest.raises(Undecidable, match="decided"):
                    Approvals(box.desk, box.store).decide(approval, yes=False, name="ben")
            else:
                Approvals(box.desk, box.store).decide(approval, yes=True, name="ben")
            return await box.pays()

    assert run(test)
