"""What the Coding page shows of a question: redrawn as loads finish and their answers get better."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing
from functools import partial
from hashlib import blake2b

import orjson
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.coding import words
from pages.coding.cost_chart import cost_alt, cost_chart
from pages.coding.map_charts import learned_alt, learned_chart, step_alt, step_chart
from pages.coding.question import Asked
from pages.coding.response_chart import response_alt, response_chart
from pages.coding.rule_chart import rule_alt, rule_chart
from pages.coding.seen import Seen, see
from pages.compare.view import CHART, Drawing, drawn
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import pool, shelf
from pages.shared.app.turns import turns
from pages.shared.charts.distribution import distribution, distribution_alt
from pages.shared.words.numbers import counted, percent, plain
from sim.live import Snapshot

#: Seconds between two drawings while an answer gets better.
PACE = 1.0
#: Titles of the maps.
STEP, LEARNED_MAP = "Redundant-small: one step, lower at higher loads", "What the network has learned"
Snapshots = list[Snapshot]
Follower = Generator[Snapshot | None, None, None]


def follow(asked: Asked, status: DeltaGenerator) -> Iterator[Snapshots]:
    """Yield what is known of the first loads, the chosen one at once and then one load after the other.

    A load is begun when the one before has a first answer, so that points appear in order. Every tenth of
    a second something is written, which is when Streamlit ends a run whose visitor has moved on; the
    followers are closed then, and the pool knows that nobody waits any more.
    """
    begun = drawn_at = time.monotonic()
    with ExitStack() as stack:
        followers: list[Follower] = []
        known: list[Snapshot | None] = []
        news = False
        while not _over(known, len(asked.requests)):
            if len(known) < len(asked.requests) and all(known):
                request = asked.requests[len(known)]
                patience = 0.1 / (len(known) + 1)
                followers.append(stack.enter_context(closing(pool().follow(request, patience))))
                known.append(next(followers[-1], None))
                news = news or known[-1] is not None
                if known[-1] is not None and len(known) < len(asked.requests):
                    continue  # known already: see what else is before anything is drawn
            else:
                news = _listen(followers, known) or news
            first = known[0]
            now = time.monotonic()
            if first is None:
                status.progress(0.0, f"Simulating … {now - begun:.0f} s")
            elif news and (drawn_at == begun or _over(known, len(asked.requests)) or now - drawn_at >= PACE):
                news, drawn_at = False, now
                yield [snapshot for snapshot in known if snapshot is not None]
            else:
                status.progress(*_progress(asked, known))


def _listen(followers: list[Follower], known: list[Snapshot | None]) -> bool:
    """Wait a moment for each load that gets better, letting others draw; tell whether there was news."""
    news = False
    for place, follower in enumerate(followers):
        before = known[place]
        if before is None or not before.final:
            with turns().lent():
                found = next(follower, None)
            if found is not None:
                known[place], news = found, True
    return news


def _over(known: list[Snapshot | None], most: int) -> bool:
    return len(known) == most and all(snapshot is not None and snapshot.final for snapshot in known)


def _progress(asked: Asked, known: list[Snapshot | None]) -> tuple[float, str]:
    """Return how much of all replications is done, and what is being simulated."""
    parts = [
        1.0 if one.final else 0.0 if one.preview else one.done / one.most for one in known if one is not None
    ]
    done = sum(part == 1.0 for part in parts)
    text = f"{counted(done, 'load')} of {len(asked.loads)} known precisely; "
    text += f"ρ₀ = {plain(asked.loads[min(len(known), len(asked.loads)) - 1])} was begun last."
    return sum(parts) / len(asked.loads), text


class Board:
    """Cards, charts and what to notice: drawn once, then each element is replaced in its place."""

    def __init__(self, cards: int, charts: int) -> None:
        self.cards = [Placeholders(column) for column in st.columns(cards, border=True)]
        self.charts = [Placeholders(column) for column in st.columns(2)]
        self.words = Placeholders(st.container())
        while len(self.charts) < charts:
            self.charts += [Placeholders(column) for column in st.columns(2)]
        self._drawn: set[bytes] = set()

    def draw(self, seen: Seen, stamp: object, snapshots: Snapshots, dark: bool, tail: bool) -> list[Drawing]:
        """Draw what is known; return its charts. What is the same for all visitors is made once."""
        for places, card in zip(self.cards, words.cards(seen), strict=True):
            places.metric(
                "number", card.label, card.value, card.remark, delta_color=card.color, delta_arrow="off"
            )
        drawings = shelf().get((stamp, "coding", dark, tail), partial(draw_all, seen, dark, tail))
        for places, drawing in zip(self.charts, drawings, strict=True):
            self._put(places, drawing, _rests_on(drawing, snapshots))
        notices = "\n".join(f"- {notice}" for notice in words.notices(seen))
        self.words.markdown("words", f"**What to notice**\n\n{notices}")
        return list(drawings)

    def _put(self, places: Placeholders, drawing: Drawing, told: str) -> None:
        """Put a chart on the page; one that is there stays: Streamlit takes no element twice in one run."""
        content = blake2b(orjson.dumps(drawing.figure.to_dict())).digest()
        if content not in self._drawn:
            self._drawn.add(content)
            places.plotly_chart("chart", drawing.figure, config=CHART, alt=drawing.alt, theme=None)
        places.caption("rests on", f"{drawing.remark} {told}")


def draw_all(seen: Seen, dark: bool, tail: bool) -> list[Drawing]:
    """Draw the four charts, and after the first two the two maps where a learned policy is asked for."""
    looked = seen.looked_at
    theory = f"Demand: tasks × task size. {words.about_theory(seen)}"
    marks = "× queue grows, △ off the scale, ring: best d tried, grey: queue grows at the chosen ρ₀."

    def drawing(
        title: str, make: Callable[[Seen, bool], go.Figure], alt: Callable[[Seen], str], remark: str
    ) -> Drawing:
        return drawn(title, make(seen, dark), alt(seen), remark)

    shade = f"Compared with no redundancy on the same jobs. {words.about_rule(seen)} Grey: ρ is 1 or more."
    maps = [
        drawing(STEP, step_chart, step_alt, words.about_step(seen)),
        drawing(
            f"{LEARNED_MAP} for ρ₀ = {plain(seen.chosen.load)}",
            learned_chart,
            learned_alt,
            words.about_learned(seen),
        ),
    ]
    return [
        drawing(
            "What redundancy does",
            response_chart,
            response_alt,
            f"{theory} {marks}",
        ),
        drawing("Which jobs, at what load?", rule_chart, rule_alt, shade),
        *(maps if seen.learned is not None else ()),
        drawn(
            f"Slowdown of jobs at ρ₀ = {plain(seen.chosen.load)}",
            distribution(looked, dark, measure="slowdown", tail=tail),
            distribution_alt(looked, measure="slowdown", tail=tail),
            "Time from arrival to end over task size b.",
        ),
        drawing("What it costs", cost_chart, cost_alt, "Dashed: E[Cost] of the theory, exact."),
    ]


def _rests_on(drawing: Drawing, snapshots: Snapshots) -> str:
    """Say what a chart rests on: one load, a network or every load."""
    if drawing.title.startswith(LEARNED_MAP):
        return ""
    return rests_on(snapshots[:1] if drawing.title.startswith("Slowdown") else snapshots)


def rests_on(snapshots: Snapshots) -> str:
    """Say what the numbers rest on: loads, replications, jobs, seed and interval."""
    scenario = snapshots[0].comparison.scenario
    least, most = (pick(snapshot.done for snapshot in snapshots) for pick in (min, max))
    replications = counted(most, "replication") if least == most else f"{least} to {most} replications"
    jobs = " a part of the jobs so far" if any(snapshot.preview for snapshot in snapshots) else (
        f"{scenario.jobs:,} jobs"
    )  # fmt: skip
    return (
        f"{counted(len(snapshots), 'offered load')}, {replications} of {jobs.strip()} each (the first "
        f"{percent(scenario.warm_up)} not counted), the same jobs for every d; seed {scenario.seed}, "
        "95 % intervals."
    )


def show(
    asked: Asked, dark: bool, tail: bool, status: DeltaGenerator
) -> tuple[Seen, Snapshots, list[Drawing]] | None:
    """Follow a question, draw every answer, and return the last one."""
    board = None
    last = None
    for snapshots in follow(asked, status):
        stamp = tuple((snap.done, snap.preview) for snap in snapshots), repr(asked)
        seen = shelf().get((stamp, "seen"), partial(see, asked, snapshots))
        board = board or Board(len(words.cards(seen)), 6 if asked.learned else 4)
        last = seen, snapshots, board.draw(seen, stamp, snapshots, dark, tail)
    if last is not None:
        status.caption(f":material/check: {rests_on(last[1])}")
    return last
