"""Files of visitors: read in another process, kept by name and content, and messages when unreadable."""

from __future__ import annotations

import gzip
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime.uploaded_file_manager import DeletedFile
from streamlit.testing.v1 import AppTest

from pages.shared.app import uploads
from sim.advice.diagnosis import read_and_diagnose
from sim.logs.formats import table
from sim.logs.source import Upload
from sim.logs.unpacking import expected_seconds
from sim.running.processes.jobs import GRACE_S, Job
from tests.depth import some


def page() -> None:
    import streamlit as st

    from pages.shared.app.turns import turns
    from pages.shared.app.uploads import attached, read_files
    from sim.model.fields import BadInput
    from tests.sim.processes import calls

    st.file_uploader("Files", key="page.file", accept_multiple_files=True)
    with turns().taken():
        try:
            files = attached("page.file")
            if files:
                found = read_files(calls.described, files, lambda: st.caption("meanwhile"))
                st.session_state["found"] = found
                st.markdown(" ".join(f"{name}:{size}" for name, size, _ in found))
            else:
                st.markdown("no file")
        except BadInput as error:
            st.error(str(error))


def given(*names: str, content: bytes | None = None) -> AppTest:
    """Return the page of a visitor who has given files of these names, with a content of their own."""
    content = content or uuid.uuid4().bytes
    app = AppTest.from_function(page, default_timeout=60).run()
    assert [one.value for one in app.markdown] == ["no file"]
    app.file_uploader[0].set_value([(name, content, "text/csv") for name in names]).run()
    assert not app.exception
    return app


def said(app: AppTest) -> list[str]:
    return [one.value for one in (*app.markdown, *app.error)]


def test_files_are_read_in_another_process_once_for_each_name_and_content() -> None:
    content = uuid.uuid4().bytes
    one, again = given("a.csv", "b.csv", content=content), given("a.csv", "b.csv", content=content)
    assert said(one) == said(again) == ["a.csv:16 b.csv:16"]
    assert one.session_state["found"] is again.session_state["found"]
    before = one.session_state["found"]
    assert one.run().session_state["found"] is before
    assert not one.caption


def test_the_same_bytes_under_another_name_keep_their_own() -> None:
    content = uuid.uuid4().bytes
    assert said(given("secret.csv", content=content)) == ["secret.csv:16"]
    assert said(given("mine.csv", content=content)) == ["mine.csv:16"]


def test_who_waits_sees_the_rest_of_the_page_and_nothing_is_left_of_the_progress() -> None:
    app = given("slow.csv")
    assert said(app) == ["slow.csv:16"]
    assert [one.value for one in app.caption] == ["meanwhile"]
    assert not app.button
    assert not app.get("progress")


def test_a_file_that_is_wrong_says_so_each_time() -> None:
    app = given("wrong.csv")
    assert said(app) == said(app.run()) == ["wrong.csv, line 1: wrong"]


def test_a_process_that_dies_is_told_of_and_the_next_file_is_read() -> None:
    app = given("dies.csv")
    assert "dies.csv: the process that read it has ended" in said(app)[0]
    assert said(given("next.csv")) == ["next.csv:16"]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")
def test_a_file_that_needs_too_much_memory_is_refused_in_words() -> None:
    assert "needed more memory than this server allows" in said(given("fills.csv"))[0]


@pytest.mark.skipif(sys.platform == "win32", reason="processor time is not bounded there")
def test_a_busy_server_blames_itself_and_only_work_of_its_own_blames_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "LOOK", replace(uploads.LOOK, seconds=1, patience=6))
    monkeypatch.setattr(uploads, "AT_LEAST_S", 2)
    flag = tmp_path / "busy"  # while it is there, the process that reads the file is stopped
    flag.touch()
    stopped = given("stopped.csv", content=str(flag).encode())
    assert said(stopped) == [
        "stopped.csv: this server is too busy to read it now; nothing is lost: press “Try again” in a few "
        "minutes"
    ]
    flag.unlink()
    time.sleep(1.5 * GRACE_S)  # for so long the outcome is that of all who ask
    (again,) = stopped.button
    assert said(again.click().run()) == [f"stopped.csv:{len(str(flag))}"]
    assert said(given("spins.csv")) == [
        "spins.csv: reading it took more processor time than this server allows; give a part of it"
    ]


def test_every_end_of_a_process_has_its_words() -> None:
    from sim.running.processes import worker

    reasons = {part.strip('"') for part in worker.Ended.__doc__.split() if part.startswith('"')}
    assert {reason.rstrip('",') for reason in reasons} == uploads._WHY.keys()


def test_a_file_that_is_not_on_the_server_is_asked_for_again() -> None:
    app = AppTest.from_function(asks_for_a_lost_file)
    app.session_state["page.lost"] = DeletedFile("forged")
    app.run()
    assert not app.exception
    assert [one.value for one in app.error] == [uploads.FILES_GONE]


def asks_for_a_lost_file() -> None:
    import streamlit as st

    from pages.shared.app.uploads import attached
    from sim.model.fields import BadInput

    try:
        attached("page.lost")
    except BadInput as error:
        st.error(str(error))


def test_a_reading_that_is_cancelled_is_begun_again_when_asked_for() -> None:
    app = AppTest.from_function(page, default_timeout=60).run()
    content = uuid.uuid4().bytes
    app.file_uploader[0].set_value([("slow.csv", content, "text/csv")])
    keys = []
    cancel = uploads._shown

    def shown(place: Any, key: Any) -> Any:
        keys.append(key)
        uploads._cancel(key)  # as the button does
        return cancel(place, key)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uploads, "_shown", shown)
        app.run()
    assert said(app) == ["slow.csv:16"]  # here the script runs to its end
    uploads._read()._kept.drop(keys[0])  # as if it had not
    app.run()
    assert said(app) == ["slow.csv: reading was cancelled; press “Read it”, or give another file"]
    app.button[0].click().run()
    assert said(app) == ["slow.csv:16"]


def test_what_is_said_of_the_waiting_is_true() -> None:
    job = Job(len, (), 1000)
    job.asked -= 12.4
    now = time.monotonic()
    assert uploads._said("a.csv", job, 0, now) == "a.csv: waits until another file is read … 12 s"
    assert uploads._said("a.csv", job, 2, now) == "a.csv: waits until 3 others are read … 12 s"
    job.begun = now - 7
    assert uploads._said("a.csv", job, 0, now) == "Reading a.csv … 7 s"
    job.tell(260)
    assert uploads._said("a.csv", job, 0, now) == "Reading a.csv … 26 %, 7 s"
    job.tell(2000)
    assert uploads._said("a.csv", job, 0, now) == "Reading a.csv … 7 s"
    assert job.share == 1


def files_of_a_page() -> None:
    import streamlit as st
    from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx

    from pages.shared.app.uploads import KNOWN, attached, free_left

    here = st.session_state.get("page", "one")
    free_left(here)
    if here == "one":
        st.file_uploader("Files", key="one.file", accept_multiple_files=True)
        attached("one.file")
    context = get_script_run_ctx()
    held = context.uploaded_file_mgr.file_storage.get(context.session_id, {})
    st.session_state["held"] = sorted(file.name for file in held.values())
    st.session_state["known"] = sorted(st.session_state.get(KNOWN, {}))


def test_files_are_freed_when_they_are_replaced_and_when_their_page_is_left() -> None:
    app = AppTest.from_function(files_of_a_page).run()
    app.file_uploader[0].set_value([("a.csv", b"a", ""), ("b.csv", b"b", "")]).run()
    assert app.session_state["held"] == ["a.csv", "b.csv"]
    app.file_uploader[0].set_value([("c.csv", b"c", "")]).run()
    assert app.session_state["held"] == ["c.csv"]
    assert app.session_state["known"] == ["one.file"]
    app.session_state["page"] = "other"
    app.run()
    assert app.session_state["held"] == app.session_state["known"] == []


def diagnosis() -> None:
    import streamlit as st

    from pages.shared.app.uploads import attached, read_files
    from sim.advice.diagnosis import read_and_diagnose

    st.file_uploader("Files", key="page.file", accept_multiple_files=True)
    if files := attached("page.file"):
        st.session_state["found"] = read_files(read_and_diagnose, files)


def hostile(number: int) -> Upload:
    """Return a gzip of less than 100 kB that takes minutes to read, whose rows are those of no other."""
    rows = b"job%d,0,0,1\n" % number * 2_500_000
    return Upload(f"hostile{number}.csv", gzip.compress(b"job_id,task_id,start_s,end_s\n" + rows))


@contextmanager
def given_by_others(files: Mapping[str, Upload]) -> Iterator[list[threading.Thread]]:
    """Let sessions of these names read a file each, as `read_files` does."""
    over = threading.Event()

    def give(owner: str, file: Upload) -> None:
        expected = expected_seconds(file.data)
        with ExitStack() as joined:
            for jobs, limits in uploads._ways(len(file.data), expected):
                one = jobs.joined(
                    owner, read_and_diagnose, file, owner=owner, expected=expected, limits=limits
                )
                job = joined.enter_context(one)
                while not job.wait(0.05):
                    if over.is_set():
                        return
                if job.ended not in uploads.FOLLOWED:
                    return

    threads = [threading.Thread(target=give, args=one, daemon=True) for one in files.items()]
    for thread in threads:
        thread.start()
    try:
        yield threads
    finally:
        over.set()
        for thread in threads:
            thread.join(30)


@pytest.mark.compiled
@pytest.mark.parametrize("look", some([1, uploads.LOOK.seconds], 0))
def test_a_small_file_is_answered_within_seconds_while_hostile_ones_are_read(
    look: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first look takes at most `look` seconds of a processor, and the processes share two."""
    monkeypatch.setattr(uploads, "LOOK", replace(uploads.LOOK, seconds=look))
    files = {f"visitor {number}": hostile(number) for number in range(4)}
    assert all(len(file.data) < 100_000 for file in files.values())
    waited = []
    with given_by_others(files) as others:
        time.sleep(1)
        for _ in range(2):
            app = AppTest.from_function(diagnosis, default_timeout=200).run()
            mine = table.template().replace("nightly", uuid.uuid4().hex).encode()
            begun = time.monotonic()
            app.file_uploader[0].set_value([("mine.csv", mine, "text/csv")]).run()
            waited.append(time.monotonic() - begun)
            assert not app.exception
            assert app.session_state["found"].history.copies.num_rows == 5
        assert all(other.is_alive() for other in others)
    print(f"waited {', '.join(f'{seconds:.1f}' for seconds in waited)} s")
    # two looks go before it, each behind the start of a process
    assert max(waited) < 15 + 4 * look


def test_less_is_allowed_to_a_file_of_which_less_is_expected() -> None:
    (_, look), (_, long) = uploads._ways(1500, expected_seconds(bytes(1500)))
    assert look == uploads.LOOK
    assert uploads.AT_LEAST_S < long.seconds < 1.01 * uploads.AT_LEAST_S
    for much in (1e9, None):
        assert uploads._ways(10**6, much)[1] == (uploads._readers().small, uploads.SMALL)
    ((jobs, large),) = uploads._ways(uploads.LARGE + 1, 1e9)
    assert (jobs, large) == (uploads._readers().large, uploads.LARGE_ONES)
