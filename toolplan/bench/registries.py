"""Generated registries and tasks for benchmarks of the planner: three kinds, drawn from a seed, in any size.

The draws and their order belong to the benchmark: the same arguments give the same registry in every version, so that figures compare.
Facts are numbered; tools only add facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from toolplan.planning.plans import Atom
from toolplan.planning.problem import State

GIVEN = range(6)
"""The facts that users give, which all families share."""
LAYERS = 8
TYPES = ("file", "person", "project")
TASKS = 20
"""How many tasks a registry of entities has."""


class GeneratedTool(NamedTuple):
    """A tool: `parameters` name its variables and their types; the atoms of a tool without parameters are ground."""

    name: str
    requires: tuple[Atom, ...]
    produces: tuple[Atom, ...]
    cost: int
    parameters: tuple[tuple[str, str], ...] = ()


class GeneratedTask(NamedTuple):
    """What is known at first, and what is wanted."""

    given: tuple[Atom, ...]
    wanted: tuple[Atom, ...]

    @property
    def state(self) -> State:
        """What is known, as a state of its own."""
        return State(frozenset(self.given))

    @property
    def goal(self) -> tuple[str, ...]:
        """What is wanted, as a caller writes it."""
        return tuple(map(str, self.wanted))


@dataclass(frozen=True, slots=True)
class Registry:
    """Facts with the types of their parameters, tools over them, and tasks for them."""

    facts: Mapping[str, tuple[str, ...]]
    tools: Sequence[GeneratedTool]
    tasks: Sequence[GeneratedTask]
    types: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The registry in the language. Every tool is a read, which adds nothing to its cost."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield 'domain generated "A generated registry"'
        yield from (f"type {name}" for name in self.types)
        yield from (f"fact {Atom(name, types)}" for name, types in self.facts.items())
        for tool in self.tools:
            parameters = ", ".join(f"{name}: {kind}" for name, kind in tool.parameters)
            head = f"{tool.name}({parameters})" if parameters else tool.name
            yield f"tool {head} {{ requires {_list(tool.requires)} produces {_list(tool.produces)} cost {tool.cost} risk read }}"


def families(count: int, seed: int, alternatives: int = 1) -> Registry:
    """Families as real registries have them: a search, a read, and eight writes, over six facts that users give.

    With `alternatives`, each of these tools comes in that many versions, with other requirements and costs of 1 to 3.
    """
    random = Random(seed)
    models: list[tuple[str, set[int], int]] = []
    tasks = []
    fact = len(GIVEN)
    step = max(1, count // (100 * alternatives))
    for family in range(count // (10 * alternatives)):
        found, read, first = fact, fact + 1, fact + 2
        searched = set(random.sample(GIVEN, 2))
        models += [(f"search_{family}", searched, found), (f"read_{family}", {found}, read)]
        models += [(f"write_{family}_{k}", {found if k % 2 else read, GIVEN[k % 6]}, first + k) for k in range(8)]
        if family % step == 0:
            tasks += [_task({*GIVEN[:4], *searched, GIVEN[k % 6]}, [first + k]) for k in (0, 1, 7)]
        fact += 10
    tools = []
    for name, needs, made in models:
        for version in range(alternatives):
            extra = {random.choice(GIVEN)} if version else set()
            cost = random.randint(1, 3) if alternatives > 1 else 1
            tools.append(GeneratedTool(f"{name}_v{version}" if version else name, _atoms(needs | extra), _atoms([made]), cost))
    return Registry(_nullary(fact), tools, tasks)


def layered(count: int, seed: int) -> Registry:
    """Dense layers: tools lead from facts of one layer, or of any before it, to facts of the next. Tasks want 1, 2 and 3 deep facts."""
    random = Random(seed)
    width = max(4, count // (2 * LAYERS))
    layers = [range(1), *(range(start, start + width) for start in range(1, LAYERS * width + 1, width))]
    rules = []
    for _ in range(count):
        at = random.randrange(LAYERS)
        arity = random.choice((1, 1, 2, 2, 3))
        source = layers[at] if random.random() < 0.7 else range(layers[at].stop)
        needs = {random.choice(source) for _ in range(arity)}
        made = {random.choice(layers[at + 1]) for _ in range(random.choice((1, 1, 2)))}
        rules.append((needs, made, random.choice((1, 1, 1, 2, 3))))
    tools = [GeneratedTool(f"t{number}", _atoms(needs), _atoms(made), cost) for number, (needs, made, cost) in enumerate(rules)]
    reached = _reached(rules)
    deep = [fact for layer in reversed(layers) for fact in layer if fact in reached][:40]
    random = Random(seed)
    tasks = [_task({0}, sorted(random.sample(deep, min(goals, len(deep))))) for goals in (1, 2, 3)]
    return Registry(_nullary(layers[-1].stop), tools, tasks)


def entities(count: int, seed: int, objects: int) -> Registry:
    """Families of three typed tools over many objects: find a file, resolve a person, share the file with the person in a project."""
    random = Random(seed)
    files, people, projects = ([f"{kind}{number}" for number in range(objects // 3)] for kind in TYPES)
    facts: dict[str, tuple[str, ...]] = {"described": ("file",), "named": ("person",)}
    facts |= {"within": ("file", "project"), "member": ("person", "project")}
    tools: list[GeneratedTool] = []
    for family in range(count // 3):
        facts |= {f"found{family}": ("file",), f"resolved{family}": ("person",), f"shared{family}": TYPES}
        tools += _sharing(family, random)
    tasks = [_task_of_entities(random, files, people, projects, count // 3) for _ in range(TASKS)]
    return Registry(facts, tools, tasks, TYPES)


def _sharing(family: int, random: Random) -> list[GeneratedTool]:
    found, resolved = Atom(f"found{family}", ("f",)), Atom(f"resolved{family}", ("p",))
    needs = (found, resolved, Atom("within", ("f", "r")), Atom("member", ("p", "r")))
    shared = Atom(f"shared{family}", ("f", "p", "r"))
    return [
        GeneratedTool(f"find{family}", (Atom("described", ("f",)),), (found,), random.randint(1, 3), (("f", "file"),)),
        GeneratedTool(f"resolve{family}", (Atom("named", ("p",)),), (resolved,), random.randint(1, 3), (("p", "person"),)),
        GeneratedTool(f"share{family}", needs, (shared,), 1, tuple(zip("fpr", TYPES, strict=True))),
    ]


def _task_of_entities(random: Random, files: Sequence[str], people: Sequence[str], projects: Sequence[str], families: int) -> GeneratedTask:
    home = {file: random.choice(projects) for file in files}
    members = [Atom("member", (person, random.choice(projects))) for person in people for _ in range(2)]
    wanted = []
    for _ in range(random.randint(1, 3)):
        file, person, family = random.choice(files), random.choice(people), random.randrange(families)
        members.append(Atom("member", (person, home[file])))
        wanted.append(Atom(f"shared{family}", (file, person, home[file])))
    given = [Atom("described", (file,)) for file in files] + [Atom("named", (person,)) for person in people]
    given += [Atom("within", pair) for pair in home.items()] + members
    return GeneratedTask(tuple(sorted(set(given))), tuple(wanted))


def _reached(rules: Sequence[tuple[set[int], set[int], int]]) -> set[int]:
    """What can be had from fact 0."""
    reached, before = {0}, 0
    while len(reached) > before:
        before = len(reached)
        for needs, made, _ in rules:
            if needs <= reached:
                reached |= made
    return reached


def _task(given: Iterable[int], wanted: Iterable[int]) -> GeneratedTask:
    return GeneratedTask(_atoms(given), _atoms(wanted))


def _atoms(facts: Iterable[int]) -> tuple[Atom, ...]:
    return tuple(Atom(f"f{fact}") for fact in sorted(facts))


def _nullary(count: int) -> dict[str, tuple[str, ...]]:
    return {f"f{fact}": () for fact in range(count)}


def _list(atoms: Iterable[Atom]) -> str:
    return ", ".join(map(str, atoms))
