"""`toolplan` as it is typed: in this process, where most of its time is not spent on imports, or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

from click.testing import Result
from typer.testing import CliRunner

from toolplan.cli import app


class Ran(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def run(*arguments: str, cwd: Path | None = None, text: str | bytes | None = None, **environment: str) -> Ran:
    """Runs the command here. What nobody catches is raised: it would be a traceback of ours."""
    ran = _invoked(arguments, cwd or Path.cwd(), text, environment)
    return Ran(ran.exit_code, ran.stdout_bytes.decode("utf-8"), ran.stderr_bytes.decode("utf-8"))


def printed(*arguments: str, cwd: Path) -> str:
    """What the command prints when it runs here: both streams, as on a terminal."""
    return _invoked(arguments, cwd, None, {}).output


def run_alone(*arguments: str, cwd: Path | None = None, text: str | None = None, **environment: str) -> Ran:
    """Runs the command in a process of its own."""
    command = [sys.executable, "-m", "toolplan", *arguments]
    ran = subprocess.run(
        command, capture_output=True, encoding="utf-8", cwd=cwd, input=text, env={**os.environ, **environment}, timeout=120
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def _invoked(arguments: Sequence[str], cwd: Path, text: str | bytes | None, environment: Mapping[str, str]) -> Result:
    with chdir(cwd):
        return CliRunner().invoke(app, arguments, input=text, env=environment, catch_exceptions=False)
