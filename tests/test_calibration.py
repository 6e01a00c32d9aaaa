"""Calibration: probabilities that mean what they say, and the two commands around labelled requests."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import run
from hypothesis import given
from hypothesis import strategies as st

from toolplan.cli.reliability_plot import plot
from toolplan.goals.calibration import UNCHANGED, Calibrated, Calibration, Judged, calibrated, fit, read_calibration, write_calibration
from toolplan.goals.rankers.labelled import Labelled
from toolplan.goals.readings import Goals, Reading, reading_of
from toolplan.goals.reliability import cross_validated, folds_of, quality, read_by_others, reliability
from toolplan.language.diagnostics import DomainError
from toolplan.language.loading import loads
from toolplan.language.source import Source
from toolplan.planning.problem import State

REQUESTS = Path(__file__).parent / "data" / "requests" / "calendar.jsonl"
DOMAIN = loads("fact a  goal x { achieves a }  goal y { achieves a }")


def reading(x: float, y: float = 0.0) -> Reading:
    return reading_of("r", [(("x",), x), (("y",), y)])


def drawn(sharpness: float, bias: float = 0.0, count: int = 3_000) -> list[Judged]:
    """Readings whose log probabilities were multiplied by `sharpness`, each with an outcome of its true probabilities."""
    source = random.Random(1)
    judged = []
    for _ in range(count):
        shares = [source.random() ** 2 + 0.01 for _ in range(3)]
        true = [share / sum(shares) for share in shares]
        outcome: Goals = source.choices([("x",), ("y",), ()], true)[0]
        told = [p**sharpness for p in true]
        told[2] *= math.exp(-bias * sharpness)
        judged.append(Judged(reading(told[0] / sum(told), told[1] / sum(told)), outcome))
    return judged


@pytest.mark.parametrize(("sharpness", "bias"), [(1.0, 0.0), (3.0, 0.0), (0.5, 0.0), (2.0, 1.0), (1.0, -1.0)])
def test_the_fit_finds_the_temperature_and_the_bias_that_spoilt_a_ranker(sharpness: float, bias: float) -> None:
    found = fit(drawn(sharpness, bias))
    assert found.temperature == pytest.approx(sharpness, rel=0.15)
    assert found.bias == pytest.approx(bias, abs=0.15)


def test_calibration_mends_what_was_too_sure() -> None:
    judged = drawn(4.0)
    folds = [judged[number::5] for number in range(5)]
    before, after = quality([one for fold in folds for one in fold]), quality(cross_validated(folds))
    assert after.likelihood_loss < 0.8 * before.likelihood_loss
    assert after.calibration_error < 0.3 * before.calibration_error
    assert after.accuracy == pytest.approx(before.accuracy, abs=0.01)


@pytest.mark.parametrize(
    "judged",
    [
        [],
        [Judged(reading(0.9), ("x",))],
        [Judged(reading(1.0), ("x",))],
        [Judged(reading(0.0), ())] * 3,
        [Judged(reading(0.5, 0.2), ("x", "y"))],
        [Judged(reading(1e-9), ("x",))] * 50,
        [Judged(reading(0.999), ("x",))] * 500,
        [Judged(reading(0.999), ())] * 500,
    ],
)
def test_few_or_strange_requests_give_a_calibration_that_can_be_used(judged: list[Judged]) -> None:
    calibration = fit(judged)
    assert 0.05 <= calibration.temperature <= 20
    assert abs(calibration.bias) <= 10
    assert read_calibration(Source("c", write_calibration(calibration, "lexical")), "lexical") == calibration


def test_one_request_hardly_moves_anything() -> None:
    assert fit([Judged(reading(0.6, 0.3), ("x",))]).temperature == pytest.approx(1, abs=0.5)


PROBABILITIES = st.lists(st.floats(0, 1), min_size=2, max_size=2).map(lambda shares: [share / max(1.0, sum(shares)) for share in shares])


@given(shares=PROBABILITIES, temperature=st.floats(0.05, 20), bias=st.floats(-10, 10))
def test_a_calibrated_reading_is_a_distribution_in_the_same_order(shares: list[float], temperature: float, bias: float) -> None:
    before = reading(*shares)
    after = calibrated(before, Calibration(temperature, bias))
    assert math.isclose(sum(candidate.p for candidate in after.candidates) + after.none, 1)
    assert {candidate.goals for candidate in after.candidates} <= {candidate.goals for candidate in before.candidates}
    by_goals = {candidate.goals: candidate.p for candidate in after.candidates}
    kept = [by_goals.get(candidate.goals, 0.0) for candidate in before.candidates]
    assert kept == sorted(kept, reverse=True)


@given(shares=PROBABILITIES)
def test_no_calibration_changes_nothing(shares: list[float]) -> None:
    before, after = reading(*shares), calibrated(reading(*shares), UNCHANGED)
    assert after.none == pytest.approx(before.none, abs=1e-9)
    assert [candidate.p for candidate in after.candidates] == pytest.approx([candidate.p for candidate in before.candidates])


def test_a_warm_temperature_evens_out_and_the_bias_speaks_for_none() -> None:
    before = reading(0.8, 0.1)
    assert calibrated(before, Calibration(2.0, 0.0)).candidates[0].p < 0.8
    assert calibrated(before, Calibration(0.5, 0.0)).candidates[0].p > 0.8
    assert calibrated(before, Calibration(1.0, 1.0)).none > before.none

    class Fixed:
        def rank(self, request: str, domain: object, state: object) -> Reading:
            return before

    warm = Calibration(2.0, 0.3)
    assert Calibrated(Fixed(), warm).rank("r", DOMAIN, State()) == calibrated(before, warm)


def test_the_reliability_of_known_readings() -> None:
    judged = [Judged(reading(0.75), ("x",)), Judged(reading(0.75), ()), Judged(reading(0.25), ()), Judged(reading(0.0), ())]
    assert [(each.count, each.confidence, each.accuracy) for each in reliability(judged)] == [
        (3, 0.75, pytest.approx(2 / 3)),
        (1, 1.0, 1.0),
    ]
    measured = quality(judged)
    assert measured.accuracy == 0.75
    assert measured.calibration_error == pytest.approx(3 / 4 * (0.75 - 2 / 3))
    assert measured.likelihood_loss == pytest.approx(-(2 * math.log(0.75) + math.log(0.25)) / 4)
    assert quality([Judged(reading(0.5), ("y",))]).likelihood_loss == pytest.approx(-math.log(1e-6))


def test_no_fold_is_read_by_what_has_learned_from_it() -> None:
    labelled = [Labelled(f"r{number}", ("x",)) for number in range(12)]

    class Known:
        def __init__(self, examples: list[Labelled]) -> None:
            self._known = {example.request for example in examples}

        def rank(self, request: str, domain: object, state: object) -> Reading:
            assert request not in self._known
            assert len(self._known) in (9, 10)
            return reading_of(request, [(("x",), 0.5)])

    read = read_by_others(folds_of(labelled), DOMAIN, Known)
    assert sorted(one.reading.request for fold in read for one in fold) == sorted(one.request for one in labelled)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"version": 2, "ranker": "lexical", "temperature": 1, "bias": 0}',
        '{"version": 1, "ranker": "mixed", "temperature": 1, "bias": 0}',
        '{"version": 1, "ranker": "lexical", "temperature": 0, "bias": 0}',
        '{"version": 1, "ranker": "lexical", "temperature": NaN, "bias": 0}',
        '{"version": 1, "ranker": "lexical", "temperature": true, "bias": 0}',
        '{"version": 1, "ranker": "lexical", "temperature": 1}',
    ],
)
def test_what_is_no_calibration_of_this_ranker_is_a_diagnostic(text: str) -> None:
    with pytest.raises(DomainError, match="calibration"):
        read_calibration(Source("c.json", text), "lexical")


def test_the_plot_is_a_picture_that_stands_alone() -> None:
    bins = reliability(drawn(2.0, count=200))
    picture = plot("a < b", ("before", bins), ("after & later", bins))
    root = ElementTree.fromstring(picture)
    dots = [node for node in root.iter("{http://www.w3.org/2000/svg}circle") if len(node)]
    assert len(dots) == 2 * len(bins)
    assert "<script" not in picture


# The commands


def test_calibrate_measures_before_and_after_and_writes_what_is_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("bm25s")
    written = ("-o", "calendar.calibration.json", "--plot", "plot.svg")
    first, again = (run("calibrate", "calendar", str(REQUESTS), "--ranker", "lexical", *written, "--json", cwd=tmp_path) for _ in range(2))
    assert (first.returncode, first.stdout) == (0, again.stdout)
    told = json.loads(first.stdout)
    assert told["requests"] == 18
    assert told["after"]["likelihood_loss"] < told["before"]["likelihood_loss"]
    stored = json.loads((tmp_path / "calendar.calibration.json").read_text("utf-8"))
    assert stored == {"version": 1, "ranker": "lexical", "temperature": told["temperature"], "bias": told["bias"]}
    ElementTree.parse(tmp_path / "plot.svg")
    shown = run("calibrate", "calendar", str(REQUESTS), "--ranker", "lexical", cwd=tmp_path).stdout.splitlines()
    assert [line.split()[0] for line in shown] == ["lexical", "loss", "before", "after"]


def test_calibrate_needs_requests_and_a_ranker_that_there_is(tmp_path: Path) -> None:
    (tmp_path / "few.jsonl").write_text('{"request": "x", "goals": []}\n')
    for arguments, code in ((["few.jsonl"], "TP408"), ([str(REQUESTS), "--ranker", "lexcal"], "TP411"), (["none.jsonl"], "TP601")):
        failed = run("calibrate", "calendar", *arguments, cwd=tmp_path)
        assert failed.returncode == 1, failed.stderr
        assert code in failed.stderr


def test_learn_goals_merges_what_was_learned_before(tmp_path: Path) -> None:
    new = tmp_path / "new.jsonl"
    new.write_text('{"request": "Call  off the REVIEW", "goals": ["move_event"]}\n{"request": "a", "goals": []}\n')
    learned = tmp_path / "calendar.labelled.jsonl"
    assert run("learn-goals", "calendar", str(REQUESTS), cwd=tmp_path).stdout.startswith("18 requests (18 more than before)")
    assert run("learn-goals", "calendar", "new.jsonl", cwd=tmp_path).stdout.startswith("19 requests (1 more than before)")
    before = learned.read_bytes()
    assert run("learn-goals", "calendar", "new.jsonl", cwd=tmp_path).stdout.startswith("19 requests (0 more than before)")
    assert learned.read_bytes() == before
    assert '{"request": "Call off the REVIEW", "goals": ["move_event"]}' in learned.read_text("utf-8").splitlines()
    new.write_text('{"request": "a", "goals": ["nothing"]}\n')
    failed = run("learn-goals", "calendar", "new.jsonl", cwd=tmp_path)
    assert (failed.returncode, learned.read_bytes()) == (1, before)
    assert "TP401" in failed.stderr
    new.write_text('{"request": "half \\ud800", "goals": ["move_event"]}\n')
    assert run("learn-goals", "calendar", "new.jsonl", cwd=tmp_path).stdout.startswith("20 requests (1 more than before)")
    assert '{"request": "half \\ud800", "goals": ["move_event"]}' in learned.read_text("utf-8").splitlines()
    assert run("learn-goals", "calendar", "new.jsonl", cwd=tmp_path).stdout.startswith("20 requests (0 more than before)")
