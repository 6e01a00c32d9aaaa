"""Forward from the state: which steps can ever run, if nothing were ever deleted, by joins over what is reached.

Semi-naive evaluation, as of Datalog: each new atom is joined with what was reached before. Of what an action requires only the atoms that
must be true in any case are looked at; the rest is left to the ground task. Uncertain atoms count as reached.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

from toolplan.domain import Action, Tool
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.planning.demand import Binding
from toolplan.planning.plans import Step
from toolplan.planning.problem import BROUGHT, Problem
from toolplan.planning.schemas import Anything, Pattern, Place, Schema, filled, schemas_of

MOST_STEPS = 1_000_000
"""Groundings of all actions together; beyond it the problem is refused."""

_Objects = tuple[str, ...]


def reached_steps(problem: Problem, demand: Mapping[str, Sequence[Binding]]) -> list[Step]:
    """The steps within `demand` that can be reached from the state of `problem`, in order of declaration and of objects.

    Raises DomainError where they are too many.
    """
    return _Joins(problem, demand).steps()


def too_many(action: Action, most: int) -> DomainError:
    """That the groundings of `action`, with those before it, are more than `most`."""
    message = f"`{action.name}` with {len(action.parameters)} parameters brings the groundings above {most:,}"
    hint = "name fewer entities in the state, or split the action"
    return DomainError([Diagnostic(Code.GROUNDING_TOO_LARGE, message, None, hint)])


class _Relation:
    """What is reached of one fact, by the objects at its places."""

    def __init__(self) -> None:
        self.rows: dict[_Objects, None] = {}
        self._by_place: dict[int, dict[str, list[_Objects]]] = {}

    def add(self, row: _Objects) -> bool:
        """Whether `row` is new."""
        if row in self.rows:
            return False
        self.rows[row] = None
        for place, index in self._by_place.items():
            index.setdefault(row[place], []).append(row)
        return True

    def matching(self, arguments: Sequence[str | None]) -> Collection[_Objects]:
        """The rows that have the given arguments at some place where one is given; all of them where none is."""
        if None not in arguments:
            row = tuple(arguments)
            return [row] if row in self.rows else []  # type: ignore[list-item]
        fewest: Sequence[_Objects] | None = None
        for place, argument in enumerate(arguments):
            if argument is not None:
                rows = self._at(place).get(argument, ())
                if fewest is None or len(rows) < len(fewest):
                    fewest = rows
        return self.rows if fewest is None else fewest

    def _at(self, place: int) -> dict[str, list[_Objects]]:
        index = self._by_place.get(place)
        if index is None:
            index = self._by_place[place] = {}
            for row in self.rows:
                index.setdefault(row[place], []).append(row)
        return index


class _Joins:
    def __init__(self, problem: Problem, demand: Mapping[str, Sequence[Binding]]) -> None:
        self.problem = problem
        schemas = schemas_of(problem.domain)
        self.demand = [(schemas.schema(problem.domain, name), demand[name]) for name in sorted(demand, key=schemas.order.__getitem__)]
        self.relations: dict[str, _Relation] = {}
        self.fresh: list[tuple[str, _Objects]] = []
        self.found: dict[str, dict[_Objects, None]] = {schema.action.name: {} for schema, _ in self.demand}
        self.total = 0
        self.users: dict[str, list[tuple[Schema, Sequence[Binding], Pattern]]] = {}
        for schema, bindings in self.demand:
            for pattern in schema.joins:
                self.users.setdefault(pattern.fact, []).append((schema, bindings, pattern))

    def steps(self) -> list[Step]:
        joined = self.users.keys()
        for atom in sorted(
            atom for atoms in (self.problem.state.known, self.problem.state.uncertain) for atom in atoms if atom.fact in joined
        ):
            self._relation(atom.fact).add(atom.arguments)
        for atom in sorted(atom for atom in self.problem.state.known if atom.fact == BROUGHT):
            self._relation(BROUGHT).add(atom.arguments)
        for schema, bindings in self.demand:
            for binding in bindings:
                self._run(schema, [binding], schema.joins)
        while self.fresh:
            fact, row = self.fresh.pop()
            for schema, bindings, pattern in self.users.get(fact, ()):
                others = [other for other in schema.joins if other is not pattern]
                self._run(schema, [wider for one in bindings if (wider := _widened(pattern.places, one, row)) is not None], others)
            if fact == BROUGHT:
                self._brought(row[0])
        return [step for schema, _ in self.demand for step in self._ordered(schema)]

    def _brought(self, name: str) -> None:
        """Everything that can be done with an object that has just been brought."""
        for schema, bindings in self.demand:
            for number, kind in enumerate(schema.types):
                if self.problem.is_of(name, kind):
                    places = tuple(place if place == number else Anything("") for place in range(len(schema.types)))
                    row = (name,) * len(places)
                    self._run(schema, [wider for one in bindings if (wider := _widened(places, one, row)) is not None], schema.joins)

    def _run(self, schema: Schema, bindings: list[Binding], joins: Sequence[Pattern]) -> None:
        """Find the steps of `schema` within `bindings` for which `joins` are reached, and reach what they add."""
        found = self.found[schema.action.name]
        for binding in self._joined(bindings, joins):
            for objects in self._completed(schema, binding):
                if objects not in found and self._may_run(schema, objects):
                    found[objects] = None
                    self._count(schema)
                    self._reach(schema, objects)

    def _joined(self, bindings: list[Binding], joins: Sequence[Pattern]) -> list[Binding]:
        """`bindings`, widened in every way in which all of `joins` are reached. The most bound are joined first."""
        remaining = list(joins)
        while remaining and bindings:
            pattern = min(remaining, key=partial(self._fan_out, bindings[0]))
            remaining.remove(pattern)
            bindings = [
                wider
                for one in bindings
                for row in self._relation(pattern.fact).matching(filled(pattern.places, one))
                if (wider := _widened(pattern.places, one, row)) is not None
            ]
        return bindings

    def _fan_out(self, binding: Binding, pattern: Pattern) -> int:
        return len(self._relation(pattern.fact).matching(filled(pattern.places, binding)))

    def _completed(self, schema: Schema, binding: Binding) -> Iterator[_Objects]:
        """`binding` with every choice of objects for what is still open."""
        choices: list[Sequence[str]] = []
        for kind, name in zip(schema.types, binding, strict=True):
            choices.append(self.problem.objects_of(kind) if name is None else (name,) if self.problem.is_of(name, kind) else ())
        return product(*choices)

    def _may_run(self, schema: Schema, objects: _Objects) -> bool:
        """Whether the step is not exhausted, and what it speaks of was brought."""
        if self.problem.exhausted and not self.problem.exhausted.isdisjoint((Step(schema.action.name), Step(schema.action.name, objects))):
            return False
        placeholders = self.problem.placeholders
        if not placeholders:
            return True
        brought = self._relation(BROUGHT).rows
        return all(name not in placeholders or (name,) in brought for name in objects)

    def _reach(self, schema: Schema, objects: _Objects) -> None:
        for pattern in schema.adds:
            if pattern.fact in self.users or pattern.fact == BROUGHT:
                relation = self._relation(pattern.fact)
                for row in self._rows(pattern.places, objects):
                    if relation.add(row):
                        self.fresh.append((pattern.fact, row))

    def _rows(self, places: Sequence[Place], objects: _Objects) -> Iterator[_Objects]:
        choices = [
            self.problem.objects_of(place.type) if isinstance(place, Anything) else (objects[place] if isinstance(place, int) else place,)
            for place in places
        ]
        return product(*choices)

    def _relation(self, fact: str) -> _Relation:
        relation = self.relations.get(fact)
        if relation is None:
            relation = self.relations[fact] = _Relation()
        return relation

    def _count(self, schema: Schema) -> None:
        self.total += 1
        if self.total > MOST_STEPS:
            raise too_many(schema.action, MOST_STEPS)

    def _ordered(self, schema: Schema) -> Iterator[Step]:
        action = schema.action
        rank = {name: number for number, name in enumerate(self.problem.objects)} if schema.types else {}
        outcomes = range(len(action.outcomes)) if isinstance(action, Tool) and action.outcomes else (-1,)
        for objects in sorted(self.found[action.name], key=lambda objects: [rank[name] for name in objects]):
            for outcome in outcomes:
                yield Step(action.name, objects, outcome)


def _widened(places: Sequence[Place], binding: Binding, row: _Objects) -> Binding | None:
    """`binding` with the parameters at `places` filled from `row`, if they fit."""
    wider = list(binding)
    for place, name in zip(places, row, strict=True):
        if isinstance(place, int):
            if wider[place] is None:
                wider[place] = name
            elif wider[place] != name:
                return None
        elif isinstance(place, str) and place != name:
            return None
    return tuple(wider)
