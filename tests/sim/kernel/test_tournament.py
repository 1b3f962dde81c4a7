"""The top of a tournament is the first of its events, by time and then key; leaves are found again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.gang.signatures import CLUSTER
from sim.kernel.heap import ENTRY, clear, first_time, give_leaf, in_bits, play, records_needed, take_leaf
from sim.kernel.records import records

PLAYERS = 21
times = st.sampled_from([0.0, 1.0, 2.0]) | st.floats(0, 1e300)
steps = st.lists(st.tuples(st.sampled_from(["enter", "replace", "leave"]), st.integers(0, 99), times))


def empty(players):
    """Return a tournament without events, and its cluster."""
    events, cluster = records(records_needed(players), ENTRY), records(1, CLUSTER)
    clear(events, cluster)
    return events, cluster


@pytest.mark.small
@given(steps=steps)
def test_the_first_of_all_events_is_at_the_top(steps):
    events, cluster = empty(PLAYERS)
    playing = {}  # leaf -> (time, key)
    for place, (step, which, time) in enumerate(steps):
        key = which * 1000 + place
        if step == "enter" and len(playing) < PLAYERS:
            leaf = int(take_leaf(events, cluster))
            assert leaf not in playing
        elif playing:
            leaf = sorted(playing)[which % len(playing)]
        else:
            continue
        if step == "leave" and leaf in playing:
            give_leaf(events, cluster, leaf)
            del playing[leaf]
        else:
            play(events, cluster[0].top, leaf, in_bits(time), key)
            playing[leaf] = (time, key)
        top = events[cluster[0].top]
        if playing:
            assert (first_time(events, cluster[0].top), top.key) == min(playing.values())
        else:
            assert first_time(events, cluster[0].top) == np.inf


@pytest.mark.parametrize("players", [1, 2, 3, 4, 5, 64, 65])
def test_every_player_has_a_leaf(players):
    events, cluster = empty(players)
    leaves = [int(take_leaf(events, cluster)) for _ in range(players)]
    assert leaves == list(range(events.size // 2, events.size // 2 + players))
    assert max(leaves) < events.size
