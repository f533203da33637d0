"""Family smoothing: a provision is worth more where its law, or its family of laws, has other good ones.

The arithmetic is done for all queries at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge

from legalir.contract import factory_of
from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.component import Component
from legalir.frames.normalize import minmax
from legalir.frames.ranking import RankedLists, numbers_in, places, ranking, read_lists
from legalir.graph.laws import Group, LawTable

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def best_of_group(group: Ints, score: Floats, m: int) -> npt.NDArray[np.bool_]:
    """Return which rows are among the best `m` of their group; of equal scores, the first rows count; [r].

    Args:
        group: number of the group, [r].
        score: [r].
        m: at least 1.
    """
    order = np.lexsort((-score, group))
    ordered = group[order]
    best = np.empty(len(group), dtype=bool)
    best[order] = places(ordered) < m
    return best


def support(group: Ints, score: Floats, m: int) -> Floats:
    """Return the mean of the best `m` scores of each row's group; a smaller group is padded with 0; [r].

    Args:
        group: number of the group, from 0; [r].
        score: at least 0, [r].
        m: at least 1.
    """
    best = np.flatnonzero(best_of_group(group, score, m))
    # Added from the best on, so that the sum does not depend on the order of the rows.
    best = best[np.argsort(-score[best], kind="stable")]
    sums = np.bincount(group[best], weights=score[best], minlength=int(group.max(initial=-1)) + 1)
    mean: Floats = sums[group] / m
    return mean


Scale = Literal["minmax", "none"]

_NOUN = {"law": "law", "family": "law family"}


class FamilySmoothing(Component):
    """Smooths the scores of a list over its laws: ``score(d) = S(d) + weight · mean of the best m S in d's group``.

    The group is the law family of the provision (a statute with its enforcement decree and rule, grouped by name)
    or its law alone; only its provisions in the list count. Of fewer than m, the missing ones count as 0, and a
    provision without a law is a group of its own. It is cluster-based smoothing [cluster-lm] [cluster-retrieval] with
    the law as cluster: a law about a matter is evidence for each of its provisions.

    S is the score of the list, for each query by itself:

    - ``minmax``: ``(s − min)/(max − min)``. The z-scores of linear fusion, ``(s − min)/σ``, would give the same order.
    - ``none``: the score unchanged, but at least 0.

    Columns in: ``qid, docno, score``. Columns out: the same with new scores, and ``rank``.
    """

    name = "family"
    laws: Annotated[LawTable, "the law of each provision of the collection that was searched"]
    weight: Annotated[float, Ge(0), "with 0, no order changes"] = 0.3
    m: Annotated[int, Ge(1), "number of the best of a group that count"] = 3
    normalize: Annotated[Scale, "the scale of the scores that are smoothed"] = "minmax"
    group: Annotated[Group, "``family`` or ``law``"] = "family"

    @property
    def label(self) -> str:
        """The component as in an expression, with the parameters of its scores."""
        return f"family(weight={self.weight:g}, m={self.m}, group={self.group})"

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        self._validate(inp)
        out = inp.iloc[:0].copy()
        return out.assign(score=pd.Series(dtype=np.float64), rank=pd.Series(dtype=np.int64))

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of `inp` with new scores and ranks.

        Raises:
            ComponentError: a score is not a finite number, or a document occurs twice.
        """
        self._validate(inp)
        lists, row = read_lists(inp, "family")
        score = self._smoothed(lists)
        order = ranking(lists.query, score, lists.docno)
        out = inp.iloc[row[order]].reset_index(drop=True)
        return out.assign(score=score[order], rank=places(lists.query[order]))

    def rank_lists(self, lists: RankedLists) -> RankedLists:
        """Return the lists with new scores; errors as :meth:`apply`."""
        return lists.rescored(self._smoothed(lists))

    def _smoothed(self, lists: RankedLists) -> Floats:
        scaled = self._scaled(lists)
        return scaled + self.weight * support(self._groups(lists, self._numbers(lists)), scaled, self.m)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return why `docnos` have their scores: S, and the part of the best of the law or family."""
        lists, _ = read_lists(inp, "family")
        scaled, numbers = self._scaled(lists), self._numbers(lists)
        groups = self._groups(lists, numbers)
        brought = self.weight * support(groups, scaled, self.m)
        best = best_of_group(groups, scaled, self.m)
        place = {docno: row for row, docno in enumerate(lists.docno.tolist())}
        wanted = [docno for docno in docnos if docno in place]
        origins = upstream(wanted)
        found = {}
        for docno in wanted:
            row = place[docno]
            own = Part(self._own_label(lists, row), float(scaled[row]), origins.get(docno), {"S": float(scaled[row])})
            members = np.flatnonzero((groups == groups[row]) & best).tolist()
            part = self._group_part(lists, row, int(numbers[row]), members, scaled, float(brought[row]))
            found[docno] = Explanation(docno, own.value + part.value, self.label, (own, part))
        return found

    def _own_label(self, lists: RankedLists, row: int) -> str:
        made = "" if self.normalize == "none" else f" ({lists.score[row]:.4g} by {self.normalize})"
        return f"S at rank {lists.rank[row]} of the list{made}"

    def _group_part(
        self, lists: RankedLists, row: int, number: int, members: list[int], scaled: Floats, value: float
    ) -> Part:
        name = self.laws.group_name(int(self.laws.groups(np.array([number]), self.group)[0]), self.group)
        rank = lists.rank
        shown = ", ".join(f"{lists.docno[member]} {scaled[member]:.4f}" for member in members)
        named = [
            {"docno": str(lists.docno[member]), "rank": int(rank[member]), "S": float(scaled[member])}
            for member in members
        ]
        noun = f"{_NOUN[self.group]} {name}" if name else "itself, without a law"
        detail = {"group": name, "weight": self.weight, "m": self.m, "members": named}
        return Part(f"{self.weight:g} × best of {noun}: {shown}", value, None, detail)

    def _validate(self, inp: pd.DataFrame) -> None:
        pt.validate.columns(inp, includes=["qid", "docno", "score"])

    def _numbers(self, lists: RankedLists) -> Ints:
        return numbers_in(self.laws, lists, "family")

    def _scaled(self, lists: RankedLists) -> Floats:
        if self.normalize == "none" and lists.score.min() < 0:
            row = int(np.argmin(lists.score))
            raise ComponentError(
                f"family: the score {lists.score[row]:.6g} of {lists.docno[row]!r} for query {lists.qid(row)!r} is "
                f"below 0, which normalize='none' does not take: bring the scores there by normalize='minmax'."
            )
        return lists.score if self.normalize == "none" else minmax(lists.score, lists.query)

    def _groups(self, lists: RankedLists, numbers: Ints) -> Ints:
        """Return the group of each row, numbered over all queries; one without a law is alone."""
        code = self.laws.groups(numbers, self.group)
        code = np.where(code >= 0, code, code.max(initial=0) + 1 + np.arange(len(code)))
        key = lists.query * (int(code.max(initial=0)) + 1) + code
        groups: Ints = np.unique(key, return_inverse=True)[1].astype(np.int64)
        return groups


family = factory_of(
    FamilySmoothing,
    'Smoothing over law families: ``bm25f >> family(weight=0.3)``, or over laws, ``family(group="law")``.',
)
