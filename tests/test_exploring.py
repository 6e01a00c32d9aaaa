"""Where contracts end: what is opened for a request, within the budget of the policy, and what was looked for and stays open."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import toolplan
from toolplan.catalog import Catalog, RealTool
from toolplan.frontier import Act, Explore, callable_tools
from toolplan.gate import Allow, Gate, Hold, Refuse, ToolCall
from toolplan.goals.readings import reading_of
from toolplan.learning.graph import learned
from toolplan.learning.ranking import prior_of
from toolplan.learning.traces import Execution
from toolplan.retrieval.searching import Match, Outage
from toolplan.session import Session, Settings
from toolplan.session.exploring import openable
from toolplan.session.settings import no_prior
from toolplan.session.stores import MemoryStore
from toolplan.session.turns import TurnReading

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
CONTRACTS = """
fact report_name
fact found
fact sent
fact stopped
tool find_report { "Find a report." requires report_name produces found risk read }
tool send_report { "Send a report to the board." requires found produces sent risk send }
tool stop_run { "Stop." produces stopped risk read }
goal send_report { "Send a report." achieves sent }
"""
TOOLS = {
    "weather_lookup": "Get the current weather forecast for a city.",
    "stock_price": "Look up the latest price of a share.",
    "translate_text": "Translate text into another language.",
    "calculator": "Evaluate a basic arithmetic expression.",
}


def session(budget: str = "budget 1", tools: dict[str, str] = TOOLS, clock: Callable[[], datetime] = lambda: NOON, **more: Any) -> Session:
    policy = f"policy {{ risk read 0 safe, send 3 confirm  uncontracted explore  {budget} }}"
    real = [RealTool(name, text, origin="shop", hints={"readOnlyHint": True}) for name, text in tools.items()]
    real += [RealTool("find_report"), RealTool("send_report"), RealTool("stop_run")]
    settings = Settings(trusted=("shop",), **more)
    return Session(toolplan.loads(CONTRACTS + policy), catalog=Catalog(real), settings=settings, clock=clock)


def says(talk: Session, text: str, *goals: str) -> tuple[str, ...]:
    """What can be called after a turn of the user that wants `goals`."""
    talk.hear(text, TurnReading(text, reading_of(text, [(goals, 1.0)] if goals else [])))
    return callable_tools(talk.next())


def test_a_tool_that_was_discovered_stays_for_the_rest_of_the_conversation_and_through_a_checkpoint() -> None:
    talk = session()
    assert says(talk, "what is the weather forecast for Oslo") == ("weather_lookup",)
    assert says(talk, "I need to crunch some numbers, can you check?") == ()
    found = talk.discover("evaluate an arithmetic expression")
    assert isinstance(found, Match) and found.name == "calculator"
    assert callable_tools(talk.next()) == ("calculator",)
    again = Session.restore(talk.contracts, talk.snapshot(), catalog=talk.catalog, settings=Settings(trusted=("shop",)), clock=lambda: NOON)
    assert says(again, "translate hello into another language") == ("translate_text", "calculator")


def test_what_was_discovered_may_be_called_beside_a_plan() -> None:
    talk = session()
    talk.discover("arithmetic expression")
    talk.hear("send it", TurnReading("send it", reading_of("send it", [(("send_report",), 1.0)])))
    now = talk.next()
    assert "calculator" in callable_tools(now)
    assert isinstance(Gate(talk).check(ToolCall("c1", "calculator", {})), Allow)


def test_what_mostly_came_after_the_last_call_ranks_what_the_words_find_and_opens_nothing() -> None:
    tools = {name: TOOLS[name] for name in ("weather_lookup", "translate_text")}
    tools |= {"share_price": "Look up the price of a share.", "bond_price": "Look up the price of a bond."}
    past = learned(Execution(f"r{run}", tool, {}) for run in range(3) for tool in ("weather_lookup", "bond_price", "translate_text"))
    for prior, first in ((no_prior, "share_price"), (prior_of(past), "bond_price")):
        talk = session("budget 1", tools, prior=prior)
        says(talk, "what is the weather forecast for Oslo")
        gate = Gate(talk)
        verdict = gate.check(ToolCall("c1", "weather_lookup", {}))
        assert isinstance(verdict, Allow)
        gate.observe(verdict.permit, "sunny")
        assert says(talk, "look up the price") == (first,)


def test_looking_for_a_tool_with_a_contract_opens_nothing() -> None:
    talk = session()
    found = talk.discover("send a report to the board")
    assert isinstance(found, Match) and found.name == "send_report"
    assert says(talk, "hello") == () and isinstance(Gate(talk).check(ToolCall("c1", "send_report", {})), Refuse)


@pytest.mark.parametrize("digest", ["", f'digest "sha256:{"0" * 64}"'], ids=["gone", "not as it was reviewed"])
def test_a_contract_whose_tool_is_missing_is_not_found(digest: str) -> None:
    talk = session()
    contracts = toolplan.loads(f'fact sent  tool send_report {{ "Send a report to the board." produces sent {digest} }}')
    there = [RealTool("send_report", "Send a report to the board.")] if digest else [RealTool("calculator")]
    assert isinstance(talk.discover("the board"), Match)
    assert Session(contracts, catalog=Catalog(there)).discover("the board") is None


def test_nothing_is_found_for_words_that_no_tool_has() -> None:
    talk = session()
    assert talk.discover("xylophone") is None
    assert talk.memory.pins.names == ()


def test_at_most_eight_stay_open_and_the_oldest_leaves() -> None:
    talk = session(tools={f"tool_{word}": f"About {word}." for word in "abc def ghi jkl mno pqr stu vwx yza".split()})
    for word in "abc def ghi jkl mno pqr stu vwx yza".split():
        talk.discover(word)
    assert len(talk.memory.pins.names) == 8 and "tool_abc" not in talk.memory.pins.names


def test_a_pinned_tool_that_its_server_takes_away_is_closed() -> None:
    talk = session()
    talk.discover("arithmetic")
    talk.offer(Catalog([tool for tool in talk.catalog.values() if tool.name != "calculator"]))
    assert says(talk, "hello") == ()


def test_asked_twice_a_shortlist_is_one_round() -> None:
    talk = session("budget 1 to 2  stop after 1 rounds")
    assert says(talk, "the weather forecast") == ("weather_lookup",)
    assert [callable_tools(talk.next()) for _ in range(3)] == [("weather_lookup",)] * 3


def test_a_model_that_wants_none_of_them_sees_more_and_then_nothing() -> None:
    talk = session("budget 1 to 2  widen when no choice  stop after 2 rounds")
    text = "look up the price of a share and the weather forecast for a city"
    first = says(talk, text)
    talk.none_fits()
    second = callable_tools(talk.next())
    assert len(first) == 1 and set(second) == {"weather_lookup", "stock_price"}
    talk.none_fits()
    now = talk.next()
    assert isinstance(now.decision, Explore) and now.decision.tools == () and "retrieval rounds" in now.decision.reason
    assert says(talk, "then translate text into another language") == ("translate_text",), "what the user says begins anew"


def test_calls_that_fail_widen_the_shortlist() -> None:
    talk = session("budget 1 to 2  widen when failures > 0")
    says(talk, "look up the price of a share, and the weather forecast for a city")
    gate = Gate(talk)
    (first,) = callable_tools(talk.next())
    verdict = gate.check(ToolCall("c1", first, {}))
    assert isinstance(verdict, Allow)
    gate.observe(verdict.permit, RuntimeError("out of order"))
    assert len(callable_tools(talk.next())) >= 1 and set(callable_tools(talk.next())) - {first}


def test_a_budget_of_time_is_spent_by_the_clock_of_the_session() -> None:
    now = [NOON]
    talk = session("budget 1 to 2  widen when no choice  stop after 9 rounds, 2500ms", clock=lambda: now[0])
    says(talk, "the weather forecast for a city")
    now[0] += timedelta(seconds=3)
    assert callable_tools(talk.next()) == ("weather_lookup",), "what is shown stays"
    talk.none_fits()
    decision = talk.next().decision
    assert isinstance(decision, Explore) and "latency" in decision.reason


def test_a_search_that_fails_leaves_what_is_always_there() -> None:
    def broken(query: str, documents: object) -> list[float]:
        raise ConnectionError("no route to the index")

    talk = session("always visible stop_run  budget 1", scorer=broken)
    assert says(talk, "the weather") == ("stop_run",)
    decision = talk.next().decision
    assert isinstance(decision, Explore) and decision.tools == () and "ConnectionError" in decision.reason
    assert isinstance(talk.discover("the weather"), Outage)


@pytest.fixture
def rows() -> Callable[[str], Session]:
    """A session with tools of high risk and without contracts, by what the budget says of these."""
    described = {"delete_row": "Delete a row of a table.", "read_row": "Read a row of a table."}
    tools = [RealTool(name, text) for name, text in described.items()] + [RealTool(f"other_{n}", "Something else.") for n in range(6)]

    def begun(high_risk: str) -> Session:
        policy = f"policy {{ risk read 0 safe  uncontracted explore  budget 4 to 8  high risk {high_risk} }}"
        domain = toolplan.loads(f"{policy}  fact f  tool t {{ produces f risk read }}")
        return Session(domain, catalog=Catalog([RealTool("t"), *tools]), clock=lambda: NOON)

    return begun


def test_a_request_of_high_risk_sees_fewer_tools_and_a_person_agrees(rows: Callable[[str], Session]) -> None:
    talk = rows("1, confirm")
    assert len(says(talk, "delete a row of the table")) == 1
    assert isinstance(Gate(talk).check(ToolCall("c1", "delete_row", {})), Hold)


def test_a_tool_without_a_contract_has_no_capability_that_a_request_of_high_risk_could_need(rows: Callable[[str], Session]) -> None:
    talk = rows("5, exact capability")
    assert says(talk, "delete a row of the table") == ()
    decision = talk.next().decision
    assert isinstance(decision, Explore) and "exactly what is needed" in decision.reason


@pytest.mark.parametrize("words", ["", " ", "\x00", "a" * 100_000])
def test_any_words_may_be_looked_for(words: str) -> None:
    assert session().discover(words) is None


def test_two_workers_on_one_session_see_the_same_pins() -> None:
    store = MemoryStore()
    first, catalog = session(), session().catalog
    one, other = (
        Session(first.contracts, catalog=catalog, settings=Settings(trusted=("shop",)), store=store, id="s", clock=lambda: NOON)
        for _ in range(2)
    )
    one.discover("arithmetic")
    assert callable_tools(other.next()) == ("calculator",)


def test_a_plan_comes_before_all_that_was_opened() -> None:
    domain = toolplan.loads(CONTRACTS + "policy { risk read 0 safe, send 3 confirm  uncontracted explore }")
    talk = Session(domain, state={"report_name"}, catalog=session().catalog, clock=lambda: NOON)
    talk.discover("arithmetic")
    talk.want("send_report")
    now = talk.next()
    assert isinstance(now.decision, Act) and callable_tools(now) == ("find_report", "calculator")


# The search of the provider

CLONES = {
    "ours_forecast": "Get the current weather forecast for a city.",
    "theirs_forecast": "Get the current weather forecast for a city.",
}
WITHHELD = """
domain shop
fact report_name  fact found  fact sent
fact stopped
tool find_report { requires report_name produces found risk read }
tool send_report { requires found produces sent risk send }
tool wipe calls "wipe_disk" { requires found produces sent risk send scopes "admin" }
goal send_report { achieves sent }
policy { risk read 0 safe, send 3 confirm  uncontracted explore  budget 1  stop after 1 rounds }
"""


def left_to_the_provider(trusted: tuple[str, ...] = ()) -> Session:
    """A session of somebody who may not use `wipe_disk`, with four tools that no contract calls, and a copy of one of them."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    real = [RealTool(name, text, schema, name.split("_")[0], {"readOnlyHint": True}) for name, text in CLONES.items()]
    real += [RealTool(name, text) for name, text in TOOLS.items() if name != "weather_lookup"]
    real += [RealTool("find_report"), RealTool("send_report"), RealTool("wipe_disk", "Erase everything.")]
    contracts = toolplan.loads(WITHHELD).for_principal(toolplan.Principal("bob"))
    settings = Settings(trusted=trusted, search="provider")
    return Session(contracts, state={"report_name"}, catalog=Catalog(real), settings=settings, clock=lambda: NOON)


def test_what_the_provider_searches_is_all_that_could_be_opened_and_nothing_that_is_hidden() -> None:
    talk = left_to_the_provider()
    found = openable(talk.contracts, talk.catalog)
    assert found == ("ours_forecast", "stock_price", "translate_text", "calculator")
    assert says(talk, "xylophone") == found, "whatever was said"


def test_it_is_no_round_of_the_budget() -> None:
    talk = left_to_the_provider()
    first = says(talk, "the weather")
    for _ in range(3):
        talk.none_fits()
        assert callable_tools(talk.next()) == first
    assert talk.memory.current.looked is None


@pytest.mark.parametrize(
    ("tool", "verdict"),
    [
        ("ours_forecast", Allow),
        ("stock_price", Hold),
        ("theirs_forecast", Refuse),
        ("wipe_disk", Refuse),
        ("find_report", Refuse),
        ("send_report", Refuse),
        ("invented", Refuse),
    ],
)
def test_what_its_search_finds_is_under_its_risk_and_all_else_is_refused(tool: str, verdict: type) -> None:
    talk = left_to_the_provider(trusted=("ours",))
    says(talk, "hello")
    assert isinstance(Gate(talk).check(ToolCall("c1", tool, {})), verdict)


def test_where_a_plan_leads_on_what_was_found_is_refused() -> None:
    talk = left_to_the_provider(trusted=("ours",))
    assert says(talk, "send it", "send_report") == ("find_report",)
    assert isinstance(Gate(talk).check(ToolCall("c1", "ours_forecast", {})), Refuse)
    talk.discover("weather forecast")
    assert isinstance(Gate(talk).check(ToolCall("c2", "ours_forecast", {})), Allow), "but what was discovered stays open"


def test_with_uncontracted_tools_hidden_there_is_nothing_to_search() -> None:
    contracts = toolplan.loads(CONTRACTS + "policy { risk read 0 safe, send 3 confirm }")
    talk = Session(contracts, catalog=session().catalog, settings=Settings(search="provider"), clock=lambda: NOON)
    assert (openable(contracts, talk.catalog), says(talk, "the weather")) == ((), ())
