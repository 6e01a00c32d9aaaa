"""What every adapter promises, whatever the framework: the same conversations through a real agent of each."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from adapters.hosting import Calls, Host, Request, Run, Says, Scenario, Setting, calls, hosts
from adapters.scenarios import (
    ARGUMENTS,
    AT_THE_DESK,
    CATALOG,
    DESK,
    IN_THE_OFFICE,
    NAMES,
    READ,
    REPLY,
    TOOLS,
    Ticking,
    real,
    through_the_dispatcher,
)

import toolplan
from toolplan.catalog import Catalog, RealTool, prefixed
from toolplan.domain import Principal
from toolplan.exposure import Strategy
from toolplan.exposure.notes import PREFACE
from toolplan.gate import Mode

HOSTS = list(hosts())
WAYS = {"sync": (), "async": ("asynchronous",), "sync-stream": ("streaming",), "async-stream": ("asynchronous", "streaming")}
BOTH = {"sync": (), "async": ("asynchronous",)}


@pytest.fixture(params=HOSTS, ids=lambda host: host.name)
def host(request: pytest.FixtureRequest) -> Host:
    found: Host = request.param
    return found


def start(host: Host, *needs: Scenario, world: Setting = AT_THE_DESK, **changes: Any) -> Run:
    """A conversation, if the framework has what it `needs`."""
    setting = replace(world, **{"strategy": host.strategies[-1], **changes})
    for need in (*needs, *(way for way in ("asynchronous", "streaming") if getattr(setting, way))):
        if need in host.cannot:
            pytest.skip(f"{host.name}: {host.cannot[need]}")
    return host.start(setting)


def resumed(host: Host, saved: str, **changes: Any) -> Run:
    """The conversation that was saved, in an agent that shares nothing with the one before."""
    return host.resume(replace(AT_THE_DESK, strategy=host.strategies[-1], **changes), saved)


def ran(run: Run) -> list[str]:
    return [name for name, _ in run.executed.begun]


def told(run: Run) -> list[str]:
    """The results of calls that the model was sent last."""
    return list(run.model.requests[-1].results.values())


def each_strategy(host: Host) -> Iterator[tuple[Strategy, Any]]:
    """The strategies of a framework, and how a model makes its calls under each."""
    for strategy in host.strategies:
        yield strategy, through_the_dispatcher if strategy == "dispatch" else lambda turn: turn


def ways(among: dict[str, tuple[str, ...]]) -> Any:
    return pytest.mark.parametrize("way", [dict.fromkeys(way, True) for way in among.values()], ids=list(among))


def test_what_frameworks_do_not_have_is_a_scenario_of_this_suite(host: Host) -> None:
    assert set(host.cannot) <= set(get_args(Scenario))
    assert all(host.cannot.values())


# Whole requests


@ways(WAYS)
def test_a_whole_request(host: Host, way: dict[str, bool]) -> None:
    run = start(host, script=[*READ, REPLY, calls("mail_file"), Says("Filed.")], **way)
    assert "We accept." in run.user("handle the message")
    assert ran(run) == ["mail_search", "mail_open"]
    assert run.user("yes").strip() == "Filed."
    assert run.executed.begun == [
        ("mail_search", {"query": "offer"}),
        ("mail_open", {"id": "m1"}),
        ("mail_reply", {"id": "m1", "body": "We accept."}),
        ("mail_file", {"id": "m1"}),
    ]


def test_every_strategy_reaches_the_goal(host: Host) -> None:
    for strategy, called in each_strategy(host):
        run = start(host, strategy=strategy, script=[*map(called, [*READ, REPLY, calls("mail_file")]), Says("Filed.")])
        run.user("handle the message")
        assert run.user("yes") == "Filed.", strategy
        assert ran(run) == ["mail_search", "mail_open", "mail_reply", "mail_file"], strategy


def test_the_shipped_office_with_the_schemas_of_its_real_servers(host: Host) -> None:
    end = {"end": "2026-12-01T16:30:00+01:00"}
    script = [calls(("search-events", {"query": "dentist"})), calls(("update-event", end)), Says("Moved.")]
    run = start(host, world=IN_THE_OFFICE, script=script)
    question = run.user("Move tomorrow's dentist appointment to 4 PM")
    assert ran(run) == ["search-events"] and end["end"] in question
    assert run.user("yes") == "Moved."
    name, arguments = run.executed.begun[-1]
    assert name == "update-event" and arguments["sendUpdates"] == "all" and arguments["end"] == end["end"]


def test_words_of_the_model_that_are_a_step_are_what_the_next_one_gets(host: Host) -> None:
    run = start(host, "words as a step", script=[Says("They accept."), calls("mail_note"), Says("Kept.")])
    assert run.user("keep a summary") == "Kept."
    assert run.executed.begun == [("mail_note", {"text": "They accept."})]


# What is hidden


@ways(WAYS)
def test_t1_t4_a_hidden_call_is_refused_as_often_as_it_is_made_and_the_run_goes_on(host: Host, way: dict[str, bool]) -> None:
    run = start(host, script=[*[calls("mail_file")] * 3, *READ, Says("Opened.")], **way)
    assert run.user("handle the message").strip() == "Opened."
    assert ran(run) == ["mail_search", "mail_open"]


def test_t25_a_refusal_names_the_missing_step(host: Host) -> None:
    run = start(host, script=[calls("mail_file"), Says("I see.")])
    run.user("handle the message")
    (result,) = told(run)
    assert "`mail_file` cannot be called now; what can be called now: `mail_search`." in result


def test_t1_a_tool_that_the_model_remembers_is_refused_when_it_is_not_next_any_more(host: Host) -> None:
    run = start(host, script=[*READ, calls(("mail_search", {"query": "offer"})), Says("Opened.")])
    run.user("handle the message")
    assert ran(run) == ["mail_search", "mail_open"]
    assert any("`mail_search` cannot be called now" in result for result in told(run))


def test_t2_nothing_that_the_model_reads_names_what_is_hidden(host: Host) -> None:
    hidden = {*NAMES} - {"mail_search"}
    wrong = [calls("no_such_tool"), calls(("mail_search", "{no json")), calls(("mail_search", "[]")), calls(("mail_search", {"query": 7}))]
    for strategy, called in each_strategy(host):
        run = start(host, strategy=strategy, script=[*map(called, wrong), Says("Hm.")])
        assert run.user("handle the message") == "Hm.", strategy
        assert ran(run) == []
        for request in run.model.requests:
            seen = request.all if strategy in ("dispatch", "trim") else request.text
            assert not [name for name in hidden if name in seen], strategy


def test_t35_with_an_empty_frontier_text_is_allowed_and_no_call(host: Host) -> None:
    for strategy, called in each_strategy(host):
        run = start(host, strategy=strategy, script=[called(calls("mail_count")), Says("You are welcome.")])
        assert run.user("thank you") == "You are welcome."
        assert all(request.allowed == () for request in run.model.requests), strategy
        assert ran(run) == []


def test_t6_what_is_declared_stays_the_same_to_the_byte_where_that_is_promised(host: Host) -> None:
    for strategy, called in each_strategy(host):
        run = start(host, strategy=strategy, script=[*map(called, READ), Says("Opened."), Says("Welcome."), Says("Three.")])
        run.user("handle the message")
        run.user("thanks")
        run.user("count my messages")
        requests = run.model.requests
        assert len(requests) >= 5
        assert len({request.declared for request in requests}) == 1 or strategy == "trim", strategy
        if strategy == "trim":
            assert not any({"mail_file", "mail_label", "mail_note"} & set(request.tools) for request in requests)


def test_t7_what_the_model_has_read_stays_and_the_note_of_the_step_comes_last(host: Host) -> None:
    run = start(host, script=[*READ, Says("Opened.")])
    run.user("handle the message")
    texts = [request.text for request in run.model.requests]
    for text, next_tool in zip(texts, ("mail_search", "mail_open", "mail_reply"), strict=True):
        note = text[text.rindex(PREFACE) :]
        assert "Answer the message and file it" in note and f"call `{next_tool}`" in note
        assert "The offer" not in note


def test_t12_t13_tools_of_two_servers_that_look_alike_are_two_tools(host: Host) -> None:
    domain = toolplan.loads("""
domain twins "Two servers"
fact seen
fact put
tool look calls "box.get" { produces seen risk read }
tool put_back calls "box_get" { requires seen produces put risk read }
goal put_it { "Put it back" achieves put phrases "put it back" }
""")
    mine, theirs = [RealTool("get", "Looks.", origin="mine")], [RealTool("get", "Puts back.", origin="theirs")]
    catalog = Catalog([*prefixed(mine, "box."), *prefixed(theirs, "box_")])
    tools = {name: lambda arguments: "ok" for name in catalog}
    follow = [lambda request: calls(request.allowed[0])] * 2
    run = start(host, "names", domain=domain, catalog=catalog, tools=tools, reader=None, script=[*follow, Says("Put back.")])
    assert run.user("put it back") == "Put back."
    assert ran(run) == ["box.get", "box_get"]


@pytest.mark.parametrize("policy", ["hide", "explore"])
def test_partial_adoption(host: Host, policy: str) -> None:
    domain = toolplan.loads(DESK + f"policy {{ uncontracted {policy} }}")
    others = [RealTool(f"other_{number}", "Does something else.", origin="mail") for number in range(60 - len(CATALOG))]
    tools = {**TOOLS, **{tool.name: lambda arguments: "ok" for tool in others}}
    script = [calls("other_7"), *READ, Says("Opened."), Says("Stopped."), calls(("other_7", {"a": 1})), Says("Done.")]
    run = start(host, domain=domain, catalog=Catalog([*CATALOG.values(), *others]), tools=tools, script=script)
    assert run.user("handle the message") == "Opened."
    assert ran(run) == ["mail_search", "mail_open"]
    run.user("stop")
    shown = run.user("do something else altogether")
    if policy == "explore":
        assert "other_7" in shown
        run.user("yes")
        assert run.executed.begun[-1] == ("other_7", {"a": 1})
    assert ran(run).count("other_7") == (policy == "explore")


# Arguments and results


def test_arguments_that_are_not_those_that_are_known_are_refused(host: Host) -> None:
    wrong = [calls(("mail_open", arguments)) for arguments in ({"id": "m2"}, {"id": None}, {"id": "m1", "force": True}, "[1]", '"m1"')]
    run = start(host, script=[READ[0], *wrong, READ[1], Says("Opened.")])
    assert run.user("handle the message") == "Opened."
    assert run.executed.begun == [("mail_search", {"query": "offer"}), ("mail_open", {"id": "m1"})]


def test_a_tool_that_fails_is_a_result_and_may_be_called_again(host: Host) -> None:
    results = [RuntimeError("no connection"), {"id": "m1"}]

    def search(arguments: dict[str, Any]) -> Any:
        result = results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    run = start(host, tools={**TOOLS, "mail_search": search}, script=[READ[0], *READ, Says("Opened.")])
    assert run.user("handle the message") == "Opened."
    assert ran(run) == ["mail_search", "mail_search", "mail_open"]


def test_a_write_of_which_nothing_was_heard_is_not_made_again(host: Host) -> None:
    def lost(arguments: dict[str, Any]) -> Any:
        raise TimeoutError("nothing was heard")

    run = start(host, tools={**TOOLS, "mail_label": lost}, script=[*[calls("mail_label")] * 3, Says("Who knows.")])
    run.user("label it")
    run.user("green")
    assert ran(run) == ["mail_label"]


@pytest.mark.parametrize("result", [{"nothing": 1}, "", None, {"id": None}, {"id": ["m1", "m2"]}], ids=repr)
def test_t24_a_result_that_says_nothing_opens_nothing(host: Host, result: object) -> None:
    run = start(host, tools={**TOOLS, "mail_search": lambda arguments: result}, script=[*READ, Says("I see."), Says("I see.")])
    run.user("handle the message")
    assert ran(run) == ["mail_search"]


# The calls of one turn


@ways(BOTH)
def test_t29_t24_calls_of_one_turn_run_in_order_each_on_what_the_one_before_has_brought(host: Host, way: dict[str, bool]) -> None:
    def slow(arguments: dict[str, Any]) -> Any:
        time.sleep(0.05)
        return {"id": "m1"}

    both = calls(("mail_search", {"query": "offer"}), "mail_open")
    run = start(host, script=[both, Says("Opened.")], tools={**TOOLS, "mail_search": slow}, **way)
    assert run.user("handle the message") == "Opened."
    assert ran(run) == ["mail_search", "mail_open"]


@ways(BOTH)
def test_calls_of_one_turn_in_the_wrong_order_are_not_put_right(host: Host, way: dict[str, bool]) -> None:
    run = start(host, script=[calls("mail_open", ("mail_search", {"query": "offer"})), Says("Found.")], **way)
    assert run.user("handle the message") == "Found."
    assert ran(run) == ["mail_search"]


@ways(BOTH)
def test_t29_the_same_write_twice_in_one_turn_runs_once(host: Host, way: dict[str, bool]) -> None:
    run = start(host, script=[*READ, REPLY, calls("mail_file", "mail_file"), Says("Filed.")], **way)
    run.user("handle the message")
    assert run.user("yes") == "Filed."
    assert ran(run).count("mail_file") == 1


@ways(BOTH)
def test_what_the_framework_answers_by_itself_holds_nobody_up(host: Host, way: dict[str, bool]) -> None:
    mixed = calls("no_such_tool", ("mail_search", "{no json"), ("mail_search", {"query": "offer"}), "mail_open")
    started = time.monotonic()
    run = start(host, script=[mixed, Says("Opened.")], **way)
    assert run.user("handle the message") == "Opened."
    assert ran(run) == ["mail_search", "mail_open"]
    assert time.monotonic() - started < 30, "one of them was waited for"


def test_two_calls_of_one_id_run_once(host: Host) -> None:
    twice = Calls((("mail_count", {}), ("mail_count", {})), ids=("one", "one"))
    run = start(host, "one id", script=[twice, Says("Three.")])
    assert run.user("count my messages") == "Three."
    assert ran(run) == ["mail_count"]


def numbered(*turns: Calls) -> list[Calls]:
    """`turns` of a model that numbers its calls anew in each of them."""
    return [replace(turn, ids=tuple(f"call_{number}" for number in range(len(turn.calls)))) for turn in turns]


def test_ids_that_a_model_numbers_anew_in_each_turn_are_those_of_other_calls(host: Host) -> None:
    run = start(host, "ids again", script=[*numbered(*READ), Says("Opened.")])
    assert run.user("handle the message") == "Opened."
    assert ran(run) == ["mail_search", "mail_open"]


def test_a_call_that_was_refused_is_another_in_a_later_turn_though_it_has_the_same_id(host: Host) -> None:
    run = start(host, "ids again", script=[*numbered(READ[1], *READ), Says("Opened.")])
    assert run.user("handle the message") == "Opened."
    assert ran(run) == ["mail_search", "mail_open"]


def test_calls_of_a_later_turn_wait_for_each_other_though_their_ids_were_those_of_others(host: Host) -> None:
    early = calls("mail_open", "mail_file")
    both = calls(("mail_search", {"query": "offer"}), "mail_open")

    def slow(arguments: dict[str, Any]) -> Any:
        time.sleep(0.05)
        return {"id": "m1"}

    run = start(host, "ids again", script=[*numbered(early, both), Says("Opened.")], tools={**TOOLS, "mail_search": slow})
    assert run.user("handle the message") == "Opened."
    assert ran(run) == ["mail_search", "mail_open"]


def test_a_call_that_waits_is_no_other_that_has_its_id(host: Host) -> None:
    script = [*numbered(*READ, REPLY, calls("mail_count")), *[Says("Three.")] * 2]
    run = start(host, "ids again", script=script)
    run.user("handle the message")
    run.user("count my messages")
    assert ran(run) == ["mail_search", "mail_open", "mail_count"]


@pytest.mark.parametrize("channel", ["words", "framework's channel"])
def test_a_call_that_was_kept_is_agreed_to_under_the_id_that_other_calls_had(host: Host, channel: Any) -> None:
    needs = [] if channel == "words" else [channel]
    run = start(host, "ids again", "resume", *needs, script=numbered(*READ, REPLY))
    run.user("handle the message")
    other = resumed(host, run.save(), script=[*numbered(calls("mail_file")), Says("Filed.")])
    assert (other.user("yes") if channel == "words" else other.approve(True)) == "Filed."
    assert other.executed.begun == [("mail_reply", {"id": "m1", "body": "We accept."}), ("mail_file", {"id": "m1"})]


# Questions and consent


def test_a_question_which_goal_is_meant_reaches_the_user_and_their_answer_comes_back(host: Host) -> None:
    run = start(host, script=[calls("mail_count"), Says("Three.")])
    question = run.user("handle or count?")
    assert ran(run) == [] and not run.model.requests
    number = next(line.split(".")[0] for line in question.splitlines() if "Count the messages" in line)
    assert run.user(number) == "Three."
    assert ran(run) == ["mail_count"]


def test_a_question_for_a_value_reaches_the_user_and_their_answer_comes_back(host: Host) -> None:
    run = start(host, script=[calls("mail_label"), Says("Done.")])
    assert "Which colour" in run.user("label it")
    assert run.user("green") == "Done."
    assert run.executed.begun == [("mail_label", {"colour": "green"})]


def test_what_was_agreed_to_runs_as_it_is_and_nothing_is_generated_again(host: Host) -> None:
    run = start(host, script=[*READ, REPLY, Says("Sent.")])
    run.user("handle the message")
    asked = len(run.model.requests)
    assert run.user("yes") == "Sent."
    assert run.executed.begun[-1] == ("mail_reply", {"id": "m1", "body": "We accept."})
    assert len(run.model.requests) == asked + 1


def test_a_call_can_be_agreed_to_through_the_channel_of_the_framework(host: Host) -> None:
    run = start(host, "framework's channel", script=[*READ, REPLY, Says("Sent.")])
    run.user("handle the message")
    assert run.approve(True) == "Sent."
    assert run.executed.begun[-1] == ("mail_reply", {"id": "m1", "body": "We accept."})


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "in another process"])
def test_of_two_calls_of_one_turn_that_wait_and_are_agreed_to_one_runs_and_nobody_is_asked_again(host: Host, elsewhere: bool) -> None:
    both = calls(("mail_reply", {"body": "We accept."}), ("mail_reply", {"body": "We do not."}))
    run = start(host, "framework's channel", "resume", "waiting together", script=[*READ, both, Says("Sent.")])
    run.user("handle the message")
    before = len(ran(run))
    if elsewhere:
        run, before = resumed(host, run.save(), script=[Says("Sent.")]), 0
    assert run.approve(True) == "Sent."
    assert ran(run)[before:] == ["mail_reply"]


@pytest.mark.parametrize("channel", ["words", "framework's channel"])
def test_a_no_is_no_and_the_run_goes_on(host: Host, channel: Any) -> None:
    needs = [] if channel == "words" else [channel]
    run = start(host, *needs, script=[*READ, REPLY, REPLY, Says("Not sent."), Says("Not sent.")])
    run.user("handle the message")
    shown = run.user("no") if channel == "words" else run.approve(False)
    assert "Not sent." in shown
    assert "mail_reply" not in ran(run)


def test_a_call_that_waits_does_not_run_because_the_user_speaks_of_something_else(host: Host) -> None:
    run = start(host, script=[*READ, REPLY, calls("mail_count"), Says("Three."), Says("Three.")])
    run.user("handle the message")
    run.user("count my messages")
    assert "mail_reply" not in ran(run) and "mail_count" in ran(run)


def test_a_yes_of_the_user_is_none_where_somebody_else_has_to_agree(host: Host) -> None:
    domain = toolplan.loads(DESK.replace("  confirm\n", "  confirm by supervisor\n"))
    run = start(host, domain=domain, script=[*READ, REPLY, *[Says("It waits.")] * 3])
    run.user("handle the message")
    run.user("yes")
    assert "mail_reply" not in ran(run)


# What changes meanwhile


def test_t3_what_changes_between_listing_and_dispatch_is_seen(host: Host) -> None:
    scopes = [frozenset({"mail:write"})]

    def revoked(_: Request) -> Calls:
        scopes[0] = frozenset()
        return calls("mail_file")

    run = start(host, "principal", script=[*READ, REPLY, revoked, Says("I may not.")], principal=lambda: Principal(scopes=scopes[0]))
    run.user("handle the message")
    assert run.user("yes") == "I may not."
    assert "mail_file" not in ran(run)


def test_t19_what_may_not_be_done_any_more_is_not_done_though_it_was_agreed_to(host: Host) -> None:
    domain = toolplan.loads(DESK.replace("  confirm\n", '  confirm\n  scopes "mail:send"\n'))
    scopes = [frozenset({"mail:send"})]
    run = start(host, "principal", domain=domain, principal=lambda: Principal(scopes=scopes[0]), script=[*READ, REPLY, *[Says("No.")] * 3])
    run.user("handle the message")
    scopes[0] = frozenset()
    run.user("yes")
    assert "mail_reply" not in ran(run)


def test_t19_what_was_agreed_to_is_a_call_of_the_tool_that_was_shown(host: Host) -> None:
    run = start(host, "resume", script=[*READ, REPLY])
    run.user("handle the message")
    swapped = Catalog(
        [*(tool for tool in CATALOG.values() if tool.name != "mail_reply"), real("mail_reply", ARGUMENTS["mail_reply"], "To all.")]
    )
    other = resumed(host, run.save(), catalog=swapped, script=[Says("It waits.")] * 3)
    other.user("yes")
    assert other.executed.begun == []


# Keeping


def test_t19_pause_and_resume_with_nothing_but_what_the_framework_keeps(host: Host) -> None:
    run = start(host, "resume", script=[*READ, REPLY])
    run.user("handle the message")
    other = resumed(host, run.save(), script=[calls("mail_open"), Says("Sent.")])
    assert other.user("yes") == "Sent."
    assert other.executed.begun == [("mail_reply", {"id": "m1", "body": "We accept."})]
    again = resumed(host, other.save(), script=[calls("mail_file"), Says("Filed.")])
    assert again.user("go on") == "Filed."
    assert ran(again) == ["mail_file"]


def test_a_conversation_goes_on_in_another_process() -> None:
    # Of one host: those of the others have nothing but a text either.
    host = next(host for host in HOSTS if host.name == "loop")
    run = start(host, script=[*READ, REPLY])
    run.user("handle the message")
    code = (
        "import sys; from adapters.hosting import Says; from adapters.test_conformance import *\n"
        "[host] = [host for host in HOSTS if host.name == sys.argv[1]]\n"
        "run = resumed(host, sys.stdin.read(), script=[Says('Sent.')])\n"
        "print(run.user('yes'), run.executed.begun)"
    )
    tests = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(tests), "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", code, host.name]
    done = subprocess.run(command, input=run.save(), capture_output=True, text=True, cwd=tests.parent, env=environment, timeout=120)
    assert done.stdout.strip() == "Sent. [('mail_reply', {'id': 'm1', 'body': 'We accept.'})]", done.stderr


def test_a_fork_knows_what_was_known_then(host: Host) -> None:
    run = start(host, "resume", script=[*READ, REPLY, Says("Sent.")])
    run.user("handle the message")
    saved = run.save()
    run.user("yes")
    assert ran(run)[-1] == "mail_reply"
    fork = resumed(host, saved, script=[Says("Then not.")] * 2)
    fork.user("no")
    assert fork.executed.begun == []
    other = resumed(host, saved, script=[Says("Sent.")])
    assert other.user("yes") == "Sent."
    assert ran(other) == ["mail_reply"]


# At once


@ways(BOTH)
def test_two_conversations_never_mix(host: Host, way: dict[str, bool]) -> None:
    first = start(host, script=[*READ, REPLY, Says("Sent.")], **way)
    second = start(host, script=[calls("mail_search"), calls("mail_count"), Says("Three.")], **way)
    if way:

        async def together() -> tuple[str, str]:
            return await asyncio.gather(first.auser("handle the message"), second.auser("count my messages"))

        _, shown = asyncio.run(together())
    else:
        first.user("handle the message")
        shown = second.user("count my messages")
    assert shown == "Three."
    assert ran(second) == ["mail_count"]
    first.user("yes")
    assert ran(first) == ["mail_search", "mail_open", "mail_reply"]


def test_the_event_loop_goes_on_whoever_is_waited_for(host: Host) -> None:
    slow = Ticking()
    script = [calls("mail_file"), *READ, REPLY, calls("mail_count"), Says("Three."), Says("Three.")]
    run = start(host, "loop", script=script, asynchronous=True, reader=slow, receipts=slow, principal=slow.principal)

    async def scenario() -> None:
        ticking = asyncio.create_task(slow.tick())
        await run.auser("handle the message")
        await run.auser("count my messages")
        ticking.cancel()

    asyncio.run(scenario())
    assert ran(run) == ["mail_search", "mail_open", "mail_count"]
    assert {"the reader", "the principal", "the receipt of the decision", "the receipt of the outcome"} <= set(slow.waited)
    assert slow.stopped == []


def test_shadow_lets_all_run(host: Host) -> None:
    strategy = "allow" if "allow" in host.strategies else host.strategies[0]
    called = through_the_dispatcher(calls("mail_file")) if strategy == "dispatch" else calls("mail_file")
    run = start(host, "shadow", strategy=strategy, mode=Mode.SHADOW, script=[called, Says("Filed.")])
    run.user("handle the message")
    assert ran(run) == ["mail_file"]
