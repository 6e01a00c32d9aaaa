"""Links between tools: each kind of evidence, and what holds of all links."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplan.catalog import RealTool
from toolplan.importing.linking import LIKELY, POSSIBLE, Link, links
from toolplan.importing.linking.candidates import candidates
from toolplan.importing.linking.evidence import RELATIONS, Evidence
from toolplan.importing.linking.schemas import nodes, types
from toolplan.importing.linking.subjects import Subject, subject
from toolplan.importing.linking.weights import FITTED, GROUP
from toolplan.importing.linking.words import words

DATA = Path(__file__).parent / "data"
STRING = {"type": "string"}


def tool(
    name: str, takes: object = (), returns: object = (), *, optional: Sequence[str] = (), origin: str = "", told: str = ""
) -> RealTool:
    """A tool with arguments and fields by name, of texts or with schemas. All are required but those in `optional`."""
    properties = _properties(takes)
    results = {"type": "object", "properties": _properties(returns)} if returns else {}
    schema = {"type": "object", "properties": properties, "required": [name for name in properties if name not in optional]}
    return RealTool(name, told, schema, origin, {}, results)


def _properties(given: object) -> dict[str, object]:
    if isinstance(given, Mapping):
        return dict(given)
    assert isinstance(given, list | tuple)
    return {name: STRING for name in given}


def told(description: str) -> dict[str, object]:
    return {"type": "string", "description": description}


def only(producer: RealTool, consumer: RealTool) -> Link:
    """The one link between two tools."""
    (link,) = links([producer, consumer])
    assert (link.producer, link.consumer) == (producer.name, consumer.name)
    return link


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("eventId", ("event", "id")),
        ("event_ids", ("event", "id")),
        ("TVShowID", ("tv", "show", "id")),
        ("file_name2", ("file", "name")),
        ("username", ("user", "name")),
        ("userIDs", ("user", "id")),
        ("GetMovies", ("get", "movie")),
        ("branches", ("branch",)),
        ("addresses", ("address",)),
        ("status", ("status",)),
        ("people", ("person",)),
        ("user_uuid", ("user", "id")),
        ("$#!", ()),
    ],
)
def test_words_of_a_name(name: str, parts: tuple[str, ...]) -> None:
    assert words(name) == parts


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("list_calendar_events", Subject("list", ("calendar", "event"))),
        ("getUserByEmail", Subject("get", ("user",))),
        ("SkyScrapperSearchAirport", Subject("search", ("airport",))),
        ("Image-to-Text", Subject("", ("text",))),
        ("get_all_credit_cards", Subject("get", ("credit", "card"))),
        ("Product_Search", Subject("search", ("product",))),
        ("Instagram_Posts", Subject("", ("instagram", "post"))),
        ("GetOnAirTV", Subject("get", ("on", "air", "tv"))),
        ("list", Subject("list", ())),
        ("", Subject("", ())),
    ],
)
def test_what_a_tool_is_about(name: str, about: Subject) -> None:
    assert subject(name) == about


def test_same_name_but_for_case_and_separators() -> None:
    link = only(tool("book_flight", ["card"], ["bookingId"]), tool("cancel_booking", ["booking_id"]))
    assert link == Link("book_flight", "$.bookingId", "cancel_booking", "booking_id", link.confidence, ("same name",))
    assert link.confidence >= LIKELY


def test_the_thing_of_the_tool_belongs_to_an_id() -> None:
    link = only(tool("post_tweet", ["content"], ["id"]), tool("retweet", ["tweet_id"]))
    assert (link.path, link.evidence[0]) == ("$.id", Evidence.SAME_THING)
    bare = only(tool("search_events", ["query"], ["event_id"]), tool("delete_event", ["id"]))
    assert (bare.path, bare.evidence[0]) == ("$.event_id", Evidence.SAME_THING)
    assert not links([tool("post_tweet", ["content"], ["id"]), tool("delete_event", ["id"])])


def test_the_field_around_an_id_says_of_what_it_is() -> None:
    inside = {"events": {"type": "array", "items": {"type": "object", "properties": {"id": STRING, "name": STRING}}}}
    link = only(tool("search", ["query"], inside), tool("delete_event", ["event_id"]))
    assert (link.path, link.evidence[0]) == ("$.events[*].id", Evidence.SAME_THING)


def test_one_name_may_end_with_the_other() -> None:
    link = only(tool("search_airport", ["query"], ["skyId"]), tool("search_flight", ["originSkyId"]))
    assert (link.path, link.evidence[0]) == ("$.skyId", Evidence.ENDS_ALIKE)


def test_an_argument_may_go_by_several_names() -> None:
    link = only(tool("search_person", ["query"], ["username"]), tool("get_followers", ["username_or_id_or_url"]))
    assert (link.path, link.evidence[0]) == ("$.username", Evidence.ALTERNATIVE)


def test_material_may_be_taken_and_returned() -> None:
    link = only(tool("text_summarizer", ["text"], ["text"]), tool("text_to_audio", ["text"]))
    assert link.evidence == ("same kind of material",)
    assert link.confidence > LIKELY


@pytest.mark.parametrize("returned", [{"contentMediaType": "image/png"}, {"description": "The image that was drawn."}, {"title": "Image"}])
def test_material_is_told_where_names_say_nothing(returned: Mapping[str, object]) -> None:
    drawing = tool("draw", ["prompt"], {"output": {"type": "string", **returned}})
    link = only(drawing, tool("colorize", {"input_1": told("An image.")}))
    assert (link.path, link.evidence) == ("$.output", ("same kind of material",))
    assert not links([drawing, tool("translate", {"input_1": told("An image or a text.")})])


def test_a_tool_that_writes_is_given_its_material() -> None:
    link = only(tool("get_issue", ["issue"], ["url"]), tool("create_webhook", ["url"]))
    assert link.evidence == ("same name", "the argument is no key", "the argument is written")
    assert link.confidence < LIKELY


def test_descriptions_name_values() -> None:
    link = only(tool("get_user_id", ["user"], ["user_id"]), tool("send_message", {"receiver_id": told("User ID of whom to send it to.")}))
    assert (link.path, link.evidence[0]) == ("$.user_id", Evidence.DESCRIBED)
    place = {"location": {"type": "object", "properties": {"name": STRING}}}
    query = only(tool("current_weather", ["city"], place), tool("airports", {"query": told("Name of the location where the airport is.")}))
    assert (query.path, query.evidence[0]) == ("$.location.name", Evidence.DESCRIBED)


def test_a_result_without_a_schema_holds_the_thing_that_its_tool_finds() -> None:
    link = only(tool("list_issues", ["repo"]), tool("get_issue", ["issue_number"]))
    assert (link.path, link.evidence) == ("$", ("the result is of the thing of the argument", "the tool finds or makes the thing"))
    assert link.confidence >= LIKELY
    assert not links([tool("close_issue", ["repo"]), tool("get_issue", ["issue_number"])])


def test_a_result_that_is_only_called_result_says_no_more() -> None:
    link = only(tool("search_projects", ["query"], ["result"]), tool("get_project", ["project_key"]))
    assert (link.path, link.evidence[0]) == ("$.result", Evidence.HOLDS_THING)


def test_two_sorts_of_a_thing_are_two_things() -> None:
    secret, code = tool("list_secret_alerts", ["repo"]), tool("list_code_alerts", ["repo"])
    assert only(code, tool("get_code_alert", ["alert_number"]))
    assert not links([secret, tool("get_code_alert", ["alert_number"])])


def test_a_field_of_which_no_schema_tells_holds_its_thing() -> None:
    cards = {"credit_card_list": {"type": "array"}}
    link = only(tool("get_all_cards", ["owner"], cards), tool("get_balance", {"card_id": {"type": "array"}}))
    assert (link.path, link.evidence[0]) == ("$.credit_card_list", Evidence.HOLDS_THING)


@pytest.mark.parametrize(
    ("field", "argument", "evidence"),
    [
        (("converted_distance", {"type": "number"}), ("distance", {"type": "number"}), Evidence.LAST_WORD),
        (("gross_salary", {"type": "number"}), ("amount", {"type": "number"}), Evidence.MONEY),
        (("lyrics", STRING), ("text", STRING), Evidence.TEXT),
        (("area", {"type": "integer"}), ("number", {"type": "number"}), Evidence.NUMBER),
    ],
)
def test_weak_relations_are_possible_and_not_between_servers(
    field: tuple[str, Mapping[str, object]], argument: tuple[str, Mapping[str, object]], evidence: Evidence
) -> None:
    producer, consumer = tool("one", ["shape"], dict([field])), tool("another", dict([argument]))
    (found,) = candidates([producer, consumer])
    assert found.evidence[0] == evidence
    assert FITTED.probability(found.evidence) < LIKELY
    assert not list(candidates([producer, tool("another", dict([argument]), origin="elsewhere")]))


def test_descriptions_name_tools_and_the_longer_name_counts() -> None:
    asked = tool("search_hotels", {"geo": told("Retrieved from the Search Location API.")})
    link = only(tool("Trip_Search_Location", ["query"]), asked)
    assert (link.path, link.evidence) == ("$", ("the description of the argument names the tool",))
    other = tool("search_hotels", {"place_id": told("The id from Search Restaurant Location.")})
    both = links([tool("search_location", ["query"], ["place_id"]), tool("search_restaurant_location", ["query"], ["place_id"]), other])
    named = {link.producer: link for link in both}
    assert Evidence.NAMED in named["search_restaurant_location"].evidence
    assert Evidence.ANOTHER_NAMED in named["search_location"].evidence
    assert both[0].producer == "search_restaurant_location"


def test_a_tool_is_no_source_of_what_it_has_to_be_given() -> None:
    echo, source, consumer = (
        tool("get_ticket", ["ticket_id"], ["ticket_id"]),
        tool("add", ["x"], ["ticket_id"]),
        tool("solve", ["ticket_id"]),
    )
    found = {one.producer: one.evidence for one in candidates([echo, source, consumer]) if one.consumer == "solve"}
    assert Evidence.ECHO in found["get_ticket"]
    assert [link.producer for link in links([echo, source, consumer]) if link.consumer == "solve"] == ["add"]


def test_what_need_not_be_filled_is_less_likely_filled() -> None:
    producer = tool("book", ["card"], ["page_id", "page_size"])
    required, optional = only(producer, tool("see", ["page_id"])), only(producer, tool("see", ["page_id"], optional=["page_id"]))
    assert required.confidence > optional.confidence
    assert Evidence.OPTIONAL in optional.evidence
    setting = next(one for one in candidates([producer, tool("see", ["page_size"])]))
    assert Evidence.SETTING in setting.evidence


@pytest.mark.parametrize(
    "schema", [{"type": "string", "enum": ["a", "b"]}, {"type": "boolean"}, {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}]
)
def test_a_choice_needs_no_tool(schema: Mapping[str, object]) -> None:
    assert not links([tool("one", ["x"], ["order_kind"]), tool("two", {"order_kind": schema})])


def test_types_that_differ_speak_against_a_link_but_not_for_keys() -> None:
    number = {"type": "number"}
    price = next(candidates([tool("one", ["x"], {"price": number}), tool("two", ["price"])]))
    order = next(candidates([tool("one", ["x"], {"order_id": number}), tool("two", ["order_id"])]))
    assert Evidence.OTHER_TYPE in price.evidence
    assert Evidence.OTHER_TYPE not in order.evidence


def test_yes_or_no_and_what_has_parts_fill_nothing() -> None:
    parts = {"type": "object", "properties": {"street": STRING}}
    returns = {"valid": {"type": "boolean"}, "address": parts}
    assert not links([tool("one", ["x"], returns), tool("two", ["valid", "address"])])


def test_servers_name_things_alike_by_chance() -> None:
    here, there = tool("one", ["x"], ["order_id"]), tool("two", ["order_id"], origin="shop")
    assert Evidence.OTHER_SERVER in next(candidates([here, there])).evidence
    assert only(here, tool("two", ["order_id"])).confidence > links([here, there])[0].confidence


def test_results_are_read_through_references_and_unions() -> None:
    results = {
        "type": "object",
        "$defs": {"Event": {"type": "object", "properties": {"id": STRING, "next": {"$ref": "#/$defs/Event"}}}},
        "properties": {
            "found": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Event"}}, {"type": "null"}]},
            "odd name": {"type": ["integer", "null"]},
            "elsewhere": {"$ref": "https://example.org/event"},
        },
    }
    read = {node.path: types(node.schema, results) for node in nodes(results)}
    assert read["$.found"] == {"array", "object"}
    assert read["$.found[*].id"] == {"string"}
    assert read["$['odd name']"] == {"number"}
    assert read["$.elsewhere"] == frozenset()
    assert "$.found[*].next.next" not in read


@pytest.mark.parametrize(
    "schema", [{}, {"type": "object"}, {"properties": None}, {"properties": {"x": True}}, {"required": "x"}, {"properties": []}]
)
def test_odd_schemas_have_no_links(schema: Mapping[str, object]) -> None:
    assert links([RealTool("one", "", schema), RealTool("two", "", schema, "", {}, schema)]) == ()


def test_every_weight_belongs_to_a_group() -> None:
    assert FITTED.weights.keys() == set(GROUP.values())


NAMES = st.sampled_from(["list_events", "get_event", "create_event", "search_users", "get_user", "send_message", "summarize", "close"])
FIELDS = st.sampled_from(
    ["id", "event_id", "userId", "name", "text", "amount", "total", "number", "message", "user_or_event_id", "url", "x"]
)
SCHEMAS = st.sampled_from(
    [STRING, {"type": "number"}, {"type": "array"}, {}, {"type": "string", "description": "The user id from list events."}, {"enum": ["a"]}]
)
TOOLS = st.lists(
    st.builds(
        tool,
        NAMES,
        st.dictionaries(FIELDS, SCHEMAS, max_size=4),
        st.dictionaries(FIELDS, SCHEMAS, max_size=4),
        optional=st.lists(FIELDS, max_size=2),
        origin=st.sampled_from(["", "mail"]),
    ),
    max_size=7,
    unique_by=lambda drawn: drawn.name,
)


@settings(max_examples=60)
@given(TOOLS.flatmap(lambda tools: st.tuples(st.just(tools), st.permutations(tools))))
def test_the_order_of_tools_does_not_matter(both: tuple[list[RealTool], list[RealTool]]) -> None:
    tools, shuffled = both
    assert links(shuffled) == links(tools)


@settings(max_examples=60)
@given(TOOLS)
def test_links_join_what_there_is_best_first(tools: list[RealTool]) -> None:
    found, named = links(tools), {drawn.name: drawn for drawn in tools}
    for link in found:
        producer, consumer = named[link.producer], named[link.consumer]
        assert producer is not consumer
        assert link.argument in consumer.properties
        assert link.path == "$" or link.path in {node.path for node in nodes(producer.results)}
        assert POSSIBLE <= link.confidence <= 1
        assert Evidence.NAMED in link.evidence or link.evidence[0] in RELATIONS
    assert [link.confidence for link in found] == sorted((link.confidence for link in found), reverse=True)
    assert len({(link.producer, link.consumer, link.argument) for link in found}) == len(found)


@settings(max_examples=60)
@given(TOOLS)
def test_another_tool_takes_no_link_away(tools: list[RealTool]) -> None:
    others = [tool("archive_invoice", ["invoice_number"], ["archived_at"])]
    with_it = [link for link in links([*tools, *others]) if link.producer != "archive_invoice" != link.consumer]
    assert tuple(with_it) == links(tools)


def test_a_real_server_links_its_issues() -> None:
    listed = json.loads((DATA / "mcp" / "github.json").read_text("utf-8"))["tools"]
    tools = [RealTool(one["name"], "", {"properties": one["properties"], "required": one["required"]}) for one in listed]
    found = {(link.producer, link.consumer, link.argument) for link in links(tools) if link.confidence >= LIKELY}
    assert found == {("search_issues", consumer, "issue_number") for consumer in ("add_issue_comment", "find_duplicate", "issue_read")}
