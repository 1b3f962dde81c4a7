"""A client that speaks the protocol of the page and breaks its rules."""

from __future__ import annotations

import asyncio
import http.client
import random
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import websockets
from google.protobuf.message import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

#: Texts that have broken something somewhere.
TEXTS = (
    "",
    " ",
    "\0",
    "\n",
    "-1",
    "0",
    "1e999",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "1_000",
    "٣",
    "\uff11",
    "\uff1d1",
    "=1+1",
    "{}",
    "[]",
    "null",
    '{"selection":{"rows":[99999999],"columns":[]}}',
    '{"selection":{"points":[{}]}}',
    '{"selection":{"points":[{"x":1e999,"y":"a"}],"point_indices":[-1]}}',
    '{"edited_rows":{"999":{"a":1}}}',
    '{"edited_rows":{"-1":{"size":"x"}},"added_rows":[{"nothing":1}],"deleted_rows":[77]}',
    "<img src=x onerror=alert(1)>",
    "![x](http://away.example/x.png)",
    "[x](javascript:alert(1))",
    "$x^2$",
    "../../../etc/passwd",
    "%00",
    "%2e%2e%2f",
    "\u202e",
    "\ud7ff",
    "\U0001d518" * 50,
    "a" * 5_000,
    "fair+none",
    "fair+none;fair+none",
    "srpt+late:speculative_cap=",
    "x:y=z",
    ":",
    "+",
    ";",
    "9" * 400,
    "1.5",
    "true",
)

#: Seconds after which a script that still sends what it computes is left alone.
LONG_S = 15.0


@dataclass
class Stranger:
    """One socket: what it has been sent is noted as far as an attack needs it."""

    port: int
    page: str = ""
    query: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    widgets: dict[str, str] = field(default_factory=dict)  # id -> kind of element
    fragments: set[str] = field(default_factory=set)
    buttons: dict[str, tuple[str, str]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    exceptions: list[str] = field(default_factory=list)
    session: str = ""
    page_hash: str = ""

    async def __aenter__(self) -> Self:
        self.socket = await websockets.connect(
            f"ws://localhost:{self.port}/_stcore/stream",
            max_size=2**27,
            subprotocols=["streamlit"],
            origin=f"http://localhost:{self.port}",
            close_timeout=0.2,
            open_timeout=60,
            ping_interval=None,
            additional_headers=self.headers,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.socket.close()

    async def run(self, *states: WidgetState, fragment: str = "", patience: float = 60) -> None:
        """Ask for the page, or a part of it, and read until the script has ended, or is known to go on.

        Raises
        ------
        TimeoutError
            If nothing is heard for so many seconds.
        """
        message = BackMsg()
        run = message.rerun_script
        run.query_string, run.page_name, run.page_script_hash = self.query, self.page, self.page_hash
        run.fragment_id = fragment
        run.widget_states.widgets.extend(states)
        await self.socket.send(message.SerializeToString())
        await self._listen(patience)

    async def _listen(self, patience: float) -> None:
        """Read until a script that has begun has ended, or has gone on for `LONG_S`."""
        begun, since = False, time.monotonic()
        while not begun or time.monotonic() - since < LONG_S:
            message = ForwardMsg()
            message.ParseFromString(await asyncio.wait_for(self.socket.recv(), patience))
            kind = message.WhichOneof("type")
            if kind == "new_session":
                begun, self.session = True, message.new_session.initialize.session_id or self.session
            elif kind == "navigation":
                self.page_hash = message.navigation.page_script_hash
            elif kind == "page_info_changed":
                self.query = message.page_info_changed.query_string
            elif kind == "auto_rerun":
                self.fragments.add(message.auto_rerun.fragment_id)
            elif kind == "delta":
                self._note(message)
            elif kind == "script_finished" and begun:
                return

    def _note(self, message: ForwardMsg) -> None:
        delta = message.delta
        for one, name in parts(delta):
            if name == "exception" and hasattr(one, "stack_trace"):
                self.exceptions.append(f"{one.type}: {one.message}")
            if isinstance(getattr(one, "id", None), str) and one.id.startswith("$$"):
                self.widgets[one.id] = name
                if name == "button":
                    self.buttons[one.label] = one.id, delta.fragment_id
            if name in ("markdown", "alert") and getattr(one, "body", ""):
                self.texts.append(one.body)

    async def press(self, label: str) -> None:
        """Press a button."""
        name, fragment = self.buttons[label]
        await self.run(WidgetState(id=name, trigger_value=True), fragment=fragment)


def parts(message: Message, name: str = "") -> Iterator[tuple[Any, str]]:
    """Yield every message inside a message, with the name of its field."""
    yield message, name
    for part, value in message.ListFields():
        if part.message_type is not None and not part.message_type.GetOptions().map_entry:
            for one in value if part.is_repeated else (value,):
                if isinstance(one, Message):
                    yield from parts(one, part.name)


def forged(dice: random.Random, name: str) -> WidgetState:
    """Return a state that a widget of some other kind may have."""
    state = WidgetState(id=name)
    number = dice.choice([0.0, -1.0, 1e308, float("nan"), float("inf"), 2.0**63, dice.uniform(-5, 50)])
    match dice.randrange(7):
        case 0:
            state.trigger_value = True
        case 1:
            state.bool_value = dice.random() < 0.5
        case 2:
            state.double_value = number
        case 3:
            state.string_value = dice.choice(TEXTS)
        case 4:
            state.double_array_value.data[:] = [number] * dice.randrange(4)
        case 5:
            state.string_array_value.data[:] = [dice.choice(TEXTS) for _ in range(dice.randrange(4))]
        case _:
            info = state.file_uploader_state_value.uploaded_file_info.add(name="a.csv", size=9)
            info.file_id = dice.choice(TEXTS)
    return state


def random_frame(dice: random.Random) -> bytes | str:
    """Return a message of any kind of the protocol, damaged now and then, or something else."""
    kind = dice.randrange(10)
    if kind == 0:
        return dice.choice(TEXTS)
    if kind == 1:
        return dice.randbytes(dice.randrange(200))
    message, part = BackMsg(), dice.choice(BackMsg.DESCRIPTOR.fields)
    if part.message_type:
        getattr(message, part.name).SetInParent()
        fill(getattr(message, part.name), dice, 3)
    else:
        setattr(message, part.name, True)
    frame = message.SerializeToString()
    if kind == 2 and frame:
        place = dice.randrange(len(frame))
        frame = frame[:place] + bytes([dice.randrange(256)]) + frame[place + 1 :]
    return frame


def fill(message: Any, dice: random.Random, depth: int) -> None:
    """Fill a message with anything that its fields may have."""
    for part in message.DESCRIPTOR.fields:
        if dice.random() < 0.5 or (depth == 0 and part.message_type):
            continue
        for _ in range(dice.randrange(1, 4) if part.is_repeated else 1):
            if part.message_type:
                held = getattr(message, part.name)
                inner = held.add() if part.is_repeated else held
                inner.SetInParent()
                fill(inner, dice, depth - 1)
                continue
            value = scalar(part, dice)
            if part.is_repeated:
                getattr(message, part.name).append(value)
            else:
                setattr(message, part.name, value)


def scalar(part: Any, dice: random.Random) -> Any:
    """Return a value that a field of the protocol may have."""
    kinds = type(part)
    if part.cpp_type == kinds.CPPTYPE_STRING:
        text = dice.choice(TEXTS)
        return text if part.type == kinds.TYPE_STRING else text.encode(errors="replace")
    if part.cpp_type in (kinds.CPPTYPE_DOUBLE, kinds.CPPTYPE_FLOAT):
        return struct.unpack("<d", dice.randbytes(8))[0]
    return bool(dice.randrange(2)) if part.cpp_type == kinds.CPPTYPE_BOOL else dice.randrange(100)


def asked(
    port: int, method: str, path: str, body: bytes | None = None, patience: float = 30, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of an answer; names of headers have underscores for hyphens."""
    connection = http.client.HTTPConnection("localhost", port, timeout=patience)
    try:
        connection.putrequest(method, path, skip_host="host" in headers, skip_accept_encoding=True)
        for name, text in headers.items():
            connection.putheader(name.replace("_", "-"), text)
        if body is not None and "content_length" not in headers:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, {name.lower(): text for name, text in answer.getheaders()}, answer.read()
    finally:
        connection.close()
