"""One head of BGE-M3 alone, over all documents."""

from __future__ import annotations

from legalir.component import check_number
from legalir.encode.m3.heads import HEADS
from legalir.errors import ComponentError, suggestion
from legalir.retrieve.m3.heads import Heads
from legalir.retrieve.m3.index import M3Index
from legalir.retrieve.m3.searching import HeadSearch
from legalir.retrieve.results import Found

__all__ = ["M3HeadRetriever"]


class M3HeadRetriever(HeadSearch):
    """Finds the documents of the best scores of one head, among all, exactly.

    - ``dense``: the cosine of the vectors of query and document, from −1 to 1.
    - ``sparse``: the sum of the products of the weights that both give to the same token id; documents that share no
      token with a query are not returned.
    - ``multi``: the mean, over the tokens of the query, of the greatest cosine with a token of the document. All
      vectors of all documents are read, as many at a time as fit the cache of the processor.

    Columns in: ``qid, query``; of result rows only their queries are used. Columns out: the query columns, then
    ``docno, score, rank``.

    Args:
        index: the index.
        head: ``dense``, ``sparse`` or ``multi``.
        num_results: results a query, at least 1.

    Raises:
        ComponentError: a parameter is none of these, or the index does not hold the head.
    """

    def __init__(self, index: M3Index, head: str, num_results: int = 1000) -> None:
        if head not in HEADS:
            hint = suggestion(str(head), HEADS)
            raise ComponentError(f"m3: head={head!r} is not one of {', '.join(HEADS)}.{hint}")
        check_number(f"m3_{head}", "num_results", num_results, low=1, integer=True)
        self.index = index
        self.head = head
        self.num_results: int = num_results
        index.check_weights(self.label, self.weights)

    @property
    def label(self) -> str:
        """The retriever as in an expression."""
        return f"m3_{self.head}"

    @property
    def weights(self) -> dict[str, float]:
        """What the heads count."""
        return {self.head: 1.0}

    def best(self, heads: Heads, queries: int) -> list[Found]:
        """Return the best documents of each query."""
        return list(heads.best(self.head, self.num_results))
