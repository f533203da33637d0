"""A scheduler and two worker processes on 127.0.0.1: the same results as of one process, also where one is killed."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

import cloudpickle
import dask
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from legalir import Collection, DenseIndex, SparseIndex, testing
from legalir.errors import ComponentError, DataError
from legalir_dask import DaskExecutor

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # Workers do not have this file.


@pytest.fixture(name="cluster", scope="module")
def two_workers() -> Iterator[LocalCluster]:
    # A worker that ended is started again, which takes seconds: one more try is enough. Without the second setting
    # the cluster looks 15 s after a worker was killed whether it is there, and gives it up if it is just starting.
    once_more = {"distributed.scheduler.allowed-failures": 1, "distributed.deploy.lost-worker-timeout": "1 hour"}
    with (
        dask.config.set(once_more),
        LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
        ) as cluster,
    ):
        yield cluster


@pytest.fixture(name="executor")
def of_the_cluster(cluster: LocalCluster) -> Iterator[DaskExecutor]:
    with DaskExecutor(cluster.scheduler_address) as executor:
        yield executor
        executor.shutdown(cancel_futures=True)  # A test that failed may leave a task that no worker does.


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "home"))


def test_conformance(cluster: LocalCluster) -> None:
    outcomes = testing.check("executor", "dask", params={"address": cluster.scheduler_address})
    assert [one for one in outcomes if one.status != "passed"] == []


class SlowHashes:
    """An encoder whose vectors come from a hash, after a while; of the kind that is resumed and shared."""

    name = "slow-hashes"
    fingerprint = "5" * 64

    def encode(self, texts: Sequence[str]) -> Any:
        return self.encode_counted(texts, lambda done: None)

    encode_queries = encode

    def encode_counted(self, texts: Sequence[str], advance: Callable[[int], None]) -> Any:
        time.sleep(0.05)
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") for text in texts]
        rows = np.array([np.random.default_rng(seed).normal(size=8) for seed in seeds], dtype=np.float32)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True) if len(rows) else np.zeros((0, 8))).astype("float32")


def test_a_pipeline_is_sent_to_a_worker(executor: DaskExecutor) -> None:
    collection = Collection("legalir/firecode")
    topics = collection.topics().head(3)
    for expression in ("default", 'bm25 % 20 >> sar(normalize="max")', "lookup"):
        system = collection.pipeline(expression)
        expected = system.transform(topics)  # Used before it travels.
        pd.testing.assert_frame_equal(executor.submit(system.transform, topics).result(), expected)


DOCUMENTS = [{"docno": f"d-{number}", "text": f"fire door {number} " * 400} for number in range(240)]


def test_a_worker_is_killed_in_the_middle(cluster: LocalCluster, executor: DaskExecutor, tmp_path: Path) -> None:
    with Client(cluster.scheduler_address, set_as_default=False) as client:
        before = set(client.run(os.getpid).values())
        victim, finished = min(before), [0]

        def advance(done: int) -> None:
            finished[0] += done
            if finished[0] > 40 and victim in before:
                os.kill(victim, signal.SIGKILL)
                before.discard(victim)

        shared = DenseIndex(tmp_path / "shared", encoder=SlowHashes()).index(
            DOCUMENTS, executor=executor, advance=advance
        )
        assert finished[0] == len(DOCUMENTS) and victim not in before
        assert victim not in set(client.run(os.getpid).values())
    alone = DenseIndex(tmp_path / "alone", encoder=SlowHashes()).index(DOCUMENTS)
    assert shared.manifest.files == alone.manifest.files


def test_terms_are_counted_by_workers(executor: DaskExecutor, tmp_path: Path) -> None:
    shared = SparseIndex(tmp_path / "shared", analyzer="word").index(DOCUMENTS, executor=executor)
    assert shared.manifest.files == SparseIndex(tmp_path / "alone", analyzer="word").index(DOCUMENTS).manifest.files
    folder = tmp_path / "laws"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("".join(json.dumps(document) + "\n" for document in DOCUMENTS))
    mine, usual = Collection(folder, executor=executor), Collection(folder, cache=tmp_path / "usual")
    assert mine.search("door 17", "bm25f").equals(usual.search("door 17", "bm25f"))


def test_the_command_line(cluster: LocalCluster) -> None:
    call = f'dask(address="{cluster.scheduler_address}")'
    command = [sys.executable, "-m", "legalir.cli.main", "index", "legalir/firecode", "--executor", call]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("302 provisions")


def _end(_: object) -> None:
    os._exit(9)  # As the kernel ends a process that takes too much memory.


def test_a_task_that_ends_every_worker(executor: DaskExecutor) -> None:
    # What asks for the work makes a sentence of this error.
    with pytest.raises(BrokenExecutor, match="and others ended while they did a task"):
        executor.submit(_end, 7).result(120)
    assert [executor.submit(str, number).result(60) for number in (1, 2)] == ["1", "2"]


def test_no_scheduler() -> None:
    with (
        DaskExecutor("tcp://127.0.0.1:9", timeout=0.2) as executor,
        pytest.raises(DataError, match="no Dask scheduler"),
    ):
        executor.submit(sum, [1])


def test_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with DaskExecutor() as executor, pytest.raises(ComponentError, match="there is no address"):
        executor.submit(sum, [1])


@pytest.mark.parametrize("parameters", [{"timeout": 0}, {"timeout": "soon"}, {"address": 8786}])
def test_wrong_parameters(parameters: dict[str, Any]) -> None:
    with pytest.raises(ComponentError, match=next(iter(parameters))):
        DaskExecutor(**parameters)
