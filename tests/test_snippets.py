"""Wrong domains and what is said of them, as golden text. TOOLPLAN_UPDATE=1 rewrites the texts; review the difference."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from toolplan.checks.lints import check
from toolplan.language.codes import Code
from toolplan.language.diagnostics import render

ROOT = Path(__file__).resolve().parents[1]
ERR = Path("tests/snippets/err")
SNIPPETS = sorted(path.relative_to(ROOT) for pattern in ("*.toolplan", "imports/*/main.toolplan") for path in (ROOT / ERR).glob(pattern))
OF_CALLS = ("TP4", "TP5", "TP607", "TP608", "TP609", "TP61")
"""Codes of states, goals, calls, planners, receipts, traces, signatures and configurations: no domain alone has them, except where a test block names a goal."""


def stated_code(snippet: Path) -> str:
    """The code in the name of a snippet, or of its folder."""
    return (snippet.parent.name if snippet.stem == "main" else snippet.stem).partition("-")[0]


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda path: str(path.relative_to(ERR)))
def test_snippet(snippet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    findings = check(str(snippet)).diagnostics
    text = "\n\n".join(render(finding) for finding in findings) + "\n"
    golden = snippet.with_suffix(".txt")
    if os.environ.get("TOOLPLAN_UPDATE"):
        golden.write_text(text, "utf-8", newline="\n")
    assert text == golden.read_text("utf-8")
    assert stated_code(snippet) in {finding.code.number for finding in findings}


def test_every_text_has_its_snippet() -> None:
    texts = {path.relative_to(ROOT) for path in (ROOT / ERR).rglob("*.txt")}
    assert texts == {snippet.with_suffix(".txt") for snippet in SNIPPETS}


def test_every_code_of_the_language_has_a_snippet() -> None:
    shown = {stated_code(snippet) for snippet in SNIPPETS}
    assert {code.number for code in Code if not code.number.startswith(OF_CALLS)} <= shown
