"""Tez: the speculator of Hadoop MapReduce, for each vertex, with three differences (`longest_end`).

As LegacySpeculator of Tez 0.10 does it. A copy is asked for while originals wait, and comes after them; it
runs on another machine than the original; and with `single_timeout` from 0 on the task of a set of one is
copied when it has run for longer than that.
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

SOURCE = "Apache Tez 0.10, org.apache.tez.dag.app.dag.speculation.legacy.LegacySpeculator"


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Return what the hooks read."""
    return values_of(values, gate=0.0)


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return longest_end.formulas("Tez", values, SOURCE)


RULE = Speculation(
    key="tez",
    title="Tez",
    summary="now and then a copy of the task that ends last, on another machine",
    when="in turn",
    next_check=watch_progress,
    check=scan,
    on_copy_end=learn_winner,
    select_task=choose_in_turn,
    parameters=(
        *parameters(
            "tez.am.soonest.retry.after.no.speculate",
            "tez.am.soonest.retry.after.speculate",
            "tez.am.minimum.allowed.speculative.tasks",
            "tez.am.proportion.total.tasks.speculatable",
            "tez.am.proportion.running.tasks.speculatable",
        ),
        parameter(
            "single_timeout",
            -1,
            "age at which the only task of a set is copied; below 0: never",
            setting="tez.am.legacy.speculative.single.task.vertex.timeout",
            unit="time_unit",
            low=-1,
            high=1e6,
        ),
    ),
    prepare=prepare,
    reference=SOURCE,
    refuses=refusal("tez"),
    hears_every_copy_end=True,
    judges_task_sets=True,
    copies_on_other_machines=True,
    store_size=store_size,
    store_before_tasks=lambda slots: 0,
    formulas=formulas,
)
