"""Runs in a file of JSON lines: first their subject, then a run a line. What takes hours can be taken up where it was left.

Times stand in a file beside, so that two reruns can be compared byte by byte once they are in order.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

from toolplan.bench.runs import RunRecord, StepRecord, Subject
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted

PACKED = ".gz"


class Runs(NamedTuple):
    """The runs of one file, in its order."""

    subject: Subject
    records: Sequence[RunRecord]


class Kept:
    """The file at `path`, to which runs of `subject` are added.

    A line that was cut off, as the last may be, goes, and its run is made again. Raises DomainError where the file has another subject, or
    is none of runs.
    """

    def __init__(self, path: Path, subject: Subject) -> None:
        self._path = path
        try:
            for file in (path, times_of(path)):
                _drop_cut_line(file)
            if not path.exists() or not path.stat().st_size:
                _append(path, {"subject": asdict(subject)})
        except OSError as error:
            message = f"cannot keep runs in {quoted(str(path))}: {(error.strerror or str(error)).lower()}"
            raise DomainError([Diagnostic(Code.UNREADABLE_FILE, message)]) from None
        runs = read(path)
        if runs.subject != subject:
            differing = _difference(runs.subject, subject)
            message = f"{quoted(str(path))} holds runs of something else: {differing}"
            raise DomainError([Diagnostic(Code.BAD_CALL, message, None, "name a new file: figures of both together would mean nothing")])
        self.done = {record.key: record for record in runs.records}

    def add(self, record: RunRecord, seconds: Sequence[float]) -> None:
        """Keep a run that has ended, and the seconds of each of its steps."""
        self.done[record.key] = record
        _append(self._path, _data(record))
        _append(times_of(self._path), [*record.key, [round(each, 3) for each in seconds]])


def read(path: Path) -> Runs:
    """The runs in a file, which may be packed by gzip; of a last line that was cut off nothing. Raises DomainError where it holds something else."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == PACKED else data).decode("utf-8")
        first, *lines = text[: text.rfind("\n") + 1].splitlines()
        subject = Subject(**json.loads(first)["subject"])
        return Runs(subject, [_record(json.loads(line)) for line in lines])
    except OSError as error:
        message = f"cannot read {quoted(str(path))}: {(error.strerror or str(error)).lower()}"
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, message)]) from None
    except (ValueError, TypeError, KeyError, EOFError, RecursionError):
        hint = "runs are what `toolplan bench SUITE --out FILE` keeps"
        raise DomainError([Diagnostic(Code.BAD_JSON, f"{quoted(str(path))} holds no runs", None, hint)]) from None


def packed(runs: Runs) -> bytes:
    """The runs as a file of gzip: arms in the order in which they come first, and of each the tasks by their ids, whatever the order in which
    they were made."""
    arms = list(dict.fromkeys(record.arm for record in runs.records))
    ordered = sorted(runs.records, key=lambda record: (arms.index(record.arm), record.task))
    lines = [_line({"subject": asdict(runs.subject)}), *(_line(_data(record)) for record in ordered)]
    return gzip.compress("".join(lines).encode(), mtime=0)


def times_of(path: Path) -> Path:
    """Where the times of the runs in `path` stand."""
    return path.with_suffix(".times.jsonl")


def _difference(kept: Subject, asked: Subject) -> str:
    pairs = [("suite", kept.suite, asked.suite), ("chooser", kept.chooser, asked.chooser)]
    pairs += [(name, kept.details.get(name, "-"), asked.details.get(name, "-")) for name in sorted({*kept.details, *asked.details})]
    return "; ".join(f"{name} {before}, and not {now}" for name, before, now in pairs if before != now)


def _drop_cut_line(path: Path) -> None:
    if path.exists() and not (data := path.read_bytes()).endswith(b"\n"):
        path.write_bytes(data[: data.rfind(b"\n") + 1])


def _append(path: Path, data: object) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(_line(data))


def _line(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def _data(record: RunRecord) -> dict[str, Any]:
    """The record as JSON values; what was not judged takes no room."""
    data = asdict(record)
    return data if record.judged else {name: value for name, value in data.items() if name != "judged"}


def _record(data: dict[str, Any]) -> RunRecord:
    steps = tuple(replace(step, gold=tuple(step.gold)) for step in (StepRecord(**each) for each in data.pop("steps")))
    return RunRecord(**{**data, "gold": tuple(data["gold"])}, steps=steps)
