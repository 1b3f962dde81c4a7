"""Sliders that run the lab's own engine in a reader's browser, where a worker has it as WebAssembly.

A page has what the engine's arrays hold before a run, and what sliders change in them; its script draws the
jobs as NumPy does, and fills in what follows from them. Nothing is computed by a second engine.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from functools import cache
from html import escape
from itertools import product
from typing import Any

import numpy as np
from scipy.special import stdtrit

from pages.lessons.export.scripts import PARTS, script
from pages.lessons.lesson import Live
from sim.engines.registry import engine_of, preset
from sim.engines.run import EDGES
from sim.engines.slots.engine import DONE
from sim.engines.slots.run import SlotRun
from sim.engines.slots.scenario import SlotScenario, read_policy
from sim.engines.slots.sharing.hopper import BLOCK
from sim.engines.slots.signatures import HANDED
from sim.kernel.records import CLUSTER, JOB, SLOT
from sim.model.outcome import first_counted, interval_is_reliable
from sim.model.result import GROWTH, LEVELS
from sim.model.statistics import LEVEL
from sim.model.workload import generate
from sim.running.distribution import MOST
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.shell.experiment import shell_line
from sim.shell.wasm import shipped
from sim.telling.palette import palette
from sim.telling.words import counted, percent, plain

#: Hopper's parameter that has a slider.
EPSILON = "epsilon"
#: Slider -> its label. Those that a page lacks stay where the scenario is.
LABELS = {
    "load": "How busy the cluster is: load ρ₀",
    "beta": "How wild stragglers are: β",
    "slots": "Slots in the cluster",
    EPSILON: "How unfair Hopper may be: ε",
}
#: Field of the scenario -> what sets it: a slider, or the seed.
SET = {"load": "load", "straggle_tail": "beta", "slots": "slots", "seed": "seed"}
#: Fields of records that the page sets or reads; the others are as they are in every run.
FIELDS = {
    "cluster": (
        CLUSTER,
        "slots free run mean_factor theta tail edge_step next_edge days_per_time mask year",
    ),
    "jobs": (JOB, "arrival finish resource tasks released first_task"),
    "slots": (SLOT, "spot"),
}
#: What the page calls a statistic -> its measure and what it is called elsewhere.
STATISTICS = {
    **{one: ("flowtime", one) for one in ("mean", "p50", "p95")},
    "resource": ("resource", "mean"),
}
TITLES = {
    "curve": "How soon jobs finish",
    "usage": "Slots in use: pale originals, dark extra copies",
    "means": "Mean flowtime",
}
#: What the last chart shows.
MEASURE = (
    '<div class="measure" role="group" aria-label="What the chart shows">'
    '<label class="beside"><input type="radio" name="measure" value="mean" checked> mean flowtime</label>'
    '<label class="beside"><input type="radio" name="measure" value="resource"> slot-time</label></div>'
)
FONTS = '"Source Sans 3", "Source Sans", system-ui, sans-serif'
#: What runs the engine; what shows what comes of it.
ENGINE, WORKER = (PARTS / f"{name}.js" for name in ("lab-engine", "lab-worker"))
SHOWN = tuple(PARTS / f"{name}.js" for name in ("lab-numbers", "lab-charts", "lab"))
#: Rows of the longest array that is written down as it is.
FEW = 8


def defaults(scenario: SlotScenario) -> dict[str, float]:
    """Return where sliders are at first, and the seed."""
    epsilon = read_policy("hopper").sharing.as_dict[EPSILON]
    first = {"load": scenario.load, "beta": scenario.straggle_tail, "slots": scenario.slots}
    return first | {"seed": scenario.seed, EPSILON: float(epsilon)}


def places(live: Live, slider: str) -> tuple[float, ...]:
    """Return what a slider can be set to; where there is none, what its value is."""
    return live.sliders.get(slider, (defaults(live.scenario)[slider],))


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
def small_runs(scenario: SlotScenario, policy: str) -> tuple[SlotRun, ...]:
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
    differing = [scenario.replace(slots=slots, jobs=jobs, tasks_max=most) for slots, jobs, most in settings]
    return tuple(started(one, policy) for one in differing)


def rows(scenario: SlotScenario, policy: str, name: str) -> list[int]:
    """Return how the rows of an array follow from `counts`: so many of each.

    Raises
    ------
    ValueError
        If they follow from something else.
    """
    runs = small_runs(scenario, policy)
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


def arranged(scenario: SlotScenario, policy: str) -> list[dict[str, Any]]:
    """Return the arrays of a policy's runs in their order: how large rows are, how many, what they hold."""
    run = started(scenario, policy)
    found = []
    for name, array in arrays(run).items():
        size = int(np.prod(array.shape[1:], dtype=int)) * array.itemsize
        one = {
            "name": name,
            "size": size,
            "rows": rows(scenario, policy, name),
            "parts": parts(blank(name, array)),
        }
        found.append(one | ({"shape": array.shape[1:]} if name in run.world._fields else {}))
        if name == "table":
            found[-1] |= {"rows": [2 * len(HANDED), 0, 0, 0, 0, 0, 0], "parts": []}
    return found


def changed(live: Live, policy: str) -> dict[str, dict[str, dict[str, str]]]:
    """Return the arrays that hold something else for each beta, and for each epsilon."""
    hopper = EPSILON in read_policy(policy).sharing.as_dict
    of_epsilon = {
        one: read_policy(policy).with_(sharing={EPSILON: one}).text if hopper else policy
        for one in places(live, EPSILON)
    }
    few = live.scenario.replace(jobs=2)
    runs = {
        "beta": {one: started(few.replace(straggle_tail=one), policy) for one in places(live, "beta")},
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


def steps(scenario: SlotScenario) -> list[float]:
    """Return from which uniform number on a job has one task more than the fewest, one more, and so on."""
    law = scenario.task_law
    fewest, most = (int(law.quantile(share)) for share in (0.0, 1 - 2.0**-53))
    counts = np.arange(fewest + 1, most + 1)
    low, high = np.zeros(counts.size, np.int64), np.full(counts.size, 1 << 53)
    while (low < high).any():  # the first place of the generator's 2^53 that has so many tasks
        middle = (low + high) // 2
        reached = law.quantile(middle * 2.0**-53) >= counts
        low, high = np.where(reached, low, middle + 1), np.where(reached, middle, high)
    return [fewest, *(low * 2.0**-53).tolist()]


# What a page has of it: what the worker knows, what its script shows, the element.


def known(live: Live) -> dict[str, Any]:
    """Return all that the worker knows of runs."""
    scenario, betas = live.scenario, places(live, "beta")
    tailed = {one: scenario.replace(straggle_tail=one) for one in betas}
    clusters = {
        one: started(of.replace(jobs=2), live.policies[0]).world.cluster[0] for one, of in tailed.items()
    }
    return {
        "jobs": scenario.jobs,
        "tasks": steps(scenario),
        "meanTasks": scenario.mean_tasks,
        "streams": {name: zlib.crc32(name.encode()) for name in ("tasks", "arrival")},
        "ziggurat": ziggurat(),
        "policies": {
            one: {"arrays": arranged(scenario, one), "changed": changed(live, one)} for one in live.policies
        },
        "laws": {
            f"{one:g}": {
                "mean": of.straggle_law.mean,
                "theta": float(clusters[one].theta),
                "tail": float(clusters[one].tail),
            }
            for one, of in tailed.items()
        },
        "fields": {name: _places(kind, wanted) for name, (kind, wanted) in FIELDS.items()},
        "sizes": {name: kind.itemsize for name, (kind, _) in FIELDS.items()},
        "table": list(HANDED),
        "block": BLOCK,
        "edges": EDGES,
        "levels": LEVELS.tolist(),
        "counted": first_counted(scenario, scenario.jobs),
        "done": DONE,
    }


def _places(record: np.dtype, names: str) -> dict[str, tuple[int, str]]:
    """Return where fields of a record are, and what kind of number each is."""
    fields: Mapping[str, Any] = record.fields or {}
    return {name: (fields[name][1], fields[name][0].str[1:]) for name in names.split()}


def given(live: Live) -> dict[str, Any]:
    """Return all that the script of a page knows."""
    light, found, scenario = palette(False), shipped(), live.scenario
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
    return {
        "known": known(live),
        "wasm": base64.b64encode(found.wasm).decode(),
        "worker": script(ENGINE, WORKER),
        "sliders": live.sliders,
        "places": places(live, "slots"),
        "defaults": defaults(scenario),
        "first": live.first,
        "called": {one: read_policy(one).name for one in live.policies},
        "colors": light.series[: len(live.policies)],
        "reliable": reliable(live),
        "statistics": list(STATISTICS),
        "growth": GROWTH,
        "saturated": engine_of(scenario).saturated,
        "quantiles": [float(stdtrit(degrees, (1 + LEVEL) / 2)) for degrees in range(1, live.replications)],
        "replications": live.replications,
        "most": MOST,
        "unit": scenario.time_unit,
        "command": command(live),
        "set": SET,
        "layout": layout,
        "axis": line,
    }


def reliable(live: Live) -> dict[str, dict[str, str]]:
    """Return of each beta and load the statistics whose intervals keep their promise.

    There are two hexadecimal digits for each number of slots. Their bits, from the least on, are of
    `STATISTICS`: of differences, and then of one policy.
    """
    found: dict[str, dict[str, str]] = {f"{beta:g}": {} for beta in places(live, "beta")}
    for beta, load in product(places(live, "beta"), places(live, "load")):
        digits = ""
        for slots in places(live, "slots"):
            at = live.scenario.replace(straggle_tail=beta, load=load, slots=int(slots))
            known = [
                interval_is_reliable(at, measure, statistic, paired=paired)
                for paired in (True, False)
                for measure, statistic in STATISTICS.values()
            ]
            digits += f"{sum(one << place for place, one in enumerate(known)):02x}"
        found[f"{beta:g}"][f"{load:g}"] = digits
    return found


def figures() -> dict[str, Any]:
    """Return what charts show before there is a number."""
    return {place: {"data": [], "layout": {"height": 300}} for place in TITLES}


def command(live: Live) -> str:
    """Return what gives the same numbers in a terminal, but for sliders and policies, which a script adds."""
    moved = {name: getattr(preset(live.preset).scenario, name) for name in SET}
    first = Experiment(live.scenario.replace(**moved), (read_policy(live.policies[0]),))
    line = shell_line(live.preset, first, Effort(replications=live.replications))
    return line.replace(f" --policy {live.policies[0]}", "")


def element(live: Live) -> str:
    """Return the sliders, the answer and the charts, which a script fills."""
    scenario, start = live.scenario, defaults(live.scenario)
    sliders = "".join(
        f'<label>{escape(LABELS[name])}: <span data-value="{name}"></span>'
        f'<input type="range" name="{name}" min="0" max="{len(values) - 1}" '
        f'value="{values.index(start[name])}" data-touched></label>'
        for name, values in live.sliders.items()
    )
    policies = "".join(
        f'<label><input type="checkbox" value="{code}"{" checked" if code in live.first else ""}> '
        f"{escape(read_policy(code).name)}</label>"
        for code in live.policies
    )
    figures = "".join(
        f'<figure><p class="title">{title}</p>{MEASURE if place == "means" else ""}'
        f'<div class="chart" id="{place}" role="img" aria-label="{title}">A script draws this chart.</div>'
        f'<figcaption aria-hidden="true"></figcaption></figure>'
        for place, title in TITLES.items()
    )
    return (
        '<section class="lab">\n'
        '<p class="told" role="status" aria-busy="true">A script computes the answer here.</p>\n'
        f'<p class="small"><progress max="{live.replications}" value="0" aria-label="Replications">'
        '</progress> <span class="work"></span></p>\n'
        f'<form hidden>{sliders}<fieldset class="policies"><legend>Policies: the first is what '
        f'the others are compared with</legend>{policies}</fieldset><p class="messages" role="alert"></p>'
        "</form>\n"
        f'<div class="charts">{figures}</div>\n<p class="small">{escape(_law(scenario))}</p>\n'
        '<p class="small">The same in a terminal: <code class="command"></code></p>\n</section>'
    )


def _law(scenario: SlotScenario) -> str:
    """Say what is the same wherever the sliders are."""
    fewest, most = scenario.tasks_min, scenario.tasks_max
    jobs = {
        "constant": f"Jobs of {counted(most, 'task')} each",
        "uniform": f"Jobs of {fewest} to {most} tasks",
        "pareto": f"Jobs of {fewest} to {most} tasks, most of them few,",
    }[scenario.tasks]
    bound = "" if scenario.straggle == "pareto" else f" bounded at {plain(scenario.straggle_max)}"
    return (
        f"{jobs} arrive at random. A copy of a task takes a straggle factor, Pareto{bound} with tail index "
        f"β. The first {percent(scenario.warm_up)} of the jobs are left out. All policies run the same jobs "
        "with the same luck. The engine is that of straggler-lab, compiled to WebAssembly; nothing leaves "
        "this page."
    )
