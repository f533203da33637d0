"""Measures for questions that need several provisions; importing this registers them with ``ir_measures``.

=============  =====================================================================================
MultiHitRate   1 where every relevant provision is in the top k, else 0; mean over queries
MultiMRR       reciprocal ranks of all relevant provisions, without those before each; mean over queries
MicroR         relevant provisions in the top k over all relevant provisions, of all queries together
=============  =====================================================================================

``ir_measures.parse_measure("MultiMRR@10")``, ``pt.Experiment`` and the ``ir_measures`` functions take them.
The measures of answers (:mod:`legalir.measure.answers`) are registered, too.
:func:`over_chunks` lets any measure of rankings read chunks; :func:`judged_names` gives retrieved versions of
provisions the names that judgements have.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
from collections.abc import Iterable
from types import FunctionType
from typing import Any

import ir_measures
from ir_measures import providers
from ir_measures.measures import Measure
from ir_measures.providers.base import NOT_PROVIDED
from ir_measures.util import TYPE_QREL, QrelsConverter

from legalir import plugins
from legalir.errors import MeasureError, PluginError, suggestion
from legalir.measure import answers
from legalir.measure.answers import AnswerMeasure
from legalir.measure.chunks import ChunkProvider, over_chunks
from legalir.measure.measures import MEASURES, MicroR, MultiHitRate, MultiMRR, StatuteProvider, judged_names, register

__all__ = ["MicroR", "MultiHitRate", "MultiMRR", "judged_names", "over_chunks", "parse_measures"]

_SUPPORTED: list[Measure] = list(answers.MEASURES.values())


class AnswerProvider(providers.Provider):
    """Computes the measures of answers."""

    NAME = "legalir-answers"
    SUPPORTED_MEASURES = _SUPPORTED

    def _evaluator(self, measures: Iterable[Measure], qrels: TYPE_QREL) -> providers.Evaluator:
        # Imported here: PyTerrier imports ir_measures, which imports this, and the evaluator needs PyTerrier.
        from legalir.measure.scoring import AnswerEvaluator

        by_query = QrelsConverter(qrels).as_dict_of_dict()  # type: ignore[no-untyped-call]
        return AnswerEvaluator(measures, by_query)

    def run_inputs(self, measures: Iterable[Measure]) -> list[str]:
        """Return the columns that the measures need."""
        kinds = [measure.kind for measure in measures if isinstance(measure, AnswerMeasure)]
        return list(dict.fromkeys(["query_id", *(column for kind in kinds for column in kind.columns)]))


_GENERATED = {"qanswer", "citations", "quotes", "abstained", "reason", "reply_state", "context_docnos", "prompt_tokens"}
# Measures that any run of answers has are listed last.
ir_measures.measures.registry.update(
    {name: one for name, one in answers.MEASURES.items() if not set(one.kind.columns) <= _GENERATED}
)
register(StatuteProvider(), MEASURES)  # type: ignore[no-untyped-call]
register(ChunkProvider(), {})  # type: ignore[no-untyped-call]
register(AnswerProvider(), {**answers.MEASURES, **answers.ALIASES})  # type: ignore[no-untyped-call]

_FORM = "Write it as ir_measures does, such as 'nDCG@10', 'R@5' or 'MultiMRR(rel=2)@5'."


def parse_measures(texts: Iterable[str | Measure]) -> list[Measure]:
    """Return the measures called `texts`, in that order and each once, ready for ``pt.Experiment``.

    Args:
        texts: names as ``ir_measures`` writes them, such as ``"nDCG@10"`` or ``"MultiMRR(rel=2)@5"``, or
            measures; or one such name.

    Raises:
        MeasureError: there is no name; or a measure is unknown, has a wrong or missing parameter, or no installed
            package computes it.
        PluginError: the package that offers it is broken.
    """
    wanted = [texts] if isinstance(texts, str | Measure) else list(texts)
    if not wanted:
        raise MeasureError("No measure is given: give at least one, such as 'nDCG@10'.")
    return list(dict.fromkeys(_checked(text) for text in wanted))


def _checked(text: str | Measure) -> Measure:
    measure = text if isinstance(text, Measure) else _parsed(text)
    shown = measure.NAME if isinstance(text, Measure) else text  # A wrong parameter would break its repr.
    fault = _fault(measure)
    if fault:
        raise MeasureError(f"Measure {shown!r} {fault}")
    providers = ir_measures.DefaultPipeline.providers
    able = [provider for provider in providers if provider.supports(measure)]
    if not any(provider.is_available() for provider in able):
        cures = [str(cure) for provider in able if (cure := provider.install_instructions())]
        hint = " or ".join(cures) if cures else "no package computes it with these parameters"
        raise MeasureError(f"Measure {shown!r} cannot be computed here: {hint}.")
    return measure


def _fault(measure: Measure) -> str | None:
    """Return what is wrong with a measure's parameters, or None; ``ir_measures`` only asserts."""
    accepted = measure.SUPPORTED_PARAMS
    at = measure.AT_PARAM
    for name in measure.params:
        if name not in accepted:
            hint = suggestion(name, set(accepted)) or f" Its parameters: {', '.join(accepted) or 'none'}."
            return f"has no parameter {name!r}.{hint}"
    for name, info in accepted.items():
        value = measure.params.get(name, NOT_PROVIDED)
        if value is NOT_PROVIDED and info.required:
            example = f"{measure.NAME}@10" if name == at else f"{measure.NAME}({name}=...)"
            return f"needs its {name}: write {example!r}."
        if name == "cutoff" and value is not NOT_PROVIDED and not _is_cutoff(value):
            return f"must have an integer from 1 as its cutoff, got {value!r}."
        if not info.validate(value):  # type: ignore[no-untyped-call]
            return f"cannot have {name}={value!r}: it is the {info.desc or 'parameter ' + name}."
    return None


def _is_cutoff(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _parsed(text: str) -> Measure:
    if not isinstance(text, str):
        raise MeasureError(f"{text!r} is not the name of a measure. {_FORM}")
    name = re.split(r"[@(]", text, maxsplit=1)[0].strip()
    _add_plugin(name)
    try:
        return _read(text.strip())
    except KeyError:
        raise MeasureError(f"There is no measure {name!r}.{_hint(name)}") from None
    except (ValueError, TypeError, AttributeError, SyntaxError, RecursionError, MemoryError):
        raise MeasureError(f"{text!r} is not the name of a measure. {_FORM}") from None


def _read(text: str) -> Measure:
    """Return what ``ir_measures.parse_measure`` does; that of ir-measures 0.4.3 fails on Python 3.14, without ast.Num.

    Raises:
        KeyError: there is no measure of this name.
        SyntaxError, TypeError, ValueError: it is not the name of a measure.
    """
    node = ast.parse(text, mode="eval").body
    at, params = None, dict[Any, object]()
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        at, node = ast.literal_eval(node.right), node.left
    if isinstance(node, ast.Call) and not node.args:
        params, node = {one.arg: ast.literal_eval(one.value) for one in node.keywords}, node.func
    if not isinstance(node, ast.Name):
        raise ValueError(text)
    named: Measure = ir_measures.measures.registry[node.id]
    if at is not None:
        params[named.AT_PARAM] = at
    measure: Measure = named(**params)
    return measure


def _add_plugin(name: str) -> None:
    """Register the measure that a package offers as ``measure.name``, so that ``ir_measures`` knows it from now on."""
    registry = ir_measures.measures.registry
    if name in registry or not plugins.is_installed(name, ("measure",)):
        return
    entry = plugins.resolve(name, ("measure",))
    offered: object = plugins.load(entry).factory
    measure = offered() if isinstance(offered, FunctionType) else offered
    if not isinstance(measure, Measure):
        raise PluginError(f"The {entry} made an object of type {type(measure).__name__}: it must make a measure.")
    registry[name] = measure


def _hint(name: str) -> str:
    """Suggest a measure; names of trec_eval (map, recip_rank, ndcg_cut_10) are translated."""
    with contextlib.suppress(ValueError), contextlib.redirect_stdout(io.StringIO()):
        same = ir_measures.parse_trec_measure(name)
        if len(same) == 1:
            return f" Did you mean {str(same[0])!r}?"
    known = ir_measures.measures.registry
    # Of names that differ in their case alone, the measure's own is suggested.
    installed = (entry.name for entry in plugins.entries("measure"))
    names = {name.casefold(): name for name in (*installed, *known, *(str(one.NAME) for one in known.values()))}
    close = suggestion(name.casefold(), set(names))
    for folded, proper in names.items():
        close = close.replace(repr(folded), repr(proper))
    return close or f" {_FORM}"
