"""The pipeline called ``default``: the best one for a collection, chosen on dev queries and confirmed on others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legalir.encode.static import own_model
from legalir.encode.static_model import read_about
from legalir.pipeline.builder import build

if TYPE_CHECKING:
    import pyterrier as pt

DEFAULT = 'focus >> bm25f >> family(weight=0.3, group="law") % 1000 >> sar(k=15, beta=0.3, normalize="minmax")'
"""Expression without a model. ``docs/default.md`` has figures; ``experiments/CHANGES.md`` has the other trials."""

WITH_MODEL = f"linear({DEFAULT} % 1000, focus >> static % 100, weights=[{{lexical}}, {{learnt}}])"
"""Expression with a collection's own static model; `lexical` and `learnt` are the weights of the two lists."""

_OF_JUDGEMENTS, _OF_STATUTES = (0.2, 0.8), (0.9, 0.1)
"""Weights (lexical, learnt): a model trained on judgements of these provisions leads, any other model assists."""


def default(collection: Any) -> pt.Transformer:
    """Run the best pipeline: fields, evidence from the law, citations, and the own model of the collection, if any."""
    return build(default_expression(collection), collection)


def default_expression(collection: Any) -> str:
    """Return the expression that ``default`` stands for on a collection: DEFAULT, or WITH_MODEL if it has one.

    Raises:
        ArtifactError: the description of the collection's model is truncated or altered.
        ComponentError: ``dataset.yaml`` names a folder without a model.
    """
    model = own_model(collection)
    if model is None:
        return DEFAULT
    lexical, learnt = _OF_JUDGEMENTS if _answers(read_about(model)["card"], collection) else _OF_STATUTES
    return WITH_MODEL.format(lexical=lexical, learnt=learnt)


def _answers(card: Mapping[str, Any], collection: Any) -> bool:
    """Return whether the model was trained on judgements of this collection, by its name or by its provisions.

    Judgements of another collection do not count: with the weights of judgements, such a model is far worse than none.
    """
    judged = [source for source in card.get("sources", ()) if source.get("source") == "judgements"]
    names = {str(source.get("dataset")).removeprefix("legalir/").split("/")[0] for source in judged}
    return bool(judged) and (
        Path(collection.source.folder.root).resolve().name in names
        or card.get("corpus", {}).get("sha256") == collection.fingerprint()
    )
