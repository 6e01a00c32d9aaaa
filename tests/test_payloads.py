"""What is sent fits the types of the providers' own packages, and no limit of a provider makes a request that fails."""

from __future__ import annotations

import doctest
import json
import re
from typing import Any

import pytest
from anthropic.types.beta import BetaMessageParam, BetaToolChoiceParam, BetaToolParam
from google.genai.types import Content, GenerateContentConfig
from menus import HELPED, MAIL, SHOWN, as_bytes, catalog_of, declared, domain_of, names_of, paying, run
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolChoiceOptionParam, ChatCompletionToolUnionParam
from openai.types.responses import FunctionToolParam, ResponseInputItemParam, ToolChoiceAllowedParam
from pydantic import TypeAdapter

from toolplan.exposure import DISPATCHER, PROVIDERS, STRATEGIES, Exposure, Payload, Provider, Strategy, payload
from toolplan.exposure.surfaces import SURFACES, TOOL_CHANGES
from toolplan.language.codes import Code

PAIRS = [(provider, strategy) for provider in PROVIDERS for strategy in SURFACES[provider].limits.strategies]
EACH = pytest.mark.parametrize(("provider", "strategy"), PAIRS, ids=lambda value: value)
NAME = {
    "openai": r"[a-zA-Z0-9_-]{1,64}",
    "openai-responses": r"[a-zA-Z0-9_-]{1,64}",
    "anthropic": r"[a-zA-Z0-9_-]{1,128}",
    "gemini": r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
    "bedrock": r"[a-zA-Z0-9_-]{1,64}",
    "plain": r"[a-zA-Z0-9_./:-]{1,128}",
}
ODD = [
    "mail.search",
    "9 lives",
    "ünïcode",
    "x" * 200,
    "a/b",
    "tab\tbed",
    "read-only",
    "read_only",
    "Read_Only",
    "call",
    "calendar:query",
]


def exact(kind: Any, value: object) -> None:
    """`value` is a `kind`, and has nothing that a `kind` does not have."""
    adapter: TypeAdapter[object] = TypeAdapter(kind)
    assert adapter.dump_python(adapter.validate_python(value), mode="json", warnings=False) == json.loads(json.dumps(value))


def steps(provider: Provider, strategy: Strategy) -> list[Payload]:
    exposure = Exposure(HELPED, provider, strategy=strategy)
    return [exposure.step(now) for now in run(HELPED)] + [Exposure(MAIL, provider, strategy=strategy).step(now) for now in run()]


# The types of the packages


@pytest.mark.parametrize("strategy", ["allow", "dispatch", "trim"])
def test_chat_completions(strategy: Strategy) -> None:
    for sent in steps("openai", strategy):
        assert set(sent.request) <= {"tools", "tool_choice"}
        for tool in declared(sent):
            exact(ChatCompletionToolUnionParam, tool)
        if sent.request:
            exact(ChatCompletionToolChoiceOptionParam, sent.request["tool_choice"])
        for message in sent.messages:
            exact(ChatCompletionMessageParam, message)


@pytest.mark.parametrize("strategy", ["allow", "dispatch", "trim"])
def test_responses(strategy: Strategy) -> None:
    for sent in steps("openai-responses", strategy):
        assert set(sent.request) <= {"tools", "tool_choice"}
        for tool in declared(sent):
            exact(FunctionToolParam, tool)
        match sent.request:
            case {"tool_choice": dict(choice)}:
                exact(ToolChoiceAllowedParam, choice)
            case {"tool_choice": choice}:
                assert choice in ("auto", "none")
        for message in sent.messages:
            exact(ResponseInputItemParam, message)


@pytest.mark.parametrize("strategy", ["append", "dispatch", "trim"])
def test_anthropic(strategy: Strategy) -> None:
    for sent in steps("anthropic", strategy):
        assert set(sent.request) <= {"tools", "tool_choice", "betas"}
        for tool in declared(sent):
            assert isinstance(tool, dict)
            assert tool["input_schema"]["type"] == "object"
            exact(BetaToolParam, {**tool, "input_schema": {"type": "object"}})
        if sent.request:
            exact(BetaToolChoiceParam, sent.request["tool_choice"])
        for message in sent.messages:
            exact(BetaMessageParam, message)


@pytest.mark.parametrize("strategy", ["allow", "dispatch", "trim"])
def test_gemini(strategy: Strategy) -> None:
    for sent in steps("gemini", strategy):
        config = GenerateContentConfig.model_validate(sent.request)
        assert config.model_dump(by_alias=True, exclude_none=True, mode="json") == sent.request
        for message in sent.messages:
            assert Content.model_validate(message).model_dump(exclude_none=True) == message


@pytest.mark.parametrize("strategy", ["dispatch", "trim"])
def test_bedrock(strategy: Strategy) -> None:
    """By its reference: there is no package of it here."""
    for sent in steps("bedrock", strategy):
        if sent.request:
            assert list(sent.request) == ["toolConfig"]
            assert sent.request["toolConfig"]["toolChoice"] == {"auto": {}}  # type: ignore[index]
        for tool in declared(sent):
            assert isinstance(tool, dict)
            assert set(tool["toolSpec"]) == {"name", "description", "inputSchema"}
            assert set(tool["toolSpec"]["inputSchema"]) == {"json"}


# Names


@EACH
def test_no_name_is_refused_and_all_come_back(provider: Provider, strategy: Strategy) -> None:
    exposure = Exposure(domain_of(ODD), provider, strategy=strategy)
    shown = [exposure.names.shown(name) for name in ODD]
    assert all(re.fullmatch(NAME[provider], name) for name in shown)
    assert len(set(shown)) == len(ODD)
    assert [exposure.names.real(name) for name in shown] == ODD
    sent = exposure.step(paying(ODD))
    assert set(names_of(sent)) <= {*shown, DISPATCHER}
    assert len(set(names_of(sent))) == len(names_of(sent))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_name_decides_alone_how_it_is_shown(provider: Provider) -> None:
    """Adding, leaving out and moving other tools changes nothing."""
    of = {name: Exposure(domain_of([name]), provider, strategy="dispatch").names.shown(name) for name in ODD}
    for names in (ODD, ODD[::-1], ODD[::2]):
        exposure = Exposure(domain_of(names), provider, strategy="dispatch")
        assert {name: exposure.names.shown(name) for name in names} == {name: of[name] for name in names}


def test_a_tool_that_has_the_name_made_for_another_is_told_from_it() -> None:
    made = Exposure(domain_of(["shop.pay"]), "openai").names.shown("shop.pay")
    for names in ([made, "shop.pay"], ["shop.pay", made]):
        exposure = Exposure(domain_of(names), "openai")
        assert exposure.names.shown(made) == made
        assert exposure.names.shown("shop.pay") != made
        assert [exposure.names.real(exposure.names.shown(name)) for name in names] == names


def test_a_name_that_does_not_fit_is_named_with_its_length_and_limit_and_the_others_work() -> None:
    exposure = Exposure(domain_of(["pay", "x" * 80]), "openai")
    (finding,) = exposure.findings
    assert finding.code is Code.UNFIT_NAME
    assert ("x" * 20 in finding.message, "80" in finding.message, "64" in finding.message) == (True, True, True)
    sent = exposure.step(paying(["pay", "x" * 80]))
    assert (sent.shown, sent.findings) == (("pay",), ())


# Limits


@EACH
def test_a_strategy_that_is_offered_is_taken(provider: Provider, strategy: Strategy) -> None:
    for sent in steps(provider, strategy):
        assert (sent.provider, sent.strategy) == (provider, strategy)
        assert {finding.code for finding in sent.findings} <= {Code.UNFIT_NAME, Code.CALL_NOT_FORBIDDEN}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_one_that_is_not_offered_is_a_finding_and_another_one_is_taken(provider: Provider) -> None:
    for strategy in set(STRATEGIES) - set(SURFACES[provider].limits.strategies):
        sent = payload(run()[0], provider, strategy=strategy)
        assert sent.strategy in SURFACES[provider].limits.strategies
        assert Code.STRATEGY_NOT_OFFERED in {finding.code for finding in sent.findings}


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "gemini"])
def test_more_tools_than_the_provider_takes_go_through_the_dispatcher(provider: Provider) -> None:
    names = [f"t{number}" for number in range(129)]
    sent = payload(paying(names), provider)
    assert (sent.strategy, names_of(sent)) == ("dispatch", [DISPATCHER])
    assert [finding.code for finding in sent.findings] == [Code.TOO_MANY_TOOLS]
    fewer = payload(paying(names[:128]), provider)
    assert (fewer.strategy, fewer.findings) == ("allow", ())


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic", "gemini", "bedrock"])
@pytest.mark.parametrize("schema", [{"properties": {}}, {"type": ["object", "null"]}, {"type": "object", "oneOf": [{}]}])
def test_a_schema_that_the_provider_does_not_take_goes_into_the_note(provider: Provider, schema: dict[str, object]) -> None:
    sent = payload(paying(["pay"]), provider, catalog=catalog_of(pay=schema), strategy="trim")
    assert sent.strategy == "dispatch"
    assert Code.UNFIT_SCHEMA in {finding.code for finding in sent.findings}
    assert json.dumps(schema) in sent.note


@pytest.mark.parametrize("provider", PROVIDERS)
def test_schemas_pass_through_unchanged(provider: Provider) -> None:
    shapes: list[dict[str, object]] = [
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": "string"}}},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "array"}]}}, "required": ["a"]},
    ]
    for schema in shapes:
        sent = payload(paying(["pay"]), provider, catalog=catalog_of(pay=schema))
        assert json.dumps(schema) in (sent.note if sent.strategy == "dispatch" else json.dumps(sent.request))


@pytest.mark.parametrize("provider", ["openai", "openai-responses"])
def test_an_object_without_properties_says_so_to_openai(provider: Provider) -> None:
    sent = payload(paying(["pay"]), provider, catalog=catalog_of(pay={"type": "object"}))
    assert (sent.strategy, sent.findings) == ("allow", ())
    assert json.dumps({"type": "object", "properties": {}}) in json.dumps(sent.request)


def test_one_step_shows_no_more_than_the_provider_takes() -> None:
    now = paying([f"t{number}" for number in range(200)])
    everything = type(now)(now.planned, now.decision, "all", tuple(now.planned.problem.domain.tools), tuple(now.planned.problem.steps()))
    sent = payload(everything, "openai", strategy="trim")
    assert len(declared(sent)) == len(sent.shown) == 128
    assert Code.TOO_MANY_TOOLS in {finding.code for finding in sent.findings}
    assert len(payload(everything, "openai", strategy="dispatch").shown) == 200


# What must not be called


@EACH
def test_with_nothing_to_call_words_are_possible_and_no_call_is(provider: Provider, strategy: Strategy) -> None:
    exposure = Exposure(MAIL, provider, strategy=strategy)
    for now in run():
        sent = exposure.step(now)
    assert sent.shown == ()
    assert "answer in words" in sent.note
    choice = {
        "openai": {"tool_choice": "none"},
        "openai-responses": {"tool_choice": "none"},
        "anthropic": {"tool_choice": {"type": "none"}},
        "gemini": {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}},
        "plain": {"tool_choice": "none"},
    }
    if provider == "bedrock":
        assert [finding.code for finding in sent.findings] == [Code.CALL_NOT_FORBIDDEN]
    elif sent.request:
        assert choice[provider].items() <= sent.request.items()
    else:
        assert (provider in ("openai", "openai-responses", "plain"), strategy) == (True, "trim")


@EACH
def test_no_request_forces_a_call(provider: Provider, strategy: Strategy) -> None:
    for sent in steps(provider, strategy):
        assert not re.search(r'"(required|any|ANY|tool)"(?!:)', re.sub(r'"required": \[', "", json.dumps({**sent.request, "tools": []})))
        assert '"allowedFunctionNames": []' not in json.dumps(sent.request)


# What Anthropic refuses


def test_no_deferred_tool_is_cached_and_never_all_are_deferred() -> None:
    for domain, visible in ((MAIL, DISPATCHER), (HELPED, "help")):
        for now in run(domain):
            sent = Exposure(domain, "anthropic", strategy="append").step(now)
            tools = [tool for tool in declared(sent) if isinstance(tool, dict)]
            assert "cache_control" not in json.dumps(sent.request)
            assert [tool["name"] for tool in tools if not tool.get("defer_loading")] == [visible]
            assert sent.request["betas"] == [TOOL_CHANGES]


def test_changes_of_tools_stand_where_they_may_and_refer_to_what_is_declared() -> None:
    """After the user's turn and before Claude's; nothing earlier is touched, nothing is added twice or removed before it was added."""
    exposure = Exposure(MAIL, "anthropic", strategy="append")
    conversation: list[Any] = [{"role": "user", "content": "Answer my mail"}]
    offered: set[str] = set()
    for now, shown in zip(run(), SHOWN, strict=True):
        sent = exposure.step(now)
        before = as_bytes(conversation)
        conversation = sent.appended(conversation)
        assert as_bytes(conversation)[: len(before) - 1] == before[:-1]
        for block in (block for message in sent.messages if message["role"] == "system" for block in message["content"]):  # type: ignore[attr-defined]
            name = block["tool"]["name"]
            assert name in names_of(sent)
            assert (name in offered) == (block["type"] == "tool_removal")
            offered ^= {name}
        assert {sent.names.real(name) for name in offered} == set(shown)
        conversation += [{"role": "assistant", "content": "..."}, {"role": "user", "content": "..."}]
    roles = [message["role"] for message in conversation]
    for place, role in enumerate(roles):
        if role == "system":
            assert (roles[place - 1], roles[place + 1]) == ("user", "assistant")


def test_no_system_message_quotes_anything() -> None:
    for sent in steps("anthropic", "append"):
        texts = [message for message in sent.messages if message["role"] == "system"]
        assert '"text"' not in json.dumps(texts)
        assert sent.messages[0] == {"role": "user", "content": [{"type": "text", "text": sent.note}]}


def test_turns_alternate_on_bedrock() -> None:
    sent = payload(run()[0], "bedrock")
    user = {"role": "user", "content": [{"text": "Answer my mail"}]}
    assert sent.appended([user]) == [{"role": "user", "content": [{"text": "Answer my mail"}, {"text": sent.note}]}]
    assert user == {"role": "user", "content": [{"text": "Answer my mail"}]}
    assert sent.appended([]) == list(sent.messages)


# Pages


@pytest.mark.parametrize("code", [code for code in Code if re.fullmatch(r"TP44[0-5]", code.number)], ids=lambda code: code.number)
def test_the_examples_of_the_pages_run(code: Code) -> None:
    for number, text in enumerate(re.findall(r"^```console\n(.*?)^```$", code.page, re.MULTILINE | re.DOTALL)):
        example = doctest.DocTestParser().get_doctest(text, {}, f"{code.number}-{number}", None, None)
        assert example.examples
        assert doctest.DocTestRunner(verbose=False).run(example).failed == 0
