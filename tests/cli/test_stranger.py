"""A package that only the plugin guide has taught how to be, beside a broken one: from pip to a table of scores."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from legalir import plugins
from legalir.cli.main import main

PYPROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "Acme.Statutes"
version = "3.2.1"

[project.entry-points."legalir.v1"]
"retriever.longest_shared" = "acme_statutes:make"
"analyzer.beginnings" = "acme_statutes:beginnings"

[tool.setuptools]
py-modules = ["acme_statutes"]
"""
MODULE = '''
"""Retrieval by the length of the longest word in common: not good, and nothing that legalir has."""

import json
from functools import cached_property

import numpy as np
from legalir.extend import (
    EngineIndex,
    EngineRetriever,
    check_number,
    document_batches,
    fingerprint,
    parameters_of,
    words,
    write_spec,
)


class WordFile(EngineIndex):
    kind, version = "acme_words", 1

    def write(self, documents, directory):
        rows = [sorted(set(words(text))) for _, texts in document_batches(documents) for text in texts]
        (directory / "words.json").write_text(json.dumps(rows), encoding="utf-8")
        return {}

    @cached_property
    def rows(self):
        path = self.directory / self.manifest.data / "words.json"
        return [set(row) for row in json.loads(path.read_text(encoding="utf-8"))]


class LongestShared(EngineRetriever):
    """The longest word in common.

    Args:
        at_least: characters that the word must have.
    """

    name = "longest_shared"

    def __init__(self, index, at_least=1, num_results=1000):
        super().__init__(index, num_results)
        check_number("longest_shared", "at_least", at_least, low=1, integer=True)
        self.at_least = at_least

    def best(self, queries, days, k):
        return [self.of_one(set(words(query)), k) for query in queries["query"]]

    def of_one(self, asked, k):
        scores = np.array([max(map(len, asked & held), default=0) for held in self.index.rows], dtype=float)
        best = np.argsort(-scores)[:k]  # Ties in any order: the base asks for more where they are cut.
        best = best[scores[best] >= self.at_least]
        return best, scores[best]


@parameters_of(LongestShared, without=["index"])
def make(collection, **params):
    """The longest word in common: ``longest_shared(at_least=3)``."""
    return LongestShared(WordFile(collection.cache / "acme-words-1", collection), **params)


class Beginnings:
    def __init__(self, letters):
        self.letters = letters

    @property
    def name(self):
        return write_spec("beginnings", {} if self.letters == 2 else {"letters": self.letters})

    @property
    def fingerprint(self):
        return fingerprint("acme/beginnings/1", {"letters": self.letters})

    def terms(self, text):
        return [word[: self.letters] for word in words(text)]


def beginnings(collection, *, letters=2):
    """The first letters of words: ``bm25(analyzer="beginnings")``."""
    return Beginnings(letters)
'''
BROKEN = """
[legalir.v1]
retriever.sick = broken_neighbour:anything
reranker.gone = json:no_such_thing
fuser.number = math:pi
analyzer.nothing = broken_neighbour:anything
nonsense = broken_neighbour

[legalir.v2]
retriever.future = broken_neighbour:anything
"""
QUESTION = "창문 없는 층의 기준은?"


@pytest.fixture(name="site", scope="module")
def both_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory into which pip has installed the stranger's package, and where a broken one lies beside it."""
    folder = tmp_path_factory.mktemp("stranger")
    source, site = folder / "source", folder / "site"
    source.mkdir()
    (source / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (source / "acme_statutes.py").write_text(MODULE, encoding="utf-8")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--disable-pip-version-check"]
    ended = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", str(site), str(source)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    info = site / "broken_neighbour-0.0.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-neighbour\nVersion: 0.0.9\n")
    (info / "entry_points.txt").write_text(BROKEN)
    (site / "broken_neighbour.py").write_text("raise SystemExit('this package needs a licence')\n")
    return site


class Command:
    """The program, with the packages in `site` on the path of this process and of those that the kit starts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Return exit code, output and errors."""
        self.monkeypatch.setattr(sys, "argv", ["legalir", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *self.capsys.readouterr()


@pytest.fixture(name="command")
def command_line(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Command]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("COLUMNS", "200")
    plugins.installed.cache_clear()
    yield Command(monkeypatch, capsys)
    plugins.installed.cache_clear()
    for name in ("acme_statutes", "broken_neighbour"):
        sys.modules.pop(name, None)


def test_a_new_process_lists_it_and_what_is_wrong_with_the_other(site: Path, command: Command) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "legalir.cli.main", "plugins", "list", "--load", "--json"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    rows = {(row["role"], row["name"]): row for row in found["plugins"]}
    ours = rows["retriever", "longest_shared"]
    assert (ours["package"], ours["version"], ours["state"]) == ("acme-statutes", "3.2.1", "loads")
    assert rows["analyzer", "beginnings"]["state"] == "loads"
    assert rows["retriever", "bm25"]["state"] == "loads"
    broken = [row for row in rows.values() if row["package"] == "broken-neighbour"]
    assert len(broken) == 5
    assert all(row["state"] == "broken" for row in broken)
    assert all("broken-neighbour 0.0.9" in row["problem"] for row in broken)
    assert any("needs a licence" in problem for problem in found["problems"])


def test_it_is_shown(command: Command) -> None:
    code, out, _ = command("plugins", "show", "longest_shared")
    assert code == 0
    for word in ("retriever", "acme-statutes 3.2.1", "at_least", "characters that the word must have"):
        assert word in out


@pytest.mark.parametrize("spec", ["longest_shared(at_least=2)", "beginnings"])
def test_it_passes_the_check(command: Command, spec: str) -> None:
    code, out, _ = command("plugins", "check", spec, "--json")
    (report,) = json.loads(out)
    assert [check for check in report["checks"] if check["status"] not in ("passed", "not applicable")] == []
    assert (code, report["ok"]) == (0, True)


def test_it_answers_a_question_in_an_expression(command: Command) -> None:
    expression = "rrf(longest_shared(at_least=2), bm25(analyzer='beginnings(letters=1)')) % 20 >> sar"
    code, out, _ = command("search", "legalir/firecode", QUESTION, "-k", "3", "--json", "--pipeline", expression)
    assert (code, len(json.loads(out))) == (0, 3)


def test_it_works_in_an_experiment(command: Command, tmp_path: Path) -> None:
    command.monkeypatch.setattr("legalir.experiments.runs.BUDGET_SECONDS", 0)
    (tmp_path / "mine.yaml").write_text(
        "dataset: legalir/firecode/dev\n"
        "measures: [nDCG@10]\n"
        "systems: {BM25: bm25, stranger: longest_shared(at_least=2), both: 'rrf(bm25, longest_shared)'}\n"
        "baseline: BM25\n",
        encoding="utf-8",
    )
    assert command("experiment", "run", "mine.yaml", "--out", "out", "--no-report")[0] == 0
    header, *rows = (tmp_path / "out" / "table.tsv").read_text(encoding="utf-8").splitlines()
    assert [row.split("\t")[0] for row in rows] == ["BM25", "stranger", "both"]
    assert "nDCG@10" in header


def test_what_is_wrong_is_one_line(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(expression: str) -> tuple[int, str]:
        code, _, error = command("search", "legalir/firecode", QUESTION, "--pipeline", expression)
        assert error.startswith("error: ") and error.count("\n") == 1
        return code, error

    code, error = refused("bm25 >> longest_shared(at_least=0)")
    assert code == 2 and "longest_shared: at_least=0" in error
    code, error = refused("bm25(analyzer='nothing')")
    assert code == 1 and "broken-neighbour 0.0.9" in error
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "Acme_Statutes")
    code, error = refused("longest_shared")
    assert code == 1 and "take acme-statutes out of LEGALIR_DISABLE_PLUGINS" in error
