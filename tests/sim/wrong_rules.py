"""Rules of one's own with one mistake each, and what `python -m sim check` says of it.

Those in `RULES` are declared well enough to be run; those in `REFUSED` are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sim.gang.redundancy.all_jobs import RULE as EXPANDED
from sim.gang.rule import Redundancy
from sim.gang.signatures import decide
from sim.policy import parameter
from sim.probes.protocols.sparrow import RULE as SPARROW
from sim.probes.signatures import answer, ask, label
from sim.slots.rule import Sharing, Speculation
from sim.slots.sharing.fifo import RULE as FIFO
from sim.slots.signatures import choose, copy_ended, notice, pick, refile, watch
from sim.slots.speculation.candidates import first_candidate, forget, offer
from sim.slots.speculation.none import RULE as NONE

Given = Callable[..., Any]


def of(decorator: Given, function: Given) -> Any:
    """Decorate a lambda, which has no name of its own."""
    function.__name__ = "given"
    return decorator(function)


GANG = Redundancy(
    key="fewer", title="Wrong", summary="a rule with a mistake", decide=of(decide, lambda world, j: 2)
)
COPIES = Speculation(
    key="copies", title="Wrong", summary="a rule with a mistake", when="spare", choose=first_candidate,
    watch=of(watch, lambda world, s: math.inf if world.slots[s].number else world.slots[s].start),
    copy_ended=forget,
    notice=of(notice, lambda world, s: offer(world, s, 0.0, 0.0) or math.inf),
)  # fmt: skip
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
wrong(
    GANG, "g-none", "decide answers None: give a whole number", decide=of(decide, lambda world, j: None)
)  # fmt: skip
wrong(
    GANG, "g-half", r"decide answers \d+\.5: give a whole number",
    decide=of(decide, lambda world, j: world.jobs[j].tasks + 0.5),
)  # fmt: skip
wrong(GANG, "g-writes", r"decide writes jobs\.tasks, which only the engine may", decide=decide(forgetting))
wrong(GANG, "g-future", "decide answers otherwise when only jobs differ", decide=decide(foreseeing))
wrong(
    EXPANDED, "g-list", r"prepare answers \[2\.0\]: give numbers: a named tuple",
    prepare=lambda scenario, values: [values["r"]],
)  # fmt: skip
wrong(
    EXPANDED, "g-store", r"store answers \[2\.0\]: give an array of floats",
    store=lambda scenario, values: [values["r"]],
)  # fmt: skip
wrong(COPIES, "s-nan", "watch answers nan: give a time", watch=of(watch, lambda world, s: math.nan))
wrong(COPIES, "s-nothing", "notice answers None: give a time", notice=of(notice, lambda world, s: None))
wrong(
    COPIES, "s-past", r"watch answers -1\.0: it is \S+ already; give a time that is not over",
    watch=of(watch, lambda world, s: -1.0),
)  # fmt: skip
wrong(
    COPIES, "s-now", r"notice answers \S+: that is now; give a later time, math\.inf for never",
    notice=of(notice, lambda world, s: world.cluster[0].now),
)  # fmt: skip
wrong(
    COPIES, "s-endless", "it does not come to an end: more than .* events",
    notice=of(notice, lambda world, s: world.cluster[0].now + 1e-7),
)  # fmt: skip
wrong(COPIES, "s-finish", r"watch writes slots\.finish, which only the engine may", watch=watch(too_early))
wrong(
    COPIES, "s-far", "choose answers 1000: give the lead of a task", choose=of(choose, lambda world, j: 1000)
)
wrong(COPIES, "s-when", "when answers 'idle': give one of never, urgent", when=lambda values: "idle")
wrong(COPIES, "s-room", r"room answers 0\.5: give how many numbers", room=lambda slots, tasks: 0.5)
wrong(COPIES, "s-refuses", "it refuses every scenario", refuses=lambda scenario, values: "slots: never")
wrong(
    COPIES,
    "s-line",
    r"it fails: AttributeError: .*speed.* \(line \d+\)",
    watch=of(watch, lambda world, s: world.speed),
)
wrong(NONE, "s-formulas", "formulas answers 'x': give a tuple", formulas=lambda chosen, observed: "x")
wrong(FIFO, "h-first", "pick answers 0: that job has no task to launch", pick=of(pick, lambda world: 0))
wrong(FIFO, "h-late", "pick answers 19: give a job that has arrived", pick=of(pick, lambda world: 19))
wrong(FIFO, "h-writes", r"refile writes jobs\.held, which only", refile=refile(unheld))
wrong(
    SPARROW, "p-answer", "answer answers 7: give SPENT, REFUSED or TAKEN",
    answer=of(answer, lambda world, j, firm: 7),
)  # fmt: skip
wrong(
    SPARROW,
    "p-label",
    "label answers nan: give a finite number",
    label=of(label, lambda world, j: math.nan),
)
wrong(
    SPARROW, "p-empty", "ask answers 1: the slot has nobody to ask; take a reservation",
    ask=of(ask, lambda world, s: 1),
)  # fmt: skip

#: Rule -> why it is not taken at all.
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: replace(COPIES, watch=too_early),
        "watch: too_early is not accepted; give a function with @watch",
    ),
    (
        lambda: replace(COPIES, watch=watch(lambda world, s: 0.0)),
        "watch: a lambda is not accepted; write it with",
    ),
    (
        lambda: replace(COPIES, watch=copy_ended(too_early)),
        "watch: too_early has another decorator; write @w",
    ),
    (lambda: replace(COPIES, when="idle"), "when: 'idle' is not accepted; give one of never, urgent, budget"),
    (
        lambda: replace(COPIES, parameters=parameter("a", 1, "a", low=0, high=2)),
        r"parameters: .* give a tuple",
    ),
    (lambda: replace(COPIES, formulas="x > a"), "formulas: 'x > a' is not accepted; give a tuple"),
    (lambda: replace(FIFO, key="mine", pick=None), "pick: None is not accepted; give a function with @pick"),
    (
        lambda: replace(FIFO, key="mine", pick=pick(unheld)),
        r"pick: unheld\(world, j\) is not accepted; write p",
    ),
    (
        lambda: replace(GANG, decide=decide(idle)),
        r"decide: idle\(jobs, nodes, j\) .* write decide\(world, j\) or decide\(world, values, j\)",
    ),
    (
        lambda: replace(GANG, decide=decide(counting)),
        "decide: counting reads values, but the rule declares no parameters",
    ),
    (lambda: replace(GANG, store=[1.0]), r"store: \[1\.0\] is not accepted; give a function store\(scenario"),
    (lambda: replace(SPARROW, key="mine", parameters=()), "parameters: a protocol has one called 'cancel'"),
    (lambda: replace(SPARROW, key="mine", asks="some"), "asks: 'some' is not accepted; give the name of a"),
    (
        lambda: replace(SPARROW, key="mine", ask=label(unheld)),
        "ask: unheld has another decorator; write @ask",
    ),
    (lambda: Sharing, "is no rule; give one of Sharing, Speculation, Redundancy, Protocol"),
]
