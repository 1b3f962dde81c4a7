"""Hadoop MapReduce: its default speculator, with its caps and retry intervals (`longest_end`).

As the MapReduce application master of Hadoop 2 and 3 does it (DefaultSpeculator). Nothing is asked for
while a task of the set, or a copy of one, waits for a slot. A copy may run on the machine of the original.
The maps and the reduces of a job share a clock, and with it the pause after a copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sim.engines.slots.rule import Speculation
from sim.engines.slots.speculation import longest_end
from sim.engines.slots.speculation.longest_end import (
    Values,
    learn_winner,
    parameters,
    refusal,
    scan,
    values_of,
    watch_progress,
)
from sim.engines.slots.speculation.task_sets import choose_in_turn, store_size
from sim.model.policy import parameter
from sim.model.rule import Formula

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario

SOURCE = "Apache Hadoop 3, org.apache.hadoop.mapreduce.v2.app.speculate.DefaultSpeculator"


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Return what the hooks read."""
    return values_of(values, gate=1.0)


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return longest_end.formulas("Hadoop MapReduce", values, SOURCE)


RULE = Speculation(
    key="hadoop",
    title="Hadoop MapReduce",
    summary="now and then a copy of the task that ends last, when no task of its set waits",
    when="in turn",
    next_check=watch_progress,
    check=scan,
    on_copy_end=learn_winner,
    select_task=choose_in_turn,
    parameters=(
        *parameters(
            "mapreduce.job.speculative.retry-after-no-speculate",
            "mapreduce.job.speculative.retry-after-speculate",
            "mapreduce.job.speculative.minimum-allowed-tasks",
            "mapreduce.job.speculative.speculative-cap-total-tasks",
            "mapreduce.job.speculative.speculative-cap-running-tasks",
        ),
        parameter(
            "report",
            6,
            "time from the start of a task to its first report of progress, from which its end is known",
            setting="mapreduce.task.progress-report.interval",
            unit="time_unit",
            low=0,
            high=1e6,
        ),
    ),
    prepare=prepare,
    reference=SOURCE,
    refuses=refusal("hadoop"),
    hears_every_copy_end=True,
    judges_task_sets=True,
    store_size=store_size,
    store_before_tasks=lambda slots: 0,
    formulas=formulas,
)
