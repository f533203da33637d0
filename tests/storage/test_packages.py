"""Packed indexes: written by the command, fetched by PyTerrier from a server, and refused if they are altered."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyterrier as pt
import pyterrier._artifact
import pytest
from typer.testing import CliRunner

import legalir
from legalir.cli.index import app
from legalir.errors import ArtifactError
from legalir.storage.digest import file_digest


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


class Hub(Quiet):
    """What ``to_hf`` asks of Hugging Face Hub: a dataset that has its branch, and files without LFS in one commit."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, reply = 200, dict[str, object]()
        match self.path.split("/")[2:]:
            case ["repos", "create"]:
                asked = json.loads(body)
                reply = {"url": f"https://huggingface.co/datasets/{asked['organization']}/{asked['name']}"}
            case ["datasets", _, _, "branch", "main"]:
                status, reply = 409, {"error": "Reference already exists"}
            case ["datasets", _, _, "preupload", "main"]:
                paths = [file["path"] for file in json.loads(body)["files"]]
                reply = {"files": [{"path": path, "uploadMode": "regular", "shouldIgnore": False} for path in paths]}
            case ["datasets", user, name, "commit", "main"]:
                for line in map(json.loads, body.splitlines()):
                    if line["key"] == "file":
                        file = Path(self.directory, "datasets", user, name, "resolve", "main", line["value"]["path"])
                        file.parent.mkdir(parents=True, exist_ok=True)
                        file.write_bytes(base64.b64decode(line["value"]["content"]))
                reply = {"commitUrl": f"https://huggingface.co/datasets/{user}/{name}/commit/1", "commitOid": "1"}
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(reply).encode())


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Hub, directory=str(tmp_path))) as server:
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


def test_an_index_goes_to_the_hub_and_back(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub.hf_api")
    monkeypatch.setenv("HF_TOKEN", "hf_none")
    monkeypatch.setattr(hub.api, "endpoint", address)
    resolver = pyterrier._artifact._hf_url_resolver  # It knows one address alone.
    monkeypatch.setattr(
        pyterrier._artifact,
        "_hf_url_resolver",
        lambda url: (resolver(url).url.replace("https://huggingface.co", address), resolver(url).headers),
    )
    here = legalir.Collection("legalir/harbour").sparse()
    here.to_hf("you/harbour-index")
    index = pt.Artifact.from_hf("you/harbour-index")
    fetched, built = (one.bm25().search("pleasure craft") for one in (index, here))
    assert fetched.equals(built) and len(built)


@pytest.mark.parametrize(("name", "error"), [("gone/a.tar.lz4", ArtifactError), ("a.tar", SystemExit)])
def test_a_package_that_cannot_be_written_or_read(tmp_path: Path, name: str, error: type[BaseException]) -> None:
    done = CliRunner().invoke(app, ["legalir/harbour", "--export", str(tmp_path / name)])
    assert isinstance(done.exception, error) and "--export" in f"{done.exception}{done.output}"
