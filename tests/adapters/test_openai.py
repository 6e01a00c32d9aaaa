"""What is particular to OpenAI: allow-lists in two shapes, 128 tools, arguments as text, items of thought."""

from __future__ import annotations

import json

import pytest
from adapters.hosting import Says, Scripted, calls
from adapters.moving import CATALOG, DAY, FOUR, NAMES, Office, takes
from adapters.vendors import Call, Event, Json, OpenAIVendor, ResponsesVendor, halves
from openai import OpenAI

import toolplan
from toolplan.adapters.guide import Guide
from toolplan.adapters.openai import Chat, Responses
from toolplan.adapters.turns import Agent
from toolplan.catalog import Catalog, RealTool
from toolplan.exposure import Provider
from toolplan.gate import Gate
from toolplan.session import Session

SEARCH = ("search_events", {"day": DAY})
UPDATE = ("update_event", {"id": "e1", "start": FOUR})
BOTH = pytest.mark.parametrize("provider", ["openai", "openai-responses"])


def test_what_may_be_called_in_the_shape_of_chat() -> None:
    office = Office("openai", [calls(SEARCH), calls(UPDATE), Says("Moved.")])
    office.agent.turn("move my appointment")
    first, second, last = (body["tool_choice"] for body in office.vendor.bodies)
    only = {"mode": "auto", "tools": [{"type": "function", "function": {"name": "search_events"}}]}
    assert first == {"type": "allowed_tools", "allowed_tools": only}
    assert second["allowed_tools"]["tools"][0]["function"]["name"] == "update_event"
    assert last == "none"


def test_what_may_be_called_in_the_shape_of_responses() -> None:
    office = Office("openai-responses", [calls(SEARCH), calls(UPDATE), Says("Moved.")])
    office.agent.turn("move my appointment")
    first, second, last = (body["tool_choice"] for body in office.vendor.bodies)
    assert first == {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "search_events"}]}
    assert second["tools"] == [{"type": "function", "name": "update_event"}]
    assert last == "none"


@BOTH
def test_schemas_are_sent_as_the_server_gave_them(provider: Provider) -> None:
    office = Office(provider, [Says("Hm.")])
    office.agent.turn("move my appointment")
    tools = office.vendor.bodies[0]["tools"]
    described = [tool["function"] if provider == "openai" else tool for tool in tools]
    assert {tool["name"]: tool["parameters"] for tool in described} == {name: CATALOG[name].schema for name in NAMES}
    assert not any(tool.get("strict") for tool in described)


@BOTH
def test_more_tools_than_are_taken(provider: Provider) -> None:
    contracts = "\n".join(f'fact done{n}\ntool step{n} calls "real_{n}" {{ produces done{n} risk read }}' for n in range(130))
    domain = toolplan.loads(f'{contracts}\ngoal all {{ "All" achieves done129 phrases "do it" }}')
    vendor = (OpenAIVendor if provider == "openai" else ResponsesVendor)(
        Scripted([calls(("call", {"name": "real_129", "arguments": {}})), Says("Done.")])
    )
    guide = Guide.of(Gate(Session(domain)), provider)
    agent = Agent(vendor.model, guide, {f"real_{n}": lambda: "ok" for n in range(130)})
    assert agent.turn("do it") == "Done."
    assert guide.exposure.strategy == "dispatch"
    assert [finding.message for finding in guide.exposure.findings] == [f"`allow` declares 130 tools, and {provider} takes 128"]
    assert [len(body["tools"]) for body in vendor.bodies] == [1, 1]


@BOTH
def test_arguments_that_are_no_json_are_refused_and_the_run_goes_on(provider: Provider) -> None:
    office = Office(provider, [calls(("search_events", '{"day": ')), calls(SEARCH), calls(UPDATE), Says("Moved.")])
    assert office.agent.turn("move my appointment") == "Moved."
    assert "no JSON object" in office.vendor.scripted.requests[1].results["call1"]
    assert office.done == [SEARCH, UPDATE]


@BOTH
def test_a_conversation_is_the_same_whether_it_was_streamed(provider: Provider) -> None:
    script = [calls(SEARCH, UPDATE), Says("Moved.")]
    whole, streamed = Office(provider, script), Office(provider, script)
    whole.agent.turn("move my appointment")
    assert list(streamed.agent.stream("move my appointment")) == ["Mov", "ed."]
    # That a stream begins with no words is all that tells them apart.
    assert json.dumps(streamed.agent.messages, sort_keys=True).replace('"content": "", ', "") == json.dumps(
        whole.agent.messages, sort_keys=True
    )


def test_what_a_model_thought_is_sent_back_sealed() -> None:
    office = Office("openai-responses", [calls(SEARCH), calls(UPDATE), Says("Moved.")])
    office.agent.turn("move my appointment")
    items = office.conversations[-1]
    thoughts = [index for index, item in enumerate(items) if item["type"] == "reasoning"]
    assert [items[index]["encrypted_content"] for index in thoughts] == ["sealed", "sealed"]
    assert [items[index + 1]["type"] for index in thoughts] == ["function_call", "function_call"]


@BOTH
def test_t13_t14_names_that_are_not_taken(provider: Provider) -> None:
    domain = toolplan.loads("""
    fact found
    fact seen
    tool dotted calls "mail.search" { produces found risk read }
    tool other  calls "mail_search" { requires found produces seen risk read }
    goal look { "Look" achieves seen phrases "look" }
    """)
    catalog = Catalog([RealTool("mail.search", "Search.", takes()), RealTool("mail_search", "Look.", takes())])
    done: list[str] = []
    guide = Guide.of(Gate(Session(domain, catalog=catalog)), provider)
    dotted = guide.exposure.names.shown("mail.search")
    assert dotted not in ("mail.search", "mail_search")
    vendor = (OpenAIVendor if provider == "openai" else ResponsesVendor)(Scripted([calls(dotted), calls("mail_search"), Says("Seen.")]))
    tools = {"mail.search": lambda: done.append("mail.search"), "mail_search": lambda: done.append("mail_search")}
    assert Agent(vendor.model, guide, tools).turn("look") == "Seen."
    assert done == ["mail.search", "mail_search"]


def test_a_call_that_was_held_is_made_under_an_id_of_its_own() -> None:
    """Each id has one call and one result."""
    office = Office("openai", [calls(SEARCH), calls(UPDATE), calls(("send_mail", {"text": "At four."})), Says("All done.")])
    office.agent.turn("tell the others")
    office.agent.turn("yes")
    made = [call["id"] for message in office.agent.messages for call in message.get("tool_calls", [])]
    assert made == [message["tool_call_id"] for message in office.agent.messages if message["role"] == "tool"]
    assert made == ["call1", "call2", "call3", "call3-2"]


@BOTH
def test_nothing_is_said_of_calls_where_no_tool_is_declared(provider: Provider) -> None:
    office = Office(provider, [Says("You are welcome.")], strategy="trim")
    client = OpenAI(api_key="none", http_client=office.vendor.client)
    model = (Chat if provider == "openai" else Responses)(client, model="gpt-5.4", parallel_tool_calls=False)
    Agent(model, office.guide, office.tools).turn("thanks")
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & set(office.vendor.bodies[0])


REFUSED = "I will not help with that."


class RefusingChat(OpenAIVendor):
    def whole(self, text: str, made: list[Call]) -> Json:
        return {"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None, "refusal": text}}]}

    def events(self, text: str, made: list[Call]) -> list[Event]:
        return [("", {"choices": [{"index": 0, "delta": {"role": "assistant", "refusal": half}}]}) for half in halves(text)]


class RefusingResponses(ResponsesVendor):
    def whole(self, text: str, made: list[Call]) -> Json:
        refusal = {"type": "message", "id": "m1", "role": "assistant", "content": [{"type": "refusal", "refusal": text}]}
        return {**super().whole("", []), "output": [refusal]}

    def events(self, text: str, made: list[Call]) -> list[Event]:
        pieces = [("response.refusal.delta", {"type": "response.refusal.delta", "delta": half}) for half in halves(text)]
        return [*pieces, ("response.completed", {"type": "response.completed", "response": self.whole(text, made)})]


@pytest.mark.parametrize("vendor", [RefusingChat, RefusingResponses])
@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
def test_what_a_model_will_not_do_it_says(vendor: type[OpenAIVendor] | type[ResponsesVendor], streaming: bool) -> None:
    office = Office(vendor.name, [])
    refusing = vendor(Scripted([Says(REFUSED)]))
    agent = Agent(refusing.model, office.guide, office.tools)
    said = "".join(agent.stream("move my appointment")) if streaming else agent.turn("move my appointment")
    assert said == REFUSED
