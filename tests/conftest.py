"""What all tests share: how Hypothesis searches, and what needs compiled code."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

JIT_IS_OFF = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

# Without compilation an example takes a hundred times as long, and all have been tried with it.
EXAMPLES = 8 if JIT_IS_OFF else 100
# No deadline: the first example of a test may be the one that compiles a kernel.
settings.register_profile("here", deadline=None, max_examples=EXAMPLES)
# The same examples each time: what a change broke is told apart from what a new example found.
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, max_examples=EXAMPLES)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs compiled code where compilation is off."""
    if JIT_IS_OFF:
        skip = pytest.mark.skip(reason="needs compiled code (NUMBA_DISABLE_JIT is set)")
        for item in items:
            if item.get_closest_marker("compiled"):
                item.add_marker(skip)
