"""A bank behind the server: its contracts, its tools, and whoever asks."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitRequestFormParams, ElicitResult

import toolplan
from toolplan.domain import Principal
from toolplan.goals.readings import Candidate, Reading
from toolplan.planning.plans import Atom
from toolplan.receipts import NO_RECEIPTS, Receipts
from toolplan.serving.configuration import Process, Upstream
from toolplan.serving.connections import Patience
from toolplan.serving.desk import Desk
from toolplan.serving.metatools import Announce, Answer, MetaTools, Passed, Told, Wrong, to_nobody
from toolplan.serving.pins import pins_beside
from toolplan.serving.upstreams import Upstreams
from toolplan.session.stores import MemoryStore, Store
from toolplan.session.turns import Context as TurnContext
from toolplan.session.turns import Stated, TurnReading

T = TypeVar("T")

CONTRACTS = """
domain bank "A bank"
fact account: text "the account that the money goes to"
fact amount: integer "how much"
fact balance: integer "the money that is there"
fact paid
fact closed
tool get_balance calls "get-balance" {
  "Show the money that is there."
  produces balance
  returns  balance = $.balance
  risk read
}
tool pay_bill calls "pay-bill" {
  "Send money to an account."
  requires balance, account, amount
  passes   to = account, sum = amount
  produces paid
  risk send
}
tool close_account calls "close-account" { "Close the account for good." produces closed risk delete roles "admin" }
goal pay { "Pay a bill" achieves paid given account, amount phrases "pay" }
goal close { "Close the account" achieves closed phrases "close the account" }
policy { risk read 0 safe, send 3 confirm, delete 5 confirm }
"""
BANK = toolplan.loads(CONTRACTS)
SUPERVISED = toolplan.loads(CONTRACTS.replace("send 3 confirm", "send 3 confirm by supervisor"))
ANN, BOB, ADMIN = Principal("ann"), Principal("bob"), Principal("ada", roles=frozenset({"admin"}))
SECRET = b"a secret of a test, which is long enough"
PAY = "pay 30 to DE12"
YES, NO, AWAY = (ElicitResult(action="accept", content={"answer": True}), ElicitResult(action="decline"), ElicitResult(action="cancel"))


class Words:
    """Reads "pay SUM to ACCOUNT" and "close the account"."""

    def read(self, text: str, context: TurnContext) -> TurnReading:
        said = re.search(r"pay (\d+)(?: to (\w+))?", text)
        if said is None:
            goals = (Candidate(("close",), 1.0),) if "close" in text else ()
            return TurnReading(text, Reading(text, goals, 0.0 if goals else 1.0))
        stated = [Stated(Atom("amount"), int(said[1]), said[1])]
        stated += [Stated(Atom("account"), said[2], said[2])] if said[2] else []
        return TurnReading(text, Reading(text, (Candidate(("pay",), 1.0),), 0.0), tuple(stated))


@dataclass
class Ledger:
    """What the bank has done. A payment takes until `open` is set."""

    paid: list[tuple[str, int]] = field(default_factory=list)
    began: asyncio.Event = field(default_factory=asyncio.Event)
    open: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.open.set()

    def server(self) -> MCPServer:
        server = MCPServer("bank")

        @server.tool(name="get-balance")
        def get_balance() -> dict[str, int]:
            return {"balance": 100}

        @server.tool(name="pay-bill")
        async def pay_bill(to: str, sum: int, context: Context) -> str:
            await context.report_progress(1, 2, "half")
            self.began.set()
            await self.open.wait()
            self.paid.append((to, sum))
            return "paid"

        @server.tool(name="close-account")
        def close_account() -> str:
            return "closed"

        return server


@dataclass
class Teller:
    """A client of the constant tools themselves. `answers` are what its user does with each form; without one, nobody is shown any."""

    answers: Sequence[ElicitResult] = ()
    call_id: str = ""
    resumes: str = ""
    forms: list[str] = field(default_factory=list)
    told: list[tuple[float, float | None, str | None]] = field(default_factory=list)

    @property
    def shows_forms(self) -> bool:
        return bool(self.answers)

    async def ask(self, handle: str, question: str, form: ElicitRequestFormParams) -> ElicitResult | None:
        self.forms.append(form.message)
        return self.answers[len(self.forms) - 1] if len(self.forms) <= len(self.answers) else None

    async def progress(self, done: float, total: float | None, message: str | None) -> None:
        self.told.append((done, total, message))


class Counter:
    """One caller of the constant tools of a desk, in one conversation."""

    def __init__(self, desk: Desk, principal: Principal = ANN, announce: Announce = to_nobody) -> None:
        self.tools, self.principal, self.handle, self._calls = MetaTools(desk, announce), principal, "", 0

    async def begin(self, said: str = PAY, teller: Teller | None = None) -> Answer:
        answer = await self.tools.use("frontier", {"said": said}, self.principal, teller or Teller())
        assert isinstance(answer, Told)
        self.handle = str(answer.data["conversation"])
        return answer

    async def use(self, tool: str, teller: Teller | None = None, /, **arguments: object) -> Answer:
        self._calls += 1
        teller = teller or Teller()
        teller.call_id = teller.call_id or f"call {self._calls}"
        return await self.tools.use(tool, {"conversation": self.handle, **arguments}, self.principal, teller)


@asynccontextmanager
async def bank(
    folder: Path,
    ledger: Ledger,
    *,
    contracts: toolplan.Domain = BANK,
    store: Store | None = None,
    receipts: Receipts = NO_RECEIPTS,
    **options: Any,
) -> AsyncIterator[Desk]:
    """A desk in front of the bank."""
    reach: Callable[[object], MCPServer] = lambda _: ledger.server()  # noqa: E731
    patience = Patience(call=5.0, between=60.0)
    async with Upstreams(
        [Upstream("bank", Process("bank"))], pins_beside(folder / "bank.json"), patience=patience, reach=reach
    ) as upstreams:
        yield Desk(
            contracts, store=store or MemoryStore(), secret=SECRET, upstreams=upstreams, reader=Words(), receipts=receipts, **options
        )


def alone(contracts: toolplan.Domain = BANK) -> Desk:
    """A desk without servers behind it."""
    return Desk(contracts, store=MemoryStore(), secret=SECRET, reader=Words())


def wrong(answer: Answer) -> str:
    assert isinstance(answer, Wrong), answer
    return answer.text


def told(answer: Answer) -> Mapping[str, object]:
    assert isinstance(answer, Told | Passed), answer
    return answer.data


def callable_in(data: object) -> list[str]:
    assert isinstance(data, Mapping)
    return [tool["name"] for tool in data["callable"]]


def run(test: Callable[[], Awaitable[T]]) -> T:
    async def within() -> T:
        async with asyncio.timeout(30):
            return await test()

    return asyncio.run(within())
