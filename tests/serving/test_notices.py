"""Word of a call that waits: to whom, how often, and what becomes of it where the program that takes it fails."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import httpx2
import pytest
from mcp_types import ElicitResult
from serving.bank import BANK, SECRET, SUPERVISED, YES, Counter, Ledger, Teller, bank, run, told
from starlette.applications import Starlette

from toolplan.domain import Domain, Principal
from toolplan.serving.approvals import Approvals
from toolplan.serving.links import Links, link_pages
from toolplan.serving.notices import Notices
from toolplan.session.stores import MemoryStore, Store

ANA = Principal("ana", "acme")
URL = "https://tools.example/team/mcp"


class Office:
    """A bank whose gateway tells of calls that wait. `tee` takes the notices to a file."""

    def __init__(self, folder: Path, store: Store | None = None) -> None:
        self.folder, self.store, self.ledger = folder, store or MemoryStore(), Ledger()
        self.heard = folder / "notices.jsonl"

    @property
    def notices(self) -> list[dict[str, str]]:
        return [json.loads(line) for line in self.heard.read_text("utf-8").splitlines()] if self.heard.exists() else []

    @asynccontextmanager
    async def agent(self, contracts: Domain = SUPERVISED, command: Sequence[str] = ()) -> AsyncIterator[Counter]:
        notices = Notices(command or ["tee", "-a", str(self.heard)], Links(SECRET), self.store, URL, patience=0.5)
        async with bank(self.folder, self.ledger, contracts=contracts, store=self.store) as desk:
            self.app = Starlette(routes=link_pages(Links(SECRET), Approvals(desk, self.store)))
            yield Counter(desk, ANA, notices.announce)

    async def decide(self, link: str) -> int:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(self.app), base_url="https://tools.example") as http:
            return (await http.post(link, data={"answer": "yes"})).status_code


async def proposes(counter: Counter, answers: Sequence[ElicitResult] = ()) -> str:
    """Get as far as the payment, of a user who gives these `answers` to forms, if they can be shown any; all that the agent is told."""
    begun = await counter.begin(teller=Teller(answers))
    tried = [await counter.use("call", Teller(answers), tool=tool) for tool in ("get-balance", "pay-bill")]
    return f"{begun} {tried}"


def test_whoever_decides_hears_of_a_call_with_its_arguments_and_the_agent_of_no_link(tmp_path: Path) -> None:
    office = Office(tmp_path)

    async def test() -> None:
        async with office.agent() as counter:
            seen = await proposes(counter)
            (notice,) = office.notices
            assert (notice["by"], notice["subject"], notice["tenant"]) == ("supervisor", "ana", "acme")
            assert "pay-bill" in notice["text"] and "DE12" in notice["text"]
            assert notice["link"].startswith("https://tools.example/approve/")
            assert datetime.fromisoformat(notice["expires"]).tzinfo is not None
            assert "/approve/" not in seen and counter.handle not in json.dumps(notice)
            assert await office.decide(notice["link"]) == 200
            told(await counter.use("call", tool="pay-bill"))
            assert office.ledger.paid == [("DE12", 30)]

    run(test)


def test_a_question_is_told_of_once_by_all_processes(tmp_path: Path) -> None:
    office = Office(tmp_path)

    async def test() -> None:
        async with office.agent() as here, office.agent() as there:
            await proposes(here)
            await here.use("call", tool="pay-bill")
            there.handle = here.handle
            await there.use("frontier")
            assert len(office.notices) == 1

    run(test)


def test_a_user_hears_of_their_own_call_only_where_nobody_can_show_them_a_form(tmp_path: Path) -> None:
    office = Office(tmp_path)

    async def test() -> None:
        async with office.agent(BANK) as shown:
            await proposes(shown, [YES])
            assert office.ledger.paid and not office.notices
        async with office.agent(BANK) as counter:
            await proposes(counter)
            (notice,) = office.notices
            assert (notice["by"], notice["subject"]) == ("user", "ana")

    run(test)


@pytest.mark.parametrize(
    ("command", "said"), [(["false"], "ended with 1"), (["sleep", "60"], "ended with -9"), (["no-such-program"], "cannot be started")]
)
def test_where_the_program_fails_it_is_said_without_the_link_and_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, command: list[str], said: str
) -> None:
    office = Office(tmp_path)

    async def test() -> str:
        async with office.agent(command=command) as counter:
            await counter.begin()
            await counter.use("call", tool="get-balance")
        async with office.agent() as again:
            again.handle = counter.handle
            await again.use("call", tool="pay-bill")
        return counter.handle

    handle = run(test)
    assert said in caplog.text
    assert len(office.notices) == 1
    assert not any(secret in caplog.text for secret in ("/approve/", "DE12", handle))
