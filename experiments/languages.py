"""The two tables of docs/default.md: `default` beside bm25s with the language's stemmer or segmenter, and with e5.

    python experiments/languages.py
    python experiments/languages.py --e5

`reproduce.yaml` says where each collection is from; one whose sha256 is not the one there is not measured. Each
collection in ``$LEGALIR_DATA`` whose segmenter is installed is measured on the questions by which no setting was
chosen (`part: held-out` of an experiment). bm25s has its own defaults: Lucene's variant, k1=1.5, b=0.75. p is that of a
paired t-test of nDCG@10 over the questions. With ``--e5``, `default` without and with the encoder (extra `semantic`) is
measured on another half of the questions: those whose MD5 of the qid is odd; of gerlayqa-dev, of every second one.
Grades above 0 count the same there.
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
from legalir.experiments.reproduce import Reproduction

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

WITH_E5 = (
    "ll144",
    "obliqa-dev/dev",
    "gerlayqa-dev/dev",
    "fr-travail-dev/dev",
    "it-quiz-dev/dev",
    "lqad-dev/dev",
    "alqac-dev/dev",
    "kuhperdata-dev/dev",
    "stard-dev/dev",
    "nitibench-tax",
    "searchfiresafety/full",
    "koblex",
    "firecode/test",
)

MEASURES = (R @ 10, R @ 100, nDCG @ 10)


def held_out(qid: str) -> bool:
    """Return whether a question belongs to the part `held-out` of an experiment."""
    return hashlib.sha256(qid.encode()).digest()[-1] % 2 == 1


def other_half(qid: str) -> bool:
    """Return whether a question belongs to the half on which `default` with e5 was confirmed."""
    return hashlib.md5(qid.encode(), usedforsecurity=False).digest()[-1] % 2 == 1


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


def opened(dataset: str, half: Callable[[str], bool]) -> tuple[legalir.Collection, pd.DataFrame, pd.DataFrame] | None:
    """Return a collection, the questions of a half and their judgements; None if it is not at hand or another one."""
    folder = dataset.split("/")[0]
    if not (Path(os.environ["LEGALIR_DATA"]) / folder).is_dir() and folder != "firecode":
        print(f"not run: {dataset} is not in $LEGALIR_DATA", file=sys.stderr)
        return None
    if reason := Reproduction(Path(__file__).parent).other_data(f"legalir/{dataset}"):
        print(f"not run: {reason}", file=sys.stderr)
        return None
    collection = legalir.Collection(f"legalir/{dataset}")
    judged = collection.qrels().rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    topics = collection.topics()
    if half is other_half and dataset == "gerlayqa-dev/dev":
        topics = topics[::2]
    topics = topics[topics["qid"].isin(judged["query_id"]) & topics["qid"].map(half)].reset_index(drop=True)
    return collection, topics, judged[judged["query_id"].isin(topics["qid"])]


def values_of(
    expression: str, collection: legalir.Collection, topics: pd.DataFrame, judged: pd.DataFrame
) -> pd.DataFrame:
    """Return the measures of each question by a pipeline."""
    found = collection.pipeline(expression).transform(topics)
    ours = found.assign(score=-found["rank"]).rename(columns={"qid": "query_id", "docno": "doc_id"})
    return values(ours, judged, topics["qid"].tolist())


def beside_bm25s() -> None:
    """Print the first table in Markdown."""
    print("| collection | questions | bm25s with | R@10 | `default` | R@100 | `default` | nDCG@10 | `default` | p |")
    print("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|")
    for peer in PEERS:
        if importlib.util.find_spec(peer.module) is None:
            print(f"not run: {peer.dataset} with {peer.label}", file=sys.stderr)
            continue
        if (material := opened(peer.dataset, held_out)) is None:
            continue
        collection, topics, judged = material
        one = values(run_of_peer(peer, collection, topics), judged, topics["qid"].tolist())
        two = values_of("default(semantic=False) % 100", collection, topics, judged)
        p = ttest_rel(two["nDCG@10"], one["nDCG@10"]).pvalue
        cells = [f"{table[str(measure)].mean():.1f}" for measure in MEASURES for table in (one, two)]
        name = f"{peer.dataset} ({peer.language})"
        print(f"| {name} | {len(topics)} | {peer.label} | {' | '.join(cells)} | {p:.3f} |", flush=True)


def with_e5() -> None:
    """Print the second table in Markdown."""
    print("| collection | questions | nDCG@10 | with e5 | R@10 | with e5 | p |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for dataset in WITH_E5:
        if (material := opened(dataset, (lambda qid: True) if dataset == "firecode/test" else other_half)) is None:
            continue
        collection, topics, judged = material
        judged = judged.assign(relevance=(judged["relevance"] > 0).astype(int))
        one, two = (values_of(f"default(semantic={on}) % 100", collection, topics, judged) for on in (False, True))
        p = ttest_rel(two["nDCG@10"], one["nDCG@10"]).pvalue
        cells = [f"{table[measure].mean():.1f}" for measure in ("nDCG@10", "R@10") for table in (one, two)]
        print(f"| {dataset} | {len(topics)} | {' | '.join(cells)} | {p:.3f} |", flush=True)


if __name__ == "__main__":
    if not os.environ.get("LEGALIR_DATA"):
        sys.exit("Set $LEGALIR_DATA to a folder with the collections.")
    with_e5() if "--e5" in sys.argv else beside_bm25s()
