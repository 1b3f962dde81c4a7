"""Shared set-up of the tests of pages."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from streamlit.components.v2 import manifest_scanner


@pytest.fixture(autouse=True, scope="session")
def installed_packages_are_searched_once() -> Iterator[None]:
    """Let all runs of pages in a process share Streamlit's search for components in installed packages.

    A server searches when it starts; an `AppTest` is a server each time, and a search takes 0.2 s of a core.
    """
    search = functools.cache(manifest_scanner.scan_component_manifests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", search)
        yield
