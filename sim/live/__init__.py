"""Answers that come at once and then get better: one pool of workers for all sessions.

Somebody `Pool.follow`s a `RunRequest` and receives a `Snapshot` each time there is more to show.
"""

from __future__ import annotations

from sim.live.active import Snapshot
from sim.live.pool import Pool
from sim.live.preview import SHORT, fitted, shortened
from sim.live.request import RunRequest

__all__ = ["SHORT", "Pool", "RunRequest", "Snapshot", "fitted", "shortened"]
