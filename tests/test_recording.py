"""Sessions of `toolplan chat` that are recorded as tests: what is written, and that it holds."""

from __future__ import annotations

from pathlib import Path

from commands import run
from hypothesis import given
from hypothesis import strategies as st
from shop import ORDER, SHOP, chat, shop

import toolplan
from toolplan.checks.recording import Recording, json_text
from toolplan.checks.testing import load_tests
from toolplan.checks.testing import run as run_test
from toolplan.checks.worlds import Engine
from toolplan.cli.exits import Exit
from toolplan.frontier import Blocked, Done
from toolplan.goals.readings import Reading
from toolplan.planning.plans import Atom, Step
from toolplan.planning.problem import State
from toolplan.session.turns import TurnReading

__all__ = ["shop"]

SCRIPT = 'fails\n/undo\n{"amount": 49.5}\n/call refund_order {"reason": "late"}\nyes\nok\nthanks\n'
RECORDED = """\
test "refund(o)" {
  given  number(o) = "7"
  goal   refund(o)
  expect question when_
  when   user says "on 2026-03-04"
  expect frontier look(o)
  when   look(o) returns {"amount": 49.5}
  expect frontier pay(o)
  when   pay(o) returns "ok"
}
"""


def test_a_session_is_recorded_as_a_test_that_passes(shop: str) -> None:
    said = chat(shop, "--record", shop, "--goal", "refund(o)", "--state", 'number(o) = "7"', typed=f"on 2026-03-04\n{SCRIPT}").stderr
    assert said == f'wrote test "refund(o)" to {shop}: passed\n'
    assert Path(shop).read_text("utf-8") == SHOP + "\n" + RECORDED
    assert run("test", shop).stdout.endswith("1 passed, 0 failed\n")


def test_goals_that_are_wanted_together_are_recorded_together(tmp_path: Path) -> None:
    (tmp_path / "d.toolplan").write_text("fact a fact b fact c tool t { requires a produces c risk read }", "utf-8")
    ran = run("chat", "d.toolplan", "-s", "a", "-g", "b or c", "-g", "c", "--record", "r.toolplan", cwd=tmp_path, text="/quit\n")
    assert ran.stderr == 'wrote test "(b or c), c" to r.toolplan: passed\n'


def test_a_recorded_test_fails_where_the_world_has_changed(shop: str) -> None:
    chat(shop, "--record", shop, "--goal", "refund(o)", "--state", ORDER, typed=SCRIPT)
    text = Path(shop).read_text("utf-8")
    Path(shop).write_text(text.replace("paid(o) = $.amount", "paid(o) = $.total"), "utf-8")
    (test,) = load_tests(shop)
    assert str(run_test(test, Engine())).startswith("expect frontier pay")


def test_a_request_is_recorded_with_what_it_was_taken_for(shop: str, tmp_path: Path) -> None:
    path = tmp_path / "recorded.toolplan"
    typed = "I want my money back\nlast Friday\n/answer 7\nfails\n"
    said = chat(shop, "--record", str(path), typed=typed).stderr
    assert path.read_text("utf-8").startswith(
        'import "shop.toolplan"\n\ntest "I want my money back" {\n  request    "I want my money back"\n  candidates refund(order_1) '
    )
    assert said.endswith(": passed\n"), path.read_text("utf-8")
    again = chat(shop, "--record", str(path), typed=typed).stderr
    assert again == f'wrote test "I want my money back (2)" to {path}: passed\n'
    assert [test.name for test in load_tests(str(path))] == ["I want my money back", "I want my money back (2)"]


def test_nothing_is_recorded_before_anything_is_wanted(shop: str, tmp_path: Path) -> None:
    chat(shop, "--record", str(tmp_path / "r.toolplan"), typed="/state\n")
    assert not (tmp_path / "r.toolplan").exists()


def test_what_cannot_be_recorded_is_shown_and_the_file_stays_as_it_is(shop: str) -> None:
    typed = f'{{"amount": {"1" * 200}}}\n'
    ran = chat(shop, "--record", shop, "--goal", "refund(o)", "--state", ORDER, typed=typed, code=Exit.INPUT)
    assert "when `look`(o) returns" in ran.stderr
    assert Path(shop).read_text("utf-8") == SHOP


def test_a_file_of_another_domain_gets_no_test(shop: str, tmp_path: Path) -> None:
    other = tmp_path / "other.toolplan"
    other.write_text("fact f\ntool t { produces f risk read }\n", "utf-8")
    assert "has another domain" in chat(shop, "--record", str(other), code=Exit.INPUT).stderr
    outside = tmp_path / "sub"
    outside.mkdir()
    assert "leaves the directory" in chat(shop, "--record", str(outside / "r.toolplan"), code=Exit.INPUT).stderr
    assert "ships with toolplan" in chat("calendar", "--record", str(other), code=Exit.INPUT).stderr


def test_line_ends_of_windows_are_kept(shop: str) -> None:
    Path(shop).write_bytes(SHOP.replace("\n", "\r\n").encode())
    chat(shop, "--record", shop, "--goal", "refund(o)")
    data = Path(shop).read_bytes()
    assert b'test "refund(o)"' in data
    assert data.count(b"\n") == data.count(b"\r\n")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(-1e20, 1e20).filter(lambda x: not 0 < abs(x) < 1e-20)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_any_result_is_read_as_it_was_written(value: object) -> None:
    text = f"fact f\ntool t {{ produces f risk read }}\ntest {json_text('a')} {{ goal f when t returns {json_text([value])} }}"
    (test,) = toolplan.loads(text).tests
    (happening,) = test.script
    assert happening.value == [value]  # type: ignore[union-attr]


@given(st.text())
def test_any_words_are_recorded_as_they_were_said(words: str) -> None:
    nothing = Reading(words, (), 1.0)
    recording = Recording.of(State()).saying(TurnReading(words, nothing), nothing)
    if recording.is_begun:
        (test,) = toolplan.loads(f"fact f\ntool t {{ produces f risk read }}\n{recording.block()}").tests
        assert (test.request or "") == words


def test_the_end_is_not_expected_and_the_same_is_expected_once() -> None:
    begun = Recording.of(State(frozenset([Atom("f", ("a b",))]), frozenset([Atom("g")]), frozenset([Atom("h")]))).wanting(["f"])
    blocked = begun.expecting(Blocked((), "")).expecting(Blocked((), "")).expecting(Done())
    assert blocked.clauses == ('given f("a b"), g?, not h', "goal f", "expect blocked")
    assert begun.observing(Step("user", ("a",)), TimeoutError()).clauses[-1] == "when `user`(a) in doubt"
