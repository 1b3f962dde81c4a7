"""Bugs in class rooms: permissions, votes, numbers of students."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

ROOM, ROOMS, TESTS = "pages/server/room.py", "pages/server/rooms.py", "tests/pages/server/test_rooms.py"

MUTANTS = (
    Mutant(
        "a-room-is-revealed-without-its-key",
        ROOM,
        """            self._must_teach(key)
            if round_ == self._now.round""",
        """            if round_ == self._now.round""",
        TESTS,
        plain=True,
    ),
    Mutant(
        "a-room-is-closed-without-its-key",
        ROOMS,
        "if room is not None and not room.admits(key):",
        "if room is None:",
        TESTS,
        plain=True,
    ),
    Mutant(
        "votes-count-after-the-answer-is-shown",
        ROOM,
        "round_ != self._now.round or self._now.revealed:",
        "round_ != self._now.round:",
        TESTS,
        plain=True,
    ),
    Mutant(
        "a-vote-for-the-question-before-counts",
        ROOM,
        "round_ != self._now.round or self._now.revealed:",
        "self._now.revealed:",
        TESTS,
        plain=True,
    ),
    Mutant(
        "a-second-vote-does-not-replace-the-first",
        ROOM,
        "self._votes[mine] = self._now.question.checked(answer)",
        "self._votes.setdefault(mine, self._now.question.checked(answer))",
        TESTS,
        plain=True,
    ),
    Mutant(
        "any-text-is-an-answer",
        ROOM,
        "self._votes[mine] = self._now.question.checked(answer)",
        "self._votes[mine] = str(answer)",
        TESTS,
        plain=True,
    ),
    Mutant(
        "votes-keep-their-marks-when-revealed",
        ROOM,
        "True, self._shuffled())\n                self._votes, self._ballot = {}, ",
        "True, self._shuffled())\n                self._votes, self._ballot = self._votes, ",
        TESTS,
        plain=True,
    ),
    Mutant(
        "marks-are-the-same-for-each-question",
        ROOM,
        "self._votes, self._ballot = {}, secrets.token_bytes(16)\n            self._now = Seen",
        "self._votes = {}\n            self._now = Seen",
        TESTS,
        plain=True,
    ),
    Mutant(
        "seats-are-not-bounded",
        ROOM,
        "            if len(self._seats) >= MOST_SEATS:\n",
        "            if False:\n",
        TESTS,
        plain=True,
    ),
    Mutant(
        "students-keep-a-room-open",
        ROOM,
        "        self._seats[seat] = now\n",
        "        self._seats[seat] = self._taught = now\n",
        TESTS,
        plain=True,
    ),
    Mutant(
        "a-room-in-use-gives-way",
        ROOMS,
        "return min(empty, key=lambda code: empty[code])",
        "return next(iter(self._rooms))",
        TESTS,
        plain=True,
    ),
)
