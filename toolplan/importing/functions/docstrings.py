"""What a docstring says of a function and its parameters, in the styles of Google, NumPy and Sphinx."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

SECTION = re.compile(r"^(?:Args|Arguments|Parameters|Params|Returns?|Raises|Yields|Examples?|Notes?):?\s*$|^:\w+", re.MULTILINE)
GOOGLE = re.compile(r"^(?:Args|Arguments|Params|Parameters):\s*\n((?:[ \t]+\S.*\n?|\s*\n)+)", re.MULTILINE)
GOOGLE_ITEM = re.compile(r"^(\s+)\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s*(.*(?:\n\1\s+\S.*)*)", re.MULTILINE)
NUMPY = re.compile(r"^Parameters\s*\n-{3,}\s*\n((?:.*\n?)*?)(?=^\w+\s*\n-{3,}|\Z)", re.MULTILINE)
NUMPY_ITEM = re.compile(r"^\*{0,2}(\w+)\s*(?::.*)?\n((?:[ \t]+\S.*\n?)+)", re.MULTILINE)
SPHINX = re.compile(r"^:param\s+(?:[^:\n]*\s)?(\w+):\s*(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)


class Docstring(NamedTuple):
    """What a function does, and what its parameters are."""

    description: str
    parameters: Mapping[str, str]


def docstring_of(function: Callable[..., Any]) -> Docstring:
    """The docstring of `function`, taken apart."""
    text = inspect.getdoc(function) or ""
    found = SECTION.search(text)
    described: dict[str, str] = {}
    if google := GOOGLE.search(text):
        described |= {item[2]: item[3] for item in GOOGLE_ITEM.finditer(google[1])}
    if numpy := NUMPY.search(text):
        described |= {item[1]: item[2] for item in NUMPY_ITEM.finditer(numpy[1])}
    described |= {item[1]: item[2] for item in SPHINX.finditer(text)}
    parameters = {name: " ".join(words.split()) for name, words in described.items()}
    return Docstring(text[: found.start() if found else None].strip(), parameters)
