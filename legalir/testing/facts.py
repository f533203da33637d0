"""What a component does with the kit's data, as a frame that another interpreter can be asked for, too."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

from legalir.collection.collection import Collection
from legalir.testing.data import TEXTS
from legalir.testing.trial import Trial

__all__ = ["facts", "no_rows", "plain"]


def facts(trial: Trial, collection: Collection, component: Any) -> pd.DataFrame:
    """Return what `component` makes of the kit's data: a frame with a column ``qid`` and whatever the role gives."""
    role = trial.subject.role
    if role == "analyzer":
        terms = [component.terms(text) for text in TEXTS]
        return pd.DataFrame({"qid": list(TEXTS), "terms": terms, "fingerprint": component.fingerprint})
    if role == "encoder":
        from legalir.testing.protocols import fitted

        encoder = fitted(component, collection)
        vectors = np.asarray(encoder.encode_queries(list(TEXTS))).tolist()
        return pd.DataFrame({"qid": list(TEXTS), "vector": vectors, "fingerprint": component.fingerprint})
    if role == "source":
        rows = [{"qid": str(row.get("docno")), "fields": dict(row)} for row in component.provisions()]
        return pd.DataFrame([*rows, {"qid": "links", "fields": [list(link) for link in component.links()]}])
    out: pd.DataFrame = component.transform(trial.input(collection, component))
    return out


def no_rows(trial: Trial, collection: Collection, component: Any) -> None:
    """Give a component nothing, as PyTerrier's inspection does; of other roles, ask who they are."""
    role = trial.subject.role
    if role in ("analyzer", "encoder", "source"):
        _ = component.name, getattr(component, "fingerprint", None)
    else:
        component.transform(trial.input(collection, component).iloc[:0])


def plain(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """Return a frame as it is after a way through JSON."""
    found: dict[str, list[Any]] = json.loads(json.dumps(frame.to_dict("list"), default=_listed))
    return found


def _listed(value: object) -> object:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)
