"""A conversation: the requests of a host whose model does what it is told, one after the other, and what is wrong with the answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from toolplan.bench.serving import shop
from toolplan.bench.serving.client import Client, Result
from toolplan.serving.listing import CALL, FRONTIER


@dataclass(eq=False, slots=True)
class Talk:
    """The conversation `number` of `subject`. `first` is the number of its first order.

    `said` are the orders of which the server has taken up the words, `paid` those of which it told that they are paid, and `odd` the answers that
    should have been others. Once a call may have been lost with its server the host only looks, as there is nothing else that it may do.
    """

    number: int
    subject: str
    client: Client
    first: int = 0
    handle: str = ""
    said: list[int] = field(default_factory=list)
    paid: list[int] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    is_waiting: bool = False
    _steps: count[int] = field(default_factory=count)
    _question: Result = field(default_factory=dict)
    _call: str = ""

    @property
    def order(self) -> int:
        """The order that is paid now."""
        return shop.order_of(self.number, self.first + max(len(self.said) - 1, 0))

    async def step(self) -> str:
        """The next step, in words."""
        name = LOOK if self.is_waiting else SCRIPT[next(self._steps) % len(SCRIPT)]
        await _STEPS[name](self)
        return name

    async def again(self) -> Result:
        """Pay as if nothing had been: another call with the same arguments."""
        return await self._called(shop.PAY, f"{self._call} again")

    async def say(self) -> None:
        """Pass on that the user wants the next order to be paid."""
        order = shop.order_of(self.number, self.first + len(self.said))
        arguments = {"said": shop.words_of(order), **self._open}
        data = _data(await self.client.call(FRONTIER.name, arguments, f"say {order}"))
        self.handle = str(data["conversation"])
        self.said.append(order)
        self._expect(data, "act")

    async def quote(self) -> None:
        """Look the price up."""
        result = await self._called(shop.QUOTE, f"quote {self.order}")
        given = (result.get("structuredContent") or {}).get("result", {}).get("price")
        if given != shop.price_of(self.order):
            self._stop(result)

    async def ask(self) -> None:
        """Pay, which needs consent."""
        self._call = f"pay {self.order}"
        self._question = await self._called(shop.PAY, self._call)
        if str(self.order) not in str(self._question.get("inputRequests")):
            self._stop(self._question)

    async def pay(self) -> None:
        """Pay, now that the user has agreed."""
        answers = {key: {"action": "accept", "content": {"answer": True}} for key in self._question.get("inputRequests", ())}
        again = {"inputResponses": answers, "requestState": self._question.get("requestState", "")}
        result = await self._called(shop.PAY, self._call, again)
        if not result.get("isError") and "paid" in str(result.get("content")):
            self.paid.append(self.order)
        else:
            self._stop(result)

    async def look(self) -> None:
        """Look what is next. Where a call may have been lost, the question before it may be asked again."""
        result = await self.client.call(FRONTIER.name, self._open, "look")
        if not self.is_waiting:
            self._expect(_data(result), "done")

    @property
    def _open(self) -> dict[str, Any]:
        return {"conversation": self.handle} if self.handle else {}

    async def _called(self, tool: str, call: str, again: Result | None = None) -> Result:
        arguments = {"order": self.order} if tool == shop.QUOTE else {"order": self.order, "price": shop.price_of(self.order)}
        return await self.client.call(CALL.name, {**self._open, "tool": tool, "arguments": arguments}, call, again)

    def _stop(self, result: Result) -> None:
        """There is no going on. That is as it should be where a call may have been lost with its server."""
        self.is_waiting = True
        if not (self.client.moved and result.get("isError")):
            self.odd.append(str(result))

    def _expect(self, data: Result, decision: str) -> None:
        """Servers that do nothing do not say what is next."""
        if data.get("decision", decision) != decision:
            self.odd.append(str(data))


Step = Callable[[Talk], Awaitable[None]]

SAY, QUOTE, ASK, PAY, LOOK = "frontier, said", "call, reads", "call, asks", "call, agreed to", "frontier"
_STEPS: dict[str, Step] = {SAY: Talk.say, QUOTE: Talk.quote, ASK: Talk.ask, PAY: Talk.pay, LOOK: Talk.look}
SCRIPT = tuple(_STEPS)
"""The steps of one request, in their order, and under the names under which they are timed."""


def _data(result: Result) -> Result:
    data: Result = result.get("structuredContent") or {}
    if "conversation" not in data:
        raise RuntimeError(f"a server does not tell the conversation: {result}")
    return data
