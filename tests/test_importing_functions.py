"""Python functions as tools: schemas from signatures, and contracts that stand beside the code."""

from __future__ import annotations

import datetime
import enum
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from toolplan import DomainError, frontier, plan
from toolplan.checks import lints
from toolplan.checks.schemas import against_schemas
from toolplan.contract import contract
from toolplan.domain import AtomicFormula, Free, IfKnown, ValueType
from toolplan.importing.files import listing_of
from toolplan.importing.functions import Gathered, gather, of_module
from toolplan.importing.functions.signatures import tool_of
from toolplan.language.codes import Code, Severity


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Note(TypedDict):
    text: str
    tag: NotRequired[str]


@dataclass
class Point:
    x: int
    y: float = 0.0


@contract(requires="day, event_description", produces="event_id", returns={"event_id": "$[*].id"}, risk="read")
def search_events(day: datetime.date, event_description: str, limit: int = 10) -> list[dict[str, object]]:
    """Search events of a day.

    Args:
        day: The day on which the event is.
        event_description (str): Words of its title,
            in any order.

    Returns:
        The events.
    """
    return []


@contract(
    requires=["event_id", "new_time"],
    passes={"eventId": "event_id", "start": "new_time"},
    produces="event_updated",
    risk="write",
    confirm=True,
)
def update_event(eventId: str, start: datetime.datetime, note: str | None = None) -> None:
    """Change an event."""


@contract(parameters="f: file, p: person", requires="found(f)", produces="shared(f, p)", risk="share", owner='the "files" team')
def share_file(f: str, p: str) -> None:
    """Share a file."""


def ring_bell(times: int) -> None:
    """Ring the bell.

    :param times: How often.
    """


def gathered(*functions: Callable[..., Any], beside: str = "") -> Gathered:
    made = gather(*functions, beside=beside)
    resolved = lints.check_text(made.imported.text)
    findings = [*resolved.diagnostics, *against_schemas(resolved, made.catalog)]
    assert not [str(finding) for finding in findings if finding.severity is not Severity.NOTE]
    return made


# Signatures


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (bool, {"type": "boolean"}),
        (datetime.date, {"type": "string", "format": "date"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
        (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Literal["a", "b"], {"enum": ["a", "b"]}),
        (Color, {"enum": ["red", "blue"]}),
        (Literal[Color.RED], {"enum": ["red"]}),
        (Annotated[str, "what is meant"], {"type": "string", "description": "what is meant"}),
        (Note, {"type": "object", "properties": {"text": {"type": "string"}, "tag": {"type": "string"}}, "required": ["text"]}),
        (Point, {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "number"}}, "required": ["x"]}),
        (Any, {}),
        (object, {}),
    ],
)
def test_a_hint_is_a_schema(hint: object, schema: object) -> None:
    def function(value):  # type: ignore[no-untyped-def]
        pass

    function.__annotations__["value"] = hint
    assert tool_of(function).properties["value"] == schema


def test_what_has_a_default_is_optional_and_what_is_bound_is_no_argument() -> None:
    def function(self: object, one: int, *rest: str, two: str = "x", **more: object) -> dict[str, int]:
        return {}

    tool = tool_of(function)
    assert tool.required == ("one",)
    assert tool.properties["two"] == {"type": "string", "default": "x"}
    assert tool.schema["additionalProperties"] is True
    assert tool.results == {"type": "object", "additionalProperties": {"type": "integer"}}
    assert set(tool.properties) == {"one", "two"}


class Unseen:
    def __repr__(self) -> str:
        raise ValueError


@pytest.mark.parametrize("default", [math.inf, -math.inf, math.nan, 10**5000, Unseen(), b"x"], ids=lambda default: type(default).__name__)
def test_a_default_that_is_no_json_is_left_out(default: object) -> None:
    def function(value: Any = default) -> None:
        pass

    assert tool_of(function).schema == {"type": "object", "properties": {"value": {}}}
    json.loads(listing_of(gather(function).catalog.values()).kept)


class Limit(enum.Enum):
    FEW = 3
    ALL = math.inf


@pytest.mark.parametrize("hint", [Limit, Literal[b"x"], "no hint at all", "1 / 0"])
def test_a_hint_that_no_schema_can_say_takes_anything(hint: object) -> None:
    def function(value):  # type: ignore[no-untyped-def]
        pass

    function.__annotations__["value"] = hint
    assert tool_of(function).properties["value"] == {}


GOOGLE = "Do it.\n\nMore of it.\n\nArgs:\n    a: The a.\n    b (int, optional): The b,\n        with more.\n\nReturns:\n    x: no\n"
NUMPY = (
    "Do it.\n\nMore of it.\n\nParameters\n----------\na : str\n    The a.\nb\n    The b,\n    with more.\n\nReturns\n-------\nx\n    no\n"
)
SPHINX = "Do it.\n\nMore of it.\n\n:param a: The a.\n:param int b: The b,\n    with more.\n:returns: no\n"


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX])
def test_docstrings_of_every_style_describe_the_parameters(text: str) -> None:
    def function(a: str, b: int) -> None:
        pass

    function.__doc__ = text
    tool = tool_of(function)
    assert tool.description == "Do it.\n\nMore of it."
    assert [schema["description"] for schema in tool.properties.values() if isinstance(schema, dict)] == ["The a.", "The b, with more."]


# Contracts beside code


def test_a_function_with_a_contract_is_what_it_was() -> None:
    assert search_events(datetime.date(2026, 12, 1), "dentist") == []


def test_functions_with_contracts_are_a_domain_a_catalog_and_the_callables() -> None:
    made = gathered(search_events, update_event)
    now = frontier(made.domain, state={"day", "event_description", "new_time"}, goal="update_event")
    assert now.tools == ("search_events",)
    assert made.callables[now.tools[0]] is search_events
    assert list(made.catalog) == ["search_events", "update_event"]
    assert "search_events" in [step.action for step in plan(made.domain, state="", goal="update_event").steps]


def test_facts_take_types_and_words_from_the_arguments_that_they_are() -> None:
    facts = gathered(search_events, update_event).domain.facts
    assert facts["day"].value == ValueType("date")
    assert facts["day"].description == "The day on which the event is."
    assert facts["new_time"].value == ValueType("datetime")
    assert facts["event_updated"].value is None


def test_an_argument_is_the_fact_of_its_name_or_the_models() -> None:
    passes = gathered(search_events).domain.tools["search_events"].interface.passes
    assert str(passes["day"]) == "day"
    assert passes["limit"] == Free()


def test_what_is_passed_if_known_is_a_fact_that_nobody_is_asked_for() -> None:
    @contract(requires="city", passes={"rooms": "many_rooms if known"}, produces="hotels", risk="read")
    def search_hotels(city: str, rooms: int = 1) -> None:
        """Look for hotels.

        Args:
            rooms: How many rooms are wanted.
        """

    domain = gathered(search_hotels).domain
    assert domain.tools["search_hotels"].interface.passes["rooms"] == IfKnown(AtomicFormula("many_rooms"))
    assert (domain.facts["many_rooms"].value, domain.facts["many_rooms"].description) == (
        ValueType("integer"),
        "How many rooms are wanted.",
    )
    assert list(domain.asks) == ["ask_city"]


def test_what_is_required_and_passed_if_known_has_the_type_of_its_argument() -> None:
    @contract(requires="many_rooms", passes={"rooms": "many_rooms if known"}, produces="hotels", risk="read")
    def search_hotels(rooms: int = 1) -> None:
        """Look for hotels."""

    assert gathered(search_hotels).domain.facts["many_rooms"].value == ValueType("integer")


def test_every_clause_can_be_said() -> None:
    @contract(
        requires="a or b",
        produces="oneof (c or not d)",
        removes=["e", "f when a"],
        verifies="a",
        cost="2.5",
        risk="write",
        confirm="auditor",
        passes={"x": "from a, b", "y": '"low"'},
        checks="a != b",
        key="token",
        fails_when="$.error",
        capability="letters",
        idempotent=True,
        server="post",
        scopes=["read", "write"],
        version="1.0",
        use_when='somebody says "now"',
        do_not_use_when=["late", "early"],
        side_effect="a letter leaves",
    )
    def send_letter(x: str, y: str, token: str, z: int = 0) -> None:
        """Send a letter."""

    tool = gather(send_letter, beside="goal tidy { achieves not e, not f, c, not d }").domain.tools["send_letter"]
    assert (tool.cost, tool.risk, tool.confirm and tool.confirm.by) == (2.5, "write", "auditor")
    assert tool.evidence.do_not_use_when == ("late", "early")
    assert tool.evidence.use_when == ('somebody says "now"',)
    assert (tool.evidence.idempotent, tool.evidence.scopes, tool.interface.key) == (True, ("read", "write"), "token")


def test_types_of_entities_are_declared_with_the_facts_about_them() -> None:
    domain = gather(share_file, beside="tool find(f: file) { produces found(f) risk read }").domain
    assert set(domain.types) == {"file", "person"}
    assert [parameter.type for parameter in domain.facts["shared"].parameters] == ["file", "person"]
    assert [str(step) for step in plan(domain, state="", goal="shared(report, ana)").steps] == ["find(report)", "share_file(report, ana)"]


def test_what_is_declared_beside_wins() -> None:
    beside = 'fact day: text "any day"  goal update_event { achieves event_updated given new_time phrases "move" }'
    domain = gathered(search_events, update_event, beside=beside).domain
    assert domain.facts["day"].value == ValueType("text")
    assert domain.goals["update_event"].phrases == ("move",)


def test_a_function_without_a_contract_gets_one_with_the_gravest_risk() -> None:
    made = gathered(search_events, ring_bell)
    assert made.domain.tools["ring_bell"].risk == "delete"
    assert made.domain.facts["ring_bell_times"].value == ValueType("integer")
    assert [point.names for point in made.imported.open_points] == [("ring_bell",)]


def test_a_clause_that_there_is_not_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="no clause 'require'"):
        contract(require="a")  # type: ignore[call-arg]


@pytest.mark.parametrize("clauses", [{"requires": "a,,b"}, {"produces": "not"}, {"risk": "no level"}, {"returns": {"a": "$["}}])
def test_a_contract_that_cannot_be_read_is_shown(clauses: Any) -> None:
    def function() -> None:
        pass

    with pytest.raises(DomainError) as caught:
        gather(contract(produces="a", **clauses)(function) if "produces" not in clauses else contract(**clauses)(function))
    assert caught.value.diagnostics[0].severity is Severity.ERROR
    assert caught.value.diagnostics[0].location


# Modules


def test_the_public_functions_of_a_module_are_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from os.path import join\n\ndef ring_bell(times: int): 'Ring.'\n\ndef _hidden(): pass\n\nclass Thing:\n    def method(self): pass\n"
    (tmp_path / "bells_of_a_test.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(of_module("bells_of_a_test").domain.tools) == ["ring_bell"]


def test_a_function_is_called_as_its_module_calls_it_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "import functools\n\ndef get(key: str): 'Get it.'\n\nfetch = get\n\n@functools.wraps(get)\ndef get_anew(key): return get(key)\n\n"
        "add = lambda one, two: one + two\n\ndef _put(key: str): 'Put it.'\n\nput = _put\n"
    )
    (tmp_path / "names_of_a_test.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    made = of_module("names_of_a_test")
    assert list(made.domain.tools) == list(made.catalog) == ["get", "get_anew", "add", "put"]
    assert made.callables["add"](1, 2) == 3


def test_two_functions_of_one_name_are_refused() -> None:
    def ring_bell() -> None:
        """Another one."""

    assert list(gather(ring_bell, ring_bell).catalog) == ["ring_bell"]
    with pytest.raises(DomainError) as caught:
        gather(ring_bell, globals()["ring_bell"])
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.hint) == (Code.NAME_CLASH, "rename one of them")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = 1", Code.BAD_CALL),
        ("1 / 0", Code.UNREADABLE_FILE),
        ("import no_such", Code.UNREADABLE_FILE),
        ("raise SystemExit(3)", Code.UNREADABLE_FILE),
    ],
)
def test_a_module_that_cannot_be_imported_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, code: Code) -> None:
    name = f"broken_of_a_test_{abs(hash(text))}"
    (tmp_path / f"{name}.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(DomainError) as caught:
        of_module(name)
    assert [finding.code for finding in caught.value.diagnostics] == [code]
