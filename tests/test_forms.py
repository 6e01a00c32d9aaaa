"""What only the user can tell, and the questions that are put as one."""

from __future__ import annotations

import random

import pytest

from toolplan import loads
from toolplan.domain import Ask, Domain
from toolplan.goals.forms import Form, form_of, shared_form
from toolplan.goals.landmarks import needed_from_user, told_by_user
from toolplan.goals.questions import Question
from toolplan.goals.regret import moved_to_front
from toolplan.planning.engines import solve
from toolplan.planning.inputs import build
from toolplan.planning.plans import Optimal, Plan, Step
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import applicable, is_valid_plan, successor

CALENDAR = """
fact date "the day" fact words "words that identify it" fact event fact address fact moved fact new_time "the new time" fact may
fact told
tool search { requires date, words produces event risk read }
tool look_up { requires words produces address cost 9 risk read }
tool move { requires event, new_time produces moved risk write }
tool send { requires moved, address produces told risk send }
ask which_address { "Which address?" produces address }
ask when_new { "When should it be?" requires event produces new_time }
ask may_move { "May I?" permits move }
goal move_event { achieves moved given date, words, new_time }
goal tell { achieves told }
"""


def problem_of(text: str, goal: str, state: str = "") -> Problem:
    return build(loads(text), state, goal)


def best(problem: Problem) -> Plan:
    solution = solve(problem)
    assert isinstance(solution, Optimal)
    return solution.plan


def led_by(problem: Problem, name: str) -> Plan:
    plan = best(problem)
    return moved_to_front(plan, next(step for step in plan.steps if step.action == name))


def names(asked: Form | Question | None) -> list[str]:
    if isinstance(asked, Form):
        return [question.name for question in asked.questions]
    return [] if asked is None else [asked.name]


def test_what_every_plan_asks_is_known_before_the_first_question() -> None:
    problem = problem_of(CALENDAR, "move_event")
    assert [step.action for step in needed_from_user(problem)] == ["when_new", "may_move", "ask_date", "ask_words"]
    # The event is found out once the user has told the rest: nobody need be asked for it.
    assert [str(atom) for atom in told_by_user(problem)] == ["new_time", "may_move", "date", "words"]


def test_what_a_tool_can_find_out_need_not_be_asked_even_if_asking_is_cheaper() -> None:
    problem = problem_of(CALENDAR, "tell", "moved")
    assert [step.action for step in best(problem).steps] == ["which_address", "send"]
    assert needed_from_user(problem) == () == told_by_user(problem)


def test_two_questions_for_one_fact_are_each_spared_but_the_fact_is_told_by_the_user() -> None:
    text = 'fact a fact done ask one { "One?" produces a } ask two { "Two?" produces a } tool t { requires a produces done risk read }'
    problem = problem_of(text, "done")
    assert needed_from_user(problem) == ()
    assert [str(atom) for atom in told_by_user(problem)] == ["a"]


@pytest.mark.parametrize("state", ["moved", "date, words, new_time, event, moved"])
def test_nothing_is_needed_of_the_user_where_the_goal_is_reached(state: str) -> None:
    assert needed_from_user(problem_of(CALENDAR, "moved", state)) == ()


def test_nothing_is_needed_where_nothing_helps() -> None:
    assert needed_from_user(problem_of("fact a fact b", "a")) == () == told_by_user(problem_of("fact a fact b", "a"))


def test_missing_facts_make_one_question_and_what_waits_is_asked_later() -> None:
    problem = problem_of(CALENDAR, "move_event")
    form = form_of(problem, led_by(problem, "ask_date"))
    assert names(form) == ["ask_date", "ask_words"]
    assert isinstance(form, Form)
    assert form.text.splitlines() == [question.text for question in form.questions]
    after = build(problem.domain, "date, words, event", "move_event")
    assert names(form_of(after, led_by(after, "when_new"))) == ["when_new"]


def test_what_several_goals_ask_together_is_what_they_all_ask() -> None:
    text = (
        CALENDAR
        + "fact cancelled tool cancel { requires event produces cancelled risk write } goal cancel_event { achieves cancelled given date }"
    )
    problems = [problem_of(text, goal) for goal in ("move_event", "cancel_event")]
    starts = [(problem, led_by(problem, "ask_date")) for problem in problems]
    assert names(shared_form(starts)) == ["ask_date", "ask_words"]
    without_words = problem_of(text.replace("requires date, words", "requires date"), "cancel_event")
    assert names(shared_form([*starts, (without_words, led_by(without_words, "ask_date"))])) == ["ask_date"]
    found = problem_of(text, "cancel_event", "date, words")
    assert shared_form([*starts, (found, best(found))]) is None


def test_a_permission_is_asked_alone() -> None:
    text = """
    fact a "the a" fact done
    tool t { requires a produces done risk write }
    tool u { requires a produces done risk write cost 99 }
    ask may_t { "May I?" permits t }
    ask first { "Which a?" produces a }
    """
    problem = problem_of(text, "done")
    assert names(form_of(problem, led_by(problem, "first"))) == ["first"]
    permitted = build(problem.domain, "a", "done")
    assert names(form_of(permitted, best(permitted))) == ["may_t"]


def test_a_plan_that_starts_with_a_tool_asks_nothing() -> None:
    problem = problem_of(CALENDAR, "move_event", "date, words")
    assert form_of(problem, best(problem)) is None
    assert form_of(problem, Plan((), best(problem).score)) is None


def test_a_question_that_may_be_spared_does_not_join() -> None:
    text = """
    fact a fact b fact hint fact done
    tool find_b { requires a produces b risk read cost 9 }
    tool t { requires a, b produces done risk write }
    ask which_a { "Which a?" produces a }
    ask which_b { "Which b?" produces b }
    """
    problem = problem_of(text, "done")
    assert [step.action for step in best(problem).steps].count("which_b") == 1
    assert names(form_of(problem, led_by(problem, "which_a"))) == ["which_a"]
    # Asked first all the same, it takes along what is needed in any case.
    assert names(form_of(problem, led_by(problem, "which_b"))) == ["which_b", "which_a"]


def test_questions_whose_answers_matter_to_each_other_are_not_asked_together() -> None:
    text = """
    fact a fact b fact done
    ask which_a { "Which a?" produces a }
    ask which_b { "Which b?" requires not a or a produces b }
    tool t { requires a, b produces done risk write }
    """
    domain = loads(text.replace("fact a", "fact a closed", 1))
    problem = build(domain, "", "done")
    assert len(needed_from_user(problem)) == 2
    assert names(form_of(problem, led_by(problem, "which_a"))) == ["which_a"]


def test_questions_about_several_entities_follow_the_order_of_their_names() -> None:
    text = """
    type file fact named(file) fact moved(file)
    ask which_file(f: file) { "Which file?" produces named(f) }
    tool move(f: file) { requires named(f) produces moved(f) risk write }
    """
    problem = build(loads(text), "", ["moved(b)", "moved(a)", "moved(c)"])
    form = form_of(problem, best(problem))
    assert isinstance(form, Form)
    assert {question.step for question in form.questions} == set(needed_from_user(problem))
    assert [question.text for question in form.questions[1:]] == sorted(question.text for question in form.questions[1:])


def generated(seed: int) -> Domain:
    """A small domain of tools and questions that make, need and lose facts."""
    rng = random.Random(seed)
    facts = [f"f{number}" for number in range(6)]
    lines = [f"fact {name} closed" for name in facts]
    for number in range(5):
        needs = rng.sample(facts, rng.randint(0, 2))
        makes = rng.sample(facts, rng.randint(1, 2))
        loses = [name for name in rng.sample(facts, rng.randint(0, 1)) if name not in makes]
        clauses = [f"requires {', '.join(needs)}" if needs else "", f"produces {', '.join(makes)}"]
        lines.append(
            f"tool t{number} {{ {' '.join(clauses)} {'removes ' + loses[0] if loses else ''} risk read cost {rng.randint(1, 9)} }}"
        )
    for number in range(4):
        needs = [f"{rng.choice(['', 'not '])}{name}" for name in rng.sample(facts, rng.randint(0, 1))]
        lines.append(f'ask q{number} {{ "Q?" {f"requires {needs[0]}" if needs else ""} produces {rng.choice(facts)} }}')
    return loads("\n".join(lines))


def test_landmarks_and_forms_hold_on_generated_domains() -> None:
    forms = landmarks = 0
    for seed in range(150):
        problem = build(generated(seed), "", ["f4", "f5"])
        solution = solve(problem)
        if not isinstance(solution, Optimal) or not solution.plan.steps:
            continue
        needed = needed_from_user(problem)
        landmarks += len(needed)
        for step in needed:
            assert step in solution.plan.steps
            assert not isinstance(solve(build(problem.domain, "", ["f4", "f5"], [step.action])), Optimal)
        form = form_of(problem, solution.plan)
        assert (form is None) is not isinstance(problem.domain.action(solution.plan.steps[0].action), Ask)
        if isinstance(form, Form):
            forms += 1
            steps = [question.step for question in form.questions]
            assert is_valid_plan(problem, moved_to_front(solution.plan, *steps))
            assert _in_any_order(problem, steps)
    assert forms > 5 < landmarks


def _in_any_order(problem: Problem, steps: list[Step]) -> bool:
    ends = set()
    for order in (steps, steps[::-1], [*steps[1:], steps[0]]):
        state = problem.state
        for step in order:
            if not applicable(problem, state, step):
                return False
            state = successor(problem, state, step)
        ends.add((state.known, state.uncertain, state.denied))
    return len(ends) == 1
