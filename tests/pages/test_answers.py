"""The answer line: its first statement is computed from the runs, of the right policies and statistic."""

from __future__ import annotations

import dataclasses
import math
import re

import numpy as np
import pytest

from pages.compare.words.answer import answer, erlang, varied
from pages.compare.words.asked import second_copies
from pages.compare.words.factors import factors
from pages.shared.words.gains import below, crossing
from sim.presets import PRESETS, presets_of
from sim.result import Comparison, Sample
from sim.slots.policy import read_policy
from sim.slots.scenario import SlotScenario
from sim.statistics import student
from tests.pages.made import POINTS, SCENARIO, luck, made, one
from tests.samples import interval, ratio

REPLICATIONS = 6
#: So many that all of them below is no chance, of three statistics of two policies.
MANY = 8
GRID = ("fair+none", "fair+late", "srpt+none", "srpt+late")


def runs(
    middle: float,
    slow: float = 1.0,
    *,
    resource: float = 1.0,
    seed: int = 0,
    replications: int = REPLICATIONS,
    **given: object,
):
    """Return replications whose typical and slowest jobs, and slot-time, are scaled."""
    found = []
    for r in range(replications):
        flowtime = np.sort(luck(r)) * (1 + 0.01 * luck(100 * seed + r + 7).mean())
        scale = np.where(np.arange(flowtime.size) < 0.8 * flowtime.size, middle, middle * slow)
        found.append(one(scale * flowtime, resource=resource * luck(r + 50), **given))
    return found


def called(comparison: Comparison) -> Comparison:
    """Return a comparison with the names that people say."""
    return comparison.in_words()


def grid(turn: float, copies: float, cost: float = 0.5, slow: float = 1.0, **given: object) -> Comparison:
    """Return four policies in which sharing and copying scale flowtimes, and copying slot-times."""
    policies = {
        text: runs(
            (turn if text.startswith("srpt") else 1) * (copies if text.endswith("late") else 1),
            slow if text.endswith("late") else 1.0,
            resource=cost if text.endswith("late") else 1,
            seed=place,
            **given,
        )
        for place, text in enumerate(GRID)
    }
    return made(policies)


def effect(
    comparison: Comparison, pairs: list[tuple[str, str]], measure: str, statistic: str
) -> tuple[float, float]:
    """Work out by what percentage a measure differs, another way: from products of what is off each ratio."""
    found, off = 1.0, np.zeros(comparison.replications)
    for pair in pairs:
        ours, its = (np.array(comparison.policies[name].values(measure, statistic)) for name in pair)
        between, *_ = ratio(list(ours), list(its))
        found *= between ** (1 / len(pairs))
        off += (ours - between * its) / ours.mean() / len(pairs)
    _, wide = interval(list(off))
    return 100 * (found - 1), 100 * found * math.sinh(wide)


COPIES = [("fair+late", "fair+none"), ("srpt+late", "srpt+none")]
TURN = [("srpt+none", "fair+none"), ("srpt+late", "fair+late")]


def told(text: str, start: str) -> list[tuple[float, float]]:
    """Return the percentages with their half widths behind a part of a text, as far as the next full stop."""
    part = text[text.index(start) :].split(". ")[0]
    found = re.findall(r"([−+])([\d.,]+) ± ([\d.]+) %", part)
    return [(float(v) * (-1 if sign == "−" else 1), float(h)) for sign, v, h in found]


def times_of(comparison: Comparison, pairs: list[tuple[str, str]], place: int, statistic: str) -> float:
    """Return the geometric mean of a statistic over one side of some pairs."""
    return math.prod(
        np.mean(comparison.policies[pair[place]].values("flowtime", statistic)) ** (1 / len(pairs))
        for pair in pairs
    )


@pytest.mark.parametrize("statistic", ["mean", "p50", "p95"])
def test_two_by_two_tells_both_effects_of_the_statistic_and_their_cost(statistic: str) -> None:
    comparison = grid(0.9, 0.4, slow=0.6)
    text = answer(called(comparison), statistic)
    assert text.startswith("**Copies matter more here.** With **LATE**’s copies ")
    jobs = {
        "mean": "jobs take on average",
        "p50": "half of the jobs finish within",
        "p95": "95 % of the jobs",
    }
    for start, pairs in (("With **LATE**’s copies", COPIES), ("With **Shortest first**", TURN)):
        assert text[text.index(start) :].startswith(f"{start} {jobs[statistic]}")
        (flowtime,) = told(text, start)
        value, half = effect(comparison, pairs, "flowtime", statistic)
        assert flowtime == (pytest.approx(value, abs=0.51), pytest.approx(half, abs=0.51))
        times = re.search(r"([\d.]+) instead of ([\d.]+) s", text[text.index(start) :])
        assert [float(one) for one in times.groups()] == pytest.approx(
            [times_of(comparison, pairs, place, statistic) for place in (0, 1)], rel=0.006
        )
    value, _ = effect(comparison, COPIES, "resource", "mean")
    less = re.search(r"a job uses ([\d.]+) (?:± [\d.]+ )?% less slot-time", text)
    assert float(less[1]) == pytest.approx(-value, abs=0.51)


def test_as_many_busy_slots_are_told_without_a_share_that_no_policy_has() -> None:
    policies = {
        name: [
            dataclasses.replace(one, unreliable_differences=frozenset({("resource", "mean")}))
            for one in each.samples
        ]
        for name, each in grid(0.9, 0.4).policies.items()
    }
    assert "and as many slots are busy either way." in answer(called(made(policies)))


def test_the_larger_effect_is_the_one_that_matters_whatever_its_direction() -> None:
    assert answer(called(grid(0.4, 0.9))).startswith("**Whose turn it is matters more here.**")
    assert answer(called(grid(3.0, 0.9))).startswith("**Whose turn it is matters more here.**")
    assert answer(called(grid(0.8, 2.0))).startswith("**Copies matter more here.**")
    alike = answer(called(grid(0.5, 0.5)))
    assert alike.startswith("For the mean, order and copies gain about the same (50 %).")
    assert answer(called(grid(0.9, 0.88))).startswith("**Copies matter more")
    calm = grid(0.9, 0.8)
    wild = [runs(0.8 + 0.4 * (-1) ** r)[r] for r in range(REPLICATIONS)]
    varied_much = {name: wild if name == "fair+late" else one.samples for name, one in calm.policies.items()}
    assert answer(called(made(varied_much))).startswith(
        "After 6 replications it is open whether order or copies matter"
    )


def test_effects_are_told_from_the_baseline_on() -> None:
    turned = called(dataclasses.replace(grid(0.9, 0.4), baseline="srpt+late"))
    text = answer(turned)
    assert told(text, "Without **LATE**’s copies")[0][0] == pytest.approx(150, abs=3)
    assert " under **Shortest first** (" in text[text.index("With **Fair shares** jobs") :]


def crossed(*, second: float, scenario: SlotScenario = SCENARIO) -> Comparison:
    """Return two policies of which the first has the shorter median, and the second the shorter rest."""
    first, other = (
        runs(*scale, scenario=scenario, replications=MANY) for scale in ((0.8, 4.0), (1.0, second))
    )
    return made({"fair+none": first, "hopper+budget": other}, scenario)


@pytest.mark.parametrize("tail", ["exponential", "pareto"])
def test_where_curves_cross_the_answer_says_for_whom_which_policy_is_faster(tail: str) -> None:
    comparison = called(crossed(second=1.0, scenario=SCENARIO.replace(straggle=tail, straggle_tail=1.5)))
    text = answer(comparison, "p50")
    assert text.startswith(
        "Half of the jobs finish soonest under **Fair shares + no copies**: under **Hopper**"
    )
    said = re.search(
        r"Under \*\*Hopper\*\* the mean \(([\d.]+) instead of ([\d.]+) s\) and the 95th percentile "
        r"\(([\d.]+) instead of ([\d.]+) s\) are shorter than under \*\*Fair shares \+ no copies\*\*(.*)\.",
        text,
    )
    assert said is not None
    found = [
        np.mean(comparison.policies[name].values("flowtime", statistic))
        for statistic in ("mean", "p95")
        for name in ("Hopper", "Fair shares + no copies")
    ]
    assert [float(one) for one in said.groups()[:4]] == pytest.approx(found, rel=0.05)
    known = comparison.policies["Hopper"].knows("flowtime", "mean")
    assert said[5] == ("" if known else f", in each of {MANY} replications")
    assert known == (tail == "exponential")


def test_of_a_pair_only_its_two_curves_are_told_to_cross() -> None:
    third = {
        "srpt+none": runs(0.7, 9.0, replications=MANY),
        "fair+late": runs(1.1, 0.5, replications=MANY),
    }
    policies = {name: one.samples for name, one in crossed(second=1.0).policies.items()} | third
    told = answer(called(made(policies)), "p50", ("pair", "fair+none", "hopper+budget"))
    assert "Under **Hopper** the mean" in told
    assert "Shortest" not in told
    assert "LATE" not in told


def test_where_curves_do_not_cross_nobody_else_is_named() -> None:
    assert "shorter than" not in answer(called(crossed(second=8.0)), "p50")
    assert "shorter than" not in answer(called(grid(0.9, 0.4)), "p50")


def test_a_few_replications_of_many_do_not_make_another_policy_the_faster() -> None:
    heavy = SCENARIO.replace(straggle="pareto", straggle_tail=1.5)
    comparison = crossed(second=1.0, scenario=heavy)
    assert below(comparison, "hopper+budget", "fair+none", "mean") == MANY
    mixed = [*comparison.policies["hopper+budget"].samples[:-1], runs(5.0, scenario=heavy)[-1]]
    results = {"fair+none": comparison.policies["fair+none"].samples, "hopper+budget": mixed}
    assert below(made(results, heavy), "hopper+budget", "fair+none", "mean") is None


def test_the_more_policies_the_more_replications_it_takes_to_name_another() -> None:
    heavy = SCENARIO.replace(straggle="pareto", straggle_tail=1.5, load=0.9)

    def of(middle: float, slow: list[float]) -> list[Sample]:
        return [one([middle] * 35 + [end] * 15, scenario=heavy) for end in slow]

    policies = {"fair+none": of(0.9, [10.0] * 20), "hopper+budget": of(1.0, [1.1] * 16 + [12.0] * 4)}
    others = {code: of(1.1, [20.0] * 20) for code in ("fair+late", "srpt+none", "srpt+late")}
    # without a difference 16 of 20 or more have a chance of 0.6 %: of 3 statistics less than one in forty
    assert "in 16 of 20 replications" in crossing(made(policies, heavy), "p50")
    assert crossing(made(policies | others, heavy), "p50") == ""  # 12 times 0.6 % are more


def test_a_statistic_that_is_not_known_is_told_as_what_these_runs_show() -> None:
    heavy = SCENARIO.replace(straggle="pareto", straggle_tail=1.5)
    alone = {"fair+none": runs(1.0, scenario=heavy)}
    told = answer(called(made(alone, heavy)), "mean")
    assert "in these runs a job takes" in told
    assert "unreliable (too heavy a tail to know the mean)" in told
    assert "unreliable" not in answer(called(made(alone, heavy)), "p50")


@pytest.mark.parametrize("statistic", ["mean", "p50", "p95"])
def test_finish_soonest_is_said_of_the_jobs_that_the_statistic_is_of(statistic: str) -> None:
    comparison = called(made({"fair+none": runs(1.0), "srpt+none": runs(0.5)}))
    turned = dataclasses.replace(comparison, baseline="Shortest first + no copies")
    who = {"mean": "Jobs", "p50": "Half of the jobs", "p95": "95 % of the jobs"}[statistic]
    for told in (answer(comparison, statistic), answer(turned, statistic)):
        assert told.startswith(f"{who} finish soonest under **Shortest first + no copies**")
    pair = answer(comparison, statistic, ("pair", "fair+none", "srpt+none"))
    assert pair.startswith(f"{who} finish sooner under **Shortest first + no copies** than under **Fair")


def test_two_by_two_needs_all_four_and_finds_them_among_others() -> None:
    comparison = grid(0.9, 0.4)
    three = {name: comparison.policies[name] for name in GRID[:3]}
    assert factors(dataclasses.replace(comparison, policies=three)) is None
    five = {"hopper+budget": comparison.policies["fair+late"], **comparison.policies}
    found = factors(dataclasses.replace(comparison, policies=five, baseline="fair+none"))
    assert found is not None
    assert sorted(found[1].pairs) == sorted(COPIES)


def test_nothing_is_said_to_matter_that_grows_or_is_run_once() -> None:
    growing = grid(0.9, 0.4, busy=100.0, waiting=np.linspace(0, 5000, POINTS))
    text = answer(called(growing))
    assert "matter" not in text
    assert "No policy keeps up" in text
    once = grid(0.9, 0.4)
    first = {name: dataclasses.replace(one, samples=one.samples[:1]) for name, one in once.policies.items()}
    text = answer(called(dataclasses.replace(once, policies=first)))
    assert "any difference may be luck" in text
    assert "matters more here" not in text
    assert "±" not in text


def test_who_keeps_up_is_told_where_the_baseline_does_not() -> None:
    growing = {"busy": 100.0, "waiting": np.linspace(0, 5000, POINTS)}
    comparison = made({"fair+none": runs(1.0, **growing), "srpt+late": runs(0.5)})
    assert answer(called(comparison)).startswith(
        "**Shortest first + LATE** keeps up with an offered load of 70 %; under **Fair shares + no copies**"
    )


def test_who_leaves_fewest_jobs_is_told_where_nobody_keeps_up() -> None:
    growing = {"busy": 100.0, "waiting": np.linspace(0, 5000, POINTS)}

    def cut(lost: int):
        flowtimes = [np.where(np.arange(200) >= 200 - lost - r, np.inf, luck(r)) for r in range(REPLICATIONS)]
        return [one(flowtime, **growing) for flowtime in flowtimes]

    comparison = made({"fair+none": cut(60), "srpt+late": cut(20), "hopper+budget": cut(40)})
    text = answer(called(comparison))
    least = student([(20 + r) / 200 for r in range(REPLICATIONS)])
    assert f"**Shortest first + LATE** leaves {100 * least.value:.1f} ± {100 * least.half:.1f} %" in text
    assert "**Fair shares + no copies**" in text.split("leaves")[1]


def test_a_pair_is_answered_whichever_is_the_faster_with_its_cost() -> None:
    policies = {
        "fair+late": runs(2.0),
        "hopper+budget": runs(1.0),
        "hopper-dag+budget": runs(0.8, resource=1.2),
    }
    comparison = called(made(policies))
    text = answer(comparison, "mean", ("pair", "hopper+budget", "hopper-dag+budget"))
    assert text.startswith(
        "Jobs finish sooner under **Hopper for DAGs** than under **Hopper**: mean flowtime −20"
    )
    assert "more slot-time per job" in text
    assert text == answer(comparison, "mean", ("pair", "hopper-dag+budget", "hopper+budget"))
    assert "finish sooner" not in answer(comparison, "mean", ("pair", "hopper+budget", "srpt+none"))


def test_the_best_of_three_values_is_told_by_flowtime_and_by_slot_time() -> None:
    comparison = made(
        {
            "levels+none": runs(2.0),
            "levels+sda:sigma=1": runs(1.0, resource=1.3),
            "levels+sda:sigma=2": runs(1.2, resource=1.0),
            "levels+sda:sigma=4": runs(1.5, resource=1.1),
        }
    )
    assert varied(comparison) == list(comparison.policies)[1:]
    text = answer(called(comparison))
    assert "soonest under **SDA, σ = 1** (mean flowtime" in text
    assert "least under **SDA, σ = 2** (mean per job" in text


def test_erlangs_formula_stands_beside_the_simulated_mean_only_where_it_holds() -> None:
    scenario = PRESETS["mm100"].scenario
    assert erlang(scenario) == pytest.approx(1.0, abs=0.01)
    for change in (
        {"straggle": "pareto"},
        {"tasks_max": 2},
        {"arrivals": "bursty"},
        {"load": 1.1},
        {"slow_share": 0.1},
    ):
        assert erlang(scenario.replace(**change)) is None
    single = SCENARIO.replace(slots=1, load=0.5, tasks="constant", tasks_max=1, jobs=200)
    assert erlang(single) == pytest.approx(2.0)  # 1 / (1 - load)
    near = [one(2.0 + 0.1 * (luck(r) - luck(r).mean() + 0.01 * r), scenario=single) for r in range(5)]
    comparison = made({"fifo+none": near}, single)
    text = answer(called(comparison))
    found = comparison.policies["fifo+none"].estimate("flowtime", "mean")
    assert "Erlang’s formula says a mean flowtime of 2.0000 s" in text
    assert f"{found.value:.4f}"[:4] in text
    assert ("they agree" in text) == (found.low <= 2.0 <= found.high)
    assert "Erlang" not in answer(called(made({"fair+late": near}, single)))


def test_second_copies_are_timed_from_their_originals() -> None:
    log = np.rec.fromrecords(
        [(0, 0, 0, 1.0), (0, 1, 0, 1.0), (0, 0, 1, 3.5), (0, 0, 2, 9.0), (1, 0, 0, 4.0), (1, 0, 1, 4.5)],
        names="job,task,copy,start",
    )
    assert sorted(second_copies(log)) == [0.5, 2.5]


@pytest.mark.parametrize("name", list(presets_of("slots")))
def test_what_a_preset_asks_is_about_its_policies(name: str) -> None:
    preset = PRESETS[name]
    texts = [read_policy(policy).text for policy in preset.policies]
    kind, *named = preset.asks or ("",)
    assert kind in ("", "pair", "everybody", "small jobs", "copies")
    assert len(named) == (2 if kind == "pair" else 0)
    assert set(named) <= set(texts)


def test_the_first_page_asks_what_its_policies_can_answer() -> None:
    preset = PRESETS["light"]
    policies = {read_policy(text).text: runs(1.0, seed=k) for k, text in enumerate(preset.policies)}
    assert factors(made(policies)) is not None
