"""Threads that each compute by themselves."""

from __future__ import annotations

import threading

import pytest

from legalir.retrieve.m3.workers import each_alone


def test_without_others_the_calling_thread_does_all_in_order() -> None:
    done: list[tuple[int, int]] = []
    each_alone(lambda item: done.append((item, threading.get_ident())), range(5), several=False)
    assert done == [(item, threading.get_ident()) for item in range(5)]


@pytest.mark.neural
def test_each_thread_has_one_thread_for_products_and_the_caller_keeps_its_own() -> None:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        together = threading.Barrier(2, timeout=60)  # Both threads are at work, or this raises.
        seen: list[tuple[int, int]] = []

        def work(item: int) -> None:
            if item < 2:
                together.wait()
            seen.append((threading.get_ident(), torch.get_num_threads()))

        each_alone(work, range(6), several=True)
        assert len({thread for thread, _ in seen}) == 2
        assert threading.get_ident() not in {thread for thread, _ in seen}
        assert [threads for _, threads in seen] == [1] * 6
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.neural
def test_what_goes_wrong_in_a_thread_is_raised() -> None:
    def work(item: int) -> None:
        if item == 3:
            raise ZeroDivisionError(item)

    with pytest.raises(ZeroDivisionError):
        each_alone(work, range(6), several=True)
