"""Questions that several threads ask at once are searched together, with the results that each has alone."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from served import service

from legalir.errors import ComponentError
from legalir.extend import asked_once
from legalir_serve.work import Together


class Slow(pt.Transformer):
    """Ranks by the length of the question; notes the size of each call, and refuses a question that says so."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.first = threading.Event()
        self.go = threading.Event()

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        self.sizes.append(len(inp))
        self.first.set()
        self.go.wait()
        if inp["query"].eq("bad").any():
            raise ComponentError("a bad question")
        kept = inp[inp["query"] != "none"]
        return kept.assign(docno="d", score=kept["query"].str.len(), rank=0)


def test_what_waits_is_one_turn_and_a_bad_question_fails_alone() -> None:
    slow = Slow()
    together = Together(slow, most=4)
    with ThreadPoolExecutor(12) as pool:
        alone = pool.submit(together.search, asked_once("a", None))
        slow.first.wait()
        questions = ["bb", "bad", "ccc", "none", "dddd", "eeeee", "f"]
        futures = []
        for number, question in enumerate(questions, 1):
            futures.append(pool.submit(together.search, asked_once(question, None)))
            while together._waiting.qsize() < number:
                pass
        slow.go.set()
        assert alone.result()["score"].tolist() == [1]
        with pytest.raises(ComponentError, match="a bad question"):
            futures[1].result()
        found = {
            question: future.result() for question, future in zip(questions, futures, strict=True) if question != "bad"
        }
    # One, then the four of a turn, which fails and is done one by one, then the three that are left.
    assert slow.sizes == [1, 4, 1, 1, 1, 1, 3]
    assert {question: rows["score"].tolist() for question, rows in found.items()} == {
        "bb": [2], "ccc": [3], "none": [], "dddd": [4], "eeeee": [5], "f": [1]
    }  # fmt: skip
    assert together.search(asked_once("again", None))["score"].tolist() == [5]


def test_a_service_gives_each_thread_what_it_gives_one(tmp_path: Path) -> None:
    served = service(tmp_path)
    questions = [f"{word} of a {thing}" for word in ("lamp", "fee", "shade", "crowns") for thing in ("pier", "lamp")]
    alone = [served.search(question, pipeline="default") for question in questions]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert list(pool.map(lambda question: served.search(question, pipeline="default"), questions)) == alone
