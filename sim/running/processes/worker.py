"""A process that runs functions for this one, one at a time, and can be ended at any time.

Not a `concurrent.futures.ProcessPoolExecutor`: that cannot end a call that has begun, fails all calls when
one of its processes dies, and lets each import the main module, which is the app when a page asks.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import threading
from collections.abc import Callable
from typing import Any

from sim.running.processes.child import DONE, FAILED, MEMORY, PROGRESS, Limits
from sim.running.processes.wire import Closed, TooLarge, receive, send, started

#: On Windows; elsewhere the process makes itself nice.
_FLAGS = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)


class Ended(Exception):
    """A call has not been answered; `reason` says why.

    Parameters
    ----------
    reason : str
        "memory", "time" (of the processor, which the call itself has used), "late" (by the clock: other work
        may have kept it waiting), "result" (it is too large), "stopped" (by `Worker.stop`), "died" (else).
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Worker:
    """A process, started when it is first needed and again when it has gone.

    Parameters
    ----------
    limits : Limits, optional
        Of each call.
    """

    def __init__(self, limits: Limits = Limits()) -> None:  # noqa: B008  (it is frozen)
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()  # of the two below and of starting
        self._stopped: object = None
        self._late = False

    @property
    def pid(self) -> int | None:
        """Number of the process, if there is one."""
        process = self._process
        return process.pid if process else None

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        progress: Callable[[int], None] = lambda amount: None,
        stopped: Callable[[], bool] = lambda: False,
        limits: Limits | None = None,
    ) -> Any:
        """Return ``function(*arguments, progress=...)``, computed in the process.

        Parameters
        ----------
        function : callable
            Found again by its module and name, like all that is pickled.
        *arguments
        progress : callable, optional
            Called with the sum of the amounts that the function has told its own `progress` of.
        stopped : callable, optional
            Looked at when the process has started: whether nobody waits any more.
        limits : Limits, optional
            Of this call, instead of those of each.

        Raises
        ------
        Ended
            If there is no answer.
        Exception
            What the function has raised.
        """
        limits = limits or self._limits
        process = self._started()
        if stopped():
            self.stop()
        timer = self._timer(process, limits.patience)
        try:
            send(process.stdin, (function, arguments, limits))  # type: ignore[arg-type]
            while True:
                kind, value = receive(process.stdout, limits.result)  # type: ignore[arg-type]
                if kind == PROGRESS:
                    progress(value)
                    continue
                break
        except Closed:
            raise Ended(self._why(process)) from None
        except TooLarge:
            self._end(process)
            raise Ended("result") from None
        except BaseException:
            self._end(process)
            raise
        finally:
            if timer:
                timer.cancel()
        if kind == MEMORY:
            self._end(process)  # what is left of it is not trusted
            raise Ended("memory")
        if kind == FAILED:
            raise value
        assert kind == DONE, kind
        return value

    def stop(self) -> None:
        """End the process and what it is doing; may be called from any thread."""
        with self._lock:
            self._stopped = self._process
            if self._process:
                self._process.kill()

    def close(self) -> None:
        """End the process once it is idle: nobody calls it."""
        with self._lock:
            process, self._process = self._process, None
        if process:
            self._end(process)

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._process and self._stopped is self._process:
                self._process.wait()
            if self._process and self._process.poll() is not None:
                self._forget(self._process)
            if self._process is None:
                self._stopped, self._late = None, False
                self._process = started(
                    "sim.running.processes.child",
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    creationflags=_FLAGS,
                )
            return self._process

    def _timer(self, process: subprocess.Popen[bytes], patience: float | None) -> threading.Timer | None:
        if patience is None:
            return None

        def late() -> None:
            self._late = True
            process.kill()

        timer = threading.Timer(patience, late)
        timer.daemon = True
        timer.start()
        return timer

    def _why(self, process: subprocess.Popen[bytes]) -> str:
        """Say why a process has gone, and forget it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)  # how it ended is known a moment after its pipe is closed
        self._end(process)
        if self._stopped is process:
            return "stopped"
        if process.returncode == -getattr(signal, "SIGXCPU", 0):
            return "time"
        return "late" if self._late else "died"

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        with self._lock:
            self._forget(process)

    def _forget(self, process: subprocess.Popen[bytes]) -> None:
        """Close the pipes of a process that has gone; the lock is held."""
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):  # of what was still to be written
                stream.close()  # type: ignore[union-attr]
        if self._process is process:
            self._process = None
