"""A collection of a dozen provisions that answers from fixed lists, and counts how often it is asked."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pandas as pd
import pyterrier as pt

from legalir.experiments import ExperimentResult
from legalir.llm.client import Client

DOCNOS = [f"제{number}조" for number in range(1, 13)]
TOPICS = pd.DataFrame(
    {
        "qid": ["q1", "q2", "q3", "q4"],
        "query": ["소화기는 어디에 두나요?", "무창층의 기준", "ใครต้องเสียภาษี", "<b>50% & more</b>"],
    }
)
GOLD = {"q1": ["제1조"], "q2": ["제2조", "제3조"], "q3": ["제4조"], "q4": ["제5조", "제6조"]}
QRELS = pd.DataFrame(
    [(qid, docno, 1) for qid, docnos in GOLD.items() for docno in docnos], columns=["qid", "docno", "label"]
)
RANKINGS = {
    # R@2: 1, 1, 1, .5; R@2 of "weak": 0, .5, 1, 0; "none" finds nothing.
    "strong": {"q1": [1, 7], "q2": [3, 2], "q3": [4, 9], "q4": [5, 8]},
    "weak": {"q1": [7, 8, 1], "q2": [2, 9], "q3": [4, 1], "q4": [10, 11]},
    "none": {"q1": [], "q2": [], "q3": [], "q4": []},
    "gappy": {"q1": [1, 7], "q2": [3, 2], "q3": [], "q4": [5, 8]},
}


class FakeProvision(NamedTuple):
    doc_id: str
    title: str
    text: str


class Lists(pt.Transformer):
    """Answers from `RANKINGS`; scores fall from 1 by thirds, so that they have no short decimal form."""

    def __init__(self, name: str, asked: Counter[str], fingerprint: str):
        self.name, self.asked, self.fingerprint = name, asked, fingerprint

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lists) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        self.asked[self.name, len(inp)] += 1
        rows = [
            (qid, query, DOCNOS[number - 1], 1 - place / 3, place)
            for qid, query in zip(inp["qid"], inp["query"], strict=True)
            for place, number in enumerate(RANKINGS[self.name][qid])
        ]
        return pd.DataFrame(rows, columns=["qid", "query", "docno", "score", "rank"])


class Broken(pt.Transformer):
    """Returns what a pipeline must not return."""

    def __init__(self, fault: str):
        self.fault = fault

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        frame = pd.DataFrame({"qid": "q1", "docno": ["제1조", "제2조"], "score": [1.0, 0.5], "rank": [0, 1]})
        if self.fault == "twice":
            return frame.assign(docno="제1조")
        if self.fault == "infinite":
            return frame.assign(score=[float("inf"), 0.0])
        return frame.drop(columns="docno")


@dataclass
class FakeCollection:
    """What an experiment asks of a collection."""

    corpus: str = "corpus-1"
    analyzer: str = "analyzer-1"
    asked: Counter[tuple[str, int]] = field(default_factory=Counter)
    id: str = "legalir/fake"
    language: str = "en"
    client: Client = field(default_factory=Client)
    chunks: None = None
    dated: bool = False
    as_of: None = None
    source: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(aliases=[], replaced={}))

    def day(self, as_of: str | None) -> None:
        """Return no day: there are no versions."""

    def filter(self, where: None) -> str:
        """Return no filter."""
        return ""

    def topics(self) -> pd.DataFrame:
        return TOPICS.copy()

    def qrels(self) -> pd.DataFrame:
        return QRELS.copy()

    def fingerprint(self) -> str:
        return self.corpus

    def provisions(self, docnos: list[str]) -> dict[str, FakeProvision]:
        return {docno: FakeProvision(docno, f"{docno}(설치)", f"본문 {docno}") for docno in docnos if docno in DOCNOS}

    def pipeline(self, expression: str) -> pt.Transformer:
        name, _, rest = expression.partition(" % ")
        if name.startswith("broken_"):
            return Broken(name.removeprefix("broken_"))
        lists = Lists(name, self.asked, self.analyzer)
        return lists % int(rest) if rest else lists


DEFINITION: dict[str, object] = {
    "title": "설치 기준 실험",
    "dataset": "legalir/fake",
    "measures": ["R@2", "nDCG@10", "RR@10"],
    "systems": {"약함": "weak", "Strong": "strong", "Strong, first only": "strong % 1"},
    "baseline": "약함",
    "references": [{"name": "Paper", "source": "Somebody 2020", "scores": {"R@2": 0.4}}],
}


def page_of(result: ExperimentResult) -> str:
    """Return the report of a result."""
    with tempfile.TemporaryDirectory() as folder:
        return result.report(Path(folder) / "report.html").read_text(encoding="utf-8")
