"""The messages a browser may send over the socket of its page; others are refused before Streamlit.

A socket is open to anybody, and Streamlit obeys each kind of message that it knows: one of them empties the
caches of all visitors. So each field of the protocol is listed here as needed or refused, and a test fails
when a release of Streamlit adds one. A message that is refused is left out; a frame that is no message, or is
too large, ends its socket.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from pages.server.private import BackMsg, base_path, is_allowed_origin, is_host_allowed

#: Bytes of a frame. The largest that a page sends is an edited table, some 10 kB.
LARGEST = 2**20
#: Characters of a text that is no value of a widget, and names of files that a message may ask addresses for.
LONGEST, MOST_FILES = 2**15, 1000
#: Widgets and their files in a message: a page has some ninety, and 300,000 would stop all sessions.
MOST_WIDGETS = 2000
#: The id of a part of a page that is drawn on its own, as Streamlit makes it.
FRAGMENT = re.compile(r"[0-9a-f]{0,128}")

#: Message of the protocol -> the fields that a page needs; what is inside them is looked at, too.
NEEDED = {
    "BackMsg": {"rerun_script", "stop_script", "file_urls_request", "backend_operation_request"},
    "ClientState": {
        *("query_string", "widget_states", "page_script_hash", "page_name", "fragment_id", "is_auto_rerun"),
        *("cached_message_hashes", "context_info", "is_history_navigation"),
    },
    "ContextInfo": {"timezone", "timezone_offset", "locale", "url", "is_embedded", "color_scheme"},
    "WidgetStates": {"widgets"},
    "WidgetState": {
        *("id", "trigger_value", "bool_value", "double_value", "string_value"),  # buttons, fields, menus
        *("double_array_value", "string_array_value"),  # sliders, menus of several
        "file_uploader_state_value",
    },
    "DoubleArray": {"data"},
    "StringArray": {"data"},
    "FileUploaderState": {"uploaded_file_info"},
    "UploadedFileInfo": {"name", "size", "file_id", "file_urls"},
    "FileURLs": {"file_id", "upload_url", "delete_url"},
    "FileURLsRequest": {"request_id", "file_names", "session_id"},
    "BackendOperationRequest": {"request_id", "session_id", "deferred_file"},
    "DeferredFileRequestPayload": {"file_id"},  # a download, which is made when it is asked for
}
#: Message of the protocol -> the fields that no page needs; what is inside them is nobody's business.
REFUSED = {
    "BackMsg": {
        "clear_cache",  # of all visitors
        *("set_run_on_save", "load_git_info"),  # for who writes the app
        "app_heartbeat",  # of a page that shows the app in a frame and talks to it
        *("debug_disconnect_websocket", "debug_shutdown_runtime"),  # for tests of Streamlit
    },
    "WidgetState": {
        *("int_value", "int_array_value", "json_value", "arrow_value", "bytes_value"),
        *("string_trigger_value", "chat_input_value", "json_trigger_value"),
    },
    "BackendOperationRequest": {"dataframe_chunk", "install_skills", "dismiss_skills_nudge"},
}


class Messages:
    """ASGI middleware that hands on what a page needs to say.

    Parameters
    ----------
    app : ASGI application
    refused : callable, optional
        Told the kind of each message that is refused: a field of the protocol, "size", "text" or "damaged".
    """

    def __init__(self, app: ASGIApp, *, refused: Callable[[str], None] = lambda kind: None) -> None:
        self.app = app
        self._refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on; of a socket only what passes."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        closed = False

        async def sent(event: Event) -> None:
            if not closed:  # what was on its way when the socket was ended here
                await send(event)

        async def received() -> Event:
            nonlocal closed
            while True:
                event = await receive()
                if event["type"] != "websocket.receive":
                    return event
                code, kind = judged(event.get("bytes"))
                if code == 0 and not kind:
                    return event
                self._refused(kind)
                if code:
                    closed = True
                    await send({"type": "websocket.close", "code": code})
                    return {"type": "websocket.disconnect", "code": code}

        await self.app(scope, received, sent)


def judged(frame: bytes | None) -> tuple[int, str]:
    """Return the code with which a socket is ended, or 0, and what is refused of a frame, or nothing.

    Examples
    --------
    >>> judged(BackMsg(stop_script=True).SerializeToString())
    (0, '')
    >>> judged(BackMsg(clear_cache=True).SerializeToString())
    (0, 'BackMsg.clear_cache')
    >>> judged(None), judged(b"GET / HTTP/1.1")
    ((1003, 'text'), (1002, 'damaged'))
    """
    if frame is None:
        return 1003, "text"  # unsupported data
    if len(frame) > LARGEST:
        return 1009, "size"
    message = BackMsg()
    try:
        message.ParseFromString(frame)
    except Exception:  # the library of the protocol is not ours to import
        return 1002, "damaged"  # protocol error
    if _is_crowded(message):
        return 0, "WidgetStates"
    return 0, _refusal(message) or _oddity(message)


def _is_crowded(message: Any) -> bool:
    """Whether a message has more widgets, with their files, than any page."""
    widgets = message.rerun_script.widget_states.widgets
    return len(widgets) > MOST_WIDGETS or (
        sum(len(one.file_uploader_state_value.uploaded_file_info) for one in widgets) > MOST_WIDGETS
    )


def _refusal(message: Any) -> str:
    """Return the first field of a message, or of one inside it, that no page needs."""
    name = message.DESCRIPTOR.name
    needed = NEEDED[name]
    for field, value in message.ListFields():
        if field.name not in needed:
            return f"{name}.{field.name}"
        if field.message_type is not None:
            for inner in value if field.is_repeated else (value,):
                if refused := _refusal(inner):
                    return refused
    return ""


def _oddity(message: BackMsg) -> str:
    """Return what of a message no page of ours would send, though its fields are needed."""
    kind = message.WhichOneof("type")
    if kind == "rerun_script":
        state, context = message.rerun_script, message.rerun_script.context_info
        if not FRAGMENT.fullmatch(state.fragment_id):
            return "ClientState.fragment_id"
        texts = (
            *(state.query_string, state.page_name, state.page_script_hash),
            *(context.timezone, context.locale, context.url, context.color_scheme),
        )
        return "ClientState" if max(map(len, texts)) > LONGEST else ""
    if kind == "file_urls_request":
        return "FileURLsRequest" if len(message.file_urls_request.file_names) > MOST_FILES else ""
    if kind == "backend_operation_request":
        return "" if message.backend_operation_request.WhichOneof("payload") else "BackendOperationRequest"
    return "" if kind == "stop_script" else "BackMsg"


# The open paths of the server: pages, their parts, their socket and uploads; and two health checks.
#
# Streamlit serves more than that (its own measures, an interface for programs, components, logins); none of
# it is used here, so none of it is answered. To judge a foreign origin it would ask another machine for
# this one's address; here an origin is the one that was asked for, or one that the operator has listed.

UPLOAD = "_stcore/upload_file/"
#: Of Streamlit's own answers those that its page asks for.
CORE = re.compile(rf"_stcore/(health|host-config|stream)|{UPLOAD}[^/]+/[^/]+")
#: Prefixes of paths that are not pages.
NO_PAGE = re.compile(r"(.*/)?_stcore(/.*)?|(component|auth|app)(/.*)?|oauth2callback", re.DOTALL)
#: Characters of a link after its question mark. No page could refuse a longer one in words: the messages
#: of its socket, which name the whole address, would be dropped (`pages.server.messages`).
LONGEST_LINK = LONGEST - 2**10
#: Health checks of a proxy or of systemd.
HEALTH = {"healthz", "readyz"}
READ, CHANGE = {"GET", "HEAD", "OPTIONS"}, {"PUT", "DELETE"}


def below(path: str, base: str) -> str | None:
    """Return a path below the base path, without a slash at its start; None if it is elsewhere."""
    base = base.strip("/")
    if not base:
        return path.removeprefix("/")
    found = re.fullmatch(rf"/{re.escape(base)}(?:/(.*))?", path, re.DOTALL)
    return None if found is None else found[1] or ""


class Gate:
    """Answers questions about health, and refuses what no page asks for.

    Parameters
    ----------
    app : ASGIApp
    ready : callable
        Returns whether the engines are compiled.
    """

    def __init__(self, app: ASGIApp, *, ready: Callable[[], bool]) -> None:
        self.app = app
        self._ready = ready
        self._base = base_path()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, refuse, or hand on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif answer := self._answer(scope):
            await answer(scope, receive, send)
        elif scope["type"] == "websocket" and not is_own_origin(Headers(scope=scope)):
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self.app(scope, receive, send)

    def _answer(self, scope: Scope) -> PlainTextResponse | None:
        """Return what is answered here, or None if Streamlit is to answer."""
        if scope["type"] != "http":
            return None
        path = below(scope["path"], self._base)
        if path in HEALTH and scope["method"] not in ("GET", "HEAD"):
            return told("method not allowed", 405)
        if path == "healthz":
            return told("alive")
        if path == "readyz":
            return told("ready") if self._ready() else told("the engines are being compiled", 503)
        if not is_host_allowed(Headers(scope=scope).get("host")):
            return told("this name of the server is not among server.allowedHosts", 421)
        if len(scope["query_string"]) > LONGEST_LINK:
            return told(
                f"this link is longer than {LONGEST_LINK:,} characters; open the page without what follows "
                "the question mark, and set its controls there",
                414,
            )
        if path is None or (NO_PAGE.fullmatch(path) and not CORE.fullmatch(path)):
            return told("not found", 404)
        if scope["method"] not in (READ | CHANGE if path.startswith(UPLOAD) else READ):
            return told("method not allowed", 405)
        return None


def told(words: str, status: int = 200) -> PlainTextResponse:
    """Return an answer of one line that nobody keeps."""
    return PlainTextResponse(words + "\n", status, headers={"Cache-Control": "no-store"})


def is_own_origin(headers: Headers) -> bool:
    """Whether a page that opens a socket is of this server, or of an origin that its operator has listed."""
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers.get("host") or is_allowed_origin(origin)
