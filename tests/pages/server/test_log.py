"""Requests that are counted and logged, and those that are not."""

from __future__ import annotations

import logging
import re

import pytest
from starlette.types import Receive, Scope, Send

from pages.server.capacity import Measures
from pages.server.log import ALIKE_S, MOST_ALIKE, MOST_TEXT, MOST_TRACE, MOST_TRACES, Calm, RequestLog, calm
from tests.pages.server.asking import ask, page


@pytest.fixture
def measures() -> Measures:
    return Measures(waiting=lambda: 0, ready=lambda: True)


@pytest.fixture
def log(measures: Measures, caplog: pytest.LogCaptureFixture) -> RequestLog:
    caplog.set_level(logging.INFO, "straggler_lab")
    return RequestLog(page, measures=measures, pages=frozenset({"", "compare"}))


def test_a_request_is_logged_with_path_status_and_time(
    log: RequestLog, caplog: pytest.LogCaptureFixture
) -> None:
    ask(log, "/compare", query="name=Ada&load=0.5", user_agent="Ada's browser", cookie="a=b")
    (line,) = caplog.messages
    assert line.startswith("GET /compare 200 ")
    assert line.endswith(" ms")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/_stcore/upload_file/5f0c1d2e-session/9a-file", "/_stcore/upload_file/(file)"),
        ("/media/0f1e2d3c.csv", "/media/(file)"),
        ("/docs/explanation/what-if.html", "/docs/(file)"),
        ("/Ada Lovelace", "(unknown)"),
        ("/compare/../Ada", "(unknown)"),
        ("/a\nGET /compare 200 1 ms", "(unknown)"),
    ],
)
def test_nothing_of_a_person_is_logged(
    log: RequestLog, caplog: pytest.LogCaptureFixture, path: str, kind: str
) -> None:
    ask(log, path, query="name=Ada", user_agent="Ada's browser")
    (line,) = caplog.messages
    assert line.startswith(f"GET {kind} 200 ")
    for secret in ("Ada", "192.0.2.7", "session", "0f1e", "\n"):
        assert secret not in line


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/_stcore/health", "/static/js/index.js"])
def test_what_would_fill_the_log_is_left_out(
    log: RequestLog, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    ask(log, path)
    assert not caplog.messages


def test_answers_are_counted_by_status(log: RequestLog, measures: Measures) -> None:
    for _ in range(3):
        ask(log, "/compare")
    assert measures.registry.get_sample_value("straggler_lab_requests_total", {"status": "200"}) == 3


def test_an_error_counts_as_one(measures: Measures, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "straggler_lab")

    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask(RequestLog(broken, measures=measures, pages=frozenset()), "/x")
    assert caplog.messages[0].startswith("GET (unknown) 500 ")


def test_a_visitor_is_one_while_the_socket_is_open(measures: Measures) -> None:
    seen = []

    async def socket(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})
        seen.append(measures.registry.get_sample_value("straggler_lab_visitors"))

    log = RequestLog(socket, measures=measures, pages=frozenset())
    ask(log, "/_stcore/stream", kind="websocket")
    assert seen == [1]
    assert measures.registry.get_sample_value("straggler_lab_visitors") == 0


def test_a_refused_socket_is_no_visitor(measures: Measures, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "straggler_lab")

    async def refusing(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.close", "code": 1008})

    ask(RequestLog(refusing, measures=measures, pages=frozenset()), "/_stcore/stream", kind="websocket")
    assert measures.registry.get_sample_value("straggler_lab_visitors") == 0
    assert caplog.messages[0].startswith("SOCKET /_stcore/stream 403 ")


# What Streamlit logs ----------------------------------------------------------------------------------------


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def record(text: str = "odd: %s", *arguments: object, line: int = 7) -> logging.LogRecord:
    return logging.LogRecord("streamlit.x", logging.WARNING, "x.py", line, text, arguments, None)


def failed(text: str) -> logging.LogRecord:
    try:
        raise KeyError(text)
    except KeyError as error:
        traced = (type(error), error, error.__traceback__)
    return logging.LogRecord("streamlit.x", logging.ERROR, "x.py", 1, "failed", (), traced)


def test_a_text_of_a_stranger_is_logged_short_and_in_one_line() -> None:
    one = record("odd: %s", "a\nb\x1b[2J\u2028" + "x" * 2**20)
    assert Calm().filter(one)
    assert one.getMessage().startswith("odd: a b [2J x")
    assert len(one.getMessage()) <= MOST_TEXT
    long = failed("x" * 2**20)
    assert Calm().filter(long)
    assert long.exc_text is not None
    assert len(logging.Formatter().format(long)) <= MOST_TRACE + 100


def test_records_that_are_alike_are_left_out_for_some_minutes() -> None:
    clock = Clock()
    guard = Calm(clock)
    assert sum(guard.filter(failed(str(number))) for number in range(1000)) == MOST_ALIKE
    assert guard.filter(record("another place", line=8))
    clock.now = ALIKE_S
    assert guard.filter(failed("again"))


def test_tracebacks_from_many_places_are_bounded_and_their_places_are_told() -> None:
    """Forged values of controls ended in 40 places, with 68 tracebacks, within ten minutes."""
    clock = Clock()
    guard = Calm(clock)

    def failed_at(line: int) -> logging.LogRecord:
        one = failed("x")
        one.lineno = line
        assert guard.filter(one)
        return one

    seen = [failed_at(line) for line in range(MOST_TRACES + 5)]
    formatted = [logging.Formatter().format(one) for one in seen]
    assert sum("Traceback" in text for text in formatted) == MOST_TRACES
    assert re.fullmatch(r"failed \(KeyError at .*test_log\.py:\d+, without its traceback\)", formatted[-1])
    clock.now = ALIKE_S
    assert "Traceback" in logging.Formatter().format(failed_at(1))


def test_the_guard_is_before_the_loggers_of_streamlit(monkeypatch: pytest.MonkeyPatch) -> None:
    logger = logging.getLogger("streamlit.error_util")
    monkeypatch.setattr(logger, "filters", [])
    calm()
    assert [type(one) for one in logger.filters] == [Calm]
