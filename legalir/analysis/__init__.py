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
        PluginError: the plugin is broken, fails while it makes the analyzer, or makes something else.
    """
    if not isinstance(spec, str):
        if isinstance(spec, Analyzer):
            return spec
        raise AnalyzerError(f"{spec!r} is no analyzer: it needs the attributes name, fingerprint and terms.")
    call = re.fullmatch(r"\s*(\w+)\s*\(.*\)\s*", spec, flags=re.DOTALL)
    called = call[1] if call else spec
    if plugins.is_installed(called, _ROLE):
        return _checked(called, plugins.make("analyzer", spec, collection))
    numbered = re.fullmatch(r"(\D+)([0-9]{1,3})", spec)
    if numbered is None or not plugins.is_installed(numbered[1], _ROLE):
        if plugins.misnamed(called):
            plugins.resolve(called, _ROLE)  # It says what is wrong with the entry.
        known = {entry.name for entry in plugins.entries("analyzer")}
        hint = suggestion(called, {"jamo3", "char2", "word", *known})
        raise AnalyzerError(
            f"There is no analyzer {spec!r}.{hint} Known: "
            f"{', '.join(sorted(known))}, and jamo and char with a number, such as jamo3."
        )
    name, number = numbered[1], int(numbered[2])
    if plugins.Accepted(name, plugins.load("analyzer", name)).fault_in_names(["n"]):
        raise AnalyzerError(f"The analyzer {name!r} takes no number, so {spec!r} means nothing.")
    return _checked(name, plugins.make("analyzer", name, collection, n=number))


def _checked(name: str, analyzer: object) -> Analyzer:
    if not isinstance(analyzer, Analyzer):
        wanted = "an analyzer, with name, fingerprint and terms,"
        raise plugins.misfit(plugins.resolve(name, _ROLE), analyzer, wanted)
    return analyzer
