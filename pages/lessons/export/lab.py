"""A small Lab as a page: Compare's charts with sliders that need no server (`pages.lessons.export.live`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from pages.lessons import LESSONS
from pages.lessons.export.live import SHOWN, defaults, element, figures, given
from pages.lessons.export.page import data
from pages.lessons.export.scripts import CHARTS, PARTS, PLOTLY, alike, looks, plotly, script
from pages.lessons.export.site import put
from pages.lessons.lesson import Live
from pages.shared.charts.on_page import CONFIG
from sim import __version__
from sim.engines.registry import preset
from sim.engines.slots.scenario import SlotScenario, read_policy
from sim.telling import document

#: The page's cluster: that of Compare, with jobs enough for most loads.
LAB = Live(
    cast(SlotScenario, preset("copies-and-order").scenario).replace(jobs=2000, load=0.7),
    ("fair+none", "fair+late", "fair+mantri", "srpt+none", "srpt+late", "hopper+budget"),
    ("fair+none", "fair+late", "hopper+budget"),
    {
        "load": tuple(k / 20 for k in range(4, 20)),
        "beta": tuple(k / 10 for k in range(11, 41)),
        "slots": (10, 20, 50, 100, 200),
        "epsilon": tuple(k / 20 for k in range(21)),
    },
    "copies-and-order",
    5,
)
#: What starts the page.
PAGE = PARTS / "lab-page.js"
#: What tells the page from others.
MARK = '<meta name="generator" content="straggler-lab, lab">'


def lives() -> dict[str, Live]:
    """Return all settings with sliders that run the engine, by the page that has them."""
    found = {one.name: one.live for one in LESSONS.values() if one.live}
    return {"lab": LAB, **found}


def policies() -> tuple[str, ...]:
    """Return the policies that the engine for browsers needs."""
    return tuple(dict.fromkeys(policy for live in lives().values() for policy in live.policies))


def links() -> dict[str, Any]:
    """Return what the app's links to Compare leave out, as it is so there, and the jobs of this page."""
    start = preset(LAB.preset)
    policies = ";".join(read_policy(one).text for one in start.policies)
    usual: dict[str, Any] = {**defaults(cast(SlotScenario, start.scenario)), "policies": policies}
    usual["jobs"] = start.scenario.jobs
    return {"usual": usual, "jobs": str(LAB.scenario.jobs)}


def page(*, within: bool = False) -> str:
    """Return the page; Plotly's script is in a file beside it, or `within`."""
    beside = "" if within else PLOTLY
    known: dict[str, Any] = {"figures": figures(), "alike": alike(), "config": CONFIG}
    known |= {"live": given(LAB), "beside": beside, "links": links()}
    body = (
        f"<main>\n<h1>Which policy finishes jobs sooner?</h1>\n{element(LAB)}\n</main>\n"
        f'<footer><p class="small">straggler-lab {__version__}</p></footer>\n{data(known)}'
    )
    return document.whole(
        "Lab · straggler-lab",
        body,
        style=f"{looks()}\nbody {{ max-width: 72rem; }}",
        scripts=[*([plotly()] if within else []), script(CHARTS, *SHOWN, PAGE)],
        styled=True,
        mark=MARK,
        beside=beside,
        later=True,
        worker=True,
    )


def files(*, whole: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file; with `whole` the page has Plotly's script within."""
    yield "index.html", page(within=whole).encode()
    if not whole:
        yield PLOTLY, plotly().encode()


def write(folder: str, *, whole: bool = False) -> Iterator[tuple[str, int]]:
    """Write all files into a folder, as `pages.lessons.export.site.write` does."""
    return put(folder, files(whole=whole), MARK)
