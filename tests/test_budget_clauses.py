"""The budget in a policy: every rule of it, what is wrong with a number, and what of it never comes to anything."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from toolplan.checks.lints import check_text
from toolplan.domain import NO_BUDGET, Budget, Domain, HighRisk, Stopping, Widening
from toolplan.language.codec import codec_of
from toolplan.language.formatter import format_source
from toolplan.language.loading import load, loads
from toolplan.language.source import Source
from toolplan.session.snapshots import digest_of

TOOLS = "fact found  tool find { produces found risk read }  goal find_it { achieves found }"
EXAMPLE = """
  uncontracted explore
  always visible find
  budget 4 to 12
  widen when score < 0.72, margin < 0.08, no capability, no choice, collision > 0.9, failures > 1
  stop after 2 rounds, 6000 tokens, 2500ms
  high risk 5, exact capability, confirm
"""


def with_policy(clauses: str) -> str:
    return f"{TOOLS}\npolicy {{ {clauses} }}"


def budget(clauses: str) -> Budget:
    return loads(with_policy(clauses)).policy.budget


def found(clauses: str) -> list[tuple[str, str]]:
    """The findings of a policy, with what is underlined."""
    text = with_policy(clauses)
    findings = check_text(text).diagnostics
    assert all(finding.location for finding in findings)
    return [(it.code.number, text[it.location.span.start : it.location.span.end]) for it in findings if it.location]


def test_every_rule_of_a_budget_is_a_field() -> None:
    assert budget(EXAMPLE) == Budget(
        initial=4,
        maximum=12,
        widen=Widening(Fraction("0.72"), Fraction("0.08"), Fraction("0.9"), 1, missing_capability=True, empty_choice=True),
        stop=Stopping(2, 6_000, 2_500),
        high_risk=HighRisk(5, exact_capability=True, confirm=True),
    )
    assert found(EXAMPLE) == []


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("", NO_BUDGET),
        ("budget 5", Budget(5, 5)),
        ("budget 5 to 5", Budget(5, 5)),
        ("budget 1 to 2", Budget(1, 2)),
        ("budget 8.0", Budget(8, 8)),
        ("widen when no choice", Budget(15, 15, Widening(empty_choice=True))),
        ("widen when score < 1, collision > 0", Budget(15, 15, Widening(Fraction(1), collision=Fraction(0)))),
        ("widen when failures > 0", Budget(15, 15, Widening(failed_attempts=0))),
        ("stop after 1 round", Budget(15, 15, stop=Stopping(rounds=1))),
        ("stop after 2s", Budget(15, 15, stop=Stopping(latency=2_000))),
        ("stop after 1m, 3 rounds", Budget(15, 15, stop=Stopping(rounds=3, latency=60_000))),
        ("high risk confirm", Budget(15, 15, high_risk=HighRisk(confirm=True))),
        ("high risk exact capability, 3", Budget(15, 15, high_risk=HighRisk(3, exact_capability=True))),
    ],
)
def test_what_is_not_said_has_its_default(clauses: str, expected: Budget) -> None:
    assert budget(clauses) == expected


@pytest.mark.parametrize(
    ("clauses", "wrong"),
    [
        ("budget 12 to 4", [("TP202", "12 to 4")]),
        ("budget 0", [("TP202", "0")]),
        ("budget -1 to 4", [("TP202", "-1")]),
        ("budget 2.5", [("TP202", "2.5")]),
        ("widen when score < 1.1", [("TP202", "1.1")]),
        ("widen when margin < -0.1", [("TP202", "-0.1")]),
        ("widen when collision > 72", [("TP202", "72")]),
        ("widen when failures > 0.5", [("TP202", "0.5")]),
        ("widen when failures > -1", [("TP202", "-1")]),
        ("widen when score > 0.7", [("TP203", "score > 0.7")]),
        ("widen when score <= 0.7", [("TP203", "score <= 0.7")]),
        ("widen when collision < 0.7", [("TP203", "collision < 0.7")]),
        ("widen when scre < 0.7", [("TP203", "scre")]),
        ("widen when score < 0.7, score < 0.8", [("TP201", "score < 0.8")]),
        ("widen when no choice, no choice", [("TP201", "no choice")]),
        ("widen when no tools", [("TP001", "tools")]),
        ("widen when score 0.7", [("TP001", "0.7")]),
        ("widen when", [("TP001", "}")]),
        ("stop after 0 rounds", [("TP202", "0 rounds")]),
        ("stop after -1 tokens", [("TP202", "-1 tokens")]),
        ("stop after 1.5 tokens", [("TP202", "1.5 tokens")]),
        ("stop after 0ms", [("TP202", "0ms")]),
        ("stop after 2500 ms", [("TP203", "ms")]),
        ("stop after 2 rounts", [("TP203", "rounts")]),
        ("stop after 2 rounds, 1 round", [("TP201", "1 round")]),
        ("stop after 1s, 2s", [("TP201", "2s")]),
        ("stop after 2", [("TP001", "}")]),
        ("stop when 2 rounds", [("TP001", "when")]),
        ("high risk 0", [("TP202", "0")]),
        ("high risk 3, 4", [("TP201", "4")]),
        ("high risk confirm, confirm", [("TP201", "confirm")]),
        ("high risk exact match", [("TP001", "match")]),
        ("budget 4 budget 5", [("TP201", "budget")]),
        ("widen when no choice widen when no capability", [("TP201", "widen when")]),
    ],
)
def test_what_is_wrong_is_underlined(clauses: str, wrong: list[tuple[str, str]]) -> None:
    assert [finding for finding in found(clauses) if finding[0] < "TP3"] == wrong


@pytest.mark.parametrize(
    ("clauses", "hint"),
    [
        ("widen when scre < 0.7", "did you mean `score`?"),
        ("widen when score > 0.7", "write `score < 0.7`"),
        ("stop after 2500 ms", "write `2500ms`"),
        ("stop after 2 tokns", "did you mean `tokens`?"),
        ("budget 12 to 4", "write `4 to 12`"),
    ],
)
def test_what_was_meant_is_said(clauses: str, hint: str) -> None:
    assert check_text(with_policy(clauses)).diagnostics[0].hint == hint


# What comes to nothing


@pytest.mark.parametrize(
    ("clauses", "idle"),
    [
        ("budget 4 to 12", ["budget 4 to 12"]),
        ("high risk 5", ["high risk 5"]),
        ("uncontracted explore budget 4 to 12", ["budget 4 to 12"]),
        ("uncontracted explore budget 4 to 12 widen when no choice", []),
        ("uncontracted explore budget 4", []),
        ("uncontracted explore budget 4 widen when no choice", ["widen when no choice"]),
        ("uncontracted explore budget 4 to 12 widen when no choice stop after 1 round", ["stop after 1 round"]),
        ("uncontracted explore budget 4 high risk 5", ["high risk 5"]),
        ("uncontracted explore budget 4 high risk 4", []),
        ("uncontracted explore stop after 2500ms", []),
    ],
)
def test_a_setting_that_changes_nothing_is_noted(clauses: str, idle: list[str]) -> None:
    assert found(clauses) == [("TP330", text) for text in idle]


def test_a_contract_without_an_effect_is_only_ever_searched_for() -> None:
    text = with_policy("budget 4") + " tool look { risk read }"
    assert "TP330" not in [finding.code.number for finding in check_text(text).diagnostics]


# Where it goes


def test_each_setting_is_inherited_by_itself(tmp_path: Path) -> None:
    (tmp_path / "base.toolplan").write_text("policy { budget 4 to 12 widen when no choice high risk 5 }")
    (tmp_path / "own.toolplan").write_text(f'import "base.toolplan" {TOOLS} policy {{ high risk 2, confirm }}')
    assert load(tmp_path / "own.toolplan").policy.budget == Budget(4, 12, Widening(empty_choice=True), high_risk=HighRisk(2, confirm=True))


def test_two_imports_that_disagree_are_reported(tmp_path: Path) -> None:
    (tmp_path / "one.toolplan").write_text("policy { budget 4 }")
    (tmp_path / "two.toolplan").write_text("policy { budget 5 }")
    text = f'import "one.toolplan" import "two.toolplan" {TOOLS}'
    assert [finding.code.number for finding in check_text(text, directory=tmp_path).diagnostics][:1] == ["TP605"]


def test_another_budget_is_another_domain() -> None:
    texts = [with_policy(clauses) for clauses in ("", "budget 4", EXAMPLE, EXAMPLE.replace("0.72", "0.73"))]
    assert len({digest_of(loads(text)) for text in texts}) == len(texts)


def test_it_is_read_again_as_it_was_written() -> None:
    text = with_policy(EXAMPLE)
    codec = codec_of(Domain)
    domain = loads(text)
    again = codec.decode(codec.encode(domain))
    assert again.policy == domain.policy
    assert loads(format_source(Source("x", text))).policy == domain.policy


def test_a_unit_that_is_a_word_of_the_language_stays_a_name() -> None:
    text = "policy {\n  stop after 0 `allow`, 2 rounds\n}\n"
    assert format_source(Source("<policy>", text)) == text
