"""What leads to what, as a graph of facts and actions: of a whole domain, or of one task with its path."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from toolplan.domain import (
    Action,
    And,
    Ask,
    AtomicFormula,
    Condition,
    Domain,
    Effect,
    Equal,
    Exists,
    ForAll,
    Not,
    Or,
    Parameter,
    Performer,
    Tool,
)
from toolplan.frontier import Planned, first_steps, moved_to_front
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import DomainError
from toolplan.language.requests import scope_of
from toolplan.language.source import Source, Span
from toolplan.planning.grounding import compile_task
from toolplan.planning.plans import Atom, Bounded, Optimal, Step, Unreachable
from toolplan.planning.problem import Problem, ground
from toolplan.planning.semantics import produces, removes
from toolplan.planning.task import reachable, relevant


class Kind(enum.Enum):
    """What a node stands for."""

    FACT = "fact"
    TOOL = "tool"
    ASK = "question"
    GOAL = "goal"


class Relation(enum.Enum):
    """What an edge says: a fact is required (or must be false), an action adds or removes it."""

    REQUIRES = "requires"
    EXCLUDES = "requires not"
    PRODUCES = "produces"
    REMOVES = "removes"


class Mark(enum.Enum):
    """What a task says of a node: facts are known or claimed in its state; actions are next, or on the path later."""

    KNOWN = "known"
    CLAIMED = "uncertain"
    NEXT = "next"
    PATH = "on the path"


@dataclass(frozen=True, slots=True)
class Node:
    """A fact, an action or a goal. `id` is safe in every notation; `name` is the declared one, `label` shows arguments too.

    Of actions, `note` is the level of risk and who performs them, and `severity` ranks the level from 0 (safe) to 1 (the highest).
    `position` counts the steps of the path from one, and is 0 off the path.
    """

    id: str
    kind: Kind
    name: str
    label: str
    note: str = ""
    description: str = ""
    severity: float = 0.0
    mark: Mark | None = None
    position: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """From what comes first: a fact to the action that requires it, an action to the fact that it adds or removes."""

    source: str
    target: str
    relation: Relation
    on_path: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in order of declaration, facts first, and the edges between them."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def to_dict(self) -> dict[str, object]:
        """The graph as JSON values."""
        return {
            "title": self.title,
            "nodes": [
                {
                    "id": node.id,
                    "kind": node.kind.value,
                    "name": node.name,
                    "label": node.label,
                    "note": node.note,
                    "mark": node.mark.value if node.mark else None,
                    "position": node.position or None,
                }
                for node in self.nodes
            ],
            "edges": [
                {"source": edge.source, "target": edge.target, "relation": edge.relation.value, "on_path": edge.on_path}
                for edge in self.edges
            ],
        }


def domain_graph(domain: Domain, only: Iterable[str] = ()) -> Graph:
    """All facts, tools and questions of `domain`; `only` keeps those of some names and what they touch. Raises DomainError."""
    drawing = _Drawing(domain)
    for fact in domain.facts.values():
        drawing.fact(_declared(domain, Atom(fact.name)))
    for action in _actions(domain):
        touched = _lifted(action)
        shape = Atom(action.name, tuple(parameter.type for parameter in action.parameters))
        drawing.action(str(shape), action, touched.renamed(lambda atom: _declared(domain, atom)))
    title = f"{domain.name or 'domain'}: {domain.description}" if domain.description else domain.name or "domain"
    return _kept(domain, drawing.graph(title), only)


def task_graph(planned: Planned, only: Iterable[str] = ()) -> Graph:
    """What of a problem can matter to its goal, with the path and the next step marked; `only` as in `domain_graph`.

    Shown are the steps that can be reached and can help, even indirectly; of an unreachable goal all that could help.
    """
    problem, domain = planned.problem, planned.problem.domain
    path = _path(planned)
    touched: dict[Step, _Touched] = {}
    for step in [*_relevant(planned), *path]:
        whole = step._replace(outcome=-1)
        touched[whole] = touched.get(whole, _Touched()).joined(_grounded(problem, step))
    goals = {wanted.label: _Touched(requires=tuple(_literals(wanted.condition, {}, problem.bindings))) for wanted in problem.wanted}
    needed = {atom for found in (*touched.values(), *goals.values()) for atom, _ in found.requires}
    used = {atom for step in path for atom, _ in touched[step].requires} | {atom for found in goals.values() for atom, _ in found.requires}
    drawing = _Drawing(domain)
    order = {name: number for number, name in enumerate(domain.facts)}
    for atom in sorted(needed, key=lambda atom: (order[atom.fact], atom.arguments)):
        state = problem.state
        drawing.fact(atom, Mark.KNOWN if atom in state.known else Mark.CLAIMED if atom in state.uncertain else None)
    declared = {action.name: number for number, action in enumerate(_actions(domain))}
    for step in sorted(touched, key=lambda step: (declared[step.action], step.arguments)):
        position = path.index(step) + 1 if step in path else 0
        drawing.action(str(step), domain.action(step.action), touched[step].within(needed), position, used if position else frozenset())
    for label, found in goals.items():
        drawing.goal(label, found, used - problem.state.known if path else frozenset())
    title = f"{domain.name or 'domain'}: {', '.join(goals) or 'nothing'}"
    return _kept(domain, drawing.graph(title), only)


def _actions(domain: Domain) -> list[Action]:
    return [*domain.tools.values(), *domain.asks.values()]


def _relevant(planned: Planned) -> list[Step]:
    task = compile_task(planned.problem)
    task = relevant(task if isinstance(planned.solution, Unreachable) else reachable(task))
    return [operator.step for operator in task.operators]


def _path(planned: Planned) -> list[Step]:
    """The steps of the plan, the next one first."""
    if not isinstance(planned.solution, Optimal | Bounded) or not planned.steps:
        return []
    plan = planned.solution.plan
    ordered = moved_to_front(plan, first_steps(planned.problem, plan)[0])
    return list(dict.fromkeys(step._replace(outcome=-1) for step in ordered.steps))


@dataclass(frozen=True)
class _Touched:
    """The atoms that an action requires (each with whether it must be true), adds, and removes."""

    requires: tuple[tuple[Atom, bool], ...] = ()
    adds: tuple[Atom, ...] = ()
    removes: tuple[Atom, ...] = ()

    def renamed(self, rename: Callable[[Atom], Atom]) -> _Touched:
        requires = tuple((rename(atom), wanted) for atom, wanted in self.requires)
        return _Touched(requires, tuple(map(rename, self.adds)), tuple(map(rename, self.removes)))

    def joined(self, other: _Touched) -> _Touched:
        return _Touched(self.requires + other.requires, self.adds + other.adds, self.removes + other.removes)

    def within(self, atoms: set[Atom]) -> _Touched:
        return replace(self, adds=tuple(a for a in self.adds if a in atoms), removes=tuple(a for a in self.removes if a in atoms))


Instances = Callable[[tuple[Parameter, ...]], Iterable[Mapping[str, str]]]


def _grounded(problem: Problem, step: Step) -> _Touched:
    action, binding = problem.domain.action(step.action), problem.binding(step)
    found = _touched(action, produces(action, step), removes(action, step), binding, problem.bindings)
    verified = action.verifies if isinstance(action, Tool) else ()
    return found.joined(_Touched(adds=tuple(ground(formula, binding) for formula in verified)))


def _lifted(action: Action) -> _Touched:
    """What `action` touches with variables as arguments, in whatever way it turns out."""
    found = _touched(action, action.produces, action.removes if isinstance(action, Tool) else (), {}, lambda _: [{}])
    if not isinstance(action, Tool):
        return found
    added = [*(formula for outcome in action.outcomes for formula in outcome.produces), *action.verifies]
    removed = [formula for outcome in action.outcomes for formula in outcome.removes]
    return found.joined(_Touched((), tuple(ground(formula, {}) for formula in added), tuple(ground(formula, {}) for formula in removed)))


def _touched(action: Action, adds: Sequence[Effect], takes: Sequence[Effect], binding: Mapping[str, str], instances: Instances) -> _Touched:
    requires = list(_literals(action.requires, binding, instances))

    def atoms(effects: Sequence[Effect]) -> Iterator[Atom]:
        for effect in effects:
            for inner in instances(effect.parameters):
                requires.extend(_literals(effect.condition, {**binding, **inner}, instances))
                yield ground(effect.atom, {**binding, **inner})

    added, removed = tuple(atoms(adds)), tuple(atoms(takes))
    return _Touched(tuple(requires), added, removed)


def _literals(
    condition: Condition, binding: Mapping[str, str], instances: Instances, *, wanted: bool = True
) -> Iterator[tuple[Atom, bool]]:
    """The atoms in `condition`, each with whether it should be true."""
    if isinstance(condition, AtomicFormula):
        yield ground(condition, binding), wanted
    elif isinstance(condition, Not):
        yield from _literals(condition.condition, binding, instances, wanted=not wanted)
    elif isinstance(condition, And | Or):
        for part in condition.conditions:
            yield from _literals(part, binding, instances, wanted=wanted)
    elif isinstance(condition, ForAll | Exists):
        for inner in instances(condition.parameters):
            yield from _literals(condition.condition, {**binding, **inner}, instances, wanted=wanted)
    else:
        assert isinstance(condition, Equal)


def _declared(domain: Domain, atom: Atom) -> Atom:
    """The fact of `atom` with the types of its parameters."""
    return Atom(atom.fact, tuple(parameter.type for parameter in domain.facts[atom.fact].parameters))


@dataclass
class _Drawing:
    """Nodes and edges as they are found."""

    domain: Domain
    facts: dict[Atom, Node] = field(default_factory=dict)
    others: list[Node] = field(default_factory=list)
    edges: dict[tuple[str, str, Relation], Edge] = field(default_factory=dict)

    def fact(self, atom: Atom, mark: Mark | None = None) -> None:
        description = self.domain.facts[atom.fact].description
        self.facts[atom] = Node(f"f{len(self.facts) + 1}", Kind.FACT, atom.fact, str(atom), "", description, mark=mark)

    def action(self, label: str, action: Action, touched: _Touched, position: int = 0, used: Iterable[Atom] = frozenset()) -> None:
        mark = Mark.NEXT if position == 1 else Mark.PATH if position else None
        if isinstance(action, Ask):
            node = Node(self._id("q"), Kind.ASK, action.name, label, "question", action.question, 0.0, mark, position)
        else:
            level = self.domain.risk_of(action)
            note = level.name if action.performer is Performer.CALL else f"{level.name}, by {action.performer.value}"
            node = Node(self._id("t"), Kind.TOOL, action.name, label, note, action.description, self._severity(action), mark, position)
        self.others.append(node)
        self._connect(node, touched, frozenset(used))

    def goal(self, label: str, touched: _Touched, used: Iterable[Atom]) -> None:
        node = Node(self._id("g"), Kind.GOAL, label, label or "nothing", "goal")
        self.others.append(node)
        self._connect(node, touched, frozenset(used))

    def graph(self, title: str) -> Graph:
        return Graph(title, (*self.facts.values(), *self.others), tuple(self.edges.values()))

    def _connect(self, node: Node, touched: _Touched, used: frozenset[Atom]) -> None:
        for atom, wanted in touched.requires:
            self._edge(self.facts[atom].id, node.id, Relation.REQUIRES if wanted else Relation.EXCLUDES, on_path=wanted and atom in used)
        for atom in touched.adds:
            self._edge(node.id, self.facts[atom].id, Relation.PRODUCES, on_path=atom in used)
        for atom in touched.removes:
            self._edge(node.id, self.facts[atom].id, Relation.REMOVES, on_path=False)

    def _edge(self, source: str, target: str, relation: Relation, *, on_path: bool) -> None:
        self.edges.setdefault((source, target, relation), Edge(source, target, relation, on_path))

    def _id(self, letter: str) -> str:
        return f"{letter}{sum(node.id.startswith(letter) for node in self.others) + 1}"

    def _severity(self, tool: Tool) -> float:
        level = self.domain.risk_of(tool)
        heaviest = max((other.weight for other in self.domain.policy.risk), default=level.weight)
        return 0.0 if level.safe else float(level.weight / heaviest) if heaviest else 1.0


def _kept(domain: Domain, graph: Graph, only: Iterable[str]) -> Graph:
    """The nodes whose names are in `only`, those that they touch, and the edges between the former and the latter."""
    names = frozenset(only)
    if not names:
        return graph
    known = {node.name for node in graph.nodes} | {*domain.facts, *domain.tools, *domain.asks, *domain.goals}
    findings = []
    for name in sorted(names - known):
        scope = scope_of(domain, Source("<only>", name))
        scope.unknown(Code.UNKNOWN_ACTION, "tool, question or fact", nodes.Name(name, Span(0, len(name))), sorted(known))
        findings += scope.diagnostics
    if findings:
        raise DomainError(findings)
    named = {node.id for node in graph.nodes if node.name in names}
    edges = tuple(edge for edge in graph.edges if edge.source in named or edge.target in named)
    near = named | {end for edge in edges for end in (edge.source, edge.target)}
    return Graph(graph.title, tuple(node for node in graph.nodes if node.id in near), edges)
