"""A few of the attacks on a server of our own; with ``-m slow`` all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.attacks import local, stranger
from tests.attacks.__main__ import attack, wait_until_ready
from tests.attacks.classes import CLASSES
from tests.browser.server import Server, serve

pytestmark = pytest.mark.compiled
#: Of the tries of the deep run, in the usual one; what computes whole pages is tried a few times only.
SHARE, FEW = 0.02, 0.004
#: Tries from which on one is quick, of those that need no server.
MANY = 500
COMPUTES = {"links", "widgets", "vanishing"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(tmp_path_factory.mktemp("attacked")) as running:
        wait_until_ready(running.port)
        yield running


@pytest.mark.parametrize(
    ("name", "share"),
    [
        *((name, FEW if name in COMPUTES else SHARE) for name in CLASSES),
        *(pytest.param(name, 1.0, marks=pytest.mark.slow) for name in CLASSES),
    ],
)
def test_strangers_harm_nobody(
    server: Server, name: str, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    if share < 1:
        monkeypatch.setattr(stranger, "LONG_S", 2.0)
    held = asyncio.run(attack(server, name, share, seed=1))
    assert not held.failed
    assert held.tries >= CLASSES[name][1] * share - 1


@pytest.mark.parametrize(
    ("name", "share"),
    [
        *((name, SHARE) for name, (_, most) in local.CLASSES.items() if most >= MANY),
        *(pytest.param(name, 1.0, marks=pytest.mark.slow) for name in local.CLASSES),
    ],
)
def test_files_and_kills_lose_nothing(name: str, share: float) -> None:
    tries, failed = local.attack(name, share, seed=1)
    assert not failed
    assert tries >= local.CLASSES[name][1] * share - 1
