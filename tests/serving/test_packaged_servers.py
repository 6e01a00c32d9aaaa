"""Servers that others have written and packaged, behind `toolplan serve`: a clock, files, and git. From words to a commit, and a tool that changes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, ElicitResult, TextContent
from serving.bank import run

from toolplan.serving.running import accept_changes

CONTRACTS = """
domain minutes "Minutes of a meeting"
fact zone: text "the time zone, such as Europe/Warsaw"
fact now: text  "the time there"
fact noted
fact staged
fact committed
tool look_at_the_clock calls "time.get_current_time" {
  "Tell the time somewhere."
  requires zone
  passes   timezone = zone
  produces now
  returns  now = $.datetime
  risk read
}
tool note calls "files.write_file" {
  "Write the time into the minutes."
  requires now
  passes   path = "minutes.md", content from now
  produces noted
  risk write
}
tool stage calls "git.git_add" {
  "Choose the minutes for the commit."
  requires noted
  passes   repo_path = ".", files = ["minutes.md"]
  produces staged
  risk stage
}
tool commit calls "git.git_commit" {
  "Record them."
  requires staged
  passes   repo_path = ".", message = "Minutes"
  produces committed
  risk write
}
goal record { "Note the time and record it" achieves committed given zone phrases "note the time" }
policy { risk read 0 safe, stage 0.5 safe, write 1 }
"""
HIDDEN = ("git.git_commit", "git.git_reset", "git.git_checkout", "files.write_file", "files.read_file", "time.convert_time")
CLOCK = "time.get_current_time"


BIN = Path(sys.executable).parent


def clock(zone: str) -> dict[str, object]:
    """The clock has `zone` in the schemas of its tools, as a hint to models."""
    return {"command": str(BIN / "mcp-server-time"), "args": ["--local-timezone", zone]}


class Setup:
    """A folder with a repository, the contracts, and the servers."""

    def __init__(self, folder: Path, contracts: str = CONTRACTS) -> None:
        self.folder, self.repository = folder, folder / "repository"
        self.repository.mkdir()
        (folder / "minutes.toolplan").write_text(contracts, "utf-8")
        self.git("init", "-q")

    @property
    def servers(self) -> Path:
        return self.folder / "servers.json"

    def serves(self, **servers: dict[str, object]) -> None:
        self.servers.write_text(json.dumps({"mcpServers": servers}), "utf-8")

    def git(self, *arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=self.repository, capture_output=True, text=True, check=True).stdout.strip()


class Agent:
    """A client of the gateway that says what somebody wants, and calls what it is told to."""

    def __init__(self, client: Client, now: dict[str, Any]) -> None:
        self.client, self.now = client, now

    async def calls(self, tool: str, **arguments: object) -> CallToolResult:
        given = {"conversation": self.now["conversation"], "tool": tool, "arguments": arguments}
        return await self.client.call_tool("call", given)


@asynccontextmanager
async def agent(setup: Setup, forms: list[str]) -> AsyncIterator[Agent]:
    """The user names a zone, and agrees to whatever they are shown."""

    async def user(_: object, params: Any) -> ElicitResult:
        forms.append(params.message)
        (field,) = params.requested_schema["properties"]
        return ElicitResult(action="accept", content={field: True if field == "answer" else "Asia/Tokyo"})

    arguments = ["-m", "toolplan", "serve", "minutes.toolplan", "--upstream", "servers.json", "--subject", "ana"]
    command = StdioServerParameters(command=sys.executable, args=arguments, cwd=setup.folder)
    async with Client(command, elicitation_callback=user) as client:
        now = (await client.call_tool("frontier", {"said": "please note the time"})).structured_content
        assert now is not None
        yield Agent(client, now)


def text(result: CallToolResult) -> str:
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


def test_a_request_in_words_gets_to_a_commit_and_nothing_else_is_called(tmp_path: Path) -> None:
    setup, forms = Setup(tmp_path), list[str]()
    files: dict[str, object] = {"command": str(BIN / "filesystem-mcp"), "args": ["."], "cwd": "repository"}
    git: dict[str, object] = {"command": str(BIN / "mcp-server-git"), "args": ["--repository", "."], "cwd": "repository"}
    setup.serves(time=clock("Europe/Warsaw"), files=files, git=git)

    async def test() -> None:
        async with agent(setup, forms) as ana:
            assert [tool["name"] for tool in ana.now["callable"]] == [CLOCK]
            for hidden in HIDDEN:
                assert (await ana.calls(hidden, path="minutes.md", content="x")).is_error
            assert not list(setup.repository.glob("minutes.md"))
            clock = await ana.calls(CLOCK)
            time = json.loads(text(clock))["datetime"]
            assert time.endswith("+09:00")
            for tool, arguments in (("files.write_file", {"content": f"Begun at {time}.\n"}), ("git.git_add", {})):
                assert not (await ana.calls(tool, **arguments)).is_error
            done = (await ana.calls("git.git_commit")).structured_content
            assert done is not None and done["next"]["decision"] == "done"
            assert setup.git("show", "HEAD:minutes.md") == f"Begun at {time}."

    run(test)
    asked = [form for form in forms if "Shall I do this?" in form]
    assert len(forms) == 3 and ["files.write_file" in asked[0], "git.git_commit" in asked[1]] == [True, True]
    assert setup.git("log", "--format=%s") == "Minutes"


def test_a_tool_whose_schema_has_changed_is_out_of_use_until_somebody_accepts_it(tmp_path: Path) -> None:
    # The tools of a single server have no prefix.
    setup = Setup(tmp_path, CONTRACTS.replace('"time.', '"').replace("achieves committed", "achieves now"))
    name = CLOCK.removeprefix("time.")

    def accepted() -> list[str]:
        return run(lambda: accept_changes(setup.servers))

    async def test() -> None:
        async with agent(setup, []) as ana:
            assert ana.now["callable"] == []
            assert (await ana.calls(name)).is_error

    setup.serves(time=clock("Europe/Warsaw"))
    assert accepted() == []
    setup.serves(time=clock("America/New_York"))
    run(test)
    assert name in accepted()
    assert accepted() == []
