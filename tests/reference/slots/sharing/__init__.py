"""Which job gets the next slot; importing this package registers every rule."""

from __future__ import annotations

from tests.reference.slots.sharing import hopper, orders, targets  # noqa: F401
