"""The definition of an experiment: datasets, measures, systems, and how they are compared.

Its values fill what its expressions leave open, as literals that cannot change anything else.
"""

from __future__ import annotations

import contextlib
import math
import operator
import os
import posixpath
import re
import string
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, cast

import pandas as pd
import pyterrier as pt
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    PrivateAttr,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from legalir.config import AnyText, Choice, Flag, Number, OptionalText, Schema, SchemaError, Text, Whole, located, seen
from legalir.errors import ComponentError, DefinitionError, ExperimentError, MeasureError, suggestion
from legalir.frames.columns import RESULT_COLUMNS
from legalir.frames.where import Conditions, canonical
from legalir.storage.digest import digest, half_of
from legalir.storage.validity import day_of, iso_date

if TYPE_CHECKING:
    import ir_measures

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

_QUOTED = re.compile(r"""(?P<quote>\"{3}|'{3}|"|')(?P<body>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)""", re.DOTALL)
"""A quoted text of an expression, as Python reads it."""


def _name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError("is not a name: use letters, digits and '_', such as bge_m3.")
    return name


def _setting(value: object) -> str | int | float:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"must be text or a number, got {seen(value)}.")
    if isinstance(value, str):
        if not value or not value.isprintable():
            raise ValueError(f"{'holds a control character' if value else 'is empty'}: give one line of text.")
    elif not math.isfinite(value):
        raise ValueError(f"must be a finite number, got {value}.")
    return value


ValueName = Annotated[AnyText, AfterValidator(_name)]
"""Name of a value."""

Setting = Annotated[str | int | float, PlainValidator(_setting)]
"""A value: text, or a number."""


def changed_values(values: Mapping[str, Setting], given: Mapping[str, object]) -> dict[str, Setting]:
    """Return `values` updated with `given`; a number may be given as text.

    Raises:
        DefinitionError: a name that is not in `values`, or a value of another kind than the one it replaces.
    """
    changed = dict(values)
    for name, item in given.items():
        where = f"The value {name!r}"
        if name not in values:
            hint = suggestion(str(name), set(values)) or _known(values)
            raise DefinitionError(f"{where} cannot be set, because the experiment does not have it.{hint}")
        number = not isinstance(values[name], str)
        if isinstance(item, os.PathLike):
            item = os.fspath(item)
        if number and isinstance(item, str):
            item = _number(item, where)
        if not number and not isinstance(item, str):
            raise DefinitionError(f"{where} must be text such as {values[name]!r}, got {seen(item)}.")
        try:
            changed[name] = _setting(item)
        except ValueError as error:
            raise DefinitionError(f"{where} {error}") from None
    return changed


def _number(text: str, where: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise DefinitionError(f"{where} must be a number, got {text!r}.")


def _known(values: Mapping[str, object]) -> str:
    return f" Known values: {', '.join(values)}." if values else " It has no key 'values'."


def check_use(expressions: Mapping[str, str], values: Mapping[str, Setting]) -> None:
    """Check that each value is used, and that each name in an expression has a value that fits there.

    Args:
        expressions: each expression by what errors call it: ``the system 'BM25'``.
        values: the values.

    Raises:
        DefinitionError: the system or the value, and what is accepted.
    """
    used: set[str] = set()
    for name, text in expressions.items():
        filled(text, values, name)
        used |= set(string.Template(text).get_identifiers())
    if unused := [name for name in values if name not in used]:
        raise DefinitionError(f"'values' holds {unused[0]!r}, but no system uses ${{{unused[0]}}}; remove it.")


def filled(text: str, values: Mapping[str, Setting], where: str = "The expression") -> str:
    """Return an expression with its values: ``${name}`` as in ``string.Template``, ``$$`` for a dollar.

    Inside quotes a value is written character by character, with escapes where they are needed, so that nothing in it
    ends the quotes; outside quotes a value must be a number.

    Raises:
        DefinitionError: a name without a value, a dollar without a name, text outside quotes, or a value that would
            run together with its neighbours.
    """
    bodies = [match.span("body") for match in _QUOTED.finditer(text)]

    def literal(match: re.Match[str]) -> str:
        if match["escaped"] is not None:
            return "$"
        name = match["named"] or match["braced"]
        if name is None:
            raise DefinitionError(f"{where} has a '$' without a {{name}}: write $$ for a dollar.")
        if name not in values:
            hint = suggestion(name, set(values)) or _known(values)
            raise DefinitionError(f"{where} uses ${{{name}}}, but 'values' does not define it.{hint}")
        body = next((span for span in bodies if span[0] <= match.start() < span[1]), None)
        part = f"{where}: ${{{name}}}"
        return _outside(values[name], match, part) if body is None else _inside(values[name], match, body, part)

    return string.Template.pattern.sub(literal, text)


def _outside(value: Setting, match: re.Match[str], where: str) -> str:
    if isinstance(value, str):
        raise DefinitionError(f'{where} is text outside quotes: write "{match[0]}".')
    around = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    if any(character.isalnum() or character in tuple("_.") for character in around):
        raise DefinitionError(f"{where} runs together with its neighbours: put it by itself.")
    return repr(value)


def _inside(value: Setting, match: re.Match[str], body: tuple[int, int], where: str) -> str:
    before = match.string[body[0] : match.start()]
    quote = body[0] - (3 if match.string[: body[0]].endswith(('"""', "'''")) else 1)
    if match.string[:quote][-1:].isalnum():
        raise DefinitionError(f"{where} is inside a text with a prefix: use plain quotes.")
    if (len(before) - len(before.rstrip("\\"))) % 2:
        raise DefinitionError(f"{where} comes after a backslash: remove the backslash.")
    return re.sub(r"""[\\"']""", r"\\\g<0>", str(value))


def located_expression(text: str, folder: Path) -> str:
    """Return an expression whose quoted texts that begin with ``./``, ``../`` or ``~/`` are absolute paths.

    Args:
        text: the expression, perhaps with ``${name}``.
        folder: where relative paths are seen from.
    """

    def absolute(match: re.Match[str]) -> str:
        body = match["body"]
        if not body.startswith(("./", "../", "~/")):
            return match[0]
        base = str(Path.home() if body.startswith("~") else folder.resolve())
        base = re.sub(r"""[\\"']""", r"\\\g<0>", base).replace("$", "$$")
        path = posixpath.normpath(f"{base}/{body.removeprefix('~/')}")
        return f"{match['quote']}{path}{match['quote']}"

    return _QUOTED.sub(absolute, text)


def shown_expression(text: str) -> str:
    """Return an expression to show to others: quoted absolute paths are cut to their last part."""
    return _QUOTED.sub(lambda match: f"{match['quote']}{shown_value(match['body'])}{match['quote']}", text)


def shown_value(value: Setting) -> Setting:
    """Return a value to show to others: an absolute path is cut to its last part."""
    return Path(value).name if isinstance(value, str) and Path(value).is_absolute() else value


def parse_measure(name: str) -> ir_measures.Measure:
    """Return the measure called `name`, from ``ir_measures`` or legalir.

    Raises:
        MeasureError: no measure has this name or these parameters, or no installed package computes it.
    """
    from legalir.measure import parse_measures

    return parse_measures([name])[0]


def _canonical_measure(name: str, info: ValidationInfo) -> str:
    try:
        return str(parse_measure(name))
    except MeasureError as error:
        raise MeasureError(f"{info.field_name!r}: {error}") from None


def cutoff(name: str) -> int | None:
    """Return the number of results of a list that a measure looks at; None for all, and for a measure of answers."""
    deepest = parse_measure(name).params.get("cutoff")
    return deepest if isinstance(deepest, int) else None


def at_depth(name: str, depth: int) -> str:
    """Return the name of a measure with the cutoff that lists of `depth` results give it: ``AP@100`` for ``AP``.

    A measure that may have no cutoff, such as ``NumRet``, keeps its name.
    """
    import ir_measures

    measure = parse_measure(name)
    if "cutoff" not in measure.SUPPORTED_PARAMS or cutoff(name) is not None:
        return name
    if "doc_id" not in ir_measures.run_inputs([measure]):
        return name
    with contextlib.suppress(MeasureError):
        return str(parse_measure(str(measure @ depth)))
    return name


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"names {twice} twice; keep one.")
    return names


def _printable(name: str) -> str:
    if not name.isprintable():
        raise ValueError("holds a control character; remove it.")
    return name


def _swept_value(value: object) -> object:
    value = tuple(value) if isinstance(value, list) else value
    for part in value if isinstance(value, tuple) else (value,):
        if not isinstance(part, int | float | str | None):
            raise ValueError(f"must be a number, text or a list of numbers, got {seen(part)}.")
    return value


def _day(value: object) -> object:
    if value in (None, ""):
        return ""
    try:
        return iso_date(day_of(value, "'as_of'"))
    except ComponentError as error:
        raise SchemaError(str(error)) from None


def _filter(value: object) -> object:
    try:
        return canonical(cast(Conditions, value)) if value not in (None, "") else ""
    except ComponentError as error:
        raise SchemaError(str(error)) from None


def _system(value: object, check: ValidatorFunctionWrapHandler) -> object:
    """Accept a transformer, or check the text of an expression."""
    if isinstance(value, pt.Transformer):
        try:
            hash(value)
        except TypeError as error:
            raise ValueError(
                f"must be a transformer that can be hashed, got {type(value).__name__} ({error})."
            ) from None
        return value
    if value is not None and not isinstance(value, str):
        shown = seen(value) if isinstance(value, bool | int | float | list | tuple | Mapping) else type(value).__name__
        raise ValueError(f"must be the text of an expression such as 'bm25', or a pt.Transformer, got {shown}.")
    return check(value)


def _topics(value: object) -> pd.DataFrame | str:
    """Check a frame of questions; the text that replaces it in a stored definition is not changed.

    Raises:
        ValueError: the rest of a sentence.
    """
    frame = _checked_frame(value, ("qid", "query"))
    if isinstance(frame, pd.DataFrame) and (results := [name for name in RESULT_COLUMNS if name in frame.columns]):
        raise ValueError(f"must hold questions, but has {results[0]!r}, a column of results.")
    return frame


def _qrels(value: object) -> pd.DataFrame | str:
    """Check a frame of judgements, as :func:`_topics`; labels become integers from 0, lower ones 0."""
    frame = _checked_frame(value, ("qid", "docno"), ("label",))
    if not isinstance(frame, pd.DataFrame):
        return frame
    labels = pd.to_numeric(frame["label"], errors="coerce")
    if wrong := [label for label, number in zip(frame["label"], labels, strict=True) if not float(number).is_integer()]:
        raise ValueError(f"must have integers as labels, got {seen(wrong[0])}.")
    if (twice := frame.duplicated(["qid", "docno"])).any():
        qid, docno = frame.loc[twice, ["qid", "docno"]].iloc[0]
        raise ValueError(f"judges {docno!r} twice for {qid!r}; keep one.")
    return frame[["qid", "docno"]].assign(label=labels.astype(int).clip(lower=0)).reset_index(drop=True)


def _checked_frame(value: object, texts: Sequence[str], others: Sequence[str] = ()) -> pd.DataFrame | str:
    if isinstance(value, str):
        return value
    columns = ", ".join([*texts, *others])
    if not isinstance(value, pd.DataFrame):
        raise ValueError(f"must be a frame with the columns {columns}, got {type(value).__name__}.")
    if missing := [name for name in [*texts, *others] if name not in value.columns]:
        there = ", ".join(map(str, value.columns)) or "none"
        raise ValueError(f"must have the columns {columns}, but lacks {missing[0]!r}; it has {there}.")
    if value.empty:
        raise ValueError("must have at least one row.")
    for name in texts:
        if wrong := [text for text in value[name] if not isinstance(text, str) or not text]:
            raise ValueError(f"must have a text in each row of {name!r}, got {seen(wrong[0]) or 'an empty one'}.")
    return value.reset_index(drop=True)


def _shown_object(system: pt.Transformer) -> str:
    """Return the repr of a transformer in one line, without addresses and folders, as an expression is written."""
    text = " ".join(re.sub(r" at 0x[0-9a-fA-F]+", "", repr(system)).split()) or type(system).__name__
    return shown_expression(text).replace("$", "$$")  # A dollar would begin a value.


def _described(frame: pd.DataFrame | str) -> str:
    return frame if isinstance(frame, str) else f"a frame of {len(frame)} rows"


_Day = Annotated[str, BeforeValidator(_day)]
_Filter = Annotated[str, BeforeValidator(_filter)]
_Measure = Annotated[Text, AfterValidator(_canonical_measure)]
_Share = Annotated[Number, Field(ge=0, le=1)]
_System = Annotated[Text, WrapValidator(_system)]
_SystemName = Annotated[Text, AfterValidator(_printable)]
_Once = AfterValidator(_once)
_Filled = Field(min_length=1)

Value = Annotated[
    float | int | str | bool | tuple[float | int, ...] | None,
    PlainValidator(_swept_value),
    PlainSerializer(lambda value: list(value) if isinstance(value, tuple) else value),
]
"""A value of a sweep."""

PARTS = ("dev", "held-out")


class PublishedRow(Schema):
    """A row of published figures, shown next to ours and never tested against them."""

    KIND: ClassVar[str] = "a reference"

    name: Text
    """Heading of the row."""
    source: OptionalText = ""
    """Where the figures come from."""
    scores: Mapping[_Measure, Annotated[Number, Field(ge=0)]]
    """Fractions by measure, as everywhere in a result; 48.0 of a paper is 0.48. ``Correctness`` is from 1 to 5."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        for name, value in self.scores.items():
            if value > (most := 5 if name == "Correctness" else 1):
                raise SchemaError(f"{name!r} of {self.name!r} must be at most {most}, got {value:g}.")
        return self


class Sweep(Schema):
    """Systems that differ in one parameter, drawn as a curve."""

    KIND: ClassVar[str] = "a sweep"

    name: Text
    """Heading of the curve."""
    parameter: Text
    """Name of the parameter, written in braces in `expression`."""
    values: Annotated[tuple[Value, ...], _Filled]
    """Values of the parameter, one system a value: numbers, texts or lists of numbers."""
    expression: Text
    """Pipeline expression such as ``lsa >> sar(beta={beta})``."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if f"{{{self.parameter}}}" not in self.expression:
            raise SchemaError(f"the expression of {self.name!r} has no place for {{{self.parameter}}}.")
        if len(self.systems()) < len(self.values):
            raise SchemaError(f"'values' of {self.name!r} has a value twice; keep one.")
        return self

    def systems(self) -> dict[str, str]:
        """Return name and expression of one system for each value."""
        return {self.system(value): self._expression(value) for value in self.values}

    def system(self, value: Value) -> str:
        """Return the name of the system with this value."""
        return f"{self.name}, {self.parameter}={self.text(value)}"

    def text(self, value: Value) -> str:
        """Return a value as a report shows it."""
        return " : ".join(map(str, value)) if isinstance(value, tuple) else str(value)

    def _expression(self, value: Value) -> str:
        literal = repr(list(value)) if isinstance(value, tuple) else repr(value)
        return self.expression.replace(f"{{{self.parameter}}}", literal)


class Sample(Schema):
    """A sample of the judged questions, drawn by their qids alone."""

    KIND: ClassVar[str] = "a sample"

    n: Annotated[Whole, Field(ge=1)] | None = None
    """Number of questions; or else `share`."""
    share: Annotated[Number, Field(gt=0, le=1)] | None = None
    """Share of the questions; or else `n`."""
    by: OptionalText = ""
    """Column of the questions, or field of the first judged provision, such as ``law``: each of its values has its
    share of the sample. By default the sample is drawn from all questions together."""
    seed: Annotated[Whole, Field(ge=0)] = 0
    """Another seed draws other questions."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.n is None) == (self.share is None):
            raise SchemaError("'sample' must have either 'n', a number of questions, or 'share', such as 0.2.")
        return self

    def drawn(self, values: Mapping[str, str]) -> list[str]:
        """Return the qids of the sample: each value gets its share of it, by the largest remainders.

        Args:
            values: the value of each question by its qid; equal ones for a sample from all together.
        """
        size = min(len(values), self.n or max(1, round((self.share or 0) * len(values))))
        groups: dict[str, list[str]] = {}
        for qid in sorted(values, key=lambda qid: digest([self.seed, qid])):
            groups.setdefault(values[qid], []).append(qid)
        exact = {value: size * len(qids) / len(values) for value, qids in groups.items()}
        counts = {value: math.floor(share) for value, share in exact.items()}
        rest = sorted(exact, key=lambda value: (counts[value] - exact[value], -len(groups[value]), value))
        for value in rest[: size - sum(counts.values())]:
            counts[value] += 1
        return [qid for value, qids in groups.items() for qid in qids[: counts[value]]]


CONDITIONS = ("zero-shot", "partial", "full", "second")


def _conditions(systems: Mapping[str, str]) -> Mapping[str, str]:
    if unknown := [name for name in systems if name not in (*CONDITIONS, "name")]:
        raise ValueError(f"must have the keys {', '.join(CONDITIONS)} and name, got {unknown[0]!r}.")
    if missing := [name for name in CONDITIONS[:3] if name not in systems]:
        raise ValueError(f"must name a system for {missing[0]!r}.")
    return systems


def _listed(value: object) -> object:
    return [value] if isinstance(value, Mapping) else value


Safety = Annotated[Mapping[Text, Text], AfterValidator(_conditions)]
"""A system for each condition of multiple-choice items: `zero-shot`, `partial`, `full`, and `second` if there is
one; `name` is the heading, by default the name of the system `full`."""


class Definition(Schema):
    """An experiment as its YAML file states it, checked and with every default filled in.

    Raises:
        DefinitionError: the key, the value seen and what is accepted.
        MeasureError: a measure that does not exist.
    """

    KIND: ClassVar[str] = "an experiment"
    PATHS: ClassVar[tuple[str, ...]] = ("dataset", "datasets", "values", "replies")

    title: OptionalText = ""
    """Title of the report; by default the name of the file."""
    description: OptionalText = ""
    """Text at the top of the report; an empty line begins a paragraph."""
    dataset: Text = ""
    """Id of a dataset or path of a dataset folder; the first of `datasets`, if set."""
    datasets: Annotated[tuple[Text, ...], _Filled, _Once] = ()
    """Datasets on which the experiment runs one after another, instead of `dataset`."""
    measures: Annotated[tuple[_Measure, ...], _Filled, _Once]
    """Names in the form of ``ir_measures`` (``nDCG@10``); the first one leads the report. A measure without the cutoff
    that it may have gets the depth of the lists: ``AP`` is ``AP@100``."""
    values: Mapping[ValueName, Setting] = Field(default_factory=dict)
    """Values that replace ``${name}`` in the expressions."""
    topics: Annotated[Any, AfterValidator(_topics)] = ""
    """Questions that replace the dataset's: a frame from Python, columns ``qid, query`` and any others."""
    qrels: Annotated[Any, AfterValidator(_qrels)] = ""
    """Judgements that replace the dataset's: a frame from Python, columns ``qid, docno, label``."""
    systems: Annotated[Mapping[_SystemName, _System], _Filled] = Field(default_factory=dict)
    """Name to pipeline expression as written, or from Python to a transformer, in the order of the table; the systems
    of `sweeps` are at its end."""
    sweeps: tuple[Sweep, ...] = ()
    """Systems that differ in one parameter."""
    judges: Annotated[tuple[Text, ...], _Once] = ()
    """Expressions of judges, which read the answers of each system that ends in answers: ``judge_coverage``."""
    safety: Annotated[tuple[Safety, ...], BeforeValidator(_listed)] = ()
    """Systems that answer the same multiple-choice items under several conditions."""
    llm: OptionalText = ""
    """Language model of components that name none, such as ``smollm2``; ``$LEGALIR_LLM`` and ``--llm`` replace it."""
    replies: OptionalText = ""
    """File of stored replies of language models, which come before the cache; it may end in ``.gz``."""
    part: Choice[Literal["dev", "held-out"]] | None = None
    """Half of the queries, by the sha256 of the qid; choose settings on one half and confirm them on the other half."""
    sample: Sample | None = None
    """Some of these questions, for runs that cost: ``{share: 0.2, by: law}``."""
    baseline: Text | None = None
    """System that all other systems are tested against; without a baseline there are no tests."""
    test: Choice[Literal["t", "wilcoxon", "randomisation"]] = "t"
    """Paired test; Student's t, Wilcoxon's signed rank [wilcoxon] or sign-flip randomisation [randomisation]."""
    cluster: OptionalText = ""
    """Column of the questions whose equal values are one cluster, such as the case that they are about: intervals draw
    whole clusters, and tests take the questions of a cluster as dependent. By default each question stands alone."""
    by: OptionalText = ""
    """Column of the questions, such as their type: the scores of the questions of each value stand apart, too."""
    out_of_scope: Flag = False
    """Ask the questions of ``out_of_scope.jsonl`` in the folder of the dataset, too, which it does not answer."""
    correction: Choice[Literal["holm", "bonferroni", "holm-sidak", "fdr_bh"]] | None = "holm"
    """Correction for several systems compared with one baseline, by its name in statsmodels [holm]."""
    alpha: Annotated[Number, Field(gt=0, lt=1)] = 0.05
    """Level of significance, also of the correction."""
    as_of: _Day = ""
    """Day for queries without a day (``as_of``), as 2021-03-01; by default the day of the run."""
    where: _Filter = ""
    """Filter of all queries, such as ``level=act|decree``, in addition to the field ``where`` of a query."""
    chunks: Choice[Literal["complete", "any"]] = "complete"
    """Which provisions of a chunk count, if the documents are chunks: only complete provisions, or any."""
    depth: Annotated[Whole, Field(ge=1)] = 100
    """Number of results stored for each query; by default 100, or the deepest cutoff of the measures."""
    references: Annotated[tuple[PublishedRow, ...], BeforeValidator(lambda rows: () if rows is None else rows)] = ()
    """Rows of figures from elsewhere."""
    tolerance: _Share | None = None
    """Largest accepted difference from an expected score, in score units; by default that of the expected scores."""
    notes: OptionalText = ""
    """Text below the table of the report."""
    actor: Mapping[Text, Text] = Field(default_factory=dict)
    """Who runs it, for the metadata of the runs: ``{name: …, team: …, mail: …, role: experimenter}``."""
    _given: Mapping[str, Any] = PrivateAttr(default_factory=dict)

    @property
    def objects(self) -> Mapping[str, pt.Transformer]:
        """Systems passed as transformers, by name; :attr:`systems` has their repr."""
        return {name: self._given[name] for name in self.systems if name in self._given}

    def frame(self, name: Literal["topics", "qrels"]) -> pd.DataFrame | None:
        """Return the topics or qrels that were passed as a frame; None if the dataset's are used.

        Raises:
            ExperimentError: the definition refers to a frame, but was read from a file.
        """
        given: pd.DataFrame | None = self._given.get(f"${name}")
        if given is None and getattr(self, name):
            raise ExperimentError(
                f"{name!r} must be a frame given from Python, got {getattr(self, name)!r}: "
                f"call legalir.experiment(definition, {name}=frame), or remove the key."
            )
        return given

    def with_frames(self, **frames: pd.DataFrame | None) -> Self:
        """Return a copy with other topics or qrels; None keeps the present ones.

        Raises:
            ExperimentError: a frame does not contain topics or qrels.
        """
        given = {name: frame for name, frame in frames.items() if frame is not None}
        if not given:
            return self
        checked = {}
        for name, frame in given.items():
            try:
                checked[name] = {"topics": _topics, "qrels": _qrels}[name](frame)
            except ValueError as error:
                raise ExperimentError(f"The argument {name!r} {error}") from None
        copy = self.replace(**{name: _described(frame) for name, frame in checked.items()})
        copy._given = {**self._given, **{f"${name}": frame for name, frame in checked.items()}}
        return copy

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.dataset and self.datasets:
            raise SchemaError("give 'dataset' or 'datasets', not both.")
        if not self.dataset and not self.datasets:
            raise SchemaError("the key 'dataset' is missing.")
        given = {name: value for name, value in self.systems.items() if not isinstance(value, str)}
        frames = {name: getattr(self, name) for name in ("topics", "qrels")}
        frames = {name: value for name, value in frames.items() if not isinstance(value, str)}
        for name, frame in frames.items():
            object.__setattr__(self, name, _described(frame))
        self._given = given | {f"${name}": frame for name, frame in frames.items()}
        systems = self._all_systems()
        expressions = {f"the system {name!r}": text for name, text in systems.items()}
        check_use(expressions | {f"the judge {text!r}": text for text in self.judges}, self.values)
        if self.baseline is not None and self.baseline not in systems:
            hint = suggestion(self.baseline, set(systems)) or f" Systems: {', '.join(systems)}."
            raise SchemaError(f"'baseline' must be the name of a system, got {self.baseline!r}.{hint}")
        if self.cluster and self.test == "wilcoxon":
            raise SchemaError("'cluster' goes with the tests 't' and 'randomisation', not with 'wilcoxon'.")
        for conditions in self.safety:
            for name, system in conditions.items():
                if name != "name" and system not in systems:
                    hint = suggestion(system, set(systems)) or f" Systems: {', '.join(systems)}."
                    raise SchemaError(f"'safety' must name a system as {name!r}, got {system!r}.{hint}")
        depth = self._checked_depth()
        measures = _once(tuple(at_depth(name, depth) for name in self.measures))
        references = tuple(
            row.model_copy(update={"scores": {at_depth(name, depth): score for name, score in row.scores.items()}})
            for row in self.references
        )
        for name, value in {"depth": depth, "measures": measures, "references": references}.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "systems", systems)  # the model is frozen for its users
        object.__setattr__(self, "dataset", self.dataset or self.datasets[0])
        return self

    def _checked_depth(self) -> int:
        """Return the depth of the lists: the configured depth, or the largest depth that any measure needs."""
        cutoffs = {name: deepest for name in self.measures if (deepest := cutoff(name)) is not None}
        name, deepest = max(cutoffs.items(), key=operator.itemgetter(1), default=("", 0))
        if "depth" not in self.model_fields_set:
            return max(self.depth, deepest)
        if deepest > self.depth:
            raise SchemaError(
                f"'depth' must be at least {deepest} for the measure {name}, got {self.depth}: raise it or drop it."
            )
        return self.depth

    @property
    def deepest(self) -> int:
        """Number of results per list that are used: the deepest cutoff, or the depth if it is set."""
        cutoffs = [deepest for name in self.measures if (deepest := cutoff(name)) is not None]
        return max([*cutoffs, self.depth if "depth" in self.model_fields_set else 0])

    def _all_systems(self) -> dict[str, str]:
        systems = {name: text if isinstance(text, str) else _shown_object(text) for name, text in self.systems.items()}
        for sweep in self.sweeps:
            if sweep.parameter in self.values:
                raise SchemaError(f"{sweep.parameter!r} is in 'values' and a sweep's parameter; rename one.")
            swept = sweep.systems()
            if twice := next((name for name in swept if name in systems), None):
                raise SchemaError(f"the sweep {sweep.name!r} makes a system {twice!r}, which exists; rename one.")
            systems |= swept
        if not systems:
            raise SchemaError("the key 'systems' is missing.")
        return systems

    @classmethod
    def load(cls, path: str | os.PathLike[str], **changes: object) -> Self:
        """Read a definition from a YAML file.

        A dataset, a value, or a quoted text in an expression that begins with ``./``, ``../`` or ``~/`` is a path
        relative to the folder of the file.

        Args:
            path: the file.
            changes: values that replace values of the file.

        Raises:
            ExperimentError: the file, the key and what is accepted.
            MeasureError: a measure that does not exist.
        """
        definition = super().load(path, **changes)
        definition = definition.located(Path(path).parent)
        return definition if definition.title else definition.replace(title=Path(path).stem)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other values, which are not checked."""
        return self.model_copy(update=changes)

    def located(self, folder: Path) -> Self:
        """Return a copy whose datasets, values and texts in expressions that are relative paths are absolute.

        They are seen from `folder`.
        """
        paths = {name: located(getattr(self, name), folder) for name in self.PATHS}
        return self._rewritten(lambda text: located_expression(text, folder)).replace(**paths)

    def _rewritten(self, change: Callable[[str], str]) -> Self:
        """Return a copy with changed expressions."""
        return self.replace(
            systems={name: text if name in self.objects else change(text) for name, text in self.systems.items()},
            sweeps=tuple(sweep.model_copy(update={"expression": change(sweep.expression)}) for sweep in self.sweeps),
            judges=tuple(map(change, self.judges)),
        )

    def with_values(self, given: Mapping[str, object]) -> Self:
        """Return a copy with the values in `given` replaced; a number may be given as text.

        Raises:
            ExperimentError: the definition has no value of this name, or a value is of the wrong kind.
        """
        return self.replace(values=changed_values(self.values, given))

    def expressions(self) -> dict[str, str]:
        """Return the pipeline expression of every system with the values filled in."""
        return {name: filled(text, self.values, f"The system {name!r}") for name, text in self.systems.items()}

    def judge_expressions(self) -> list[str]:
        """Return the expression of every judge with the values filled in."""
        return [filled(text, self.values, f"The judge {text!r}") for text in self.judges]

    def shown(self) -> Self:
        """Return a copy to show to others: values and texts in expressions that are absolute paths are cut."""
        values = {name: shown_value(value) for name, value in self.values.items()}
        return self._rewritten(shown_expression).replace(values=values)

    def each(self) -> list[Self]:
        """Return one definition for each dataset."""
        return [self.replace(dataset=dataset, datasets=()) for dataset in self.datasets or (self.dataset,)]

    def as_dict(self) -> dict[str, object]:
        """Return plain values that :meth:`parse` accepts, without empty ones, in the order of the keys here."""
        values = self.model_dump(mode="json")
        swept = {name for sweep in self.sweeps for name in sweep.systems()}
        values["systems"] = {name: text for name, text in self.systems.items() if name not in swept}
        if self.datasets:
            del values["dataset"]
        return {name: value for name, value in values.items() if value not in ("", [], {}) and value is not False}

    def keeps(self, qid: str) -> bool:
        """Return True if a query belongs to the part that the experiment uses."""
        return self.part is None or self.part == PARTS[half_of(qid)]

    def measure_objects(self) -> list[ir_measures.Measure]:
        """Return the measures as ``ir_measures`` objects."""
        return [parse_measure(name) for name in self.measures]


def load_definition(source: Definition | Mapping[str, object] | str | os.PathLike[str]) -> Definition:
    """Return a definition from a definition, a mapping, or the path of a YAML file."""
    if isinstance(source, Definition):
        return source
    if isinstance(source, str | os.PathLike):
        return Definition.load(source)
    if isinstance(source, Mapping):
        return Definition.parse(source)
    raise ExperimentError(
        f"An experiment must be a mapping, a Definition or the path of a YAML file, got {type(source).__name__}."
    )
