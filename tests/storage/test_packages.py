"""Packed indexes: written by the command, fetched by PyTerrier from a server, and refused if they are altered."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyterrier as pt
import pytest
from typer.testing import CliRunner

import legalir
from legalir.cli.index import app
from legalir.errors import ArtifactError
from legalir.storage.digest import file_digest


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_packed_index_is_fetched_and_checked(tmp_path: Path, address: str) -> None:
    file = tmp_path / "harbour.tar.lz4"
    done = CliRunner().invoke(app, ["legalir/harbour", "--export", str(file)])
    sha256 = file_digest(file)
    assert done.exit_code == 0 and sha256 in done.output
    index = pt.Artifact.from_url(f"{address}/{file.name}", expected_sha256=sha256)
    assert isinstance(index, legalir.SparseIndex)
    here = legalir.Collection("legalir/harbour").sparse()
    fetched, built = (one.bm25().search("pleasure craft") for one in (index, here))
    assert fetched.equals(built) and len(built)
    file.rename(tmp_path / "other.tar.lz4")
    with pytest.raises(Exception, match=r"sha256|SHA"):
        pt.Artifact.from_url(f"{address}/other.tar.lz4", expected_sha256="0" * 64)


@pytest.mark.parametrize(("name", "error"), [("gone/a.tar.lz4", ArtifactError), ("a.tar", SystemExit)])
def test_a_package_that_cannot_be_written_or_read(tmp_path: Path, name: str, error: type[BaseException]) -> None:
    done = CliRunner().invoke(app, ["legalir/harbour", "--export", str(tmp_path / name)])
    assert isinstance(done.exception, error) and "--export" in f"{done.exception}{done.output}"
