"""How long a log must be to halve the width of a prediction.

What a history leaves open, and what luck does to the jobs that are played, is an error of means: it falls
with the square root of the number of jobs, and four times as many halve an interval. Where luck has a heavy
tail they take a third off it (index 1.5: 35 % on average of five generated histories of 15 and 60 jobs).
"""

from __future__ import annotations

from dataclasses import dataclass

from sim.advice.whatif.answer import Answer, Option
from sim.telling.words import counted, spell

#: Width from which an interval is wide, as a share of today's.
WIDE = 0.3
#: Times as many jobs that halve an interval.
TIMES = 4


@dataclass(frozen=True)
class Longer:
    """A log that would halve the interval of a promised change.

    Parameters
    ----------
    policy : str
        Whose change is meant.
    width : float
        Of its interval, as a share of today's.
    jobs, seconds : int, float
        Of the log that is needed.
    now, span : int, float
        Of the log that is there.
    widened : bool
        Whether a fair check has widened the interval: that stays.
    """

    policy: str
    width: float
    jobs: int
    seconds: float
    now: int
    span: float
    widened: bool

    @property
    def sentence(self) -> str:
        """Say it, with the policy as the shell names it."""
        return self.told(self.policy)

    def told(self, name: str) -> str:
        """Say it, with what the policy is called.

        Examples
        --------
        >>> said = Longer("fifo+spark", 0.44, 104, 11520.0, 26, 2880.0, False).told("speculation")
        >>> said.partition(": ")[0]
        'The interval of the change with speculation is 44 points wide'
        >>> said.partition(": ")[2]
        'the log has 26 jobs in 48 min. One of about 104 jobs (3.2 h at this pace) would roughly halve it.'
        """
        stays = " What the fair check adds to it stays." if self.widened else ""
        return (
            f"The interval of the change with {name} is {100 * self.width:.0f} points wide: the log has "
            f"{counted(self.now, 'job')} in {spell(self.span, 2)}. One of about {counted(self.jobs, 'job')} "
            f"({spell(self.seconds, 2)} at this pace) would roughly halve it.{stays}"
        )


def longer(answer: Answer) -> Longer | None:
    """Return what would halve the interval of the advised or most promising change; None if it is narrow."""
    options = {text: one for text, one in answer.options.items() if text != answer.today}
    if not options:
        return None

    def value(text: str) -> float:
        return options[text].change[answer.objective].value

    advised = answer.advice.policy if answer.advice else ""
    policy = advised if advised in options else min(options, key=value)
    if (width := _width(options[policy], answer.objective)) < WIDE:
        return None
    question = answer.question
    jobs, span = int(question.kept.sum()), float(question.model.history.span)
    widened = answer.check.widened > 1
    return Longer(policy, width, TIMES * jobs, TIMES * span, jobs, span, widened)


def _width(option: Option, objective: str) -> float:
    return option.change[objective].high - option.change[objective].low
