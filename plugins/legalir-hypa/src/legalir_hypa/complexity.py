"""How many contexts a question needs [hypa-rag]: a classifier of questions, which ``adaptive`` reads.

Class 0 needs one context, class 1 two, class 2 three or more; of two classes, class 1 needs two or more. A model that
``legalir train complexity`` wrote is a folder: ``model.json`` has kind, classes, card, and size and sha256 of each
other file; ``model.npz`` the numbers of a linear model, which numpy alone applies. n questions, C classes, V terms.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, Protocol
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir import __version__
from legalir.errors import ArtifactError, ComponentError, ModelError
from legalir.extend import (
    Component,
    Explanation,
    Upstream,
    digest,
    factory_of,
    file_digest,
    find_model,
    inventory,
    load_backbone,
    load_tokenizer,
    model_digest,
    original_questions,
    placement,
    read_card,
    require_texts,
    seal,
)
from legalir_hypa.adaptive import COMPLEXITY

ABOUT, WEIGHTS = "model.json", "model.npz"
FORMAT, _VERSION = "legalir-complexity", 1
_FACTS = ("kind", "classes", "terms", "card")

_AGAIN = "copy the model again, or train it again"
_BATCH = 64
_MAX_TOKENS = 512
_HYPOTHESIS = "This example is {}."
"""Hypothesis of a zero-shot label, as in the pipeline of transformers."""

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


_networks: WeakValueDictionary[tuple[object, ...], Any] = WeakValueDictionary()
"""Transformers that a component still holds: each is in memory once."""


class Classifier(Protocol):
    """A classifier of texts."""

    @property
    def classes(self) -> int:
        """Number of classes."""

    @property
    def fingerprint(self) -> str:
        """Digest that changes whenever a text could get another class."""

    def classify(self, texts: Sequence[str]) -> tuple[Integers, Floats]:
        """Return the class of each text, [n], and the probability of each class, [n, C]."""


class LinearClassifier:
    """TF-IDF with logistic regression or a linear SVM, as scikit-learn's defaults are.

    x is the vector of scikit-learn's TfidfVectorizer, of length 1; z = W·x + b.

    - ``lr``: a row of W a class; probabilities are the softmax of z. Of two classes, the first row is 0.
    - ``svm``: a row a pair of classes i < j, in order; z > 0 is a vote for i, else for j. The class has the most votes,
      the first of equals. Probabilities are the softmax of the sums of a class's z, with the sign of its votes: they
      may be greater for another class where votes are near.

    Args:
        kind: ``lr`` or ``svm``.
        classes: C.
        terms: V terms.
        idf: float64 [V].
        weights: W, float64 [rows, V].
        intercept: b, float64 [rows].
    """

    def __init__(
        self, kind: str, classes: int, terms: Sequence[str], idf: Floats, weights: Floats, intercept: Floats
    ) -> None:
        self.kind = kind
        self.classes = classes
        self.terms = list(terms)
        self.idf, self.weights, self.intercept = idf, weights, intercept

    @cached_property
    def fingerprint(self) -> str:
        """Digest of kind, terms and numbers."""
        numbers = [array.astype("<f8").tobytes().hex() for array in (self.idf, self.weights, self.intercept)]
        return digest([self.kind, self.classes, self.terms, numbers])

    def classify(self, texts: Sequence[str]) -> tuple[Integers, Floats]:
        """Return the class of each text, [n], and the probability of each class, [n, C]."""
        z = np.zeros((0, len(self.intercept)))
        if len(texts):
            z = self._vectorizer.transform(texts) @ self.weights.T + self.intercept
        if self.kind == "lr":
            return z.argmax(axis=1).astype(np.int64), softmax(z)
        votes, sums = np.zeros((2, len(texts), self.classes))
        for row, (i, j) in enumerate(combinations(range(self.classes), 2)):
            votes[:, i] += z[:, row] > 0
            votes[:, j] += z[:, row] <= 0
            sums[:, i] += z[:, row]
            sums[:, j] -= z[:, row]
        return votes.argmax(axis=1).astype(np.int64), softmax(sums)

    @cached_property
    def _vectorizer(self) -> Any:
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(vocabulary=self.terms)
        vectorizer.idf_ = self.idf
        return vectorizer

    def save(self, folder: Path, card: Mapping[str, Any]) -> None:
        """Write ``model.npz`` and ``model.json`` into an existing folder; `card` contains JSON values."""
        np.savez(folder / WEIGHTS, idf=self.idf, weights=self.weights, intercept=self.intercept)
        write_about(folder, self.kind, self.classes, self.terms, card)

    @classmethod
    def load(cls, folder: Path, about: Mapping[str, Any]) -> LinearClassifier:
        """Open the model in a folder, given the content of its ``model.json``.

        Raises:
            ArtifactError: the arrays were altered, or do not fit the terms.
        """
        file = folder / WEIGHTS
        classes, terms = about["classes"], about["terms"]
        rows = classes if about["kind"] == "lr" else classes * (classes - 1) // 2
        shapes = {"idf": (len(terms),), "weights": (rows, len(terms)), "intercept": (rows,)}
        try:
            with np.load(file, allow_pickle=False) as content:
                arrays = {name: content[name] for name in shapes}
        except Exception as error:  # zipfile and numpy raise errors of many kinds.
            raise ArtifactError(f"{file} does not hold arrays: {_AGAIN}.") from error
        for name, shape in shapes.items():
            array = arrays[name]
            if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
                raise ArtifactError(f"{file} does not hold the {name} of {len(terms)} terms: {_AGAIN}.")
        return cls(about["kind"], classes, terms, **arrays)


class TransformerClassifier:
    """A transformer with a head of classes; or, with labels, an entailment model that was not trained for them.

    With labels, the probability of a class is the softmax, over the labels, of the logit of *entailment* between the
    question and ``This example is LABEL.`` [zero-shot-labels]

    Args:
        folder: folder of the model, with weights as safetensors.
        labels: labels of the classes; none for the model's own classes.
        device: such as ``cpu``; None for an accelerator if the machine has one.

    Raises:
        ModelError: the folder contains no such model.
    """

    def __init__(self, folder: Path, labels: Sequence[str] = (), device: str | None = None) -> None:
        self.labels = tuple(labels)
        self._folder, self._device = folder, device
        if not any(folder.glob("*.safetensors")):
            raise ModelError(f"{folder} has no weights as safetensors, and pickled ones are not read: save them again.")
        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            names = config.get("id2label") or {"0": "", "1": ""}
        except (OSError, ValueError, AttributeError) as error:
            raise ModelError(f"{folder / 'config.json'} cannot be read ({error}): get the model again.") from error
        if self.labels:
            entailment = [int(number) for number, name in names.items() if str(name).lower().startswith("entail")]
            if len(entailment) != 1:
                raise ModelError(f"{folder} has no label 'entailment': give a model of natural language inference.")
            self._entailment = entailment[0]
        elif len(names) < 2:
            raise ModelError(f"{folder} gives one score and no classes: give a classifier, or labels.")
        self.classes = len(self.labels) or len(names)
        self._digest = model_digest(folder)
        self.fingerprint = digest([self._digest, self.labels])

    @cached_property
    def _network(self) -> tuple[Any, Any, str]:
        placed = placement(self._device, "float32")
        tokenizer = load_tokenizer(self._folder)
        model = _networks.get((self._digest, placed))
        if model is None:
            model = load_backbone(self._folder, "AutoModelForSequenceClassification", placed)
            _networks[self._digest, placed] = model
        return tokenizer, model, placed.device

    def classify(self, texts: Sequence[str]) -> tuple[Integers, Floats]:
        """Return the class of each text, [n], and the probability of each class, [n, C].

        Raises:
            ModelError: the files cannot be read, or a logit is not finite.
        """
        hypotheses = [_HYPOTHESIS.format(label) for label in self.labels] or [""]
        pairs = [(text, hypothesis) for text in texts for hypothesis in hypotheses]
        logits = np.zeros((len(pairs), 0))
        order = sorted(range(len(pairs)), key=lambda number: len(pairs[number][0]))
        for first in range(0, len(order), _BATCH):
            rows = order[first : first + _BATCH]
            batch = self._logits([pairs[row] for row in rows])
            logits = np.zeros((len(pairs), batch.shape[1])) if not first else logits
            logits[rows] = batch
        if not np.isfinite(logits).all():
            raise ModelError(f"{self._folder} gives logits that are not finite: get the whole model again.")
        if self.labels:
            logits = logits[:, self._entailment].reshape(len(texts), self.classes)
        return logits.argmax(axis=1).astype(np.int64), softmax(logits)

    def _logits(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        tokenizer, model, device = self._network
        import torch

        seconds = [[hypothesis for _, hypothesis in pairs]] if self.labels else []
        read = tokenizer(
            [text for text, _ in pairs],
            *seconds,
            padding=True,
            truncation="only_first" if seconds else True,
            max_length=max_tokens(tokenizer, model.config),
            return_tensors="pt",
        )
        with torch.inference_mode():
            logits: Floats = model(**read.to(device)).logits.double().cpu().numpy()
        return logits


def max_tokens(tokenizer: Any, config: Any) -> int:
    """Return the number of tokens of a question that are read: at most 512."""
    positions = getattr(config, "max_position_embeddings", None) or _MAX_TOKENS
    # RoBERTa counts positions from the number after the padding's.
    positions -= 2 if "roberta" in str(config.model_type) else 0
    return min(_MAX_TOKENS, positions, int(tokenizer.model_max_length))


def softmax(logits: Floats) -> Floats:
    """Return the probabilities of each row; [n, C]."""
    if not len(logits):
        return logits
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    out: Floats = powers / powers.sum(axis=1, keepdims=True)
    return out


def write_about(folder: Path, kind: str, classes: int, terms: Sequence[str], card: Mapping[str, Any]) -> None:
    """Write ``model.json`` next to the other files of a model in `folder`."""
    files = inventory(folder)
    head = {"format": FORMAT, "version": _VERSION, "legalir": __version__, "kind": kind, "classes": classes}
    text = json.dumps(seal({**head, "terms": list(terms), "card": card, "files": files}), ensure_ascii=False, indent=1)
    (folder / ABOUT).write_text(text + "\n", encoding="utf-8", newline="\n")


def open_classifier(model: str | PathLike[str], labels: Sequence[str] = (), device: str | None = None) -> Classifier:
    """Return a classifier; its files are verified.

    Args:
        model: folder that ``legalir train complexity`` wrote; or folder or hub name of a transformer.
        labels: labels of the classes, for a model of natural language inference.
        device: as for :class:`TransformerClassifier`.

    Raises:
        ArtifactError: a file of the model is missing, truncated or altered.
        ModelError: there is no such model, or it is of another kind.
        MissingExtra: a transformer needs packages that are not installed.
    """
    folder = Path(fspath(model)).expanduser()
    if not (folder / ABOUT).is_file():
        if folder.is_dir() and not (folder / "config.json").is_file():
            raise ModelError(f"{folder} holds no {ABOUT}: train a model there with `legalir train complexity`.")
        return TransformerClassifier(find_model(model), labels, device)
    about = read_card(folder / ABOUT, "complexity classifier", FORMAT, _VERSION, _FACTS)
    if labels:
        raise ModelError(f"{folder} was trained for its own classes: leave labels out, or give another model.")
    for name, entry in about["files"].items():
        if file_digest(folder / name) != entry["sha256"]:
            raise ArtifactError(f"{folder / name} was altered after it was written: {_AGAIN}.")
    if about["kind"] == "transformer":
        return TransformerClassifier(folder, (), device)
    return LinearClassifier.load(folder, about)


class Complexity(Component):
    """Adds the class of each question by the number of contexts that it needs [hypa-rag].

    The original question is read, also after a rewriting. Columns in: ``qid, query``. Columns out: the same,
    ``complexity``, an integer from 0, and the probability of each class, ``p_0, p_1, …``.

    Raises:
        ArtifactError: a file of the model is missing, truncated or altered.
        ComponentError: a parameter is wrong.
        ModelError: there is no such model, or it is of another kind.
        MissingExtra: a transformer needs packages that are not installed.
    """

    name = "complexity"
    model: Annotated[
        str | PathLike[str],
        "folder of a model that ``legalir train complexity`` wrote; or folder or hub name of a transformer "
        "that classifies texts, with weights as safetensors",
    ]
    labels: Annotated[
        Sequence[str] | None,
        "labels of the classes in order, for a model of natural language inference that was not trained for "
        "them (zero-shot)",
    ] = None
    device: Annotated[
        str | None,
        "device of a transformer, such as ``cpu``; None for an accelerator if the machine has one",
    ] = None

    def __post_init__(self) -> None:
        if not fspath(self.model):
            raise ComponentError(f"complexity: model={self.model!r} is not the folder or name of a model.")
        several = self.labels is None or (
            not isinstance(self.labels, str) and len(set(self.labels)) == len(self.labels) > 1
        )
        if not several or not all(isinstance(label, str) and label.strip() for label in self.labels or ()):
            raise ComponentError(f"complexity: labels={self.labels!r} is not a list of at least two different texts.")
        self._classifier = open_classifier(self.model, tuple(self.labels or ()), self.device)

    @property
    def fingerprint(self) -> str:
        """Digest that changes whenever a question could get another class."""
        return self._classifier.fingerprint

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows with the new columns.

        Raises:
            ComponentError: a query is not a string.
            ModelError: a transformer cannot be read.
        """
        pt.validate.columns(inp, includes=["qid", "query"])
        require_texts(inp, "complexity")
        questions = original_questions(inp)
        place = {question: number for number, question in enumerate(dict.fromkeys(questions))}
        classes, probabilities = self._classifier.classify(list(place))
        rows = [place[question] for question in questions]
        columns = {f"p_{number}": probabilities[rows, number] for number in range(self._classifier.classes)}
        return inp.assign(**{COMPLEXITY: classes[rows]}, **columns)

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        columns = {f"p_{number}": pd.Series(dtype=np.float64) for number in range(self._classifier.classes)}
        return inp.assign(**{COMPLEXITY: pd.Series(dtype=np.int64)}, **columns)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the explanations of the input, because scores do not change."""
        return upstream(docnos)


complexity = factory_of(
    Complexity,
    'Say how many contexts a question needs: ``adaptive(default, by=complexity("MODEL"))``.',
)
