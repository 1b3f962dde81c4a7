"""A small file of each format that has a generator of its own, by key."""

import json

from tests.sim.logs import test_batch_systems as batch_systems
from tests.sim.logs import test_cluster_traces as cluster_traces
from tests.sim.logs import test_workflows as workflows
from tests.sim.logs.batch_runs import runs
from tests.sim.logs.swf_lines import drawn, swf_lines

WRITTEN = {
    "pbs": batch_systems.pbs(runs(jobs=2)),
    "sge": batch_systems.sge(runs(jobs=2)),
    "lsf": batch_systems.lsf(runs(jobs=2)),
    "alibaba2018": cluster_traces.batch_instance(cluster_traces.batch(jobs=1)[1]),
    "google2011": cluster_traces.task_events(cluster_traces.google(jobs=2)[0]),
    "nextflow": workflows.nextflow(workflows.ROWS, workflows.FULL, raw=False),
    "wfformat": json.dumps(workflows.workflow(width=4), indent=1).encode(),
    "swf": swf_lines(drawn(jobs=9)),
}
