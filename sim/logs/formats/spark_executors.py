"""Executors of a Spark application: how many came, with how many cores, and what tells their memory.

Events say how many cores each executor brought, which settings need not. They are kept as one more setting
of the history, so that the compact file of a log has them, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

#: Settings by which a log tells the memory of an executor, and what launched it.
SETTINGS = (
    r"executor\.(memory|memoryOverhead|memoryOverheadFactor|minMemoryOverhead|pyspark\.memory)",
    r"yarn\.executor\.memoryOverhead",
    r"kubernetes\.(memoryOverheadFactor|resource\.type)",
    r"memory\.offHeap\.(enabled|size)",
)
OF_SIZE = re.compile(rf"spark\.({'|'.join(SETTINGS)})")
#: The setting whose value names hosts: only what launches executors is kept of it.
MASTER = "spark.master"
#: The setting that names a platform which launches executors its own way, and how settings of it begin.
PLATFORM, PLATFORMS = "platform", {"spark.databricks.": "Databricks"}
_LAUNCHERS = re.compile(r"local|yarn|k8s|spark|mesos")
#: The setting in which the executors are kept, as `told` writes them.
EXECUTORS = "executors"
#: What a resource profile asks for -> the setting that asks for the same; both count in MB.
_ASKED = {
    "memory": "spark.executor.memory",
    "memoryOverhead": "spark.executor.memoryOverhead",
    "pyspark.memory": "spark.executor.pyspark.memory",
}


def launcher(master: str) -> str:
    """Return what launches executors; empty if a master does not tell.

    Examples
    --------
    >>> launcher("k8s://https://10.0.0.1:443"), launcher("*********(redacted)")
    ('k8s', '')
    """
    found = _LAUNCHERS.match(master)
    return found[0] if found else ""


def of_profile(event: Mapping[str, Any]) -> dict[str, str]:
    """Return as settings what the usual resource profile asks for; nothing of another profile.

    Examples
    --------
    >>> asked = {"cores": {"Amount": 4}, "memory": {"Amount": 2048}}
    >>> of_profile({"Resource Profile Id": 0, "Executor Resource Requests": asked})
    {'spark.executor.memory': '2048m'}
    """
    if event.get("Resource Profile Id") != 0:
        return {}
    asked = event.get("Executor Resource Requests") or {}
    return {setting: f"{int(asked[name]['Amount'])}m" for name, setting in _ASKED.items() if name in asked}


def told(cores: Mapping[int, int]) -> str:
    """Write how many executors came with how many cores.

    Examples
    --------
    >>> told({4: 10, 8: 2})
    '10 of 4 cores, 2 of 8 cores'
    """
    return ", ".join(f"{count} of {each} cores" for each, count in sorted(cores.items()))


def read(text: str) -> Counter[int]:
    """Read what `told` has written; nothing where a text is no such.

    Examples
    --------
    >>> read("10 of 4 cores, 2 of 8 cores"), read("many")
    (Counter({4: 10, 8: 2}), Counter())
    """
    found = [re.fullmatch(r"(\d{1,9}) of (\d{1,9}) cores", part.strip()) for part in text.split(",")]
    return Counter({int(one[2]): int(one[1]) for one in found if one and int(one[1]) and int(one[2])})
