"""The contract between legalir and a plugin: roles, entries and factories.

A package offers a component by an entry point of the group :data:`GROUP` that is called ``role.name`` and names a
factory. legalir calls the factory as ``factory(collection, *pipelines, **params)``; it returns the component. Pipelines
fill ``*pipelines`` and parameters by position that have no default; all other parameters are given by name.

The entry points of two roles name the thing itself: ``command.name`` a typer app or a function, ``measure.name`` a
measure of ``ir_measures`` or a function that returns one.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from legalir.declared import PIPELINES, Declared, component_name, fields
from legalir.errors import suggestion

GROUP = "legalir.v1"
"""The entry-point group; its number is the version of the contract."""

RESERVED = ("collection", "left")
"""Parameters of a factory that legalir fills in; users cannot give them."""


class Role(NamedTuple):
    """One role that a component can play.

    Attributes:
        summary: input and output of the component.
        in_expressions: whether its names are names of pipeline expressions. The factory of such a role always gets a
            collection; it also gets the nested pipelines by position, and the pipeline to the left of its ``>>`` if it
            has the keyword-only parameter ``left``. If it has an attribute ``over``, the nested pipelines are built
            over the collection that ``over(collection, **params)`` returns. The factory of any other role gets a
            collection or None, and parameters.
        wanted: the object that the factory returns, with an article, for messages.
        types: the types of that object, ``module:name``; one of them is enough.
        use: an expression, or a command, that uses a component; ``{}`` is replaced by its name or call.
        by_factory: whether the entry point names a factory; otherwise it names the object itself.
    """

    summary: str
    in_expressions: bool
    wanted: str
    types: tuple[str, ...]
    use: str
    by_factory: bool = True

    def is_played_by(self, component: object) -> bool:
        """Return True if `component` is a valid result of a factory of this role."""
        return isinstance(component, tuple(map(pkgutil.resolve_name, self.types)))

    def example(self, call: str) -> str:
        """Return :attr:`use` with `call` in it."""
        return (self.use.replace('"', "'") if '"' in call else self.use).format(call)


_TRANSFORMER = ("a pt.Transformer", ("pyterrier:Transformer",))

ROLES = {
    "analyzer": Role(
        "text to terms",
        False,
        "an analyzer, with name, fingerprint and terms",
        ("legalir.analysis.analyzer:Analyzer",),
        'bm25(analyzer="{}")',
    ),
    "encoder": Role(
        "text to vectors",
        False,
        "an encoder, with name, fingerprint, encode and encode_queries (or name, fingerprint, parameters, analyzer, "
        "fit and restore, if it learns from a collection)",
        ("legalir.dense.contract:Encoder", "legalir.dense.contract:TrainableEncoder"),
        'dense(encoder="{}")',
    ),
    "retriever": Role("questions in, ranked provisions out", True, *_TRANSFORMER, "{}"),
    "fuser": Role("several ranked lists in, one out", True, *_TRANSFORMER, "{}"),
    "expander": Role(
        "a ranked list in, a longer one out; or a question in, a better one out", True, *_TRANSFORMER, "bm25 % 20 >> {}"
    ),
    "reranker": Role(
        "a ranked list in, the same provisions in another order out", True, *_TRANSFORMER, "bm25 % 100 >> {}"
    ),
    "generator": Role("a ranked list in, one answer a question out", True, *_TRANSFORMER, "bm25 % 5 >> {}"),
    "judge": Role("answers in, the same answers with verdicts out", True, *_TRANSFORMER, "bm25 % 5 >> quote >> {}"),
    "llm": Role(
        "messages to a reply",
        False,
        "a chat model, with name, host, concurrency and chat",
        ("legalir.llm.chat:ChatModel",),
        "legalir search legalir/firecode 'question' --pipeline 'rar(default)' --llm '{}'",
    ),
    "executor": Role(
        "tasks to the workers that do them",
        False,
        "a concurrent.futures.Executor",
        ("concurrent.futures:Executor",),
        "legalir index legalir/firecode --executor '{}'",
    ),
    "source": Role(
        "where provisions come from",
        False,
        "a source, with name, provisions and links",
        ("legalir.statutes.source:Source",),
        "legalir datasets import '{}' my-statutes",
    ),
    "command": Role(
        "a command of the program legalir",
        False,
        "a typer app or a function",
        ("typer:Typer", "types:FunctionType"),
        "legalir {} --help",
        by_factory=False,
    ),
    "measure": Role(
        "a run and judgements to a number",
        False,
        "a measure of ir_measures, or a function that returns one",
        ("ir_measures.measures:Measure", "types:FunctionType"),
        "legalir measure qrels.txt run.trec {}",
        by_factory=False,
    ),
}
"""Each role that a plugin can play."""

PIPELINE_ROLES = tuple(role for role, about in ROLES.items() if about.in_expressions)
"""Roles whose names are names of pipeline expressions."""

COMPONENT_ROLES = tuple(role for role, about in ROLES.items() if about.by_factory)
"""Roles of components, which factories make and the conformance kit checks."""


class Factory(Protocol):
    """The callable that an entry point names; it makes the component of its role."""

    def __call__(self, collection: object, *pipelines: object, **params: object) -> object:
        """Return the component."""


class PluginEntry(NamedTuple):
    """One entry point, read from metadata alone.

    Attributes:
        role: one of :data:`ROLES`.
        name: its name in expressions.
        package: the distribution that offers it, in normal form (``legalir-kiwi``).
        version: of that distribution.
        value: where the factory is, ``module:attribute``.
    """

    role: str
    name: str
    package: str
    version: str
    value: str

    def __str__(self) -> str:
        return f"{self.role} {self.name!r} of package {self.package} {self.version}"


_F = TypeVar("_F", bound=Callable[..., Any])
_D = TypeVar("_D", bound=Declared)


def parameters_of(*classes: type, without: Iterable[str] = ()) -> Callable[[_F], _F]:
    """Declare that a factory hands its ``**params`` on to the constructor of a class.

    The signature of the factory then shows the parameters of the constructor in place of ``**params``, with their
    defaults; ``legalir plugins show`` prints the docs that the section ``Args:`` of the class has for them. So no
    default and no description is written twice::

        @parameters_of(SAR, without=["graph"])
        def sar(collection: Collection, **params: Any) -> SAR:
            return SAR(collection.graph, **params)

    A parameter that the factory itself declares stays as declared, and comes before all others.

    Args:
        classes: the class; or several: a parameter comes from the first class that has it.
        without: parameters of the constructors that the factory fills in itself.

    Raises:
        TypeError: the factory has no ``**params``, or no constructor has a parameter of `without`.
    """
    available: dict[str, inspect.Parameter] = {}
    for parameter in (one for each in classes for one in inspect.signature(each).parameters.values()):
        if parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            available.setdefault(parameter.name, parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    left_out = set(without)
    if unknown := left_out - set(available):
        raise TypeError(f"{', '.join(one.__name__ for one in classes)} has no parameter {sorted(unknown)[0]!r}")

    def decorate(factory: _F) -> _F:
        signature = inspect.signature(factory)
        *own, last = signature.parameters.values()
        if last.kind is not inspect.Parameter.VAR_KEYWORD:
            raise TypeError(f"{factory.__name__} has no **params that it could hand on")
        declared = left_out.union(one.name for one in own)
        passed_on = [one for name, one in available.items() if name not in declared]
        factory.__signature__ = signature.replace(parameters=[*own, *passed_on])  # type: ignore[attr-defined]
        factory.parameters_of = classes  # type: ignore[attr-defined]
        return factory

    return decorate


def factory_of(made: type[_D], about: str, first: str = "", /, **fixed: object) -> Callable[..., _D]:
    """Return the factory of a component whose parameters are declared (:mod:`legalir.declared`).

    The parameter ``collection`` is the collection. A required parameter whose type has a method ``of``, as indexes and
    graphs do, is filled by ``of(collection, …)``; what else ``of`` takes becomes a parameter of the factory, too. So
    this is all that BM25 needs::

        bm25 = factory_of(BM25, "BM25 over the terms of `analyzer`: ``bm25(k1=1.5)``.")

    A function among `fixed` does for a parameter what ``of`` does, and what it takes is checked by its annotations::

        def numbers(collection: Collection, strict: bool = True) -> NumberTable | None: ...

        hyde = factory_of(HyDE, "Search with a hypothetical provision: ``hyde(strict=False)``.", numbers=numbers)

    Required parameters that are transformers are nested pipelines, given by position; all others are given by name.

    Args:
        made: the class.
        about: what the component does, with an example of its use in an expression, for ``legalir plugins show``.
        first: the parameter that a text given by position fills; by default the first required one, or the first.
        fixed: parameters that the factory fills in itself: a value, such as ``analyzer="char3"``, or a function of the
            collection.
    """
    declared = inspect.signature(made).parameters
    required = {
        name: fields(made)[name].kinds[0]
        for name, one in declared.items()
        if one.default is _REQUIRED and name not in fixed
    }
    functions: dict[str, Any] = {name: one for name, one in fixed.items() if inspect.isroutine(one)}
    values = {name: one for name, one in fixed.items() if name not in functions}
    makers = {name: kind.of for name, kind in required.items() if hasattr(kind, "of")} | functions
    options = {name: list(inspect.signature(maker).parameters.values())[1:] for name, maker in makers.items()}
    transformer = pkgutil.resolve_name(_TRANSFORMER[1][0])
    # Some indexes are transformers, too.
    nested = [
        name
        for name, kind in required.items()
        if name == PIPELINES or (name not in makers and inspect.isclass(kind) and issubclass(kind, transformer))
    ]

    def make(collection: object, *pipelines: object, **params: Any) -> _D:
        params = {**params, **values}
        for field in (one for function in functions.values() for one in fields(function).values()):
            if field.name in params:
                field.check(component_name(made), params[field.name])
        filled = {
            name: (functions.get(name) or required[name].of)(
                collection, **{one.name: params[one.name] for one in options[name] if one.name in params}
            )
            for name in makers
        }
        own = {name: value for name, value in params.items() if name in declared and name not in filled}
        if "collection" in declared:
            own["collection"] = collection
        if nested == [PIPELINES]:
            return made(*pipelines, **filled, **own)
        return made(**filled, **dict(zip(nested, pipelines, strict=True)), **own)

    by_name = {one.name: one for of in options.values() for one in of}
    by_name |= {name: one for name, one in declared.items() if name not in (*makers, *nested, "collection")}
    by_name = dict(sorted(by_name.items(), key=lambda item: (item[0] != first, item[1].default is not _REQUIRED)))
    make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter("collection", inspect.Parameter.POSITIONAL_ONLY),
            *(declared[name] for name in nested),
            *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for name, one in by_name.items() if name not in values),
        ]
    )
    make.parameters_of = (*functions.values(), made, *makers.values())  # type: ignore[attr-defined]
    make.__name__ = make.__qualname__ = component_name(made)
    make.__module__, make.__doc__ = made.__module__, about
    return make


_BY_NAME = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_ARGS, _PARAMS = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
_REQUIRED = inspect.Parameter.empty


class Signature:
    """The signature of a factory, for checks of a call; a factory whose signature cannot be read accepts any call.

    Args:
        name: the component's name, for messages.
        factory: its factory.

    Attributes:
        parameters: the parameters after the collection, in order.
    """

    def __init__(self, name: str, factory: Factory) -> None:
        self.name = name
        self._signature = _signature(factory)
        declared = list(self._signature.parameters.values()) if self._signature is not None else []
        # A factory declared with *args has no separate parameter for the collection.
        self.parameters = declared[1:] if declared and declared[0].kind is not _ARGS else declared

    @property
    def takes_collection(self) -> bool:
        """Whether the first parameter takes the collection by position."""
        first = next(iter(self._signature.parameters.values()), None) if self._signature is not None else None
        by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, _ARGS)
        return self._signature is None or (first is not None and first.kind in by_position)

    @property
    def takes_left(self) -> bool:
        """Whether the factory has the keyword-only parameter ``left``."""
        return any(one.name == "left" and one.kind is inspect.Parameter.KEYWORD_ONLY for one in self.parameters)

    @property
    def text_parameter(self) -> str | None:
        """The parameter that a text given by position fills: the first one that is given by name; None if none is."""
        return next((one.name for one in self._named() if not takes_pipeline(one)), None)

    def unknown_parameter(self, names: Iterable[str]) -> tuple[str, str] | None:
        """Return the first of `names` that is not a parameter, and a sentence about it; None if all are."""
        if self._signature is None or any(one.kind is _PARAMS for one in self.parameters):
            return None
        accepted = {one.name for one in self._named()}
        name = next((name for name in names if name not in accepted), None)
        if name is None:
            return None
        return name, f"{self.name} has no parameter {name!r}.{suggestion(name, accepted)} {self._accepts()}"

    def fault(self, pipelines: Sequence[object], params: Mapping[str, object]) -> str | None:
        """Return a sentence about what a call lacks, or has too much of; None for a call that fits."""
        if self._signature is None:
            return None
        places = [one for one in self.parameters if takes_pipeline(one)]
        if len(pipelines) > len(places) and not any(one.kind is _ARGS for one in places):
            given = f"{len(pipelines)} pipeline{'s' if len(pipelines) > 1 else ''}"
            limit = f"{len(places)} at most" if places else "none"
            return f"{self.name} was given {given} and takes {limit}. {self._accepts()}"
        try:
            self._signature.bind(None, *pipelines, **params)
        except TypeError as error:
            return f"{self.name}: {error}. {self._accepts()}"
        return None

    def defaults(self) -> dict[str, object]:
        """Return the default of each parameter that has one, by name."""
        return {one.name: one.default for one in self._named() if one.default is not _REQUIRED}

    def _named(self) -> list[inspect.Parameter]:
        return [one for one in self.parameters if one.kind in _BY_NAME and one.name not in RESERVED]

    def _accepts(self) -> str:
        shown = [one.name if one.default is _REQUIRED else f"{one.name}={one.default!r}" for one in self._named()]
        return f"It accepts {', '.join(shown)}." if shown else "It accepts no parameters."


def _signature(factory: Factory) -> inspect.Signature | None:
    try:
        return inspect.signature(factory)
    except Exception:  # A plugin may do anything there.
        return None


def takes_pipeline(parameter: inspect.Parameter) -> bool:
    """Return True if a nested pipeline fills a parameter: positional without a default, or ``*pipelines``."""
    if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
        return parameter.default is _REQUIRED
    return parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, _ARGS)
