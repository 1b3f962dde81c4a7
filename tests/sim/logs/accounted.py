"""The account of a small history by a loop over all its instants, written from the definition alone."""

import math
from itertools import pairwise

import numpy as np

from sim.advice.diagnosis.account import STATES, usual
from sim.logs.history import FINISHED

WAITING = ("no executor", "behind other jobs", "slot idle", "waiting")
RUNNING = ("running", "running or waiting for the last", "waiting for the last")
#: States that no log merges, and those that one may.
PARTS = (*((key,) for key, state in STATES.items() if not state.merges), WAITING, RUNNING)
SIZES = ("bytes", "records", "written", "records_written")


def vaguer(less, more, parts=PARTS, share=0.0):
    """Check that what one account says can be true where the other is: no state is told that was not.

    Each state of the poorer log stands for some of those of the richer. Jobs can have spent in any state at
    most the seconds of all that it may be, and at least those of what can be nothing else, but for a share
    of the time of all.
    """
    most = share * more.jobs["recorded"].sum() + 1e-9
    for some in parts:
        may = [key for key in STATES if {key, *STATES[key].merges} & set(some)]
        must = [key for key in STATES if set(STATES[key].merges or (key,)) <= set(some)]
        poorer, richer = ([one.jobs[names].sum(axis=1) for names in (may, must)] for one in (less, more))
        assert (richer[1] - poorer[0]).clip(lower=0).sum() <= most, some
        assert (poorer[1] - richer[0]).clip(lower=0).sum() <= most, some


class Naive:
    """A small history, of which any instant can be asked."""

    def __init__(self, history, together=True):
        self.together = together
        self.jobs = history.jobs.to_pylist()
        self.stages = history.stages.to_pylist()
        self.copies = [
            one
            for one in history.copies.to_pylist()
            if one["launch"] is not None and one["launch"] == one["launch"]
        ]
        for table in (self.jobs, self.stages, self.copies):
            for row in table:
                row.update({key: None for key, value in row.items() if value != value})
        self.slots = list(
            zip(history.slots["time"].to_pylist(), history.slots["slots"].to_pylist(), strict=True)
        )
        self.tells_slots = history.slots_from == "log" and bool(self.slots)
        for copy in self.copies:
            copy["told"] = copy["end"]
            if copy["end"] is None:
                copy["end"] = self.until(self.stages[copy["stage"]], copy["launch"])
        self.tasks = {}
        for copy in sorted(self.copies, key=lambda one: one["launch"]):
            self.tasks.setdefault((copy["stage"], copy["task"]), []).append(copy)
        self.usual = self.of_tasks()

    def until(self, stage, launch):
        job = self.jobs[stage["job"]] if stage["job"] >= 0 else {"end": None}
        end = stage["end"] if stage["end"] is not None else job["end"]
        return launch if end is None else max(launch, end)

    def of_tasks(self):
        keys = sorted(self.tasks)
        kinds, names = {}, {}
        rows = [[], [], [], [], {name: [] for name in SIZES if self.copies and name in self.copies[0]}]
        for key in keys:
            stage, copies = self.stages[key[0]], self.tasks[key]
            job = self.jobs[stage["job"]]["name"] if stage["job"] >= 0 else ""
            kind = (job, stage["name"]) if stage["name"] else (job, "", key[0])
            done = [one for one in copies if one["complete"] and one["told"] is not None]
            first = min(done, key=lambda one: one["told"], default=None)
            rows[0].append(key[0])
            rows[1].append(kinds.setdefault(kind, len(kinds)))
            rows[2].append(names.setdefault(kind[1:], len(names)))
            rows[3].append(first["told"] - first["began"] if first else math.nan)
            for name, column in rows[4].items():
                column.append(max((one[name] for one in copies if one[name] is not None), default=math.nan))
        arrays = [np.array(one, kind) for one, kind in zip(rows[:4], (int, int, int, float), strict=True)]
        sizes = {name: np.array(column, float) for name, column in rows[4].items()}
        return dict(zip(keys, usual(*arrays, sizes).tolist(), strict=True)) if keys else {}

    def account(self, row):
        """Return the seconds of each state of a job."""
        job = self.jobs[row]
        keys = [key for key in self.tasks if self.stages[key[0]]["job"] == row]
        times = {job["submit"], job["end"]} | {time for time, _ in self.slots}
        for copy in self.copies:
            times |= {copy["launch"], copy["end"], copy["began"]}
        for stage in self.stages:
            times |= {stage["submit"], stage["end"]}
        for other in self.jobs:
            times |= {other["submit"], other["end"]}
        for key in keys:
            times |= {copy["began"] + self.usual[key] for copy in self.tasks[key]}
        within = sorted(time for time in times if time is not None and job["submit"] <= time <= job["end"])
        found = {}
        for begin, end in pairwise(within):
            state = self.state(row, keys, (begin + end) / 2)
            found[state] = found.get(state, 0.0) + end - begin
        return found

    def state(self, row, keys, now):
        """Return the state of a job at an instant at which nothing happens."""
        running = [self.running(key, now) for key in keys]
        running = [one for one in running if one]
        waits = sum(self.waits(key, now) for key in keys)
        may = False
        for number, stage in enumerate(self.stages):
            if stage["job"] != row:
                continue
            launches = [copies[0]["launch"] for key, copies in self.tasks.items() if key[0] == number]
            if stage["submit"] is not None and not self.together and launches:
                waits += stage["submit"] <= now < min(launches)
            never = 0 if self.jobs[row]["fate"] == FINISHED else max(stage["tasks"] - len(launches), 0)
            over = self.until(stage, -math.inf)
            if stage["submit"] is None or not self.together:
                begin = min([self.earliest(stage, row), *launches])
                may |= begin <= now < max([*launches, *[over] * (never > 0)], default=begin)
            if stage["submit"] is not None:
                waits += never * (stage["submit"] <= now < over)
        if waits:
            return self.waiting(waits, len(running), may, now)
        if not running:
            return "between stages or waiting" if may else "between stages"
        if may:
            return "running or waiting"
        began = [(key, min(one["began"] for one in copies)) for key, copies in running]
        if all(begin > now for _, begin in began):
            return "starting"
        if any(begin > now or now < begin + self.usual[key] for key, begin in began):
            return "running"
        if any(self.usual[key] != self.usual[key] for key, _ in began):
            return "running or waiting for the last"
        return "waiting for the last"

    def earliest(self, stage, row):
        if stage["submit"] is not None:
            return stage["submit"]
        ends = []
        for parent in stage["parents"] or ():
            own = [copy["end"] for copy in self.copies if copy["stage"] == parent]
            end = self.stages[parent]["end"]
            ends.append(end if end is not None else max(own, default=None))
        ends = [end for end in ends if end is not None]
        return max(ends) if ends else self.jobs[row]["submit"]

    def running(self, key, now):
        """Return the task with the copies that have overlapped up to now, if one runs."""
        overlapping, until = [], -math.inf
        for copy in self.tasks[key]:
            if copy["launch"] >= until:
                if until > now:
                    break
                overlapping = []
            overlapping.append(copy)
            until = max(until, copy["end"])
        if overlapping and overlapping[0]["launch"] <= now < until:
            return key, overlapping
        return None

    def waits(self, key, now):
        """Say whether a task waits."""
        copies = self.tasks[key]
        if now < copies[0]["launch"]:
            submit = self.stages[key[0]]["submit"]
            return self.together and submit is not None and submit <= now
        before = [copy for copy in copies if copy["launch"] <= now]
        return len(before) < len(copies) and all(
            copy["end"] <= now and copy["fate"] != FINISHED for copy in before
        )

    def waiting(self, waits, runs, may, now):
        if not self.tells_slots:
            return "waiting"
        exist = ([0] + [number for time, number in self.slots if time <= now])[-1]
        taken = sum(copy["launch"] <= now < copy["told"] for copy in self.copies if copy["told"] is not None)
        if exist == 0:
            return "no executor"
        if exist > taken:
            return "slot idle"
        if runs == 0:
            return "behind other jobs"
        if exist < waits + runs:
            return "no executor"
        return "waiting" if may else "behind other jobs"
