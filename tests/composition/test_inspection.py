"""``pt.inspect`` and ``pt.schematic`` read our components without running them, and without the network."""

from __future__ import annotations

import pyterrier as pt
import pytest
from composition_material import PIPELINES, QUERIES

from legalir.collection.collection import Collection
from legalir.graph.laws import LawTable
from legalir.lexical.bm25f import FieldIndex

ENDS = {
    "bm25": [["qid", "query"], ["qid", "query_toks"]],
    "tfidf": [["qid", "query"], ["qid", "query_toks"]],
    "bm25f": [["qid", "query"], ["qid", "query_toks"]],
    "lsa": [["qid", "query"], ["qid", "query_vec"]],
    "rrf(bm25, lsa)": [["qid", "query"], ["qid", "query_toks"]],  # as its first pipeline says
    "focus": [["qid", "query"]],
    "links": [["qid", "docno", "score"]],
    "nitilink": [["qid", "docno", "score"]],
    "sar": [["qid", "docno", "score"]],
    "sar(scorer=lsa)": [["qid", "query", "docno", "score"], ["qid", "query_vec", "docno", "score"]],
    "family": [["qid", "docno", "score"]],
    "rocchio(index=bm25)": [["qid", "query", "docno", "score"]],
    "rocchio(index=lsa)": [["qid", "query", "docno", "score"], ["qid", "query_vec", "docno", "score"]],
}
"""What each component says that it needs."""


@pytest.mark.parametrize("expression", ENDS)
def test_inputs(collection: Collection, expression: str, calls: list[str]) -> None:
    assert pt.inspect.transformer_inputs(collection.pipeline(expression)) == ENDS[expression]
    assert calls == [], "nothing is given rows"


@pytest.mark.parametrize("expression", PIPELINES)
def test_columns_of_whole_pipelines(collection: Collection, expression: str) -> None:
    system = collection.pipeline(expression)
    assert ["qid", "query"] in pt.inspect.transformer_inputs(system)
    assert pt.inspect.transformer_outputs(system, list(QUERIES.columns)) == list(system(QUERIES).columns)
    with pytest.raises(pt.validate.InputValidationError, match="qid"):
        pt.inspect.transformer_outputs(system, ["docno"])


@pytest.mark.parametrize(
    "expression", [*ENDS, "wrrf(bm25, lsa, weights=[0.5, 0.5])", "linear(bm25, lsa, weights=[1, 1])"]
)
def test_attributes_make_the_same_component_again(collection: Collection, expression: str) -> None:
    component = collection.pipeline(expression)
    attributes = {attribute.name: attribute.value for attribute in pt.inspect.transformer_attributes(component)}
    assert all(not callable(value) or isinstance(value, pt.Transformer) for value in attributes.values())
    again = pt.inspect.transformer_apply_attributes(component)
    assert again is not component
    assert again == component


def test_other_attributes_make_another_component(collection: Collection) -> None:
    made = pt.inspect.transformer_apply_attributes(collection.pipeline("bm25"), k1=2.0)
    assert made == collection.pipeline("bm25(k1=2.0)")
    with pytest.raises(pt.inspect.InspectError, match="k7"):
        pt.inspect.transformer_apply_attributes(collection.pipeline("bm25"), k7=2)


def test_what_is_inside(collection: Collection) -> None:
    bm25, lsa = collection.pipeline("bm25"), collection.pipeline("lsa")
    assert pt.inspect.subtransformers(collection.pipeline("rrf(bm25, lsa)")) == {"pipelines": [bm25, lsa]}
    assert pt.inspect.subtransformers(collection.pipeline("sar(scorer=lsa)")) == {"scorer": lsa}
    assert pt.inspect.subtransformers(collection.pipeline("rocchio(index=bm25)")) == {"retriever": bm25}
    assert pt.inspect.subtransformers(bm25) == {}, "an index is no step"


def test_artifacts_and_indexers(collection: Collection) -> None:
    artifacts = {
        "sparse_index": collection.sparse(),
        "dense_index": collection.dense(),
        "citation_graph": collection.graph,
        "field_index": FieldIndex.of(collection),
        "law_table": LawTable.of(collection),
    }
    for kind, artifact in artifacts.items():
        assert pt.inspect.artifact_type_format(artifact) == (kind, "legalir")
    for index in (collection.sparse(), collection.dense()):
        assert pt.inspect.indexer_inputs(index) == [["docno", "text"]]
        assert pt.inspect.transformer_type(index) == pt.inspect.TransformerType.indexer


@pytest.mark.parametrize("expression", PIPELINES)
def test_schematics(collection: Collection, expression: str, monkeypatch: pytest.MonkeyPatch, calls: list[str]) -> None:
    asked: list[object] = []  # PyTerrier asks a server for its list of pages.
    monkeypatch.setattr(pt.documentation, "url_for_class", asked.append)
    system = collection.pipeline(expression) >> pt.apply.doc_score(lambda row: 1.0)
    described = pt.schematic.transformer_schematic(system, input_columns=["qid", "query"])
    assert described["output_columns"] is not None
    assert all(part["output_columns"] is not None for part in described["transformers"])
    assert not any(type(one).__module__.startswith("legalir.") for one in asked), "ours are drawn without a network"
    assert not any(isinstance(one, pt.RankCutoff) for one in asked)
    drawn = pt.schematic.draw(system)
    assert "<div" in drawn
    assert calls == [], "nothing is given rows"
