"""The words and symbols of this project, each defined once: for the documents and for every page.

A word means the same everywhere, and a symbol, too. Where a paper writes another letter, the page about it
says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache


@dataclass(frozen=True, slots=True)
class Term:
    """A word or a symbol, and what it means.

    Parameters
    ----------
    word : str
        As a table has it; what stands behind commas means the same or belongs to it.
    meaning : str
    forms : tuple of str, optional
        By which it is found in a text, where that is not the word itself.
    short : bool, optional
        Whether it is a name or an abbreviation: always written the same, and unknown to a newcomer, so that
        a page tells its meaning where it is first read (`pages/frame/parts/terms.js`).
    """

    word: str
    meaning: str
    forms: tuple[str, ...] = ()
    short: bool = False

    def is_in(self, text: str) -> bool:
        """Whether a text uses the word, in the plural, too; a name only as it is written.

        Examples
        --------
        >>> slot = Term("slot", "holds one copy at a time")
        >>> slot.is_in("Slots are busy"), slot.is_in("slot-time")
        (True, False)
        >>> late = Term("LATE", "copies the slowest tasks", short=True)
        >>> late.is_in("Fair shares + LATE"), late.is_in("a late task")
        (True, False)
        """
        return bool(_pattern(self).search(text))


@cache
def _pattern(term: Term) -> re.Pattern[str]:
    forms = "|".join(map(re.escape, term.forms or (term.word,)))
    if term.short:
        return re.compile(rf"(?<![\w-])(?:{forms})(?![\w-])")
    return re.compile(rf"(?<![\w-])(?:{forms})(?:e?s)?(?![\w-])", re.IGNORECASE)


TERMS = (
    Term("job", "arrives, has one or more phases, is finished when its last required task is"),
    Term("phase", "tasks of a job that may run side by side; phases form a DAG"),
    Term(
        "delivery",
        "the output of a task reaches the next phase; pipelined tasks start as their share of it arrives",
    ),
    Term(
        "machine",
        "slots that share their speed and their blocks; a *block* is what a task of a first phase reads",
    ),
    Term("task", "must finish once; its *size* is its time on a healthy slot"),
    Term(
        "copy",
        "one execution attempt of a task: the *original*, a *clone* launched with it, or a "
        "*speculative copy* launched later, on evidence; all but the original are *extra copies*",
        ("extra copy", "extra copies", "copy", "copies", "clone"),
    ),
    Term("slot", "holds one copy at a time; a *worker* has one or more"),
    Term("scheduler", "gives slots to jobs"),
    Term("policy", "whose turn it is (how slots are shared) and who is copied", ("policy", "policies")),
    Term(
        "probe, reservation",
        "a scheduler's message that a job has tasks; its place in a worker's queue",
        ("probe", "reservation"),
    ),
    Term("protocol", "what free slots ask and schedulers answer"),
    Term("straggler", "a copy much slower than its peers"),
    Term("straggle factor", "of a copy: its duration ÷ its task's size"),
    Term(
        "luck",
        "the part of a copy's duration that is drawn anew for each copy: not work, machine or first wave",
    ),
    Term(
        "skew",
        "tasks of a stage with unequal work: those with more are slow in every run, as a copy would be",
    ),
    Term("flowtime", "of a job: finish − arrival (also: job completion time, JCT)"),
    Term(
        "slowdown",
        "of a job: flowtime ÷ its flowtime alone on an idle, healthy cluster of this size; in the "
        "gang engine flowtime ÷ size of a task",
    ),
    Term("demand", "of a job: tasks × size of a task"),
    Term(
        "redundant task",
        "started beyond the k that a job needs: *coded* (any k of the n end the job) or a *replica* "
        "of one of the k",
    ),
    Term(
        "slot-time, resource",
        "of a job: time that slots were held by all its copies, cancelled ones included",
        ("slot-time", "resource"),
    ),
    Term(
        "load ρ, offered load ρ₀",
        "share of the slots that are busy; the share that would be without any extra copy (ω, where "
        "Dolly or Xu and Lau write it)",
        ("offered load", "load"),
    ),
    Term(
        "tail index β",
        "of straggle factors: P(factor > x) falls like x to the power −β; the smaller, the worse the "
        "stragglers. Sizes have a tail index of their own. Xu and Lau, and Aktas and Soljanin, write "
        "α for β",
        ("tail index", "β"),
    ),
    Term(
        "threshold θ",
        "slots per remaining task from which another slot is worth less: max(1, 2/β)",
        ("θ",),
    ),
    Term(
        "virtual size V",
        "θ × remaining tasks: the slots at which a job begins to gain less from another one",
        ("virtual size",),
    ),
    Term(
        "unfairness ε",
        "how far below the fair share S/N a job may be held: 0 is equal shares, 1 is performance "
        "only; in Dolly's rule ε is the accepted risk of an outlier",
        ("ε", "unfairness"),
    ),
    Term(
        "DAG weight α",
        "of a job: transfers still to come ÷ open tasks; α means nothing else here",
        ("DAG weight", "α"),
    ),
    Term(
        "threshold σ of detection",
        "remaining time, in mean task times, from which a task counts as a straggler",
        ("σ",),
    ),
    Term(
        "regret",
        "of a policy: how far its number is above the best policy's, where that is farthest and on average",
    ),
    Term("history", "what a cluster's log recorded: jobs, stages, copies, hosts, slots over time"),
    Term(
        "stage",
        "tasks of a recorded job that do the same: a stage of Spark, maps, an array of Slurm, a "
        "function of Ray",
    ),
    Term("ratio", "of a recorded copy: its duration ÷ the median of its stage"),
    Term(
        "lost",
        "of a recorded job: its time minus what it would be with every task at the median of its "
        "stage, on the same slots",
    ),
    Term("share", "of luck, machine, work or first wave: of the variance of log durations within stages"),
    Term("first wave", "the first copy of a stage on a slot, or the first of all"),
    Term("censored", "known only to be longer: a copy that was killed, or had not ended when the log did"),
    Term(
        "busy period",
        "of a queue: it fills and empties again; counted in relaxation times, in which it forgets its length",
    ),
    Term("unreliable", "of a statistic: it has no interval, for want of busy periods or by a heavy tail"),
    Term("warm-up", "the first arrivals, left out of the statistics because the cluster was still filling"),
    Term("replication", "one run with its own luck; intervals are over replications"),
    Term(
        "95 % interval",
        "a rule that holds the true value in 95 of 100 repetitions of the experiment",
        ("±",),
    ),
    Term("preset", "a named scenario to start from"),
    Term(
        "p95",
        "95th percentile: 95 of 100 values are at most this",
        short=True,
    ),
    Term(
        "CDF",
        "cumulative distribution function: which share of the values is at most so much",
        short=True,
    ),
    Term(
        "slot·s",
        "one slot held for one second: the unit of slot-time (slot·min, slot·h: for a minute, an hour)",
        ("slot·s", "slot·ms", "slot·min", "slot·h", "slot·units"),
        short=True,
    ),
    Term(
        "SRPT",
        "shortest remaining processing time: the job with the least left to do gets the slot",
        short=True,
    ),
    Term(
        "LATE",
        "Longest Approximate Time to End: copies the tasks that will end last, in slots no original wants",
        short=True,
    ),
    Term(
        "Mantri",
        "copies a task when a new copy would probably end in half of its remaining time",
        short=True,
    ),
    Term(
        "Hopper",
        "shares the slots by virtual sizes, so that a job's copies are part of its share",
        short=True,
    ),
    Term(
        "SCA",
        "Smart Cloning Algorithm of Xu and Lau: clones for all jobs that begin together, if all of them fit",
        short=True,
    ),
    Term(
        "SDA",
        "Straggler Detection Algorithm of Xu and Lau: copies a straggler as soon as it is detected, before "
        "any original starts",
        short=True,
    ),
    Term(
        "ESE",
        "Enhanced Speculative Execution of Xu and Lau: copies the tasks with most left to do, before any "
        "original starts, and clones small new jobs",
        short=True,
    ),
)


def table() -> str:
    """Return all terms as a table in Markdown."""
    rows = [f"| {term.word} | {term.meaning} |" for term in TERMS]
    return "\n".join(["| word | meaning |", "|---|---|", *rows])


def short_terms() -> list[dict[str, object]]:
    """Return the names and abbreviations with their forms and meanings, for the browser.

    Examples
    --------
    >>> short_terms()[0]
    {'word': 'p95', 'forms': ['p95'], 'meaning': '95th percentile: 95 of 100 values are at most this'}
    """
    return [
        {"word": term.word, "forms": list(term.forms or (term.word,)), "meaning": term.meaning}
        for term in TERMS
        if term.short
    ]


@lru_cache(maxsize=1000)  # a class reads the same sentences
def defined(text: str) -> str:
    """Return the definitions of the words that a text uses, as a list in Markdown; empty if it uses none.

    Examples
    --------
    >>> print(defined("The median flowtime by warm-up"))
    - **flowtime**: of a job: finish − arrival (also: job completion time, JCT)
    - **warm-up**: the first arrivals, left out of the statistics because the cluster was still filling
    """
    return "\n".join(f"- **{term.word}**: {term.meaning}" for term in TERMS if term.is_in(text))
