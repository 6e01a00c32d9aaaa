"""`toolplan import`: files, servers and modules on the command line. Nothing is overwritten, and nothing is half written."""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import run, run_alone

from toolplan.cli.exits import Exit
from toolplan.cli.live import listed

DATA = Path(__file__).parent / "data"
LINEAR = str(DATA / "mcp_imports" / "linear.json")
FIGMA = str(DATA / "openapi" / "figma.yaml")

SDK = """
import sys
from mcp.server.mcpserver import MCPServer

server = MCPServer("bank")

@server.tool(name="get-balance", description="Get the balance.")
def get_balance(account_id: str) -> dict[str, int]:
    return {"balance": 100}

if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]))
else:
    server.run()
"""
# As servers of the first generation answer, without any of the SDK.
BARE = """
import json, sys

TOOLS = [{"name": "get-balance", "description": "Get the balance.", "inputSchema": {"type": "object", "maximum": 10**30, "default": None}}]
for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "bare", "version": "1"}}
        case "tools/list":
            result = {"tools": TOOLS}
        case _:
            if "id" in message:
                print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}}), flush=True)
            continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def test_a_list_becomes_a_domain_with_its_schemas_beside_it(tmp_path: Path) -> None:
    ran = run("import", "tools", LINEAR, "-o", "linear.toolplan", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (Exit.OK, "")
    assert "open: rated `delete`" in ran.stderr
    assert (tmp_path / "linear.tools.json").read_bytes() == Path(LINEAR).read_bytes()
    checked = run("check", "--strict", "linear.toolplan", "--tools", "linear.tools.json", cwd=tmp_path)
    assert checked.returncode == Exit.OK
    assert "no findings" in checked.stdout
    assert run("fmt", "--check", "linear.toolplan", cwd=tmp_path).returncode == Exit.OK


def test_a_list_from_a_pipe_is_kept_as_it_came(tmp_path: Path) -> None:
    run("import", "tools", LINEAR, "-o", "file.toolplan", cwd=tmp_path)
    for arguments in (("-o", "piped.toolplan"), ("--update", "file.toolplan")):
        assert (
            run_alone("import", "tools", "/dev/stdin", *arguments, cwd=tmp_path, text=Path(LINEAR).read_text("utf-8")).returncode == Exit.OK
        )
    assert (tmp_path / "piped.tools.json").read_bytes() == Path(LINEAR).read_bytes()
    assert (tmp_path / "file.tools.json").read_bytes() == Path(LINEAR).read_bytes()


def test_the_text_goes_to_stdout_and_is_the_same_as_in_the_file(tmp_path: Path) -> None:
    ran = run("import", "tools", LINEAR, cwd=tmp_path)
    run("import", "tools", LINEAR, "-o", "linear.toolplan", cwd=tmp_path)
    assert ran.stdout == (tmp_path / "linear.toolplan").read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir() if path.suffix not in (".toolplan", ".json")] == []


def test_json_has_the_text_the_open_points_and_the_links(tmp_path: Path) -> None:
    ran = run("import", "tools", LINEAR, "--trust", "--json", cwd=tmp_path)
    data = json.loads(ran.stdout)
    assert set(data) == {"text", "names", "open", "links", "diagnostics"}
    assert data["links"][0]["confidence"] >= 0.5
    assert data["diagnostics"][0]["code"] == "TP424"
    assert ran.stderr == ""


def test_an_openapi_document_and_a_module_are_imported(tmp_path: Path) -> None:
    assert run("import", "openapi", FIGMA, "-o", "figma.toolplan", cwd=tmp_path).returncode == Exit.OK
    assert run("check", "figma.toolplan", "--tools", "figma.tools.json", cwd=tmp_path).returncode == Exit.OK
    (tmp_path / "bells_here.py").write_text("def ring_bell(times: int) -> None:\n    'Ring the bell.'\n", "utf-8")
    assert run_alone("import", "functions", "bells_here", "-o", "bells.toolplan", cwd=tmp_path).returncode == Exit.OK
    assert json.loads((tmp_path / "bells.tools.json").read_text("utf-8"))["tools"][0]["name"] == "ring_bell"


def test_an_existing_file_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.toolplan").write_text("domain mine", "utf-8")
    ran = run("import", "tools", LINEAR, "-o", "mine.toolplan", cwd=tmp_path)
    assert ran.returncode == Exit.USAGE
    assert "--update" in ran.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toolplan"]


def test_an_existing_list_of_tools_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.tools.json").write_text("mine", "utf-8")
    ran = run("import", "tools", LINEAR, "-o", "mine.toolplan", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (Exit.USAGE, "`mine.tools.json` is there already and is left as it is\n")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.tools.json"]


def test_an_update_keeps_the_mark_of_a_file_and_refuses_what_is_not_utf_8(tmp_path: Path) -> None:
    run("import", "tools", LINEAR, "-o", "linear.toolplan", cwd=tmp_path)
    path = tmp_path / "linear.toolplan"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    marked = path.read_bytes()
    assert run("import", "tools", LINEAR, "--update", "linear.toolplan", cwd=tmp_path).returncode == Exit.OK
    assert path.read_bytes() == marked
    path.write_bytes(b"# caf\xe9\n" + marked)
    ran = run("import", "tools", LINEAR, "--update", "linear.toolplan", cwd=tmp_path)
    assert (ran.returncode, "error[TP602]" in ran.stderr) == (Exit.INPUT, True)
    assert path.read_bytes() == b"# caf\xe9\n" + marked


def test_an_update_does_not_replace_a_read_only_file(tmp_path: Path) -> None:
    run("import", "tools", LINEAR, "-o", "linear.toolplan", cwd=tmp_path)
    (tmp_path / "linear.toolplan").chmod(0o444)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    (tmp_path / "new.json").write_text('[{"name": "linear_purge"}]', "utf-8")
    ran = run("import", "tools", "new.json", "--update", "linear.toolplan", cwd=tmp_path)
    assert (ran.returncode, "the file is read-only" in ran.stderr) == (Exit.USAGE, True)
    assert {file: file.read_bytes() for file in before} == before
    assert len(list(tmp_path.iterdir())) == len(before) + 1


def test_an_update_writes_both_files_and_says_what_it_means(tmp_path: Path) -> None:
    run("import", "tools", LINEAR, "-o", "linear.toolplan", cwd=tmp_path)
    listing = json.loads(Path(LINEAR).read_text("utf-8"))
    listing["tools"] = [{"name": "linear_purge"}, *listing["tools"][1:]]
    (tmp_path / "new.json").write_text(json.dumps(listing), "utf-8")
    ran = run("import", "tools", "new.json", "--update", "linear.toolplan", cwd=tmp_path)
    assert ran.returncode == Exit.OK
    assert "new: tool `linear_purge`, delete" in ran.stdout
    assert "gone, and marked: `linear_getLabels`" in ran.stdout
    assert (tmp_path / "linear.tools.json").read_bytes() == (tmp_path / "new.json").read_bytes()
    again = run("import", "tools", "new.json", "--update", "linear.toolplan", "--json", cwd=tmp_path)
    assert json.loads(again.stdout)["differences"] == []
    assert "no plan and no risk has changed" in run("import", "tools", "new.json", "--update", "linear.toolplan", cwd=tmp_path).stdout


def test_a_file_that_an_update_would_break_is_left_as_it_is(tmp_path: Path) -> None:
    run("import", "tools", LINEAR, "-o", "linear.toolplan", cwd=tmp_path)
    path = tmp_path / "linear.toolplan"
    path.write_text(path.read_text("utf-8") + '\nask linear_purge { "Purge?" produces purged }\nfact purged\n', "utf-8")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    listing = json.loads(Path(LINEAR).read_text("utf-8"))
    listing["tools"].append({"name": "linear_purge"})
    (tmp_path / "new.json").write_text(json.dumps(listing), "utf-8")
    ran = run("import", "tools", "new.json", "--update", "linear.toolplan", cwd=tmp_path)
    assert ran.returncode == Exit.INPUT
    assert "TP104" in ran.stderr
    assert {file: file.read_bytes() for file in before} == before


def test_both_files_are_written_or_none(tmp_path: Path) -> None:
    (tmp_path / "linear.tools.json").mkdir()
    ran = run("import", "tools", LINEAR, "-o", "linear.toolplan", cwd=tmp_path)
    assert ran.returncode == Exit.USAGE
    assert [path.name for path in tmp_path.iterdir()] == ["linear.tools.json"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("tools",), Exit.USAGE),
        (("tools", LINEAR, LINEAR), Exit.USAGE),
        (("nothing", LINEAR), Exit.USAGE),
        (("functions", "textwrap", "--update", "x.toolplan"), Exit.USAGE),
        (("tools", LINEAR, "--update", "x.toolplan", "-o", "y.toolplan"), Exit.USAGE),
        (("tools", "no.json"), Exit.INPUT),
        (("tools", FIGMA), Exit.INPUT),
        (("openapi", LINEAR), Exit.INPUT),
        (("openapi", "no.yaml"), Exit.INPUT),
        (("functions", "no.such.module"), Exit.INPUT),
        (("tools", LINEAR, "--update", "no.toolplan"), Exit.INPUT),
        (("server", "no-such-program-anywhere"), Exit.INPUT),
        (("tools", LINEAR, "-o", "no/such/folder.toolplan"), Exit.USAGE),
    ],
)
def test_every_mistake_has_its_exit_code(tmp_path: Path, arguments: tuple[str, ...], code: Exit) -> None:
    ran = run("import", *arguments, cwd=tmp_path)
    assert ran.returncode == code
    assert ran.stderr
    assert list(tmp_path.iterdir()) == []


# Servers


@pytest.mark.parametrize("script", [SDK, BARE], ids=["the SDK", "the first generation"])
def test_a_server_that_is_started_is_listed(tmp_path: Path, script: str) -> None:
    (tmp_path / "bank.py").write_text(script, "utf-8")
    words = [sys.executable, str(tmp_path / "bank.py")]
    (tool,) = listed(words)
    assert [tool] == listed([shlex.join(words)])
    assert (tool.name, tool.description) == ("get-balance", "Get the balance.")
    if script is BARE:
        assert tool.schema == {"type": "object", "maximum": 10**30, "default": None}


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "bank.py").write_text(SDK, "utf-8")
    process = subprocess.Popen([sys.executable, "bank.py", str(port)], cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait()


def test_a_server_that_runs_elsewhere_is_imported(address: str, tmp_path: Path) -> None:
    ran = run("import", "server", address, "--name", "bank", cwd=tmp_path)
    assert ran.returncode == Exit.OK, ran.stderr
    assert "domain bank" in ran.stdout
    assert 'tool get_balance calls "get-balance"' in ran.stdout


def test_without_the_sdk_a_server_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['mcp'] = None\n", "utf-8")
    ran = run_alone("import", "server", "anything", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert ran.returncode == Exit.INTERNAL
    assert "error[TP501]: this needs the package `mcp`" in ran.stderr
