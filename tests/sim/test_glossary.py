"""The glossary: one source for the documents and the pages; a word is found in any of its forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.engines.slots.scenario import SlotPolicy
from sim.engines.slots.speculation.late import RULE as LATE
from sim.engines.slots.speculation.mantri import RULE as MANTRI
from sim.telling.glossary import TERMS, defined, table

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "glossary.md").read_text()


def test_the_reference_has_this_table() -> None:
    assert PAGE.endswith("\n\n" + table() + "\n")


def test_every_word_is_defined_once_and_shortly() -> None:
    words = [term.word for term in TERMS]
    assert len(set(words)) == len(words)
    forms = [form for term in TERMS for form in (term.forms or (term.word,))]
    assert len(set(forms)) == len(forms)
    assert all(len(term.meaning) < 260 and not term.meaning.endswith(".") for term in TERMS)


def test_what_a_newcomer_cannot_know_is_a_short_term() -> None:
    """As the names of rules and systems have them, which are written so on every page."""
    short = {term.word for term in TERMS if term.short}
    assert short >= {"LATE", "SRPT", "Hopper", "Mantri", "SCA", "SDA", "ESE", "p95", "CDF", "slot·s"}
    titles = {LATE.title, MANTRI.title, *(SlotPolicy.SYSTEMS[name][0] for name in ("sca", "sda", "ese"))}
    assert titles <= short


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("extra copies of tasks", ["task", "copy"]),
        ("median flowtime −69 ± 1 %", ["flowtime", "95 % interval"]),
        ("slot-time", ["slot-time, resource"]),
        ("busy slots at an offered load", ["slot", "load ρ, offered load ρ₀"]),
        ("β = 1.5 and θ", ["tail index β", "threshold θ"]),
        ("overloaded Spark", []),
        ("a late task under LATE", ["task", "LATE"]),
        ("Sparrow-SRPT, hopper", []),
        ("mean 3 slot·min by the CDF, Hopper’s p95", ["slot", "p95", "CDF", "slot·s", "Hopper"]),
    ],
)
def test_a_text_has_the_definitions_of_its_words_only(text: str, words: list[str]) -> None:
    assert [line.split("**")[1] for line in defined(text).splitlines()] == words
