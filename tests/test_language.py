"""The language: what texts mean, and that no text is too bad to be told so."""

from __future__ import annotations

import json
import pickle
import re
import time
from collections.abc import Callable, Iterable
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
    Pattern,
    Performer,
    RiskLevel,
    Template,
    Type,
    ValueType,
    Variable,
)
from toolplan.domain import Path as ResultPath
from toolplan.language import expected
from toolplan.language.codes import Code, Severity
from toolplan.language.diagnostics import Diagnostic, DomainError, render
from toolplan.language.loading import check, check_text, load, loads
from toolplan.language.parser import parse, parse_condition, parse_statements, parse_steps
from toolplan.language.source import Source
from toolplan.language.tables import keywords

EXAMPLE = """
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
"""

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


def errors(text: str, directory: Path | None = None) -> list[tuple[str, str]]:
    """The errors of a text; what lint says of it is no matter here."""
    wrong = check_text(text, directory=directory).diagnostics
    return found(finding for finding in wrong if finding.severity is Severity.ERROR)


# The example of DESIGN.md


def test_example_has_no_errors(tmp_path: Path) -> None:
    (tmp_path / "contacts.toolplan").write_text(IMPORTED, "utf-8")
    assert errors(EXAMPLE, tmp_path) == []


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
    assert goal.templates == ()


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
fact summary: text by others
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
  server "files" scopes "read", "write" roles "clerk", "boss" tenants "acme" environments "prod", "test" owner "team" version "1.2" supersedes tidy_old
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
ask may_flip { "May I?" permits flip }

goal tidied(f: folder) { achieves open(f) or (status, secret) }
'''


@pytest.fixture(scope="module")
def rich() -> Domain:
    assert errors(RICH) == []
    return loads(RICH, "dir/rich.toolplan")


def test_types_constants_and_facts(rich: Domain) -> None:
    assert rich.name == "rich"
    assert rich.types["file"] == Type("file", "item")
    assert rich.constants["inbox"] == rich.constants["outbox"] == "folder"
    assert rich.facts["listed"] == Fact("listed", (Parameter("folder", "folder"),), many=True, lasting=True, fresh=Fraction(600))
    assert rich.facts["inside"].parameters == (Parameter("file", "file"), Parameter("folder", "folder"))
    assert rich.facts["status"].value == ValueType("enum", ("open", "closed"))
    assert rich.facts["secret"].trusts_user
    assert [name for name, fact in rich.facts.items() if fact.by_others] == ["summary"]


def test_conditions(rich: Domain) -> None:
    file = (Parameter("f", "file"),)
    elsewhere = And((Not(Equal(Variable("from"), Constant("inbox"))), Exists(file, atom("inside", "f", "from"))))
    assert rich.tools["tidy"].requires == And(
        (atom("listed", "from"), Or((Not(atom("open", "from")), elsewhere)), ForAll(file, Not(atom("open", "f"))))
    )
    assert rich.goals["tidied"].achieves == Or((atom("open", "f"), And((atom("status"), atom("secret")))))
    assert rich.tools["summarize"].requires == AtomicFormula("listed", (Constant("inbox"),))


def test_effects(rich: Domain) -> None:
    tidy, find = rich.tools["tidy"], rich.tools["find_file"]
    outbox = Constant("outbox")
    moved = Effect(AtomicFormula("inside", (Variable("f"), outbox)), atom("inside", "f", "from"), (Parameter("f", "file"),))
    assert tidy.produces == (Effect(atom("status")), Effect(atom("open", "from"), atom("secret")), moved)
    assert tidy.removes == (Effect(AtomicFormula("open", (Constant("inbox"),))),)
    assert tidy.outcomes == (
        Outcome((atom("summary"),)),
        Outcome((atom("amount"),), (atom("secret"),)),
        Outcome((), (atom("listed", "from"),)),
    )
    assert tidy.verifies == (atom("status"),)
    assert (find.finds, find.creates) == ((Parameter("f", "file"),), (Parameter("g", "folder"),))
    assert find.enumerates == ("file", "folder")


def test_numbers_strings_and_performers(rich: Domain) -> None:
    tidy = rich.tools["tidy"]
    assert tidy.description == 'Tidy "up"\n\U0001f5c4.'
    assert (tidy.cost, tidy.confirm) == (Fraction(1, 4), Confirmation("manager"))
    performers = [tool.performer for tool in rich.tools.values()]
    assert performers == [Performer.CALL, Performer.CALL, Performer.USER, Performer.MODEL]


def test_interface(rich: Domain) -> None:
    interface = rich.tools["tidy"].interface
    assert interface.passes == {
        "id": Variable("from"),
        "if-match": atom("status"),
        "mode": Literal("fast"),
        "size": Literal(3),
        "share": Literal(0.5),
        "tags": Literal(["a", 1, [True]]),
        "keep": Literal(None),
        "note": Free(),
        "body": Derived((atom("summary"), atom("amount"))),
    }
    assert interface.checks == (
        Comparison(atom("amount"), "<=", atom("charged")),
        Comparison(atom("amount"), ">", Literal(0)),
        Comparison(atom("status"), "!=", Literal("closed")),
    )
    assert interface.key == "request_id"
    assert interface.returns == (
        (atom("status"), ResultPath('$.a["b, c"][0]')),
        (atom("summary"), Pattern(r"id: (?P<id>\d+)")),
        (atom("amount"), HostReader("money")),
    )
    assert interface.fails_when == ("$.error",)


def test_evidence(rich: Domain) -> None:
    evidence = rich.tools["tidy"].evidence
    assert evidence.capability == ("files", "tidy_up")
    assert (evidence.server, evidence.scopes, evidence.owner, evidence.version) == ("files", ("read", "write"), "team", "1.2")
    assert (evidence.roles, evidence.tenants, evidence.environments) == (("clerk", "boss"), ("acme",), ("prod", "test"))
    assert (evidence.supersedes, evidence.use_when, evidence.do_not_use_when) == (("tidy_old",), ("it is full",), ("it is empty",))
    assert evidence.idempotent
    assert evidence.side_effect == "moves files"


def test_kinds_of_questions(rich: Domain) -> None:
    assert [ask.kind for ask in rich.asks.values()] == [AskKind.ENTITY, AskKind.PERMISSION]
    assert (rich.asks["which"].chooses, rich.asks["may_flip"].permits) == ("f", "flip")


def test_defaults() -> None:
    tool = loads("fact a tool x { produces a }").tools["x"]
    assert (tool.requires, tool.cost, tool.risk, tool.description) == (TRUE, 1, None, "")


def test_a_list_goes_on_where_its_clause_stands_again() -> None:
    once = 'fact a fact b tool x { requires a, b produces a, b use when "it rains", "it snows" risk read }'
    twice = 'fact a fact b tool x { requires a requires b produces a produces b use when "it rains" use when "it snows" risk read }'
    assert loads(once).tools == loads(twice).tools


# Phrases


def speaking(*phrases: str) -> str:
    """A domain with a goal that has these phrases, each as a string of the language."""
    return f"""
        type event type city constant paris: city
        fact named(event): text  fact starts(event): datetime  fact of(event, city)  fact note: text  fact e  fact moved(event)
        tool move(x: event) {{ requires named(x), starts(x), of(x, paris), note, e produces moved(x) risk write }}
        goal move(e: event, c: city) {{ achieves moved(e), of(e, c) phrases {", ".join(phrases)} }}
    """


@pytest.mark.parametrize(
    ("phrase", "text", "template"),
    [
        ('"move {named(e)} to {starts(e)}"', "move ... to ...", ("move ", atom("named", "e"), " to ", atom("starts", "e"))),
        ('"{e} in {c}"', "... in ...", (Variable("e"), " in ", Variable("c"))),
        ('"note { note } or {e()}, ..."', "note ... or ..., ...", ("note ", atom("note"), " or ", atom("e"), ", ...")),
        ('"{of(e, paris)}"', "...", (AtomicFormula("of", (Variable("e"), Constant("paris"))),)),
        ('"a {`named`(`e`)}"', "a ...", ("a ", atom("named", "e"))),
        (r'"\u{e9} {of(e, \"paris\")}"', "é ...", ("é ", AtomicFormula("of", (Variable("e"), Constant("paris"))))),
        ('"""one\n{note}\n"""', "one\n...\n", ("one\n", atom("note"), "\n")),
        ('"{{e}} and {{{e}}}"', "{e} and {...}", ("{e} and {", Variable("e"), "}")),
        ('"{e}{{{c}"', "...{...", (Variable("e"), "{", Variable("c"))),
    ],
)
def test_a_phrase_is_cut_at_its_slots(phrase: str, text: str, template: Template) -> None:
    goal = loads(speaking('"reschedule"', phrase)).goals["move"]
    assert (goal.phrases, goal.templates) == (("reschedule", text), (template,))


def test_a_brace_that_people_say_makes_no_template() -> None:
    goal = loads(speaking('"{{e}}"', '""', r'"\u{7b}{c}}"')).goals["move"]
    assert (goal.phrases, goal.templates) == (("{e}", "", "{c}"), ())


@pytest.mark.parametrize(
    ("phrase", "wrong"),
    [
        ('"a {}"', [("TP008", "{}")]),
        ('"a { # }"', [("TP008", "{ # }")]),
        ('"a {e"', [("TP008", "{")]),
        ('"a {e b {c}"', [("TP008", "{")]),
        ('"a } b {c}"', [("TP008", "}")]),
        ('"{e}}"', [("TP008", "}")]),
        ('"{e}{c}"', [("TP008", "{c}")]),
        ('"{e} \t{c} {note}"', [("TP008", "{c}"), ("TP008", "{note}")]),
        ('"{nmaed(e)} {c}"', [("TP101", "nmaed")]),
        ('"{named(e), note}"', [("TP008", ",")]),
        ('"{not note}"', [("TP008", "not")]),
        ('"{named(e}"', [("TP008", "")]),
        ('"{named[e]}"', [("TP008", "[")]),
        ('"{named(e, c)} for {of(e)}"', [("TP105", "named(e, c)"), ("TP105", "of(e)")]),
        ('"{named(c)}"', [("TP106", "c")]),
        ('"{named(x)} at {y}"', [("TP107", "x"), ("TP101", "y")]),
        (r'"\"\u{1f9b7}\\ {nmaed(\u{65})}\tto {x}"', [("TP101", "nmaed"), ("TP101", "x")]),
        ('"""one\n"two" {x}"""', [("TP101", "x")]),
        ('"a {e}, {x', [("TP003", '"')]),
        ("\u201ca {e}\u201d", [("TP002", "\u201ca {e}\u201d")]),
    ],
)
def test_a_slot_that_cannot_be_read_is_underlined_inside_its_string(phrase: str, wrong: list[tuple[str, str]]) -> None:
    assert errors(speaking(phrase)) == wrong


def test_what_was_meant_in_a_slot_is_suggested() -> None:
    domain = speaking('"{staarts(e)} or {nota}"').replace("fact e ", "")
    hints = {finding.hint for finding in check_text(domain).diagnostics if finding.code is Code.UNKNOWN_FACT}
    assert {"did you mean `starts`?", "did you mean `note`?"} <= hints


# Texts that mean the same

KEYWORDS = sorted(word for word, terminal in keywords().items() if terminal not in expected.RESERVED)
PLACES = """domain @ import "lib.toolplan" type @ type sub: @ constant @: @ fact @(@: @, other: sub): text closed many
tool @(@: @, y: sub) calls "@" by user { requires @(@, y), (not @(@, y) or (@ = y, exists @2: @ (@(@2, y)))) produces @(@, y) when @(@, y)
  passes @ = @(@, y), also = @ key @ risk @ confirm by @ returns @(@, y) = by @ capability @, @ }
ask ask_@(@: @) { chooses @ } ask may_@ { permits @ } goal @(@: @, y: sub) { achieves @(@, y) given @(@, y) }
policy { risk @ 0, read 1 clarify @ uncontracted @ always visible @, @ }
test "t" { given @(@, y), @(y, @)?, not @(@, @) goal @(@, y) expect @, @(@, y) never @, @ without @(@, y) }"""


@pytest.mark.parametrize("word", KEYWORDS)
def test_a_keyword_is_a_name_wherever_there_is_no_room_for_a_keyword(word: str) -> None:
    plain, plain_findings = parse(Source("x", PLACES.replace("@", word)))
    quoted = PLACES.replace("@2", f"`{word}2`").replace("_@", f"_{word}").replace('"@"', f'"{word}"').replace("@", f"`{word}`")
    node, findings_ = parse(Source("x", quoted))
    assert (plain_findings, findings_) == ([], [])
    assert plain == node


@pytest.mark.parametrize("word", ["frontier", "question", "blocked"])
def test_three_words_are_names_but_after_expect(word: str) -> None:
    text = f'fact {word} tool {word} {{ produces {word} risk read }} test "t" {{ goal {word} expect `{word}` }}'
    assert [expectation.kind for expectation in loads(text).tests[0].expects] == ["chain"]
    bare, _ = parse(Source("x", text.replace("`", "")))
    assert bare != parse(Source("x", text))[0]


def words(text: str) -> list[str]:
    """A text without comments, cut at its white space, but not inside strings."""
    return re.findall(r'(?:"[^"]*"|[^\s"])+', text)


@pytest.mark.parametrize("space", [" ", "\n", "\r\n", "\t", "\n\n  ", " # why\n"])
def test_white_space_and_line_ends_mean_nothing(space: str) -> None:
    assert parse(Source("x", space.join(words(EXAMPLE))))[0].declarations == parse(Source("x", EXAMPLE))[0].declarations


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "x.toolplan").write_bytes(b"\xef\xbb\xbffact b\nfact a")
    assert list(load(tmp_path / "x.toolplan").facts) == ["b", "a"]


# Mistakes


def test_one_mistake_is_one_finding() -> None:
    """Any word of the example misspelt, one at a time."""
    text = EXAMPLE.replace('import "contacts.toolplan"', "").replace("always visible request_human, cancel_run", "")
    text = text.replace("never  create_event, delete_event", "never  share_file")
    assert errors(text) == []
    for start, end in spans_of_words(text):
        if end - start > 3:
            assert len(errors(text[: start + 1] + text[start + 2 :])) <= 1, text[start:end]


def spans_of_words(text: str) -> list[tuple[int, int]]:
    """The words outside strings."""
    spans, at, quoted = [], 0, False
    for i, character in enumerate(text + " "):
        if not (character.isalnum() or character == "_"):
            if at < i and not quoted:
                spans.append((at, i))
            at = i + 1
        quoted ^= character == '"'
    return spans


def test_mistakes_of_several_declarations_are_all_found() -> None:
    text = "fact a\ntool x {\n  requires b\n  cost -1\n}\ntool y {\n  requires a c\n  produces d\n}\ngoal z { achieves e }"
    assert errors(text) == [("TP101", "b"), ("TP202", "-1"), ("TP001", "c"), ("TP101", "d"), ("TP101", "e")]


def test_what_could_not_be_read_is_not_missed_elsewhere() -> None:
    assert errors("fact\ta b\ntyp file\nfact found(file)\ntool x { requires a, b produces found(f) risk read }") == [
        ("TP001", "b"),
        ("TP001", "typ"),
        ("TP107", "f"),
    ]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", []),
        ("# nothing", []),
        ("\ufeff", []),
        ("fact fact", []),
        ("factory", [("TP001", "factory")]),
        ("tooling { requires a }", [("TP001", "tooling")]),
        ("fact ``", [("TP001", "``")]),
        ("fact `a", [("TP003", "`")]),
        ("fact `a b` tool x { requires `a b` produces `a b` risk read }", []),
        ("fact a fresh 0m", [("TP202", "fresh 0m")]),
        ("fact a fresh 0.5m", [("TP002", "0.5m")]),
        ("fact a\0", [("TP002", "\0")]),
        ('fact a "\0"', []),
        ("fact a\ud800 b", [("TP602", "\ud800")]),
        ('fact a "\\u{d800}"', [("TP006", "\\u{d800}")]),
        ('fact a "\\u{110000}"', [("TP006", "\\u{110000}")]),
        ("fact a\u200b", [("TP002", "\u200b")]),
        ("fact a tool x { produces a cost \u0663 risk read }", [("TP002", "\u0663")]),
        ("fact a tool x { produces a cost -0 risk read }", []),
        ("fact a tool x { removes oneof (a) risk read }", [("TP001", "oneof")]),
        ("fact a ask x { produces oneof (a) }", [("TP001", "oneof")]),
        ('import "a.toolplan"', [("TP604", '"a.toolplan"')]),
        ("type object", [("TP104", "object")]),
        ("policy { risk none 0 } fact a tool x { produces a risk none }", []),
        ("fact a tool x { requires a, (a or not a) produces a risk read }", []),
        ("fact a tool x { requires not (not a), not a produces a risk read }", []),
    ],
)
def test_corners(text: str, wrong: list[tuple[str, str]]) -> None:
    assert errors(text) == wrong


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"fact a tool x {{ produces a cost 9{'9' * 5_000} risk read }}", Code.NUMBER_OUT_OF_RANGE),
        (f"fact a tool x {{ produces a passes n = {'9' * 5_000} risk read }}", Code.NUMBER_OUT_OF_RANGE),
        (f"fact a fresh {'9' * 5_000}d", Code.NUMBER_OUT_OF_RANGE),
        (f"fact a tool x {{ requires {'not ' * 10_000}a }}", Code.NESTED_TOO_DEEP),
        (f"fact a tool x {{ requires {('not ' * 99 + '(') * 99}a{')' * 99} }}", Code.NESTED_TOO_DEEP),
        (f"fact a tool x {{ requires {'(a, a or ' * 10_000}a{')' * 10_000} }}", Code.UNEXPECTED_TOKEN),
        (f"fact a tool x {{ requires {'(a, ' * 10_000}a{')' * 10_000} }}", Code.NESTED_TOO_DEEP),
        (f"fact a tool x {{ passes n = {'[' * 10_000}{']' * 10_000} }}", Code.NESTED_TOO_DEEP),
        (f"type a fact b tool x {{ requires {'forall x: a (' * 200}b{')' * 200} }}", Code.NESTED_TOO_DEEP),
        (f"fact {'a' * 100_000} tool x {{ requires {'b' * 100_000} }}", Code.UNKNOWN_FACT),
    ],
    ids=range(10),
)
def test_what_is_too_large_is_said_in_one_finding(text: str, code: Code) -> None:
    wrong = check_text(text).diagnostics
    assert [finding.code for finding in wrong if finding.severity is Severity.ERROR] == [code]
    assert len(render(wrong[0])) < 2_000


def test_brackets_around_one_thing_do_not_nest() -> None:
    text = f"fact a tool x {{ requires {'(' * 10_000}a{')' * 10_000} produces a risk read }}"
    assert loads(text).tools["x"].requires == atom("a")


def test_thousands_of_misspelt_names_are_cheap() -> None:
    declared = "\n".join(f"fact number_{i}_of_many" for i in range(2_000))
    used = "\n".join(f"tool t{i} {{ requires numbr_{i}_of_mny produces nmber_{i}_of_many risk read }}" for i in range(1_000))
    clauses = "\n".join(f"requirs number_{i}_of_many" for i in range(3_500))
    for text in (f"{declared}\n{used}", f"tool x {{\n{clauses}\n}}", f"tool x {{ requires {', '.join(f'y{i}' for i in range(14_000))} }}"):
        assert len(text) > 95_000
        started = time.process_time()
        assert check_text(text).diagnostics
        assert time.process_time() - started < 2


def test_a_chain_of_a_thousand_imports_is_refused_and_not_followed(tmp_path: Path) -> None:
    for number in range(1_000):
        (tmp_path / f"{number}.toolplan").write_text(f'import "{number + 1}.toolplan"', "utf-8")
    assert [finding.code for finding in check(tmp_path / "0.toolplan").diagnostics] == [Code.NESTED_TOO_DEEP]


@pytest.mark.parametrize("path", ["a\0b", "a" * 5_000, "", ".", "no/such/file.toolplan", "\udcff.toolplan"])
def test_a_path_that_leads_to_no_file(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (finding,) = check(path).diagnostics
    assert finding.code is Code.UNREADABLE_FILE
    json.dumps(finding.to_dict(), ensure_ascii=False).encode("utf-8")
    escaped = path.encode("unicode_escape", "surrogatepass").decode().replace("\\x00", "\\u{0}").replace("\\udcff", "x")
    wrong = check_text(f'import "{escaped}"', directory=tmp_path).diagnostics
    assert [finding.code for finding in wrong] == [Code.UNREADABLE_FILE]


# No text is too bad

SOUP = [
    *keywords(),
    *["a", "b", "f", "x", "`q q`", "``", "`", '"s"', '"', '"""', "'", "(", ")", "{", "}", "[", "]", ",", ":", "=", "!=", "?", "<", ">="],
    *["1", "0.5", "-3", "10m", "0s", "9" * 200, "$", "$.a[*]", "$[", "#", "\n", "\r\n", "\t", "\u200b", "\xe9", "\0", "\ud800", "\u201c"],
    *["\u201d", ";", "/", "-", ".", "1e5", "\\", "\xa0", "\u2028", "\U0001f600", "fact a", "tool t {", "type t", "goal g { achieves a }"],
]
SOUPS = st.tuples(st.sampled_from(["", " "]), st.lists(st.sampled_from(SOUP), max_size=40)).map(lambda soup: soup[0].join(soup[1]))
BYTES = st.binary(max_size=200).flatmap(
    lambda data: st.sampled_from([data.decode("latin-1"), data.decode("utf-8", "surrogateescape"), data.decode("utf-16", "replace")])
)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A good text with spans of it left out or doubled."""
    text = draw(st.sampled_from([EXAMPLE, RICH]))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(1, 30)))
        text = draw(
            st.sampled_from(
                [text[:start] + text[end:], text[:end] + text[start:], text[:start] + draw(st.sampled_from(SOUP)) + text[start:]]
            )
        )
    return text


@settings(max_examples=300, deadline=None)
@given(st.one_of(SOUPS, BYTES, damaged(), st.text(max_size=100)))
def test_every_text_is_a_domain_or_has_findings(text: str) -> None:
    resolved = check_text(text)
    for finding in resolved.diagnostics:
        check_finding(finding, text)
    try:
        assert loads(text).facts == resolved.domain.facts
    except DomainError as error:
        assert error.diagnostics == tuple(finding for finding in resolved.diagnostics if finding.severity is Severity.ERROR)


@settings(max_examples=300, deadline=None)
@given(st.one_of(SOUPS, BYTES), st.sampled_from([parse_condition, parse_statements, parse_steps]))
def test_every_phrase_is_read_or_has_findings(text: str, parse_phrase: Callable[[Source], object]) -> None:
    try:
        parse_phrase(Source("<state>", text))
    except DomainError as error:
        assert error.diagnostics
        for finding in error.diagnostics:
            check_finding(finding, text)


def check_finding(finding: Diagnostic, text: str) -> None:
    """One sentence that does not start with a capital and has no full stop, with a place in the text; names in backquotes."""
    assert finding.location is not None
    assert 0 <= finding.location.span.start <= finding.location.span.end <= len(text)
    for sentence in (finding.message, finding.hint):
        assert sentence.count("`") % 2 == 0 or "`" in text
        assert sentence.isprintable()
        assert not sentence.endswith(".")
        assert not sentence[:1].isupper() or sentence.startswith("U+")
    assert "\n" not in render(finding).splitlines()[0]
    assert json.loads(json.dumps(finding.to_dict(), ensure_ascii=False).encode("utf-8")) == finding.to_dict()


# The grammar


def test_the_grammar_has_no_conflicts() -> None:
    grammar = resources.files("toolplan.grammar").joinpath("toolplan.lark").read_text("utf-8")
    starts = ["declaration", "statements", "condition", "steps", "unreadable"]
    Lark(grammar, parser="lalr", lexer="basic", strict=True, start=starts, keep_all_tokens=True, maybe_placeholders=True)


def test_every_terminal_has_a_spelling() -> None:
    grammar = resources.files("toolplan.grammar").joinpath("toolplan.lark").read_text("utf-8")
    lark = Lark(grammar, parser="lalr", lexer="basic", start=["declaration", "statements", "condition", "steps", "unreadable"])
    read = {terminal.name for terminal in lark.terminals} - {*lark.ignore_tokens, "OPEN_STRING", "OPEN_NAME", "BAD_NUMBER", "BAD"}
    assert read | {"$END"} == set(expected.SPELLING)
    assert {*expected.RESERVED, *expected.TAKES_A_STRING} <= set(keywords().values())
    assert {*expected.SPELLING, *keywords().values()} >= expected.NEEDS_MORE | expected.MAY_END_A_CLAUSE


def test_another_process_can_raise_what_is_wrong() -> None:
    with pytest.raises(DomainError) as caught:
        loads("fact found tool find { produces foud }")
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, DomainError)
    assert (again.diagnostics, str(again)) == (caught.value.diagnostics, str(caught.value))
