"""Dask as the executor of runs: a given scheduler, or one started here. It needs the extra `dask`.

Dask watches its workers, starts again elsewhere what a lost one had, and shows it all on its dashboard.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import ExitStack, contextmanager
from typing import Any

from sim.model.fields import BadInput
from sim.running import code_digest, sample_store
from sim.running.experiment import Experiment
from theory.quoting import quoted, shortened

LOCAL = "local"
#: Seconds in which a scheduler must answer, and in which it must have a worker.
ANSWER_S, WORKERS_S = 10, 30


class DaskExecutor(Executor):
    """An executor that hands everything to Dask.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._inner = client.get_executor(pure=False)

    @property
    def workers(self) -> int:
        """Threads of all workers there are now."""
        return sum(self._client.nthreads().values()) or 1

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Hand out a call; a worker that is lost again and again ends it as a broken executor would."""
        inner, outer = self._inner.submit(function, *arguments, **named), Future[Any]()

        def pass_on(done: Future[Any]) -> None:
            if done.cancelled():
                outer.cancel()
                outer.set_running_or_notify_cancel()
            elif (error := done.exception()) is None:
                outer.set_result(done.result())
            else:
                lost = type(error).__name__ == "KilledWorker"
                outer.set_exception(
                    BrokenExecutor(f"a run has ended worker after worker: {error}") if lost else error
                )

        inner.add_done_callback(pass_on)
        outer.add_done_callback(lambda done: inner.cancel() if done.cancelled() else None)
        return outer


@contextmanager
def connected(where: str, experiment: Experiment, workers: int | None = None) -> Iterator[DaskExecutor]:
    """Connect to Dask, see that its workers have this code, and have one on each machine compile it.

    Parameters
    ----------
    where : str
        Address of a scheduler, such as ``tcp://host:8786``, or 'local': processes of this machine.
    experiment : Experiment
        What is to be run.
    workers : int, optional
        Of a local cluster: as many as there are cores unless given.

    Raises
    ------
    BadInput
        In one line, if Dask is not installed, the scheduler is not there or goes, has no workers, or one of
        them has other code.
    """
    try:
        import distributed
        from distributed.comm.core import CommClosedError
    except ImportError:
        raise BadInput("dask: it is not installed; pip install -e '.[dask]'") from None
    for name in [
        name for name in logging.Logger.manager.loggerDict if name.startswith(("distributed", "tornado"))
    ]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is raised, and is on the dashboard
    with ExitStack() as stack:
        try:
            client = stack.enter_context(_client(distributed, where, workers, stack))
            _wait(client, where)
            _check(client)
            if sys.stderr and sys.stderr.isatty():
                print(f"Dask: {client.dashboard_link}", file=sys.stderr)
            _prepare(client, experiment)
            yield DaskExecutor(client)
        except CommClosedError:
            raise BadInput(
                f"dask: {quoted(where)} has gone in the middle; start again (--keep keeps what is there)"
            ) from None


def _client(distributed: Any, where: str, workers: int | None, stack: ExitStack) -> Any:
    if where == LOCAL:
        cluster = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        )
        return distributed.Client(stack.enter_context(cluster))
    try:
        return distributed.Client(where, timeout=ANSWER_S)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadInput(
            f"dask: {quoted(where)} does not answer ({shortened(reason)}); "
            "give local, or the address of a scheduler, such as tcp://host:8786"
        ) from None


def _wait(client: Any, where: str) -> None:
    try:
        client.wait_for_workers(1, timeout=WORKERS_S)
    except TimeoutError:
        raise BadInput(
            f"dask: {quoted(where)} has no workers; start some: dask worker ADDRESS --nthreads 1"
        ) from None


def _check(client: Any) -> None:
    """Refuse workers of other code."""
    for worker, answer in client.run(code_digest.digest, on_error="return").items():
        if isinstance(answer, Exception):
            raise BadInput(
                f"dask: the worker {worker} has no straggler-lab, or another version of it "
                f"({type(answer).__name__}: {shortened(str(answer))}); here is {code_digest.told()}"
            )
        if answer != code_digest.digest():
            raise BadInput(
                f"dask: the worker {worker} has code {shortened(str(answer))}, here is {code_digest.told()}; "
                "give all the same version, Python, NumPy, SciPy and Numba"
            )


def _prepare(client: Any, experiment: Experiment) -> None:
    """Have one worker of each machine compile what is run, so that the others find it compiled."""
    first: dict[str, str] = {}
    for worker, about in client.scheduler_info(n_workers=-1)["workers"].items():
        first.setdefault(about["host"], worker)
    client.run(sample_store.prepare, sample_store.preparation(experiment), workers=list(first.values()))
