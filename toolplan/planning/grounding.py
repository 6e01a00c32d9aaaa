"""A problem to a task: ground operators over numbered fluents, which is classical planning without types or truth values.

A ground atom becomes up to three fluents: known, claimed (known or uncertain) and denied (known to be false). Claimed is left out
where nothing can be uncertain, and denied where nothing asks for it, so that most tasks have one fluent an atom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import lcm

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
from toolplan.planning.knowledge import asked_false, can_claim
from toolplan.planning.plans import Atom, Fluent, Status, Step
from toolplan.planning.problem import ENUMERATED, Problem, ground, to_be_brought
from toolplan.planning.semantics import Trust, believed, certain, produces, removes, ruled_out, trust_of
from toolplan.planning.task import Change, Literals, Operator, Task

MOST_STEPS = 1_000_000
"""Groundings of all actions together; beyond it the problem is refused."""
MOST_CLAUSES = 512
"""Disjuncts of one condition after grounding."""


def compile_task(problem: Problem) -> Task:
    """Ground `problem`. Raises DomainError where that is too large."""
    compiler = _Compiler(problem)
    initial = compiler.initial()
    goals = compiler.clauses(problem.goal, {}, Trust.KNOWN)
    operators = tuple(operator for step in _limited(problem) for operator in compiler.operators(step))
    return Task(tuple(compiler.numbers), initial, tuple(goals), operators, compiler.unit)


def _limited(problem: Problem) -> Iterator[Step]:
    total = 0
    for action in problem.actions():
        count = 1
        for parameter in action.parameters:
            count *= len(problem.objects_of(parameter.type))
        total += count
        if total > MOST_STEPS:
            message = f"`{action.name}` with {len(action.parameters)} parameters brings the groundings above {MOST_STEPS:,}"
            hint = "name fewer entities in the state, or split the action"
            raise DomainError([Diagnostic(Code.GROUNDING_TOO_LARGE, message, None, hint)])
    return problem.steps()


class _Compiler:
    """Numbers fluents, and turns conditions into disjunctions of literals and steps into operators."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.numbers: dict[Fluent, int] = {}
        self.unit = lcm(*(problem.domain.score_of(action).denominator for action in problem.actions()))
        self._can_claim = can_claim(problem)
        self._asked_false = asked_false(problem)

    def number(self, status: Status, atom: Atom) -> int:
        if status is Status.CLAIMED and not self._can_claim:
            status = Status.KNOWN
        return self.numbers.setdefault(Fluent(status, atom), len(self.numbers))

    def initial(self) -> frozenset[int]:
        state = self.problem.state
        known = {self.number(Status.KNOWN, atom) for atom in sorted(state.known)}
        claimed = {self.number(Status.CLAIMED, atom) for atom in sorted(state.known | state.uncertain)}
        denied = {self.number(Status.DENIED, atom) for atom in sorted(state.denied)}
        return frozenset(known | claimed | denied)

    # Conditions

    def clauses(self, condition: Condition, binding: Mapping[str, str], trust: Trust) -> list[Literals]:
        """`condition` as a disjunction of literals; none of them means false."""
        return self._clauses(condition, binding, trust, wanted=True)

    def _clauses(self, condition: Condition, binding: Mapping[str, str], trust: Trust, *, wanted: bool) -> list[Literals]:
        if isinstance(condition, AtomicFormula):
            return [self._literal(ground(condition, binding), trust, wanted=wanted)]
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

    def _literal(self, atom: Atom, trust: Trust, *, wanted: bool) -> Literals:
        if wanted:
            status = Status.CLAIMED if trust is Trust.CLAIMED else Status.KNOWN
            return Literals(frozenset([self.number(status, atom)]))
        if self.problem.domain.facts[atom.fact].closed:
            return Literals(frozenset(), frozenset([self.number(Status.CLAIMED, atom)]))
        return Literals(frozenset([self.number(Status.DENIED, atom)]))

    def _present(self, objects: Iterable[str]) -> Literals:
        """That the placeholders among `objects` were brought."""
        return Literals(frozenset(self.number(Status.KNOWN, atom) for atom in to_be_brought(self.problem, objects)))

    # Steps

    def operators(self, step: Step) -> Iterator[Operator]:
        """One operator for each disjunct of what `step` requires; further ones for what it may do on claims alone."""
        action = self.problem.domain.action(step.action)
        binding = self.problem.binding(step)
        possible = [self._possible(step)]
        firm = _both([possible, self.clauses(action.requires, binding, Trust.KNOWN)])
        for literals in firm:
            yield self._operator(step, action, binding, literals, Trust.KNOWN)
        if self._can_claim and trust_of(self.problem, step) is Trust.CLAIMED:
            unsure = _both([possible, self.clauses(action.requires, binding, Trust.CLAIMED)])
            if removes(action, step):
                # Without this, a removal on claims would be planned where it is sure.
                unsure = _both([unsure, _negation(firm)])
            for literals in unsure:
                if literals not in firm:
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
        score = self.problem.domain.score_of(action) * self.unit
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


def _both(parts: Sequence[Sequence[Literals]]) -> list[Literals]:
    """The conjunction of disjunctions, without disjuncts that contradict themselves or that another one covers."""
    result = [Literals()]
    for part in parts:
        joined = [Literals(one.true | other.true, one.false | other.false) for one in result for other in part]
        result = _minimal(literals for literals in joined if not literals.true & literals.false)
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
    return _minimal(literals for part in parts for literals in part)


def _minimal(clauses: Iterable[Literals]) -> list[Literals]:
    unique = list(dict.fromkeys(clauses))
    if len(unique) > MOST_CLAUSES:
        message = f"a condition has more than {MOST_CLAUSES} alternatives"
        raise DomainError([Diagnostic(Code.GROUNDING_TOO_LARGE, message, None, "name a part of it with a fact of its own")])
    if len(unique) == 1:
        return unique
    return [one for one in unique if not any(other != one and other.true <= one.true and other.false <= one.false for other in unique)]


def _name(term: Term, binding: Mapping[str, str]) -> str:
    return binding[term.name] if isinstance(term, Variable) else term.name
