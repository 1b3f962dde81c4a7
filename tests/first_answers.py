"""``python -m tests.first_answers --record``: compute the first answers that come with the package.

Every page is opened at its own link and at each of its presets, and every lesson is asked; what they ask of
the workers is noted and its first replication computed. Without ``--record`` it is said what would change.
"""

from __future__ import annotations

import argparse
import math
import pickle
import subprocess
from collections.abc import Callable, Generator, Hashable
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from pages.animation.show import requests_of
from pages.frame.menu import entries
from pages.lessons import LESSONS
from pages.logs.fleet import question as fleet_question
from pages.logs.question import SAMPLE, SAMPLES, offered, recorded_as
from pages.logs.whatif import controls as history_controls
from pages.logs.whatif import question as history_question
from pages.map import controls as map_controls
from pages.map.question import ask
from pages.shared.app import turns
from pages.shared.controls.control import Panel
from pages.shared.live import follow
from pages.shared.live.playing import name_of
from sim import __version__
from sim.advice.diagnosis import read_and_diagnose
from sim.advice.fleet.first_look import advised
from sim.advice.fleet.places import Place, history_at
from sim.advice.whatif.library import read_and_fit
from sim.advice.whatif.steps import steps
from sim.map.plane import PRESET, Plane
from sim.map.shipped import compute, recorded
from sim.model.result import Sample
from sim.running.live import Pool, RunRequest, Snapshot
from sim.running.live.request import PLACE, Records, unit
from sim.running.parallel import TASKS, Player
from tests.pages.visits import arrived, turn_to

#: Pages that ask no worker, or for what a process of its own computes; the maps are recorded as such.
ASIDE = {"room", "map", "threshold", "allocation", "diagnose", "whatif", "beforeafter", "fleet"}
ASIDE |= {"reproductions", "errata", "wait"}


class Noting(Pool):
    """Workers that give a first answer to each request, which is final, and note what it was of."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: dict[str, Sample] = {}

    @property
    def crowd(self) -> int:
        """First answers are as large as for a single visitor."""
        return 0

    def follow(
        self, request: RunRequest, patience: float = 0.1, urgency: int = 0
    ) -> Generator[Snapshot | None, float | None, None]:
        """Yield the first answer."""
        only = replace(request, effort=replace(request.effort, replications=1))
        follower = super().follow(only, patience, urgency)
        asked: float | None = None
        while True:
            snapshot = follower.send(asked)
            if snapshot is not None:
                early = self._runs[only.key].before
                self._note(early or only, self._of(early) if early and not snapshot.preview else snapshot)
                follower.close()
                yield replace(snapshot, final=True)
                return
            asked = yield None

    def _of(self, preview: RunRequest) -> Snapshot:
        """Return what there is of a preview that the whole run was ahead of."""
        follower = super().follow(preview, urgency=1)
        snapshot = next(one for one in follower if one is not None)
        follower.close()
        return snapshot

    def _note(self, request: RunRequest, snapshot: Snapshot) -> None:
        results = snapshot.comparison.policies.values()
        for policy, result in zip(request.experiment.policies, results, strict=True):
            self.noted[unit(request, policy)] = replace(result.samples[0], seconds=0.0)


def visits() -> list[tuple[str, dict[str, str]]]:
    """Return each page that asks the workers, with the parameters of each of its starts."""
    found: list[tuple[str, dict[str, str]]] = []
    for entry in entries():
        if entry.name in ASIDE:
            continue
        found.append((entry.name, {}))
        panel = getattr(import_module(f"{entry.package}.controls"), "PANEL", None)
        for start in panel.starts if isinstance(panel, Panel) else ():
            version = {"v": str(panel.version)} if panel.version else {}
            found.append((entry.name, version | {next(iter(panel.controls)): start}))
    return found


def visited(page: str, query: dict[str, str]) -> dict[str, Sample]:
    """Return the first answers that a visit asks for, by unit."""
    pool = Noting()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turns, "pool", lambda: pool)
        patch.setattr(follow, "pool", lambda: pool)
        app = arrived()
        turn_to(app, page)
        app.query_params.update(query)
        app.run()
    assert not app.exception, (page, query, app.exception)
    return pool.noted


def asked() -> dict[str, Sample]:
    """Return the first answers of the lessons and of their animations, by unit."""
    pool = Noting()
    for lesson in LESSONS.values():
        plain = lesson.variation.default
        for request in (*lesson.asks(plain), *requests_of(lesson.watch.runs(plain)).values()):
            any(snapshot is not None for snapshot in pool.follow(request))
    return pool.noted


def planes() -> dict[str, Plane]:
    """Return the maps of the presets of the page Map; that of its own link is kept apart."""
    given = {name: map_controls.PANEL.defaults(name) | {"preset": name} for name in map_controls.OFFERED}
    return {name: ask(values, most=math.inf).plane for name, values in given.items() if name != PRESET}


class Playing(Player):
    """Plays a sample's history again, here, in the pieces of the page; notes what they make."""

    tasks = TASKS

    def __init__(self, name: str) -> None:
        super().__init__()
        log = offered(name)
        values = history_controls.PANEL.defaults() | {"log": name}
        self.asked = history_question.ask(log, read_and_fit(*log.files()), values)
        self.noted: dict[str, bytes] = {}

    def made(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what is made of pieces."""
        return self._noted(key, make())

    def __call__(self, *arguments: Any, key: Hashable = None, **options: Any) -> Any:
        """Return what a function answers."""
        found = super().__call__(*arguments, **options)
        return found if key is None else self._noted(key, found)

    def _noted(self, key: Hashable, found: Any) -> Any:
        self.noted[name_of((*self.asked.key, key), self.asked.log.files())] = pickle.dumps(found, protocol=5)
        return found


def played(name: str) -> dict[str, bytes]:
    """Return the check of a sample and what the first answer about its settings needs, by their names."""
    playing = Playing(name)
    for step in steps(playing.asked.inquiry, playing.asked.aim, playing):
        if step.answer.remedies is not None:
            break
    return playing.noted


def diagnosed(name: str) -> tuple[str, bytes]:
    """Return the name of the diagnosis of a sample, and that diagnosis, made here."""
    log = offered(name)
    found = read_and_diagnose(*log.files())
    return name_of(recorded_as(read_and_diagnose, log), log.files()), pickle.dumps(found, protocol=5)


def remedy(fleet: fleet_question.Fleet, place: Place) -> tuple[str, bytes]:
    """Return the name of the remedy for a log of the sample of Fleet, and that remedy, played here."""
    found = advised(history_at(place, *fleet.files))
    name = name_of((*fleet.key, place, "advised"), fleet.files)
    return name, pickle.dumps(found, protocol=5)


def main() -> None:
    """Compute, and write or compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.first_answers", description=__doc__)
    parser.add_argument("--record", action="store_true")
    chosen = parser.parse_args()
    found = asked()
    for page, query in visits():
        found |= visited(page, query)
        print(page, *query.values(), len(found), flush=True)
    others: dict[str, bytes] = {}
    for name, plane in planes().items():
        title, told = recorded(compute(plane, tell=lambda known: print(end=".", flush=True)))
        others[title] = told
        print(" map", name, len(told), flush=True)
    for name in SAMPLES:
        others |= played(name) | dict([diagnosed(name)])
        print("history", name, sum(map(len, others.values())), flush=True)
    fleet = fleet_question.named(SAMPLE)
    others |= dict(remedy(fleet, place) for place in fleet.places)
    print("fleet", sum(map(len, others.values())), flush=True)
    if chosen.record:
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        Records().write(found, others, version=__version__, commit=commit, count=str(len(found)))
    print(f"{len(found)} samples, {PLACE.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
