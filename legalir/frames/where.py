"""Query column ``where``: which provisions a query may find, by their fields.

A filter is a text of conditions that must all hold: ``level=act|decree, law!="Fire Act", path~"Chapter 2",
effective_from>=2020-01-01``. Several values of a condition, with ``|`` between them, mean any of them. Retrievers rank
the documents that pass, and no others: documents are masked before the best are chosen, as for a day, so that a list is
exact and as long as it can be. What counts over all documents stays the same as in the whole index.

The fields of provisions are in a table of their collection (:class:`Fields`); what a collection builds knows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, Protocol, cast, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.errors import ComponentError, shown, warn_once
from legalir.frames.as_of import AS_OF, day_masks
from legalir.frames.columns import WHERE as WHERE
from legalir.frames.component import Component
from legalir.storage.strings import Docnos
from legalir.storage.validity import Mask, Validity

Operator = Literal["=", "!=", "~", "!~", ">=", "<=", ">", "<"]
"""Equals one of the values, equals none of them, contains one, contains none; and orders of dates or numbers."""

Conditions = str | Mapping[str, object]
"""A filter: its text; or values by field, ``{"level": ["act", "decree"], "law!=": "Fire Act"}``: an operator may follow
the field, and a list means any of its values."""

Texts = Iterable[str] | None

_OPERATORS = sorted(get_args(Operator), key=len, reverse=True)
_OPERATOR = re.compile(r"\s*({})\s*".format("|".join(map(re.escape, _OPERATORS))))
_FIELD = re.compile(r"\s*(\w+)\s*", re.ASCII)
_VALUE = re.compile(r'"((?:[^"\\]|\\.)*)"|“([^”]*)”|([^,|=~<>"“]+)', re.DOTALL)
_PLAIN = re.compile(r"[^\s,|=~<>!\"“\\]+(?: [^\s,|=~<>!\"“\\]+)*")
_GAP = re.compile(r"\s*([,|]|\Z)\s*")
_ALIASES = {"doc_id": "docno", "section": "article", "effective": "effective_from"}
_EXAMPLE = 'write conditions with commas between them, as in level=act|decree, law!="Fire Act"'


class Condition(NamedTuple):
    """One condition of a filter.

    Attributes:
        field: name of the field.
        operator: how its value is compared.
        values: one of them is enough; for ``!=`` and ``!~``, none of them may be.
    """

    field: str
    operator: Operator
    values: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.field}{self.operator}{'|'.join(map(_written, self.values))}"


def _written(value: str) -> str:
    if _PLAIN.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def conditions(where: Conditions) -> tuple[Condition, ...]:
    """Return the conditions of a filter, each once.

    Raises:
        ComponentError: it cannot be read.
    """
    if isinstance(where, str):
        return tuple(dict.fromkeys(_read(where)))
    if not isinstance(where, Mapping):
        raise ComponentError(f"where={shown(where)} is neither a text nor values by field: {_EXAMPLE}.")
    return tuple(dict.fromkeys(_of_mapping(name, given) for name, given in where.items()))


def canonical(*filters: Conditions) -> str:
    """Return the text of all `filters` together, which is the same for filters that are the same; errors as
    :func:`conditions`."""
    return ", ".join(map(str, dict.fromkeys(one for where in filters for one in conditions(where))))


def filter_of(where: Texts = None, law: Texts = None, level: Texts = None, path: Texts = None) -> str:
    """Return the filter of texts that must all hold, of any of some laws and levels, and of words in the path."""
    named = {"law": law, "level": level, "path~": path}
    return canonical(*(where or ()), {name: [*values] for name, values in named.items() if values})


def _read(text: str) -> Iterable[Condition]:
    place = 0
    while text[place:].strip():
        name = _FIELD.match(text, place)
        operator = name and _OPERATOR.match(text, name.end())
        if name is None or operator is None:
            raise _unreadable(text, place, "a field and =, !=, ~, !~, >=, <=, > or < are missing")
        values, place, sign = [], operator.end(), "|"
        while sign == "|":
            value = _VALUE.match(text, place)
            gap = value and _GAP.match(text, value.end())
            if value is None or gap is None:
                raise _unreadable(text, place, "a value is missing, or needs quotation marks")
            values.append(re.sub(r"\\(.)", r"\1", value[1]) if value[1] is not None else value[2] or value[3])
            place, sign = gap.end(), gap[1]
        yield _condition(name[1], operator[1], values)


def _unreadable(text: str, place: int, fault: str) -> ComponentError:
    return ComponentError(f"where: {shown(text)} cannot be read at {shown(text[place:], 40)}: {fault}; {_EXAMPLE}.")


def _of_mapping(name: object, given: object) -> Condition:
    field = _FIELD.match(str(name))
    operator = field and (_OPERATOR.match(str(name), field.end()) if field.end() < len(str(name)) else True)
    if field is None or not operator or (operator is not True and operator.end() < len(str(name))):
        raise ComponentError(f"where: {shown(name)} is not a field, or a field and an operator, such as 'law!='.")
    several = isinstance(given, Iterable) and not isinstance(given, str | Mapping)
    values = [str(value) for value in (cast(Iterable[object], given) if several else (given,))]
    return _condition(field[1], "=" if operator is True else operator[1], values)


def _condition(field: str, operator: str, values: Sequence[str]) -> Condition:
    named = tuple(dict.fromkeys(filter(None, (" ".join(value.split()) for value in values))))
    if not named:
        raise ComponentError(f"where: {field}{operator} has no value: name one, or leave the condition out.")
    if operator[0] in "<>" and len(named) > 1:
        raise ComponentError(f"where: {field}{operator} takes one date or number, got {len(named)}.")
    return Condition(_ALIASES.get(field, field), cast(Operator, operator), named)


class Fields(Protocol):
    """The fields of the provisions of a collection."""

    def passing(self, where: str, documents: Docnos, day: int | None, in_force: Mask | None) -> Mask:
        """Return which documents of an index pass a filter and are in force; [n], always the same object.

        Args:
            where: the filter.
            documents: docnos of the index.
            day: the day of the query; None where the documents are no versions.
            in_force: which documents are in force on it; None for all.

        Raises:
            ComponentError: the filter cannot be read, or names a field or value that no provision has.
        """

    def lets_pass(self, where: str, docnos: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Return which provisions or chunks pass a filter; [m]. A document that the collection lacks passes."""


class Filtered(Protocol):
    """An index whose documents can be filtered."""

    @property
    def fields(self) -> Callable[[], Fields] | None:
        """Returns the fields of the provisions; None for an index that no collection built."""

    @property
    def docno_table(self) -> Docnos:
        """The docnos."""

    @property
    def validity(self) -> Validity | None:
        """The days on which each document is in force; None if the documents are not versions of provisions."""


def wheres(queries: pd.DataFrame) -> list[str]:
    """Return the filter of each row; empty if it has none.

    Raises:
        ComponentError: a filter cannot be read.
    """
    if WHERE not in queries.columns:
        return [""] * len(queries)
    # A missing value is not equal to itself, or is None, or an empty text.
    given = ["" if value != value or not value else value for value in queries[WHERE].tolist()]
    texts = {value: canonical(value) for value in {value for value in given if isinstance(value, str)}}
    return [texts[value] if isinstance(value, str) else canonical(value) for value in given]


def masks(queries: pd.DataFrame, index: Filtered) -> Sequence[Mask | None]:
    """Return for each query which documents of an index may be results: in force on its day, and passing its filter.

    Args:
        queries: one row per query, perhaps with ``as_of`` and ``where``.
        index: the index that is searched.

    Returns:
        A mask [n] for each query, the same object for the same day and filter; None where all documents may be.

    Raises:
        ComponentError: a value of ``as_of`` is not a date, or a filter cannot be applied.
    """
    if index.validity is None and AS_OF in queries and (queries[AS_OF].notna() & (queries[AS_OF] != "")).any():
        warn_once(
            "as_of: the documents have no versions (docnos key@YYYY-MM-DD), so the day of a question changes nothing: "
            "all of them are searched."
        )
    return _masks(queries, index, index.validity)


def passing(queries: pd.DataFrame, index: Filtered) -> Sequence[Mask | None]:
    """Return for each query which documents pass its filter, whatever its day; otherwise as :func:`masks`."""
    return _masks(queries, index, None)


def _masks(queries: pd.DataFrame, index: Filtered, validity: Validity | None) -> Sequence[Mask | None]:
    valid, filters = day_masks(queries, validity), wheres(queries)
    if not any(filters):
        return [mask for _, mask in valid]
    if index.fields is None:
        raise ComponentError(
            f"where: {index!r} does not know the fields of its documents: take it from a collection, as in "
            f"Collection(…).sparse(), or leave the filter out."
        )
    fields = index.fields()
    return [
        fields.passing(where, index.docno_table, day, mask) if where else mask
        for where, (day, mask) in zip(filters, valid, strict=True)
    ]


def with_where(queries: pd.DataFrame, where: str) -> pd.DataFrame:
    """Return the rows of queries with a filter, in addition to the filter that a row has."""
    own = wheres(queries)
    values = [canonical(where, one) if one else where for one in own]
    return queries.assign(**{WHERE: pd.Series(values, index=queries.index, dtype=object)})


class Where(Component):
    """Gives a filter to all queries, in addition to their own.

    Columns in: ``qid`` and any others. Columns out: the same and ``where``.

    Raises:
        ComponentError: it cannot be read.
    """

    where: Annotated[str, "the filter, such as ``level=act|decree``"]

    def __post_init__(self) -> None:
        self.where = canonical(self.where)

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        pt.validate.columns(inp, includes=["qid"])
        return inp if WHERE in inp.columns else inp.assign(**{WHERE: pd.Series(dtype=str)})

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows with the filter."""
        pt.validate.columns(inp, includes=["qid"])
        return with_where(inp, self.where)
