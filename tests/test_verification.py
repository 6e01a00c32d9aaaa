"""A second engine's word: `verify` on real problems, `compare` on answers that real engines should never give, and the command."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import commands
import pytest
import typer
from commands import Ran
from hypothesis import HealthCheck, assume, given, settings
from strategies import Drawn, problems

from toolplan import DomainError, Limit, loads, plan
from toolplan.cli.exits import Exit
from toolplan.cli.plan import report
from toolplan.frontier.verification import Agreed, Disagreed, NotVerified, compare, second_opinion, verdict_to_dict, verify
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic
from toolplan.planning.plans import Atom, Bounded, EngineFailed, Fluent, Optimal, Plan, Solution, Status, Step, Undecided, Unreachable

LIMIT = Limit(expansions=20_000, seconds=60)
CHAIN = "fact a fact b tool first { produces a risk read } tool second { requires a produces b risk write }"


def optimal(score: int, steps: int) -> Optimal:
    return Optimal(Plan(tuple(Step(f"t{number}") for number in range(steps)), Fraction(score)), "here")


def bounded(score: int, bound: int) -> Bounded:
    return Bounded(Plan((Step("t0"),), Fraction(score)), Fraction(bound), "here", "9 s")


UNREACHABLE = Unreachable((Fluent(Status.KNOWN, Atom("a")),), "here")
UNDECIDED = Undecided(Fraction(5), "there", "9 expansions")


@pytest.mark.parametrize(
    ("first", "second"), [(optimal(6, 2), optimal(6, 2)), (UNREACHABLE, Unreachable((), "there")), (optimal(0, 0), optimal(0, 0))]
)
def test_the_same_outcome_and_score_is_agreement(first: Solution, second: Solution) -> None:
    assert isinstance(compare(first, second, "there"), Agreed)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (optimal(6, 2), optimal(5, 2)),
        (optimal(6, 2), optimal(6, 3)),
        (optimal(6, 2), UNREACHABLE),
        (optimal(6, 2), bounded(5, 2)),
        (optimal(6, 2), bounded(9, 7)),
        (optimal(4, 2), UNDECIDED),
        (bounded(6, 2), UNREACHABLE),
        (bounded(3, 2), bounded(9, 4)),
    ],
)
def test_what_cannot_both_be_true_is_a_disagreement_in_either_order(first: Solution, second: Solution) -> None:
    for one, other in ((first, second), (second, first)):
        verdict = compare(one, other, "there")
        assert isinstance(verdict, Disagreed)
        assert verdict.diagnostic.code is Code.ENGINE_NOT_BELIEVED
        assert "`there` says" in verdict.diagnostic.message


@pytest.mark.parametrize(
    ("first", "second"),
    [(optimal(6, 2), UNDECIDED), (optimal(6, 1), bounded(6, 2)), (bounded(6, 2), optimal(5, 1)), (UNREACHABLE, UNDECIDED)],
)
def test_what_is_not_proved_twice_is_not_verified(first: Solution, second: Solution) -> None:
    for one, other in ((first, second), (second, first)):
        verdict = compare(one, other, "there")
        assert isinstance(verdict, NotVerified)
        assert "stopped after 9" in verdict.reason


def test_a_disagreement_says_what_each_engine_says() -> None:
    verdict = compare(optimal(6, 2), optimal(5, 1), "there")
    assert isinstance(verdict, Disagreed)
    assert verdict.diagnostic.message == "`here` says score 6 in 2 steps, and `there` says score 5 in 1 step"


@pytest.mark.parametrize("engine", ["uniform-cost", "in-process", "fast-downward"])
def test_engines_agree_on_a_chain_and_on_what_is_unreachable(engine: str) -> None:
    for goal, forbidden, proved in (("b", [], "score 3 in 2 steps"), ("a, b", ["second"], "unreachable")):
        planned = plan(loads(CHAIN), goal=goal, forbid=forbidden, limit=LIMIT)
        assert verify(planned, engine, LIMIT) == Agreed(engine, proved)


def test_no_engine_is_said_to_have_verified_what_needs_no_search() -> None:
    for state, forbidden in (("b", []), (None, ["second"])):
        planned = plan(loads(CHAIN), state=state, goal="b", forbid=forbidden, limit=LIMIT)
        verdict = verify(planned, "fast-downward", LIMIT)
        assert isinstance(verdict, NotVerified)
        assert "nothing to search" in verdict.reason


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(problems())
def test_the_oracle_verifies_generated_problems(drawn: Drawn) -> None:
    try:
        planned = plan(loads(drawn.domain), state=drawn.state, goal=drawn.goal, engine="in-process", limit=LIMIT)
    except DomainError:
        assume(False)
    assert not isinstance(verify(planned, "uniform-cost", LIMIT), Disagreed)


def test_a_wrong_answer_is_found_out() -> None:
    planned = plan(loads(CHAIN), goal="b", engine="in-process", limit=LIMIT)
    longer = type(planned)(planned.problem, Optimal(Plan((Step("first"), *planned.steps), Fraction(4)), "in-process"))
    assert isinstance(verify(longer, "uniform-cost", LIMIT), Disagreed)
    assert isinstance(verify(type(planned)(planned.problem, UNREACHABLE), "uniform-cost", LIMIT), Disagreed)


def test_an_engine_that_is_missing_or_fails_is_an_error() -> None:
    planned = plan(loads(CHAIN), goal="b", engine="in-process", limit=LIMIT)
    with pytest.raises(DomainError):
        verify(planned, "up:nobody", LIMIT)
    with pytest.raises(DomainError):
        compare(planned.solution, EngineFailed(Diagnostic(Code.ENGINE_CRASHED, "it fell over")), "there")


@pytest.mark.parametrize(
    ("engine", "cost", "second"),
    [("in-process", "1", "fast-downward"), ("in-process", "0.0000001", "uniform-cost"), ("fast-downward", "1", "uniform-cost")],
)
def test_the_second_opinion_is_that_of_another_engine_that_can_count_the_scores(engine: str, cost: str, second: str) -> None:
    domain = loads(
        f"{CHAIN} tool dear {{ produces b cost 999999 risk write }} tool cheap {{ requires a produces b cost {cost} risk read }}"
    )
    planned = plan(domain, goal="b", engine=engine, limit=LIMIT)
    verdict = second_opinion(planned, LIMIT)
    assert isinstance(verdict, Agreed)
    assert verdict.engine == second


# The command


def run(tmp_path: Path, *arguments: str) -> Ran:
    (tmp_path / "d.toolplan").write_text(CHAIN, "utf-8")
    return commands.run("plan", str(tmp_path / "d.toolplan"), "--goal", "b", *arguments)


def test_the_command_says_who_verified_it(tmp_path: Path) -> None:
    ran = run(tmp_path, "--verify-with", "uniform-cost")
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (Exit.OK, "verified by uniform-cost: score 3 in 2 steps too")
    assert json.loads(run(tmp_path, "--verify-with", "uniform-cost", "--json").stdout)["verification"] == {
        "verdict": "agreed",
        "engine": "uniform-cost",
        "proved": "score 3 in 2 steps",
    }
    assert "verified by fast-downward" in run(tmp_path, "--verify").stdout
    assert "verified by uniform-cost" in run(tmp_path, "--verify", "--engine", "fast-downward").stdout
    assert run(tmp_path, "--verify-with", "up:nobody").returncode == Exit.INTERNAL
    unknown = run(tmp_path, "--verify-with", "nobody")
    assert (unknown.returncode, "error[TP411]" in unknown.stderr) == (Exit.INPUT, True)


def test_a_second_engine_that_is_not_done_verifies_nothing_and_takes_nothing_back(tmp_path: Path) -> None:
    ran = run(tmp_path, "--engine", "fast-downward", "--verify-with", "uniform-cost", "--expansions", "1")
    assert ran.returncode == Exit.OK
    assert ran.stdout.splitlines()[-1] == "not verified by uniform-cost: uniform-cost stopped after 1 expansions"


def test_a_disagreement_has_an_exit_code_of_its_own_and_is_in_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    planned = plan(loads(CHAIN), goal="b", engine="in-process", limit=LIMIT)
    verdict = compare(planned.solution, optimal(1, 1), "there")
    with pytest.raises(typer.Exit) as ended:
        report(planned, verdict, as_json=False)
    assert ended.value.exit_code == Exit.DISAGREEMENT
    assert "error[TP503]" in capsys.readouterr().err
    with pytest.raises(typer.Exit):
        report(planned, verdict, as_json=True)
    assert json.loads(capsys.readouterr().out)["verification"] == json.loads(json.dumps(verdict_to_dict(verdict)))
