"""Jobs as ``sacct --json`` writes them, as the rows of ``sacct -P``.

Versions of Slurm differ: a number may be bare, or an object that says whether it is set; a state may be
a word or a list of words. Both are accepted.

Reference: the schema ``dbv0.0.36`` and later of the REST API of Slurm, ``job``.
"""

from __future__ import annotations

from typing import Any

#: What a file that begins so has, the second in versions that write the jobs before the rest.
_MARKS = ((b'"meta"', b'"plugin"', b"openapi"), (b'"meta"', b'"plugin"', b"data_parser"))
_OF_A_JOB = (b'"jobs"', b'"association"', b'"derived_exit_code"')


def recognises(head: bytes) -> bool:
    """Say whether a file that begins like this is the output of ``sacct --json``."""
    begins = head.lstrip()[:1] == b"{" and b'"job_state"' not in head
    return begins and any(all(mark in head for mark in marks) for marks in (*_MARKS, _OF_A_JOB))


def row(job: dict[str, Any]) -> dict[str, str]:
    """Return a job as a row of ``sacct -P``.

    Examples
    --------
    >>> job = {"job_id": 8, "array": {"job_id": 7, "task_id": {"set": True, "number": 1}}}
    >>> job |= {"state": {"current": ["COMPLETED"]}, "time": {"start": 9, "end": 12}}
    >>> found = row(job)
    >>> found["JobID"], found["State"], found["Start"], found["NodeList"]
    ('7_1', 'COMPLETED', '9', '')
    """
    if not isinstance(job.get("time"), dict) or "state" not in job:
        raise ValueError("time and state are not both there; give the answer of sacct --json as it is")
    time, association = job["time"], job.get("association") or {}
    state = job["state"]
    words = state.get("current") if isinstance(state, dict) else state
    told = {
        "JobID": _name(job),
        "State": words[0] if isinstance(words, list) and words else words,
        "Submit": _number(time.get("submission")),
        "Eligible": _number(time.get("eligible")),
        "Start": _number(time.get("start")),
        "End": _number(time.get("end")),
        "ElapsedRaw": _number(time.get("elapsed")),
        "NodeList": job.get("nodes"),
        "JobName": job.get("name"),
        "Account": job.get("account"),
        "User": job.get("user") or association.get("user"),
        "Partition": job.get("partition"),
    }
    return {column: "" if value in (None, [], {}) else str(value) for column, value in told.items()}


def _name(job: dict[str, Any]) -> str:
    """Return the identifier of a job as sacct prints it: with an index, or a place in a het job."""
    array, het = job.get("array") or {}, job.get("het") or {}
    of_array, index = _number(array.get("job_id")), _number(array.get("task_id"))
    if of_array and index is not None:
        return f"{of_array}_{index}"
    if of_array and array.get("task"):
        return f"{of_array}_[{array['task']}]"
    if (of_het := _number(het.get("job_id"))) and (place := _number(het.get("job_offset"))) is not None:
        return f"{of_het}+{place}"
    return str(_number(job["job_id"]))


def _number(value: Any) -> int | None:
    """Return a number, which may stand in an object; None if it is not set."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set") and not value.get("infinite") else None
    return None if value is None else int(value)
