"""Settings of ``default``, and a collection's tuned settings from ``legalir tune``, in its file ``tuned.yaml``."""

from __future__ import annotations

import hashlib
import heapq
import logging
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field

from legalir.collections import Collection
from legalir.config import Number, Schema, Text, Whole
from legalir.datasets import Provision
from legalir.errors import DefinitionError
from legalir.storage.digest import digest, file_digest
from legalir.storage.files import atomic_file

_Share = Annotated[Number, Field(ge=0, le=1)]
_Weight = Annotated[Number, Field(ge=0, le=100)]

_FIELDS = {"title": 2.0, "text": 1.0, "path": 1.0, "citing": 1.0}
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

    def expression(self) -> str:
        """Return the expression of these settings."""
        lists = self.lists()
        if len(lists) == 1:
            return self._terms()
        pipelines, weights, normalize = zip(*lists, strict=True)
        return f"linear({', '.join(pipelines)}, weights={list(weights)!r}, normalize={list(normalize)!r})"

    def lists(self) -> list[tuple[str, float, str]]:
        """Return expression, weight and normalisation of each list that is added up: of terms, numbers, the model."""
        lists = [(f"{self._terms()} % 1000", round(1 - self.model, 6), "minmax")]
        lists += [("lookup", self.lookup, "none")] if self.lookup else []
        lists += [(f"{self._focus()}static % 100", self.model, "minmax")] if self.model else []
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
    settings: DefaultSettings
    gain: Gain
    corpus: Text
    """sha256 of the corpus for which the settings were chosen."""
    sketch: Text
    """The smallest hashes of its provisions, by which a later state of the same collection is recognised."""

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
    """Return the two possible paths of a collection's settings: next to its files, and in the cache."""
    root = Path(collection.source.folder.root).resolve()
    return root / _FILE, collection.home / "tuned" / f"{root.name[:40]}-{digest(str(root))[:12]}.yaml"


def _tuned_path(collection: Collection) -> Path | None:
    return next((path for path in tuned_paths(collection) if path.is_file()), None)


def tuned_digest(collection: Collection) -> str | None:
    """Return the sha256 of a collection's file of tuned settings, or None if there is no file."""
    path = _tuned_path(collection)
    return None if path is None else file_digest(path)


def read_tuned(collection: Collection) -> Tuned | None:
    """Return the tuned settings of a collection, or None if there are none.

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
        _warn(path, round(100 * share))
    return tuned


@cache
def _warn(path: Path, percent: int) -> None:
    logging.getLogger("legalir").warning(
        "%s was made for an earlier state of the collection; about %d %% of its provisions are unchanged. It is used; "
        "run legalir tune to renew it.",
        path,
        percent,
    )


def write_tuned(tuned: Tuned, path: Path) -> None:
    """Write a file that people can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as file:
        file.write("# Settings of `default`, chosen by `legalir tune`. Delete this file to go back.\n")
        yaml.safe_dump(tuned.model_dump(mode="json"), file, sort_keys=False, allow_unicode=True, width=100)
