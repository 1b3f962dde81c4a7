"""The limit on visitors: a newcomer above it is told so, and visitors inside keep working."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import streamlit as st

from pages.server.private import is_active, session
from pages.shared.app.turns import turns
from pages.shared.words.foreign import literal
from sim.model.cached import once
from sim.telling.words import counted

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
