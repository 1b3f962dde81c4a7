"""What the parts of the JSON of a diagnosis mean, each in one place: for other programs."""

from __future__ import annotations

from sim.advice.diagnosis.account import STATES

#: Part of the JSON of a diagnosis -> what it says.
PARTS = {
    "account": "seconds that jobs spent in each state, which add up to their time from submission to end; a "
    "state without any is left out, and what a log does not tell apart is one state: "
    + "; ".join(f"{key}: {state.meaning}" for key, state in STATES.items()),
    "lost": "time of the jobs minus what it would be with every task at the median of its stage, on the same "
    "slots; in all and job by job",
    "ratios": "slowest task over the median, by stage of ten finished tasks or more; share of copies above "
    "1.5 times the median",
    "tail": "the Pareto tail of luck: its index with a 95 % interval; null where none shows",
    "shares": "of how unequal the tasks of a stage are: luck, machine, work and first wave, each with an "
    "interval; null where it cannot be told",
    "causes": "job time that a replay without one cause saves, in seconds, with a 95 % interval; null where "
    "it cannot be told, and then untold says why",
    "untold": "causes whose cost cannot be told, and why",
    "one_task": "stages of one task, compared over jobs of the same name",
    "hidden": "probability that slow tasks are slow by themselves, for work that no count shows; the pairs "
    "of copies that tell, and what else does",
    "uneven": "where slow copies come together: a host in the stages of one name, or (stage null) launched "
    "from begin to end, in seconds of the history; by how much longer they take than others of their stages, "
    "and the share of luck that such groups explain; null where none shows",
    "slow_times": "when hosts were slow for a time: first and last launch in seconds of the history, the "
    "copies launched, and how much longer they took than at other times; empty where none was",
    "slow_hosts": "how much longer copies take on each host than on the median host, with an interval",
    "findings": "what to do, by the job time that its cause cost, the most first: the cause or state, its "
    "seconds with a 95 % interval, their share of the job time, and the action in a sentence",
    "speculation": "second copies as they ran: how many, how many won, slot time of those that were killed",
}
