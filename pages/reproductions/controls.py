"""Controls of the Reproductions page: filters of its table, and the claim or figure that is open."""

from __future__ import annotations

from pages.reproductions.question import ALL, PAPERS
from pages.reproductions.words import MARKED
from pages.shared.controls.control import Control, OneOf, Panel
from sim.papers import CLAIMS
from sim.papers.claim import typeset

PAGE = "reproductions"
#: Nothing is open.
NONE = "none"
SYSTEMS = sorted({claim.system for claim in CLAIMS.values()})


def _name(key: str) -> str:
    claim = CLAIMS[key]
    return f"{PAPERS[claim.paper]}, {typeset(claim.place + ': ' + claim.statement.rstrip('.'))}"


FILTERS = (
    Control("paper", "Paper", OneOf({ALL: "All papers", **PAPERS}), ALL),
    Control("system", "System or result", OneOf({ALL: "All", **{one: one for one in SYSTEMS}}), ALL),
    Control("verdict", "Verdict", OneOf({ALL: "All verdicts", **MARKED}), ALL),
)
CLAIM = Control(
    "claim",
    "Open a claim",
    OneOf({NONE: "None: the table alone", **{key: _name(key) for key in CLAIMS}}),
    NONE,
    "Its figure, its setting, and what other choices give.",
)
PANEL = Panel(PAGE, (*FILTERS, CLAIM))
