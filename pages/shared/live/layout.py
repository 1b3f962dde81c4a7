"""The answer, cards, charts and what to notice: drawn once, then replaced where they stand."""

from __future__ import annotations

import streamlit as st

from pages.shared.app.runs import Placeholders, answer_place, say
from pages.shared.app.turns import turns
from pages.shared.charts.on_page import CONFIG
from pages.shared.live.cards import Drawing, Screen, show_card
from pages.shared.words.foreign import noticed


class Layout:
    """The place of a `Screen` on the page; its first one says how many cards and charts there are.

    From above: the answer in a sentence, the cards side by side, two charts, what to notice, the other
    charts, two in a row. What a screen has none of is left out.

    Parameters
    ----------
    name : str, optional
        Of the layout, where a page has several among which charts move.
    """

    _answer: Placeholders
    _words: Placeholders

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._laid_out = False
        self._cards: list[Placeholders] = []
        self._charts: list[Placeholders] = []
        self._shown: dict[int, str] = {}
        self._sent: set[str] = set()

    def show(self, screen: Screen) -> None:
        """Draw a screen: numbers and charts, then, after sessions without an answer, the words."""
        if not self._laid_out:
            self._lay_out(screen)
        if screen.answer:
            say(self._answer, screen.answer)
        for places, card in zip(self._cards, screen.cards, strict=True):
            show_card(places, card)
        for place, drawing in enumerate(screen.drawings):
            self._put(place, drawing)
        turns().yield_to_waiting()
        for places, drawing in zip(self._charts, screen.drawings, strict=False):  # of an odd number
            if drawing.caption:
                places.caption("caption", drawing.caption)
        if screen.notices:
            self._words.markdown("notices", noticed(screen.notices))

    def _lay_out(self, screen: Screen) -> None:
        cards, charts = len(screen.cards), len(screen.drawings)
        self._laid_out = True
        if screen.answer:  # else the page has its answer elsewhere
            self._answer = answer_place()
        if cards:
            lines = any(card.what for card in screen.cards)
            around = st.container(key="lines") if lines else st.container()
            self._cards = [Placeholders(column) for column in around.columns(cards, border=True)]
        if charts:
            self._charts = [Placeholders(column) for column in st.columns(2)]
        self._words = Placeholders(st.container())
        while len(self._charts) < charts:
            self._charts += [Placeholders(column) for column in st.columns(2)]

    def _put(self, place: int, drawing: Drawing) -> None:
        """Put a chart on the page, unless it is there.

        The figure is JSON already, with the looks that Streamlit's theme would add: hence no theme.
        Streamlit refuses the same chart twice in one run: so its key names the layout and its place, too, and
        one that comes back has been sent before.
        """
        content = f"{self._name}{place} {drawing.figure.digest}"
        if self._shown.get(place) == content:
            return
        key = f"{content} {len(self._sent)}" if content in self._sent else content
        self._shown[place] = content
        self._sent |= {content, key}
        self._charts[place].plotly_chart(
            "chart", drawing.figure, config=CONFIG, alt=drawing.alt, key=key, theme=None
        )
