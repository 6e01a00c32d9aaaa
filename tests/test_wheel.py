"""The wheel, made from the sdist and installed into an empty environment: the main job runs from anywhere, without planners and with."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FRONTIER = ["frontier", "workspace", "--state", "date,event_description,new_time", "--goal", "move_event"]


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    return out


def install(directory: Path, package: Path) -> Path:
    """An environment with `package` in it, and without pip, which this one has; the place of its programs."""
    venv.create(directory)
    programs = directory / "bin"
    command = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--quiet", "--disable-pip-version-check"]
    run = subprocess.run([*command, str(package)], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr
    return programs


def run(program: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(program), *arguments], capture_output=True, text=True, cwd=cwd, timeout=120)


@pytest.mark.slow
def test_the_main_job_from_a_distribution(dist: Path, tmp_path: Path) -> None:
    """The wheel was made from the sdist: what the one lacks, the other lacks."""
    (wheel,) = dist.glob("*.whl")
    toolplan = install(tmp_path / "env", wheel) / "toolplan"
    ran = run(toolplan, *FRONTIER, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "visible: search_events" in ran.stdout
    assert "proved optimal by forced-plan" in ran.stdout
    missing = run(toolplan, *FRONTIER, "--engine", "fast-downward", cwd=tmp_path)
    assert missing.returncode == 5
    assert "error[TP501]" in missing.stderr
    assert run(toolplan, "check", "--strict", "workspace", "github", cwd=tmp_path).returncode == 0
    explained = run(toolplan, "explain", "TP101", cwd=tmp_path)
    assert "unknown-fact" in explained.stdout
    assert run(toolplan, "init", "mine.toolplan", cwd=tmp_path).returncode == 0
    assert run(toolplan, "test", "mine.toolplan", "refunds", cwd=tmp_path).returncode == 0
    doctor = run(toolplan, "doctor", cwd=tmp_path)
    assert "pip install 'toolplan[planners]'" in doctor.stdout
