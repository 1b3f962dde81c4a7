"""Every field of the client's messages is needed or refused; refused messages do not get through."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.server.messages import (
    LARGEST,
    LONGEST,
    MOST_FILES,
    MOST_WIDGETS,
    NEEDED,
    REFUSED,
    Messages,
    judged,
)


def reached() -> dict[str, Descriptor]:
    """Return every message that a browser can send inside the one of the protocol, by its name."""
    found: dict[str, Descriptor] = {}
    waiting: list[Descriptor] = [BackMsg.DESCRIPTOR]
    while waiting:
        one = waiting.pop()
        if one.name not in found:
            found[one.name] = one
            refused = REFUSED.get(one.name, set())
            waiting += [
                field.message_type for field in one.fields if field.message_type and field.name not in refused
            ]
    return found


def test_every_field_that_a_browser_can_send_is_listed_once() -> None:
    """A release that adds a field fails here: decide whether a page needs it, and list it."""
    known = reached()
    assert known.keys() == NEEDED.keys()
    assert REFUSED.keys() <= NEEDED.keys()
    for name, message in known.items():
        refused = REFUSED.get(name, set())
        assert not NEEDED[name] & refused
        assert {field.name for field in message.fields} == NEEDED[name] | refused, name


@pytest.mark.parametrize("field", list(BackMsg.DESCRIPTOR.fields), ids=lambda field: field.name)
def test_each_kind_of_message_passes_or_is_left_out(field: Any) -> None:
    message = BackMsg()
    if field.name == "backend_operation_request":
        message.backend_operation_request.deferred_file.file_id = "f"
    elif field.message_type:
        getattr(message, field.name).SetInParent()
    else:
        setattr(message, field.name, True)
    assert message.WhichOneof("type") == field.name
    expected = "" if field.name in NEEDED["BackMsg"] else f"BackMsg.{field.name}"
    assert judged(message.SerializeToString()) == (0, expected)


@pytest.mark.parametrize("field", sorted(REFUSED["BackendOperationRequest"]))
def test_what_no_page_asks_the_server_to_do_is_refused(field: str) -> None:
    message = BackMsg()
    getattr(message.backend_operation_request, field).SetInParent()
    assert judged(message.SerializeToString()) == (0, f"BackendOperationRequest.{field}")


def widget(**value: Any) -> bytes:
    message = BackMsg()
    message.rerun_script.widget_states.widgets.add(id="a", double_value=1)
    message.rerun_script.widget_states.widgets.add(id="b", **value)
    return message.SerializeToString()


@pytest.mark.parametrize("field", sorted(REFUSED["WidgetState"]))
def test_values_that_no_widget_of_ours_has_are_refused(field: str) -> None:
    values = {
        "int_value": 7,
        "json_value": "{}",
        "bytes_value": b"x",
        "json_trigger_value": "{}",
        "int_array_value": {"data": [1]},
        "arrow_value": {"data": b"x"},
        "string_trigger_value": {"data": "x"},
        "chat_input_value": {"data": "x"},
    }
    assert judged(widget(**{field: values[field]})) == (0, f"WidgetState.{field}")


def test_a_message_of_many_parts_is_refused_before_each_is_looked_at() -> None:
    """300,000 in one frame took half a second of what answers everybody."""
    message = BackMsg()
    widgets = message.rerun_script.widget_states.widgets
    for _ in range(MOST_WIDGETS):
        widgets.add(id="a")
    assert judged(message.SerializeToString()) == (0, "")
    widgets.add(id="a")
    assert judged(message.SerializeToString()) == (0, "WidgetStates")
    message.Clear()
    files = message.rerun_script.widget_states.widgets.add(id="a").file_uploader_state_value
    for _ in range(MOST_WIDGETS + 1):
        files.uploaded_file_info.add()
    assert len(message.SerializeToString()) < LARGEST
    assert judged(message.SerializeToString()) == (0, "WidgetStates")


def test_odd_texts_are_refused() -> None:
    for state in (
        {"fragment_id": "x" * 2**20},
        {"fragment_id": "a\nforged line of the log"},
        {"query_string": "x" * (LONGEST + 1)},
        {"page_name": "x" * (LONGEST + 1)},
        {"context_info": {"locale": "x" * (LONGEST + 1)}},
    ):
        assert judged(BackMsg(rerun_script=state).SerializeToString())[1]  # type: ignore[arg-type]
    many = BackMsg(file_urls_request={"file_names": ["a"] * (MOST_FILES + 1)})  # type: ignore[arg-type]
    assert judged(many.SerializeToString()) == (0, "FileURLsRequest")
    assert judged(b"") == (0, "BackMsg")
    nothing = BackMsg(backend_operation_request={"request_id": "1"})  # type: ignore[arg-type]
    assert judged(nothing.SerializeToString()) == (0, "BackendOperationRequest")


@pytest.mark.parametrize(
    ("frame", "code"),
    [({"text": "hello"}, 1003), ({"bytes": b"\xff" * 40}, 1002), ({"bytes": bytes(LARGEST + 1)}, 1009)],
)
def test_a_frame_that_is_no_message_ends_its_socket_without_an_exception(
    frame: dict[str, Any], code: int
) -> None:
    sent, refused = talk([frame, {"bytes": BackMsg(stop_script=True).SerializeToString()}])
    assert sent == [{"type": "websocket.close", "code": code}]  # and nothing that came after it
    assert len(refused) == 1


def test_what_is_refused_is_counted_and_the_socket_stays_open() -> None:
    stop = BackMsg(stop_script=True).SerializeToString()
    sent, refused = talk([{"bytes": BackMsg(clear_cache=True).SerializeToString()}, {"bytes": stop}])
    assert sent == [{"type": "websocket.send", "bytes": stop}]
    assert refused == ["BackMsg.clear_cache"]


def talk(frames: list[dict[str, Any]]) -> tuple[list[Any], list[str]]:
    """Send frames to an app that sends back what it receives; return what came back, and what was refused."""
    events = [{"type": "websocket.receive", **frame} for frame in frames]
    sent: list[Any] = []
    refused: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (event := await receive())["type"] != "websocket.disconnect":
            await send({"type": "websocket.send", "bytes": event["bytes"]})
        await send({"type": "websocket.send", "bytes": b"late"})

    async def receive() -> Any:
        return events.pop(0) if events else {"type": "websocket.disconnect"}

    async def send(event: Any) -> None:
        sent.append(event)

    asyncio.run(Messages(app, refused=refused.append)({"type": "websocket"}, receive, send))
    return [one for one in sent if one.get("bytes") != b"late"], refused
