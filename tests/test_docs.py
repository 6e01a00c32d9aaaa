"""Every block of the README and of `docs/` that can run, runs, and prints what the page says.

A `console` block holds commands after `$` and what they print; `...` stands for anything. A `python` block runs, and the comments
`# -> value` beside its last expressions are what they give. A `toolplan` block is checked.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import printed

from toolplan.language.codes import Severity
from toolplan.language.loading import check_text

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(kind: str) -> list[Block]:
    found = []
    for page in PAGES:
        text = page.read_text("utf-8")
        for match in FENCE.finditer(text):
            if match[1] == kind:
                found.append(Block(page, text.count("\n", 0, match.start()) + 1, kind, match[2]))
    return found


def test_pages_have_blocks_to_run() -> None:
    assert blocks("console")
    assert blocks("python")
    assert blocks("toolplan")


@pytest.mark.parametrize("block", blocks("toolplan"), ids=str)
def test_domains_are_valid(block: Block) -> None:
    found = check_text(block.text, str(block), ROOT / "domains").diagnostics
    assert not [finding for finding in found if finding.severity is Severity.ERROR], "\n".join(map(str, found))


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_python_runs_and_gives_what_it_says(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    lines = []
    for line in block.text.splitlines():
        code, arrow, expected = line.partition("  # -> ")
        lines.append(f"assert repr({code.strip()}) == {expected.strip()!r}, repr({code.strip()})" if arrow else line)
    exec(compile("\n".join(lines), str(block), "exec"), {})


TUTORIAL = ROOT / "docs" / "tutorial.md"


def test_the_tutorial_can_be_followed_from_its_first_command_to_its_last(tmp_path: Path) -> None:
    for block in blocks("console"):
        if block.page == TUTORIAL:
            follow(block, tmp_path)
    assert (tmp_path / "desk.toolplan").exists()


@pytest.mark.parametrize("block", [block for block in blocks("console") if block.page != TUTORIAL], ids=str)
def test_commands_print_what_the_page_shows(block: Block) -> None:
    follow(block, ROOT)


PLAIN = re.compile(r"""toolplan( ([^\s'"|&;<>$*?{[`\\]+|'[^']*'|"[^"$`\\]*"))*""")
"""A command that needs no shell."""


def follow(block: Block, directory: Path) -> None:
    """Run the commands of a block in `directory`; each prints what the page shows."""
    for command, expected in commands(block.text):
        if command.startswith("make "):
            continue
        shown = printed(*shlex.split(command)[1:], cwd=directory) if PLAIN.fullmatch(command) else in_a_shell(command, directory)
        pattern = ".*".join(re.escape(part) for part in expected.strip().split("..."))
        assert re.fullmatch(pattern, shown.strip(), re.DOTALL), f"{command}\n{shown}"


def in_a_shell(command: str, directory: Path) -> str:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return subprocess.run(
        command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=directory, env=environment, timeout=120
    ).stdout


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what it prints. A backslash at a line's end, or `<<'END'`, makes a command longer."""
    found: list[tuple[str, str]] = []
    for chunk in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        joined = re.sub(r"\\\n\s*", " ", chunk)
        first, _, rest = joined.partition("\n")
        if first.endswith("<<'END'"):
            document, _, rest = rest.partition("\nEND\n")
            first = f"{first}\n{document}\nEND"
        found.append((first, rest))
    return found
