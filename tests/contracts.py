"""What contracts say: the facts they read, where their arguments come from, and how they stand to what their server declares.

As in `chains`, what is found is returned for the tests to compare. `toolplan.checks.schemas` finds no fault with what a schema leaves
out, or with a contract that passes nothing; here the extracts in `data/mcp` have to say it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolplan.catalog import RealTool
from toolplan.domain import (
    And,
    ArgumentSource,
    AtomicFormula,
    Condition,
    Derived,
    Domain,
    Equal,
    Exists,
    ForAll,
    Items,
    Literal,
    Not,
    Or,
    Tool,
)

EXTRACTS = Path(__file__).parent / "data" / "mcp"
JSON_TYPES = {"string": str, "boolean": bool, "array": list}
"""The types of the literals that contracts pass; any other has to be added here."""


# Conditions


def atoms(condition: Condition) -> set[AtomicFormula]:
    """The atoms that `condition` asks for; those it denies are left out."""
    if isinstance(condition, And | Or):
        return set().union(*(atoms(part) for part in condition.conditions))
    return {condition} if isinstance(condition, AtomicFormula) else set()


def facts_of(condition: Condition) -> set[str]:
    """The facts that `condition` reads, whether it asks for them or denies them."""
    if isinstance(condition, Not | Exists | ForAll):
        return facts_of(condition.condition)
    if isinstance(condition, And | Or):
        return set().union(*(facts_of(part) for part in condition.conditions))
    return set() if isinstance(condition, Equal) else {condition.fact}


def used_facts(domain: Domain) -> set[str]:
    """The facts that a tool requires or that a goal speaks of."""
    wanted = [And((goal.achieves, *goal.given)) for goal in domain.goals.values()]
    return {fact for condition in (*(tool.requires for tool in domain.tools.values()), *wanted) for fact in facts_of(condition)}


# Goals


def wanted_goals(domain: Domain) -> set[str]:
    """The goals that tests want; an empty name stands for what is no goal."""
    return {wanted.goal for test in domain.tests for wanted in test.wanted}


def badly_worded(domain: Domain) -> list[str]:
    """The goals that are not described by a sentence and two to ten phrases."""
    return [goal.name for goal in domain.goals.values() if not (goal.description.endswith(".") and 2 <= len(goal.phrases) <= 10)]


# Arguments


def sources(source: ArgumentSource) -> Iterator[AtomicFormula]:
    """The atoms that an argument is made from."""
    if isinstance(source, AtomicFormula):
        yield source
    elif isinstance(source, Derived):
        yield from source.sources
    elif isinstance(source, Items):
        for item in source.items:
            yield from sources(item)


def unfounded(domain: Domain, tool: Tool) -> list[str]:
    """The arguments made from atoms that the tool does not require, or passed from a fact that has no value."""
    required = atoms(tool.requires)
    return [
        name
        for name, source in tool.interface.passes.items()
        if not set(sources(source)) <= required or (isinstance(source, AtomicFormula) and domain.facts[source.fact].value is None)
    ]


# Servers


def extract(server: str) -> dict[str, RealTool]:
    """The tools of a server by name, as its extract has them. A hint that is not set is left out."""
    listed = json.loads((EXTRACTS / f"{server}.json").read_text("utf-8"))["tools"]
    return {
        tool["name"]: RealTool(
            name=tool["name"],
            schema={"type": "object", "properties": tool["properties"], "required": tool["required"]},
            hints={hint: tool[hint] for hint in ("readOnlyHint", "destructiveHint") if hint in tool},
        )
        for tool in listed
    }


def unfit(tool: Tool, real: RealTool) -> list[str]:
    """The arguments whose literal is not of the declared type or not among the declared values, and lists that are no array there."""
    return [name for name, source in tool.interface.passes.items() if not _fits(source, real.properties[name])]


def _fits(source: ArgumentSource, schema: Mapping[str, Any]) -> bool:
    if isinstance(source, Items):
        return schema["type"] == "array"
    if not isinstance(source, Literal):
        return True
    values = source.value if isinstance(source.value, list) else [source.value]
    return isinstance(source.value, JSON_TYPES[schema["type"]]) and set(values) <= set(schema.get("items", schema).get("enum", values))
