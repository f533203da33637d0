"""What is checked: a factory with the parameters, the pipelines and the upstream that it is given."""

from __future__ import annotations

import ast
import inspect
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from legalir import plugins
from legalir.errors import AnalyzerError, ComponentError, LegalIRError, describe
from legalir.plugins import PIPELINE_ROLES, Factory
from legalir.plugins.discovery import legalir_first
from legalir.plugins.making import find
from legalir.plugins.signature import Signature
from legalir.plugins.spec import literal, read_component

if TYPE_CHECKING:
    import pyterrier as pt

    from legalir.collection.collection import Collection
    from legalir.testing.fresh import Report

__all__ = ["Pipeline", "Subject", "pipeline_of"]

Pipeline: TypeAlias = "str | pt.Transformer"
"""An expression, or a transformer that is bound to no collection."""

FIRST_STAGE = 'tfidf(analyzer="word") % 20'
"""What rerankers, expanders and generators are given; its scores lie in [0, 1], which some of them need."""

BRANCHES = ('tfidf(analyzer="word") % 20', 'bm25(analyzer="char2") % 5')
"""What fusers are given: lists of different lengths and scales."""


def pipeline_of(collection: Collection, pipeline: Pipeline) -> pt.Transformer:
    """Return a pipeline that is the component's data: a package that claims `bm25` shall spoil no other's checks."""
    with legalir_first():
        return collection.pipeline(pipeline) if isinstance(pipeline, str) else pipeline


class Subject:
    """A component to be made again and again; arguments as of :func:`legalir.testing.check`, whose second is `given`.

    Raises:
        ComponentError: `given` is neither a factory nor ``name`` or ``name(parameter=value)``.
        PluginError: no such component is installed.
    """

    def __init__(
        self,
        role: str,
        given: Factory | str,
        params: Mapping[str, object] | None = None,
        upstream: str | None = None,
        pipelines: Sequence[Pipeline] | None = None,
    ) -> None:
        self.role = role
        self.given = given
        self.upstream = upstream
        self._entry: plugins.PluginEntry | None = None
        self.params: dict[str, object] = {}
        self._nested: dict[str, str] = {}
        self.branches: tuple[Pipeline, ...] = BRANCHES if role == "fuser" else ()
        if isinstance(given, str):
            self._read(given)
        elif not callable(given):
            raise ComponentError(f"{given!r} is no factory: give one, or the name of an installed component.")
        self.params |= params or {}
        if pipelines is not None:
            self.branches = tuple(pipelines)
        self._extra = {"params": dict(params or {}), "upstream": upstream, "pipelines": pipelines}

    def __str__(self) -> str:
        return self.given if isinstance(self.given, str) else getattr(self.given, "__name__", repr(self.given))

    def _read(self, spec: str) -> None:
        call = read_component(spec)
        self._entry, self.params = find(self.role, call.name)
        if call.arguments:
            self.branches = tuple(map(ast.unparse, call.arguments))
        for name, keyword in call.keywords.items():
            if isinstance(keyword.value, ast.Name | ast.Call | ast.BinOp):
                self._nested[name] = ast.unparse(keyword.value)
            else:
                self.params[name] = _literal(spec, keyword.value)

    @property
    def installed(self) -> bool:
        """Whether the component was given by its name."""
        return self._entry is not None

    @cached_property
    def factory(self) -> Factory:
        """The factory, imported when first asked for; errors as :func:`legalir.plugins.load`."""
        return cast(Factory, self.given) if self._entry is None else plugins.load(self._entry).factory

    @cached_property
    def takes_left(self) -> bool:
        """Whether the factory wants to know what stands on its left."""
        return self.role in PIPELINE_ROLES and Signature(str(self), self.factory).takes_left

    def parameters(self) -> dict[str, inspect.Parameter]:
        """Return the parameters of the factory that have a default, by name."""
        try:
            found = inspect.signature(self.factory).parameters
        except (TypeError, ValueError):
            return {}
        return {name: one for name, one in found.items() if one.default is not inspect.Parameter.empty}

    def announced(self) -> dict[str, str]:
        """Return the attribute ``expected_failures`` of the factory, or nothing where there is none.

        Raises:
            ComponentError: it is no dict.
        """
        try:
            found = getattr(self.factory, "expected_failures", None)
        except LegalIRError:  # The checks say what is wrong.
            return {}
        if found is not None and not isinstance(found, Mapping):
            raise ComponentError(f"{self}: expected_failures={found!r} is not a dict from a check's name to a reason.")
        return dict(found or {})

    def make(
        self,
        collection: Collection,
        left: pt.Transformer | None = None,
        pipelines: Sequence[Pipeline] | None = None,
        **changed: object,
    ) -> Any:
        """Return the component, made as an expression makes it, with some parameters `changed`."""
        given = self.branches if pipelines is None else pipelines
        branches = [pipeline_of(collection, one) for one in given]
        nested = {name: pipeline_of(collection, text) for name, text in self._nested.items()}
        params = {**self.params, **nested, **changed}
        if self.takes_left:
            params["left"] = left
        signature = Signature(str(self), self.factory)
        unknown = signature.unknown_parameter(name for name in params if name != "left")
        if fault := unknown[1] if unknown else signature.fault(branches, params):
            raise ComponentError(fault)
        return self.factory(collection, *branches, **params)

    @property
    def fault(self) -> str | None:
        """Why the component cannot be made at all, or None."""
        fault = self._fault
        return str(fault) if isinstance(fault, LegalIRError) else fault

    @property
    def refusal(self) -> LegalIRError | None:
        """The error by which the component refuses what it is given, or None; another call of it would be right."""
        fault = self._fault
        return fault if isinstance(fault, AnalyzerError | ComponentError) else None

    @cached_property
    def _fault(self) -> str | LegalIRError | None:
        from legalir.testing.construction import misfit
        from legalir.testing.trial import Trial

        with tempfile.TemporaryDirectory(prefix="legalir-testing-", ignore_cleanup_errors=True) as folder:
            try:
                trial = Trial(self, Path(folder))
                return misfit(self.role, trial.component(trial.collection()))
            except LegalIRError as error:
                return error
            except (Exception, SystemExit) as error:
                return describe(error)

    @cached_property
    def report(self) -> Report:
        """What the component does in an interpreter of its own; run once, as it takes seconds."""
        from legalir.testing.fresh import report_on

        return report_on(self)

    def job(self) -> str | None:
        """Return what another interpreter makes the same subject from, or None where it cannot."""
        given = self.given
        if not isinstance(given, str):
            module, name = getattr(given, "__module__", None), getattr(given, "__qualname__", "<none>")
            if module in (None, "__main__") or not name.isidentifier():
                return None
            given = f"{module}:{name}"
        text = repr({"role": self.role, "given": given, **self._extra})
        try:
            ast.literal_eval(text)
        except (SyntaxError, ValueError):
            return None
        return text


def _literal(spec: str, node: ast.expr) -> object:
    if (value := literal(node)) is None:
        raise ComponentError(f"{spec!r}: {ast.unparse(node)} is neither a literal nor a pipeline.")
    return ast.literal_eval(value)
