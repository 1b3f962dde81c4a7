"""The cost of stragglers: the history replayed with every task at the median of its stage.

Both replays, one with the recorded durations and one with the medians, run the same jobs at the same
submit times on the same slots, first come first served, stages after their parents. A stage starts as
long after its parents (or the submission of its job) as it did in the log, and a job ends as long after
its last stage: that is time of the driver, which stragglers do not change. In a closed loop
(`sim.logs.loops`) a job is submitted as long after the end of the job that it waited for. What the replay
with medians is faster than the other is taken off the recorded time of each job, so that what the replay does
not know of the scheduler cancels.

No task is made longer than it was, and no job's loss is below 0: a job that would be slower with the usual
task is no gain that others' stragglers could be set off against.

A task lasts from the launch of its first copy to the end of the copy that finished, without the wait for
input; where a finished task ran again, since its output was lost, to the end of the last. Second copies take
no slots of their own.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from sim.advice.diagnosis.account import idle_waits
from sim.logs.formats import knows_of
from sim.logs.history import FINISHED, History
from sim.logs.knows import NO
from sim.logs.loops import closed_loop
from sim.model.cached import cached_property

#: Seconds within which slots follow one another that were asked for at once.
_TOGETHER = 10.0
#: Share of what was lost that a replay misses where no submission is known, as a standard error: of 70 worlds
#: written as task streams of Dask twice that held what the whole log told in 67.
_UNSUBMITTED = 0.15


@dataclass(frozen=True, eq=False)
class Lost:
    """Time lost to stragglers.

    Parameters
    ----------
    share : float or None
        Of the recorded time of all jobs; None if no job can be replayed.
    seconds : float
        In all.
    makespan : float
        Seconds by which the last job would have ended sooner.
    jobs : DataFrame
        job (identifier), name, group, recorded (s), without (s), lost (s); the worst first. The index is
        the row in the history's table.
    stages : DataFrame
        stage, job (identifiers), name, tasks, median (s), lost (s): how much longer the stage took in the
        replay with recorded durations; the worst first. The index is the row in the history's table.
    slot_time : float
        Seconds for which the tasks held slots beyond the durations of the other replay.
    """

    share: float | None
    seconds: float
    makespan: float
    jobs: pd.DataFrame
    stages: pd.DataFrame
    slot_time: float = 0.0


@dataclass(frozen=True, eq=False)
class _Plan:
    """What both replays share: arrays over stages, and the number of slots over time."""

    ready: np.ndarray  # when a stage without parents may start, if its job waits for no other
    gap: np.ndarray  # between the end of the parents and the start
    children: list[list[int]]
    parents: np.ndarray  # how many must end first
    priority: np.ndarray
    changes: list[tuple[float, int]]
    job: list[int]  # row of the job of each stage
    submit: np.ndarray  # of each job, as recorded
    followers: dict[int, list[tuple[int, float]]]  # job -> those that wait for it, how long after its end


class Replay:
    """A history that can be replayed with other durations of its tasks.

    Parameters
    ----------
    history : History
    left_out : ndarray of bool, optional
        Jobs, by row, that are replayed as recorded whatever the others do, and are not counted. Rows are then
        those of the history without them (`sim.logs.leaving_out.without_jobs`).
    idle : ndarray, optional
        See the property, where the history does not hold all that used the slots.

    Attributes
    ----------
    tasks : DataFrame
        stage, task, launch, end, recorded and median duration of each task, row: that of the copy that
        ended it, and again: seconds from its first finish to its end, where it ran again; in order of stage
        and launch. Empty where nothing can be replayed.
    history : History
        With the jobs that are left out.
    every : DataFrame
        The same as `tasks`, of all jobs, with the rows that stages and copies have in `history`.
    counted : ndarray of bool
        Which of them are `tasks`.
    """

    def __init__(
        self, history: History, left_out: np.ndarray | None = None, idle: np.ndarray | None = None
    ) -> None:
        self._idle = idle
        self._jobs, stages = history.frame("jobs"), history.frame("stages")
        self._stays = np.ones(len(self._jobs), bool) if left_out is None else ~left_out
        self._stage_stays = np.append(self._stays, True)[stages["job"].to_numpy(int)]
        self.history = history
        self.every = every = _tasks(history)
        self.counted = self._stage_stays[every["stage"].to_numpy(int)]
        self.tasks = self._renumbered(every[self.counted], history)
        if every.empty or not history.slots.num_rows:
            self.tasks = self.tasks[:0]
            return
        self._bounds = np.flatnonzero(np.diff(every["stage"].to_numpy())) + 1
        self._by_stage = every.groupby("stage")
        self._stages = stages.loc[np.sort(every["stage"].unique())]
        self._stages["submit"] = self._stages["submit"].fillna(self._by_stage["launch"].min())
        self._stages["end"] = self._stages["end"].fillna(self._by_stage["end"].max())
        self._plan = _plan(history, self._jobs, self._stages)
        self._durations = every["recorded"].to_numpy(float)
        self._recorded = self._times(self._durations[self.counted])

    def _renumbered(self, tasks: pd.DataFrame, history: History) -> pd.DataFrame:
        """Return tasks with the rows that stages and copies have without the jobs that are left out."""
        copies = self._stage_stays[history.copies["stage"].to_numpy()]
        stage, row = (np.cumsum(stays) - 1 for stays in (self._stage_stays, copies))
        tasks = tasks.reset_index(drop=True)
        return tasks.assign(stage=stage[tasks["stage"].to_numpy(int)], row=row[tasks["row"].to_numpy(int)])

    def _times(self, durations: np.ndarray, again: np.ndarray | None = None) -> np.ndarray:
        every = self._durations.copy()
        every[self.counted] = durations
        plan = self._plan
        if again is not None:
            plan = replace(plan, gap=np.where(again[self._stages.index], 0.0, plan.gap))
        return _replay(plan, np.split(every, self._bounds))

    def lost(self, durations: np.ndarray) -> Lost:
        """Return what jobs lost against a replay in which tasks take these times, in the order of `tasks`.

        A task that took less takes as long as it did.
        """
        if self.tasks.empty:
            return _nothing()
        recorded = self._durations[self.counted]
        ends = [self._recorded, self._times(np.minimum(durations, recorded))]
        found = _compared(self._jobs, self._stages, ends, self._by_stage)
        found = replace(found, slot_time=float((recorded - durations).sum()))
        return found if self._stays.all() else self._of_counted(found)

    def _of_counted(self, found: Lost) -> Lost:
        jobs = found.jobs[self._stays[found.jobs.index]]
        stages = found.stages[self._stage_stays[found.stages.index]]
        total, seconds = float(jobs["recorded"].sum()), float(jobs["lost"].sum())
        job_row, stage_row = (np.cumsum(stays) - 1 for stays in (self._stays, self._stage_stays))
        return Lost(
            seconds / total if total else None,
            seconds,
            found.makespan,
            jobs.set_axis(job_row[jobs.index]),
            stages.set_axis(stage_row[stages.index]),
            found.slot_time,
        )

    def seconds(
        self, durations: np.ndarray, again: np.ndarray | None = None, *, either: bool = False
    ) -> float:
        """Return the seconds that all jobs lost against tasks of these times, as in `lost`.

        Stages of `again`, by their rows in `history`, do not wait before they start. With `either`, tasks may
        take longer than they did, and what one job gains is set off against what another loses.
        """
        if self.tasks.empty:
            return 0.0
        if not either:
            durations = np.minimum(durations, self._durations[self.counted])
        known = (self._job_times > 0) & self._stays  # the others may have no end
        times = (self._recorded, self._times(durations, again))
        before, after = (self._job_ends(one)[known] for one in times)
        saved = np.minimum(before - after, self._job_times[known])
        return float((saved if either else np.maximum(saved, 0.0)).sum())

    def warm(self) -> float:
        """Return the seconds that all jobs lost since slots came when there were none, as in `lost`."""
        if self.tasks.empty:
            return 0.0
        plan = replace(self._plan, changes=_kept_warm(self._plan.changes))
        known = (self._job_times > 0) & self._stays
        before, after = (
            self._job_ends(one)[known]
            for one in (self._recorded, _replay(plan, np.split(self._durations, self._bounds)))
        )
        return float(np.clip(before - after, 0.0, self._job_times[known]).sum())

    @cached_property
    def idle(self) -> np.ndarray:
        """Seconds for which each of `tasks` waited beside a slot that was free for it; zeros if not known."""
        if self._idle is not None:
            return self._idle
        if self.tasks.empty or self.history.slots_from != "log":
            return np.zeros(len(self.tasks))
        return idle_waits(self.history, self.every)[self.counted]

    @cached_property
    def error(self) -> float:
        """Relative error of the replay against recorded job times; tasks wait as recorded.

        Without submissions it lets no stage begin before it was launched, and misses more of what was lost.
        """
        if self.tasks.empty:
            return 0.0
        known = (self._job_times > 0) & self._stays
        times = self._times(self._durations[self.counted] + self.idle) if self.idle.any() else self._recorded
        ends = np.array([times[0], self._stages["end"], np.zeros(len(self._stages))])
        missed = self._job_ends(times)[known] - self._job_ends(ends)[known]
        share = float(np.abs(missed).sum() / max(self._job_times[known].sum(), 1e-9))
        return max(share, _UNSUBMITTED if knows_of(self.history.format).submission == NO else 0.0)

    def _job_ends(self, times: np.ndarray) -> np.ndarray:
        """Return when the last stage of each job ends, had it been submitted as recorded."""
        ends = np.full(len(self._jobs), -np.inf)
        of = self._stages["job"].to_numpy(int)
        np.maximum.at(ends, of[of >= 0], (times[1] - times[2])[of >= 0])
        return ends

    @cached_property
    def _job_times(self) -> np.ndarray:
        """Recorded time of each job with a replayed stage, NaN if unknown."""
        times = (self._jobs["end"] - self._jobs["submit"]).to_numpy(float)
        return np.where(np.isfinite(self._job_ends(self._recorded)), times, np.nan)


def lost(history: History) -> Lost:
    """Replay a history twice and compare."""
    replay = Replay(history)
    return replay.lost(replay.tasks["median"].to_numpy(float))


def _nothing() -> Lost:
    jobs = pd.DataFrame(columns=["job", "name", "group", "recorded", "without", "lost"])
    stages = pd.DataFrame(columns=["stage", "job", "name", "tasks", "median", "lost"])
    return Lost(None, 0.0, 0.0, jobs, stages)


def _tasks(history: History) -> pd.DataFrame:
    """Return stage, launch, end, recorded duration and median of each task, in order of launch."""
    copies = history.frame("copies").dropna(subset=["launch", "end"])
    copies["duration"] = copies["end"] - copies["began"]
    stage, task, launch, end = (copies[name].to_numpy() for name in ("stage", "task", "launch", "end"))
    done = copies["fate"].eq(FINISHED).to_numpy()
    # of a task first the copy that finished first; where none did, the one that ended last
    order = np.lexsort((np.where(done, end, -end), ~done, task, stage))
    new = np.ones(order.size, bool)
    new[1:] = (stage[order][1:] != stage[order][:-1]) | (task[order][1:] != task[order][:-1])
    begins = np.flatnonzero(new)
    first = order[begins]
    # what finished, and was launched when another had finished, is the same work again
    place = np.cumsum(new) - 1
    later = np.zeros(end.size, bool)
    later[order] = done[order] & (launch[order] >= end[first][place])
    last = np.lexsort((np.where(later, end, -np.inf)[order], place))
    last = order[last[np.append(begins[1:], order.size) - 1]] if begins.size else first
    ending = np.where(later[last], last, first)
    tasks = pd.DataFrame(
        {
            "stage": stage[ending],
            "task": task[ending],
            "launch": np.minimum.reduceat(launch[order], begins) if begins.size else launch,
            "end": end[ending],
            "wait": (copies["began"].to_numpy() - launch)[ending],
            "row": copies.index.to_numpy()[ending],
            "again": end[ending] - end[first],
        }
    )
    median = copies[copies["complete"]].groupby("stage")["duration"].median()
    tasks["recorded"] = (tasks["end"] - tasks["launch"] - tasks["wait"]).clip(lower=0)
    tasks["median"] = median.reindex(tasks["stage"]).to_numpy()
    tasks["median"] = tasks["median"].fillna(tasks["recorded"])
    return tasks.sort_values(["stage", "launch", "task"], ignore_index=True)


def _plan(history: History, jobs: pd.DataFrame, stages: pd.DataFrame) -> _Plan:
    """Build the dependency graph with recorded gaps."""
    place = {row: number for number, row in enumerate(stages.index)}
    job, submit, end = (stages[column].to_numpy() for column in ("job", "submit", "end"))
    children: list[list[int]] = [[] for _ in place]
    waits = np.zeros(len(place), int)
    gap = np.zeros(len(place))
    for number, listed in enumerate(stages["parents"]):
        parents = [place[one] for one in listed if one in place and job[place[one]] == job[number]]
        parents = [parent for parent in parents if parent != number and submit[parent] < end[number]]
        for parent in parents:
            children[parent].append(number)
        waits[number] = len(parents)
        gap[number] = max(
            0.0, submit[number] - max((end[parent] for parent in parents), default=submit[number])
        )
    _cut_circles(children, waits)
    arrival = jobs["submit"].reindex(job).to_numpy(float)
    arrival = np.where(np.isfinite(arrival), arrival, submit)
    order = np.lexsort((stages.index.to_numpy(), job, arrival))
    priority = np.empty(len(place), int)
    priority[order] = np.arange(len(place))
    changes = list(zip(history.slots["time"].to_pylist(), history.slots["slots"].to_pylist(), strict=True))
    if history.slots_from == "log" and changes[0][0] <= history.frame("copies")["launch"].min():
        changes.insert(0, (-np.inf, 0))
    submits = jobs["submit"].to_numpy(float)
    return _Plan(
        submit, gap, children, waits, priority, changes, job.tolist(), submits, _followers(history, job, end)
    )


def _followers(history: History, job: np.ndarray, end: np.ndarray) -> dict[int, list[tuple[int, float]]]:
    """Return for each job those that were submitted since it had ended, and how long after its last stage."""
    loops, last = closed_loop(history), pd.Series(end).groupby(job).max()
    submit = np.asarray(history.jobs["submit"])
    found: dict[int, list[tuple[int, float]]] = {}
    for row in np.flatnonzero(loops.after >= 0).tolist():
        before = int(loops.after[row])
        if before in last.index and row in last.index:
            found.setdefault(before, []).append((row, float(submit[row] - last[before])))
    return found


def _cut_circles(children: list[list[int]], waits: np.ndarray) -> None:
    """Let stages that wait for one another start by their submit times: no log should say so."""
    left = waits.copy()
    free = [number for number in range(len(children)) if not left[number]]
    while free:
        for child in children[free.pop()]:
            left[child] -= 1
            if not left[child]:
                free.append(child)
    circular = set(np.flatnonzero(left).tolist())
    for listed in children:
        for child in [one for one in listed if one in circular]:
            listed.remove(child)
            waits[child] -= 1


def _replay(plan: _Plan, durations: list[np.ndarray]) -> np.ndarray:
    """Return when each stage starts and ends, and how much later its job is submitted, shape (3, stages).

    Events of one time: slots change, then tasks end, then stages start. Free slots go to the stage with
    the highest priority, whose tasks start in recorded order.
    """
    slots, task, start = 0, 1, 2
    calendar: list[tuple[float, int, int]] = [
        (time, slots, number) for number, (time, _) in enumerate(plan.changes[1:], start=1)
    ]
    held = {row for those in plan.followers.values() for row, _ in those}
    roots: dict[int, list[int]] = {}
    for one in range(plan.ready.size):
        if not plan.parents[one]:
            if plan.job[one] in held:
                roots.setdefault(plan.job[one], []).append(one)
            else:
                calendar.append((plan.ready[one], start, one))
    heapq.heapify(calendar)
    open_, moved = Counter(plan.job), dict.fromkeys(held, 0.0)
    waits, left = plan.parents.copy(), np.array([one.size for one in durations])
    next_task, latest = np.zeros(left.size, int), np.zeros(left.size)
    times = np.full((3, left.size), np.nan)
    most, used = plan.changes[0][1] or int(len(plan.changes) == 1), 0
    waiting: list[tuple[int, int]] = []
    while calendar:
        now, kind, number = heapq.heappop(calendar)
        if kind == slots:
            most = plan.changes[number][1] or (most if number == len(plan.changes) - 1 else 0)
        elif kind == start:
            times[0, number] = now
            heapq.heappush(waiting, (int(plan.priority[number]), number))
        else:
            used -= 1
            left[number] -= 1
            if not left[number]:
                times[1, number] = now
                job = plan.job[number]
                open_[job] -= 1
                for follower, after in plan.followers.get(job, ()) if not open_[job] else ():
                    moved[follower] = now + after - plan.submit[follower]
                    for root in roots.get(follower, ()):
                        heapq.heappush(calendar, (plan.ready[root] + moved[follower], start, root))
                for child in plan.children[number]:
                    waits[child] -= 1
                    latest[child] = now
                    if not waits[child]:
                        heapq.heappush(calendar, (now + plan.gap[child], start, child))
        while waiting and used < most:
            stage = waiting[0][1]
            heapq.heappush(calendar, (now + durations[stage][next_task[stage]], task, stage))
            used += 1
            next_task[stage] += 1
            if next_task[stage] == durations[stage].size:
                heapq.heappop(waiting)
    times[2] = [moved.get(job, 0.0) for job in plan.job]
    return times


def _kept_warm(changes: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return numbers of slots without the times of none: those that came next had been there.

    Examples
    --------
    >>> _kept_warm([(-1.0, 0), (10.0, 2), (11.0, 4), (60.0, 5), (70.0, 0)])
    [(-1.0, 4), (10.0, 4), (11.0, 4), (60.0, 5), (70.0, 0)]
    """
    found = list(changes)
    for begin in [place for place, (_, slots) in enumerate(changes) if not slots]:
        last = begin + 1  # slots that were asked for at once come one after another
        while (
            last + 1 < len(changes)
            and changes[last + 1][1] > changes[last][1]
            and (changes[last + 1][0] - changes[last][0] <= _TOGETHER)
        ):
            last += 1
        if last < len(changes):
            found[begin:last] = [(time, changes[last][1]) for time, _ in changes[begin:last]]
    return found


def _compared(
    jobs: pd.DataFrame, stages: pd.DataFrame, ends: list[np.ndarray], tasks: pd.api.typing.DataFrameGroupBy
) -> Lost:
    """Take what the second replay saves off the recorded times."""
    slower = pd.Series(ends[0][1] - ends[1][1], index=stages.index)
    own = pd.Series((ends[0][1] - ends[0][0]) - (ends[1][1] - ends[1][0]), index=stages.index)
    lasted = [one[1] - one[2] for one in ends]
    last = pd.DataFrame({"job": stages["job"], "with": lasted[0], "without": lasted[1]}).groupby("job").max()
    table = jobs.join(last[["with", "without"]], how="inner")
    table["recorded"] = table["end"] - table["submit"]
    table = table[table["recorded"] > 0]
    saved = (table["with"] - table["without"]).clip(lower=0)
    table["without"] = (table["recorded"] - saved).clip(lower=0)
    table["lost"] = table["recorded"] - table["without"]
    table = table.dropna(subset=["lost"]).sort_values("lost", ascending=False, kind="stable")
    names = jobs["job"].reindex(stages["job"]).fillna("").to_numpy()
    worst = pd.DataFrame(
        {
            "stage": stages["stage"],
            "job": names,
            "name": stages["name"],
            "tasks": tasks.size(),
            "median": tasks["median"].first(),
            "lost": own.where(slower.notna(), 0.0),
        }
    ).sort_values("lost", ascending=False, kind="stable")
    total = float(table["recorded"].sum())
    seconds = float(table["lost"].sum())
    columns = ["job", "name", "group", "recorded", "without", "lost"]
    sooner = max(float(np.nanmax(ends[0][1]) - np.nanmax(ends[1][1])), 0.0)
    return Lost(seconds / total if total else None, seconds, sooner, table[columns], worst)
