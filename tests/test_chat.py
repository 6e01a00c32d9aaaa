"""`toolplan chat`: a person plays the user, the tools and the model; what they see, and what they may get wrong."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from shop import ORDER, chat, shop

import toolplan
from toolplan.checks.testing import load_tests
from toolplan.cli.exits import Exit

__all__ = ["shop"]
MONDAY = "2026-03-02T09:00"


def shown(shop: str, *arguments: str, typed: str) -> str:
    return chat(shop, *arguments, "--now", MONDAY, typed=typed).stdout


# What is shown


def test_from_a_request_to_a_result_every_step_says_why(shop: str) -> None:
    typed = "I want my money back\n/answer 7\ntomorrow\n/answer 7\n"
    assert shown(shop, typed=typed).splitlines()[1:] == [
        "",
        "user> I want my money back",
        "read:    refund 1.00",
        "ask:     What is the number of the order? (order_1)",
        "         Which day was it?",
        "then:    look(order_1), pay(order_1)",
        "",
        "user> /answer 7",
        "",
        "user> tomorrow",
        'known:   day = "2026-03-03" (user: "tomorrow")',
        "ask:     What is the number of the order? (order_1)",
        "then:    look(order_1), pay(order_1)",
        "",
        "user> /answer 7",
        'known:   number(order_1) = "7" (user: "7")',
        "call:    look(order_1), as get_order",
        "why:     it makes paid(order_1) known, which pay requires",
        "then:    pay(order_1)",
        'with:    id = "7" (user)',
        '         day = "2026-03-03" (user)',
        "",
    ]


def test_a_call_shows_its_arguments_with_their_sources_and_its_result_what_it_made_known(shop: str) -> None:
    page = shown(shop, "--goal", "refund(o)", "--state", ORDER, typed='{"amount": 49.5}\n')
    assert (
        page.split("\n", 1)[1]
        == """\
call:    look(o), as get_order
why:     it makes paid(o) known, which pay requires
then:    pay(o)
with:    id = "7" (caller)
         day = "2026-03-03" (caller)

get_order> {"amount": 49.5}
result:  done
known:   paid(o) = 49.5 (observed)
call:    pay(o), as refund_order
why:     it makes back(o) known, which the goal asks for
with:    amount = 49.5 (observed)
         reason, which a model gives

"""
    )


def test_a_correction_shows_what_was_withdrawn(shop: str) -> None:
    typed = 'on 2026-03-03\n{"amount": 49.5}\n/say no, on 2026-03-04\n'
    page = shown(shop, "--goal", "refund(o)", "--state", 'number(o) = "7"', typed=typed)
    last = page.partition("/say")[2]
    assert 'known:   day = "2026-03-04" (user: "2026-03-04"); before: "2026-03-03"' in last
    assert "gone:    paid(o) = 49.5 (observed)" in last
    assert 'day = "2026-03-04" (user)' in last


def test_a_call_that_brings_nothing_says_so(shop: str) -> None:
    page = shown(shop, "--goal", "refund(o)", "--state", ORDER, typed='{"sum": 1}\n')
    assert "result:  in doubt: the result has no $.amount" in page
    assert "result:  failed" in shown(shop, "--goal", "refund(o)", "--state", ORDER, typed="fails\n")
    assert "result:  failed, may be tried again" in shown(shop, "--goal", "refund(o)", "--state", ORDER, typed="timeout\n")


def test_the_model_and_the_user_do_what_is_theirs(shop: str) -> None:
    page = shown(shop, "--goal", "write(o)", "--state", ORDER, typed="Dear customer\nfine\nyes\n")
    assert "model:   Word a letter. (word(o))" in page
    assert 'model> Dear customer\nresult:  done\nperhaps: letter = "Dear customer" (model)' in page
    assert "user:    Sign the letter. (sign(o)) Tell when it is done." in page
    assert "user> yes\nreply:   agreed\nknown:   signed(o) (user)\ndone: " in page


def test_a_model_proposes_and_the_role_that_must_agree_is_asked(shop: str) -> None:
    typed = '/call refund_order {"reason": "late"}\nperhaps\nno\n/undo\nyes\nok\n'
    page = shown(shop, "--goal", "refund(o)", "--state", "paid(o) = 5", typed=typed)
    assert 'reason = "late" (model)' in page
    assert "boss> perhaps\nthe boss is asked: type yes or no" in page
    assert "boss> yes\ncall:    pay(o), as refund_order" in page
    assert page.rstrip().endswith("done:    everything that is wanted is known")


def test_commands_show_the_state_the_plan_and_the_reasons(shop: str) -> None:
    page = shown(shop, "--goal", "refund(o)", "--state", ORDER, typed="/state\n/plan\n/why\n/help\n")
    assert 'known:   day = "2026-03-03" (caller)' in page
    assert "step:    look(o), risk read, score 1" in page
    assert "proved optimal by" in page
    assert "goal:    refund(o)" in page
    assert all(f"\n{name}" in page for name in ("/say", "/call", "/answer", "/undo", "/save", "/quit"))


def test_undo_takes_back_a_move_and_all_that_it_led_to(shop: str) -> None:
    page = shown(shop, "--goal", "refund(o)", "--state", ORDER, typed='{"amount": 49.5}\n/undo\n/undo\n')
    again = page.partition("/undo")[2]
    assert "gone:    paid(o) = 49.5 (observed)" in again
    assert "call:    look(o), as get_order" in again
    assert "there is nothing to take back" in again


def test_a_result_may_take_several_lines(shop: str) -> None:
    page = shown(shop, "--goal", "refund(o)", "--state", ORDER, typed='{"amount":\n  49.5}\n')
    assert "known:   paid(o) = 49.5 (observed)" in page


# Mistakes


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("/nope", "there is no such command"),
        ('{"amount": 49.5]', "this is no JSON"),
        ('{"amount":', "this is no JSON"),
        ("[NaN]", "there is no NaN"),
        ("[" * 100_000, "nested too deep"),
        (r'"\ud800"', "half of a character"),
        ("/answer 5", "nobody is asked anything"),
        ("/decline", "nobody is asked anything"),
        ("/call get_order [1]", "this is no JSON object"),
        ("/call refund_order", "cannot be called now"),
        ("/say", "say something"),
        ("/save", "where to?"),
        ("/save /nowhere/x", "cannot write to /nowhere/x"),
    ],
)
def test_a_mistake_is_said_in_a_line_and_nothing_is_lost(shop: str, typed: str, said: str) -> None:
    page = shown(shop, "--goal", "refund(o)", "--state", ORDER, typed=f'{typed}\n\n{{"amount": 49.5}}\n')
    assert said in page.partition(typed)[2]
    assert "known:   paid(o) = 49.5 (observed)" in page


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--goal", "nope"], Exit.INPUT),
        (["--state", "nope"], Exit.INPUT),
        (["--now", "nope"], Exit.USAGE),
        (["--reader", "nope"], Exit.USAGE),
        (["--record", "r.toolplan", "--reader", "none"], Exit.USAGE),
        (["--record", "r.toolplan", "--now", MONDAY], Exit.USAGE),
        (["--record", "/nowhere/r.toolplan"], Exit.INPUT),
        (["--session", "/nowhere/s.db"], Exit.INPUT),
        (["--goal", "refund(o)", "--engine", "up:nobody"], Exit.INTERNAL),
    ],
)
def test_exit_codes(shop: str, arguments: list[str], code: Exit) -> None:
    chat(shop, *arguments, code=code)


def test_an_interrupt_ends_it_and_keeps_the_record(shop: str) -> None:
    command = [sys.executable, "-m", "toolplan", "chat", shop, "--goal", "refund(o)", "--record", shop]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "\n":
            pass
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == Exit.OK, errors
    assert [test.name for test in load_tests(shop)] == ["refund(o)"]


# JSON, and sessions that are kept


def test_with_json_stdout_has_one_object_for_each_decision(shop: str) -> None:
    ran = chat(shop, "--json", "--goal", "refund(o)", "--state", ORDER, typed='{"amount": 49.5}\n/why\nok\n')
    decisions = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [decision["decision"] for decision in decisions] == ["act", "act", "done"]
    assert 'get_order> {"amount": 49.5}' in ran.stderr


def test_a_session_is_taken_up_again_where_it_was_left(shop: str, tmp_path: Path) -> None:
    kept = ["--session", str(tmp_path / "s.db"), "--id", "anna"]
    chat(shop, *kept, "--goal", "refund(o)", "--state", ORDER, typed='{"amount": 49.5}\n')
    page = chat(shop, *kept, typed="/undo\n/state\n").stdout
    assert "call:    pay(o), as refund_order" in page
    assert "there is nothing to take back" in page
    assert "paid(o) = 49.5 (observed)" in page
    chat(shop, *kept, "--state", ORDER, code=Exit.USAGE)
    chat(shop, *kept, "--record", shop, code=Exit.USAGE)


def test_what_is_undone_in_a_kept_session_stays_undone(shop: str, tmp_path: Path) -> None:
    kept = ["--session", str(tmp_path / "s.db")]
    chat(shop, *kept, "--goal", "refund(o)", "--state", ORDER, typed='{"amount": 49.5}\n/undo\n')
    assert "call:    look(o), as get_order" in chat(shop, *kept).stdout


def test_a_session_that_was_saved_can_be_restored(shop: str, tmp_path: Path) -> None:
    saved = tmp_path / "s.json"
    chat(shop, "--goal", "refund(o)", "--state", ORDER, typed=f'{{"amount": 49.5}}\n/save {saved}\n')
    talk = toolplan.Session.restore(toolplan.load(shop), saved.read_text("utf-8"))
    assert talk.next().tools == ("pay",)


def test_without_a_reader_answers_are_values(shop: str) -> None:
    page = shown(shop, "--reader", "none", "--goal", "refund(o)", typed='{"number(o)": "7", "day": "2026-03-03"}\n/say 7\n')
    assert 'known:   day = "2026-03-03" (user: "2026-03-03")' in page
    assert "nobody is asked anything" in page
