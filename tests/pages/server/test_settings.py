"""An operator's settings are read as meant, or refused by name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pages.server.run import Settings, settings
from tests.pages.server.made_site import site


def test_nothing_is_open_unless_it_is_asked_for() -> None:
    assert settings({}) == Settings(
        frame_ancestors=(), metrics=None, log=False, visitors=200, process=1, documents=None
    )


def test_what_is_asked_for_is_read() -> None:
    chosen = settings(
        {
            "STRAGGLER_LAB_FRAME_ANCESTORS": "'self' https://moodle.example.edu https://*.example.org:8443",
            "STRAGGLER_LAB_METRICS": "[::1]:9101",
            "STRAGGLER_LAB_LOG": "1",
            "STRAGGLER_LAB_VISITORS": "60",
            "STRAGGLER_LAB_PROCESS": "12",
        }
    )
    assert chosen.frame_ancestors == ("'self'", "https://moodle.example.edu", "https://*.example.org:8443")
    assert chosen.metrics == ("::1", 9101)
    assert chosen.log
    assert chosen.visitors == 60
    assert chosen.process == 12


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("STRAGGLER_LAB_FRAME_ANCESTORS", "*"),
        ("STRAGGLER_LAB_FRAME_ANCESTORS", "https://a.example; script-src *"),
        ("STRAGGLER_LAB_FRAME_ANCESTORS", "https://a.example\r\nX-Header: 1"),
        ("STRAGGLER_LAB_FRAME_ANCESTORS", "moodle.example.edu"),
        ("STRAGGLER_LAB_METRICS", "9101"),
        ("STRAGGLER_LAB_METRICS", "localhost:0"),
        ("STRAGGLER_LAB_METRICS", "localhost:65536"),
        ("STRAGGLER_LAB_LOG", "yes"),
        ("STRAGGLER_LAB_VISITORS", "0"),
        ("STRAGGLER_LAB_VISITORS", "-1"),
        ("STRAGGLER_LAB_VISITORS", "9999999999"),
        ("STRAGGLER_LAB_VISITORS", "many"),
        ("STRAGGLER_LAB_PROCESS", "0"),
        ("STRAGGLER_LAB_PROCESS", "1000"),
        ("STRAGGLER_LAB_PROCESS", "a"),
        ("STRAGGLER_LAB_DOCS", "no/such/folder"),
        ("STRAGGLER_LAB_DOCS", "."),  # the project: no built site
        ("STRAGGLER_LAB_DOCS", "ftp://lab.example.edu/"),
        ("STRAGGLER_LAB_DOCS", "javascript:alert(1)"),
        ("STRAGGLER_LAB_DOCS", "https://a.example/)[x](https://b.example"),
        ("STRAGGLER_LAB_DOCS", "https://user@a.example/"),
        ("STRAGGLER_LAB_DOCS", "https://a.example/?q#h"),
        ("STRAGGLER_LAB_DOCS", "a\nb"),
    ],
)
def test_what_cannot_be_meant_ends_the_start_in_one_line(name: str, value: str) -> None:
    with pytest.raises(SystemExit) as refusal:
        settings({name: value})
    assert name in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert "give" in str(refusal.value)


def test_documents_are_a_folder_or_an_address(tmp_path: Path) -> None:
    folder = site(tmp_path / "site")
    for named in (str(folder), os.path.relpath(folder)):
        assert settings({"STRAGGLER_LAB_DOCS": named}).documents == folder.resolve()
    for named in ("https://docs.example.edu/lab", "https://docs.example.edu/lab/"):
        assert settings({"STRAGGLER_LAB_DOCS": named}).documents == "https://docs.example.edu/lab/"
    (folder / "searchindex.js").unlink()
    with pytest.raises(SystemExit, match=r"STRAGGLER_LAB_DOCS=.* is not accepted: give a folder"):
        settings({"STRAGGLER_LAB_DOCS": str(folder)})


@pytest.mark.skipif(sys.platform == "win32", reason="it bounds no files of a process")
def test_a_server_asks_for_more_files_than_a_shell_allows() -> None:
    """With 256, as on macOS, the sixty-first page was cut off: whoever opened sixty shut out the others."""
    code = (
        "import resource; from pages.server.run import FILES, allow_files; _, hard = "
        "resource.getrlimit(resource.RLIMIT_NOFILE); resource.setrlimit(resource.RLIMIT_NOFILE, (256, "
        "hard)); allow_files(); soft, same = resource.getrlimit(resource.RLIMIT_NOFILE); assert same == "
        "hard; assert soft == (FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)), soft"
    )
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], check=True)
