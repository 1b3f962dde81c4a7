"""Details below the charts: tables, files, the shell line, how it is worked out."""

from __future__ import annotations

from pages.logs.beforeafter import words
from pages.logs.beforeafter.answer import Step
from pages.logs.beforeafter.formulas import FORMULAS
from pages.logs.words import show_table
from pages.shared.controls.panel import drawer
from pages.shared.live.drawing import Screen
from pages.shared.words.downloads import charts_page, downloads, json_text
from pages.shared.words.formulas import show_formulas
from sim.advice.several.report import after_json, repeated_json
from sim.logs.tabled import as_csv

_LINES = """python -m sim after BEFORE AFTER --json -
python -m sim repeated RUN RUN... --json -
python -m sim gate BEFORE AFTER --fail-if 'p95 > +10%' --junit gate.xml"""


def show_details(shown: Step, screen: Screen) -> None:
    """Draw everything that is not needed at first sight."""
    both = shown.both
    change, slow = words.changes(both.change), words.slow(both.repeated)
    show_table("What changed", change, 1)
    show_table("Tasks that are slow in every run", slow, 1)
    both_json = {
        "after": after_json(both.change),
        "repeated": repeated_json(both.repeated) if both.repeated else None,
    }
    downloads(
        ("Changes (CSV)", "changes.csv", lambda: as_csv(change)),
        ("Slow tasks (CSV)", "slow_tasks.csv", lambda: as_csv(slow)),
        ("Everything (JSON)", "before_and_after.json", lambda: json_text(both_json)),
        ("Charts (HTML)", "before_and_after.html", lambda: charts_page(screen.figures)),
    )
    if box := drawer(
        "beforeafter", "settings", "Settings that differ, and the shell lines", ":material/terminal:"
    ):
        box.code(_LINES, language="bash")
        if both.change.settings:
            box.dataframe(words.settings(both.change), hide_index=True)
        else:
            box.markdown("The logs name no setting that differs.")
    show_formulas("beforeafter", FORMULAS, "How the numbers are made")
