"""Details below: the checks one by one, files, the shell line, how it is worked out."""

from __future__ import annotations

import shlex

import streamlit as st

from pages.animation.element import element
from pages.logs.whatif.answer import filmed
from pages.logs.whatif.charts import luck
from pages.logs.whatif.controls import PAGE
from pages.logs.whatif.formulas import FORMULAS
from pages.logs.whatif.question import Request
from pages.logs.whatif.words import film as words
from pages.logs.whatif.words import tables
from pages.logs.whatif.words.parts import show_parts
from pages.logs.whatif.words.settings import called
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import made_once
from pages.shared.charts.on_page import show_figure
from pages.shared.controls.panel import drawer
from pages.shared.live.drawing import Drawing, Screen
from pages.shared.words.downloads import charts_page, downloads, json_text
from pages.shared.words.foreign import literal
from pages.shared.words.formulas import show_formulas
from sim.advice.whatif.document import LUCK, as_html, checks
from sim.advice.whatif.price import GIVEN
from sim.advice.whatif.report import as_json
from sim.advice.whatif.steps import Step
from sim.logs.leaving_out import KEPT
from sim.logs.tabled import as_csv
from sim.model.fields import BadInput


def show_details(asked: Request, shown: Step, screen: Screen, dark: bool) -> None:
    """Draw everything that is not needed at first sight."""
    show_film(asked, shown, dark)
    of_luck = ("Luck (CSV)", "luck.csv", lambda: as_csv(tables.luck(shown)))
    charts = ("Charts (HTML)", "charts.html", lambda: charts_page(screen.figures))
    if shown.answer.options:
        downloads(
            ("Report (HTML)", "whatif.html", lambda: as_html(shown.answer)),
            ("Settings (CSV)", "whatif.csv", lambda: as_csv(tables.options(asked, shown, whole=True))),
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
            show_parts([checks(shown.check)])
    if shown.check.residuals and (box := drawer(PAGE, "luck", LUCK, ":material/scatter_plot:")):
        with box:
            show_luck(shown, dark)
    show_formulas(PAGE, FORMULAS, "How the numbers are made")


def show_film(asked: Request, shown: Step, dark: bool) -> None:
    """Show the worst stage: as the log has it, above the same tasks with what is to be switched on."""
    st.header(words.HEAD, anchor=words.ANCHOR)
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
        Drawing.of(luck.title(one), luck.draw(one, dark), luck.alt(one), luck.about(one)) for one in order
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
