"""Whether the paths and patterns that read results are any, and have the groups they need.

What follows them is in packages that not everybody has installed; the findings must be the same without. So paths are read by a grammar of
our own, and of patterns may be used what both Python and RE2 read, as authors can try it out.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import resources

from lark import Lark
from lark.exceptions import UnexpectedInput

from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.language.resolve import Resolved
from toolplan.language.source import Location, Source, Span
from toolplan.session.results.patterns import group_for

MOST_REPETITIONS = 1000
"""The most that RE2 counts to."""
FOREIGN = re.compile(
    r"""
      (?P<lookaround> \(\?<?[=!] )
    | (?P<backreference> \\[1-9] | \(\?P= | \(\?\( )
    | (?P<comment> \(\?\# )
    | (?P<atom> \(\?> | (?:[*+?]|\{\d*,?\d*\})\+ )
    | (?P<flag> \(\?[a-zA-Z]*[aLux] )
    | (?P<escape> \\[ZuUN] | \[\^?\]?(?:\\.|[^\]\\])*?\\[b1-9uUN](?:\\.|[^\]\\])*\] )
    | (?P<repetition> \{(?:,\d+|\d*,?(?:[1-9]\d{3,})(?:,\d*)?)\} )
    | \[\^?\]?(?:\\.|[^\]\\])*\] | \\.
    """,
    re.VERBOSE | re.DOTALL,
)
"""What Python reads and RE2 does not, by the name of the group; what a class or an escape holds is none of it."""
FOREIGN_WORDS = {
    "lookaround": "looks around",
    "backreference": "refers back to a group",
    "comment": "holds a comment",
    "atom": "forbids to go back",
    "flag": "sets a flag",
    "escape": "holds an escape",
    "repetition": f"does not count from 0 to at most {MOST_REPETITIONS}",
}
"""What is said of each."""


def unreadable_results(resolved: Resolved) -> Iterator[Diagnostic]:
    """Paths and patterns of `returns` and `fails when` that cannot be read, and patterns whose groups do not say which is the value."""
    for file in resolved.files:
        for block in file.declarations:
            if isinstance(block, nodes.Block) and block.kind == "tool":
                yield from _of_tool(block, file.source)


def _of_tool(block: nodes.Block, source: Source) -> Iterator[Diagnostic]:
    key = ("action", block.name.text) if isinstance(block.name, nodes.Name) else None
    for clause in block.clauses:
        for value in clause.values:
            read = value.reader if isinstance(value, nodes.Returning) else value if clause.word == "fails when" else None
            if isinstance(read, nodes.PathText) and (at := path_error(read.text)) is not None:
                start = min(read.span.start + at, read.span.end - 1)
                place = Location(source, Span(start, read.span.end))
                yield Diagnostic(Code.BAD_PATH, f"{quoted(read.text)} is no JSONPath", place, "as in RFC 9535: `$.items[*].id`", block=key)
            elif isinstance(read, nodes.Text) and isinstance(value, nodes.Returning):
                yield from _of_pattern(read, value.atom.name.text, Location(source, read.span), key)


def _of_pattern(read: nodes.Text, fact: str, place: Location, key: tuple[str, str] | None) -> Iterator[Diagnostic]:
    regex = readable_pattern(read.value)
    if isinstance(regex, str):
        yield Diagnostic(Code.BAD_PATTERN, f"{quoted(read.value)} is no pattern: {regex}", place, block=key)
    elif group_for(fact, regex.groupindex) is None:
        message = f"which group holds {quoted(fact)}? there are {', '.join(map(quoted, regex.groupindex))}"
        yield Diagnostic(Code.MISSING_GROUP, message, place, f"name it `(?P<{fact}>...)`", block=key)


def path_error(text: str) -> int | None:
    """Where `text` ceases to be a path of RFC 9535; None where it is one."""
    try:
        _paths().parse(text)
    except UnexpectedInput as error:
        return error.pos_in_stream if error.pos_in_stream is not None and error.pos_in_stream >= 0 else len(text)
    return None


def readable_pattern(text: str) -> re.Pattern[str] | str:
    """The pattern `text`, or what is wrong with it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            regex = re.compile(text)
    except RecursionError:
        return "it is nested too deep"
    except (re.error, OverflowError) as error:
        return str(error)
    for match in FOREIGN.finditer(text):
        if match.lastgroup:
            return f"{quoted(match[0])} {FOREIGN_WORDS[match.lastgroup]}, which RE2 cannot read"
    return regex


@cache
def _paths() -> Lark:
    grammar = resources.files("toolplan.grammar").joinpath("jsonpath.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", lexer="contextual")
