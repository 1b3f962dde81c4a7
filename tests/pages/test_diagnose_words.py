"""Words beside the charts of the Diagnose page have the right numbers: made so that no two are the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pages.logs.diagnose import charts
from pages.logs.diagnose import charts as gantt_of
from sim.advice.diagnosis.causes import Causes
from sim.advice.diagnosis.charts import gantt
from sim.advice.diagnosis.costs import Cause, Spread
from sim.advice.diagnosis.luck import Luck, Tail
from sim.advice.diagnosis.replay import Lost
from sim.advice.diagnosis.shares import Share, Shares
from sim.advice.diagnosis.speculation import Speculation
from tests.sim.logs.logs import read

#: Only the first is slow beyond doubt: the second may be as fast as the median host, the third nearly is.
HOSTS = pd.DataFrame(
    [
        ("a", 11, 1.9, 1.4, 2.7),
        ("b", 12, 1.6, 0.8, 2.3),
        ("c", 13, 1.1, 1.05, 1.15),
        ("d", 14, 0.7, 0.5, 0.9),
    ],
    columns=["host", "copies", "factor", "low", "high"],
)
SHARES = Shares(
    luck=Share(0.5, 0.4, 0.65),
    machine=Share(0.25, 0.2, 0.35),
    work=Share(0.15, 0.11, 0.22),
    first_wave=None,
    hosts=HOSTS,
    executors=HOSTS[:0],
    reasons={"first_wave": "all copies are of one wave"},
    residual=np.empty(0),
    fit=None,  # type: ignore[arg-type]  # is not drawn
)


def test_a_host_is_slow_beyond_doubt_if_even_the_low_end_is_above_the_median() -> None:
    assert charts.about_hosts(SHARES) == (
        "Slow beyond doubt, by more than 20 %: a. Work and first waves are taken out; 95 % intervals; 4 "
        "hosts in all."
    )
    none = replace(SHARES, hosts=HOSTS[1:])
    assert charts.about_hosts(none).startswith("No host is slow beyond doubt. ")
    (dots,) = charts.draw_hosts(SHARES, False).data
    first, *others = dots.marker.color
    assert first not in others
    assert len(set(others)) == 1


def test_hosts_are_told_with_their_factors_and_both_ends() -> None:
    assert charts.alt_hosts(SHARES) == (
        "The 4 slowest hosts against the median host: a takes 1.90 times as long (95 %: 1.40 to 2.70), b "
        "takes 1.60 times as long (95 %: 0.800 to 2.30) and c takes 1.10 times as long (95 %: 1.05 to 1.15)."
    )
    (dots,) = charts.draw_hosts(SHARES, False).data
    assert dots.hovertext[0] == "a: 1.90 (95 %: 1.40 to 2.70), 11 copies"


def test_jobs_are_told_with_what_they_lost_of_their_recorded_time() -> None:
    table = pd.DataFrame(
        [("7", "nightly", "", 100.0, 30.0, 70.0), ("8", "", "", 80.0, 61.0, 19.0)],
        columns=["job", "name", "group", "recorded", "without", "lost"],
    )
    found = Lost(89 / 180, 89.0, 0.0, table, table[:0])
    assert charts.alt_lost(found) == (
        "Bars of the 2 jobs that lost most time to stragglers: nightly (7) lost 70.0 s of 100 s and job 8 "
        "lost 19.0 s of 80.0 s."
    )


def test_busy_slots_are_told_by_their_mean() -> None:
    """Two slots for 10 s, one of them busy for 4 s: 1.4 on average and 70 % of the slot-time."""
    history = read(b"job_id,task_id,start_s,end_s,host\na,0,0,10,h\na,1,0,4,h\n")
    assert charts.alt_slots(history).endswith("over 10.0 s: at most 2 slots, on average 1.40 busy.")
    width = 10 / charts.BINS
    assert "copies held 70 % of the slot-time" in charts.about_slots(history)
    assert charts.about_slots(history).endswith(f"Busy slots are means over {width:.3g} s.")


def test_slowest_against_median_is_told_quantile_by_quantile() -> None:
    found = Spread(
        2.5, 4.5, 9.5, 0.17, 40, pd.DataFrame({"job": [], "stage": [], "tasks": [], "slowest": []})
    )
    assert charts.alt_spread(found).endswith(
        "half are above 2.50, a tenth above 4.50, a hundredth above 9.50."
    )
    assert charts.about_spread(found).startswith("40 stages with ten finished tasks or more")
    assert charts.about_spread(found).endswith(": 17 % of the copies.")


def test_stages_of_two_sizes_are_drawn_and_told_apart() -> None:
    """Dolly, Fig. 3, of one's own log: ten stages make a size; nine are told with the others alone."""
    few, many = [2.0] * 10, [4.0, 6.0, 8.0, 10.0, 12.0] * 2
    table = pd.DataFrame({"slowest": few + many, "tasks": [12] * 10 + [300] * 10})
    table["job"] = table["stage"] = range(len(table))
    found = Spread(2.5, 4.5, 9.5, 0.17, 20, table)
    told = charts.about_spread(found)
    assert (
        "The median is 2.00 in stages of fewer than 100 tasks and 8.00 in stages of 100 to 999 tasks." in told
    )
    few_line, many_line, all_line, _ = charts.draw_spread(found, dark=False).data
    assert (few_line.name, set(few_line.x)) == ("fewer than 100 tasks", {2.0})
    assert (many_line.name, min(many_line.x), max(many_line.x)) == ("100 to 999 tasks", 4.0, 12.0)
    assert (all_line.name, min(all_line.x), max(all_line.x)) == ("stages", 2.0, 12.0)
    fewer = Spread(2.5, 4.5, 9.5, 0.17, 19, table[:-1])
    assert "The median" not in charts.about_spread(fewer)
    assert len(charts.draw_spread(fewer, dark=False).data) == 2


LUCK = Luck(
    x=np.array([0.5, 1.0, 1.4, 2.5, 4.0]),
    survival=np.array([0.8, 0.5, 0.3, 0.12, 0.0]),
    points=pd.DataFrame(),
    tail=Tail(1.6, 1.3, 2.1, 1.4, 90, 7, 0.031, None, 2.7),
    verdict="It has a tail.",
)


def test_the_law_of_luck_is_told_at_two_ratios_and_with_its_fit() -> None:
    assert charts.alt_tail(LUCK).endswith(": 30 % more than 1.5, 12 % more than 3. It has a tail.")
    assert charts.about_tail(LUCK) == (
        "Pareto above 1.40 times the median: index 1.60, 95 % interval 1.30 to 2.10, n = 90 copies, "
        "Kolmogorov–Smirnov distance 0.031. 7 of them did not end and count as longer; without them "
        "the index would be 2.70. No alternative fits better (lognormal, exponential, truncated "
        "Pareto; 5 % tests)."
    )


def test_costs_are_told_with_both_ends_the_dearest_first() -> None:
    told = {"luck": Cause(30.0, 20.0, 45.0), "machine": Cause(50.0, 40.0, 65.0), "gc": Cause(-1.0, -4.0, 2.0)}
    costs = Causes(told, {"work": "no stage recurs", "idle": "slots are not counted"}, None)
    assert charts.alt_causes(costs) == (
        "Job time that would have been saved without each cause: machine 50.0 s (95 %: 40.0 s to 65.0 s), "
        "luck 30.0 s (95 %: 20.0 s to 45.0 s) and garbage collection −1.00 s (95 %: −4.00 s to 2.00 s)."
    )
    assert charts.about_causes(costs) == (
        "Replays without one cause at a time, with 95 % intervals. Machine: hosts of unequal speed; luck: "
        "what a second copy does not repeat; garbage collection: more of it than is usual in a stage. Not "
        "known: work, since no stage recurs; idle slots, since slots are not counted. What is not known "
        "counts as luck."
    )


@pytest.mark.parametrize(("won", "said"), [(1, "1 copy won"), (2, "2 copies won")])
def test_copies_that_won_are_counted_among_the_pairs(won: int, said: str) -> None:
    table = pd.DataFrame({"copy_won": np.arange(5) < won})
    found = Speculation(6, 9, 1.0, 0.1, (0.4, 0.9, 1.7), table, (0.3, 0.16, 0.45))
    assert charts.alt_pairs(found).startswith("5 pairs of an original and its second copy")
    assert f"{said}. A copy shares 30 % (95 %: 16 % to 45 %) of its original's slowness" in charts.alt_pairs(
        found
    )
    assert (
        "launched 0.900 times the median after their originals (80 %: 0.400 to 1.70)"
        in charts.about_pairs(found)
    )


def test_bars_are_told_with_their_stragglers_and_from_the_first_launch_to_the_last_end() -> None:
    rows = [f"a,{task},{task},{task + 4},h{task % 3}" for task in range(11)] + ["a,11,11,31,h0"]
    bars = gantt(read("\n".join(["job_id,task_id,start_s,end_s,host", *rows]).encode()), stage=0)
    told = gantt_of.about_gantt(bars)
    assert told.startswith("12 copies on ")
    assert " of 3 hosts within 31.0 s; 1 straggler, 0 second copies. " in told
