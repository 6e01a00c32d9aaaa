"""What in a tool reads as if it were meant for the model rather than for people, or passes for another tool.

These are signs for a person who reviews, found by rules that can be read. That nothing is found proves nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from toolplan.catalog import RealTool
from toolplan.language.alphabets import disguised, invisible, named
from toolplan.language.diagnostics import quoted
from toolplan.language.lint.risks import harmful_verb
from toolplan.language.suggest import is_slip

OF_TOOL = r"\b(?:this|the following|my) (?:tool|function|server)\b"
ORDERS: Mapping[str, re.Pattern[str]] = {
    sign: re.compile("|".join(patterns))
    for sign, patterns in {
        "gives orders to the model": (
            r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|other|system|all|any|your)\b"
            r".{0,30}\b(?:instructions?|rules?|prompts?|guidelines?|directions?|context|messages?|polic(?:y|ies)|tools?)\b",
            r"\bnew (?:system )?instructions?\b",
            r"\byou are now\b",
            r"\bsystem (?:prompt|override)\b",
            r"<\s*/?\s*(?:important|system|instructions?|assistant|secret|hidden|admin)\b[^>]{0,40}>",
            r"\[\s*/?\s*(?:system|inst|important)\s*\]|<\|[a-z_]+\|>",
        ),
        "asks to be preferred to other tools": (
            rf"\b(?:always|only|first)\b.{{0,20}}\b(?:use|call|invoke|choose|prefer|select|pick|run)\b.{{0,20}}{OF_TOOL}",
            rf"{OF_TOOL}.{{0,20}}\b(?:must|should|has to|needs to)\b.{{0,20}}\b(?:first|always|before (?:any|all|every))\b",
            rf"\b(?:use|call|invoke|prefer|run)\b.{{0,10}}{OF_TOOL}.{{0,20}}\b(?:first|always|before (?:any|all|every)|over (?:any|all|every))\b",
            r"\b(?:instead of|rather than|in place of|before|over)\b.{0,12}\b(?:any|all|every|the)\b.{0,12}\bother (?:tools?|functions?|servers?)\b",
            r"\b(?:never|do not|don't|must not|stop)\b.{0,20}\b(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing))\b.{0,20}\bother (?:tools?|functions?)\b",
        ),
        "wants something kept from the user": (
            r"\b(?:do not|don't|never|without|must not|no need to)\b.{0,20}"
            r"\b(?:tell|mention|inform|notify|reveal|show|alert|ask|warn)(?:ing)?\b.{0,24}\b(?:users?|humans?|anyone|anybody)\b",
        ),
        "asks for secrets": (
            r"\b(?:pass|send|include|attach|append|put|supply|reveal|leak|upload|read|copy)\b.{0,60}"
            r"(?:\bpasswords?\b|\bprivate keys?\b|\bsecret keys?\b|\bcredentials\b|\bssh keys?\b|\.ssh\b|\bid_rsa\b|(?<!\w)\.env\b|/etc/passwd"
            r"|\b(?:conversation|chat) history\b|\bwhole conversation\b)",
        ),
    }.items()
}
"""What a description says of that kind, in lower case and with single blanks."""
ERASING = frozenset("delete destroy drop erase overwrite purge truncate wipe".split())
"""Verbs of what cannot be called not destructive."""
DIGITS = str.maketrans("0135", "oles")
"""Digits that look like letters."""
COMPOUND = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+")
"""What can only be the name of a tool."""
TOKEN = re.compile(r"[\w.-]+")
WORD = re.compile(r"\w+")
LEAST_WORDS = 6
"""Different words of a description from which on it is one of its own."""
ALIKE = 0.8
"""The share of words from which on two descriptions say the same."""


def suspicions(tool: RealTool, others: Sequence[RealTool]) -> Iterator[str]:
    """What is odd about `tool`, each as the end of a sentence that its name begins. `others` are tools of other servers."""
    texts = list(_texts(tool))
    for text in (tool.name, *texts):
        if (hidden := invisible(text)) is not None:
            yield f"holds an invisible character: {named(hidden)}"
            break
    for text in (tool.name, *texts):
        if (mixed := disguised(text)) is not None:
            yield f"mixes alphabets in {quoted(mixed[0])}: {named(mixed[1])} looks like a Latin letter"
            break
    plain = [_plain(text) for text in texts]
    for sign, pattern in ORDERS.items():
        found = next(filter(None, map(pattern.search, plain)), None)
        if found is not None:
            yield f"{sign}: {quoted(found[0])}"
    yield from _against_its_name(tool)
    yield from _like_others(tool, others)


def _texts(tool: RealTool) -> Iterator[str]:
    """All that a model reads of a tool but its name: the description, and every name and text in its schema and hints."""
    waiting: list[object] = [tool.description, tool.schema, tool.hints]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            waiting += [*value, *value.values()]
        elif isinstance(value, list | tuple):
            waiting += value


def _plain(text: str) -> str:
    """`text` as it is compared: wide and ornate letters as plain ones, nothing invisible, single blanks."""
    seen = "".join(character for character in unicodedata.normalize("NFKC", text) if unicodedata.category(character) != "Cf")
    return " ".join(seen.casefold().replace("\u2019", "'").split())


def _shape(name: str) -> str:
    """`name` with digits as the letters for which they pass."""
    return _plain(name).translate(DIGITS)


def _against_its_name(tool: RealTool) -> Iterator[str]:
    """Hints that say less of the tool than its name does."""
    verb = harmful_verb(tool.name)
    if verb and tool.hints.get("readOnlyHint") is True:
        yield f"says that it only reads, and is called {quoted(verb)}"
    elif verb in ERASING and tool.hints.get("destructiveHint") is False:
        yield f"says that it destroys nothing, and is called {quoted(verb)}"


def _like_others(tool: RealTool, others: Sequence[RealTool]) -> Iterator[str]:
    """Where it passes for a tool of another server, or speaks of one."""
    spoken = {token.strip(".-") for token in TOKEN.findall(tool.description)}
    said = set(WORD.findall(_plain(tool.description)))
    for other in others:
        shown = quoted(f"{other.origin}.{other.name}")
        if other.name == tool.name:
            yield f"has the name of {shown}"
        elif _shape(tool.name) == _shape(other.name) or is_slip(_plain(tool.name), _plain(other.name)):
            yield f"has nearly the name of {shown}"
        if other.name in spoken and COMPOUND.fullmatch(other.name):
            yield f"speaks of {shown}, a tool of another server"
        theirs = set(WORD.findall(_plain(other.description)))
        if min(len(said), len(theirs)) >= LEAST_WORDS and len(said & theirs) >= ALIKE * len(said | theirs):
            yield f"describes itself as {shown} does"
