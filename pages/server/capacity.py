"""The limit on visitors: a newcomer above it is told so, and visitors inside keep working."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    start_http_server,
)

from pages.server.private import is_active, session
from pages.shared.app.turns import turns
from pages.shared.words.foreign import literal
from sim.model.cached import once
from sim.running.byte_cache import held
from sim.telling.words import counted

disable_created_metrics()  # type: ignore[no-untyped-call]
# Measures of the server: visitors, waiting sessions, answers and their times, memory, open files.
#
# An answer takes from the start of a visitor's script, its turn included, until what was asked for is
# drawn; what is drawn below it, and better answers that follow, do not count.

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


# Limits on what one address may take: less, and more slowly, the more it has and the less is left.


@dataclass(frozen=True, slots=True)
class Share:
    """What one address may take.

    A class comes from one address, and so may whoever fills all places: so an address is not refused a number
    of places but a part of what is left, which the next address finds.

    Parameters
    ----------
    of_left : float
        Places that an address may have for each one that is left.
    quick : int
        Places that it may have at once.
    pause : float
        Seconds between two more of them, for each that it has above those.
    """

    of_left: float
    quick: int
    pause: float

    def admits(self, own: int, left: int, since: float) -> bool:
        """Tell whether an address may take one more.

        Parameters
        ----------
        own : int
            Places that it has.
        left : int
            Places that nobody has.
        since : float
            Seconds since it took its last one.

        Examples
        --------
        >>> share = Share(of_left=0.5, quick=2, pause=10)
        >>> share.admits(own=1, left=9, since=0), share.admits(own=5, left=9, since=1e6)
        (True, False)
        >>> share.admits(own=2, left=9, since=5), share.admits(own=2, left=9, since=10)
        (False, True)
        """
        if own == 0:
            return True
        return own < self.of_left * left and since >= self.pause * (own - self.quick + 1)


def network(address: str | None) -> str:
    """Return what of an address is one household or school: of IPv6 its first half; "" if it is not known.

    Examples
    --------
    >>> network("192.0.2.7"), network("2001:db8:1:2:3:4:5:6"), network("::ffff:192.0.2.7"), network("a name")
    ('192.0.2.7', '2001:db8:1:2::/64', '192.0.2.7', '')
    """
    try:
        found = ipaddress.ip_address(address or "")
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is None:
            return str(ipaddress.ip_network((int(found), 64), strict=False))
        found = found.ipv4_mapped
    return "" if found.is_loopback else str(found)


#: Visitors inside. A hundred who move one slider at once wait about a second, so one of these two.
MOST_VISITORS = 200
#: Scripts that wait for a turn, above which nobody else is let in.
MOST_WAITING = 150
#: Seconds after which an idle visitor no longer keeps others out; an idle visitor may always go on.
IDLE_S = 900.0
#: Seconds after which a newcomer who was not let in is tried again.
AGAIN_S = 20
#: Seconds of waiting after which it is told, and between two times.
TOLD_S = 2.0


class Inside:
    """The visitors who have been let in.

    Parameters
    ----------
    most : int
    is_there : callable
        Whether the visitor of a session still has the page open.
    clock : callable, optional
    """

    def __init__(
        self, most: int, is_there: Callable[[str], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.most = most
        self._is_there, self._clock = is_there, clock
        self._seen: dict[str, float] = {}
        self._lock = threading.Lock()

    def admits(self, session: str, *, crowded: bool = False) -> bool:
        """Tell whether a visitor is inside, or is let in now; nobody new is where it is crowded."""
        with self._lock:
            if session not in self._seen and (crowded or not self._has_room()):
                return False
            self._seen[session] = self._clock()
            return True

    @property
    def count(self) -> int:
        """Visitors inside who count against the limit."""
        with self._lock:
            return self._busy()

    def _has_room(self) -> bool:
        """Whether one more visitor fits; visitors who have gone are forgotten only when it matters."""
        if len(self._seen) >= self.most:
            self._seen = {one: seen for one, seen in self._seen.items() if self._is_there(one)}
        return self._busy() < self.most

    def _busy(self) -> int:
        now = self._clock()
        return sum(now - seen < IDLE_S for seen in self._seen.values())


@once
def inside() -> Inside:
    """Return the visitors of this server."""
    return Inside(MOST_VISITORS, is_active)


def admitted() -> bool:
    """Tell whether the visitor of this run may come in."""
    crowded = turns().waiting >= MOST_WAITING
    return not (visitor := session()) or inside().admits(visitor, crowded=crowded)


def show_full() -> None:
    """Tell a visitor who is not let in what to do."""
    st.title("This server is full", anchor=False)
    _wait_outside()


@st.fragment(run_every=AGAIN_S)
def _wait_outside() -> None:
    """Say that there is no room, and come in when there is."""
    if admitted():
        st.rerun()
    message = (
        f"It serves {counted(inside().count, 'visitor')} now, who keep working. Leave this page open: it "
        f"tries again every {AGAIN_S} seconds and opens when there is room."
    )
    st.info(literal(message), icon=":material/hourglass_top:")


def waiting_is_told() -> Callable[[int, float], None]:
    """Return a callback that tells a waiting visitor how many are ahead."""
    told = 0.0

    def tell(before: int, seconds: float) -> None:
        nonlocal told
        if seconds - told >= TOLD_S:
            told = seconds
            others = "1 goes" if before == 1 else f"{before} go"
            place = f"{others} before you" if before else "you are next"
            message = f"Many visitors at once: {place}."
            st.toast(literal(message), icon=":material/hourglass_top:")

    return tell
