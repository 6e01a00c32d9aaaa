"""What is wanted, as options: a request and who reads it, or candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from toolplan.domain import Domain
from toolplan.goals.readings import GoalRanker

RequestText = Annotated[
    str, typer.Option("--request", "-r", metavar="TEXT", help="What the user said, to be read by a ranker.", show_default=False)
]
CandidateTexts = Annotated[
    list[str],
    typer.Option("--candidate", metavar="GOAL=P", help="A goal that may be meant, or `none`, and its probability. May be repeated."),
]
RankerName = Annotated[
    str,
    typer.Option(
        "--ranker",
        metavar="RANKER",
        help="Who reads the request: lexical, embeddings, learned or mixed; else the best that is installed.",
        show_default=False,
    ),
]


def check_wanted(goal: Sequence[str], request: str, candidates: Sequence[str], ranker: str) -> None:
    """Exits where no option says what is wanted, or a ranker has nothing to read; what is said twice is a diagnostic like any other."""
    if not (goal or request or candidates):
        raise typer.BadParameter("say what is wanted: --goal, --request or --candidate")
    if ranker and not request:
        raise typer.BadParameter("--ranker reads what --request says, and there is none")


def read_candidates(texts: Sequence[str]) -> list[tuple[str | None, float | str]] | None:
    """The pairs that `--candidate` gives, for `frontier` to check; None without any. A probability that is no number stays a text."""
    pairs = [text.rpartition("=") for text in texts]
    return [(None if name == "none" else name, _number(p)) for name, _, p in pairs] or None


def reader_of(request: str, path: str, domain: Domain, ranker: str) -> GoalRanker | None:
    """Who reads `request`, with the examples and the calibration that lie beside the domain at `path`; None where there is no request.

    Raises DomainError as `ranker_beside` does.
    """
    if not request:
        return None
    # A call with a goal must not wait for what only rankers need.
    from toolplan.cli.ranking import ranker_beside

    return ranker_beside(path, domain, ranker)


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
