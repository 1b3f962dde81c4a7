"""Exported lessons: the numbers of the app, drawn where they belong, in files that load nothing."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, partial
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pages.lessons import LESSONS
from pages.lessons.answers import answered, solution
from pages.lessons.course import TITLE, plans
from pages.lessons.export import lab, site
from pages.lessons.export.live import ENGINE, SHOWN, TITLES, WORKER
from pages.lessons.export.markup import inline
from pages.lessons.export.page import (
    JUDGED,
    LESSON,
    PLAYER,
    SHEET,
    TYPED,
    recorded,
    values,
)
from pages.lessons.export.page import page as lesson_page
from pages.lessons.export.scripts import CHARTS, EXPORT, IMPORT, PLOTLY, alike
from pages.lessons.lesson import Decision, Illustration
from pages.lessons.prediction import Choice, Number
from sim.model.result import Comparison
from sim.running.execution import Effort
from sim.running.experiment import Experiment, compare
from sim.shell.verbs import main
from sim.telling.document import as_html
from tests.pages.lessons.test_lessons import found, predictions
from tests.pages.lessons.twins import assert_same, script

pytestmark = pytest.mark.compiled


def few(experiment: Experiment, effort: Effort) -> Comparison:
    """Run two replications of fewer jobs, as `found` does."""
    assert effort.most > 2
    fewer = Experiment(experiment.scenario.replace(jobs=400), experiment.policies)
    return compare(fewer, replications=2)


@cache
def exported() -> dict[str, bytes]:
    return dict(site.files(few))


class _Reader(HTMLParser):
    """Collects the text of a page, and the data of its script."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.data, self.alts, self._inside = "", "", [], [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("style", "script"):
            self._inside.append(given.get("type") or tag)
        if given.get("role") == "img":
            self.alts.append(given["aria-label"])

    def handle_endtag(self, tag: str) -> None:
        if tag in ("style", "script"):
            self._inside.pop()
        elif tag in ("p", "li", "h1", "h2", "h3", "figcaption"):
            self.text += "\n"

    def handle_data(self, data: str) -> None:
        if self._inside[-1] == "application/json":
            self.data += data
        elif not self._inside[-1]:
            self.text += data


def read(number: int | str, kind: str = "lesson-") -> _Reader:
    reader = _Reader()
    reader.feed(exported()[f"{kind}{number}.html"].decode())
    return reader


def plain(markdown: str) -> str:
    """Return Markdown of the lessons without its signs, up to the first equation."""
    return re.sub(r"\\(.)", r"\1", re.sub(r"(?<!\\)\*", "", markdown.partition("$")[0]))


@pytest.mark.parametrize("number", LESSONS)
def test_a_page_has_all_texts_and_numbers_of_its_lesson(number: int) -> None:
    lesson, page = LESSONS[number], read(number)
    answers = {varied: found(number, varied) for varied in lesson.variation.values}
    wanted = [lesson.question, lesson.prediction.label, lesson.watch.told, lesson.source]
    wanted += [text for one in answers.values() for text in (one.told, *one.why)]
    for exercise in lesson.exercises:
        wanted += [exercise.question, exercise.hint, f"Solution: {solution(exercise)}. {exercise.how}"]
    for text in wanted:
        assert plain(text) in page.text
    assert "**" not in page.text
    first = answers[lesson.variation.default]
    for picture in (lesson.scene(0, False), *(one.draw(None, False) for one in answers.values())):
        assert picture.title in page.text
        assert picture.alt in page.alts
    known = json.loads(page.data)
    assert [one["right"] for one in known["exercises"]] == [one.solve() for one in lesson.exercises]
    for key, said in [*known["predictions"].items()][::10]:
        predicted = lesson.prediction.read(key)
        told = answered(lesson, first, predicted, varied=False)
        assert re.sub("<[^>]+>", "", said["told"]) == plain(told)
        assert said["alt"] == first.draw(predicted, False).alt
    many = {
        Choice: lambda one: len(one.options),
        Number: lambda one: round((one.high - one.low) / one.step) + 1,
    }
    assert len(known["predictions"]) == many.get(type(lesson.prediction), lambda one: 24)(lesson.prediction)


@pytest.mark.parametrize("number", LESSONS)
def test_a_plan_has_all_and_a_worksheet_gives_nothing_away(number: int) -> None:
    lesson, answer = LESSONS[number], found(number, LESSONS[number].variation.default)
    whole, asked = read(number, "plan-"), read(number, "worksheet-")
    for one in lesson.exercises:
        assert plain(one.question) in whole.text
        assert plain(one.question) in asked.text
        assert f"Solution: {solution(one)}. {plain(one.how)}" in whole.text
        for kept in filter(None, map(plain, (one.how, one.hint))):
            assert kept not in asked.text
        if isinstance(one, Decision):
            assert one.picture(False).alt in asked.alts
            assert all(f"☐ {option.label}" in asked.text for option in one.options)
    assert plain(answer.told) in whole.text
    assert plain(answer.told) not in asked.text
    assert answer.draw(None, False).alt in whole.alts
    assert lesson.scene(0, False).alt in asked.alts
    told = [f"{wrong}. {why}" for wrong, why in lesson.plan.mistakes()]
    assert all(text in whole.text for text in (*lesson.plan.objectives, *map(plain, told)))
    assert not any(plain(why) in asked.text for why in told)
    assert "Solution" not in asked.text
    for sheet in (whole, asked):
        assert plain(lesson.prediction.label) in sheet.text
        assert "**" not in sheet.text


def test_the_course_is_titled_and_has_lessons_and_sessions_in_their_order() -> None:
    text = read("course", "").text
    assert text.lstrip().startswith(TITLE)
    titles = [text.index(f"{lesson.title}: ") for lesson in LESSONS.values()]
    assert titles == sorted(titles)
    heads = [text.index(f"Course of {name}") for name in plans()]
    assert titles[-1] < heads[0]
    assert heads == sorted(heads)
    last = text[heads[-1] :]
    places = [last.index(f"Session {place}") for place in range(1, 5)]
    assert places == sorted(places)
    for sessions in plans().values():
        assert all(step.what in text for one in sessions for step in one.steps)


def test_scripts_take_from_each_other_what_they_export() -> None:
    """An exported page has its modules as plain scripts: no name is changed, no constant left behind."""
    texts = {
        path.stem: path.read_text(encoding="utf-8")
        for path in (*PLAYER, TYPED, JUDGED, CHARTS, LESSON, SHEET, *SHOWN, ENGINE, WORKER, lab.PAGE)
    }
    exported = {name: set(EXPORT.findall(text)) for name, text in texts.items()}
    for name, text in texts.items():
        for names, source in IMPORT.findall(text):
            assert set(names.split(", ")) <= exported[source], f"{name} from {source}"
        assert not re.search(r"^export const [^=]+=[^={(]+, \w+ = ", text, re.MULTILINE), name
        assert len(re.findall("^import ", text, re.MULTILINE)) == len(IMPORT.findall(text)), name


def test_files_are_small_whole_and_from_nowhere_else() -> None:
    files = exported()
    assert {"index.html", "log-a.csv", *(f"lesson-{number}.html" for number in LESSONS)} <= {*files}
    assert sum(len(content) for name, content in files.items() if name != PLOTLY) <= site.MOST_BYTES
    for name, content in files.items():
        if name.endswith(".html"):
            text = content.decode().replace("http://www.w3.org/1998/Math/MathML", "")
            text = text.replace(f'src="{PLOTLY}"', "")
            assert not re.search(r"https?:|\bsrc=|@import|url\(|\bimport \{|\bstyle=|\bon\w+=\"", text), name
            assert "default-src 'none'" in text
            links = set(re.findall(r'href="([^"]+)"', text))
            assert links <= {*files}, name


@pytest.mark.parametrize("number", LESSONS)
def test_the_charts_of_a_page_are_those_of_the_app(number: int) -> None:
    lesson, page = LESSONS[number], read(number)
    known = json.loads(page.data)
    answers = [
        found(number, lesson.variation.default),
        *(found(number, one) for one in lesson.variation.values),
    ]
    pictures = [lesson.scene(0, False), *(one.draw(None, False) for one in answers), *decisions(number)]
    for picture in pictures:
        assert values(picture) in known["figures"].values()
    plain = values(answers[0].draw(None, False))
    for key, said in [*known["predictions"].items()][::10]:
        traces = [plain["data"][one] if isinstance(one, int) else one for one in said["data"]]
        layout = {name: one for name, one in {**plain["layout"], **said["layout"]}.items() if one is not None}
        drawn = values(answers[0].draw(lesson.prediction.read(key), False))
        assert {"data": traces, "layout": layout} == drawn
    recorded = known["figures"].keys() - (TITLES.keys() if lesson.live else ())
    assert len(page.alts) == len(known["figures"])
    assert len(recorded) == page.text.count("A script draws this chart. In words:")


@pytest.mark.parametrize("number", [number for number, lesson in LESSONS.items() if lesson.fine])
def test_each_place_of_a_slider_has_the_answer_of_the_app(number: int) -> None:
    lesson = LESSONS[number]
    moved = json.loads(read(number).data)["moved"]
    assert {*lesson.variation.values} <= {*lesson.fine}
    for varied, place in zip(lesson.fine, moved, strict=True):
        answer = lesson.find(varied)
        picture = answer.draw(None, False)
        assert place["label"] == f"{varied:g}"
        assert (place["told"], place["alt"]) == (inline(answer.told), picture.alt)
        assert place["figure"] == values(picture)
        for trace, letter in product(place["figure"]["data"], "xy"):
            if "markers" in trace.get("mode", ""):
                low, high = place["figure"]["layout"][f"{letter}axis"].get("range", (-math.inf, math.inf))
                assert all(low <= one <= high for one in trace[letter]), f"{varied} is off its chart"
        assert not re.search("nan|inf", json.dumps(place["figure"]) + place["told"].replace("infinite", ""))


def decisions(number: int) -> list[Illustration]:
    return [one.picture(False) for one in LESSONS[number].exercises if isinstance(one, Decision)]


@pytest.mark.parametrize("number", LESSONS)
def test_a_chart_of_the_dark_theme_is_the_light_one_in_other_colours(number: int) -> None:
    """A page has figures of the light theme only; `charts.js` changes their colours as is done here."""
    other = alike()

    def darkened(picture: Illustration) -> Any:
        return re.sub(
            r"#[0-9A-F]{6}|rgba\(\d+,\d+,\d+", lambda one: other[one[0]], json.dumps(values(picture))
        )

    lesson, answer = LESSONS[number], found(number, LESSONS[number].variation.default)
    (decision,) = (one for one in lesson.exercises if isinstance(one, Decision))
    for draw in (partial(lesson.scene, 0), partial(answer.draw, predictions(lesson)[-1]), decision.picture):
        assert json.loads(darkened(draw(False))) == values(draw(True))


def test_only_the_script_beside_a_page_runs_or_it_is_within() -> None:
    page, script_of = exported()["lesson-2.html"].decode(), exported()[PLOTLY].decode()
    assert f'<script src="{PLOTLY}"></script>' in page
    assert "script-src 'self' file: 'sha256-" in page
    whole = lesson_page(recorded(2, LESSONS[2], few), within=True)
    assert script_of in whole
    assert "src=" not in whole.replace(script_of, "")
    assert re.findall(r"script-src ([^;]+);", whole)[0].count("'sha256-") == 2
    assert "'self'" not in re.findall(r'Policy" content="([^"]+)"', whole)[0]


def test_typed_answers_are_judged_as_in_python() -> None:
    """In a browser the same is asked by `tests/browser/test_export.py`."""
    if not (node := shutil.which("node")):
        pytest.skip("no Node.js")
    line = f"process.stdout.write(JSON.stringify({script()}))"
    ran = subprocess.run([node, "-"], input=line, capture_output=True, text=True, check=True, timeout=120)
    assert_same(json.loads(ran.stdout))


def test_an_export_is_made_anew_and_follows_no_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = [("index.html", site.index().encode()), ("a.csv", b"1,2\n")]
    monkeypatch.setattr(site, "files", lambda run, whole: iter(made))
    folder, thesis = tmp_path / "site", tmp_path / "thesis"
    thesis.write_text("mine")
    for _ in range(2):  # the second time over the files of the first
        assert main(["export", "lessons", str(folder)]) == 0
    (folder / "a.csv").unlink()
    (folder / "a.csv").symlink_to(thesis)
    assert main(["export", "lessons", str(folder)]) == 2
    assert "'a.csv' in it cannot be written (it is a link)" in capsys.readouterr().err
    assert thesis.read_text() == "mine"


def test_without_the_extra_it_is_said_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", None)
    for name in [name for name in sys.modules if name.startswith("pages.lessons.export")]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["export", "lessons", str(tmp_path / "site")]) == 2
    assert "needs latex2mathml" in (told := capsys.readouterr().err)
    assert told.endswith("install it with: pip install '.[export]'\n")


def test_the_command_writes_the_files_and_refuses_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def files(run: object, *, whole: bool) -> Iterator[tuple[str, bytes]]:
        asked.append(whole)
        yield from (("index.html", b"all"), ("a.csv", b"1,2\n"))

    monkeypatch.setattr(site, "files", files)
    folder = tmp_path / "new" / "site"
    assert main(["export", "lessons", str(folder)]) == 0
    assert capsys.readouterr().out == "index.html  3 bytes\na.csv  4 bytes\n"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "index.html": b"all",
        "a.csv": b"1,2\n",
    }
    assert main(["export", "lessons", str(tmp_path / "whole"), "--whole"]) == 0
    assert asked == [False, True]
    capsys.readouterr()
    (tmp_path / "index.html").write_text("a site of somebody")
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "index.html").write_text(as_html("A report of ours", []))
    assert main(["export", "lessons", str(tmp_path / "report")]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert main(["export", "films", str(folder)]) == 2
    assert main(["export", "lessons", str(tmp_path)]) == 2
    assert (tmp_path / "index.html").read_text() == "a site of somebody"
    assert main(["export", "lessons", str(folder / "a.csv")]) == 2
    assert main(["export", "lessons", "a\0b"]) == 2
    first, other, second, third = capsys.readouterr().err.splitlines()
    assert first.endswith("what: 'films' is not accepted; give lessons, lab")
    assert "holds something else" in other
    assert "cannot be written" in second
    assert "cannot be written" in third
