"""Work on many items: order, number of items at a time, processes that end, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from itertools import count
from operator import truediv
from pathlib import Path

import pytest

from legalir.errors import ComponentError, WorkerError
from legalir.executors import Sent, mapped, processes, processor_count, run_in_threads


def test_results_are_in_the_order_of_the_items_and_items_are_read_as_results_are_taken() -> None:
    begun = count()

    def slow(number: int) -> int:
        time.sleep(0.01 * (number % 3))
        return number * 2

    with ThreadPoolExecutor(3) as pool:
        results = mapped(slow, begun, executor=pool, workers=3)
        assert [next(results) for _ in range(20)] == list(range(0, 40, 2))
        results.close()
        assert next(begun) <= 20 + 12
        assert pool.submit(len, "open").result() == 4


def test_one_worker_is_this_process() -> None:
    assert set(mapped(lambda _: threading.get_ident(), range(3), workers=1)) == {threading.get_ident()}


def test_an_error_of_the_function_is_raised_in_its_place() -> None:
    with ThreadPoolExecutor(2) as pool:
        results = mapped(lambda number: truediv(1, number), [1, 2, 0, 4], executor=pool)
        assert [next(results), next(results)] == [1, 0.5]
        with pytest.raises(ZeroDivisionError):
            next(results)


def test_processes_are_fresh_and_the_item_that_ends_one_is_named() -> None:
    assert os.getpid() not in set(mapped(_pid, range(3), workers=2))
    results = mapped(os._exit, [7], workers=2)
    with pytest.raises(WorkerError, match=r"^7: the process"):
        next(results)


def _pid(_: object) -> int:
    return os.getpid()


class Broken(Executor):
    """An executor whose workers are gone."""

    def submit(self, *_: object, **__: object) -> Future[object]:  # type: ignore[override]
        raise BrokenExecutor


def test_a_broken_executor_is_one_sentence() -> None:
    with pytest.raises(WorkerError, match=r"^3: the process"):
        list(mapped(str, [3], executor=Broken()))


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_no_process_is_left(tmp_path: Path, stop: signal.Signals) -> None:
    (tmp_path / "script.py").write_text(
        "import os, signal, time\n"
        "from legalir import executors\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def work(number):\n"
        "    time.sleep(0.02 if number < 100 else 600)\n"
        "    return os.getpid()\n"
        "seen = set()\n"
        "for pid in executors.mapped(work, range(110), workers=2):\n"
        "    seen.add(pid)\n"
        "    if len(seen) == 2:\n"
        "        print('ready', flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout and process.stdout.readline() == "ready\n"
    if stop == signal.SIGINT:
        os.killpg(process.pid, stop)  # As a terminal does: all processes of the group get it.
    else:
        process.kill()
    _, error = process.communicate(timeout=20)  # Ends when no process has the pipes open.
    assert process.returncode == -stop
    assert error.count("Traceback") == (stop == signal.SIGINT)


class Twice(ThreadPoolExecutor):
    """Does each task twice, the later ones first, as a scheduler may that has lost sight of a worker."""

    def submit(self, fn: object, /, *args: object, **kwargs: object) -> Future[object]:  # type: ignore[override]
        def task() -> object:
            time.sleep(0.02 * (3 - args[0] % 4))  # type: ignore[operator]
            fn(*args, **kwargs)  # type: ignore[operator]
            return fn(*args, **kwargs)  # type: ignore[operator]

        return super().submit(task)


def test_a_result_that_comes_late_or_twice_is_used_once() -> None:
    done: list[int] = []

    def task(number: int) -> int:
        done.append(number)
        return number * number

    with Twice(4) as pool:
        assert list(mapped(task, range(9), executor=pool)) == [number * number for number in range(9)]
    assert sorted(done) == sorted([*range(9), *range(9)])


def test_a_function_is_unpacked_once_a_worker() -> None:
    with processes(workers=2) as pool:
        held = list(mapped(Sent(_counting()), range(12), executor=pool))
    # Each of the processes counts on; a function that was unpacked for each item would say 1 each time.
    assert sum(count == 1 for count in held) <= 2
    assert max(held) >= 6


def _counting() -> Callable[[int], int]:
    calls = [0]

    def count_calls(_: int) -> int:
        calls[0] += 1
        return calls[0]

    return count_calls


@pytest.mark.parametrize("workers", [0, True, 1.5, "two"])
def test_a_wrong_number_of_processes(workers: object) -> None:
    with pytest.raises(ComponentError, match="workers="):
        processes(workers=workers)  # type: ignore[arg-type]


def test_processors_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= processor_count() <= (os.cpu_count() or 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5, 7}, raising=False)
    assert processor_count() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processor_count() == 1


@pytest.mark.parametrize(("items", "threads"), [(5, 1), (1, 4), (0, 4)])
def test_without_others_the_calling_thread_does_all_in_order(items: int, threads: int) -> None:
    done: list[tuple[int, int]] = []
    run_in_threads(lambda item: done.append((item, threading.get_ident())), range(items), threads)
    assert done == [(item, threading.get_ident()) for item in range(items)]


def test_threads_are_at_work_at_the_same_time() -> None:
    together = threading.Barrier(2, timeout=60)  # Both threads are at work, or this raises.
    seen: list[int] = []

    def work(item: int) -> None:
        if item < 2:
            together.wait()
        seen.append(threading.get_ident())

    run_in_threads(work, range(6), 2)
    assert len(seen) == 6
    assert len(set(seen)) == 2


def test_what_goes_wrong_in_a_thread_is_raised() -> None:
    def work(item: int) -> None:
        if item == 3:
            raise ZeroDivisionError(item)

    with pytest.raises(ZeroDivisionError):
        run_in_threads(work, range(6), 2)
