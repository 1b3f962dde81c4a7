"""The papers in words: what is confirmed in each, what was found, small slips, and the answer of the page.

The text is in `sim/content/errata`, a file for each paper. A finding there is a section with these lines and
parts; its text gets its values when it is looked at.

| line or part | what it has |
| --- | --- |
| ``numbers`` | the function of `pages.errata.evidence` that computes values, table and picture |
| ``place`` | where in the paper |
| ``remark: yes`` | nothing printed is wrong, but something worth knowing is not said |
| ``play`` | the page on which the instance can be played with, and its link's parameters |
| Printed, Right | what is printed, what is right |
| An instance | what the theory answers to it |
| The picture | what the picture shows beyond the instance |
| How we know | in a sentence, and the tests that hold it, ``file::function`` below ``tests/theory`` |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from urllib.parse import parse_qsl

import pandas as pd

from pages.errata.evidence import Numbers, Picture, aktas_soljanin, dolly, hopper, xu_lau
from pages.shared.words.foreign import bold
from sim.telling.content import FOLDER, ContentError, Section, check_used, read
from sim.telling.words import counted, listed

#: Key of a paper, which is the name of its file, too -> the numbers of its findings.
NUMBERS: dict[str, ModuleType] = {
    "hopper": hopper,
    "xu-lau": xu_lau,
    "aktas-soljanin": aktas_soljanin,
    "dolly": dolly,
}
_BEGIN, _END = "Confirmed", "Small slips"
_INSTANCE, _PICTURE, _KNOWN = "An instance", "The picture", "How we know"
_NEEDED, _MORE = ("numbers", "place", "Printed", "Right", _INSTANCE, _KNOWN), ("remark", "play", _PICTURE)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The instance of a finding: what is told of it, a table, a picture with what it shows."""

    told: str
    table: pd.DataFrame | None = None
    picture: Picture | None = None
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One place of a paper.

    Attributes
    ----------
    title : str
        In one line, what was found.
    place : str
        Where in the paper.
    printed, right, known : str
        What is printed, what is right, and how we know, in Markdown.
    tests : tuple of str
        The tests that hold it, ``file::function`` below ``tests/theory``.
    remark : bool
        Whether nothing printed is wrong, but something worth knowing is not said.
    play : tuple of str and dict, or None
        The page on which the instance can be played with, and its link's parameters.
    texts : tuple of Section
        What the theory answers to the instance, and what the picture shows beyond it.
    numbers : callable
        Computes values, table and picture.
    """

    title: str
    place: str
    printed: str
    right: str
    known: str
    tests: tuple[str, ...]
    remark: bool
    play: tuple[str, dict[str, str]] | None
    texts: tuple[Section, ...]
    numbers: Callable[[], Numbers]

    @classmethod
    def of(cls, section: Section, computed: Mapping[str, Callable[[], Numbers]]) -> Finding:
        """Return the finding of a section.

        Raises
        ------
        ContentError
            If a line, a part or the function is missing, or nothing is known of one.
        """
        section.check(_NEEDED, _MORE)
        facts, parts = section.facts, section.parts
        for title, part in parts.items():
            part.check(text=True, items=title == _KNOWN)
        if facts["numbers"] not in computed:
            raise ContentError(f"{section.where}: no function {facts['numbers']}() computes its numbers")
        printed, right, known = (parts[title].told({}) for title in ("Printed", "Right", _KNOWN))
        page, _, query = facts.get("play", "").partition("?")
        return cls(
            title=section.title,
            place=facts["place"],
            printed=printed,
            right=right,
            known=known,
            tests=parts[_KNOWN].items,
            remark=facts.get("remark") == "yes",
            play=(page, dict(parse_qsl(query))) if page else None,
            texts=tuple(part for title, part in parts.items() if title in (_INSTANCE, _PICTURE)),
            numbers=computed[facts["numbers"]],
        )

    def show(self) -> Evidence:
        """Compute the instance, and fill its numbers into the text."""
        found = self.numbers()
        if found.picture is None and len(self.texts) > 1:
            raise ContentError(f"{self.texts[1].where}: there is no picture")
        check_used(found.values, *self.texts)
        told = [one.told(found.values) for one in self.texts]
        return Evidence(told[0], found.table, found.picture, " ".join(told))


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper, what of it is confirmed, what was found, and small slips of the pen."""

    key: str
    short: str
    reference: str
    confirmed: tuple[str, ...]
    findings: tuple[Finding, ...]
    slips: tuple[str, ...]

    @classmethod
    def of(cls, path: Path, numbers: ModuleType) -> Paper:
        """Return the paper of a file.

        Raises
        ------
        ContentError
            If it does not begin with what is confirmed, or end with small slips; or of a finding.
        """
        file = read(path)
        file.check(("short", "reference"), file.parts)
        first, *found, last = file.parts.values()
        if (first.title, last.title) != (_BEGIN, _END):
            raise ContentError(f"{file.where}: begins with '{first.title}' and ends with '{last.title}'")
        for one in (first, last):
            one.check(items=True)
        findings = tuple(Finding.of(one, numbers.EVIDENCE) for one in found)
        for name in sorted(numbers.EVIDENCE.keys() - {one.facts["numbers"] for one in found}):
            raise ContentError(f"{file.where}: no finding asks for the numbers of {name}()")
        values = getattr(numbers, "SLIPS", {})
        check_used(values, last)
        slips = last.listed(values)
        return cls(path.stem, file.facts["short"], file.facts["reference"], first.items, findings, slips)

    @property
    def corrections(self) -> tuple[Finding, ...]:
        """Findings of something printed that is wrong; the others are remarks."""
        return tuple(finding for finding in self.findings if not finding.remark)

    def anchor(self, finding: Finding) -> str:
        """Return the name of a finding in a link."""
        return f"{self.key}-{self.findings.index(finding) + 1}"


PAPERS = {key: Paper.of(FOLDER / "errata" / f"{key}.md", numbers) for key, numbers in NUMBERS.items()}


def found(paper: Paper) -> str:
    """Return in a sentence how many results of a paper are confirmed and corrected, and what else there is.

    Examples
    --------
    >>> found(Paper("k", "K", "K, 2020", ("a", "b"), (), ("c",)))
    'K: **2 results are confirmed, none is corrected**; 1 small slip is listed below.'
    """
    right, wrong = len(paper.confirmed), len(paper.corrections)
    remarks, slips = len(paper.findings) - wrong, len(paper.slips)
    results = f"{counted(right, 'result')} {_are(right)} confirmed, {wrong or 'none'} {_are(wrong)} corrected"
    others = [*([counted(remarks, "remark")] if remarks else []), counted(slips, "small slip")]
    return f"{paper.short}: {bold(results)}; {listed(others)} {_are(remarks + slips)} listed below."


def _are(count: int) -> str:
    return "are" if count > 1 else "is"
