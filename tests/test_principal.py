"""What a caller may not use is not there: not planned, not shown, not counted, not named."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from weakref import ref

import pytest
from dumping import dumps
from shop import chat

import toolplan
from toolplan import Blocked, Domain, DomainError, Principal, load, loads
from toolplan.checks.explain import why_not
from toolplan.cli.exits import Exit
from toolplan.domain import KEPT_RESTRICTIONS, Tool, Uncontracted, enabled, permits
from toolplan.frontier import MODES

ROOT = Path(__file__).parents[1]
SNIPPET = str(ROOT / "tests/snippets/ok/authorisation.toolplan")

FILES = """
domain files

type file
type link
fact found(file)
fact shared(file)
fact kept(file)
fact linked(file)
fact target(link, file)

tool find_file(f: file) { "Find a file." produces found(f) risk read }
tool share_file(f: file) calls "files.share" {
  "Make a file public."
  requires found(f)
  produces shared(f)
  risk share
  roles "editor"
}
tool copy_file(f: file) calls "files.copy" {
  "Make a copy that is public."
  requires found(f)
  produces shared(f), kept(f)
  supersedes share_file, `files.share`, old_copy
  cost 9
  risk write
}
"""
SECRET = """
tool make_link(f: file) calls "links.make" {
  "Make a link to a file."
  requires found(f)
  creates  l: link
  produces linked(f), target(l, f)
  risk share
  scopes "links:write"
}
ask may_link(f: file) { "May I make a link?" permits make_link }
goal link(f: file) { "Have a link to a file." achieves linked(f) }
policy { always visible make_link, find_file }
test "with a link" { given found(report) goal link(report) expect may_link(report), make_link(report) }
"""
HIDDEN = ("share_file", "files.share", "make_link", "links.make")
EDITOR = Principal(roles=frozenset({"editor"}), scopes=frozenset({"links:write"}))
NOBODY = Principal()


@pytest.fixture
def files() -> Domain:
    return loads(FILES + SECRET)


# Who may


@pytest.mark.parametrize(
    ("asked", "principal", "may"),
    [
        ("", NOBODY, True),
        ('scopes "a", "b"', Principal(scopes=frozenset("abc")), True),
        ('scopes "a", "b"', Principal(scopes=frozenset("a")), False),
        ('roles "x", "y"', Principal(roles=frozenset("yz")), True),
        ('roles "x", "y"', Principal(roles=frozenset("z")), False),
        ('roles "x", "y"', Principal(scopes=frozenset("x")), False),
        ('roles "admin"', Principal(roles=frozenset({"Admin", "administrator"})), False),
        ('tenants "acme", "globex"', Principal(tenant="globex"), True),
        ('tenants "acme", "globex"', Principal(tenant="acm"), False),
        ('tenants "acme"', NOBODY, False),
        ('environments "test"', Principal(environment="test"), True),
        ('environments "test"', Principal(environment="production"), False),
        ('data "a", "b"', Principal(clearances=frozenset("abc")), True),
        ('data "a", "b"', Principal(clearances=frozenset("a")), False),
        ('data "a"', Principal(scopes=frozenset("a"), roles=frozenset("a")), False),
        ('scopes "a" data "b"', Principal(scopes=frozenset("a"), clearances=frozenset("b")), True),
        ('scopes "a" roles "x"', Principal(scopes=frozenset("a")), False),
        ('scopes "a" roles "x"', Principal(roles=frozenset("x"), scopes=frozenset("a")), True),
        ('scopes "a" scopes "b"', Principal(scopes=frozenset("b")), False),
    ],
)
def test_all_scopes_and_one_of_each_other(asked: str, principal: Principal, may: bool) -> None:
    domain = loads(f"fact a tool t {{ produces a risk read {asked} }}")
    assert permits(domain.tools["t"], principal) is may
    assert ("t" in domain.for_principal(principal).tools) is may


@pytest.mark.parametrize(
    ("versions", "may"),
    [
        ({"s": "3.2.1"}, True),
        ({"s": "3.2"}, True),
        ({"s": "3.20"}, False),
        ({"s": "3"}, False),
        ({"s": "4"}, True),
        ({"s": "4.0.0-beta"}, True),
        ({"s": "40"}, False),
        ({"s": ""}, False),
        ({"other": "4"}, False),
        ({}, False),
    ],
)
def test_a_tool_is_enabled_at_the_versions_of_its_server_that_were_reviewed(versions: dict[str, str], may: bool) -> None:
    domain = loads(
        'fact a tool t { produces a risk read server "s" server versions "3.2", "4" } tool u { produces a risk read server "s" }'
    )
    left = domain.for_principal(NOBODY, also=lambda tool: enabled(tool, versions))
    assert list(left.tools) == (["t", "u"] if may else ["u"])
    assert left.withheld == (() if may else ("t",))


OLD_AND_NEW = """
fact a  fact b
tool v1 calls "one" { id "x.v1" produces a cost 1 risk read }
tool v2 { produces a cost 5 risk read supersedes one roles "clerk" }
tool v3 { produces a cost 9 risk read supersedes v2 roles "boss" }
tool other { requires a produces b risk read }
"""


def planned(domain: Domain, *forbid: str, goal: str = "b") -> list[str]:
    return [step.action for step in toolplan.plan(domain, state={}, goal=goal, forbid=forbid).steps]


@pytest.mark.parametrize(
    ("roles", "tool"),
    [({"clerk", "boss"}, "v3"), ({"boss"}, "v3"), ({"clerk"}, "v2"), (set(), "v1")],
)
def test_a_tool_is_planned_with_where_none_that_supersedes_it_may_be(roles: set[str], tool: str) -> None:
    left = loads(OLD_AND_NEW).for_principal(Principal(roles=frozenset(roles)))
    assert planned(left) == [tool, "other"]
    assert "v2" not in dumps(replace(left, withheld=())) or "clerk" in roles


def test_a_tool_whose_successor_is_forbidden_is_planned_with() -> None:
    domain = loads(OLD_AND_NEW)
    assert planned(domain) == ["v3", "other"]
    assert planned(domain, "v3") == ["v2", "other"]
    assert planned(domain, "v2") == ["v3", "other"]
    assert planned(domain, "v2", "v3") == ["v1", "other"]


def test_what_is_superseded_is_no_second_try() -> None:
    now = toolplan.frontier(loads(OLD_AND_NEW), state={}, goal="b", exhausted=["v3"])
    assert isinstance(now.decision, Blocked)


@pytest.mark.parametrize("name", ["one", "v1", "x.v1"])
def test_a_tool_is_superseded_by_any_of_its_names(name: str) -> None:
    assert planned(loads(OLD_AND_NEW.replace("supersedes one", f"supersedes `{name}`")), "v3") == ["v2", "other"]


def test_the_id_of_a_tool_that_is_gone_is_not_named() -> None:
    text = 'fact a tool t { produces a risk read id "secret.id" roles "x" } tool u { produces a risk read supersedes `secret.id` }'
    assert "secret" not in dumps(replace(loads(text).for_principal(NOBODY), withheld=()))


def test_the_host_may_forbid_more(files: Domain) -> None:
    seen: list[str] = []

    def also(tool: Tool) -> bool:
        seen.append(tool.name)
        return tool.name != "copy_file"

    assert list(files.for_principal(Principal(scopes=EDITOR.scopes), also).tools) == ["find_file", "make_link"]
    assert seen == ["find_file", "copy_file", "make_link"]


# What goes


def test_nothing_of_it_is_named_in_what_is_left(files: Domain) -> None:
    left = files.for_principal(NOBODY)
    text = dumps(replace(left, withheld=()))
    assert [name for name in HIDDEN if name not in dumps(files) or name in text] == []
    assert (list(left.tools), list(left.asks)) == (["find_file", "copy_file"], [])
    assert left.policy.always_visible == ("find_file",)
    assert left.tools["copy_file"].evidence.supersedes == ("old_copy",)
    assert left.tests == ()
    assert "make_link.l" in files.constants
    assert left.constants == {}


def test_facts_goals_and_types_stay(files: Domain) -> None:
    left = files.for_principal(NOBODY)
    assert (left.types, left.goals) == (files.types, files.goals)
    assert left.facts.keys() == files.facts.keys()
    assert all(left.facts[name].closed == fact.closed for name, fact in files.facts.items())


def test_it_plans_as_if_nobody_had_declared_the_tool() -> None:
    start, end = FILES.index("tool share_file"), FILES.index("tool copy_file")
    undeclared = loads((FILES[:start] + FILES[end:]).replace("share_file, `files.share`, ", ""))
    left = loads(FILES).for_principal(NOBODY)
    assert dumps(replace(left, withheld=())) == dumps(undeclared)
    declared = loads(FILES.replace("share_file, `files.share`, ", ""))
    for domain, tool in ((declared, "share_file"), (left, "copy_file"), (undeclared, "copy_file")):
        best = toolplan.plan(domain, state={}, goal="shared(report)").to_dict()
        assert [step["action"] for step in best["steps"]] == ["find_file", tool]


@pytest.mark.parametrize("mode", MODES)
def test_a_goal_that_only_it_reaches_is_blocked_by_a_fact(files: Domain, mode: str) -> None:
    left = files.for_principal(NOBODY)
    now = toolplan.frontier(left, state={"found(report)"}, goal="link(report)", mode=mode)  # type: ignore[arg-type]
    assert isinstance(now.decision, Blocked)
    assert {missing.atom.fact for missing in now.decision.missing} == {"linked"}
    assert [name for name in (*HIDDEN, "may_link") if name in json.dumps(now.to_dict()) + now.decision.hint] == []


@pytest.mark.parametrize("name", ["make_link", "links.make", "may_link"])
def test_who_asks_for_it_hears_of_nothing_that_is_like_it(files: Domain, name: str) -> None:
    left = files.for_principal(NOBODY)
    now = toolplan.frontier(left, state={}, goal="shared(report)")
    for call in (lambda: why_not(now, name), lambda: toolplan.frontier(left, state={}, goal="shared(report)", forbid=[name[:-1]])):
        with pytest.raises(DomainError) as error:
            call()
        assert f"`{name}`" not in "".join(finding.hint for finding in error.value.diagnostics)


def test_its_real_tool_is_not_taken_for_one_without_a_contract() -> None:
    two = 'fact a fact b tool t calls "real" { produces a risk read roles "x" } tool u calls "real" { produces b risk read roles "y" }'
    domain = loads(two + 'tool v calls "other" { produces b risk read roles "x", "y" }')
    assert domain.withheld == ()
    some = domain.for_principal(Principal(roles=frozenset("y")))
    assert some.withheld == ()
    assert some.for_principal(NOBODY).withheld == ("real", "other")
    assert domain.for_principal(NOBODY).withheld == ("real", "other")


# One object for one set of tools


def test_who_may_use_everything_has_the_domain_itself(files: Domain) -> None:
    assert files.for_principal(EDITOR) is files
    assert files.for_principal(EDITOR, lambda tool: True) is files


def test_the_same_tools_make_the_same_domain(files: Domain) -> None:
    left = files.for_principal(Principal("anna", roles=frozenset({"editor"})))
    assert files.for_principal(Principal("bob", roles=frozenset({"editor", "x"}))) is left
    assert files.for_principal(EDITOR, lambda tool: tool.name != "make_link") is left
    assert left.for_principal(Principal(roles=frozenset({"editor"}))) is left
    assert files.for_principal(NOBODY) is not left
    assert loads(FILES + SECRET).for_principal(Principal(roles=frozenset({"editor"}))) is not left


def many(count: int) -> Domain:
    return loads("fact a " + " ".join(f'tool t{number} {{ produces a risk read roles "r{number}" }}' for number in range(count)))


def test_a_domain_that_is_held_stays_the_same_however_many_there_are() -> None:
    domain = many(2 * KEPT_RESTRICTIONS)
    principals = [Principal(roles=frozenset({name})) for name in ("r0", "r1")]
    held, let_go = domain.for_principal(principals[0]), ref(domain.for_principal(principals[1]))
    assert let_go() is not None
    for number in range(2, 2 * KEPT_RESTRICTIONS):
        domain.for_principal(Principal(roles=frozenset({f"r{number}"})))
    gc.collect()
    assert domain.for_principal(principals[0]) is held
    assert let_go() is None


def test_what_is_remembered_goes_with_the_domain() -> None:
    domain = many(2)
    left = domain.for_principal(NOBODY)
    toolplan.frontier(left, state={}, goal="a")
    gone = ref(domain), ref(left)
    del domain, left
    gc.collect()
    assert [domain() for domain in gone] == [None, None]


def test_threads_that_ask_at_once_get_the_same_domain() -> None:
    domain, count = many(100), 8
    together = Barrier(count)

    def ask(_: int) -> Domain:
        together.wait()
        return domain.for_principal(NOBODY)

    with ThreadPoolExecutor(count) as pool:
        assert len({id(left) for left in pool.map(ask, range(count))}) == 1


# A domain that ships

REFUNDED = [
    "proposed(slip, annual)",
    "refund_id(slip)",
    "charge_id(annual, acme)",
    "settled(annual)",
    "eligible(annual)",
    "charged(annual)",
]
REFUNDED += ["currency(annual)", "amount(annual)", "refund_currency(annual)", "described_of(annual, acme)"]
CLERK = ["refunds:read", "refunds:execute"]


@pytest.mark.parametrize(
    ("roles", "scopes", "may"), [(["refund_agent"], CLERK, True), (["refund_agent"], CLERK[:1], False), ([], CLERK, False)]
)
def test_money_goes_back_only_where_the_caller_has_role_and_scope(roles: list[str], scopes: list[str], may: bool) -> None:
    refunds = load("refunds").for_principal(Principal(roles=frozenset(roles), scopes=frozenset(scopes)))
    now = toolplan.frontier(refunds, state=REFUNDED, goal="refund_duplicate(acme, annual)")
    assert isinstance(now.decision, Blocked) is not may
    assert now.tools == (("execute_refund",) if may else ())
    assert ("execute_refund" in json.dumps(now.to_dict())) is may


def test_who_may_not_have_a_refund_executed_may_propose_one() -> None:
    scopes = frozenset(scope for tool in load("refunds").tools.values() for scope in tool.evidence.scopes)
    uncleared = load("refunds").for_principal(Principal(scopes=scopes))
    assert {"search_customers", "list_charges"}.isdisjoint(uncleared.tools), "these show what is personal, and what was paid"
    refunds = load("refunds").for_principal(Principal(scopes=scopes, clearances=frozenset({"personal", "payment"})))
    prepared = toolplan.plan(refunds, state={"described(acme)", "described_of(annual, acme)"}, goal="propose_refund(acme, annual)")
    assert prepared.to_dict()["steps"][-1]["action"] == "propose_refund"
    assert set(load("refunds").tools) - set(refunds.tools) == {"execute_refund", "accept_dispute", "answer_dispute"}


# Tools without a contract


def test_tools_without_a_contract_are_hidden_unless_the_policy_says_explore(tmp_path: Path) -> None:
    assert loads("fact a").policy.uncontracted is Uncontracted.HIDE
    assert loads("policy { uncontracted explore }").policy.uncontracted is Uncontracted.EXPLORE
    (tmp_path / "open.toolplan").write_text("policy { uncontracted explore }", "utf-8")
    assert loads('import "open.toolplan"', directory=tmp_path).policy.uncontracted is Uncontracted.EXPLORE
    closed = 'import "open.toolplan" policy { uncontracted hide }'
    assert loads(closed, directory=tmp_path).policy.uncontracted is Uncontracted.HIDE


# The command line


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "toolplan", *arguments], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("command", ["plan", "frontier"])
def test_commands_take_the_caller(command: str) -> None:
    asked = [command, SNIPPET, "--state", "found(report)", "--goal", "published(report)", "--json"]
    caller = ["--role", "owner", "--scope", "files:read", "--scope", "files:publish", "--tenant", "acme", "--environment", "production"]
    assert (run(*asked, *caller).returncode, run(*asked).returncode) == (0, 0)
    refused = run(*asked, *caller[:-1], "test")
    assert refused.returncode == Exit.NO_PLAN
    assert "publish_file" not in refused.stdout + refused.stderr


def test_chat_takes_the_caller_and_records_none(tmp_path: Path) -> None:
    shown = chat(SNIPPET, "--goal", "published(report)", "--scope", "files:read", typed="").stdout
    assert "blocked: nothing can add published(report)" in shown
    assert "publish_file" not in shown
    refused = chat(SNIPPET, "--record", str(tmp_path / "r.toolplan"), "--role", "owner", typed="", code=Exit.USAGE)
    assert "--record takes no caller" in " ".join(refused.stderr.split())


def test_the_version_is_printed() -> None:
    shown = run("--version")
    assert (shown.returncode, shown.stdout.split()[0], shown.stdout.count("\n")) == (0, "toolplan", 1)
