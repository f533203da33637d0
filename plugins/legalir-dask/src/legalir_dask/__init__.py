"""Workers of a Dask cluster: ``--executor 'dask(address="tcp://127.0.0.1:8786")'``."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from functools import cached_property
from typing import Annotated, Any

from annotated_types import Ge

from legalir.errors import ComponentError, DataError
from legalir.extend import Declared, factory_of

__all__ = ["DaskExecutor", "dask"]


class DaskExecutor(Declared, Executor):
    """The workers of a Dask cluster; it connects when the first task begins.

    A task whose worker is killed is done by another worker. One that ends as many workers as the scheduler allows
    (``distributed.scheduler.allowed-failures``) raises :class:`~concurrent.futures.BrokenExecutor`.

    Raises:
        ComponentError: a parameter is out of range.
        DataError: there is no scheduler, when the first task begins.
    """

    component = "dask"
    address: Annotated[str | None, "address of the scheduler; None for the address in Dask's configuration"] = None
    timeout: Annotated[float, Ge(0.001), "seconds to wait for the scheduler"] = 10

    def __post_init__(self) -> None:
        self._closed = False

    @property
    def workers(self) -> int:
        """Number of tasks that are done at once, at least 1."""
        return max(1, sum(self._client.nthreads().values()))

    @cached_property
    def _client(self) -> Any:
        from dask import config
        from distributed import Client

        address = self.address or config.get("scheduler-address", None)
        if address is None:
            raise ComponentError("dask: there is no address: give that of a scheduler, or set DASK_SCHEDULER_ADDRESS.")
        try:
            return Client(address, timeout=self.timeout, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            reason = str(error).strip().splitlines()
            raise DataError(
                f"There is no Dask scheduler at {address} ({reason[0] if reason else type(error).__name__}): "
                f"start one with 'dask scheduler', or correct the address."
            ) from None

    @cached_property
    def _executor(self) -> Executor:
        # A task is a separate call even if another task has the same argument.
        executor: Executor = self._client.get_executor(pure=False)
        return executor

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Begin a task on some worker, and return the future of its result.

        Raises:
            RuntimeError: it was shut down.
            DataError: there is no scheduler.
        """
        if self._closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        outer: Future[Any] = Future()
        inner = self._executor.submit(fn, *args, **kwargs)
        outer.add_done_callback(lambda own: inner.cancel() if own.cancelled() else None)
        inner.add_done_callback(lambda done: _hand_on(done, outer))
        return outer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no further task; by default wait for those that were begun; leave the cluster as it is."""
        self._closed = True
        if "_client" in vars(self):
            self._executor.shutdown(wait and not cancel_futures)
            del self._executor
            self._client.close()
            del self._client


def _hand_on(done: Future[Any], outer: Future[Any]) -> None:
    """Give the outcome of Dask's future to ours, once."""
    from distributed import KilledWorker

    if done.cancelled():
        outer.cancel()
        return
    if not outer.set_running_or_notify_cancel():
        return
    error = done.exception()
    if isinstance(error, KilledWorker):
        outer.set_exception(BrokenExecutor(f"{error.last_worker.address} and others ended while they did a task"))
    elif error is not None:
        outer.set_exception(error)
    else:
        outer.set_result(done.result())


dask = factory_of(DaskExecutor, 'Workers of a Dask cluster: ``dask(address="tcp://127.0.0.1:8786")``.')
