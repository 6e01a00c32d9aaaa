"""The search over tools without a contract, left to the provider: what it can find, what is declared of it, and where it is not offered."""

from __future__ import annotations

import json

import pytest
from anthropic.types.beta import BetaToolParam, BetaToolSearchToolBm25_20251119Param
from menus import as_bytes, declared, names_of
from openai.types.responses import FunctionToolParam, ToolChoiceAllowedParam, ToolSearchToolParam
from test_payloads import exact

import toolplan
from toolplan.catalog import Catalog, RealTool
from toolplan.exposure import DISPATCHER, PROVIDERS, Exposure, Payload, Provider, search_by
from toolplan.gate import Gate, Hold, ToolCall
from toolplan.goals.readings import reading_of
from toolplan.language.codes import Code
from toolplan.session import Session, Settings
from toolplan.session.exploring import openable
from toolplan.session.turns import TurnReading

CONTRACTS = """
domain shop
fact order_id  fact seen  fact refunded
tool look calls "orders.get" { requires order_id produces seen risk read }
tool refund calls "orders.refund" { requires seen produces refunded risk write }
tool wipe calls "orders.wipe" { requires seen produces refunded risk write scopes "admin" }
tool aid calls "help" { produces seen risk read cost 40 }
goal refund { "Give the money back." achieves refunded }
policy { risk read 0 safe, write 2  uncontracted explore  always visible aid }
"""
FREE = ("weather lookup", "stock_price", "tool_search_tool_bm25")
HIDDEN = ("orders.get", "orders.refund", "orders.wipe", "copy_of_weather")
SEARCHING = pytest.mark.parametrize("provider", ["anthropic", "openai-responses"])
ELSEWHERE = pytest.mark.parametrize("provider", [provider for provider in PROVIDERS if provider not in ("anthropic", "openai-responses")])
FORECAST = {"type": "object", "properties": {"city": {"type": "string"}}}


def conversation(*more: RealTool, search: str = "provider") -> Session:
    """A customer's conversation in a shop, with tools that no contract calls, one of them twice."""
    tools = [RealTool(name, f"What {name} does.") for name in ("orders.get", "orders.refund", "orders.wipe", "help")]
    tools += [RealTool(name, "Get the forecast of the weather for a city.", FORECAST, name) for name in (FREE[0], "copy_of_weather")]
    tools += [RealTool("stock_price", "Look up the price of a share."), RealTool(FREE[2], "A namesake of the search.")]
    contracts = toolplan.loads(CONTRACTS).for_principal(toolplan.Principal("ann"))
    settings = Settings(search="provider" if search == "provider" else "session")
    return Session(contracts, state={"order_id"}, catalog=Catalog([*tools, *more]), settings=settings)


def exposure_of(talk: Session, provider: Provider) -> Exposure:
    found = openable(talk.contracts, talk.catalog)
    return Exposure(talk.domain, provider, catalog=talk.catalog, strategy="search", searchable=found)


def hears(talk: Session, text: str, *goals: str) -> None:
    talk.hear(text, TurnReading(text, reading_of(text, [(goals, 1.0)] if goals else [])))


def whole_run(provider: Provider) -> list[Payload]:
    """Where no goal fits, then where a plan leads on, then where none fits again."""
    talk = conversation()
    exposure = exposure_of(talk, provider)
    hears(talk, "hello")
    sent = [exposure.step(talk.next())]
    hears(talk, "my money, please", "refund")
    sent.append(exposure.step(talk.next()))
    talk.hear("stop")
    hears(talk, "and the weather?")
    return [*sent, exposure.step(talk.next())]


def deferred(sent: Payload) -> list[str]:
    """The tools that the provider's search can find."""
    return [str(tool["name"]) for tool in declared(sent) if isinstance(tool, dict) and tool.get("defer_loading")]


@SEARCHING
def test_its_search_finds_what_could_be_opened_and_no_tool_that_a_contract_calls(provider: Provider) -> None:
    for sent in whole_run(provider):
        assert sent.strategy == "search"
        assert [sent.names.real(name) for name in deferred(sent)] == list(FREE)


@SEARCHING
def test_what_is_declared_is_the_same_at_every_step_and_in_another_run(provider: Provider) -> None:
    assert len({as_bytes(declared(sent)) for sent in (*whole_run(provider), *whole_run(provider))}) == 1


@SEARCHING
def test_hidden_names_never_appear(provider: Provider) -> None:
    first, planned, last = whole_run(provider)
    assert (planned.shown, first.shown, last.shown) == (("orders.get", "help"), (*FREE, "help"), (*FREE, "help"))
    for sent in (first, planned, last):
        for name in set(HIDDEN) - set(sent.shown):
            told = json.dumps([sent.request, sent.messages])
            assert name not in told and sent.names.shown_as.get(name, name) not in told


@SEARCHING
def test_the_note_leaves_what_is_searched_to_the_search_and_describes_the_rest(provider: Provider) -> None:
    exploring, planned, _ = whole_run(provider)
    assert set(exploring.shown) == {*FREE, "help"}
    assert "what the tool search finds" in exploring.note and "`help`" in exploring.note
    assert not [name for name in FREE if exploring.names.shown(name) in exploring.note]
    assert "tool search" not in planned.note and planned.note.splitlines()[-2].startswith('{"name": "orders_get_')


@SEARCHING
def test_what_is_found_is_called_by_its_own_name_and_all_else_through_the_dispatcher(provider: Provider) -> None:
    sent = whole_run(provider)[0]
    assert sent.call(sent.names.shown("weather lookup"), '{"city": "Oslo"}') == ("weather lookup", {"city": "Oslo"})
    assert sent.call(DISPATCHER, {"name": "help", "arguments": {}}) == ("help", {})


@SEARCHING
def test_a_call_that_waits_for_a_person_is_described(provider: Provider) -> None:
    talk = conversation()
    exposure = exposure_of(talk, provider)
    hears(talk, "hello")
    assert isinstance(Gate(talk).check(ToolCall("c1", "stock_price", {})), Hold)
    sent = exposure.step(talk.next())
    assert "stock_price" in sent.shown and '{"name": "stock_price"' in sent.note and "tool search" not in sent.note


@SEARCHING
def test_a_session_that_searched_itself_keeps_the_search_of_the_provider_closed(provider: Provider) -> None:
    talk = conversation(search="session")
    exposure = exposure_of(talk, provider)
    talk.discover("the price of a share")
    hears(talk, "my money, please", "refund")
    sent = exposure.step(talk.next())
    assert sent.shown == ("orders.get", "stock_price", "help")
    assert "tool search" not in sent.note and '{"name": "stock_price"' in sent.note


def test_no_deferred_tool_is_cached_and_never_all_are_deferred() -> None:
    for sent in whole_run("anthropic"):
        search, dispatcher, *found = [tool for tool in declared(sent) if isinstance(tool, dict)]
        exact(BetaToolSearchToolBm25_20251119Param, search)
        assert dispatcher["name"] == DISPATCHER and "defer_loading" not in json.dumps([search, dispatcher])
        assert "cache_control" not in json.dumps(sent.request)
        for tool in (dispatcher, *found):
            exact(BetaToolParam, {**tool, "input_schema": {"type": "object"}})
        assert set(sent.request) == {"tools", "tool_choice"}, "the search needs no beta"
        assert len(set(names_of(sent))) == len(names_of(sent)), "a real tool may have the name of the search"


def test_the_search_of_openai_is_open_only_where_what_it_finds_may_be_called() -> None:
    exploring, planned, _ = whole_run("openai-responses")
    search, *functions = declared(exploring)
    exact(ToolSearchToolParam, search)
    for tool in functions:
        exact(FunctionToolParam, tool)
    assert exploring.request["tool_choice"] == "auto"
    exact(ToolChoiceAllowedParam, planned.request["tool_choice"])
    assert planned.request["tool_choice"] == {
        "type": "allowed_tools",
        "mode": "auto",
        "tools": [{"type": "function", "name": DISPATCHER}],
    }


@SEARCHING
def test_with_nothing_to_search_there_is_no_search(provider: Provider) -> None:
    domain = toolplan.loads(CONTRACTS)
    sent = Exposure(domain, provider, strategy="search").step(toolplan.frontier(domain, state="order_id", goal="refund"))
    assert (sent.strategy, names_of(sent)) == ("search", [DISPATCHER])


@SEARCHING
def test_a_schema_that_the_provider_does_not_take_goes_into_the_note(provider: Provider) -> None:
    odd: dict[str, object] = {"type": "object", "oneOf": [{"required": ["a"]}]}
    talk = conversation(RealTool("odd", "An odd one.", odd))
    hears(talk, "hello")
    sent = exposure_of(talk, provider).step(talk.next())
    assert "odd" in sent.shown and "odd" not in deferred(sent) and json.dumps(odd) in sent.note
    assert "tool search" in sent.note
    assert Code.UNFIT_SCHEMA in {finding.code for finding in sent.findings}


def test_a_run_is_taken_up_with_its_search() -> None:
    talk = conversation()
    exposure, found = exposure_of(talk, "anthropic"), openable(talk.contracts, talk.catalog)
    hears(talk, "hello")
    again = Exposure.restore(exposure.state, talk.domain, "anthropic", catalog=talk.catalog, searchable=found)
    assert again.step(talk.next()) == exposure.step(talk.next())


# Elsewhere


@ELSEWHERE
def test_where_the_provider_has_no_search_the_session_searches_and_a_finding_says_so(provider: Provider) -> None:
    asked = conversation()
    found = openable(asked.contracts, asked.catalog)
    assert search_by(provider, found) == "session"
    talk = conversation(search=search_by(provider, found))
    talk.discover("the price of a share")
    hears(talk, "hello")
    sent = exposure_of(talk, provider).step(talk.next())
    assert sent.strategy != "search" and sent.findings[0].code is Code.STRATEGY_NOT_OFFERED
    assert "stock_price" in sent.shown and "tool search" not in sent.note


def test_more_tools_than_the_provider_takes_are_searched_by_the_session() -> None:
    names = [f"t{number}" for number in range(127)]
    assert (search_by("openai-responses", names), search_by("openai-responses", names[:126])) == ("session", "provider")
    assert search_by("anthropic", names) == "provider"
    talk = conversation(*(RealTool(name, f"Number {name}.") for name in names))
    exposure = exposure_of(talk, "openai-responses")
    assert exposure.strategy != "search" and exposure.findings[0].code is Code.TOO_MANY_TOOLS


def test_it_is_taken_only_where_it_is_asked_for() -> None:
    talk = conversation()
    found = openable(talk.contracts, talk.catalog)
    for provider in PROVIDERS:
        for model in ("", "claude-opus-5-5"):
            assert Exposure(talk.domain, provider, catalog=talk.catalog, model=model, searchable=found).strategy != "search"


def test_an_unknown_provider_is_a_diagnostic() -> None:
    with pytest.raises(toolplan.DomainError, match="unknown provider"):
        search_by("opanai", ())  # type: ignore[arg-type]
