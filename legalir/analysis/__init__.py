"""Analysis: text to terms.

Analyzers are named: ``jamo3`` (the default of the papers) and any ``jamoN``, ``char2`` and any ``charN``,
``word``, and whatever plugins add. New analyzers implement :class:`~legalir.analysis.analyzer.Analyzer`.
"""

from __future__ import annotations

import re

from legalir import plugins
from legalir.analysis.analyzer import Analyzer, TermCounts, count_terms
from legalir.errors import AnalyzerError, suggestion

__all__ = ["Analyzer", "TermCounts", "count_terms", "get_analyzer"]


def get_analyzer(spec: str | Analyzer, collection: object = None) -> Analyzer:
    """Return the analyzer that `spec` names, or `spec` itself where it is one.

    A name is that of a plugin, or that of a plugin followed by a whole number, its parameter ``n``:
    ``jamo3`` is the plugin ``jamo`` with ``n=3``.

    Args:
        spec: a name or an analyzer.
        collection: handed to the plugin's factory; None outside a collection.

    Raises:
        AnalyzerError: no analyzer has this name, or it does not take this number.
    """
    if not isinstance(spec, str):
        if isinstance(spec, Analyzer):
            return spec
        raise AnalyzerError(f"{spec!r} is no analyzer: it needs the attributes name, fingerprint and terms.")
    known = {entry.name for entry in plugins.entries("analyzer")}
    if spec in known:
        return _checked(spec, plugins.load("analyzer", spec)(collection))
    match = re.fullmatch(r"(\D+)([0-9]{1,3})", spec)
    if match is None or match[1] not in known:
        examples = {"jamo3", "char2", "word", *known}
        raise AnalyzerError(
            f"There is no analyzer {spec!r}.{suggestion(spec, examples)} Known: "
            f"{', '.join(sorted(known))}, and jamo and char with a number, such as jamo3."
        )
    try:
        return _checked(spec, plugins.load("analyzer", match[1])(collection, n=int(match[2])))
    except TypeError as error:
        raise AnalyzerError(f"The analyzer {match[1]!r} takes no number, so {spec!r} means nothing.") from error


def _checked(spec: str, analyzer: object) -> Analyzer:
    if not isinstance(analyzer, Analyzer):
        raise AnalyzerError(f"The plugin {spec!r} did not return an analyzer but {type(analyzer).__name__}.")
    return analyzer
