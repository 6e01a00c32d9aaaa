"""Contracts written from schemas: blocks of the language as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from toolplan.language import nodes, notation
from toolplan.language.source import Span


def identifier(*words: str) -> str:
    """A name for what `words` name together. The real name stands in the contract as a string, after `calls` or in `passes`."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", "_".join(words))
    return f"_{name}" if name[:1].isdigit() else name


def fact(name: str, description: str = "", value_type: str | None = None) -> str:
    """A fact that carries a value of `value_type`; without one it carries none, which is what it is to the planner."""
    declared = f"fact {name}: {value_type}" if value_type else f"fact {name}"
    return f"{declared} {_text(description)}" if description else declared


def ask(name: str, question: str, produces: str) -> str:
    """A question for a value."""
    return f"ask {name} {{ {_text(question)} produces {produces} }}"


def permission(name: str, question: str, permits: str) -> str:
    """A question for the permission to make a call."""
    return f"ask {name} {{ {_text(question)} permits {permits} }}"


def tool(
    name: str,
    calls: str,
    description: str,
    *,
    passes: Mapping[str, str],
    known: Mapping[str, str] | None = None,
    optional: Iterable[str] = (),
    after: Iterable[str] = (),
    produces: Iterable[str],
    risk: str,
) -> str:
    """A tool that requires the facts that it `passes`, by parameter, and those `after` which it comes.

    It passes those that are `known` only if they are. What is `optional` the model passes or leaves out.
    """
    requires = list(dict.fromkeys([*passes.values(), *after]))
    arguments = [f"{_text(parameter)} = {source}" for parameter, source in passes.items()]
    arguments += [f"{_text(parameter)} = {source} if known" for parameter, source in (known or {}).items()]
    arguments += [f"{_text(name)} free" for name in optional]
    clauses = [f"requires {', '.join(requires)}"] if requires else []
    clauses += [f"passes {', '.join(arguments)}"] if arguments else []
    clauses += [f"produces {', '.join(produces)}", f"risk {risk}"]
    return f"tool {name} calls {_text(calls)} {{ {_text(description)} {' '.join(clauses)} }}"


def goal(name: str, description: str, *, achieves: str, given: Iterable[str]) -> str:
    """A goal."""
    needed = ", ".join(given)
    return f"goal {name} {{ {_text(description)} achieves {achieves} {f'given {needed}' if needed else ''} }}"


def _text(value: str) -> str:
    return notation.text(nodes.Text(" ".join(value.split()), Span(0, 0)))
