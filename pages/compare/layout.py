"""The layout of the Compare page: cards, charts and remarks, redrawn as the answer gets better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial

import pandas as pd
import streamlit as st

import sim
from pages.animation.show import show_animation
from pages.compare.charts import (
    HEIGHT,
    WIDE,
    Threshold,
    gantt,
    gantt_alt,
    threshold_alt,
    threshold_plot,
    timeline,
    usage,
    usage_alt,
    usage_remark,
    window,
    window_note,
)
from pages.compare.controls import CURVE, CURVES, PANEL
from pages.compare.words import answer
from pages.shared.app.turns import Placeholders, made_once
from pages.shared.charts.on_page import Chart, is_dark
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.controls.control import STATISTICS, chosen, drawer
from pages.shared.live.cards import Drawing, Layout, Screen, flowtimes, lines_of, resources
from pages.shared.live.follow import follow
from pages.shared.words import tables
from pages.shared.words.notice import what_to_notice
from pages.shared.words.tables import charts_page, downloads, json_text
from sim.engines.registry import Preset
from sim.engines.slots.scenario import SlotPolicy, SlotScenario, sharing_rules, speculation_rules
from sim.model.outcome import leading
from sim.model.result import Comparison
from sim.model.rule import RAWY, Formula
from sim.running.animation import MOST_SLOTS
from sim.running.live import RunRequest, Snapshot
from sim.running.report import as_json, scenario_as_dict
from sim.shell.experiment import shell_line
from sim.telling.words import plain

# The formulas behind a comparison: those of its measures, its threshold and its policies.
#
# LaTeX for the screen, one sentence that says it in words, and where it is from. The formulas of a rule
# stand beside the rule. Nothing here is computed; the numbers come from `theory/` and `sim/`.


def formulas(comparison: Comparison) -> list[Formula]:
    """Return the formulas that this comparison rests on, each once."""
    scenario = comparison.scenario
    assert isinstance(scenario, SlotScenario)
    found = [*DEFINITIONS, *_threshold(comparison)]
    observed = scenario.observation.kind
    for policy in (one.policy for one in comparison.policies.values()):
        assert isinstance(policy, SlotPolicy)
        of_sharing = sharing_rules()[policy.sharing.key].written_out(policy.sharing.as_dict, observed)
        of_copies = speculation_rules()[policy.speculation.key].written_out(
            policy.speculation.as_dict, observed
        )
        found += [one for one in (*of_sharing, *of_copies) if one not in found]
    return [*found, *(INTERVALS if comparison.replications > 1 else ())]


def grouped(found: Iterable[Formula]) -> dict[Formula, list[str]]:
    """Return each formula once, with its LaTeX for every choice of parameters among the policies.

    Examples
    --------
    >>> one, other = (Formula("ESE", f"x > {sigma}", "Copies.") for sigma in (1, 3))
    >>> list(grouped([one, other]).values())
    [['x > 1', 'x > 3']]
    """
    told: dict[Formula, list[str]] = {}
    for formula in found:
        told.setdefault(replace(formula, latex=""), []).append(formula.latex)
    return told


DEFINITIONS = (
    Formula(
        "Flowtime, slowdown, slot-time",
        r"F_j = \text{finish}_j - \text{arrival}_j, \qquad "
        r"\text{slowdown}_j = \frac{F_j}{F_j^{\text{alone}}}, \qquad "
        r"R_j = \sum_{\text{copies } c \text{ of } j} (\text{end}_c - \text{start}_c)",
        "Flowtime is what a job's owner waits; slowdown divides it by the flowtime on an idle, healthy "
        "cluster; slot-time adds up how long all copies of the job hold slots, cancelled ones included.",
    ),
    Formula(
        "Offered load",
        r"\rho_0 = \frac{\lambda \, E[\text{tasks}] \, E[\text{duration of a copy}]}{S}",
        "The share of the slots that would be busy if every task ran exactly once.",
    ),
)

INTERVALS = (
    Formula(
        "95 % interval",
        r"\bar x \pm t_{n-1,\,0.975} \, \frac{s}{\sqrt n}",
        "Student's interval over the $n$ replications; for a difference of two policies $x$ is the "
        "difference in each replication, where both met the same jobs and the same luck.",
    ),
)


def _threshold(comparison: Comparison) -> Iterator[Formula]:
    """Yield the threshold and the service rate, as far as the law of the straggle factor has them."""
    tail = comparison.scenario.straggle_law.tail
    if tail == float("inf"):
        yield Formula(
            "Threshold",
            r"\theta = \max(1, 2/\beta) = 1 \quad (\beta \to \infty)",
            "The slots per remaining task from which another slot is worth less. These straggle factors have "
            "no power-law tail, so it is taken as if the tail index β were infinite: one slot per task.",
            RAWY + ", equation (2)",
        )
        return
    yield Formula(
        "Threshold",
        r"\theta = \max(1, 2/\beta), \qquad V = \theta T \qquad (\beta = " + plain(tail) + ")",
        "The slots per remaining task from which another slot is worth less; $V$ is the virtual size of a "
        "job with $T$ tasks left. The paper prints $2/\\beta$, less than one copy of each task beyond "
        "$\\beta = 2$.",
        RAWY + ", equations (2) and (4)",
    )
    yield Formula(
        "Service rate",
        r"\mu(S) = \begin{cases} \kappa S & S \le \theta T \\[2pt] \dfrac{\beta}{\beta - 1} T - "
        r"\dfrac{1}{\beta - 1} \dfrac{T^2}{S} & S > \theta T \end{cases} \qquad \kappa = "
        + (r"\frac{\beta^2}{4(\beta - 1)}" if tail <= 2 else "1"),
        "The work a job with $S$ slots gets done per mean copy time at its best number of copies: each slot "
        "is worth the same up to $\\theta T$, and less and less beyond.",
        RAWY + ", equation (3)",
    )


# Details below the charts: which copy ran where, tables, files, the scenario and formulas.

#: Policies that are watched at the same time.
SCREENS = 2


def show_cluster(request: RunRequest) -> None:
    """Draw two of the policies at work on a cluster that is small enough to be watched."""
    experiment = request.experiment
    if experiment.scenario.slots > MOST_SLOTS:
        return
    st.header("Watch the cluster", anchor=False)
    seen = dict(zip(experiment.names, experiment.policies, strict=True))
    if len(seen) > SCREENS:
        columns = st.columns(SCREENS)
        chosen = [
            column.selectbox(label, list(seen), index=place, key=f"compare:{label}")
            for place, (column, label) in enumerate(zip(columns, ("Above", "Below"), strict=True))
        ]
        seen = {name: seen[name] for name in chosen}
    show_animation(replace(experiment, policies=tuple(seen.values()), baseline=0), st.container())


def show_slots(request: RunRequest, snapshot: Snapshot) -> None:
    """Draw the copies of the first replication under a policy that is chosen."""
    comparison = snapshot.comparison.in_words()
    samples = {
        name: result.samples[0] for name, result in comparison.policies.items() if result.samples[0].log.size
    }
    if not samples:
        return
    st.header("Which copy ran where", anchor=False)
    policy = st.segmented_control(
        "Policy", list(samples), default=next(iter(samples)), required=True, key="compare:policy"
    )
    line = made_once(
        (request.key, policy, "copies"),
        lambda: timeline(policy, samples[policy], comparison.scenario, request.experiment.workload(0)),
    )
    seen = window(line)
    end = round(seen.end, 2)
    label, step = f"Time ({comparison.scenario.time_unit})", round(max(end / 100, 0.01), 2)
    at = st.slider(
        label,
        0.0,
        end,
        end,
        step,
        key="compare:at",
        help="Step back to see what was known at that time. Arrow keys move it one step.",
    )
    dark = is_dark()
    moment = None if at >= end else at
    figure = made_once((request.key, policy, dark, moment, "gantt"), lambda: gantt(line, dark, at=moment))
    st.plotly_chart(figure, key="compare:copies", alt=gantt_alt(line, at=moment))
    st.caption(window_note(line))


def show_details(
    request: RunRequest,
    snapshot: Snapshot,
    preset: str,
    leading: str,
    figures: Mapping[str, SerializedFigure],
) -> None:
    """Draw everything that is not needed at first sight."""
    comparison = snapshot.comparison
    named = comparison.in_words()
    key = ("table", request.key, snapshot.done)  # no number of these tables depends on the baseline
    st.header("All numbers", anchor=False)
    numbers = made_once((*key, "policies"), lambda: tables.as_arrow(tables.by_policy(named)))
    st.dataframe(numbers, hide_index=True, column_config=tables.helps(numbers))
    statistic = st.segmented_control(
        "Flowtime by size of job",
        list(STATISTICS),
        default=leading,
        required=True,
        key=f"compare:statistic:{leading}",
        format_func=STATISTICS.__getitem__,
        help="A policy that helps the mean may hurt the large jobs.",
    )
    sizes = made_once((*key, statistic), lambda: tables.as_arrow(tables.by_class(named, statistic)))
    st.dataframe(sizes, hide_index=True)
    line = shell_line(preset, request.experiment, request.effort)

    def everything() -> str:
        return json_text(as_json(comparison, sim.__version__, line))

    downloads(
        ("Numbers (CSV)", "comparison.csv", lambda: tables.csv(comparison)),
        ("Everything (JSON)", "comparison.json", everything),
        ("Charts (HTML)", "charts.html", lambda: charts_page(figures)),
    )
    if box := drawer(
        "compare", "scenario", "The exact scenario, and the shell line that repeats it", ":material/terminal:"
    ):
        box.code(line, language="bash", wrap_lines=True)
        fields = scenario_as_dict(comparison.scenario)
        box.dataframe(pd.DataFrame({"value": {name: str(value) for name, value in fields.items()}}))
    if box := drawer("compare", "formulas", "Formulas", ":material/function:"):
        for told, variants in grouped(formulas(comparison)).items():
            box.markdown(f"**{told.name}.** {told.sentence}")
            for latex in variants:
                box.latex(latex)
            if told.source:
                box.caption(told.source)


USAGE = Chart("Slots in use over time (%)", usage, usage_alt, usage_remark)
WORTH = Chart(
    "Is another slot worth it?",
    threshold_plot,
    threshold_alt,
    lambda comparison: f"{Threshold.of(comparison.scenario).remark} {usage_remark(comparison)}".rstrip(),
)
#: Charts in a row.
ROW = 3


class OneScreen(Layout):
    """All that answers the question on one screen: the answer, a line for each policy, three charts in a row.

    Its places are there before there is anything to put into them. Below are the fourth chart and, beside it,
    what to notice.

    Attributes
    ----------
    looks : DeltaGenerator
        The place of the controls that say what is shown of the answer, beside the policies.
    """

    def __init__(self) -> None:
        super().__init__()
        self._answer = Placeholders(st.container(key="reserved").container(key="answer"))
        row = st.container(key="legend")
        self._lines, self.looks = row.container(key="policies"), row.container(key="looks", horizontal=True)
        self._row, self._below = st.container(key="abreast"), st.container(key="beneath")

    def _lay_out(self, screen: Screen) -> None:
        self._laid_out = True
        self._cards = [Placeholders(self._lines) for _ in screen.cards]  # of one element each
        left, right = self._below.columns(2)
        self._charts = [*map(Placeholders, self._row.columns(ROW)), Placeholders(left)]
        self._words = Placeholders(right)


def show(request: RunRequest, start: Preset, wanted: str, sidebar: Callable[[], None]) -> None:
    """Follow a request and draw every answer, then the details; draw the sidebar once, when there is time.

    Answers lead with the statistic `wanted`, or with what the laws let be known. There is time for the
    sidebar when the first answer has been drawn, or while it is waited for, if it does not come soon.
    """
    tail = st.session_state.get(CURVE, CURVES[0]) == CURVES[1]
    by_law = leading(request.experiment.scenario)
    statistic = chosen(wanted, by_law)
    asks = () if request.experiment.trace else start.asks
    layout, status, snapshot, shown = OneScreen(), Placeholders(st.container()), None, None

    @cache  # drawn once, at the first call
    def controls() -> None:
        with layout.looks:
            PANEL.draw("statistic", by_law=by_law, label_visibility="collapsed")
            st.selectbox(
                "Distributions as",
                CURVES,
                key=CURVE,
                label_visibility="collapsed",
            )
        sidebar()

    try:
        for (snapshot,) in follow([request], status, meanwhile=controls):
            shown = screen(request, snapshot, is_dark(), tail, statistic, asks)
            layout.show(shown)
            controls()
    except Exception:
        controls()  # they stay, whatever went wrong
        raise
    if snapshot is not None and shown is not None:
        show_cluster(request)
        show_slots(request, snapshot)
        show_details(request, snapshot, start.name, statistic, shown.figures)


def screen(
    request: RunRequest,
    snapshot: Snapshot,
    dark: bool,
    tail: bool,
    statistic: str,
    asks: tuple[str, ...] = (),
) -> Screen:
    """Return what is shown of a snapshot, made once for all visitors."""
    baseline = snapshot.comparison.baseline
    key = ("compare", request.key, baseline, snapshot.done, snapshot.preview, dark, tail, statistic, asks)
    return made_once(key, partial(_screen, snapshot, dark, tail, statistic, asks))


def _screen(snapshot: Snapshot, dark: bool, tail: bool, statistic: str, asks: tuple[str, ...]) -> Screen:
    comparison = snapshot.comparison.in_words()
    told = answer(comparison, statistic, asks)
    charts = drawings(comparison, dark, tail)
    return Screen(lines_of(comparison, statistic), charts, what_to_notice(comparison, statistic, told), told)


def drawings(comparison: Comparison, dark: bool, tail: bool) -> list[Drawing]:
    """Draw the row of three charts of a comparison, and the one below it."""
    return [
        flowtimes(comparison, dark, tail=tail, height=HEIGHT, wide=WIDE),
        Drawing.made(USAGE, comparison, dark),
        Drawing.made(WORTH, comparison, dark),
        resources(comparison, dark, tail=tail),
    ]
