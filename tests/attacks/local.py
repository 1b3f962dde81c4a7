"""Attacks on the shell and its files: ``python -m tests.attacks.local [--share 1] [--seed 1] [CLASS ...]``.

Each class tries odd files, kills or full disks, and returns what did not hold: a traceback, a changed file of
somebody else, an answer that differs after a kill.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from copy import deepcopy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sim.advice.fleet import report
from sim.advice.fleet.first_look import Look
from sim.advice.fleet.survey import FIRST, Kept, items_of, most_first
from sim.advice.whatif.price import Executor, Price
from sim.logs.formats import read_history
from sim.logs.source import Upload
from sim.model.fields import BadInput
from sim.running.code_digest import of_logs
from sim.running.sample_store import NAME, SampleStore, from_bytes
from tests.sim.fleet.test_looking import ADVICE, FINDING, a_log
from tests.sim.logs.logs import zipped, zstd

ROOT = Path(__file__).resolve().parents[2]
#: An attack: a folder of its own, tries and dice -> what did not hold.
Attack = Callable[[Path, int, random.Random], list[str]]
LINE = ["run", "--preset", "small", "--jobs", "300", "--policy", "fair+late", "--replications", "30"]
#: Values that JSON has and a look has not.
ODD = [None, True, -1, 1e308, "", "x", [], {}, [1], {"a": 1}, "9" * 400, float("nan"), 10**400]


def run(*words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a command of the shell."""
    command = [sys.executable, "-m", "sim", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=300, **options)


def wrong(told: subprocess.CompletedProcess[bytes]) -> str:
    """Return what is wrong with how a command ended: a traceback, or more than a line."""
    said = told.stderr.decode(errors="replace")
    if "Traceback" in said:
        return said.strip().splitlines()[-1]
    return said if told.returncode == 2 and said.count("\n") != 1 else ""


def content(dice: random.Random) -> bytes:
    """Return what a file of somebody else may have in it, some of it nearly ours."""
    sqlite = b"SQLite format 3\0" + dice.randbytes(dice.randrange(200))
    begun = [FIRST[: dice.randrange(len(FIRST))], FIRST.replace(b"1", b"2"), b"\xef\xbb\xbf" + FIRST]
    return dice.choice([dice.randbytes(dice.randrange(1, 3000)), sqlite, b"\n" + FIRST, *begun]) or b"x"


def keeps(folder: Path, tries: int, dice: random.Random) -> list[str]:
    """Name files of somebody else to what keeps looks and samples: refused, and not a byte changed."""
    failed = []
    for number in range(tries):
        place = folder / f"{number}"
        place.mkdir()
        theirs = place / dice.choice([NAME, "looks", "thesis.pdf"])
        theirs.write_bytes(held := content(dice))
        link = place.with_name(f"{number} link")
        if dice.random() < 0.3:
            link.symlink_to(theirs)
        named = link if link.is_symlink() else theirs
        for make in (partial(Kept, named), partial(SampleStore, place, {})):
            with suppress(BadInput):
                make()
                failed.append(f"{theirs.name} {held[:30]!r} was taken")
        if theirs.read_bytes() != held or len(list(place.iterdir())) != 1:
            failed.append(f"{theirs.name} {held[:30]!r} was changed")
    return failed


def looks(folder: Path, tries: int, dice: random.Random) -> list[str]:
    """Change a file of kept looks: what can still be read is reported, in words and numbers that JSON has."""
    look = Look("a", "a", "spark", 3, 30, 2.0, 1.0, 0.5, Executor(4.0, 4.0, 8.0), advised=ADVICE)
    look = replace(look, findings=(FINDING,), account={"running": 7.0})
    failed = []
    for number in range(tries):
        told: Any = json.loads(json.dumps(look.as_json))
        for _ in range(dice.randrange(1, 4)):
            held = told.get("findings")
            parts = [*told.values(), *(held if isinstance(held, list) else ())]
            part = dice.choice([told, told, *(one for one in parts if isinstance(one, dict))])
            name = dice.choice([*part, "new"])
            if dice.random() < 0.2:
                part.pop(name, None)
            else:
                part[name] = deepcopy(dice.choice(ODD))
        line = json.dumps({"code": of_logs(), "digest": "one", "look": told})
        if dice.random() < 0.2:
            at = dice.randrange(len(line))
            line = line[:at] + dice.choice(["", "[" * 5000, "\0", "\\ud800"]) + line[at + dice.randrange(5) :]
        file = folder / f"{number}"
        file.write_bytes(FIRST + line.encode(errors="replace") + b"\n")
        try:
            found = most_first([Kept(file).get("one") or look])
            json.dumps(report.as_json(found, Price()), allow_nan=False)
            report.as_csv(found, Price(1.0))
            report.as_text(found, Price(1.0))
        except BadInput:
            pass
        except Exception as error:
            failed.append(f"{type(error).__name__}: {error}: {line[:300]}")
    return failed


def kills(folder: Path, tries: int, dice: random.Random) -> list[str]:
    """Kill a run that keeps its samples at any time: the same line goes on and gives the same numbers."""
    asked = [*LINE, "--json", "-"]
    plain, failed = _numbers(run(*asked).stdout), []
    for number in range(tries):
        kept = folder / f"{number}"
        _killed([*asked, "--keep", str(kept)], dice.uniform(0.3, 4.0))
        told = run(*asked, "--keep", str(kept))
        if told.returncode or _numbers(told.stdout) != plain:
            failed.append(f"after a kill: {told.returncode}, {told.stderr.decode()[-300:]}")
    return failed


def killed_looks(folder: Path, tries: int, dice: random.Random) -> list[str]:
    """Kill a fleet while its looks are written: the file stays one of looks, and the same line goes on."""
    logs = folder / "logs"
    logs.mkdir()
    for number in range(30):
        (logs / f"{number}").write_bytes(a_log(2 + number, f"job {number}"))
    asked = ["fleet", str(logs), "--compute", "0"]
    plain, failed = run(*asked, "--again").stdout, []
    for number in range(tries):
        kept = folder / f"kept {number}"
        _killed([*asked, "--keep", str(kept)], dice.uniform(0.3, 3.0))
        told = run(*asked, "--keep", str(kept))
        if told.returncode or told.stdout != plain:
            failed.append(f"after a kill: {told.returncode}, {told.stderr.decode()[-300:]}")
        with kept.open("ab") as file:  # a line that a kill has cut
            file.write(kept.read_bytes()[-40:-20])
        if run(*asked, "--keep", str(kept)).stdout != plain:
            failed.append("after a cut line")
    return failed


def _killed(words: list[str], seconds: float) -> None:
    """Start a command and kill it, with all that it has started."""
    command = [sys.executable, "-m", "sim", *words]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = subprocess.Popen(command, cwd=ROOT, start_new_session=True, **quiet)
    time.sleep(seconds)
    with suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)
    running.wait()


def _numbers(told: bytes) -> Any:
    """Return the results of a run, without how long it took."""
    return re.sub(rb'"[^"]*(seconds|per_second|events)[^"]*": [^,\n]*', b"", told)


def full_disks(folder: Path, tries: int, dice: random.Random) -> list[str]:
    """Write to a disk that is full, now or soon: one line, and nothing that was there is lost."""
    failed = []
    with _small_disk(folder) as disk:
        if disk is None:
            return ["no small disk could be mounted: run as root"]
        (disk / "log").write_bytes(a_log(5))
        for _ in range(tries):
            (disk / "old").write_bytes(b"old")
            with suppress(OSError), (disk / "filled").open("wb", buffering=0) as file:
                for _ in range(dice.choice([256, 250, 240, 200])):
                    file.write(bytes(4096))
            verb = dice.choice(["trace", "fleet", "run"])
            words = {
                "trace": ["trace", f"{disk}/log", dice.choice(["--json", "--html", "--out"]), f"{disk}/old"],
                "fleet": ["fleet", f"{disk}/log", "--compute", "0", "--keep", f"{disk}/kept"],
                "run": [*LINE, "--keep", f"{disk}/samples"],
            }[verb]
            told = run(*words)
            if said := wrong(told):
                failed.append(f"{verb}: {said}")
            if told.returncode == 2 and (disk / "old").read_bytes() != b"old":
                failed.append(f"{verb}: what was there is lost")
            run("fleet", f"{disk}/log", "--compute", "0", "--keep", f"{disk}/kept")
            for name in ("filled", "kept"):
                (disk / name).unlink(missing_ok=True)
            for path in (disk / "samples").glob("*"):
                path.unlink()
    return failed


@contextmanager
def _small_disk(folder: Path) -> Iterator[Path | None]:
    """Mount a disk of a megabyte, if this user may."""
    place = folder / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(place)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        yield None
        return
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def archives(folder: Path, tries: int, dice: random.Random) -> list[str]:
    """Give archives that lead elsewhere or unpack to very much: read or refused, and nothing is written."""
    failed, before = [], sorted(folder.rglob("*"))
    names = ["../../x", "/etc/passwd", "C:\\x", "a/../../b", "x" * 5000, "\0", "logs/app-1", "", "con", "‮"]
    for _ in range(tries):
        data = _archive(dice, names)
        try:
            read_history(Upload(dice.choice(["a.zip", "a.tar", "a", "../a.gz"]), data), most_bytes=2**24)
        except BadInput as refused:
            if "\n" in str(refused) or len(str(refused)) > 4000:
                failed.append(f"more than a line: {refused!s:.200}")
        except Exception as error:
            failed.append(f"{type(error).__name__}: {error!s:.200}")
        if number_of := len(set(folder.rglob("*")) - set(before)):
            failed.append(f"{number_of} files were written")
    return failed


def _archive(dice: random.Random, names: list[str]) -> bytes:
    log = dice.choice([a_log(3), b"", b"not a log", bytes(2**20)])
    kind = dice.randrange(5)
    if kind == 0:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", dice.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
            for name in dice.sample(names, dice.randrange(1, 4)):
                info = zipfile.ZipInfo(name or "x")
                info.external_attr = dice.choice([0, 0o120777 << 16, 0o40755 << 16])  # a link, a folder
                archive.writestr(info, dice.choice([log, b"/etc/passwd"]))
        data = bytearray(stream.getvalue())
        for _ in range(dice.choice([0, 0, 1, 5])):
            data[dice.randrange(len(data))] = dice.randrange(256)
        return bytes(data)
    if kind == 1:
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode=dice.choice(["w", "w:gz"])) as archive:
            info = tarfile.TarInfo(dice.choice(names).replace("\0", "x") or "x")
            info.type, info.linkname = dice.choice([tarfile.SYMTYPE, tarfile.LNKTYPE]), "/etc/passwd"
            archive.addfile(info)
        return stream.getvalue()
    if kind == 2:
        return zstd(bytes(dice.choice([2**10, 2**26])), log)
    if kind == 3:
        return zlib.compress(bytes(2**25), 9)[: dice.randrange(9, 30_000)]
    return zipped({"a.zip": zipped({"b.zip": zipped({"app-1": log})})})


def rules(folder: Path, tries: int, dice: random.Random) -> list[str]:
    """Give files of rules that are none, fail, or name what is there: one line."""
    whole = (ROOT / "examples" / "oldest_first.py").read_text()
    failed = []
    for number in range(tries):
        lines = whole.splitlines()
        for _ in range(dice.randrange(1, 4)):
            at = dice.randrange(len(lines))
            lines[at] = dice.choice(
                ["", "raise SystemExit(0)", "1/0", "import nothing_of_this_name", "\0", "é" * 9]
            )
        file = folder / f"rule_{number}.py"
        file.write_bytes(dice.choice(["\n".join(lines).encode(), dice.randbytes(100), b"\xff\xfe"]))
        told = run("policies", "--policies", str(file))
        if said := wrong(told):
            failed.append(said)
    return failed


def samples(folder: Path, tries: int, dice: random.Random) -> list[str]:
    """Damage kept samples: bytes that are no sample are refused by name."""
    kept = folder / "kept"
    run(*LINE[:-1], "2", "--keep", str(kept))
    with closing(sqlite3.connect(kept / NAME)) as file:
        (found,) = file.execute("SELECT found FROM sample").fetchone()
    failed, plain = [], zlib.decompress(found)
    for _ in range(tries):
        text = bytearray(plain)
        for _ in range(dice.randrange(1, 6)):
            at = dice.randrange(len(text))
            text[at : at + dice.randrange(3)] = dice.choice(
                [b"", b"NaN", b"[[", b"-", b"9" * 30, b'"', b"null"]
            )
        try:
            from_bytes(zlib.compress(bytes(text)))
        except ValueError:
            continue
        except BaseException as error:
            failed.append(f"{type(error).__name__}: {error}")
    return failed


def fleets(folder: Path, tries: int, dice: random.Random) -> list[str]:
    """Name folders with links, circles, pipes and odd names: logs are listed, or it is one line."""
    failed = []
    for number in range(tries):
        place = folder / f"{number}"
        place.mkdir()
        for one in range(dice.randrange(1, 6)):
            path = os.path.join(
                os.fsencode(place), dice.randbytes(4).replace(b"/", b"_").replace(b"\0", b"_") + b"%d" % one
            )
            match dice.randrange(5):
                case 0:
                    os.symlink(dice.choice([b".", b"..", b"nowhere", b"/dev/zero", path]), path)
                case 1:
                    os.mkfifo(path)
                case 2:
                    os.mkdir(path, dice.choice([0o700, 0]))
                case _:
                    Path(os.fsdecode(path)).write_bytes(dice.choice([a_log(3), b"", b"x"]))
        try:
            for item in items_of([str(place)]):
                item.log.name.encode()  # which can be shown
        except BadInput:
            continue
        except Exception as error:
            failed.append(f"{type(error).__name__}: {error}")
    return failed


#: Class -> its attack, and how many tries the deep run makes of it.
CLASSES: dict[str, tuple[Attack, int]] = {
    "keeps": (keeps, 2000),
    "looks": (looks, 3000),
    "samples": (samples, 2000),
    "archives": (archives, 1500),
    "fleets": (fleets, 500),
    "rules": (rules, 60),
    "kills": (kills, 20),
    "killed looks": (killed_looks, 15),
    "full disks": (full_disks, 30),
}


def attack(name: str, share: float, seed: int) -> tuple[int, list[str]]:
    """Try one class; return the tries and what did not hold."""
    run_one, most = CLASSES[name]
    tries = max(1, round(most * share))
    with tempfile.TemporaryDirectory() as folder:
        return tries, run_one(Path(folder), tries, random.Random(f"{seed} {name}"))


def main() -> None:
    """Attack, and say what held; status 1 if something did not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the tries of the deep run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("classes", nargs="*", default=list(CLASSES))
    asked = parser.parse_args()
    bad = False
    for name in asked.classes:
        begun = time.monotonic()
        tries, failed = attack(name, asked.share, asked.seed)
        bad |= bool(failed)
        print(
            f"{name}: {tries} tries, {len(failed)} did not hold; {time.monotonic() - begun:.0f} s", flush=True
        )
        for text, count in Counter(failed).most_common(20):
            print(f"    {count} x {text[:400]}", flush=True)
    sys.exit(bad)


if __name__ == "__main__":
    main()
