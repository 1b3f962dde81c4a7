"""Leave out slow hosts, or replace them: its ceiling is that no machine is slower than another.

A host that is left out takes its slots along, so that it pays only where its slowness costs more than its
slots give. The hosts are chosen by the fit, not by what leaving them out would gain: those slower than the
usual one by `SLOW` or more in 95 % of the draws, else the slowest; and never more than half of the slots.
What garbage collection adds does not count: it belongs to the executors, and another host would have it, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from ipaddress import ip_address

import numpy as np

from sim.advice.whatif.cluster import Cluster
from sim.advice.whatif.model import Model
from sim.advice.whatif.remedies.variant import ANY, Remedy, SettingLines, Variant, changed
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.setting_effect import Conditions
from sim.logs.formats import knows_of
from sim.logs.formats.spark_files import MASTER, PLATFORM
from sim.logs.history import FINISHED
from sim.model.cached import once_for_each
from sim.telling.words import begun, counted

#: Factor over the usual host from which a host is slow, and share of the draws in which it must be.
SLOW, SURE = 1.1, 0.95
#: Largest share of the slots that is left out.
_HALF = 0.5
#: Hosts that are named.
_NAMED = 5


@once_for_each
def collected(model: Model) -> dict[str, float]:
    """Return by what factor garbage collection makes copies longer on each host, over the usual host."""
    copies = model.history.frame("copies")
    took, gc = (copies["end"] - copies["began"]).to_numpy(float), copies["gc"].to_numpy(float)
    told = copies["fate"].eq(FINISHED).to_numpy() & (took > 0) & (gc >= 0) & (gc < took)
    longer = -np.log1p(-gc[told] / took[told])
    means = copies.loc[told, ["host"]].assign(longer=longer).groupby("host")["longer"].mean()
    return {str(host): float(one) for host, one in np.exp(means - means.median()).items()}


def factors(question: Replay) -> dict[str, np.ndarray]:
    """Return the factor of each host of the cluster in every draw of the fit; none where it has no hosts."""
    fit, gc = question.model.evidence.copies, collected(question.model)
    place = {str(name): code for code, name in enumerate(fit.columns.names["host"])}
    return {
        host: np.exp(fit.draws.host[:, place[host]]) / gc.get(host, 1.0)
        for host in question.model.cluster.hosts
        if host in place
    }


def slow_hosts(question: Replay) -> tuple[str, ...]:
    """Return the hosts that are left out or replaced, the slowest first."""
    found = factors(question)
    order = sorted(found, key=lambda host: -float(np.log(found[host]).mean()))
    sure = [host for host in order if float((found[host] > SLOW).mean()) >= SURE] or order[:1]
    cluster = question.model.cluster
    size = dict(zip(cluster.hosts, cluster.sizes, strict=True))
    chosen: list[str] = []
    for host in sure:
        if sum(size[one] for one in [*chosen, host]) <= _HALF * sum(cluster.sizes):
            chosen.append(host)
    return tuple(chosen)


def without(question: Replay, cluster: Cluster) -> Cluster:
    """Return the cluster without its slow hosts and their slots.

    Where fewer slots were there than the hosts have, as many fewer go in proportion.
    """
    out = set(slow_hosts(question))
    sizes = tuple(0 if host in out else size for host, size in zip(cluster.hosts, cluster.sizes, strict=True))
    if not any(sizes):  # of a smaller cluster that is asked for, nothing would stay
        return cluster
    share = sum(sizes) / sum(cluster.sizes)
    changes = tuple(
        (time, min(slots, max(1, math.floor(slots * share + 0.5))) if slots else 0)
        for time, slots in cluster.changes
    )
    return replace(cluster, sizes=sizes, changes=changes)


def replaced(question: Replay, replication: int, given: Conditions) -> Conditions:
    """Return conditions in which slow hosts are as fast as the usual one.

    Times in which a host was slow stay: another host may have such times, too.
    """
    return _usual(question, given, slow_hosts(question))


def all_usual(question: Replay, replication: int, given: Conditions) -> Conditions:
    """Return conditions in which no slot is slower than another at any time, but for garbage collection."""
    return replace(_usual(question, given, question.cluster.hosts), slow_times=())


def _usual(question: Replay, given: Conditions, hosts: Sequence[str]) -> Conditions:
    cluster, gc = question.cluster, collected(question.model)
    slowness = given.slowness.reshape(len(cluster.sizes), cluster.machine_slots).copy()
    for place, host in enumerate(cluster.hosts):
        if host in hosts:
            slowness[place] = gc.get(host, 1.0)
    return replace(given, slowness=slowness.ravel())


def _untold(question: Replay) -> str:
    hosts = question.model.cluster.hosts
    if not hosts:
        return knows_of(question.model.history.format).untold("hosts")
    if len(hosts) == 1:
        return "there is one host"
    if not slow_hosts(question):
        return "the slowest host has more than half of the slots"
    if slowed := _slowed_by_collector(question):
        return f"{slowed} is slow by garbage collection, which another host would have, too"
    return ""


def _slowed_by_collector(question: Replay) -> str:
    """Return the host that would be slow if garbage collection counted, where none is without; else empty."""
    gc = collected(question.model)
    own = {host: float(np.median(draws)) for host, draws in factors(question).items()}
    worst = max(own, key=lambda host: own[host] * gc.get(host, 1.0), default="")
    alone = max(own.values(), default=1.0) <= SLOW < own.get(worst, 1.0) * gc.get(worst, 1.0)
    return worst if alone else ""


def slowness_told(question: Replay) -> str:
    """Say which hosts are slow, and how slow."""
    hosts, found = slow_hosts(question), factors(question)
    told = []
    for host in hosts[:_NAMED]:
        low, middle, high = np.quantile(found[host], (0.025, 0.5, 0.975))
        told.append(f"{host} takes {middle:.2f} times as long as the usual host ({low:.2f} to {high:.2f})")
    more = f"; and {counted(len(hosts) - _NAMED, 'host')} more" * (len(hosts) > _NAMED)
    return "; ".join(told) + more


def described(question: Replay) -> str:
    """Say which hosts are slow, how slow, and how many slots go with them."""
    before, after = question.model.cluster, without(question, question.model.cluster)
    them = "it" if len(slow_hosts(question)) == 1 else "them"
    stay = changed(before.slots, after.slots)
    return f"{slowness_told(question)}. Without {them} {stay} slots stay"


def _paste(question: Replay, system: str, way: Variant) -> SettingLines:
    names = ",".join(slow_hosts(question))
    if way.key == "replace":
        return SettingLines(f"Put a healthy machine in the place of {names}, with as many slots.")
    if system == "spark":
        return _spark(names, question.model.history.settings)
    if system in ("hadoop", "tez"):
        return SettingLines(
            f"Write {names}, a name a line, into the file that yarn.resourcemanager.nodes.exclude-path "
            "names, and run yarn rmadmin -refreshNodes."
        )
    if system == "flink":
        return SettingLines(f"There is no setting for it: stop the TaskManager on {names}.")
    if system == "slurm":
        return SettingLines(f"Give sbatch the option --exclude={names}, or drain the node with scontrol.")
    return SettingLines(f"Let the scheduler start nothing on {names}.")


def _spark(names: str, settings: Mapping[str, str]) -> SettingLines:
    """Return what keeps Spark off some hosts, by what launches its executors."""
    if settings.get(PLATFORM) == "Databricks":
        return SettingLines(
            f"Databricks has no setting for it: terminate the instances of {names}; it starts others."
        )
    yarn = {"spark.yarn.exclude.nodes": names}
    decommission = f"run sbin/decommission-worker.sh on {names}"
    cordon = f"run kubectl cordon {names.replace(',', ' ')}"
    if all(map(_is_address, names.split(","))):  # pods are no nodes, and do not outlive jobs
        cordon = (
            f"find the nodes of the pods {names} by kubectl get pods -o wide while such an application runs, "
            "and kubectl cordon them"
        )
    told = {
        "yarn": SettingLines("Paste the line.", "spark-defaults.conf", yarn),
        "spark": SettingLines(f"{begun(decommission)}, and start a worker elsewhere."),
        "k8s": SettingLines(f"{begun(cordon)}."),
    }
    anywhere = f"On YARN paste the line. Of a standalone cluster {decommission}; on Kubernetes {cordon}."
    return told.get(settings.get(MASTER, ""), SettingLines(anywhere, "spark-defaults.conf", yarn))


def _is_address(name: str) -> bool:
    try:
        return bool(ip_address(name))
    except ValueError:
        return False


_LIMITS = {
    "spark": "spark.excludeOnFailure does not do it: it counts failed tasks, never slow ones.",
    "hadoop": "Blacklisting of nodes does not do it: it counts failed tasks, never slow ones.",
    "tez": "Blacklisting of nodes does not do it: it counts failed tasks, never slow ones.",
    "flink": "The blocklist of speculative execution only keeps copies away for a while.",
    ANY: "Systems that leave out hosts by themselves count failures, seldom slowness.",
}


def _limit(question: Replay, system: str, way: Variant) -> str:
    return _LIMITS.get(system, _LIMITS[ANY])


HOSTS = Remedy(
    "host",
    "Leave out hosts",
    "no machine or executor is slower than another",
    Variant("host ceiling", "equal machines", conditions=all_usual),
    (
        Variant("leave out", "leaving out slow hosts", cluster=without),
        Variant("replace", "replacing slow hosts", conditions=replaced),
    ),
    _untold,
    _paste,
    _limit,
)
