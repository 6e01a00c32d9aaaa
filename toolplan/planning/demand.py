"""Backward from the goal: which actions, with which arguments, may have a part in reaching it.

Arguments that the way from the goal leaves open stay open. What is known and cannot be lost is asked of no action, so what is visited
follows the goal and not the size of the domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolplan.planning.plans import Atom
from toolplan.planning.problem import BROUGHT, Problem
from toolplan.planning.schemas import Anything, Need, Pattern, Place, Schema, filled, needs_of, ranged_types, schemas_of

Binding = tuple[str | None, ...]
"""Objects for the parameters of an action; None where any will do."""
MOST_MATCHES = 16
"""How many ways to fill open arguments from the state are worth telling apart."""

_Wanted = tuple[str, Binding, bool]


def demanded(problem: Problem) -> dict[str, list[Binding]]:
    """The actions that may have a part in reaching the goal from the state, with the bindings that may."""
    return _Demand(problem, MOST_MATCHES).actions()


def conceivable(problem: Problem) -> dict[str, list[Binding]]:
    """The same, if other facts were known than those of the state: what no action can add is not held against a binding."""
    return _Demand(problem, 0).actions()


class _Demand:
    def __init__(self, problem: Problem, most_matches: int) -> None:
        self.problem = problem
        self.most_matches = most_matches
        self.schemas = schemas_of(problem.domain)
        self.found: dict[str, dict[Binding, None]] = {}
        self.seen: set[_Wanted] = set()
        self.waiting: list[_Wanted] = []
        self._by_object: dict[tuple[str, int], dict[str, list[Atom]]] = {}

    def actions(self) -> dict[str, list[Binding]]:
        self._want(needs_of(self.problem.goal, {}), ())
        self._want_brought_of(ranged_types(self.problem.goal))
        while self.waiting:
            fact, arguments, true = self.waiting.pop()
            for name in self.schemas.adders(fact) if true else self.schemas.removers(fact):
                if name not in self.problem.forbidden:
                    schema = self.schemas.schema(self.problem.domain, name)
                    for pattern in schema.adds if true else schema.removes:
                        if pattern.fact == fact:
                            binding = self._unified(schema, pattern.places, arguments)
                            if binding is not None:
                                self._demand(schema, binding)
        return {name: list(bindings) for name, bindings in self.found.items()}

    def _unified(self, schema: Schema, places: Sequence[Place], arguments: Binding) -> Binding | None:
        """The binding under which `places` and `arguments` are the same, if there is one."""
        binding: list[str | None] = [None] * len(schema.types)
        for place, argument in zip(places, arguments, strict=True):
            if argument is None or isinstance(place, Anything):
                continue
            if isinstance(place, str):
                if place != argument:
                    return None
            elif binding[place] is None:
                if not self.problem.is_of(argument, schema.types[place]):
                    return None
                binding[place] = argument
            elif binding[place] != argument:
                return None
        return tuple(binding)

    def _demand(self, schema: Schema, binding: Binding) -> None:
        for refined in self._refined(schema, binding) if None in binding else (binding,):
            bindings = self.found.setdefault(schema.action.name, {})
            anything = (None,) * len(refined)
            if refined not in bindings and anything not in bindings:
                if refined == anything:
                    bindings.clear()
                bindings[refined] = None
                self._want(schema.needs, refined)
                if self.problem.placeholders:
                    self._want_brought(argument for argument in refined if argument is not None)
                    self._want_brought_of([kind for kind, argument in zip(schema.types, refined, strict=True) if argument is None])
                    self._want_brought_of(schema.ranged)

    def _refined(self, schema: Schema, binding: Binding) -> Iterable[Binding]:
        """`binding` with open arguments filled from facts that no action changes, where these leave few ways."""
        if not self.most_matches:
            return (binding,)
        bindings = [binding]
        for pattern in schema.joins:
            if not self.schemas.adders(pattern.fact):
                joined = [wider for one in bindings for wider in self._matches(pattern, one)]
                if len(joined) > self.most_matches:
                    continue
                bindings = joined
        return dict.fromkeys(bindings)

    def _matches(self, pattern: Pattern, binding: Binding) -> Iterator[Binding]:
        """The bindings under which `pattern`, a fact that no action adds, is in the state; `binding` itself if there are too many."""
        bound = filled(pattern.places, binding)
        at = next((number for number, argument in enumerate(bound) if argument is not None), None)
        if at is None or None not in bound:
            yield binding
            return
        atoms = self._atoms(pattern.fact, at).get(bound[at] or "", [])
        if len(atoms) > self.most_matches:
            yield binding
            return
        for atom in atoms:
            wider = list(binding)
            for place, argument in zip(pattern.places, atom.arguments, strict=True):
                if isinstance(place, int) and wider[place] is None:
                    wider[place] = argument
            if filled(pattern.places, wider) == atom.arguments:
                yield tuple(wider)

    def _atoms(self, fact: str, at: int) -> dict[str, list[Atom]]:
        """The atoms of `fact` in the state, by the object at place `at`."""
        found = self._by_object.get((fact, at))
        if found is None:
            found = self._by_object[fact, at] = {}
            state = self.problem.state
            for atom in sorted(atom for atoms in (state.known, state.uncertain) for atom in atoms if atom.fact == fact):
                found.setdefault(atom.arguments[at], []).append(atom)
        return found

    def _want(self, needs: Iterable[Need], binding: Binding) -> None:
        for pattern, true in needs:
            arguments = filled(pattern.places, binding) if pattern.places else ()
            wanted = (pattern.fact, arguments, true)
            if wanted not in self.seen:
                self.seen.add(wanted)
                if not self._covered(wanted) and not self._settled(wanted):
                    self.waiting.append(wanted)

    def _covered(self, wanted: _Wanted) -> bool:
        """Whether the same fact was wanted of anything."""
        fact, arguments, true = wanted
        return any(arguments) and (fact, (None,) * len(arguments), true) in self.seen

    def _settled(self, wanted: _Wanted) -> bool:
        """Whether it is so already, and no action can change it."""
        fact, arguments, true = wanted
        if None in arguments:
            return False
        atom = Atom(fact, arguments)  # type: ignore[arg-type]
        state = self.problem.state
        if true:
            return atom in state.known and not self.schemas.removers(fact)
        if fact not in self.problem.domain.facts:
            return True  # nothing makes unknown what was brought or enumerated
        absent = self.problem.domain.facts[fact].closed and atom not in state.known and atom not in state.uncertain
        return (absent or atom in state.denied) and not self.schemas.adders(fact)

    def _want_brought(self, names: Iterable[str]) -> None:
        """The placeholders among `names` must have been brought before anything can be done with them."""
        placeholders = self.problem.placeholders
        self._want((Need(Pattern(BROUGHT, (name,)), true=True) for name in names if name in placeholders), ())

    def _want_brought_of(self, types: Iterable[str]) -> None:
        for kind in types:
            self._want_brought(self.problem.objects_of(kind))
