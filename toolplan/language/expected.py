"""What to say of a token that does not fit, in words and without the parser."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence, Set

from toolplan.language.diagnostics import quoted
from toolplan.language.suggest import Suggester

OPERATORS = frozenset(["NOT", "OR", "FORALL", "EXISTS", "WHEN", "ONEOF"])
"""Words that are never names unless quoted."""
RESERVED = OPERATORS | {"FRONTIER", "QUESTION", "FORM", "NO", "BLOCKED"}
"""The same after `expect`; after `expect question`, that is `about`."""

SPELLING = {
    "LPAR": "`(`", "RPAR": "`)`", "LBRACE": "`{`", "RBRACE": "`}`", "LSQB": "`[`", "RSQB": "`]`",
    "COMMA": "`,`", "COLON": "`:`", "EQUAL": "`=`", "QMARK": "`?`", "COMPARES": "a comparison", "__ANON_0": "`!=`",
    "NAME": "a name", "QUOTED": "a name", "STRING": "a string", "LONG_STRING": "a string", "NUMBER": "a number",
    "DURATION": "a duration such as `10m`", "PATH": "a path such as `$.items[0].id`", "$END": "nothing more",
}  # fmt: skip
"""The terminals that are no keywords, as a person would call them."""

OPERANDS = ("NAME", "STRING", "NUMBER", "PATH", "DURATION")
MAY_END_A_CLAUSE = frozenset(
    [
        "CONFIRM",
        "IDEMPOTENT",
        "RPAR",
        "RSQB",
        "NAME",
        "QUOTED",
        "STRING",
        "LONG_STRING",
        "NUMBER",
        "PATH",
        "DURATION",
        "SAFE",
        "FREE",
        "CHOICE",
    ]
)
WORDS = frozenset(["NAME", "STRING", "LONG_STRING"])
NEEDS_MORE = frozenset(["COMMA", "COLON", "EQUAL", "LPAR", "LSQB", "COMPARES", "__ANON_0", *RESERVED, "FROM", "LBRACE"])
EQUALS = ("EQUAL", "__ANON_0")
GOES_ON = frozenset(["LPAR", *EQUALS])
"""What may follow an item that is complete without it: not worth naming."""
KINDS = {"a condition": {"NAME", "NOT", "FORALL", "EXISTS"}, "an effect": {"NAME", "FORALL", "ONEOF"}}
"""What is expected where all of these may stand."""
TAKES_A_STRING = frozenset(
    "CALLS IMPORT TEST ID SERVER VERSIONS SCOPES ROLES TENANTS ENVIRONMENTS DATA OWNER VERSION DIGEST PHRASES PATTERN REQUEST".split()
)
MOST_EXPECTED = 6
"""Things named after `expected`."""


def spell(terminal: str) -> str:
    """`terminal` as a person would call it."""
    return SPELLING.get(terminal, f"`{terminal.lower()}`")


def describe(terminal: str, text: str) -> str:
    """What was found, in words."""
    return "the end" if terminal == "$END" else quoted(text)


def message(acceptable: Set[str], clauses: Set[str], terminal: str, text: str) -> str:
    """`expected ..., found ...`; `clauses` are the words with which a clause may start here."""
    found = describe(terminal, text)
    wanted = acceptable - {"QUOTED", "LONG_STRING"}
    words = []
    if clauses and clauses <= acceptable and "RBRACE" in acceptable:
        wanted -= {*clauses, *GOES_ON}
        words = ["a clause"]
    for kind, terminals in KINDS.items():
        if terminals <= wanted:
            return f"expected {kind}, found {found}"
    if "NAME" in wanted:
        wanted = {name for name in wanted if name in SPELLING or name in OPERATORS}
    words = [spell(name) for name in sorted(wanted, key=_order)][:MOST_EXPECTED] + words
    return f"expected {_join(words)}, found {found}" if words else f"unexpected {found}"


def hint(acceptable: Set[str], before: str, terminal: str, text: str, declared: Collection[str] = ()) -> str:
    """What would mend it, where that can be told; `before` is the terminal before the one that does not fit.

    A name that is `declared` is no misspelt keyword.
    """
    if terminal == "OR" and "COMMA" in acceptable:
        return "`or` beside a comma needs brackets: `a, (b or c)`"
    if terminal == "COMMA" and "OR" in acceptable:
        return "a comma beside `or` needs brackets: `(a, b) or c`"
    if terminal == "NOT" and "ONEOF" in acceptable:
        return "what a tool takes away is listed after `removes`"
    if terminal in RESERVED and "NAME" in acceptable:
        return f"`{text}` is reserved; as a name, write it in backquotes"
    if terminal == "COMMA":
        if "NAME" in acceptable:
            return "name an item before the comma, or remove it"
        return "a fraction is written with a point: `0.5`" if before == "NUMBER" else "remove the comma"
    if terminal in ("RBRACE", "$END") and "NAME" in acceptable:
        return "name at least one item"
    if terminal == "COMPARES" or (before in EQUALS and terminal in ("STRING", "NUMBER")):
        return "conditions ask whether a fact is known; its value is compared after `checks`"
    if acceptable == {"COLON"}:
        return "a parameter is written with its type: `name: type`"
    if acceptable == {"OTHERS"}:
        return "`by others`: third parties can write its value; what the user reports is known where it says `trust user`"
    if terminal in ("NAME", "QUOTED"):
        keywords = [name for name in acceptable if name not in SPELLING and name not in OPERATORS]
        near = keyword_hint(text, keywords) if text.strip("`") not in declared else ""
        return near or ("separate items with commas" if "COMMA" in acceptable else "")
    opens = "LBRACE" in acceptable and (terminal == "STRING" or terminal not in SPELLING)
    return "clauses stand between `{` and `}`" if opens else ""


def keyword_hint(text: str, terminals: Collection[str]) -> str:
    """The keyword that was probably meant."""
    return Suggester().hint(text, sorted(name.lower() for name in terminals))


def keyword_meant(text: str, terminals: Collection[str]) -> str:
    """The one keyword of `terminals` that `text` is a slip away from, or nothing."""
    return Suggester().surely(text, sorted(name.lower() for name in terminals if name not in SPELLING and name not in OPERATORS))


def character_hint(text: str) -> str:
    """What to write instead of punctuation that is not of the language."""
    for characters, instead in PUNCTUATION.items():
        if text[0] in characters:
            return instead
    return ""


PUNCTUATION = {
    "'\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb": 'strings stand between `"`',
    ";": "clauses need no separator",
    "/-": "a comment starts with `#`",
    "!": "`not` denies a condition",
    "&": "a comma means *and*",
    "|": "alternatives are joined by `or`",
}


def word_hint(before: str, text: str) -> str:
    """What to write instead of a word that holds foreign characters; `before` is the terminal before it."""
    if before in TAKES_A_STRING:
        return "write it as a string: " + quoted(f'"{text}"')
    if re.fullmatch(r"\d{4}-\d\d-\d\d\w*", text):
        return f'write a date as a string: `"{text}"`'
    if re.fullmatch(r"[-+]?\.?\d[\d.]*(e[-+]?\d+|%)?", text, re.IGNORECASE):
        return "numbers are written like `12`, `0.5` or `-3`"
    if "@" in text or "/" in text:
        return f'write it as a string: `"{text}"`' if len(text) < 60 else "write it as a string"
    if before == "EQUAL" and "." in text:
        return f"a path into a result starts with `$`: {quoted(f'$.{text}')}"
    if text[0].isdigit():
        return "a name starts with a letter; in backquotes it may hold anything"
    return "a name holds letters, digits and `_`; in backquotes it may hold anything"


def clause_starts(kinds: Sequence[str], starts_line: Sequence[bool], clauses: Collection[str]) -> list[int]:
    """Where clauses start in the body of a block, which ends with its brace. A guess, made only after a mistake.

    A clause starts with one of `clauses` where what stands before may end one, or with any word at the start of a line, unless what
    stands before needs an operand.
    """
    starts = [0]
    depth = 0
    for at in range(1, len(kinds) - 1):
        depth += (kinds[at - 1] == "LBRACE") - (kinds[at - 1] == "RBRACE")
        before = kinds[at - 1]
        if starts_line[at]:
            opens = before not in NEEDS_MORE and kinds[at] not in NEEDS_MORE and (kinds[at] in WORDS or kinds[at] not in SPELLING)
        else:
            opens = before in MAY_END_A_CLAUSE and kinds[at] in clauses and kinds[at] not in WORDS
        if opens and depth <= 0:
            starts.append(at)
    return starts


def _join(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _order(terminal: str) -> tuple[int, str]:
    """Names first, then punctuation, other operands, keywords and the end."""
    if terminal == "$END":
        return (4, terminal)
    if terminal in OPERANDS:
        return (0 if terminal == "NAME" else 2, terminal)
    return (1 if terminal in SPELLING else 3, terminal)
