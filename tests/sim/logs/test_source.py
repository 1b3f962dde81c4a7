"""Files and containers: each is read like the plain log, and harmful ones are refused."""

import gzip
import itertools
import pickle
from pathlib import Path

import pytest

from sim.logs import source
from sim.logs.formats import read_history
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.sim.logs.logs import PACKINGS, encrypted, lines, read, small, zipped, zstd

PLAIN = lines(small())


@pytest.mark.parametrize("packing", PACKINGS)
def test_every_container_gives_the_history_of_the_plain_log(packing):
    assert read(PACKINGS[packing](PLAIN)).digest == read(PLAIN).digest


@pytest.mark.parametrize("codec", ["lz4", "snappy"])
def test_what_the_codecs_of_spark_have_written_is_read(codec):
    """The small log with 150 events of queries in it, in three blocks of `CompressionCodec` of Spark 4.0."""
    history = read((Path(__file__).parent / "frames" / f"spark.{codec}").read_bytes())
    assert history.digest == read(PLAIN).digest
    assert history.notes == ()


@pytest.mark.parametrize("packing", [name for name in PACKINGS if "zip" not in name.split()])
def test_a_container_cut_off_gives_what_can_be_read(packing):
    events = small() + [{"Event": "Other", "filler": f"{number * 7919 % 10007}"} for number in range(9000)]
    packed = PACKINGS[packing](lines(events))
    history = read(packed[: int(len(packed) * 0.8)])
    assert history.copies.num_rows == 5
    if packing not in ("plain", "byte order mark"):
        assert any("cut off" in note for note in history.notes)


def test_a_path_a_folder_and_an_upload_are_the_same(tmp_path):
    folder = tmp_path / "eventlog_v2_app-1"
    folder.mkdir()
    half = PLAIN.index(b"\n", len(PLAIN) // 2) + 1
    (folder / "appstatus_app-1.inprogress").write_bytes(b"")
    (folder / "events_1_app-1.zstd").write_bytes(zstd(PLAIN[:half]))
    (folder / "events_2_app-1").write_bytes(PLAIN[half:])
    (folder / ".events_1_app-1.crc").write_bytes(b"crc")
    file = tmp_path / "app-1"
    file.write_bytes(PLAIN)
    assert read_history(folder).digest == read_history(str(file)).digest == read(PLAIN).digest


def test_parts_are_read_in_order_of_their_numbers_however_they_are_given():
    cuts = [0, *(PLAIN.index(b"\n", place) + 1 for place in range(300, len(PLAIN) - 300, 300)), len(PLAIN)]
    parts = {
        f"events_{number}_app-1": PLAIN[begin:end]
        for number, (begin, end) in enumerate(itertools.pairwise(cuts), start=1)
    }
    assert len(parts) > 10  # 10 comes after 9, not after 1
    uploads = [Upload(name, data) for name, data in sorted(parts.items(), reverse=True) if data]
    assert read_history(*uploads).digest == read(PLAIN).digest
    assert (
        read(zipped({f"eventlog_v2_app-1/{name}": data for name, data in parts.items()})).digest
        == read(PLAIN).digest
    )


def dated(data, parts, packed=False):
    """Return a log as Databricks rolls it: parts by date, the newest without one."""
    lines = data.splitlines(keepends=True)
    cuts = [len(lines) * part // parts for part in range(parts + 1)]
    names = [f"eventlog-2024-01-{9 + part // 2:02}--{12 * (part % 2):02}-00" for part in range(parts - 1)]
    found = {}
    for name, (begin, end) in zip([*names, "eventlog"], itertools.pairwise(cuts), strict=True):
        pack = packed and name != "eventlog"
        part = b"".join(lines[begin:end])
        found[name + ".gz" * pack] = gzip.compress(part) if pack else part
    return found


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("parts", [1, 2, 7])
def test_parts_named_by_their_date_come_before_the_one_without(tmp_path, parts, packed):
    files = dated(PLAIN, parts, packed)
    assert len(files) == parts
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    uploads = [Upload(name, data) for name, data in files.items()]
    for history in (
        read_history(tmp_path),
        read_history(*uploads),
        read_history(*reversed(uploads)),
        read(zipped({f"0123-456/{name}": data for name, data in files.items()})),
    ):
        assert history.digest == read(PLAIN).digest
        assert history.notes == ()


def test_files_of_one_name_are_of_two_applications():
    files = dated(PLAIN, 2)
    both = read(zipped({f"{one}/{name}": data for one in "ab" for name, data in files.items()}))
    assert both.jobs["job"].to_pylist() == ["1/0", "2/0"]
    assert both.copies.num_rows == 2 * read(PLAIN).copies.num_rows
    assert both.notes == ()


def test_a_compacted_part_replaces_those_before_it():
    twice = {"events_1_a": PLAIN[:900], "events_2_a": b"", "events_2_a.compact": PLAIN}
    assert read(zipped(twice)).digest == read(PLAIN).digest


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "is not the start of a known log"),
        (pickle.dumps({"a": 1}), "a Python pickle, which is never opened"),
        (b"ZV\x01\x00", "packed with LZF"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"PK\x03\x04nonsense", "the archive cannot be read"),
        (b"hello world\n", "line 1: 'hello world"),
        (b"\xff\xfe\x00\x01" * 20, "is not the start of a known log"),
        (b"PAR1 nonsense PAR1", "the Parquet file cannot be read"),
        (zipped({}), "no file in the archive"),
        (encrypted(zipped({"app": PLAIN})), "'app' is encrypted; give the files without a password"),
    ],
)
def test_what_is_no_log_is_refused_with_file_and_reason(data, reason):
    with pytest.raises(BadInput, match=reason) as error:
        read(data, "dropped.bin")
    assert "dropped.bin" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_refused_with_its_path(tmp_path):
    with pytest.raises(BadInput, match="No such file"):
        read_history(tmp_path / "nowhere")


@pytest.mark.parametrize("pack", [gzip.compress, zstd, lambda data: zipped({"app": data})])
def test_a_bomb_is_refused(pack):
    bomb = pack(PLAIN + b" " * (64 * 2**20))
    assert len(bomb) < 2**18
    with pytest.raises(BadInput, match="decompression bomb"):
        read(bomb)


def test_unpacked_bytes_are_bounded_over_all_files():
    with pytest.raises(BadInput, match="more bytes than are accepted"):
        read_history(Upload("a", PLAIN), Upload("b", PLAIN), most_bytes=len(PLAIN) + 100)


def test_a_line_without_end_is_passed_over(monkeypatch):
    monkeypatch.setattr(source, "LONGEST_LINE", 4096)
    events = PLAIN.splitlines(keepends=True)
    long = b'{"Event":"SparkListenerTaskEnd","x":"' + b"y" * 20_000 + b'"}\n'
    assert read(b"".join([*events[:5], long, *events[5:]])).digest == read(PLAIN).digest


def test_paths_in_an_archive_only_name_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    history = read(zipped({"../../escaped": PLAIN, "/absolute": PLAIN}), "evil.zip")
    assert history.files == ("evil.zip/escaped", "evil.zip/absolute")
    assert list(tmp_path.iterdir()) == []


def test_files_of_two_formats_are_refused_together():
    table = b"job_id,task_id,start_s,end_s\na,0,0,1\n"
    with pytest.raises(BadInput, match=r"b\.csv: a table of copies .* but a is a Spark event log"):
        read_history(Upload("a", PLAIN), Upload("b.csv", table))


def test_progress_counts_the_stored_bytes():
    seen = []
    packed = zstd(PLAIN)
    read_history(Upload("a", packed), progress=seen.append)
    assert sum(seen) == len(packed)
