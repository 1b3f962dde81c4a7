"""Promises and advice on generated clusters whose truth is known.

The promised change is held to the mean change on fresh luck in the true model of the cluster, which the
advice has never seen. Its interval is one of 95 %. Laws, loads, sizes and machines of the clusters are drawn.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.advice.whatif.answer import Answer
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay, replicate
from sim.advice.whatif.setting_effect import differences
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import SPARK, System
from sim.engines.slots.scenario import read_policy
from tests.sim.whatif.clusters import Truth, cluster, lognormal, pareto

SYSTEM = replace(SPARK, options=tuple(SPARK.options[place] for place in (0, 1, 5, 6)))
NONE = "fifo+none"


def drawn(seed: int) -> tuple[np.random.Generator, dict]:
    """Draw the sizes of a cluster and its load."""
    random = np.random.default_rng([seed, 7])
    sizes = {"jobs": int(random.integers(15, 36)), "hosts": int(random.integers(3, 8))}
    sizes |= {"slots": int(random.integers(2, 5)), "load": float(random.uniform(0.2, 0.8))}
    return random, sizes | {"tasks": (5, int(random.integers(15, 50)))}


def lucky(seed: int) -> Truth:
    """Return a cluster where luck makes stragglers, perhaps beside unequal work and slow machines."""
    random, sizes = drawn(seed)
    laws = (
        pareto(random.uniform(1.2, 2.5), random.uniform(8, 20)),
        lognormal(random.uniform(0.4, 1.0)),
        lambda share: 0.6 + 0.4 * pareto(1.5)(share),
        lambda share: 0.5 - np.log(1 - np.minimum(share, 0.9995)),
    )
    work = 0.4 if seed % 3 == 0 else 0.0
    factors = np.exp(random.normal(0, 0.2, sizes["hosts"])).tolist() if seed % 5 == 0 else None
    return cluster(seed, laws[seed % 4], **sizes, bytes_spread=work, factors=factors)


def unlucky(seed: int) -> Truth:
    """Return a cluster where unequal work or a slow machine makes stragglers, which copies cannot help."""
    random, sizes = drawn(seed)
    law = (lognormal(0.05), lognormal(0.12), lambda share: 0.95 + 0.1 * share)[seed % 3]
    if seed % 2:
        return cluster(seed, law, **sizes, bytes_spread=float(random.uniform(0.3, 1.0)))
    factors = random.permutation([1.0] * (sizes["hosts"] - 1) + [float(random.uniform(1.3, 2.1))]).tolist()
    return cluster(seed, law, **sizes, factors=factors)


def advised(truth: Truth, replications: int, system: System = SYSTEM) -> Answer:
    """Ask what to set."""
    question = Replay(fit(truth.history))
    return answer(question, system, replications=replications, sweep=False, remedies=False)


def is_kept(truth: Truth, found: Answer, replications: int) -> bool:
    """Say whether what is promised holds the change of the mean job time on fresh luck in the true model."""
    policy = found.options[found.advice.policy].policy
    question = Replay(truth.model(found.question.model), seed=777, doubted=False)
    plain, copied = replicate(question, [read_policy(NONE), policy], range(replications))
    change = found.options[found.advice.policy].change["mean"]
    return change.low <= differences(copied, plain, "mean").mean() <= change.high


def test_a_few_promises_are_kept():
    """Two of three at least: were 95 % kept, fewer would be in one choice of seeds of 140."""
    one = replace(SYSTEM, options=SYSTEM.options[1:2])
    kept = [is_kept(truth, advised(truth, 12, one), 20) for truth in map(lucky, (4, 8, 16))]
    assert sum(kept) >= 2


def test_nothing_is_advised_for_a_slow_machine_or_unequal_tasks():
    """Not once: were it advised as rarely as intervals allow, 2.5 %, this would fail in one of twenty."""
    for seed in (0, 3):  # a slow machine, unequal tasks
        found = advised(unlucky(seed), 12, replace(SYSTEM, options=SYSTEM.options[-1:]))
        assert found.advice is not None
        assert found.advice.policy == NONE


@pytest.mark.slow
def test_promises_are_kept_in_nine_of_ten_clusters():
    """45 of the first 50 with advice: were 95 % kept, fewer would be in 4 % of all choices of seeds.

    Were 80 % kept, so many would be in 5 %.
    """
    kept: list[bool] = []
    for seed in range(120):
        found = advised(truth := lucky(seed), 40)
        if found.advice is not None and found.advice.policy != NONE:
            kept.append(is_kept(truth, found, 60))
        if len(kept) == 50:
            break
    assert len(kept) == 50
    assert sum(kept) >= 45


@pytest.mark.slow
def test_nothing_is_advised_where_copies_cannot_help():
    """In 57 of 60 at least: were it advised as rarely as intervals allow, 2.5 %, this would fail in 7 %."""
    advice = [advised(unlucky(seed), 40).advice for seed in range(60)]
    assert sum(one is None or one.policy == NONE for one in advice) >= 57
    assert sum(one is None for one in advice) <= 6  # the check is not what keeps advice away
