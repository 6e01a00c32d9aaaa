"""`toolplan calibrate`: how far a ranker's probabilities can be believed, and the temperature that mends them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from toolplan.cli.options import AsJson, DomainFile
from toolplan.cli.output import reporting, say, show_json
from toolplan.cli.ranking import CALIBRATION, labelled_in, write
from toolplan.cli.reliability_plot import plot
from toolplan.goals.calibration import Judged, fit, write_calibration
from toolplan.goals.rankers import RANKERS, ranker
from toolplan.goals.rankers.labelled import Labelled, merged
from toolplan.goals.reliability import FOLDS, cross_validated, folds_of, quality, read_by_others, reliability
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.loading import load
from toolplan.retrieval.encoders import remembering, universal_sentence_encoder

EXAMPLE = "Example: toolplan calibrate calendar requests.jsonl --ranker lexical"

FEWEST = 2 * FOLDS


def command(
    domain: DomainFile,
    labelled: Annotated[
        Path, typer.Argument(metavar="LABELLED", help='Lines such as {"request": "call it off", "goals": ["cancel_event"]}.')
    ],
    name: Annotated[str, typer.Option("--ranker", metavar="RANKER", help=f"{', '.join(RANKERS)}.")] = "mixed",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help=f"Write the calibration there; DOMAIN{CALIBRATION} is found again.")
    ] = None,
    drawing: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the reliability there, as SVG.")] = None,
    as_json: AsJson = False,
) -> None:
    """Fit temperature and bias of a ranker to labelled requests; before and after are both measured by cross-validation."""
    with reporting(as_json=as_json):
        contracts = load(domain)
        requests = _enough(merged(labelled_in(labelled, contracts)))
        encode = None if name == "lexical" else remembering(universal_sentence_encoder())
        folds = read_by_others(folds_of(requests), contracts, partial(ranker, name, encode=encode))
    before = [one for fold in folds for one in fold]
    after = cross_validated(folds)
    calibration = fit(before)
    if as_json:
        told = {"requests": len(requests), "ranker": name, **calibration._asdict()}
        show_json({**told, "before": asdict(quality(before)), "after": asdict(quality(after))})
    else:
        say(f"{name} on {len(requests)} requests: temperature {calibration.temperature:g}, bias {calibration.bias:g}")
        for line in _table(before, after):
            say(line)
    if out is not None:
        write(out, write_calibration(calibration, name))
    if drawing is not None:
        write(drawing, plot(f"{name}: {len(requests)} requests", ("before", reliability(before)), ("after", reliability(after))))


def _enough(requests: list[Labelled]) -> list[Labelled]:
    if len(requests) < FEWEST:
        message = f"{len(requests)} labelled requests are too few to calibrate with"
        raise DomainError([Diagnostic(Code.BAD_CALL, message, None, f"there must be {FEWEST} at least")])
    return requests


def _table(before: Sequence[Judged], after: Sequence[Judged]) -> list[str]:
    rows = [("", "loss", "calibration error", "right")]
    for label, each in (("before", quality(before)), ("after", quality(after))):
        rows.append((label, f"{each.likelihood_loss:.3f}", f"{each.calibration_error:.3f}", f"{each.accuracy:.1%}"))
    return [f"{label:<8}{loss:>8}{error:>20}{right:>9}" for label, loss, error, right in rows]
