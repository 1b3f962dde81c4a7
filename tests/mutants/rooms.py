"""Bugs in class rooms: permissions, votes, numbers of students."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

ROOM, ROOMS, VOTE = "pages/server/room.py", "pages/server/rooms.py", "pages/server/vote.py"
TESTS = "tests/pages/server/test_rooms.py"

MUTANTS = (
    Mutant(
        "a-room-is-revealed-without-its-key",
        "Room._voted",
        """self._must_teach(key)
        self._settle()""",
        "self._settle()",
        TESTS,
        plain=True,
    ),
    Mutant(
        "a-room-is-closed-without-its-key",
        "Rooms.close",
        "if room is not None and not room.admits(key):",
        "if room is None:",
        TESTS,
        plain=True,
    ),
    Mutant(
        "votes-count-after-the-answer-is-shown",
        "Vote.is_open",
        "return self._open and not self.revealed and now",
        "return self._open and now",
        TESTS,
        plain=True,
    ),
    Mutant(
        "votes-count-after-the-vote-is-closed",
        "Vote.is_open",
        "return self._open and not self.revealed and now",
        "return not self.revealed and now",
        TESTS,
        plain=True,
    ),
    Mutant(
        "a-timer-closes-nothing",
        "Vote.is_open",
        " and now < self._ends",
        "",
        TESTS,
        plain=True,
    ),
    Mutant(
        "a-timer-that-is-refused-empties-the-vote",
        "Vote._begin",
        """        self._open_until(now, seconds)  # which refuses some timers
        self._given: dict[bytes, Hashable] = {}
""",
        """        self._given: dict[bytes, Hashable] = {}
        self._open_until(now, seconds)
""",
        TESTS,
        plain=True,
    ),
    Mutant(
        "a-vote-for-the-round-before-counts",
        "Room.vote",
        "if self._vote is None or round_ != self._round:",
        "if self._vote is None:",
        TESTS,
        plain=True,
    ),
    Mutant(
        "an-answer-sent-again-does-not-replace-the-first",
        "Vote.take.self",
        "self._given[mine] = self.question.checked(answer)",
        "self._given.setdefault(mine, self.question.checked(answer))",
        TESTS,
        plain=True,
    ),
    Mutant(
        "any-text-is-an-answer",
        "Vote.take.self",
        "self._given[mine] = self.question.checked(answer)",
        "self._given[mine] = str(answer)",
        TESTS,
        plain=True,
    ),
    Mutant(
        "an-answer-that-comes-later-is-not-seen",
        "Vote.take",
        "self.question.checked(answer)\n        self._answers = None",
        "self.question.checked(answer)",
        TESTS,
        plain=True,
    ),
    Mutant(
        "votes-keep-their-marks",
        "Vote.settle",
        "self._given, self._salt = {}, secrets",
        "self._salt = secrets",
        TESTS,
        plain=True,
    ),
    Mutant(
        "marks-are-the-same-in-both-votes",
        "Vote._begin",
        """        self._salt = secrets.token_bytes(16)
""",
        """        self._salt = getattr(self, "_salt", secrets.token_bytes(16))
""",
        TESTS,
        plain=True,
    ),
    Mutant(
        "a-question-is-voted-on-a-third-time",
        "Vote.again",
        "if self.revealed or self.first is not None:",
        "if self.revealed:",
        TESTS,
        plain=True,
    ),
    Mutant(
        "the-first-vote-is-lost",
        "again.self",
        """        self.first = first
""",
        """        self.first = ()
""",
        TESTS,
        plain=True,
    ),
    Mutant(
        "an-answer-is-shown-to-few-at-once",
        "Room.reveal",
        "(not sure and not vote.revealed and self._seen().few)",
        "False",
        TESTS,
        plain=True,
    ),
    Mutant(
        "what-is-shown-can-be-taken-back-for-ever",
        "Vote.can_be_taken_back",
        "now - self._shown <= TAKE_BACK_S",
        "True",
        TESTS,
        plain=True,
    ),
    Mutant(
        "results-are-not-bounded",
        "Room.ask",
        "self._results()[-MOST_PAST:]",
        "self._results()",
        TESTS,
        plain=True,
    ),
    Mutant(
        "questions-of-ones-own-are-not-bounded",
        "Room.keep",
        "if len(self._kept) >= MOST_KEPT:",
        "if False:",
        TESTS,
        plain=True,
    ),
    Mutant(
        "seats-are-not-bounded",
        "Room._admit",
        "            if len(self._seats) >= MOST_SEATS:\n",
        "            if False:\n",
        TESTS,
        plain=True,
    ),
    Mutant(
        "students-keep-a-room-open",
        "_take_seat.self",
        "        self._seats[seat] = now\n",
        "        self._seats[seat] = self._taught = now\n",
        TESTS,
        plain=True,
    ),
    Mutant(
        "the-right-answer-is-saved-before-it-is-shown",
        "details.recorded",
        "right_answer(one.question) if one.revealed else None",
        "right_answer(one.question)",
        "tests/pages/test_room_questions.py",
        plain=True,
    ),
    Mutant(
        "a-question-of-ones-own-is-longer-than-a-screen",
        "question._line",
        "if words is None or not least <= len(words) <= most:",
        "if words is None:",
        "tests/pages/test_room_questions.py",
        plain=True,
    ),
    Mutant(
        "a-question-of-ones-own-has-characters-that-nobody-sees",
        "_line.words",
        'visible(" ".join(text.split()))',
        '" ".join(text.split())',
        "tests/pages/test_room_questions.py",
        plain=True,
    ),
    Mutant(
        "a-text-in-the-page-to-print-becomes-markup",
        "details._text",
        "return html.escape(text)",
        "return text",
        "tests/pages/test_room_questions.py",
        plain=True,
    ),
    Mutant(
        "a-room-in-use-gives-way",
        "Rooms._empty",
        "return min(empty, key=lambda code: empty[code])",
        "return next(iter(self._rooms))",
        TESTS,
        plain=True,
    ),
)
