"""Check the keys of an experiment definition, one small function a kind of value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from legalir.errors import DefinitionError, MeasureError, suggestion
from legalir.experiment.definition import CORRECTIONS, PARTS, TESTS, Reference, parse_measure
from legalir.experiment.sweeps import Sweep
from legalir.experiment.values import Setting, check_use, checked_values
from legalir.yaml_files import kind_of
from legalir.yaml_values import choice, filled_text, number, optional_text, wrong

__all__ = ["checked_fields"]

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
