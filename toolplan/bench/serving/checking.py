"""What the store, the receipts and the ledger of the shop say of the conversations afterwards: that nothing is lost, mixed, or done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from toolplan.bench.planner.measuring import Promise, at_most
from toolplan.bench.serving import shop
from toolplan.bench.serving.sites import Folder
from toolplan.bench.serving.talking import Talk
from toolplan.bench.tables import Row
from toolplan.domain import Domain, Principal
from toolplan.language.loading import loads
from toolplan.receipts import FileReceipts, read_key
from toolplan.receipts.lines import Receipt
from toolplan.receipts.seals import Plain
from toolplan.receipts.verifying import Audited, source_of, verify
from toolplan.serving.handles import Handles
from toolplan.session import Allowed, Outcome, Session
from toolplan.session.events import Event, Heard, Observed, Started
from toolplan.session.snapshots import lines_of, read_events
from toolplan.session.stores import Store, store_at


@dataclass(frozen=True, slots=True)
class CheckRow(Row):
    """What came of all conversations.

    `moved` requests were sent again, to the other server. Hosts were told of `payments`; calls that nobody heard of again are `in_doubt`,
    `of_them_paid` in the ledger. The rest has to be zero: what a host was told and the log, the receipts or the ledger has not; values of another
    conversation; payments that are in the ledger twice, calls that are in a log or in receipts twice, and calls in doubt that could be made again.
    """

    conversations: int
    steps: int
    moved: int
    payments: int
    in_doubt: int
    of_them_paid: int
    lost: int
    mixed: int
    twice: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What is to be said of one conversation, as in the row."""

    in_doubt: int
    of_them_paid: int
    lost: int
    mixed: int
    twice: int


def checked(talks: Sequence[Talk], steps: int, folder: Folder) -> CheckRow:
    """Give up what the dead server was doing, and compare."""
    ledger = shop.payments_in(folder.ledger)
    with closing(store_at(folder.store)) as store:
        checking = Checking(loads(shop.CONTRACTS), store, Handles(read_key(folder.secret)), FileReceipts(folder.receipts), Counter(ledger))
        found = [checking.findings(talk) for talk in talks if talk.handle]
    paid = {order for talk in talks for order in talk.paid}
    strangers = sum(price != shop.price_of(order) for order, price in ledger)
    return CheckRow(
        len(talks),
        steps,
        sum(talk.client.moved for talk in talks),
        len(paid),
        sum(each.in_doubt for each in found),
        sum(each.of_them_paid for each in found),
        sum(each.lost for each in found) + sum(len(talk.odd) for talk in talks),
        sum(each.mixed for each in found) + strangers,
        sum(each.twice for each in found) + len(ledger) - len(set(ledger)),
    )


@dataclass(frozen=True, slots=True)
class Checking:
    """What there is to compare: the store, the receipts, and how often the `ledger` has each payment."""

    domain: Domain
    store: Store
    handles: Handles
    receipts: FileReceipts
    ledger: Counter[tuple[int, int]]

    def findings(self, talk: Talk) -> Findings:
        """What is to be said of `talk`."""
        principal = Principal(talk.subject)
        name = self.handles.session(talk.handle, principal)
        session = Session(self.domain.for_principal(principal), store=self.store, id=name)
        session.recover()
        log = read_events(session.domain, lines_of(session.snapshot()))
        audited = verify(source_of(self.receipts.path(name)), Plain())
        doubted = _payments(log, _calls(log, Outcome.IN_DOUBT))
        return Findings(
            len(doubted),
            sum(map(self._is_paid, doubted)),
            self._lost(talk, log, audited),
            sum(_is_strange(talk, value) for event in log for value in _values(event)),
            _repeated(log) + _told_twice(audited.receipts) + sum(_may_repeat(session, order) for order in doubted),
        )

    def _lost(self, talk: Talk, log: Sequence[Event], audited: Audited) -> int:
        """What the host was told of and is not in the log, not in the receipts, or not in the ledger; and a broken chain of receipts."""
        heard = {event.reading.text for event in log if isinstance(event, Heard)}
        told = {call for call, outcome in _outcomes(audited.receipts) if outcome == Outcome.DONE.value}
        done = _payments(log, _calls(log, Outcome.DONE) & told)
        words = sum(shop.words_of(order) not in heard for order in talk.said)
        return words + sum(order not in done or not self._is_paid(order) for order in talk.paid) + len(audited.faults)

    def _is_paid(self, order: int) -> bool:
        return (order, shop.price_of(order)) in self.ledger


def _calls(log: Sequence[Event], outcome: Outcome) -> set[str]:
    """The calls of which this became."""
    return {event.call for event in log if isinstance(event, Observed) and event.outcome is outcome}


def _payments(log: Sequence[Event], calls: Set[str]) -> list[int]:
    """The orders that were to be paid by `calls`."""
    started = [event.call for event in log if isinstance(event, Started)]
    return [order for call in started if call.tool == shop.PAY and call.id in calls if isinstance(order := call.values["order"], int)]


def _values(event: Event) -> Iterator[object]:
    """What the values of a conversation are in `event`."""
    match event:
        case Started(call=call):
            yield from call.values.values()
        case Observed(learned=beliefs) | Heard(beliefs=beliefs):
            yield from (belief.value for belief in beliefs if belief.value is not None)


def _is_strange(talk: Talk, value: object) -> bool:
    """Whether `value` is of another conversation: neither the number of an order of this one nor a price of it."""
    numbers = [value, (value - shop.price_of(0)) // (shop.price_of(1) - shop.price_of(0))] if isinstance(value, int) else []
    return not any(shop.owner_of(number) == talk.number and value in (number, shop.price_of(number)) for number in numbers)


def _repeated(log: Sequence[Event]) -> int:
    """Calls that were started, or observed, more than once."""
    started = Counter(event.call.id for event in log if isinstance(event, Started))
    observed = Counter(event.call for event in log if isinstance(event, Observed))
    return sum(count > 1 for counted in (started, observed) for count in counted.values())


def _told_twice(receipts: Sequence[Receipt]) -> int:
    return sum(count > 1 for count in Counter(call for call, _ in _outcomes(receipts)).values())


def _outcomes(receipts: Sequence[Receipt]) -> Iterator[tuple[str, str]]:
    """What the receipts say became of which call."""
    for receipt in receipts:
        if receipt.kind == "outcome":
            content: Any = receipt.content
            yield content["call"], content["outcome"]


def _may_repeat(session: Session, order: int) -> bool:
    """Whether a payment in doubt could be made once more as if nothing had been."""
    return isinstance(session.would(shop.PAY, {"order": order, "price": shop.price_of(order)}), Allowed)


def promises(row: CheckRow) -> Iterator[Promise]:
    """Nothing is lost, mixed, or done twice."""
    yield at_most("what is lost, mixed or done twice", row.lost + row.mixed + row.twice, 0)
