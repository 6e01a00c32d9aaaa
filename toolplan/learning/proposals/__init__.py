"""Runs and a domain to what its contracts should say, as a diff with the evidence for each line.

- `contracts` (above): requirements and effects from states. `flows`: arguments from results. `reached`: what runs were for.
- `gathering`: all that is counted, in one pass. `states`, `values`, `costs`, `goals`: what of it the domain does not say.
- `writing`: the proposals in the file of the domain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from toolplan.domain import Domain
from toolplan.importing.linking import Link
from toolplan.learning.contracts import formula
from toolplan.learning.proposals.changes import Change, Proposal, Sign
from toolplan.learning.proposals.costs import from_costs
from toolplan.learning.proposals.gathering import Gathered, gathered
from toolplan.learning.proposals.goals import new_goals
from toolplan.learning.proposals.states import from_states
from toolplan.learning.proposals.values import from_values
from toolplan.learning.traces import Record

__all__ = ["Change", "Gathered", "Proposal", "Sign", "gathered", "proposals", "proposed"]


def proposals(domain: Domain, records: Iterable[Record], links: Sequence[Link] = ()) -> tuple[Proposal, ...]:
    """What `records` say that `domain` does not, or says otherwise, as `proposed` has it."""
    return proposed(gathered(domain, records), links)


def proposed(found: Gathered, links: Sequence[Link] = ()) -> tuple[Proposal, ...]:
    """New facts, then tools in the order of the domain, then new goals; in a tool, what states say stands before what values say.

    `links` are what an import has found by names alone. Tools without a contract, and those that several contracts call, are not spoken of.
    """
    changes: defaultdict[str, dict[tuple[str, str], Change]] = defaultdict(dict)
    of_values = list(from_values(found.domain, found.flows.found(), links))
    for tool, change in (*from_states(found.domain, found.observed), *of_values, *from_costs(found)):
        changes[tool].setdefault((change.word, change.item), change)
    made = {formula(item).fact for each in changes.values() for word, item in each if word == "produces"}
    tools = (Proposal("tool", name, tuple(changes[name].values())) for name in found.domain.tools if name in changes)
    return (*_new_facts(found.domain, of_values), *tools, *new_goals(found.domain, found.reached, made))


def _new_facts(domain: Domain, changes: Iterable[tuple[str, Change]]) -> Iterator[Proposal]:
    """The facts that are passed and that nobody has declared."""
    told = {change.item: change.evidence for _, change in changes if change.word == "requires" and change.item not in domain.facts}
    for fact, evidence in told.items():
        if fact.isidentifier():
            yield Proposal("fact", fact, (Change(Sign.ADD, "fact", fact, evidence),))
