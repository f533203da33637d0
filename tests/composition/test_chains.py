"""A chain hands lists on as arrays, and returns what its parts return one after the other."""

from __future__ import annotations

from functools import reduce

import pandas as pd
import pyterrier as pt
import pytest
from composition_material import QUERIES

from legalir.collection.collection import Collection
from legalir.frames.chain import Chain
from legalir.frames.ranking import RankedLists

CHAINS = (
    'focus >> bm25f(analyzer="char2") >> family(weight=0.3, group="law") % 1000 >> sar(k=15, normalize="minmax")',
    "bm25 % 30 >> nitilink(depth=2) % 40 >> family",
    "tfidf >> sar(beta=0.5) % 7 >> links(k=2) >> bm25",
    'bm25 >> family(normalize="none") >> sar(scorer=lsa, normalize="minmax", freeze=2, pool=50)',
    "rrf(bm25, tfidf % 5 >> links) >> sar(normalize='minmax')",
    "bm25 >> rocchio(index=bm25) >> family",
)


def one_by_one(chain: pt.Compose, frame: pd.DataFrame) -> pd.DataFrame:
    return reduce(lambda state, part: part.transform(state), chain, frame)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("expression", CHAINS)
def test_results_are_those_of_the_parts(collection: Collection, expression: str, compiled: bool) -> None:
    chain = collection.pipeline(expression)
    assert isinstance(chain, Chain)
    expected = one_by_one(chain, QUERIES)
    if compiled:
        chain = chain.compile()
        assert isinstance(chain, Chain)
    pd.testing.assert_frame_equal(chain(QUERIES), expected, check_exact=True)
    pd.testing.assert_frame_equal(pt.Compose(*chain)(QUERIES), expected, check_exact=True)
    frames = [
        QUERIES.assign(text="of the query", docid=3, year=range(len(QUERIES))),
        QUERIES.iloc[:1],
        QUERIES.iloc[:0],
        QUERIES.assign(query="…"),  # no query has results
        pd.concat([QUERIES.iloc[:1], QUERIES.iloc[:2].assign(qid=["none", "last"], query=["…", "?"])]),
    ]
    for frame in frames:
        before = frame.copy()
        pd.testing.assert_frame_equal(chain(frame), one_by_one(chain, frame), check_exact=True)
        pd.testing.assert_frame_equal(frame, before)


def test_one_frame_is_made(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[RankedLists] = []
    frame = RankedLists.frame

    def counted(self: RankedLists) -> pd.DataFrame:
        made.append(self)
        return frame(self)

    monkeypatch.setattr(RankedLists, "frame", counted)
    assert len(collection.pipeline(CHAINS[0])(QUERIES)) > 0
    assert len(made) == 1


def test_a_chain_is_a_composition_of_pyterrier(collection: Collection) -> None:
    chain = collection.pipeline("bm25 >> sar(normalize='minmax')")
    plain = pt.Compose(*chain)
    assert chain == plain
    assert plain == chain
    assert hash(chain) == hash(plain)
    assert str(chain) == str(plain)
    longer = chain >> chain[1]
    assert isinstance(longer, Chain)
    assert len(longer) == len(Chain(plain, chain[1])) == 3
    columns = ["qid", "query"]
    assert pt.inspect.transformer_inputs(chain) == pt.inspect.transformer_inputs(plain)
    assert pt.inspect.transformer_outputs(chain, columns) == pt.inspect.transformer_outputs(plain, columns)
