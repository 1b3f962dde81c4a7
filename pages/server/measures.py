"""Measures of the server: visitors, waiting sessions, answers and their times, memory, open files.

An answer takes from the start of a visitor's script, its turn included, until what was asked for is drawn;
what is drawn below it, and better answers that follow, do not count.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

import numpy as np
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    start_http_server,
)

from sim.running.byte_cache import held

disable_created_metrics()  # type: ignore[no-untyped-call]
#: Seconds of an answer, upper ends of the counted intervals.
SECONDS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0)
#: Seconds over which the summary goes, and most answers it looks at.
SUMMARY_S, SUMMARY_MOST = 60, 20_000


class Measures:
    """The measures of one process.

    Parameters
    ----------
    waiting : callable
        Returns how many visitors wait for a turn to draw.
    ready : callable
        Returns whether the engines are compiled.
    kept : callable, optional
        Returns the bytes of answers and files that are kept.
    """

    def __init__(
        self, waiting: Callable[[], int], ready: Callable[[], bool], kept: Callable[[], int] = held
    ) -> None:
        self.registry = own = CollectorRegistry()
        self.visitors = Gauge("straggler_lab_visitors", "Open pages", registry=own)
        self.requests = Counter("straggler_lab_requests", "HTTP answers", ["status"], registry=own)
        self._refused = Counter(
            "straggler_lab_refused_messages", "Messages that no page needs", ["kind"], registry=own
        )
        self._answers = Histogram(
            "straggler_lab_answer_seconds", "From a move to its answer", buckets=SECONDS, registry=own
        )
        Gauge("straggler_lab_waiting", "Visitors who wait for a turn", registry=own).set_function(waiting)
        Gauge("straggler_lab_ready", "1 if the engines are compiled", registry=own).set_function(ready)
        Gauge("straggler_lab_kept_bytes", "Answers and files that are kept", registry=own).set_function(kept)
        self._process = ProcessCollector(registry=own)  # memory, open files, processor time
        self._waiting = waiting
        self._recent: deque[tuple[float, float]] = deque(maxlen=SUMMARY_MOST)
        self._lock = threading.Lock()

    def answered(self, seconds: float) -> None:
        """Count an answer that took so long; called by the threads that draw."""
        self._answers.observe(seconds)
        with self._lock:
            self._recent.append((time.monotonic(), seconds))

    def refused_message(self, kind: str) -> None:
        """Count a message of a socket that was refused, by its kind (`pages.server.messages`)."""
        self._refused.labels(kind).inc()

    def serve(self, address: str, port: int) -> Callable[[], None]:
        """Serve the measures as text for Prometheus, at any path; return what ends that."""
        server, thread = start_http_server(port, address, self.registry)

        def end() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        return end

    def summary(self) -> str | None:
        """Return the last minute in a line, or None if there was nobody."""
        since = time.monotonic() - SUMMARY_S
        with self._lock:
            seconds = [took for moment, took in self._recent if moment >= since]
        visitors = int(self.registry.get_sample_value("straggler_lab_visitors") or 0)
        if not (visitors or seconds):
            return None
        p95 = f"{np.quantile(seconds, 0.95):.2f} s" if seconds else "-"
        return (
            f"{visitors} visitors, {self._waiting()} waiting, {len(seconds) / SUMMARY_S:.1f} answers/s, "
            f"p95 {p95}, {self._of_process('resident_memory_bytes') / 1e6:.0f} MB, "
            f"{self._of_process('open_fds'):.0f} open files"
        )

    def _of_process(self, name: str) -> float:
        """Return a measure of the process; NaN where the system does not tell it, as Linux does."""
        found = self.registry.get_sample_value(f"process_{name}")
        return float("nan") if found is None else found
