"""The rules of real systems on timelines that were worked out by hand from their sources.

Each case is one stage alone on an idle cluster: durations of the copies of each task in milliseconds, and
what must become of them. Sources: Apache Spark 4.0.0 (TaskSetManager, TaskSchedulerImpl), whose timelines
agree with stages of real clusters.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.sim.slots.recorded import FINISHED, KILLED, machines, run_of, timeline


class Case(NamedTuple):
    """A stage, and its copies as (task, copy, launch, end, fate)."""

    name: str
    rule: str
    hosts: tuple[int, ...]
    durations: list[tuple[int, ...]]
    copies: list[tuple[int, int, int, int, str]]


SPARK = [
    Case(
        "spark-off",
        # nothing is copied
        "none",
        (3, 3, 3, 3),
        [
            (2010, 1530),
            (2020, 1537),
            (2030, 1544),
            (2040, 1551),
            (2050, 1558),
            (2060, 1565),
            (2070, 1572),
            (2080, 1579),
            (2090, 1586),
            (15070, 1593),
        ],
        [
            (0, 0, 0, 2010, FINISHED),
            (1, 0, 0, 2020, FINISHED),
            (2, 0, 0, 2030, FINISHED),
            (3, 0, 0, 2040, FINISHED),
            (4, 0, 0, 2050, FINISHED),
            (5, 0, 0, 2060, FINISHED),
            (6, 0, 0, 2070, FINISHED),
            (7, 0, 0, 2080, FINISHED),
            (8, 0, 0, 2090, FINISHED),
            (9, 0, 0, 15070, FINISHED),
        ],
    ),
    Case(
        "spark-4-defaults",
        # 9 of 10 are enough, the upper median of 9 is 2050, the first check after 6150 is at 6200
        "spark",
        (3, 3, 3, 3),
        [
            (2010, 1530),
            (2020, 1537),
            (2030, 1544),
            (2040, 1551),
            (2050, 1558),
            (2060, 1565),
            (2070, 1572),
            (2080, 1579),
            (2090, 1586),
            (15070, 1593),
        ],
        [
            (0, 0, 0, 2010, FINISHED),
            (1, 0, 0, 2020, FINISHED),
            (2, 0, 0, 2030, FINISHED),
            (3, 0, 0, 2040, FINISHED),
            (4, 0, 0, 2050, FINISHED),
            (5, 0, 0, 2060, FINISHED),
            (6, 0, 0, 2070, FINISHED),
            (7, 0, 0, 2080, FINISHED),
            (8, 0, 0, 2090, FINISHED),
            (9, 0, 0, 7793, KILLED),
            (9, 1, 6200, 7793, FINISHED),
        ],
    ),
    Case(
        "spark-3-defaults",
        # the defaults before 4.0: 7 of 10 are enough, but the median counts all that have finished
        "spark:multiplier=1.5,quantile=0.75",
        (3, 3, 3, 3),
        [
            (2010, 1530),
            (2020, 1537),
            (2030, 1544),
            (2040, 1551),
            (2050, 1558),
            (2060, 1565),
            (2070, 1572),
            (2080, 1579),
            (2090, 1586),
            (15070, 1593),
        ],
        [
            (0, 0, 0, 2010, FINISHED),
            (1, 0, 0, 2020, FINISHED),
            (2, 0, 0, 2030, FINISHED),
            (3, 0, 0, 2040, FINISHED),
            (4, 0, 0, 2050, FINISHED),
            (5, 0, 0, 2060, FINISHED),
            (6, 0, 0, 2070, FINISHED),
            (7, 0, 0, 2080, FINISHED),
            (8, 0, 0, 2090, FINISHED),
            (9, 0, 0, 4693, KILLED),
            (9, 1, 3100, 4693, FINISHED),
        ],
    ),
    Case(
        "spark-quantile-floor",
        # the share of 6 is rounded down to 4
        "spark:multiplier=1.5,quantile=0.75",
        (3, 3),
        [(1010, 1530), (1020, 1537), (1030, 1544), (1040, 1551), (4010, 1558), (8010, 1565)],
        [
            (0, 0, 0, 1010, FINISHED),
            (1, 0, 0, 1020, FINISHED),
            (2, 0, 0, 1030, FINISHED),
            (3, 0, 0, 1040, FINISHED),
            (4, 0, 0, 3158, KILLED),
            (4, 1, 1600, 3158, FINISHED),
            (5, 0, 0, 3165, KILLED),
            (5, 1, 1600, 3165, FINISHED),
        ],
    ),
    Case(
        "spark-one-task",
        # a set of one task is left alone
        "spark",
        (2, 2),
        [(9010, 1530)],
        [
            (0, 0, 0, 9010, FINISHED),
        ],
    ),
    Case(
        "spark-median-upper",
        # of two in the middle the upper one, since 3.5
        "spark:multiplier=1.5,quantile=0.5",
        (3, 3),
        [(1010, 1530), (1990, 1537), (9010, 1544), (9020, 1551)],
        [
            (0, 0, 0, 1010, FINISHED),
            (1, 0, 0, 1990, FINISHED),
            (2, 0, 0, 4544, KILLED),
            (2, 1, 3000, 4544, FINISHED),
            (3, 0, 0, 4551, KILLED),
            (3, 1, 3000, 4551, FINISHED),
        ],
    ),
    Case(
        "spark-wait-other-host",
        # a copy waits for a slot on another machine, though one is free
        "spark:multiplier=1.5,quantile=0.75",
        (2, 2),
        [(1010, 1530), (6010, 3010), (1030, 1544), (1040, 1551), (9010, 3020), (1060, 1565)],
        [
            (0, 0, 0, 1010, FINISHED),
            (1, 0, 0, 5110, KILLED),
            (1, 1, 2100, 5110, FINISHED),
            (2, 0, 0, 1030, FINISHED),
            (3, 0, 0, 1040, FINISHED),
            (4, 0, 1010, 5620, KILLED),
            (4, 1, 2600, 5620, FINISHED),
            (5, 0, 1030, 2090, FINISHED),
        ],
    ),
    Case(
        "spark-originals-first",
        # the copy marked at 2100 waits for the originals of its set
        "spark:multiplier=1.2,quantile=0.25",
        (1, 1),
        [
            (1010, 2010),
            (20010, 2017),
            (1030, 2024),
            (1040, 2031),
            (1050, 2038),
            (1060, 2045),
            (1070, 2052),
            (1080, 2059),
        ],
        [
            (0, 0, 0, 1010, FINISHED),
            (1, 0, 0, 9357, KILLED),
            (1, 1, 7340, 9357, FINISHED),
            (2, 0, 1010, 2040, FINISHED),
            (3, 0, 2040, 3080, FINISHED),
            (4, 0, 3080, 4130, FINISHED),
            (5, 0, 4130, 5190, FINISHED),
            (6, 0, 5190, 6260, FINISHED),
            (7, 0, 6260, 7340, FINISHED),
        ],
    ),
    Case(
        "spark-lifo",
        # what was marked last is copied first
        "spark:multiplier=1.5,quantile=0.5",
        (4, 1),
        [(2010, 2310), (9010, 2317), (2610, 2324), (9030, 2331), (2310, 2338), (9050, 2345)],
        [
            (0, 0, 0, 2010, FINISHED),
            (1, 0, 0, 5817, KILLED),
            (1, 1, 3500, 5817, FINISHED),
            (2, 0, 0, 2610, FINISHED),
            (3, 0, 0, 9030, FINISHED),
            (3, 1, 8162, 9030, KILLED),
            (4, 0, 0, 2310, FINISHED),
            (5, 0, 2010, 8162, KILLED),
            (5, 1, 5817, 8162, FINISHED),
        ],
    ),
]
CASES = [*SPARK]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_stage_alone_goes_as_the_source_says(case):
    durations = [[time / 1000 for time in copies] for copies in case.durations]
    run = run_of(case.hosts, f"fifo+{case.rule}", [durations])
    assert [line[1:] for line in timeline(run)] == case.copies
    where = machines(run)
    if case.rule.startswith(("spark", "tez")):
        assert all(where[0, task, 1] != where[0, task, 0] for _, task, copy in where if copy)
