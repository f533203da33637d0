"""A Qdrant server: the same results as in process, tenants, and each way in which it can fail."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest
from conftest import Make
from qdrant_server import FakeQdrant, fake_qdrant
from test_qdrant_embedded import FILTERS, agree, questions, random_texts, with_fields

from legalir import Collection
from legalir.errors import ArtifactError, ComponentError, DataError
from legalir_qdrant import Qdrant, Server

KEY = "secret-of-the-house"


def dense(collection: Collection, url: str, more: str = "") -> pd.DataFrame:
    return collection.pipeline(f'qdrant_dense(url="{url}"{more})').transform(questions())


def built(make: Make, fake: FakeQdrant, more: str = "") -> Collection:
    collection = make(random_texts(60))
    dense(collection, fake.url, more)
    return collection


@pytest.mark.parametrize(
    ("theirs", "ours", "dates"),
    [
        ('qdrant_dense(url="{url}", exact=True)', "lsa", False),
        ('qdrant_sparse(analyzer="whitespace", url="{url}")', 'bm25(analyzer="whitespace")', True),
    ],
)
def test_ids_and_scores_are_those_of_legalir(make: Make, fake: FakeQdrant, theirs: str, ours: str, dates: bool) -> None:
    collection = make(random_texts(120, dates))
    asked = questions(as_of=["2021-07-01", "2023-07-01", ""] * 4) if dates else questions()
    agree(collection.pipeline(theirs.format(url=fake.url)).transform(asked), collection.pipeline(ours).transform(asked))


@pytest.mark.parametrize("more", ["", ', tenant="probe"'])
def test_filters(make: Make, fake: FakeQdrant, more: str) -> None:
    collection = make(with_fields(random_texts(120, dates=True)))
    asked = questions(where=FILTERS, as_of=["2021-07-01", "2023-07-01", ""] * 4)
    theirs = collection.pipeline(f'qdrant_sparse(analyzer="whitespace", url="{fake.url}"{more}) % 5')
    agree(theirs.transform(asked), collection.pipeline('bm25(analyzer="whitespace") % 5').transform(asked))
    # Eleven questions in one request: of each filter the best are asked for once.
    assert len([request for request in fake.requests if request.endswith("query/batch")]) == 1


def test_filters_that_many_pass(make: Make, fake: FakeQdrant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir.engine._MOST_AMONG", 5)
    monkeypatch.setattr("legalir_qdrant.server._MOST_IDS", 7)  # Their numbers go in several questions.
    collection = make(with_fields(random_texts(120, dates=True)))
    asked = questions(where=FILTERS, as_of=["2021-07-01", "2023-07-01", ""] * 4)
    theirs = collection.pipeline(f'qdrant_sparse(analyzer="whitespace", url="{fake.url}") % 5')
    agree(theirs.transform(asked), collection.pipeline('bm25(analyzer="whitespace") % 5').transform(asked))
    assert len([request for request in fake.requests if request.endswith("query/batch")]) <= 3


@pytest.mark.parametrize("more", ["", ', tenant="probe", shards=2'])
def test_a_real_server(make: Make, real_url: str, more: str) -> None:
    collection = make(random_texts(300, dates=True))
    asked = questions(as_of=["2021-07-01", "2023-07-01", ""] * 4)
    retriever = collection.pipeline(f'qdrant_dense(url="{real_url}", exact=True{more})')
    agree(retriever.transform(asked), collection.pipeline("lsa").transform(asked))
    sparse = collection.pipeline(f'qdrant_sparse(analyzer="whitespace", url="{real_url}"{more})')
    agree(sparse.transform(asked), collection.pipeline('bm25(analyzer="whitespace")').transform(asked))
    for one in (retriever, sparse):
        assert isinstance(one, Qdrant) and one.index.server is not None
        one.index.server._client.delete_collection(one.index.manifest.facts["stored"]["collection"])


def test_another_machine_uses_what_is_stored(make: Make, fake: FakeQdrant) -> None:
    first = dense(make(random_texts(60)), fake.url)
    stored = [request for request in fake.requests if request.startswith("PUT")]
    second = dense(make(random_texts(60), cache="other-machine"), fake.url)
    pd.testing.assert_frame_equal(first, second)
    assert [request for request in fake.requests if request.startswith("PUT")] == stored


def test_two_machines_store_at_once(make: Make, fake: FakeQdrant) -> None:
    collections = [make(random_texts(60), cache=f"machine-{number}") for number in range(2)]
    for collection in collections:
        collection.dense("lsa")
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda collection: dense(collection, fake.url), collections)
    pd.testing.assert_frame_equal(first, second)
    for collection in collections:
        pd.testing.assert_frame_equal(
            dense(Collection(collection.source.id, collection.cache.parents[1]), fake.url), first
        )


def test_a_server_without_metadata(make: Make, fake: FakeQdrant, monkeypatch: pytest.MonkeyPatch) -> None:
    real = fake.result
    monkeypatch.setattr(fake, "result", lambda method, *rest: method == "PATCH" or real(method, *rest))
    with pytest.raises(DataError, match=r"1\.16"):
        dense(make(random_texts(20)), fake.url)


def test_tenants_share_a_collection_and_see_their_own_alone(make: Make, fake: FakeQdrant) -> None:
    texts, others = {"a": "문 창", "b": "문"}, {"x": "문 문", "y": "벽"}
    one, two = make(texts), make(others, "other")
    expression = f'qdrant_sparse(analyzer="whitespace", url="{fake.url}", tenant="{{}}")'
    mine, theirs = one.pipeline(expression.format("mine")), two.pipeline(expression.format("theirs"))
    assert set(mine.search("문")["docno"]) == {"a", "b"}
    assert set(theirs.search("문")["docno"]) == {"x"}
    assert set(mine.search("문")["docno"]) == {"a", "b"}
    (name,) = [found.name for found in fake.store.get_collections().collections]
    assert name.startswith("legalir-sparse-tenants-")
    points, _ = fake.store.scroll(name, with_payload=True)
    assert sorted(point.payload["tenant"] for point in points) == ["mine", "mine", "theirs", "theirs"]


def test_the_server_is_down_at_the_start(make: Make) -> None:
    with fake_qdrant() as gone:
        url = gone.url
    collection = make(random_texts(20))
    with pytest.raises(DataError, match=r"Qdrant at http://127\.0\.0\.1:\d+ cannot be reached \(.*\): start it, or"):
        dense(collection, url)
    assert not list(collection.cache.glob("qdrant-*/manifest.json")), "nothing is built"
    with fake_qdrant(int(url.rpartition(":")[2])) as back:
        assert len(dense(collection, back.url))


def test_the_server_goes_down_in_the_middle_and_comes_back(make: Make, fake: FakeQdrant) -> None:
    collection = built(make, fake)
    retriever = collection.pipeline(f'qdrant_dense(url="{fake.url}")')
    first = retriever.transform(questions())
    fake.fault = 503, "Service Unavailable"
    with pytest.raises(DataError, match=r"failed \(503: Service Unavailable\): a shard of legalir-dense-\w+ may be"):
        retriever.transform(questions())
    fake.fault = None
    pd.testing.assert_frame_equal(retriever.transform(questions()), first)


def test_down_while_points_are_stored_leaves_nothing(
    make: Make, fake: FakeQdrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("legalir_qdrant.index._BATCH", 20)
    collection = make(random_texts(60))
    real, calls = fake.result, iter(range(99))

    def second_fails(method: str, name: str, action: str, body: dict) -> object:
        if (method, action) == ("PUT", "points") and next(calls) == 1:
            raise ValueError("No space left on device")
        return real(method, name, action, body)

    monkeypatch.setattr(fake, "result", second_fails)
    with pytest.raises(ArtifactError, match=r"refuses what is asked of legalir-dense-\w+ \(No space left on device\)"):
        dense(collection, fake.url)
    (name,) = [found.name for found in fake.store.get_collections().collections]
    assert fake.store.count(name).count == 0
    assert len(dense(collection, fake.url))
    assert fake.store.count(name).count == 60


def test_a_missing_shard_is_an_error(make: Make, fake: FakeQdrant) -> None:
    collection = built(make, fake)
    fake.failing, fake.fault = "query", (500, "Service internal error: 1 of 2 read operations failed")
    with pytest.raises(DataError, match=r"1 of 2 read operations failed\): a shard of \S+ may be missing"):
        dense(collection, fake.url)


def test_missing_points_are_an_error(make: Make, fake: FakeQdrant) -> None:
    collection = built(make, fake)
    (name,) = [found.name for found in fake.store.get_collections().collections]
    points, _ = fake.store.scroll(name, limit=3)
    fake.store.delete(name, [point.id for point in points])
    with pytest.raises(ArtifactError, match="57 points of 60"):
        dense(collection, fake.url)


def test_no_answer_in_time(make: Make, fake: FakeQdrant) -> None:
    collection = built(make, fake, ", timeout=1")
    fake.failing, fake.fault = "query", 1.5
    with pytest.raises(DataError, match=r"gave no answer within 1 s: try again, or raise timeout"):
        dense(collection, fake.url, ", timeout=1")


def test_a_wrong_key_is_never_shown(make: Make, fake: FakeQdrant, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = make(random_texts(20))
    fake.key = KEY
    with pytest.raises(DataError, match="LEGALIR_QDRANT_API_KEY"):
        dense(collection, fake.url)
    monkeypatch.setenv("LEGALIR_QDRANT_API_KEY", "wrong-key-of-mine")
    retriever = collection.pipeline(f'qdrant_dense(url="{fake.url}")')
    with pytest.raises(DataError, match="LEGALIR_QDRANT_API_KEY") as caught:
        retriever.transform(questions())
    fake.failing, fake.fault = "", (500, "bad wrong-key-of-mine")
    with pytest.raises(DataError, match=r"bad \*\*\*") as said:
        collection.pipeline(f'qdrant_dense(url="{fake.url}")').transform(questions())
    shown = f"{caught.value} {said.value} {retriever!r} {vars(retriever.index.server)}"
    assert "wrong-key-of-mine" not in shown
    fake.fault = None
    monkeypatch.setenv("LEGALIR_QDRANT_API_KEY", KEY)
    assert len(dense(collection, fake.url))
    assert KEY not in "".join(path.read_text() for path in collection.cache.glob("qdrant-*/manifest.json"))


def test_a_key_in_the_address_is_refused() -> None:
    for url in (f"http://user:{KEY}@localhost:6333", f"http://localhost:6333?api_key={KEY}", f"{KEY}:6333"):
        with pytest.raises(ComponentError, match="url") as caught:
            Server(url)
        assert KEY not in str(caught.value)


def test_a_collection_that_is_gone(make: Make, fake: FakeQdrant) -> None:
    collection = built(make, fake)
    (name,) = [found.name for found in fake.store.get_collections().collections]
    fake.store.delete_collection(name)
    with pytest.raises(ArtifactError, match=f"{name}"):
        dense(collection, fake.url)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"facts": {"corpus": "other"}}, "holds another build of .* \\(another corpus"),
        ({"format": 2}, "holds :\\w+:\\w+ in format 2, and this legalir-qdrant reads 1: install a newer"),
        (None, r"holds another build of .* \(nothing\): remove the directory"),
    ],
)
def test_another_corpus_or_a_newer_format(make: Make, fake: FakeQdrant, change: dict | None, said: str) -> None:
    collection = built(make, fake)
    (name,) = [found.name for found in fake.store.get_collections().collections]
    ((key, held),) = fake.store.get_collection(name).config.metadata.items()
    if change and "facts" in change:
        change = {"facts": {**held["facts"], **change["facts"]}}
    fake.store.update_collection(name, metadata={key: change and {**held, **change}})
    with pytest.raises(ArtifactError, match=said):
        dense(collection, fake.url)


def test_another_dimension(make: Make, fake: FakeQdrant, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = built(make, fake)
    real = fake.result

    def narrow(method: str, name: str, action: str, body: dict) -> object:
        result = real(method, name, action, body)
        if (method, action) == ("GET", ""):
            result["config"]["params"]["vectors"]["dense"]["size"] = 3
        return result

    monkeypatch.setattr(fake, "result", narrow)
    with pytest.raises(ArtifactError, match=r"has vectors of 3 numbers, and .* of \d+: remove the directory"):
        dense(collection, fake.url)


def test_parameters_of_servers() -> None:
    for params in ({"shards": 0}, {"replicas": 0}, {"timeout": 0}, {"tenant": "a b"}):
        with pytest.raises(ComponentError, match=f"qdrant: {next(iter(params))}="):
            Server("http://localhost:6333", **params)
