"""Functions that tests call in other processes."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sim.logs.source import Upload
from sim.model.fields import BadInput

Progress = Callable[[int], None]


def echo(value: Any, *, progress: Progress) -> Any:
    return value


def pid(*, progress: Progress) -> int:
    return os.getpid()


def niceness(*, progress: Progress) -> int:
    return os.nice(0)


def noisy(*, progress: Progress) -> str:
    print("this must not be taken for an answer", flush=True)
    os.write(1, b"nor this")
    return "quiet"


def steps(count: int, *, progress: Progress) -> str:
    for _ in range(count):
        progress(10)
        time.sleep(0.15)
    return "done"


def fails(message: str, *, progress: Progress) -> None:
    raise KeyError(message)


def unsendable(*, progress: Progress) -> Any:
    return lambda: None


def sleeps(seconds: float, *, progress: Progress) -> str:
    time.sleep(seconds)
    return "awake"


def spins(*, progress: Progress) -> None:
    while True:
        pass


def fills(megabytes: int, *, progress: Progress) -> int:
    return int(np.ones(megabytes * 2**17).sum())


def large(megabytes: int, *, progress: Progress) -> np.ndarray:
    return np.zeros(megabytes * 2**17)


def threads(*, progress: Progress) -> None:
    stop = threading.Event()
    try:
        for _ in range(1000):
            threading.Thread(target=stop.wait, daemon=True).start()
    finally:
        stop.set()


def keeps_the_interpreter(seconds: int, *, progress: Progress) -> None:
    """Do what foreign code may: take long and let no other thread of Python run."""
    ctypes.PyDLL(None).sleep(seconds)


def dies(*, progress: Progress) -> None:
    os._exit(3)


def described(*files: Upload, progress: Progress) -> list[tuple[str, int, int]]:
    """Return name, size and process; what the name of the first begins with happens."""
    for file in files:
        progress(len(file.data))
    what = files[0].name.partition(".")[0]
    if what == "slow":
        time.sleep(1.5)
    if what == "stopped" and Path(files[0].data.decode()).exists():
        os.kill(os.getpid(), signal.SIGSTOP)
    if what == "spins":
        spins(progress=progress)
    if what == "dies":
        os._exit(3)
    if what == "wrong":
        raise BadInput(f"{files[0].name}, line 1: wrong")
    if what == "fills":
        np.ones(2**27)  # a gigabyte
    return [(file.name, len(file.data), os.getpid()) for file in files]
