"""Whatever is thrown at the front end, it answers with a domain or with findings. 5,000 inputs here; `make nightly` throws 200,000."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from toolplan import DomainError, loads
from toolplan.language.formatter import format_file
from toolplan.language.loading import check_text
from toolplan.language.parser import parse, parse_condition, parse_statements
from toolplan.language.source import Source
from toolplan.language.tables import _lark, keywords

INPUTS = int(os.environ.get("TOOLPLAN_FUZZ", "5000"))
DOMAINS = [path.read_text("utf-8") for path in sorted((Path(__file__).parent.parent / "domains").glob("*.toolplan"))]
SNIPPETS = [path.read_text("utf-8") for path in sorted((Path(__file__).parent / "snippets" / "ok").glob("*.toolplan"))]

SAMPLES = {
    "NAME": ["a", "b", "file", "x1", "not_a", "T"],
    "QUOTED": ["`a b`", "`not`", "`名`"],
    "STRING": ['"text"', '"\\u{1f600}"', '""'],
    "LONG_STRING": ['"""a\nb"""'],
    "NUMBER": ["0", "1", "-1", "0.5", "1000000000000000000000"],
    "DURATION": ["10m", "0s", "5d"],
    "PATH": ["$.a[0].b", "$", '$["x y"]'],
    "COMPARES": ["<=", ">"],
    "OPEN_STRING": ['"open'],
    "OPEN_NAME": ["`open"],
    "BAD_NUMBER": ["1x"],
    "BAD": ["§", ";", "\x00", "\u202e"],
}
PUNCTUATION = {"LPAR": "(", "RPAR": ")", "LBRACE": "{", "RBRACE": "}", "LSQB": "[", "RSQB": "]", "COMMA": ",", "COLON": ":"}
PUNCTUATION |= {"EQUAL": "=", "QMARK": "?", "__ANON_0": "!="}
WORDS = [*keywords(), *PUNCTUATION.values(), *(text for texts in SAMPLES.values() for text in texts), "# comment\n", "\n", "  "]


def derived(rng: Random) -> str:
    """A text that the grammar derives, or nearly: some tokens are dropped or doubled."""
    tokens: list[str] = []
    for _ in range(rng.randint(1, 4)):
        _derive(rng, "declaration", tokens, 12)
    if rng.random() < 0.4:
        at = rng.randrange(len(tokens))
        tokens[at : at + 1] = rng.choice([[], [tokens[at]] * 2, [rng.choice(WORDS)]])
    return " ".join(tokens)


def _derive(rng: Random, symbol: str, tokens: list[str], depth: int) -> None:
    rules = RULES[symbol]
    rule = min(rules, key=len) if depth <= 0 else rng.choice(rules)
    for part in rule:
        if part in RULES:
            _derive(rng, part, tokens, depth - 1)
        else:
            tokens.append(PUNCTUATION.get(part) or (rng.choice(SAMPLES[part]) if part in SAMPLES else part.lower()))


def _rules() -> dict[str, list[list[str]]]:
    rules: dict[str, list[list[str]]] = {}
    for rule in _lark().rules:
        rules.setdefault(rule.origin.name, []).append([symbol.name for symbol in rule.expansion])
    return rules


RULES = _rules()


def soup(rng: Random) -> str:
    """Words of the language in no order."""
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 60)))


def mutated(rng: Random) -> str:
    """A stretch of a real domain with some characters or stretches changed."""
    text = rng.choice(DOMAINS + SNIPPETS)
    start = rng.randrange(len(text))
    text = text[start : start + rng.randint(1, 800)]
    for _ in range(rng.randint(1, 6)):
        at, length = rng.randrange(len(text) + 1), rng.randint(0, 12)
        text = (
            text[:at]
            + rng.choice(["", rng.choice(WORDS), text[at : at + length] * 2, chr(rng.choice([rng.randrange(256), rng.randrange(0x11000)]))])
            + text[at + length :]
        )
    return text


def garbage(rng: Random) -> str:
    """Bytes, read as whatever they are."""
    return rng.randbytes(rng.randint(0, 200)).decode("utf-8", rng.choice(["replace", "ignore", "surrogateescape"]))


@pytest.mark.parametrize("make", [derived, soup, mutated, garbage], ids=lambda make: make.__name__)
def test_no_text_does_more_than_be_refused(make: Callable[[Random], str]) -> None:
    for seed in range(INPUTS // 4):
        text = make(Random(seed))
        findings = check_text(text).diagnostics
        assert all(str(finding) for finding in findings)
        try:
            loads(text)
        except DomainError as error:
            assert error.diagnostics
        file, unread = parse(Source("<fuzz>", text))
        if not unread:
            again = parse(Source("<fuzz>", format_file(file)))[0]
            assert again.declarations == file.declarations
            assert [comment.text.rstrip() for comment in again.comments] == [comment.text.rstrip() for comment in file.comments]
        for read in (parse_condition, parse_statements):
            try:
                read(Source("<fuzz>", text))
            except DomainError as error:
                assert error.diagnostics


HOSTILE = [
    "(" * 100_000,
    "tool t { requires " + "(" * 50_000 + "a" + ")" * 50_000 + " }",
    "tool t { requires " + "not " * 25_000 + "a }",
    "tool t { returns a = $" + "[" * 100_000 + " }",
    "tool t { returns a = $" + '["x' * 30_000 + " }",
    'fact a "' + "\\" * 100_000,
    '"""' + '""\\' * 30_000,
    "`" + "a" * 100_000,
    "fact " + "a" * 100_000,
    "tool t { cost " + "9" * 100_000 + " }",
    "fact a\n" * 15_000,
    "tool t { requires " + ", ".join(f"nme_{number}" for number in range(9_000)) + " }",
    "fact name_0 fact name_1\n" + "\n".join(f"tool t{number} {{ requires nme_{number % 7} }}" for number in range(3_000)),
    "{" * 50_000 + "}" * 50_000,
    "tool t {" * 12_000,
    "# " + "x" * 100_000,
    "\u202e" * 100_000,
    "a," * 50_000,
]


def test_hostile_texts_of_100_kb_end(tmp_path: Path) -> None:
    """In a process of its own, which is given up on after two minutes for all of them: what backtracks would take years."""
    script = (
        "import sys, json\nfrom toolplan.language.loading import check_text\nfor text in json.load(open(sys.argv[1])): check_text(text)"
    )
    (tmp_path / "texts.json").write_text(json.dumps(HOSTILE))
    run = subprocess.run([sys.executable, "-c", script, str(tmp_path / "texts.json")], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr[-2000:]
