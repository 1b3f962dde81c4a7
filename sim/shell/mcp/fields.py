"""What the fields inside of the answers mean, and the names that pages have in cards and columns.

Parts of the JSON of a diagnosis and of a what-if are explained beside these, causes and states where they are
found; what is named here has no other place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from sim.advice.diagnosis import CAUSES
from sim.advice.diagnosis import report as diagnosis
from sim.advice.diagnosis.account import STATES
from sim.advice.whatif import report as whatif
from sim.advice.whatif.remedies.judged import REMEDIES
from sim.engines.registry import ENGINES
from sim.model.fields import BadInput, unknown
from sim.shell.listings import rule_as_dict
from sim.telling.glossary import TERMS
from theory.quoting import quoted

#: Field of the JSON, of any answer -> what it says.
FIELDS = {
    # numbers with their intervals
    "value": "the number itself; low and high beside it are its interval",
    "low": "lower end: of the 95 % interval, or, for a setting's times and copies and for a promise, of the "
    "band that holds 90 % of the replications",
    "high": "upper end of that interval or band",
    "middle": "of a promise: the median of the replications",
    "share": "a part of a whole, 0 to 1: of findings, lost and jobs left out, of the job time; of luck held "
    "against something, of how luck varies; of uneven, of how luck varies that such groups explain",
    "seconds": "job time in seconds: that a cause cost, lost in all, or taken by stages of one task; of a "
    " longer log, its length",
    "change": "against today's setting, or against the run before, as a share: -0.1 is 10 % less; with its "
    "95 % interval",
    "factor": "how many times as long copies take there as elsewhere; in a certificate: by how much "
    "intervals would have to be wider so that 90 % hold",
    "unit": "of times: s is seconds, h is hours",
    "sentence": "the answer, or this part of it, in a sentence",
    "reason": "why, in words: why there is no number, why a log is not read, or why it is or is not advised",
    "told": "said in words; of pairs of runs, whether they tell a change; of a remedy, how it is applied",
    "title": "what it is called on pages and in tables",
    "name": "what is compared, or what luck is held against",
    "key": "the cause, state or remedy, as other parts of the JSON name it",
    "count": "how many there are",
    # what was read
    "format": "which system wrote the log",
    "files": "the files that were read",
    "span": "seconds from the first to the last record of the log",
    "jobs": "how many jobs; in lost, each job with its recorded time and its time without stragglers; of a "
    "longer log, the jobs it needs",
    "stages": "how many stages; of writers, their names",
    "tasks": "how many tasks started; of a stage with running tasks, each of those",
    "copies": "how many copies of tasks: in a diagnosis all attempts, in speculation and for a setting only "
    "second copies",
    "speculative": "copies that were second copies",
    "finished": "copies that finished",
    "killed": "copies that were killed",
    "failed": "copies that failed",
    "unfinished": "copies that had not ended when the log did",
    "hosts": "hosts that ran a copy",
    "slots": "the most slots at once; of an executor, the tasks it runs at a time",
    "settings": "what the log names of the system's settings; of advice, the lines to set; of two runs, "
    "those that differ, before and after",
    "notes": "what of the log was left out or assumed",
    # parts of a diagnosis
    "makespan": "seconds until the last job ends; in lost, how much sooner it would without stragglers",
    "job": "name of a job",
    "recorded": "as the log has it, in seconds or as a count",
    "p50": "median: of job times, or of the ratios of stages",
    "p90": "90 % of the stages are below it",
    "p99": "99 % are below it: of the stages, or of job times",
    "over_1_5": "share of the copies that took longer than 1.5 times the median of their stage",
    "drivers": "of a closed loop: each submits its next job when the last one has ended",
    "index": "of a Pareto tail: the chance of more than x falls as x to the power of minus this",
    "x_min": "ratio to the median from which the tail holds",
    "n": "copies in the tail",
    "ks": "largest distance between the fitted tail and the copies",
    "better": "another law that fits the tail better; null if none does",
    "compared": "stages of one task that recur often enough to be compared",
    "kinds": "of how many jobs and stages by name these are",
    "probability": "that a tenth of the slow tasks or more would be as slow again",
    "pairs": "pairs that were compared: an original and its copy, or a run before and one after; in a "
    "certificate: digest of the logs of real clusters",
    "signs": "what speaks for it or against it, a sentence each",
    "host": "name of a host",
    "stage": "name of stages; null where it is a time",
    "begin": "first launch, in seconds of the history",
    "end": "last launch, in seconds of the history",
    "action": "what to do, why, and what it costs, in a sentence; of a running task wait, copy, restart or "
    "cannot tell",
    "acts": "whether the action mends the cause: no second copy mends luck where none can run",
    "won": "second copies that finished before their original",
    "killed_time": "slot-seconds that killed copies held",
    "killed_share": "killed_time as a share of the slot-time of all copies",
    # parts of a what-if
    "verdict": "of a model, whether it gives what was recorded: good, fair or poor; of an advice, approved, "
    "approved in part, to be tried, not approved, cannot tell, not mine (not modelled), or already so",
    "checks": "each comparison of the model with the history, with its grade",
    "expected": "what the model gives",
    "grade": "good, fair or poor",
    "ratio": "recorded over the model: above 1 where the history took longer",
    "widened": "by how much bands and intervals are widened, since the check is fair; or whether they are",
    "chance": "that shuffled luck explains as much",
    "spread": "standard deviation of the log of durations that it explains, at most",
    "groups": "copies in groups, with the median luck of each over the usual one, and its 95 % interval",
    "group": "which copies these are",
    "job_time": "of all jobs under the setting: mean, p50 and p95 in seconds",
    "mean": "mean job time, in seconds or as a change",
    "p95": "95 % of the jobs take no longer",
    "slot_time": "seconds that slots were held by all copies, killed ones included",
    "slot-time": "seconds that slots were held by all copies, killed ones included",
    "small_jobs": "mean job time of the half of the jobs with least work; in question, how many these are",
    "large_jobs": "mean job time of the half of the jobs with most work",
    "cost": "slot-hours, and money where there is a price, more than today's setting takes",
    "slot_hours": "slot-hours more than today's setting takes, for the jobs in the figures",
    "slot_hours_a_day": "the same for a day of such jobs",
    "slot_hours_a_month": "the same for a month of such jobs",
    "money": "slot-hours times their price, in the currency of the price; null without one",
    "money_a_day": "the same for a day of such jobs",
    "money_a_month": "the same for a month of such jobs",
    "jobs_an_hour": "at which days and months are estimated",
    "rate": "of arriving jobs, over the recorded one",
    "load": "share of the slots that would be busy without any extra copy",
    "policy": "how slots are shared, and who is copied",
    "trial": "whether to try it for an hour or so, since it pays unless slow tasks are slow by themselves",
    "leave_out": "jobs whose group or name contains it do not count",
    "caveat": "what to keep in mind with all remedies",
    "objective": "the figure that is to become small",
    "each": "all remedies, by key",
    "does": "what is done, in the way that is shown",
    "advised": "whether it surely pays",
    "shows": "what the history shows of its cause",
    "ceiling": "the most there is to gain: the cause mended entirely",
    "supposes": "what the ceiling supposes",
    "others": "other ways of the same remedy, with their changes",
    "paste": "how it is applied: words, a file, and exact settings",
    "file": "where the lines of settings go; of a log, what to give to a tool as its file",
    "limit": "what the estimate does not know",
    "level": "whether a task may run twice: nothing against it, ask, or do not",
    "restricted": "how copies can be kept from some stages",
    "gain": "what copies gain in all stages, and what in those alone that may run twice",
    "writers": "what stages write with, and what a second copy may do there",
    "verb": "what these stages do",
    "reference": "where that is said in public",
    "copied_stages": "stages whose tasks may be copied",
    "copied_work": "share of the work in stages whose tasks may be copied",
    "all": "changes with copies in all stages",
    "copied": "changes with copies only where tasks may run twice",
    "asked": "in which way the price was given",
    "used": "in which way it is used, as far as the log tells",
    "slot_hour": "price of a slot for an hour, as given",
    "executor_hour": "price of an executor for an hour, as given",
    "vcpu_hour": "price of a core for an hour, as given",
    "gb_hour": "price of a GB of memory for an hour, as given",
    "priced_slot_hour": "what a slot costs for an hour, computed from the price",
    "executor": "cores, slots and memory of an executor; of causes, executors of unequal speed",
    "cores": "of an executor, which a cloud bills as vCPUs",
    "memory": "GB of an executor that are billed; null if the log does not tell",
    "overhead": "GB of them that lie beside the heap",
    "missing": "what the log does not tell of its executors",
    "assumed": "what is assumed, in words",
    "width": "of the interval, as a share of today's figure",
    "now": "jobs in the log that is there",
    "pays_up_to": "the highest rate, and its load, at which the setting pays",
    "surely_up_to": "the highest rate, and its load, at which it surely pays",
    "stops_at": "the rate, and its load, at which it no longer pays",
    "points": "the rates that were played, with the changes at each",
    "pays": "whether it pays at this rate",
    "question": "what was asked: files, rate, slots, jobs, replications, seed and price",
    "replications": "how often each setting was played, with other luck each time",
    "seed": "the same seed gives the same numbers",
    "played_otherwise": "in what the model differs from the system, a sentence each",
    # many logs
    "about": "how to read the numbers",
    "totals": "sums over all logs",
    "logs": "how many logs; or each log with its numbers",
    "unread": "logs that could not be read",
    "computed": "logs for which remedies are computed",
    "job_hours": "recorded job time in hours",
    "lost_hours": "job time that would be saved with every task at the median of its stage, in hours",
    "lost_slot_hours": "slot-time beyond the medians of stages, in hours",
    "gain_hours": "job time that a remedy wins, in hours; in totals where it surely pays",
    "unpriced": "logs without a price that can be used, where one is given",
    "no_logs": "files that are no logs",
    "not_listed": "logs that are not listed, since others lost more",
    "application": "what the log calls its application",
    "log": "what the log is called: its path in the folder; of a finding, the log that it cost most",
    "remedy": "the remedy that a what-if puts first",
    "surely_pays": "whether the gain is beyond doubt",
    "bytes": "as they are stored",
    "modified": "when the log last changed, in UTC",
    "other_files": "files of no known format",
    # before and after
    "unpaired": "jobs that only some of the runs have: before, and after",
    "matched_by": "by what jobs of different runs are taken to be the same",
    "runs": "how many runs: before, and after",
    "blocks": "groups of jobs that ran at once, which change together",
    "figures": "each figure before and after, and its change",
    "before": "in the run before",
    "after": "in the run after",
    "over": "what the interval is over: runs, jobs that ran apart, or reruns as a what-if plays them",
    "pairs_of_runs": "whether pairs of runs tell a change, however often one looks",
    "evidence": "how many times likelier the pairs are with a change; told from 1 / false_alarm on",
    "more": "of pairs of runs, how many more would tell the change; of an answer, what it leaves out: pages "
    "of its text, and parts with their characters",
    "false_alarm": "chance that a change is told where there is none",
    "changed_most": "the state and the cause whose time per job changed most",
    "state": "of jobs: what they do at an instant, such as waiting or running",
    "cause": "of stragglers: why tasks are slow",
    "promise": "what a what-if on the run before promises of the setting after, and what came",
    "setting": "the policy before, and after",
    "held": "how often such a promise holds; in a certificate: how many have held on real clusters",
    "promises": "how many were held to what came",
    "fresh_held": "those that held among the fresh",
    "fresh": "promises on real clusters that no interval was widened by",
    "worlds_held": "promises that held in generated clusters",
    "worlds_promises": "how many there were",
    "worlds": "how many generated clusters",
    "systems": "how many real systems",
    "harmful": "changes the lab advised on real clusters that did harm",
    "sources": "digest of the sources that decide what is promised",
    "version": "of the program",
    "kept": "whether what came lies in the promised band",
    # an advice
    "opinions": "what is said of each part of an advice: settings judged together, or one that is not judged",
    "model": "whether the model gives what the log recorded: good, fair or poor; null if nothing was played",
    "played": "of an advice, what was played in place of today's policy; null if nothing was",
    "wrong_if": "what would make an opinion false, or would decide it",
    "worst": "what the settings cost in the worst of the models that fit the log",
    "family": "what a setting is about that is not modelled; another system, or unknown",
    # a task that still runs
    "answer": "what to do about the task that comes first, and why, in a sentence or two",
    "siblings_done": "tasks of the stage that are done",
    "median_s": "duration of the middle sibling that is done, in seconds",
    "within_s": "times from now for which done_within and all_done tell probabilities, in seconds",
    "price": "what a second of a slot is worth beside a second of the task's end",
    "copy_start_s": "seconds that a copy needs to start",
    "all_done": "probability that all running tasks are done within each of within_s, if one waits",
    "changes": "the age from which another action is advised, and that action; null if none is",
    "age_s": "age in seconds",
    "rules_copy_at_s": "age in seconds from which the rule of a paper or of Spark copies the task that comes "
    "first; null if never",
    "copy_saves_slot_time_from_rest_s": "seconds that have to remain for a copy to save slot-time",
    "task": "name of a running task",
    "probability_better": "that the action is better than waiting, or waiting than the others",
    "work_ratio": "its work in that of the middle sibling; null if it is not known",
    "slow_by_work": "factor by which its work makes it longer",
    "explained_by_work": "probability that its work explains its age",
    "is_late": "whether it is older than the middle sibling, each as its work and host make it",
    "has_copy": "whether a second copy of it runs",
    "host_slower": "factor by which its host is slower than the others",
    "counted_s": "most seconds of a rest that are counted",
    "wait": "if one waits: mean rest, slot-time, and the probability to be done in time",
    "copy": "if a second copy is started beside it: the same",
    "restart": "if it is killed and started again: the same",
    "mean_rest_s": "mean seconds until the task is done",
    "slot_time_s": "mean slot-seconds from now on",
    "done_within": "probability that the task is done within each of within_s",
    "counted_to": "up to when ages are counted",
    "other_stages": "other stages in which tasks run",
    # portions of an answer
    "part": "which part of the JSON this is",
    "page": "which page of the text, or of the part",
    "pages": "how many pages there are",
    "parts": "parts that are not whole here, with their characters; . is all of the JSON",
}
#: Name in a card, a column or a title of the pages -> what it says; without its unit.
SCREEN = {
    "lost to stragglers": "job time that would be saved with every task at the median of its stage",
    "a copy could save, at most": "the part of it that a second copy does not repeat",
    "model on this history": "whether the model gives what was recorded: good, fair or poor",
    "mean job time": FIELDS["mean"],
    "median job time": FIELDS["p50"],
    "p95 of the job time": FIELDS["p95"],
    "p95 of job time": FIELDS["p95"],
    "p95 of job times": FIELDS["p95"],
    "p99 of job times": FIELDS["p99"],
    "mean of small jobs": FIELDS["small_jobs"],
    "mean of large jobs": FIELDS["large_jobs"],
    "second copies": "how many second copies ran, and how many of them won",
    "promised by what-if": FIELDS["promise"],
    "promised from": "lower end of the band that holds 90 % of the replications",
    "promised to": "upper end of that band",
    "more pairs of runs to tell": "how many more pairs of runs would tell the change",
    "remedies would win": FIELDS["gain_hours"],
    "slot-time beyond the medians": FIELDS["lost_slot_hours"],
    "lost slot-time": FIELDS["lost_slot_hours"],
    "job time": "from submission to end, summed over the jobs",
    "gain": "job time that the remedy wins",
    "gain from": "lower end of the 95 % interval of the gain",
    "gain to": "upper end of that interval",
    "its slot-time": "slot-time that the remedy takes more than today",
    "first": "what the diagnosis of the log says to do first",
    "standing": "whether the setting is today's, recommended, or to be tried",
    "share of luck explained": FIELDS["share"],
    "chance of shuffled luck": FIELDS["chance"],
    "spread of durations at most": FIELDS["spread"],
    "median luck": "median luck of the group, over the usual one",
    "95 % from": "lower end of the 95 % interval",
    "95 % to": "upper end of the 95 % interval",
    "of which won": FIELDS["won"],
    "killed": "slot-time that killed copies held",
    "time against the usual task": "how many times as long as a usual task of the stage",
    "figure": "what is compared before and after",
    "what to do": "the findings: what to do, by what it would save",
    "what was read": "format, files and how many jobs, tasks and copies the log has",
    "settings the log names": "settings of the system, as the log has them",
    "where the time of jobs went": "the account: seconds of the jobs in each state",
    "jobs that lost most": "jobs by the time that stragglers cost them",
    "stages that lost most": "stages by the time that stragglers cost their jobs",
    "slowest task against the median, by stage": "ratios of the slowest task of a stage to its median",
    "where unequal durations come from": "shares: luck, machine, work and first wave",
    "job time saved without one cause": "causes: what a replay without each of them saves",
    "the whole run": "by how much sooner the last job would end",
    "slowest hosts, against the median host": "slow hosts: how much longer copies take there",
    "speculation as it ran": "second copies in the log: how many, how many won, and their slot-time",
}


# What a word of an answer or of a page means.
#
# A term, a state of a job, a cause, a part or a field of the JSON, a name on a page, a remedy, or a rule.


def as_json(word: str) -> dict[str, Any]:
    """Return all that a word means; without one, what can be asked for.

    Parameters
    ----------
    word : str
        A term of the glossary, a state of a job, a cause, a part or field of the JSON, a name on a page with
        or without its unit, a remedy, or a policy, such as ``fair+late:speculative_cap=0.2``, whose rules are
        explained.

    Raises
    ------
    BadInput
        If it is none of these, with the nearest that is.

    Examples
    --------
    >>> found = as_json("first wave")
    >>> [(one["kind"], one["name"]) for one in found["meanings"]]
    [('term', 'first wave'), ('cause', 'first_wave')]
    """
    known = list(_known())
    if not word.strip():
        return {
            "words": {kind: sorted({one["name"] for one in known if one["kind"] == kind}) for kind in KINDS}
        }
    asked = {_plain(part.partition(":")[0]) for part in (word, *word.split("+"))}
    terms = {term.word for term in TERMS if term.is_in(word.replace("_", " "))}
    found = [
        one
        for one in known
        if one["name"] in terms or asked & {_plain(one["name"]), _plain(one.get("title", ""))}
    ]
    if not found:
        if near := get_close_matches(word, {one["name"] for one in known}, n=5):
            raise unknown("word", word, near)
        raise BadInput(f"word: {quoted(word)} is not known; without a word, all that are known are listed")
    return {"word": word, "meanings": found}


#: Kinds of what has a meaning.
KINDS = (
    *("term", "state of a job", "cause", "part of a diagnosis", "part of a what-if", "field of the JSON"),
    *("name on a page", "remedy", "rule"),
)


def _known() -> Iterator[dict[str, Any]]:
    """Yield whatever has a meaning."""
    term, of_job, cause, of_diagnosis, of_whatif, field, screen, remedy, rule = KINDS
    for one in TERMS:
        yield {"kind": term, "name": one.word, "meaning": one.meaning}
    for key, state in STATES.items():
        meaning = f"{state.meaning}; {state.advice}"
        yield {"kind": of_job, "name": key, "title": state.title, "meaning": meaning}
    for name, called in CAUSES.items():
        yield {"kind": cause, "name": name, "title": called.title, "meaning": called.meaning}
    for kind, parts in (
        *((of_diagnosis, diagnosis.MEANINGS), (of_whatif, whatif.MEANINGS)),
        *((field, FIELDS), (screen, SCREEN)),
    ):
        yield from ({"kind": kind, "name": name, "meaning": meaning} for name, meaning in parts.items())
    for way in REMEDIES:
        yield {"kind": remedy, "name": way.key, "title": way.title, "meaning": f"at the most, {way.about}"}
    for key, engine in ENGINES.items():
        for role, rules in engine.implementation.policy.registries().items():
            for name, declared in rules.items():
                told = rule_as_dict(declared)
                meaning = told.pop("summary")
                yield {"kind": rule, "name": name, "engine": key, "role": role, "meaning": meaning} | told


def _plain(text: str) -> str:
    """Return a name without its unit, and without what only a programming language needs."""
    text = re.sub(r" \((?:h|s|%|×|money|slot·s)\)$", "", text.strip())
    return text.casefold().replace("_", " ").replace("-", " ")


def as_text(found: dict[str, Any]) -> str:
    """Return what `as_json` has found in lines.

    Examples
    --------
    >>> print(as_text(as_json("failures")))
    failures (cause): attempts that failed or were killed and ran again
    """
    if "words" in found:
        return "\n".join(f"{kind}: {', '.join(names)}" for kind, names in found["words"].items())
    return "\n".join(line for one in found["meanings"] for line in _lines(one))


def _lines(one: dict[str, Any]) -> Iterator[str]:
    title = f", {title}" if (title := one.get("title", "")) not in ("", one["name"]) else ""
    where = f" of {one['role']} in the engine {one['engine']}" if "engine" in one else ""
    yield f"{one['name']}{title} ({one['kind']}{where}): {one['meaning']}"
    for name, about in one.get("parameters", {}).items():
        yield f"  {name}={about['default']:g}  {about['text']} ({about['accepted']})"
