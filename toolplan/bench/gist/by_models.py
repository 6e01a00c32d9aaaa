"""The suite by models: first one reads each request, once for all methods, then one chooses among the tools that they show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from toolplan.bench.choosers import Chooser
from toolplan.bench.gist.asking import READING, Readings, answers_of
from toolplan.bench.gist.comparing import RANKER, REQUESTS
from toolplan.bench.gist.sources import Answered, Shipped, Source
from toolplan.bench.gist.suite import NAME, Gist
from toolplan.bench.runs import RunRecord, Subject
from toolplan.bench.runs.keeping import Kept, Runs
from toolplan.bench.runs.running import Suite, run_all

Making = Callable[[], Chooser]
"""Makes a model, in this process or in another."""
NOBODY = "nobody"
"""The chooser of runs in which requests were only read."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be run: `count` requests of `suite` by each of `methods`, in `jobs` processes, kept in `out`.

    A model reads `practised` practice requests besides, to learn from. `note` is told how far it is.
    """

    suite: str
    count: int
    methods: Sequence[str]
    practised: int
    jobs: int
    out: Path | None
    note: Callable[[str], None]


class Worked(NamedTuple):
    """The runs, and where the readings in them came from."""

    runs: Runs
    source: Source


class Model(NamedTuple):
    """A model in this process, and how it is made in others."""

    here: Chooser
    making: Making

    @classmethod
    def made(cls, making: Making) -> Model:
        """The model, loaded."""
        return cls(making(), making)

    def for_jobs(self, jobs: int) -> Making:
        """Of one job, the model that is here."""
        return (lambda: self.here) if jobs == 1 else self.making


def run(work: Work, reading: Shipped | Making, choosing: Making | None) -> Worked:
    """The requests, read by a ranker that ships or by a model, and then, if anybody chooses, run by each method.

    Raises DomainError where a model or a package is missing, or the file holds runs of others.
    """
    reader = reading if isinstance(reading, Shipped) else Model.made(reading)
    chooser = None if choosing is None else Model.made(choosing)
    subject = _subject(work, reader, chooser)
    kept = None if work.out is None else Kept(work.out, subject)
    readings: list[RunRecord] = []
    source: Source
    if isinstance(reader, Shipped):
        source = reader
    else:
        suite = Readings(work.suite, work.practised)
        readings = _made(work, suite, (READING,), reader, kept)
        source = Answered(reader.here.name, answers_of(readings))
    runs: list[RunRecord] = []
    if chooser is not None:
        costs = {record.task: record.steps[0] for record in readings}
        _begin(work, Gist(work.suite, source, costs))  # A suite of its own: what it has learned by then need not go to other processes.
        runs = _made(work, Gist(work.suite, source, costs), work.methods, chooser, kept)
    return Worked(Runs(subject, [*readings, *runs]), source)


def _begin(work: Work, suite: Suite) -> None:
    """Begin a run by each method: what one of them needs and does not find is told now, and not after the hours of those before it."""
    for arm in work.methods:
        suite.episode(arm, suite.tasks(work.count)[0])


def _made(work: Work, suite: Suite, arms: Sequence[str], model: Model, kept: Kept | None) -> list[RunRecord]:
    plan = [(arm, task) for arm in arms for task in suite.tasks(work.count)]
    return list(run_all(suite, plan, model.for_jobs(work.jobs), work.jobs, kept, work.note))


def _subject(work: Work, reader: Shipped | Model, chooser: Model | None) -> Subject:
    """All that the runs depend on; of the practice requests, how many there are."""
    read = {RANKER: reader.name} if isinstance(reader, Shipped) else {RANKER: reader.here.name, "practised": str(work.practised)}
    of_reader = {} if isinstance(reader, Shipped) else {f"{RANKER} {name}": value for name, value in reader.here.details.items()}
    details = {REQUESTS: work.suite, **read, **of_reader, **(chooser.here.details if chooser else {})}
    return Subject(NAME, chooser.here.name if chooser else NOBODY, details)
