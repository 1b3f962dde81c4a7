"""Who is faster than the baseline, at whose cost, and where the gain is: remarks on differences.

A difference is stated only if its paired 95 % interval excludes 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from pages.shared.words.numbers import code, codes, number, percent, spread
from pages.shared.words.paired import Change, change, class_change
from sim.result import CLASSES, Comparison

#: Statistics of the flowtimes in words.
FLOWTIME = {"mean": "mean flowtime", "p50": "median flowtime", "p95": "95th percentile of the flowtime"}
WORD = {"mean": "mean", "p50": "median", "p95": "95th percentile"}
BY = {"mean": "on average", "p50": "by their median", "p95": "by their 95th percentile"}
#: Extra copies below this share of all are not worth a remark.
NOTABLE = 0.01
#: A gain is in the tail (or in the middle) if it is so many times as large there.
LOPSIDED = 2


def yardstick(comparison: Comparison, statistic: str = "mean") -> str | None:
    """Return how to compare flowtimes: as asked, by 'p50' if unfinished jobs hide that, or not at all."""
    for one in dict.fromkeys((statistic, "p50")):
        if _against_baseline(comparison, one):
            return one
    return None


def _against_baseline(comparison: Comparison, statistic: str) -> dict[str, Change]:
    """Return how the flowtime of every other policy differs from the baseline's, where it can be told."""
    found = {
        name: change(comparison, name, comparison.baseline, "flowtime", statistic)
        for name in comparison.policies
        if name != comparison.baseline
    }
    return {name: one for name, one in found.items() if one is not None}


def steady(comparison: Comparison, policy: str) -> bool:
    """Return whether the queue under a policy did not grow: a longer run would show the same."""
    return not comparison.policies[policy].unstable(comparison.scenario.slots)


def fastest(comparison: Comparison, statistic: str = "mean") -> str | None:
    """Return the policy with the lowest flowtime of those surely below the baseline's, if there is one.

    Only of those whose queue does not grow, and only against a baseline whose queue does not.
    """
    by = yardstick(comparison, statistic)
    if by is None or not steady(comparison, comparison.baseline):
        return None
    changes = _against_baseline(comparison, by)
    better = {name: one.value for name, one in changes.items() if one.sign < 0 and steady(comparison, name)}
    return min(better, key=better.__getitem__) if better else None


def headline(comparison: Comparison, winner: str | None, statistic: str = "mean") -> str:
    """Say who is faster than the baseline, or why that cannot be said."""
    by = yardstick(comparison, statistic)
    if by is None:
        return "So many jobs are unfinished that not even the medians can be compared."
    if comparison.replications == 1:
        return "One replication gives no interval: no difference can be told from luck yet."
    if not steady(comparison, comparison.baseline):
        return (
            f"No gain over {code(comparison.baseline)} is stated, since its queue grew: compare with one "
            "whose queue does not."
        )
    changes = {
        name: one for name, one in _against_baseline(comparison, by).items() if steady(comparison, name)
    }
    if not changes:
        return f"Only under {code(comparison.baseline)} did the queue not grow: no gain is stated."
    told = f"Unfinished jobs hide the {FLOWTIME[statistic]}. " if by != statistic else ""
    if winner:
        return told + _winner(comparison, winner, changes, by, praise=by == statistic)
    return told + _no_winner(comparison, changes, by)


def _winner(
    comparison: Comparison, winner: str, changes: dict[str, Change], statistic: str, *, praise: bool
) -> str:
    one = changes[winner]
    begin = "Jobs finish sooner under" if praise else "Of the jobs that are done, under"
    told = (
        f"{begin} {code(winner)}: {_takes(comparison, one, statistic)} "
        f"than under {code(comparison.baseline)}{_for_what(comparison, winner)}."
    )
    close = []
    for name, other in changes.items():
        if name != winner and other.sign < 0:
            apart = change(comparison, name, winner, "flowtime", statistic)
            close += [name] if apart is not None and apart.sign == 0 else []
    if close:
        told += f" Whether {code(winner)} or {codes(close, 'or')} is the faster cannot be told."
    return told


def _for_what(comparison: Comparison, winner: str) -> str:
    """Return what the gain costs: the slot-time of a job against the baseline."""
    one = change(comparison, winner, comparison.baseline, "resource", "mean")
    if one is None or not one.difference.reliable:
        return ""
    if one.sign == 0:
        return ", and no difference in slot-time can be told"
    return f", for {percent(abs(one.relative))} {'more' if one.sign > 0 else 'less'} slot-time per job"


def _no_winner(comparison: Comparison, changes: dict[str, Change], statistic: str) -> str:
    baseline = code(comparison.baseline)
    slower = [name for name, one in changes.items() if one.sign > 0]
    if slower and len(slower) == len(comparison.policies) - 1:
        nearest = min(slower, key=lambda name: changes[name].value)
        return (
            f"{baseline} is the fastest: under {code(nearest)}, the next, "
            f"{_takes(comparison, changes[nearest], statistic)}."
        )
    same = [name for name, one in changes.items() if one.same]
    unsure = [name for name, one in changes.items() if one.sign == 0 and name not in same]
    told = []
    if unsure:
        known = all(changes[name].difference.reliable for name in unsure)
        why = (
            f"after {comparison.replications} replications the 95 % interval of the difference includes 0."
            if known
            else f"too few jobs to know the {WORD[statistic]}."
        )
        told.append(
            f"No difference in {FLOWTIME[statistic]} can be told{' yet' if known else ''} between {baseline} "
            f"and {codes(unsure)}: {why}"
        )
    if same:
        told.append(f"{codes([comparison.baseline, *same])} did exactly the same in every replication.")
    if slower:
        told.append(f"{codes(slower)} {'is' if len(slower) == 1 else 'are'} slower than {baseline}.")
    return " ".join(told)


def _takes(comparison: Comparison, one: Change, statistic: str) -> str:
    """Return a flowtime and how far it lies from its reference."""
    value = f"{number(one.value)} {comparison.scenario.time_unit}"
    job = {
        "mean": f"a job takes {value} on average",
        "p50": f"the median job takes {value}",
        "p95": f"95 % of the jobs finish within {value}",
    }[statistic]
    return f"{job}, {_gap(comparison, one)}"


def _gap(comparison: Comparison, one: Change) -> str:
    """Return a paired difference with its interval: '3.31 ± 0.05 s (58 %) less'."""
    unit = comparison.scenario.time_unit
    gap = spread(abs(one.value - one.reference), one.difference.half)
    return f"{gap} {unit} ({percent(abs(one.relative))}) {'less' if one.sign < 0 else 'more'}"


def who_pays(comparison: Comparison, winner: str, statistic: str = "mean") -> Iterator[str]:
    """Say which size of job takes longer under the policy that is faster in general."""
    losers = []
    for place, (name, _) in enumerate(CLASSES):
        one = class_change(comparison, winner, comparison.baseline, place, statistic)
        if one is not None and one.sign > 0:
            losers.append((one.relative, name, one))
    if losers:
        _, name, one = max(losers)
        yield (
            f"Not everyone gains: jobs of {_tasks(name)} take {_gap(comparison, one)} {BY[statistic]} under "
            f"{code(winner)} than under {code(comparison.baseline)}."
        )


def _tasks(name: str) -> str:
    """Return a class of `CLASSES` with the word tasks."""
    return name if name.endswith("tasks") else f"{name} tasks"


def extra_share(comparison: Comparison, policy: str) -> float:
    """Return the share of a policy's copies that were extra."""
    return comparison.policies[policy].estimate("speculative_copies_share").value or 0.0


def price_of_copies(comparison: Comparison, winner: str | None) -> Iterator[str]:
    """Say whether copies saved work or cost work, against a policy that makes none if there is one."""
    shares = {name: extra_share(comparison, name) for name in comparison.policies}
    copying = winner if winner and shares[winner] >= NOTABLE else max(shares, key=shares.__getitem__)
    if shares[copying] < NOTABLE:
        return
    single = [
        name
        for name, share in shares.items()
        if share == 0 and comparison.knows(copying, name, "resource", "mean")
    ]
    reference = single[0] if single else comparison.baseline
    one = change(comparison, copying, reference, "resource", "mean")
    if one is None or one.sign == 0:
        return
    share = f"{percent(shares[copying])} of the copies under {code(copying)} were extra"
    used = (
        f"a job used {_gap(comparison, one)} slot-time (all its copies added up) than under {code(reference)}"
    )
    if single:
        verdict = "saved" if one.sign < 0 else "cost"
        joined = "and yet" if one.sign < 0 else "and"
        yield f"Copies {verdict} work: {share}, {joined} {used}, which runs every task once."
    else:
        yield f"{_verdict(one, copying == winner)}: {share}, and {used}."


def _verdict(one: Change, of_winner: bool) -> str:
    if not of_winner:
        return "The slot-time differs"
    return "Speed has a price" if one.sign > 0 else "It takes less work, too"


def where_the_gain_is(comparison: Comparison, winner: str) -> Iterator[str]:
    """Say whether the typical job or the slow ones gain, where the two differ."""
    middle, tail = (
        change(comparison, winner, comparison.baseline, "flowtime", name) for name in ("p50", "p95")
    )
    if middle is None or tail is None or not comparison.policies[winner].tells(0.95):
        return
    half = f"the time in which half of the jobs finish {_moved(middle)}"
    most = f"the time in which 95 % of the jobs finish {_moved(tail)}"
    against = f"against {code(comparison.baseline)}"
    if middle.sign * tail.sign < 0:
        yield f"Under {code(winner)} {half}, but {most}, {against}."
    elif tail.sign < 0 and (middle.sign == 0 or tail.relative <= LOPSIDED * middle.relative):
        yield f"The slow jobs gain most: under {code(winner)} {most}; {half}, {against}."
    elif middle.sign < 0 and (tail.sign == 0 or middle.relative <= LOPSIDED * tail.relative):
        yield f"The typical job gains most: under {code(winner)} {half}; {most}, {against}."


def _moved(one: Change) -> str:
    if one.sign == 0:
        return "shows no sure difference"
    return f"{'falls' if one.sign < 0 else 'rises'} by {percent(abs(one.relative))}"
