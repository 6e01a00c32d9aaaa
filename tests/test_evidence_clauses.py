"""Evidence contracts: what each clause says, what is wrong with one, and what contracts say of each other."""

from __future__ import annotations

import pytest

from toolplan.checks.lints import check_text
from toolplan.domain import Evidence, Tool
from toolplan.language.codes import Severity
from toolplan.language.loading import loads

DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def tool(clauses: str) -> Tool:
    return loads(f"fact a tool t {{ produces a risk read {clauses} }}").tools["t"]


def found(text: str, least: Severity = Severity.NOTE) -> list[tuple[str, str]]:
    """The findings of a text, or only its errors, with what is underlined."""
    findings = [it for it in check_text(text).diagnostics if least is Severity.NOTE or it.severity is least]
    return [(it.code.number, text[it.location.span.start : it.location.span.end]) for it in findings if it.location]


def errors(clauses: str) -> list[tuple[str, str]]:
    return found(f"fact a tool t {{ produces a risk read {clauses} }}", Severity.ERROR)


def test_every_field_of_an_evidence_contract() -> None:
    evidence = tool(
        'id "billing.refunds.propose.v3" capability propose_refund server "billing-prod" server versions "3.2", "4"'
        ' scopes "refunds:propose" data "payment", "personal" owner "payments-platform" version "3.2.1"'
        f' digest "sha256:{DIGEST}" supersedes `billing.refunds.propose.v2` use when "it has settled" do not use when "it is authorized"'
        ' idempotent side effect "a proposal"'
    ).evidence
    assert evidence == Evidence(
        id="billing.refunds.propose.v3",
        capability=("propose_refund",),
        server="billing-prod",
        server_versions=("3.2", "4"),
        scopes=("refunds:propose",),
        data=("payment", "personal"),
        owner="payments-platform",
        version="3.2.1",
        digest=DIGEST,
        supersedes=("billing.refunds.propose.v2",),
        use_when=("it has settled",),
        do_not_use_when=("it is authorized",),
        idempotent=True,
        side_effect="a proposal",
    )


@pytest.mark.parametrize("version", ["1", "3.2.1", "v2", "2026-03-18", "1.0.0-rc.1+build5", "10_2"])
def test_versions(version: str) -> None:
    assert errors(f'version "{version}" server "s" server versions "{version}"') == []


@pytest.mark.parametrize("version", ["", "latest", "3.", "3..2", "3 2", "v", "3.2 ", ">=3", "3.*", "1" + "a" * 50_000 + "!"])
def test_what_is_no_version(version: str) -> None:
    assert [code for code, _ in errors(f'version "{version}"')] == ["TP209"]
    assert [code for code, _ in errors(f'server "s" server versions "1", "{version}"')] == ["TP209"]


def test_versions_belong_to_a_server() -> None:
    assert errors('server versions "1"') == [("TP204", "server versions")]


@pytest.mark.parametrize("digest", ["", DIGEST, f"sha256:{DIGEST[1:]}", f"sha256:{DIGEST}0", f"sha256:{DIGEST.upper()}", f"md5:{DIGEST}"])
def test_what_is_no_digest(digest: str) -> None:
    assert errors(f'digest "{digest}"') == [("TP210", f'"{digest}"')]


def test_a_pinned_digest_is_of_one_tool() -> None:
    pinned, open_ = tool(f'digest "sha256:{DIGEST}"').evidence, tool("").evidence
    assert (pinned.is_of(DIGEST), pinned.is_of("0" * 64), pinned.is_of("")) == (True, False, False)
    assert open_.is_of(DIGEST)


@pytest.mark.parametrize("word", ["id", "server", "digest", "version", "owner"])
def test_what_names_one_thing_stands_once(word: str) -> None:
    text = f"sha256:{DIGEST}" if word == "digest" else "1"
    assert errors(f'{word} "{text}" {word} "{text}"') == [("TP201", word)]


# What contracts say of each other


def tools(**clauses: str) -> str:
    return "fact a goal g { achieves a } " + " ".join(f"tool {name} {{ {inside} }}" for name, inside in clauses.items())


@pytest.mark.parametrize(
    ("text", "circle"),
    [
        (tools(x="produces a risk read supersedes y", y="produces a risk read supersedes x"), "x"),
        (tools(x='produces a risk read supersedes `the.y` id "the.x"', y='produces a risk read id "the.y" supersedes `the.x`'), "x"),
    ],
)
def test_a_circle_is_an_error(text: str, circle: str) -> None:
    assert found(text) == [("TP211", circle)]


def test_a_circle_of_three_is_one_finding() -> None:
    text = tools(x="produces a risk read supersedes y", y="produces a risk read supersedes z", z="produces a risk read supersedes x")
    assert [code for code, _ in found(text)] == ["TP211"]


def test_a_tool_that_names_itself_supersedes_nothing() -> None:
    assert found(tools(x="produces a risk read supersedes x")) == []


def test_thousands_that_supersede_each_other_in_a_row_are_cheap() -> None:
    clauses = {f"x{n}": f"produces a risk read supersedes x{n + 1}" for n in range(1_000)}
    assert [code for code, _ in found(tools(**clauses))] == ["TP325"]


@pytest.mark.parametrize(
    ("superseded", "noted"), [("y", []), ("`the-real`", []), ("`the.id`", []), ("old", [("TP325", "x")]), ("y, old", [("TP325", "x")])]
)
def test_what_is_superseded_should_be_there(superseded: str, noted: list[tuple[str, str]]) -> None:
    text = tools(x=f"produces a risk read supersedes {superseded}") + ' tool y calls "the-real" { id "the.id" produces a risk read }'
    assert found(text) == noted


def test_a_superseded_tool_is_not_shown_at_every_step() -> None:
    text = tools(x="produces a risk read supersedes y", y="produces a risk read") + " policy { always visible y, x }"
    assert found(text) == [("TP326", "y")]


CARD, ACCOUNT = "produces a cost 1 risk send capability refund", "produces a cost 3 risk write capability refund, other"


@pytest.mark.parametrize(
    ("one", "other", "collide"),
    [
        ("", "", True),
        ('use when "a card"', "", True),
        ("", 'do not use when "a card"', True),
        ('use when "a card"', 'use when "an account"', False),
        ('use when "a card"', 'do not use when "a card"', False),
        ("supersedes y", "", False),
        ("", "supersedes x", False),
    ],
)
def test_tools_that_do_the_same_should_say_when(one: str, other: str, collide: bool) -> None:
    text = tools(x=f"{CARD} {one}", y=f"{ACCOUNT} {other}")
    assert [finding for finding in found(text) if finding[0] == "TP327"] == [("TP327", "y")] * collide


def test_tools_of_other_capabilities_do_not_collide() -> None:
    assert found(tools(x=CARD, y=ACCOUNT.replace("refund, ", ""))) == []
    assert found(tools(x=CARD, y=ACCOUNT.replace("capability refund, other", ""))) == []


@pytest.mark.parametrize(
    ("advice", "noted"),
    [
        ('use when "It rains." do not use when "it  rains"', True),
        ('use when "it rains" do not use when "it snows"', False),
        ('do not use when "it rains"', False),
    ],
)
def test_advice_against_itself(advice: str, noted: bool) -> None:
    assert found(tools(x=f"produces a risk read {advice}")) == [("TP328", "x")] * noted


def test_owners_are_missed_where_others_of_the_server_have_one() -> None:
    owned, unowned = 'produces a risk read server "s" owner "o"', 'produces b risk read server "s"'
    text = f"fact b goal h {{ achieves b }} {tools(x=owned, y=unowned)}"
    assert found(text) == [("TP329", "y")]
    assert found(text.replace('produces b risk read server "s"', 'produces b risk read server "other"')) == []
    assert found(text.replace('owner "o"', "")) == []


def test_a_finding_may_be_allowed() -> None:
    text = tools(x='produces a risk read supersedes old allow TP325 "a server still offers it"')
    assert found(text) == []


def test_what_a_tool_has_in_common_with_the_one_it_replaces_is_meant() -> None:
    assert found(tools(x="produces a risk read supersedes y", y="produces a risk read")) == []


def test_a_goal_that_only_a_superseded_tool_reaches_is_out_of_reach() -> None:
    text = "fact b goal h { achieves b } " + tools(x="produces a risk read supersedes y", y="produces a, b risk read")
    assert ("TP307", "h") in found(text)
