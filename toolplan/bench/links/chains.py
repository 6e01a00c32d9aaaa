"""Gold chains, planned with the contracts that an import of the tools gives, as nobody edited them.

The state has what the request gives; the goal is that the calls have run whose results no other call takes. A chain is planned exactly where
the plan has the calls of the gold, none more and none less, each after those that it needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import toolplan
from toolplan.bench.links.gold import Chain, Gold
from toolplan.bench.tables import Row
from toolplan.importing.tools import Imported, imported
from toolplan.learning.intervals import percent

EXACT, TIED = "exact", "another plan that is as good"


@dataclass(frozen=True, slots=True)
class Chained(Row):
    """How many chains are planned exactly: where nothing can be asked, and where the questions of the import can.

    `linked` are the chains in which a call needs another one. `others` is why the rest of these is not, where nothing can be asked.
    """

    gold: str
    chains: int
    exact: str
    linked: int
    exact_linked: str
    exact_or_tied: str
    exact_with_questions: str
    others: tuple[str, ...]


def chained(gold: Gold) -> Chained:
    """The row of a gold."""
    bundle = imported(gold.tools, name="gold")
    questions = tuple(bundle.domain.asks)
    outcomes = [(chain, outcome(chain, bundle, questions)) for chain in gold.chains]
    linked = Counter(found for chain, found in outcomes if chain.edges)
    asking = Counter(outcome(chain, bundle, ()) for chain in gold.chains if chain.edges)
    others = sorted((kind for kind in linked if kind != EXACT), key=lambda kind: (-linked[kind], kind))
    return Chained(
        gold.name,
        len(outcomes),
        percent(sum(found == EXACT for _, found in outcomes), len(outcomes)),
        linked.total(),
        percent(linked[EXACT], linked.total()),
        percent(linked[EXACT] + linked[TIED], linked.total()),
        percent(asking[EXACT], linked.total()),
        tuple(f"{linked[kind]}x {kind}" for kind in others),
    )


def outcome(chain: Chain, bundle: Imported, forbid: Sequence[str]) -> str:
    """EXACT, or why the plan without `forbid` is not that of the gold. TIED: the gold is a best plan, too, and another one was taken."""
    contracts = [bundle.names.tools[call] for call in chain.calls]
    if len(set(contracts)) < len(contracts):
        return "one tool is called twice"
    last = [contract for place, contract in enumerate(contracts) if all(edge.producer != place for edge in chain.edges)]
    facts = bundle.names.facts
    given = {facts[call, name] for call, names in zip(chain.calls, chain.given, strict=True) for name in names if (call, name) in facts}
    planned = toolplan.plan(bundle.domain, state=given, goal=last, forbid=forbid)
    found = _compared(planned, contracts, chain)
    if found == EXACT or planned.plan is None:
        return found
    others = sorted(bundle.domain.tools.keys() - contracts)
    alone = toolplan.plan(bundle.domain, state=given, goal=last, forbid=[*forbid, *others])
    return TIED if alone.score == planned.score and _compared(alone, contracts, chain) == EXACT else found


def _compared(planned: toolplan.Planned, contracts: Sequence[str], chain: Chain) -> str:
    steps = [step.action for step in planned.steps]
    if planned.plan is None:
        return "no plan"
    if not planned.problem.domain.asks.keys().isdisjoint(steps):
        return "asks for a value"
    if not set(contracts) <= set(steps):
        return "without a call of the gold" if set(steps) < set(contracts) else "another call for one of the gold"
    if len(steps) > len(contracts):
        return "more calls than the gold"
    in_order = all(steps.index(contracts[edge.producer]) < steps.index(contracts[edge.consumer]) for edge in chain.edges)
    return EXACT if in_order else "in another order"
