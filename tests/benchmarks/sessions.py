"""A visitor without a browser: the websocket of a Streamlit page, as the browser speaks it."""

from __future__ import annotations

import asyncio
import http.client
import ssl
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.Slider_pb2 import Slider


@dataclass
class Visitor:
    """One session of one page.

    Parameters
    ----------
    base : str
        ``ws://host:port``, ``wss://host:port/path`` behind a proxy.
    page, query : str
        Path of the page without its slash, and the query string of the address.
    headers : dict of str to str
        What is sent with the handshake, such as cookies.
    trust : ssl.SSLContext, optional
        Whom to believe to be the server of a ``wss`` address.
    """

    base: str
    page: str = ""
    query: str = ""
    sliders: dict[str, Any] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    charts: int = 0
    errors: list[str] = field(default_factory=list)
    page_hash: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    trust: ssl.SSLContext | None = None
    uploader: str = ""
    file: FileUploaderState = field(default_factory=FileUploaderState)
    #: Seconds to wait for an answer.
    patience: float = 120
    #: Messages that have come, and their bytes.
    messages: int = 0
    bytes: int = 0

    async def __aenter__(self) -> Self:
        origin = "/".join(self.base.replace("ws", "http", 1).split("/")[:3])
        # A browser sends no pings, and who closes a tab does not wait for what is still on its way.
        self.socket = await websockets.connect(
            f"{self.base}/_stcore/stream",
            max_size=2**27,
            subprotocols=["streamlit"],
            origin=origin,
            close_timeout=0.2,
            open_timeout=60,
            ping_interval=None,
            additional_headers=self.headers,
            ssl=self.trust,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.socket.close()

    async def visit(self) -> float:
        """Open the page; return seconds until its charts are all drawn once."""
        return await self._run({})

    async def move(self, label: str, value: float) -> float:
        """Move the slider with this label; return seconds until the charts are drawn again."""
        async with asyncio.timeout(self.patience):
            while (slider := self._slider(label)) is None:  # the sidebar may come after the charts
                await self._received()
        return await self._run({slider.id: value})

    async def rest(self) -> None:
        """Wait until the script has ended after its charts."""
        while (await self._received())[0].WhichOneof("type") != "script_finished":
            pass

    async def give(self, name: str, content: bytes) -> float:
        """Put a file into the page's uploader; return seconds until the charts are drawn again."""
        while not self.uploader:
            await self._received()
        message = BackMsg()
        message.file_urls_request.request_id = name
        message.file_urls_request.file_names.append(name)
        await self.socket.send(message.SerializeToString())
        while (answer := (await self._received())[0]).WhichOneof("type") != "file_urls_response":
            pass
        urls = answer.file_urls_response.file_urls[0]
        await asyncio.to_thread(self._put, urls.upload_url, name, content)
        self.file.uploaded_file_info.add(name=name, size=len(content), file_id=urls.file_id, file_urls=urls)
        return await self._run({})

    def _put(self, address: str, name: str, content: bytes) -> None:
        """Send a file as a browser does, with the token that shows that the page is of this server."""
        host = urlsplit(self.base).netloc
        connection = http.client.HTTPConnection(host, timeout=120)
        connection.request("GET", "/_stcore/health")
        answer = connection.getresponse()
        answer.read()
        cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]
        token, mark = cookie.partition("=")[2], "--of-a-visitor"
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = b"".join((head.encode(), content, f"\r\n--{mark}--\r\n".encode()))
        kind = f"multipart/form-data; boundary={mark}"
        headers = {"Content-Type": kind, "Cookie": cookie, "X-Xsrftoken": token, "Origin": f"http://{host}"}
        connection.request("PUT", address, body, headers)
        status = connection.getresponse().status
        connection.close()
        if status != 204:
            raise RuntimeError(f"{name} was refused with status {status}")

    def _slider(self, label: str) -> Slider | None:
        return next((one for name, one in self.sliders.items() if name.startswith(label)), None)

    async def _received(self) -> tuple[ForwardMsg, bool]:
        """Receive and note a message; tell whether it is a chart."""
        message, data = ForwardMsg(), await self.socket.recv()
        message.ParseFromString(data)
        self.messages += 1
        self.bytes += len(data)
        kind = message.WhichOneof("type")
        if kind == "navigation":
            self.page_hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":  # a browser sends the address as the page has written it
            self.query = message.page_info_changed.query_string
        return message, kind == "delta" and self._note(message.delta.new_element)

    async def _run(self, changes: dict[str, float]) -> float:
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = self.page
        message.rerun_script.page_script_hash = self.page_hash
        self.values |= changes
        for name, value in self.values.items():
            state = message.rerun_script.widget_states.widgets.add()
            state.id = name
            state.double_array_value.data[:] = [value]
        if self.file.uploaded_file_info:
            state = message.rerun_script.widget_states.widgets.add()
            state.id = self.uploader
            state.file_uploader_state_value.CopyFrom(self.file)
        begun = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        async with asyncio.timeout(self.patience):  # of all messages: one for each would cost a class 0.1 s
            return await self._drawn(begun)

    async def _drawn(self, begun: float) -> float:
        """Wait until the charts of this run have come."""
        seen = -1  # what is left of an earlier run does not count
        while True:
            message, chart = await self._received()
            kind = message.WhichOneof("type")
            if kind == "new_session":
                seen = 0
            elif kind == "delta":
                seen += chart if seen >= 0 else 0
                if seen == self.charts_wanted:
                    return time.perf_counter() - begun
            elif (
                seen >= 0
                and kind == "script_finished"
                and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
            ):
                raise RuntimeError(f"{self.page}: the page ended with {seen} charts: {self.errors}")

    #: Charts of a page that count as its answer.
    charts_wanted = 4

    def _note(self, element: Any) -> bool:
        """Remember sliders and errors; tell whether the element is a chart."""
        kind = element.WhichOneof("type")
        if kind == "slider" and element.slider.type == Slider.SLIDER:
            slider = element.slider
            self.sliders[slider.label] = slider
            if slider.set_value:  # the page has put it there
                self.values[slider.id] = slider.value[0]
            self.values.setdefault(slider.id, slider.default[0])
        if kind == "file_uploader":
            self.uploader = element.file_uploader.id
        if kind == "exception":
            self.errors.append(f"{element.exception.type}: {element.exception.message}")
        return bool(kind == "plotly_chart")
