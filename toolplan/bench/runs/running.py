"""Tasks run to their end by a chooser, on as many cores as wanted."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from threading import Thread
from typing import NamedTuple, Protocol, runtime_checkable

from toolplan.bench.choosers import Choice, Chooser, Turn
from toolplan.bench.runs import RunRecord, StepRecord
from toolplan.bench.runs.keeping import Kept


class Episode(Protocol):
    """One task in the middle of its run by one arm."""

    request: str
    gold: tuple[str, ...]

    @property
    def success(self) -> bool:
        """Whether what is meant is reached, and nothing else has ended the run."""
        ...

    def turn(self) -> Turn | StepRecord | None:
        """What the model sees next, or a step that took no model; None where the run has ended."""
        ...

    def take(self, choice: Choice) -> StepRecord:
        """What comes of what the model chose at this turn."""
        ...


@runtime_checkable
class Judged(Protocol):
    """An episode of which more is judged than success."""

    @property
    def judged(self) -> Mapping[str, object]:
        """What its run is worth, as JSON values by name."""
        ...


class Suite(Protocol):
    """Tasks and the arms that they are run by. It is sent to other processes, so what is large is read where it is wanted."""

    @property
    def name(self) -> str:
        """What its runs are kept under."""
        ...

    @property
    def arms(self) -> Sequence[str]:
        """All arms, in the order of tables."""
        ...

    def tasks(self, count: int) -> Sequence[str]:
        """The ids of `count` tasks, of each kind as many as can be; the same each time, and in one order."""
        ...

    def episode(self, arm: str, task: str) -> Episode:
        """The task at its start."""
        ...


class Ran(NamedTuple):
    """A run, and the seconds that the chooser took for each of its steps."""

    record: RunRecord
    seconds: list[float]


def run(suite: Suite, arm: str, task: str, chooser: Chooser) -> Ran:
    """The run of `task` by `arm`."""
    episode, steps, seconds = suite.episode(arm, task), list[StepRecord](), list[float]()
    while (turn := episode.turn()) is not None:
        if isinstance(turn, StepRecord):
            steps.append(turn)
            seconds.append(0.0)
            continue
        begun = time.perf_counter()
        choice = chooser.choose(turn)
        seconds.append(time.perf_counter() - begun)
        steps.append(episode.take(choice))
    judged = episode.judged if isinstance(episode, Judged) else {}
    return Ran(RunRecord(arm, task, episode.request, episode.gold, episode.success, tuple(steps), judged), seconds)


def run_all(
    suite: Suite,
    plan: Sequence[tuple[str, str]],
    choosing: Callable[[], Chooser],
    jobs: int,
    kept: Kept | None,
    note: Callable[[str], None],
) -> Iterator[RunRecord]:
    """The run of each arm and task in `plan`, in its order, those that `kept` has without running them again. Each is kept as soon as it has ended.

    With several `jobs` each is a process with a chooser of its own, which takes the next task when it is free; then `choosing` has to go there
    by pickle. What is chosen is the same with any number of them.
    """
    done = {} if kept is None else kept.done
    left = [each for each in plan if each not in done]
    found = {each: done[each] for each in plan if each in done}
    for ran in _made(suite, left, choosing, jobs):
        found[ran.record.key] = ran.record
        if kept is not None:
            kept.add(ran.record, ran.seconds)
        note(f"{len(found):,} of {len(plan):,} runs, the last {ran.record.arm}, {ran.record.task}")
    for each in plan:
        yield found[each]


def _made(suite: Suite, left: Sequence[tuple[str, str]], choosing: Callable[[], Chooser], jobs: int) -> Iterator[Ran]:
    if jobs == 1 or len(left) < 2:
        chooser = choosing() if left else None
        for arm, task in left:
            assert chooser is not None
            yield run(suite, arm, task, chooser)
        return
    spawn = multiprocessing.get_context("spawn")  # a fork would share what a model's threads hold
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=_start, initargs=(suite, choosing)) as pool:
        try:
            for future in as_completed([pool.submit(_run_here, arm, task) for arm, task in left]):
                yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class _Here(NamedTuple):
    """What a process of the pool works with."""

    suite: Suite
    chooser: Chooser


_here: list[_Here] = []


def _start(suite: Suite, choosing: Callable[[], Chooser]) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    _here.append(_Here(suite, choosing()))


def _run_here(arm: str, task: str) -> Ran:
    return run(_here[0].suite, arm, task, _here[0].chooser)


def _end_with_parent() -> None:
    """End this process once the one that started it is lost: nobody would take its runs, and a model in it is large."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
