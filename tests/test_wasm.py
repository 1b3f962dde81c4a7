"""The slot engine as WebAssembly has the results of the engine that is compiled for this machine."""

from __future__ import annotations

import base64
import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pages.lessons.export.lab import policies
from sim.engines.slots.engine import DONE
from sim.engines.slots.run import SlotRun
from sim.engines.slots.scenario import SlotScenario, read_policy
from sim.engines.slots.signatures import HANDED
from sim.kernel.records import LINE
from sim.model.workload import generate
from tests.browser.chromium import launched

pytestmark = pytest.mark.wasm
ROOT = Path(__file__).parents[1]
#: Where arrays begin, above all that the file itself keeps in memory; and by how much memory grows.
BEGIN, PAGE = 1 << 20, 1 << 16
#: Largest relative difference: the last bit of a logarithm may be another one here than in the file.
CLOSE = 1e-12
SMALL = SlotScenario(slots=60, jobs=150, tasks_max=30, load=0.8)
DRAWN = tuple(np.random.default_rng(1).pareto(1.5, 999) + 1)
SETTINGS = {
    "exponential": SMALL.replace(straggle="exponential", size="uniform", size_max=3),
    "bounded pareto": SMALL.replace(straggle="bounded-pareto", observe="fraction:0.2", arrivals="bursty"),
    "lognormal": SMALL.replace(straggle="lognormal", tasks="zipf", observe="never"),
    "outliers": SMALL.replace(straggle="outlier", outlier_share=0.1, outlier_spread=0.5, machine_slots=4),
    "samples": SMALL.replace(straggle="empirical", samples=(1, 1, 1.5, 9), decision_interval=0.5),
    "drawn ahead": SMALL.replace(straggle="empirical", samples=DRAWN, observe="never"),
    "table": SMALL.replace(straggle="table", samples=(1, 1.2, 3), tail_share=0.1, size="pareto", drain=0.1),
    "phases": SMALL.replace(
        phases=3, shape="bushy", transfer=0.5, barrier=0.3, size="pareto", size_per="task"
    ),
    "blocks": SMALL.replace(replicas=3, machine_slots=4, slow_share=0.2),
    "overloaded": SMALL.replace(load=1.5, drain=0, tasks="pareto", size="exponential"),
}


@dataclasses.dataclass
class Call:
    """A call of a function of the file: what memory holds from `BEGIN` on, and where the words are."""

    policy: str
    content: bytes
    words: int


class Elsewhere(SlotRun):
    """A run whose engine is called somewhere else, with a copy of its arrays."""

    #: Makes a call; returns the engine's answer, and what memory holds then.
    make: Callable[[Call], tuple[int, bytes]]

    def _advance(self, events: int) -> bool:
        answer, content = self.make(self.call(events))
        for name, array in self.arrays.items():
            if name != "table":
                first = self.places[name] - BEGIN
                bits = np.frombuffer(content, np.uint8, array.nbytes, first)
                array.reshape(-1).view(np.uint8)[:] = bits
        return answer == DONE

    @property
    def arrays(self) -> dict[str, Any]:
        return self.world._asdict() | self.own

    @property
    def places(self) -> dict[str, int]:
        """The address of each array, and of the words behind them."""
        sizes = [-(-array.nbytes // LINE) * LINE for array in self.arrays.values()]
        return dict(zip([*self.arrays, "words"], np.cumsum([BEGIN, *sizes]).tolist(), strict=True))

    def call(self, events: int) -> Call:
        arrays, places = self.arrays, self.places
        seen = [(places[name], arrays[name].size) if name in arrays else (0, 0) for name in HANDED]
        words = [number for name in self.world._fields for number in (places[name], *arrays[name].shape)]
        arrays |= {"table": np.array(seen, np.int64), "words": np.array([*words, events], np.int64)}
        content = bytearray(places["words"] - BEGIN + arrays["words"].nbytes)
        for name, array in arrays.items():
            first = places[name] - BEGIN
            content[first : first + array.nbytes] = array.tobytes()
        return Call(self.policy.text, bytes(content), places["words"])


def started(scenario: SlotScenario, policy: str, kind: type[SlotRun] = SlotRun) -> Any:
    return kind(scenario, read_policy(policy), 0, generate(scenario, 0), log=1000)


def results(run: SlotRun, events: int) -> dict[str, np.ndarray]:
    """Run to the end, so many events a call; return all that is measured but how long it took."""
    while not run.advance(events):
        pass
    outcome = dataclasses.asdict(run.outcome())
    log = outcome.pop("log")
    outcome |= outcome.pop("scalars") | outcome.pop("columns") | {name: log[name] for name in log.dtype.names}
    del outcome["seconds"]
    return {name: np.array(what, float) for name, what in outcome.items()}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file."""
    pytest.importorskip("ziglang")
    path = tmp_path_factory.mktemp("wasm") / "slots.wasm"
    subprocess.run([sys.executable, "-m", "deploy.wasm", str(path)], check=True, cwd=ROOT)
    return path


@pytest.fixture(scope="module")
def make(written: Path) -> Callable[[Call], tuple[int, bytes]]:
    """Make calls in a machine of WebAssembly that Python has."""
    wasmtime = pytest.importorskip("wasmtime")
    engine = wasmtime.Engine()
    module = wasmtime.Module.from_file(engine, str(written))

    def made(call: Call) -> tuple[int, bytes]:
        store = wasmtime.Store(engine)
        found = wasmtime.Instance(store, module, []).exports(store)
        memory, end = found["memory"], BEGIN + len(call.content)
        assert found["__heap_base"].value(store) <= BEGIN
        memory.grow(store, max(0, -(-end // PAGE) - memory.size(store)))
        memory.write(store, call.content, BEGIN)
        answer = found[call.policy](store, call.words)
        return answer, bytes(memory.read(store, BEGIN, end))

    return made


@pytest.mark.parametrize("policy", policies())
@pytest.mark.parametrize("setting", SETTINGS)
def test_every_figure_is_that_of_the_engine_here(
    setting: str, policy: str, make: Callable[[Call], tuple[int, bytes]]
) -> None:
    scenario = SETTINGS[setting]
    here = results(started(scenario, policy), SlotRun.STEP)
    elsewhere = started(scenario, policy, Elsewhere)
    elsewhere.make = make
    there = results(elsewhere, 400)
    assert here["events"] > 400
    assert there.keys() == here.keys()
    close = 0 if scenario.straggle == "empirical" else CLOSE  # there is no logarithm in it
    for name, expected in here.items():
        np.testing.assert_allclose(there[name], expected, rtol=close, atol=0, err_msg=name)


WORKER = """
onmessage = async ({data: {engine, content, begin, page, policy, words}}) => {
  const {instance: {exports}} = await WebAssembly.instantiate(engine);
  const end = begin + content.length, {memory} = exports;
  memory.grow(Math.max(0, Math.ceil((end - memory.buffer.byteLength) / page)));
  new Uint8Array(memory.buffer).set(content, begin);
  const answer = Number(exports[policy](words));
  postMessage([answer, memory.buffer.slice(begin, end)]);
};
"""
PAGE_OF_IT = """<!doctype html><meta charset="utf-8"><title>The engine in a page</title><script>
const given = GIVEN;
const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
const worker = new Worker(URL.createObjectURL(new Blob([given.worker])));
const result = new Promise((resolve, reject) => {
  worker.onerror = reject;
  worker.onmessage = ({data: [answer, content]}) => {
    const reader = new FileReader();
    reader.onload = () => resolve([answer, reader.result.split(",")[1]]);
    reader.readAsDataURL(new Blob([content]));
  };
});
worker.postMessage({...given, engine: bytes(given.engine), content: bytes(given.content)});
</script>
"""


def page_of(call: Call, engine: bytes) -> str:
    """Return a page that makes a call in a worker, and needs nothing but itself."""
    texts = {"engine": engine, "content": call.content}
    given = {name: base64.b64encode(content).decode() for name, content in texts.items()}
    given |= {"policy": call.policy, "words": call.words, "begin": BEGIN, "page": PAGE, "worker": WORKER}
    return PAGE_OF_IT.replace("GIVEN", json.dumps(given))


def test_a_file_that_a_browser_opens_has_the_same_bits(
    make: Callable[[Call], tuple[int, bytes]], written: Path, tmp_path: Path
) -> None:
    with launched() as chromium:
        for policy in policies():
            call = started(SMALL, policy, Elsewhere).call(SlotRun.STEP)
            path = tmp_path / f"{policy}.html"
            path.write_text(page_of(call, written.read_bytes()), encoding="utf-8")
            page = chromium.new_page()
            page.goto(path.as_uri())
            answer, content = page.evaluate("result")
            assert answer == DONE
            assert (answer, base64.b64decode(content)) == make(call)
