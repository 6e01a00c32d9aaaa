"""Real language: contracts from schemas that others wrote, and our decisions beside their annotations, on small extracts."""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import Ran, run

from toolplan.bench import real
from toolplan.bench.real import bfcl, selector, sgd, sgd_contracts, sgd_slots, slots, value_types, when2call, when2call_slots
from toolplan.bench.real.agreement import Agreement, agreement
from toolplan.bench.real.contracts import identifier
from toolplan.bench.real.decided import NextAction
from toolplan.bench.real.selector import (
    VARIANTS,
    Judged,
    Understood,
    Utterance,
    countings_of,
    cross_validated,
    curves,
    needless,
    understand,
)
from toolplan.bench.real.slots import Annotated, SlotTurn, agreements, by_annotation, by_rules
from toolplan.bench.tables import table
from toolplan.cli.exits import Exit
from toolplan.domain import AskKind, Domain, ValueType
from toolplan.goals.rankers.labelled import Labelled
from toolplan.goals.readings import Reading, reading_of
from toolplan.learning.intervals import wilson
from toolplan.planning.plans import Atom
from toolplan.planning.problem import State
from toolplan.session.turns import Stated, TurnReading

DATA = Path(__file__).parent / "data"
SERVICES = sgd_contracts.read(DATA / "sgd")
DOMAIN = sgd_contracts.domain_of(SERVICES)


def held(rows: Sequence[Agreement]) -> dict[str, tuple[int, int]]:
    return {row.what: (row.holds, row.cases) for row in rows}


# Shares


def test_the_interval_is_wilsons() -> None:
    low, high = wilson(95, 100)
    assert (round(low, 4), round(high, 4)) == (0.8882, 0.9785)


@pytest.mark.parametrize(("holds", "cases"), [(0, 10), (10, 10), (0, 0)])
def test_an_interval_stays_between_nothing_and_all(holds: int, cases: int) -> None:
    low, high = wilson(holds, cases)
    assert 0 <= low < high <= 1


def test_what_does_not_hold_is_counted_by_kind() -> None:
    row = agreement("data", "even", [1, 2, 3, 5, 9], lambda n: n % 2 == 0, lambda n: "small" if n < 6 else "large")
    assert (row.cases, row.holds, row.others) == (5, 1, ("3x small", "1x large"))


def test_a_table_of_no_cases_can_be_shown() -> None:
    row = agreement("data", "nothing", [], bool, str)
    assert (row.holds, row.percent) == (0, "")
    assert table([row]).row_count == 1


def test_nearly_all_is_not_shown_as_all() -> None:
    assert agreement("data", "all but one", range(2103), bool, str).percent.startswith("99.95 ")


# Contracts from the schemas of services


def test_every_intent_is_a_goal_and_a_tool_that_calls_it_by_its_name() -> None:
    intents = [f"{service['service_name']}.{intent['name']}" for service in SERVICES for intent in service["intents"]]
    assert [tool.call_name for tool in DOMAIN.tools.values()] == intents
    assert list(DOMAIN.goals) == list(DOMAIN.tools)


def test_required_slots_are_given_and_have_questions() -> None:
    goal = DOMAIN.goals["Restaurants_2_ReserveRestaurant"]
    given = {formula.fact for formula in goal.given}
    assert given == {f"Restaurants_2_{slot}" for slot in ("restaurant_name", "location", "time")}
    assert given <= {effect.atom.fact for ask in DOMAIN.asks.values() for effect in ask.produces}
    assert not any(ask.implied for ask in DOMAIN.asks.values())


def test_results_are_effects_and_no_answers_to_what_the_user_is_asked() -> None:
    tool = DOMAIN.tools["Restaurants_2_FindRestaurants"]
    produced = {effect.atom.fact for effect in tool.produces}
    assert "Restaurants_2_FindRestaurants_restaurant_name" in produced
    assert "Restaurants_2_restaurant_name" not in produced
    assert "Restaurants_2_FindRestaurants_location" not in produced


def test_what_changes_something_needs_a_confirmation_and_what_looks_does_not() -> None:
    confirmed = {ask.permits for ask in DOMAIN.asks.values() if ask.kind is AskKind.PERMISSION}
    transactional = {
        sgd_contracts.goal_name(service["service_name"], intent["name"])
        for service in SERVICES
        for intent in service["intents"]
        if intent["is_transactional"]
    }
    assert confirmed == transactional
    assert {name for name, tool in DOMAIN.tools.items() if not DOMAIN.risk_of(tool).safe} == transactional


@pytest.mark.parametrize(
    ("words", "name"), [(("Hotels_4", "location"), "Hotels_4_location"), (("a.b-c",), "a_b_c"), (("2nd",), "_2nd"), (("é",), "_")]
)
def test_a_name_of_ours_is_an_identifier(words: tuple[str, ...], name: str) -> None:
    assert identifier(*words) == name


@pytest.mark.parametrize(
    ("fact", "value_type"),
    [
        ("Restaurants_2_date", ValueType("date")),
        ("Restaurants_2_time", ValueType("datetime")),
        ("Restaurants_2_number_of_seats", ValueType("integer")),
        ("Restaurants_2_has_vegetarian_options", ValueType("boolean")),
        ("Restaurants_2_price_range", ValueType("enum", ("cheap", "moderate", "pricey", "ultra high-end"))),
        ("Restaurants_2_location", ValueType("text")),
        ("Payment_1_amount", ValueType("decimal")),
    ],
)
def test_slots_have_the_types_that_their_schemas_tell_of(fact: str, value_type: ValueType) -> None:
    assert DOMAIN.facts[fact].value == value_type


@pytest.mark.parametrize(
    ("schema", "value_type"),
    [
        ({"type": "string"}, "text"),
        ({"type": "float"}, "decimal"),
        ({"type": "string", "enum": ["rent", 'the "other"']}, r'enum("rent", "the \"other\"")'),
        ({"type": "string", "enum": ["True", "False"]}, "boolean"),
        ({"type": "integer", "enum": [1, 2]}, "integer"),
        ({"type": "array", "items": {"type": "string"}}, None),
        ({}, None),
    ],
)
def test_properties_of_a_schema_have_types_but_for_lists_and_objects(schema: dict[str, object], value_type: str | None) -> None:
    assert value_types.of_property(schema) == value_type


# The dialogues


DECIDED = {(one.point.dialogue, one.point.turn): one for one in sgd.decisions(DATA / "sgd")}


def test_the_next_action_is_the_annotated_one_in_all_dialogues_but_one() -> None:
    found = held(sgd.agreements(list(DECIDED.values())))
    assert found["ask, confirm and call: same kind, service, intent"] == (41, 42)
    assert found["ask: the annotated slots lie in the form"] == (9, 9)
    assert found["ask: the form is exactly these slots"] == (7, 9)
    assert found["the same by a rule of three lines"] == (41, 42)


def test_the_miss_is_named_with_what_the_user_did() -> None:
    (miss,) = sgd.misses(DECIDED.values())
    assert (miss.case, miss.kind) == ("10_00050:3 Media_3.FindMovies", "done for call after REQUEST_ALTS")


def test_a_form_asks_for_all_that_is_missing() -> None:
    asked = DECIDED["1_00024", 1].ours
    slots = ("restaurant_name", "location", "time")
    assert asked == NextAction("ask", "Restaurants_2.ReserveRestaurant", frozenset(f"Restaurants_2_{slot}" for slot in slots))


def test_accepting_what_is_offered_instead_of_a_failed_booking_is_consent() -> None:
    after_failure = DECIDED["32_00000", 11]
    assert (after_failure.point.by_rule, after_failure.ours.kind) == ("confirm", "call")


def test_a_new_value_is_to_be_confirmed_again() -> None:
    corrected = DECIDED["24_00089", 11]
    assert (corrected.point.consented, corrected.ours.kind) == (False, "confirm")


def test_more_results_are_told_without_a_call_while_there_are_some() -> None:
    point = DECIDED["18_00127", 7].point
    assert point.stands
    assert "REQUEST_ALTS" in point.acts


def test_another_intent_of_the_service_is_no_agreement() -> None:
    one = DECIDED["1_00024", 5]
    assert one.agrees
    assert not sgd.Decided(one.point, NextAction("call", "Restaurants_2.FindRestaurants")).agrees
    assert not sgd.Decided(one.point, NextAction("confirm", "Restaurants_2.ReserveRestaurant")).agrees


def test_slots_beside_the_annotated_ones_are_told_from_missing_ones() -> None:
    point = DECIDED["1_00024", 1].point
    one = sgd.Decided(point, NextAction("ask", "Restaurants_2.ReserveRestaurant", frozenset({"Restaurants_2_location"})))
    assert (one.in_form, one.same_form) == (False, False)


# The values that turns of the dialogues state


SPOKEN = list(sgd_slots.read(DATA / "sgd"))
TURN = {(turn.dialogue, turn.number): turn.slots for turn in SPOKEN}


def reads(turn: SlotTurn, **values: object) -> TurnReading:
    return TurnReading(turn.text, reading_of(turn.text, ()), tuple(Stated(Atom(fact), value, "") for fact, value in values.items()))


def test_a_value_has_all_wordings_until_it_may_be_another() -> None:
    stated = TURN["32_00000", 4].stated
    assert list(stated) == ["Services_4_appointment_time"]
    assert stated["Services_4_appointment_time"].wordings == ("quarter past 1 in the afternoon", "1:15 pm", "13:15")


def test_what_a_turn_takes_over_holds_and_is_not_stated() -> None:
    turn = TURN["24_00089", 2]
    assert turn.stated == {}
    assert turn.held["Restaurants_2_location"].wordings[0] == "Healdsburg"


def test_a_reader_knows_the_question_the_goal_and_what_was_known() -> None:
    turn = TURN["24_00089", 4]
    assert turn.context.goals[0] == ("Restaurants_2_ReserveRestaurant",)
    assert Atom("Restaurants_2_location") in turn.context.state.known
    assert Atom("Restaurants_2_restaurant_name") not in turn.context.state.known
    asked = TURN["1_00024", 2].context.asked
    assert asked is not None
    assert asked.atoms == tuple(Atom(f"Restaurants_2_{slot}") for slot in ("time", "location", "restaurant_name"))
    confirming = TURN["1_00024", 4].context.asked
    assert confirming is not None
    assert (confirming.atoms, confirming.proposes) == ((), True)


def test_the_wordings_of_one_value_have_one_normal_form() -> None:
    assert held(list(slots.normalised("data", TURN.values()))) == {
        "wordings with a normal form": (21, 21),
        "wordings of one value with one normal form": (11, 11),
    }


@pytest.mark.parametrize(
    ("kind", "wordings", "value", "same"),
    [
        ("datetime", ("one pm",), "2019-04-05T13:00:00", True),
        ("datetime", ("one pm",), "2019-03-01T13:15:00", False),
        ("date", ("next Friday", "2019-03-08"), "2019-03-08", True),
        ("decimal", ("forty four dollars",), 44, True),
        ("text", ("SFO", "San Francisco"), "san francisco", True),
        ("text", ("San Francisco",), "San", False),
        ("boolean", ("True",), True, True),
        ("boolean", ("True",), False, False),
    ],
)
def test_a_value_is_right_if_it_means_one_of_the_wordings(kind: str, wordings: tuple[str, ...], value: object, same: bool) -> None:
    assert Annotated(ValueType(kind), wordings, sgd_slots.NOW).is_said_by(value) is same


def test_precision_is_of_what_was_read_and_recall_of_what_was_stated() -> None:
    first, second = TURN["1_00024", 2], TURN["24_00089", 4]
    readings = [
        reads(first, Restaurants_2_time="2019-03-01T13:00:00", Restaurants_2_location="Namu Gaji", Restaurants_2_date="2019-03-02"),
        reads(second, Restaurants_2_location="Healdsburg"),
    ]
    rows = {row.what: row for row in agreements("data", "any", [first, second], readings)}
    assert (rows["any: precision, all"].holds, rows["any: precision, all"].cases) == (2, 4)
    assert rows["any: precision, all"].others == ("1x another value", "1x no value is annotated")
    assert (rows["any: recall, all"].holds, rows["any: recall, all"].cases) == (1, 5)
    assert rows["any: recall, all"].others == ("3x not read", "1x another value")
    assert (rows["any: recall, datetime"].holds, rows["any: recall, datetime"].cases) == (1, 2)
    assert (rows["any: precision, optional"].holds, rows["any: precision, optional"].cases) == (0, 1)


def asked_again(read: Callable[[SlotTurn], TurnReading]) -> list[sgd_slots.Questioned]:
    readings = [read(turn.slots) for turn in SPOKEN]
    return [one for one in sgd_slots.questions(DOMAIN, DECIDED.values(), SPOKEN, readings) if one.stated]


def test_the_annotated_values_are_all_right_and_nothing_is_asked_for_again() -> None:
    readings = [by_annotation(turn) for turn in TURN.values()]
    rows = held(list(agreements("data", "annotation", list(TURN.values()), readings)))
    assert rows["annotation: recall, all"] == rows["annotation: precision, all"] == (37, 37)
    assert asked_again(by_annotation) == []


def test_without_a_reader_what_was_stated_is_asked_for_again() -> None:
    again = {(one.decided.point.dialogue, one.decided.point.turn): one.stated for one in asked_again(reads)}
    assert again["1_00024", 3] == {"Restaurants_2_time", "Restaurants_2_location", "Restaurants_2_restaurant_name"}
    assert again["24_00089", 5] == {"Restaurants_2_time", "Restaurants_2_restaurant_name"}


def test_what_was_stated_for_an_earlier_request_may_be_asked_for() -> None:
    points = {one.decided.point.turn: one for one in asked_again(reads) if one.decided.point.dialogue == "8_00044"}
    assert "Payment_1_receiver" in points[1].stated
    asked = DECIDED["8_00044", 13].ours
    assert "Payment_1_receiver" in asked.facts
    assert 13 not in points


def test_a_model_is_asked_about_a_turn_and_its_values_are_read() -> None:
    words = {"fact": "Restaurants_2_location", "words": "SFO"}
    answer = {"candidates": [], "words": [words], "forbids": [], "reply": "none", "option": -1}
    turn = TURN["1_00024", 2]
    reading = slots.by_model(lambda prompt, schema: json.dumps(answer))(turn)
    assert [stated.value for stated in reading.stated if stated.atom.fact == "Restaurants_2_location"] == ["SFO"]
    assert {one.wrong for one in slots.values_read(turn, reading)} == {""}


def test_the_rules_read_values_and_invent_none() -> None:
    readings = [by_rules(turn) for turn in TURN.values()]
    read = [one for turn, reading in zip(TURN.values(), readings, strict=True) for one in slots.values_read(turn, reading)]
    assert sum(not one.wrong for one in read) > 0
    assert not [one for one in read if one.wrong == "no value is annotated"]


class Llama:
    """Answers about one turn, in the place of llama.cpp."""

    def __init__(self, model_path: str, **settings: object) -> None:
        if not model_path.endswith(".gguf"):
            raise ValueError("failed to load the model")

    def create_chat_completion(self, messages: list[dict[str, str]], **settings: object) -> dict[str, object]:
        words = {"fact": "Restaurants_2_location", "words": "SFO"}
        answer = {"candidates": [], "words": [words], "forbids": [], "reply": "none", "option": -1}
        content = json.dumps(answer) if "SFO" in messages[0]["content"].splitlines()[-1] else "I do not know."
        return {"choices": [{"message": {"content": content}}]}


class LlamaGrammar:
    @staticmethod
    def from_json_schema(schema: str, verbose: bool) -> object:
        return json.loads(schema)


def bench_with_model(*arguments: str) -> Ran:
    return run("bench", "slots", "--data", str(DATA), "--json", *arguments)


@pytest.fixture
def llama(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", SimpleNamespace(Llama=Llama, LlamaGrammar=LlamaGrammar))


@pytest.mark.usefixtures("llama")
def test_a_local_model_is_held_beside_the_rules_on_a_sample() -> None:
    ran = bench_with_model("--model", "any.gguf", "--sample", "1000")
    assert ran.returncode == Exit.OK, ran.stderr
    spoken, single = json.loads(ran.stdout).items()
    assert spoken[0] == f"{sgd_slots.TITLE}, read by a model too: {len(SPOKEN)} of {len(SPOKEN)} turns"
    assert single[0].startswith(when2call_slots.TITLE)
    found = {row["what"]: (row["holds"], row["cases"]) for row in spoken[1]}
    assert found["annotation: recall, all"] == (37, 37)
    assert found["model: precision, all"][0] in (1, 2, 3), "the values of one turn, the only one that the model can read"
    assert found["model: recall, all"] == (found["model: precision, all"][0], 37)


@pytest.mark.usefixtures("llama")
def test_a_sample_is_the_same_each_time() -> None:
    first, again = (bench_with_model("--model", "any.gguf", "--sample", "5") for _ in range(2))
    assert first.stdout == again.stdout
    assert [title.rpartition(": ")[2].split()[0] for title in json.loads(first.stdout)] == ["5", "5"]


@pytest.mark.usefixtures("llama")
def test_a_file_without_a_model_is_told() -> None:
    ran = bench_with_model("--model", "any.txt")
    assert (ran.returncode, json.loads(ran.stdout)["diagnostics"][0]["code"]) == (Exit.INPUT, "TP601")


def test_without_llama_cpp_there_is_no_model_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    ran = bench_with_model("--model", "any.gguf")
    (finding,) = json.loads(ran.stdout)["diagnostics"]
    assert (ran.returncode, finding["code"], finding["hint"]) == (Exit.INTERNAL, "TP501", "pip install 'toolplan[local-models]'")


def test_a_sample_of_nothing_is_refused() -> None:
    assert bench_with_model("--model", "any.gguf", "--sample", "0").returncode == Exit.USAGE


# Which intent an utterance means


FIND, OTHER_FIND, RESERVE = "Restaurants_2_FindRestaurants", "Restaurants_1_FindRestaurants", "Restaurants_2_ReserveRestaurant"
STRICT, SAME_NAME = countings_of(DOMAIN)


class Fixed:
    """Reads the same of every request."""

    def __init__(self, *weights: tuple[tuple[str, ...], float]) -> None:
        self.weights = weights

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        return reading_of(request, self.weights)


def read_as(*weights: tuple[tuple[str, ...], float]) -> Understood:
    return understand(Fixed(*weights), Utterance("1", "somewhere to eat", FIND), DOMAIN)


def test_the_shares_are_those_among_single_goals() -> None:
    read = read_as(((FIND, RESERVE), 0.5), ((FIND,), 0.3), ((OTHER_FIND,), 0.1))
    assert read.likeliest == (FIND, RESERVE)
    assert [(goal, round(p, 2)) for goal, p in read.shares] == [(FIND, 0.75), (OTHER_FIND, 0.25)]


def test_an_utterance_that_nobody_can_read_is_wrong_and_sure_of_nothing() -> None:
    read = read_as()
    assert (read.likeliest, read.shares) == ((), ())
    assert STRICT.judge(read) == (False, 0.0, 0.0, False)


def test_intents_of_one_name_count_as_one_only_where_it_says_so() -> None:
    read = read_as(((OTHER_FIND,), 0.3), ((RESERVE,), 0.4), ((FIND,), 0.3))
    assert not STRICT.judge(read).right
    judged = SAME_NAME.judge(read)
    assert (judged.right, round(judged.confidence, 2), round(judged.margin, 2)) == (True, 0.6, 0.2)


@pytest.mark.parametrize(("goal", "safe"), [(FIND, True), (RESERVE, False)])
def test_searches_only_look(goal: str, safe: bool) -> None:
    read = read_as(((goal,), 1.0))
    assert (STRICT.judge(read).safe, SAME_NAME.judge(read).safe) == (safe, safe)


def test_what_changes_something_is_asked_about_sooner() -> None:
    search, booking = Judged(True, 0.8, 0.7, True), Judged(True, 0.8, 0.7, False)
    thresholded, sensitive = VARIANTS["thresholded"], VARIANTS["risk-sensitive"]
    assert thresholded(search) == thresholded(booking) == sensitive(search)
    assert sensitive(booking) < 1 < sensitive(search)


def test_no_ranker_has_learned_from_the_dialogue_that_it_reads() -> None:
    utterances = selector.read(DATA / "sgd")
    learned: list[set[str]] = []

    class Watching(Fixed):
        def __init__(self, examples: Sequence[Labelled]) -> None:
            super().__init__(((FIND,), 1.0))
            self.known = {example.request for example in examples}
            learned.append(self.known)

        def rank(self, request: str, domain: Domain, state: State) -> Reading:
            assert request not in self.known
            return super().rank(request, domain, state)

    assert [one.utterance for one in cross_validated(Watching, DOMAIN, utterances)] == utterances
    assert set.union(*learned) == {one.text for one in utterances}


def judged(*verdicts: tuple[float, bool]) -> list[Judged]:
    return [Judged(right, sure, sure, safe=True) for sure, right in verdicts]


def test_asking_below_a_threshold_trades_wrong_goals_for_needless_questions() -> None:
    ones = judged((0.9, True), (0.8, True), (0.7, False), (0.6, True), (0.5, False))
    costs = [round(needless(ones, VARIANTS["confidence"], bound)) for bound in (0, 19, 20, 40)]
    assert costs == [33, 33, 0, 0]


def test_utterances_of_one_confidence_are_asked_about_together() -> None:
    assert needless(judged((0.9, True), (0.9, False)), VARIANTS["confidence"], 10) == 100


def test_a_curve_says_what_is_wrong_without_questions() -> None:
    readings = [read_as(((FIND,), 1.0)), read_as(((OTHER_FIND,), 0.6), ((FIND,), 0.4))]
    curve = next(curves("any", STRICT, readings))
    assert (curve.unasked, curve.needless_at_10, curve.needless_at_1) == (50, 0, 0)


def hashed_words(texts: Sequence[str]) -> list[list[float]]:
    """A bag of hashed words, to stand for an embedding."""
    rows = []
    for text in texts:
        row = [0.0] * 256
        for word in text.lower().split():
            row[zlib.crc32(word.strip(".,?!").encode()) % 256] += 1.0
        rows.append(row)
    return rows


def test_every_ranker_is_measured_against_both_ways_to_count() -> None:
    pytest.importorskip("bm25s")
    found, curve = selector.tables(DATA / "sgd", hashed_words)
    assert len(found.rows) == 4 * 3
    assert len(curve.rows) == 4 * 2 * 4
    by_name = held([row for row in found.rows if isinstance(row, Agreement)])
    for ranker in ("lexical", "embeddings", "both", "learned"):
        strict, named = by_name[f"{ranker}, strict"][0], by_name[f"{ranker}, same name"][0]
        assert 52 / 13 < strict <= named


# When2Call


TURNS = list(when2call.decisions(DATA / "when2call"))


def test_every_turn_is_answered_as_labelled() -> None:
    assert held(when2call.agreements(TURNS)) == {
        "all turns": (11, 11),
        "call: tool_call": (3, 3),
        "ask: request_for_info": (4, 4),
        "blocked: cannot_answer": (4, 4),
        "ask: for the missing value alone": (3, 4),
    }


@pytest.mark.parametrize(
    "turn", [one.turn for one in TURNS if one.turn.gold == "tool_call" and one.turn.said], ids=lambda turn: turn.wanted
)
def test_without_what_the_turn_says_nothing_is_called(turn: when2call.Turn) -> None:
    silent = when2call.Turn(turn.question, turn.tools, turn.wanted, frozenset(), None, turn.gold)
    required = next(schema["parameters"]["required"] for schema in turn.tools if schema["name"] == turn.wanted)
    assert when2call.decide(silent).kind == ("ask" if required else "call")


def test_a_tool_at_hand_is_no_way_to_what_another_would_do() -> None:
    turn = next(one.turn for one in TURNS if one.turn.gold == "cannot_answer" and one.turn.tools)
    here = when2call.Turn(turn.question, turn.tools, turn.tools[0]["name"], frozenset(), None, turn.gold)
    assert when2call.decide(turn).kind == "blocked"
    assert when2call.decide(here).kind in ("call", "ask")


@pytest.mark.parametrize("answer", ["I cannot call anything.", "[]", "{}"])
def test_an_answer_that_is_no_call_says_nothing(answer: str) -> None:
    record = {"question": "?", "tools": [], "target_tool": None, "held_out_param": None, "correct_answer": "cannot_answer"}
    turn = when2call.turn_of({**record, "answers": {"tool_call": answer}})
    assert (turn.wanted, turn.said, when2call.decide(turn).kind) == (when2call.UNKNOWN, frozenset(), "blocked")


def test_a_question_for_another_value_is_no_agreement() -> None:
    turn = next(one.turn for one in TURNS if one.turn.gold == "request_for_info")
    other = NextAction("ask", turn.wanted, frozenset({when2call.parameter_fact(turn.wanted, "another")}))
    assert not when2call.Decided(turn, other).agrees


# The arguments that its turns state

ARGUMENTS = {turn.slots.text[:20]: turn for turn in when2call_slots.read(DATA / "when2call")}


def test_a_turn_states_the_arguments_that_stand_in_it() -> None:
    turn = ARGUMENTS["Could you reserve ti"].slots
    prefix = "Trains_1_GetTrainTickets_"
    assert set(turn.held) - set(turn.stated) == {f"{prefix}to", f"{prefix}date_of_journey"}
    assert turn.stated[f"{prefix}class"].wordings == ("Business",)


def test_a_missing_value_is_not_annotated_and_counts_as_made_up() -> None:
    turn = ARGUMENTS["I need to add 'Hi ch"]
    assert turn.missing == "todo_type"
    assert turn.missing not in turn.slots.held
    made_up = reads(turn.slots, todo_type="add")
    assert when2call_slots.left_missing("any", [turn, turn], [made_up, by_annotation(turn.slots)]).others == ("1x made up",)


# BFCL


CONVERSED = {(one.turn.conversation, one.turn.number): one for one in bfcl.decisions(DATA / "bfcl")}


def test_turns_are_decided_as_expected_but_for_two() -> None:
    found = held(bfcl.agreements(list(CONVERSED.values())))
    assert found["a parameter is missing: ask"] == (3, 4)
    assert found["a tool is missing: blocked"] == (2, 3)
    assert found["nothing is missing: call"] == (23, 23)
    assert {miss.kind for miss in bfcl.misses(CONVERSED.values())} == {
        "no gold call lacks a value",
        "the gold does without the missing tool",
    }


def test_what_is_asked_for_is_what_the_user_says_next() -> None:
    turn = CONVERSED["multi_turn_miss_param_3", 1].turn
    assert (turn.missing, turn.said_next) == (frozenset({"backup_tests"}), True)


def test_a_missing_tool_blocks_what_needs_its_result() -> None:
    one = CONVERSED["multi_turn_miss_func_56", 0]
    (wanted,) = [call for call in one.turn.calls if call.name == "estimate_distance"]
    assert {argument.of for argument in wanted.arguments} == {0, 1}
    assert one.turn.absent == {"get_zipcode_based_on_city"}
    assert not {f"done_{call.place}" for call in one.turn.calls if call.name in one.turn.absent} & set(bfcl.goal_of(one.turn))
    assert one.ours.kind == "blocked"


def test_with_the_tool_the_same_turn_starts_with_it() -> None:
    assert CONVERSED["multi_turn_miss_func_56", 1].ours == NextAction("call", "get_zipcode_based_on_city")


def test_flags_and_options_are_nothing_to_ask_for() -> None:
    calls = {call.name: call for one in CONVERSED.values() for call in one.turn.calls}
    assert (calls["lockDoors"].chosen, calls["lockDoors"].arguments) == (("unlock", "door"), ())


def test_an_option_that_the_user_names_is_asked_for() -> None:
    one = CONVERSED["multi_turn_miss_param_168", 0]
    assert (one.turn.missing, one.ours.kind) == (frozenset({"EUR"}), "ask")


def test_a_call_that_has_to_wait_for_another_is_no_agreement() -> None:
    turn = CONVERSED["multi_turn_miss_param_3", 2].turn
    assert bfcl.Decided(turn, NextAction("call", "cd")).agrees
    assert not bfcl.Decided(turn, NextAction("call", "cp")).agrees


# All of them


def test_the_sets_that_are_there_are_measured(tmp_path: Path) -> None:
    (tmp_path / "when2call").symlink_to(DATA / "when2call")
    titles = [title for title, _ in real.tables(tmp_path)]
    assert titles == [when2call.TITLE, f"{when2call.TITLE}: misses", when2call_slots.TITLE]


def test_the_licence_of_the_dialogues_stands_beside_them() -> None:
    assert "CC BY-SA 4.0" in (DATA / "sgd" / "SOURCE.txt").read_text("utf-8")
