"""The page of a room without a browser: what a teacher and students see, and what they are refused."""

from __future__ import annotations

import itertools
import threading
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.lessons import LESSONS
from pages.lessons.lesson import Found, Lesson
from pages.lessons.prediction import Answer, Choice, Number, Order
from pages.room import answer as answer_module
from pages.room.answer import Answers
from pages.room.controls import VISITOR, rooms
from pages.room.layout import student as layout
from pages.room.question import LONGEST_OPTION, Asked, Own, as_file
from pages.server import room as of_one
from pages.server import rooms as of_all
from pages.server.room import LEFT_S, Room
from pages.shared.app.turns import pool
from pages.shared.words.foreign import literal
from tests.foreign import AWAY, HOSTILE, alive
from tests.pages.visits import turn_to

APP = Path(__file__).resolve().parents[2] / "app.py"
pytestmark = pytest.mark.compiled
#: Visitors of all tests share the rooms of this process: each has a name of its own.
NUMBERS = itertools.count()
#: What a desk is operated by.
PRESSED = (
    "button",
    "download_button",
    "link_button",
    "file_uploader",
    "selectbox",
    "toggle",
    "text_area",
    "code",
)
#: A lesson of each kind.
KINDS = {
    kind: next(number for number, one in LESSONS.items() if isinstance(one.prediction, kind))
    for kind in (Choice, Number, Order)
}


def visited(name: str = "", **address: str) -> AppTest:
    """Return the page as a visitor sees it who comes with this address."""
    at = AppTest.from_file(APP, default_timeout=120).run()
    turn_to(at, "room")
    at.session_state[VISITOR] = name or f"visitor {next(NUMBERS)}"
    at.query_params.update(address)
    at.run()
    assert not at.exception
    return at


def press(at: AppTest, label: str) -> AppTest:
    """Press a button; return the page as it is then."""
    (button,) = (one for one in at.button if one.label == label)
    assert not button.disabled, label
    button.click().run()
    assert not at.exception
    return at


def told(at: AppTest) -> str:
    """Return all words of a page."""
    parts = (at.title, at.header, at.markdown, at.info, at.error, at.warning, at.caption)
    return "\n".join(one.value for part in parts for one in part)


def labels(at: AppTest) -> list[str]:
    return [one.label for one in at.button]


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers made to order, without a simulation; each is the first that a prediction admits."""
    monkeypatch.setattr(answer_module, "computed", lambda lesson, workers: found(lesson))
    known = Answers(pool())
    monkeypatch.setattr(answer_module, "_answers", lambda: known)


def found(lesson: Lesson) -> Found:
    """Return a made answer to a lesson."""
    prediction = lesson.prediction
    match prediction:
        case Choice():
            right: Answer = prediction.options[0].key
        case Number():
            right = prediction.low
        case Order():
            right = tuple(item.key for item in prediction.items)
    return Found(answer=right, told=f"Told of {lesson.title}.", why=("One.", "Two.", "Three."), draw=None)


@pytest.fixture
def teacher() -> AppTest:
    """The page of a teacher who has just opened a room."""
    return press(visited(), "Open a room")


def room_of(at: AppTest) -> Room[Asked]:
    found = rooms().find(at.query_params["room"])
    assert found is not None
    return found


def asked(teacher: AppTest, kind: type) -> Room[Asked]:
    """Let a teacher ask a question of a kind; return the room."""
    teacher.selectbox(key="room:next").set_value(KINDS[kind]).run()
    press(teacher, "Ask it")
    return room_of(teacher)


def answer(student: AppTest, kind: type, place: int) -> None:
    """Put an answer into the widget of a student."""
    prediction = LESSONS[KINDS[kind]].prediction
    match prediction:
        case Choice():
            student.radio[0].set_value(prediction.options[place].key).run()
        case Number():
            student.select_slider[0].set_value(prediction.low + place * prediction.step).run()
        case Order():
            keys = [item.key for item in prediction.items]
            student.pills[0].set_value(keys[place:] + keys[:place]).run()


def when_known(teacher: AppTest) -> AppTest:
    """Return the page of a teacher when the answer can be shown."""
    for _ in range(100):
        if "Show the answer" in labels(teacher):
            return teacher
        threading.Event().wait(0.02)
        teacher.run()
    raise AssertionError("the answer is never computed")


def test_the_door_opens_a_room_and_leads_into_one(teacher: AppTest) -> None:
    room = room_of(teacher)
    assert teacher.title[0].value == f"Room {room.code}"
    assert dict(teacher.query_params) == {"room": room.code, "teach": "1"}
    student = visited()
    typed = f" {room.code[0]} {room.code[1:].lower()}"
    student.text_input(key="room:typed").set_value(typed).run()
    assert student.title[0].value == f"Room {room.code}"
    assert "You are in" in told(student)
    assert teacher.run().markdown[0].value == "**1** here."


def test_the_key_is_in_no_address_and_on_no_students_page(teacher: AppTest) -> None:
    room = room_of(teacher)
    assert room.key in teacher.code[0].value
    assert room.key not in str(dict(teacher.query_params))
    by_link = visited(room=room.code, key=room.key)  # from another device
    assert dict(by_link.query_params) == {"room": room.code, "teach": "1"}
    assert "Ask it" in labels(by_link)
    student = visited(room=room.code)
    assert not student.code
    assert room.key not in told(student)
    assert "Ask it" not in labels(student)


def test_who_opened_a_room_teaches_it_again_after_a_reload_and_nobody_else_does(teacher: AppTest) -> None:
    room = room_of(teacher)
    name = teacher.session_state[VISITOR]
    assert "Ask it" in labels(visited(name, room=room.code, teach="1"))
    assert "Ask it" not in labels(visited(name, room=room.code))  # who looks at it as a student does
    assert f"Back to room {room.code}" in labels(visited(name))
    for address in ({"teach": "1"}, {"key": "k" * 22}, {"teach": "1", "key": "k" * 22}):
        stranger = visited(room=room.code, **address)
        assert "not the key" in stranger.error[0].value
        assert "Ask it" not in labels(stranger)
        assert "You are in" in told(stranger)


@pytest.mark.parametrize("kind", KINDS)
def test_a_vote_is_seen_at_the_front_can_be_changed_and_is_shown_to_all_in_the_end(
    teacher: AppTest, kind: type
) -> None:
    room = asked(teacher, kind)
    students = [visited(room=room.code) for _ in range(2)]
    for place, student in enumerate(students):
        assert student.button[0].label == "Send"
        answer(student, kind, place)
        press(student, "Send")
        own = room.own(student.session_state[VISITOR])
        said = literal(LESSONS[KINDS[kind]].prediction.shown(own))
        assert student.button[0].label == f"Sent ✓ {said}"
        assert f"**{place + 1}** of **2** {'have' if place else 'has'} answered" in told(teacher.run())
    answer(students[0], kind, 1)
    assert "Sent: " in told(students[0])
    press(students[0], "Send this one instead")
    assert len(set(room.taught(room.key).answers)) == 1
    assert "Told of" not in told(students[0].run()) + told(teacher)
    press(when_known(teacher), "Show the answer")
    for page in (teacher, *(one.run() for one in students)):
        assert len(page.get("plotly_chart")) == 1
        assert f"Told of {LESSONS[KINDS[kind]].title}." in told(page)
        assert "2 answers" in told(page)
        assert "Three." in told(page)
    assert "Yours: " in told(students[0])
    assert "Yours: " not in told(teacher)
    assert not students[0].button
    press(teacher, "Take it back")
    assert "Told of" not in told(teacher) + told(students[0].run())
    assert students[0].button[0].label == "Send this one instead"
    press(teacher, "Show the answer")
    press(teacher, "Ask it")
    assert "**0** of **2** have answered" in told(teacher)
    assert students[0].run().button[0].label == "Send"
    teacher.selectbox(key="room:earlier").set_value(1).run()
    assert len(teacher.get("plotly_chart")) == 2
    assert LESSONS[KINDS[kind]].title in teacher.selectbox(key="room:earlier").format_func(1)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_answered_by_itself(teacher: AppTest, kind: type) -> None:
    student = visited(room=asked(teacher, kind).code)
    assert student.button[0].disabled
    assert not student.multiselect  # which has a button for all, in the order of the list


def staged(teacher: AppTest) -> AppTest:
    """Return the stage of a teacher's room, in another window of the same browser."""
    return visited(teacher.session_state[VISITOR], room=room_of(teacher).code, teach="1", present="2")


def pictures(at: AppTest) -> list[str]:
    """Return of a page each chart, in words, and each cluster to play with."""
    clusters = ["sandbox" for one in at.get("html") if "data-sandbox" in one.proto.body]
    return [*clusters, *(one.proto.alt for one in at.get("plotly_chart"))]


@pytest.mark.parametrize("kind", KINDS)
def test_the_stage_has_the_question_its_picture_and_the_bars_and_nothing_to_press(
    teacher: AppTest, kind: type
) -> None:
    stage = staged(teacher)
    assert stage.title[0].value == f"Room {room_of(teacher).code}"
    room = asked(teacher, kind)
    lesson = LESSONS[KINDS[kind]]
    for in_room in (False, True):
        student = visited(room=room.code) if in_room else None
        stage.run()
        assert stage.title[0].value == lesson.prediction.label
        bars = [one for one in pictures(stage) if one.startswith("Bars of the answers")]
        assert len(bars) == in_room  # a large code in their place while nobody is in
        assert len(pictures(stage)) == 1 + len(bars)
        assert not any(stage.get(one) for one in PRESSED)
        if student:
            assert [one for one in pictures(student) if one in pictures(stage)] == pictures(student) != []
    press(when_known(teacher), "Show the answer")
    press(teacher, "Show it all the same")
    assert f"Told of {lesson.title}." in told(stage.run())


def test_the_stage_has_bars_while_they_vote_only_if_its_teacher_wants_them(teacher: AppTest) -> None:
    room = asked(teacher, Choice)
    visited(room=room.code)
    assert any(one.startswith("Bars") for one in pictures(staged(teacher)))
    teacher.toggle(key="room:bars").set_value(False).run()
    stage = staged(teacher)
    for page in (teacher, stage):
        assert not any(one.startswith("Bars") for one in pictures(page))
    press(teacher, "Close the vote")
    for page in (teacher, stage.run()):
        assert any(one.startswith("Bars") for one in pictures(page))


def test_the_right_answer_to_ones_own_question_is_on_the_stage_when_it_is_shown(teacher: AppTest) -> None:
    written(teacher, "number", question="Which share?", low=0.0, high=100.0, unit="%", right="12.5")
    press(teacher, "Ask it")
    visited(room=room_of(teacher).code)
    stage = staged(teacher)
    for shown in (False, True):
        seen = "".join([told(stage.run()), *(one.proto.spec for one in stage.get("plotly_chart"))])
        assert "Which share?" in seen
        assert ("12.5" in seen) is shown
        if not shown:
            press(teacher.run(), "Show the answer")
            press(teacher, "Show it all the same")


def test_a_student_has_no_stage(teacher: AppTest) -> None:
    asked(teacher, Choice)
    student = visited(room=room_of(teacher).code, teach="1", present="2")
    assert "not the key" in student.error[0].value
    assert "Send" in labels(student)


def test_a_class_votes_discusses_and_votes_again(teacher: AppTest) -> None:
    room = asked(teacher, Choice)
    student = visited(room=room.code)
    answer(student, Choice, 0)
    press(student, "Send")
    press(teacher.run(), "Close the vote")
    first = LESSONS[KINDS[Choice]].prediction.options[0].label  # type: ignore[union-attr]
    assert "The vote is closed" in told(student.run())
    assert f"Yours: **{first}**" in told(student)
    assert not student.button
    press(teacher, "Second vote")
    assert f"Your first answer: **{first}**" in told(student.run())
    answer(student, Choice, 1)
    press(student, "Send")
    assert "This is the second vote." in told(teacher.run())
    press(when_known(teacher), "Show the answer")
    for page in (teacher, student.run()):
        (chart,) = page.get("plotly_chart")
        assert f"{first}: 1 then 0" in chart.proto.alt
    assert "Second vote" not in labels(teacher)


def test_an_answer_is_shown_to_few_only_when_asked_again(teacher: AppTest) -> None:
    room = asked(teacher, Choice)
    visited(room=room.code)
    press(when_known(teacher), "Show the answer")
    assert "Only 0 of 1 has answered" in told(teacher)
    press(teacher, "Wait")
    press(teacher, "Show the answer")
    assert not room.taught(room.key).revealed
    press(teacher, "Show it all the same")
    assert room.taught(room.key).revealed


def test_a_timer_is_told_to_all(teacher: AppTest) -> None:
    teacher.selectbox(key="room:timer").set_value(60).run()
    room = asked(teacher, Choice)
    assert "It closes in **1:00**" in told(teacher)
    assert "The vote closes in **" in told(visited(room=room.code))
    assert room._vote is not None
    room._vote._ends -= 61
    assert "The vote is closed" in told(teacher.run())


def written(teacher: AppTest, kind: str, **fields: object) -> None:
    """Let a teacher write a question."""
    teacher.segmented_control(key="room:own:kind").set_value(kind).run()
    for name, value in fields.items():
        draw = teacher.number_input if name in ("low", "high", "step") else teacher.text_input
        draw = teacher.text_area if name in ("question", "options") else draw
        draw(key=f"room:own:{name}").set_value(value)
    press(teacher, "Add the question")


@pytest.mark.parametrize("name", ["image", "html"])
def test_a_question_of_ones_own_is_shown_letter_by_letter(teacher: AppTest, name: str) -> None:
    hostile = " ".join(HOSTILE[name].split())[:LONGEST_OPTION]
    written(teacher, "choice", question=hostile, options=f"{hostile}\nno", right="1")
    assert not teacher.error
    press(teacher, "Ask it")
    room = room_of(teacher)
    student = visited(room=room.code)
    student.radio[0].set_value("1").run()
    press(student, "Send")
    press(teacher.run(), "Show the answer")
    assert "Right is " in told(student.run())
    for page in (teacher, student):
        shown = [one.value for part in (page.header, page.markdown) for one in part]
        assert not [text for text in shown if AWAY in text and alive(text.replace("**", ""))]
        assert "<img" not in page.get("plotly_chart")[0].proto.spec


def test_a_number_of_ones_own_is_typed_and_bounded(teacher: AppTest) -> None:
    written(teacher, "number", question="Which share?", low=0.0, high=100.0, unit="%", right="1/2 %")
    press(teacher, "Ask it")
    student = visited(room=room_of(teacher).code)
    student.text_input[0].set_value("101")
    press(student, "Send")
    assert "give a number from 0 to 100" in student.error[0].value
    student.text_input[0].set_value("37,5 %")
    press(student, "Send")
    assert not student.error
    assert "Sent ✓ 37.5 %" in labels(student)
    press(teacher.run(), "Show the answer")
    assert "Right is **0.5 %**" in told(teacher)


def test_a_question_that_cannot_be_asked_says_why(teacher: AppTest) -> None:
    written(teacher, "choice", question="Which?", options="only one")
    assert "options: " in teacher.error[0].value
    assert not room_of(teacher).kept(room_of(teacher).key)


def test_questions_go_to_another_room_in_a_file(teacher: AppTest) -> None:
    written(teacher, "slider", question="How many?", low=0.0, high=10.0, step=1.0)
    written(teacher, "ranking", question="Which first?", options="a\nb\nc", right="3 1 2")
    mine = room_of(teacher)
    kept = [*mine.kept(mine.key).values()]
    content = as_file(one for one in kept if isinstance(one, Own)).encode()
    other = press(visited(), "Open a room")
    for _ in range(2):  # the second time nothing is new
        other.file_uploader[0].set_value([("questions.json", content, "application/json")]).run()
        assert not other.exception
        room = room_of(other)
        assert [*room.kept(room.key).values()] == kept
    other.file_uploader[0].set_value([("questions.json", content[:-3], "application/json")]).run()
    assert "it is no file of questions" in other.error[0].value


def test_an_answer_that_comes_too_late_is_not_counted(teacher: AppTest) -> None:
    room = asked(teacher, Choice)
    late = visited(room=room.code)
    answer(late, Choice, 0)
    (send,) = (one for one in late.button if one.label == "Send")
    room.reveal(room.key, 1, sure=True)
    send.click().run()
    assert not late.exception
    assert room.taught(room.key).answers == ()
    assert "too late" in late.error[0].value


def test_a_room_that_has_ended_says_so_to_all(teacher: AppTest) -> None:
    room = room_of(teacher)
    student = visited(room=room.code)
    room._taught -= LEFT_S + 1
    for page in (student.run(), teacher.run()):
        assert "There is no room" in page.title[0].value
        assert "has ended" in told(page)
    press(student, "Enter another code")
    assert student.title[0].value == "What does your class predict?"


def test_a_teacher_ends_a_room(teacher: AppTest) -> None:
    code = room_of(teacher).code
    press(teacher, "End the room")
    assert rooms().find(code) is None
    assert "Open a room" in labels(teacher)
    assert dict(teacher.query_params) == {}


@pytest.mark.parametrize(
    ("address", "title", "said"),
    [
        ({"room": "1BBBBB"}, "There is no room 1BBBBB here", "a letter may be wrong"),
        ({"room": "2BBBBB"}, "There is no room 2BBBBB here", "several processes"),
        ({"room": "nowhere"}, "What does your class predict?", "room: 'nowhere' is not accepted"),
        ({"room": "1AAAAA"}, "What does your class predict?", "give a number and 5 consonants except L"),
    ],
)
def test_a_code_that_leads_nowhere_says_why(address: dict[str, str], title: str, said: str) -> None:
    page = visited(**address)
    assert page.title[0].value == title
    assert said in told(page)


def test_a_code_that_is_none_is_refused_where_it_is_typed() -> None:
    page = visited()
    page.text_input(key="room:typed").set_value("[x](y)").run()
    assert "room: '\\[x\\](y)' is not accepted" in page.error[0].value


def test_a_full_server_and_a_full_room_say_so(teacher: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_one, "MOST_SEATS", 1)
    visited(room=room_of(teacher).code)
    assert "This room is full: it holds 1 students." in told(visited(room=room_of(teacher).code))
    monkeypatch.setattr(of_one, "AWAY_S", 1e6)
    monkeypatch.setattr(of_all, "MOST_ROOMS", 1)
    page = press(visited(), "Open a room")
    assert "This server has 1 rooms open" in page.error[0].value


def test_students_pages_are_drawn_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    inside: list[str] = []
    together = []

    def drawn(code: str) -> None:
        inside.append(code)
        time.sleep(0.002)
        together.append(len(inside))
        inside.remove(code)

    monkeypatch.setattr(layout, "_show", drawn)
    threads = [threading.Thread(target=layout._draw, args=(str(number),)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [1] * 8


def test_a_teacher_closes_the_door_and_opens_it_again(teacher: AppTest) -> None:
    room = room_of(teacher)
    visited("inside", room=room.code)
    press(teacher, "Close the door")
    assert "nobody else comes in" in told(teacher)
    assert "The door of this room is closed" in told(visited("late", room=room.code))
    assert "You are in" in told(visited("inside", room=room.code))
    press(teacher, "Open the door")
    assert "You are in" in told(visited("late", room=room.code))
