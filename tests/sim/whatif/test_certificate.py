"""The certificate is of this model and of these logs, and a record of one's own counts what came."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sim.advice.several.report import promised_change
from sim.advice.whatif import certificate
from sim.advice.whatif.certificate import own_changes, own_told
from sim.logs import samples
from sim.model.fields import BadInput
from sim.shell.verbs import main


def test_the_certificate_is_of_this_model() -> None:
    assert certificate.certificate() is not None, "run python -m tests.real.score --record"


def test_a_model_that_has_changed_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate, "promising", lambda: "another model")
    certificate.certificate.cache_clear()
    try:
        assert certificate.certificate() is None
        assert certificate.told() == "How often promises hold has not been counted for this version."
    finally:
        certificate.certificate.cache_clear()


def test_what_decides_a_promise_is_watched_and_what_tells_of_it_is_not() -> None:
    watched = {path.name for path in certificate._sources()}
    assert {"setting_effect.py", "doubt.py", "model.py", "hosts.py", "spark.py", "history.py"} <= watched
    assert watched.isdisjoint({"report.py", "document.py", "certificate.py", "price.py"})


def test_a_record_of_ones_own_is_kept_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = (tmp_path / name for name in ("before", "after"))
    before.write_bytes(samples.spark(speculation=False).data)
    after.write_bytes(samples.spark(speculation=True).data)
    record = tmp_path / "record"
    words = ["after", str(before), str(after), "--record", str(record)]
    for _ in range(2):  # the same change counts once
        assert main(words) == 0
    found = own_changes(str(record))
    assert len(found) == 1
    shown = capsys.readouterr().out
    held = shown.count(": as promised") // 2
    bands = held + shown.count(": not as promised") // 2
    assert len(found[0]["figures"]) == bands > 1
    told = f"On your clusters {held} of {bands} figures of 1 change came into the promised band"
    assert own_told(found).startswith(told)
    assert main(["whatif", str(before), "--replications", "10", "--record", str(record)]) == 0
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        "mine",
        "1",
        '{"setting": 1}',
        '{"setting": [], "figures": {"mean": [1]}}',
        '{"setting": [], "figures": 3}',
    ],
)
def test_a_file_that_is_no_record_is_refused_by_name(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("thesis").write_text(text)
    with pytest.raises(BadInput, match=r"record: 'thesis' is not accepted; give a record that sim after"):
        own_changes("thesis")


def test_a_change_without_a_promise_is_no_line(tmp_path: Path) -> None:
    from sim.advice.several.report import after_of

    nightly = [samples.nightly(one) for one in (1, 2)]
    found = after_of(nightly[:1], nightly[1:], 0)
    assert promised_change(found) == []
    assert promised_change(replace(found, settings={})) == []
    assert json.dumps(own_changes(None)) == "[]"
