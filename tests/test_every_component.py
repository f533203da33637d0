"""What holds for every component that ships, alone and in company, on the bundled collection."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from tiny_models import write_complexity, write_cross_encoder, write_m3, write_sentence

import legalir
from legalir import datasets, pipeline, plugins, testing
from legalir.analysis.analyzer import get_analyzer
from legalir.collection.collection import Collection
from legalir.contract import COMPONENT_ROLES
from legalir.errors import LegalIRError
from legalir.explanation import Explainable, Explanation, explain
from legalir.frames.component import Component
from legalir.llm.client import Client
from legalir.storage import files
from legalir.testing import data
from legalir.testing.checks import Failed, NotApplicable, difference
from legalir.testing.frame_checks import other_values
from legalir.testing.sandbox import ComponentUnderTest, Echo, RunOutput, Sandbox

COMPOSED = (
    "bm25 % 10 >> rm3 >> bm25",
    "wrrf(bm25 % 30, lsa, tfidf, weights=[0.2, 0.5, 0.3], k=5) % 100",
    'bm25 >> sar(normalize="max", freeze=5, pool=100, small_degree="one", direction="both")',
    "rrf(bm25 % 5 >> nitilink, bm25 >> links(k=3))",
    'rrf(bm25, chunked(tfidf, by="recursive", size=400, held="any"))',
    "rar(tfidf % 50, reranker=sar, scaffold=False)",
    "multi(bm25 % 40, rewrite(n=2), original=True)",
    "iterate(bm25 % 20, rm3(terms=20, docs=3), n=2)",
    'hypa(bm25 % 10, lsa % 10, by=complexity("{complexity}"), graph="{facts}/facts.jsonl", reranker=family)',
    pytest.param('m3_dense("{m3}") % 100 >> sar(normalize="clip")', marks=pytest.mark.neural),
)
"""Pipelines whose parts act on each other: all that the kit checks of a component holds for the whole of each."""

EXPRESSIONS = (
    'linear(bm25, tfidf % 40, lsa, weights=[1, -0.5, 2], normalize="zscore")',
    "rrf(bm25, lsa) % 50 >> rocchio(index=lsa, k=5)",
    'rrf(bm25, lsa) % 50 >> sar(scorer=lsa, normalize="minmax")',
    "focus(over=40) >> rrf(own_script >> bm25, lsa)",
    "analytical >> rationale(cot=False) >> bm25 % 40",
    "bm25",
    'bm25(analyzer="char2", k1=1.5, b=0.75, num_results=20)',
    'bm25(method="bm25+", delta=0.5) % 30',
    "ql",
    'ql(analyzer="char2", mu=200, num_results=20)',
    "ql % 5 >> rm3(terms=20, docs=5, weight=0.3, mu=500) >> ql % 30",
    "bm25 % 3 >> bo1(terms=5) >> bm25 % 30",
    "tfidf",
    'tfidf(idf="sklearn") % 20',
    "bm25f",
    'bm25f(fields={"title": 3, "text": 1, "citing": 2}, query_exponent=1) % 20',
    "lsa",
    "dense",
    "static",
    'linear(bm25, lookup, weights=[1, 1], normalize=["minmax", "none"])',
    "rrf(bm25, lsa % 50)",
    "linear(bm25, lsa % 40, weights=[0.6, 0.4])",
    "linear(bm25, lsa % 40)",
    'combmnz(bm25, lsa % 40, tfidf, normalize="zscore")',
    "combmax(bm25 % 40, lsa, weights=[1, 0.5]) % 30",
    "dbsf(bm25 % 40, lsa)",
    "isr(bm25, lsa % 40)",
    "borda(bm25 % 30, lsa, tfidf) % 100",
    'linear(bm25 % 40, lsa, weights=[0.1, 1], normalize="none") % 30',
    "lsa >> rocchio",
    'lsa % 30 >> rocchio(mode="candidate")',
    "bm25 >> rocchio(terms=50, num_results=40)",
    'tfidf % 30 >> rocchio(mode="candidate", terms=None)',
    "tfidf % 100 >> sar",
    'lsa % 100 >> sar(normalize="clip", direction="in")',
    'lsa >> rocchio % 40 >> sar(normalize="clip")',
    "bm25 % 30 >> listwise(window=8, stride=4)",
    "rrf(golden, bm25)",
    "full_context(max_tokens=2000)",
    'rrf(run(path="{runs}/other.trec"), bm25 % 50)',
    'rrf(toks(path="{toks}/vectors.jsonl", analyzer="char2") % 50, bm25 % 50)',
    "bm25 % 50 >> without_self",
    "bm25 % 50 >> within(tokens=500)",
    "bm25 % 5 >> refuse(threshold=0.4)",
    "lsa % 20 >> predict(top=3, docs=10)",
    "bm25 % 30 >> longcontext(k=5)",
    "bm25 >> family",
    'tfidf % 40 >> family(group="law", normalize="none")',
    "bm25 % 20 >> nitilink(depth=2)",
    'lsa % 20 >> nitilink(depth=2, order="bfs")',
    "bm25 >> links",
    'chunked(bm25 % 30, by="line", size=553, overlap=50) % 20',
    "default",
    "hyde >> lsa",
    "standalone(join=True) >> bm25",
    "hyde(n=2, include_query=True) >> bm25",
    "rar(bm25, N=20, k=15)",
    "iterate(bm25 % 10, ircot, n=2) % 20",
    "iterate(bm25 % 10, search_r1, original=False)",
    'complexity("{complexity}") >> tfidf % 30',
    'adaptive(multi(bm25, rewrite) % 40, by=complexity("{complexity}"))',
    'bm25 % 20 >> triples(graph="{facts}/facts.jsonl", max_paths=3)',
    'lsa % 20 >> triples(graph="{facts}/facts.jsonl", by="question", keep="similar", depth=3)',
)
"""Every other component, each of its modes, and what is known to be done with it."""

NEURAL = (
    'm3("{m3}", weights={"dense": 0.4, "sparse": 0.2, "multi": 0.4}, k=40)',
    'm3("{m3}", multi="int8") % 20',
    'm3_sparse("{m3}", num_results=40)',
    'm3_multi("{m3}") % 50',
    'bm25 % 20 >> m3_rerank("{m3}")',
    'dense("{sentence}")',
    'dense("{m3}", approximate="hnsw") % 40',
    'rrf(bm25, dense("{sentence}") >> rocchio)',
    'bm25 % 10 >> rerank("{cross_encoder}", passage=32)',
)
"""The same for those that need torch and a model, which stands in braces."""

QUERIES = pd.DataFrame(
    {
        "qid": ["q10", "질문 2", "q3"],
        "query": [
            "3층 매장이 바닥 1,000㎡인데 창이 별로 없습니다. 창 면적이 얼마나 작으면 스프링클러를 달아야 하나요?",
            "창문 없는 층",
            # Of at most 200 characters, but of more than that in NFD.
            "2층짜리 요양원, 바닥 다 합쳐 350㎡. 정식 스프링클러 말고 간이로 되는지, 물은 몇 분 나와야 하는지, "
            "그리고 소방안전관리자는 누가 언제까지 어디에 신고해야 하고 안 하면 과태료가 얼마인지 모두 알려줘",
        ],
        "asked": ["2024-05-02", "", "2023-01-01"],
        "weight": [0.5, 1.5, 2.5],
    },
    # Frames put together from others have labels that repeat.
    index=[7, 3, 7],
)
EXTRA = ["asked", "weight"]

every_expression = pytest.mark.parametrize(
    "expression",
    [*COMPOSED, *EXPRESSIONS, *(pytest.param(text, marks=pytest.mark.neural) for text in NEURAL)],
    scope="module",
    indirect=True,
)
composed_expression = pytest.mark.parametrize("expression", COMPOSED, scope="module", indirect=True)


def write_facts(folder: Path) -> None:
    """Write facts about the bundled collection: the first words of each provision, three by three."""
    with (folder / "facts.jsonl").open("w", encoding="utf-8") as stream:
        for provision in datasets.load("legalir/firecode").docs():
            words = provision.text.split()
            for place in range(0, min(len(words) - 2, 9), 3):
                fact = dict(zip(("subject", "predicate", "object"), words[place:], strict=False))
                stream.write(json.dumps({"docno": provision.doc_id, **fact}) + "\n")


def write_run(folder: Path) -> None:
    """Write a run of another system: the first provisions of the bundled collection, some with equal scores."""
    docnos = [provision.doc_id for provision in islice(datasets.load("legalir/firecode").docs(), 20)]
    lines = (
        f"{qid}\tQ0\t{docno}\t{place}\t{9 - place // 2}\tother\n"
        for qid in QUERIES["qid"]
        for place, docno in enumerate(docnos)
    )
    (folder / "other.trec").write_text("".join(lines), encoding="utf-8")


def write_toks(folder: Path, documents: Iterable[Mapping[str, Any]] = ()) -> None:
    """Write vectors of documents, by default those of the bundled collection: words and pairs of characters."""
    documents = documents or [one._asdict() for one in datasets.load("legalir/firecode").docs()]
    with (folder / "vectors.jsonl").open("w", encoding="utf-8") as stream:
        for one in documents:
            terms = [term for name in ("word", "char2") for term in get_analyzer(name).terms(one["text"])]
            vector = {term: 0.5 + len(term) / 8 for term in terms}
            stream.write(json.dumps({"docno": one.get("docno") or one["doc_id"], "toks": vector}) + "\n")


MODELS = {
    "complexity": write_complexity,
    "runs": write_run,
    "toks": write_toks,
    "facts": write_facts,
    "m3": write_m3,
    "sentence": write_sentence,
    "cross_encoder": write_cross_encoder,
}


@pytest.fixture(name="models", scope="session")
def small_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A model of every kind, and facts; each is written when it is asked for."""
    return Models(tmp_path_factory)


class Models(dict[str, str]):
    def __init__(self, folders: pytest.TempPathFactory) -> None:
        super().__init__()
        self.folders = folders

    def __missing__(self, name: str) -> str:
        folder = self.folders.mktemp(name)
        MODELS[name](folder)
        self[name] = str(folder)
        return self[name]


@pytest.fixture(name="expression", scope="module")
def expression_with_models(request: pytest.FixtureRequest, models: dict[str, str]) -> str:
    return with_models(str(request.param), models)


def with_models(text: str, models: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: models[found[1]], text)


@pytest.fixture(name="collection", scope="module")
def bundled_collection(tmp_path_factory: pytest.TempPathFactory, built: Path) -> Collection:
    client = Client(Echo(), cache=tmp_path_factory.mktemp("llm") / "llm.sqlite")
    return Collection("legalir/firecode", cache=built, client=client)


@pytest.fixture(name="system", scope="module")
def built_pipeline(collection: Collection, expression: str) -> pt.Transformer:
    return collection.pipeline(expression)


@pytest.fixture(name="results", scope="module")
def results_of_all_queries(system: pt.Transformer) -> pd.DataFrame:
    return system.transform(QUERIES.copy())


def plain(frame: pd.DataFrame) -> dict[str, list[object]]:
    """Return the values of a frame as what can be compared by ``==``, missing ones as None."""

    def value(cell: Any) -> object:
        if isinstance(cell, np.ndarray):
            return cell.tolist()
        return None if isinstance(cell, float) and np.isnan(cell) else cell

    return {column: [value(cell) for cell in frame[column].tolist()] for column in frame.columns}


def of_query(frame: pd.DataFrame, qid: str) -> dict[str, list[object]]:
    return plain(frame[frame["qid"] == qid])


def asked(*texts: str) -> pd.DataFrame:
    return pd.DataFrame({"qid": [str(number) for number in range(len(texts))], "query": list(texts)})


def steps_of(system: pt.Transformer) -> list[pt.Transformer]:
    return list(system) if isinstance(system, pt.Compose) else [system]


def check_results(frame: pd.DataFrame) -> None:
    """Check scores, ranks, order and types of a result frame."""
    assert np.isfinite(frame["score"]).all()
    assert not frame.duplicated(["qid", "docno"]).any()
    assert frame["score"].dtype == np.float64
    assert pd.api.types.is_integer_dtype(frame["rank"])
    assert all(isinstance(value, str) for column in ("qid", "docno") for value in frame[column])
    for _, rows in frame.groupby("qid"):
        ranked = rows.sort_values("rank")
        assert ranked["rank"].tolist() == list(range(len(rows)))
        order = list(zip(-ranked["score"], ranked["docno"], strict=True))
        assert order == sorted(order)


def nodes(explanation: Explanation) -> Iterator[Explanation]:
    yield explanation
    for part in explanation.parts:
        if part.source is not None:
            yield from nodes(part.source)


@every_expression
def test_results(system: pt.Transformer, results: pd.DataFrame) -> None:
    """Steps leave their input as it is, results are ranked, and a question is answered alone as among others."""
    inp = QUERIES.copy()
    for step in steps_of(system):
        before, index, types = plain(inp), inp.index.tolist(), inp.dtypes.to_dict()
        out = step.transform(inp)
        assert (plain(inp), inp.index.tolist(), inp.dtypes.to_dict()) == (before, index, types), step
        # The next one gets rows in another order, and labels that repeat.
        inp = out.sample(frac=1, random_state=5) if isinstance(step, Component) and "rank" in out else out
        inp = inp.set_axis(np.arange(len(out)) % 7, axis=0)
    check_results(results)
    assert results["qid"].unique().tolist() == QUERIES["qid"].tolist(), "every query found something, in their order"
    for qid in QUERIES["qid"]:
        assert of_query(inp.sort_values("rank"), qid) == of_query(results, qid)
    assert plain(system.transform(QUERIES.iloc[[1]])) == of_query(results, QUERIES["qid"][3])


@every_expression
def test_explanations_add_up(system: pt.Transformer, results: pd.DataFrame) -> None:
    for position, qid in enumerate(QUERIES["qid"]):
        best = results[results["qid"] == qid].nsmallest(3, "rank")
        found = explain(system, QUERIES.iloc[[position]], best["docno"].tolist())
        assert [one.docno for one in found] == best["docno"].tolist()
        assert [one.score for one in found] == pytest.approx(best["score"].tolist(), rel=1e-6)
        for node in (node for one in found for node in nodes(one)):
            assert node.parts
            assert all(np.isfinite(part.value) and part.label != "not explained" for part in node.parts), node
            assert sum(part.value for part in node.parts) == pytest.approx(node.score, rel=1e-6, abs=1e-12), node
        json.dumps([one.to_dict() for one in found], allow_nan=False)
    for step in steps_of(system):
        assert isinstance(step, Explainable | pt.RankCutoff), f"{step} has no explanation of its own"


@composed_expression
def test_the_compiled_and_the_canonical_pipeline_are_the_same(
    collection: Collection, expression: str, system: pt.Transformer, results: pd.DataFrame
) -> None:
    again = collection.pipeline(pipeline.canonical(expression))
    assert again == system
    assert hash(again) == hash(system)
    assert repr(again) == repr(system)
    assert plain(again.compile().transform(QUERIES)) == plain(results)


class Bundled(Sandbox):
    """What a check works with: a whole pipeline over the bundled collection, and what it is known to give."""

    def __init__(self, collection: Collection, expression: str, known: pd.DataFrame, folder: Path) -> None:
        super().__init__(ComponentUnderTest("retriever", lambda collection: collection.pipeline(expression)), folder)
        self.__dict__.update(bundled=collection, known=known, opened=False)

    @property
    def queries(self) -> pd.DataFrame:
        return QUERIES[["qid", "query"]].reset_index(drop=True)

    @property
    def docnos(self) -> frozenset[str]:
        return frozenset(doc.doc_id for doc in self.bundled.docs())

    @contextmanager
    def emptied(self) -> Iterator[Sandbox]:
        yield self

    def collection(self, *args: Any, **options: Any) -> Collection:
        """Return the collection, opened anew when a check asks for it again."""
        again, self.__dict__["opened"] = self.opened, True
        cache, client = self.bundled.cache.parents[1], self.bundled.client
        return Collection("legalir/firecode", cache=cache, client=client) if again else self.bundled

    def run(self, queries: pd.DataFrame | None = None) -> RunOutput:
        if queries is not None:
            return super().run(queries)
        collection = self.collection()
        return RunOutput(collection, self.make(collection), self.queries, self.known.drop(columns=EXTRA).copy())


BUNDLED = [
    one
    for one in testing.checks("retriever")
    # These are for factories, for collections of another kind, or done below with more care.
    if not one.name.startswith("light-")
    and one.name not in ("another-process", "num-results", "odd-documents", "composed-documents", "as-of", "titles")
    and one.name not in ("odd-queries", "long-query", "set-parameters", "first-use")
]


@composed_expression
def test_conformance_of_pipelines(
    collection: Collection, expression: str, results: pd.DataFrame, tmp_path: Path
) -> None:
    failed = {}
    for check in BUNDLED:
        try:
            check.run(Bundled(collection, expression, results, tmp_path))
        except Failed as error:
            failed[check.name] = str(error)
        except NotApplicable:
            assert check.name == "document-columns", "only results may be refused"
    assert failed == {}


def parts_of(held: Any) -> Iterator[Component]:
    """Yield the components of a pipeline, at any depth."""
    if isinstance(held, pt.Compose | tuple):
        yield from (part for one in held for part in parts_of(one))
    elif isinstance(held, Component):
        yield held
        yield from parts_of(tuple(held._given().values()))


@composed_expression
def test_a_parameter_of_any_part_that_is_set_later_acts_as_in_a_new_pipeline(
    collection: Collection, expression: str
) -> None:
    question = QUERIES.iloc[1:2]

    def outcome(system: pt.Transformer) -> pd.DataFrame:
        try:
            return system.transform(question)
        except LegalIRError as error:  # Scores of other parameters may be outside what the next step takes.
            return pd.DataFrame({"qid": ["none"], "error": [str(error)]})

    system = collection.pipeline(expression)
    before, tried = outcome(system), 0
    for part in {id(one): one for one in parts_of(system)}.values():
        for name, value in part._given().items():
            for other in other_values(part, name, value)[: value is not None]:
                try:
                    part.set_parameter(name, other)
                except LegalIRError:
                    continue
                tried += 1
                new = pickle.loads(pickle.dumps(system))  # It is made of the arguments alone.
                assert new == system
                # A model rounds in another way when it encodes a question in a batch; a copy has no vectors of before.
                assert difference(outcome(new), outcome(system)) is None, (part, name)
                part.set_parameter(name, value)
    assert tried and difference(before, outcome(system)) is None


@composed_expression
def test_questions_that_nobody_expects(collection: Collection, expression: str, system: pt.Transformer) -> None:
    first = next(iter(collection.docs())).default_text()
    very_long = (first * (100_000 // len(first.encode()) + 1))[:100_000]
    odd = asked("", " \t\n", "?!…「」()-~^\"'\\/:", "AND OR NOT", very_long, "창문 없는 층", "\x00\ud7b0\u200b🔥")
    found = system.transform(odd)
    check_results(found)
    assert len(found[found["qid"] == "4"]) > 0
    # To a language model, punctuation says something.
    silent = ["0", "1"] if "/" in expression else ["0", "1", "2"]
    assert not found["qid"].isin(silent).any(), "nothing was asked"
    expected = plain(system.transform(odd.iloc[[5]]))
    assert of_query(found, "5") == expected, "what stands beside a question does not matter"


PIPELINES = {"chunked": ("bm25",), "iterate": ("bm25", "ircot"), "multi": ("bm25", "rewrite(n=2)"), "rar": ("bm25",)}
"""Pipelines that retrievers take."""

FACTS = tuple(
    dict(zip(("docno", "subject", "predicate", "object"), fact, strict=True))
    for fact in (
        ("lamp-2", "등대 관리인", "켠다", "등불"),
        ("lamp-9", "관리인", "켜지 않으면", "벌금"),
        ("lamp-9-2", "관리인", "켜지 않으면", "벌금"),
        ("bell-1", "안개", "3번 친다", "종"),
        ("ferry-2", "ferry", "waits at", "the café on the pier"),
        ("ferry-3", "ferry", "carries at half the fare", "goods"),
        ("raft-1", "แพ", "ต้อง มี", "โคมไฟ"),
    )
)
"""Facts about the kit's provisions."""

COMPONENTS = (
    *(
        ("analyzer", spec)
        for spec in (
            "word",
            r"word(pattern=r'\w\w+', pairs=True)",
            "auto(lang='en')",
            "whitespace",
            "jamo3",
            "char(n=1)",
        )
    ),
    *(("encoder", spec) for spec in ("lsa(dimensions=4)", "static")),
    *(
        ("retriever", spec)
        for spec in (
            "bm25",
            "bm25f",
            "default",
            "dense",
            "lookup",
            "lsa(num_results=5)",
            "ql",
            "static",
            "tfidf",
            "golden",
        )
    ),
    ("retriever", 'golden(documents="first")'),
    ("retriever", "tfidf(min_df=2, max_df=0.5)"),
    ("retriever", "full_context(max_tokens=300)"),
    ("retriever", "run"),
    ("retriever", "toks(analyzer='word')"),
    *(("retriever", spec) for spec in PIPELINES),
    ("retriever", 'adaptive(bm25, by=complexity("{complexity}"))'),
    ("retriever", 'hypa(bm25, by=complexity("{complexity}"))'),
    ("retriever", "bm25(method='bm25l')"),
    *(("fuser", spec) for spec in ("borda", "combmax", "combmnz", "dbsf", "isr", "linear")),
    *(("fuser", spec) for spec in ("rrf", "wrrf(weights=[0.3, 0.7])", "linear(weights=[0.6, 0.4])")),
    *(("expander", spec) for spec in ("analytical", "hyde", "rationale", "rewrite(n=1)")),
    *(("expander", spec) for spec in ("ircot(k=3)", "search_r1(k=3)")),
    ("expander", 'complexity(model="{complexity}")'),
    *(("expander", spec) for spec in ("bo1", "rm3(docs=2)")),
    *(
        ("expander", spec)
        for spec in ("focus(over=20)", "links(k=2)", "nitilink(depth=2)", "own_script", "rocchio", "standalone")
    ),
    ("expander", "triples(by='question')"),
    *(
        ("reranker", spec)
        for spec in ("family", "listwise(window=4, stride=2)", "longcontext(k=3)", "predict", "refuse", "sar")
    ),
    ("reranker", "within(tokens=40)"),
    ("reranker", "without_self"),
    *(("generator", spec) for spec in ("answer(k=3)", "answer(plain=True)", "answer(context=False)", "quote", "yesno")),
    ("judge", "judge_coverage(against=['self', 'law'])"),
    ("judge", "judge_support"),
    ("judge", "judge_nuggets"),
    *(("judge", spec) for spec in ("judge_correct", "judge_correctness", "judge_ragas", "judge_win(both_orders=True)")),
    ("source", "table"),
    ("executor", "processes(workers=2)"),
)
"""Role and text of every component that ships and needs no model of language."""

WITH_MODELS = {
    ("generator", "pick"): "answer/test_pick.py",  # The questions of the kit have no options.
    ("source", "history"): "statutes/test_history.py",
    ("encoder", "e5"): "dense/test_e5.py",
    ("encoder", "openai"): "dense/test_hosted_encoder.py",
    ("encoder", "sentence"): "dense/test_sentence_conformance.py",
    **{
        ("llm", name): "llm/test_llm_conformance.py"
        for name in ("gguf", "openai", "recorded", "smollm2", "transformers")
    },
    **{
        ("source", name): f"statutes/test_{name}.py"  # Each reads files of its own format.
        for name in ("ca_justice", "jp_egov", "uk_clml", "us_uslm")
    },
    ("generator", "mcq"): "answer/test_choices_conformance.py",
    **{("source", name): "statutes/test_plain_sources.py" for name in ("docx", "html", "pdf", "text")},
    ("source", "git"): "statutes/test_git.py",
    ("source", "hwpx"): "statutes/test_hwpx.py",
    ("source", "xml"): "statutes/test_rules.py",
    ("source", "auto"): "statutes/test_auto_source.py",
    ("source", "th_json"): "statutes/test_th_json.py",
    ("source", "fr_legi"): "statutes/test_fr_legi.py",
    ("source", "de_gii"): "statutes/test_de_gii.py",
    ("source", "akoma_ntoso"): "statutes/test_akoma_ntoso.py",
    ("source", "eu_formex"): "statutes/test_eu_formex.py",
    ("source", "judgments"): "statutes/test_judgments.py",
    ("source", "law_go_kr"): "statutes/test_law_go_kr.py",
    ("source", "markdown"): "statutes/test_markdown_korea.py",
    ("source", "tw_json"): "statutes/test_tw_json.py",
    ("reranker", "rerank"): "rerank/test_cross_encoder_conformance.py",
    ("reranker", "m3_rerank"): "m3/test_m3_conformance.py",
    **{("retriever", name): "m3/test_m3_conformance.py" for name in ("m3", "m3_dense", "m3_multi", "m3_sparse")},
}
"""Where the others are checked, with the models or questions that they need."""


@pytest.mark.parametrize(("role", "spec"), COMPONENTS)
def test_conformance_of_components(
    role: str, spec: str, models: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sync_file", "sync_directory"):  # A test need not wait for the disk.
        monkeypatch.setattr(files, name, lambda *_: None)
    params = {}
    if role == "source":
        (tmp_path / "laws.csv").write_text("docno,text\na-1,A raft has a lamp.\na-2,A lamp is lit.\n")
        (tmp_path / "links.csv").write_text("source,target,kind\na-1,a-2,cites\n")
        params = {"path": str(tmp_path / "laws.csv"), "links": str(tmp_path / "links.csv")}
    if spec.startswith(("triples", "hypa")):
        (tmp_path / "facts.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in FACTS))
        params = {"graph": str(tmp_path / "facts.jsonl")}
    if spec == "run":
        lines = (
            f"{qid} Q0 {docno} {place} {1 / (2 + place // 2)} other\n"
            for qid in data.QUERIES["qid"]
            for place, docno in enumerate(sorted(data.DOCNOS))
        )
        (tmp_path / "other.trec").write_text("".join(lines), encoding="utf-8")
        params = {"path": str(tmp_path / "other.trec")}
    if spec.startswith("toks"):
        write_toks(tmp_path, [*data.PROVISIONS, *data.dated_provisions()])
        params = {"path": str(tmp_path / "vectors.jsonl")}
    if spec == "judge_nuggets":
        nuggets = [{"text": "a fact", "importance": "vital"}]
        lines = (json.dumps({"qid": qid, "nuggets": nuggets}) + "\n" for qid in data.QUERIES["qid"])
        (tmp_path / "nuggets.jsonl").write_text("".join(lines), encoding="utf-8")
        params = {"nuggets": str(tmp_path / "nuggets.jsonl")}
    if spec == "static":
        params = {"model": str(Path(legalir.__file__).parent / "datasets" / "firecode" / "static")}
    outcomes = testing.check(role, with_models(spec, models), params=params, pipelines=PIPELINES.get(spec))
    assert [one for one in outcomes if not one.ok] == []
    assert [one for one in outcomes if one.status == "passed"]


def test_every_component_that_ships_is_here() -> None:
    texts = [one if isinstance(one, str) else str(one.values[0]) for one in (*COMPOSED, *EXPRESSIONS, *NEURAL)]
    covered = set().union(*map(pipeline.names, texts))
    checked = {(role, spec.partition("(")[0]) for role, spec in COMPONENTS} | {("analyzer", "jamo")} | set(WITH_MODELS)
    ours = (entry for entry in plugins.entries() if entry.package == legalir.__name__)
    shipped = {(entry.role, entry.name) for entry in ours if entry.role in COMPONENT_ROLES}
    assert shipped - checked == set(), "add each of these to COMPONENTS"
    for (_, name), file in WITH_MODELS.items():
        assert name in (Path(__file__).parent / file).read_text(encoding="utf-8")
    ranking = {name for role, name in shipped if role in plugins.PIPELINE_ROLES and role not in ("generator", "judge")}
    assert ranking - covered == set(), "add an expression for each of these to EXPRESSIONS"
