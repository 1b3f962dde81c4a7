"""The documents below the app's own address: the files of a built site, and nothing else."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from pathlib import Path

import pytest
from starlette.types import ASGIApp
from streamlit import config

from pages.server import run
from pages.server.headers import SecurityHeaders
from pages.server.log import KINDS, Documents, listed
from pages.server.messages import Gate
from pages.server.run import Settings
from tests.pages.server.asking import ask, page
from tests.pages.server.made_site import FILES, LEFT, SCRIPT, site
from tests.pages.server.test_headers import directives


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return site(tmp_path / "site")


@pytest.fixture
def app(folder: Path) -> ASGIApp:
    """Return what a request passes through, without the parts that have nothing to do with it."""
    return SecurityHeaders(Gate(Documents(page, folder=folder), ready=lambda: True))


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_site_is_served_as_what_it_is(app: ASGIApp, name: str) -> None:
    answer = ask(app, f"/docs/{name}")
    assert (answer.status, answer.body) == (200, FILES[name])
    assert answer.headers["content-type"].partition(";")[0] == KINDS[Path(name).suffix]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_folder_opens_its_first_page(app: ASGIApp) -> None:
    assert ask(app, "/docs/").body == FILES["index.html"]
    answer = ask(app, "/docs")
    assert (answer.status, answer.headers["location"]) == (307, "/docs/")


@pytest.mark.parametrize("name", LEFT)
def test_what_sphinx_leaves_behind_is_not_served(app: ASGIApp, name: str) -> None:
    assert ask(app, f"/docs/{name}").status == 404


@pytest.mark.parametrize(
    "path",
    [
        *("../secret.html", "how-to/../../secret.html", "..%2fsecret.html", "%2e%2e/secret.html"),
        *("..\\secret.html", "/etc/passwd", "//etc/passwd", "how-to", "how-to/", "_static/"),
        *("index.html/", "INDEX.html", "index.html\0.css", "./index.html", "how-to//serve-a-class.html"),
        *("link.html", "elsewhere/secret.html", "new.html", "x" * 5000),
    ],
)
def test_no_path_that_is_sent_is_opened(folder: Path, path: str) -> None:
    (folder.parent / "secret.html").write_text("secret")
    (folder / "link.html").symlink_to(folder.parent / "secret.html")
    (folder / "elsewhere").symlink_to(folder.parent)
    app = Documents(page, folder=folder)
    (folder / "new.html").write_text("not there when the server started")
    answer = ask(app, f"/docs/{path}")
    assert (answer.status, "secret" in answer.body) == (404, False)


def test_a_site_may_be_named_by_a_link_to_it(folder: Path) -> None:
    (folder.parent / "named").symlink_to(folder)
    assert listed(folder.parent / "named").keys() == FILES.keys()


def test_a_file_that_has_gone_is_not_there(folder: Path, app: ASGIApp) -> None:
    (folder / "index.html").unlink()
    assert ask(app, "/docs/index.html").status == 404


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("OPTIONS", 405), ("POST", 405), ("PUT", 405)])
def test_it_can_only_be_read(app: ASGIApp, method: str, status: int) -> None:
    assert ask(app, "/docs/index.html", method).status == status


@pytest.mark.parametrize("path", ["/", "/compare", "/documents", "/static/docs/index.html", "/compare/docs/"])
def test_the_rest_is_left_to_the_app(app: ASGIApp, path: str) -> None:
    assert ask(app, path).body == "a page"


def test_another_name_of_the_server_is_refused(app: ASGIApp) -> None:
    assert ask(app, "/docs/index.html", host="evil.example").status == 421


def test_what_has_not_changed_is_not_sent_again(app: ASGIApp) -> None:
    first = ask(app, "/docs/searchindex.js")
    again = ask(app, "/docs/searchindex.js", if_none_match=first.headers["etag"])
    assert (first.headers["cache-control"], again.status, again.body) == ("no-cache", 304, "")


def test_only_the_scripts_of_the_site_run(app: ASGIApp) -> None:
    answer = ask(app, "/docs/how-to/serve-a-class.html")
    digest = b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = directives(answer.headers["content-security-policy"])
    assert policy["script-src"] == ["'self'", f"'sha256-{digest}'"]
    assert policy["default-src"] == ["'none'"]
    assert policy["frame-ancestors"] == ["'none'"]
    assert policy["form-action"] == ["'self'"]  # the search of the site
    assert directives(ask(app, "/").headers["content-security-policy"])["script-src"] != policy["script-src"]


def test_an_operator_may_let_a_course_page_show_them(folder: Path) -> None:
    app = Documents(page, folder=folder, frame_ancestors=("https://moodle.example.edu",))
    policy = directives(ask(app, "/docs/index.html").headers["content-security-policy"])
    assert policy["frame-ancestors"] == ["https://moodle.example.edu"]


def test_below_a_base_path_they_are_below_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = config.get_option
    monkeypatch.setattr(
        config, "get_option", lambda name: "lab" if name == "server.baseUrlPath" else known(name)
    )
    app = Documents(page, folder=folder)
    assert ask(app, "/lab/docs/index.html").body == FILES["index.html"]
    assert ask(app, "/lab/docs").headers["location"] == "/lab/docs/"
    assert ask(app, "/docs/index.html").body == "a page"
    monkeypatch.setattr(run, "chosen", lambda: Settings(documents=folder))
    assert run.address_of_documents() == "/lab/docs/"


@pytest.mark.parametrize(("named", "root"), [(None, ""), ("https://a.example/", "https://a.example/")])
def test_without_a_folder_nothing_is_served(
    named: str | None, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "chosen", lambda: Settings(documents=named))
    assert run.address_of_documents() == root
    assert Documents not in [one.cls for one in run.middleware(["start"])]


def test_with_a_folder_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "chosen", lambda: Settings(documents=folder))
    kinds = [one.cls for one in run.middleware(["start"])]
    assert kinds.index(Documents) > kinds.index(Gate)  # which looks at the name of the server first
