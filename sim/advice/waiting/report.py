"""The answer in words, as text for a terminal, and as JSON."""

from __future__ import annotations

import math
from typing import Any

from sim.advice.waiting.answer import (
    COPY,
    EXPLAINED,
    FEWEST,
    RESTART,
    UNKNOWN,
    WAIT,
    Choice,
    Interval,
    Task,
    Waiting,
    pays_from,
    rules,
)
from sim.telling.document import aligned
from sim.telling.words import UNITS, clipped, counted, listed, number, spell

#: Running tasks that are listed.
MOST = 20
#: What each way to go on is called.
NAMES = {WAIT: "Wait", COPY: "Start a copy", RESTART: "Restart it", UNKNOWN: "Cannot tell"}


def sentence(found: Waiting) -> str:
    """Return the answer for the task that comes first, in one or two sentences.

    Examples
    --------
    >>> from sim.advice.waiting.answer import answered
    >>> from sim.advice.waiting.siblings import Siblings
    >>> sentence(answered(Siblings([12.0, 13.0, 11.0], [40.0])))
    'Cannot tell: 3 siblings are done. Give at least 5; 10 give a usable interval.'
    """
    if not found.enough:
        done = counted(len(found.siblings.done), "sibling is", "siblings are")
        return f"Cannot tell: {done} done. Give at least {FEWEST}; 10 give a usable interval."
    task = found.tasks[0]
    assert task.choices is not None
    wait, copy, restart = (task.choices[one] for one in (WAIT, COPY, RESTART))
    whose = clipped(task.name)
    if task.action == UNKNOWN:
        likely = chance(task.sure)
        return (
            f"Cannot tell yet: a copy of {whose} pays with {likely} probability. "
            f"Ask again when it is {spell(_again(found), 2)} old."
        )
    if task.action == WAIT:
        return f"Wait for {whose}: {_why_wait(task, found)}."
    better = copy if task.action == COPY else restart
    what = "Start a copy of" if task.action == COPY else "Restart"
    return (
        f"{what} {whose}: it then takes {about(better.rest)} more on average, and {about(wait.rest)} "
        f"if you wait{_because(task)}."
    )


def _why_wait(task: Task, found: Waiting) -> str:
    assert task.choices is not None
    wait, copy = task.choices[WAIT], task.choices[COPY]
    likely, horizon = max(
        zip(wait.within, found.horizons, strict=True), key=lambda one: (one[0].value >= 0.5, -one[1])
    )
    ends = f"it ends within {spell(horizon, 2)} with {chance(likely.value)} probability"
    if task.explained >= EXPLAINED:
        return (
            f"it is as slow as its size. It has {number(task.larger, 2)} times the {found.siblings.unit} of "
            f"the middle sibling, and so would a copy; {ends}"
        )
    if task.copied:
        return f"it has a copy already; {ends}"
    if not task.late:
        return f"it is younger than the middle sibling was; {ends}"
    sooner = wait.rest.value - copy.rest.value
    return f"{ends}; a copy ends it {spell(max(sooner, 0.0), 2)} sooner on average"


def _because(task: Task) -> str:
    if task.slower.low > 1.0 and task.host:
        times = number(task.slower.value, 2)
        return f". Its host {clipped(task.host, 20)} takes {times} times as long as the others"
    return ""


def chance(share: float) -> str:
    """Return a probability without digits that nobody knows.

    Examples
    --------
    >>> chance(0.123), chance(0.0), chance(0.999)
    ('12 %', 'less than 1 %', 'more than 99 %')
    """
    if not 0.005 <= share < 0.995:
        return "less than 1 %" if share < 0.5 else "more than 99 %"
    return f"{100 * share:.0f} %"


def about(rest: Interval) -> str:
    """Return a mean rest with its interval.

    Examples
    --------
    >>> about(Interval(130.0, 80.0, 200.0))
    '2.2 min (1.3 to 3.3)'
    """
    value, interval = in_its_unit(rest)
    return f"{value} ({interval.rpartition(' ')[0]})"


def in_its_unit(rest: Interval) -> tuple[str, str]:
    """Return a mean rest, and its interval in the same unit.

    Examples
    --------
    >>> in_its_unit(Interval(130.0, 80.0, 200.0))
    ('2.2 min', '1.3 to 3.3 min')
    """
    value = spell(rest.value, 2)
    unit = value.partition(" ")[2]
    scale = next(one.seconds for one in UNITS if one.sign == unit)
    low, high = (number(one / scale, 2) for one in rest[1:])
    return f"{number(rest.value / scale, 2)} {unit}", f"{low} to {high} {unit}"


def _again(found: Waiting) -> float:
    task = found.tasks[0]
    return found.changes[0] if found.changes else 1.5 * task.age


def more_slot_time(task: Task) -> float:
    """Return the mean slot-time, slot-s, that a copy takes beyond waiting."""
    assert task.choices is not None
    return task.choices[COPY].slot_time - task.choices[WAIT].slot_time


def others(found: Waiting, task: Task) -> str:
    """Return what a copy does to other tasks."""
    if found.options.slots == "idle":
        return "no task waits for a slot, so nobody else is slower"
    if more_slot_time(task) > 0:
        return "tasks wait for slots, so it delays others"
    return "tasks wait for slots, and it frees one for them"


def cost(found: Waiting, task: Task) -> str:
    """Return what a copy costs the others."""
    more = more_slot_time(task)
    told = f"A copy takes {spell(abs(more), 2)} {'more' if more > 0 else 'less'} slot-time than waiting"
    return f"{told}; {others(found, task)}."


def change(found: Waiting) -> str:
    """Return from which age on the advice is another one."""
    if not found.enough:
        return ""
    if found.changes is None:
        return "No greater age changes this answer."
    age, action = found.changes
    return f"If it still runs at an age of {spell(age, 2)}: {NAMES[action].lower()}."


def as_text(found: Waiting) -> str:
    """Return the answer for a terminal."""
    siblings = found.siblings
    head = [sentence(found)]
    about_them = f"{counted(len(siblings.done), 'sibling')} done"
    if len(siblings.done):
        about_them += f", the middle one after {spell(found.median, 3)}"
    lines = [f"{about_them}; {counted(len(siblings.ages), 'task')} running."]
    if not found.enough:
        return "\n".join([*head, *lines])
    task = found.tasks[0]
    lines += [change(found), cost(found, task), ""]
    times = [f"within {spell(one, 2)}" for one in found.horizons]
    rows = [["", *times, "mean rest"]]
    assert task.choices is not None
    for name, choice in task.choices.items():
        chances = [f"{chance(one.value)} ({_span(one)})" for one in choice.within]
        rows.append([NAMES[name], *chances, about(choice.rest)])
    lines += aligned(rows)
    lines += ["", f"Of {clipped(task.name)}, {spell(task.age, 3)} old. In brackets: 90 % intervals."]
    lines += [f"At most {spell(task.counted, 2)} of a rest is counted."]
    if len(siblings.ages) > 1:
        all_of = [chance(one.value) for one in found.all_done]
        told = listed([f"{one} with {share}" for one, share in zip(times, all_of, strict=True)])
        lines += ["", f"All running tasks are done {told}."]
        lines += aligned([_row(one) for one in found.tasks[:MOST]])
    lines += ["", "Age at which each rule copies it:"]
    lines += aligned([[name, spell(age, 2) if age else "never"] for name, age in rules(found).items()])
    return "\n".join([*head, *lines])


def _row(task: Task) -> list[str]:
    assert task.choices is not None
    return [
        clipped(task.name),
        f"{spell(task.age, 3)} old",
        f"rest {about(task.choices[WAIT].rest)}",
        NAMES[task.action],
    ]


def _span(one: Interval) -> str:
    return f"{100 * one.low:.0f} to {100 * one.high:.0f}"


def as_json(found: Waiting) -> dict[str, Any]:
    """Return all numbers of the answer; times in seconds, None where nothing can be told."""
    siblings = found.siblings
    return {
        "answer": sentence(found),
        "stage": siblings.name,
        "siblings_done": len(siblings.done),
        "median_s": _finite(found.median),
        "within_s": list(found.horizons) if found.enough else [],
        "slots": found.options.slots,
        "price": found.options.paid,
        "copy_start_s": found.options.start,
        "all_done": [_of(one) for one in found.all_done],
        "changes": None
        if not found.enough or found.changes is None
        else {"age_s": found.changes[0], "action": found.changes[1]},
        "rules_copy_at_s": rules(found) if found.enough else {},
        "copy_saves_slot_time_from_rest_s": _finite(pays_from(found)) if found.enough else None,
        "tasks": [_task(one) for one in found.tasks],
    }


def _task(task: Task) -> dict[str, Any]:
    return {
        "task": task.name,
        "age_s": task.age,
        "action": task.action,
        "probability_better": task.sure,
        "work_ratio": _finite(task.larger),
        "slow_by_work": task.as_work,
        "explained_by_work": task.explained,
        "is_late": task.late,
        "has_copy": task.copied,
        "host": task.host,
        "host_slower": _of(task.slower),
        "counted_s": _finite(task.counted),
        **{name.replace(" ", "_"): _choice(one) for name, one in (task.choices or {}).items()},
    }


def _choice(one: Choice) -> dict[str, Any]:
    return {
        "mean_rest_s": _of(one.rest),
        "slot_time_s": one.slot_time,
        "done_within": [_of(p) for p in one.within],
    }


def _of(one: Interval) -> dict[str, float]:
    return {"value": one.value, "low": one.low, "high": one.high}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
