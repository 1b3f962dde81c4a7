"""The answer as one HTML file to hand to a colleague: it loads nothing, its charts are interactive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from importlib import resources
from types import ModuleType
from typing import Any

import numpy as np
import orjson
import pandas as pd

from sim import __version__
from sim.traces.trace import counted
from sim.whatif.answer import Answer, Option
from sim.whatif.charts import front, load, recorded
from sim.whatif.charts import remedies as drawing
from sim.whatif.cost import cost
from sim.whatif.longer import longer
from sim.whatif.remedies.judged import Judged, Remedies, shorter
from sim.whatif.remedies.told import pasted, row
from sim.whatif.report import money_told, price_told, safety_told, times_told, why_not
from sim.whatif.setting_effect import SettingEffect
from sim.whatif.systems import differs
from theory.shown import shortened, visible

_STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
body { max-width: 64rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem } p { overflow-wrap: break-word }
.wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { text-align: left; vertical-align: top; padding: .25rem .9rem .25rem 0 }
tr { border-bottom: 1px solid #8884 }
td { white-space: nowrap } .words td { white-space: normal }
pre { padding: .8rem; border: 1px solid #8886; border-radius: .4rem; overflow-x: auto } small { opacity: .75 }
"""
#: Nothing may be loaded from anywhere, whatever a log has in its names.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
_DRAW = """
const dark = matchMedia("(prefers-color-scheme: dark)");
const draw = () => { for (const [place, themes] of Object.entries(figures)) {
  const {data, layout} = themes[+dark.matches];
  Plotly.react(place, data, {...layout, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)"},
    {responsive: true, displaylogo: false}) } }
draw(); dark.addEventListener("change", draw)
"""


def as_html(answer: Answer) -> str:
    """Return the report; all text of the log is escaped."""
    figures: dict[str, Any] = {}
    body = "\n".join(_body(answer, figures))
    files = escape(shortened(", ".join(answer.question.model.history.files)))
    library = resources.files("plotly").joinpath("package_data/plotly.min.js").read_text("utf-8")
    values = (
        orjson.dumps(figures, np.ndarray.tolist, orjson.OPT_SERIALIZE_NUMPY).decode().replace("<", "\\u003c")
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>What if: {files}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n"
        f"<script>{library}</script>\n<script>const figures = {values};{_DRAW}</script>\n</body>\n</html>\n"
    )


def _body(answer: Answer, figures: dict[str, Any]) -> Iterator[str]:
    """Yield the parts, the answer first; charts are put into `figures` by their places, in both themes."""

    def chart(place: str, drawn: ModuleType, part: Any, about: str) -> str:
        figures[place] = [drawn.draw(part, dark).values() for dark in (False, True)]
        words = f'<div id="{place}" role="img" aria-label="{escape(typeset(drawn.alt(part)))}"></div>'
        return f"{words}\n<p><small>{escape(about)}</small></p>"

    yield f"<h1>{escape(typeset(headline(answer)))}</h1>"
    if (remedies := answer.remedies) is not None:
        yield from _remedies(remedies)
        if remedies.other is not None:
            yield from (f"<p>{escape(typeset(one))}</p>" for one in money_told(answer, remedies.other))
        yield chart(
            "remedies",
            drawing,
            remedies,
            f"By how much each remedy makes the {remedies.objective} job time shorter: coloured what a "
            "setting reaches, with its 95 % interval, orange the one that is advised; grey the most there is "
            "to gain, with the cause mended entirely.",
        )
        yield _table(pd.DataFrame([_remedy(remedies, one) for one in remedies.judged]), "words")
    if (advice := answer.advice) is not None:
        yield "<h2>Which setting of copies?</h2>"
        yield f"<p>{escape(typeset(advice.reason[0].upper() + advice.reason[1:]))}.</p>"
        if answer.undecided:
            yield f"<p>{escape(typeset(answer.undecided))}</p>"
        if told := safety_told(answer):
            yield "<h2>Is it safe to run a task twice?</h2>"
            yield from (f"<p>{escape(typeset(one))}</p>" for one in told)
        if answer.system is not None and advice.settings:
            lines = escape(answer.system.pasted(advice.settings))
            yield f"<h2>To paste into {escape(answer.system.file)}</h2>\n<pre>{lines}</pre>"
        if advice.policy != answer.today:
            yield f"<p>{escape(typeset(cost(answer, answer.options[advice.policy]).sentence))}</p>"
        yield from (f"<p><small>{escape(one)}</small></p>" for one in price_told(answer))
        if (found := longer(answer)) is not None:
            yield f"<p>{escape(typeset(found.told(answer.options[found.policy].policy.name)))}</p>"
    yield f"<h2>Is the model right? It is {answer.check.verdict} on this history</h2>"
    checks = [(item.grade, item.sentence) for item in answer.check.items]
    yield _table(pd.DataFrame(checks, columns=["grade", "check"]), "words")
    if answer.pictures is not None and answer.pictures.recorded.size:
        yield chart(
            "check",
            recorded,
            answer.pictures,
            f"Recorded time of each job, and the band that holds 90 % of its times in the model. "
            f"{recorded.about(answer.pictures)}",
        )
    if answer.check.residuals:
        luck = [(one.name, one.about) for one in answer.check.residuals]
        yield (
            "<details><summary>What luck should not depend on, and whether it does</summary>\n"
            f"{_table(pd.DataFrame(luck, columns=['against', 'what was found']), 'words')}</details>"
        )
    yield "<h2>The options</h2>"
    yield _table(pd.DataFrame([_times(answer, *one) for one in answer.options.items()]))
    yield f"<p><small>{escape(typeset(times_told(answer)))}</small></p>"
    others = [_changes(answer, *one) for one in answer.options.items() if one[0] != answer.today]
    if others:
        yield f"<h3>Change against today's setting</h3>\n{_table(pd.DataFrame(others))}"
    yield (
        "<p><small>Changes are against today's setting under the same luck, with 95 % intervals that hold "
        "what the history leaves open. Small jobs are the half with least work. "
        f"{_a_month(answer)}</small></p>"
    )
    yield chart(
        "front",
        front,
        _front(answer),
        f"Change of the {answer.objective} job time over that of slot-time, each option a dot with 95 % "
        "intervals, numbered as in the table: left and low is better. Orange is the advice.",
    )
    if answer.reach is not None:
        yield f"<h2>Up to which load it pays</h2>\n<p>{escape(typeset(answer.reach.sentence))}</p>"
        yield chart(
            "load",
            load,
            answer.reach,
            f"Change of the {answer.reach.objective} job time with the advised setting, by the load that the "
            "jobs offer; with 95 % intervals.",
        )
    yield "<h2>How this was computed</h2>"
    yield _table(pd.DataFrame(_how(answer).items(), columns=["what", "value"]), "words")


def _front(answer: Answer) -> front.Front:
    """Return what the chart of the options shows."""
    advice = answer.advice
    advised = advice.policy if advice and advice.policy != answer.today else ""
    standing = "to try" if advice and advice.trial else "recommended"
    return front.Front(answer.options, answer.today, advised, standing, answer.objective, answer.budget)


def _remedies(found: Remedies) -> Iterator[str]:
    """Yield which remedy comes first, and how it is applied where it is not a setting of copies."""
    yield f"<h2>Which remedy?</h2>\n<p>{escape(typeset(found.sentence))}</p>"
    if found.caveat:
        yield f"<p>{escape(typeset(found.caveat))}</p>"
    if (first := found.other) is None:
        return
    yield f"<p>{escape(typeset(first.paste.told))} {escape(first.limit)}</p>"
    if first.paste.settings:
        lines = escape(pasted(first.paste))
        yield f"<h2>To paste into {escape(first.paste.file)}</h2>\n<pre>{lines}</pre>"


def _remedy(found: Remedies, one: Judged) -> dict[str, str]:
    """Return the row of a remedy."""
    reached, most, extra, why = row(found, one)
    shows = f"; {one.shows}" if one.shows and one is not found.copies else ""
    return {
        "remedy": one.remedy.title,
        "a setting reaches": typeset(reached),
        "at most": typeset(most),
        "slot-time": typeset(extra),
        "what is said of it": typeset(why + shows),
    }


def headline(answer: Answer) -> str:
    """Say in a sentence what to do."""
    if (first := answer.leading_remedy) is not None:
        told = shorter(first.change_of(answer.objective))
        return f"{first.does[:1].upper()}{first.does[1:]}: the {answer.objective} job time is {told}"
    if answer.advice is None:
        return f"No recommendation: {why_not(answer)}"
    if answer.advice.policy == answer.today:
        return "Leave the settings as they are"
    gain = answer.options[answer.advice.policy].change[answer.objective]
    named = answer.options[answer.advice.policy].policy.name
    told = f"{named}: the {answer.objective} job time changes by {100 * gain.value:+z.0f} %"
    if answer.risky:
        return f"{answer.safety.sentence} If all could: {told}"
    return f"Try for an hour {told}" if answer.advice.trial else told


_TIMES = {
    "mean": "mean",
    "p50": "median",
    "p95": "p95",
    "small_jobs": "small jobs",
    "large_jobs": "large jobs",
}


def _times(answer: Answer, text: str, option: Option) -> dict[str, str]:
    """Return what the jobs take with an option."""
    shown = [name for name in _TIMES if name in option.plays[0].figures]
    return {
        "policy": text + answer.note(text),
        **{f"{_TIMES[name]} (s)": f"{answer.figure(text, name):.4g}" for name in shown},
        "copies": f"{answer.figure(text, 'copies'):.4g}",
        "won": f"{answer.figure(text, 'won'):.4g}",
    }


def _changes(answer: Answer, text: str, option: Option) -> dict[str, str]:
    """Return what an option changes."""
    extra = cost(answer, option)
    _, month = extra.shown
    named = _TIMES | {"slot_time": "slot-time"}
    return {
        "policy": text + answer.note(text),
        **{named[name]: percent(change) for name, change in option.change.items()},
        f"{'money' if extra.money else 'slot-hours'} a month": typeset(f"{month.value:+.3g}"),
    }


def percent(change: SettingEffect) -> str:
    r"""Write a change with its interval.

    Examples
    --------
    >>> percent(SettingEffect(-0.25, -0.375, -0.125))
    '−25.0\xa0% (−37.5 to −12.5)'
    """
    return typeset(change.percent)


def typeset(text: str) -> str:
    r"""Write minus and times before a number as print has them, and keep percent signs with theirs.

    Examples
    --------
    >>> typeset("up to x1.5: -2.5 to -1 %")
    'up to ×1.5: −2.5 to −1\xa0%'
    """
    return re.sub(r"(?<=\d) %", "\u00a0%", re.sub(r"\bx(?=\d)", "×", re.sub(r"(?<!\w)-(?=\d)", "−", text)))


def _a_month(answer: Answer) -> str:
    return f"A month is estimated {cost(answer, answer.options[answer.today]).at_rate}."


def _how(answer: Answer) -> dict[str, str]:
    """Return what a colleague needs to get the same numbers."""
    question, model = answer.question, answer.question.model
    replications = len(next(iter(answer.options.values())).plays)
    told = {
        "history": shortened(", ".join(model.history.files)),
        "jobs in the figures": f"{int(question.kept.sum()):,}"
        + (f", those named {shortened(question.leave_out)} left out" if question.leave_out else ""),
        "tasks": f"{int(model.tasks.sum()):,}",
        "slots": f"{question.cluster.slots:,} at most",
        "arrivals": f"{question.rate:.4g} times the recorded rate, an offered load of {question.load:.3g}",
        "replications": f"{counted(replications, 'replication')}; settings are searched on as many others",
        "random seed": str(question.seed),
        "budget": f"at most {100 * answer.budget:g} % more slot-time",
        "program": f"straggler-lab {__version__}",
    }
    notes = {f"note {number}": visible(note) for number, note in enumerate(model.notes, 1)}
    return told | notes | {"copies are played so": "; ".join(differs(answer.system, model.history))}


def _table(table: pd.DataFrame, kind: str = "") -> str:
    inside = table.map(visible).to_html(index=False, escape=True, border=0, classes=kind or None)
    return f'<div class="wide">{inside}</div>'
