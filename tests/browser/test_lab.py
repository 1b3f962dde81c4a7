"""The exported Lab in a browser, from a disk: the numbers of a run here, by keyboard, on a phone."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from pages.lessons.export import lab
from pages.lessons.export.page import bundled
from sim.engines.slots.scenario import SlotScenario, read_policy
from sim.model.workload import generate
from sim.running.experiment import Experiment, compare
from sim.shell.verbs import main
from sim.shell.wasm import shipped
from tests.browser.axe import ALL, found
from tests.browser.conftest import listen
from tests.test_wasm import Elsewhere

pytestmark = [pytest.mark.browser, pytest.mark.compiled]

#: Largest relative difference: sums of the same numbers in another order.
CLOSE = 1e-12
SETTINGS: tuple[dict[str, Any], ...] = (
    {"load": 0.7, "beta": 1.5, "slots": 50, "epsilon": 1, "seed": 1},
    {"load": 0.95, "beta": 1.1, "slots": 10, "epsilon": 0.3, "seed": 7},
    {"load": 0.3, "beta": 3, "slots": 200, "epsilon": 0, "seed": 2**40 + 5},
)
#: What memory holds before runs, as Base64.
BEGUN = """async ([known, wasm, asked]) => {
  %s
  const { Engine, drawn } = module_lab_engine;
  const bytes = Uint8Array.from(atob(wasm), (one) => one.charCodeAt(0));
  const engine = new Engine((await WebAssembly.instantiate(bytes)).instance.exports, known);
  return asked.map(([policy, setting, replication]) => {
    engine.begin(policy, setting, drawn(known, setting.seed, replication), replication);
    const content = new Uint8Array(engine.view.buffer.slice(1 << 20, engine.end));
    return btoa(Array.from(content, (one) => String.fromCharCode(one)).join(""));
  });
}"""


#: What the page knows of each policy.
FIGURES = """Object.fromEntries(lab.policies.map((policy) => [policy, {
  estimates: ["mean", "p50", "p95", "resource"].map((of) => lab.estimate(policy, of)),
  unstable: lab.grown(policy),
}]))"""


def scenario(setting: dict[str, Any]) -> SlotScenario:
    named = {name: setting[name] for name in ("load", "slots", "seed")}
    return lab.SCENARIO.replace(straggle_tail=float(setting["beta"]), **named)


def code(policy: str, setting: dict[str, Any]) -> str:
    return policy.replace("hopper+", f"hopper:epsilon={setting['epsilon']}+")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("lab")
    assert main(["export", "lab", str(folder)]) == 0
    return (folder / "index.html").as_uri()


def opened(browser: Browser, address: str, complaints: list[str], **more: Any) -> Page:
    view = browser.new_context(**more).new_page()
    listen(view, complaints, headers=False)
    view.goto(address)
    finish(view)
    return view


def finish(view: Page) -> None:
    expect(view.locator("#told")).to_have_attribute("aria-busy", "false")
    expect(view.locator("#work")).to_have_text(
        f"{lab.REPLICATIONS} of {lab.REPLICATIONS} replications of 2,000 jobs each"
    )


def test_memory_holds_every_bit_that_a_run_here_begins_with(browser: Browser) -> None:
    view = browser.new_page()
    asked = [
        (policy, setting, replication)
        for replication, setting in enumerate(SETTINGS)
        for policy in shipped().policies
    ]
    wasm = base64.b64encode(shipped().wasm).decode()
    begun = view.evaluate(BEGUN % bundled(lab.ENGINE), [json.loads(json.dumps(lab.known())), wasm, asked])
    for (policy, setting, replication), content in zip(asked, begun, strict=True):
        jobs = generate(scenario(setting), replication)
        run = Elsewhere(scenario(setting), read_policy(code(policy, setting)), replication, jobs)
        assert base64.b64decode(content) == run.call(100_000).content, (policy, setting)
    view.close()


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: f"load={one['load']}")
def test_the_page_has_the_numbers_of_the_command(
    setting: dict[str, Any], browser: Browser, exported: str, complaints: list[str], tmp_path: Path
) -> None:
    policies = shipped().policies
    parts = [*(f"{name}={value}" for name, value in setting.items()), f"policies={';'.join(policies)}"]
    view = opened(browser, f"{exported}#{'&'.join(parts)}", complaints)
    told = view.evaluate(FIGURES)
    command = view.locator("#command").inner_text().split()
    view.context.close()
    assert main([*command[3:], "--json", str(tmp_path / "run.json")]) == 0
    ran = json.loads((tmp_path / "run.json").read_text())
    for policy in policies:
        run, there = ran["policies"][code(policy, setting)], told[policy]
        assert there["unstable"] == run["unstable"]
        expected = [run["flowtime"][one] for one in ("mean", "p50", "p95")] + [run["resource"]["mean"]]
        for one, figure in zip(expected, there["estimates"], strict=True):
            assert figure["value"] == pytest.approx(one["value"], rel=CLOSE)
            assert (figure["half"] is None) == (one["low"] is None)
            if one["low"] is not None:
                ends = [figure["value"] + by * figure["half"] for by in (-1, 1)]
                assert ends == pytest.approx([one["low"], one["high"]], rel=CLOSE)


def test_curves_and_slots_in_use_are_those_of_a_run_here(
    browser: Browser, exported: str, complaints: list[str]
) -> None:
    view = opened(browser, exported, complaints)
    samples = view.evaluate("lab.samples")
    view.context.close()
    ran = compare(
        Experiment(lab.SCENARIO, [read_policy(one) for one in lab.FIRST]), replications=lab.REPLICATIONS
    )
    for policy, result in zip(lab.FIRST, ran.policies.values(), strict=True):
        for there, here in zip(samples[policy], result.samples, strict=True):
            curve = here.curves["flowtime"]
            np.testing.assert_array_equal(there["curve"], curve[~np.isnan(curve)])
            np.testing.assert_array_equal(np.transpose(there["series"]), here.series[:, :3])


def test_the_lab_is_moved_by_keyboard_on_a_phone_and_its_link_opens_it_again(
    browser: Browser, exported: str, complaints: list[str]
) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
    view = browser.new_context(**phone).new_page()
    asked: list[str] = []
    view.on("request", lambda request: asked.append(request.url))
    listen(view, complaints, headers=False)
    view.goto(f"{exported}#load=3&cores=2&policies=fair%2Bnone;fifo")
    finish(view)
    expect(view.get_by_role("alert")).to_have_text(
        "load: 3 is not offered here; 0.95 is nearest. cores: this page has no such control. "
        "policies: “fifo” is not offered here."
    )
    expect(view.locator("#told")).to_contain_text("Choose a second policy to compare it with.")
    view.get_by_role("checkbox", name="Fair shares + no copies").press("Space")
    expect(view.get_by_role("checkbox", name="Fair shares + no copies")).to_be_checked()
    for name in ("Shortest first + LATE", "Hopper"):
        view.get_by_role("checkbox", name=name).press("Space")
    load = view.get_by_role("slider", name="load")
    for _ in range(5):
        load.press("ArrowLeft")
    expect(load).to_have_attribute("aria-valuetext", "0.7")
    finish(view)
    expect(view.locator("#told")).to_contain_text("under Fair shares + no copies. It does so for ")
    expect(view.locator("#usage svg").first).to_be_visible()
    view.get_by_role("radio", name="slot-time").press("Space")
    expect(view.get_by_text("Mean slot-time of a job").first).to_be_visible()
    assert found(view, ALL) == []
    assert view.evaluate("document.documentElement.scrollWidth") <= 390
    assert {urlsplit(one).scheme for one in asked} == {"file", "blob"}
    told, link = view.locator("#told").inner_text(), view.url
    assert link == f"{exported}#policies=fair%2Bnone%3Bsrpt%2Blate%3Bhopper%2Bbudget"
    view.context.close()
    view = opened(browser, link, complaints)
    expect(view.locator("#told")).to_have_text(told)
    view.context.close()


def test_a_lab_without_the_script_of_its_charts_tells_the_numbers(
    browser: Browser, exported: str, tmp_path: Path, complaints: list[str]
) -> None:
    """A file that has it within is whole."""
    (tmp_path / "index.html").write_text(lab.page(within=True), encoding="utf-8")
    view = opened(browser, (tmp_path / "index.html").as_uri(), complaints)
    expect(view.locator("#curve svg").first).to_be_visible()
    view.context.close()
    (tmp_path / "index.html").write_text(lab.page(), encoding="utf-8")
    view = opened(browser, (tmp_path / "index.html").as_uri(), [])
    expect(view.locator("#told")).to_contain_text("19 of 20 jobs finish within")
    expect(view.get_by_text("The file plotly.min.js, which belongs beside this page").first).to_be_visible()
    expect(view.get_by_text("Mean flowtime with 95 % intervals").first).to_be_visible()
    view.context.close()
