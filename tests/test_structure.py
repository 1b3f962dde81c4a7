"""The structure of the project: imports, top-level files, dependencies, colours."""

from __future__ import annotations

import ast
import fnmatch
import graphlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Container, Iterator
from functools import cache
from pathlib import Path

import pytest

from pages.frame.menu import entries

ROOT = Path(__file__).resolve().parents[1]
OURS = {"app", "pages", "sim", "theory", "tests"}
#: Which of our own packages each may import.
MAY_IMPORT = {
    "theory": {"theory"},
    "sim": {"sim", "theory"},
    "pages": {"pages", "sim", "theory"},
    "app": {"pages", "sim"},
}
SCREEN = {"streamlit", "plotly", "altair"}
#: The one file below the pages that makes figures of Plotly, and loads it only then.
FIGURES = "sim/telling/figure.py"
#: What a page's own files, or folders of files, are called.
OF_A_PAGE = {
    *("page", "controls", "setting", "question", "answer"),  # what is asked, and what is known of it
    "sidebar",  # how the controls are drawn, where that is more than a list
    *("layout", "charts", "words", "details", "formulas", "evidence"),  # what is shown
}
#: Folders of `pages` that are no page: what several share, and those about lessons, runs to watch, what the
#: server does, what is around each page.
NO_PAGES = ("shared", "lessons", "animation", "server", "frame")
#: How many files several pages may share.
MOST_SHARED = 27
#: Lines of code of a file that can still be read at once.
MOST_LINES = 450
#: Files that need an extra -> the extra.
EXTRAS = {"sim/running/dask.py": "dask", "sim/shell/mcp/server.py": "mcp", "sim/shell/figure.py": "figure"}
EXTRAS |= {"pages/lessons/export/markup.py": "export"}
TOP = {
    *("app.py", "pages", "sim", "theory", "tests", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"),
    *(
        "CITATION.cff",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs",
        "deploy",
        "examples",
        ".ci",
        ".git",
        ".gitignore",
        ".streamlit",
    ),
}
THEMES = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]


def sources(package: str) -> list[Path]:
    """Return the Python files of a package, or of the module ``<package>.py``."""
    module = ROOT / f"{package}.py"
    return [module] if module.exists() else sorted((ROOT / package).rglob("*.py"))


def imports(source: str) -> set[str]:
    """Return the first names of everything imported, inside functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import hides which way it points"
            found.add(node.module or "")
    return {name.partition(".")[0] for name in found}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_point_one_way(package: str) -> None:
    paths = sources(package)
    assert paths, f"no source of {package} was found"
    for path in paths:
        astray = (imports(path.read_text()) & OURS) - MAY_IMPORT[package]
        assert not astray, f"{path.relative_to(ROOT)} imports {astray}"


def modules() -> dict[str, Path]:
    """Return module name -> file of everything in theory/, sim/ and pages/."""
    found = {}
    for package in ("theory", "sim", "pages"):
        for path in sources(package):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def needed(source: str, known: Container[str]) -> set[str]:
    """Return the known modules that a source imports: at its top, in functions, for types, or by a text."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in known else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)  # for `import_module`
    return {name for name in found if name in known}


def test_no_two_modules_need_each_other() -> None:
    """However an import is written: in a function, for types only, or as a text, it counts."""
    known = modules()
    graph = {name: needed(path.read_text(), known) - {name} for name, path in known.items()}
    assert sum(map(len, graph.values())) > 500
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, with the circle


#: The rooms of `sim`, from the ground up, and the imports that point up: a type of a result, and a type.
#: The lowest holds prose and no code.
ROOMS = (
    "content",
    "kernel",
    "telling",
    "model",
    "logs",
    "engines",
    "running",
    "advice",
    "papers",
    "map",
    "shell",
)
UPWARDS = {("sim.model.result", "engines"), ("sim.telling.words", "model")}


def test_a_room_imports_only_rooms_below_it() -> None:
    known = modules()
    upwards = set()
    for name, path in known.items():
        if (room := name.split(".")[1:2]) and name.startswith("sim.") and room[0] in ROOMS:
            needs = {one.split(".")[1] for one in needed(path.read_text(), known) if one.startswith("sim.")}
            above = set(ROOMS[ROOMS.index(room[0]) + 1 :]) | {"__main__"}
            upwards |= {(name, one) for one in needs & above}
    assert upwards == UPWARDS
    loose = {path.stem for path in (ROOT / "sim").glob("*.py")}
    assert loose == {"__init__", "__main__", "aliases", "version"}
    assert {path.name for path in (ROOT / "sim").iterdir() if any(path.glob("**/*.*[!c]"))} == {*ROOMS}


@pytest.mark.parametrize(
    "source",
    [
        "from sim.model import laws",
        "from sim.model.laws import StraggleLaw",
        "import sim.model.laws",
        "def late():\n    from sim.model.laws import StraggleLaw",
        "if TYPE_CHECKING:\n    from sim.model.laws import StraggleLaw",
        "import_module('sim.model.laws')",
    ],
)
def test_every_kind_of_import_would_be_noticed(source: str) -> None:
    assert needed(source, modules()) >= {"sim.model.laws"}


@pytest.mark.parametrize("package", ["theory", "sim"])
def test_only_pages_know_of_a_screen(package: str) -> None:
    for path in sources(package):
        name = path.relative_to(ROOT).as_posix()
        assert imports(path.read_text()) & SCREEN == ({"plotly"} if name == FIGURES else set()), name


@cache
def page_imports() -> dict[str, set[str]]:
    """Return every module of the pages, and of the app, with the modules of the pages it imports."""
    paths = [path for path in sources("pages") if path.name != "__init__.py"]
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in paths}
    names["app"] = ROOT / "app.py"
    found = {}
    for name, path in names.items():
        nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
        modules = {node.module for node in nodes}
        modules |= {f"{node.module}.{alias.name}" for node in nodes for alias in node.names}
        found[name] = modules & names.keys()
    return found


def pages_that_need(module: str) -> set[str]:
    """Return the pages that import a shared module, themselves or through other shared ones; 'app' is one."""
    found, news = {module}, {module}
    while news:
        news = {name for name, needs in page_imports().items() if needs & found} - found
        found |= {name for name in news if name.startswith("pages.shared.")}
        news -= {name for name in news if not name.startswith("pages.shared.")}
    users = {name for name, needs in page_imports().items() if needs & found}
    return {"app" if name == "app" else name.split(".")[1] for name in users} - {"shared"}


def test_what_pages_share_is_needed_by_several_and_is_not_much() -> None:
    shared = [name for name in page_imports() if name.startswith("pages.shared.")]
    assert 10 < len(shared) <= MOST_SHARED
    alone = {name: users for name in shared if len(users := pages_that_need(name)) < 2 and users != {"app"}}
    assert not alone, alone


def test_pages_do_not_import_each_other() -> None:
    for name, needs in page_imports().items():
        own = name.split(".")[1] if name.startswith("pages.") else ""
        astray = {one for one in needs if one.split(".")[1] not in (own, *NO_PAGES)}
        assert not astray, f"{name} imports {astray}"


def test_the_files_of_every_page_have_the_same_names() -> None:
    folders = {entry.package.replace(".", "/"): entry.folder for entry in entries()}
    for folder, shared in folders.items():
        names = {path.stem for path in (ROOT / folder).iterdir()} - {"__init__", "__pycache__"}
        assert shared or "page" in names, folder
        assert names <= OF_A_PAGE, f"{folder}: {names - OF_A_PAGE}"
    known = {*NO_PAGES, *(folder.split("/")[1] for folder in folders), "__pycache__"}
    assert {path.name for path in (ROOT / "pages").iterdir() if path.is_dir()} <= known


def lines_of_code(source: str) -> int:
    """Count the lines of code: without docstrings and other lone texts, comments, blanks and imports."""
    aside: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        lone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if lone or isinstance(node, ast.Import | ast.ImportFrom):
            aside |= {*range(node.lineno, (node.end_lineno or 0) + 1)}
    rows = enumerate(source.splitlines(), 1)
    return sum(bool(line.strip()) and line.lstrip()[0] != "#" and row not in aside for row, line in rows)


def test_no_file_of_the_program_has_more_code_than_can_be_read_at_once() -> None:
    source = '"""A text\nof two lines."""\n\nimport a\nx = [\n    1,\n]  # so\n\n  # and\n'
    assert lines_of_code(source) == 3
    for package in MAY_IMPORT:
        for path in sources(package):
            assert lines_of_code(path.read_text()) <= MOST_LINES, path.relative_to(ROOT)


def test_no_lock_of_one_property_serves_all_objects() -> None:
    """Before Python 3.12 `functools.cached_property` has one for all instances; ours has none."""
    for package in ("sim", "pages"):
        for path in sources(package):
            assert "functools import cached_property" not in path.read_text(), path.relative_to(ROOT)


def test_every_declaration_has_the_shape_that_the_formatter_gives_it() -> None:
    mark = "# fmt: " + "skip"
    for package in ("app", "pages", "sim", "theory", "tests"):
        assert [path.name for path in sources(package) if mark in path.read_text()] == []


def test_theory_needs_nothing_but_numpy_and_scipy() -> None:
    allowed = {"theory", "numpy", "scipy"} | set(sys.stdlib_module_names)
    for path in sources("theory"):
        assert imports(path.read_text()) <= allowed, path.relative_to(ROOT)


def test_an_import_inside_a_function_would_be_noticed() -> None:
    assert imports(
        "def f():\n    from streamlit.runtime import get_instance\n    import sim.model.laws as l"
    ) == {
        "streamlit",
        "sim",
    }


def test_a_scenario_can_be_made_without_numba() -> None:
    made = "from sim.engines.slots.scenario import SlotScenario; SlotScenario()"
    code = f"import sys; {made}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def ignored(path: Path) -> bool:
    """Whether a top-level entry is something the tools leave behind."""
    lines = (ROOT / ".gitignore").read_text().splitlines()
    patterns = [line.rstrip("/") for line in lines if line and not line.startswith("#")]
    return any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns)


def test_the_top_level_holds_only_what_was_agreed() -> None:
    assert {path.name for path in ROOT.iterdir() if not ignored(path)} - TOP == set()


def project_files() -> Iterator[Path]:
    """Yield every file that belongs to the project, not what the tools leave behind."""
    for top in ROOT.iterdir():
        if not ignored(top) and top.name != ".git":
            yield from (
                path
                for path in (top.rglob("*") if top.is_dir() else [top])
                if path.is_file() and "__pycache__" not in path.parts
            )


#: Folders that exist on somebody's machine. A shebang's env is everybody's.
MACHINE = re.compile(
    r"(?<![\w.:/~*}])/(?:home|root|opt|mnt|srv|work|Users|var|usr(?!/bin/env))/|\b[A-Z]:\\Users\\"
)


def test_no_file_names_a_place_on_a_machine() -> None:
    for path in set(project_files()) - {Path(__file__)}:  # whose examples are below
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
            assert not MACHINE.search(line), f"{path.relative_to(ROOT)}, line {number}: {line.strip()}"


@pytest.mark.parametrize("text", ["see /home/ann/data", '"/opt/tool"', "(C:\\Users\\ann)"])
def test_a_place_on_a_machine_would_be_noticed(text: str) -> None:
    assert MACHINE.search(text)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two ``#rrggbb`` colours (WCAG 2.2: relative luminance)."""

    def luminance(color: str) -> float:
        parts = [part / 255 for part in bytes.fromhex(color[1:])]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_black_on_white_has_the_contrast_of_the_standard() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_theme_has_ten_series_colours_that_stand_out(theme: str) -> None:
    colors = THEMES[theme]["chartCategoricalColors"]
    assert len(set(colors)) == len(colors) == 10
    for color in [*colors, THEMES[theme]["primaryColor"]]:
        assert contrast(color, THEMES[theme]["backgroundColor"]) >= 3, color


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_can_be_read(theme: str) -> None:
    assert contrast(THEMES[theme]["textColor"], THEMES[theme]["backgroundColor"]) >= 7


def test_streamlit_knows_every_option_we_set() -> None:
    command = [sys.executable, "-m", "streamlit", "config", "show"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    remarks = [line for line in shown.stderr.splitlines() if "config" in line or "theme" in line]
    assert not remarks


def test_every_dependency_is_bounded_on_both_sides_and_explained() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"]
    for requirement in [*project["dependencies"], *(one for extra in extras.values() for one in extra)]:
        assert re.fullmatch(r"[\w-]+>=[\d.]+,<[\d.]+(; sys_platform .+)?", requirement), requirement
        assert re.search(rf'"{re.escape(requirement)}",\s+# \w', text), f"why {requirement}?"


def test_what_is_imported_is_what_is_required() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    def names(requirements: list[str]) -> set[str]:
        return {re.split(r"[<>=]", requirement)[0] for requirement in requirements}

    for package in MAY_IMPORT:
        for path in sources(package):
            required = names(project["dependencies"])
            if extra := EXTRAS.get(path.relative_to(ROOT).as_posix()):
                required |= names(project["optional-dependencies"][extra])
            foreign = imports(path.read_text()) - OURS - set(sys.stdlib_module_names)
            assert foreign <= required, f"{path.relative_to(ROOT)} imports {foreign - required}"


def test_nothing_is_held_where_a_visitor_can_clear_it() -> None:
    """What a server holds is in `cached.once`, or bounded: anybody can empty the caches of Streamlit."""
    held = re.compile(r"\bcache_(resource|data)\b")
    assert not [path for path in sources("pages") + sources("app") if held.search(path.read_text())]


#: Files that draw what a `Plot` has no word for: shades and unseen points.
OWN_TRACES = {
    "pages/coding/charts.py",
    "pages/map/charts.py",
    "pages/logs/diagnose/charts.py",
    "pages/decentralised/charts.py",
}


def test_charts_are_drawn_by_one_plot() -> None:
    drawing = re.compile(
        r'"hovertemplate"|hovertemplate=|"type": "(?:scatter|bar|heatmap)"|go\.(?:Bar|Scatter)\b'
    )
    paths = [path for package in ("pages", "sim") for path in sources(package)]
    found = {path.relative_to(ROOT).as_posix() for path in paths if drawing.search(path.read_text())}
    reading = {"pages/shared/charts/serialized.py"}
    assert found - reading == {*OWN_TRACES, "sim/telling/plot.py"}


def test_words_for_numbers_are_few() -> None:
    tree = ast.parse((ROOT / "sim" / "telling" / "words.py").read_text())
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert 15 < sum(ast.unparse(one.returns or one) == "str" for one in functions) <= 25
