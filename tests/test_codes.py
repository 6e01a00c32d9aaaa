"""Every code has a page, and what the page says is so: the bad example gives exactly that code, the good one nothing."""

from __future__ import annotations

import re

import pytest

import toolplan
from toolplan import Diagnostic, DomainError, Limit
from toolplan.checks.lints import check_text
from toolplan.language.codes import Code, find_code

PAGE = re.compile(
    r"# (?P<title>.+)\n\n(?P<meaning>.+?)\n\nBad:\n\n(?P<bad>```.+?```)\n\nGood:\n\n(?P<good>```.+?```)(\n\nWhy: [^\n]+)?\n", re.DOTALL
)
BLOCK = re.compile(r"```(\w+)\n(.*?)\n```", re.DOTALL)
CODES = pytest.mark.parametrize("code", Code, ids=lambda code: code.number)


def blocks(code: Code, example: str) -> dict[str, str]:
    """The fenced blocks of the `bad` or `good` example on a page, by their language."""
    page = PAGE.fullmatch(code.page)
    assert page is not None
    return dict(BLOCK.findall(page[example]))


def run_call(domain_text: str, call: str) -> list[Diagnostic]:
    """What is found in a call on a domain. `call` has lines `name: value`; `forbid` and `exhausted` may stand on several."""
    lines = [line.partition(": ")[::2] for line in call.splitlines()]
    given = dict(lines)
    limit = Limit(expansions=int(given.get("expansions", 10_000)))
    try:
        toolplan.frontier(
            toolplan.loads(domain_text),
            state=given.get("state"),
            goal=given.get("goal"),
            forbid=[value for name, value in lines if name == "forbid"],
            exhausted=[value for name, value in lines if name == "exhausted"],
            mode=given.get("mode", "one"),
            engine=given.get("engine", "uniform-cost"),
            limit=limit,
        )
    except DomainError as error:
        return list(error.diagnostics)
    return []


def findings(code: Code, example: str) -> list[Code]:
    """The codes that an example gives; one that shows commands gives none."""
    parts = blocks(code, example)
    found = [finding.code for finding in check_text(parts["toolplan"]).diagnostics] if "toolplan" in parts else []
    return found + ([finding.code for finding in run_call(parts["toolplan"], parts["call"])] if "call" in parts else [])


@CODES
def test_page_has_its_shape(code: Code) -> None:
    page = PAGE.fullmatch(code.page)
    assert page is not None
    assert page["title"] == f"{code.number} {code.slug}"
    assert page["meaning"][0].isupper()
    assert page["meaning"].endswith(".")
    assert max(map(len, page["meaning"].splitlines())) <= 140
    languages = set(blocks(code, "bad"))
    assert languages == set(blocks(code, "good"))
    assert languages in ({"toolplan"}, {"toolplan", "call"}, {"console"})


@CODES
def test_codes_of_the_language_are_shown_in_it(code: Code) -> None:
    of_the_language = code.number < "TP4"
    assert (set(blocks(code, "bad")) == {"toolplan"}) == of_the_language


@CODES
def test_bad_gives_the_code(code: Code) -> None:
    assert findings(code, "bad") == [code] * ("toolplan" in blocks(code, "bad"))


@CODES
def test_good_is_clean(code: Code) -> None:
    assert findings(code, "good") == []


def test_numbers_and_names_are_unique() -> None:
    assert len({code.number for code in Code}) == len({code.slug for code in Code}) == len(Code)
    assert [code.number for code in Code] == sorted(code.number for code in Code)
    assert all(re.fullmatch(r"TP[0-6]\d\d", code.number) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code.slug) for code in Code)


@CODES
def test_codes_are_found_by_number_and_name(code: Code) -> None:
    assert find_code(code.number) is find_code(f" {code.number.lower()} ") is find_code(code.slug.upper()) is code


def test_no_code_is_found_for_another_text() -> None:
    assert find_code("TP999") is find_code("") is None
