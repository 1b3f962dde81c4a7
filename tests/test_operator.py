"""What an operator does: ask `trace`, then `whatif`, of twenty logs, and read the first lines.

Of most logs it is known from elsewhere what is to be done: a world was made with that cause, or the program
that wrote the log had a task sleep for so long (`tests/real`; the number that the answer gives the task is
our own order). Of the sample without copies, which was recorded, it is only asked that an action is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from sim.shell.verbs import main
from tests.pages.test_doors import LOGS
from tests.zoo.causes import LAWS, RECORDED, build
from tests.zoo.eventlog import event_log
from tests.zoo.simulator import play
from tests.zoo.worlds import World, stream

#: Lines of an answer that are read; the third is the heading of the remedies.
FIRST = 4
RECORDS = Path(__file__).parent / "sim" / "logs" / "recorded"


@dataclass(frozen=True)
class Log:
    """A log, and what is known of it.

    Parameters
    ----------
    write : callable
        Writes it in a folder and returns its path.
    first : str
        What the first line of `trace` has to match.
    then : str
        What one of the first lines of `whatif` has to match.
    never : str
        What no line of either may match.
    """

    write: Callable[[Path], Path]
    first: str
    then: str
    never: str = "(?!)"


def of_doors(name: str, *told: str) -> Log:
    def write(folder: Path) -> Path:
        made = LOGS[name]()
        path = folder / made.name
        path.write_bytes(made.data)
        return path

    return Log(write, *told)


@cache
def world(cause: str, law: str) -> World:
    random, causes = stream(5, 3, f"op {cause}"), (cause,) if cause else ()
    return build(law, causes, random, number=3, seed=5, size="small", setting=RECORDED[0])


def of_worlds(cause: str, law: str, *told: str) -> Log:
    def write(folder: Path) -> Path:
        path = folder / f"world-{cause}"
        path.write_text(event_log(world(cause, law), play(world(cause, law), RECORDED[0], 0)))
        return path

    assert law in LAWS
    return Log(write, *told)


def recorded(name: str, *told: str) -> Log:
    return Log(lambda folder: RECORDS / name, *told)


def slow_hosts() -> str:
    """Return the hosts that the world of slow hosts was made with, as they are to be named."""
    factors = world("slow_hosts", "lognormal").cluster.host_factors
    return " and ".join(rf"10\.0\.0\.{host + 1}" for host, factor in enumerate(factors) if factor > 1)


COPY = "[Tt]ry second copies|Try for an hour|FIFO \\+ Spark|copies"
NO_COPY = "^(Try second copies|Try for an hour|FIFO \\+ Spark)"
#: What a remedy, a setting or a trial is called.
ACTION = "^(Keeping|Copying|Leaving out|Replacing|Splitting|Try|FIFO \\+ Spark[^:]*:) "
#: What the programs of Dask and Ray had one task do, and the others of its function.
SLEPT = {"dask": r"took 3\.\d+ s, the usual one 0\.1[5-9]", "ray": r"took 3\.\d+ s, the usual one 0\.2"}
#: Where the slow hosts of a sample are known from how it is made.
NODES = "node03 and node06"

OPERATORS = {
    "copies": of_doors("copies", "Try second copies", "Spark, multiplier"),
    "no copies": of_doors("no copies", "Tell luck from skew first: .* an hour with second copies", ACTION),
    "slurm": of_doors("slurm", f"Replace {NODES}", "Leaving out slow hosts|Replacing slow hosts", NO_COPY),
    "nightly": of_doors(
        "nightly", f"Replace {NODES}", "Leaving out slow hosts|Replacing slow hosts", NO_COPY
    ),
    "skew": of_doors("skew", "Split the tasks", "Splitting large tasks", NO_COPY),
    "luck": of_doors("luck", "Try second copies for an hour, if", COPY),
    "slow host": of_doors("slow host", "Replace h2", "Replacing slow hosts", NO_COPY),
    "even": of_doors("even", "little to mend", "No recommendation|Leave the settings", NO_COPY),
    "hosts": of_worlds(
        "slow_hosts", "lognormal", f"Replace ({slow_hosts()})", "Replacing slow hosts", NO_COPY
    ),
    "sizes": of_worlds("skew_sizes", "light", "Split the tasks", "Split", NO_COPY),
    "for a time": of_worlds("one_spell", "light", "Look at host 10", "Look at host 10", "Replac|Leaving out"),
    "late": of_worlds("late", "lognormal", "Try second copies", "Keep some executors warm"),
    "cold": of_worlds("cold", "light", "Keep slots warm", "Keep(ing)? slots warm", NO_COPY),
    "bad luck": of_worlds("", "bimodal", "Try second copies", COPY, "^Replac|^Split"),
    "Dask's report": recorded(
        "dask_2026.8.0_report.html.gz", f"Look at task .* of fit .*{SLEPT['dask']}", SLEPT["dask"], NO_COPY
    ),
    "Dask's stream": recorded(
        "dask_2026.8.0_stream.json.gz", f"Look at task .* of fit .*{SLEPT['dask']}", SLEPT["dask"], NO_COPY
    ),
    "Ray": recorded(
        "ray_2.60.0_tasks.json.gz", f"Look at task .* of fit .*{SLEPT['ray']}", SLEPT["ray"], NO_COPY
    ),
    "Ray's YAML": recorded(
        "ray_2.60.0_tasks.yaml.gz", f"Look at task .* of fit .*{SLEPT['ray']}", SLEPT["ray"], NO_COPY
    ),
    "Flink": recorded("flink_2.3.0_archive.json.gz", "Look at task 3 of work", "Look at task 3"),
    "Spark on one host": recorded(
        "spark_4.3.0_events.gz", "Expect nothing of second copies", "Expect nothing"
    ),
}


def said(command: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the first lines that a command says; of one that refuses, the sentences of its reason."""
    main(command)
    out, err = capsys.readouterr()
    lines = [line.strip() for line in out.splitlines() if line.strip()][:FIRST]
    return lines or re.split(r"(?<=\. )|: ", err.strip())


def judged(log: Log, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[bool, bool]:
    """Say of a log whether what is right is named, and whether what is wrong is."""
    path = str(log.write(folder))
    trace = said(["trace", path], capsys)
    whatif = said(["whatif", path, "--replications", "40"], capsys)
    heads = [line for line in whatif if not line.startswith("Which remedy")]
    right = bool(re.search(log.first, trace[0])) and any(re.search(log.then, line) for line in heads)
    return right, any(re.search(log.never, line) for line in (trace[0], heads[0]))


#: In the world of one slow time that costs 4 to 5 % of the job time, played again without; luck costs 2 % or
#: less. The diagnosis says 4 % (3 to 4) of the host, and 8 % (2 to 10) of luck, which it names first.
WRONG = pytest.mark.xfail(strict=True, reason="luck is named first, the host that was slow for a time second")
#: Worlds of some seconds each, left to `-m slow`: that causes of worlds are named is in `tests/zoo`, too.
SLOW = {"for a time": [pytest.mark.slow, WRONG], **dict.fromkeys(("late", "bad luck"), pytest.mark.slow)}
#: So are logs of which others here know the same cause: "skew" has unequal tasks, "slurm" the same nodes.
SLOW |= dict.fromkeys(("sizes", "nightly"), pytest.mark.slow)
ASKED = [pytest.param(name, marks=SLOW.get(name, ())) for name in OPERATORS]


@pytest.mark.compiled
@pytest.mark.parametrize("name", ASKED)
def test_an_operator_leaves_with_what_is_right(name, tmp_path, capsys):
    right, wrong = judged(OPERATORS[name], tmp_path, capsys)
    assert not wrong
    assert right
