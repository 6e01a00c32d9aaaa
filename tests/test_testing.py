"""Tests in the language: what each clause says where it does not hold, scripted worlds, the command, the plugin, the starter domain."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import commands
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from strategies import Drawn, problems

from toolplan import DomainError, Limit
from toolplan.checks.invariants import Broken, Holds, prove_never
from toolplan.checks.stages import Stage
from toolplan.checks.testing import Case, Report, load_all_tests, load_tests, run
from toolplan.checks.worlds import Engine, World
from toolplan.cli.exits import Exit
from toolplan.domain import AtomicFormula, Happening
from toolplan.frontier import Blocked, Done
from toolplan.language.loading import check_text, loads, shipped_domains
from toolplan.language.source import Location, Source, Span
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Optimal
from toolplan.planning.problem import State
from toolplan.planning.semantics import applicable, goal_reached, replay, score, successor

pytest_plugins = ["pytester"]

SHOP = """
type order
fact described(order)  fact number(order)  fact paid(order)  fact reason  fact refunded(order)  fact escalated closed
tool search(o: order) { "Find it." requires described(o) produces number(o) risk read }
tool read(o: order) { "Look it up." requires number(o) produces paid(o) risk read }
tool refund(o: order) { "Pay it back." requires number(o), paid(o), reason produces refunded(o) risk send }
tool voucher(o: order) { "Give more instead." requires number(o) produces refunded(o) cost 9 risk send }
tool escalate { "Call somebody." produces escalated cost 50 risk read }
ask which(o: order) { "Which one?" produces number(o) cost 5 }
ask why { "Why?" produces reason cost 2 }
goal get_refund(o: order) { "Refund." achieves refunded(o) }
"""

FETCH = """
fact asked  fact here closed  fact gone closed  fact made  fact done  fact mark trust user
tool look { "Look." requires asked produces oneof ((here, not gone) or gone) risk read }
tool make { "Make it." requires gone produces made risk write }
tool use { "Use it." requires here produces done risk write }
tool use_made { "Use the new one." requires made produces done risk write }
tool stamp by user { "Stamp it." requires asked produces mark risk read }
ask name { "What is it?" produces asked cost 3 }
goal finish { "Finish." achieves done }
"""


ENGINE = Engine()


def report(domain: str, body: str, engine: Engine = ENGINE) -> Report:
    """What comes of a test with `body` in `domain`."""
    source = Source("<text>", f'{domain}\ntest "t" {{ {body} }}')
    loaded = loads(source.text)
    return run(Case(loaded, loaded.tests[0], Location(source, Span(0, 1))), engine)


def shown(domain: str, body: str) -> list[str]:
    return str(report(domain, body)).splitlines()


GIVEN = "given described(shoes), reason goal get_refund(shoes)"

HOLDS = [
    "expect search(shoes), read(shoes), refund(shoes)",
    "expect search, read, refund",
    "expect frontier search",
    "expect frontier search(shoes)",
    "never voucher, escalate, which",
    "never refund without paid(shoes)",
    "never refunded(shoes) without number(shoes)",
    "never escalated without escalated",
    "expect search, read, refund never voucher expect frontier read, search",
    "when search returns {} expect read, refund",
    'when search(shoes) returns {"orders": [{"id": 7, "open": true, "note": null}, []]} when read returns "plain" expect frontier refund',
    'when search fails expect question which when user says "it is 7" expect read, refund',
    "when search fails when user declines expect blocked by number(shoes)",
    "when search in doubt expect question which(shoes)",
    "when search returns {} when read fails expect voucher",
]


@pytest.mark.parametrize("body", HOLDS)
def test_what_holds_has_no_findings(body: str) -> None:
    assert str(report(SHOP, f"{GIVEN} {body}")) == ""


def test_independent_steps_may_stand_in_any_order() -> None:
    domain = """
    fact a fact b fact c
    tool x { "X." produces a risk read }  tool y { "Y." produces b risk read }  tool z { "Z." requires a, b produces c risk read }
    """
    assert shown(domain, "goal c expect x, y, z expect y, x, z") == []
    assert shown(domain, "goal c expect y, z, x") == [
        "expect y, z, x",
        "  + x  1",
        "    y  1",
        "    z  1",
        "  - x  1",
        "  why: `z` cannot run as step 2: it requires `a`",
    ]


def test_a_chain_that_costs_more_says_by_how_much() -> None:
    assert shown(SHOP, f"{GIVEN} expect search, voucher") == [
        "expect search, voucher",
        "    search(shoes)  1",
        "  - voucher        12",
        "  + read(shoes)    1",
        "  + refund(shoes)  4",
        "  why: the expected chain scores 13 in 2 steps, the found one 6 in 3 steps: 7 more",
    ]


def test_a_chain_that_cannot_run_says_what_is_missing() -> None:
    lines = shown(SHOP, f"{GIVEN} expect search, refund")
    assert lines[-1] == "  why: `refund` cannot run as step 2: it requires `paid(shoes)`"
    assert shown(SHOP, f"{GIVEN} expect search")[-1] == "  why: after the expected chain `refunded(shoes)` is unknown"
    assert shown(SHOP, f"{GIVEN} expect search, read, refund(boots)")[-1].endswith(
        "neither the state nor the goal names what to call it with"
    )


def test_a_chain_that_is_as_good_is_a_tie() -> None:
    domain = 'fact a  tool first { "A." produces a risk read }  tool second { "B." produces a risk read }'
    assert shown(domain, "goal a expect second")[-1] == "  why: both score 1 in 1 step, a tie; a cost or a risk would decide it"


def test_a_chain_where_everything_is_known_or_nothing_can_be_done() -> None:
    assert shown(SHOP, "given refunded(shoes) goal get_refund(shoes) expect refund")[1] == "  - refund  4"
    assert shown('fact a fact b  tool t { "T." produces b risk read }', "goal a expect t") == [
        "expect t",
        "  - t  1",
        "  found: it is blocked: nothing can add `a`",
        "  why: after the expected chain `a` is unknown",
    ]


def test_a_frontier_says_what_it_is_and_why() -> None:
    assert shown(SHOP, f"{GIVEN} expect frontier refund") == [
        "expect frontier refund",
        "  found: the next step is `search(shoes)`, as it makes `number(shoes)` known, which `read` requires",
        "  why: `refund` cannot run now: it requires `number(shoes)` and `paid(shoes)`",
    ]
    assert shown(SHOP, f"{GIVEN} expect question which")[-1] == (
        "  why: `which` can run, but the best plan that starts with it scores 10, 4 more than the best: "
        "`which(shoes)`, `read(shoes)` and `refund(shoes)`"
    )
    assert shown(SHOP, f"{GIVEN} expect question search")[-1] == "  why: `search` is a tool, and no question"
    assert shown(SHOP, "given refunded(shoes) goal get_refund(shoes) expect frontier escalate") == [
        "expect frontier escalate",
        "  found: everything that is wanted is known",
        "  why: `escalate` can run, but the best plan that starts with it leads only to what is known",
    ]


def test_blocked_names_the_plan_or_what_is_missing() -> None:
    assert shown(SHOP, f"{GIVEN} expect blocked")[2] == "  plan: `search(shoes)`, `read(shoes)` and `refund(shoes)`"
    lonely = 'fact a fact b fact c  tool t { "T." requires a produces b risk read }'
    assert shown(lonely, "goal b expect blocked expect blocked by a") == []
    assert shown(lonely, "goal b expect blocked by c") == ["expect blocked by c", "  found: it is blocked: nothing can add `a`"]


def test_a_tool_on_the_plan_is_named_with_its_place() -> None:
    assert shown(SHOP, f"{GIVEN} never escalate, read") == [
        "never read",
        "  found: `read(shoes)` is step 2 of `search(shoes)`, `read(shoes)` and `refund(shoes)`",
    ]


def test_never_a_fact_is_proved_over_all_states_or_has_a_counterexample() -> None:
    assert shown(SHOP, "given described(shoes) never escalated") == [
        "never escalated",
        "  counterexample: after `escalate`, `escalated` is there",
    ]
    assert shown(SHOP, "given described(shoes) never refunded(shoes) without reason") == [
        "never refunded(shoes) without reason",
        "  counterexample: after `search(shoes)` and `voucher(shoes)`, `refunded(shoes)` is there and `reason` is not known",
    ]
    assert shown(SHOP, "given described(shoes) never described(boots) never refund without reason") == []
    assert shown(SHOP, "given described(shoes) never voucher without paid(shoes)") == [
        "never voucher without paid(shoes)",
        "  counterexample: after `search(shoes)`, `voucher(shoes)` can run and `paid(shoes)` is not known",
    ]
    assert (
        shown(SHOP, "given refunded(shoes) never refunded(shoes)")[1] == "  counterexample: in the given state, `refunded(shoes)` is there"
    )


@settings(max_examples=60, deadline=None)
@given(drawn=problems(), atom=st.sampled_from("abcde"), without=st.sampled_from(["a", "b", "shut", None]))
def test_never_agrees_with_a_look_at_every_state(drawn: Drawn, atom: str, without: str | None) -> None:
    """The oracle walks through all states by the reference semantics; a counterexample must run, and none may be shorter."""
    try:
        problem = build(loads(drawn.domain), drawn.state, "")
    except DomainError:
        reject()
    states = {problem.state: 0}
    queue = [problem.state]
    for state in queue:
        if len(states) > 3_000:
            return
        for step in problem.steps():
            if applicable(problem, state, step) and (after := successor(problem, state, step)) not in states:
                states[after] = states[state] + 1
                queue.append(after)

    def is_bad(state: State) -> bool:
        return Atom(atom) in state.known | state.uncertain and (without is None or Atom(without) not in state.known)

    bad = [depth for state, depth in states.items() if is_bad(state)]
    unless = AtomicFormula(without) if without else None
    proof = prove_never(problem, AtomicFormula(atom), unless, Limit(expansions=1_000_000, seconds=60))
    if isinstance(proof, Broken):
        end = replay(problem, proof.steps)
        assert end is not None
        assert is_bad(end)
        assert len(proof.steps) == min(bad)
    else:
        assert isinstance(proof, Holds)
        assert not bad


@settings(max_examples=100, deadline=None)
@given(drawn=problems())
def test_a_session_in_which_all_is_as_hoped_takes_a_way_of_least_score(drawn: Drawn) -> None:
    """The oracle replays the walk by the reference semantics, and plans once."""
    try:
        problem = build(loads(drawn.domain), drawn.state, drawn.goal)
    except DomainError:
        reject()
    if not problem.wanted or not drawn.goal.strip():
        reject()
    best = ENGINE.solve(problem)
    stage = Stage.begun(problem.domain, problem.state, ENGINE.settings)
    stage.session.want(f"({drawn.goal})")
    walk = World.of(stage, ENGINE).walk
    if not isinstance(best, Optimal):
        assert (walk.steps, type(walk.end)) == ((), Blocked)
        return
    end = replay(problem, walk.steps)
    assert end is not None
    assert goal_reached(problem, end)
    assert (type(walk.end), score(problem, walk.steps)) == (Done, best.plan.score)


LOCKED = """
fact key closed  fact door closed  fact inside
tool take { "Take it." produces key risk read }
tool drop { "Drop it." requires key removes key risk read }
tool enter { "Go in." requires key, door produces inside removes key risk read }
tool open { "Open." requires not key produces door risk read }
"""


def test_never_takes_deletes_into_account() -> None:
    assert shown(LOCKED, "given key never inside without door") == []
    assert shown(LOCKED, "given key never inside without key") == [
        "never inside without key",
        "  counterexample: after `drop`, `open`, `take` and `enter`, `inside` is there and `key` is not known",
    ]
    one_way = 'fact a closed fact b fact c  tool x { "X." requires a produces b removes a risk read }  tool y { "Y." requires a produces c removes a risk read }  fact d  tool z { "Z." requires b, c produces d risk read }'
    assert shown(one_way, "given a never d") == []


def test_never_is_undecided_where_the_limit_is_reached_first() -> None:
    found = report(LOCKED, "given key never inside without key", Engine(limit=Limit(expansions=2, seconds=60)))
    assert found.verdict.value == "undecided"
    assert str(found) == "never inside without key\n  neither proved nor refuted: stopped after 2 states"


def test_an_expectation_is_undecided_where_the_limit_is_reached_first() -> None:
    many = "\n".join(f'fact f{n}  tool t{n} {{ "T." produces f{n} risk read }}' for n in range(12))
    goal = ", ".join(f"f{n}" for n in range(12))
    found = report(many, f"goal {goal} expect t0", Engine("uniform-cost", Limit(expansions=3, seconds=60)))
    assert (found.verdict.value, [finding.clause for finding in found.findings]) == ("undecided", ["expect t0"])


def test_a_result_chooses_an_outcome_by_what_it_makes_known() -> None:
    body = "given asked goal finish expect look, use"
    assert shown(FETCH, f"{body} when look returns gone expect make, use_made") == []
    assert shown(FETCH, f"{body} when look returns {{}} expect use") == []
    assert shown(FETCH, f"{body} when look returns here expect use") == []
    assert shown(FETCH, f"{body} when look returns done expect use") == [
        "when look returns",
        "  no outcome of `look` makes `done` known",
    ]


def test_a_call_in_doubt_leaves_all_that_it_may_change_uncertain() -> None:
    domain = """
    fact a fact b
    tool write { "W." produces a risk write }
    tool verify { "V." requires a verifies a produces a risk read }
    tool go { "G." requires a produces b risk write }
    """
    assert shown(domain, "goal b expect write, go when write in doubt expect verify, go never go without a") == []


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("when refund fails", "`refund` cannot have been called: it requires `number(shoes)` and `paid(shoes)`"),
        ("when search fails when search returns {}", "`search` cannot have been called: it was tried before"),
        ('when user says "hm"', "the user has not been asked: the next step is `search(shoes)`, as it makes `number(shoes)` known, which"),
        ("when user declines", "the user has not been asked: "),
    ],
)
def test_what_cannot_happen_ends_the_script(body: str, why: str) -> None:
    found = report(SHOP, f"{GIVEN} {body} expect blocked")
    assert len(found.findings) == 1
    assert found.findings[0].lines[0].startswith(why)


def test_a_call_that_may_be_any_of_several_has_to_be_written_out() -> None:
    body = "given number(shoes), number(boots), reason goal get_refund(shoes), get_refund(boots) when voucher fails"
    assert shown(SHOP, body)[1] == "  `voucher` may be any of `voucher(boots)` and `voucher(shoes)`: write its arguments"


def test_the_user_may_do_by_hand_what_was_instructed() -> None:
    body = "given asked goal mark expect frontier stamp when user {} expect {}"
    assert shown(FETCH, body.format('says "yes"', "blocked")) == ["expect blocked", "  found: everything that is wanted is known"]
    assert shown(FETCH, body.format("declines", "blocked by mark")) == []


DIARY = """
fact day: date  fact words: text  fact at: datetime  fact event: text  fact notes: text by others  fact moved  fact gone  fact told
tool search { "Find it." requires day, words passes day = day, query = words produces event returns event = $.events[*].id risk read }
tool read { "Read it." requires event passes id = event produces notes returns notes = $.notes risk read }
tool move { "Move it." requires event, at passes id = event, start = at produces moved risk write }
tool remove { "Cancel it." requires event passes id = event produces gone fails when $.error risk delete confirm }
tool announce { "Tell everybody." requires notes passes text = notes produces told risk send confirm by boss }
ask which_day { "On which day?" produces day }
ask which_words { "Which event?" produces words }
goal move { "Move an event." achieves moved given day, words, at phrases "move {words} to {at}" }
goal remove { "Cancel an event." achieves gone given day, words }
goal announce { "Tell everybody." achieves told given day, words }
"""
KNOWN = 'given day = "2026-03-05", words = "dentist", at = "2026-03-05T16:00:00"'
NONE = 'when search returns {"events": []}'
ONE = 'when search returns {"events": [{"id": "a", "title": "Dentist"}]}'
TWO = 'when search returns {"events": [{"id": "a", "title": "Dentist"}, {"id": "b", "title": "Dentist, Tom"}]}'

CONVERSATIONS = [
    f"{KNOWN} goal move {ONE} expect move",
    f"{KNOWN} goal move {NONE} expect blocked",
    f"{KNOWN} goal move when search returns {{}} expect blocked",
    f"{KNOWN} goal move {TWO} expect question event expect move",
    f'{KNOWN} goal move {TWO} when user says "the second one" expect frontier move',
    f'{KNOWN} goal move {TWO} when user says "Dentist, Tom" expect frontier move',
    f'{KNOWN} goal move {TWO} when user says "none of these" expect blocked',
    f'{KNOWN} goal move {TWO} when user says "the first" when move returns {{}} when user says "and the other one to 5 PM" expect move',
    f'{KNOWN} goal move {ONE} when user says "no, at 5 PM" expect frontier move',
    f'{KNOWN} goal move {ONE} when move returns {{}} when user says "no, at 5 PM" expect move',
    f"{KNOWN} goal move {ONE} when move in doubt expect blocked",
    f"{KNOWN} goal move {ONE} when move fails expect blocked",
    f'given words = "dentist" goal remove when user says "tomorrow" {ONE} when user says "no, on Thursday" expect search, remove',
    f'given day = "2026-03-05" goal remove when user says "the dentist" {NONE} expect question which_words',
    f"{KNOWN} goal remove {ONE} expect question remove expect frontier remove expect remove",
    f'{KNOWN} goal remove {ONE} when user says "yes" expect frontier remove when remove returns {{"error": 5}} expect blocked',
    f'{KNOWN} goal remove {ONE} when user says "no" expect blocked',
    f"{KNOWN} goal remove {ONE} when user declines expect blocked",
    f"{KNOWN} goal remove {ONE} when remove in doubt expect blocked",
    f'{KNOWN} goal announce {ONE} when read returns {{"notes": "At ten."}} when user says "yes" expect question announce',
    f'{KNOWN} goal announce {ONE} when read returns {{"notes": "At ten."}} expect announce',
    f'{KNOWN} goal move when user says "stop" expect no goal',
    f'{KNOWN} goal move expect frontier search when user says "never mind" expect no goal',
]


@pytest.mark.parametrize("body", CONVERSATIONS)
def test_a_script_is_a_conversation(body: str) -> None:
    assert shown(DIARY, body) == []


def test_a_choice_among_several_is_asked_only_where_there_are_several() -> None:
    assert shown(DIARY, f"{KNOWN} goal move expect question event")[2] == "  why: `event` is a fact of which nothing has to be chosen now"
    assert shown(DIARY, f"{KNOWN} goal move {TWO} expect frontier search")[:3] == [
        "expect frontier search",
        "  before: `search`: several found",
        "  found: it is asked which `event` is meant: `Dentist` or `Dentist, Tom`",
    ]


def test_a_confirmation_is_no_form_and_says_whom_it_is_for() -> None:
    body = f'{KNOWN} goal announce {ONE} when read returns {{"notes": "At ten."}}'
    assert shown(DIARY, f"{body} expect form announce") == ["expect form announce", "  found: boss is asked whether `announce` may run"]
    assert shown(DIARY, f"{KNOWN} goal remove {ONE} expect form remove")[1] == "  found: the user is asked whether `remove` may run"


def test_what_a_result_leaves_open_is_said_where_an_expectation_fails() -> None:
    assert shown(DIARY, f"{KNOWN} goal move {NONE} expect move")[1] == "  before: `search`: nothing found"
    assert shown(DIARY, f"{KNOWN} goal move when search returns {{}} expect move")[1].startswith("  before: `search`: in doubt, as ")


def test_tests_take_place_on_a_day_of_their_own() -> None:
    body = 'given words = "dentist" goal remove when user says "tomorrow" expect question which_words'
    assert shown(DIARY, body)[1] == "  before: it is read as `day = 2026-03-03`"


def test_an_answer_that_is_none_ends_the_script() -> None:
    body = 'given words = "dentist" goal remove when user says "blue" expect blocked'
    assert shown(DIARY, body) == ["when user says", "  nothing is read of `blue`, and the question is: On which day?"]


def test_a_value_that_is_none_of_its_type_is_a_fault_of_the_test() -> None:
    assert shown(DIARY, 'given day = "blue" goal remove expect search')[0] == "the test cannot be run"


def test_several_goals_and_denied_facts_are_taken_as_in_a_call() -> None:
    assert (
        shown(
            SHOP, "given described(shoes), number(boots), reason goal get_refund(shoes), paid(boots) never voucher expect frontier search"
        )
        == []
    )


def test_a_test_that_cannot_be_run_says_why() -> None:
    assert shown(SHOP, "given reason expect search") == [
        "the test cannot be run",
        "  what is expected depends on a `goal`, and it names none",
    ]
    conflict = shown('fact a closed  tool t { "T." produces a risk read }', "goal a, not a expect t")
    assert conflict[1].startswith("  error[TP404]")


def test_a_missing_engine_is_no_fault_of_the_test() -> None:
    with pytest.raises(DomainError, match="TP411"):
        report(SHOP, f"{GIVEN} expect search", Engine("fastest"))


def test_the_script_is_kept_in_order_with_its_values() -> None:
    text = (
        SHOP
        + 'test "t" { goal reason expect why when search returns {"a": [1, 2.5, "x", true, null, {}]} expect frontier why when user says "so" }'
    )
    scenario = loads(text).tests[0]
    assert [part.kind for part in scenario.script] == ["chain", "returns", "frontier", "says"]
    assert scenario.script[1] == Happening("returns", AtomicFormula("search"), {"a": [1, 2.5, "x", True, None, {}]})
    assert scenario.script[3] == Happening("says", None, "so")
    assert [part.kind for part in scenario.expects] == ["chain", "frontier"]


@pytest.mark.parametrize(
    ("clause", "code", "underlined"),
    [
        ("when serch fails", "TP108", "serch"),
        ("when why fails", "TP108", "why"),
        ("when search returns {'a': 1}", "TP002", "'a'"),
        ('when search returns {"a": yes}', "TP001", "yes"),
        ('when search returns {"a" 1}', "TP001", "1"),
        ("when search returns nothing", "TP101", "nothing"),
        ("when search(a, b) fails", "TP105", "search(a, b)"),
        ("when user fails", "TP001", "fails"),
        ("when user says hello", "TP001", "hello"),
        ("when search in trouble", "TP001", "trouble"),
    ],
)
def test_a_mistake_in_a_script_has_a_place(clause: str, code: str, underlined: str) -> None:
    found = check_text(f'{SHOP}\ntest "t" {{\n  goal reason\n  {clause}\n  expect why\n}}\n').diagnostics
    assert [
        (finding.code.number, finding.location and finding.location.source.text[slice(*finding.location.span)]) for finding in found
    ] == [(code, underlined)]


def test_a_block_that_is_not_closed_after_a_result_is_reported() -> None:
    found = check_text(f'{SHOP}\ntest "t" {{\n  goal reason\n  when search returns {{"a": [{{}}]}}\n\nfact more\n').diagnostics
    assert [finding.code.number for finding in found] == ["TP004"]


@pytest.mark.parametrize("name", shipped_domains())
def test_shipped_domains_pass(name: str) -> None:
    tests = load_tests(name)
    assert tests
    assert [f"{found.test.name}: {found}" for test in tests if (found := run(test, ENGINE)).findings] == []


def test_the_tests_of_imports_hold_among_all_tools() -> None:
    assert len(load_all_tests("workspace")) > len(load_tests("workspace"))
    assert [str(found) for test in load_all_tests("workspace") if (found := run(test, ENGINE)).findings] == []


# The command


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    passing = f'{SHOP}\ntest "refund" {{ {GIVEN} expect search, read, refund }}\n'
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "good.toolplan").write_text(f'{passing}test "look" {{ {GIVEN} expect frontier search }}\n')
    (tmp_path / "bad.toolplan").write_text(f'{passing}test "fails <&> \\u{{1}}" {{\n {GIVEN} expect search, voucher }}\n')
    return tmp_path


def test_the_command_prints_dots_the_diff_and_a_summary(shop: Path) -> None:
    ran = commands.run("test", ".", cwd=shop)
    assert ran.returncode == Exit.INPUT
    assert ran.stderr == ""
    assert ran.stdout.splitlines()[:5] == [
        "bad.toolplan .F",
        "more/good.toolplan ..",
        "",
        'FAILED bad.toolplan:14 "fails <&> \\u{1}"',
        "  expect search, voucher",
    ]
    assert ran.stdout.splitlines()[-1] == "3 passed, 1 failed"
    assert ran.stdout == commands.run("test", ".", cwd=shop).stdout


def test_what_is_hidden_or_no_file_is_no_test(shop: Path) -> None:
    before = commands.run("test", ".", cwd=shop)
    (shop / ".hidden").mkdir()
    (shop / ".hidden" / "more.toolplan").write_bytes((shop / "bad.toolplan").read_bytes())
    (shop / "folder.toolplan").mkdir()
    assert commands.run("test", ".", cwd=shop) == before


def test_names_a_selection_and_json(shop: Path) -> None:
    ran = commands.run("test", "-v", "-k", "REF", ".", cwd=shop)
    assert (ran.returncode, ran.stdout) == (0, "bad.toolplan: refund passed\nmore/good.toolplan: refund passed\n\n2 passed, 0 failed\n")
    none = commands.run("test", "-k", "nothing", ".", cwd=shop)
    assert (none.returncode, none.stdout, none.stderr) == (Exit.USAGE, "", "none of 4 tests has `nothing` in its name\n")
    data = json.loads(commands.run("test", "bad.toolplan", "--json", cwd=shop).stdout)
    assert (data["passed"], data["failed"], data["undecided"]) == (1, 1, 0)
    assert [(test["name"], test["line"], test["verdict"]) for test in data["tests"]] == [
        ("refund", 13, "passed"),
        ("fails <&> \x01", 14, "failed"),
    ]
    assert data["tests"][1]["findings"][0]["clause"] == "expect search, voucher"


def test_junit_is_well_formed(shop: Path) -> None:
    assert commands.run("test", ".", "--junit", "out/report.xml", cwd=shop).returncode == Exit.INPUT
    root = ElementTree.parse(shop / "out" / "report.xml").getroot()
    assert root.attrib == {"name": "toolplan", "tests": "4", "failures": "1", "errors": "0"}
    assert [(suite.get("name"), suite.get("failures")) for suite in root] == [("bad.toolplan", "1"), ("more/good.toolplan", "0")]
    failure = root.find(".//testcase[@line='14']/failure")
    assert failure is not None
    assert failure.get("message") == "expect search, voucher"
    assert "7 more" in (failure.text or "")
    assert commands.run("test", "more", "--junit", "/proc/nowhere/x.xml", cwd=shop).returncode == Exit.USAGE


def test_a_file_that_cannot_be_used_stops_the_run(shop: Path) -> None:
    (shop / "broken.toolplan").write_text("tool t { requires nothing }")
    ran = commands.run("test", "more", "broken.toolplan", cwd=shop)
    assert (ran.returncode, ran.stdout) == (Exit.INPUT, "")
    assert "TP101" in ran.stderr
    assert commands.run("test", "more", "--engine", "fastest", cwd=shop).returncode == Exit.INPUT


def test_undecided_has_an_exit_code_of_its_own(shop: Path) -> None:
    (shop / "u.toolplan").write_text(f'{LOCKED}\ntest "t" {{ given key never inside without key }}')
    ran = commands.run("test", "u.toolplan", "--expansions", "1", cwd=shop)
    assert ran.returncode == Exit.LIMIT
    assert ran.stdout.splitlines()[-1] == "0 passed, 0 failed, 1 undecided"


def test_init_writes_a_domain_that_passes_every_command(tmp_path: Path) -> None:
    assert commands.run("init", cwd=tmp_path).returncode == 0
    for command in (["check", "--strict"], ["test"], ["fmt", "--check"]):
        ran = commands.run(*command, "agent.toolplan", cwd=tmp_path)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    before = (tmp_path / "agent.toolplan").read_text()
    again = commands.run("init", "agent.toolplan", cwd=tmp_path)
    assert (again.returncode, again.stdout, again.stderr) == (Exit.USAGE, "", "`agent.toolplan` is there already and is left as it is\n")
    assert (tmp_path / "agent.toolplan").read_text() == before
    assert json.loads(commands.run("init", "new/place", "--json", cwd=tmp_path).stdout) == {"path": "new/place/agent.toolplan"}
    assert commands.run("init", "/proc/nowhere", cwd=tmp_path).returncode == Exit.USAGE


# The plugin


def test_the_plugin_collects_a_file_that_is_named(pytester: pytest.Pytester) -> None:
    pytester.makefile(
        ".toolplan",
        shop=f'{SHOP}\ntest "refund" {{ {GIVEN} expect search, read, refund }}\ntest "bad" {{ {GIVEN} expect search, voucher }}',
    )
    ran = pytester.runpytest_inprocess("shop.toolplan", "-v")
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(
        ["shop.toolplan::refund PASSED*", "shop.toolplan::bad FAILED*", "failed: shop.toolplan:13", "expect search, voucher", "*7 more"]
    )
    ran.stdout.no_fnmatch_line("*Traceback*")


def test_the_plugin_leaves_other_suites_alone(pytester: pytest.Pytester) -> None:
    pytester.makefile(".toolplan", shop=f'{SHOP}\ntest "refund" {{ {GIVEN} expect search }}', broken="fact")
    pytester.makepyfile("def test_one(): pass")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    pytester.runpytest_inprocess("--toolplan").assert_outcomes(errors=1)
    (pytester.path / "broken.toolplan").unlink()
    pytester.runpytest_inprocess("--toolplan").assert_outcomes(passed=1, failed=1)
    pytester.makeini("[pytest]\ntoolplan = true\n")
    pytester.runpytest_inprocess().assert_outcomes(passed=1, failed=1)


def test_the_plugin_takes_no_tests_of_imports(pytester: pytest.Pytester) -> None:
    pytester.makefile(".toolplan", shop=f'{SHOP}\ntest "refund" {{ {GIVEN} expect search, read, refund }}', user='import "shop.toolplan"')
    pytester.runpytest_inprocess("--toolplan").assert_outcomes(passed=1)
