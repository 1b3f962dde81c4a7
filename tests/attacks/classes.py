"""The attacks by their class: each runs a number of tries and returns the assertions that failed."""

from __future__ import annotations

import asyncio
import random
import re
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.frame.menu import entries
from pages.server.rooms import MOST_ROOMS, SHARE
from tests.attacks.stranger import TEXTS, Stranger, asked, forged, random_frame

PAGES = [entry.name for entry in entries()]
#: An attack: port, tries and dice -> what did not hold.
Attack = Callable[[int, int, random.Random], Awaitable[list[str]]]
#: Seconds in which any page must be there for a visitor, on a busy machine.
PATIENCE_S = 120.0
#: Strangers at a time, of those who look at pages.
AT_ONCE = 6
#: Pages that compute for long, and what they are asked for.
LONG = [
    ("whatif", "v=1&log=slurm"),
    ("beforeafter", "v=1"),
    ("fleet", "v=1"),
    ("map", "v=1&preset=busy"),
    ("compare", "v=1&preset=hopper-fig5a"),
    ("reproductions", "v=1&claim=xl-fig4-alpha2"),
]
CODE = re.compile(r"Room (\d[A-Z]{5})|room=(\d[A-Z]{5})")
#: A small file as a browser sends it, of more than what may be left by chance.
SMALL = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\na,b' + bytes(2**21)
SMALL += b"\r\n--b--\r\n"
#: Names of controls, of every page, and some that none has.
NAMES = sorted(
    {"v", "preset", "file", "nothing", "", "__proto__", "room", "key", "teach"}
    | {
        name
        for page in PAGES
        for path in Path(__file__).parents[2].joinpath("pages", page).rglob("controls*.py")
        for name in re.findall(r'Control\(\s*"(\w+)"', path.read_text())
    }
)


async def messages(port: int, tries: int, dice: random.Random) -> list[str]:
    """Send messages of every kind, damaged ones, and frames that are none; some sockets send thousands."""
    left = tries
    while left > 0:
        with suppress(websockets.ConnectionClosed):
            async with Stranger(port, dice.choice(PAGES)) as one:
                for _ in range(min(left, dice.choice([1, 10, 100]))):
                    left -= 1
                    await one.socket.send(random_frame(dice))
                await asyncio.sleep(0)
    return []


async def clears(port: int, tries: int, dice: random.Random) -> list[str]:
    """Empty every cache, again and again, while a class is in its room."""
    async with Stranger(port, "room") as teacher:
        await teacher.run()
        await teacher.press("Open a room")
        async with Stranger(port, "threshold") as one:
            await one.run()
            for _ in range(tries):
                await one.socket.send(BackMsg(clear_cache=True).SerializeToString())
            await one.run()
        found = CODE.search(" ".join([teacher.query, *teacher.texts]))
        if not found:
            return [f"no room was opened: {teacher.query!r}"]
        async with Stranger(port, "room", f"room={found[1] or found[2]}") as student:
            await student.run()
            return [] if any("You are in" in text for text in student.texts) else ["the room has ended"]


async def widgets(port: int, tries: int, dice: random.Random) -> list[str]:
    """Give widgets of every page values that they cannot have: an error is on one's own page only."""
    failed: list[str] = []
    left = tries

    async def come(page: str) -> None:
        nonlocal left
        async with Stranger(port, page) as one:
            await one.run(patience=PATIENCE_S)
            for _ in range(10):
                if left <= 0:
                    return
                left -= 1
                names = dice.sample(sorted(one.widgets), min(len(one.widgets), dice.randrange(1, 4)))
                states = [forged(dice, name) for name in names]
                before = len(one.exceptions)
                try:
                    await one.run(*states, patience=PATIENCE_S)
                except TimeoutError:
                    failed.append(f"{page}: no answer to {states}")
                    break
                except websockets.ConnectionClosed:
                    break  # refused: the next one is another visitor
                if len(one.exceptions) > before:
                    break  # on their own page; the next one is another visitor

    async def one_after_the_other() -> None:
        while left > 0:
            page = dice.choice(PAGES)
            try:
                await come(page)
            except TimeoutError:
                failed.append(f"/{page}: silent for {PATIENCE_S:.0f} s")

    await asyncio.gather(*(one_after_the_other() for _ in range(AT_ONCE)))
    return failed


async def links(port: int, tries: int, dice: random.Random) -> list[str]:
    """Open links with values that no control has."""
    failed: list[str] = []
    places = asyncio.Semaphore(AT_ONCE)

    async def open_one(page: str, query: str) -> None:
        async with places:
            try:
                async with Stranger(port, page, query) as one:
                    await one.run(patience=PATIENCE_S)
            except TimeoutError:
                failed.append(f"/{page}?{query}: silent for {PATIENCE_S:.0f} s")
                return
            failed.extend(f"/{page}?{query[:200]}: an error box" for _ in one.exceptions)
            if any(re.search(r"replaced by \W*$", text) for text in one.texts):
                failed.append(f"/{page}?{query}: a sentence without its end")

    def link() -> str:
        pairs = [(dice.choice(NAMES), dice.choice(TEXTS)) for _ in range(dice.randrange(1, 5))]
        return "&".join(f"{quote(name)}={quote(text)}" for name, text in pairs)

    await asyncio.gather(*(open_one(dice.choice(PAGES), link()) for _ in range(tries)))
    return failed


async def vanishing(port: int, tries: int, dice: random.Random) -> list[str]:
    """Ask pages for long work and leave at any time: an ordinary visitor is answered meanwhile and after."""
    failed: list[str] = []
    left = tries

    async def come_and_go() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            page, query = dice.choice(LONG)
            with suppress(TimeoutError, websockets.ConnectionClosed):
                async with Stranger(port, page, query) as one:
                    await one.run(patience=dice.choice([0.05, 0.5, 2.0, 5.0]))

    async def ordinary() -> None:
        while left > 0:
            try:
                async with Stranger(port, "threshold") as one:
                    await one.run(patience=PATIENCE_S)
            except TimeoutError:
                failed.append(f"an ordinary visitor waits {PATIENCE_S:.0f} s")
            await asyncio.sleep(1)

    await asyncio.gather(ordinary(), *(come_and_go() for _ in range(AT_ONCE)))
    return failed


async def requests(port: int, tries: int, dice: random.Random) -> list[str]:
    """Ask for paths by methods and with headers that no browser sends."""
    failed: list[str] = []
    methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "BREW"]
    starts = [
        "/",
        "//",
        "/_stcore/",
        "/_stcore/upload_file/",
        "/healthz",
        "/readyz",
        "/media/",
        "/static/",
        "/frame/",
        "/frame/qr.svg?address=",
        "/component/",
        "/auth/",
        "/oauth2callback",
        "/compare/",
        "/%2e%2e/",
        "/..",
        "/\\",
        "/_stcore/stream",
        "/_stcore/health",
        "/app/",
    ]
    for _ in range(tries):
        method, path = (
            dice.choice(methods),
            dice.choice(starts) + quote(dice.choice(TEXTS), safe="/.%\\")[:3000],
        )
        headers = {}
        if dice.random() < 0.3:
            headers["host"] = dice.choice(
                ["localhost", "away.example", "", "localhost:x", "[::1", "127.0.0.1"]
            )
        if dice.random() < 0.3:
            headers["origin"] = dice.choice(["null", "http://away.example", "http://localhost:1", "\t"])
        if dice.random() < 0.2:
            headers["content_length"] = dice.choice(["-1", "9" * 30, "0", "x"])
        try:
            status, sent, _ = await asyncio.to_thread(asked, port, method, path, None, 30.0, **headers)
        except (OSError, ValueError) as error:
            if isinstance(error, TimeoutError) and headers.get("content_length", "0") == "0":
                failed.append(f"{method} {path} {headers}: no answer")
            continue
        except Exception as error:  # of the library that asks: an answer that it cannot read
            if "RemoteDisconnected" not in type(error).__name__ and "BadStatus" not in type(error).__name__:
                failed.append(f"{method} {path} {headers}: {error!r}")
            continue
        place = f"{method} {path[:100]} {headers}: {status}"
        if status >= 500 and not path.startswith("/readyz"):
            failed.append(place)
        elif "content-security-policy" not in sent and not is_no_request(status, sent):
            failed.append(f"{place} without a policy")
        elif (
            path.startswith("/healthz") and len(path) == 8 and status == 200 and method not in ("GET", "HEAD")
        ):
            failed.append(place)
    return failed


def is_no_request(status: int, sent: dict[str, str]) -> bool:
    """Whether uvicorn refuses what is no HTTP, in a constant text and before any application is asked."""
    return (
        status == 400
        and sent.get("content-type", "").startswith("text/plain; charset=utf-8")
        and (sent.get("connection") == "close" and "cache-control" not in sent)
    )


async def uploads(port: int, tries: int, dice: random.Random) -> list[str]:
    """Announce files that do not come, of sessions that are there or not, and give a small one meanwhile."""
    failed: list[str] = []
    cookie = (await asyncio.to_thread(asked, port, "GET", "/_stcore/health"))[1]["set-cookie"].partition(";")[
        0
    ]
    token = cookie.partition("=")[2]
    opened: list[socket.socket] = []
    strangers = [Stranger(port, "diagnose") for _ in range(4)]
    for one in strangers:
        await one.__aenter__()
        await one.run(patience=PATIENCE_S)
    async with Stranger(port, "diagnose") as visitor:
        await visitor.run(patience=PATIENCE_S)
        for number in range(tries):
            session = dice.choice(
                [*strangers, Stranger(port, session=dice.choice(["x", "", "../y"]))]
            ).session
            size = 2**20 * dice.choice([48, 48, 48, 12, 4, 1, 2**20])
            head = (
                f"PUT /_stcore/upload_file/{session}/{number} HTTP/1.1\r\nHost: localhost\r\n"
                f"Origin: http://localhost:{port}\r\nContent-Length: {size}\r\nCookie: {cookie}\r\n"
                f"X-Xsrftoken: {token}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n"
            )
            stalled = socket.create_connection(("localhost", port), 10)
            begun = SMALL[: dice.choice([0, 9, SMALL.index(b"a,b") + 2])]
            stalled.sendall(head.encode() + begun + dice.randbytes(dice.choice([0, 9_000])))
            opened.append(stalled)
            if number % 10 == 9:
                given = {"cookie": cookie, "x_xsrftoken": token, "origin": f"http://localhost:{port}"}
                given["content_type"] = "multipart/form-data; boundary=b"
                path = f"/_stcore/upload_file/{visitor.session}/small"
                status, *_ = await asyncio.to_thread(asked, port, "PUT", path, SMALL, 30.0, **given)
                await asyncio.to_thread(asked, port, "DELETE", path, None, 30.0, **given)
                if status != 204:
                    failed.append(f"a small file beside {number + 1} that do not come: {status}")
            while len(opened) > 200:
                opened.pop(0).close()
    for one in strangers:
        await one.__aexit__(None, None, None)
    for stalled in opened:
        stalled.close()
    return failed


async def rooms(port: int, tries: int, dice: random.Random) -> list[str]:
    """Open rooms and take seats from one address as fast as it goes; then come from another one."""
    mine, opened, held = {"X-Forwarded-For": f"198.51.100.{dice.randrange(256)}"}, 0, []
    for _ in range(tries):
        one = Stranger(port, "room", headers=mine)
        held.append(one)
        await one.__aenter__()
        await one.run()
        await one.press("Open a room")
        opened += "room=" in one.query
    failed = [f"{opened} rooms of one address"] if opened > min(tries, SHARE.of_left * MOST_ROOMS) else []
    async with Stranger(port, "room", headers={"X-Forwarded-For": "203.0.113.9"}) as other:
        await other.run()
        await other.press("Open a room")
        if "room=" not in other.query:
            failed.append(f"another address has no room beside {opened}")
    for one in held:
        await one.__aexit__(None, None, None)
    return failed


#: Class -> its attack, and how many tries the deep run makes of it.
CLASSES: dict[str, tuple[Attack, int]] = {
    "messages": (messages, 4000),
    "clears": (clears, 500),
    "requests": (requests, 3000),
    "vanishing": (vanishing, 200),
    "links": (links, 1500),
    "widgets": (widgets, 1500),
    "uploads": (uploads, 400),
    "rooms": (rooms, 60),
}
