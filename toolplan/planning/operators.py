"""Ground steps to operators over numbered fluents: classical planning without types or truth values.

A ground atom becomes up to three fluents: known, claimed (known or uncertain) and denied (known to be false). Claimed is left out
where nothing can be uncertain, and denied where nothing asks for it, so that most tasks have one fluent an atom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from threading import Lock

from toolplan.domain import (
    Action,
    And,
    AtomicFormula,
    Condition,
    Effect,
    Equal,
    ForAll,
    Not,
    Or,
    Performer,
    Term,
    Tool,
    Variable,
)
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.planning.knowledge import asked_false, can_claim, serves_unsure
from toolplan.planning.plans import Atom, Fluent, Status, Step
from toolplan.planning.problem import ENUMERATED, Problem, ground, to_be_brought
from toolplan.planning.schemas import schemas_of
from toolplan.planning.semantics import Trust, atom_truth, believed, certain, produces, removes, ruled_out, trust_of
from toolplan.planning.task import Change, Literals, Operator

MOST_CLAUSES = 512
"""Disjuncts of one condition after grounding, where disjunctions are multiplied out."""
MOST_ALTERNATIVES = 5_000
"""The same where they stand side by side, as those of an `exists`: they are no more than the objects and what is written of them."""

MOST_LITERALS = 500_000
"""What is written out at once where a disjunction of more than `MOST_CLAUSES` is multiplied out."""


class Vocabulary:
    """Numbers for fluents, and the operators of steps that no state changes. Grows as it is used; several threads may use one."""

    def __init__(self) -> None:
        self.fluents: list[Fluent] = []
        self.operators: dict[Step, tuple[Operator, ...]] = {}
        self._numbers: dict[Fluent, int] = {}
        self._lock = Lock()

    def number(self, fluent: Fluent) -> int:
        """The number of `fluent`, which is its place in `fluents`."""
        found = self._numbers.get(fluent)
        if found is None:
            with self._lock:
                found = self._numbers.setdefault(fluent, len(self.fluents))
                if found == len(self.fluents):
                    self.fluents.append(fluent)
        return found


class Compiler:
    """Turns conditions of `problem` into disjunctions of literals, and steps into operators, in the numbers of `vocabulary`.

    Scores are in the unit of the domain's schemas.
    """

    def __init__(self, problem: Problem, vocabulary: Vocabulary) -> None:
        self.problem = problem
        self._schemas = schemas_of(problem.domain)
        self._vocabulary = vocabulary
        self._can_claim = can_claim(problem)
        self._asked_false = asked_false(problem)

    def number(self, status: Status, atom: Atom) -> int:
        """The number of what `status` says of `atom`."""
        if status is Status.CLAIMED and not self._can_claim:
            status = Status.KNOWN
        return self._vocabulary.number(Fluent(status, atom))

    @property
    def fluents(self) -> Sequence[Fluent]:
        """The fluents by their numbers."""
        return self._vocabulary.fluents

    def initial(self) -> frozenset[int]:
        """The fluents that are true in the state."""
        state = self.problem.state
        sides = {Status.KNOWN: state.known, Status.CLAIMED: state.known | state.uncertain, Status.DENIED: state.denied}
        return frozenset(self.number(status, atom) for status, atoms in sides.items() for atom in sorted(atoms))

    def holding(self, numbers: Iterable[int]) -> frozenset[int]:
        """Those of `numbers` whose fluents are true in the state."""
        state, fluents = self.problem.state, self._vocabulary.fluents
        holding = []
        for number in numbers:
            status, atom = fluents[number]
            if status is Status.DENIED:
                true = atom in state.denied
            else:
                true = atom in state.known or (status is Status.CLAIMED and atom in state.uncertain)
            if true:
                holding.append(number)
        return frozenset(holding)

    # Conditions

    def clauses(self, condition: Condition, binding: Mapping[str, str], trust: Trust) -> list[Literals]:
        """`condition` as a disjunction of literals; none of them means false."""
        return self._clauses(condition, binding, trust, wanted=True)

    def _clauses(self, condition: Condition, binding: Mapping[str, str], trust: Trust, *, wanted: bool) -> list[Literals]:
        if isinstance(condition, AtomicFormula):
            return self._literal(ground(condition, binding), trust, wanted=wanted)
        if isinstance(condition, Not):
            return self._clauses(condition.condition, binding, trust, wanted=not wanted)
        if isinstance(condition, Equal):
            equal = _name(condition.left, binding) == _name(condition.right, binding)
            return [Literals()] if equal is wanted else []
        if isinstance(condition, And | Or):
            parts = [(part, binding) for part in condition.conditions]
            conjunctive = isinstance(condition, And) is wanted
            compiled = [self._clauses(part, inner, trust, wanted=wanted) for part, inner in parts]
        else:
            conjunctive = isinstance(condition, ForAll) is wanted
            compiled = []
            for inner in self.problem.bindings(condition.parameters):
                part = self._clauses(condition.condition, {**binding, **inner}, trust, wanted=wanted)
                present = [self._present(inner.values())]
                compiled.append(_either([_negation(present), part]) if conjunctive else _both([present, part]))
            if isinstance(condition, ForAll) and wanted:
                open_types = {p.type for p in condition.parameters} & self.problem.open_types
                compiled += [[Literals(frozenset([self.number(Status.KNOWN, Atom(ENUMERATED, (name,)))]))] for name in sorted(open_types)]
        return _both(compiled) if conjunctive else _either(compiled)

    def _literal(self, atom: Atom, trust: Trust, *, wanted: bool) -> list[Literals]:
        if wanted:
            status = Status.CLAIMED if trust is Trust.CLAIMED else Status.KNOWN
            return [Literals(frozenset([self.number(status, atom)]))]
        if self.problem.domain.facts[atom.fact].closed:
            return [Literals(frozenset(), frozenset([self.number(Status.CLAIMED, atom)]))]
        return [Literals(frozenset([self.number(Status.DENIED, atom)]))]

    def _present(self, objects: Collection[str]) -> Literals:
        """That the placeholders among `objects` were brought."""
        return Literals(frozenset(self.number(Status.KNOWN, atom) for atom in to_be_brought(self.problem, objects)))

    # Steps

    def operators(self, step: Step) -> Iterable[Operator]:
        """One operator for each disjunct of what `step` requires; further ones for what it may do on claims alone."""
        action = self.problem.domain.action(step.action)
        binding = self.problem.binding(step)
        possible = [self._possible(step)]
        firm = _both([possible, self.clauses(action.requires, binding, Trust.KNOWN)])
        for literals in firm:
            yield self._operator(step, action, binding, literals, Trust.KNOWN)
        if self._can_claim and trust_of(self.problem, step) is Trust.CLAIMED:
            unsure = _both([possible, self.clauses(action.requires, binding, Trust.CLAIMED)])
            if serves_unsure(self.problem.domain, produces(action, step), removes(action, step)):
                # Without this, it would be planned as unsure where it is sure.
                unsure = _both([unsure, _negation(firm)])
            known = frozenset(firm)
            for literals in unsure:
                if literals not in known:
                    yield self._operator(step, action, binding, literals, Trust.CLAIMED)

    def _possible(self, step: Step) -> Literals:
        """That what `step` speaks of is there, and nothing known rules its outcome out."""
        surprises = ruled_out(self.problem, step)
        denied = {self.number(Status.DENIED, atom) for atom in surprises.denied if atom.fact in self._asked_false}
        known = {self.number(Status.KNOWN, atom) for atom in surprises.known}
        return Literals(self._present(step.arguments).true, frozenset(denied | known))

    def _operator(self, step: Step, action: Action, binding: Mapping[str, str], requires: Literals, trust: Trust) -> Operator:
        changes = list(self._changes(step, action, binding, trust))
        adds = frozenset().union(*(change.adds for change in changes if not any(change.condition)))
        deletes = frozenset().union(*(change.deletes for change in changes if not any(change.condition)))
        score = self.problem.domain.score_of(action) * self._schemas.unit
        return Operator(
            step,
            requires,
            adds,
            deletes - adds,
            tuple(change for change in changes if any(change.condition)),
            int(score),
        )

    def _changes(self, step: Step, action: Action, binding: Mapping[str, str], trust: Trust) -> Iterator[Change]:
        """The effects of `step` where what it requires holds with `trust`; see `semantics.successor`, which they mirror."""
        performer = action.performer if isinstance(action, Tool) else Performer.CALL
        made: dict[Atom, list[Literals]] = {}
        for effect in produces(action, step):
            for atom, literals, sure in self._firing(step, effect, binding, performer, trust):
                made.setdefault(atom, []).append(literals)
                yield Change(literals, self._true_adds(atom, sure=sure), self._true_deletes(atom))
        for atom in certain(self.problem.domain, step, binding):
            made[atom] = [Literals()]
            yield Change(Literals(), self._true_adds(atom, sure=True), self._true_deletes(atom))
        for effect in removes(action, step):
            for atom, literals, sure in self._firing(step, effect, binding, performer, trust):
                yield Change(literals, frozenset(), self._false_deletes(atom, sure=sure))
                if sure and atom.fact in self._asked_false:
                    denied = frozenset([self.number(Status.DENIED, atom)])
                    for unmade in _both([[literals], _negation(made.get(atom, []))]):
                        yield Change(unmade, denied, frozenset())

    def _firing(
        self, step: Step, effect: Effect, binding: Mapping[str, str], performer: Performer, trust: Trust
    ) -> Iterator[tuple[Atom, Literals, bool]]:
        trusts = [Trust.KNOWN]
        if self._can_claim and trust_of(self.problem, step) is Trust.CLAIMED:
            trusts.append(Trust.CLAIMED)
        for inner in self.problem.bindings(effect.parameters):
            scope = {**binding, **inner}
            atom = ground(effect.atom, scope)
            for heard in trusts:
                for literals in _both([[self._present(inner.values())], self.clauses(effect.condition, scope, heard)]):
                    sure = trust is Trust.KNOWN and heard is Trust.KNOWN and believed(self.problem, performer, atom)
                    yield atom, literals, sure

    def _true_adds(self, atom: Atom, *, sure: bool) -> frozenset[int]:
        claimed = self.number(Status.CLAIMED, atom)
        return frozenset([claimed, self.number(Status.KNOWN, atom)] if sure else [claimed])

    def _true_deletes(self, atom: Atom) -> frozenset[int]:
        return frozenset([self.number(Status.DENIED, atom)]) if atom.fact in self._asked_false else frozenset()

    def _false_deletes(self, atom: Atom, *, sure: bool) -> frozenset[int]:
        known = self.number(Status.KNOWN, atom)
        return frozenset([known, self.number(Status.CLAIMED, atom)] if sure else [known])


class StateCompiler(Compiler):
    """A compiler for one state: literals over facts that no action changes are decided by it.

    The operators of steps without arguments are the same in all states, and kept in the vocabulary.
    """

    def operators(self, step: Step) -> Iterable[Operator]:
        """As those of any compiler, but for literals that are decided."""
        if step.arguments or self._schemas.schema(self.problem.domain, step.action).ranged:
            return super().operators(step)
        made = self._vocabulary.operators.get(step)
        if made is None:
            made = self._vocabulary.operators[step] = tuple(Compiler(self.problem, self._vocabulary).operators(step))
        return made

    def _literal(self, atom: Atom, trust: Trust, *, wanted: bool) -> list[Literals]:
        if self._schemas.adders(atom.fact) or self._schemas.removers(atom.fact):
            return super()._literal(atom, trust, wanted=wanted)
        truth = atom_truth(self.problem, self.problem.state, atom, trust)
        return [Literals()] if truth is wanted else []


def _both(parts: Sequence[Sequence[Literals]]) -> list[Literals]:
    """The conjunction of disjunctions, without disjuncts that contradict themselves or that another one covers."""
    result = [Literals()]
    for part in parts:
        most = max(MOST_CLAUSES, len(result), len(part))
        if most > MOST_CLAUSES and len(part) * _literals(result) + len(result) * _literals(part) > MOST_LITERALS:
            raise _too_many(MOST_CLAUSES)
        joined = (Literals(one.true | other.true, one.false | other.false) for one in result for other in part)
        result = _minimal([literals for literals in joined if not literals.true & literals.false])
        if len(result) > most:
            raise _too_many(MOST_CLAUSES)
    return result


def _negation(clauses: Sequence[Literals]) -> list[Literals]:
    """The negation of a disjunction, as a disjunction."""
    return _both(
        [
            [
                *(Literals(frozenset(), frozenset([fluent])) for fluent in sorted(literals.true)),
                *(Literals(frozenset([fluent])) for fluent in sorted(literals.false)),
            ]
            for literals in clauses
        ]
    )


def _either(parts: Sequence[Sequence[Literals]]) -> list[Literals]:
    if sum(map(len, parts)) > MOST_ALTERNATIVES:
        raise _too_many(MOST_ALTERNATIVES)
    return _minimal([literals for part in parts for literals in part])


def _minimal(clauses: Sequence[Literals]) -> list[Literals]:
    """`clauses` without those that another one covers."""
    unique = list(dict.fromkeys(clauses))
    if len({len(one.true) + len(one.false) for one in unique}) < 2:
        return unique
    uses = Counter(literal for one in unique for literal in _signed(one))
    # One that covers another has all its literals among those of the other, and so the rarest of them.
    by_rarest: dict[int | None, list[Literals]] = {}
    for one in unique:
        by_rarest.setdefault(min(_signed(one), key=uses.__getitem__, default=None), []).append(one)

    def covered(one: Literals) -> bool:
        candidates = chain(by_rarest.get(None, ()), *(by_rarest.get(literal, ()) for literal in _signed(one)))
        return any(other != one and other.true <= one.true and other.false <= one.false for other in candidates)

    return [one for one in unique if not covered(one)]


def _literals(clauses: Iterable[Literals]) -> int:
    return sum(len(one.true) + len(one.false) for one in clauses)


def _signed(literals: Literals) -> Iterator[int]:
    yield from literals.true
    yield from (~fluent for fluent in literals.false)


def _too_many(most: int) -> DomainError:
    message = f"a condition has more than {most} alternatives"
    return DomainError([Diagnostic(Code.GROUNDING_TOO_LARGE, message, None, "name a part of it with a fact of its own")])


def _name(term: Term, binding: Mapping[str, str]) -> str:
    return binding[term.name] if isinstance(term, Variable) else term.name
