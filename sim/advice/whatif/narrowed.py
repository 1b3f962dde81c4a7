"""Which jobs make a model poor: those without which it reproduces the rest, and what is advised then.

A warm-up, one job of another kind, or the first job on cold slots may be all that a model of the others
misses. So each is left out in turn, and the model is fitted and checked anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sim.advice.whatif.check import POOR
from sim.advice.whatif.checking import check_model
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Question, read_policies
from sim.advice.whatif.systems import today
from sim.logs.history import History
from sim.logs.leaving_out import named
from sim.model.fields import BadInput
from sim.telling.words import clipped, counted, in_percent

#: Groups of jobs that are tried, at most, and replications of each check and answer.
TRIED, REPLICATIONS = 4, 40
#: Answers that are offered, at most, and share of the job time that may be left out.
OFFERED, _MOST = 2, 0.5
#: The end of a name that tells runs apart: a number, or a date.
_RUN = re.compile(r"[\W\d_]+$")


@dataclass(frozen=True)
class Without:
    """What is advised without some of the jobs.

    Parameters
    ----------
    leave_out : str
        A part of their groups or names.
    jobs : int
        How many they are.
    share : float
        Of the job time.
    verdict : str
        Of the check without them: good or fair.
    advice : str
        What to do, in a sentence.
    """

    leave_out: str
    jobs: int
    share: float
    verdict: str
    advice: str

    @property
    def told(self) -> str:
        """Say what is left out, and what is advised.

        Examples
        --------
        >>> Without("warmup", 6, 0.03, "fair", "Leave the settings as they are").told
        'Without warmup (6 jobs, 3 % of the job time) the model is fair. Leave the settings as they are.'
        """
        left = f"{counted(self.jobs, 'job')}, {in_percent(self.share)} of the job time"
        return (
            f"Without {clipped(self.leave_out)} ({left}) the model is {self.verdict}. "
            f"{self.advice.rstrip('.')}."
        )


def candidates(jobs: pd.DataFrame) -> Iterator[tuple[str, np.ndarray]]:
    """Yield parts of names by which jobs may be left out, and which those are: the first to begin first.

    Parameters
    ----------
    jobs : DataFrame
        group, name, submit (s) and end (s) of each.

    Examples
    --------
    >>> jobs = pd.DataFrame({"group": "", "name": ["warm 1", "warm 2", "etl 1", "etl 2", "etl 3", "huge"]})
    >>> jobs = jobs.assign(submit=range(6), end=[1, 2, 9, 9, 9, 14])
    >>> [(text, int(held.sum())) for text, held in candidates(jobs)]
    [('warm', 2), ('huge', 1), ('warm 1', 1)]
    """
    times = (jobs["end"] - jobs["submit"]).fillna(0.0).clip(lower=0.0)
    label = jobs["group"].where(jobs["group"] != "", jobs["name"])
    kind = label.map(lambda text: _RUN.sub("", text))
    begun = jobs["submit"].groupby(kind).min().sort_values(kind="stable")
    listed = list(begun.index) if begun.size <= TRIED else []
    alone = [label[times.idxmax()], label[jobs["submit"].idxmin()]] if times.any() else []
    seen: set[bytes] = set()
    for text in [*listed, *alone]:
        held = named(jobs, text) if text else np.zeros(len(jobs), bool)
        if held.any() and times[held].sum() <= _MOST * times.sum() and held.tobytes() not in seen:
            seen.add(held.tobytes())
            yield text, held


def passing(history: History, text: str, seed: int) -> Question | None:
    """Return the question without some jobs; None if nothing can be fitted, or its check is poor, too."""
    try:
        asked = Question(fit(history, leave_out=text), leave_out=text, seed=seed)
    except BadInput:
        return None
    (policy,) = read_policies([today(history)], asked.scenario).values()
    found, _ = check_model(asked, policy, REPLICATIONS)
    return None if found.verdict == POOR else asked
