"""Rules of one's own with one mistake each, and the complaint of `python -m sim check`.

Those in `RULES` are declared well enough to be run; those in `REFUSED` are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sim.engines.gang.redundancy.all_jobs import RULE as EXPANDED
from sim.engines.gang.scenario import Redundancy
from sim.engines.gang.signatures import decide
from sim.engines.probes.protocols.sparrow import RULE as SPARROW
from sim.engines.probes.signatures import answer, ask, label
from sim.engines.slots.rule import Sharing, Speculation
from sim.engines.slots.sharing.fifo import RULE as FIFO
from sim.engines.slots.signatures import (
    check,
    next_check,
    next_job,
    on_copy_end,
    select_task,
    update_order,
)
from sim.engines.slots.speculation.candidates import first_candidate, forget, offer
from sim.engines.slots.speculation.none import RULE as NONE
from sim.model.policy import parameter

Given = Callable[..., Any]


def of(decorator: Given, function: Given) -> Any:
    """Decorate a lambda, which has no name of its own."""
    function.__name__ = "given"
    return decorator(function)


GANG = Redundancy(
    key="fewer", title="Wrong", summary="a rule with a mistake", decide=of(decide, lambda world, j: 2)
)
COPIES = Speculation(
    key="copies",
    title="Wrong",
    summary="a rule with a mistake",
    when="spare",
    select_task=first_candidate,
    next_check=of(next_check, lambda world, s: math.inf if world.slots[s].number else world.slots[s].start),
    on_copy_end=forget,
    check=of(check, lambda world, s: offer(world, s, 0.0, 0.0) or math.inf),
)
#: Key -> what is said, as a regular expression.
SAID: dict[str, str] = {}
RULES: list[Any] = []


def wrong(rule: Any, key: str, said: str, **changed: Any) -> None:
    RULES.append(replace(rule, key=key, **changed))
    SAID[key] = said


def too_early(world, s):
    slot = world.slots[s]
    slot.finish = slot.start
    return math.inf


def forgetting(world, j):
    world.jobs[j].tasks = 1
    return 1


def foreseeing(world, j):
    """Expand a job if the next one, which has not come yet, is large."""
    jobs = world.jobs
    return jobs[j].tasks + int(j + 1 < jobs.size and jobs[j + 1].tasks > 2)


def unheld(world, j):
    world.jobs[j].held = 7


def idle(jobs, nodes, j):
    return jobs[j].tasks


def counting(world, values, j):
    return world.jobs[j].tasks


wrong(GANG, "g-fewer", r"decide answers 2: a job of \d+ tasks starts at least \d+")
wrong(GANG, "g-none", "decide answers None: give a whole number", decide=of(decide, lambda world, j: None))
wrong(
    GANG,
    "g-half",
    r"decide answers \d+\.5: give a whole number",
    decide=of(decide, lambda world, j: world.jobs[j].tasks + 0.5),
)
wrong(GANG, "g-writes", r"decide writes jobs\.tasks, which only the engine may", decide=decide(forgetting))
wrong(GANG, "g-future", "decide answers otherwise when only jobs differ", decide=decide(foreseeing))
wrong(
    EXPANDED,
    "g-list",
    r"prepare answers \[2\.0\]: give numbers: a named tuple",
    prepare=lambda scenario, values: [values["r"]],
)
wrong(
    EXPANDED,
    "g-store",
    r"store answers \[2\.0\]: give an array of floats",
    store=lambda scenario, values: [values["r"]],
)
wrong(
    COPIES,
    "s-nan",
    "next_check answers nan: give a time",
    next_check=of(next_check, lambda world, s: math.nan),
)
wrong(COPIES, "s-nothing", "check answers None: give a time", check=of(check, lambda world, s: None))
wrong(
    COPIES,
    "s-past",
    r"next_check answers -1\.0: it is \S+ already; give a time that is not over",
    next_check=of(next_check, lambda world, s: -1.0),
)
wrong(
    COPIES,
    "s-now",
    r"check answers \S+: that is now; give a later time, math\.inf for never",
    check=of(check, lambda world, s: world.cluster[0].now),
)
wrong(
    COPIES,
    "s-endless",
    "it does not come to an end: more than .* events",
    check=of(check, lambda world, s: world.cluster[0].now + 1e-7),
)
wrong(
    COPIES,
    "s-finish",
    r"next_check writes slots\.finish, which only the engine may",
    next_check=next_check(too_early),
)
wrong(
    COPIES,
    "s-far",
    "select_task answers 1000: give the task slot of a task",
    select_task=of(select_task, lambda world, j: 1000),
)
wrong(COPIES, "s-when", "when answers 'idle': give one of never, urgent", when=lambda values: "idle")
wrong(
    COPIES,
    "s-store-size",
    r"store_size answers 0\.5: give how many numbers",
    store_size=lambda slots, tasks: 0.5,
)
wrong(COPIES, "s-refuses", "it refuses every scenario", refuses=lambda scenario, values: "slots: never")
wrong(
    COPIES,
    "s-line",
    r"it fails: AttributeError: .*speed.* \(line \d+\)",
    next_check=of(next_check, lambda world, s: world.speed),
)
wrong(NONE, "s-formulas", "formulas answers 'x': give a tuple", formulas=lambda chosen, observed: "x")
wrong(
    FIFO,
    "h-first",
    "next_job answers 0: that job has no task to launch",
    next_job=of(next_job, lambda world: 0),
)
wrong(
    FIFO,
    "h-late",
    "next_job answers 19: give a job that has arrived",
    next_job=of(next_job, lambda world: 19),
)
wrong(FIFO, "h-writes", r"update_order writes jobs\.held, which only", update_order=update_order(unheld))
wrong(
    SPARROW,
    "p-answer",
    "answer answers 7: give SPENT, REFUSED or TAKEN",
    answer=of(answer, lambda world, j, firm: 7),
)
wrong(
    SPARROW,
    "p-label",
    "label answers nan: give a finite number",
    label=of(label, lambda world, j: math.nan),
)
wrong(
    SPARROW,
    "p-empty",
    "ask answers 1: the slot has nobody to ask; take a reservation",
    ask=of(ask, lambda world, s: 1),
)

#: Rule -> why it is not taken at all.
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: replace(COPIES, next_check=too_early),
        "next_check: too_early is not accepted; give a function with @next_check",
    ),
    (
        lambda: replace(COPIES, next_check=next_check(lambda world, s: 0.0)),
        "next_check: a lambda is not accepted; write it with",
    ),
    (
        lambda: replace(COPIES, next_check=on_copy_end(too_early)),
        "next_check: too_early has another decorator; write @n",
    ),
    (lambda: replace(COPIES, when="idle"), "when: 'idle' is not accepted; give one of never, urgent, budget"),
    (
        lambda: replace(COPIES, parameters=parameter("a", 1, "a", low=0, high=2)),
        r"parameters: .* give a tuple",
    ),
    (lambda: replace(COPIES, formulas="x > a"), "formulas: 'x > a' is not accepted; give a tuple"),
    (
        lambda: replace(FIFO, key="mine", next_job=None),
        "next_job: None is not accepted; give a function with @next_job",
    ),
    (
        lambda: replace(FIFO, key="mine", next_job=next_job(unheld)),
        r"next_job: unheld\(world, j\) is not accepted; write n",
    ),
    (
        lambda: replace(GANG, decide=decide(idle)),
        r"decide: idle\(jobs, nodes, j\) .* write decide\(world, j\) or decide\(world, values, j\)",
    ),
    (
        lambda: replace(GANG, decide=decide(counting)),
        "decide: counting reads values, but the rule declares no parameters",
    ),
    (
        lambda: replace(GANG, job_state=("seen",)),
        r"job_state: .* give names and first numbers, as \{'seen': 0\}",
    ),
    (lambda: replace(GANG, job_state={"copy": 0}), "job_state: 'copy' is not accepted; give another word"),
    (lambda: replace(COPIES, slot_state={"seen": "no"}), "slot_state: seen begins with 'no'; give a number"),
    (lambda: replace(GANG, store=[1.0]), r"store: \[1\.0\] is not accepted; give a function store\(scenario"),
    (lambda: replace(SPARROW, key="mine", parameters=()), "parameters: a protocol has one called 'cancel'"),
    (lambda: replace(SPARROW, key="mine", asks="some"), "asks: 'some' is not accepted; give the name of a"),
    (
        lambda: replace(SPARROW, key="mine", ask=label(unheld)),
        "ask: unheld has another decorator; write @ask",
    ),
    (lambda: Sharing, "is no rule; give one of Sharing, Speculation, Redundancy, Protocol"),
]
