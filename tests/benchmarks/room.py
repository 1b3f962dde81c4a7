"""How fast a class room is: ``python -m tests.benchmarks.room [--students 100]``.

A teacher and students, a websocket each, speak as browsers do: each asks for its part of the page again and
again at the pace that the page has told it. Measured are the seconds from a press on *Send* until the page of
the teacher counts the answer, with all students pressing in the same instant and with each at a time of his
own, and from a press on *Show the answer* until a student's page shows it. Answers have no names: the k-th to
be pressed is taken for the k-th to be counted. Then what it costs the server when nobody does anything, and
what visitors who move a slider on another page wait with and without the room. All is on one machine.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self

from google.protobuf.message import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.benchmarks.class_of_200 import seconds_of
from tests.benchmarks.latencies import conclude, told, with_allowance
from tests.benchmarks.page import LOAD
from tests.benchmarks.sessions import Visitor
from tests.browser.server import serve

CODE = re.compile(r"Room (\d[A-Z]{5})")
COUNT = re.compile(r"\*\*(\d+)\*\* of \*\*\d+\*\* ha(?:s|ve) answered")
#: What a page says once the answer is shown, and seconds in which that must have happened.
SHOWN, PATIENCE_S = re.compile(r"\d+ answers?\b"), 60.0


class Guest(Visitor):
    """A visitor whose page asks for its parts by itself, and who presses buttons."""

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self.buttons: dict[str, tuple[str, str]] = {}
        self.radios: dict[str, list[str]] = {}
        self.states: dict[str, WidgetState] = {}
        self.said: dict[str, float] = {}
        self.polls = 0
        self._every: dict[str, asyncio.Task[None]] = {}
        self._heard = asyncio.Condition()
        self._ear = asyncio.create_task(self._listen())
        await self._send()
        return self

    async def __aexit__(self, *error: Any) -> None:
        for task in (self._ear, *self._every.values()):
            task.cancel()
        await super().__aexit__(*error)

    async def press(self, label: str) -> float:
        """Press a button; return when."""
        await self.until(lambda: label in self.buttons)
        button, fragment = self.buttons[label]
        now = time.perf_counter()
        await self._send(WidgetState(id=button, trigger_value=True), fragment)
        return now

    def forget(self) -> None:
        """Forget what was heard of the question before."""
        for noted in (self.said, self.sliders, self.radios, self.states):
            noted.clear()
        self.buttons.pop("Send", None)

    async def choose(self, dice: random.Random) -> None:
        """Move the slider, or choose one of the options, of the question."""
        await self.until(lambda: "Send" in self.buttons and (self.sliders or self.radios))
        for slider in self.sliders.values():
            state = WidgetState(id=slider.id)
            state.string_array_value.data.append(dice.choice(slider.options[1:]))  # the first is no answer
            self.states[slider.id] = state
        for name, options in self.radios.items():
            self.states[name] = WidgetState(id=name, string_value=dice.choice(options))
        await self._send(fragment=self.buttons["Send"][1])

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until something holds of what has been heard."""
        async with asyncio.timeout(PATIENCE_S), self._heard:
            await self._heard.wait_for(lambda: condition() or self._ear.done())
        if not condition():
            raise ConnectionError(f"{self.page}?{self.query} was cut off") from self._ear.exception()

    async def _listen(self) -> None:
        try:
            while True:
                await self._hear()
        finally:
            async with self._heard:
                self._heard.notify_all()

    async def _hear(self) -> None:
        message, _ = await self._received()
        now = time.perf_counter()
        kind = message.WhichOneof("type")
        if kind == "delta":
            self._look(message.delta.new_element, message.delta.fragment_id, now)
        elif kind == "auto_rerun":
            self._repeat(message.auto_rerun.fragment_id, message.auto_rerun.interval)
        elif kind == "new_session" and not message.metadata.run.fragment_ids:
            for task in self._every.values():
                task.cancel()
            self._every.clear()
        async with self._heard:
            self._heard.notify_all()

    def _look(self, element: Any, fragment: str, now: float) -> None:
        """Note buttons, options, the slider of a question, and texts of an element."""
        if element.WhichOneof("type") == "radio":
            self.radios[element.radio.id] = list(element.radio.options)
        if element.WhichOneof("type") == "slider" and element.slider.options:
            self.sliders[element.slider.label] = element.slider
        if element.WhichOneof("type") == "button":
            self.buttons[element.button.label] = element.button.id, fragment
        for text in texts(element):
            self.said.setdefault(text, now)

    def _repeat(self, fragment: str, seconds: float) -> None:
        async def ask_again() -> None:
            while True:
                await asyncio.sleep(seconds)
                self.polls += 1
                await self._send(fragment=fragment)

        if fragment not in self._every:
            self._every[fragment] = asyncio.create_task(ask_again())

    async def _send(self, pressed: WidgetState | None = None, fragment: str = "") -> None:
        message = BackMsg()
        run = message.rerun_script
        run.query_string, run.page_name, run.page_script_hash = self.query, self.page, self.page_hash
        run.fragment_id = fragment
        run.widget_states.widgets.extend([*self.states.values(), *([pressed] if pressed else [])])
        await self.socket.send(message.SerializeToString())


def texts(message: Message) -> Iterator[str]:
    """Yield every text in a message."""
    for part, value in message.ListFields():
        for one in [value] if isinstance(value, (str, Message)) or not part.is_repeated else value:
            if isinstance(one, str):
                yield one
            elif isinstance(one, Message):
                yield from texts(one)


def found(guest: Guest, form: re.Pattern[str]) -> list[tuple[re.Match[str], float]]:
    """Return what a page has said that has a form, and when."""
    return [(match, at) for text, at in list(guest.said.items()) if (match := form.search(text))]


def counted(teacher: Guest) -> int:
    """Return how many answers the teacher's page has counted."""
    return max((int(match[1]) for match, _ in found(teacher, COUNT)), default=0)


@asynccontextmanager
async def a_room(base: str, students: int) -> Any:
    """Open a room and let students join it all at once."""
    async with Guest(base, "room") as teacher:
        await teacher.press("Open a room")
        await teacher.until(lambda: found(teacher, CODE))
        code = found(teacher, CODE)[0][0][1]
        begun = time.perf_counter()
        guests = [Guest(base, "room", f"room={code}") for _ in range(students)]
        await asyncio.gather(*(one.__aenter__() for one in guests))
        await asyncio.gather(
            *(one.until(lambda one=one: found(one, re.compile("You are in"))) for one in guests)
        )
        joined = [found(one, re.compile("You are in"))[0][1] - begun for one in guests]
        told(f"{students} open the link of a room at once", joined)
        yield teacher, guests
        await asyncio.gather(*(one.__aexit__(None, None, None) for one in guests))


async def a_round(pid: int, teacher: Guest, guests: list[Guest], within: float) -> None:
    """Ask a question, let all answer within so many seconds, show the answer."""
    dice = random.Random(1)
    for one in (teacher, *guests):
        one.forget()
    await teacher.press("Ask it")
    asked = (
        one.until(lambda one=one: "Send" in one.buttons and {**one.sliders, **one.radios}) for one in guests
    )
    await asyncio.gather(*asked)
    await asyncio.gather(*(one.choose(dice) for one in guests))
    await asyncio.sleep(3)

    async def answer(one: Guest) -> float:
        await asyncio.sleep(dice.uniform(0, within))
        return await one.press("Send")

    before = seconds_of(pid)
    pressed = sorted(await asyncio.gather(*map(answer, guests)))
    await teacher.until(lambda: counted(teacher) == len(guests))
    seen = sorted((int(match[1]), at) for match, at in found(teacher, COUNT))
    waits = [next(at for many, at in seen if many > place) - at for place, at in enumerate(pressed)]
    spent = seconds_of(pid) - before
    told(f"{len(guests)} answer within {within:g} s: on the projector", waits, 2000)
    await asyncio.sleep(3)
    for one in guests:
        one.said.clear()
    before = seconds_of(pid)
    begun = await teacher.press("Show the answer")
    await asyncio.gather(*(one.until(lambda one=one: found(one, SHOWN)) for one in guests))
    told(
        "the answer is shown: at each student",
        [found(one, SHOWN)[0][1] - begun for one in guests],
        3000,
    )
    print(f"    processor time of the server: {spent:.2f} s and {seconds_of(pid) - before:.2f} s", flush=True)


async def at_rest(pid: int, teacher: Guest, guests: list[Guest], seconds: float = 20) -> None:
    """Tell what a room costs in which nobody does anything."""
    every = [teacher, *guests]
    before, polls = seconds_of(pid), sum(one.polls for one in every)
    await asyncio.sleep(seconds)
    spent, polls = seconds_of(pid) - before, sum(one.polls for one in every) - polls
    each = spent / polls * 1000
    print(
        f"at rest: {polls / seconds:.0f} looks/s cost {spent / seconds:.1%} of a core, {each:.1f} ms each",
        flush=True,
    )


async def beside(base: str, count: int, name: str) -> None:
    """Let visitors move one slider at once on another page."""
    visitors = [Visitor(base, "compare", "v=2&preset=light&precision=10") for _ in range(count)]
    await asyncio.gather(*(one.__aenter__() for one in visitors))
    await asyncio.gather(*(one.visit() for one in visitors))
    waits: list[float] = []
    for load in (0.55, 0.6, 0.65, 0.6):
        await asyncio.sleep(3)
        waits += await asyncio.gather(*(one.move(LOAD, load) for one in visitors))
    told(f"{count} move a slider on Compare, {name}", waits)
    await asyncio.gather(*(one.__aexit__(None, None, None) for one in visitors))


async def measured(base: str, pid: int, students: int) -> None:
    """Measure all of it."""
    await beside(base, 20, "nobody in a room")
    await beside(base, 20, "nobody in a room")
    async with a_room(base, students) as (teacher, guests):
        await at_rest(pid, teacher, guests)
        for within in (0.0, 10.0, 0.0):
            await a_round(pid, teacher, guests, within)
        await at_rest(pid, teacher, guests)
        await beside(base, 20, f"{students} in a room")
        moving = asyncio.create_task(beside(base, 20, f"{students} in a room that answer"))
        await asyncio.sleep(4)
        await a_round(pid, teacher, guests, 5.0)
        await moving
        complaints = [error for one in (teacher, *guests) for error in one.errors]
        print(f"errors: {complaints or 'none'}")


def main() -> int:
    """Measure and print; return 1 if visitors wait for too long."""
    parser = with_allowance(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    parser.add_argument("--students", type=int, default=100)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as server, suppress(KeyboardInterrupt):
        asyncio.run(measured(server.url.replace("http", "ws", 1), server.process.pid, chosen.students))
    return conclude(chosen.allowance)


if __name__ == "__main__":
    sys.exit(main())
