"""Controls of the Fleet page: whose logs, how they are filtered and sorted, how many are played again."""

from __future__ import annotations

from pages.logs.controls import menu
from pages.logs.question import SAMPLE
from pages.shared.controls import file_in_link
from pages.shared.controls.control import Control, OneOf, Panel, Range
from sim.advice.fleet import COMPUTED
from sim.logs.formats import FORMATS

PAGE = "fleet"
TITLE = "Which of your applications lost most, and what to do first?"
ALL = "all"
#: Logs whose remedy is computed at most: each is played as on What-if.
MOST_COMPUTED = 5
FORMAT = Control(
    "format", "Format", OneOf({ALL: "All formats", **{one.KEY: one.TITLE for one in FORMATS}}), ALL
)
SHOW = Control(
    "rows", "Show", OneOf({ALL: "All logs", "won": "With something to win", "unread": "Not read"}), ALL
)
SORT = Control(
    "sort",
    "Sort by",
    OneOf({"won": "What can be won", "lost": "Lost", "jobs": "Jobs", "name": "Application"}),
    "won",
    "What can be won: the gain of the remedy where it is computed, what is lost where it is not.",
)
COMPUTE = Control(
    "compute",
    "Remedies computed",
    Range(0, MOST_COMPUTED, 1),
    COMPUTED,
    "For how many of the logs that lost most the remedy and its gain are computed, as on What-if. Each takes "
    "some seconds to minutes.",
)
PRICE = Control(
    "price",
    "Price of a slot-hour",
    Range(0.0, 1000.0, 0.01),
    0.0,
    "In your currency: lost slot-time is then also given in money. 0: not given.",
)
PANEL = Panel(PAGE, [menu("fleet", SAMPLE), FORMAT, SHOW, SORT, COMPUTE, PRICE, file_in_link.CONTROL])
