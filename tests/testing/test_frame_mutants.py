"""One mutant a check, of the kinds of components that work on frames in turn: that check fails, and no other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import spoiled as s
import wrong_frames as w

from legalir import testing
from legalir.testing.data import QUERIES

EVERY, RANKED = tuple(s.KINDS), s.RANKED
WITH_LEFT = ("reranker", "expander", "rewriter", "generator", "judge")

MUTANTS = {
    # The name of the check, and which of several mutants; the kinds of components; the mutant.
    "construction": (EVERY, w.no_transformer),
    "first-use": (EVERY, s.raising(lambda self, inp: True)),
    "without-left": (WITH_LEFT, w.needs_left),
    "declared-columns": (EVERY, s.by(w.as_it_is, w.Lying)),
    "empty-frame": (EVERY, s.by(w.fewer_columns_when_empty, w.Honest)),
    "empty-frame 2": (RANKED, s.by(w.other_types_when_empty)),
    "input-unchanged": (EVERY, s.by(w.writing)),
    "input-unchanged 2": (EVERY, s.by(w.labelling)),
    "index-labels": (EVERY, s.changed_if(lambda self, inp: not inp.index.is_unique)),
    "extra-columns": (EVERY, s.always(lambda out: out.drop(columns="weight", errors="ignore"))),
    "string-ids": (EVERY, s.always(w.float_ids)),
    "result-columns": (RANKED, s.always(lambda out: out.drop(columns="rank"))),
    "result-columns 2": (("retriever", "expander"), s.always(lambda out: out.iloc[:0])),
    "finite-scores": (RANKED, s.always(w.infinite)),
    "finite-scores 2": (RANKED, s.always(lambda out: out.astype({"score": np.float32}))),
    "ranks": (RANKED, s.always(lambda out: out.assign(rank=out["rank"] + 1))),
    "score-order": (RANKED, s.always(lambda out: out.assign(score=-out["score"]))),
    "ties": (RANKED, s.always(w.turned_ties)),
    "no-duplicates": (RANKED, s.always(w.last_again)),
    "known-documents": (RANKED, s.always(w.unknown_document)),
    "as-of": (RANKED, s.always(w.of_another_day)),
    "as-of 2": (("generator",), s.always(w.answers_of_another_day)),
    "where": (RANKED, s.always(w.beyond_the_filter)),
    "where 2": (("generator",), s.always(w.answers_beyond_the_filter)),
    "rank-cutoff": (RANKED, s.by(w.as_it_is, w.Cutting)),
    "num-results": (RANKED, w.keeps_all),
    "batch-invariance": (EVERY, s.changed_if(lambda self, inp: inp["qid"].nunique() == 1)),
    "order-invariance": (EVERY, s.changed_if(lambda self, inp: inp["qid"].iloc[0] > inp["qid"].iloc[-1])),
    "determinism": (EVERY, s.changed_if(w.seen_before)),
    "another-build": (EVERY, w.second_of_a_collection),
    "identity": (EVERY, s.by(w.as_it_is, w.Unequal)),
    "identity 2": (EVERY, s.by(w.as_it_is, w.Nameless)),
    "set-parameters": (RANKED, s.by(w.as_it_is, w.Stuck)),
    "set-parameters 2": (RANKED, s.by(w.as_it_is, w.Unchecked)),
    "set-parameters 3": (RANKED, s.by(w.as_it_is, w.Halfway)),
    "pickling": (EVERY, s.by(w.as_it_is, w.Unpickled)),
    "pickling 2": (EVERY, s.by(w.as_it_is, w.Forgetful)),
    "pickling 3": (EVERY, s.by(w.other_if_copied, w.Copied)),
    "index-reload": (EVERY, w.reading_badly),
    "composed-queries": (EVERY, s.changed_if(lambda self, inp: not all(map(w.composed, inp["query"])))),
    "odd-queries": (EVERY, s.raising(lambda self, inp: "" in inp["query"].tolist())),
    "long-query": (EVERY, s.raising(lambda self, inp: inp["query"].str.len().max() > 50_000)),
    "odd-documents": (EVERY, s.raising(lambda self, inp: "" in w.texts(self))),
    "composed-documents": (("retriever",), s.changed_if(lambda self, inp: not all(map(w.composed, w.texts(self))))),
    "titles": (("retriever",), w.without_titles),
    "same-documents": (("reranker",), s.always(lambda out: out[out["docno"] != "ferry-2"].pipe(w.rank_results))),
    "document-columns": (("retriever", "fuser", "reranker", "expander", "generator"), s.by(w.of_the_first_document)),
    "document-columns 2": (("fuser", "expander"), s.always(lambda out: out.drop(columns="limits", errors="ignore"))),
    "rewritten-queries": (("rewriter",), s.always(lambda out: pd.concat([out, out], ignore_index=True))),
    "rewritten-queries 2": (("rewriter",), s.always(lambda out: out.assign(query=[t.encode() for t in out["query"]]))),
    "one-pipeline": (("fuser",), w.of_branches(lambda found: len(found) == 1)),
    "three-pipelines": (("fuser",), w.of_branches(lambda found: len(found) == 3)),
    "empty-branch": (("fuser",), w.of_branches(lambda found: any(frame.empty for frame in found))),
    "documents-of-pipelines": (("fuser",), s.always(w.document_of_nobody)),
    "one-row": (("generator", "judge"), s.always(lambda out: out[out["qid"] != "q4"])),
    "one-row 2": (("generator", "judge"), s.always(lambda out: out.iloc[::-1])),
    "answers": (("generator",), s.always(lambda out: out.assign(qanswer=[list(text) for text in out["qanswer"]]))),
    "answers 2": (("generator",), s.always(lambda out: out.rename(columns={"qanswer": "answer"}))),
    "no-result-columns": (("generator",), s.always(lambda out: out.assign(rank=0))),
    "same-answers": (("judge",), s.always(lambda out: out.assign(citations=[text[:1] for text in out["citations"]]))),
    "same-answers 2": (("judge",), s.always(lambda out: out.drop(columns="abstained"))),
    "verdicts": (("judge",), s.always(lambda out: out.drop(columns="brief"))),
    "verdicts 2": (("judge",), s.always(lambda out: out.assign(brief=np.inf))),
    "verdicts 3": (("judge",), s.always(lambda out: out.assign(brief_reason=[()] * len(out)))),
}


def cases() -> list[object]:
    return [
        pytest.param(check.partition(" ")[0], kinds[place % len(kinds)], spoil, id=check)
        for place, (check, (kinds, spoil)) in enumerate(MUTANTS.items())
    ]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("check", "kind", "spoil"), cases())
def test_a_mutant_is_caught_by_its_check_and_no_other(check: str, kind: str, spoil: object) -> None:
    role, factory = s.KINDS[kind]
    outcomes = testing.check(role, spoil(factory))  # type: ignore[operator]
    assert {one.check: one.message for one in outcomes if not one.ok}.keys() == {check}, outcomes


@pytest.mark.parametrize("kind", EVERY)
def test_a_right_component_passes(kind: str) -> None:
    role, factory = s.KINDS[kind]
    outcomes = testing.check(role, factory)
    assert [one for one in outcomes if not one.ok] == []
    skipped = {one.check for one in outcomes if one.status == "not applicable"}
    ranked = {check.partition(" ")[0] for check, (kinds, _) in MUTANTS.items() if kinds == RANKED} - {"empty-frame"}
    expected = {
        "rewriter": ranked | {"document-columns"},
        "expander": {"rewritten-queries"},
        # They have no parameters.
        "generator": {"set-parameters"},
        "judge": {"set-parameters"},
    }
    assert skipped == expected.get(kind, set())
    assert QUERIES["qid"].iloc[0] < QUERIES["qid"].iloc[-1], "a mutant counts on it"
