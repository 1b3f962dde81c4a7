"""Small logs for tests: events of Spark as plain dictionaries, and files of them."""

import gzip
import io
import json
import zipfile

import pyarrow as pa

from sim.logs.formats import read_history
from sim.logs.source import Upload

HOUR = 1_700_000_000_000


def lines(events):
    return "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events).encode()


def read(data, name="app-1", **options):
    data = data if isinstance(data, bytes) else lines(data)
    return read_history(Upload(name, data), **options)


def start():
    return {"Event": "SparkListenerLogStart", "Spark Version": "4.0.0"}


def job(number, stages, at=0, **properties):
    return {
        "Event": "SparkListenerJobStart",
        "Job ID": number,
        "Submission Time": HOUR + at,
        "Stage IDs": stages,
        "Properties": properties,
    }


def job_end(number, at, result="JobSucceeded"):
    return {
        "Event": "SparkListenerJobEnd",
        "Job ID": number,
        "Completion Time": HOUR + at,
        "Job Result": {"Result": result},
    }


def stage(number, tasks, at, end=None, parents=(), attempt=0):
    info = {
        "Stage ID": number,
        "Stage Attempt ID": attempt,
        "Stage Name": f"stage {number}",
        "Number of Tasks": tasks,
        "Parent IDs": list(parents),
        "Submission Time": HOUR + at,
    }
    if end is None:
        return {"Event": "SparkListenerStageSubmitted", "Stage Info": info}
    return {"Event": "SparkListenerStageCompleted", "Stage Info": info | {"Completion Time": HOUR + end}}


def task_info(
    key, index, launch, end=0, *, speculative=False, executor="1", host="h1", killed=False, failed=False
):
    return {
        "Task ID": key,
        "Index": index,
        "Attempt": int(speculative),
        "Launch Time": HOUR + launch,
        "Executor ID": executor,
        "Host": host,
        "Locality": "ANY",
        "Speculative": speculative,
        "Getting Result Time": 0,
        "Finish Time": HOUR + end if end else 0,
        "Failed": failed,
        "Killed": killed,
        "Accumulables": [{"ID": 1, "Name": "x", "Update": 3, "Value": 3}],
    }


def launched(key, index, at, *, of=0, attempt=0, **place):
    return {
        "Event": "SparkListenerTaskStart",
        "Stage ID": of,
        "Stage Attempt ID": attempt,
        "Task Info": task_info(key, index, at, **place),
    }


def ended(
    key, index, at, end, *, of=0, attempt=0, reason="Success", kill="", read=None, metrics=None, **place
):
    why = {"Reason": reason} | ({"Kill Reason": kill} if kill else {})
    place |= {"killed": reason == "TaskKilled", "failed": reason not in ("Success", "TaskKilled")}
    event = {
        "Event": "SparkListenerTaskEnd",
        "Stage ID": of,
        "Stage Attempt ID": attempt,
        "Task Type": "ResultTask",
        "Task End Reason": why,
        "Task Info": task_info(key, index, at, end, **place),
    }
    if read is not None:
        shuffled, taken = read
        event["Task Metrics"] = {
            "Executor Run Time": 5,
            "Shuffle Read Metrics": {"Remote Bytes Read": shuffled, "Local Bytes Read": 0},
            "Input Metrics": {"Bytes Read": taken, "Records Read": 1},
        }
    if metrics is not None:
        event["Task Metrics"] = metrics
    return event


def executor(name, at, host="h1", cores=2):
    return {
        "Event": "SparkListenerExecutorAdded",
        "Timestamp": HOUR + at,
        "Executor ID": name,
        "Executor Info": {"Host": host, "Total Cores": cores},
    }


def small():
    """One job, two stages, a straggler whose copy wins, a failure that is retried."""
    first = [
        launched(0, 0, 100),
        launched(1, 1, 100),
        ended(0, 0, 100, 1100, read=(0, 50)),
        launched(2, 1, 2000, speculative=True, executor="2", host="h2"),
        ended(2, 1, 2000, 3000, speculative=True, executor="2", host="h2", read=(7, 40)),
        ended(1, 1, 100, 3000, reason="TaskKilled", kill="another attempt succeeded"),
    ]
    second = [
        launched(3, 0, 3100, of=1),
        ended(3, 0, 3100, 3500, of=1, reason="ExceptionFailure"),
        launched(4, 0, 3500, of=1),
        ended(4, 0, 3500, 4500, of=1),
    ]
    return [
        start(),
        executor("1", 0),
        executor("2", 0, host="h2"),
        job(0, [0, 1], 50),
        stage(0, 2, 60),
        *first,
        stage(0, 2, 60, 3000),
        stage(1, 1, 3000, parents=[0]),
        *second,
        stage(1, 1, 3000, 4500, parents=[0]),
        job_end(0, 4600),
        {"Event": "SparkListenerApplicationEnd", "Timestamp": HOUR + 5000},
    ]


def named_by(texts):
    """Return the events of a log whose jobs, groups and hosts have these names."""
    log = []
    for number, text in enumerate(texts):
        named = {"spark.job.description": text, "spark.jobGroup.id": text}
        log += [job(number, [number], **named), stage(number, 12, 0)]
        for task in range(12):
            event = ended(12 * number + task, task, 0, 1000 + 500 * task, of=number)
            event["Task Info"]["Host"] = texts[(number + task) % len(texts)]
            log.append(event)
        log += [stage(number, 12, 0, 7000), job_end(number, 7000)]
    return log


def fates(history):
    return history.frame("copies")["fate"].value_counts().loc[lambda counts: counts > 0].to_dict()


def zipped(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def encrypted(archive):
    """Return an archive of one file that says that it needs a password."""
    marked = bytearray(archive)
    marked[archive.index(b"PK\x03\x04") + 6] |= 1
    marked[archive.index(b"PK\x01\x02") + 8] |= 1
    return bytes(marked)


def zstd(*frames):
    return b"".join(pa.Codec("zstd").compress(frame, asbytes=True) for frame in frames)


def lz4_java(data, size=1000):
    """Return blocks as LZ4BlockOutputStream of lz4-java writes them, every other one stored."""
    blocks = []
    for number, begin in enumerate(range(0, len(data), size)):
        part = data[begin : begin + size]
        stored = number % 2 == 1
        packed = part if stored else pa.Codec("lz4_raw").compress(part, asbytes=True)
        token = (0x10 if stored else 0x20) | 6
        numbers = (len(packed), len(part), 0)
        blocks.append(
            b"LZ4Block" + bytes([token]) + b"".join(one.to_bytes(4, "little") for one in numbers) + packed
        )
    end = b"LZ4Block" + bytes([0x16]) + bytes(12)
    return b"".join(blocks) + end


def snappy_java(data, size=1000):
    """Return blocks as SnappyOutputStream of snappy-java writes them."""
    parts = [data[begin : begin + size] for begin in range(0, len(data), size)]
    packed = [pa.Codec("snappy").compress(part, asbytes=True) for part in parts]
    head = b"\x82SNAPPY\x00" + (1).to_bytes(4, "big") * 2
    return head + b"".join(len(part).to_bytes(4, "big") + part for part in packed)


PACKINGS = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "gzip of two members": lambda data: gzip.compress(data[:500]) + gzip.compress(data[500:]),
    "zstd": zstd,
    "zstd of two frames": lambda data: zstd(data[:500], data[500:]),
    "lz4 of lz4-java": lz4_java,
    "snappy of snappy-java": snappy_java,
    "zip": lambda data: zipped({"logs/app-1": data}),
    "zip of zstd": lambda data: zipped({"logs/app-1.zstd": zstd(data)}),
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
}
