"""An answer as the parts that a reader meets, in their order, and that document as HTML, Markdown and text.

Whoever answers says it once, as parts; a file for a colleague and a terminal show the same parts. A file
loads nothing: its content policy lets only its own scripts run, and all text is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar

from theory.quoting import visible

if TYPE_CHECKING:
    import jinja2
    import pandas as pd

# Text that others wrote, as Markdown: shown letter by letter, never interpreted.

#: What Streamlit and GitHub look for in text that has already been read as Markdown, so that only code is
#: safe from it: addresses, emoji and icons between colons, names, numbers of issues, arrows that stand alone.
_LIVE = re.compile(r":(?=\S)|@|`|www\.|#(?=\d)|^[-<>=~]{2,}$", re.IGNORECASE)
#: What begins a list, a heading or a quotation, and a number that does.
_BLOCK = re.compile(r"^(?:[-+#=>]|\d+(?=[.)](?:\s|$)))")
#: What is markup anywhere; an underscore within a word is none.
_MARKUP = re.compile(r"[\\*\[\]~$<>&|]|(?<![^\W_])_|_(?![^\W_])")
#: What ends a cell, in code too.
_PIPE = re.compile(r"(?<!\\)\|")


def literal(text: str) -> str:
    r"""Return Markdown that shows a text as it is.

    Examples
    --------
    >>> print(literal("load: '$x$' is not accepted"), literal("![a](http://b)"), literal("straggle_tail"))
    load: '\$x\$' is not accepted `![a](http://b)` straggle_tail
    >>> literal("give A:5, for example.")
    'give `A:5`, for example.'
    """
    words = " ".join(visible(text).split())
    escaped = re.sub(r"\S+", lambda word: _harmless(word[0]), words)
    return _BLOCK.sub(lambda begin: begin[0] + "\\" if begin[0].isdigit() else "\\" + begin[0], escaped)


def code(text: str) -> str:
    """Return a text as Markdown's code, which no character of it can end.

    Examples
    --------
    >>> code("hopper:epsilon=0.2"), code("a`b")
    ('`hopper:epsilon=0.2`', '``a`b``')
    """
    text = visible(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " * (text.startswith("`") or text.endswith("`"))
    return f"{fence}{space}{text}{space}{fence}"


def block(text: str) -> str:
    """Return lines as a block of code, which none of them can end.

    Examples
    --------
    >>> print(block("a: 1"))
    ```
    a: 1
    ```
    """
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return "\n".join([fence, *map(visible, text.splitlines()), fence])


def row(cells: Iterable[str]) -> str:
    r"""Return a row of a table, whose cells are Markdown.

    Examples
    --------
    >>> print(row(["a", literal("x|y"), code("x|y")]))
    | a | x\|y | `x\|y` |
    """
    return "| " + " | ".join(_PIPE.sub(r"\|", cell) for cell in cells) + " |"


def _harmless(word: str) -> str:
    if not _LIVE.search(word):
        return _MARKUP.sub(r"\\\g<0>", word)
    bare = word.rstrip(".,;")  # the mark that ends a clause is the message's
    return code(bare) + word[len(bare) :]


#: What tells a file of this program from others.
MARK = '<meta name="generator" content="straggler-lab">'
#: Characters of a cell in a terminal.
WIDEST = 60
_STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
body { max-width: 64rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem } p { overflow-wrap: break-word }
.wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { text-align: left; vertical-align: top; padding: .25rem .9rem .25rem 0 }
tr { border-bottom: 1px solid #8884 }
td { white-space: nowrap } .words td { white-space: normal } .words td:last-child { min-width: 12rem }
pre { padding: .8rem; border: 1px solid #8886; border-radius: .4rem; overflow-x: auto } small { opacity: .75 }
"""
_DRAW = """
const dark = matchMedia("(prefers-color-scheme: dark)");
const draw = () => { for (const [place, themes] of Object.entries(figures)) {
  const {data, layout} = themes[+dark.matches % themes.length];
  Plotly.react(place, data, {...layout, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)"},
    {responsive: true, displaylogo: false}) } }
draw(); dark.addEventListener("change", draw)
"""


@dataclass(frozen=True)
class Head:
    """A heading; the first, of level 1, is the answer in a sentence."""

    kind: ClassVar = "head"
    text: str
    level: int = 2


@dataclass(frozen=True)
class Said:
    """A paragraph; a small one tells what is not needed at first sight, `link` (ours) leads to more."""

    kind: ClassVar = "said"
    text: str
    small: bool = False
    link: str = ""

    @property
    def told(self) -> str:
        """The text with its link, for who cannot follow one."""
        return f"{self.text} See {self.link}" if self.link else self.text


@dataclass(frozen=True)
class Table:
    """A table of text.

    Parameters
    ----------
    frame : DataFrame
        Its cells are shown as they are written by `str`.
    wraps : bool, optional
        Whether cells are sentences, which may have several lines.
    headed : bool, optional
        Whether its columns are named.
    narrow : sequence of str, optional
        The columns that a terminal shows; all if there are none.
    """

    kind: ClassVar = "table"
    frame: pd.DataFrame
    wraps: bool = False
    headed: bool = True
    narrow: Sequence[str] = ()

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return [str(name) for name in self.frame]

    @property
    def rows(self) -> list[list[str]]:
        """Cells, row by row."""
        return [[str(cell) for cell in row] for row in self.frame.itertuples(index=False)]


@dataclass(frozen=True)
class Lines:
    """Lines to paste into a file, as they stand."""

    kind: ClassVar = "lines"
    text: str
    file: str = ""


@dataclass(frozen=True)
class Drawn:
    """A chart.

    Parameters
    ----------
    place : str
        Its name in the document.
    figures : sequence of dict
        Its values as Plotly has them, for the light theme and for the dark one; or one for both.
    alt, about : str
        What it shows in words, with its numbers; and how it is read.
    """

    kind: ClassVar = "drawn"
    place: str
    figures: Sequence[dict[str, Any]] = field(repr=False)
    alt: str
    about: str = ""


@dataclass(frozen=True)
class Folded:
    """Parts that are shown when they are asked for."""

    kind: ClassVar = "folded"
    title: str
    parts: Sequence[Part]


Part = Head | Said | Table | Lines | Drawn | Folded


def as_html(title: str, parts: Iterable[Part], *, scheme: str = "light dark") -> str:
    """Return parts as one HTML file; its charts are interactive.

    Parameters
    ----------
    title : str
        Of the window.
    parts : iterable of Part
    scheme : str, optional
        The theme of the file, where its charts are drawn for one only.

    Examples
    --------
    >>> told = as_html("Answer", [Head("Leave <it> as it is", 1), Said("It is good.")])
    >>> "<h1>Leave &lt;it&gt; as it is</h1>" in told, "<p>It is good.</p>" in told, "<script>" in told
    (True, True, False)
    """
    listed = list(parts)
    figures = {one.place: one.figures for one in _flat(listed) if isinstance(one, Drawn)}
    scripts = _drawing(figures) if figures else ()
    style = _STYLE.replace("light dark", scheme)
    return whole(title, parts=listed, style=style, scripts=scripts, styled=bool(figures))


def whole(
    title: str,
    body: str = "",
    *,
    parts: Sequence[Part] = (),
    style: str = "",
    scripts: Sequence[str] = (),
    styled: bool = False,
    mark: str = MARK,
    beside: str = "",
    later: bool = False,
    worker: bool = False,
) -> str:
    """Return an HTML file whose policy lets nothing but these scripts run, and nothing else be loaded.

    Parameters
    ----------
    title : str
    body : str, optional
        HTML behind the parts; what is foreign in it is escaped.
    parts : sequence of Part, optional
    style : str, optional
    scripts : sequence of str, optional
    styled : bool, optional
        Whether elements may have styles of their own, as those of charts do.
    mark : str, optional
        What tells the file from others.
    beside : str, optional
        The file of a script that lies in the same folder, and runs first.
    later : bool, optional
        Whether it runs when one of these scripts loads it.
    worker : bool, optional
        Whether a script may start workers of what it has, and these run WebAssembly.
    """
    template = _template()
    policy = _policy("'unsafe-inline'" if styled else _digests([style]), _digests(scripts), beside, worker)
    found = template.render(
        title=title,
        body=body,
        parts=parts,
        style=style,
        scripts=scripts,
        mark=mark,
        beside="" if later else beside,
        policy=policy,
    )
    return found + "\n"


def _policy(styles: str, scripts: str, beside: str, worker: bool) -> str:
    own = "'self' file: " if beside else ""  # a file from a disk has an origin of its own in some browsers
    ran = f"; script-src {own}{scripts}" if scripts or beside else ""
    if worker:
        ran += " 'wasm-unsafe-eval'; worker-src blob:"
    return (
        f"default-src 'none'; base-uri 'none'; form-action 'none'{ran}; style-src {styles}; "
        "img-src data: blob:"
    )


def _digests(inline: Sequence[str]) -> str:
    found = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in inline]
    return " ".join(f"'sha256-{one}'" for one in found)


@cache
def _template() -> jinja2.Template:
    import jinja2  # a file is asked for seldom

    def shown(value: Any) -> Any:
        """Show what is foreign letter by letter; markup is ours."""
        return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value

    made = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=shown)
    made.globals["newline"] = "\n"
    text = resources.files(__package__).joinpath("document.jinja").read_text("utf-8")
    return made.from_string(text)


def _drawing(figures: dict[str, Sequence[dict[str, Any]]]) -> tuple[str, str]:
    """Return the scripts that draw figures in the theme of the reader."""
    import numpy as np
    import orjson

    library = resources.files("plotly").joinpath("package_data/plotly.min.js").read_text("utf-8")
    values = orjson.dumps(figures, np.ndarray.tolist, orjson.OPT_SERIALIZE_NUMPY).decode()
    escaped = values.replace("<", "\\u003c")
    return library, f"const figures = {escaped};{_DRAW}"


def _flat(parts: Iterable[Part]) -> Iterator[Part]:
    for one in parts:
        yield one
        if isinstance(one, Folded):
            yield from _flat(one.parts)


def as_text(parts: Iterable[Part]) -> str:
    """Return parts for a terminal: charts are left out, signs are those of a keyboard.

    Examples
    --------
    >>> import pandas as pd
    >>> found = pd.DataFrame({"policy": ["fair+late"], "mean": ["−2.5\u00a0%"]})
    >>> print(as_text([Head("Try it", 1), Head("The options"), Table(found), Said("Paired.")]))
    Try it
    <BLANKLINE>
    The options
      policy     mean
      fair+late  -2.5 %
    Paired.
    """
    lines: list[str] = []
    for one in parts:
        match one:
            case Head():
                lines += ["", visible(one.text)]
            case Said():
                lines.append(visible(one.told))
            case Lines():
                lines += [f"  {visible(line)}" for line in one.text.splitlines()]
            case Table():
                lines += _aligned(one)
            case Folded():
                lines += ["", visible(one.title), as_text(one.parts)]
            case Drawn():
                pass
    return typed("\n".join(lines).strip("\n"))


def as_markdown(parts: Iterable[Part]) -> str:
    r"""Return parts as Markdown, of which all text is shown letter by letter; charts are told in words.

    Examples
    --------
    >>> import pandas as pd
    >>> found = pd.DataFrame({"job": ["*a*|b", "![x](http://y)"]})
    >>> print(as_markdown([Head("Gate: fails", 3), Table(found), Lines("a: 1")]))
    **Gate: fails**
    <BLANKLINE>
    | job |
    |---|
    | \*a\*\|b |
    | `![x](http://y)` |
    <BLANKLINE>
    ```
    a: 1
    ```
    """
    return "\n\n".join(filter(None, map(_in_markdown, parts)))


def _in_markdown(part: Part) -> str:
    match part:
        case Head(text=text, level=level):
            return f"{'#' * level} {literal(text)}" if level < 3 else f"**{literal(text)}**"
        case Said(text=text, link=link):
            return f"{literal(text)} [Why]({link})" if link else literal(text)
        case Drawn(alt=text):
            return literal(text)
        case Lines(text=text):
            return block(text)
        case Table(columns=columns, rows=rows):
            heads = columns if part.headed else [""] * len(columns)
            above = [row(map(literal, heads)), "|---" * len(columns) + "|"]
            return "\n".join([*above, *(row(map(literal, one)) for one in rows)])
        case Folded(title=title, parts=parts):
            return f"**{literal(title)}**\n\n{as_markdown(parts)}"


def _aligned(table: Table) -> list[str]:
    """Return the rows of a table in columns; cells are cut where there are names above them."""
    shown = [place for place, name in enumerate(table.columns) if not table.narrow or name in table.narrow]
    rows = [[visible(row[place]) for place in shown] for row in [table.columns] * table.headed + table.rows]
    cells = [[_short(cell) for cell in row] if table.headed and not table.wraps else row for row in rows]
    return [f"  {line}" for line in aligned(cells)]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines in which each column begins at the same place.

    Examples
    --------
    >>> aligned([["task", "age"], ["a", "9 s"]])
    ['task  age', 'a     9 s']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _short(cell: str) -> str:
    return cell if len(cell) <= WIDEST else cell[: WIDEST - 1] + "…"


def typeset(text: str) -> str:
    r"""Write minus and times before a number as print has them, and keep percent signs with theirs.

    Examples
    --------
    >>> typeset("up to x1.5: -2.5 to -1 %")
    'up to ×1.5: −2.5 to −1\xa0%'
    """
    return re.sub(r"(?<=\d) %", "\u00a0%", re.sub(r"\bx(?=\d)", "×", re.sub(r"(?<!\w)-(?=\d)", "−", text)))


def typed(text: str) -> str:
    """Write the signs of `typeset` as a keyboard has them.

    Examples
    --------
    >>> typed(typeset("up to x1.5: -2.5 to -1 %"))
    'up to x1.5: -2.5 to -1 %'
    """
    return re.sub(r"×(?=\d)", "x", re.sub(r"−(?=\d)", "-", text.replace("\u00a0", " ")))
