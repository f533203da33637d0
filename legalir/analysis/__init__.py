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

_ROLE = ("analyzer",)


def get_analyzer(spec: str | Analyzer, collection: object = None) -> Analyzer:
    """Return the analyzer that `spec` names, or `spec` itself where it is one.

    A spec is the name of a plugin; or that name followed by a whole number, its parameter ``n``: ``jamo3`` is the
    plugin ``jamo`` with ``n=3``; or a call with literal parameters, such as ``kiwi(tags="all")``.

    Args:
        spec: a name, a call or an analyzer.
        collection: handed to the plugin's factory; None outside a collection.

    Raises:
        AnalyzerError: no analyzer has this name, or it does not take this number.
        ComponentError: a call cannot be read, or the analyzer does not take this parameter.
        PluginError: the plugin is broken, or fails while it makes the analyzer.
    """
    if not isinstance(spec, str):
        if isinstance(spec, Analyzer):
            return spec
        raise AnalyzerError(f"{spec!r} is no analyzer: it needs the attributes name, fingerprint and terms.")
    call = re.fullmatch(r"\s*(\w+)\s*\(.*\)\s*", spec, flags=re.DOTALL)
    if plugins.is_installed(call[1] if call else spec, _ROLE):
        return _checked(spec, plugins.make("analyzer", spec, collection))
    numbered = re.fullmatch(r"(\D+)([0-9]{1,3})", spec)
    if numbered is None or not plugins.is_installed(numbered[1], _ROLE):
        known = {entry.name for entry in plugins.entries("analyzer")}
        hint = suggestion(call[1] if call else spec, {"jamo3", "char2", "word", *known})
        raise AnalyzerError(
            f"There is no analyzer {spec!r}.{hint} Known: "
            f"{', '.join(sorted(known))}, and jamo and char with a number, such as jamo3."
        )
    name, number = numbered[1], int(numbered[2])
    if plugins.Accepted(name, plugins.load("analyzer", name)).fault_in_names(["n"]):
        raise AnalyzerError(f"The analyzer {name!r} takes no number, so {spec!r} means nothing.")
    return _checked(spec, plugins.make("analyzer", name, collection, n=number))


def _checked(spec: str, analyzer: object) -> Analyzer:
    if not isinstance(analyzer, Analyzer):
        raise AnalyzerError(f"The plugin {spec!r} did not return an analyzer but {type(analyzer).__name__}.")
    return analyzer
