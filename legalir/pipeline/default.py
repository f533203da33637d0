"""The pipeline called ``default``: its parts fit the collection by what is known of it, or were chosen by judgements.

Without judgements, a part is on if it can help: evidence of the law if there are several laws, SAR if
provisions cite each other often, numbers of provisions where provisions have numbers, a static model where the
collection has one. ``legalir tune`` chooses by judgements and writes ``tuned.yaml``, which then decides.
``docs/default.md`` has figures; ``experiments/CHANGES.md`` has the other trials.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from legalir.analysis.language import language
from legalir.collections import Collection
from legalir.dense.static import own_model
from legalir.dense.static_model import read_about
from legalir.graph.citation_graph import CitationGraph
from legalir.graph.laws import LawTable
from legalir.pipeline.builder import build
from legalir.pipeline.settings import DefaultSettings, read_tuned
from legalir.references.lookup import NumberTable

if TYPE_CHECKING:
    import pyterrier as pt

DENSE_LINKS = 0.5
"""Links a provision from which on SAR is used."""

_K1 = {"ko": 2.0}
"""Saturation for languages in which another value was measured: 2-grams of Hangul repeat more often than words."""

_OF_JUDGEMENTS, _OF_STATUTES = 0.8, 0.1
"""Weight of a model by what it learnt from, where its card has no measured one."""


class FittedDefault(NamedTuple):
    """Settings of ``default`` on a collection.

    Attributes:
        settings: the values.
        reasons: the reason for each part, in the order of the pipeline.
    """

    settings: DefaultSettings
    reasons: dict[str, str]


def default(collection: Collection, *, tuned: bool = True) -> pt.Transformer:
    """Run the best pipeline: terms by field, evidence from the law, citations, and the own model of the collection.

    Args:
        tuned: whether to use the settings from ``legalir tune``, if there are any.
    """
    return build(default_expression(collection, tuned), collection)


def default_expression(collection: Collection, tuned: bool = True) -> str:
    """Return the expression of ``default`` on a collection; errors as in :func:`fit_default`."""
    return fit_default(collection, tuned).settings.expression()


def fit_default(collection: Collection, tuned: bool = True) -> FittedDefault:
    """Choose the settings of ``default`` for a collection, with the reasons.

    Args:
        collection: the collection.
        tuned: whether to use ``tuned.yaml``, if it exists.

    Raises:
        ArtifactError: the description of the collection's model is truncated or altered.
        ComponentError: ``dataset.yaml`` names a folder without a model.
        DefinitionError: ``tuned.yaml`` cannot be read, or is of another collection.
    """
    if tuned and (chosen := read_tuned(collection)) is not None:
        return FittedDefault(chosen.settings, {"tuned": chosen.sentence()})
    weight, model = _model(collection)
    terms = fit_terms(collection)
    settings = DefaultSettings.parse({**terms.settings.model_dump(), "model": weight})
    return FittedDefault(settings, {**terms.reasons, "model": model})


def fit_terms(collection: Collection) -> FittedDefault:
    """Return what ``default`` does on a collection without its model, and why."""
    laws, graph = LawTable.of(collection), CitationGraph.of(collection)
    several = laws.count("law") > 1
    numbered = NumberTable.of(collection).manifest.facts["articles"] > 0
    written_in = language(collection.language)
    density = graph.links_count() / max(1, len(laws))
    settings = DefaultSettings(
        k1=_K1.get(written_in.code, DefaultSettings().k1),
        family=0.3 if several else 0.0,
        sar=0.3 if density >= DENSE_LINKS else 0.0,
        lookup=1.0 if numbered else 0.0,
    )
    return FittedDefault(
        settings,
        {
            "analyzer": f"auto, for {written_in.name}",
            "k1": f"{settings.k1:g}, for {written_in.name}",
            "focus": "for questions of more than 200 characters, of which a letter of an alphabet counts as a third",
            "family": f"{laws.count('law')} laws" if several else "left out: there is one law at most",
            "sar": f"{density:.2f} links a provision" + ("" if settings.sar else f", left out below {DENSE_LINKS:g}"),
            "lookup": "for questions that name a provision" if numbered else "left out: provisions have no numbers",
        },
    )


def _model(collection: Collection) -> tuple[float, str]:
    """Return the weight of the collection's own model, and why."""
    folder = own_model(collection)
    if folder is None:
        return 0.0, "left out: the collection has none (legalir train static makes one)"
    card = read_about(folder)["card"]
    measured = card.get("default")
    if measured is not None and _is_of(card, collection):
        weight = float(measured["weight"])
        questions, seen = measured["questions"], round(100 * measured["seen"])
        return weight, (
            f"{weight:g}, measured on {questions} questions that its training had not seen; it had seen {seen} % of "
            f"their provisions"
        )
    if _is_of(card, collection) and any(one.get("source") == "judgements" for one in card.get("sources", ())):
        return _OF_JUDGEMENTS, f"{_OF_JUDGEMENTS:g}, because it learnt from judgements of this collection"
    return _OF_STATUTES, f"{_OF_STATUTES:g}, because it learnt from statutes, or for another collection"


def _is_of(card: Mapping[str, Any], collection: Collection) -> bool:
    """Return True if a model was trained on this collection, according to the name of its judgements or its provisions.

    Judgements of another collection do not count: with the weight of judgements, such a model is far worse than none.
    """
    judged = [source for source in card.get("sources", ()) if source.get("source") == "judgements"]
    names = {str(source.get("dataset")).removeprefix("legalir/").split("/")[0] for source in judged}
    return bool(judged) and (
        Path(collection.source.folder.root).resolve().name in names
        or card.get("corpus", {}).get("sha256") == collection.fingerprint()
    )
