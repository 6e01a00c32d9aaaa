"""`docs/team.md`, followed on one machine: its files, its commands, three clients with three tokens, and somebody who decides."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any, Self

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ElicitResult
from serving.bank import run
from serving.site import await_ready, free_port
from serving.test_operator_page import decide

from toolplan.serving.configuration import Remote, parsed_upstreams

pytestmark = pytest.mark.xdist_group("team")
PAGE = (Path(__file__).parents[2] / "docs" / "team.md").read_text("utf-8")
FILE = re.compile(r"^`([\w.]+)`, [^\n]*:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PORT = "8000"
MAIL = "localhost:25"
REMOTE = "https://git.team.example/handbook.git"


class Mails(StreamRequestHandler):
    """As much of SMTP as it takes to be sent a mail."""

    server: Post

    def handle(self) -> None:
        self._say("220 here")
        for line in iter(self.rfile.readline, b""):
            verb = line[:4].upper()
            if verb == b"DATA":
                self._say("354 go on")
                lines = list(iter(self.rfile.readline, b".\r\n"))
                self.server.mails.append(message_from_bytes(b"".join(lines), policy=default))
            self._say("221 bye" if verb == b"QUIT" else "250 ok")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class Post(ThreadingTCPServer):
    """Where mails arrive."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Mails)
        self.mails: list[EmailMessage] = []

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class Team:
    """The folder of the page, and whoever works there. Its ports and its repository are those of this test."""

    def __init__(self, folder: Path, post: Post) -> None:
        self.folder, self.origin, self.post = folder, folder / "handbook", post
        self.port = free_port()
        self.page = PAGE.replace(PORT, self.port).replace(REMOTE, str(self.origin)).replace(MAIL, f"127.0.0.1:{post.server_address[1]}")
        self.set_up, self.start, self.audit = (match[1] for match in COMMANDS.finditer(self.page))
        self.environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        for name, text in FILE.findall(self.page):
            (folder / name).write_text(text, "utf-8")
        self.sh(f"git init -q {self.origin}")
        self.git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "--allow-empty", "-m", "begin", at=self.origin)
        self.sh(self.set_up)

    def sh(self, commands: str) -> str:
        done = subprocess.run(["sh", "-ec", commands], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def git(self, *arguments: str, at: Path | None = None) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=at or self.folder / "repository", capture_output=True, text=True, check=True
        ).stdout.strip()

    def secret(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8").strip()

    @contextmanager
    def gateway(self, port: str) -> Iterator[None]:
        """The command of the page, listening at `port`."""
        commands = self.start.replace("toolplan serve", "exec toolplan serve").replace(
            f"--http 127.0.0.1:{self.port}", f"--http 127.0.0.1:{port}"
        )
        process = subprocess.Popen(["sh", "-ec", commands], cwd=self.folder, env=self.environment, stderr=subprocess.PIPE, text=True)
        try:
            await_ready(f"http://127.0.0.1:{port}")
            yield
        finally:
            process.terminate()
            _, errors = process.communicate(timeout=30)
            print(errors)
        assert process.returncode == 0 and errors == ""

    @asynccontextmanager
    async def host(self, name: str, *answers: object, port: str | None = None) -> AsyncIterator[Host]:
        """A host with the configuration of the page and the token of `name`, whose user gives these `answers` to forms, if it shows any."""
        configured = next(text for text in re.findall(r"^```json\n(.*?)^```$", self.page, re.M | re.S) if "TEAM_TOKEN" in text)
        (team,) = parsed_upstreams("host.json", configured, {"TEAM_TOKEN": self.secret(f"{name}.token")})
        assert isinstance(team.target, Remote)
        url = team.target.url.replace(self.port, port or self.port)
        given = iter(answers)

        async def user(_: object, params: Any) -> ElicitResult:
            (field,) = params.requested_schema["properties"]
            return ElicitResult(action="accept", content={field: next(given)})

        async with (
            httpx2.AsyncClient(headers=dict(team.target.headers), timeout=30) as http,
            Client(streamable_http_client(url, http_client=http), elicitation_callback=user if answers else None) as client,
        ):
            yield Host(client)

    @asynccontextmanager
    async def operator(self, name: str) -> AsyncIterator[httpx2.AsyncClient]:
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", follow_redirects=True) as http:
            signed_in = await http.post("/operator/sign-in", data={"name": name, "secret": self.secret(f"{name}.secret")})
            assert signed_in.status_code == 200
            yield http


class Host:
    """The client of somebody's agent, in one conversation."""

    def __init__(self, client: Client, handle: str = "") -> None:
        self.client, self.handle = client, handle

    async def says(self, words: str) -> Mapping[str, Any]:
        now = (await self.client.call_tool("frontier", {"said": words})).structured_content
        assert now is not None
        self.handle = str(now["conversation"])
        return now

    async def use(self, meta: str, **arguments: object) -> CallToolResult:
        return await self.client.call_tool(meta, {"conversation": self.handle, **arguments})

    async def call(self, tool: str, **arguments: object) -> CallToolResult:
        return await self.use("call", tool=tool, arguments=arguments)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with Post() as post:
        team = Team(tmp_path_factory.mktemp("team"), post)
        with team.gateway(team.port):
            yield team


def names(now: Mapping[str, Any]) -> list[str]:
    return [tool["name"] for tool in now["callable"]]


def test_ana_commits_under_her_own_name_and_finds_only_what_is_next(team: Team) -> None:
    (team.folder / "repository" / "notes.md").write_text("What we have agreed on.\n")

    async def test() -> None:
        async with team.host("ana", "Add notes", True) as ana:
            assert names(await ana.says("commit my changes")) == ["git_status"]
            for hidden in ("git_commit", "git_reset", "git_add"):
                assert (await ana.call(hidden, message="x")).is_error
            await ana.call("git_status")
            await ana.call("git_add", files=["notes.md"])
            assert not (await ana.call("git_commit")).is_error

    run(test)
    assert team.git("log", "-1", "--format=%an <%ae> %s") == "Ana <ana@team.example> Add notes"


def test_for_ben_there_is_no_commit(team: Team) -> None:
    async def test() -> None:
        async with team.host("ben", "Add notes", True) as ben:
            assert names(await ben.says("show the changes")) == ["git_status"]
            assert not (await ben.call("git_status")).is_error
            refused, unknown = await ben.use("explain", tool="git_commit"), await ben.use("explain", tool="git_nothing")
            assert refused.is_error and str(refused.content[0]).replace("git_commit", "git_nothing") == str(unknown.content[0])

    run(test)


async def waits(host: Host) -> str:
    """Begin a release; what the agent is told."""
    await host.says("begin the release")
    looked, tried = await host.call("git_status"), await host.call("git_create_branch")
    assert tried.is_error and "lead" in str(tried.content[0])
    return f"{looked} {tried}"


def released(team: Team, name: str) -> None:
    """Ana releases `name`, and Mia agrees on the page."""

    async def test() -> None:
        async with team.host("ana", name) as ana, team.operator("mia") as mia:
            await waits(ana)
            assert not team.git("branch", "--list", name)
            assert (await decide(mia)).status_code == 200
            assert not (await ana.call("git_create_branch")).is_error
            assert team.git("branch", "--list", name)

    run(test)


def test_a_release_waits_for_a_lead_on_the_page(team: Team) -> None:
    released(team, "spring")


def test_a_lead_gets_a_link_of_which_the_agent_knows_nothing_and_the_one_who_asks_gets_none(team: Team) -> None:
    async def test() -> None:
        async with team.host("mia", "summer") as mia, team.operator("mia") as desk, httpx2.AsyncClient() as browser:
            told = await waits(mia)
            (mail,) = [mail for mail in team.post.mails if "summer" in mail.get_content()]
            (link,) = re.findall(r"http://\S+/approve/\S+", mail.get_content())
            assert mail["To"] == "ben@team.example"
            assert "/approve/" not in told
            shown = (await desk.get("/operator")).text
            assert "summer" in shown and "/operator/decide" not in shown
            assert "summer" in (await browser.get(link)).text
            assert (await browser.post(link, data={"answer": "yes"})).status_code == 200
            assert not (await mia.call("git_create_branch")).is_error
            assert team.git("branch", "--list", "summer")
            assert (await browser.post(link, data={"answer": "yes"})).status_code == 410

    run(test)


def test_a_user_who_is_shown_no_form_agrees_by_a_link_of_their_own(team: Team) -> None:
    (team.folder / "repository" / "plan.md").write_text("What comes next.\n")

    async def test() -> None:
        async with team.host("ana") as ana, httpx2.AsyncClient() as browser:
            await ana.says("commit my changes")
            await ana.use("answer", answer="Add a plan")
            await ana.call("git_status")
            await ana.call("git_add", files=["plan.md"])
            assert (await ana.call("git_commit")).is_error
            (mail,) = [mail for mail in team.post.mails if "Add a plan" in mail.get_content()]
            assert mail["To"] == "ana@team.example"
            await browser.post(mail.get_content().split()[-1], data={"answer": "yes"})
            assert not (await ana.call("git_commit")).is_error

    run(test)
    assert team.git("log", "-1", "--format=%an %s") == "Ana Add a plan"


def test_a_second_gateway_goes_on_with_what_the_first_began(team: Team) -> None:
    port = free_port()

    async def test() -> None:
        async with team.host("ben") as here, team.host("ben", port=port) as there, team.host("ana", port=port) as other:
            await here.says("show the changes")
            there.handle = other.handle = here.handle
            assert not (await here.call("git_status")).is_error
            now = (await there.use("frontier")).structured_content
            assert now is not None and now["decision"] == "done"
            assert "no such conversation" in str((await other.use("frontier")).content[0])

    with team.gateway(port):
        run(test)


def test_the_audit_finds_nothing_wrong_and_no_receipt_has_a_secret(team: Team) -> None:
    released(team, "autumn")
    assert team.sh(team.audit)
    kept = "".join(path.read_text("utf-8") for path in (team.folder / "receipts").iterdir())
    assert '"kind":"verdict"' in kept and '"by":"lead"' in kept
    for name in ("ana.token", "ben.token", "mia.token", "ben.secret", "mia.secret", "tokens.key", "gateway.secret"):
        assert team.secret(name) not in kept
    assert "Add notes" not in kept and "/approve/" not in kept
