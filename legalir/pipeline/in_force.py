"""The law of a day for components that know no days: what is not in force is left out of their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, cast

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.explanation import Explanation, Upstream, explain_step
from legalir.frames.as_of import days
from legalir.frames.component import Component
from legalir.frames.ranking import rank_results
from legalir.graph.laws import LawTable


class InForce(Component):
    """Removes results of a component that are not in force on the day of their query.

    For components that know no days: the retrievers and expanders of other packages, unless they have an attribute
    ``respects_as_of`` that is True. A retriever with a parameter `num_results` is asked again for twice as many, until
    each query has as many results in force, or there are no more; so the list is the retriever's list, without other
    versions. One without the parameter gives what is left of its list.

    Columns in: the columns of the component. Columns out: the same, with new ranks; a frame without ``docno`` is not
    changed.
    """

    component: Annotated[pt.Transformer, "the component"]
    law: Annotated[LawTable, "the documents of the collection"]
    num_results: Annotated[
        int | None,
        "number of results per query requested from the component; None if it has no such parameter",
    ] = None
    remade: Annotated[
        Callable[[int], pt.Transformer] | None,
        "returns the component for another number of results",
    ] = None

    def _arguments(self) -> dict[str, Any]:
        # The copy with another number of results follows from the component itself.
        return {"component": self.component, "law": self.law, "num_results": self.num_results}

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return what the component returns."""
        return self.component.transform(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the results in force; errors as the component."""
        component, most = self.component, self.num_results
        out = component.transform(inp)
        while True:
            kept = self._in_force(out)
            if most is None or self.num_results is None or self.remade is None or not self._short(out, kept, most):
                return kept if self.num_results is None or "rank" not in kept else kept[kept["rank"] < self.num_results]
            most = min(2 * most, len(self.law.docno_table))
            out = self._asked_for(most).transform(inp)

    def _asked_for(self, most: int) -> pt.Transformer:
        """Return a copy of the component with another number of results."""
        component = self.component
        if isinstance(component, Component) and "num_results" in component._given():
            return component._changed(num_results=most)
        assert self.remade is not None
        return self.remade(most)

    def _short(self, out: pd.DataFrame, kept: pd.DataFrame, most: int) -> bool:
        """Return True if a query may have more results in force than `kept` contains."""
        if "docno" not in out.columns or most >= len(self.law.docno_table) or self.num_results is None:
            return False
        full = out["qid"].value_counts()
        full = full[full >= most]
        return bool((kept["qid"].value_counts().reindex(full.index, fill_value=0) < self.num_results).any())

    def _in_force(self, out: pd.DataFrame) -> pd.DataFrame:
        validity = self.law.validity
        if validity is None or "docno" not in out.columns or out.empty:
            return out
        number = self.law.docno_table.numbers(out["docno"])
        day = np.array(days(out))
        # A document that the collection lacks is left to whoever reports it.
        kept = out[(number < 0) | (validity.begin[number] <= day) & (day < validity.end[number])]
        return rank_results(kept) if {"score", "rank"} <= set(kept.columns) else kept.reset_index(drop=True)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the explanations of the component."""
        return explain_step(self.component, inp, docnos, upstream)


def made_in_force(
    make: Callable[[Mapping[str, object]], object],
    params: Mapping[str, object],
    defaults: Mapping[str, object],
    law: LawTable,
) -> object:
    """Wrap a component of another package so that it returns only results in force on the day of each query.

    Args:
        make: returns the component for some parameters.
        params: the parameters passed to the component.
        defaults: the defaults of all parameters that have one.
        law: the documents of the collection.
    """
    component = make(params)
    if getattr(component, "respects_as_of", False) or not isinstance(component, pt.Transformer):
        return component
    most = params.get("num_results", defaults.get("num_results"))
    if not isinstance(most, int):
        return InForce(component, law)
    return InForce(component, law, most, partial(_remade, make, params))


def _remade(
    make: Callable[[Mapping[str, object]], object], params: Mapping[str, object], num_results: int
) -> pt.Transformer:
    return cast(pt.Transformer, make({**params, "num_results": num_results}))
