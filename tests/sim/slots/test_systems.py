"""The rules of real systems on timelines that were worked out by hand from their sources.

Each case is one stage alone on an idle cluster: durations of the copies of each task in milliseconds, and
what must become of them. Sources: Apache Spark 4.0.0 (TaskSetManager, TaskSchedulerImpl), whose timelines
agree with stages of real clusters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from sim.engines.slots.scenario import speculation_rules
from tests.sim.slots.recorded import FINISHED, KILLED, machines, most_free, run_of, timeline


class Case(NamedTuple):
    """A stage, and its copies as (task, copy, launch, end, fate)."""

    name: str
    rule: str
    hosts: tuple[int, ...]
    durations: list[tuple[int, ...]]
    copies: list[tuple[int, int, int, int, str]]


#: A set of ten tasks, each with the durations of its original and of its copy; the last straggles, and the
#: originals of the others finish in each case.
TEN: list[tuple[int, ...]] = [
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
]
NINE = [(task, 0, 0, TEN[task][0], FINISHED) for task in range(9)]
SPARK = [
    Case(
        "spark-off",
        # nothing is copied
        "none",
        (3, 3, 3, 3),
        TEN,
        [
            *NINE,
            (9, 0, 0, 15070, FINISHED),
        ],
    ),
    Case(
        "spark-4-defaults",
        # 9 of 10 are enough, the upper median of 9 is 2050, the first check after 6150 is at 6200
        "spark",
        (3, 3, 3, 3),
        TEN,
        [
            *NINE,
            (9, 0, 0, 7793, KILLED),
            (9, 1, 6200, 7793, FINISHED),
        ],
    ),
    Case(
        "spark-3-defaults",
        # the defaults before 4.0: 7 of 10 are enough, but the median counts all that have finished
        "spark:multiplier=1.5,quantile=0.75",
        (3, 3, 3, 3),
        TEN,
        [
            *NINE,
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
HADOOP = [
    Case(
        "mr-basic",
        # one copy a scan, then a pause of 15 s
        "hadoop",
        (3, 3),
        [(20010, 20000), (21010, 20007), (22010, 20014), (90010, 20021), (60010, 20028)],
        [
            (0, 0, 0, 20010, FINISHED),
            (1, 0, 0, 21010, FINISHED),
            (2, 0, 0, 22010, FINISHED),
            (3, 0, 0, 41021, KILLED),
            (3, 1, 21000, 41021, FINISHED),
            (4, 0, 0, 56028, KILLED),
            (4, 1, 36000, 56028, FINISHED),
        ],
    ),
    Case(
        "mr-one-per-15s",
        # four alike, 15 s apart
        "hadoop",
        (4, 4),
        [(20010, 20000), (100010, 20007), (100110, 20014), (100210, 20021), (100310, 20028)],
        [
            (0, 0, 0, 20010, FINISHED),
            (1, 0, 0, 86007, KILLED),
            (1, 1, 66000, 86007, FINISHED),
            (2, 0, 0, 71014, KILLED),
            (2, 1, 51000, 71014, FINISHED),
            (3, 0, 0, 56021, KILLED),
            (3, 1, 36000, 56021, FINISHED),
            (4, 0, 0, 41028, KILLED),
            (4, 1, 21000, 41028, FINISHED),
        ],
    ),
    Case(
        "mr-too-late",
        # a copy would end later
        "hadoop",
        (3, 3),
        [(20010, 20000), (21010, 20007), (22010, 20014), (39010, 20021)],
        [
            (0, 0, 0, 20010, FINISHED),
            (1, 0, 0, 21010, FINISHED),
            (2, 0, 0, 22010, FINISHED),
            (3, 0, 0, 39010, FINISHED),
        ],
    ),
    Case(
        "mr-cap-1",
        # at most one copy at a time
        "hadoop:least_copies=1,pause=2",
        (4, 4),
        [(20010, 30000), (100010, 30007), (100110, 30014), (100210, 30021)],
        [
            (0, 0, 0, 20010, FINISHED),
            (1, 0, 0, 100010, FINISHED),
            (2, 0, 0, 82014, KILLED),
            (2, 1, 52000, 82014, FINISHED),
            (3, 0, 0, 51021, KILLED),
            (3, 1, 21000, 51021, FINISHED),
        ],
    ),
]
TEZ = [
    Case(
        "tez-single-timeout",
        # a set of one task goes by its age
        "tez:single_timeout=30",
        (2, 2),
        [(60010, 9007)],
        [
            (0, 0, 0, 40007, KILLED),
            (0, 1, 31000, 40007, FINISHED),
        ],
    ),
    Case(
        "tez-pending",
        # the copy is asked for at 21000 and waits for the originals
        "tez",
        (2, 2),
        [
            (20010, 20000),
            (90010, 20007),
            (21010, 20014),
            (22010, 20021),
            (23010, 20028),
            (24010, 20035),
            (25010, 20042),
        ],
        [
            (0, 0, 0, 20010, FINISHED),
            (1, 0, 0, 63027, KILLED),
            (1, 1, 43020, 63027, FINISHED),
            (2, 0, 0, 21010, FINISHED),
            (3, 0, 0, 22010, FINISHED),
            (4, 0, 20010, 43020, FINISHED),
            (5, 0, 21010, 45020, FINISHED),
            (6, 0, 22010, 47020, FINISHED),
        ],
    ),
    Case(
        "tez-other-node",
        # never on the machine of the original
        "tez",
        (3, 1),
        [(20010, 20000), (80010, 20007), (95010, 20014)],
        [
            (0, 0, 0, 20010, FINISHED),
            (1, 0, 0, 61021, KILLED),
            (1, 1, 41014, 61021, FINISHED),
            (2, 0, 0, 41014, KILLED),
            (2, 1, 21000, 41014, FINISHED),
        ],
    ),
]
FLINK = [
    Case(
        "flink-defaults",
        # 3 of 4 have finished, their median is 61010, the baseline 91515
        "flink",
        (3, 3),
        [(20010, 18000), (61010, 18007), (62010, 18014), (290010, 18021)],
        [
            (0, 0, 0, 20010, FINISHED),
            (1, 0, 0, 61010, FINISHED),
            (2, 0, 0, 62010, FINISHED),
            (3, 0, 0, 110021, KILLED),
            (3, 1, 92000, 110021, FINISHED),
        ],
    ),
    Case(
        "flink-fastest",
        # the median of the 5 shortest of the 6 finished ones
        "flink:lower_bound=0,block=0",
        (4, 4),
        [(1010, 1500), (1020, 1507), (1030, 1514), (1040, 1521), (5010, 1528), (5020, 1535), (30010, 1542)],
        [
            (0, 0, 0, 1010, FINISHED),
            (1, 0, 0, 1020, FINISHED),
            (2, 0, 0, 1030, FINISHED),
            (3, 0, 0, 1040, FINISHED),
            (4, 0, 0, 5010, FINISHED),
            (5, 0, 0, 5020, FINISHED),
            (6, 0, 0, 7542, KILLED),
            (6, 1, 6000, 7542, FINISHED),
        ],
    ),
    Case(
        "flink-three",
        # 2 of 3 are not three quarters
        "flink:lower_bound=0,block=0",
        (3, 3),
        [(1010, 1500), (1020, 1507), (30010, 1514)],
        [
            (0, 0, 0, 1010, FINISHED),
            (1, 0, 0, 1020, FINISHED),
            (2, 0, 0, 30010, FINISHED),
        ],
    ),
    Case(
        "flink-block-both",
        # both machines are blocked
        "flink:lower_bound=0,ratio=0.5,block=4",
        (2, 2),
        [(1010, 3500), (1020, 3507), (9010, 3514), (12010, 3521)],
        [
            (0, 0, 0, 1010, FINISHED),
            (1, 0, 0, 1020, FINISHED),
            (2, 0, 0, 9010, FINISHED),
            (3, 0, 0, 12010, FINISHED),
        ],
    ),
]
HEDGE = [
    Case(
        "hedge-basic",
        # copies 500 ms after sending
        "hedge:delay=0.5",
        (9, 9, 9),
        [(110, 200), (490, 207), (510, 214), (3010, 221)],
        [
            (0, 0, 0, 110, FINISHED),
            (1, 0, 0, 490, FINISHED),
            (2, 0, 0, 510, FINISHED),
            (2, 1, 500, 510, KILLED),
            (3, 0, 0, 721, KILLED),
            (3, 1, 500, 721, FINISHED),
        ],
    ),
    Case(
        "hedge-four",
        # four attempts, 500 ms apart
        "hedge:copies=4,delay=0.5",
        (9, 9, 9, 9),
        [(5010, 4010, 3010, 2010), (110, 1, 1, 1)],
        [
            (0, 0, 0, 3510, KILLED),
            (0, 1, 500, 3510, KILLED),
            (0, 2, 1000, 3510, KILLED),
            (0, 3, 1500, 3510, FINISHED),
            (1, 0, 0, 110, FINISHED),
        ],
    ),
    Case(
        "hedge-queue",
        # waiting requests are copied, too, and their copies wait behind them
        "hedge:delay=0.5",
        (1, 1),
        [(910, 610), (920, 617), (930, 624), (940, 631)],
        [
            (0, 0, 0, 910, FINISHED),
            (1, 0, 0, 920, FINISHED),
            (2, 0, 910, 1840, FINISHED),
            (3, 0, 920, 1860, FINISHED),
            (3, 1, 1840, 1860, KILLED),
        ],
    ),
]
CASES = [*SPARK, *HADOOP, *TEZ, *FLINK, *HEDGE]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_stage_alone_goes_as_the_source_says(case):
    durations = [[time / 1000 for time in copies] for copies in case.durations]
    order = most_free(case.hosts) if case.rule.startswith(("hadoop", "tez")) else ()
    run = run_of(case.hosts, f"fifo+{case.rule}", [durations], order=order)
    assert [line[1:] for line in timeline(run)] == case.copies
    where = machines(run)
    if case.rule.startswith(("spark", "tez")):
        assert all(where[0, task, 1] != where[0, task, 0] for _, task, copy in where if copy)


def test_hadoop_asks_for_nothing_while_a_copy_waits():
    """The copy asked for at 2000 gets a slot at 11500; only then, at 12000, is another asked for."""
    stages = [[[1.5], [1.5], [40.0, 5.0], [41.0, 5.0]], [[10.0], [10.0]]]
    found = timeline(run_of((4,), "fifo+hadoop:pause=1,report=0", stages))
    copies = {line[:3]: line[3] for line in found if line[2] > 0}
    assert copies == {(0, 3, 1): 11500, (0, 2, 1): 12000}


def test_hadoop_knows_nothing_of_a_task_before_its_first_report():
    """It comes after 6000 of 40 s, and with an interval of 9 s after 9000; scans come each second."""
    stage = [[1.5], [1.5], [40.0, 5.0]]
    for report, launch in ((6, 6000), (9, 9000)):
        found = timeline(run_of((4,), f"fifo+hadoop:report={report}", [stage]))
        assert [line[3] for line in found if line[2] > 0] == [launch]


@pytest.mark.parametrize(
    ("rule", "first", "reduce"), [("hadoop", 20.5, 21000), ("hadoop", 30.01, 36000), ("tez", 30.01, 31000)]
)
def test_maps_and_reduces_of_a_job_share_a_clock_in_hadoop_only(rule, first, reduce):
    """A map is copied at 21000, and with it a reduce that can be; one that cannot yet waits for the pause."""
    stages = [[[20.01], [90.0, 20.0]], [[first], [91.0, 20.0]]]
    found = timeline(run_of((4, 4), f"fifo+{rule}", stages, first=np.array([0, 0])))
    assert [line[:4] for line in found if line[2] > 0] == [(0, 1, 1, 21000), (1, 1, 1, reduce)]


def test_a_copied_task_that_is_too_late_does_not_count():
    """One copy at a time: that of task 1 is asked for at 21000 and runs from 30010.

    With a mean of 17.5 s task 1, which ends at 50500, is too late from 33000 on. So task 4 is asked for then
    and gets the slot at 50500; were task 1 counted to its end it would be asked for at 51000.
    """
    stage = [[20.01], [50.5, 60.0], [22.5], [10.0], [100.0, 5.0]]
    found = timeline(run_of((1, 1, 1), "fifo+tez:least_copies=1,pause=1", [stage]))
    assert [line[1:4] for line in found if line[2] > 0] == [(1, 1, 30010), (4, 1, 50500)]


def test_hedges_without_a_delay_are_sent_at_once():
    found = timeline(run_of((9, 9), "fifo+hedge:copies=3,delay=0", [[[5.0, 4.0, 3.0], [2.0, 2.5, 2.5]]]))
    assert [line[1:] for line in found] == [
        (0, 0, 0, 3000, KILLED),
        (0, 1, 0, 3000, KILLED),
        (0, 2, 0, 3000, FINISHED),
        (1, 0, 0, 2000, FINISHED),
        (1, 1, 0, 2000, KILLED),
        (1, 2, 0, 2000, KILLED),
    ]


def test_flink_rounds_the_number_of_the_shortest():
    """Of ten, 7.5 are 8, whose middle one took 5 s: the baseline is 15 s, and not 12 s as for 7."""
    stage = [[float(time)] for time in range(1, 9)] + [[100.0, 5.0], [100.0, 5.0]]
    found = timeline(run_of((6, 6), "fifo+flink:lower_bound=0,multiplier=3,block=0", [stage]))
    assert [line[3] for line in found if line[2] > 0] == [15000, 15000]


def test_flink_is_played_by_time_where_it_goes_by_time_per_byte():
    """Of four tasks at the same rate the last reads twice as much: by time per byte none of them is slow.

    By time it is slow from 1.5 x 10 s on, at which it has run for three quarters of its time.
    """
    stage = [[10.0], [10.0], [10.0], [20.0, 20.0]]
    found = timeline(run_of((4, 4), "fifo+flink:lower_bound=0,block=0", [stage]))
    assert [line[1:4] for line in found if line[2] > 0] == [(3, 1, 15000)]


BLOCKING = "fifo+flink:lower_bound=0,ratio=0.5,block=4"


def test_nothing_starts_on_a_blocked_machine_until_it_is_open_again():
    """Checks at 2000 and 3000 see the slow task on machine 1, which is open again at 7000."""
    stages = [[[1.01], [30.0, 1.2]], [[2.5]] * 3]
    run = run_of((1, 1), BLOCKING, stages, submit=(0.0, 3.0))
    assert [line[1:] for line in timeline(run) if line[0] == 1] == [
        (0, 0, 3200, 5700, FINISHED),
        (1, 0, 5700, 8200, FINISHED),
        (2, 0, 7000, 9500, FINISHED),
    ]
    assert [machines(run)[1, task, 0] for task in range(3)] == [0, 0, 1]


def test_a_blocked_machine_that_is_the_only_one_holds_up_all():
    """The last check that sees the slow task is at 8000; nothing else happens until 12000."""
    found = timeline(run_of((2,), BLOCKING, [[[1.01], [9.0]], [[1.0]]], submit=(0.0, 3.0)))
    assert found == [
        (0, 0, 0, 0, 1010, FINISHED),
        (0, 1, 0, 0, 9000, FINISHED),
        (1, 0, 0, 12000, 13000, FINISHED),
    ]


@pytest.mark.parametrize(
    ("copies", "found"),
    [
        (1, [(1, 0, 0, 20000, FINISHED)]),
        (2, [(1, 0, 0, 11000, KILLED), (1, 1, 2000, 11000, FINISHED)]),
        (3, [(1, 0, 0, 7000, KILLED), (1, 1, 2000, 7000, KILLED), (1, 2, 2000, 7000, FINISHED)]),
    ],
)
def test_flink_starts_all_missing_attempts_at_once_and_without_a_block_anywhere(copies, found):
    policy = f"fifo+flink:lower_bound=0,ratio=0.5,block=0,copies={copies}"
    run = run_of((3,), policy, [[[1.01], [20.0, 9.0, 5.0]]])
    assert [line[1:] for line in timeline(run) if line[1] == 1] == found


def test_a_request_sent_at_the_same_time_as_a_hedge_goes_first():
    """At 2000 one slot is free: the request of 1000 gets it, and the hedge of 1000 never runs."""
    stages = [[[3.0, 1.0], [2.0, 1.0]], [[5.0]]]
    found = timeline(run_of((2,), "fifo+hedge:delay=1", stages, submit=(0.0, 1.0)))
    assert (1, 0, 0, 2000, 7000, FINISHED) in found
    assert not [line for line in found if line[0] == 0 and line[2] > 0]


def test_spark_counts_the_upper_middle_at_every_number_of_finished_tasks():
    """After 1, 2, 3 and 4 of eight the middle is 1, 2, 2 and 3 s: the last are marked from 1.5 x 3 s on."""
    stage = [[1.0], [2.0], [3.0], [3.9], *([[50.0, 1.0]] * 4)]
    found = timeline(run_of((8, 8), "fifo+spark:multiplier=1.5,quantile=0.5", [stage]))
    assert {line[3] for line in found if line[2] > 0} == {4600}


def test_spark_took_the_mean_of_the_middle_two_up_to_3_4():
    """After 1, 2, 3 and 4 of eight the median is 1, 1.5, 2 and 2.5 s: the last are marked from 3.75 s on."""
    stage = [[1.0], [2.0], [3.0], [3.6], *([[50.0, 1.0]] * 4)]
    run = run_of((8, 8), "fifo+spark:multiplier=1.5,quantile=0.5", [stage], middle_pair=True)
    assert {line[3] for line in timeline(run) if line[2] > 0} == {3800}


@pytest.mark.parametrize(("slots", "copies"), [(2, {}), (3, {1: 2100, 2: 2100})])
def test_the_threshold_is_for_sets_that_fit_in_an_executor(slots, copies):
    """Three tasks on machines of six slots: in executors of two they wait for 90 % of the set, in vain."""
    stage = [[1.0], [9.0, 1.0], [9.0, 1.0]]
    run = run_of((6, 6), "fifo+spark:threshold=2", [stage], executor_slots=slots)
    assert {line[1]: line[3] for line in timeline(run) if line[2] > 0} == copies


def test_the_slot_of_a_copy_that_lost_is_free_when_it_is_dead():
    """The copy wins at 2600; the original, whose slot is machine 0's only one, dies at 3100.

    The next job has two tasks: one starts in the winner's slot, the other then. Its third finds none before.
    """
    stages = [[[9.0, 1.0], [1.0]], [[4.0], [4.0]]]
    rule = "fifo+spark:multiplier=1.5,quantile=0.5"
    run = run_of((1, 1), rule, stages, submit=(0.0, 1.7), linger=0.5)
    assert timeline(run) == [
        (0, 0, 0, 0, 3100, KILLED),
        (0, 0, 1, 1600, 2600, FINISHED),
        (0, 1, 0, 0, 1000, FINISHED),
        (1, 0, 0, 2600, 6600, FINISHED),
        (1, 1, 0, 3100, 7100, FINISHED),
    ]
    assert run.outcome().resource[0] == pytest.approx(3.1 + 1.0 + 1.0)


def test_a_copy_that_waits_for_another_machine_gets_the_slot_of_one_that_has_died():
    """The last task runs on machine 1; the slot of machine 0 is held until 4600 by one that lost at 2600."""
    stages = [[[9.0, 1.0], [1.0]], [[0.1], [9.0, 1.0]]]
    rule = "fifo+spark:multiplier=1.5,quantile=0.5"
    found = timeline(run_of((1, 2), rule, stages, submit=(0.0, 1.0), order=(0, 2, 3), linger=2.0))
    assert [line for line in found if line[:2] == (1, 1)] == [
        (1, 1, 0, 1000, 7600, KILLED),
        (1, 1, 1, 4600, 5600, FINISHED),
    ]


def test_spark_leaves_a_task_alone_before_its_least_runtime():
    """Three times the median is 0.06 s, but nothing is slow before it has run for more than 1 s."""
    stage = [*([[0.02]] * 9), [5.0, 0.02]]
    found = timeline(run_of((8, 8), "fifo+spark:min_runtime=1", [stage]))
    assert [line[3] for line in found if line[2] > 0] == [1100]


@pytest.mark.parametrize(("rule", "launch"), [("tez", 2600), ("hadoop:report=0", 3000)])
def test_tez_asks_while_originals_wait_and_hadoop_does_not(rule, launch):
    """The last original starts at 2300 and ends at 2600: scans come at 1000, 2000 and 3000."""
    stage = [[1.0], [30.0, 5.0], [1.1], [0.2], [0.3]]
    found = timeline(run_of((1, 1), f"fifo+{rule}", [stage]))
    assert [line[:4] for line in found if line[2] > 0] == [(0, 1, 1, launch)]


#: Setting -> its default in the documents of Spark 4, Hadoop 3, Tez 0.10 and Flink 2; times in s.
DOCUMENTED = {
    "spark.speculation.multiplier": 3,
    "spark.speculation.quantile": 0.9,
    "spark.speculation.interval": 0.1,
    "spark.speculation.minTaskRuntime": 0.1,
    "spark.speculation.task.duration.threshold": 0,  # none
    "mapreduce.job.speculative.retry-after-no-speculate": 1,
    "mapreduce.job.speculative.retry-after-speculate": 15,
    "mapreduce.job.speculative.minimum-allowed-tasks": 10,
    "mapreduce.job.speculative.speculative-cap-total-tasks": 0.01,
    "mapreduce.job.speculative.speculative-cap-running-tasks": 0.1,
    "tez.am.soonest.retry.after.no.speculate": 1,
    "tez.am.soonest.retry.after.speculate": 15,
    "tez.am.minimum.allowed.speculative.tasks": 10,
    "tez.am.proportion.total.tasks.speculatable": 0.01,
    "tez.am.proportion.running.tasks.speculatable": 0.1,
    "tez.am.legacy.speculative.single.task.vertex.timeout": -1,
    "slow-task-detector.execution-time.baseline-multiplier": 1.5,
    "slow-task-detector.execution-time.baseline-ratio": 0.75,
    "slow-task-detector.execution-time.baseline-lower-bound": 60,
    "slow-task-detector.check-interval": 1,
    "execution.batch.speculative.max-concurrent-executions": 2,
    "execution.batch.speculative.block-slow-node-duration": 60,
}
#: Settings whose documents name no number.
UNDOCUMENTED = {"mapreduce.task.progress-report.interval", "maxAttempts", "hedgingDelay"}


def test_a_rule_of_a_system_begins_with_the_documented_defaults():
    ours = {
        one.setting: one.default
        for rule in speculation_rules().values()
        for one in rule.parameters
        if one.setting
    }
    assert {name: ours[name] for name in ours.keys() - UNDOCUMENTED} == DOCUMENTED
