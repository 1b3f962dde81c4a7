"""The command line: the JSON contract, the listings, and one line for each bad input."""

from __future__ import annotations

import json
import math
import re
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import sim
from sim.shell.verbs import main

QUICK = ["run", "--preset", "small", "--jobs", "40", "--replications", "3"]
STATISTIC = {"value", "low", "high"}


def reported(capsys, *arguments):
    assert main([*QUICK, *arguments, "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(f"{word} in the JSON"))


def test_a_verb_imports_no_other() -> None:
    run = "from sim.shell.verbs import main; main(['presets'])"
    code = f"import sys; {run}; print(*sys.modules, file=sys.stderr)"
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stderr
    loaded = {*said.split()}
    assert {one for one in loaded if one.startswith("sim.shell.")} == {
        f"sim.shell.{one}" for one in ("listings", "parsing", "verbs")
    }
    assert loaded.isdisjoint({"pandas", "streamlit", "pyarrow"})


def test_what_too_few_jobs_cannot_tell_has_no_interval_and_is_listed(capsys):
    report = reported(capsys, "--policy=fifo+none", "--policy=fair+late")
    none = report["policies"]["fifo+none"]
    assert {"flowtime.mean", "resource.mean"} <= set(none["unreliable"])
    assert "flowtime.p50" not in none["unreliable"]
    for mean in (none["flowtime"]["mean"], report["differences"]["fair+late"]["flowtime"]["mean"]):
        assert mean["value"] is not None
        assert mean["low"] is mean["high"] is None
    assert none["flowtime"]["p50"]["low"] < none["flowtime"]["p50"]["high"]


def test_the_json_keeps_its_contract(capsys):
    policies = ["fair+late", "hopper:epsilon=0.2"]
    known = ["--set", "straggle=exponential", "--set", "load=0.2"]
    report = reported(capsys, *known, *(f"--policy={policy}" for policy in policies))
    assert {"version", "scenario", "seed", "replications", "time_unit", "command"} <= set(report)
    assert (report["seed"], report["replications"], report["time_unit"]) == (1, 3, "s")
    assert list(report["policies"]) == policies
    for policy in report["policies"].values():
        for measure in ("flowtime", "slowdown"):
            assert list(policy[measure]) == ["mean", "p50", "p80", "p90", "p95", "p99"]
        assert list(policy["resource"]) == ["mean", "p80"]
        for ratio in ("speculative_copies_share", "speculative_time_share", "utilisation"):
            assert set(policy[ratio]) == STATISTIC
            assert 0 <= policy[ratio]["value"] <= 1
        for statistic in policy["flowtime"].values():
            assert set(statistic) == STATISTIC
            assert statistic["low"] < statistic["value"] < statistic["high"]
        assert (policy["jobs"], policy["unfinished"], policy["unstable"]) == (120, 0, False)
        assert policy["unreliable"] == []
        assert 0 < policy["counted"] <= 120
        assert policy["tasks"] > 120
        assert policy["seconds"] > 0
    assert set(report["differences"]) == {"hopper:epsilon=0.2"}
    difference = report["differences"]["hopper:epsilon=0.2"]
    assert set(difference["flowtime"]) == {"mean", "p95"}
    assert set(difference["resource"]) == {"mean"}
    means = [policy["flowtime"]["mean"]["value"] for policy in report["policies"].values()]
    assert math.isclose(difference["flowtime"]["mean"]["value"], means[1] - means[0], rel_tol=1e-9)


def test_bounds_are_null_with_one_replication_and_values_where_they_are_censored(capsys):
    one = reported(capsys, "--replications", "1", "--policy", "fair+none")
    assert one["policies"]["fair+none"]["flowtime"]["mean"]["low"] is None
    cut = reported(capsys, "--policy", "fair+none", "--set", "load=1.5", "--set", "drain=0")["policies"][
        "fair+none"
    ]
    assert cut["unfinished"] > 0
    assert cut["flowtime"]["mean"] == {"value": None, "low": None, "high": None}
    assert cut["flowtime"]["p50"]["value"] > 0


def test_the_command_in_the_report_repeats_it(capsys):
    first = reported(capsys, "--policy", "srpt+mantri", "--set", "load=0.6", "--seed", "9")
    again = shlex.split(first["command"])[3:]
    assert main([*again, "--json", "-"]) == 0
    second = json.loads(capsys.readouterr().out)
    for report in (first, second):
        del report["policies"]["srpt+mantri"]["seconds"]
    assert first == second


def test_the_baseline_is_the_one_asked_for(capsys):
    report = reported(capsys, "--policy", "fair+late", "--policy", "hopper", "--baseline", "hopper")
    assert set(report["differences"]) == {"fair+late"}


def test_a_workload_file_is_used_whole(capsys, tmp_path):
    file = tmp_path / "jobs.csv"
    file.write_text("job_id,submit,tasks\n" + "".join(f"j{i},{i},{1 + i % 60}\n" for i in range(60)))
    report = reported(capsys, "--workload", str(file), "--policy", "fair+late", "--jobs", "60")
    assert report["policies"]["fair+late"]["jobs"] == 180
    assert report["policies"]["fair+late"]["tasks"] == 3 * sum(1 + i % 60 for i in range(60))


def test_json_can_go_to_a_file_and_a_table_to_the_screen(capsys, tmp_path):
    target = tmp_path / "result.json"
    assert main([*QUICK, "--policy", "hopper", "--json", str(target)]) == 0
    assert capsys.readouterr().out == ""
    assert json.loads(target.read_text())["policies"]["hopper"]["jobs"] == 120
    assert main([*QUICK, "--policy", "hopper"]) == 0
    table = capsys.readouterr().out
    assert "hopper" in table
    assert "±" in table
    assert "nan" not in table.lower()


def test_every_number_can_go_to_a_file_for_a_spreadsheet(capsys, tmp_path):
    target = tmp_path / "found.csv"
    assert main([*QUICK, "--policy=fair+none", "--policy=fair+late", f"--csv={target}"]) == 0
    assert "fair+late" in capsys.readouterr().out
    setting = sim.scenario("small", jobs=40)
    found = sim.compare(setting, ["fair+none", "fair+late"], replications=3).to_frame()
    pd.testing.assert_frame_equal(as_read(target), found)
    line = ["--preset=small", "--jobs=40", "--replications=2", "--policy=fair+none"]
    assert main(["sweep", *line, "--vary=load=0.2,0.4", f"--csv={target}", "--json=-"]) == 0
    assert json.loads(capsys.readouterr().out)["vary"] == "load"
    swept = sim.sweep(setting, "load", [0.2, 0.4], ["fair+none"], replications=2).to_frame()
    pd.testing.assert_frame_equal(as_read(target), swept)


def as_read(path):
    """Return the table of a file; a statistic may be an empty text."""
    return pd.read_csv(path).fillna({"statistic": ""})


def test_a_figure_shows_each_policy_and_the_ends_of_its_intervals(tmp_path, capsys):
    """Marks and ends of bars are read back from the SVG: they are where the numbers of the CSV are."""
    paths = [tmp_path / f"{name}.svg" for name in ("run", "again", "sweep")]
    line = ["--jobs=2000", "--policy=fair+none", "--policy=fifo+none"]
    csv = tmp_path / "found.csv"
    assert main([*QUICK, *line, f"--figure={paths[0]}", f"--csv={csv}"]) == 0
    assert main([*QUICK, *line, f"--figure={paths[1]}"]) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    swept = ["sweep", *QUICK[1:], *line, "--vary=load=0.2,0.4", f"--figure={paths[2]}"]
    assert main(swept) == 0
    capsys.readouterr()
    for path, words in ((paths[0], ["quantile of the flowtime (% of jobs)"]), (paths[2], ["load"])):
        drawn = path.read_text()
        for word in ("fair+none", "fifo+none", "flowtime (s)", *words):
            assert word in drawn
    table = as_read(csv)
    table = table[(table["measure"] == "flowtime") & table["statistic"].str.startswith("p")]
    blocks = re.findall(r'<g id="line2d_\d+">(.*?)</g>\n', paths[0].read_text(), re.DOTALL)
    heights = [[float(y) for y in re.findall(r'<use [^>]*y="([\d.]+)"', block)] for block in blocks]
    policies = [table[table["policy"].eq(one)] for one in ("fair+none", "fifo+none")]
    ends = [own[name].fillna(own["value"]) for own in policies for name in ("low", "high")]
    marks = [own["value"] for own in policies]
    told = np.concatenate([*ends, *marks])
    read = np.concatenate([one for one in heights if len(one) == 5])
    assert read.size == told.size == 30
    left = [np.abs(np.polyval(np.polyfit(x, read, 1), x) - read).max() for x in (told, np.log(told))]
    assert min(left) < 0.01  # on a linear or a logarithmic axis, in pixels
    assert np.corrcoef(told, read)[0, 1] < 0


def test_a_figure_without_the_library_says_what_to_install(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main([*QUICK, f"--figure={tmp_path / 'a.svg'}"]) == 2
    assert "install straggler-lab[figure]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "--csv", "-"], ["csv", "'-'", "name of a file"]),
        (["run", "--figure", "a.png"], ["figure", "'a.png'", "ends with .svg"]),
        (["run", "--csv", "a.out", "--json", "a.out"], ["csv", "another option writes the same file"]),
        (["sweep", "--vary=load=1,2", "--vary=jobs=10,20"], ["vary", "'jobs=10,20'", "--x and --y of map"]),
        (["run", "--preset", "lite"], ["preset", "'lite'", "light"]),
        (["run", "--set", "slots=0"], ["slots", "'0'", "whole number from 1"]),
        (["run", "--set", "slot=10"], ["'slot'", "did you mean 'slots'"]),
        (["run", "--set", "slots"], ["set", "field=value"]),
        (["run", "--set", "load=nan"], ["load", "'nan'"]),
        (["run", "--policy", "fair+lat"], ["policy", "'lat'", "late"]),
        (["run", "--policy", "fair+late:cap=1"], ["'cap'", "speculative_cap"]),
        (["run", "--policy", "hopper:epsilon=2"], ["epsilon", "'2'", "from 0 to 1"]),
        (["run", "--policy", "hopper", "--baseline", "fair"], ["baseline", "'fair'"]),
        (["run", "--replications", "0"], ["replications", "'0'"]),
        (["run", "--replications", "many"], ["replications", "'many'"]),
        (["run", "--precision", "-1"], ["precision", "'-1'"]),
        (["run", "--threads", "0"], ["threads"]),
        (["run", "--jobs", "1.5"], ["jobs", "'1.5'"]),
        (["run", "--workload", "/no/such/file.csv"], ["file.csv"]),
        (["run", "--json", "/no/such/folder/x.json"], ["json", "folder"]),
        (["run", "--colour", "red"], ["--colour"]),
        (["fly"], ["fly"]),
        ([], ["required"]),
    ],
)
def test_bad_input_ends_with_2_and_one_line_that_says_what_and_what_is_accepted(capsys, arguments, words):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    for word in words:
        assert word in captured.err


def test_a_broken_workload_names_file_line_and_reason(capsys, tmp_path):
    file = tmp_path / "jobs.csv"
    file.write_text("job_id,submit,tasks\na,0,3\nb,1,x\n")
    assert main(["run", "--workload", str(file)]) == 2
    line = capsys.readouterr().err
    assert "jobs.csv" in line
    assert "line 3" in line
    assert "'x'" in line
    assert line.count("\n") == 1


@pytest.mark.parametrize("listing", ["presets", "policies", "fields"])
def test_listings_are_text_or_json(capsys, listing):
    assert main([listing]) == 0
    text = capsys.readouterr().out
    assert main([listing, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    names = [*listed["sharing"], *listed["speculation"]] if listing == "policies" else listed
    assert all(name in text for name in names)


def test_presets_of_the_shell_are_those_that_scripts_know(capsys):
    main(["presets", "--json"])
    assert {"light", "busy", "overloaded", "small", "mm100"} <= set(json.loads(capsys.readouterr().out))


def test_the_module_runs_as_a_program():
    line = [sys.executable, "-m", "sim", *QUICK, "--policy", "hopper", "--json", "-"]
    ended = subprocess.run(line, capture_output=True, text=True, check=True, timeout=300)
    assert json.loads(ended.stdout)["policies"]["hopper"]["jobs"] == 120
    assert ended.stderr == ""
