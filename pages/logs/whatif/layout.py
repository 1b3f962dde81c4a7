"""The layout of the What-if page: the answer, lines to paste, the check, the options."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.animation.show import element
from pages.frame.menu import link
from pages.logs.controls import ADVICE, draw_log, groups_of
from pages.logs.question import before
from pages.logs.whatif import charts, words
from pages.logs.whatif import charts as whatif_charts
from pages.logs.whatif import words as whatif_words
from pages.logs.whatif.charts import FRONT, RECORDED, REMEDIES
from pages.logs.whatif.controls import PAGE, PANEL, draw_sidebar, offered
from pages.logs.whatif.question import Request, ask, filmed, follow, read_and_model
from pages.logs.whatif.words import ANCHOR, Section, called, cards, sentence, show_parts
from pages.logs.whatif.words.notices import notices
from pages.logs.words import numbers, show_source
from pages.shared.app.turns import Placeholders, body_and_foot, made_once
from pages.shared.charts.on_page import is_dark, show_figure
from pages.shared.controls.control import drawer
from pages.shared.controls.links import remember
from pages.shared.live.cards import Drawing, Layout, Screen
from pages.shared.words.foreign import literal, show_warning
from pages.shared.words.tables import Latex, charts_page, downloads, json_text, show_formulas
from sim.advice.whatif import certificate
from sim.advice.whatif.charts.front import Front
from sim.advice.whatif.check import POOR
from sim.advice.whatif.document import LUCK, applied, as_html, checks, copying
from sim.advice.whatif.model import FEWEST
from sim.advice.whatif.price import ASSUMED, GIVEN
from sim.advice.whatif.report import LOG, as_json, times_told
from sim.advice.whatif.steps import Step
from sim.logs.leaving_out import KEPT
from sim.logs.tabled import as_csv
from sim.model.fields import BadInput
from sim.telling.document import Said, typeset
from sim.telling.words import clipped

# How the numbers of the What-if page are computed, and what they assume.

FORMULAS = (
    "**Model.** A copy of a task lasts",
    Latex(r"\text{work of the task} \times \text{factor of the machine} \times \text{luck},"),
    "work stays with the task, the factor with the machine; luck is drawn anew for every copy from the "
    "law that the history shows: Kaplan and Meier’s estimate, killed copies censored, with a Pareto "
    f"tail that ends at twice the largest value seen. It takes {FEWEST} finished copies in stages of ten "
    "tasks or more. Submissions, dependencies of stages and slots over time are those "
    "recorded. Failures are left out.",
    "**Check.** The jobs are played again under the setting that the log names. Good: 80 to 98 % of the "
    "recorded job times inside the 90 % band; mean job time and makespan, recorded over model, from 0.9 "
    "to 1.1, median and p95 so or inside the 90 % band; second copies inside the 95 % band; no trend in "
    "the ranks of stage times at 1 %. Poor: below 60 %; outside 0.75 to 1.33 (0.6 to 1.67 for median and "
    "p95); outside the 99.9 % band; mean rank below 25 or above 75. Where one check is poor nothing is "
    "recommended.",
    "**Settings.** Each plays the same jobs with the same luck as today’s, so a change is the mean of paired "
    "differences over today’s mean. In each replication the law of luck and the lengths of stages are also "
    "drawn, from what the history leaves open; the 95 % interval holds both. The recommended setting has the "
    "least job time, within the budget of slot-time, on replications of its own; it is judged on others, so "
    "that the best of many is not flattered by its luck, and recommended only where its interval is below 0.",
    "**Remedies.** Each is played under today’s setting with today’s luck. At most: every task has the "
    "luck of the median; no machine is slower than another; all tasks of a stage have equal work; no "
    "slot is cold. What is reached: the best setting of copies; the hosts that are surely 10 % slower, "
    "else the slowest, gone with their slots, or replaced; tasks that read more than twice the median "
    "of their stage cut into pieces of about the median, whose work is a power of what they read; slots "
    "that are warm from the start. Recommended is what surely pays, as of settings.",
    "**Money.** A slot-hour costs what was given, or its part of an executor: a price per executor-hour, "
    "or cores × price per vCPU-hour + GB × price per GB-hour, over its slots. Cores are those that "
    "executors brought; memory is the heap and what is billed beside it. A month is 730 hours at the "
    f"rate of the log. {ASSUMED}",
    "**Times.** Recorded is what the log has. Today’s times in the model are those of the check, and the "
    "times of another setting are today’s with its change; so one number stands for today everywhere. At "
    "another rate or on other slots today’s jobs were never recorded, and their times differ.",
)


# Details below: the checks one by one, files, the shell line, how it is worked out.


def show_details(asked: Request, shown: Step, screen: Screen, dark: bool) -> None:
    """Draw everything that is not needed at first sight."""
    show_film(asked, shown, dark)
    of_luck = ("Luck (CSV)", "luck.csv", lambda: as_csv(words.luck(shown)))
    charts = ("Charts (HTML)", "charts.html", lambda: charts_page(screen.figures))
    if shown.answer.options:
        downloads(
            ("Report (HTML)", "whatif.html", lambda: as_html(shown.answer)),
            ("Settings (CSV)", "whatif.csv", lambda: as_csv(words.options(asked, shown, whole=True))),
            ("Everything (JSON)", "whatif.json", lambda: json_text(as_json(shown.answer))),
            of_luck,
            charts,
        )
    else:
        downloads(of_luck, charts)
    st.caption("The same in the shell, with your own files:")
    st.code(shell_line(asked), language="bash", wrap_lines=True)
    if box := drawer(PAGE, "checks", "The checks, one by one", ":material/rule:"):
        with box:
            show_parts([checks(shown.check), Said(certificate.told())])
    if shown.check.residuals and (box := drawer(PAGE, "luck", LUCK, ":material/scatter_plot:")):
        with box:
            show_luck(shown, dark)
    show_formulas(PAGE, FORMULAS, "How the numbers are made")


def show_film(asked: Request, shown: Step, dark: bool) -> None:
    """Show the worst stage: as the log has it, above the same tasks with what is to be switched on."""
    st.header(words.HEAD, anchor=words.FILM)
    picture, status = st.container(), Placeholders(st.container())
    policy = words.filmed(shown.answer)
    try:
        found = filmed(asked, policy, status)
    except BadInput as error:
        status.caption("line", literal(str(error)))
        return
    runs = {words.RECORDED: found.recorded.animation}
    if found.played is not None and policy is not None:
        runs[called(policy, asked.system)] = found.played.animation
    key = ("film", *asked.key, str(policy), asked.named, dark)
    picture.html(made_once(key, lambda: element(runs, found.unit.sign, dark)))
    status.caption("line", words.about(asked, policy, found), width="stretch")


def show_luck(shown: Step, dark: bool) -> None:
    """Draw luck against each thing that it should not depend on, two small charts in a row."""
    st.markdown(
        "Luck is how much longer a copy took than its work and its machine explain; 1 is usual. The model "
        "draws it anew for every copy, alike for all, so no group of copies may have more of it than others."
    )
    order = sorted(
        shown.check.residuals, key=lambda one: (not one.clear, -one.share)
    )  # what it goes along with
    drawings = [
        Drawing.of(
            whatif_charts.title_luck(one),
            whatif_charts.draw_luck(one, dark),
            whatif_charts.alt_luck(one),
            whatif_charts.about_luck(one),
        )
        for one in order
    ]
    for first in range(0, len(drawings), 2):
        for column, drawing in zip(st.columns(2), drawings[first : first + 2], strict=False):
            show_figure(f"luck {drawing.figure.digest}", drawing.figure, drawing.alt, column)
            column.caption(drawing.caption)


def shell_line(asked: Request) -> str:
    """Return the line that answers the same question.

    Options that are at their defaults are left out.
    """
    question, inquiry, aim = asked.question, asked.inquiry, asked.aim
    prices = {option.replace("_", "-"): getattr(aim.price, name) for name, option in GIVEN.items()}
    options = (
        ("leave-out", shlex.quote(asked.leave_out), bool(asked.leave_out)),
        ("left-out", asked.left_out, asked.left_out != KEPT),
        ("rate", f"{question.rate:g}", question.rate != 1),
        ("slots", question.slots, bool(question.slots)),
        ("system", asked.named, bool(asked.named)),
        ("papers", "", asked.papers),
        ("budget", f"{100 * aim.budget:g}%", aim.budget != 0.05),
        *((name, f"{price:g}", price > 0) for name, price in prices.items()),
        ("objective", aim.objective, aim.objective != "mean"),
        ("replications", inquiry.replications, inquiry.replications != 100),
        ("seed", question.seed, question.seed != 1),
    )
    told = [f"--{name} {value}".rstrip() for name, value, is_another in options if is_another]
    return " ".join(["python -m sim whatif FILE...", *told, "--json -"])


#: Charts that stand above the lines to paste.
FIRST = 2
#: Characters of the name of jobs on a button.
NAME = 20
#: Pixels of the columns whose text is long.
WIDTHS = {"standing": 110, "setting": 265} | dict.fromkeys(whatif_words.CHANGE_COLUMNS.values(), 165)


def show(values: dict[str, Any]) -> None:
    """Show what would help the log that is looked at; raises `BadInput`."""
    log, own = draw_log(PAGE, values)
    earlier = before(log, own) if log in own else []
    reading = read_and_model(log, earlier, values["leave_out"], values["left_out"])
    with st.sidebar:
        values |= draw_sidebar(values, groups_of(reading.history))
    PANEL.write(values)
    if reading.model is None:
        show_source(log, reading)
        show_warning(f"Nothing can be played again. {reading.reason}")
        if reading.first:
            st.markdown(f"{LOG} **{literal(reading.first)}**")
        link("diagnose", "What this history can tell: Diagnose")
        return
    asked, layout, dark = ask(log, reading, values), PageLayout(), is_dark()
    body, foot = body_and_foot()
    show_source(log, reading)
    drawn: tuple[Step, Screen] | None = None
    for shown in follow(asked, foot):
        with body:
            drawn = shown, layout.show(asked, shown, dark)
    if drawn is not None:
        if drawn[0].final:
            st.session_state[ADVICE] = log.key, drawn[1].answer
        show_details(asked, *drawn, dark)


class PageLayout:
    """The places of the page, from above."""

    def __init__(self) -> None:
        self._top, self._below = Layout("top"), Layout("below")
        self._paste: Section | None = None
        self._offers: DeltaGenerator
        self._how: Section
        self._table: Placeholders

    def show(self, asked: Request, shown: Step, dark: bool) -> Screen:
        """Draw a snapshot; return what has been drawn."""
        screen = screen_of(asked, shown, dark)
        self._top.show(replace(screen, drawings=screen.drawings[:FIRST], notices=()))
        if self._paste is None:
            self._offers = st.empty()
            self._how, self._paste, self._table = Section(), Section(), Placeholders(st.container())
        self._show_offers(shown)
        self._show_remedy(shown)
        self._show_settings(shown)
        self._show_options(asked, shown)
        self._below.show(Screen((), screen.drawings[FIRST:], screen.notices))
        return screen

    def _show_offers(self, shown: Step) -> None:
        """Offer to leave out jobs without which the model is not poor, each with what is advised then."""
        if not shown.final or not (offers := [one for one in shown.answer.without if offered(one)]):
            return
        with self._offers.container():
            st.header("Which jobs to leave out", anchor=False)
            for one in offers:
                words, button = st.columns([4, 1], vertical_alignment="center")
                words.markdown(literal(typeset(one.told)))
                what = (PAGE, "leave_out", one.leave_out)
                label = f"Leave out {clipped(one.leave_out, NAME)}"
                button.button(literal(label), on_click=remember, args=what, width="stretch")

    def _show_remedy(self, shown: Step) -> None:
        """Show how the remedy that comes first is applied, where it is no setting of copies."""
        remedies = shown.answer.remedies
        if remedies is not None and (first := remedies.other) is not None:
            self._how.show(first.remedy.title, applied(first), anchor=words.REMEDIES)

    def _show_settings(self, shown: Step) -> None:
        """Show whether tasks may run twice, and the lines to paste."""
        assert self._paste is not None
        answer, advice = shown.answer, shown.answer.advice
        if advice is None or answer.system is None or not advice.settings:
            return
        same = advice.policy == answer.today
        head = "Setting to try for an hour" if advice.trial else "Recommended setting"
        head = "Today’s setting, as it would be written" if same else head
        head = "Only where tasks may run twice" if answer.risky and not same else head
        self._paste.show(head, copying(answer, advice), anchor=ANCHOR)

    def _show_options(self, asked: Request, shown: Step) -> None:
        table = whatif_words.options(asked, shown)
        if table.empty or shown.check.verdict == POOR:
            return
        self._table.header("head", "What each setting would change", anchor=False)
        wide = numbers(table, 1)
        wide |= {
            name: st.column_config.TextColumn(width=size) for name, size in WIDTHS.items() if name in table
        }
        self._table.dataframe(
            "table", table, hide_index=True, column_config=wide, placeholder="–", alt="Settings compared"
        )
        self._table.caption("times", literal(typeset(times_told(shown.answer))))


def screen_of(asked: Request, shown: Step, dark: bool) -> Screen:
    """Return what is shown of a snapshot."""
    return Screen(cards(shown), drawings(asked, shown, dark), notices(asked, shown), sentence(asked, shown))


def drawings(asked: Request, shown: Step, dark: bool) -> list[Drawing]:
    """Draw the check and the options."""
    edge, pictures, items = front_of(asked, shown), shown.pictures, shown.check.items
    known = shown.answer.remedies
    jobs = [Drawing.made(RECORDED, pictures, dark)] if pictures.recorded.size else []
    if shown.check.verdict == POOR:  # no setting and no remedy is compared
        found = jobs
    else:
        remedies = Drawing.made(REMEDIES, known, dark)
        first, *others = [remedies, *jobs] if known else [*jobs, remedies]
        found = [first, Drawing.made(FRONT, edge, dark), *others]
    if charts.compared(items, pictures):
        found.append(Drawing.made(charts.RATIOS, (items, pictures), dark))
    if pictures.ranks.size:
        found.append(Drawing.made(charts.RANKS, pictures, dark))
    return found


def front_of(asked: Request, shown: Step) -> Front:
    """Return what the chart of the options shows."""
    answer = shown.answer
    names = {text: called(option.policy, asked.system) for text, option in answer.options.items()}
    advised = answer.advice.policy if answer.advice else ""
    return Front(
        {names[text]: option for text, option in answer.options.items()},
        names.get(answer.today, ""),
        "" if advised == answer.today else names.get(advised, ""),
        answer.standing(advised),
        asked.aim.objective,
        asked.aim.budget,
    )
