"""Scripts and styles of exported pages, whole within each page: a file from a disk may load no other."""

from __future__ import annotations

import re
from pathlib import Path

from pages.frame.browser import PARTS as FRAME
from sim.telling.palette import Palette, palette

HERE = Path(__file__).parent
TYPED, JUDGED, LESSON = (HERE / f"{name}.js" for name in ("typed", "judged", "lesson"))
#: A cluster to play with, likewise.
SANDBOX = ("sandbox-engine", "sandbox-words", "sandbox-draw", "sandbox")
#: What plays runs, in the order in which one needs the other: the same files as in the app.
PLAYER = tuple(
    FRAME / f"{name}.js" for name in ("elements", "animation", "animation-draw", "animation-player", *SANDBOX)
)
LOOKS = (HERE / "lesson.css", FRAME / "animation.css", FRAME / "sandbox.css")
IMPORT = re.compile(r'^import \{ ([^}]+) \} from "\./([\w-]+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:function|class|const) (\w+))", re.MULTILINE)


def bundled(*modules: Path) -> str:
    """Return modules as a plain script: each is an object of what it exports, and the later use the earlier.

    Examples
    --------
    >>> bundled(JUDGED).splitlines()[0], bundled(JUDGED).splitlines()[-1]
    ('const module_judged = (() => {', 'return { judged, number };})();')
    """
    return "\n".join(map(_module, modules))


def _module(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    exported = ", ".join(EXPORT.findall(text))
    text = IMPORT.sub(lambda found: f"const {{ {found[1]} }} = {_name(found[2])};", text)
    return f"const {_name(path.stem)} = (() => {{\n{EXPORT.sub('', text)}return {{ {exported} }};}})();"


def _name(stem: str) -> str:
    return f"module_{stem.replace('-', '_')}"


def script() -> str:
    """Return the script of a lesson."""
    return f'"use strict";\n{bundled(*PLAYER, TYPED, JUDGED, LESSON)}\n'


def looks() -> str:
    """Return the style of all pages, with the colours of both themes."""
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ {variables(palette(True))} }} }}"
    text = "\n".join(path.read_text(encoding="utf-8") for path in LOOKS)
    return f":root {{ {variables(palette(False))} }}\n{dark}\n{text.replace('.stHtml ', '')}"


def variables(colors: Palette) -> str:
    """Return the colours of a theme as CSS has them."""
    return " ".join(f"--{name}: {color};" for name, color in named(colors).items())


def named(colors: Palette) -> dict[str, str]:
    """Return the colours of a theme by names that both themes share.

    Examples
    --------
    >>> [*named(palette(True))][:3], named(palette(True)).keys() == named(palette(False)).keys()
    (['ink', 'paper', 's0'], True)
    """
    own = {f"s{place}": color for place, color in enumerate(colors.series)}
    return (
        {"ink": colors.ink, "paper": colors.paper} | own | {f"j{i}": one for i, one in enumerate(colors.jobs)}
    )
