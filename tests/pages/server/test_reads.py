"""Histories that were read stay while a session that gave them is open."""

from __future__ import annotations

from pages.server.private import PATIENCE_S, Read


class Server:
    """Who is there, and what time it is."""

    def __init__(self) -> None:
        self.here: set[str] = {"ann", "bob"}
        self.now = 0.0

    def read(self, most_bytes: int = 10_000) -> Read:
        return Read(most_bytes, self.here.__contains__, lambda: self.now)


def test_what_was_read_is_shared_and_stays_while_one_who_gave_it_is_there() -> None:
    server = Server()
    read = server.read()
    read.keep("log", (1,), "ann")
    assert read.get("log", "bob") == (1,)
    server.here.remove("ann")
    server.now = 10 * PATIENCE_S
    assert read.get("log", "bob") == (1,)


def test_what_was_read_goes_when_all_who_gave_it_have_gone_for_a_while() -> None:
    server = Server()
    read = server.read()
    read.keep("log", (1,), "ann")
    server.here.remove("ann")
    server.now = 0.9 * PATIENCE_S
    read.get("other", "bob")
    assert len(read) == 1  # the connection may come back
    server.now = 1.1 * PATIENCE_S
    read.get("other", "bob")
    assert (len(read), read.bytes) == (0, 0)
    assert read.get("log", "bob") is None


def test_a_hundred_visitors_with_files_of_their_own_leave_nothing_behind() -> None:
    """Without it thirty minutes of visitors who each gave a log took 200 MB."""
    server = Server()
    read = server.read(10**6)
    for number in range(100):
        server.now += PATIENCE_S
        read.keep(f"log {number}", bytes(1000), f"visitor {number}")
    assert len(read) <= 2
    assert len(read._asked) <= 2


def test_room_is_bounded_while_all_are_there() -> None:
    server = Server()
    read = server.read(5000)
    for number in range(10):
        read.keep(number, bytes(1000), "ann")
    assert 0 < read.bytes <= 5000
    assert read.get(9, "ann") is not None
    assert read.get(0, "ann") is None
