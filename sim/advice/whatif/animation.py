"""The recorded run at its worst stage, and the same tasks under another setting with the luck they had.

Each attempt of a task that the log has lasts as long as it did there, on a host as fast as its own. What the
log does not have is drawn: the luck of copies it never launched, and how much longer one would have run that
was killed. Nothing of the model is doubted.

Both runs are seen from the launch of the first task of the stage on, so that their clocks can be compared.
Where that is more than can be watched, the end is kept, which the stage waits for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from sim.advice.diagnosis.charts import lanes
from sim.advice.diagnosis.spells import spell_codes
from sim.advice.whatif.doubt import Drawn
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.setting_effect import Conditions
from sim.engines.slots.scenario import SlotPolicy
from sim.kernel.records import COPY
from sim.kernel.records import FATES as PLAYED
from sim.logs.history import FAILED, FINISHED, KILLED, UNFINISHED
from sim.model.fields import BadInput
from sim.running.animation import MOST_SLOTS, MOST_TASKS, Animation, assembled
from sim.telling.words import Unit, unit_for

#: Share of a recorded time that waits leave at least.
_LEAST = 0.05
#: Fate in a history -> fate in a run.
_FATES = {FINISHED: "finished", KILLED: "killed", FAILED: "dropped", UNFINISHED: "running"}
#: Share of the median time of a task by which copies on one slot may overlap.
SLACK = 0.1
#: Share of the time of a stage for which copies that lose are still seen at its end.
LINGER = 0.1
_COLUMNS = ["stage", "task", "number", "host", "start", "end", "fate"]


@dataclass(frozen=True, eq=False)
class Shot:
    """One run at the stage.

    Parameters
    ----------
    animation : Animation
        Its first job is the stage; other stages that ran beside it follow.
    time : float
        Seconds from the launch of the stage's first task to the end of its last.
    copies, shown : int
        Copies that ran in that time, and how many of them are shown.
    slots : int
        Slots that were busy then.
    """

    animation: Animation
    time: float
    copies: int
    shown: int
    slots: int


@dataclass(frozen=True, eq=False)
class Film:
    """A recorded run at its worst stage, and perhaps another run of the same.

    Parameters
    ----------
    stage : int
        Row of the stage in the history's table.
    unit : Unit
        Of the animations.
    begins : float
        Seconds after the launch of the stage's first task from which on it is seen.
    recorded : Shot
    played : Shot or None
    """

    stage: int
    unit: Unit
    begins: float
    recorded: Shot
    played: Shot | None


@dataclass(frozen=True, eq=False)
class Lucky(Replay):
    """A question whose copies have the luck that the log shows of them."""

    def conditions(self, replication: int, copies: int) -> Conditions:
        """Return what a replication is played with."""
        given = super().conditions(replication, copies)
        random = np.random.default_rng([self.seed, replication, 47])
        return replace(given, luck=luck_of(self, given, random.random(given.luck.shape)))


def luck_of(question: Replay, given: Conditions, chance: np.ndarray) -> np.ndarray:
    """Return luck in which what the log has takes the place of what was drawn.

    Parameters
    ----------
    question : Replay
    given : Conditions
    chance : ndarray, shape (copies, tasks)
        Where in the law beyond its recorded time a copy lies that did not end by itself.
    """
    known = _attempts(question, given.luck.shape[0])
    luck, drawn = given.luck.copy(), question.model.drawn
    at = known["number"].to_numpy(), known["row"].to_numpy()
    lasted = known["lasted"].to_numpy(float)
    lasted = np.maximum(lasted - question.model.waits[at[1]], _LEAST * lasted)
    lasted /= _slowness(known, drawn) * given.work[at[1]]
    power = given.power[at[1]]
    below = given.law.rank(lasted, power)
    longer = given.law.luck(below + (1 - below) * chance[at], power)
    luck[at] = np.where(known["complete"], lasted, np.maximum(longer, lasted))
    return luck


def _slowness(known: pd.DataFrame, drawn: Drawn) -> np.ndarray:
    """Return by how much longer copies take where each of these ran."""
    host = known["host"].astype(str).map(drawn.host).fillna(1.0)
    executor = known["slot"].astype(str).map(drawn.executor).fillna(1.0)
    spell = np.append([*drawn.spell.values()], 1.0)[spell_codes(known, tuple(drawn.spell))]
    return np.asarray(host * executor * spell, float)


def _attempts(question: Replay, most: int) -> pd.DataFrame:
    """Return the copies whose luck the log shows, with the row of their task in the model; no failed ones."""
    model = question.model
    copies = model.history.frame("copies")
    place = pd.Series(np.arange(model.stages.size), index=model.stages).reindex(copies["stage"]).to_numpy()
    copies["lasted"] = copies["end"] - copies["began"]
    there = (place >= 0) & copies["fate"].ne(FAILED) & (copies["lasted"] > 0)
    copies, place = copies[there], place[there].astype(int)
    copies["row"] = (np.cumsum(model.tasks) - model.tasks)[place] + copies["task"].to_numpy()
    copies = copies[copies["task"].to_numpy() < model.tasks[place]]
    copies["number"] = copies.sort_values("launch", kind="stable").groupby("row").cumcount()
    return copies[copies["number"] < most]


def film(
    question: Replay, policy: SlotPolicy | None, progress: Callable[[int], object] = lambda tasks: None
) -> Film:
    """Return what is to be seen of the history, for a process of its own.

    Parameters
    ----------
    question : Replay
        Whose model is played at the recorded rate and on the recorded slots.
    policy : SlotPolicy or None
        Of the other run; None for the recorded one alone.
    progress : callable, optional
        Told of the tasks that have been played.

    Raises
    ------
    BadInput
        If the history has no stage with a first and a last time.
    """
    model = question.model
    recorded = _recorded(question)
    played = None
    if policy is not None:
        asked = Lucky(model, seed=question.seed, doubted=False)
        played = _played(asked, policy)
        progress(int(model.tasks.sum()))
    times = stage_times(recorded)
    if not len(times):
        raise BadInput("history: no stage has a first and a last time; nothing can be watched")
    stage = _worst(recorded, times, None if played is None else stage_times(played))
    usual = _usual(recorded)
    slack = SLACK * float(usual.get(stage, 0.0))
    both = [run for run in (recorded, played) if run is not None]
    until = max(_limits(run, stage)[2] for run in both)
    runs = [_around(run, stage, until, slack) for run in both]
    begins = max(run.begins for run in runs)
    if until <= begins:
        raise BadInput("history: all times of its stages are 0; nothing can be watched")
    unit = unit_for(until - begins)
    listed = [stage, *sorted({other for run in runs for other in run.copies["stage"]} - {stage})]
    shots = [_shot(run, listed, begins, unit, usual) for run in runs]
    return Film(int(model.stages[stage]), unit, begins, shots[0], shots[1] if played is not None else None)


def stage_times(copies: pd.DataFrame) -> pd.Series:
    """Return the time from the first launch of each stage to the end of its last task that finished."""
    ends = copies[copies["fate"] == PLAYED.index("finished")].groupby("stage")["end"].max()
    return (ends - copies.groupby("stage")["start"].min()).dropna()


def _usual(copies: pd.DataFrame) -> pd.Series:
    """Return the median time of the finished copies of each stage."""
    done = copies[copies["fate"] == PLAYED.index("finished")]
    return (done["end"] - done["start"]).groupby(done["stage"]).median()


def _worst(recorded: pd.DataFrame, times: pd.Series, others: pd.Series | None) -> int:
    """Return the stage whose time changes most; alone, that whose slowest task is most above its median."""
    change = (others - times).abs().dropna() if others is not None else times.iloc[:0]
    if change.size:
        return int(change.idxmax())
    done = recorded[recorded["fate"] == PLAYED.index("finished")]
    slowest = (done["end"] - done["start"]).groupby(done["stage"]).max()
    return int((slowest - _usual(recorded)).idxmax())


def _recorded(question: Replay) -> pd.DataFrame:
    """Return the copies of the log, by the stages of the model; times since the first job was submitted."""
    model = question.model
    origin = model.history.frame("jobs").loc[model.jobs.index, "submit"].min()
    copies = model.history.frame("copies").dropna(subset=["launch"])
    place = pd.Series(np.arange(model.stages.size), index=model.stages).reindex(copies["stage"]).to_numpy()
    copies = copies[place >= 0].assign(stage=place[place >= 0].astype(int), start=copies["launch"])
    copies[["start", "end"]] -= origin
    copies["number"] = np.where(copies["speculative"], np.maximum(copies["copy"], 1), 0)
    copies["fate"] = copies["fate"].astype(str).map(_FATES).map(PLAYED.index)
    copies["end"] = copies["end"].fillna(np.inf)
    copies["host"] = copies["host"].astype(str)
    return copies[copies["end"] >= copies["start"]][_COLUMNS]


def _played(question: Lucky, policy: SlotPolicy) -> pd.DataFrame:
    """Play once; return the copies."""
    run = question.ran(policy, 0)
    if not np.isfinite(run.world.jobs.finish).all():
        raise BadInput("history: its slots are gone before the jobs can end; give --slots")
    log, hosts = run.log, np.array(question.cluster.hosts or [""], dtype=object)
    width = question.cluster.machine_slots
    host = hosts[log["slot"] // width] if question.cluster.hosts else np.full(log.size, "", dtype=object)
    columns = (log["job"], log["task"], log["copy"], host, log["start"], log["end"], log["fate"])
    return pd.DataFrame(dict(zip(_COLUMNS, columns, strict=True)))


@dataclass(frozen=True, eq=False)
class _Seen:
    """The copies of a run from the begin of a stage on, on few lanes; times since that.

    Parameters
    ----------
    copies : DataFrame
        With a lane each, in order of launch.
    time : float
        When the stage's last task ended.
    there, slots : int
        How many copies ran then, and on how many lanes, before any was left out.
    """

    copies: pd.DataFrame
    time: float
    there: int
    slots: int

    @property
    def begins(self) -> float:
        """The time from which on at most `MOST_TASKS` copies are seen."""
        ends = np.sort(self.copies["end"].to_numpy(float))
        return max(0.0, float(ends[-MOST_TASKS - 1])) if ends.size > MOST_TASKS else 0.0


def _limits(copies: pd.DataFrame, stage: int) -> tuple[float, float, float]:
    """Return when a stage begins, and how long after that its last task and its last copy end."""
    own = copies[copies["stage"] == stage]
    first = float(own["start"].min())
    last = float(own.loc[own["fate"] == PLAYED.index("finished"), "end"].max()) - first
    return first, last, min(float(own["end"].max()) - first, (1 + LINGER) * last)  # of copies that lose


def _around(copies: pd.DataFrame, stage: int, until: float, slack: float) -> _Seen:
    """Return the copies that ran from a stage's begin until a time; one that runs on longer is seen to run.

    Logs let a copy begin on a slot a little before the one that was there has ended: it is seen from then on.
    """
    first, last, _ = _limits(copies, stage)
    seen = copies[(copies["start"] < first + until) & (copies["end"] > first)]
    seen = seen.sort_values(["start", "end"], ignore_index=True)
    seen["lane"] = lanes(seen.rename(columns={"start": "launch"}), slack)
    free = seen.groupby("lane")["end"].shift(fill_value=-np.inf)
    seen["start"] = np.minimum(np.maximum(seen["start"], free), seen["end"])
    seen[["start", "end"]] -= first
    on = seen["end"] > until
    seen.loc[on, "fate"], seen.loc[on, "end"] = PLAYED.index("running"), until
    return _Seen(_few(seen, stage), last, len(seen), int(seen["lane"].max()) + 1)


def _few(seen: pd.DataFrame, stage: int) -> pd.DataFrame:
    """Keep the lanes on which the copies of the stage end last, where there are too many lanes."""
    last = seen["end"].where(seen["stage"].eq(stage), -1.0).groupby(seen["lane"]).max()
    kept = np.sort(last.sort_values(ascending=False, kind="stable").index[:MOST_SLOTS])
    seen = seen[seen["lane"].isin(kept)]
    return seen.assign(lane=np.searchsorted(kept, seen["lane"]))


def _shot(run: _Seen, listed: list[int], begins: float, unit: Unit, usual: pd.Series) -> Shot:
    """Return one run from a time on; its stages are numbered as they are listed."""
    seen = run.copies[run.copies["end"] > begins]
    seen = seen.sort_values(["start", "end", "lane"], ignore_index=True)
    place = np.array([listed.index(stage) for stage in seen["stage"]])
    called = tuple(tuple(np.unique(seen["task"][place == one]).tolist()) for one in range(len(listed)))
    copies: Any = np.zeros(len(seen), COPY).view(np.recarray)
    copies.job, copies["copy"], copies.slot = place, seen["number"], seen["lane"]
    copies.task = [called[one].index(task) for one, task in zip(place, seen["task"], strict=True)]
    copies.start = np.maximum(seen["start"] - begins, 0.0) / unit.seconds
    copies.end = (seen["end"] - begins) / unit.seconds
    copies.fate = seen["fate"]
    copies = copies[np.lexsort((copies.slot, copies.end, copies.start))]
    starts = [copies.start[copies.job == one] for one in range(len(listed))]
    arrives = np.array([float(times.min()) if times.size else 0.0 for times in starts])
    usually = usual.reindex(listed).fillna(float(usual.median())).to_numpy(float) / unit.seconds
    slots, tasks = int(copies.slot.max()) + 1, np.array([len(one) for one in called])
    shown = assembled(slots, arrives, tasks, copies, usually[copies.job])
    never = shown.jobs.copy()
    never[tasks == 0, 0] = never[tasks == 0, 2] = shown.instants.size  # of the other run alone
    shown = replace(shown, jobs=never, called=called, noun="stage", expected=float(usually[0]))
    return Shot(shown, run.time, run.there, len(seen), run.slots)
