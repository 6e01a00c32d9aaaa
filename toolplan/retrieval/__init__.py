"""Where contracts end: words to the tools that fit them, ranked and bounded.

`domain_documents` are what a principal may use, `collapsed` leaves the copies out, `search` ranks, and `shortlist`, `discover` and `explore` say
how much of it is shown. `Pins` are what a conversation has found. Nothing here allows a call.
"""

from toolplan.retrieval.budgeting import Depth, Lacks, Shown, Situation, Spent, Stopped, Stops, Unclear, Widened, Widens, depth, likeness_of
from toolplan.retrieval.clones import Collapsed, collapsed
from toolplan.retrieval.documents import Document, domain_documents, tool_documents
from toolplan.retrieval.exploring import explore
from toolplan.retrieval.pins import Pins
from toolplan.retrieval.scorers import SCORERS, Scorer, best_installed, overlap, rare_words, scorer, timely
from toolplan.retrieval.searching import Found, Match, Outage, Shortlist, discover, search, shortlist

__all__ = [
    "SCORERS",
    "Collapsed",
    "Depth",
    "Document",
    "Found",
    "Lacks",
    "Match",
    "Outage",
    "Pins",
    "Scorer",
    "Shortlist",
    "Shown",
    "Situation",
    "Spent",
    "Stopped",
    "Stops",
    "Unclear",
    "Widened",
    "Widens",
    "best_installed",
    "collapsed",
    "depth",
    "discover",
    "domain_documents",
    "explore",
    "likeness_of",
    "overlap",
    "rare_words",
    "scorer",
    "search",
    "shortlist",
    "timely",
    "tool_documents",
]
