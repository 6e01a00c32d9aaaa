"""The language: what texts mean, and that no text is too bad to be told so."""

from __future__ import annotations

import time
from collections.abc import Iterable
from fractions import Fraction
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark

from toolplan.domain import (
    DEFAULT_RISK,
    TRUE,
    And,
    Ask,
    AskKind,
    AtomicFormula,
    Clarify,
    Comparison,
    Confirmation,
    Constant,
    Derived,
    Domain,
    Effect,
    Equal,
    Exists,
    Fact,
    ForAll,
    Free,
    HostReader,
    Literal,
    Not,
    Or,
    Outcome,
    Parameter,
    Path as ResultPath,
    Pattern,
    Performer,
    RiskLevel,
    Type,
    ValueType,
    Variable,
)
from toolplan.language import expected
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, render
from toolplan.language.loading import check, check_text, load, loads
from toolplan.language.parser import keywords, parse, parse_condition, parse_statements, parse_steps
from toolplan.language.source import Source

EXAMPLE = '''
domain workspace "Office assistant: calendar, e-mail, files"

import "contacts.toolplan"

type event
type file
type person

fact date: date            "the day the user means"
fact event_description     "words that identify an event"
fact new_time: datetime    "when it should be instead"
fact event_id              "the identifier of one calendar event"
fact event_updated
fact found(file)           "the file is known by its identifier"
fact resolved(person)
fact shared(file, person)
fact private(file) closed
fact recipient: email

tool search_events {
  "Search calendar events by date and description."
  requires date, event_description
  produces event_id
  returns  event_id = $.items[*].id
  risk read
}

tool update_event calls "calendar.update-event" {
  "Change an existing event."
  requires event_id, new_time
  passes   eventId = event_id, start = new_time
  produces event_updated
  risk write
}

tool share_file(f: file, p: person) {
  "Give a person access to a file."
  requires found(f), resolved(p)
  produces shared(f, p)
  removes  private(f)
  cost 2
  risk share
  confirm
}

ask recipient_name {
  "Who should it go to?"
  produces recipient
  cost 5
}

goal move_event {
  "Move an event to another time."
  achieves event_updated
  given    date, event_description, new_time
  phrases  "move my appointment to ...", "reschedule"
}

policy {
  confidence 0.70
  margin     0.15
  plausible  0.05
  lambda     1
  clarify    late
  risk read 0 safe, draft 0.5, write 1, share 3 confirm, send 3 confirm, delete 5 confirm
  always visible request_human, cancel_run
}

test "move tomorrow's dentist appointment to 4 PM" {
  given  date, event_description, new_time
  goal   move_event
  expect search_events, update_event
  never  create_event, delete_event
}
'''

IMPORTED = """
fact event_created
tool create_event { requires date produces event_created risk write }
tool delete_event { requires event_id removes event_created risk delete }
tool request_human { produces event_created risk read }
tool cancel_run { removes event_created risk read }
"""


@pytest.fixture
def example(tmp_path: Path) -> Domain:
    (tmp_path / "contacts.toolplan").write_text(IMPORTED, "utf-8")
    (tmp_path / "workspace.toolplan").write_text(EXAMPLE, "utf-8")
    return load(tmp_path / "workspace.toolplan")


def atom(fact: str, *variables: str) -> AtomicFormula:
    return AtomicFormula(fact, tuple(map(Variable, variables)))


def found(findings: Iterable[Diagnostic]) -> list[tuple[str, str]]:
    """Findings as pairs of code and underlined text."""
    result = []
    for finding in findings:
        assert finding.location is not None
        source, span = finding.location
        result.append((finding.code.number, source.text[span.start : span.end]))
    return result


def findings(text: str) -> list[tuple[str, str]]:
    return found(check_text(text).diagnostics)


# The example of DESIGN.md


def test_example_is_clean(tmp_path: Path) -> None:
    (tmp_path / "contacts.toolplan").write_text(IMPORTED, "utf-8")
    assert found(check_text(EXAMPLE, directory=tmp_path).diagnostics) == []


def test_example_declarations(example: Domain) -> None:
    assert (example.name, example.description) == ("workspace", "Office assistant: calendar, e-mail, files")
    assert list(example.types.values()) == [Type("event"), Type("file"), Type("person")]
    assert example.facts["date"] == Fact("date", value=ValueType("date"), description="the day the user means")
    assert example.facts["new_time"].value == ValueType("datetime")
    assert example.facts["event_id"].value is None
    assert example.facts["shared"].parameters == (Parameter("file", "file"), Parameter("person", "person"))
    assert [fact.name for fact in example.facts.values() if fact.closed] == ["private"]
    assert list(example.tools)[:4] == ["create_event", "delete_event", "request_human", "cancel_run"]


def test_example_tools(example: Domain) -> None:
    search, update, share = (example.tools[name] for name in ("search_events", "update_event", "share_file"))
    assert search.requires == And((atom("date"), atom("event_description")))
    assert search.produces == (Effect(atom("event_id")),)
    assert search.interface.returns == ((atom("event_id"), ResultPath("$.items[*].id")),)
    assert (search.cost, search.risk, search.confirm, search.call_name) == (1, "read", None, "search_events")
    assert update.call_name == "calendar.update-event"
    assert update.interface.passes == {"eventId": atom("event_id"), "start": atom("new_time")}
    assert share.parameters == (Parameter("f", "file"), Parameter("p", "person"))
    assert share.requires == And((atom("found", "f"), atom("resolved", "p")))
    assert share.produces == (Effect(atom("shared", "f", "p")),)
    assert share.removes == (Effect(atom("private", "f")),)
    assert (share.cost, share.risk, share.confirm) == (2, "share", Confirmation())
    assert example.score_of(share) == 5


def test_example_questions_and_goals(example: Domain) -> None:
    recipient = Ask("recipient_name", question="Who should it go to?", produces=(Effect(atom("recipient")),), cost=Fraction(5))
    assert example.asks["recipient_name"] == recipient
    implied = [ask for ask in example.asks.values() if ask.implied]
    assert [ask.produces for ask in implied] == [(Effect(atom(name)),) for name in ("date", "event_description", "new_time")]
    assert implied[0].question == "What is the date (the day the user means)?"
    goal = example.goals["move_event"]
    assert goal.achieves == atom("event_updated")
    assert goal.given == (atom("date"), atom("event_description"), atom("new_time"))
    assert goal.phrases == ("move my appointment to ...", "reschedule")


def test_example_policy(example: Domain) -> None:
    policy = example.policy
    shares = (policy.confidence, policy.margin, policy.plausible)
    assert shares == (Fraction("0.7"), Fraction("0.15"), Fraction("0.05"))
    assert (policy.risk_factor, policy.clarify, policy.always_visible) == (1, Clarify.LATE, ("request_human", "cancel_run"))
    assert policy.risk == DEFAULT_RISK
    assert policy.level("read") == RiskLevel("read", Fraction(0), safe=True)
    assert policy.level("delete") == RiskLevel("delete", Fraction(5), confirm=Confirmation())


def test_example_test_block(example: Domain) -> None:
    (scenario,) = example.tests
    assert scenario.name == "move tomorrow's dentist appointment to 4 PM"
    assert [(item.atom, item.status) for item in scenario.given] == [
        (atom(name), "known") for name in ("date", "event_description", "new_time")
    ]
    assert [(wanted.label, wanted.goal) for wanted in scenario.wanted] == [("move_event", "move_event")]
    wanted = And((atom("event_updated"), atom("date"), atom("event_description"), atom("new_time")))
    assert scenario.wanted[0].condition == wanted
    assert [(expectation.kind, expectation.atoms) for expectation in scenario.expects] == [
        ("chain", (atom("search_events"), atom("update_event")))
    ]
    assert [never.atoms for never in scenario.never] == [(atom("create_event"), atom("delete_event"))]


# Meaning beyond the example

RICH = r'''
type item "anything"
type file: item
type folder: item
constant inbox, outbox: folder "where mail lies"

fact listed(folder) many lasting fresh 10m
fact inside(file, folder: folder)
fact open(item) closed
fact amount: decimal
fact status: enum("open", "closed")
fact secret trust user
fact summary: text
fact charged: decimal

tool tidy(from: folder) {
  "Tidy \"up\"\n\u{1F5C4}."
  requires listed(from), (not open(from) or (from != inbox, exists f: file (inside(f, from))))
  requires forall f: file (not open(f))
  produces status, open(from) when secret, forall f: file (inside(f, outbox) when inside(f, from))
  removes  open(inbox)
  produces oneof (summary or (amount, not secret) or not listed(from))
  verifies status
  cost 0.25
  risk write
  confirm by manager
  passes   id = from, "if-match" = status, mode = "fast", size = 3, share = 0.5, tags = ["a", 1, [true]], keep = null, note free,
           body from summary, amount
  checks   amount <= charged, amount > 0, status != "closed"
  key      request_id
  returns  status = $.a["b, c"][0], summary = pattern """id: (?P<id>\\d+)""", amount = by money
  fails when $.error
  capability files, tidy_up
  server "files" scopes "read", "write" owner "team" version "1.2" supersedes tidy_old
  use when "it is full" do not use when "it is empty"
  idempotent
  side effect "moves files"
}

tool find_file {
  finds    f: file
  creates  g: folder
  produces inside(f, g)
  enumerates file, folder
  risk read
}

tool flip by user { produces secret risk write }
tool summarize by model { requires listed(inbox) produces summary risk read }

ask which(f: file) { "Which file?" chooses f requires secret }
ask may_tidy { "May I?" permits tidy }

goal tidied(f: folder) { achieves open(f) or (status, secret) }
'''


@pytest.fixture(scope="module")
def rich() -> Domain:
    assert findings(RICH) == []
    return loads(RICH, "dir/rich.toolplan")


def test_types_constants_and_facts(rich: Domain) -> None:
    assert rich.name == "rich"
    assert rich.types["file"] == Type("file", "item")
    assert rich.constants["inbox"] == rich.constants["outbox"] == "folder"
    assert rich.facts["listed"] == Fact("listed", (Parameter("folder", "folder"),), many=True, lasting=True, fresh=Fraction(600))
    assert rich.facts["inside"].parameters == (Parameter("file", "file"), Parameter("folder", "folder"))
    assert rich.facts["status"].value == ValueType("enum", ("open", "closed"))
    assert rich.facts["secret"].trusts_user


def test_conditions(rich: Domain) -> None:
    listed, inside = atom("listed", "from"), atom("inside", "f", "from")
    file = (Parameter("f", "file"),)
    elsewhere = And((Not(Equal(Variable("from"), Constant("inbox"))), Exists(file, inside)))
    assert loads(RICH.replace("listed(from), not", "not")).tools["tidy"].requires == And(
        (Or((Not(atom("open", "from")), elsewhere)), ForAll(file, Not(atom("open", "f"))))
    )
    assert rich.goals["tidied"].achieves == Or((atom("open", "f"), And((atom("status"), atom("secret")))))
    assert rich.tools["summarize"].requires == AtomicFormula("listed", (Constant("inbox"),))
    assert listed in loads(RICH.replace(", not open(from) or (", ", (")).tools["tidy"].requires.conditions  # type: ignore[union-attr]
