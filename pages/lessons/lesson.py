"""The parts of a lesson: a prediction, a picture, the answer computed now, its reason, what follows.

A lesson is a text, `sim/content/lessons/NAME.md`, and a module of this name in `pages/lessons`. The module
has what the text cannot: functions that compute numbers, and pictures, by the names that `made` looks for.
"""

from __future__ import annotations

import dataclasses
import re
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

import plotly.graph_objects as go

from pages.animation.sandbox import Sandbox
from pages.lessons.prediction import Answer, Choice, Number, Option, Order, Prediction
from pages.shared.controls.control import OneOf
from sim.engines.slots.scenario import SlotScenario
from sim.model import rule
from sim.running.experiment import Experiment
from sim.running.live import RunRequest
from sim.telling.content import FOLDER, ContentError, Section, check_used, read


@dataclass(frozen=True, slots=True)
class Illustration:
    """A chart with its title, and what it says in words."""

    title: str
    figure: go.Figure
    alt: str


@dataclass(frozen=True, kw_only=True)
class Computed:
    """What a lesson's module computes of the answer.

    Parameters
    ----------
    answer : str, float or tuple of str
        As the prediction has it; a number may lie between the slider's places.
    values : mapping of str to object
        What the sections *Answer* and *Why* have places for; each is used.
    draw : callable
        What was predicted, whether the theme is dark -> the answer, drawn onto the prediction. Its words end
        with what was predicted, which is added.
    predicted : callable, optional
        What was predicted -> how the words of the picture have it; as `Prediction.shown` unless given.
    yours : callable, optional
        What was predicted -> the values of the section *Yours*: what would come of it.
    """

    answer: Answer
    values: Mapping[str, Any]
    draw: Callable[[Any, bool], Illustration]
    predicted: Callable[[Any], str] | None = None
    yours: Callable[[Any], Mapping[str, Any]] | None = None


@dataclass(frozen=True, kw_only=True)
class Found:
    """What is known of the answer.

    Parameters
    ----------
    answer : str, float or tuple of str
        As the prediction has it; a number may lie between the slider's places.
    told : str
        In a sentence, in Markdown.
    why : tuple of str
        The reason in three sentences, in Markdown.
    draw : callable
        What was predicted, whether the theme is dark -> the answer, drawn onto the prediction.
    yours : callable, optional
        What was predicted -> what would come of it, in a sentence.
    """

    answer: Answer
    told: str
    why: tuple[str, str, str]
    draw: Callable[[Any, bool], Illustration]
    yours: Callable[[Any], str] = lambda predicted: ""


@dataclass(frozen=True, slots=True)
class Variation:
    """What may be varied once the answer is seen.

    Parameters
    ----------
    label : str
    values : tuple, or mapping to str
        What it may be; a mapping says how each is shown.
    default : object
        What the prediction is about.
    """

    label: str
    values: tuple[Any, ...] | Mapping[Any, str]
    default: Any

    def draw(self, key: str) -> Any:
        """Draw the widget, whose value is in the session under this key; return its value."""
        return OneOf(self.values, "segmented_control").draw(f"Now try: {self.label}", key=key)


@dataclass(frozen=True, slots=True)
class Full:
    """The page that has more of it: its name, what it can do, and the link's parameters."""

    page: str
    label: str
    query: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Watch:
    """A few jobs of a small cluster in the setting of the lesson, to watch.

    Parameters
    ----------
    told : str
        What is seen, in a sentence or two that give nothing away.
    runs : callable
        Value of the variation -> what each run is called, and its experiment: one policy each, the same jobs.
        The first is the plain one, which may be watched before the prediction.
    """

    told: str
    runs: Callable[[Any], Mapping[str, Experiment]]


@dataclass(frozen=True, slots=True)
class Live:
    """A setting whose sliders run the slot engine in a reader's browser, on exported pages.

    Parameters
    ----------
    scenario : SlotScenario
        Where the sliders are at first.
    policies : tuple of str
        Those of the engine that is shipped (`sim.shell.wasm`).
    first : tuple of str
        Those that are compared at first.
    sliders : mapping of str to tuple of float
        What load, beta, slots and epsilon can be set to; those that are missing stay where they are.
    preset : str
        What the scenario's shell line starts from.
    replications : int
    """

    scenario: SlotScenario
    policies: tuple[str, ...]
    first: tuple[str, ...]
    sliders: Mapping[str, tuple[float, ...]]
    preset: str = "light"
    replications: int = 8


#: How hard the exercises of a lesson are, in their order.
LEVELS = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class Exercise:
    """A question with a number as its answer.

    Parameters
    ----------
    question : str
        In Markdown.
    unit : str
        Of the answer; empty if it has none.
    solve : callable
        Computes the answer.
    hint : str
        The first step towards it, in a sentence, in Markdown.
    how : str
        How to find it, in a sentence, in Markdown.
    """

    question: str
    unit: str
    solve: Callable[[], float]
    hint: str
    how: str


@dataclass(frozen=True, slots=True)
class Decision:
    """A question with a picture and a few things to do, of which one is right.

    Parameters
    ----------
    question : str
        In Markdown.
    options : tuple of Option
    picture : callable
        Whether the theme is dark -> what is decided about.
    solve : callable
        Computes the key of the right option.
    hint, how : str
        As of an `Exercise`.
    """

    question: str
    options: tuple[Option, ...]
    picture: Callable[[bool], Illustration]
    solve: Callable[[], str]
    hint: str
    how: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a teacher needs besides.

    Parameters
    ----------
    objectives : tuple of str
        What students can do afterwards.
    mistakes : callable
        Usual wrong answers, in Markdown, with why they are given; numbers in them are computed.
    """

    objectives: tuple[str, ...]
    mistakes: Callable[[], tuple[tuple[str, str], ...]]


def _no_runs(varied: Any) -> tuple[RunRequest, ...]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One question that a class answers before it sees.

    Parameters
    ----------
    name : str
        Of its file.
    title : str
        A few words, as a menu has them.
    question : str
        One sentence.
    prediction : Prediction
        What is to be predicted before the answer is shown.
    minutes : int
        How long it takes.
    needs : tuple of str
        Names of the lessons that it builds on.
    plans : tuple of str
        The short plans of the course that it is in.
    scene : callable
        Which draw of the luck, whether the theme is dark -> what is asked about, which gives nothing away.
    variation : Variation
        What may be varied afterwards.
    find : callable
        Value of the variation, a comparison for each run that it `asks` for -> the answer.
    asks : callable, optional
        Value of the variation -> the runs, of the same policies; none where the answer is theory.
    formulas : tuple of str
        In LaTeX.
    source : str
        Where they are from, in Markdown.
    full : Full
    watch : Watch
    exercises : tuple
        One of each of the `LEVELS`: a decision, and two that are computed.
    plan : Plan
    live : Live, optional
        A setting to measure in the browser, on the exported page.
    sandbox : Sandbox, optional
        A cluster to play with in place of the scene; before the prediction it gives nothing away.
    fine : tuple, optional
        More values of the variation, in their order: the exported page has a slider of them.
    files : tuple, optional
        What students may take with them: what the button says, the name of the file, and what makes it.
    random : bool, optional
        Whether the scene is drawn at random, and anew if asked.
    """

    name: str
    title: str
    question: str
    prediction: Prediction
    minutes: int
    needs: tuple[str, ...]
    plans: tuple[str, ...]
    scene: Callable[[int, bool], Illustration]
    variation: Variation
    find: Callable[..., Found]
    formulas: tuple[str, ...]
    source: str
    full: Full
    watch: Watch
    exercises: tuple[Decision | Exercise, ...]
    plan: Plan
    live: Live | None = None
    sandbox: Sandbox | None = None
    asks: Callable[[Any], tuple[RunRequest, ...]] = field(default=_no_runs)
    fine: tuple[float, ...] = ()
    files: tuple[tuple[str, str, Callable[[], bytes]], ...] = ()
    random: bool = True


#: Facts and sections of each lesson, and those that some have.
FACTS = ("title", "question", "id", "minutes", "predict", "vary", "page", "label")
SECTIONS = ("Prediction", "Answer", "Why", "Watch", "Formulas", "Source", "Objectives", "Mistakes")
MORE = ("needs", "plans", "Yours", "Variations")
#: Exercise -> its parts, and those that some have.
EXERCISES = {
    "Easy": (("hint", "solution", "options"), ()),
    "Medium": (("hint", "solution"), ("unit",)),
    "Hard": (("hint", "solution"), ("unit",)),
}
#: Sections and parts that are a list, and nothing else.
LISTS = ("Why", "Objectives", "Mistakes", "Variations", "options")
#: What each module has, and what some have.
FUNCTIONS = ("VALUES", "DEFAULT", "scene", "find", "watch", "decision", *LEVELS)
#: A usual mistake: a wrong answer, and why it is given.
MISTAKE = re.compile(r"\*\*(.+)\.\*\* (.+)")


def made(name: str) -> Lesson:
    """Return the lesson of this name, of its text and its module.

    Raises
    ------
    ContentError
        If either lacks something, or has what the other does not need; it names file, section and name.
    """
    file, module = read(FOLDER / "lessons" / f"{name}.md"), import_module(f"pages.lessons.{name}")
    file.check((*FACTS, *SECTIONS, *EXERCISES), MORE)
    for function in FUNCTIONS:
        if not hasattr(module, function):
            raise ContentError(f"{file.where}: {function} is missing in pages/lessons/{name}.py")
    here, facts, parts = ChainMap(vars(module), vars(rule)), file.facts, file.parts
    prediction = _prediction(file, here)
    for title, section in parts.items():
        is_list, asked = title in LISTS, title == "Prediction" and facts["predict"] != "number"
        parts_of_it = EXERCISES.get(title, ((), section.parts))
        section.check(*parts_of_it, text=not is_list, items=is_list or asked)
        for piece, part in section.parts.items():
            part.check(text=piece not in LISTS, items=piece in LISTS)
    return Lesson(
        name=name,
        title=facts["title"],
        question=facts["question"],
        prediction=prediction,
        minutes=int(facts["minutes"]),
        needs=_names(facts, "needs"),
        plans=_names(facts, "plans"),
        scene=module.scene,
        variation=_variation(file, here),
        find=partial(_find, file, here, prediction),
        formulas=tuple(one.strip() for one in parts["Formulas"].text.split("$$") if one.strip()),
        source=parts["Source"].told(here),
        full=Full(facts["page"], facts["label"], here.get("QUERY", {})),
        watch=Watch(parts["Watch"].told(here), module.watch),
        exercises=tuple(_exercise(parts[title], here) for title in EXERCISES),
        plan=Plan(parts["Objectives"].listed(here), partial(_mistakes, parts["Mistakes"], here)),
        live=here.get("LIVE"),
        fine=here.get("FINE", ()),
        sandbox=here.get("SANDBOX"),
        asks=here.get("asks", _no_runs),
        files=here.get("FILES", ()),
        random=here.get("RANDOM", True),
    )


def _names(facts: Mapping[str, str], key: str) -> tuple[str, ...]:
    return tuple(facts[key].split(", ")) if key in facts else ()


def _options(section: Section, here: Mapping[str, Any]) -> tuple[Option, ...]:
    pairs = (one.partition(": ") for one in section.listed(here))
    return tuple(Option(key, label) for key, _, label in pairs)


def _prediction(file: Section, here: Mapping[str, Any]) -> Prediction:
    section, key, kind = file.parts["Prediction"], file.facts["id"], file.facts["predict"]
    asked = section.told(here)
    match kind:
        case "choice":
            return Choice(key, asked, _options(section, here))
        case "order":
            return Order(key, asked, _options(section, here))
        case "number" if "RANGE" in here:
            return Number(key, asked, *here["RANGE"])
    known = "choice, order, or number with a RANGE in the module"
    raise ContentError(f"{file.where}: predict: {kind} is not known; give {known}")


def _variation(file: Section, here: Mapping[str, Any]) -> Variation:
    values = here["VALUES"]
    if section := file.parts.get("Variations"):
        labels = section.listed(here)
        if len(labels) != len(values):
            raise ContentError(f"{section.where}: VALUES are {len(values)}, not {len(labels)}")
        values = dict(zip(values, labels, strict=True))
    return Variation(file.facts["vary"], values, here["DEFAULT"])


def _find(
    file: Section, here: Mapping[str, Any], prediction: Prediction, varied: Any, *comparisons: Any
) -> Found:
    computed: Computed = here["find"](varied, *comparisons)
    values = ChainMap({**computed.values}, here)  # type: ignore[arg-type]
    answer, reasons = file.parts["Answer"], file.parts["Why"]
    check_used(computed.values, answer, reasons)
    told, why = answer.told(values), reasons.listed(values)
    if len(why) != 3:
        raise ContentError(f"{reasons.where}: has to have three sentences, not {len(why)}")

    def draw(predicted: Any, dark: bool) -> Illustration:
        picture = computed.draw(predicted, dark)
        if predicted is None:
            return picture
        told = (computed.predicted or prediction.shown)(predicted)
        return dataclasses.replace(picture, alt=f"{picture.alt} Predicted: {told}.")

    def yours(predicted: Any) -> str:
        if computed.yours is None:
            return ""
        return file.part("Yours").told(ChainMap({**computed.yours(predicted)}, here))  # type: ignore[arg-type]

    return Found(answer=computed.answer, told=told, why=(why[0], why[1], why[2]), draw=draw, yours=yours)


def _exercise(section: Section, here: Mapping[str, Any]) -> Decision | Exercise:
    solve, parts = here[section.title.lower()], section.parts
    asked, hint, how = (one.told(here) for one in (section, parts["hint"], parts["solution"]))
    if "options" in parts:
        return Decision(asked, _options(parts["options"], here), here["decision"], solve, hint, how)
    unit = parts["unit"].told(here) if "unit" in parts else ""
    return Exercise(asked, unit, solve, hint, how)


def _mistakes(section: Section, here: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    found = []
    for one in section.listed(here):
        if not (pair := MISTAKE.fullmatch(one)):
            said = f"{one[:40]} is none; write **a wrong answer.** Why it is given."
            raise ContentError(f"{section.where}: {said}")
        found.append((pair[1], pair[2]))
    return tuple(found)
