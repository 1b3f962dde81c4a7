"""Parts of Streamlit that it does not promise to keep: each behaves as this app assumes."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from starlette.datastructures import Headers
from streamlit.runtime.uploaded_file_manager import UploadedFileRec as Given
from streamlit.testing.v1 import AppTest

from pages.server import private
from tests.conftest import main_given_back

ROOT = Path(__file__).resolve().parents[3]
#: What of Streamlit the app may import elsewhere: documented, and types of what documented functions return.
PUBLIC = {"streamlit", "streamlit.column_config", "streamlit.delta_generator"}
#: Parts of the package itself that are not documented.
INSIDE = {"config", "file_util", "runtime", "proto", "web"}


def script() -> None:
    import streamlit as st

    from pages.server import private

    st.session_state["session"] = private.session()
    st.session_state["files"] = type(private.held_files()).__name__
    private.look_up()()


def run_of_a_script() -> AppTest:
    app = AppTest.from_function(script).run()
    assert not app.exception
    return app


def held() -> None:
    files = private.MemoryUploadedFileManager("")
    files.add_file("session", Given("id", "a.csv", "text/csv", b"1,2"))
    assert {name: file.data for name, file in files.file_storage["session"].items()} == {"id": b"1,2"}
    files.remove_file("session", "id")
    assert not files.file_storage.get("session")


def session() -> None:
    assert private.session() == ""
    assert run_of_a_script().session_state["session"]


def look_up() -> None:
    private.look_up()()  # outside of a script
    run_of_a_script()
    assert private.get_run_yield_check() is None


def held_files() -> None:
    assert private.held_files() is None
    assert run_of_a_script().session_state["files"].endswith("UploadedFileManager")


def token() -> None:
    made = private_token("0f" * 16)
    name = private.XSRF_COOKIE_NAME
    assert private.token({name: made}).hex() == "0f" * 16
    assert [private.token(one) for one in ({}, {name: "nonsense"}, {name: None})] == [b"", b"", b""]


def private_token(digits: str) -> str:
    """Return a token as Streamlit gives it to a browser."""
    from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

    return generate_xsrf_token_string(bytes.fromhex(digits))


def static_files() -> None:
    folder = private.static_files()
    assert "</head>" in (folder / "index.html").read_text(encoding="utf-8")
    assert any((folder / "static" / "js").iterdir())


def base_path() -> None:
    assert private.base_path() == st.get_option("server.baseUrlPath")


def uses_pages_folder() -> None:
    before = private.PagesManager.uses_pages_directory
    try:
        private.PagesManager.uses_pages_directory = True
        assert private.uses_pages_folder()
        private.forget_pages_folder()
        assert not private.uses_pages_folder()
    finally:
        private.PagesManager.uses_pages_directory = before


def deleted() -> None:
    assert "file_id" in inspect.signature(private.DeletedFile).parameters


def record() -> None:
    assert [*inspect.signature(private.UploadedFileRec).parameters] == ["file_id", "name", "type", "data"]


def message() -> None:
    sent = private.BackMsg(clear_cache=True).SerializeToString()
    assert private.BackMsg.FromString(sent).WhichOneof("type") == "clear_cache"


def origin() -> None:
    """An address that the operator lists is allowed; a foreign one is not."""
    from streamlit import config

    before = config.get_option("server.corsAllowedOrigins")
    try:
        config.set_option("server.corsAllowedOrigins", ["https://lab.example"])
        assert private.is_allowed_origin("https://lab.example")
        assert not private.is_allowed_origin("https://away.example")
    finally:
        config.set_option("server.corsAllowedOrigins", before)


def host() -> None:
    assert private.is_host_allowed(Headers({"host": "localhost:8501"}).get("host"))


def of_a_server(name: str) -> Callable[[], None]:
    """Return a look at what only a running server has; tests of the server use it."""

    def look() -> None:
        source = inspect.getsource(getattr(private, name))
        assert "runtime.get_instance()" in source
        made = private.runtime.Runtime
        assert callable(made.is_active_session)
        assert isinstance(made.uploaded_file_mgr, property)

    return look


LOOKS: dict[str, Callable[[], None]] = {
    "BackMsg": message,
    "DeletedFile": deleted,
    "MemoryUploadedFileManager": held,
    "UploadedFileRec": record,
    "base_path": base_path,
    "forget_pages_folder": uses_pages_folder,
    "held_files": held_files,
    "is_active": of_a_server("is_active"),
    "is_allowed_origin": origin,
    "is_host_allowed": host,
    "look_up": look_up,
    "session": session,
    "static_files": static_files,
    "token": token,
    "uploaded_files": of_a_server("uploaded_files"),
    "uses_pages_folder": uses_pages_folder,
}


@pytest.mark.parametrize("name", private.__all__)
def test_a_private_part_of_streamlit_is_as_it_is_taken_to_be(name: str) -> None:
    LOOKS[name]()


def imported(source: str) -> set[str]:
    """Return the modules of Streamlit, and the undocumented parts of its package, that a source imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names if alias.name in INSIDE}
    return {name for name in found if name.partition(".")[0] == "streamlit"}


def test_no_other_file_needs_a_private_part() -> None:
    for path in [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]:
        if path != Path(private.__file__):
            assert imported(path.read_text()) <= PUBLIC, path.relative_to(ROOT)


@pytest.mark.parametrize(
    "source", ["from streamlit import runtime", "import streamlit.web.cli", "from streamlit.proto.A import B"]
)
def test_a_private_part_would_be_noticed(source: str) -> None:
    assert not imported(source) <= PUBLIC


def test_a_script_does_not_stay_the_main_module() -> None:
    """A process that a later test begins with `spawn` runs the main module once more."""
    main = sys.modules["__main__"]
    with main_given_back():
        run_of_a_script()
        assert sys.modules["__main__"] is not main
    assert sys.modules["__main__"] is main
