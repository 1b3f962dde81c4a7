"""Rooms: one vote per visitor and question, nothing without the key, never more students than seats."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from pages.server import room as of_one
from pages.server import rooms as of_all
from pages.server import vote as of_votes
from pages.server.room import AWAY_S, HERE_S, KEY, LEFT_S, LONGEST_S, MOST_KEPT, MOST_SEATS, Room
from pages.server.rooms import CODE, MOST_ROOMS, Rooms
from pages.server.vote import SHORTEST_S, TAKE_BACK_S, Refused

VISITORS = [f"visitor {number}" for number in range(6)]
SEATS, ROOMS, PAST = 3, 2, 3
#: Seconds of a timer; without one a vote is open until it is closed.
SECONDS = st.sampled_from([None, None, SHORTEST_S, 60.0])


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


@dataclass
class Expected:
    """What a room should hold."""

    last: float
    seats: dict[str, float] = field(default_factory=dict)
    round: int = 0
    first: tuple[str, ...] | None = None
    votes: dict[str, str] = field(default_factory=dict)
    open: bool = False
    ends: float = math.inf
    shown: float | None = None
    past: list[tuple[tuple[str, ...], ...]] = field(default_factory=list)

    @property
    def answers(self) -> tuple[str, ...]:
        return tuple(sorted(self.votes.values()))

    @property
    def results(self) -> list[tuple[tuple[str, ...], ...]]:
        """What has come of each question that anybody has answered."""
        now = (self.answers,) if self.first is None else (self.first, self.answers)
        return [*self.past, now] if any(now) else self.past

    def takes(self, now: float) -> bool:
        """Whether answers are taken."""
        return self.round > 0 and self.open and self.shown is None and now < self.ends

    def begin(self, now: float, seconds: float | None) -> None:
        """Let a vote begin."""
        self.round, self.votes = self.round + 1, {}
        self.reopen(now, seconds)

    def reopen(self, now: float, seconds: float | None) -> None:
        self.open, self.ends = True, math.inf if seconds is None else now + seconds


class Classes(RuleBasedStateMachine):
    """Two rooms at most, of three seats, beside what each should hold."""

    codes = Bundle("codes")

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(of_one, "MOST_SEATS", SEATS)
        self.patch.setattr(of_one, "MOST_PAST", PAST)
        self.patch.setattr(of_votes, "MOST_VOTES", SEATS)
        self.patch.setattr(of_all, "MOST_ROOMS", ROOMS)
        self.clock = Clock()
        self.rooms: Rooms[YesOrNo] = Rooms(clock=self.clock)
        self.expected: dict[str, Expected] = {}

    def teardown(self) -> None:
        self.patch.undo()

    def found(self, code: str) -> Room[YesOrNo] | None:
        """Return a room, which is there as long as its teacher has been there lately."""
        room = self.rooms.find(code)
        if room is None:
            return None
        assert self.clock.now - self.expected[code].last <= LEFT_S
        return room

    @initialize(target=codes)
    def first(self) -> str:
        return self.opened("the teacher")

    def opened(self, visitor: str) -> str:
        room = self.rooms.open(visitor)
        self.expected[room.code] = Expected(self.clock.now)
        assert self.rooms.opened_by(visitor) is room
        assert room.key_of(visitor) == room.key
        return room.code

    @rule(target=codes, visitor=st.sampled_from(VISITORS))
    def open(self, visitor: str) -> str:
        """Open one more: it takes the place of the visitor's own, or of an empty one."""
        before = {code: self.rooms.find(code) for code in self.expected}
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
        there = self.expected[code]
        full = not self.takes_seat(code, visitor)
        closed = late or not there.takes(self.clock.now)
        one_more = len(there.votes) == SEATS and visitor not in there.votes
        if full or closed or one_more:
            with pytest.raises(Refused, match="full" if full else "too late" if closed else "not counted"):
                room.vote(visitor, there.round - late, answer)
        elif answer == "all":
            with pytest.raises(ValueError, match="give yes or no"):
                room.vote(visitor, there.round, answer)
        else:
            room.vote(visitor, there.round, answer)
            there.votes[visitor] = answer
            assert room.own(visitor) == answer

    @rule(code=codes, visitor=st.sampled_from(VISITORS))
    def join(self, code: str, visitor: str) -> None:
        room = self.found(code)
        if room is not None and self.takes_seat(code, visitor):
            assert room.joined(visitor).round == self.expected[code].round
        elif room is not None:
            with pytest.raises(Refused, match="full"):
                room.joined(visitor)

    def takes_seat(self, code: str, visitor: str) -> bool:
        """Tell whether there is a seat for a visitor, and take it."""
        there, now = self.expected[code], self.clock.now
        if visitor not in there.seats and len(there.seats) == SEATS:
            there.seats = {one: at for one, at in there.seats.items() if now - at <= AWAY_S}
        if visitor in there.seats or len(there.seats) < SEATS:
            there.seats[visitor] = now
            return True
        return False

    @rule(code=codes, right=st.booleans(), seconds=SECONDS)
    def ask(self, code: str, right: bool, seconds: float | None) -> None:
        if (room := self.found(code)) and self.does(
            room, right, lambda key: room.ask(key, QUESTION, seconds)
        ):
            there = self.expected[code]
            there.past = there.results[-PAST:]
            there.first = there.shown = None
            there.begin(self.clock.now, seconds)

    @rule(code=codes, right=st.booleans(), late=st.booleans())
    def close_vote(self, code: str, right: bool, late: bool) -> None:
        if self.acts(code, right, late, Room.close_vote):
            self.expected[code].open = False

    @rule(code=codes, right=st.booleans(), late=st.booleans(), seconds=SECONDS)
    def open_vote(self, code: str, right: bool, late: bool, seconds: float | None) -> None:
        if self.acts(code, right, late, Room.open_vote, seconds) and self.expected[code].shown is None:
            self.expected[code].reopen(self.clock.now, seconds)

    @rule(code=codes, right=st.booleans(), late=st.booleans(), seconds=SECONDS)
    def vote_again(self, code: str, right: bool, late: bool, seconds: float | None) -> None:
        there = self.expected.get(code)
        acted = self.acts(code, right, late, Room.vote_again, seconds)
        if acted and there and there.shown is None and there.first is None:
            there.first = there.answers
            there.begin(self.clock.now, seconds)

    @rule(code=codes, right=st.booleans(), late=st.booleans(), sure=st.booleans())
    def reveal(self, code: str, right: bool, late: bool, sure: bool) -> None:
        there = self.expected.get(code)
        few = there and 2 * len(there.votes) < self.here(code)
        acted = self.acts(code, right, late, lambda room, *given: room.reveal(*given, sure=sure))
        if acted and there and there.shown is None and (sure or not few):
            there.shown = self.clock.now

    @rule(code=codes, right=st.booleans(), late=st.booleans())
    def take_back(self, code: str, right: bool, late: bool) -> None:
        there = self.expected.get(code)
        acted = self.acts(code, right, late, Room.take_back)
        if acted and there and self.clock.now - (there.shown or -math.inf) <= TAKE_BACK_S:
            there.shown = None

    def acts(self, code: str, right: bool, late: bool, action: Callable[..., object], *more: object) -> bool:
        """Tell whether something was done to the present round, which is not if it is too late for that."""
        room = self.found(code)
        if room is None or not self.expected[code].round:
            return False
        round_ = self.expected[code].round - late
        return self.does(room, right, lambda key: action(room, key, round_, *more)) and not late

    @rule(code=codes, right=st.booleans())
    def teach(self, code: str, right: bool) -> None:
        if (room := self.found(code)) and self.does(room, right, room.taught):
            self.expected[code].last = self.clock.now

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

    def does(self, room: Room[YesOrNo], right: bool, action: Callable[[str], object]) -> bool:
        """Tell whether something was done, which it is with the key and not without."""
        key = room.key if right else room.key[:-1] + ("A" if room.key[-1] != "A" else "B")
        try:
            action(key)
        except Refused:
            assert not right
            return False
        assert right
        return True

    @rule(seconds=st.sampled_from([1.0, HERE_S, AWAY_S, AWAY_S + 1, LEFT_S / 2, LEFT_S + 1]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    def here(self, code: str) -> int:
        return sum(self.clock.now - at <= HERE_S for at in self.expected[code].seats.values())

    @invariant()
    def the_votes_are_the_last_of_each_visitor(self) -> None:
        for code, there in self.expected.items():
            room = self.rooms.find(code)
            if room is not None:
                seen, now = room._seen(), self.clock.now
                assert (seen.round, seen.first) == (there.round, there.first)
                assert seen.is_open == there.takes(now)
                assert seen.left == (there.ends - now if seen.is_open and there.ends < math.inf else None)
                assert seen.revealed == (there.shown is not None)
                forgotten = there.shown is not None and now - there.shown > TAKE_BACK_S
                assert seen.can_take_back == (there.shown is not None and not forgotten)
                assert seen.answers == there.answers
                assert len(marks(room)) == (0 if forgotten else len(there.votes))
                assert [one.votes for one in room.results(room.key)] == there.results
                assert seen.here == self.here(code) <= len(room._seats) <= SEATS >= len(marks(room))

    @invariant()
    def there_are_never_too_many(self) -> None:
        assert len(self.rooms) <= ROOMS
        assert len(self.rooms._owners) == len(self.rooms)


def marks(room: Room[YesOrNo]) -> set[bytes]:
    """Return the marks under which a room holds the votes on its question."""
    return set(room._vote._given) if room._vote else set()


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
    monkeypatch.setattr(of_votes, "MOST_VOTES", 2)
    for number in range(2):
        room.vote(f"student {number}", 1, "yes")
    clock.now += AWAY_S + 1
    with pytest.raises(Refused, match="not counted"):
        room.vote("student 2", 1, "no")
    room.vote("student 1", 1, "no")  # who has one already
    assert room.taught(room.key).answers == ("no", "yes")


def test_nothing_of_a_visitor_is_left_and_no_two_votes_are_known_to_be_of_one(
    room: Room[YesOrNo], clock: Clock
) -> None:
    known = [*room._seats]
    for again in (True, False):
        room.vote("ann", room.joined("ann").round, "yes")
        known += marks(room)
        if again:
            room.vote_again(room.key, 1)
        else:
            room.ask(room.key, QUESTION)
    assert len({*known, *room._seats}) == 3
    room.vote("ann", 3, "no")
    room.reveal(room.key, 3)
    clock.now += TAKE_BACK_S + 1
    assert room.taught(room.key).answers == ("no",)
    assert not marks(room)
    assert room.own("ann") is None
    votes = [one.votes for one in room.results(room.key)]
    assert votes == [(("yes",), ("yes",)), (("no",),)]


def test_an_answer_that_is_shown_by_mistake_is_taken_back_and_all_is_as_before(
    room: Room[YesOrNo], clock: Clock
) -> None:
    room.vote("ann", 1, "yes")
    room.reveal(room.key, 1)
    clock.now += TAKE_BACK_S
    room.take_back(room.key, 1)
    room.vote("ann", 1, "no")  # in place of the vote before
    room.vote("bob", 1, "no")
    assert room.taught(room.key).answers == ("no", "no")
    room.reveal(room.key, 1)
    clock.now += TAKE_BACK_S + 1
    room.take_back(room.key, 1)
    assert room.taught(room.key).revealed
    room.open_vote(room.key, 1)
    room.vote_again(room.key, 1)
    with pytest.raises(Refused, match="too late"):
        room.vote("ann", 1, "yes")
    assert room.taught(room.key).first is None


def test_an_answer_is_shown_to_few_only_if_that_is_meant(room: Room[YesOrNo]) -> None:
    for number in range(5):
        room.joined(f"student {number}")
    for number, shown in enumerate([False, False, True]):
        room.vote(f"student {number}", 1, "yes")
        assert room.reveal(room.key, 1) is shown  # one, two, three of five
    room.ask(room.key, QUESTION)
    assert not room.reveal(room.key, 2)
    assert not room.taught(room.key).revealed
    assert room.reveal(room.key, 2, sure=True)


def test_a_question_has_two_votes_at_most_and_the_first_stays_beside_the_second(room: Room[YesOrNo]) -> None:
    room.vote("ann", 1, "no")
    room.close_vote(room.key, 1)
    with pytest.raises(Refused, match="closed"):
        room.vote("bob", 1, "yes")
    room.vote_again(room.key, 1)
    with pytest.raises(Refused, match="too late"):
        room.vote("bob", 1, "yes")  # on the page of the first vote
    room.vote("ann", 2, "yes")
    room.vote("bob", 2, "yes")
    room.vote_again(room.key, 2)
    seen = room.taught(room.key)
    assert (seen.round, seen.first, seen.answers) == (2, ("no",), ("yes", "yes"))


def test_a_timer_closes_a_vote_and_is_bounded(room: Room[YesOrNo], clock: Clock) -> None:
    room.open_vote(room.key, 1, 60)
    clock.now += 59.5
    assert room.taught(room.key).left == 0.5
    room.vote("ann", 1, "yes")
    clock.now += 0.5
    with pytest.raises(Refused, match="closed"):
        room.vote("ann", 1, "no")
    for seconds in (0, -1, 1e9, math.nan, math.inf):
        with pytest.raises(Refused, match="timer"):
            room.ask(room.key, QUESTION, seconds)
        with pytest.raises(Refused, match="timer"):
            room.vote_again(room.key, 1, seconds)
    assert (room.taught(room.key).round, room.taught(room.key).answers) == (1, ("yes",))
    assert room.own("ann") == "yes"


def test_of_many_results_the_oldest_go(room: Room[YesOrNo], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_one, "MOST_PAST", 2)
    for voters in range(1, 6):
        for number in range(voters):
            room.vote(f"student {number}", voters, "yes")
        room.ask(room.key, QUESTION)  # what nobody has answered is no result
    assert [len(one.votes[0]) for one in room.results(room.key)] == [4, 5]


def test_a_room_holds_so_many_questions_of_its_teachers_own(room: Room[YesOrNo]) -> None:
    numbers = [room.keep(room.key, QUESTION) for _ in range(MOST_KEPT)]
    with pytest.raises(Refused, match="remove one"):
        room.keep(room.key, QUESTION)
    room.drop(room.key, numbers[3])
    assert room.keep(room.key, QUESTION) not in numbers  # a number is never another question's
    assert len(room.kept(room.key)) == MOST_KEPT
    for act in (room.kept, room.results, lambda key: room.keep(key, QUESTION), lambda key: room.drop(key, 1)):
        with pytest.raises(Refused, match="not the key"):
            act("x")


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
