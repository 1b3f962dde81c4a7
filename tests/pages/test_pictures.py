"""Every picture and every word of real comparisons: valid, finite, readable."""

from __future__ import annotations

import pytest

from pages.compare.charts import threshold_alt, threshold_plot, usage, usage_alt
from pages.compare.layout import formulas
from pages.shared.words.notice import what_to_notice
from pages.shared.words.tables import by_class, by_policy, tidy
from sim.engines.slots.scenario import SlotScenario
from sim.model.result import FEW
from sim.running.distribution import distribution, distribution_alt, ends_early
from sim.running.experiment import Experiment, compare
from tests.pages.made import checked, trouble, words

SMALL = SlotScenario(slots=20, load=0.8, jobs=60, tasks_max=10)
FIVE = ("fair+late:speculative_cap=0.2", "srpt+mantri", "hopper:epsilon=0.3", "hopper+late", "fifo+none")
CASES = {
    "one policy, one replication": (SMALL, ("hopper",), 1),
    "five policies": (SMALL, FIVE, 3),
    "overloaded": (SMALL.replace(load=2.5, drain=0), FIVE[1:4], 3),
    "no tail index": (
        SMALL.replace(straggle="exponential", tasks="constant", tasks_max=1),
        ("fifo+none",),
        2,
    ),
    "nothing varies": (SMALL.replace(straggle="deterministic", tasks="constant", jobs=2), FIVE[:2], 2),
    "observed never": (SMALL.replace(observe="never", time_unit="min"), FIVE[:2], 2),
}


@pytest.fixture(scope="module", params=CASES)
def comparison(request):
    scenario, policies, replications = CASES[request.param]
    return compare(Experiment.of_texts(scenario, policies), replications=replications, threads=1)


@pytest.mark.parametrize("dark", [False, True])
def test_every_picture_is_one_plotly_accepts_with_nothing_to_hide(comparison, dark) -> None:
    for figure in (
        distribution(comparison, dark),
        distribution(comparison, dark, log=False),
        distribution(comparison, dark, tail=True),
        distribution(comparison, dark, measure="resource"),
        usage(comparison, dark),
        threshold_plot(comparison, dark),
    ):
        checked(figure)
        assert 300 <= figure.layout.height <= 400
        assert figure.layout.uirevision
        assert not trouble(words(figure))
        titles = [axis.title.text for axis in figure.select_xaxes()]
        assert len(titles) == 1
        assert titles[0]


def test_every_word_is_for_a_reader(comparison) -> None:
    told = [
        distribution_alt(comparison),
        distribution_alt(comparison, measure="resource", tail=True),
        ends_early(comparison),
        usage_alt(comparison),
        threshold_alt(comparison),
        *what_to_notice(comparison),
        *(f"{formula.latex} {formula.sentence} {formula.source}" for formula in formulas(comparison)),
    ]
    for table in (by_policy(comparison), by_class(comparison), by_class(comparison, "p95")):
        told += [*table.columns, *table.to_numpy().ravel()]
    assert not trouble(told)
    for alt in told[:2] + told[3:5]:
        assert any(digit in alt for digit in "123456789")
    assert len(tidy(comparison)) >= 17 * len(comparison.policies)
    assert 2 <= len(what_to_notice(comparison)) <= 3


def test_the_zoom_of_a_reader_survives_a_move_of_a_control(comparison) -> None:
    other = compare(Experiment.of_texts(SMALL.replace(seed=7), ("fifo+none",)), replications=1, threads=1)
    curves = comparison.scenario.jobs >= FEW  # dots are another picture
    for draw in (*([distribution] if curves else []), usage, threshold_plot):
        assert draw(comparison, False).layout.uirevision == draw(other, True).layout.uirevision
