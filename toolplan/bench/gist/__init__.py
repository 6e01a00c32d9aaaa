"""The right goal before the right tool: the suite of GIST-CMTF (arXiv 2606.16813), rebuilt over the domain `gist`.

- `requests`: what users say, and what they mean by it; `simulation`: what stands in for users and models.
- `rankers`: how a request is read; `methods`: what is offered then; `offers`: the types between them and `running`.
- `running`: a request run to its end; `judging`: what the run is worth; `measuring`: all of them.
- `sources`: readings by rankers, and by a model that is asked; `asking`: for what it says; `weighing`: for how probable that is.
- `suite`: a request as an episode in which a model chooses; `by_models`: all of them; `comparing`, `paper`: their figures beside the paper's.
- `figures`: shares and means with intervals; `promises`: what is promised of them.
"""

from __future__ import annotations

from toolplan.bench.gist.comparing import REQUESTS, beside_paper, chosen, how_read, measured_of
from toolplan.bench.gist.figures import rows
from toolplan.bench.gist.measuring import measure
from toolplan.bench.gist.promises import best_ranker, failures, promises
from toolplan.bench.gist.rankers import RANKERS
from toolplan.bench.gist.requests import SUITES

__all__ = [
    "RANKERS",
    "REQUESTS",
    "SUITES",
    "beside_paper",
    "best_ranker",
    "chosen",
    "failures",
    "how_read",
    "measure",
    "measured_of",
    "promises",
    "rows",
]
