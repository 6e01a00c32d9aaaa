"""The report as Markdown and as HTML, of the same sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from toolplan.bench import pages
from toolplan.bench.cmtf.suite import ARMS as CMTF
from toolplan.bench.real_tasks.suite import ARMS as REAL
from toolplan.bench.report.headline import headline
from toolplan.bench.report.sections import Section, sections
from toolplan.bench.runs.keeping import PACKED, Runs, read
from toolplan.bench.tables import Row, shown

TITLE = "Benchmarks with models that choose"
WORDS = (
    "Every figure here is made of the runs that are stored in `docs/benchmarks`, by `toolplan bench report`, and the tests make it again. "
    "Shares are in percent with their 95% intervals (Wilson), means with 1.96 standard errors; `p` compares with all tools, task by task "
    "(McNemar). `toolplan bench show FILE TASK` replays a run step by step."
)

SHORT = (
    "Tasks done, in percent: shown all tools; shown the next one alone, by a session behind its gate; and the same where a call of which all is "
    "known is made without a model. Tokens of these two, of those for all."
)
ORDER = {name: number for number, name in enumerate(dict.fromkeys((*CMTF, *REAL)))}
"""Of arms, in whichever order they were run."""


def stored(folder: Path) -> list[Runs]:
    """The runs in `folder`, by the names of their files, those of each arm together."""
    return [_in_order(read(path)) for path in sorted(folder.glob(f"*.jsonl{PACKED}"))]


def _in_order(runs: Runs) -> Runs:
    return runs._replace(records=sorted(runs.records, key=lambda record: ORDER.get(record.arm, len(ORDER))))


def markdown(files: Sequence[Runs]) -> str:
    """The page for the documentation. The same runs have the same page."""
    table = in_short(files)
    short = ["", "## In short", "", SHORT, "", *table] if table else []
    return "\n".join([f"# {TITLE}", "", WORDS, *short, *(line for section in sections(files) for line in _markdown(section))]) + "\n"


def in_short(files: Sequence[Runs]) -> list[str]:
    """The lines of the table that says it in short."""
    found = list(headline(files))
    return list(_table(found)) if found else []


def html(files: Sequence[Runs]) -> str:
    """The page with the plots, which needs nothing else."""
    body = [pages.paragraph(WORDS.replace("`", ""))]
    if found := list(headline(files)):
        body.append(pages.section("In short", pages.paragraph(SHORT), pages.table(found)))
    for section in sections(files):
        drawn = {**section.plots, **{title: pages.table(rows) for title, rows in section.tables.items()}}
        parts = [part for title, made in drawn.items() for part in (f"<h3>{pages.escaped(title)}</h3>", made)]
        words = [
            pages.paragraph(text) for text in (section.words, f"Tasks, arms and columns: docs/{section.page}. Made by: {section.command}")
        ]
        body.append(pages.section(section.title, *words, *parts))
    return pages.document(TITLE, "\n".join(body))


def _markdown(section: Section) -> Iterator[str]:
    yield from (
        "",
        f"## {section.title}",
        "",
        section.words,
        f"Tasks, arms and columns: [{section.page}]({section.page}).",
        "",
        "```sh",
        section.command,
        "```",
    )
    for title, rows in section.tables.items():
        if rows:
            yield from ("", f"### {title}", "", *_table(rows))


def _table(rows: Sequence[Row]) -> Iterator[str]:
    lines = [row.to_dict() for row in rows]
    yield f"| {' | '.join(name.replace('_', ' ') for name in lines[0])} |"
    yield f"|{'---|' * len(lines[0])}"
    for line in lines:
        yield f"| {' | '.join(shown(value).replace('|', chr(92) + '|') for value in line.values())} |"
