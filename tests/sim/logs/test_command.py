"""``python -m sim trace``."""

import json

import pytest

from sim.advice.diagnosis import read_and_diagnose
from sim.logs.samples import spark
from sim.shell.verbs import main
from tests.sim.logs.logs import lines, small


@pytest.fixture
def log(tmp_path):
    file = tmp_path / "app-1"
    file.write_bytes(lines(small()))
    return str(file)


def test_the_table_begins_with_the_sentence(log, capsys):
    assert main(["trace", log]) == 0
    out = capsys.readouterr().out
    assert out.startswith(read_and_diagnose(log).sentence)
    assert "What was read\n  format" in out


def test_json_goes_to_standard_output_alone(log, capsys):
    assert main(["trace", log, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["copies"] == 5


def test_the_compact_file_has_the_same_diagnosis(tmp_path, capsys):
    log, out = tmp_path / "spark.zstd", tmp_path / "history.parquet"
    log.write_bytes(spark(speculation=True).data)
    first, again, page = (str(tmp_path / name) for name in ("1.json", "2.json", "page.html"))
    assert main(["trace", str(log), "--out", str(out), "--json", first, "--html", page]) == 0
    assert main(["trace", str(out), "--json", again]) == 0
    one, other = (json.loads((tmp_path / name).read_text()) for name in ("1.json", "2.json"))
    assert one.pop("files") == ["spark.zstd"]
    assert other.pop("files") == ["history.parquet"]
    assert one == other
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    assert out.stat().st_size < log.stat().st_size * 2
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "1.json",
        "2.json",
        "history.parquet",
        "page.html",
        "spark.zstd",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nowhere"], "No such file"),
        (["LOG", "--out", "no/such/folder/x"], "is not a folder"),
        (["LOG", "--out", "-"], "give the name of a file"),
        (["LOG", "--most-gib", "x"], "most-gib"),
        (["LOG", "--most-gib", "1e-6"], "more bytes than are accepted"),
        ([], "required"),
    ],
)
def test_a_mistake_is_one_line_on_stderr(log, capsys, options, message):
    assert main(["trace", *(log if option == "LOG" else option for option in options)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert message in shown.err
    assert shown.err.count("\n") == 1
