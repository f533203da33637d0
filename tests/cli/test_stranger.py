"""A package that only the plugin guide has taught how to be, beside a broken one: from pip to a table of scores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]

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


@pytest.fixture(name="command")
def command_line(site: Path, tmp_path: Path) -> Command:
    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "legalir.cli.main", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(site), "COLUMNS": "200", **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


def test_it_is_listed_and_so_is_what_is_wrong_with_the_other(command: Command) -> None:
    ended = command("plugins", "list", "--load", "--json")
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
    ended = command("plugins", "show", "longest_shared")
    assert ended.returncode == 0, ended.stderr
    for word in ("retriever", "acme-statutes 3.2.1", "at_least", "characters that the word must have"):
        assert word in ended.stdout


@pytest.mark.parametrize("spec", ["longest_shared(at_least=2)", "beginnings"])
def test_it_passes_the_check(command: Command, spec: str) -> None:
    ended = command("plugins", "check", spec, "--json")
    (report,) = json.loads(ended.stdout)
    assert [check for check in report["checks"] if check["status"] not in ("passed", "not applicable")] == []
    assert ended.returncode == 0
    assert report["ok"]


def test_it_answers_a_question_in_an_expression(command: Command) -> None:
    expression = "rrf(longest_shared(at_least=2), bm25(analyzer='beginnings(letters=1)')) % 20 >> sar"
    ended = command("search", "legalir/firecode", QUESTION, "-k", "3", "--json", "--pipeline", expression)
    assert ended.returncode == 0, ended.stderr
    assert len(json.loads(ended.stdout)) == 3


def test_it_works_in_an_experiment(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        "dataset: legalir/firecode/test\n"
        "measures: [nDCG@10, MultiHitRate@10]\n"
        "systems: {BM25: bm25, stranger: longest_shared(at_least=2), both: 'rrf(bm25, longest_shared)'}\n"
        "baseline: BM25\n",
        encoding="utf-8",
    )
    ended = command("experiment", "run", "mine.yaml", "--out", "out")
    assert ended.returncode == 0, ended.stderr
    header, *rows = (tmp_path / "out" / "table.tsv").read_text(encoding="utf-8").splitlines()
    assert [row.split("\t")[0] for row in rows] == ["BM25", "stranger", "both"]
    assert "nDCG@10" in header


def test_a_wrong_parameter_is_one_line(command: Command) -> None:
    ended = command("search", "legalir/firecode", QUESTION, "--pipeline", "bm25 >> longest_shared(at_least=0)")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "longest_shared: at_least=0 is not an integer of at least 1" in ended.stderr


def test_what_is_broken_says_so_in_one_line(command: Command) -> None:
    ended = command("search", "legalir/firecode", QUESTION, "--pipeline", "bm25(analyzer='nothing')")
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: ")
    assert ended.stderr.count("\n") == 1
    assert "broken-neighbour 0.0.9" in ended.stderr


def test_it_can_be_disabled(command: Command) -> None:
    arguments = ("search", "legalir/firecode", QUESTION, "--pipeline", "longest_shared")
    ended = command(*arguments, LEGALIR_DISABLE_PLUGINS="Acme_Statutes")
    assert ended.returncode == 1
    assert "'longest_shared' is disabled: take acme-statutes out of LEGALIR_DISABLE_PLUGINS" in ended.stderr
