"""The layout of the What-if page: the answer, lines to paste, the check, the options."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.frame.tabs import link
from pages.logs.controls import ADVICE, draw_log
from pages.logs.leaving_out import groups_of
from pages.logs.question import before
from pages.logs.whatif.answer import follow
from pages.logs.whatif.charts import ranks, ratios
from pages.logs.whatif.charts.reported import FRONT, RECORDED, REMEDIES
from pages.logs.whatif.controls import PAGE, PANEL, draw_sidebar, offered
from pages.logs.whatif.details import show_details
from pages.logs.whatif.question import Request, ask, read_and_model
from pages.logs.whatif.words import remedies as words
from pages.logs.whatif.words import tables
from pages.logs.whatif.words.cards import cards
from pages.logs.whatif.words.notices import notices
from pages.logs.whatif.words.parts import Section
from pages.logs.whatif.words.sentence import ANCHOR, sentence
from pages.logs.whatif.words.settings import called
from pages.logs.words import numbers, show_source
from pages.shared.app.placeholders import Placeholders, body_and_foot
from pages.shared.charts.on_page import is_dark
from pages.shared.controls.links import remember
from pages.shared.live.drawing import Drawing, Screen
from pages.shared.live.layout import Layout
from pages.shared.words.foreign import literal, show_warning
from sim.advice.whatif.charts.front import Front
from sim.advice.whatif.check import POOR
from sim.advice.whatif.document import applied, copying
from sim.advice.whatif.report import LOG, times_told
from sim.advice.whatif.steps import Step
from sim.telling.document import typeset
from sim.telling.words import clipped

#: Charts that stand above the lines to paste.
FIRST = 2
#: Characters of the name of jobs on a button.
NAME = 20
#: Pixels of the columns whose text is long.
WIDTHS = {"standing": 110, "setting": 265} | dict.fromkeys(tables.CHANGES.values(), 165)


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
            self._how.show(first.remedy.title, applied(first), anchor=words.ANCHOR)

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
        """Show the table of options."""
        table = tables.options(asked, shown)
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
    if ratios.compared(items, pictures):
        found.append(Drawing.by(ratios, (items, pictures), dark))
    if pictures.ranks.size:
        found.append(Drawing.by(ranks, pictures, dark))
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
