"""What `toolplan doctor` says of the packages that sessions need."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from test_cli import run


def test_doctor_reads_a_result_in_each_way() -> None:
    data = json.loads(run("doctor", "--json").stdout)
    assert {"google-re2", "jsonpath-rfc9535", "redis", "psycopg"} <= data["packages"].keys()
    assert {name: verdict.split()[0] for name, verdict in data["results"].items()} == {"paths": "works", "patterns": "works"}


@pytest.mark.parametrize(("module", "lacking"), [("re2", "patterns"), ("jsonpath_rfc9535", "paths")])
def test_doctor_says_what_cannot_be_read_without_a_package(module: str, lacking: str) -> None:
    script = f"import sys; sys.argv = ['toolplan', 'doctor']; sys.modules[{module!r}] = None\nfrom toolplan.cli import main\nmain()"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    verdicts = {line.split()[2]: line.split(maxsplit=3)[3] for line in ran.stdout.splitlines() if line.startswith("results by ")}
    assert [name for name, verdict in verdicts.items() if verdict == "not installed"] == [lacking]
    assert "pip install 'toolplan[sessions]'" in ran.stdout
