"""Clients that others generate from the description of the API: types that fit what the server sends.

Needs ``openapi-python-client``, and ``openapi-typescript``, ``openapi-fetch`` and ``typescript`` below a folder
``node_modules``: ``make clients`` installs them in ``build/clients``. What is missing is skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from served import listening, service

from legalir_serve.app import create_app

TOOLS = Path(os.environ.get("LEGALIR_CLIENTS", Path(__file__).parents[3] / "build" / "clients"))
"""A virtual environment with a folder ``node_modules``."""

PYTHON = TOOLS / "bin" / "python"
NODE = TOOLS / "node_modules" / ".bin"


@pytest.fixture(name="address", scope="module")
def served_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    app = create_app(service(tmp_path_factory.mktemp("served")), tools=False)
    with listening(app) as address:
        yield address


def described(address: str, folder: Path) -> Path:
    """Write the description of the API, and return its file."""
    with urllib.request.urlopen(f"{address}/v1/openapi.json", timeout=30) as reply:
        (folder / "openapi.json").write_bytes(reply.read())
    return folder / "openapi.json"


def ran(*command: object, folder: Path) -> str:
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, cwd=folder, timeout=300, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(not PYTHON.exists(), reason="openapi-python-client is not installed: make clients")
def test_a_client_in_python(address: str, tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("post_hooks: []\npackage_name_override: generated\n")
    generate = [
        "generate",
        "--path",
        described(address, tmp_path),
        "--meta",
        "none",
        "--output-path",
        tmp_path / "generated",
    ]
    made = ran(
        TOOLS / "bin" / "openapi-python-client", *generate, "--config", tmp_path / "settings.yaml", folder=tmp_path
    )
    assert "Warning" not in made and "Unable" not in made, made
    (tmp_path / "use.py").write_text(
        dedent("""
        import json, sys
        from generated import Client
        from generated.api.answers import verify
        from generated.api.provisions import provision
        from generated.api.search import search, search_long
        from generated.models import Error, Provision, Search, SearchRequest, Verified, VerifyRequest

        client = Client(sys.argv[1])
        found = search.sync(client=client, q="lamp fee", k=2)
        assert isinstance(found, Search) and found.results[0].rank == 1, found
        long = search_long.sync(client=client, body=SearchRequest(q="lamp " * 700))
        assert isinstance(long, Search), long
        shown = provision.sync(client=client, docno=found.results[0].docno)
        assert isinstance(shown, Provision) and shown.cites[0].docno == "act-1", shown
        text = VerifyRequest(text="Section 9 of the Harbour Act.", collection="harbour")
        checked = verify.sync(client=client, body=text)
        assert isinstance(checked, Verified) and checked.wrong == 1, checked
        lost, bad = provision.sync(client=client, docno="act-9"), search.sync(client=client, q="lamp", k=1_000)
        assert isinstance(lost, Error) and isinstance(bad, Error), (lost, bad)
        print(json.dumps([found.results[0].docno, lost.code, bad.code]))
        """),
        encoding="utf-8",
    )
    assert json.loads(ran(PYTHON, "use.py", address, folder=tmp_path)) == ["act-2", "not_found", "invalid"]


@pytest.mark.skipif(not (NODE / "tsc").exists() or not shutil.which("node"), reason="npm is missing: make clients")
def test_a_client_in_typescript(address: str, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(TOOLS / "node_modules")
    ran(NODE / "openapi-typescript", described(address, tmp_path), "-o", "api.ts", folder=tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "use.ts").write_text(
        dedent("""
        import createClient from "openapi-fetch";
        import type { paths } from "./api.js";

        declare const process: { argv: string[] };
        const client = createClient<paths>({ baseUrl: process.argv[2] });
        const found = await client.GET("/v1/search", { params: { query: { q: "lamp fee", k: 2 } } });
        if (!found.data) throw new Error("nothing was found");
        const docno: string = found.data.results[0].docno;
        const shown = await client.GET("/v1/provision", { params: { query: { docno } } });
        const cited: string | undefined = shown.data?.cites[0].docno;
        const text = "Section 9 of the Harbour Act.";
        const checked = await client.POST("/v1/verify", { body: { text, collection: "harbour", law: "" } });
        const wrong: number | undefined = checked.data?.wrong;
        const lost = await client.GET("/v1/provision", { params: { query: { docno: "act-9" } } });
        const code: "not_found" | string | undefined = lost.error?.code;
        console.log(JSON.stringify([docno, cited, wrong, code]));
        """),
        encoding="utf-8",
    )
    options = ["--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom", "--skipLibCheck"]
    ran(NODE / "tsc", *options, "use.ts", folder=tmp_path)
    assert json.loads(ran("node", "use.js", address, folder=tmp_path)) == ["act-2", "act-1", 1, "not_found"]
