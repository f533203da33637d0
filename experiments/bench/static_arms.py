"""What is measured of static encoders, each command in a process of its own; prints one line of JSON.

    python experiments/bench/static_arms.py material DIRECTORY   # texts, and a model for each arm
    python experiments/bench/static_arms.py legalir DIRECTORY    # or tokens, or sentence-transformers
    python experiments/bench/static_arms.py steps DIRECTORY      # a step of training, ours and torch's

Times are processor time, so that other work on the machine does not count.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from material import folder, provisions, questions, sample

ROWS, DIMENSIONS, CHARACTERS = 2**17, 256, 1000
TEXTS, READ, ROUNDS, STEPS = 10_000, 40_000, 5, 12
PAIRS, NEGATIVES = 256, 512


def write_material(directory: Path) -> dict[str, Any]:
    """Write texts, a model of ours and one of sentence-transformers with tables of one size; weights are random."""
    import numpy as np
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    from legalir.dense.hashed_ngrams import HashedNGrams
    from legalir.dense.static_model import StaticModel

    collection, documents = provisions()
    source, asked = questions(documents)
    chosen = sample(documents, min(TEXTS, len(documents)))
    texts = [f"{document['title']}\n{document['text']}"[:CHARACTERS] for document in chosen]
    (directory / "texts.json").write_text(json.dumps({"texts": texts, "questions": asked}), encoding="utf-8")
    table = np.random.default_rng(1).standard_normal((ROWS, DIMENSIONS), dtype=np.float32)
    StaticModel(HashedNGrams(rows=ROWS), table.astype(np.float16)).save(directory / "legalir")
    read = sample(documents, min(READ, len(documents)))
    tokenizer = _tokenizer(f"{document['title']}\n{document['text']}" for document in read)
    theirs = StaticEmbedding(tokenizer, table[: tokenizer.get_vocab_size()])
    SentenceTransformer(modules=[theirs], device="cpu").save(str(directory / "sentence-transformers"))
    return {
        "collection": collection,
        "questions": source,
        "texts": len(texts),
        "tokens": tokenizer.get_vocab_size(),
        "real": folder("kr-statutes") is not None,
    }


def _tokenizer(texts: Iterator[str]) -> Any:
    """Return a WordPiece tokenizer of as many tokens as our table has rows, where the texts have so many."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=ROWS, special_tokens=["[UNK]"]))
    return made


def opened(arm: str, directory: Path) -> Callable[[list[str]], Any]:
    """Import what an arm needs, open its model and return what encodes."""
    if arm == "sentence-transformers":
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(str(directory / arm), device="cpu")
        return lambda texts: model.encode(texts, show_progress_bar=False, normalize_embeddings=True)
    if arm == "tokens":
        from legalir.dense.static_embedding import TokenModel

        return TokenModel.load(directory / "sentence-transformers").encode
    from legalir.dense.static_model import StaticModel

    return StaticModel.load(directory / arm).encode


def measure_arm(arm: str, directory: Path) -> dict[str, float]:
    """Measure one arm: seconds to the first answer from an interpreter that has loaded nothing, then the rest."""
    material = json.loads((directory / "texts.json").read_text(encoding="utf-8"))
    start = process_time()
    encode = opened(arm, directory)
    encode(material["questions"][:1])
    figures = {"first_seconds": process_time() - start}
    figures["opening_ms"] = 1000 * median(_seconds(lambda: opened(arm, directory)) for _ in range(ROUNDS))
    asked = material["questions"]
    figures["query_ms"] = 1000 * median(_seconds(lambda: _each(encode, asked)) for _ in range(ROUNDS)) / len(asked)
    figures["query_peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    seconds = median(_seconds(lambda: encode(material["texts"])) for _ in range(ROUNDS))
    figures["texts_per_second"] = len(material["texts"]) / seconds
    figures["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    return figures


def measure_steps(directory: Path) -> dict[str, float]:
    """Measure a step of training, ours and that of EmbeddingBag with SparseAdam, on the same batches in turns."""
    texts = json.loads((directory / "texts.json").read_text(encoding="utf-8"))["texts"]
    with ThreadPoolExecutor(1) as pool:
        ours, theirs = _steppers(texts, pool)
        seconds: dict[str, list[float]] = {"legalir": [], "torch": []}
        apart = 0.0
        for step in range(STEPS):
            losses = []
            for name, one in (("legalir", ours), ("torch", theirs))[:: 1 if step % 2 == 0 else -1]:
                start = process_time()
                losses.append(one(step))
                seconds[name].append(process_time() - start)
            apart = max(apart, abs(losses[0] - losses[1]))
    # The first steps allocate; both arms learn the same, or nothing is compared.
    assert apart < 1e-3, f"the two losses are {apart} apart"
    found = {name: 1000 * median(values[2:]) for name, values in seconds.items()}
    return {**found, "ratio": found["torch"] / found["legalir"], "largest_difference_of_losses": apart}


def _steppers(texts: list[str], pool: ThreadPoolExecutor) -> tuple[Callable[[int], float], Callable[[int], float]]:
    """Return both arms of a step, begun with the same table: the pair of text i is text i + 1."""
    import numpy as np

    from legalir.dense.hashed_ngrams import HashedNGrams
    from legalir.dense.static_model import term_weights
    from legalir.train.material import Gold
    from legalir.train.static_network import Batcher, Network, loss_and_gradient, relative_idf, rows_matrix

    features = HashedNGrams(rows=ROWS).features(texts)
    features = features._replace(counts=term_weights(features.counts, "log"))
    network = Network(relative_idf(features, ROWS), DIMENSIONS, np.random.default_rng(1), pool)
    everything = np.arange(len(texts))
    batcher = Batcher(Gold(np.arange(len(texts) + 1), np.roll(everything, -1)), len(texts))

    def material(step: int) -> tuple[Any, Any]:
        rng = np.random.default_rng(step)
        chosen = rng.choice(len(texts), min(PAIRS, len(texts)), replace=False)
        pairs = np.stack((chosen, np.roll(everything, -1)[chosen]), axis=1)
        batch = batcher.batch(pairs, rng.integers(0, len(texts), NEGATIVES))
        return batch, rows_matrix([(features, batch.queries), (features, batch.documents)], ROWS)

    def ours(step: int) -> float:
        batch, matrix = material(step)
        loss, gradient = loss_and_gradient(network.sums(matrix), batch, 0.05)
        network.learn(matrix, gradient, 3e-3, step + 1)
        return loss

    return ours, _torch_step(network, material)


def _torch_step(network: Any, material: Callable[[int], tuple[Any, Any]]) -> Callable[[int], float]:
    """Return the step of EmbeddingBag and SparseAdam, begun with the tables of `network`."""
    import numpy as np
    import torch

    from legalir.train.static_network import info_nce

    vectors = torch.nn.EmbeddingBag(ROWS, DIMENSIONS, mode="sum", sparse=True)
    weights = torch.nn.Embedding(ROWS, 1, sparse=True)
    with torch.no_grad():
        vectors.weight.copy_(torch.from_numpy(network.vectors.table))
        weights.weight.copy_(torch.from_numpy(network.weights.table)[:, None])
    adam = torch.optim.SparseAdam([vectors.weight, weights.weight], lr=3e-3)

    def theirs(step: int) -> float:
        batch, matrix = material(step)
        rows, offsets = (torch.from_numpy(part.astype(np.int64)) for part in (matrix.indices, matrix.indptr[:-1]))
        own = torch.from_numpy(matrix.data) * weights(rows)[:, 0]
        loss = info_nce(vectors(rows, offsets, per_sample_weights=own), batch, 0.05)
        adam.zero_grad()
        loss.backward()
        adam.step()
        return float(loss.detach())

    return theirs


def _each(encode: Callable[[list[str]], Any], texts: list[str]) -> None:
    for text in texts:
        encode([text])


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def main() -> None:
    """Do what the first argument says in the directory of the second."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    what, directory = sys.argv[1], Path(sys.argv[2])
    if what == "material":
        figures: dict[str, Any] = write_material(directory)
    elif what == "steps":
        figures = measure_steps(directory)
    else:
        figures = measure_arm(what, directory)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
