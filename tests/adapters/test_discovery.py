"""A model that looks for a tool, through a real agent of every framework: what it finds stays for the rest of the conversation.

The three turns are those of an article on dynamic tool selection: the second asks for something with words that the tool does not have.
"""

from __future__ import annotations

from typing import Any

import pytest
from adapters.hosting import Host, Request, Run, Says, Setting, calls, hosts

import toolplan
from toolplan.catalog import Catalog, RealTool
from toolplan.gate import Allow, Gate, ToolCall, discover_tools, running_in
from toolplan.goals.readings import reading_of
from toolplan.session import Session, Settings
from toolplan.session.turns import Context, TurnReading

WORDS = {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"], "additionalProperties": False}
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False}
TOOLS = {
    "weather_lookup": "Get the current weather forecast for a city.",
    "stock_price": "Look up the latest price of a share.",
    "translate_text": "Translate text into another language.",
    "calculator": "Evaluate a basic arithmetic expression.",
}
DOMAIN = toolplan.loads("""
  fact nothing
  tool discover_tools { "Look for a tool by what it should do." passes words free risk read }
  tool never { "Never." produces nothing risk read }
  policy { risk read 0 safe  uncontracted explore  budget 1  always visible discover_tools }
""")


class NoGoal:
    """Reads no goal in any turn: the conversation is where contracts end."""

    def read(self, text: str, context: Context) -> TurnReading:
        return TurnReading(text, reading_of(text, []))


def _setting(*script: Any) -> Setting:
    real = [RealTool(name, text, TEXT, "shop", {"readOnlyHint": True}) for name, text in TOOLS.items()]
    run: dict[str, Any] = {name: lambda arguments: "42" for name in TOOLS}
    run["discover_tools"] = lambda arguments: discover_tools(arguments["words"])
    catalog = Catalog([RealTool("discover_tools", "Look for a tool.", WORDS), *real])
    return Setting(DOMAIN, run, script, catalog=catalog, reader=NoGoal(), settings=Settings(trusted=("shop",)))


def _others(request: Request) -> set[str]:
    """The tools that the model could call beside the one that looks for others."""
    return set(request.allowed) - {"discover_tools"}


def _until(run: Run, end: str, text: str) -> None:
    """The user says `text`, and agrees where the framework has lost the hints of a tool, so that nobody knows that it only reads."""
    answer = run.user(text)
    assert end in (answer if end in answer else run.approve(True))


@pytest.mark.parametrize("host", list(hosts()), ids=lambda host: host.name)
def test_a_tool_that_was_found_stays_through_a_checkpoint(host: Host) -> None:
    setting = _setting(
        calls(("weather_lookup", {"text": "Oslo"})),
        Says("Sunny."),
        calls(("discover_tools", {"words": "evaluate an arithmetic expression"})),
        calls(("calculator", {"text": "6 * 7"})),
        Says("It is 42."),
    )
    run = host.start(setting)
    _until(run, "Sunny", "what is the weather forecast for a city like Oslo?")
    assert _others(run.model.requests[0]) == {"weather_lookup"}
    _until(run, "42", "I need to crunch some numbers but don't see anything for that, can you check?")
    second = run.model.requests[2:]
    assert "calculator" not in _others(second[0]) and "calculator" in _others(second[1])
    assert "Found `calculator`" in next(iter(second[1].results.values())) or "Found `calculator`" in second[1].text
    assert [name for name, _ in run.executed.begun] == ["weather_lookup", "discover_tools", "calculator"]
    if "resume" in host.cannot:
        return
    later = host.resume(_setting(Says("Bonjour.")), run.save())
    later.user("translate text into another language: hello")
    assert _others(later.model.requests[0]) == {"translate_text", "calculator"}


def test_outside_a_conversation_nothing_is_looked_for() -> None:
    assert "outside a conversation" in discover_tools("arithmetic")


def test_a_loop_that_runs_calls_itself_says_whose_they_are() -> None:
    setting = _setting()
    gate = Gate(Session(DOMAIN, catalog=setting.catalog, reader=NoGoal(), settings=setting.settings))
    gate.hear("hello")
    verdict = gate.check(ToolCall("c1", "discover_tools", {"words": "arithmetic"}))
    assert isinstance(verdict, Allow)
    with running_in(gate.session):
        found = discover_tools("arithmetic")
    assert "It can be called now" in found
    gate.observe(verdict.permit, found)
    assert isinstance(gate.check(ToolCall("c2", "calculator", {"text": "1"})), Allow)


def test_what_nothing_fits_and_what_has_its_turn_are_said() -> None:
    setting = _setting()
    gate = Gate(Session(DOMAIN, catalog=Catalog([*setting.catalog.values(), RealTool("never")]), settings=setting.settings))
    with running_in(gate.session):
        assert "No tool fits" in discover_tools("xylophone")
        assert "cannot be called before its turn" in discover_tools("never")
