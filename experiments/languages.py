"""`default` beside what a user of bm25s gets with the language's stemmer or segmenter, in six languages.

    python experiments/languages.py

Each collection in ``$LEGALIR_DATA`` whose segmenter is installed is measured on the questions by which no setting was
chosen (`part: held-out` of an experiment). bm25s has its own defaults: Lucene's variant, k1=1.5, b=0.75. p is that of a
paired t-test of nDCG@10 over the questions.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import bm25s
import ir_measures
import numpy as np
import pandas as pd
from ir_measures import R, nDCG
from scipy.stats import ttest_rel

import legalir

Tokenizer = Callable[[Sequence[str]], list[list[str]]]


class Peer(NamedTuple):
    """A collection, and the tokenizer that suits its language."""

    dataset: str
    language: str
    module: str
    label: str
    make: Callable[[], Tokenizer]


def stems(language: str, stop: str | None) -> Tokenizer:
    """Words of bm25s, stemmed."""
    import Stemmer

    stemmer = Stemmer.Stemmer(language)

    def tokenize(texts: Sequence[str]) -> list[list[str]]:
        return bm25s.tokenize(list(texts), stopwords=stop, stemmer=stemmer, return_ids=False, show_progress=False)

    return tokenize


def words_of(cut: Callable[[str], list[str]]) -> Tokenizer:
    """Words of a segmenter that hold a letter or digit."""
    return lambda texts: [[word for word in cut(text.lower()) if re.search(r"\w", word)] for text in texts]


def pyvi() -> Tokenizer:
    from pyvi import ViTokenizer

    return words_of(lambda text: ViTokenizer.tokenize(text).split())


def jieba() -> Tokenizer:
    import jieba

    return words_of(jieba.lcut)


def newmm() -> Tokenizer:
    from pythainlp.tokenize import word_tokenize

    return words_of(lambda text: word_tokenize(text, engine="newmm"))


def kiwi() -> Tokenizer:
    from kiwipiepy import Kiwi

    model = Kiwi()
    # Particles (J) and endings (E) are left out, as its users do.
    return words_of(lambda text: [token.form for token in model.tokenize(text) if token.tag[0] not in "JE"])


PEERS = (
    Peer("obliqa-dev/dev", "English", "Stemmer", "Snowball, stop words", lambda: stems("english", "en")),
    Peer("alqac-dev/dev", "Vietnamese", "pyvi", "pyvi", pyvi),
    Peer("kuhperdata-dev/dev", "Indonesian", "Stemmer", "Snowball", lambda: stems("indonesian", None)),
    Peer("stard-dev/dev", "Chinese", "jieba", "jieba", jieba),
    Peer("nitibench-tax", "Thai", "pythainlp", "newmm", newmm),
    Peer("searchfiresafety/full", "Korean", "kiwipiepy", "kiwi", kiwi),
    Peer("koblex", "Korean", "kiwipiepy", "kiwi", kiwi),
)

MEASURES = (R @ 10, R @ 100, nDCG @ 10)


def held_out(qid: str) -> bool:
    """Return whether a question belongs to the part `held-out` of an experiment."""
    return hashlib.sha256(qid.encode()).digest()[-1] % 2 == 1


def run_of_peer(peer: Peer, collection: legalir.Collection, topics: pd.DataFrame) -> pd.DataFrame:
    """Return the first 100 results of bm25s for each question."""
    records = list(collection.docs())
    tokenize = peer.make()
    retriever = bm25s.BM25()
    texts = [f"{record.title}\n{record.text}" if record.title else record.text for record in records]
    retriever.index(tokenize(texts), show_progress=False)
    rows = []
    for qid, tokens in zip(topics["qid"], tokenize(list(topics["query"])), strict=True):
        scores = retriever.get_scores(tokens)
        best = np.argsort(-scores, kind="stable")[:100]
        rows += [(qid, records[place].doc_id, -rank) for rank, place in enumerate(best) if scores[place] > 0]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def values(run: pd.DataFrame, qrels: pd.DataFrame, qids: Sequence[str]) -> pd.DataFrame:
    """Return the measures of each question; one without results has 0."""
    rows = [
        (metric.query_id, str(metric.measure), metric.value) for metric in ir_measures.iter_calc(MEASURES, qrels, run)
    ]
    table = pd.DataFrame(rows, columns=["qid", "measure", "value"]).pivot(
        index="qid", columns="measure", values="value"
    )
    return table.reindex(qids).fillna(0.0) * 100


def main() -> None:
    """Print the table in Markdown."""
    data = os.environ.get("LEGALIR_DATA")
    if not data:
        sys.exit("Set $LEGALIR_DATA to a folder with the collections.")
    print("| collection | questions | bm25s with | R@10 | `default` | R@100 | `default` | nDCG@10 | `default` | p |")
    print("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|")
    for peer in PEERS:
        path = Path(data) / peer.dataset
        if importlib.util.find_spec(peer.module) is None or not (Path(data) / peer.dataset.split("/")[0]).is_dir():
            print(f"not run: {path} with {peer.label}", file=sys.stderr)
            continue
        collection = legalir.Collection(path)
        judged = collection.qrels().rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
        topics = collection.topics()
        topics = topics[topics["qid"].isin(judged["query_id"]) & topics["qid"].map(held_out)].reset_index(drop=True)
        judged = judged[judged["query_id"].isin(topics["qid"])]
        found = collection.pipeline("default % 100").transform(topics)
        ours = found.assign(score=-found["rank"]).rename(columns={"qid": "query_id", "docno": "doc_id"})
        one = values(run_of_peer(peer, collection, topics), judged, topics["qid"].tolist())
        two = values(ours, judged, topics["qid"].tolist())
        p = ttest_rel(two["nDCG@10"], one["nDCG@10"]).pvalue
        cells = [f"{table[str(measure)].mean():.1f}" for measure in MEASURES for table in (one, two)]
        name = f"{peer.dataset} ({peer.language})"
        print(f"| {name} | {len(topics)} | {peer.label} | {' | '.join(cells)} | {p:.3f} |", flush=True)


if __name__ == "__main__":
    main()
