"""No damaged or odd file ends in a traceback: each kind of file that once did, and many that are drawn."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sim.advice.diagnosis import read_and_diagnose
from sim.advice.whatif.library import read_and_fit
from sim.logs import read_upload
from sim.logs.compact import as_parquet
from sim.logs.foreign import refusing
from sim.logs.formats import FORMATS, read_history
from sim.logs.records import LONGEST_TOLD, MOST_TOLD
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.depth import some
from tests.sim.logs.damaged import CONTAINERS, FURTHER, PLAIN, made, tried
from tests.sim.logs.logs import lines, read, small
from tests.sim.logs.test_formats import csv, ray, rumen, sacct

#: How many files the usual run tries, and how many there are.
USUAL, ALL = 200, 20_000
HUGE = int("9" * 400)


@pytest.mark.parametrize("first", range(0, USUAL, 100))
def test_no_damaged_file_ends_in_an_error(first: int) -> None:
    none_wrong(range(first, first + 100))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(USUAL, ALL, 100))
def test_no_damaged_file_of_many_ends_in_an_error(first: int) -> None:
    none_wrong(range(first, first + 100))


def none_wrong(numbers: range) -> None:
    ends = {}
    for number in numbers:
        told, data = made(number)
        how, error = tried(data, further=number % FURTHER == 0)
        assert how != "error", (number, told, error)
        ends[how] = ends.get(how, 0) + 1
    assert ends.keys() >= {"read", "refused"}  # the changes are neither all fatal nor all harmless


@pytest.mark.parametrize("further", some([["spark"], list(PLAIN)], 0), ids=["one", "all"])
def test_the_fuzzer_has_every_format_and_every_file_is_read_as_it_is(further: list[str]) -> None:
    """Those of the kinds `further` are diagnosed and fitted, too."""
    keys = {read(data, "one").format for kind, data in PLAIN.items() if kind != "parquet"}
    assert keys == {one.KEY for one in FORMATS}
    assert all(tried(data, further=kind in further) == ("read", None) for kind, data in PLAIN.items())
    readable = [name for name in CONTAINERS if name not in ("zip of gzip", "bzip2", "xz")]
    packed = {name: CONTAINERS[name](PLAIN["spark"]) for name in readable}
    assert all(tried(data, further=name in further) == ("read", None) for name, data in packed.items())


def test_a_file_of_a_number_is_always_the_same() -> None:
    assert made(17) == made(17)
    assert len({made(number) for number in range(100)}) > 90


# Kinds that once ended in a traceback


def archive(method: int = zipfile.ZIP_DEFLATED, data: bytes = lines(small()) * 3) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as file:
        file.writestr("logs/app-1", data)
    return stream.getvalue()


def said_method(number: int) -> bytes:
    """Return an archive that says that its file is packed by another method."""
    changed = bytearray(archive())
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        begin = changed.index(mark) + place
        changed[begin : begin + 2] = struct.pack("<H", number)
    return bytes(changed)


def overwritten(data: bytes, place: int, by: bytes) -> bytes:
    return data[:place] + by + data[place + len(by) :]


def field_of_directory(data: bytes, offset: int, value: int) -> bytes:
    return overwritten(data, data.index(b"PK\x01\x02") + offset, struct.pack("<I", value))


def parquet(**columns: object) -> bytes:
    stream = io.BytesIO()
    told = {"job_id": ["a"], "task_id": [0], "start_s": [0.0], "end_s": [1.0]} | columns
    pq.write_table(pa.table(told), stream)
    return stream.getvalue()


REFUSED = {
    "zip, damaged deflate": (overwritten(archive(), 90, b"\xff" * 40), "the archive is damaged"),
    "zip, bad CRC": (field_of_directory(archive(), 16, 1), "the archive is damaged .*CRC"),
    "zip, bad CRC of what is stored": (
        overwritten(archive(zipfile.ZIP_STORED), 200, b"#"),
        "the archive is damaged .*CRC",
    ),
    "zip, Deflate64": (said_method(9), "compression.* is not supported|method is not supported"),
    "zip, another method": (said_method(98), "method is not supported"),
    "zip, damaged LZMA": (
        overwritten(archive(zipfile.ZIP_LZMA), 90, b"\xff" * 40),
        "the archive is damaged",
    ),
    "zip, damaged bzip2": (
        overwritten(archive(zipfile.ZIP_BZIP2), 60, b"\xff" * 40),
        "the archive is damaged",
    ),
    "zip, smaller than it is": (
        field_of_directory(archive(), 24, 10),
        "the archive is damaged|not the start",
    ),
    "zip, offset beyond the end": (field_of_directory(archive(), 42, 10**8), "archive"),
    "Ray, nested 2,000 deep": (
        json.dumps([ray(1, 0, 9)]).encode()[:-2] + b',"x":' + b"[" * 2000 + b"]" * 2000 + b"}]",
        "line 1: values are nested too deep",
    ),
    "Rumen, nested 2,000 deep": (
        json.dumps(rumen()).encode()[:-1] + b',"x":' + b'{"a":' * 2000 + b"1" + b"}" * 2001,
        "line 1: values are nested too deep",
    ),
    "Ray, an integer of 5,000 digits": (
        json.dumps([ray(1, 0, 9) | {"end_time_ms": 7}]).encode().replace(b": 7", b": " + b"9" * 5000),
        "line 1: a number of too many digits",
    ),
    "table, CR at the ends of lines": (
        csv("a,m,0,0,1,finished,h1").replace(b"\n", b"\r"),
        "line 1: lines end with CR; save it with LF",
    ),
    "Parquet, a date that overflows": (
        parquet(value=pa.array([2**62], pa.timestamp("ms"))),
        "the Parquet file cannot be read",
    ),
    "Parquet, a duration that overflows": (
        parquet(value=pa.array([2**62], pa.duration("ms"))),
        "the Parquet file cannot be read",
    ),
    "lz4, a block that is no block": (
        b"LZ4Block\x26" + struct.pack("<III", 10, 2**25, 0) + bytes(10),
        "nothing can be unpacked",
    ),
    "snappy, a block of 4 GB": (
        b"\x82SNAPPY\x00" + struct.pack(">III", 1, 1, 5) + b"\xff\xff\xff\xff\x0f",
        "nothing can be unpacked",
    ),
    "zstd, nothing behind its first bytes": (b"\x28\xb5\x2f\xfd" + b"\xff" * 40, "nothing can be unpacked"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_damaged_is_refused_in_one_line_with_file_and_reason(kind: str) -> None:
    data, reason = REFUSED[kind]
    with pytest.raises(BadInput, match=reason) as error:
        read(data, "dropped.bin")
    assert str(error.value).startswith("dropped.bin")
    assert "\n" not in str(error.value)
    assert error.value.__cause__ is None  # a reason of its own, not that of the boundary


LEFT_OUT = {
    "Ray, an integer of 400 digits": (
        json.dumps([ray(1, 0, 9), ray(2, 0, 9) | {"end_time_ms": HUGE}]).encode(),
        "tasks that cannot be read",
    ),
    "Rumen, an integer of 400 digits": (
        json.dumps([rumen(), rumen() | {"jobID": "job_2", "submitTime": HUGE}]).encode(),
        "jobs that cannot be read",
    ),
    "Slurm, an array index of 64 bits": (
        sacct(
            "1_0|COMPLETED|2024-03-04T07:00:00|2024-03-04T08:00:00|2024-03-04T09:00:00|3600|h1",
            f"1_{2**63}|COMPLETED|2024-03-04T07:00:00|2024-03-04T08:00:00|2024-03-04T09:00:00|3600|h1",
        ),
        "rows that cannot be read",
    ),
    "Spark, an index of 64 bits": (
        lines(small()) + lines(small())[-400:].replace(b'"Index":0', b'"Index":%d' % 2**63),
        "",
    ),
    "table, an origin that is no number": (
        csv("copy,a,0,0,1,,", "log,,,,,origin,x", header="record,job_id,task_id,start_s,end_s,name,value"),
        "rows that cannot be read",
    ),
}


@pytest.mark.parametrize("kind", LEFT_OUT)
def test_what_no_column_holds_is_left_out_and_the_rest_is_read(kind: str) -> None:
    data, note = LEFT_OUT[kind]
    found = read_and_diagnose(Upload("log", data)).history
    assert found.copies.num_rows >= 1
    assert any(note in one for one in found.notes)


@pytest.mark.parametrize(
    "field", ["Number of Tasks", "Index", "Stage ID", "Task ID", "Job ID", "Total Cores"]
)
@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, HUGE], ids=["large", "small", "huge"])
def test_counts_and_ids_of_spark_may_be_of_any_size(field: str, value: int) -> None:
    name = b'"%s":' % field.encode()
    last = lines(small()).rindex(name)  # what refers to it elsewhere is as it was
    text = lines(small())[:last] + re.sub(rb"^\d+", b"%d" % value, lines(small())[last + len(name) :])
    text = text.replace(b"%d" % value, name + b"%d" % value, 1)
    assert text != lines(small())
    found = read_and_fit(Upload("log", text)).history
    assert found.copies.num_rows >= 1
    assert np.isfinite(found.frame("stages")["tasks"]).all()


def test_whatever_a_parser_raises_becomes_one_line_and_the_log_says_nothing_of_the_file(
    monkeypatch, caplog
) -> None:
    def wrong(*_: object) -> None:
        raise ZeroDivisionError("secret\nof the file")

    for one in FORMATS:
        monkeypatch.setattr(one, "read", wrong)
    for function in (read_history, read_and_diagnose, read_and_fit):
        caplog.clear()
        with pytest.raises(BadInput, match=r"^a\.csv: the file cannot be read \(secret\); ") as error:
            function(Upload("a.csv", csv("a,m,0,0,1,finished,h1")))
        assert "\n" not in str(error.value)
        assert isinstance(error.value.__cause__, ZeroDivisionError)
        (record,) = caplog.records
        assert "ZeroDivisionError in " in record.getMessage()
        assert "test_damaged.py" in record.getMessage()
        assert "secret" not in caplog.text
        assert "a.csv" not in caplog.text


def test_a_workload_is_behind_the_boundary_too(monkeypatch) -> None:
    monkeypatch.setattr("sim.logs.csv_jobs.read", lambda *_: 1 // 0)
    with pytest.raises(BadInput, match=r"^a\.csv: the file cannot be read"):
        read_upload(Upload("a.csv", PLAIN["jobs"]))


def test_want_of_memory_is_not_blamed_on_the_file() -> None:
    with pytest.raises(MemoryError), refusing(["a.csv"]):
        raise MemoryError


def test_what_is_told_of_a_file_is_bounded() -> None:
    head = "record,job_id,task_id,start_s,end_s,name,value," + ",".join(f"c{one}" for one in range(500))
    rows = [("copy,a,0,0,1,,", 1), ("note,,,,,,{}", 500), ("setting,,,,,n{}," + "x" * 5000, 500)]
    lines = [row.format(n) + "," * 500 for row, count in rows for n in range(count)]
    found = read("\n".join([head, *lines]).encode(), "told.csv")
    assert len(found.notes) == len(found.settings) == MOST_TOLD
    assert found.notes[-1] == "302 more notes"  # the columns, and 500, of which 199 are told
    assert max(map(len, [*found.notes, *found.settings.values()])) <= LONGEST_TOLD
    again = read(as_parquet(found), "again.parquet")
    assert (again.notes, again.digest) == (found.notes, found.digest)


@pytest.mark.parametrize("columns", some([10**5, 10**6], 0))
def test_a_hundred_thousand_columns_are_read_or_refused(columns: int) -> None:
    more = b"".join(b",c%d" % one for one in range(columns))
    data = b"job_id,task_id,start_s,end_s" + more + b"\na,0,0,1" + b"," * columns + b"\n"
    assert read(data).copies.num_rows == 1
    assert tried(b"job_id,submit,tasks" + more + b"\na,0,1" + b"," * columns + b"\n")[0] != "error"


@pytest.mark.parametrize("codec", ["zstd", "lz4"])
def test_a_bomb_of_any_codec_is_bounded(codec: str) -> None:
    bomb = pa.Codec(codec).compress(lines(small()) + bytes(64 * 2**20), asbytes=True)
    how, error = tried(bomb)  # lz4 packs by 255 at most, which is below the ratio that is refused
    assert (how, error) == ("refused" if codec == "zstd" else "read", None)
