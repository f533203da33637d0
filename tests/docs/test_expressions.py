"""Every expression of the pages runs over the bundled collection, whether it stands in a line, a block or a table.

What is not here decides for itself whether an expression is left out: a model, an endpoint or another package is
missing, by the error of the component that needs it; an outline has "…". A component that is shown alone gets the kit's
input of its role.
"""

from __future__ import annotations

import ast
import gzip
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from documentation import DOCS, PAGES, blocks, shown_texts
from test_every_component import write_facts

import legalir
from legalir import pipeline, plugins
from legalir.errors import ExpressionError, MissingExtra, ModelError, PluginNotFound
from legalir.llm.client import Client
from legalir.pipeline.builder import Expression
from legalir.testing import data
from legalir.testing.sandbox import Echo
from legalir_hypa.triple_graph import TripleGraph, read_facts

ABSENT = (MissingExtra, ModelError, PluginNotFound)
"""Errors of a component that needs a package, a model, a key or a network."""
ROLES = {entry.name: entry.role for entry in plugins.entries() if entry.role in plugins.PIPELINE_ROLES}
ALONE = {
    "reranker": data.FIRST_STAGE,
    "expander": data.FIRST_STAGE,
    "generator": data.FIRST_STAGE,
    "judge": data.ANSWERED,
}
"""The kit's input of a component that begins no pipeline."""


def expressions(page: Path) -> list[str]:
    """Return the expressions of a page, without those that are one name."""
    found = {}
    for text in shown_texts(page):
        try:
            tree = Expression(text).tree
        except ExpressionError:
            continue
        if not isinstance(tree, ast.Name) and "…" not in text and pipeline.names(text) & set(ROLES):
            found[ast.unparse(tree)] = text
    return list(found.values())


def completed(text: str) -> str:
    """Return an expression, behind the kit's input if it is one component that needs one."""
    tree = Expression(text).tree
    alone = ALONE.get(ROLES.get(tree.func.id, "")) if isinstance(tree, ast.Call) else None
    return text if alone is None else f"{alone} >> {text}"


def needs_a_model(text: str) -> bool:
    """Whether a component is given a language model of its own; without one, it asks the collection's."""
    return any(isinstance(node, ast.keyword) and node.arg == "llm" and not _is_none(node) for node in _walk(text))


def _walk(text: str) -> Iterator[ast.AST]:
    return ast.walk(Expression(text).tree)


def _is_none(node: ast.keyword) -> bool:
    return isinstance(node.value, ast.Constant) and node.value.value is None


def is_absent(error: BaseException | None) -> bool:
    """Whether an error, or one that it was made from, says that something is not here."""
    return error is not None and (isinstance(error, ABSENT) or is_absent(error.__context__))


class Asked:
    """The bundled collection and a question of each kind, with a model that repeats what it is told."""

    def __init__(self, folder: Path) -> None:
        self.client = Client(Echo(), cache=folder / "llm.sqlite")
        self.folder = folder
        write_facts(folder)
        self.collection = cache(self._collection)

    def _collection(self, split: str) -> legalir.Collection:
        collection = legalir.Collection(f"legalir/firecode/{split}", cache=self.folder / "cache", client=self.client)
        graph = TripleGraph(collection.cache / "triples")
        if not graph.built():
            known = {provision.doc_id for provision in collection.docs()}
            graph.index(read_facts(self.folder / "facts.jsonl", known), source={"file": "facts.jsonl"})
        return collection

    def run(self, text: str) -> pd.DataFrame:
        """Run an expression on one question: of `yesno` for yes/no questions, and for examples, which need answers."""
        of_yesno = "yesno" in pipeline.names(text) or "examples=" in text
        collection = self.collection("yesno" if of_yesno else "multihop")
        question = collection.topics().head(1).assign(answer="비상구", steps=1, case="act-1")
        if "toks(" in text:
            question["query_toks"] = [{"창문": 1.0}]
        out: pd.DataFrame = collection.pipeline(completed(text)).transform(question)
        return out


def write_run(asked: Asked, path: Path) -> None:
    """Write the run that a page reads from another system: the first results of the question that is asked."""
    lines = [f"{row.qid} Q0 {row.docno} {row.rank} {row.score} x\n" for row in asked.run("bm25 % 9").itertuples()]
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt") if path.suffix == ".gz" else path.open("w", encoding="utf-8") as file:
        file.writelines(lines)


def write_vectors(path: Path) -> None:
    """Write the vectors of a provision that a page takes from a model elsewhere."""
    with gzip.open(path, "wt") as file:
        file.write('{"docno": "vrule-6", "toks": {"창문": 1.5}}\n')


@pytest.fixture(name="asked", scope="module")
def asked_collection(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    return Asked(tmp_path_factory.mktemp("expressions"))


@pytest.mark.parametrize("page", [page for page in PAGES if expressions(page)], ids=lambda page: page.name)
def test_every_expression_runs(page: Path, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(asked.folder)
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # An endpoint that is not there is asked again.
    for block in blocks(page):
        if block.file is not None:
            Path(block.file).write_text(block.text + "\n", encoding="utf-8")
    faults = {}
    for text in expressions(page):
        for name in re.findall(r"""\brun\((?:path=)?["']([^"']+)""", text):
            write_run(asked, Path(name))
        for name in re.findall(r"""\btoks\(path=["']([^"']+)""", text):
            write_vectors(Path(name))
        try:
            if not needs_a_model(text):
                asked.run(text)
        except Exception as error:
            if not is_absent(error):
                faults[text] = f"{type(error).__name__}: {error}"
    assert faults == {}


def test_the_check_itself(asked: Asked, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("`bm25 % 3 >> sar` and `bm25`\n\n```text\nsar(k=2)  # alone\nno words\n```\n\n`a ** b`, `rar(…)`\n")
    assert expressions(page) == ["bm25 % 3 >> sar", "sar(k=2)"]
    with pytest.raises(legalir.errors.ComponentError, match="outside"):
        asked.run("bm25 % 3 >> sar")
    assert "score" in asked.run("sar(k=2)")
    for text in ('dense("no/such-model")', "bm25 >> srr", 'bm25(analyzer="no_such")'):
        with pytest.raises(legalir.errors.LegalIRError) as error:
            asked.run(text)
        assert is_absent(error.value), text
    assert not is_absent(legalir.errors.ComponentError("wrong"))
    assert isinstance(asked.collection("multihop").pipeline("bm25"), pt.Transformer)
    assert needs_a_model('hyde(llm="smollm2")') and not needs_a_model("hyde(llm=None)")
    assert len(expressions(DOCS / "expressions.md")) > 8
