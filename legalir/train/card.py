"""The card of a trained model: what it was made from and how, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import legalir
from legalir.train.material import Material, dataset_name
from legalir.train.recipe import Recipe

if TYPE_CHECKING:
    from legalir.collection import Collection

__all__ = ["model_card"]


def model_card(recipe: Recipe, collection: Collection, material: Material, best: Mapping[str, Any]) -> dict[str, Any]:
    """Return the card: JSON values, the same whenever the same model is trained.

    Args:
        recipe: how.
        collection: from what.
        material: what was read of it.
        best: the row of the history of the epoch that was kept.
    """
    about = collection.source
    facts = {"dataset": dataset_name(collection), "title": about.title, "lang": about.lang, "licence": about.licence}
    measures = {name: round(value, 6) for name, value in best.items() if "@" in name and value is not None}
    dev = {"split": recipe.dev, "queries": len(material.dev.texts), **measures} if material.dev else None
    return {
        "made_by": f"legalir {legalir.__version__}",
        "sources": [{**facts, **source, "fingerprint": material.data["train"]} for source in material.sources],
        "corpus": {"documents": len(material.docnos), "sha256": material.data["corpus"], **facts},
        "seed": recipe.seed,
        "recipe": recipe.settings(),
        "epoch": best["epoch"],
        "loss": round(float(best["loss"]), 6),
        "dev": dev,
    }
