"""The exported Lab: of today's engine, small, and asking nothing of anybody."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from pages.lessons.export import lab, live
from pages.lessons.export.scripts import PLOTLY
from sim.model.fields import BadInput
from sim.model.outcome import interval_is_reliable
from sim.shell.verbs import main
from sim.shell.wasm import SHIPPED, Shipped, shipped, sources

#: Bytes of all files together, at most.
MOST_BYTES = 6_000_000


def test_the_engine_for_browsers_is_of_todays_code() -> None:
    """If not: ``python -m deploy.wasm``, with the extra `wasm`."""
    there = json.loads(SHIPPED.read_text())
    assert there["sources"] == sources()
    assert tuple(there["policies"]) == lab.policies()


def test_an_engine_of_other_code_is_refused(tmp_path: Path) -> None:
    Shipped(("fair+none",), "0" * 16, b"\0asm").write(tmp_path / "old.json")
    with pytest.raises(BadInput, match="is of other code"):
        shipped(tmp_path / "old.json")
    Shipped(("fair+none",), sources(), b"\0asm").write(tmp_path / "new.json")
    assert shipped(tmp_path / "new.json").wasm == b"\0asm"


def test_the_lab_is_two_small_files_that_load_nothing_else(tmp_path: Path) -> None:
    assert main(["export", "lab", str(tmp_path / "lab")]) == 0
    assert main(["export", "lab", str(tmp_path / "lab")]) == 0, "its own files are made anew"
    files = {path.name: path.stat().st_size for path in (tmp_path / "lab").iterdir()}
    assert files.keys() == {"index.html", PLOTLY}
    assert sum(files.values()) < MOST_BYTES
    page = (tmp_path / "lab" / "index.html").read_text()
    assert "default-src 'none'" in page
    assert "worker-src blob:" in page
    assert "http" not in page.replace("http-equiv", "")
    assert main(["export", "lessons", str(tmp_path / "lab")]) == 2, "another's folder"


def test_a_script_draws_exponential_numbers_from_the_tables_of_numpy() -> None:
    """As the page does, one by one; each kind of draw comes about."""
    tables = live.ziggurat()
    bits = np.random.PCG64([1, 2])
    expected = np.random.Generator(np.random.PCG64([1, 2])).standard_exponential(20_000)
    kinds = set()

    def uniform() -> float:
        return float(int(bits.random_raw()) >> 11) * 2.0**-53

    def exponential() -> float:
        while True:
            word = int(bits.random_raw())
            layer, place = word >> 3 & 255, word >> 11
            found = place * tables["width"][layer]
            if place < tables["accepted"][layer]:
                return found
            kinds.add(layer == 0)
            if layer == 0:
                return tables["begin"] - float(np.log1p(-uniform()))
            above, height = tables["height"][layer - 1], tables["height"][layer]
            if (above - height) * uniform() + height < np.exp(-found):
                return found

    np.testing.assert_allclose([exponential() for _ in expected], expected, rtol=1e-15)
    assert kinds == {True, False}


def test_an_array_whose_length_follows_from_nothing_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    luck = np.random.default_rng(1)
    monkeypatch.setattr(live, "arrays", lambda run: {"odd": np.zeros(luck.integers(1, 9999))})
    with pytest.raises(ValueError, match="odd: its length is not known to follow"):
        live.rows(lab.LAB.scenario, "fair+none", "odd")


@pytest.mark.parametrize("law", [("uniform", 1, 50), ("constant", 1, 7), ("pareto", 1, 50), ("zipf", 1, 9)])
def test_a_script_draws_as_many_tasks_as_numpy_does(law: tuple[str, int, int]) -> None:
    kind, low, high = law
    scenario = lab.LAB.scenario.replace(tasks=kind, tasks_min=low, tasks_max=high, tasks_tail=0.7)
    fewest, *steps = live.steps(scenario)
    ends = np.array([*steps, 1.0]) - 2.0**-53  # the last place before each step, and each step itself
    shares = np.concatenate([steps, ends, np.random.default_rng(1).random(10_000)])
    found = fewest + np.searchsorted(steps, shares, side="right")
    np.testing.assert_array_equal(found, scenario.task_law.quantile(shares))


@pytest.mark.parametrize("name", lab.lives())
def test_a_page_knows_which_intervals_keep_their_promise(name: str) -> None:
    setting = lab.lives()[name]
    known = live.reliable(setting)
    mean, resource = (1 << list(live.STATISTICS).index(one) for one in ("mean", "resource"))
    seen = set()
    for beta, load in product(live.places(setting, "beta"), live.places(setting, "load")):
        digits = known[f"{beta:g}"][f"{load:g}"]
        for place, slots in enumerate(live.places(setting, "slots")):
            at = setting.scenario.replace(straggle_tail=beta, load=load, slots=int(slots))
            of_one, of_two = divmod(int(digits[2 * place : 2 * place + 2], 16), 1 << len(live.STATISTICS))
            assert bool(of_two & mean) == interval_is_reliable(at, "flowtime", "mean", paired=True)
            assert of_one & resource
            for which, (measure, statistic) in enumerate(live.STATISTICS.values()):
                assert of_one >> which & 1 == interval_is_reliable(at, measure, statistic)
            seen |= {of_one & mean, of_two & mean}
    assert len(seen) == 2, "at some places means have none"
