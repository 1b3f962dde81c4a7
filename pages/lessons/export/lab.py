"""A small Lab as a page: its sliders move the lab's own engine, which a worker of the browser runs.

The page has what the engine's arrays hold before a run, and what sliders change in them; its script draws the
jobs as NumPy does, and fills in what follows from them. Nothing is computed by a second engine.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from typing import Any, cast

import numpy as np
from scipy.special import stdtrit

from pages.lessons.export.page import CHARTS, PARTS, PLOTLY, alike, looks, plotly, script
from pages.lessons.export.site import put
from pages.shared.charts.on_page import CONFIG
from sim import __version__
from sim.engines.registry import engine_of, preset
from sim.engines.run import EDGES
from sim.engines.slots.engine import DONE
from sim.engines.slots.run import SlotRun
from sim.engines.slots.scenario import SlotScenario, read_policy
from sim.engines.slots.sharing.hopper import BLOCK
from sim.engines.slots.signatures import HANDED
from sim.kernel.records import CLUSTER, JOB, SLOT
from sim.model.outcome import PAIRED, first_counted, jobs_needed
from sim.model.result import GROWTH, LEVELS
from sim.model.statistics import LEVEL
from sim.model.workload import generate
from sim.shell.wasm import shipped
from sim.telling import document
from sim.telling.palette import palette
from sim.telling.words import percent

#: The page's cluster: that of Compare, with jobs enough for most loads.
SCENARIO = cast(SlotScenario, preset("copies-and-order").scenario).replace(jobs=2000, load=0.7)
REPLICATIONS = 5
#: Hopper's parameter that has a slider.
EPSILON = "epsilon"
#: Policies that are compared at first.
FIRST = ("fair+none", "fair+late", "hopper+budget")
#: What sliders can be set to.
LOADS = tuple(k / 20 for k in range(4, 20))
BETAS = tuple(k / 10 for k in range(11, 41))
SLOTS = (10, 20, 50, 100, 200)
EPSILONS = tuple(k / 20 for k in range(21))
#: Fields of records that the page sets or reads; the others are as they are in every run.
FIELDS = {
    "cluster": (
        CLUSTER,
        "slots free run mean_factor theta tail edge_step next_edge days_per_time mask year",
    ),
    "jobs": (JOB, "arrival finish resource tasks released first_task"),
    "slots": (SLOT, "spot"),
}
LABELS = {
    "load": "How busy the cluster is: load ρ₀",
    "beta": "How wild stragglers are: β",
    "slots": "Slots in the cluster",
    EPSILON: "How unfair Hopper may be: ε",
}
TITLES = {
    "curve": "How soon jobs finish",
    "usage": "Slots in use: pale originals, dark extra copies",
    "means": "Mean flowtime",
}
#: What the last chart shows.
MEASURE = (
    '<div id="measure" role="group" aria-label="What the chart shows">'
    '<label class="beside"><input type="radio" name="measure" value="mean" checked> mean flowtime</label>'
    '<label class="beside"><input type="radio" name="measure" value="resource"> slot-time</label></div>'
)
FONTS = '"Source Sans 3", "Source Sans", system-ui, sans-serif'
#: What gives the same numbers in a terminal, before what is chosen.
COMMAND = f"python -m sim run --preset copies-and-order --jobs {SCENARIO.jobs} --replications {REPLICATIONS}"
ENGINE, WORKER, LAB = (PARTS / f"{name}.js" for name in ("lab-engine", "lab-worker", "lab"))
STYLE = PARTS / "lab.css"
#: Rows of the longest array that is written down as it is.
FEW = 8
#: What tells the page from others.
MARK = '<meta name="generator" content="straggler-lab, lab">'


def started(scenario: SlotScenario, policy: str) -> SlotRun:
    """Return a run of the first replication, in which nothing has happened yet."""
    return SlotRun(scenario, read_policy(policy), 0, generate(scenario, 0))


def arrays(run: SlotRun) -> dict[str, np.ndarray]:
    """Return the arrays of a run by their names, those of its rules last."""
    return {**run.world._asdict(), **run.own}


def text(content: np.ndarray) -> str:
    """Return what an array holds as a page has it."""
    return base64.b64encode(content.tobytes()).decode()


# How long arrays are, and what they hold before a run: found in runs, not written down again.


def counts(run: SlotRun) -> list[int]:
    """Return what decides how long arrays are."""
    slots, largest = run.scenario.slots, run.totals.largest
    buckets = 1 << max(4, (2 * slots - 1).bit_length())
    return [1, run.totals.jobs, run.totals.tasks, slots, largest, buckets, BLOCK * -(-(largest + 2) // BLOCK)]


@cache
def small_runs(policy: str) -> tuple[SlotRun, ...]:
    """Return runs that differ in all that decides how long arrays are."""
    settings = [
        (17, 20, 3),
        (40, 30, 9),
        (9, 25, 31),
        (33, 50, 40),
        (65, 41, 64),
        (130, 22, 70),
        (12, 60, 95),
    ]
    settings += [(31, 33, 12), (70, 28, 33), (20, 45, 20)]
    changed = [SCENARIO.replace(slots=slots, jobs=jobs, tasks_max=most) for slots, jobs, most in settings]
    return tuple(started(one, policy) for one in changed)


def rows(policy: str, name: str) -> list[int]:
    """Return how the rows of an array follow from `counts`: so many of each.

    Raises
    ------
    ValueError
        If they follow from something else.
    """
    runs = small_runs(policy)
    known = np.array([counts(run) for run in runs], float)
    found = np.array([arrays(run)[name].shape[0] for run in runs])
    each = np.rint(np.linalg.lstsq(known, found, rcond=None)[0]).astype(int)
    if (known @ each != found).any():
        raise ValueError(f"{name}: its length is not known to follow from jobs, tasks and slots")
    return [int(one) for one in each]


def parts(array: np.ndarray) -> list[str]:
    """Return the rows that an array consists of: each fills as large a part; none where many differ."""
    raw = array.reshape(len(array), -1).view(np.uint8) if len(array) else np.zeros((0, 1), np.uint8)
    for several in (1, 2, *((len(raw),) if len(raw) <= FEW else ())):
        each = np.split(raw, several) if len(raw) and len(raw) % several == 0 else []
        if each and all((one == one[0]).all() for one in each):
            return [text(one[0]) for one in each]
    return []


def blank(name: str, array: np.ndarray) -> np.ndarray:
    """Return an array without what the page sets in it."""
    if name in FIELDS:
        array = array.copy()
        for field in FIELDS[name][1].split():
            if field != "finish":
                array[field] = 0
    return array


def arranged(policy: str) -> list[dict[str, Any]]:
    """Return the arrays of a policy's runs in their order: how large rows are, how many, what they hold."""
    run = started(SCENARIO, policy)
    found = []
    for name, array in arrays(run).items():
        size = int(np.prod(array.shape[1:], dtype=int)) * array.itemsize
        one = {"name": name, "size": size, "rows": rows(policy, name), "parts": parts(blank(name, array))}
        found.append(one | ({"shape": array.shape[1:]} if name in run.world._fields else {}))
        if name == "table":
            found[-1] |= {"rows": [2 * len(HANDED), 0, 0, 0, 0, 0, 0], "parts": []}
    return found


def changed(policy: str) -> dict[str, dict[str, dict[str, str]]]:
    """Return the arrays that hold something else for each beta, and for each epsilon."""
    hopper = EPSILON in read_policy(policy).sharing.as_dict
    of_epsilon = {
        one: read_policy(policy).with_(sharing={EPSILON: one}).text if hopper else policy for one in EPSILONS
    }
    few = SCENARIO.replace(jobs=2)
    runs = {
        "beta": {one: started(few.replace(straggle_tail=one), policy) for one in BETAS},
        "epsilon": {one: started(few, text_) for one, text_ in of_epsilon.items()} if hopper else {},
    }
    found: dict[str, dict[str, dict[str, str]]] = {}
    for slider, of in runs.items():
        numbers = ["share_numbers", "copy_numbers", *(["law", "least_factors"] if slider == "beta" else [])]
        texts = {one: {name: text(arrays(run)[name]) for name in numbers} for one, run in of.items()}
        varied = [name for name in numbers if len({one[name] for one in texts.values()}) > 1]
        found[slider] = {f"{at:g}": {name: one[name] for name in varied} for at, one in texts.items()}
    return found


# What NumPy's ziggurat for exponential numbers is made of, asked of NumPy itself.

#: Its generator's step, and how many bits of a word are before those that choose a layer and a place in it.
_STEP, _LAYERS, _FINEST = 0x2360ED051FC65DA44385DF649FCCF645, 3, 11
_MASK = (1 << 128) - 1


@cache
def ziggurat() -> dict[str, Any]:
    """Return the tables: of each layer how wide a step is, below which step all is accepted, how high it is.

    A generator is put where its next word is a wanted one: its output is the lower half of its state, where
    the upper half is 0.
    """
    bits = np.random.PCG64(0)
    generator, state = np.random.Generator(bits), bits.state
    added, back = state["state"]["inc"], pow(_STEP, -1, 1 << 128)

    def asked(layer: int, place: int) -> tuple[float, bool]:
        """Return the number of a place of a layer, and whether it was accepted at once."""
        word = place << _FINEST | layer << _LAYERS
        state["state"]["state"] = (word - added) * back & _MASK
        bits.state = state
        number = generator.standard_exponential()
        return number, bits.state["state"]["state"] == word

    width, accepted = [], []
    for layer in range(256):
        low, high = 0, 1 << 53
        while low < high:  # the first place that is not accepted at once
            middle = (low + high) // 2
            low, high = (middle + 1, high) if asked(layer, middle)[1] else (low, middle)
        accepted.append(low)
        width.append(asked(layer, 1)[0])
    ends = np.array(width) * 2.0**53
    heights = [1.0, *np.exp(-ends[1:]).tolist()]  # the lowest layer has the tail, which begins at the end
    return {"width": width, "accepted": accepted, "height": heights, "begin": float(ends[-1])}


# The page.


def known() -> dict[str, Any]:
    """Return all that the worker knows of runs."""
    laws = {one: SCENARIO.replace(straggle_tail=one).straggle_law for one in BETAS}
    thetas = {
        one: started(SCENARIO.replace(jobs=2, straggle_tail=one), FIRST[0]).world.cluster[0] for one in BETAS
    }
    return {
        "jobs": SCENARIO.jobs,
        "tasks": {"low": SCENARIO.tasks_min, "high": SCENARIO.tasks_max},
        "streams": {name: zlib.crc32(name.encode()) for name in ("tasks", "arrival")},
        "ziggurat": ziggurat(),
        "policies": {one: {"arrays": arranged(one), "changed": changed(one)} for one in shipped().policies},
        "laws": {
            f"{one:g}": {"mean": law.mean, "theta": float(thetas[one].theta), "tail": float(thetas[one].tail)}
            for one, law in laws.items()
        },
        "fields": {name: _places(kind, wanted) for name, (kind, wanted) in FIELDS.items()},
        "sizes": {name: kind.itemsize for name, (kind, _) in FIELDS.items()},
        "table": list(HANDED),
        "block": BLOCK,
        "edges": EDGES,
        "levels": LEVELS.tolist(),
        "counted": first_counted(SCENARIO, SCENARIO.jobs),
        "done": DONE,
    }


def _places(record: np.dtype, names: str) -> dict[str, tuple[int, str]]:
    """Return where fields of a record are, and what kind of number each is."""
    fields: Mapping[str, Any] = record.fields or {}
    return {name: (fields[name][1], fields[name][0].str[1:]) for name in names.split()}


def given() -> dict[str, Any]:
    """Return all that the page's scripts know."""
    light, found = palette(False), shipped()
    needed = {
        f"{beta:g}": {
            f"{load:g}": jobs_needed(SCENARIO.replace(straggle_tail=beta, load=load)) for load in LOADS
        }
        for beta in BETAS
    }
    line = {"gridcolor": light.grid, "zeroline": False, "linecolor": light.ink, "showline": True}
    clear = "rgba(0,0,0,0)"
    layout = {
        "margin": {"l": 8, "r": 12, "t": 24, "b": 8},
        "paper_bgcolor": clear,
        "plot_bgcolor": clear,
        "font": {"family": FONTS, "size": 14, "color": light.ink},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
        "hovermode": "closest",
    }
    start = {
        "load": SCENARIO.load,
        "beta": SCENARIO.straggle_tail,
        "slots": SCENARIO.slots,
        "seed": SCENARIO.seed,
    }
    start[EPSILON] = read_policy("hopper").sharing.as_dict[EPSILON]
    return {
        "known": known(),
        "wasm": base64.b64encode(found.wasm).decode(),
        "worker": script(ENGINE, WORKER),
        "sliders": {"load": LOADS, "beta": BETAS, "slots": SLOTS, EPSILON: EPSILONS},
        "defaults": start,
        "first": FIRST,
        "called": {one: read_policy(one).name for one in found.policies},
        "colors": light.series[: len(found.policies)],
        "needed": needed,
        "paired": PAIRED,
        "jobs": SCENARIO.jobs,
        "meanTasks": SCENARIO.mean_tasks,
        "growth": GROWTH,
        "saturated": engine_of(SCENARIO).saturated,
        "quantiles": [float(stdtrit(degrees, (1 + LEVEL) / 2)) for degrees in range(1, REPLICATIONS)],
        "replications": REPLICATIONS,
        "levels": LEVELS.tolist(),
        "unit": SCENARIO.time_unit,
        "command": COMMAND,
        "layout": layout,
        "axis": line,
        "figures": {place: {"data": [], "layout": {"height": 300}} for place in TITLES},
        "alike": alike(),
        "config": CONFIG,
    }


def page(*, within: bool = False) -> str:
    """Return the page; Plotly's script is in a file beside it, or `within`."""
    known = given() | {"beside": "" if within else PLOTLY}
    data = json.dumps(known, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    data = data.replace("<", "\\u003c")
    body = f'{_body(known)}\n<script type="application/json" id="recorded">{data}</script>'
    return document.whole(
        "Lab · straggler-lab",
        body,
        style=f"{looks()}\n{STYLE.read_text('utf-8')}",
        scripts=[*([plotly()] if within else []), script(CHARTS, LAB)],
        styled=True,
        mark=MARK,
        beside="" if within else PLOTLY,
        later=True,
        worker=True,
    )


def _body(known: Mapping[str, Any]) -> str:
    sliders = "".join(
        f'<label>{escape(label)}: <span id="{name}-value"></span>'
        f'<input type="range" name="{name}" min="0" max="{len(known["sliders"][name]) - 1}" '
        f'value="{known["sliders"][name].index(known["defaults"][name])}" data-touched></label>'
        for name, label in LABELS.items()
    )
    policies = "".join(
        f'<label><input type="checkbox" value="{code}"{" checked" if code in FIRST else ""}> '
        f"{escape(name)}</label>"
        for code, name in known["called"].items()
    )
    figures = "".join(
        f'<figure><p class="title" id="{place}-title">{title}</p>{MEASURE if place == "means" else ""}'
        f'<div class="chart" id="{place}" role="img" aria-label="{title}">A script draws this chart.</div>'
        f'<figcaption id="{place}-about" aria-hidden="true"></figcaption></figure>'
        for place, title in TITLES.items()
    )
    law = (
        f"Jobs of {SCENARIO.tasks_min} to {SCENARIO.tasks_max} tasks arrive at random. A copy of a task "
        f"takes a straggle factor, bounded Pareto up to {SCENARIO.straggle_max:g} with tail index β. "
        f"The first {percent(SCENARIO.warm_up)} of the jobs are left out. All policies run the same jobs "
        "with the same luck. The engine is that of straggler-lab, compiled to WebAssembly; nothing leaves "
        "this page."
    )
    return (
        "<main>\n<h1>Which policy finishes jobs sooner?</h1>\n"
        '<p id="told" class="told" role="status" aria-busy="true">A script computes the answer here.</p>\n'
        f'<p class="small"><progress max="{REPLICATIONS}" value="0" aria-label="Replications"></progress> '
        '<span id="work"></span></p>\n'
        f'<form id="controls" hidden>{sliders}<fieldset id="policies"><legend>Policies: the first is what '
        f'the others are compared with</legend>{policies}</fieldset><p id="messages" role="alert"></p>'
        "</form>\n"
        f'<div id="charts">{figures}</div>\n<p class="small">{escape(law)}</p>\n'
        '<p class="small">The same in a terminal: <code id="command"></code></p>\n</main>\n'
        f'<footer><p class="small">straggler-lab {__version__}</p></footer>'
    )


def files(*, whole: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file; with `whole` the page has Plotly's script within."""
    yield "index.html", page(within=whole).encode()
    if not whole:
        yield PLOTLY, plotly().encode()


def write(folder: str, *, whole: bool = False) -> Iterator[tuple[str, int]]:
    """Write all files into a folder, as `pages.lessons.export.site.write` does."""
    return put(folder, files(whole=whole), MARK)
