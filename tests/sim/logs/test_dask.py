"""Task streams of Dask: reports and JSON, written here as Dask does and read back exactly."""

from __future__ import annotations

import html
import json
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from sim.logs.formats import read_history
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.sim.logs.known import Job, assert_read_back, known
from tests.sim.logs.logs import fates, read

TOKEN = "5f3759df0badc0de"


def worker(copy):
    return f"tcp://{copy.host}:40123"


def computations(job):
    """Yield name, key and copy of each computation of a job."""
    for stage in job.stages:
        for copy in stage.copies:
            yield stage.name, [f"{stage.name}-{TOKEN}", copy.task], copy


def as_stream(job, **layout):
    """Return what `get_task_stream` returns, as JSON."""
    stream = [
        {
            "key": key,
            "worker": worker(copy),
            "thread": 7,
            "nbytes": 28,
            "type": "b'\\x80\\x05'",
            "status": "OK" if copy.fate == "finished" else "error",
            "startstops": [
                {"action": "transfer", "start": copy.launch / 1000 - 2, "stop": copy.launch / 1000 + 1},
                {"action": "compute", "start": copy.launch / 1000, "stop": copy.end / 1000},
            ],
        }
        for _, key, copy in computations(job)
    ]
    return json.dumps(stream, **layout).encode()


def columns(job, beside=True):
    """Return the columns of the rectangles of a task stream, times in milliseconds."""
    rows = []
    for name, key, copy in computations(job):
        place = (worker(copy), f"{worker(copy)}-7")
        text = f"('{key[0]}', {key[1]})"
        color = "#4e79a7" if copy.fate == "finished" else "black"
        if beside:
            rows.append((copy.launch - 500.0, 3000, "3.00 s", text, f"transfer-{name}", "red", 0.4, *place))
        middle, duration = (copy.launch + copy.end) / 2, copy.end - copy.launch
        rows.append((middle, duration, "", text, name, color, 1, *place))
    names = ("start", "duration", "duration_text", "key", "name", "color", "alpha", "worker", "worker_thread")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def as_report(job, *, bokeh=3, told=None, threads=4):
    """Return a performance report as Bokeh 2 or 3 writes it, whose scripts must not be run."""
    data = columns(job) if told is None else told
    if bokeh == 3:
        data = {"type": "map", "entries": [list(pair) for pair in data.items()]}
    summary = f"<li> Workers: 2 </li>\n <li> Threads: {threads} </li>\n <li> Memory: 8 GiB </li>"
    source = {"type": "object", "name": "ColumnDataSource", "attributes": {"data": data}}
    other = {"name": "ColumnDataSource", "attributes": {"data": {"start": [1], "duration": [2]}}}
    roots = {"roots": [{"text": summary}, {"tabs": [other, source]}]}
    document = html.escape(json.dumps({"0a1b": {"version": "3.9.2", **roots}}), quote=False)
    return (
        "<!DOCTYPE html>\n<html lang='en'>\n<head><title>Dask Performance Report</title>\n"
        "<script src='https://cdn.example/bokeh.js'></script>\n"
        "<script>document.title = 'run'; while (true) {}</script></head>\n<body>\n"
        f'<script type="application/json" id="7">\n{document}\n</script>\n'
        "<script>Bokeh.embed.embed_items('7')</script>\n</body></html>\n"
    ).encode()


@pytest.fixture(scope="module")
def job():
    (found,) = known(jobs=1, stages=3, tasks=40, copied=False)
    for stage in found.stages:
        stage.parents = []  # which a stream does not tell
    first = min(copy.launch for stage in found.stages for copy in stage.copies)
    return Job("stream", first, max(stage.end for stage in found.stages), found.stages)


FORMS = {
    "report of Bokeh 3": as_report,
    "report of Bokeh 2": lambda job: as_report(job, bokeh=2),
    "stream": as_stream,
    "indented stream": lambda job: as_stream(job, indent=1),
    "stream of old": lambda job: json.dumps(
        [
            one | {"startstops": [list(span.values()) for span in one["startstops"]]}
            for one in json.loads(as_stream(job))
        ]
    ).encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_task_streams_are_read_back_exactly(job, form):
    history = read(FORMS[form](job), "stream")
    assert history.format == "dask"
    assert_read_back(history, [job], "bytes")
    assert history.notes[0] == "task streams tell no submit times: a job begins with its first task (1)"
    assert set(history.copies["slot"].to_pylist()) == {f"tcp://h{host}:40123-7" for host in range(4)}
    if "report" in form:
        assert history.slots_from == "log"
        assert history.slots.to_pylist() == [{"time": 0.0, "slots": 4}]


class Blocks(HTMLParser):
    """Keeps the text of blocks of JSON in a page."""

    def __init__(self):
        super().__init__()
        self.inside, self.text = False, ""

    def handle_starttag(self, tag, attributes):
        self.inside = tag == "script" and dict(attributes).get("type") == "application/json"

    def handle_data(self, data):
        self.text += data if self.inside else ""


def counted(page):
    """Count a report with a parser of web pages, with no code of the product."""
    blocks = Blocks()
    blocks.feed(page.decode())
    text = json.dumps(json.loads(html.unescape(blocks.text)))
    entries = json.loads(text[text.index('[["start"') : text.index("]]]") + 3])
    told = dict(entries)
    rows = [at for at, name in enumerate(told["name"]) if not name.startswith("transfer-")]
    return {
        "stages": len({told["name"][at] for at in rows}),
        "tasks": len({told["key"][at] for at in rows}),
        "copies": len(rows),
        "failed": sum(told["color"][at] == "black" for at in rows),
        "hosts": len({told["worker"][at] for at in rows}),
        "held": sum(told["duration"][at] for at in rows) / 1000,
    }


def test_a_reader_written_apart_counts_the_same(job):
    page = as_report(job)
    history = read(page, "report.html")
    copies = history.frame("copies")
    assert counted(page) == {
        "stages": history.stages.num_rows,
        "tasks": len(copies[["stage", "task"]].drop_duplicates()),
        "copies": len(copies),
        "failed": fates(history)["failed"],
        "hosts": history.hosts.num_rows,
        "held": pytest.approx((copies["end"] - copies["launch"]).sum()),
    }


def test_each_stream_is_a_job(job):
    history = read_history(Upload("a.html", as_report(job)), Upload("b.json", as_stream(job)))
    assert history.jobs["name"].to_pylist() == ["a.html", "b.json"]
    first, second = (
        part.drop(columns="stage").reset_index(drop=True)
        for _, part in history.frame("copies").groupby(history.frame("copies")["stage"] < 3, sort=False)
    )
    assert first.drop(columns=["launch", "began", "end"]).equals(
        second.drop(columns=["launch", "began", "end"])
    )


def test_two_reports_of_one_cluster_do_not_double_its_threads(job):
    told = columns(job)
    told["start"] = [time + 1e7 for time in told["start"]]
    history = read_history(Upload("a.html", as_report(job)), Upload("b.html", as_report(job, told=told)))
    assert history.slots.to_pylist() == [{"time": 0.0, "slots": 4}]


def test_coroutines_of_a_thread_overlap(job):
    """Their slots are counted, and no more than some milliseconds are taken off an end."""
    spans = [(0.0, 1.0), (0.5, 1.5), (1.48, 2.0), (2.0, 2.0)]
    stream = [
        {"key": f"nap-{at}", "worker": "tcp://h:1", "thread": 7, "status": "OK"}
        | {"startstops": [{"action": "compute", "start": 1e9 + start, "stop": 1e9 + stop}]}
        for at, (start, stop) in enumerate(spans)
    ]
    history = read(json.dumps(stream).encode(), "stream.json")
    copies = history.frame("copies")
    assert copies["end"].tolist() == pytest.approx([1.0, 1.48, 2.0, 2.0], abs=1e-6)
    assert history.slots["slots"].to_pylist() == [2]
    assert any("up to 50 ms: end when it begins (1)" in note for note in history.notes)


def test_names_are_as_before_they_were_put_into_a_page(job):
    told = columns(job, beside=False)
    told["key"] = [f"('<lambda>&amp-{TOKEN}', {at})" for at in range(len(told["key"]))]
    history = read(as_report(job, told=told), "report.html")
    assert history.stages["name"].to_pylist() == ["lambda>&amp"]


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (lambda job: as_report(job)[:4000], "the report is cut off or damaged"),
        (lambda job: as_report(job, told={"start": [1]}), "has no task stream that can be read"),
        (
            lambda job: as_report(job, told=columns(job) | {"start": {"type": "ndarray", "array": "H4sI"}}),
            "has no task stream that can be read",
        ),
        (lambda job: as_report(job, told=columns(job) | {"key": ["a"]}), "no task stream that can be read"),
        (
            lambda job: as_report(job, told=columns(job) | {"duration": ["x"] * len(columns(job)["key"])}),
            "no job and no task in it: rows of a task stream that cannot be read: left out",
        ),
        (lambda job: b'[{"key": "a", "startstops": []}]', "no job and no task in it"),
    ],
    ids=["cut off", "no columns", "packed", "uneven", "no numbers", "empty"],
)
def test_what_cannot_be_read_is_refused_with_what_to_do(job, page, reason):
    with pytest.raises(BadInput, match=reason) as refused:
        read(page(job), "report.html")
    assert str(refused.value).startswith("report.html: ")
    assert "; give " in str(refused.value) or "or give json.dumps(" in str(refused.value)


def test_a_stream_cut_off_is_read_as_far_as_it_goes(job):
    history = read(as_stream(job)[:5000], "stream.json")
    assert 0 < history.copies.num_rows < 40
    assert any("cut off: read as far as they go (1," in note for note in history.notes)


def test_another_web_page_is_refused():
    with pytest.raises(BadInput, match="this is a web page"):
        read(b"<!DOCTYPE html>\n<html><title>Dask Dashboard</title>", "page.html")


#: Twenty naps and an error on a real cluster of two workers in one process: what Dask makes of them.
PROGRAM = """
import json, sys, time
from importlib.util import find_spec
from contextlib import nullcontext
from distributed import Client, LocalCluster, performance_report

def wrong():
    raise ValueError("wrong")

options = dict(n_workers=2, threads_per_worker=2, processes=False, dashboard_address=None)
report = performance_report("report.html") if find_spec("bokeh") else nullcontext()
with LocalCluster(**options) as cluster, Client(cluster) as client:
    client.get_task_stream()
    with report:
        client.gather([client.submit(time.sleep, 0.02, key=f"nap-{n}") for n in range(20)])
        client.submit(wrong, key="wrong").exception()
    with open("stream.json", "w") as file:
        json.dump(client.get_task_stream(), file, default=repr)
"""


@pytest.mark.slow
def test_what_a_real_cluster_tells_is_read(tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed")
    subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], cwd=tmp_path, check=True, timeout=240)
    files = sorted(tmp_path.iterdir())
    assert {file.name for file in files} >= {"stream.json"}
    for file in files:
        history = read_history(file)
        copies = history.frame("copies")
        assert history.stages["name"].to_pylist() == ["nap", "wrong"]
        assert history.stages["tasks"].to_pylist() == [20, 1]
        assert fates(history) == {"finished": 20, "failed": 1}
        naps = (copies["end"] - copies["launch"])[copies["fate"] == "finished"]
        assert naps.min() > 0.019
        assert max(history.slots["slots"].to_pylist()) <= 4
