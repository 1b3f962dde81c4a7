"""Bugs in rules of the slot engine, each at home where its twin is tried hardest."""

from __future__ import annotations

from tests.mutants.mutant import Mutant


def twin(pair: str) -> str:
    """Select the runs of one pair of rules against their twin."""
    return f"tests/sim/slots/test_twin.py -k '{pair}'"


MUTANTS = (
    Mutant(
        "fair-shares-let-a-job-at-its-share-copy",
        "sim/slots/sharing/fair.py",
        "jobs[poorest].held >= share",
        "jobs[poorest].held > share",
        twin("fair+budget"),
        plain=True,
    ),
    Mutant(
        "srpt-serves-the-most-left",
        "sim/slots/sharing/srpt.py",
        "key = remaining * job.task_size if values.work else remaining",
        "key = -remaining * job.task_size if values.work else -remaining",
        twin("srpt+mantri"),
        plain=True,
    ),
    Mutant(
        "levels-put-new-jobs-first",
        "sim/slots/sharing/levels.py",
        "0.0 if job.launched > 0 else 1.0",
        "1.0 if job.launched > 0 else 0.0",
        twin("levels+sca"),
        plain=True,
    ),
    Mutant(
        "hopper-ties-go-to-the-younger-job",
        "sim/slots/sharing/hopper.py",
        "best = min(best, heaps[heap])",
        "best = heaps[heap]",
        "tests/sim/slots/test_hopper.py -k older",
        plain=True,
    ),
    Mutant(
        "hopper-floor-is-epsilon",
        "sim/slots/sharing/hopper.py",
        "floor = (1.0 - epsilon) * slots / c.active",
        "floor = epsilon * slots / c.active",
        twin("hopper:epsilon"),
        plain=True,
    ),
    Mutant(
        "hopper-fair-forgets-who-is-owed-a-floor",
        "sim/slots/sharing/targets.py",
        "beyond -= OWED",
        "beyond -= 0.0",
        twin("hopper-fair+budget"),
        plain=True,
    ),
    Mutant(
        "dag-weight-upside-down",
        "sim/slots/sharing/members.py",
        "downstream(world.cluster, world.jobs, j) / open_tasks(world.cluster, world.jobs, j)",
        "open_tasks(world.cluster, world.jobs, j) / max(downstream(world.cluster, world.jobs, j), 1e-6)",
        twin("hopper-dag+budget"),
        plain=True,
    ),
    Mutant(
        "locality-forgets-the-last-of-the-smallest-jobs",
        "sim/slots/sharing/hopper_local.py",
        "math.ceil(order[WAITING]",
        "math.floor(order[WAITING]",
        twin("hopper-local+budget"),
        plain=True,
    ),
    Mutant(
        "shares-of-algorithm-1-in-proportion-to-nothing",
        "sim/slots/sharing/shares.py",
        "order[h + k] = slots * (order[t + k] / tasks)",
        "order[h + k] = slots / count",
        "tests/sim/slots/test_shares.py",
        plain=True,
    ),
    Mutant(
        "cloning-owes-one-clone-too-few",
        "sim/slots/speculation/clone.py",
        "world.slots[slot.lead].copies >= values.copies",
        "world.slots[slot.lead].copies >= values.copies - 1.0",
        twin("fair+clone"),
        plain=True,
    ),
    Mutant(
        "late-copies-beyond-its-cap",
        "sim/slots/speculation/late.py",
        "c.busy_extra + 1 > values.cap * c.slots",
        "c.busy_extra > values.cap * c.slots",
        twin("fair+late"),
        plain=True,
    ),
    Mutant(
        "mantri-duplicates-too-early",
        "sim/slots/speculation/mantri.py",
        'slow = 2 * float(law.quantile(values["delta"]))',
        'slow = float(law.quantile(values["delta"]))',
        twin("srpt+mantri"),
        plain=True,
    ),
    Mutant(
        "budget-copies-the-youngest-task",
        "sim/slots/speculation/budget.py",
        "slot.second = slot.start",
        "slot.second = -slot.start",
        twin("hopper+budget"),
        plain=True,
    ),
    Mutant(
        "sda-copies-what-has-little-left-by-now",
        "sim/slots/speculation/sda.py",
        "return left(world, lead) > sigma",
        "return world.slots[lead].duration > sigma",
        twin("levels+sda"),
        plain=True,
    ),
    Mutant(
        "ese-takes-every-job-for-small",
        "sim/slots/speculation/ese.py",
        "job.tasks < values.eta * free / (c.unstarted + 1) and",
        "True and",
        twin("levels+ese"),
        plain=True,
    ),
    Mutant(
        "sca-forgets-the-job-that-begins",
        "sim/slots/speculation/sca.py",
        "waiting = int(jobs[j].tasks)",
        "waiting = 0",
        twin("levels+sca"),
        plain=True,
    ),
    Mutant(
        "dolly-fills-the-cluster-beyond-its-ceiling",
        "sim/slots/speculation/dolly.py",
        "c.busy + 1 < values.tau * c.slots",
        "c.busy + 1 <= values.tau * c.slots",
        twin("fair+dolly"),
        plain=True,
    ),
    Mutant(
        "whole-clones-meet-their-target-one-late",
        "sim/slots/speculation/dolly_job.py",
        "chance *= outlier",
        "chance *= math.sqrt(outlier)",
        twin("dolly-job"),
        plain=True,
    ),
    Mutant(
        "the-tail-is-learned-from-killed-copies",
        "sim/slots/tail.py",
        "if fate == 0:",
        "if fate >= 0:",
        "tests/sim/slots/test_tail.py",
    ),
)
