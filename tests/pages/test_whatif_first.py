"""What-if gives one answer, the best first: on the page, in the shell, as HTML and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape

import pytest

from pages.logs.whatif.charts import FRONT, REMEDIES
from pages.logs.whatif.layout import drawings
from pages.logs.whatif.question import Request
from pages.logs.whatif.words import WAITING, cards, sentence
from pages.logs.whatif.words.notices import notices
from sim.advice.whatif.document import as_html, as_text
from sim.advice.whatif.report import CAUSES, as_json
from sim.advice.whatif.steps import Step
from sim.logs.samples import spark
from sim.telling.document import typed
from sim.telling.words import begun
from tests.pages.whatif_made import FIRST, MADE, answered, asked_of, made, with_answer

#: What says that nothing is to be done.
NOTHING = re.compile(r"do nothing|leave the settings|no recommendation", re.IGNORECASE)
#: A change of slot-time, but for one that "up to" bounds, and for the budget.
SLOT_TIME = re.compile(r"slot-time (?:changes by |by )?[-+\u2212][\d.]+ %(?P<interval> \()?")


@pytest.fixture(scope="module")
def asked() -> Request:
    return asked_of(spark(speculation=False), budget=50)


@pytest.fixture(scope="module")
def base(asked: Request) -> Step:
    return answered(asked)


def plain(text: str) -> str:
    """Return a text without marks, as a keyboard has it."""
    return typed(re.sub(r"[*\\\\]", "", text))


def on_page(asked: Request, shown: Step) -> str:
    return plain(sentence(replace(asked, inquiry=replace(asked.inquiry, system=shown.answer.system)), shown))


def as_page(asked: Request, shown: Step) -> str:
    page = as_html(shown.answer)
    return plain(unescape(re.sub(r"<[^>]+>", " ", page[page.index("<h1") :])))


#: Where an answer is read.
FACES: dict[str, Callable[[Request, Step], str]] = {
    "page": on_page,
    "shell": lambda asked, shown: as_text(shown.answer),
    "HTML": as_page,
    "JSON": lambda asked, shown: json.dumps(as_json(shown.answer), ensure_ascii=False),
}


def actions(shown: Step) -> list[tuple[float, str]]:
    """Return how what is advised is named, by what it gains, the best first."""
    answer, found = shown.answer, shown.answer.remedies
    rows = [one for one in found.judged[1:] if one.sure] if found else []
    told = [(one.change_of(answer.objective).value, one.does) for one in rows]
    if answer.advice is not None and answer.advice.policy != answer.today:
        option = answer.options[answer.advice.policy]
        gain = option.change[answer.objective].value
        told.append((gain, rf"{re.escape(option.policy.name)}|switch on speculation"))
    return sorted(told)


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("name", MADE)
def test_the_best_that_is_advised_stands_first_and_nothing_before_it(asked, base, name, face) -> None:
    shown = made(base, name)
    told = FACES[face](asked, shown)
    if best := actions(shown):
        assert NOTHING.search(told) is None
        begins = told[: told.index("%")]
        assert re.search(best[0][1], begins, re.IGNORECASE), begins
        for _, other in best[1:]:
            assert not re.search(other, begins, re.IGNORECASE), begins
        if face == "shell":  # below the headline, too
            below = told.partition("\n")[2]
            places = [re.search(one, below, re.IGNORECASE).start() for _, one in best]
            assert places == sorted(places)
    elif shown.answer.first and shown.answer.advice is not None:
        assert NOTHING.search(told) is None
        assert told.index(FIRST) <= len('{"headline": "')
    elif shown.answer.first:
        assert FIRST in told
    else:
        assert NOTHING.search(told)


@pytest.mark.parametrize("face", [name for name in FACES if name != "JSON"])
@pytest.mark.parametrize("name", MADE)
def test_slot_time_has_its_interval_wherever_it_is_told(asked, base, name, face) -> None:
    shown = made(base, name)
    told = list(SLOT_TIME.finditer(FACES[face](asked, shown)))
    assert all(one["interval"] for one in told)
    assert told or not actions(shown)


@pytest.mark.parametrize("face", ["page", "shell", "HTML"])
@pytest.mark.parametrize("name", [name for name, one in MADE.items() if one[2] == "trial"])
@pytest.mark.parametrize("chance", [0.2, 0.99])
def test_the_risk_of_a_trial_is_told_next(asked, base, name, face, chance) -> None:
    shown = made(base, name)
    model = shown.answer.question.model
    hidden = replace(model.evidence.hidden, probability=chance)
    model = replace(model, evidence=replace(model.evidence, hidden=hidden))
    shown = with_answer(shown, replace(shown.answer, question=replace(shown.answer.question, model=model)))
    told = FACES[face](asked, shown)
    risk = typed(shown.answer.undecided)
    assert "slot-time grows by up to" in risk
    before = told[told.lower().index("try for an hour") : told.index(risk)]
    assert len(re.findall(r"[.]\s", before)) <= 1


@pytest.mark.parametrize("name", [name for name in MADE if name.startswith("poor")])
def test_a_poor_answer_has_the_check_its_cause_and_what_to_do_and_nothing_empty(asked, base, name) -> None:
    shown = made(base, name)
    (worst,) = shown.check.items
    for face in ("page", "shell", "HTML"):
        told = FACES[face](asked, shown)
        places = [told.lower().index(part.lower()) for part in (typed(worst.sentence), CAUSES[worst.name])]
        done = FIRST if shown.answer.first else "Give a part of the log"
        assert places == sorted(places)
        assert places[-1] < told.index(done)
    assert WAITING not in [card.value for card in cards(shown)]
    assert not {FRONT.title, REMEDIES.title} & {one.title for one in drawings(asked, shown, False)}


@pytest.mark.parametrize("name", MADE)
def test_a_remedy_that_pays_is_told_on_the_page_also_where_a_setting_leads(asked, base, name) -> None:
    shown = made(base, name)
    found = shown.answer.remedies
    told = " ".join([sentence(asked, shown), *notices(asked, shown)])
    for one in found.judged[1:] if found else ():
        assert (f"**{begun(one.does)}** makes the mean job time" in told) == one.sure
