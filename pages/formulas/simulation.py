"""A simulation on a page of theory: a few policies on the same jobs, simulated while the page is read.

The page is drawn first, then the simulation follows in it and gets better as replications arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

import sim
from pages.shared.app.turns import Placeholders, body_and_foot, made_once, say, show_answer, turns
from pages.shared.charts.on_page import Headline, is_dark, show_headlines
from pages.shared.controls.control import Panel
from pages.shared.live.cards import Drawing, Layout, Screen, cards_of
from pages.shared.live.follow import follow
from pages.shared.words import tables
from pages.shared.words.lead import FLOWTIME, comparable_statistic, fastest, is_stable
from pages.shared.words.tables import charts_page, downloads, json_text
from sim.model.cached import cached_property
from sim.model.outcome import leading
from sim.model.policy import Policy
from sim.model.result import Comparison
from sim.model.scenario import Scenario
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.live import RunRequest, Snapshot
from sim.running.report import as_json
from sim.shell.experiment import shell_line
from sim.telling.words import measured

WAITING = "…"
#: How well a simulation is to be known; at the scale of the paper it is for the shell.
EFFORT, AT_SCALE = Effort(replications=12, precision=3), Effort(replications=3)


@dataclass(frozen=True)
class Simulation:
    """What is simulated on a page of theory, and how it is shown.

    Its functions take the comparison, by the names of the page, and `statistic`: what is led with.

    Parameters
    ----------
    policies : mapping of str to Policy
        What each policy is called on the page; the first is the baseline.
    scenario : Scenario
        What is simulated here.
    full : Scenario
        The same at the scale of the paper, for the shell.
    start : str
        Preset from which the shell lines start.
    about : str
        What is simulated, in words.
    remarks : callable
        What to notice.
    draw : callable
        Two charts; it also takes whether the theme is dark.
    card : str
        Label of the last card at the top of the page.
    headline : callable
        That card.
    answer : callable
        What the simulation answers, in a sentence.
    whose : str, optional
        Of which jobs the cards are, where a reader might think otherwise.
    median : str, optional
        Statistic that is led with where the laws ask for the median.
    """

    policies: Mapping[str, Policy]
    scenario: Scenario
    full: Scenario
    start: str
    about: str
    remarks: Callable[..., Sequence[str]]
    draw: Callable[..., list[Drawing]]
    card: str
    headline: Callable[..., Headline]
    answer: Callable[..., str]
    whose: str = ""
    median: str = "p50"

    @property
    def names(self) -> tuple[str, ...]:
        """What the policies are called, in the order of the experiment."""
        return tuple(self.policies)

    @cached_property
    def request(self) -> RunRequest:
        """What is asked of the shared workers."""
        return RunRequest(self.under(self.scenario), EFFORT)

    @property
    def by_law(self) -> str:
        """The statistic that is led with until the visitor chooses."""
        found = leading(self.scenario)
        return self.median if found == "p50" else found

    def under(self, scenario: Scenario) -> Experiment:
        """Return the policies compared under a scenario."""
        return Experiment(scenario, tuple(self.policies.values()))


@dataclass(frozen=True, slots=True)
class Top:
    """What stands above a simulation: the answer, whose first part theory gives, and a card."""

    theory: str
    answer: Placeholders
    card: Placeholders

    def show(self, simulated: str, headline: Headline) -> None:
        """Fill in what the simulation has found."""
        say(self.answer, f"{self.theory} Simulated: {simulated}")
        label, number, remark = headline
        self.card.metric("number", label, number)
        self.card.caption("remark", remark)


def cards_with_placeholder(theory: str, cards: Sequence[Headline], label: str) -> Top:
    """Draw the answer of theory and the headlines of a page, with a last card, which the simulation fills."""
    answer = show_answer(f"{theory} Simulated: {WAITING}")
    columns = show_headlines(cards, [1] * (len(cards) + 1))
    places = Placeholders(columns[-1].container(border=True, height="stretch"))
    places.metric("number", label, WAITING)
    places.caption("remark", "The simulation is below.")
    return Top(theory, answer, places)


#: The last snapshot, its comparison by the names of the page, and what was shown of it.
Last = tuple[Snapshot, Comparison, Screen]


def follow_all(simulation: Simulation, panel: Panel, top: Top) -> Last | None:
    """Follow the simulation, draw every answer, and return the last one."""
    st.header("And in a cluster?", anchor=False)
    st.caption(simulation.about)
    statistic = panel.draw("statistic", by_law=simulation.by_law)
    layout, last = Layout(), None
    body, foot = body_and_foot()
    for (snapshot,) in follow([simulation.request], foot):
        comparison = snapshot.comparison.called(simulation.names)
        shown = screen(simulation, snapshot, comparison, is_dark(), statistic)
        with body:
            layout.show(shown)
        top.show(
            simulation.answer(comparison, statistic=statistic),
            simulation.headline(comparison, statistic=statistic),
        )
        last = snapshot, comparison, shown
    turns().yield_to_waiting()
    return last


def screen(
    simulation: Simulation, snapshot: Snapshot, comparison: Comparison, dark: bool, statistic: str
) -> Screen:
    """Return what is shown of a snapshot; cards and charts are made once for all visitors."""
    cards, drawings = made_once(
        (*_key(simulation, snapshot), snapshot.preview, dark, statistic),
        lambda: (
            cards_of(comparison, statistic, simulation.whose),
            simulation.draw(comparison, dark, statistic=statistic),
        ),
    )
    return Screen(cards, drawings, simulation.remarks(comparison, statistic=statistic))


def _key(simulation: Simulation, snapshot: Snapshot) -> tuple[object, ...]:
    """Return what the numbers of a snapshot depend on, as the page calls them."""
    return simulation.start, simulation.request.key, simulation.names, snapshot.done


#: Label of the fastest policy, by statistic.
FASTEST = {
    "mean": "Fastest, simulated",
    "p50": "Fastest for half of the jobs",
    "p95": "Fastest for 95 % of the jobs",
}


def leader(comparison: Comparison, statistic: str) -> Headline:
    """Return the headline: the fastest of the policies that are surely faster than the baseline."""
    winner, known = fastest(comparison, statistic), comparable_statistic(comparison, statistic)
    label = FASTEST[known or statistic]
    if known is None:
        return label, "—", "Too many jobs are unfinished to compare medians."
    unit, kind = comparison.scenario.time_unit, FLOWTIME[known]
    base = comparison.policies[comparison.baseline].estimate("flowtime", known)
    if not is_stable(comparison, comparison.baseline):
        return label, "—", f"under {comparison.baseline} the queue grows: no gain over it is stated"
    if winner is None:
        told = "first answer" if comparison.replications == 1 else "no policy is surely faster"
        return label, comparison.baseline, f"{told}; {kind} {measured(base, unit)}"
    own = comparison.policies[winner].estimate("flowtime", known)
    return label, winner, f"{kind} {measured(own, unit)}; {comparison.baseline} {measured(base)}"


def show_files(
    simulation: Simulation,
    page: str,
    theory: Mapping[str, object],
    snapshot: Snapshot,
    comparison: Comparison,
    shown: Screen,
) -> None:
    """Offer all numbers of a page and of what is simulated on it, as files and as shell lines."""
    numbers = made_once(
        (*_key(simulation, snapshot), "table"), lambda: tables.as_arrow(tables.by_policy(comparison))
    )
    st.dataframe(numbers, hide_index=True, column_config=tables.helps(numbers))
    request = simulation.request
    line = shell_line(simulation.start, request.experiment, request.effort)
    full = shell_line(simulation.start, simulation.under(simulation.full), AT_SCALE)

    def everything() -> str:
        return json_text({"theory": dict(theory)} | as_json(snapshot.comparison, sim.__version__, line))

    downloads(
        ("Numbers (CSV)", f"{page}.csv", lambda: tables.csv(comparison)),
        ("Everything (JSON)", f"{page}.json", everything),
        ("Charts (HTML)", f"{page}.html", lambda: charts_page(shown.figures)),
    )
    st.caption("Shell lines: the same run, then the paper’s scale.")
    for one in (line, full):
        st.code(one, language="bash", wrap_lines=True)
