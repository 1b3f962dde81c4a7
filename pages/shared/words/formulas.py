r"""The formulas of a page, folded: paragraphs, equations as `theory` has them, and sources.

A part is a text in Markdown, an `Equation` of the theory, or a `Latex` that no function of the theory has.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pages.shared.controls.panel import drawer


@dataclass(frozen=True, slots=True)
class Latex:
    """An equation in LaTeX."""

    latex: str


@dataclass(frozen=True, slots=True)
class Source:
    """The source of what stands above, in small print."""

    text: str


class Equation:
    r"""The equations that functions of `theory` compute, as their docstrings have them, a line each.

    Parameters
    ----------
    *functions : callable
    begin : str, optional
        What stands before the first.
    letters : mapping of str to str, optional
        Letters of the docstring -> those of the page.

    Examples
    --------
    >>> from theory.cloning import task_outlier_probability
    >>> from theory.cutoff import cloning_load_limit
    >>> Equation(task_outlier_probability, begin="P = ").latex
    'P = 1 - (1 - p^c)^n'
    >>> print(Equation(cloning_load_limit, letters={r"\alpha": r"\beta"}).latex)
    \omega < \frac{r \beta - 1}{r^2 (\beta - 1)}
    """

    def __init__(
        self, *functions: Callable[..., object], begin: str = "", letters: dict[str, str] | None = None
    ) -> None:
        self._functions, self._begin, self._letters = functions, begin, letters or {}

    @property
    def latex(self) -> str:
        """The LaTeX of the equations."""
        lines = [_equation(function) for function in self._functions]
        found = self._begin + lines[0]
        if len(lines) > 1:  # a phone has no room for two side by side
            rows = r" \\[6pt] ".join([found, *lines[1:]])
            found = rf"\begin{{gathered}} {rows} \end{{gathered}}"
        for letter, ours in self._letters.items():
            found = found.replace(letter, ours)
        return found


def _equation(function: Callable[..., object]) -> str:
    """Return the first equation of a docstring, on one line."""
    found = re.search(r"^\.\. math:: (.*?)(?:\n\n|\Z)", inspect.getdoc(function) or "", re.S | re.M)
    return re.sub(r"\s+", " ", found[1]).rstrip(" .,") if found else ""


Part = str | Latex | Equation | Source


def show_formulas(
    page: str,
    parts: Sequence[Part] | Callable[[], Sequence[Part]],
    label: str = "The formulas",
) -> None:
    """Draw the drawer of formulas of a page."""
    if not (box := drawer(page, "formulas", label, ":material/function:")):
        return
    for part in parts() if callable(parts) else parts:
        match part:
            case Source(text):
                box.caption(text)
            case str():
                box.markdown(part)
            case _:
                box.latex(part.latex)
