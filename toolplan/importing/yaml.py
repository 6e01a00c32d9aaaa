"""YAML as far as JSON could say it: what OpenAPI allows, which are the scalars of the JSON schema of YAML 1.2."""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import Any

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.source import Location, Source, Span

TAG = "tag:yaml.org,2002:"
DIGITS = "-0123456789"
SCALARS = (
    ("bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), "tTfF"),
    ("int", re.compile(r"-?(?:0|[1-9][0-9]*)\Z"), DIGITS),
    ("float", re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?\Z"), DIGITS),
)
"""What is written like this is no text; and how it begins. Python writes its truths with a capital, and people write them into YAML."""
FEW, MOST_TIMES = 1_000_000, 10
"""How large a document may be once its aliases are written out: so many nodes and characters, and so many times its length."""
KEPT = frozenset([f"{TAG}null", f"{TAG}merge"])
"""What YAML 1.1 takes for no text and JSON does, too, or people use. `no`, `on`, `010`, `1_000`, `10:30` and `2026-12-01` stay texts."""


def read_yaml(name: str, text: str) -> Any:
    """What stands in `text`, which findings call `name`. Raises DomainError where JSON could not say it, or PyYAML is not installed."""
    try:
        yaml: Any = import_module("yaml")
    except ImportError:
        message, hint = f"{quoted(name)} is YAML, which takes PyYAML to read", "`pip install pyyaml`, or save it as JSON"
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, message, None, hint)]) from None

    try:
        loader = _loader(yaml)(text)
        tree = loader.get_single_node()
        if not _is_bounded(tree, FEW + MOST_TIMES * len(text)):
            raise ValueError("too large")
        # JSON has no other keys than texts.
        return json.loads(json.dumps(loader.construct_document(tree) if tree else None, allow_nan=False))
    except (yaml.YAMLError, RecursionError, TypeError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        at = mark.index if mark else 0
        location = Location(Source(name, text), Span(at, at + 1))
        raise DomainError([Diagnostic(Code.BAD_JSON, "the document is no YAML that JSON could say", location)]) from None


def _is_bounded(tree: Any, most: int) -> bool:
    """Whether the nodes of `tree`, with what aliases stand for in the place of each, and their characters are at most so many."""
    left = [tree] if tree else []
    size = 0
    while left and size <= most:
        value = left.pop().value
        size += len(value)
        if not isinstance(value, str):
            left += [node for item in value for node in (item if isinstance(item, tuple) else (item,))]
    return size <= most


def _loader(yaml: Any) -> Any:
    """The safe loader of PyYAML, with the scalars of JSON."""
    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    resolvers = {key: [(tag, form) for tag, form in known if tag in KEPT] for key, known in base.yaml_implicit_resolvers.items()}
    for kind, form, first in SCALARS:
        for character in first:
            resolvers.setdefault(character, []).append((TAG + kind, form))
    return type("Loader", (base,), {"yaml_implicit_resolvers": resolvers})
