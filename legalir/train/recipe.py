"""A recipe: everything that a trained model depends on, as data.

Check the values of a recipe, one small function a kind of value.

What every recipe has in common: it is a mapping, or a YAML file of one, and says what its weights depend on.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypedDict

from legalir.encode.hashed_ngrams import NGrams
from legalir.errors import DefinitionError, suggestion
from legalir.storage.digest import digest
from legalir.storage.yaml_files import Check, choice, filled_text, kind_of, optional, read_yaml, wrong

__all__ = ["CHECKS", "MEASURES", "MODEL", "RANDOM", "SOURCES", "Recipe", "RecipeFile", "Settings"]

SOURCES = ("judgements", "citations", "headings")
MEASURES = ("R@10", "nDCG@10", "MultiHitRate@10")


def _text(value: object, where: str) -> str:
    return filled_text(fspath(value) if isinstance(value, PathLike) else value, where)


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise wrong(where, "true or false", value)
    return value


def _whole(low: int, high: int = 2**31) -> Check:
    def check(value: object, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise wrong(where, "a whole number", value)
        if not low <= value <= high:
            raise DefinitionError(f"{where} is {value}, but must lie from {low} to {high}.")
        return value

    return check


def _number(value: object, where: str, low: float, *, open_: bool) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise wrong(where, "a number (write 0.003 or 3.0e-3)", value)
    if value < low or (open_ and value == low):
        raise DefinitionError(f"{where} is {value:g}, but must be {'above' if open_ else 'at least'} {low:g}.")
    return float(value)


def _positive(value: object, where: str) -> float:
    return _number(value, where, 0.0, open_=True)


def _not_negative(value: object, where: str) -> float:
    return _number(value, where, 0.0, open_=False)


def _lengths(value: object, where: str) -> tuple[int, ...]:
    if not isinstance(value, list | tuple):
        raise wrong(where, "a list of lengths such as [2, 3]", value)
    return tuple(sorted({int(_whole(1, 8)(item, where)) for item in value}))  # type: ignore[call-overload]


def _sources(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise wrong(where, "a list such as [judgements, headings]", value)
    names = tuple(str(choice(SOURCES)(item, where)) for item in value)
    if not names:
        raise DefinitionError(f"{where} is empty; name at least one of {', '.join(SOURCES)}.")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise DefinitionError(f"{where} names {twice} twice; keep one.")
    return names


def _weights(value: object, where: str) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise wrong(where, "a mapping from sources to numbers", value)
    return {str(name): _positive(item, f"{where}: {name!r}") for name, item in value.items()}


CHECKS: dict[str, Check] = {
    "dataset": _text,
    "out": _text,
    "sources": _sources,
    "weights": _weights,
    "dev": optional(_text),
    "measure": choice(MEASURES),
    "patience": optional(_whole(1)),
    "seed": _whole(0, 2**63 - 1),
    "dim": _whole(1, 2**14),
    "char": _lengths,
    "jamo": _lengths,
    "words": _flag,
    "edges": _flag,
    "rows": _whole(1, 2**24),
    "max_characters": optional(_whole(1)),
    "tf": choice(("log", "raw")),
    "epochs": _whole(1),
    "batch": _whole(2),
    "rate": _positive,
    "temperature": _positive,
    "random": _whole(0),
    "hard": _whole(0),
    "negatives": _text,
    "precision": choice(("float16", "int8")),
    "checkpoint_minutes": _not_negative,
    "threads": optional(_whole(1)),
}


class RecipeFile:
    """Base of recipes: frozen dataclasses, whose fields are the keys, and which check their own values.

    Attributes:
        NEEDED: keys that it has to have; their values may be paths, which are seen from the file.
        PLACES: keys on which no weight depends.
    """

    NEEDED: ClassVar[tuple[str, ...]]
    PLACES: ClassVar[tuple[str, ...]]

    @classmethod
    def parse(cls, values: object, where: str = "the recipe") -> Self:
        """Return the recipe that a mapping with these keys describes; `where` names it in errors.

        Raises:
            DefinitionError: a key is unknown or missing, or a value means nothing.
        """
        if not isinstance(values, Mapping):
            raise DefinitionError(f"{where} holds {kind_of(values)}; a recipe is a mapping with the key 'dataset'.")
        fields: Any = cls
        known = [item.name for item in dataclasses.fields(fields)]
        for key in values:
            if key not in known:
                hint = suggestion(str(key), set(known)) or f" Known are: {', '.join(known)}."
                raise DefinitionError(f"{where}: the key {key!r} is not known.{hint}")
        for key in cls.NEEDED:
            if values.get(key) is None:
                raise DefinitionError(f"{where}: the key {key!r} is missing.")
        try:
            return cls(**values)
        except DefinitionError as error:
            raise DefinitionError(f"{where}: {error}") from None

    @classmethod
    def load(cls, path: str | PathLike[str], **changes: object) -> Self:
        """Read a YAML file with the same keys; paths in it that begin with ``./``, ``../`` or ``~`` are seen from it.

        Args:
            path: the file.
            changes: values that stand instead of those of the file.

        Raises:
            DefinitionError: as :meth:`parse`, or the file is no YAML.
        """
        file = Path(path)
        values = read_yaml(file, "a recipe")
        if isinstance(values, Mapping):
            located = {key: _located(values[key], file.parent) for key in cls.NEEDED if key in values}
            values = {**values, **located, **changes}
        return cls.parse(values, str(file))

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, which :meth:`parse` accepts."""
        recipe: Any = self
        values = dataclasses.asdict(recipe)
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}

    def settings(self) -> dict[str, Any]:
        """Return the values that the weights of the model depend on."""
        return {key: value for key, value in self.as_dict().items() if key not in self.PLACES}


def _located(value: object, folder: Path) -> object:
    if not isinstance(value, str) or not value.startswith(("./", "../", "~")):
        return value
    return str((folder / Path(value).expanduser()).resolve())


MODEL, RANDOM = "model", "random"
"""Values of `negatives` that are no expressions."""


class Settings(TypedDict, total=False):
    """The values of a :class:`Recipe` that have a default."""

    sources: Sequence[str]
    weights: Mapping[str, float]
    dev: str | None
    measure: str
    patience: int | None
    seed: int
    dim: int
    char: Sequence[int]
    jamo: Sequence[int]
    words: bool
    edges: bool
    rows: int
    max_characters: int | None
    tf: str
    epochs: int
    batch: int
    rate: float
    temperature: float
    random: int
    hard: int
    negatives: str
    precision: str
    checkpoint_minutes: float
    threads: int | None


@dataclass(frozen=True)
class Recipe(RecipeFile):
    """How a static model is trained.

    Attributes:
        dataset: an id or the path of a folder, with the split whose judgements are learnt from.
        out: the folder that the model is written to.
        sources: what is learnt from: some of ``judgements``, ``citations``, ``headings``.
        weights: share of each source in every batch, by its name; by default, as many as its pairs.
        dev: the split that each epoch is measured on; None measures nothing, and keeps the last epoch.
        measure: the measure that tells which epoch is kept: ``R@10``, ``nDCG@10`` or ``MultiHitRate@10``.
        patience: training ends after so many epochs without a better one; None trains all of them.
        seed: of the first weights and of every draw.
        dim: d, numbers of a vector.
        char, jamo, words, edges, rows, max_characters: what is read of a text, as in
            :class:`~legalir.encode.hashed_ngrams.NGrams`.
        tf: what n occurrences of a feature count: ``log``, 1 + ln n, or ``raw``, n.
        epochs: passes over the pairs.
        batch: pairs of a step.
        rate: rate of learning at the start, from which it falls to 0 along a cosine.
        temperature: cosines are divided by it.
        random: provisions that each step draws as negatives, besides those of its pairs.
        hard: each query's best so many wrong provisions; every pair of a step draws one of them as a negative. 0: none.
        negatives: what finds the hard ones: ``model``, the model itself as it is after each epoch; an expression such
            as ``bm25``, once; or ``random``: there are none.
        precision: what the table is stored as, ``float16`` or ``int8``.
        checkpoint_minutes: the state is written at the end of every epoch and so often between; 0: after each step.
        threads: that share the work; None: one for each processor. The model does not depend on it.

    Raises:
        DefinitionError: a value means nothing; one sentence with the key and what is accepted.
    """

    NEEDED = ("dataset", "out")
    # Its data are known by their fingerprints.
    PLACES = ("dataset", "out", "checkpoint_minutes", "threads")

    dataset: str
    out: str
    sources: tuple[str, ...] = ("judgements",)
    weights: Mapping[str, float] = field(default_factory=dict)
    dev: str | None = None
    measure: str = "R@10"
    patience: int | None = None
    seed: int = 1
    dim: int = 256
    char: tuple[int, ...] = (2, 3)
    jamo: tuple[int, ...] = ()
    words: bool = True
    edges: bool = False
    rows: int = 2**17
    max_characters: int | None = 1000
    tf: Literal["log", "raw"] = "log"
    epochs: int = 3
    batch: int = 256
    rate: float = 3e-3
    temperature: float = 0.05
    random: int = 256
    hard: int = 16
    negatives: str = MODEL
    precision: str = "float16"
    checkpoint_minutes: float = 5.0
    threads: int | None = None

    def __post_init__(self) -> None:
        for item in fields(self):
            object.__setattr__(self, item.name, CHECKS[item.name](getattr(self, item.name), f"{item.name!r}"))
        stray = [name for name in self.weights if name not in self.sources]
        if stray:
            raise DefinitionError(
                f"'weights' names {stray[0]!r}, which is none of 'sources': {', '.join(self.sources)}."
            )
        if self.weights and len(self.weights) < len(self.sources):
            missing = next(name for name in self.sources if name not in self.weights)
            raise DefinitionError(f"'weights' has no number for {missing!r}: give one to every source, or to none.")
        if self.patience is not None and self.dev is None:
            raise DefinitionError("'patience' needs 'dev': without a dev split no epoch is better than another.")
        self.ngrams  # noqa: B018  (checks its parameters)

    @property
    def ngrams(self) -> NGrams:
        """What is read of a text."""
        return NGrams(
            char=self.char,
            jamo=self.jamo,
            words=self.words,
            edges=self.edges,
            rows=self.rows,
            max_characters=self.max_characters,
        )

    def fingerprint(self, data: object) -> str:
        """Return a sha256 over the settings and over `data`, JSON values that identify what is learnt from."""
        content = {"training": 1, "settings": self.settings(), "ngrams": self.ngrams.fingerprint, "data": data}
        return digest(content)
