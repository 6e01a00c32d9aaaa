"""Syntax trees to a domain: collects what is declared, then resolves each declaration against all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter

from toolplan.domain import OBJECT, VALUE_TYPES, Ask, Domain, Fact, Goal, Scenario, Tool, Type, ValueType, superseders
from toolplan.language import nodes
from toolplan.language.actions import implied_asks, resolve_ask, resolve_goal, resolve_tool
from toolplan.language.allowances import Allowed, resolve_allowances
from toolplan.language.clauses import Clauses
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, Label, chain, quoted
from toolplan.language.permissions import link_permissions
from toolplan.language.policies import resolve_policy
from toolplan.language.requests import resolve_scenario
from toolplan.language.scope import Scope
from toolplan.language.source import Location, Source

MOST_NAMED = 6
"""Names that one finding lists."""
SECONDS = {"ms": Fraction(1, 1000), "s": Fraction(1), "m": Fraction(60), "h": Fraction(3600), "d": Fraction(86400)}


@dataclass(frozen=True, slots=True)
class Resolved:
    """A domain, where each of its parts was declared, every finding, what the author allows, and the files it was read from.

    `places` is keyed by kind (`type`, `constant`, `fact`, `action`, `goal`, `test in FILE`) and name. Only without errors is `domain` usable.
    """

    domain: Domain
    places: Mapping[tuple[str, str], Location]
    diagnostics: Sequence[Diagnostic]
    allowed: Allowed = field(default_factory=dict)
    files: Sequence[nodes.File] = ()

    def finding(self, code: Code, key: tuple[str, str], message: str, hint: str = "", labels: tuple[Label, ...] = ()) -> Diagnostic:
        """A finding about the part that is filed under `key`, for its block to allow."""
        return Diagnostic(code, message, self.places.get(key), hint, labels, block=key)


def resolve(files: Sequence[nodes.File], imports: Mapping[Source, Sequence[Source]]) -> Resolved:
    """The domain of the last of `files`; every file stands after those it imports. Errors are collected, none stops the work."""
    scope = Scope(files[-1].source, unread=frozenset().union(*(file.unread for file in files)))
    places: dict[tuple[str, str], Location] = {}
    header = _header(scope, files)
    _resolve_types(scope, files, places)
    _resolve_constants(scope, files, places)
    facts = _resolve_facts(scope, files, places)
    scope.facts = facts
    policy = resolve_policy(scope, files, imports)
    blocks = {kind: list(_blocks(scope, files, kind)) for kind in ("tool", "ask", "goal", "test")}

    tool_names = {block.name.text for _, block in blocks["tool"] if isinstance(block.name, nodes.Name)}
    tools: dict[str, Tool] = {}
    asks: dict[str, Ask] = {}
    goals: dict[str, Goal] = {}
    for source, block in blocks["tool"] + blocks["ask"]:
        scope.source = source
        if _declare(scope, places, "action", block.name):
            if block.kind == "tool":
                tool = resolve_tool(scope, block, policy)
                tools[tool.name] = tool
            else:
                ask = resolve_ask(scope, block, tool_names, policy)
                asks[ask.name] = ask
    link_permissions(scope, places, tools, asks, facts)
    for source, block in blocks["goal"]:
        scope.source = source
        if _declare(scope, places, "goal", block.name):
            goal = resolve_goal(scope, block)
            goals[goal.name] = goal
    for name, ask in implied_asks(goals, asks, scope.facts, policy).items():
        while name in tools or name in asks:
            name += "_"
        asks[name] = replace(ask, name=name)
    _check_always_visible(scope, files, policy.always_visible, tools)
    _check_supersession(scope, places, tools)
    for tool in tools.values():
        scope.constants |= {tool.placeholder(new): new.type for new in (*tool.finds, *tool.creates)}

    domain = Domain(
        name=header.name.text if header else _stem(files[-1].source.name),
        description=header.description.value if header and header.description else "",
        types=scope.types,
        constants=scope.constants,
        facts=scope.facts,
        tools=tools,
        asks=asks,
        goals=goals,
        policy=policy,
    )
    tests = _resolve_tests(scope, domain, blocks["test"], places)
    allowed = resolve_allowances(scope, files)
    return Resolved(replace(domain, tests=tests), places, scope.diagnostics, allowed, files)


def _header(scope: Scope, files: Sequence[nodes.File]) -> nodes.Header | None:
    """The `domain` line of the last file; a second one in any file is reported."""
    headers: list[nodes.Header] = []
    for file in files:
        scope.source = file.source
        headers = [node for node in file.declarations if isinstance(node, nodes.Header)]
        for other in headers[1:]:
            labels = (Label(Location(file.source, headers[0].name.span), "first named here"),)
            scope.report(Code.REPEATED_CLAUSE, "a second `domain` line", other.span, "keep one of them", labels)
    return headers[0] if headers else None


def _declare(scope: Scope, places: dict[tuple[str, str], Location], kind: str, name: nodes.Name | nodes.Text) -> bool:
    """Note where `name` is declared; a second declaration is reported with both places and dropped."""
    text = name.text if isinstance(name, nodes.Name) else name.value
    location = Location(scope.source, name.span)
    first = places.setdefault((kind, text), location)
    if first is not location:
        what = "tool or question" if kind == "action" else kind.split()[0]
        label = Label(first, "first declared here")
        scope.report(Code.DUPLICATE_NAME, f"{what} {quoted(text)} is declared twice", name.span, "rename one of them", (label,))
    return first is location


def _blocks(scope: Scope, files: Sequence[nodes.File], kind: str) -> Iterator[tuple[Source, nodes.Block]]:
    return ((file.source, node) for file in files for node in file.declarations if isinstance(node, nodes.Block) and node.kind == kind)


def _resolve_types(scope: Scope, files: Sequence[nodes.File], places: dict[tuple[str, str], Location]) -> None:
    parents: dict[str, Location] = {}
    names: list[tuple[Source, nodes.Name]] = []
    for file in files:
        scope.source = file.source
        for node in file.declarations:
            if isinstance(node, nodes.TypeDeclaration) and _declare(scope, places, "type", node.name):
                name = node.name.text
                if name in VALUE_TYPES or name == OBJECT:
                    message = f"`{name}` is the name of a type that the language has"
                    scope.report(Code.DUPLICATE_NAME, message, node.name.span, "choose another name")
                if name != OBJECT:
                    parent = node.parent.text if node.parent else OBJECT
                    scope.types[name] = Type(name, parent, node.description.value if node.description else "")
                    if node.parent:
                        parents[name] = Location(file.source, node.parent.span)
                        names.append((file.source, node.parent))
    for source, parent_name in names:
        scope.source = source
        scope.type_name(parent_name)
    _break_cycles(scope, parents)


def _break_cycles(scope: Scope, parents: Mapping[str, Location]) -> None:
    """Report each circle of types once, where the first of them names its parent."""
    done: set[str] = set()
    for name in parents:
        path: dict[str, None] = {}
        at = name
        while at in scope.types and at not in done and at not in path:
            path[at] = None
            at = scope.types[at].parent
        if at in path:
            circle = [*path][[*path].index(at) :]
            scope.source = parents[at].source
            message = f"types go in a circle: {chain([*circle, at])}"
            scope.report(Code.TYPE_CYCLE, message, parents[at].span, "remove one of the parents")
            scope.types[at] = replace(scope.types[at], parent=OBJECT)
            scope.unread |= {*circle}
        done.update(path)


def _resolve_constants(scope: Scope, files: Sequence[nodes.File], places: dict[tuple[str, str], Location]) -> None:
    for file in files:
        scope.source = file.source
        for node in file.declarations:
            if isinstance(node, nodes.ConstantDeclaration):
                type_name = scope.type_name(node.type)
                for constant in node.names:
                    if _declare(scope, places, "constant", constant):
                        scope.constants[constant.text] = type_name


def _resolve_facts(scope: Scope, files: Sequence[nodes.File], places: dict[tuple[str, str], Location]) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    for file in files:
        scope.source = file.source
        for node in file.declarations:
            if isinstance(node, nodes.FactDeclaration) and _declare(scope, places, "fact", node.name):
                facts[node.name.text] = _fact(scope, node)
    return facts


def _fact(scope: Scope, node: nodes.FactDeclaration) -> Fact:
    traits: dict[str, nodes.Trait] = {}
    for trait in node.traits:
        if trait.word in traits:
            scope.report(Code.REPEATED_CLAUSE, f"`{trait.word}` stands twice", trait.span, "keep one of them")
        traits[trait.word] = trait
    fresh = None
    if "fresh" in traits:
        written = traits["fresh"].duration
        digits = written.rstrip("mshd")
        fresh = int(digits) * SECONDS[written[len(digits) :]]
        if fresh == 0:
            hint = "without `fresh` a value stays known until the request ends"
            scope.report(Code.NUMBER_OUT_OF_RANGE, "`fresh` must be longer than no time", traits["fresh"].span, hint)
    return Fact(
        name=node.name.text,
        parameters=scope.parameters(node.parameters),
        value=_value_type(scope, node),
        description=node.description.value if node.description else "",
        closed="closed" in traits,
        many="many" in traits,
        lasting="lasting" in traits,
        fresh=fresh,
        trusts_user="trust user" in traits,
        by_others="by others" in traits,
    )


def _value_type(scope: Scope, node: nodes.FactDeclaration) -> ValueType | None:
    if node.value is None:
        return None
    kind = node.value.text
    if kind not in VALUE_TYPES:
        if kind in scope.types:
            message = f"{quoted(kind)} is a type of entities, and a type of values is needed here"
            relation = quoted(f"fact {node.name.text}({kind})")
            scope.report(Code.UNKNOWN_VALUE_TYPE, message, node.value.span, f"as a relation: {relation}")
        else:
            otherwise = f"there are {', '.join(map(quoted, VALUE_TYPES))}"
            scope.unknown(Code.UNKNOWN_VALUE_TYPE, "type of values", node.value, [*VALUE_TYPES, *scope.types], otherwise)
        return None
    if bool(node.options) != (kind in ("enum", "schema")):
        hint = {"enum": 'list its values: `enum("open", "closed")`', "schema": 'name its file: `schema("filter.json")`'}
        message = f"`{kind}` needs brackets" if kind in hint else f"`{kind}` takes no brackets"
        scope.report(Code.UNKNOWN_VALUE_TYPE, message, node.value.span, hint.get(kind, ""))
    return ValueType(kind, tuple(option.value for option in node.options))


def _check_always_visible(scope: Scope, files: Sequence[nodes.File], names: Sequence[str], tools: Mapping[str, Tool]) -> None:
    for source, block in _blocks(scope, files, "policy"):
        scope.source = source
        for name in Clauses(Scope(source), block).names("always visible"):
            if name.text in names and name.text not in tools:
                scope.unknown(Code.UNKNOWN_ACTION, "tool", name, tools, f"declare it: {quoted(f'tool {name.text}')}")


def _check_supersession(scope: Scope, places: Mapping[tuple[str, str], Location], tools: Mapping[str, Tool]) -> None:
    """Report a circle of tools that supersede each other, at the one that was declared first."""
    try:
        TopologicalSorter(superseders(tools)).prepare()
    except CycleError as error:
        circle = set(error.args[1])
        names = [name for name in tools if name in circle]
        place = places["action", names[0]]
        scope.source = place.source
        message = f"tools supersede each other: {', '.join(map(quoted, names[:MOST_NAMED]))}"
        scope.report(Code.SUPERSESSION_CYCLE, message, place.span, "let only the newest of them supersede the others")


def _resolve_tests(
    scope: Scope, domain: Domain, blocks: Sequence[tuple[Source, nodes.Block]], places: dict[tuple[str, str], Location]
) -> tuple[Scenario, ...]:
    tests = []
    for source, block in blocks:
        scope.source = source
        if _declare(scope, places, f"test in {source.name}", block.name):
            tests.append(resolve_scenario(scope, domain, block))
    return tuple(tests)


def _stem(name: str) -> str:
    return name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".toolplan") or "domain"
