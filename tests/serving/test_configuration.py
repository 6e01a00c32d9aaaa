"""The file of upstream servers: what it means, every mistake with its place, and no secret in any of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from toolplan.domain import Principal
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.serving.configuration import OAuthClient, Process, Remote, Target, Upstream, as_configured, parsed_upstreams, read_upstreams

ENVIRONMENT = {"MAIL_TOKEN": "tok-mail-123", "ALICE": "tok-alice-456"}


def parsed(servers: object, environment: dict[str, str] = ENVIRONMENT) -> list[Upstream]:
    return parsed_upstreams("team.json", json.dumps({"mcpServers": servers}), environment)


def findings(text: str) -> list[Diagnostic]:
    with pytest.raises(DomainError) as raised:
        parsed_upstreams("team.json", text, ENVIRONMENT)
    return list(raised.value.diagnostics)


def marked(finding: Diagnostic, text: str) -> str:
    assert finding.location is not None
    span = finding.location.span
    return text[span.start : span.end]


def reach(upstream: Upstream, principal: Principal) -> Target | None:
    return asyncio.run(as_configured(upstream, principal))


# What it means


def test_a_server_that_is_started_here() -> None:
    entry = {"command": "npx", "args": ["-y", "server", "--token=${MAIL_TOKEN}"], "env": {"KEY": "${MAIL_TOKEN}"}, "cwd": "/srv"}
    (server,) = parsed({"mail": entry})
    assert server.target == Process("npx", ("-y", "server", "--token=tok-mail-123"), {"KEY": "tok-mail-123"}, "/srv")
    assert server.variables == {"tok-mail-123"}


@pytest.mark.parametrize(("kind", "transport"), [("http", "http"), ("streamable-http", "http"), ("streamableHttp", "http"), ("sse", "sse")])
def test_a_server_that_runs_elsewhere(kind: str, transport: str) -> None:
    (server,) = parsed({"mail": {"type": kind, "url": "https://mail.example/mcp", "headers": {"X-Key": "${MAIL_TOKEN}"}}})
    assert isinstance(server.target, Remote)
    assert (server.target.url, server.target.transport, server.target.headers) == (
        "https://mail.example/mcp",
        transport,
        {"X-Key": "tok-mail-123"},
    )


def test_a_token_is_a_header_and_a_client_of_oauth_is_a_program() -> None:
    oauth = {"clientId": "us", "clientSecret": "${MAIL_TOKEN}", "issuer": "https://login.example", "scope": "mail"}
    token, program = parsed({"a": {"url": "https://a.example", "auth": "${ALICE}"}, "b": {"url": "https://b.example", "oauth": oauth}})
    assert isinstance(token.target, Remote) and token.target.headers == {"Authorization": "Bearer tok-alice-456"}
    assert isinstance(program.target, Remote)
    assert program.target.oauth == OAuthClient("us", "tok-mail-123", "https://login.example", "mail")


def test_variables_have_defaults_and_disabled_servers_and_settings_of_other_hosts_are_passed_over() -> None:
    on, off = {"command": "${PROGRAM:-run}", "timeout": 60, "autoApprove": ["x"]}, {"command": "${UNSET}", "disabled": True}
    (server,) = parsed({"on": on, "off": off})
    assert (server.name, server.target) == ("on", Process("run"))


def test_other_settings_of_the_file_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "team.json"
    file.write_text(json.dumps({"theme": "dark", "mcpServers": {"a": {"command": "run"}}}))
    assert [server.name for server in read_upstreams(file, {})] == ["a"]


def test_each_principal_has_the_credentials_of_the_file_and_nobody_else_has_any() -> None:
    own = {"alice": {"env": {"TOKEN": "${ALICE}"}}, "bob": {"tenant": "acme", "env": {"TOKEN": "b"}}}
    (server,) = parsed({"mail": {"command": "run", "env": {"REGION": "eu"}, "principals": own}})
    assert reach(server, Principal("alice")) == Process("run", env={"REGION": "eu", "TOKEN": "tok-alice-456"})
    assert reach(server, Principal("bob", tenant="acme")) == Process("run", env={"REGION": "eu", "TOKEN": "b"})
    for other in (Principal("bob"), Principal("alice", tenant="acme"), Principal("carol"), Principal()):
        assert reach(server, other) is None


def test_without_principals_all_share_what_the_server_is_shown() -> None:
    (server,) = parsed({"mail": {"command": "run"}})
    assert reach(server, Principal("carol")) == Process("run")


# Mistakes


@pytest.mark.parametrize(
    ("entry", "mark", "message", "hint"),
    [
        ('{"command": "run", "header": {}}', "{}", "a server has no `header`", "did you mean `headers`?"),
        ('{"command": "run", "args": "-y"}', '"-y"', "`args` is no list", "one for each argument"),
        ('{"command": "run", "args": [1]}', "1", "this is no text", "write it in quotes"),
        ('{"command": ""}', '""', "this command is empty", "the program"),
        ('{"command": "run", "url": "https://x.example"}', None, "both a `command` and a `url`", "keep one"),
        ("{}", "{}", "neither a `command` nor a `url`", "the command that starts it"),
        ('{"command": "run", "headers": {"a": "b"}}', '{"a": "b"}', "that is started here has no `headers`", "leave it out"),
        ('{"url": "https://x.example", "env": {}}', "{}", "that runs elsewhere has no `env`", "leave it out"),
        ('{"url": "x.example/mcp"}', '"x.example/mcp"', "this is no address", "https://HOST/PATH"),
        ('{"url": "https://x.example", "type": "sttp"}', '"sttp"', "`sttp` is no way to reach this server", "`http` or `sse`"),
        ('{"command": "run", "type": "sse"}', '"sse"', "`sse` is no way to reach this server", "`stdio`"),
        ('{"command": "run", "env": {"A": "${NOWHERE}"}}', '"${NOWHERE}"', "no variable `NOWHERE`", "${NOWHERE:-VALUE}"),
        ('{"command": "run", "env": {"A": "1", "A": "2"}}', '"A"', "`A` stands here twice", "leave one out"),
        ('{"url": "https://x.example", "auth": "oauth"}', '"oauth"', "nobody is there to sign in", "clientId"),
        ('{"url": "https://x.example", "oauth": {"clientId": "a"}}', '{"clientId": "a"}', "lacks `clientSecret`, `issuer`", "credentials"),
        ('{"command": "run", "principals": {}}', "{}", "nobody may use this server", "name a subject"),
        (
            '{"command": "run", "principals": {"a": {"headers": {}}}}',
            "{}",
            "a principal has no `headers` at this server",
            "`tenant`, `env`",
        ),
        ("7", "7", "this is no object", "NAME"),
    ],
)
def test_a_mistake_is_found_at_its_place(entry: str, mark: str | None, message: str, hint: str) -> None:
    text = f'{{"mcpServers": {{\n  "mail": {entry}}}}}'
    (finding,) = findings(text)
    assert message in finding.message
    assert hint in finding.hint
    assert marked(finding, text) == (mark if mark is not None else entry)


def test_all_mistakes_are_found_at_once_in_the_order_of_the_text() -> None:
    text = '{"mcpServers": {"a.b": {"command": 1}, "c": {"url": "x"}, "c": {"command": "run"}}}'
    messages = [finding.message for finding in findings(text)]
    assert [message.split()[0] for message in messages] == ["`a.b`", "this", "this", "`c`"]


@pytest.mark.parametrize(
    "text", ["", "{", '{"mcpServers": ', "[" * 100_000, "{}", "[]", '{"mcpServers": {}}', '{"mcpServers": []}', "\ufeff{}", "1" * 5_000]
)
def test_a_file_that_names_no_server_is_a_finding(text: str) -> None:
    assert findings(text)


def test_what_is_no_json_what_is_wrong_in_it_and_a_variable_that_is_not_set_are_three_kinds_of_mistakes() -> None:
    texts = ("{", '{"mcpServers": {}}', '{"mcpServers": {"a": {"command": "${NOWHERE}"}}}')
    assert [finding.code.number for text in texts for finding in findings(text)] == ["TP412", "TP611", "TP612"]


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b"\xe9")
    for name, code in (("none.json", "TP601"), ("latin.json", "TP602"), (".", "TP601")):
        with pytest.raises(DomainError) as raised:
            read_upstreams(tmp_path / name, {})
        assert [finding.code.number for finding in raised.value.diagnostics] == [code]


# Secrets


def test_no_finding_shows_a_value_of_the_file_or_of_the_environment() -> None:
    line = '"env": {"A": "sk-literal \\" sk-quoted", "B": "${ALICE}"}, "args": ["--key=sk-argument", "${NOWHERE}"], "comand": 1'
    for text in ('{"mcpServers": {"a": {"command": "run", ' + line + "}}}", '{"mcpServers": {"a": {' + line):
        with pytest.raises(DomainError) as raised:
            parsed_upstreams("team.json", text, ENVIRONMENT)
        assert "sk-" not in str(raised.value) and "tok-" not in str(raised.value)


def test_the_place_of_a_finding_shows_names_and_variables() -> None:
    with pytest.raises(DomainError) as raised:
        parsed({"a": {"command": "run", "env": {"KEY": "literal ${NOWHERE}"}}})
    assert '{"KEY": "******* ${NOWHERE}"}' in str(raised.value)


def test_a_server_that_is_printed_shows_no_credentials() -> None:
    servers = {
        "a": {"command": "run", "args": ["${ALICE}"], "env": {"K": "${ALICE}"}},
        "b": {"url": "https://x.example?key=${ALICE}", "auth": "${ALICE}", "principals": {"alice": {"auth": "${MAIL_TOKEN}"}}},
    }
    assert "tok-" not in repr(parsed(servers))
