"""The headers of a page."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from pathlib import Path

from streamlit import file_util

from pages.server.headers import SecurityHeaders, content_policy, security_headers
from tests.pages.server.asking import ask, page


def directives(policy: str) -> dict[str, list[str]]:
    parts = [part.split() for part in policy.split(";")]
    return {name: values for name, *values in parts}


def test_nobody_may_show_the_app_in_a_frame() -> None:
    answer = ask(SecurityHeaders(page), "/")
    assert directives(answer.headers["content-security-policy"])["frame-ancestors"] == ["'none'"]
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["content-type"] == "text/html"


def test_a_course_page_may_if_the_operator_names_it() -> None:
    headers = security_headers(("https://moodle.example.edu",))
    policy = directives(headers["Content-Security-Policy"])
    assert policy["frame-ancestors"] == ["https://moodle.example.edu"]
    assert "X-Frame-Options" not in headers  # it would forbid what the policy allows in an old browser


def test_scripts_come_from_here_and_nothing_is_evaluated() -> None:
    policy = directives(content_policy())
    assert policy["default-src"] == ["'none'"]
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "data:", "https:"} & set(policy["script-src"])
    assert policy["connect-src"] == ["'self'"]
    for values in policy.values():
        assert not any("//" in value or value == "*" for value in values)


def test_the_inline_script_allowed_is_the_one_that_is_installed() -> None:
    page_of_streamlit = (Path(file_util.get_static_dir()) / "index.html").read_text()
    script = page_of_streamlit.split("<script>")[1].split("</script>")[0]
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert directives(content_policy())["script-src"] == [
        "'self'",
        "'wasm-unsafe-eval'",
        f"'sha256-{digest}'",
    ]
