"""Damaged and odd files: every format in every container, changed in ways that are drawn from a seed.

``python -m tests.sim.logs.damaged 0 20000`` tries the files of these numbers and prints what is found.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import re
import struct
import sys
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable

import pyarrow as pa

from sim.advice.diagnosis import read_and_diagnose
from sim.advice.diagnosis.report import as_json, as_text
from sim.advice.whatif.library import read_and_fit
from sim.logs import csv_jobs, read_upload
from sim.logs.compact import as_parquet
from sim.logs.formats import read_history, table
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.sim.logs.known import known
from tests.sim.logs.logs import lines, lz4_java, named_by, small, snappy_java, zipped, zstd
from tests.sim.logs.test_batch_systems import RUNS, sacct_json
from tests.sim.logs.test_dask import as_report, as_stream
from tests.sim.logs.test_flink import answers, archive
from tests.sim.logs.test_formats import as_yaml, jhist, mapreduce, ray, rumen, sacct
from tests.sim.logs.test_kubernetes import listed, objects_of
from tests.sim.logs.test_tez import in_a_row
from tests.sim.logs.written import WRITTEN

#: A valid file of each format; Parquet is one of the table.
PLAIN: dict[str, bytes] = {
    "spark": lines(small()),
    "spark of three jobs": lines(named_by(["a", "b", "c"])),
    "jhist": jhist(mapreduce()),
    "rumen": json.dumps([rumen(), rumen() | {"jobID": "job_2"}], indent=1).encode(),
    "ray": json.dumps([ray(1, 0, 900), ray(2, 10, 950, execute=30), ray(3, 10, 990)]).encode(),
    "flink": archive(answers(0, known(jobs=1, stages=2, tasks=3)[0])),
    "tez": json.dumps(in_a_row(known(jobs=1, stages=2, tasks=3))).encode(),
    "kubernetes": listed(objects_of(known(jobs=1, stages=1, tasks=3, grain=1000, copied=False))),
    "dask": as_report(known(jobs=1, stages=2, tasks=3, copied=False)[0]),
    "dask stream": as_stream(known(jobs=1, stages=2, tasks=3, copied=False)[0]),
    "ray as YAML": as_yaml([ray(1, 0, 900), ray(2, 10, 950, execute=30)]),
    "slurm": sacct(
        *(
            f"10_{n}|COMPLETED|2024-03-04T07:00:00|2024-03-04T08:00:0{n}|2024-03-04T09:00:00|3600|h{n}"
            for n in range(4)
        )
    ),
    "slurm as JSON": sacct_json(RUNS[:5], 40),
    **WRITTEN,
    "tr": b"0.5 2 3.0 2 4\n1.5 3 3.0 2 3 4\n",
    "table": table.template().encode(),
    "jobs": csv_jobs.template().encode(),
    "swim": b"a\t0\t0\t5\t0\t0\nb\t9\t9\t600000000\t0\t0\n",
    "parquet": as_parquet(read_history(Upload("template.csv", table.template().encode()))),
}


def _zip(method: int) -> Callable[[bytes], bytes]:
    def packed(data: bytes) -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", method) as archive:
            archive.writestr("logs/one", data)
        return stream.getvalue()

    return packed


CONTAINERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "zstd": zstd,
    "lz4 frame": lambda data: pa.Codec("lz4").compress(data, asbytes=True),
    "lz4 of lz4-java": lz4_java,
    "snappy of snappy-java": snappy_java,
    "zip deflated": _zip(zipfile.ZIP_DEFLATED),
    "zip stored": _zip(zipfile.ZIP_STORED),
    "zip of bzip2": _zip(zipfile.ZIP_BZIP2),
    "zip of lzma": _zip(zipfile.ZIP_LZMA),
    "zip of gzip": lambda data: zipped({"a/one.gz": gzip.compress(data)}),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
#: Of so many files one is diagnosed, reported and fitted, too.
FURTHER = 20
#: What a number or a word is replaced by.
ODD = [
    b"",
    b"0",
    b"-1",
    b"-0",
    b"1e400",
    b"-1e308",
    b"1e16",
    b"9.9e15",
    b"5e-324",
    b"NaN",
    b"nan",
    b"inf",
    b"Infinity",
    b"9" * 400,
    b"9" * 5000,
    str(2**63).encode(),
    str(2**63 - 1).encode(),
    str(-(2**63) - 1).encode(),
    str(2**31).encode(),
    str(2**32).encode(),
    str(2**53 + 1).encode(),
    b"0x10",
    b"1_000",
    b"true",
    b"null",
    b"[]",
    b"{}",
    b'""',
    b'"x"',
    b"[" * 2000,
    b"{" * 2000,
    b'{"a":' * 2000,
    b"[" * 100_000,
    b"\xff\xfe",
    b"\x00",
    b"x",
    b"x" * 5000,
    "\uff11\uff12".encode(),
    b"=1+1",
    b"\xe2\x80\xae",
    b"2024-02-30T00:00:00",
    b"0001-01-01T00:00:00",
    b"9999-12-31T23:59:59",
    b"2024-03-04T08:00:00+99:00",
    b"365000000-00:00:00",
    b"\n",
    b"\r",
    b'"',
    b"\\ud800",
]
_WORD = re.compile(rb'"[^"\n]{0,60}"|-?\d+(?:\.\d+)?|[A-Za-z_]{3,}')


def _bits(dice: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.choice([1, 1, 2, 8, 50])):
        if changed:
            changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _cut(dice: random.Random, data: bytes) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


def _hole(dice: random.Random, data: bytes) -> bytes:
    begin = dice.randrange(len(data) + 1)
    return data[:begin] + data[begin + dice.choice([1, 2, 17, 300]) :]


def _inserted(dice: random.Random, data: bytes) -> bytes:
    begin = dice.randrange(len(data) + 1)
    return data[:begin] + dice.choice([*ODD, dice.randbytes(9)]) + data[begin:]


def _repeated(dice: random.Random, data: bytes) -> bytes:
    begin, end = sorted(dice.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[begin:end] * dice.choice([1, 3]) + data[end:]


def _word(dice: random.Random, data: bytes) -> bytes:
    found = list(_WORD.finditer(data))
    for _ in range(dice.choice([1, 1, 1, 3])):
        if found:
            one = dice.choice(found)
            data = data[: one.start()] + dice.choice(ODD) + data[one.end() :]
            found = list(_WORD.finditer(data))
    return data


def _everywhere(dice: random.Random, data: bytes) -> bytes:
    """Replace a word wherever it stands."""
    found = sorted({one[0] for one in _WORD.finditer(data)})
    return data.replace(dice.choice(found), dice.choice(ODD)) if found else data


def _swapped(dice: random.Random, data: bytes) -> bytes:
    """Put one word of the file in the place of another."""
    found = list(_WORD.finditer(data))
    if not found:
        return data
    one, other = dice.choice(found), dice.choice(found)
    return data[: one.start()] + other[0] + data[one.end() :]


def _line_ends(dice: random.Random, data: bytes) -> bytes:
    return data.replace(b"\n", dice.choice([b"\r", b"\r\n", b"\n\r", b"", b"\x85", b"\n\n"]))


def _encoded(dice: random.Random, data: bytes) -> bytes:
    return data.decode("latin-1").encode(dice.choice(["utf-16", "utf-32", "utf-8-sig", "utf-7"]))


def _header(dice: random.Random, data: bytes) -> bytes:
    """Change a field of a header near the beginning or the end, where containers and Parquet have theirs."""
    changed = bytearray(data)
    place = dice.randrange(min(64, len(changed) + 1))
    if dice.random() < 0.5:
        place = max(0, len(changed) - 1 - dice.randrange(120))
    value = dice.choice([0, 1, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF, len(data), dice.getrandbits(32)])
    changed[place : place + 4] = struct.pack("<I", value)
    return bytes(changed)


def _method(dice: random.Random, data: bytes) -> bytes:
    """Name another method of compression in a zip archive."""
    changed = bytearray(data)
    method = struct.pack("<H", dice.choice([0, 1, 6, 8, 9, 12, 14, 93, 95, 97, 98, 99, 65535]))
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        if (begin := data.find(mark)) >= 0 and dice.random() < 0.8:
            changed[begin + place : begin + place + 2] = method
    return bytes(changed)


CHANGES = (
    _bits,
    _cut,
    _hole,
    _inserted,
    _repeated,
    _word,
    _word,
    _everywhere,
    _swapped,
    _line_ends,
    _encoded,
    _header,
    _method,
)


def made(number: int) -> tuple[str, bytes]:
    """Return a description and the content of the file of this number, always the same."""
    dice = random.Random(f"damaged file {number}")
    kind = dice.choice(list(PLAIN))
    if kind == "spark of three jobs" and dice.random() < 0.8:
        kind = "spark"  # the other takes ten times as long to diagnose
    container = "plain" if dice.random() < 0.5 else dice.choice(list(CONTAINERS))
    before, after = dice.choice(CHANGES), dice.choice(CHANGES)
    data, told = PLAIN[kind], [kind]
    if container == "plain" or dice.random() < 0.4:
        data = before(dice, data)
        told.append(before.__name__)
    data = CONTAINERS[container](data)
    told.append(container)
    if container != "plain" and dice.random() < 0.7:
        data = after(dice, data)
        told.append(after.__name__)
    return " > ".join(told), data


def tried(
    data: bytes, name: str = "dropped.bin", *, further: bool = True
) -> tuple[str, BaseException | None]:
    """Read a file as all pages and the shell do; return how it ended, and an error that is none of ours.

    Parameters
    ----------
    data : bytes
    name : str, optional
    further : bool, optional
        Whether a log that is read is also diagnosed, reported and fitted, which takes ten times as long.

    Returns
    -------
    str
        "read", "refused", "refused by the boundary" or "error".
    exception or None
        What was raised there; a refusal must name the file in one line.
    """
    upload, how = Upload(name, data), "refused"
    cause: BaseException | None = None
    for read in (read_history, _diagnosed, read_and_fit, read_upload):
        if read in (_diagnosed, read_and_fit) and not (further and how == "read"):
            continue  # what is no log is refused there, too
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read(upload)
            how = "read"
        except BadInput as error:
            if "\n" in str(error) or name not in str(error):
                return "error", error
            if error.__cause__ is not None:
                how, cause = "refused by the boundary", error.__cause__
        except Exception as error:
            return "error", error
    return how, cause


def _diagnosed(upload: Upload) -> None:
    """Do as the shell does with a log: text, JSON and the compact file, which must be read again."""
    found = read_and_diagnose(upload)
    as_text(found)
    json.dumps(as_json(found), allow_nan=False)
    read_history(Upload(upload.name, as_parquet(found.history)))


def main() -> int:
    """Try files, print how they ended, and each error with its file's number."""
    first, end = (int(text) for text in sys.argv[1:3])
    ends: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    for number in range(first, end):
        told, data = made(number)
        how, error = tried(data, further=number % FURTHER == 0)
        ends[how] += 1
        if error is not None:
            last = traceback.extract_tb(error.__traceback__)[-1]
            ours = [one for one in traceback.extract_tb(error.__traceback__) if "/sim/" in one.filename]
            where = f"{ours[-1].filename.rpartition('/sim/')[2]}:{ours[-1].lineno}" if ours else last.name
            cause = f"{how}: {type(error).__name__} at {where}: {str(error)[:70]!r}"
            if causes[cause] == 0:
                print(number, told, cause, flush=True)
            causes[cause] += 1
        if (number + 1) % 1000 == 0:
            print(number + 1, dict(ends), flush=True)
    print(dict(ends))
    for cause, count in causes.most_common():
        print(count, cause)
    return int(ends["error"] > 0)


if __name__ == "__main__":
    sys.exit(main())
