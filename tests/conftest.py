"""What holds for every test: directories of its own, no network, and property tests without a clock."""

from __future__ import annotations

import gc
import os
import socket
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

if "PYTEST_XDIST_WORKER" in os.environ:
    # One thread for each worker, and for what it starts: threads that spin while they wait take time from the others.
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# The autouse fixture below does not change between examples, so it may be shared by them.
settings.register_profile(
    "legalir",
    deadline=None,
    database=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("legalir")


@pytest.fixture(autouse=True, scope="module")
def small_heap() -> None:
    """Leave what is there out of the collection of garbage, which PyTerrier's experiments ask for at each system."""
    gc.freeze()


@pytest.fixture(name="homes", scope="session")
def new_homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield paths of directories that are not made: to make one for each of ten thousand tests takes a while."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(name="built", scope="session")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home for what is built of the bundled collections, one for all workers: their vectors take a minute."""
    folder = tmp_path_factory.getbasetemp()
    return (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "built"


@pytest.fixture(autouse=True)
def own_directories(request: pytest.FixtureRequest, homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every test away from the caches and the data of whoever runs it."""
    has_folder = "tmp_path" in request.fixturenames
    home = request.getfixturevalue("tmp_path") / "own-home" if has_folder else next(homes)
    monkeypatch.setenv("LEGALIR_HOME", str(home / "legalir"))
    monkeypatch.setenv("PYTERRIER_HOME", str(home / "pyterrier"))
    monkeypatch.setenv("IR_DATASETS_HOME", str(home / "ir_datasets"))
    for name in ("LEGALIR_DATA", "LEGALIR_DISABLE_PLUGINS", "LEGALIR_LLM"):
        monkeypatch.delenv(name, raising=False)
    # Else each first use of `default` would encode a collection, in environments that have the encoder.
    monkeypatch.setenv("LEGALIR_SEMANTIC", "off")


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Let a test connect to servers of its own only."""
    connect = socket.socket.connect

    def only_here(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = address[0] if isinstance(address, tuple) else address
            if host not in ("127.0.0.1", "::1", "localhost"):
                raise AssertionError(f"a test connects to {address!r}")
        connect(self, address)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", only_here)
        yield
