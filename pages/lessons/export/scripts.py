"""Scripts and styles of exported pages: modules put together, and the colours of both themes."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from pages.frame.browser import PARTS as FRAME
from sim.telling.palette import Palette, faded, palette

#: The file of Plotly's script.
PLOTLY = "plotly.min.js"
#: Scripts and styles of exported pages.
PARTS = Path(__file__).parent / "parts"
#: What draws charts.
CHARTS = PARTS / "charts.js"
#: Styles of exported lessons, of runs to watch, of clusters to play with and of sliders that run the engine.
LOOKS = (PARTS / "lesson.css", FRAME / "animation.css", FRAME / "sandbox.css", PARTS / "lab.css")
IMPORT = re.compile(r'^import \{ ([^}]+) \} from "\./([\w-]+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:function|class|const) (\w+))", re.MULTILINE)


def bundled(*modules: Path) -> str:
    """Return modules as a plain script: each is an object of what it exports, and the later use the earlier.

    Examples
    --------
    >>> bundled(PARTS / "judged.js").splitlines()[0], bundled(PARTS / "judged.js").splitlines()[-1]
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


def script(*modules: Path) -> str:
    """Return modules as the script of a page."""
    return f'"use strict";\n{bundled(*modules)}\n'


def looks() -> str:
    """Return the style of all pages, with the colours of both themes."""
    dark = f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {variables(palette(True))} }} }}"
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


def alike() -> dict[str, str]:
    """Return each colour of the light theme -> that of the dark one, as figures write them.

    Examples
    --------
    >>> [*alike().items()][0][0], "rgba(0,114,178" in alike()
    ('#2F2D2B', True)
    """
    pairs = [*zip(*(named(palette(dark)).values() for dark in (False, True)), strict=True)]
    return dict(pairs) | {_opaque(light): _opaque(dark) for light, dark in pairs}


def _opaque(color: str) -> str:
    """Return how a faded colour begins, before its opacity."""
    return faded(color).rpartition(",")[0]


def plotly() -> str:
    """Return Plotly's script, as it is installed."""
    return resources.files("plotly").joinpath("package_data/plotly.min.js").read_text("utf-8")
