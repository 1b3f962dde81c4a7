"""Small bugs at random places, beside those thought out by hand: ``python -m tests.mutants.generated``.

Cosmic Ray makes them: another operator, number, truth value or condition, no passage of a loop. Each is put
into a copy of the project, and the tests near it are run up to the first that fails, the quick ones first.
A test counts only if it passes once the file has a line more that does nothing: some tests watch for any
change. Of pages the engines run as they are already compiled; of all else nothing is compiled, as to compile
anew for each would take minutes.
"""

from __future__ import annotations

import argparse
import ast
import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from itertools import dropwhile, zip_longest
from pathlib import Path
from queue import SimpleQueue

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from tests.conftest import QUICK
from tests.mutants.mutant import SOURCES
from tests.mutants.runner import ROOT, copied
from tests.near import module_of, near

DOCUMENT = ROOT / "docs" / "how-to" / "test.md"
MARKS = "<!-- generated mutants: begin -->\n", "<!-- generated mutants: end -->\n"
#: Left out are operators that no text survives (a shift of a number with a fraction), those that change
#: nothing in most places (`is` for `==`), and a decorator's removal: most of ours keep values or compile.
OPERATORS = re.compile(
    r"core/(Replace(BinaryOperator_(Add|Sub|Mul|Div|FloorDiv|Mod|Pow)_(Add|Sub|Mul|Div|FloorDiv)"
    r"|ComparisonOperator_(?!(Eq|NotEq|Lt|LtE|Gt|GtE)_Is)\w+|UnaryOperator_(?!\w*(Invert|UAdd))\w+"
    r"|\w+With\w+)|AddNot|ExceptionReplacer|NumberReplacer|ZeroIterationForLoop)"
)
#: Names of logs, in small letters.
LOGS = ("log", "logger", "logging")
#: A folder below a room has a line of its own if it has so many files.
LARGE = 8
#: Tests of pictures, machines and texts, which are not run.
FAR = re.compile(
    r"tests/((browser|hosting|real|mutants|benchmarks)/|test_(docs|structure|said_once|readme|wheel))"
)
#: Files of tests that one run of pytest takes; to collect all those near a law takes ten seconds.
BATCH = 16
#: Folders of compiled code: without compilation only small runs of it end soon.
COMPILED = ("sim/kernel", "sim/engines")
#: A run of pytest may take so many times its processor seconds, as it may wait or share the machine.
PATIENCE = 6
#: How pytest ends when it has used its time.
ENDLESS = (-signal.SIGXCPU, -signal.SIGKILL)
#: Processor seconds in which a test has to pass on what is not broken.
CONTROL = 120
#: How a mutant may end; the first four are ways to be caught.
CAUGHT = ("import", "doctest", "quick test", "other test")
KINDS = (*CAUGHT, "not caught", "timed out")


@dataclass(frozen=True, slots=True)
class Generated:
    """A mutant: its place, its operator, its line before and after, and the whole source with it."""

    file: str
    line: int
    operator: str
    before: str
    after: str
    source: str = field(repr=False)

    def __str__(self) -> str:
        """Return what one needs to judge it."""
        return f"{self.file}:{self.line}  {self.operator}\n    {self.before}\n -> {self.after}"


@dataclass(slots=True)
class Copy:
    """A copy of the project, in which one mutant at a time is tried."""

    root: Path
    #: How often a file was written: each time it gets another time, by which Python knows it anew.
    written: int = 0
    #: Tests that fail whatever is changed in a file.
    blind: set[tuple[str, str]] = field(default_factory=set)

    def write(self, file: str, source: str) -> None:
        """Put a source into the copy."""
        path = self.root / file
        path.write_text(source, "utf-8")
        self.written += 1
        os.utime(path, (10**9 + self.written, 10**9 + self.written))

    def test(
        self, arguments: Iterable[str], seconds: float, *, plain: bool = True
    ) -> tuple[int | None, str, float]:
        """Run pytest; return its code, or None if it did not end in time, what it says, and its seconds."""
        usual = ["-q", "-x", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
        command = [sys.executable, "-m", "pytest", *usual, *arguments]
        settings = {"NUMBA_DISABLE_JIT": "1"} if plain else {}
        with tempfile.TemporaryFile("w+") as out:
            run = subprocess.Popen(
                command,
                cwd=self.root,
                env=os.environ | settings,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
            limit = max(1, math.ceil(seconds))
            resource.prlimit(run.pid, resource.RLIMIT_CPU, (limit, limit + 1))
            timer = threading.Timer(PATIENCE * limit, os.killpg, (run.pid, signal.SIGKILL))
            timer.start()
            _, status, used = os.wait4(run.pid, 0)
            timer.cancel()
            run.returncode = os.waitstatus_to_exitcode(status)
            with suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)  # what the tests have started
            out.seek(0)
            code = None if run.returncode in ENDLESS else run.returncode
            return code, out.read(), used.ru_utime + used.ru_stime

    def tried(self, mutant: Generated, batches: Iterable[Sequence[str]], seconds: float) -> tuple[str, str]:
        """Return how a mutant ends, one of `KINDS`, and the test that caught it."""
        path, plain = self.root / mutant.file, not mutant.file.startswith("pages/")
        whole, times = path.read_text("utf-8"), path.stat()
        try:
            for batch in batches:
                while True:
                    self.write(mutant.file, mutant.source)
                    blind = [f"--deselect={test}" for file, test in self.blind if file == mutant.file]
                    code, said, used = self.test([*batch, *blind], seconds, plain=plain)
                    seconds -= used
                    if code in (0, 5):  # 5: none of these is run usually
                        break
                    last = said.strip().rpartition("\n")[2]
                    if code is None:
                        return "timed out", last
                    test = "".join(re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", said, re.MULTILINE)[-1:])
                    if not test and code == 4 and "while loading conftest" not in said:
                        raise RuntimeError(f"pytest {' '.join(batch)} did not run\n{said}")
                    self.write(mutant.file, f"{whole}\n_nothing = 0\n")
                    only = ["--collect-only"] * ("::" not in test)
                    if not test or self.test([test, *options(batch), *only], CONTROL, plain=plain)[0] in (
                        0,
                        4,
                    ):
                        return kind(test), test or last  # 4: its name cannot be typed
                    if (mutant.file, test) in self.blind:  # no test of this file can be collected
                        break
                    self.blind.add((mutant.file, test))
            return "not caught", ""
        finally:
            path.write_text(whole, "utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def options(batch: Sequence[str]) -> list[str]:
    """Return what is no file among the arguments of a run.

    Examples
    --------
    >>> options(["tests/sim/test_laws.py", "-m", "small"])
    ['-m', 'small']
    """
    return [*dropwhile(lambda one: not one.startswith("-"), batch)]


def kind(test: str) -> str:
    """Return how a test caught a mutant; without a name, pytest itself could not start.

    Examples
    --------
    >>> kind("theory/cloning.py::theory.cloning.cost"), kind("tests/pages/test_map.py::test_axes"), kind("")
    ('doctest', 'other test', 'import')
    """
    if "::" not in test:
        return "import"
    if test.startswith(SOURCES):
        return "doctest"
    return "quick test" if is_quick(test.partition("::")[0]) else "other test"


def is_quick(file: str) -> bool:
    """Tell whether a test file is run before each commit."""
    path = ROOT / file
    return not QUICK.isdisjoint([path, *path.parents])


@cache
def batches(file: str) -> list[list[str]]:
    """Return what pytest is called with for a file, one run after the other: quick tests, near ones, all."""
    there, through, pages = near([module_of(ROOT / file)])
    small = ["-m", "small"] * file.startswith(COMPILED)
    tests = [one for one in there if not FAR.match(one)]
    own = [] if small or file.endswith("/page.py") else [file]  # a page is a script
    tests = [*own, *sorted(tests, key=lambda one: not is_quick(one))]
    found = [tests[at : at + BATCH] for at in range(0, len(tests), BATCH)]
    some = ["-k", " or ".join(sorted(pages))]
    last = [[*(one for one in through if not FAR.match(one)), *some]] if pages and not small else []
    return [[*one, *small] for one in found] + last


def folders(root: Path = ROOT) -> dict[str, list[str]]:
    """Return folder -> its files: of a room or package, or of a large folder below it."""
    found: dict[str, list[str]] = {}
    for path in sorted(path for one in SOURCES for path in (root / one).rglob("*.py")):
        above = [folder for folder in path.relative_to(root).parents if folder.name]
        large = (one for one in above[:-2] if len([*(root / one).glob("*.py")]) >= LARGE)
        folder = next(large, above[-2:][0])
        found.setdefault(folder.as_posix(), []).append(path.relative_to(root).as_posix())
    return found


def untouched(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield the parts of a source that no test can or should judge: types, lists of names, words of logs."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.expr() as part) | ast.AnnAssign(annotation=part):
                yield part
            case ast.FunctionDef(returns=ast.expr() as part):
                yield part
            case ast.Assign(targets=[ast.Name("__all__")]) | ast.If(test=ast.Name("TYPE_CHECKING")):
                yield node
            case ast.Call(func=ast.Attribute(value=ast.Name(name))) if name.lower() in LOGS:
                yield node


def places(source: str) -> dict[tuple[int, int], list[tuple[str, int]]]:
    """Return line and column -> the operators that fit there, each with its number in the source."""
    parts = untouched(ast.parse(source))
    left = [((one.lineno, one.col_offset), (one.end_lineno, one.end_col_offset)) for one in parts]
    nodes = [*ast_nodes(get_ast(source))]
    found: dict[tuple[int, int], list[tuple[str, int]]] = {}
    for name in filter(OPERATORS.fullmatch, operator_names()):
        operator = get_operator(name)()
        spans = (span for node in nodes for span in operator.mutation_positions(node))
        for number, (begin, _) in enumerate(spans):
            if not any(first <= begin < last for first, last in left):
                found.setdefault(begin, []).append((name, number))
    return found


def drawn(files: Sequence[str], count: int, luck: random.Random, root: Path = ROOT) -> list[Generated]:
    """Return mutants at random places of some files, one a place."""
    sources = {file: (root / file).read_text("utf-8") for file in files}
    every = {(file, *place): ways for file in files for place, ways in sorted(places(sources[file]).items())}
    mutants: list[Generated] = []
    for file, line, column in luck.sample([*every], len(every)):
        name, number = luck.choice(every[file, line, column])
        whole, source = sources[file], mutate_code(sources[file], get_operator(name)(), number)
        with suppress(SyntaxError):  # of a star that is no product
            if ast.dump(ast.parse(source)) != ast.dump(ast.parse(whole)):
                lines = zip(whole.splitlines(), source.splitlines(), strict=False)
                before, after = next((a.strip(), b.strip()) for a, b in lines if a != b)
                mutants.append(Generated(file, line, name.removeprefix("core/"), before, after, source))
        if len(mutants) == count:
            break
    return mutants


def table(ends: dict[str, Counter[str]]) -> str:
    """Return the table by folder, in Markdown."""
    total = sum(ends.values(), Counter[str]())
    rows = ["| folder | mutants | caught | " + " | ".join(KINDS) + " |", "|---|" + "--:|" * (2 + len(KINDS))]
    for name, counts in [*sorted(ends.items()), ("all", total)]:
        numbers = [counts.total(), sum(counts[one] for one in CAUGHT), *(counts[one] for one in KINDS)]
        rows.append(f"| {name} | " + " | ".join(map(str, numbers)) + " |")
    return "\n".join(rows)


def record(text: str) -> None:
    """Write the table into the document."""
    before, begin, rest = DOCUMENT.read_text("utf-8").partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    DOCUMENT.write_text(f"{before}{begin}{text}{end}{after}", "utf-8")


def main(arguments: list[str]) -> int:
    """Try mutants, of each folder one after the other, until all or the time are over."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.generated", description=__doc__)
    parser.add_argument("--each", type=int, default=10, help="mutants of a folder")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument(
        "--folder", nargs="*", choices=[*folders()], metavar="FOLDER", help="such as sim/model"
    )
    parser.add_argument("--seconds", type=float, default=60, help="of a processor, for all tests of a mutant")
    parser.add_argument("--minutes", type=float, default=24 * 60, help="after which none is begun")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--record", action="store_true", help=f"write the table into {DOCUMENT.name}")
    asked = parser.parse_args(arguments)
    chosen = {name: files for name, files in folders().items() if name in (asked.folder or folders())}
    some = {name: drawn(chosen[name], asked.each, random.Random(f"{asked.seed} {name}")) for name in chosen}
    rounds = zip_longest(*([(name, mutant) for mutant in some[name]] for name in some))
    order = [place for one in rounds for place in one if place]
    until = time.monotonic() + 60 * asked.minutes
    ends = {name: Counter[str]() for name in some}
    missed: list[str] = []
    with ExitStack() as stack, ThreadPoolExecutor(asked.processes) as threads:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for _ in range(asked.processes):
            copies.put(Copy(stack.enter_context(copied()).root))

        def one(place: tuple[str, Generated]) -> None:
            name, mutant = place
            if time.monotonic() > until:
                return
            copy, begun = copies.get(), time.monotonic()
            end, by = copy.tried(mutant, batches(mutant.file), asked.seconds)
            copies.put(copy)
            ends[name][end] += 1
            missed.extend([f"{end}: {mutant}"] * (end not in CAUGHT))
            print(f"{end:10} {time.monotonic() - begun:5.1f} s  {mutant}\n    {by}", flush=True)

        try:
            list(threads.map(one, order))
        finally:  # what is known is told, whatever happens
            print(*sorted(missed), table(ends), sep="\n")
    if asked.record:
        count = sum(counts.total() for counts in ends.values())
        told = f"{date.today()}: {count} mutants, seed {asked.seed}, {asked.seconds:g} processor seconds each"
        record(f"{told}.\n\n{table(ends)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
