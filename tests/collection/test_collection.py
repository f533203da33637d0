"""A collection made in a folder: its indexes are built once, kept, and never mistaken for another's."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
import shutil
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from forked import child

from legalir.analysis.words import analyzer_of
from legalir.collection.collection import Collection
from legalir.collection.results import SearchResult
from legalir.errors import (
    AnalyzerError,
    ArtifactError,
    ComponentError,
    DatasetNotFound,
    ExpressionError,
    FormatError,
    LegalIRError,
)
from legalir.explanation import explain
from legalir.lexical import term_index as term_index_module
from legalir.lexical.bm25f import FieldIndex
from legalir.lexical.sparse import BM25, SparseIndex

CORPUS = [
    {
        "docno": "법-2",
        "title": "소방시설법 제2조(정의)",
        "text": "무창층이란 개구부의 면적이 30분의 1 이하인 층을 말한다.",
    },
    {"docno": "법-12", "title": "소방시설법 제12조", "text": "관계인은 소방시설을 설치ㆍ관리하여야 한다."},
    {"docno": "령-11", "title": "", "text": "스프링클러설비는 지하층 또는 무창층에 설치한다."},
]
QUERIES = [
    {"qid": "q1", "query": "무창층의 기준은?", "lang": "ko"},
    {"qid": "q2", "query": "소방시설의 설치", "lang": "ko"},
    {"qid": "q3", "query": "판단되지 않은 질문", "lang": "ko"},
]


def lines(rows: list[dict[str, str]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture(name="folder")
def written_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "소방 법령"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(lines(CORPUS), encoding="utf-8")
    (folder / "queries.jsonl").write_text(lines(QUERIES), encoding="utf-8")
    (folder / "qrels.txt").write_text("q1 0 법-2 1\nq1 0 령-11 1\nq2 0 법-12 2\n", encoding="utf-8")
    (folder / "qrels.dev.txt").write_text("q2 0 법-12 2\n", encoding="utf-8")
    return folder


@pytest.fixture(name="built")
def counted_builds(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the list to which every build of an index adds its path."""
    built: list[Path] = []
    build = SparseIndex._build

    def counted(self: SparseIndex, *arguments: object, **names: object) -> object:
        built.append(self.directory)
        return build(self, *arguments, **names)  # type: ignore[arg-type]

    monkeypatch.setattr(SparseIndex, "_build", counted)
    return built


def test_what_it_knows(folder: Path) -> None:
    collection = Collection(folder)
    assert collection.id == str(folder)
    assert repr(collection) == f"Collection({str(folder)!r})"
    assert [provision.doc_id for provision in collection.docs()] == ["법-2", "법-12", "령-11"]
    assert collection.topics().to_dict("records") == QUERIES[:2]
    assert next(collection.qrels().itertuples(index=False, name=None)) == ("q1", "법-2", 1)
    assert [doc.doc_id for doc in collection.dataset.docs_iter()] == ["법-2", "법-12", "령-11"]
    assert len(collection.fingerprint()) == 64


def test_a_split_has_topics_of_its_own_and_shares_the_indexes(folder: Path, built: list[Path]) -> None:
    split = Collection(folder / "dev")
    assert split.topics()["qid"].tolist() == ["q2"]
    assert split.cache == Collection(folder).cache
    split.sparse()
    Collection(folder).sparse()
    assert len(built) == 1


def test_provisions_by_docno(folder: Path) -> None:
    found = Collection(folder).provisions(["령-11", "nothing", "법-2"])
    assert {docno: provision.text for docno, provision in found.items()} == {
        "법-2": CORPUS[0]["text"],
        "령-11": CORPUS[2]["text"],
    }


def test_an_index_is_built_on_first_use_and_reused(folder: Path, tmp_path: Path, built: list[Path]) -> None:
    collection = Collection(folder)
    assert not collection.cache.exists()
    index = collection.sparse()
    assert index.analyzer == analyzer_of("ko")
    assert len(index) == len(CORPUS)
    assert index.manifest.facts["corpus"] == collection.fingerprint()
    assert index.directory.is_relative_to(tmp_path / "own-home" / "legalir")
    assert collection.sparse("auto") is index
    assert collection.sparse(analyzer_of("ko")) is index
    assert collection.sparse("auto(lang='ko')") is index
    assert Collection(folder).sparse() == index
    assert len(built) == 1


def test_the_cache_can_be_chosen(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    collection = Collection(folder, cache="mine")
    monkeypatch.chdir(folder)
    assert collection.sparse().directory.is_relative_to(tmp_path / "mine")
    assert not (folder / "mine").exists()


def test_a_changed_corpus_never_meets_the_old_index(folder: Path, built: list[Path]) -> None:
    assert len(Collection(folder).search("fire hose", "bm25")) == 0
    with (folder / "corpus.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(lines([{"docno": "령-12", "text": "연결송수관(fire hose)설비를 둔다."}]))
    assert Collection(folder).search("fire hose", "bm25")["docno"].tolist() == ["령-12"]
    assert len(set(built)) == 2


def test_the_same_corpus_under_another_name_shares_the_index(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, built: list[Path]
) -> None:
    Collection(folder).sparse()
    shutil.copytree(folder, tmp_path / "library" / "copied")
    monkeypatch.setenv("LEGALIR_DATA", str(tmp_path / "library"))
    for name in (tmp_path / "library" / "copied", "legalir/copied"):
        assert len(Collection(name).search("무창층", "bm25")) == 2
    assert len(built) == 1


def test_what_else_an_index_depends_on_is_not_shared(folder: Path, tmp_path: Path) -> None:
    """Links, and the language that dataset.yaml gives, do not stand in the corpus."""
    copied = shutil.copytree(folder, tmp_path / "copied")
    (copied / "links.tsv").write_text("법-12\t령-11\n", encoding="utf-8")
    (copied / "dataset.yaml").write_text("lang: en\n", encoding="utf-8")
    first, second = Collection(folder), Collection(copied)
    assert second.cache == first.cache
    assert second.graph.cites("법-12") == ["령-11"] != first.graph.cites("법-12")
    for index_of in (Collection.sparse, lambda collection: FieldIndex.of(collection)):
        assert index_of(first).analyzer == analyzer_of("ko")
        assert index_of(second).analyzer == analyzer_of("en")
    fields = [FieldIndex.of(collection, "char2").directory for collection in (first, second)]
    assert fields[0] != fields[1]


def test_another_version_of_an_analyzer_gets_another_index(
    folder: Path, monkeypatch: pytest.MonkeyPatch, built: list[Path]
) -> None:
    Collection(folder).sparse()
    monkeypatch.setattr("unicodedata.unidata_version", "99.0.0")
    assert len(Collection(folder).search("무창층", "bm25")) == 2
    assert len(set(built)) == 2


def test_a_damaged_index_is_an_error_with_its_cure(folder: Path) -> None:
    path = Collection(folder).sparse().directory
    (file,) = path.glob("data-*/documents.npy")
    file.write_bytes(b"")
    with pytest.raises(ArtifactError, match=r"documents\.npy has 0 bytes"):
        Collection(folder).search("무창층", "bm25")
    shutil.rmtree(path)
    assert len(Collection(folder).search("무창층", "bm25")) == 2


def test_a_cache_that_cannot_be_written_is_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ArtifactError, match="cannot be written"):
        Collection(folder, cache=tmp_path / "file").sparse()


def _search_and_count(folder: Path, queue: multiprocessing.SimpleQueue[int]) -> None:
    built = 0
    write = term_index_module.write_docnos

    def counted(*arguments: object, **names: object) -> object:
        nonlocal built
        built += 1
        return write(*arguments, **names)  # type: ignore[arg-type]

    term_index_module.write_docnos = counted  # type: ignore[assignment]
    assert len(Collection(folder).search("무창층", "bm25")) == 2
    queue.put(built)


def test_processes_at_once_build_one_index(folder: Path, tmp_path: Path) -> None:
    queue = multiprocessing.get_context("fork").SimpleQueue()
    names = [folder, *(shutil.copytree(folder, tmp_path / f"copy{number}") for number in range(3))]
    processes = [child(_search_and_count, name, queue) for name in names]
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    assert sorted(queue.get() for _ in processes) == [0, 0, 0, 1]


def test_search_shows_what_it_found(folder: Path) -> None:
    found = Collection(folder).search("무창층의 기준은?", k=2)
    assert list(found.columns) == ["rank", "score", "docno", "title", "text"]
    assert found["rank"].tolist() == [0, 1]
    assert found["docno"].tolist() == ["령-11", "법-2"] or found["docno"].tolist() == ["법-2", "령-11"]
    texts = {row["docno"]: (row["title"], row["text"]) for row in CORPUS}
    assert [texts[docno] for docno in found["docno"]] == list(zip(found["title"], found["text"], strict=True))
    assert found["score"].is_monotonic_decreasing


def test_search_uses_the_pipeline_default(folder: Path) -> None:
    collection = Collection(folder)
    hits = collection.search("무창층의 기준은?")
    assert hits.equals(collection.search("무창층의 기준은?", "default"))
    assert hits["score"].tolist() != collection.search("무창층의 기준은?", "bm25")["score"].tolist()


@pytest.mark.parametrize("query", ["", "?!", "\x00", "zebra"])
def test_search_that_finds_nothing_has_all_columns(folder: Path, query: str) -> None:
    found = Collection(folder).search(query)
    assert list(found.columns) == ["rank", "score", "docno", "title", "text"]
    assert len(found) == 0


@pytest.mark.parametrize("k", [0, -1, 2.0, "5", None, True])
def test_a_wrong_k_is_named(folder: Path, k: object) -> None:
    with pytest.raises(ComponentError, match=r"k=.*"):
        Collection(folder).search("무창층", k=k)  # type: ignore[arg-type]


def test_a_pipeline_is_a_transformer(folder: Path) -> None:
    collection = Collection(folder)
    assert collection.pipeline("bm25(b=0.5)") == BM25(collection.sparse(), b=0.5)
    found = (collection.pipeline("bm25") % 1)(collection.topics())
    assert found["qid"].tolist() == ["q1", "q2"]
    assert list(found.columns) == ["qid", "query", "lang", "docno", "score", "rank"]


def test_an_experiment_of_pyterrier(folder: Path) -> None:
    from ir_measures import R

    collection = Collection(folder)
    systems = [collection.pipeline(name) for name in ("bm25", "tfidf")]
    table = pt.Experiment(systems, collection.topics(), collection.qrels(), [R @ 3], names=["bm25", "tfidf"])
    assert isinstance(table, pd.DataFrame)
    assert table["R@3"].tolist() == [1.0, 1.0]


def test_mistakes_are_our_errors(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetNotFound):
        Collection(tmp_path / "no" / "such folder")
    with pytest.raises(DatasetNotFound):
        Collection("legalir/firecoed")
    with pytest.raises(DatasetNotFound):
        Collection(folder / "tset")
    collection = Collection(folder)
    with pytest.raises(AnalyzerError):
        collection.sparse("jammo3")
    with pytest.raises(ExpressionError):
        collection.search("무창층", "bm52")
    (folder / "corpus.jsonl").write_text('{"docno": "a"}\n', encoding="utf-8")
    with pytest.raises(FormatError, match=r"corpus\.jsonl"):
        Collection(folder).search("무창층", "bm25")
    assert not list((tmp_path / "own-home").rglob("manifest.json"))


def test_results_say_why(folder: Path) -> None:
    collection = Collection(folder)
    found = collection.search("무창층의 기준은?", "rrf(bm25, tfidf) % 3", k=2)
    explained = found.explain()
    assert [(e.docno, e.score) for e in explained] == list(zip(found["docno"], found["score"], strict=True))
    assert all(e.is_whole() for e in explained)
    assert [e.docno for e in found.explain("법-2")] == ["법-2"]
    assert [e.docno for e in found.explain(["령-11", "법-2"])] == ["령-11", "법-2"]
    assert [e.docno for e in found[found["docno"] == "법-2"].explain()] == ["법-2"]
    assert [e.docno for e in found.head(1).reset_index(drop=True).explain()] == found["docno"].tolist()[:1]
    assert collection.search("zebra").explain() == []


def test_provisions_that_are_not_shown_can_be_explained_too(folder: Path) -> None:
    found = Collection(folder).search("무창층", "bm25", k=1)
    (other,) = {"법-2", "령-11"} - set(found["docno"])
    assert [e.docno for e in found.explain(other)] == [other]
    with pytest.raises(ComponentError, match="'법-12'"):
        found.explain("법-12")


def test_results_are_a_data_frame(folder: Path) -> None:
    found = Collection(folder).search("무창층", "bm25")
    plain = pd.DataFrame(found)
    assert type(plain) is pd.DataFrame
    pd.testing.assert_frame_equal(found, plain)
    assert isinstance(found, SearchResult)
    assert type(found["score"]) is pd.Series
    assert type(pickle.loads(pickle.dumps(found))) is pd.DataFrame
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(found)), plain)
    assert copy.deepcopy(found).explain() == found.explain()
    for derived in (pd.concat([found, found]), found.merge(plain, on="docno"), found[["score"]], found.T):
        assert len(derived) > 0
        with pytest.raises(ComponentError, match="explain"):
            derived.explain()
    assert found.groupby("rank")["score"].sum().tolist() == plain["score"].tolist()
    assert found.to_dict("records") == plain.to_dict("records")


@pytest.mark.parametrize(
    ("expression", "lacks"),
    [("bm25 | tfidf", "rank"), ("bm25 & tfidf", "rank"), ("links", "docno"), ("(bm25 | tfidf) >> links", "score")],
)
def test_a_pipeline_without_scores_or_a_list_is_refused(folder: Path, expression: str, lacks: str) -> None:
    with pytest.raises(ComponentError, match=rf"^search: .*{lacks}"):
        Collection(folder).search("무창층", expression)


@pytest.mark.parametrize("query", [5, None, b"x", ["x"], pd.DataFrame()])
def test_a_question_that_is_no_text(folder: Path, query: object) -> None:
    collection = Collection(folder)
    for ask in (collection.search, collection.answer):
        with pytest.raises(ComponentError, match=rf"^{ask.__name__}: .*\({type(query).__name__}\)"):
            ask(query)  # type: ignore[operator]


def test_other_things_of_the_wrong_kind(folder: Path) -> None:
    collection = Collection(folder)
    bm25 = collection.pipeline("bm25")
    for mistake in (
        lambda: explain(bm25, 5),
        lambda: collection.search("무창층", "bm25").explain(5),
        lambda: bm25.transform("무창층"),
        lambda: bm25.transform({"qid": ["1"], "query": ["무창층"]}),
        lambda: collection.provisions("법-2"),
        lambda: collection.provisions(5),
        lambda: Collection(5),
        lambda: collection.pipeline(bm25),
    ):
        with pytest.raises(LegalIRError):
            mistake()
