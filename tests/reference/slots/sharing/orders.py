"""Rules that order jobs by a number."""

from __future__ import annotations

from tests.reference.slots.sharing.rule import Sharing, millionths


class Fifo(Sharing, key="fifo"):
    """The oldest job."""

    def order(self, job):
        return (job.number,)


class Fair(Sharing, key="fair"):
    """The job that holds fewest slots."""

    def limit(self, job):
        return self.cluster.scenario.slots / len(self.cluster.system)

    def order(self, job):
        return job.held, job.number


class Srpt(Sharing, key="srpt"):
    """The job with the fewest remaining tasks, or the least remaining work."""

    def order(self, job):
        return job.remaining * (job.size if self.parameters["work"] else 1), job.number


class MaxSrpt(Sharing, key="maxsrpt"):
    """The job with the fewest open tasks, or transfers out of its running phases if these are more."""

    def order(self, job):
        running = [phase for phase in job.phases if phase.runs]
        tasks = sum(not task.done for phase in running for task in phase.tasks)
        out = [phase for phase in job.phases if phase.released and phase.into >= 0]
        transfers = sum(phase.ratio * (len(phase.tasks) - phase.arrived) for phase in out)
        return max(tasks, millionths(transfers)), job.number


class Levels(Sharing, key="levels"):
    """Jobs that have begun, then the others; the least remaining work."""

    def order(self, job):
        return not job.copies, job.remaining * job.size, job.number
