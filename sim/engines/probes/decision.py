r"""One decision of one free slot, message by message, as the engine makes it.

A small run is advanced, a decision is found in its log of messages, and the run is repeated up to it and
then event by event, so that what worker and schedulers know can be read. Nothing is decided here: the
messages are those of `sim.engines.probes.run`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from sim.engines.probes.network import Decision, Exchange, Reservation
from sim.engines.probes.policy import ProbePolicy
from sim.engines.probes.records import NO, PROBES, QUESTION, REFUSED, TASK
from sim.engines.probes.run import ProbeRun
from sim.engines.probes.scenario import ProbeScenario
from sim.model.fields import BadInput
from sim.model.workload import generate
from theory.quoting import quoted

#: Messages remembered, at most; events among which a decision is looked for, so many at a time.
LINES, WATCHED, CHUNK = 100_000, 3000, 100
#: Share of the jobs that have arrived before: by then queues are filled.
FILLED = 0.3
#: Answers of no beyond which a decision is not worth more.
ENOUGH = 2


@dataclass
class _Open:
    """A decision that has not ended."""

    worker: int
    free: float
    queue: tuple[Reservation, ...]
    asked: float = 0.0
    hinted: bool = False
    exchanges: list[Exchange] = field(default_factory=list)


def telling_decision(scenario: ProbeScenario, policy: ProbePolicy, replication: int = 0) -> Decision | None:
    """Return a decision in which as much happens as a reader can follow.

    Of the decisions within `WATCHED` events of a run that end with a task, the first with most answers
    of no, up to `ENOUGH`.

    Parameters
    ----------
    scenario : ProbeScenario
        Of a small cluster, whose jobs have no phases: part of the run is advanced event by event.
    policy : ProbePolicy
        One whose workers go by virtual sizes.
    replication : int, optional

    Returns
    -------
    Decision or None
        None if no slot becomes free while there is a reservation in its queue.

    Raises
    ------
    BadInput
        If the protocol knows no virtual sizes, or jobs have phases.

    Examples
    --------
    >>> from sim.engines.probes.policy import read_policy
    >>> scenario = ProbeScenario(workers=20, schedulers=4, jobs=60, tasks_max=8)
    >>> decision = telling_decision(scenario, read_policy("hopper"))
    >>> [one.verdict for one in decision.exchanges][-1]
    'takes'
    """
    if policy.protocol.key != "hopper":
        raise BadInput(
            f"policy: {quoted(policy.text)} is not accepted; give hopper, which goes by virtual sizes"
        )
    if scenario.phases > 1:
        raise BadInput(f"phases: {scenario.phases} is not accepted; one decision is told of jobs with 1")
    workload = generate(scenario, replication)

    def start() -> ProbeRun:
        run = ProbeRun(scenario, policy, replication, workload, lines=LINES)
        while run.world.cluster[0].arrived < FILLED * workload.n and not run.advance(CHUNK):
            pass
        return run

    run = start()
    skipped, chunks = int(run.world.net[0].lines), [int(run.world.net[0].lines)]
    while len(chunks) <= WATCHED // CHUNK and not run.advance(CHUNK):
        chunks.append(int(run.world.net[0].lines))
    found = list(_candidates(run.messages, skipped))
    if not found:
        return None
    first, s, _ = max(found, key=lambda one: min(one[2], ENOUGH))
    again = start()
    for _ in range(bisect_right(chunks, first) - 1):
        again.advance(CHUNK)
    return _told(again, first, s)


def _candidates(messages: np.recarray, skipped: int) -> Iterator[tuple[int, int, int]]:
    """Yield decisions that end with a task: line of the first question (not skipped), slot, answers of no.

    Those of idle slots, which a probe wakes, are left out: one batch may wake several, and between two
    of them nobody can look.
    """
    lines = messages.view(np.ndarray)  # whose fields are read several times as fast
    kinds, slots, sent = (lines[name].tolist() for name in ("kind", "slot", "sent"))
    last: dict[int, int] = {}
    under_way: dict[int, tuple[int, int]] = {}
    probed = -1.0
    for place, (kind, s, time) in enumerate(zip(kinds, slots, sent, strict=True)):
        if kind == PROBES:
            probed = time
        elif kind == QUESTION and time == probed:
            under_way.pop(s, None)
        elif kind == QUESTION and last.get(s) != NO:
            under_way[s] = place, 0
        elif kind == NO and s in under_way:
            under_way[s] = under_way[s][0], under_way[s][1] + 1
        elif kind == TASK and s in under_way:
            first, noes = under_way.pop(s)
            if first >= skipped:
                yield first, s, noes
        if s >= 0:
            last[s] = kind


def _told(run: ProbeRun, first: int, s: int) -> Decision:
    """Advance a run, event by event, through the decision of slot `s` that begins with line `first`."""
    net, line = run.world.net[0], run.world.lines.view(np.ndarray)
    begun: _Open | None = None
    while True:
        seen = int(net.lines)
        run.advance(1)
        kinds = [one["kind"] for one in line[max(seen, first) : net.lines] if one["slot"] == s]
        if QUESTION in kinds:
            begun = begun or _begun(run, s)
            begun.asked, begun.hinted = float(run.world.cluster[0].now), not run.world.seats[s].holds
        if begun is not None and (NO in kinds or TASK in kinds):
            begun.exchanges.append(_answered(run, s, TASK in kinds, begun))
            if TASK in kinds:
                return _ended(run, s, begun)


def _begun(run: ProbeRun, s: int) -> _Open:
    """Return the decision that slot `s` begins: its first question has just left."""
    world, seat = run.world, run.world.seats[s]
    w = s // run.scenario.slots_per_worker
    worker, now = world.workers[w], float(world.cluster[0].now)
    entries = world.entries[worker.segment : worker.segment + worker.queued]
    held = [(int(seat.job), float(seat.value), float(seat.as_of))]
    queue = held + [(int(one.job), float(one.value), float(one.as_of)) for one in entries]
    theta, schedulers = float(world.cluster[0].theta), run.scenario.schedulers
    return _Open(
        w,
        float(seat.since),
        tuple(
            Reservation(
                j, j % schedulers, value, now - as_of, theta * float(world.jobs[j].tasks - world.own[j].done)
            )
            for j, value, as_of in sorted(queue, key=lambda one: (one[1], one[0]))
        ),
    )


def _answered(run: ProbeRun, s: int, takes: bool, begun: _Open) -> Exchange:
    """Return the exchange that a scheduler's answer to slot `s` has just ended."""
    world, seat = run.world, run.world.seats[s]
    j = int(seat.job)
    job = world.jobs[j]
    answer = world.ring[(world.net[0].tail - 1) & (world.ring.size - 1)]  # sent last, unless it is a task
    hint = -1 if takes else int(answer.detail)
    return Exchange(
        asked=begun.asked,
        answered=float(world.cluster[0].now),
        job=j,
        scheduler=j % run.scenario.schedulers,
        firm=bool(seat.firm),
        hinted=begun.hinted,
        verdict="takes" if takes else "refuses" if answer.verdict == REFUSED else "nothing",
        held=int(job.held) - takes,
        size=float(world.cluster[0].theta * (job.tasks - job.finished)),
        hint=hint if hint >= 0 else None,
        hint_size=float(answer.hint_value) if hint >= 0 else 0.0,
    )


def _ended(run: ProbeRun, s: int, begun: _Open) -> Decision:
    """Return a decision that ended with a task for slot `s`."""
    world, lines = run.world, run.messages
    j = begun.exchanges[-1].job
    probes = lines[(lines.kind == PROBES) & (lines.job == j)]
    first = int(world.net[0].probes) * int(world.jobs[j].tasks)
    return Decision(
        worker=begun.worker,
        free=begun.free,
        queue=begun.queue,
        exchanges=tuple(begun.exchanges),
        start=float(world.slots[s].start),
        is_copy=bool(world.slots[s].number > 0),
        tasks=int(world.jobs[j].tasks),
        arrival=float(world.jobs[j].arrival),
        probed=tuple(int(w) for w in probes.worker[:first]),
    )
