"""The registry of remedies, and the mended worlds in which their ways are played under today's rule."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sim.advice.whatif.cluster import Cluster
from sim.advice.whatif.conditions import Conditions
from sim.advice.whatif.remedies.copying import COPY
from sim.advice.whatif.remedies.hosts import HOSTS
from sim.advice.whatif.remedies.splitting import SPLIT
from sim.advice.whatif.remedies.warming import WARM
from sim.advice.whatif.remedies.way import Way
from sim.advice.whatif.runs import Question
from sim.model.cached import cached_property

#: In the order in which they are shown.
REMEDIES = (COPY, HOSTS, SPLIT, WARM)
#: Every way, the ceilings among them, by its key.
WAYS: dict[str, Way] = {way.key: way for remedy in REMEDIES for way in (remedy.ceiling, *remedy.ways)}
#: Shares of the replications of a setting that ways and ceilings have: together they take a fifth of the time
#: that nine settings take, each of which is judged and searched.
REACHED, CEILING = 0.6, 0.4


@dataclass(frozen=True, eq=False)
class Remedied(Question):
    """A question in whose world a way is taken.

    Parameters
    ----------
    way : str
        Its key.
    """

    way: str = ""

    @cached_property
    def cluster(self) -> Cluster:
        """The slots that are there."""
        return WAYS[self.way].cluster(self, super().cluster)

    def conditions(self, replication: int, copies: int) -> Conditions:
        """Return what a replication is played with."""
        return WAYS[self.way].conditions(self, replication, super().conditions(replication, copies))


def remedied(question: Question, way: str) -> Remedied:
    """Return a question with a way taken in its world."""
    one = question
    return Remedied(one.model, one.rate, one.slots, one.leave_out, one.seed, one.doubted, way)


def plan(question: Question, replications: int) -> Iterator[tuple[str, int]]:
    """Yield the ways that are worth playing, by key, and how often; first those that settings reach.

    Parameters
    ----------
    question : Question
    replications : int
        Of a setting.
    """
    ceiling, reached = (max(2, math.ceil(share * replications)) for share in (CEILING, REACHED))
    for remedy in REMEDIES:
        if not remedy.untold(question):
            yield from ((way.key, min(reached, replications)) for way in remedy.ways)
    for remedy in REMEDIES:
        yield remedy.ceiling.key, min(ceiling, replications)
