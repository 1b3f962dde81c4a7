"""A recorded workload on a scenario's cluster: its offered load, and a sentence on what is changed."""

from __future__ import annotations

import math

from sim.model.fields import BadInput, about_fields
from sim.model.scenario import Scenario
from sim.model.trace import Trace
from sim.model.workload import recorded_load
from sim.telling.words import counted

#: The duration of a copy, by the meaning of a trace's sizes; with the mean straggle factor.
SIZES = {
    "means": "Sizes are means: a copy takes its size times a straggle factor over their mean {mean:.3g}, "
    "so that the mean work is as recorded",
    "healthy": "Sizes are healthy times: a copy takes its size times a straggle factor of mean {mean:.3g}",
    "measured": "Sizes are what was measured: every copy takes its size, without a straggle factor",
}


def with_recorded_load(scenario: Scenario, trace: Trace) -> Scenario:
    """Return the scenario with the load that the recorded times offer, within what the field accepts."""
    most = about_fields(type(scenario))["load"].high
    return scenario.replace(load=min(max(recorded_load(trace, scenario), 1e-12), most))


def refuse_load(scenario: Scenario, field: str) -> None:
    """Refuse a load where recorded times are kept.

    Raises
    ------
    BadInput
        Saying how to stretch them.
    """
    if field == "load" and scenario.keeps_times:
        raise BadInput(
            "load: a load is not accepted where recorded times are kept; set recorded_times=stretched"
        )


def about_trace(trace: Trace, scenario: Scenario) -> tuple[str, ...]:
    """Return in a sentence or two the jobs, span and load of a trace, and what is done to its columns.

    Examples
    --------
    >>> import numpy as np
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> trace = Trace(np.array([0.0, 8.0]), np.array([4, 4]), np.array([6.0, 6.0]), ("a", "b"), "x.csv", "")
    >>> kept = SlotScenario(slots=6, arrivals="trace", tasks="trace", size="trace")
    >>> about_trace(trace, kept)[0]
    '2 jobs recorded over 8 s, an offered load of 0.5 on 6 slots; their times are kept'
    >>> about_trace(trace, kept.replace(recorded_times="stretched", load=0.25))[0]
    '2 jobs recorded over 8 s, an offered load of 0.5 on 6 slots; stretched by 2 to an offered load of 0.25'
    """
    span = float(trace.arrival[-1] - trace.arrival[0])
    load, slots = recorded_load(trace, scenario), counted(scenario.slots, "slot")
    known = f", an offered load of {load:.3g} on {slots}" if math.isfinite(load) else ""
    told = f"{counted(trace.arrival.size, 'job')} recorded over {span:.6g} {scenario.time_unit}{known}"
    if scenario.keeps_times:
        told += "; their times are kept"
    elif scenario.arrivals == "trace":
        told += f"; stretched by {load / scenario.load:.3g} to an offered load of {scenario.load:g}"
    else:
        told += "; their arrivals are drawn"
    if scenario.size != "trace":
        return (told,)
    return told, SIZES[scenario.recorded_sizes].format(mean=scenario.mean_factor)
