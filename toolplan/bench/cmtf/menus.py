"""Which tools a method shows at a step (the paper's table 3), and how they are put before a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import toolplan
from toolplan.bench.cmtf.environment import World
from toolplan.bench.runs.menus import Menu, facts_in, likest, put, words
from toolplan.domain import ArgumentSource, AtomicFormula, Derived, Domain, Free, Performer
from toolplan.exposure.declarations import Declaration, schema_of
from toolplan.frontier import Act

PARTS = ("calendar", "email", "files", "contacts", "authorization", "distractors")
"""The domains that the workspace imports: each of its tools belongs to the first that has it."""


Method = Callable[[World], tuple[str, ...]]


def _all(world: World) -> tuple[str, ...]:
    return _called(world.domain)


def _keyword(count: int) -> Method:
    def method(world: World) -> tuple[str, ...]:
        context = " ".join([world.task.request, *world.values])
        return likest(_metadata(world.domain), _called(world.domain), context, count)

    return method


def _state_aware(world: World) -> tuple[str, ...]:
    return tuple(name for name in _called(world.domain) if world.can(name))


def _full_path(world: World) -> tuple[str, ...]:
    planned = toolplan.plan(world.domain, state=world.state, goal=world.task.goal)
    return tuple(dict.fromkeys(step.action for step in planned.steps if step.action in world.domain.tools))


def _frontier(world: World) -> tuple[str, ...]:
    now = toolplan.frontier(world.domain, state=world.state, goal=world.task.goal)
    return now.tools if isinstance(now.decision, Act) else ()


METHODS: Mapping[str, Method] = {
    "all": _all,
    "keyword-5": _keyword(5),
    "keyword-10": _keyword(10),
    "state-aware": _state_aware,
    "full-path": _full_path,
    "frontier": _frontier,
}
"""By the names of the paper, in its order; `frontier` is CMTF."""
ALL_ARGUMENTS, OPEN_ARGUMENTS = "all", "open"


def shown_by(method: str, world: World) -> tuple[str, ...]:
    """The tools that `method` shows, without those that are always visible."""
    always = world.domain.policy.always_visible
    return tuple(name for name in METHODS[method](world) if name not in always)


def menu(domain: Domain, shown: Sequence[str], strategy: str, asked: str = ALL_ARGUMENTS) -> Menu:
    """The tools `shown`, as `strategy` puts them. Those that are always visible stand behind them, whatever the method.

    Of a tool's arguments the model is asked for all, or only for those that a gate does not fill in (`asked`).
    """
    return put(_declarations(domain, asked), shown, domain.policy.always_visible, strategy)


@cache
def _called(domain: Domain) -> tuple[str, ...]:
    return tuple(name for name, tool in domain.tools.items() if tool.performer is Performer.CALL)


@cache
def _declarations(domain: Domain, asked: str) -> dict[str, Declaration]:
    """All tools, with the arguments that are asked for."""
    return {name: Declaration(name, domain.tools[name].description, _schema(domain, name, asked)) for name in _called(domain)}


def _schema(domain: Domain, name: str, asked: str) -> Mapping[str, object]:
    contract = domain.tools[name]
    schema = schema_of(domain, [contract])
    properties, passes = schema["properties"], contract.interface.passes
    assert isinstance(properties, Mapping)
    left = {key: kind for key, kind in properties.items() if asked == ALL_ARGUMENTS or isinstance(passes[key], Derived | Free)}
    described = {key: {"type": "string"} | kind | _description(domain, passes[key]) for key, kind in left.items()}
    return {**schema, "properties": described, "required": list(described)}


def _description(domain: Domain, source: ArgumentSource) -> Mapping[str, object]:
    """What an argument is, with the name under which its value is known."""
    if not isinstance(source, AtomicFormula):
        return {}
    text = domain.facts[source.fact].description
    return {"description": f"{text} ({source.fact})".strip()}


@cache
def _metadata(domain: Domain) -> dict[str, frozenset[str]]:
    """The words of each tool's name, description, domain, required and produced facts."""
    parts = {name: part for part in reversed(PARTS) for name in toolplan.load(part).tools}
    return {
        name: words(
            " ".join([name, tool.description, parts.get(name, ""), *facts_in(tool.requires), *(str(e.atom) for e in tool.produces)])
        )
        for name, tool in domain.tools.items()
    }
