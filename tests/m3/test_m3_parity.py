"""The three heads and their combination are those of FlagEmbedding, the library of BGE-M3's authors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from m3_material import EDGES, random_text, tiny_encoder
from pair_scores import multi_score, pair_scores, sparse_score
from tiny_models import SENTENCES

from legalir.m3.heads import combine
from legalir.m3.m3_encoder import M3Encoder

pytestmark = pytest.mark.neural

QUERY_LIMIT, LIMIT = 24, 40
EXACT = 1e-5
"""In float32; the scores differ in the order of additions alone."""


@pytest.fixture(name="encoder", scope="module")
def own_encoder(tmp_path_factory: pytest.TempPathFactory) -> M3Encoder:
    return tiny_encoder(tmp_path_factory.mktemp("m3"), max_length=LIMIT, query_max_length=QUERY_LIMIT)


@pytest.fixture(name="theirs", scope="module")
def flag_model(encoder: M3Encoder) -> Any:
    from FlagEmbedding import BGEM3FlagModel

    return BGEM3FlagModel(
        encoder.model, use_fp16=False, devices="cpu", query_max_length=QUERY_LIMIT, passage_max_length=LIMIT
    )


def compare(encoder: M3Encoder, theirs: Any, pairs: list[tuple[str, str]], weights: dict[str, float]) -> None:
    queries = encoder.represent_queries([query for query, _ in pairs], multi=True)
    documents = encoder.represent([document for _, document in pairs], multi=True)
    order = [weights["dense"], weights["sparse"], weights["multi"]]
    for number, pair in enumerate(pairs):
        # One pair at a time: in a batch, padding takes part in their maxima.
        found = theirs.compute_score([pair], batch_size=1, weights_for_different_modes=order)
        ours = dict(pair_scores(queries, number, documents, number))
        two = {head: weights[head] for head in ("dense", "sparse")}
        wanted = [found[name][0] for name in ("dense", "sparse", "colbert", "sparse+dense", "colbert+sparse+dense")]
        got = [ours["dense"], ours["sparse"], ours["multi"], combine(ours, two), combine(ours, weights)]
        np.testing.assert_allclose(got, wanted, rtol=0, atol=EXACT, err_msg=str(pair))


def test_random_texts(encoder: M3Encoder, theirs: Any) -> None:
    random = np.random.default_rng(1)
    texts = [random_text(random) for _ in range(160)]
    weights = dict(zip(("dense", "sparse", "multi"), random.random(3), strict=True))
    compare(encoder, theirs, list(zip(texts[:80], texts[80:], strict=True)), weights)


def test_texts_that_are_hard_to_read(encoder: M3Encoder, theirs: Any) -> None:
    pairs = [(query, document) for query in EDGES for document in EDGES]
    documents = encoder.represent(EDGES, multi=True)
    assert documents.truncated.sum() > 2
    assert encoder.represent_queries(EDGES, multi=True).truncated.sum() > documents.truncated.sum()
    assert len(documents.sparse_row(0)[0]) == 0 < len(documents.sparse_row(3)[0])
    compare(encoder, theirs, pairs, {"dense": 0.4, "sparse": 0.2, "multi": 0.4})


def test_what_encode_returns(encoder: M3Encoder, theirs: Any) -> None:
    random = np.random.default_rng(4)
    texts = [*EDGES, *(random_text(random) for _ in range(50))]
    wanted = theirs.encode(texts, batch_size=8, return_dense=True, return_sparse=True, return_colbert_vecs=True)
    found = encoder.represent(texts, multi=True)
    np.testing.assert_allclose(found.dense, wanted["dense_vecs"], atol=EXACT)
    for number in range(len(texts)):
        tokens, weights = found.sparse_row(number)
        by_id = {int(token): weight for token, weight in wanted["lexical_weights"][number].items()}
        assert tokens.tolist() == sorted(by_id)
        np.testing.assert_allclose(weights, [by_id[token] for token in tokens.tolist()], atol=EXACT)
        np.testing.assert_allclose(found.multi_row(number), wanted["colbert_vecs"][number], atol=EXACT)


def test_strings_of_tokens_would_merge_what_ids_tell_apart(encoder: M3Encoder, theirs: Any) -> None:
    # "다" is a word here and ends one there, as "한다" is and does there: two ids each, one string.
    texts = ["다", "the 소방다 한다한다"]
    made = theirs.encode(texts, return_dense=False, return_sparse=True)["lexical_weights"]
    by_string = theirs.convert_id_to_token(made)
    assert len(by_string[1]) < len(made[1])  # One of two weights of a string is lost.
    ours = encoder.represent(texts, multi=False)
    ids = [[theirs.tokenizer.decode([token]) for token in ours.sparse_row(number)[0].tolist()] for number in (0, 1)]
    assert set(ids[0]) & set(ids[1])
    assert not set(ours.sparse_row(0)[0].tolist()) & set(ours.sparse_row(1)[0].tolist())
    assert sparse_score(ours.sparse_row(0), ours.sparse_row(1)) == 0
    assert theirs.compute_lexical_matching_score(*made) == 0 < theirs.compute_lexical_matching_score(*by_string)
    assert theirs.compute_score([tuple(texts)], batch_size=1)["sparse"] == [0]


def test_padding_takes_part_in_their_maxima(tmp_path: Path) -> None:
    """Their score of a pair depends on the batch; ours is what theirs is for the pair alone."""
    import torch
    from FlagEmbedding import BGEM3FlagModel

    pair, longer = (SENTENCES[0], ""), ("", "the owner shall " * 5)
    centre = np.mean([_mean_hidden(tiny_encoder(tmp_path).model, text) for text in pair], axis=0)
    layer = {"weight": torch.eye(len(centre)), "bias": -torch.from_numpy(centre)}  # The texts on either side of 0.
    torch.save(layer, tmp_path / "colbert_linear.pt")
    encoder = tiny_encoder(tmp_path)
    theirs = BGEM3FlagModel(encoder.model, use_fp16=False, devices="cpu")
    alone = theirs.compute_score([pair], batch_size=1)["colbert"][0]
    beside = theirs.compute_score([pair, longer], batch_size=2)["colbert"][0]
    assert beside > alone + 0.01
    query = encoder.represent_queries([pair[0]], multi=True).multi_row(0)
    documents = encoder.represent([pair[1], longer[1]], multi=True)
    assert multi_score(query, documents.multi_row(0)) == pytest.approx(alone, abs=EXACT)
    floored = np.maximum((query @ documents.multi_row(0).T).max(axis=1), 0).mean()
    assert floored == pytest.approx(beside, abs=EXACT)


def _mean_hidden(folder: str, text: str) -> np.ndarray:
    import torch
    from transformers import AutoModel, AutoTokenizer

    model, tokenizer = AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        return model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0, 1:].mean(0).numpy()
