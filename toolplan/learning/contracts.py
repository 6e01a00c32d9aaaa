"""Contracts from runs: what was known whenever a call succeeded and missing when it failed, and what is known since.

The states of the runs are those of STRIPS, and some are wrong. A requirement is taken from what calls that succeeded had in common (the
lower bound of the version space, as in "Safe Learning of Lifted Action Models", Juba, Le and Stern, KR 2021), but only where failures speak
for it, so that what merely tends to be known beforehand does not become one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import log2
from typing import NamedTuple

from toolplan.domain import AtomicFormula, Variable
from toolplan.learning.traces import Execution, Failed, Record, Unknown
from toolplan.planning.plans import Atom

NOISE = 0.2
"""The share of executions that may be against a rule that holds: wrong records and failures of other kinds."""
SUPPORT = 2
"""Executions that must speak for a rule."""
NOT = "not "
_ATOM = re.compile(r"([^()]+)\(([^()]*)\)")


class Support(NamedTuple):
    """How many executions speak for a rule, and how many against it."""

    held: int
    broken: int


class Rule(NamedTuple):
    """A fact over the arguments of a tool, as the language writes it, and the executions that speak for its rule.

    A requirement may also be `not` and a fact: that it was not among those known. Only of a `closed` fact does that mean that it was false.
    """

    fact: str
    support: Support


@dataclass(frozen=True, slots=True)
class Learned:
    """What runs say of one tool, each list by its facts.

    Of a requirement, those executions speak that lacked it: for it where they failed. Of an effect, those speak that succeeded and could
    have it: what they lacked, or what they had to lose. `untried` was known before every execution, so that nobody knows whether it is
    needed. `done` and `failed` count executions.
    """

    tool: str
    requires: tuple[Rule, ...]
    produces: tuple[Rule, ...]
    removes: tuple[Rule, ...]
    untried: tuple[str, ...]
    done: int
    failed: int


class Seen(NamedTuple):
    """One execution, its facts over its arguments. `after` is None where nobody knows what this execution alone has changed."""

    failed: bool
    before: frozenset[str]
    after: frozenset[str] | None


class Observed:
    """What was seen of each tool, counted. It grows with the different states in which a tool was called, and not with the runs."""

    def __init__(self) -> None:
        self.tools: defaultdict[str, Counter[Seen]] = defaultdict(Counter)

    def observe(self, record: Record) -> None:
        """Count an execution whose state before and whose result are known; anything else says nothing."""
        match record:
            case Execution(before=frozenset() as before) if not isinstance(record.result, Unknown):
                self.tools[record.tool][_seen(record, before)] += 1

    def add(self, other: Observed) -> None:
        """Count what `other` has counted, too."""
        for tool, seen in other.tools.items():
            self.tools[tool].update(seen)

    def learned(self, noise: float = NOISE) -> Iterator[Learned]:
        """What was learned of each tool, in the order of their names. Without `noise`, a requirement holds for every call that succeeded."""
        for tool in sorted(self.tools):
            yield _learned(tool, self.tools[tool], noise)


def observed(records: Iterable[Record]) -> Observed:
    """What is seen in `records`."""
    found = Observed()
    for record in records:
        found.observe(record)
    return found


def learned(records: Iterable[Record], noise: float = NOISE) -> Iterator[Learned]:
    """What the executions say whose states are known, by tool, in the order of their names."""
    return observed(records).learned(noise)


def atom_of(text: str) -> Atom:
    """The atom that a trace has as `text`."""
    found = _ATOM.fullmatch(text)
    if found is None:
        return Atom(text.strip("`"))
    return Atom(found[1].strip("`"), tuple(term.strip().strip('"') for term in found[2].split(",")))


def formula(fact: str) -> AtomicFormula:
    """The fact of a rule as a part of a contract. It has no `not`."""
    name, terms = atom_of(fact)
    return AtomicFormula(name, tuple(map(Variable, terms)))


def lifted(text: str, arguments: Mapping[str, object]) -> Iterator[str]:
    """An atom over the names of the arguments whose values it has: none where it speaks of anything else, several where arguments are equal."""
    atom = atom_of(text)
    if not atom.arguments:
        yield text
        return
    names: defaultdict[str, list[str]] = defaultdict(list)
    for name, value in arguments.items():
        names[str(value)].append(name)
    for terms in product(*(names.get(argument, []) for argument in atom.arguments)):
        yield str(Atom(atom.fact, terms))


def holds(literal: str, known: frozenset[str]) -> bool:
    """Whether the fact is among those known; after a `not`, whether it is not."""
    fact = literal.removeprefix(NOT)
    return (fact in known) is (fact == literal)


def having(literals: Sequence[str], seen: Mapping[Seen, int]) -> dict[Seen, int]:
    """The executions in which all of `literals` held."""
    return {each: times for each, times in seen.items() if all(holds(literal, each.before) for literal in literals)}


def support_of_requirement(literal: str, seen: Mapping[Seen, int]) -> Support:
    """What the executions say in which `literal` did not hold: those that failed are for it as a requirement, those that succeeded against it."""
    lacked = [(each.failed, times) for each, times in seen.items() if not holds(literal, each.before)]
    return Support(sum(times for failed, times in lacked if failed), sum(times for failed, times in lacked if not failed))


def support_of_product(fact: str, seen: Mapping[Seen, int]) -> Support:
    """What the executions say that succeeded and had lacked `fact`: those that have it since, and those that have not."""
    lacked = [(fact in after, times) for before, after, times in _changes(seen) if fact not in before]
    return Support(sum(times for has, times in lacked if has), sum(times for has, times in lacked if not has))


def support_of_removal(fact: str, seen: Mapping[Seen, int]) -> Support:
    """What the executions say that succeeded and had `fact`: those that have it no more, and those that still do."""
    had = [(fact in after, times) for before, after, times in _changes(seen) if fact in before]
    return Support(sum(times for has, times in had if not has), sum(times for has, times in had if has))


def _changes(seen: Mapping[Seen, int]) -> Iterator[tuple[frozenset[str], frozenset[str], int]]:
    """The states before and after executions that succeeded, where both are known, and how often there were these."""
    return ((each.before, each.after, times) for each, times in seen.items() if not each.failed and each.after is not None)


def _seen(execution: Execution, before: frozenset[str]) -> Seen:
    def over_arguments(atoms: frozenset[str] | None) -> frozenset[str] | None:
        return None if atoms is None else frozenset(fact for atom in atoms for fact in lifted(atom, execution.arguments))

    # What was started together may have changed the state in the place of this one.
    after = None if execution.batch else over_arguments(execution.after)
    return Seen(isinstance(execution.result, Failed), over_arguments(before) or frozenset(), after)


def _learned(tool: str, seen: Counter[Seen], noise: float) -> Learned:
    requires = _requirements(seen, noise)
    always = frozenset.intersection(*(each.before for each in seen))
    # What succeeded without a requirement is recorded wrongly, and may be so in what it changed.
    sound = having([rule.fact for rule in requires], seen)
    added = {fact for before, after, _ in _changes(sound) for fact in after - before}
    lost = {fact for before, after, _ in _changes(sound) for fact in before - after}
    return Learned(
        tool,
        requires,
        tuple(_mostly(Rule(fact, support_of_product(fact, sound)) for fact in sorted(added))),
        tuple(_mostly(Rule(fact, support_of_removal(fact, sound)) for fact in sorted(lost))),
        tuple(sorted(always - {rule.fact for rule in requires})),
        sum(times for each, times in seen.items() if not each.failed),
        sum(times for each, times in seen.items() if each.failed),
    )


def _mostly(rules: Iterable[Rule]) -> Iterator[Rule]:
    return (rule for rule in rules if rule.support.held >= SUPPORT and rule.support.held > rule.support.broken)


def _requirements(seen: Counter[Seen], noise: float) -> tuple[Rule, ...]:
    """The fewest literals that explain the failures: again and again the one that tells most about those left, then without those that the
    others make superfluous."""
    facts = sorted({fact for each in seen for fact in each.before})
    literals = [*facts, *(NOT + fact for fact in facts)]
    common = _nearly_always(literals, seen, noise)
    chosen: list[str] = []
    while best := _best(common, having(chosen, seen), noise, len(literals)):
        chosen.append(best)
    for fact in list(chosen):
        others = [other for other in chosen if other != fact]
        if _best([fact], having(others, seen), noise, len(literals)) is None:
            chosen = others
    return tuple(Rule(fact, support_of_requirement(fact, seen)) for fact in sorted(chosen))


def _nearly_always(literals: Iterable[str], seen: Mapping[Seen, int], noise: float) -> list[str]:
    """Those that held in all calls that succeeded but for noise."""
    done = {each: times for each, times in seen.items() if not each.failed}
    least = (1 - noise) * sum(done.values())
    return [literal for literal in literals if sum(times for each, times in done.items() if holds(literal, each.before)) >= least]


def _best(literals: Sequence[str], seen: Mapping[Seen, int], noise: float, of: int) -> str | None:
    """The literal that tells most about which calls failed, the first of equal ones. None where no lack of one means failure but for noise,
    or none tells more than it takes to say which of `of` literals it is."""
    bits = {literal: _told(literal, seen, noise) for literal in literals}
    best = max(literals, key=lambda literal: bits[literal], default=None)
    return best if best is not None and bits[best] > log2(of) else None


def _told(literal: str, seen: Mapping[Seen, int], noise: float) -> float:
    """The bits by which it is less surprising which calls failed, once it is known in which of them `literal` did not hold."""
    lacked = support_of_requirement(literal, seen)
    if lacked.held < SUPPORT or lacked.broken > noise * sum(lacked):
        return 0.0
    failed = sum(times for each, times in seen.items() if each.failed)
    done = sum(seen.values()) - failed
    return _surprise(failed, done) - _surprise(*lacked) - _surprise(failed - lacked.held, done - lacked.broken)


def _surprise(failed: int, done: int) -> float:
    """How many bits it takes to say which of the calls failed, when their numbers are known."""
    return sum(part * log2((failed + done) / part) for part in (failed, done) if part)
