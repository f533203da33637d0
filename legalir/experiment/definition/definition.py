"""What an experiment is: a dataset, measures, systems, and how they are compared.

A parameter that takes several values: one system a value, drawn as a curve in the report.

Check the keys of an experiment definition, one small function a kind of value.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING

from legalir.errors import DefinitionError, ExperimentError, MeasureError, suggestion
from legalir.experiment.definition.values import (
    Setting,
    changed_values,
    check_use,
    checked_values,
    filled,
    located_value,
    shown_value,
)
from legalir.storage.yaml_files import choice, filled_text, kind_of, number, optional_text, read_yaml, wrong

if TYPE_CHECKING:
    import ir_measures

__all__ = [
    "CORRECTIONS",
    "PARTS",
    "TESTS",
    "Definition",
    "Reference",
    "Sweep",
    "Value",
    "checked_fields",
    "load_definition",
    "parse_measure",
]

TESTS = ("t", "wilcoxon", "randomisation")
"""Paired tests: Student's t, Wilcoxon's signed rank, and sign-flip randomisation."""

CORRECTIONS = ("holm", "bonferroni", "holm-sidak", "fdr_bh")
"""Corrections for several systems compared with one baseline, by their statsmodels names."""

PARTS = ("dev", "held-out")
"""Two halves of the queries of any dataset, told apart by whether the sha256 of the qid is even: one to choose
settings on, the other to confirm them."""

Value = float | int | str | bool | None | tuple[float | int, ...]


@dataclass(frozen=True)
class Sweep:
    """Systems that differ in one parameter.

    Attributes:
        name: heading of the curve.
        parameter: its name in `expression`, in braces.
        values: what takes its place, as the expression language writes it; a list stays a list.
        expression: such as ``lsa >> sar(beta={beta})``.
    """

    name: str
    parameter: str
    values: tuple[Value, ...]
    expression: str

    def systems(self) -> dict[str, str]:
        """Return name and expression of one system for each value."""
        return {self.system(value): self._expression(value) for value in self.values}

    def system(self, value: Value) -> str:
        """Return the name of the system with this value."""
        return f"{self.name}, {self.parameter}={self.text(value)}"

    def text(self, value: Value) -> str:
        """Return a value as a reader wants it."""
        return " : ".join(map(str, value)) if isinstance(value, tuple) else str(value)

    def _expression(self, value: Value) -> str:
        literal = repr(list(value)) if isinstance(value, tuple) else repr(value)
        return self.expression.replace(f"{{{self.parameter}}}", literal)

    def as_dict(self) -> Mapping[str, object]:
        """Return plain values, as the YAML file holds them."""
        values = [list(value) if isinstance(value, tuple) else value for value in self.values]
        return {
            "name": self.name,
            "parameter": self.parameter,
            "values": values,
            "expression": self.expression,
        }


_Check = Callable[[object, str], object]


def checked_fields(value: object, where: str, known: Sequence[str]) -> dict[str, object]:
    """Return the constructor arguments of a definition.

    Args:
        value: what the YAML file holds.
        where: the name of the file, the first words of every error.
        known: the keys that exist.

    Raises:
        DefinitionError: one sentence with the file, the key, and what is accepted.
    """
    if not isinstance(value, Mapping):
        raise DefinitionError(f"{where} holds {kind_of(value)}; an experiment is a mapping with the key 'systems'.")
    for key in value:
        if key not in known:
            hint = suggestion(str(key), set(known)) or f" Known are: {', '.join(sorted(known))}."
            raise DefinitionError(f"{where}: the key {key!r} is not known.{hint}")
    for keys in (("dataset", "datasets"), ("measures",), ("systems", "sweeps")):
        if not any(key in value for key in keys):
            raise DefinitionError(f"{where}: the key '{keys[0]}' is missing.")
    if "dataset" in value and "datasets" in value:
        raise DefinitionError(f"{where}: give 'dataset' or 'datasets', not both.")
    given = {key: _CHECKS[key](item, f"{where}: '{key}'") for key, item in value.items()}
    systems = given["systems"] = _all_systems(given, where)
    check_use(systems, given.get("values", {}), where)  # type: ignore[arg-type]
    given.setdefault("dataset", next(iter(given.get("datasets", ())), ""))  # type: ignore[call-overload]
    baseline = given.get("baseline")
    if baseline is not None and baseline not in systems:
        hint = suggestion(str(baseline), set(systems)) or f" Systems are: {', '.join(systems)}."
        raise DefinitionError(f"{where}: 'baseline' names {baseline!r}, which is no system.{hint}")
    return given


def _all_systems(given: Mapping[str, object], where: str) -> dict[str, str]:
    """Return the systems that are written down, then those of the sweeps."""
    systems: dict[str, str] = dict(given.get("systems", {}))  # type: ignore[call-overload]
    sweeps: tuple[Sweep, ...] = given.get("sweeps", ())  # type: ignore[assignment]
    values: Mapping[str, Setting] = given.get("values", {})  # type: ignore[assignment]
    for sweep in sweeps:
        if sweep.parameter in values:
            raise DefinitionError(f"{where}: {sweep.parameter!r} is in 'values' and a sweep's parameter; rename one.")
        swept = sweep.systems()
        if len(swept) < len(sweep.values):
            raise DefinitionError(f"{where}: the sweep {sweep.name!r} has a value twice; keep one.")
        if twice := next((name for name in swept if name in systems), None):
            raise DefinitionError(f"{where}: the sweep {sweep.name!r} makes a system {twice!r} that is there already.")
        systems |= swept
    return systems


def _baseline(value: object, where: str) -> str | None:
    return None if value is None else filled_text(value, where)


def _alpha(value: object, where: str) -> float:
    alpha = number(value, where, 0.0, 1.0)
    if alpha in (0.0, 1.0):
        raise DefinitionError(f"{where} is {alpha:g}, but must lie between 0 and 1, for example 0.05.")
    return alpha


def _depth(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong(where, "a whole number", value)
    if value < 1:
        raise DefinitionError(f"{where} is {value}, but at least 1 result must be kept.")
    return value


def _tolerance(value: object, where: str) -> float | None:
    return None if value is None else number(value, where, 0.0, 1.0)


def _part(value: object, where: str) -> str | None:
    return None if value is None else choice(PARTS)(value, where)


def _correction(value: object, where: str) -> str | None:
    return None if value is None else choice(CORRECTIONS)(value, where)


def _measure(value: object, where: str) -> str:
    try:
        return str(parse_measure(filled_text(value, where)))
    except MeasureError as error:
        raise MeasureError(f"{where}: {error}") from None


def _measures(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise wrong(where, "a list of measures such as [nDCG@10, R@100]", value)
    names = tuple(_measure(item, where) for item in value)
    if not names:
        raise DefinitionError(f"{where} is empty; name at least one measure, for example nDCG@10.")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise DefinitionError(f"{where} names {twice} twice; keep one.")
    return names


def _systems(value: object, where: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise wrong(where, "a mapping from names to expressions", value)
    if not value:
        raise DefinitionError(f"{where} is empty; add at least one line such as 'BM25: bm25'.")
    for name in value:
        if isinstance(name, str) and not name.isprintable():
            raise DefinitionError(f"{where}: the name {name!r} holds a control character; remove it.")
    return {
        filled_text(name, f"{where}: the name {name!r}"): filled_text(item, f"{where}: {name!r}")
        for name, item in value.items()
    }


def _reference(value: object, where: str) -> Reference:
    if not isinstance(value, Mapping) or not {"name", "scores"} <= set(value) <= {"name", "source", "scores"}:
        raise DefinitionError(f"{where}: every row is a mapping with 'name', 'scores' and perhaps 'source'.")
    name = filled_text(value["name"], f"{where}: 'name'")
    if not isinstance(value["scores"], Mapping):
        raise wrong(f"{where}: 'scores' of {name!r}", "a mapping from measures to numbers", value["scores"])
    scores = {
        _measure(key, f"{where}: {name!r}"): number(item, f"{where}: {key!r} of {name!r}", 0.0, 1.0)
        for key, item in value["scores"].items()
    }
    return Reference(name, scores, optional_text(value.get("source"), f"{where}: 'source' of {name!r}"))


def _references(value: object, where: str) -> tuple[Reference, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise wrong(where, "a list of rows", value)
    return tuple(_reference(item, where) for item in value)


def _datasets(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise wrong(where, "a list of datasets", value)
    if not value:
        raise DefinitionError(f"{where} is empty; name at least one dataset.")
    names = tuple(filled_text(item, where) for item in value)
    if len(set(names)) < len(names):
        raise DefinitionError(f"{where} names a dataset twice; keep one.")
    return names


def _sweep(value: object, where: str) -> Sweep:
    keys = {"name", "parameter", "values", "expression"}
    if not isinstance(value, Mapping) or set(value) != keys:
        raise DefinitionError(f"{where}: every sweep is a mapping with {', '.join(sorted(keys))}.")
    name, parameter, expression = (
        filled_text(value[key], f"{where}: {key!r}") for key in ("name", "parameter", "expression")
    )
    if f"{{{parameter}}}" not in expression:
        raise DefinitionError(f"{where}: the expression of {name!r} has no place for {{{parameter}}}.")
    if not isinstance(value["values"], list | tuple):
        raise wrong(f"{where}: 'values' of {name!r}", "a list", value["values"])
    values = tuple(tuple(item) if isinstance(item, list) else item for item in value["values"])
    if not values:
        raise DefinitionError(f"{where}: 'values' of {name!r} is empty; give at least one value.")
    for item in values:
        if not all(
            isinstance(part, int | float | str | None) for part in (item if isinstance(item, tuple) else [item])
        ):
            raise wrong(f"{where}: a value of {name!r}", "a number, text or a list of numbers", item)
    return Sweep(name, parameter, values, expression)


def _sweeps(value: object, where: str) -> tuple[Sweep, ...]:
    if not isinstance(value, list | tuple):
        raise wrong(where, "a list of sweeps", value)
    return tuple(_sweep(item, where) for item in value)


_CHECKS: dict[str, _Check] = {
    "title": optional_text,
    "description": optional_text,
    "notes": optional_text,
    "dataset": filled_text,
    "datasets": _datasets,
    "measures": _measures,
    "values": checked_values,
    "systems": _systems,
    "sweeps": _sweeps,
    "part": _part,
    "baseline": _baseline,
    "test": choice(TESTS),
    "correction": _correction,
    "alpha": _alpha,
    "depth": _depth,
    "references": _references,
    "tolerance": _tolerance,
}


ORDER = (
    *("title", "description", "dataset", "datasets", "measures", "values", "systems", "sweeps"),
    *("part", "baseline", "test", "correction"),
    *("alpha", "depth", "references", "tolerance", "notes"),
)
"""The keys of a definition in the order in which a reader wants them."""


@dataclass(frozen=True)
class Reference:
    """A row of figures from elsewhere, printed beside ours and never tested against them.

    `scores` are fractions by measure, as everywhere in a result (a paper's 48.0 is 0.48).
    """

    name: str
    scores: Mapping[str, float]
    source: str = ""


@dataclass(frozen=True)
class Definition:
    """An experiment as its YAML file states it, checked and with every default filled in.

    Attributes:
        dataset: a dataset id or the path of a dataset folder; the first of `datasets`.
        measures: names in the form of ``ir_measures`` (``nDCG@10``); the first one leads the report.
        systems: name to pipeline expression as written, in the order of the table; :meth:`expressions` has the values
            in it.
        baseline: the system the others are tested against, or None for no test.
        test: one of :data:`TESTS`.
        correction: one of :data:`CORRECTIONS`, or None.
        alpha: level of significance, also of the correction.
        depth: results kept per query.
        references: figures from elsewhere.
        datasets: all datasets that the experiment is run on, one after another; empty for one.
        sweeps: systems that differ in one parameter; they are in `systems`, too.
        part: one of :data:`PARTS`, or None for every query.
        tolerance: what ``compare`` forgives, in score units; None leaves it to the expected scores.
        values: what takes the place of ``${name}`` in the expressions.
    """

    dataset: str
    measures: tuple[str, ...]
    systems: Mapping[str, str]
    title: str = ""
    description: str = ""
    baseline: str | None = None
    test: str = "t"
    correction: str | None = "holm"
    alpha: float = 0.05
    depth: int = 100
    references: tuple[Reference, ...] = field(default=())
    tolerance: float | None = None
    notes: str = ""
    datasets: tuple[str, ...] = field(default=())
    sweeps: tuple[Sweep, ...] = field(default=())
    part: str | None = None
    values: Mapping[str, Setting] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Definition:
        """Read a definition from a YAML file.

        A dataset or a value that starts with ``./``, ``../`` or ``~`` is a path seen from the file.

        Raises:
            ExperimentError: what is wrong, with the file, the key and what is accepted.
            MeasureError: a measure that does not exist.
        """
        path = Path(path)
        value = read_yaml(path, "an experiment file")
        definition = cls.parse(value, where=str(path)).located(path.parent)
        return definition if definition.title else definition.replace(title=path.stem)

    @classmethod
    def parse(cls, value: object, where: str = "the definition") -> Definition:
        """Check a mapping with the keys of the YAML file; `where` names it in errors."""

        given = checked_fields(value, where, [item.name for item in fields(cls)])
        return cls(**given)  # type: ignore[arg-type]

    def replace(self, **changes: object) -> Definition:
        """Return a copy with other values."""
        import dataclasses

        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def located(self, folder: Path) -> Definition:
        """Return a copy whose datasets and values, where they are paths from `folder` or from home, are absolute."""
        datasets = tuple(_located(dataset, folder) for dataset in self.datasets)
        values = {name: located_value(value, folder) for name, value in self.values.items()}
        return self.replace(dataset=_located(self.dataset, folder), datasets=datasets, values=values)

    def with_values(self, given: Mapping[str, object]) -> Definition:
        """Return a copy with other values; what `given` does not name stays, and a number may be given as text.

        Raises:
            ExperimentError: a name or a kind of value that the definition does not have.
        """
        return self.replace(values=changed_values(self.values, given))

    def expressions(self) -> dict[str, str]:
        """Return the pipeline expression of every system with the values in it."""
        return {name: filled(text, self.values, f"The system {name!r}") for name, text in self.systems.items()}

    def shown(self) -> Definition:
        """Return a copy for strangers: values that are absolute paths are cut to their last part."""
        return self.replace(values={name: shown_value(value) for name, value in self.values.items()})

    def each(self) -> list[Definition]:
        """Return one definition for each dataset."""
        return [self.replace(dataset=dataset, datasets=()) for dataset in self.datasets or (self.dataset,)]

    def as_dict(self) -> dict[str, object]:
        """Return plain values that :meth:`parse` accepts, in the order a reader wants them."""
        values: dict[str, object] = {name: getattr(self, name) for name in ORDER}
        values["measures"] = list(self.measures)
        swept = {name for sweep in self.sweeps for name in sweep.systems()}
        values["systems"] = {name: text for name, text in self.systems.items() if name not in swept}
        values["sweeps"] = [sweep.as_dict() for sweep in self.sweeps]
        values["datasets"] = list(self.datasets)
        values["values"] = dict(self.values)
        if self.datasets:
            del values["dataset"]
        values["references"] = [
            {"name": row.name, "source": row.source, "scores": dict(row.scores)} for row in self.references
        ]
        return {name: value for name, value in values.items() if value not in ("", [], {})}

    def keeps(self, qid: str) -> bool:
        """Return whether a query belongs to the part that the experiment is about."""
        return self.part is None or self.part == PARTS[hashlib.sha256(qid.encode()).digest()[-1] % 2]

    def measure_objects(self) -> list[ir_measures.Measure]:
        """Return the measures as ``ir_measures`` objects."""
        return [parse_measure(name) for name in self.measures]


def _located(dataset: str, folder: Path) -> str:
    if not dataset.startswith(("./", "../", "~")):
        return dataset
    return str((folder / Path(dataset).expanduser()).resolve())


def parse_measure(name: str) -> ir_measures.Measure:
    """Return the measure called `name`, one of ``ir_measures`` or of legalir.

    Raises:
        MeasureError: no measure has this name or these parameters, or nothing installed computes it.
    """
    from legalir.measure import parse_measures

    return parse_measures([name])[0]


def load_definition(source: Definition | Mapping[str, object] | str | os.PathLike[str]) -> Definition:
    """Return a definition from one, from a mapping, or from the path of a YAML file."""
    if isinstance(source, Definition):
        return source
    if isinstance(source, str | os.PathLike):
        return Definition.load(source)
    if isinstance(source, Mapping):
        return Definition.parse(dict(source))
    raise ExperimentError(
        f"An experiment is a mapping, a Definition or the path of a YAML file, not {type(source).__name__}."
    )
