"""Ten first tries of a new user, by the commands of README and docs: a bare clone, in an environment of its own.

``make first-tries`` runs them. pytest does not find this file by itself, because they take minutes, and pip a network.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from documentation import ROOT, blocks, spans

CORPUS = {"d1": "The tide turns twice a day.", "d2": "A crane lifts cargo.", "d3": "The fog signal has three tones."}
QUESTIONS = {"q1": "How many tones has the fog signal?", "q2": "What lifts cargo?"}
QRELS = "query-id\tcorpus-id\tscore\nq1\td3\t1\nq2\td2\t1\n"


class User:
    """Someone with a shell in a clone."""

    def __init__(self, clone: Path, environment: dict[str, str]) -> None:
        self.clone, self.environment = clone, environment

    def __call__(self, command: str, code: int = 0, **env: str) -> str:
        """Run a command that ends with `code`, with `env` in its environment, and return what it prints."""
        ended = subprocess.run(
            ["bash", "-e", "-c", command],
            cwd=self.clone,
            env=self.environment | env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
        )
        assert ended.returncode == code, f"{command}\n{ended.stdout}"
        return ended.stdout

    def shown(self, page: str, part: str) -> str:
        """Return the one block of a page that has this text; docs and tries cannot differ."""
        (found,) = (block.text for block in blocks(self.clone / page) if part in block.text)
        return found

    def line(self, page: str, beginning: str) -> str:
        """Return the one line of the blocks of a page that begins so."""
        lines = {line for block in blocks(self.clone / page) for line in block.text.splitlines()}
        (found,) = (line for line in lines if line.startswith(beginning))
        return found

    def span(self, page: str, beginning: str) -> str:
        """Return the one text in backticks of a page that begins so."""
        (found,) = {span for span in spans(self.clone / page) if span.startswith(beginning)}
        return found


@pytest.fixture(name="user", scope="session")
def new_user(tmp_path_factory: pytest.TempPathFactory) -> User:
    folder = tmp_path_factory.mktemp("new-user")
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder / "legalir")], check=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    homes = {f"{name}_HOME": str(folder / name) for name in ("LEGALIR", "PYTERRIER", "IR_DATASETS")}
    path = os.pathsep.join([str(folder / "venv" / "bin"), os.environ["PATH"]])
    others = {name: value for name, value in os.environ.items() if not name.startswith(("LEGALIR", "PYTHON", "PYTEST"))}
    user = User(folder / "legalir", others | homes | {"PATH": path})
    user(user.line("README.md", "pip install"))
    return user


def test_a_set_of_beir(user: User) -> None:
    folder = user.clone / "scifact"
    (folder / "qrels").mkdir(parents=True)
    for name, texts in {"corpus": CORPUS, "queries": QUESTIONS}.items():
        lines = [json.dumps({"_id": key, "title": "", "text": text}) for key, text in texts.items()]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(QRELS, encoding="utf-8")
    commands = user.shown("docs/datasets.md", "legalir search scifact/").splitlines()
    user("\n".join(one for one in commands if "irds:" not in one))
    assert (user.clone / "my-scifact" / "corpus.jsonl").exists() and (user.clone / "harbour-beir" / "qrels").exists()


def test_an_id_of_ir_datasets(user: User) -> None:
    parts = ('pt.get_dataset("irds:', 'legalir.Collection("irds:')
    offered, fetched = (user.shown("docs/datasets.md", part) for part in parts)
    here = fetched.replace("beir/scifact/test", "legalir/harbour")
    for code in (offered, f"import legalir\n{here}"):
        user(shlex.join(["python", "-c", code]))


def test_runs_of_other_toolkits(user: User) -> None:
    definition = yaml.safe_load(user.shown("docs/experiments.md", "title: Sparse retrieval"))
    definition |= yaml.safe_load(user.shown("docs/experiments.md", "Anserini, then SAR")) | {"baseline": "Anserini"}
    (user.clone / "own.yaml").write_text(yaml.safe_dump(definition), encoding="utf-8")
    user("legalir datasets export legalir/firecode/test queries > questions.jsonl")
    user("legalir search legalir/firecode --questions questions.jsonl --pipeline bm25 -k 100 --out bm25.trec")
    (user.clone / "bm25.trec.gz").write_bytes(gzip.compress((user.clone / "bm25.trec").read_bytes()))
    printed = user("legalir experiment run own.yaml")
    assert all(name in printed for name in ("Anserini", "with BM25"))


def test_a_table_in_latex(user: User) -> None:
    user(user.shown("docs/experiments.md", "legalir experiment compare results/quickstart experiments/"))
    user(user.shown("docs/experiments.md", "--form latex"))
    assert r"\begin{table" in (user.clone / "results" / "quickstart.tex").read_text(encoding="utf-8")


def test_the_notebooks(user: User, tmp_path: Path) -> None:
    user(user.span("README.md", "pip install notebook"))
    for notebook in sorted((user.clone / "docs" / "notebooks").glob("*.ipynb")):
        user(f"jupyter nbconvert --to notebook --execute {notebook} --output-dir {tmp_path}")
        first, second = (
            [
                [text for out in cell["outputs"] for text in out.get("text", ())]
                for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
                if cell["cell_type"] == "code"
            ]
            for path in (notebook, tmp_path / notebook.name)
        )
        assert first == second, notebook.name


def test_the_container_without_its_engine(user: User, tmp_path: Path) -> None:
    """What the container runs, in a folder: no image is built."""
    instructions = re.sub(r"\\\n\s*", "", (user.clone / "Containerfile").read_text(encoding="utf-8"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    (install,) = re.findall(r"^RUN (.*pip install.*)", instructions, flags=re.M)
    user(install.replace("/source", str(user.clone)).replace("/opt/legalir", str(tmp_path / "opt")))
    (entry,), (asked,), (healthy,) = (
        map(json.loads, re.findall(rf"^{name} (\[.*\])", instructions, flags=re.M))
        for name in ("ENTRYPOINT", "CMD", r"HEALTHCHECK .*CMD")
    )
    command = [port if part == "8000" else part for part in entry + asked]
    environment = user.environment | {"PATH": f"{tmp_path / 'opt' / 'bin'}:{os.environ['PATH']}"}
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        check = shlex.join(healthy).replace("8000", port)
        for _ in range(120):
            time.sleep(1)
            assert server.poll() is None, (tmp_path / "log").read_text()
            with contextlib.suppress(AssertionError):
                user(check)
                break
        else:
            user(check)
    finally:
        server.terminate()
        server.wait()


def test_a_plugin(user: User) -> None:
    printed = user(user.shown("docs/plugins.md", "legalir plugins new overlap"))
    assert "passed" in printed


def test_citations_checked(user: User) -> None:
    printed = user(user.line("docs/verify.md", "echo 'Section 41"), code=1)
    assert "1 moved, 1 no such provision, 1 wording differs" in printed


def test_figures_made_again(user: User) -> None:
    assert "as expected (30 same)" in user(user.span("README.md", "legalir reproduce harbour"))


def test_the_skill_of_an_agent(user: User, tmp_path: Path) -> None:
    (user.clone / "laws.csv").write_text(user.shown("README.md", "docno,law,article"), encoding="utf-8")
    user(user.shown("README.md", "legalir datasets import laws.csv my-laws/"))
    user(user.line("docs/serve.md", "pip install ./plugins/legalir-serve"))
    user(user.shown("docs/serve.md", "--install claude-code"), HOME=str(tmp_path), CLAUDE_CONFIG_DIR=str(tmp_path))
    (skill,) = tmp_path.rglob("SKILL.md")
    commands = user.shown(str(skill), "legalir datasets list")
    (user.clone / "draft.md").write_text("Section 22 of the Harbour Act.", encoding="utf-8")
    user(commands.replace("COLLECTION", "legalir/harbour"))
    assert "BM25 and SAR" in user(user.span(str(skill), "legalir experiment run"))
