"""Work that is shared among threads."""

from __future__ import annotations

import os
import threading

import pytest

from legalir.threads import processor_count, run_in_threads


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
