"""What Streamlit asks a session's state for a slider or a menu: the one value, not a copy of all values.

It makes a dictionary of everything that a session holds for each of them, to look at one key: a third of what
a page costs that is run again for a class, where all has been computed (2.6 of 8 ms on Compare).
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from typing import Any

from streamlit.runtime.state.safe_session_state import SafeSessionState

#: How names begin that Streamlit gives: to widgets, beside those of a page, and to what is its own.
INTERNAL = "$$"


class Held(Mapping[str, Any]):
    """What `SafeSessionState.filtered_state` holds, looked up when it is asked for.

    Parameters
    ----------
    safe : SafeSessionState
    """

    def __init__(self, safe: SafeSessionState) -> None:
        self._safe = safe

    def __getitem__(self, key: str) -> Any:
        if key.startswith(INTERNAL):
            raise KeyError(key)
        with self._safe._lock:
            return self._safe._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def items(self) -> ItemsView[str, Any]:
        """Return all, looked at once."""
        return self._whole().items()

    def _whole(self) -> dict[str, Any]:
        with self._safe._lock:
            return self._safe._state.filtered_state


def values_are_looked_up() -> None:
    """Let Streamlit look values up, from now on, in this process."""
    SafeSessionState.filtered_state = property(Held)  # type: ignore[assignment,method-assign]
