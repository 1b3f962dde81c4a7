"""Chooses the workers that are probed: sampling without replacement, by address.

The k-th probe of a batch draws the k-th place of a Fisher-Yates shuffle of all workers, of which only
the places that have moved are remembered, with the number of the lap they moved in. So the sample of
a job depends on the job alone, not on what happened before, and the sample of fewer probes is the
beginning of that of more: runs with different d are paired. A batch larger than the cluster goes
through all workers before it meets one again.
"""

from __future__ import annotations

from sim.kernel.compile import inlined
from sim.kernel.streams import uniform

#: Workers of probes that are drawn before they are needed, a power of two.
DRAWN = 8


@inlined
def draw_worker(net, moved, key, place, number):
    """Worker of the probe at `place` of its batch, the job's probe of this number."""
    workers = net[0].workers
    if place >= workers:  # seldom, and a division takes long
        place %= workers
    if place == 0:
        net[0].lap += 1
    now = net[0].lap
    other = place + int(uniform(key, number, 0) * (workers - place))
    chosen = moved[other].value if moved[other].lap == now else other
    moved[other].value = moved[place].value if moved[place].lap == now else place
    moved[other].lap = now
    return chosen
