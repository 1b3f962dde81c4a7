"""Answers that come at once and then get better: one pool of workers for all sessions.

Somebody `Pool.follow`s a `RunRequest` and receives a `Snapshot` each time there is more to show.
"""

from __future__ import annotations

from sim.running.live.pool import Pool
from sim.running.live.request import SHORT, RunRequest, Snapshot, fitted, shortened

__all__ = ["SHORT", "Pool", "RunRequest", "Snapshot", "fitted", "shortened"]
