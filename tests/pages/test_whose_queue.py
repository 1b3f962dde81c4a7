"""The cutoff of cloning is a law of clusters with a queue per slot: whoever tells its number says so."""

from __future__ import annotations

import pytest

from pages.errata.words import PAPERS
from pages.formulas.detection import charts, words
from pages.formulas.detection.question import VARIABILITY, Request
from pages.lessons import LESSONS, clone_everything
from pages.map import words as map_words
from sim.map.picture import picture
from sim.map.survey import boundaries
from sim.telling.words import number, percent
from tests.pages.lessons.test_numbers import cloned_at
from tests.sim.map.made import plane, surveyed
from theory.cutoff import cutoff_load

#: Tail indices whose cutoffs are like no other number there.
TAILS = (2.37, 2.83, 3.41)


def told(tail: float) -> list[str]:
    """Return what pages say of a cluster with this tail, a text for each thing that is read at once."""
    asked = Request(tail, 0.3, 1.7, 2, 0.2, 0.25)
    texts = [words.answer(asked), *words.notices(asked), *map(" ".join, words.cards(asked))]
    texts.append(charts.cutoff_alt(asked))
    lesson = LESSONS[3].find(tail, *cloned_at({0.2: (-0.2, -0.2), 0.47: (0.2, 0.2)}, tail))
    texts += [lesson.told, *lesson.why, lesson.draw(None, False).alt]
    texts += [note.text for note in lesson.draw(None, False).figure.layout.annotations]
    return texts


@pytest.mark.parametrize("tail", TAILS)
def test_the_cutoff_is_told_with_the_queues_that_it_is_about(tail: float) -> None:
    written = {number(float(cutoff_load(tail, VARIABILITY))), percent(float(cutoff_load(tail)))}
    quoted = [text for text in told(tail) if any(one in text for one in written)]
    assert len(quoted) >= 5
    for text in quoted:
        assert "queue" in text


def test_so_do_mistakes_errata_and_the_line_of_a_map() -> None:
    own = percent(float(cutoff_load(clone_everything.TAIL)))
    wrong = [" ".join(pair) for pair in LESSONS[3].plan.mistakes() if own in pair[0] + pair[1]]
    assert wrong
    (found,) = [one for one in PAPERS["xu-lau"].findings if "cutoff" in one.title]
    assert number(float(cutoff_load(3.0))) in found.show().told
    survey = surveyed(plane("load=0.2:0.8:4", "beta=2.2:3:4"), lambda cell, policy: 1 + 0.5 * policy)
    line = next(one for one in boundaries(survey.plane) if one.key == "cutoff")
    drawn = picture(survey, final=True)
    assert f"{number(min(line.loads))} to {number(max(line.loads))}" in map_words.alt(drawn)
    for text in (*wrong, found.show().told, line.title, line.about, map_words.alt(drawn)):
        assert "queue" in text
