"""What happens to jobs that are left out, in words; loads nothing, so that the shell can use it."""

from __future__ import annotations

from sim.fields import BadInput
from theory.shown import quoted

#: Treatments of jobs that are left out, in words; the first is the default.
KEPT, GONE = "kept", "gone"
LEFT_OUT = {KEPT: "they take slots as they did", GONE: "the slots they had are free"}


def told_left_out() -> str:
    """Return what can become of them, in words."""
    return "; ".join(f"{name}: {what}" for name, what in LEFT_OUT.items())


def check_left_out(text: str) -> None:
    """Refuse what is none of `LEFT_OUT`."""
    if text not in LEFT_OUT:
        raise BadInput(f"left-out: {quoted(text)} is not accepted; give {' or '.join(LEFT_OUT)}")
