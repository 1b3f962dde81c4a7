"""The answer of a diagnosis in one plain sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sim.advice.diagnosis.account import Account
from sim.advice.diagnosis.causes import CAUSES, Causes
from sim.advice.diagnosis.clusters_of_slowness import Uneven
from sim.advice.diagnosis.costs import Cause
from sim.advice.diagnosis.findings import LITTLE, Finding, inverse, of_states, slow_stage, slowest
from sim.advice.diagnosis.repeatable_slowness import Hidden
from sim.advice.diagnosis.replay import Lost
from sim.advice.diagnosis.shares import PARTS, Shares
from sim.logs.formats import knows_of
from sim.logs.history import History
from sim.logs.knows import UNKNOWN
from sim.telling.words import begun, in_percent, plain

#: Chance of work that no count shows from which it is said.
DOUBT = 0.05
#: Seconds after which Spark first looks at a task, unless its settings say otherwise.
_CHECK = 0.1
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def sentence(
    history: History,
    lost: Lost,
    shares: Shares,
    causes: Causes,
    hidden: Hidden,
    uneven: Uneven | None,
    account: Account,
    ranked: Sequence[Finding],
) -> tuple[str, str]:
    """Say what to do first, if anything; and what stragglers cost, and what of it copies could mend.

    A second copy draws the luck anew: the time that jobs would save in a replay without luck is the most that
    copies can mend (`causes`). Where jobs waited for other things is said beside it.
    """
    if lost.share is None:
        told = "The log does not tell what stragglers cost: no job with finished tasks and both its times."
        return "", told
    said = _of_stragglers(history, lost, lost.share, shares, causes, hidden, account, bool(ranked))
    first = ranked[0].action if ranked else slow_stage(history, lost) if lost.share >= LITTLE else ""
    if history.order_from == "times" and lost.share >= LITTLE:
        why = knows_of(history.format).untold("order")
        said += f" Which stage waits for which is taken from their times: {why}."
    together = f" {uneven.sentence}: look at it first." if uneven and lost.share >= LITTLE else ""
    waited = f" {told}" if (told := of_states(account, ranked)) else ""
    return first, said + together + waited


def _of_stragglers(
    history: History,
    lost: Lost,
    share_lost: float,
    shares: Shares,
    causes: Causes,
    hidden: Hidden,
    account: Account,
    ranked: bool,
) -> str:
    """Say what stragglers cost and what of it is mended by what."""
    if not shares.residual.size:
        return "The log does not tell what stragglers cost: no stage has two finished tasks to be compared."
    cost = f"Stragglers cost these jobs {in_percent(share_lost, least=0.01)} of their time"
    if share_lost < LITTLE:
        if ranked:
            return f"{cost}."
        last = account.states.get("waiting for the last", 0.0) / float(account.jobs["recorded"].sum() or 1.0)
        if last >= LITTLE:
            told = f"They waited {in_percent(last)} of it for tasks slower than usual"
            return f"{cost}. {told}, but copies, or equal tasks, would hardly end them sooner."
        return f"{cost}: there is little to mend."
    beside = {name: one for name, one in causes.told.items() if name not in ("luck", "idle")}
    rest = {name: one.seconds for name, one in beside.items() if one.low > 0}  # else it may be nothing
    cause = max(rest, key=lambda name: rest[name], default="")
    named = _cause(cause, shares) if cause and rest[cause] > 0.1 * lost.seconds else ""
    if reason := no_copies(history):
        part = rest[cause] / lost.seconds if named else 0.0
        much = "most" if part > 0.5 else _about(part)
        return f"{cost}. Second copies save none of it: {reason}." + (
            f" {begun(much)} of the lost time comes from {named}." if named else ""
        )
    if not tells_luck(causes.told):
        return f"{cost}. This log cannot tell luck, which a second copy mends, from work and slow hosts."
    share = mended(lost, causes.anew, hidden)
    able = ", if your system can run them," if knows_of(history.format).copies == UNKNOWN else ""
    mend = f"{cost}. Second copies{able} could save at most {_about(share)} of that"
    if hidden.probability > DOUBT and share > 0.06:
        mend += ", if slow tasks are slow by luck, which this log cannot tell"
    left = 1 - share
    if left < 0.1 or not named:
        return f"{mend}."
    most = "most of the rest" if rest[cause] > left / 2 * lost.seconds else "the largest part of the rest"
    return f"{mend}. {begun(most)} comes from {named}."


def tells_luck(told: Mapping[str, Cause]) -> bool:
    """Say whether a log tells luck from anything else that makes tasks unequal."""
    return any(name in told for name in (*PARTS, "executor"))


def mended(lost: Lost, anew: Cause | None, hidden: Hidden) -> float:
    """Return the share of the lost time that second copies could save at most, 0 to 1."""
    if anew is None or not lost.seconds > 0:
        return 0.0
    return float(np.clip(anew.seconds / lost.seconds, 0, 1)) * (1 - hidden.again)


def no_copies(history: History) -> str:
    """Say why the system of a history makes no second copies, or none that could help; empty if it does."""
    if reason := knows_of(history.format).no_copies:
        return reason
    hosts = [host for host in history.hosts["host"].to_pylist() if host]
    if len(hosts) == 1:
        return "all tasks ran on one host, and a copy goes to another host"
    stages = np.asarray(history.stages["tasks"])
    if stages.size and stages.max() <= 1:
        return "every stage has one task, which has no others to be slower than"
    copies = history.frame("copies")
    durations = (copies["end"] - copies["launch"])[copies["complete"]]
    if history.format == "spark" and len(durations) and durations.quantile(0.95) < _CHECK:
        return f"tasks end before Spark first looks at them, after {plain(_CHECK)} s"
    return ""


def _cause(name: str, shares: Shares) -> str:
    if name == "work":
        seen, again = (float(np.var(values)) for values in (shares.fit.seen_work(), shares.fit.hidden_work()))
        if again > seen:
            return "tasks that are slow in every run of their stage"
        return "cache misses: slow tasks read less than others" if inverse(shares) else CAUSES[name].phrase
    if name != "machine":
        return CAUSES[name].phrase
    slow = len(slowest(shares.hosts))
    if not slow:
        return CAUSES[name].phrase
    number = _NUMBERS[slow] if slow < len(_NUMBERS) else f"{slow}"
    return f"{number} slow host{'' if slow == 1 else 's'}"


def _about(share: float) -> str:
    """Return a share in words.

    Examples
    --------
    >>> _about(0.52), _about(0.97)
    ('about half', 'nearly all')
    """
    words = (
        (0.06, "a small part"),
        (0.15, "about a tenth"),
        (0.22, "about a fifth"),
        (0.29, "about a quarter"),
        (0.41, "about a third"),
        (0.58, "about half"),
        (0.71, "about two thirds"),
        (0.85, "about three quarters"),
        (1.01, "nearly all"),
    )
    return next(word for limit, word in words if share <= limit)
