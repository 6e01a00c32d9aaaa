"""Contracts learned from runs, and proposals for those that are written."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolplan
from toolplan.bench.learning.contracts import PLAIN, tables
from toolplan.bench.learning.random_runs import runs
from toolplan.domain import Domain
from toolplan.importing.linking import Link
from toolplan.language.source import Source
from toolplan.learning.contracts import Learned, holds, learned, lifted, observed
from toolplan.learning.proposals import gathered, proposals, proposed
from toolplan.learning.proposals.writing import with_proposals
from toolplan.learning.traces import Ended, Execution, Failed, Record, Requested, Returned, Unknown

DOMAINS = Path(__file__).parent.parent / "domains"


def states() -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(["a", "b", "c", "d(one)", "d(two)"]))


executions = st.builds(
    Execution,
    trace=st.sampled_from(["r1", "r2", "r3"]),
    tool=st.sampled_from(["first", "second"]),
    arguments=st.fixed_dictionaries({"x": st.sampled_from(["one", "two"])}),
    result=st.sampled_from([Returned(None), Failed("no"), Unknown()]),
    batch=st.sampled_from([0, 0, 1]),
    before=st.none() | states(),
    after=st.none() | states(),
    seconds=st.none() | st.floats(0, 10),
)
records = st.lists(executions | st.builds(Ended, trace=st.sampled_from(["r1", "r2"]), success=st.booleans()), max_size=60)


def call(tool: str, known: str = "", since: str | None = None, *, fails: bool = False, **arguments: object) -> Execution:
    """A call in a state and after it; `known` and `since` are facts with blanks between them."""
    result = Failed("no") if fails else Returned(None)
    after = known if since is None else since
    return Execution("r", tool, arguments, result, before=frozenset(known.split()), after=frozenset(after.split()))


def of(tool: str, found: Iterable[Learned]) -> Learned:
    return next(one for one in found if one.tool == tool)


def facts(rules: Iterable[tuple[str, object]]) -> list[str]:
    return [fact for fact, _ in rules]


# What is learned


@given(records)
def test_without_noise_nothing_that_succeeded_is_forbidden(runs: list[Record]) -> None:
    found = {one.tool: one for one in learned(runs, noise=0)}
    for run in runs:
        if isinstance(run, Execution) and isinstance(run.result, Returned) and run.before is not None:
            known = frozenset(fact for atom in run.before for fact in lifted(atom, run.arguments))
            assert all(holds(rule.fact, known) for rule in found[run.tool].requires)


@pytest.mark.parametrize("name", ["email", "refunds"])
def test_clean_runs_of_a_shipped_domain_are_allowed_by_what_was_learned_from_them(name: str) -> None:
    seen = list(runs(toolplan.load(name), 30, 0, 7))
    requires = {one.tool: facts(one.requires) for one in learned(seen, noise=0)}
    for run in seen:
        if isinstance(run, Execution) and isinstance(run.result, Returned):
            known = frozenset(fact for atom in run.before or () for fact in lifted(atom, run.arguments))
            assert all(holds(literal, known) for literal in requires[run.tool])


@given(records, st.randoms())
def test_the_order_of_the_lines_does_not_matter(runs: list[Record], shuffler: random.Random) -> None:
    shuffled = list(runs)
    shuffler.shuffle(shuffled)
    assert list(learned(shuffled)) == list(learned(runs))


@given(records, records)
def test_what_shards_teach_adds_up(first: list[Record], second: list[Record]) -> None:
    both = observed(first)
    both.add(observed(second))
    assert list(both.learned()) == list(learned([*first, *second]))


def test_a_hundred_noisy_runs_give_the_contracts_that_they_came_from() -> None:
    domain = toolplan.load("calendar")
    found = {one.tool: one for one in learned(runs(domain, 100, 0.05, 1))}
    moved = found["update_event"]
    assert facts(moved.requires) == ["event_id", "new_time"]
    assert facts(moved.produces) == ["event_updated"]
    assert not moved.removes
    assert facts(found["add_attendee"].requires) == ["event_id", "resolved(p)"]


def test_what_is_only_usually_known_is_no_requirement() -> None:
    seen = [call("t", "a b", "a b c")] * 8 + [call("t", "a", "a c")] * 4 + [call("t", "b", fails=True)] * 5
    assert facts(of("t", learned(seen)).requires) == ["a"]


def test_what_was_never_missing_is_untried_and_not_required() -> None:
    seen = [call("t", "a b", "a b c")] * 5 + [call("t", "b", fails=True)] * 5
    assert of("t", learned(seen)).untried == ("b",)


def test_what_must_not_be_so_is_learned_from_failures() -> None:
    seen = [call("t", "a", "a c")] * 9 + [call("t", "a b", fails=True)] * 9
    assert facts(of("t", learned(seen)).requires) == ["not b"]


def test_what_was_there_before_is_neither_made_nor_counted_against() -> None:
    seen = [call("t", "", "c")] * 3 + [call("t", "c", "c")] * 9
    assert of("t", learned(seen)).produces == (("c", (3, 0)),)


def test_what_goes_is_removed() -> None:
    assert facts(of("t", learned([call("t", "p", "c")] * 4)).removes) == ["p"]


def test_calls_without_result_or_state_say_nothing_and_those_without_effects_say_what_is_required() -> None:
    unseen = [Execution("r", "t", {}, Unknown(), before=frozenset("b")), Execution("r", "t", {}, Returned(1))]
    halves = [Execution("r", "t", {}, Returned(1), before=frozenset("a"))] * 8 + [
        Execution("r", "t", {}, Failed(""), before=frozenset())
    ] * 8
    assert not list(learned(unseen))
    found = of("t", learned([*unseen, *halves]))
    assert facts(found.requires) == ["a"]
    assert (found.done, found.failed, found.produces) == (8, 8, ())


def test_calls_that_were_started_together_have_no_effects_of_their_own() -> None:
    together = [
        Execution("r", tool, {}, Returned(1), batch=number, before=frozenset(), after=frozenset(["x", "y"]))
        for number in range(1, 5)
        for tool in ("s", "t")
    ]
    alone = [Execution("r", "s", {}, Returned(1), before=frozenset(), after=frozenset(["x"]))] * 2
    assert facts(of("s", learned([*together, *alone])).produces) == ["x"]
    assert facts(of("t", learned([*together, *alone])).produces) == []


def test_an_entity_that_two_arguments_name_stands_for_both() -> None:
    assert sorted(lifted("linked(e, f)", {"x": "e", "y": "e", "z": "f"})) == ["linked(x, z)", "linked(y, z)"]
    assert list(lifted("linked(e, f)", {"x": "e"})) == []
    assert list(lifted("ready", {})) == ["ready"]


# What is proposed

DESK = """
domain desk "Appointments"
type person
fact date: date "the day"
fact topic: text "what it is about"
fact event_id: text "the event"
fact moved closed
fact invited(person)
tool search calls "cal.search" { requires date, topic passes day = date, q = topic produces event_id returns event_id = $.items[*].id risk read }
tool move calls "cal.move" { requires date passes id = event_id produces event_id risk write }
tool invite(p: person) { risk send }
"""


def desk() -> Domain:
    return toolplan.loads(DESK)


def moves() -> list[Record]:
    """Runs in which `date` is not needed, `event_id` is, and `moved` comes of it."""
    good = [call("cal.move", "event_id date", "event_id date moved")] * 6 + [call("cal.move", "event_id", "event_id moved")] * 3
    bad = [call("cal.move", "date", fails=True)] * 5 + [call("cal.move", "date event_id", fails=True)]
    return [*good, *bad]


def lines(found: Sequence[object]) -> list[str]:
    return "\n".join(map(str, found)).splitlines()


def test_states_propose_requirements_and_effects_with_what_speaks_for_them() -> None:
    assert lines(proposals(desk(), moves())) == [
        "tool move",
        "+ requires event_id   # missing in 5 of 6 calls that failed, known before all 9 that succeeded",
        "- requires date   # 3 of 3 calls without it succeeded",
        "+ produces moved   # 9 of 9 calls that lacked it have it since",
    ]


def test_an_effect_that_never_comes_is_proposed_to_go() -> None:
    seen = [call("cal.move", "date", "date moved")] * 4
    assert "- produces event_id   # 0 of 4 calls that lacked it have it since" in lines(proposals(desk(), seen))


def test_only_of_closed_facts_is_it_proposed_that_they_must_not_be() -> None:
    for fact, lines_ in (
        ("moved", ["+ requires not moved   # known in 9 of 9 calls that failed, missing before all 9 that succeeded"]),
        ("topic", []),
    ):
        seen = [call("cal.move", "date", "date event_id")] * 9 + [call("cal.move", f"date {fact}", fails=True)] * 9
        assert [line for line in lines(proposals(desk(), seen)) if "not" in line] == lines_


def test_unknown_tools_and_facts_are_not_spoken_of() -> None:
    seen = [call("other", "date", "date topic")] * 5 + [call("cal.search", "date topic", "date topic event_id strange")] * 5
    assert proposals(desk(), seen) == ()


def passed(tool: str, argument: str) -> list[Record]:
    """Four runs without states, in which `tool` is given what a search has found."""
    return [
        record
        for number in range(4)
        for record in (
            Execution(
                f"r{number}", "cal.search", {"day": "2026-03-03"}, Returned({"items": [{"id": f"ev{number}"}, {"id": f"more{number}"}]})
            ),
            Execution(f"r{number}", tool, {argument: f"ev{number}"}, Returned({"ok": True})),
        )
    ]


def test_values_propose_what_an_argument_requires() -> None:
    found = lines(proposals(desk(), passed("cal.move", "id")))
    assert found == ["tool move", "+ requires event_id   # 4 of 4 calls have as id what cal.search returned at $.items[*].id"]


def test_a_value_that_a_tool_was_given_is_not_found_by_it() -> None:
    seen = [
        record
        for number in range(3)
        for record in (
            Execution(f"r{number}", "cal.search", {"q": f"ev{number}"}, Returned({"items": [{"id": f"ev{number}"}]})),
            Execution(f"r{number}", "cal.move", {"id": f"ev{number}"}, Returned(None)),
        )
    ]
    assert proposals(desk(), seen) == ()


def test_what_was_started_together_has_not_found_anything_for_its_neighbours() -> None:
    seen = [replace(record, batch=1) for record in passed("cal.move", "id") if isinstance(record, Execution)]
    assert proposals(desk(), seen) == proposals(desk(), seen[::-1]) == ()
    others = [replace(record, batch=1 + (record.tool == "cal.move")) for record in seen]
    assert [found.name for found in proposals(desk(), others)] == ["move"]


def test_values_propose_what_an_argument_is_passed() -> None:
    found = lines(proposals(desk(), passed("invite", "to")))
    assert [line.partition("   #")[0] for line in found] == ["tool invite", "+ passes to = event_id", "+ requires event_id"]


def test_values_propose_a_fact_where_nothing_says_what_is_found() -> None:
    domain = toolplan.loads('domain d "d" fact moved tool find { risk read } tool move { produces moved risk write }')
    seen = [
        record
        for number in range(3)
        for record in (
            Execution(f"r{number}", "find", {}, Returned({"rows": [{"key": f"k{number}"}]})),
            Execution(f"r{number}", "move", {"row": f"k{number}"}, Returned(None)),
        )
    ]
    found = [line.partition("   #")[0] for line in lines(proposals(domain, seen))]
    assert found == [
        *("fact row", "+ fact row"),
        *("tool find", "+ produces row", "+ returns row = $.rows[*].key"),
        *("tool move", "+ passes row = row", "+ requires row"),
    ]


def test_a_likely_link_of_an_import_needs_one_run_and_stands_beside_the_evidence() -> None:
    link = Link("cal.search", "$.items[*].id", "cal.move", "id", 0.8, ("same name",))
    seen = passed("cal.move", "id")[:2]
    assert proposals(desk(), seen) == ()
    (found,) = proposals(desk(), seen, [link])
    assert found.changes[0].evidence == "1 of 1 calls have as id what cal.search returned at $.items[*].id; by names 0.8: same name"


def test_costs_are_proposed_from_seconds_and_failures() -> None:
    timed = [Execution("r", "cal.search", {}, Returned(None), seconds=1.0), Execution("r", "invite", {}, Returned(None), seconds=1.0)] * 6
    slow = [Execution("r", "cal.move", {}, Returned(None), seconds=3.0), Execution("r", "cal.move", {}, Failed(""), seconds=3.0)] * 6
    assert lines(proposals(desk(), [*timed, *slow])) == ["tool move", "+ cost 6   # 3 s a call, 2.0 calls until one succeeds"]


def wishes(success: bool) -> list[Record]:
    said = ["move the dentist", "move the dentist", "shift lunch", 'say "when"', "too {much}"]
    return [
        record
        for number, text in enumerate(said)
        for record in (
            Requested(f"r{number}", text),
            Execution(f"r{number}", "cal.search", {}, Returned(None), before=frozenset(), after=frozenset(["event_id"])),
            Execution(f"r{number}", "cal.move", {}, Returned(None), before=frozenset(["event_id"]), after=frozenset(["event_id", "moved"])),
            Ended(f"r{number}", success),
        )
    ]


def test_what_runs_have_reached_and_left_is_proposed_as_a_goal_with_the_words_of_users() -> None:
    domain = toolplan.loads(DESK.replace("requires date passes id", "requires event_id passes id"))
    (goal,) = [found for found in proposals(domain, wishes(success=True)) if found.kind == "goal"]
    assert [(change.word, change.item) for change in goal.changes] == [
        ("achieves", "moved"),
        ("phrases", '"move the dentist"'),
        ("phrases", '"shift lunch"'),
    ]
    assert goal.changes[0].evidence == "5 of 5 runs that reached it and ended in success did nothing with it"
    assert not [found for found in proposals(domain, wishes(success=False)) if found.kind == "goal"]


def test_a_goal_has_the_parameters_of_its_fact() -> None:
    seen = [
        record
        for number in range(3)
        for record in (
            Execution(f"r{number}", "invite", {"p": "ada"}, Returned(None), before=frozenset(), after=frozenset(["invited(ada)"])),
            Ended(f"r{number}", success=True),
        )
    ]
    found = with_proposals(Source("desk", DESK), proposals(desk(), seen))
    domain = toolplan.loads(found.text)
    assert [parameter.type for parameter in domain.goals["invited"].parameters] == ["person"]
    assert toolplan.plan(domain, goal="invited(ada)").steps[0].action == "invite"


@settings(max_examples=20)
@given(records, st.permutations(["r1", "r2", "r3"]))
def test_the_order_of_runs_does_not_matter_for_proposals(seen: list[Record], order: list[str]) -> None:
    domain = toolplan.loads(
        'domain d "d" type t fact a fact b fact c fact d(t) tool first(x: t) { requires a risk read } tool second(x: t) { produces c risk read }'
    )
    reordered = [record for trace in order for record in seen if record.trace == trace]
    assert proposals(domain, reordered) == proposals(domain, seen)


def test_what_shards_propose_adds_up() -> None:
    domain = toolplan.load("files")
    seen = list(runs(domain, 40, 0.05, 3))
    middle = next(place for place, record in enumerate(seen) if record == Ended("r20", success=True)) + 1
    first, second = gathered(domain, seen[:middle]), gathered(domain, seen[middle:])
    first.add(second)
    assert proposed(first) == proposals(domain, seen)


def test_a_file_with_the_proposals_in_it_says_what_the_runs_do() -> None:
    text = (DOMAINS / "files.toolplan").read_text("utf-8")
    wrong = text.replace("requires contents(f), section(f)", "requires section(f)").replace("  removes  private(f)\n", "")
    wrong = wrong.replace("produces deleted(f)", "produces private(f)")
    assert wrong != text
    seen = list(runs(toolplan.load("files"), 150, 0.05, 0))
    found = proposals(toolplan.loads(wrong, directory=DOMAINS), seen)
    assert {proposal.name for proposal in found} == {"summarize_section", "extract_section", "share_file", "delete_file"}
    mended = with_proposals(Source("files.toolplan", wrong), found)
    assert "# + requires contents(f): missing in" in mended.text
    assert proposals(toolplan.loads(mended.text, directory=DOMAINS), seen) == ()
    tools = toolplan.loads(mended.text, directory=DOMAINS).tools
    for name, tool in toolplan.load("files").tools.items():
        assert set(map(str, tool.produces)) == set(map(str, tools[name].produces))


def test_tools_of_another_file_are_told_and_not_written() -> None:
    text = 'domain d "d"\nimport "contacts.toolplan"\n'
    seen = [call("find_contact", "", "resolved(ada)", p="ada")] * 4
    written = with_proposals(Source("d.toolplan", text), proposals(toolplan.loads(text, directory=DOMAINS), seen))
    assert [proposal.name for proposal in written.elsewhere] == ["find_contact"]
    assert written.text == text


# What is measured


def test_the_benchmark_keeps_what_it_promises_with_fewer_runs() -> None:
    (_, learned_rows), _, (_, solved) = tables(lambda _: None, counts=(100,), seeds=1, harder=())
    assert [row.to_dict()["domain"] for row in learned_rows] == list(PLAIN)
    for row in learned_rows:
        data = row.to_dict()
        for column in ("requires_precision", "requires_recall", "produces_precision", "produces_recall"):
            assert float(str(data[column]).split()[0]) >= 0.9, data
    (tasks,) = solved
    assert tasks.to_dict()["written"] == 102
    assert float(str(tasks.to_dict()["share"])) >= 0.98
