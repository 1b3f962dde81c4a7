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
from sim.telling.content import FOLDER, ContentError, Section, fill, read
from sim.telling.words import counted, listed

#: Key of a paper, which is the name of its file, too -> the numbers of its findings.
NUMBERS: dict[str, ModuleType] = {
    "hopper": hopper,
    "xu-lau": xu_lau,
    "aktas-soljanin": aktas_soljanin,
    "dolly": dolly,
}
_BEGIN, _END = "Confirmed", "Small slips"
_PARTS, _MORE = ("Printed", "Right", "An instance", "How we know"), "The picture"
_KEYS = {"numbers", "place", "remark", "play"}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The instance of a finding: what is told of it, a table, a picture with what it shows."""

    told: str
    table: pd.DataFrame | None = None
    picture: Picture | None = None
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One place of a paper, as its section has it."""

    section: Section
    numbers: Callable[[], Numbers]

    @classmethod
    def of(cls, section: Section, computed: Mapping[str, Callable[[], Numbers]]) -> Finding:
        """Return the finding of a section.

        Raises
        ------
        ContentError
            If a line, a part or the function is missing, or nothing is known of one.
        """
        for title in _PARTS:
            section.part(title)
        odd = {one.title for one in section.parts} - {*_PARTS, _MORE} | section.keys.keys() - _KEYS
        for name in sorted(odd | {section.text} - {""}):
            raise ContentError(f"{section.where}: no finding has '{name}'")
        section.key("place")
        name = section.key("numbers")
        if name not in computed:
            raise ContentError(f"{section.where}: no function {name}() computes its numbers")
        return cls(section, computed[name])

    @property
    def title(self) -> str:
        """In one line, what was found."""
        return self.section.title

    @property
    def place(self) -> str:
        """Where in the paper."""
        return self.section.key("place")

    @property
    def printed(self) -> str:
        """What is printed, in Markdown."""
        return self.section.part("Printed").text

    @property
    def right(self) -> str:
        """What is right, in Markdown."""
        return self.section.part("Right").text

    @property
    def known(self) -> str:
        """How we know."""
        return self.section.part("How we know").paragraphs

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that hold it, ``file::function`` below ``tests/theory``."""
        return self.section.part("How we know").items

    @property
    def remark(self) -> bool:
        """Whether nothing printed is wrong, but something worth knowing is not said."""
        return self.section.keys.get("remark") == "yes"

    @property
    def play(self) -> tuple[str, dict[str, str]] | None:
        """The page on which the instance can be played with, and its link's parameters."""
        page, _, query = self.section.keys.get("play", "").partition("?")
        return (page, dict(parse_qsl(query))) if page else None

    def show(self) -> Evidence:
        """Compute the instance, and fill its numbers into the text."""
        found = self.numbers()
        texts = [one for one in self.section.parts if one.title in ("An instance", _MORE)]
        if found.picture is None and len(texts) > 1:
            raise ContentError(f"{texts[1].where}: there is no picture")
        # together, since a value may be used in either
        told = fill("\f".join(one.text for one in texts), found.values, self.section.where).split("\f")
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
        first, *found, last = file.parts
        if (first.title, last.title) != (_BEGIN, _END):
            raise ContentError(f"{file.where}: begins with '{first.title}' and ends with '{last.title}'")
        findings = tuple(Finding.of(one, numbers.EVIDENCE) for one in found)
        for name in sorted(numbers.EVIDENCE.keys() - {one.section.key("numbers") for one in findings}):
            raise ContentError(f"{file.where}: no finding asks for the numbers of {name}()")
        slips = last.filled(getattr(numbers, "SLIPS", {}))
        return cls(path.stem, file.key("short"), file.key("reference"), first.items, findings, slips.items)

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
