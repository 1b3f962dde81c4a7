"""Rooms: one vote per visitor and question, nothing without the key, never more students than seats."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from pages.server import room as of_one
from pages.server import rooms as of_all
from pages.server.room import AWAY_S, HERE_S, KEY, LEFT_S, LONGEST_S, MOST_SEATS, Refused, Room
from pages.server.rooms import CODE, MOST_ROOMS, Rooms

VISITORS = [f"visitor {number}" for number in range(6)]
SEATS, ROOMS = 3, 2


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class YesOrNo:
    """A question that two words answer."""

    def checked(self, answer: object) -> str:
        if answer not in ("yes", "no"):
            raise ValueError("give yes or no")
        return str(answer)


QUESTION = YesOrNo()


class Classes(RuleBasedStateMachine):
    """Two rooms at most, of three seats, beside a dictionary that says what each should hold."""

    codes = Bundle("codes")

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(of_one, "MOST_SEATS", SEATS)
        self.patch.setattr(of_all, "MOST_ROOMS", ROOMS)
        self.clock = Clock()
        self.rooms: Rooms[YesOrNo] = Rooms(clock=self.clock)
        self.votes: dict[str, dict[str, str]] = {}
        self.seats: dict[str, dict[str, float]] = {}
        self.asked: dict[str, int] = {}
        self.closed: dict[str, tuple[str, ...]] = {}
        self.last: dict[str, float] = {}

    def teardown(self) -> None:
        self.patch.undo()

    def found(self, code: str) -> Room[YesOrNo] | None:
        """Return a room, which is there as long as its teacher has been there lately."""
        room = self.rooms.find(code)
        if room is None:
            return None
        assert self.clock.now - self.last[code] <= LEFT_S
        return room

    @initialize(target=codes)
    def first(self) -> str:
        return self.opened("the teacher")

    def opened(self, visitor: str) -> str:
        room = self.rooms.open(visitor)
        self.votes[room.code], self.seats[room.code] = {}, {}
        self.asked[room.code], self.last[room.code] = 0, self.clock.now
        self.closed.pop(room.code, None)
        assert self.rooms.opened_by(visitor) is room
        assert room.key_of(visitor) == room.key
        return room.code

    @rule(target=codes, visitor=st.sampled_from(VISITORS))
    def open(self, visitor: str) -> str:
        """Open one more: it takes the place of the visitor's own, or of an empty one."""
        before = {code: self.rooms.find(code) for code in self.votes}
        try:
            code = self.opened(visitor)
        except Refused:
            assert len(self.rooms) == ROOMS
            assert all(room is None or room.gives_way() is None for room in before.values())
            return "1BBBBB"
        return code

    @rule(
        code=codes,
        visitor=st.sampled_from(VISITORS),
        late=st.booleans(),
        answer=st.sampled_from(["yes", "no", "all"]),
    )
    def vote(self, code: str, visitor: str, late: bool, answer: str) -> None:
        room = self.found(code)
        if room is None:
            return
        votes, round_ = self.votes[code], self.asked[code] - late
        full = not self.takes_seat(code, visitor)
        closed = late or not self.asked[code] or code in self.closed
        one_more = len(votes) == SEATS and visitor not in votes
        if full or closed or one_more:
            with pytest.raises(Refused, match="full" if full else "too late" if closed else "not counted"):
                room.vote(visitor, round_, answer)
        elif answer == "all":
            with pytest.raises(ValueError, match="give yes or no"):
                room.vote(visitor, round_, answer)
        else:
            room.vote(visitor, round_, answer)
            votes[visitor] = answer
            assert room.own(visitor) == answer

    @rule(code=codes, visitor=st.sampled_from(VISITORS))
    def join(self, code: str, visitor: str) -> None:
        room = self.found(code)
        if room is not None and self.takes_seat(code, visitor):
            assert room.joined(visitor).round == self.asked[code]
        elif room is not None:
            with pytest.raises(Refused, match="full"):
                room.joined(visitor)

    def takes_seat(self, code: str, visitor: str) -> bool:
        """Tell whether there is a seat for a visitor, and take it."""
        seats, now = self.seats[code], self.clock.now
        if visitor not in seats and len(seats) == SEATS:
            seats = self.seats[code] = {one: at for one, at in seats.items() if now - at <= AWAY_S}
        if visitor in seats or len(seats) < SEATS:
            seats[visitor] = now
            return True
        return False

    @rule(code=codes, right=st.booleans())
    def ask(self, code: str, right: bool) -> None:
        if (room := self.found(code)) and self.does(room, right, lambda key: room.ask(key, QUESTION)):
            self.votes[code] = {}
            self.asked[code] += 1
            self.closed.pop(code, None)

    @rule(code=codes, right=st.booleans(), late=st.booleans())
    def reveal(self, code: str, right: bool, late: bool) -> None:
        round_ = self.asked[code] - late if code in self.asked else 0
        if (room := self.found(code)) and round_ > 0:
            done = self.does(room, right, lambda key: room.reveal(key, round_))
            if done and not late:
                self.closed.setdefault(code, tuple(sorted(self.votes[code].values())))

    @rule(code=codes, right=st.booleans())
    def teach(self, code: str, right: bool) -> None:
        if (room := self.found(code)) and self.does(room, right, room.taught):
            self.last[code] = self.clock.now

    @rule(code=codes, right=st.booleans(), visitor=st.sampled_from(VISITORS))
    def come_again(self, code: str, right: bool, visitor: str) -> None:
        if room := self.found(code):
            known = bool(room.key_of(visitor))
            done = self.does(room, right, lambda key: room.remember(visitor, key))
            assert bool(room.key_of(visitor)) == (known or done)

    @rule(code=codes, right=st.booleans())
    def close(self, code: str, right: bool) -> None:
        if (room := self.found(code)) and self.does(room, right, lambda key: self.rooms.close(code, key)):
            assert self.rooms.find(code) is None

    def does(self, room: Room[YesOrNo], right: bool, action: object) -> bool:
        """Tell whether something was done, which it is with the key and not without."""
        key = room.key if right else room.key[:-1] + ("A" if room.key[-1] != "A" else "B")
        try:
            action(key)  # type: ignore[operator]
        except Refused:
            assert not right
            return False
        assert right
        return True

    @rule(seconds=st.sampled_from([1.0, HERE_S, AWAY_S, AWAY_S + 1, LEFT_S / 2, LEFT_S + 1]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @invariant()
    def the_votes_are_the_last_of_each_visitor(self) -> None:
        for code, votes in self.votes.items():
            room = self.rooms.find(code)
            if room is not None:
                seen = room._seen()
                assert seen.revealed == (code in self.closed)
                assert seen.answers == self.closed.get(code, tuple(sorted(votes.values())))
                assert not (seen.revealed and room._votes)
                assert seen.round == self.asked[code]
                here = sum(self.clock.now - at <= HERE_S for at in self.seats[code].values())
                assert seen.here == here <= len(room._seats) <= SEATS >= len(room._votes)

    @invariant()
    def there_are_never_too_many(self) -> None:
        assert len(self.rooms) <= ROOMS
        assert len(self.rooms._owners) == len(self.rooms)


Classes.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestClasses = Classes.TestCase


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rooms(clock: Clock) -> Rooms[YesOrNo]:
    return Rooms(process=7, clock=clock)


@pytest.fixture
def room(rooms: Rooms[YesOrNo]) -> Room[YesOrNo]:
    opened = rooms.open("teacher")
    opened.ask(opened.key, QUESTION)
    return opened


def test_a_code_names_its_process_and_tells_nothing_of_the_key(rooms: Rooms[YesOrNo]) -> None:
    opened = [rooms.open(f"teacher {number}") for number in range(MOST_ROOMS)]
    codes, keys = {one.code for one in opened}, {one.key for one in opened}
    assert len(codes) == len(keys) == MOST_ROOMS
    assert all(CODE.fullmatch(code) and code[0] == "7" for code in codes)
    assert all(KEY.fullmatch(key) for key in keys)
    letters = Counter("".join(keys))
    assert (
        len(letters) > 55
    )  # 64 letters, 22 of them in each of 60 keys: one is missing with probability 1e-9


def test_a_room_ends_after_its_teacher_has_left_and_after_a_day_anyway(
    rooms: Rooms[YesOrNo], room: Room[YesOrNo], clock: Clock
) -> None:
    begun = clock.now
    while clock.now + LEFT_S < begun + LONGEST_S:
        clock.now += LEFT_S
        assert rooms.find(room.code) is room
        room.taught(room.key)
    clock.now = begun + LONGEST_S + 1
    assert rooms.find(room.code) is None
    again = rooms.open("teacher")
    clock.now += LEFT_S
    again.joined("student")  # who does not keep it open
    clock.now += 1
    assert rooms.find(again.code) is None
    assert rooms.opened_by("teacher") is None
    assert len(rooms) == 0


def test_who_opens_a_room_twice_has_the_second(rooms: Rooms[YesOrNo]) -> None:
    first, second = rooms.open("teacher"), rooms.open("teacher")
    assert rooms.find(first.code) is None
    assert rooms.opened_by("teacher") is second
    assert len(rooms) == 1


def test_of_many_rooms_one_that_is_empty_gives_way_and_none_that_is_not(
    rooms: Rooms[YesOrNo], clock: Clock
) -> None:
    opened = [rooms.open(f"teacher {number}") for number in range(MOST_ROOMS)]
    clock.now += AWAY_S + 1
    for one in opened[2:]:
        one.taught(one.key)
    opened[0].joined("student")
    rooms.open("one more")
    assert [number for number, one in enumerate(opened) if rooms.find(one.code) is None] == [1]
    with pytest.raises(Refused, match=str(MOST_ROOMS)):
        rooms.open("another one")


def test_a_seat_is_given_up_after_a_while_and_its_vote_stays(
    room: Room[YesOrNo], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_one, "MOST_SEATS", 2)
    for student in ("ann", "bob"):
        room.joined(student)
    room.vote("ann", 1, "yes")
    with pytest.raises(Refused, match="full"):
        room.joined("eve")
    clock.now += HERE_S + 1
    assert room.joined("bob").here == 1
    clock.now += AWAY_S - HERE_S
    assert room.joined("eve").answers == ("yes",)
    with pytest.raises(Refused, match="full"):
        room.vote("ann", 1, "no")


def test_no_more_votes_are_kept_than_there_are_seats(
    room: Room[YesOrNo], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_one, "MOST_SEATS", 2)
    for number in range(2):
        room.vote(f"student {number}", 1, "yes")
    clock.now += AWAY_S + 1
    with pytest.raises(Refused, match="not counted"):
        room.vote("student 2", 1, "no")
    room.vote("student 1", 1, "no")  # who has one already
    assert room.taught(room.key).answers == ("no", "yes")


def test_nothing_of_a_visitor_is_left_and_no_two_votes_are_known_to_be_of_one(room: Room[YesOrNo]) -> None:
    marks = []
    for _ in range(2):
        room.vote("ann", room.joined("ann").round, "yes")
        marks += room._votes
        room.ask(room.key, QUESTION)
    assert len({*marks, *room._seats}) == 3
    room.vote("ann", 3, "no")
    room.reveal(room.key, 3)
    assert room._votes == {}
    assert room.taught(room.key).answers == ("no",)
    assert room.own("ann") is None


def test_only_answers_that_the_question_admits_count_and_only_while_it_is_open(room: Room[YesOrNo]) -> None:
    for answer in ("maybe", "", None, 7, ["yes"], "![x](http://away.example/x.png)"):
        with pytest.raises(ValueError, match="give yes or no"):
            room.vote("ann", 1, answer)
    room.ask(room.key, QUESTION)
    for round_ in (0, 1, 3):
        with pytest.raises(Refused, match="too late"):
            room.vote("ann", round_, "yes")
    room.vote("bob", 2, "yes")
    room.reveal(room.key, 2)
    with pytest.raises(Refused, match="too late"):
        room.vote("ann", 2, "no")
    assert room.taught(room.key).answers == ("yes",)


def test_a_second_press_on_reveal_does_not_reveal_the_next_question(room: Room[YesOrNo]) -> None:
    room.reveal(room.key, 1)
    room.ask(room.key, QUESTION)
    room.reveal(room.key, 1)
    assert not room.taught(room.key).revealed


def test_the_teacher_is_known_in_so_many_browsers_at_most(room: Room[YesOrNo]) -> None:
    for number in range(30):
        room.remember(f"browser {number}", room.key)
    known = [number for number in range(30) if room.key_of(f"browser {number}")]
    assert known == list(range(20, 30))


@pytest.mark.parametrize("key", ["", "a" * 22, "é", "\udcff", "x" * 5000])
def test_no_other_text_is_the_key(room: Room[YesOrNo], key: str) -> None:
    with pytest.raises(Refused, match="not the key"):
        room.taught(key)


# Places by address ------------------------------------------------------------------------------------------


def let_in(take: Callable[[int], object], clock: Clock, seconds: int) -> list[float]:
    """Try once a second, as often as it goes, for so many seconds; return when each place was taken."""
    taken: list[float] = []
    for second in range(seconds):
        with contextlib.suppress(Refused):
            while True:
                take(len(taken))
                taken.append(second)
        clock.now += 1
    return taken


def test_one_address_gets_a_third_of_the_rooms_and_another_one_is_still_served(
    rooms: Rooms[YesOrNo], clock: Clock
) -> None:
    def take(number: int) -> None:
        rooms.open(f"{number}", "192.0.2.1")
        for code in list(rooms._rooms):
            rooms._rooms[code].taught(rooms._rooms[code].key)

    taken = let_in(take, clock, 1200)
    assert len(taken) == MOST_ROOMS / 3
    assert taken[4] == 0 < taken[5] == 2
    assert taken[-1] > 200
    others = let_in(lambda number: rooms.open(f"x{number}", "192.0.2.2"), clock, 1)
    assert len(others) == 5
    assert rooms.open("unknown").code  # behind a proxy that does not say who comes


def test_a_room_in_the_place_of_ones_own_is_no_more(rooms: Rooms[YesOrNo], clock: Clock) -> None:
    for _ in range(50):
        rooms.open("teacher", "192.0.2.1")
    assert len(rooms) == len(rooms._origins) == 1


def test_a_class_of_one_address_comes_in_at_once_and_leaves_seats_for_others(
    room: Room[YesOrNo], clock: Clock
) -> None:
    taken = let_in(lambda number: room.joined(f"{number}", "192.0.2.1"), clock, 600)
    assert len(taken) == 2 / 3 * MOST_SEATS
    assert taken[99] == 0
    assert taken[-1] >= 99  # in a second each, at most
    assert room.joined("0", "192.0.2.1").round == 1
    others = let_in(lambda number: room.joined(f"x{number}", "192.0.2.2"), clock, 1)
    assert len(others) == 67


def test_nobody_comes_in_by_a_closed_door_and_who_is_inside_stays(room: Room[YesOrNo]) -> None:
    room.joined("ann")
    with pytest.raises(Refused, match="not the key"):
        room.shut("x", True)
    room.shut(room.key, True)
    with pytest.raises(Refused, match="door"):
        room.joined("ben")
    with pytest.raises(Refused, match="door"):
        room.vote("ben", 1, "yes")
    room.vote("ann", 1, "yes")
    room.shut(room.key, False)
    room.vote("ben", 1, "no")
    assert room.taught(room.key).answers == ("no", "yes")


def test_an_address_is_held_as_a_digest_only(rooms: Rooms[YesOrNo], room: Room[YesOrNo]) -> None:
    room.joined("ann", "192.0.2.1")
    rooms.open("ben", "192.0.2.1")
    assert "192.0.2.1" not in repr(vars(room)) + repr(vars(rooms))
