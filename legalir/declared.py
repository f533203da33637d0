"""Parameters that are declared once: the annotated attributes of a class are its constructor, its checks and its docs.

::

    class Decay(Component):
        name = "decay"
        graph: CitationGraph
        share: Annotated[float, Ge(0), Le(1), "part of the score that one step keeps"] = 0.5
        num_results: Annotated[int | None, Ge(1), "results per query; None for all"] = None

``Decay(graph, share=2)`` raises a :class:`~legalir.errors.ComponentError` that names component, parameter and value,
and so does ``decay.share = 2``. A text among the annotations describes the parameter; bounds are those of
``annotated_types``. Subclasses inherit the parameters, as those of ``dataclasses`` do.
"""

from __future__ import annotations

import inspect
import math
import typing
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import KW_ONLY
from functools import cache
from itertools import chain
from numbers import Integral, Real
from os import PathLike
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    dataclass_transform,
    get_args,
    get_origin,
)

from annotated_types import Ge, Gt, Le

from legalir.errors import ComponentError, LegalIRError, suggestion

_REQUIRED = inspect.Parameter.empty
PIPELINES = "pipelines"
"""Name of the parameter that takes any number of values by position."""


class Field(NamedTuple):
    """A declared parameter.

    Attributes:
        name: of the parameter.
        kinds: the types of its values, each without the others of a union.
        bounds: the bounds of a number.
        text: what it means; may be empty.
        default: its default, or ``inspect.Parameter.empty``.
    """

    name: str
    kinds: tuple[Any, ...]
    bounds: tuple[Ge | Gt | Le, ...]
    text: str
    default: Any = _REQUIRED

    @property
    def description(self) -> str:
        """The meaning with the accepted values, as one sentence; empty if neither is known."""
        choices = [choice for kind in self.kinds if get_origin(kind) is Literal for choice in get_args(kind)]
        explained = all(f"``{choice}``" in self.text for choice in choices)
        accepted = _range(self.bounds) or ("" if explained else f"one of {', '.join(map(str, choices))}")
        return f"{self.text} ({accepted})." if self.text and accepted else self.text or accepted

    def accepts(self, value: object) -> bool:
        """Return True if `value` is a value of one of the types, within the bounds."""
        return any(_is_a(value, kind, self.bounds) for kind in self.kinds)

    def beyond(self) -> list[Any]:
        """Return the numbers just outside the bounds."""
        below = [one.ge - 1 for one in self.bounds if isinstance(one, Ge)]  # type: ignore[operator]
        above = [one.le + 1 for one in self.bounds if isinstance(one, Le)]  # type: ignore[operator]
        return [*below, *(one.gt for one in self.bounds if isinstance(one, Gt)), *above]

    def check(self, component: str, value: object) -> None:
        """Check a value.

        Raises:
            ComponentError: it is not accepted.
        """
        if self.accepts(value):
            return
        wanted = [_phrase(kind, self.bounds) for kind in self.kinds if kind is not NoneType]
        choices = [choice for kind in self.kinds if get_origin(kind) is Literal for choice in get_args(kind)]
        texts = [choice for choice in choices if isinstance(choice, str)]
        hint = suggestion(value, texts) if isinstance(value, str) and texts else ""
        if isinstance(value, str) and any(getattr(kind, "__name__", "") == "Transformer" for kind in self.kinds):
            hint = " In an expression, write a pipeline without quotes."
        _refuse(component, self.name, value, " or ".join(dict.fromkeys(wanted)), hint)


@dataclass_transform(eq_default=False)
class Declared:
    """An object with the identity of its parameters, which are the annotated attributes of its class.

    Parameters after ``_: KW_ONLY`` are given by name and come last, so that a base can have defaults.
    A class may have a constructor of its own instead, which stores each argument under the argument's own name.
    Equality, hash and ``repr`` follow from the arguments. What depends on several of them is checked, or computed, in
    ``__post_init__``, which runs when all are set and valid.

    All that an object keeps follows from its arguments. An argument that is set later, as ``pt.GridSearch`` does,
    makes it the object that the constructor makes of the new arguments: they are checked, and nothing stays that was
    computed from the old ones. After an error it is unchanged. Copies and pickles contain only the arguments.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...  # Each class gets one of its own.

    def __init_subclass__(cls, *, init: bool = True, **kwargs: Any) -> None:
        # `init` is for type checkers: with False, they keep the constructor of the base.
        super().__init_subclass__(**kwargs)
        if "__init__" not in cls.__dict__ and hasattr(cls.__init__, "__signature__"):
            cls.__init__ = _constructor(cls)  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        """Check or compute what depends on several parameters."""

    def __setattr__(self, name: str, value: Any) -> None:
        held, parameters = self.__dict__, _parameters(self)
        # The constructor itself sets them one by one.
        if name in parameters and _MAKING not in held and held.keys() >= parameters.keys():
            super().__setattr__("__dict__", self._changed(**{name: value}).__dict__)
        else:
            super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), self._given())

    def _given(self) -> dict[str, Any]:
        """Return all arguments of the constructor, by name."""
        return {name: getattr(self, name) for name in _parameters(self)}

    def _arguments(self) -> dict[str, Any]:
        """Return the arguments that make two objects different, by name."""
        return self._given()

    def _changed(self, **arguments: Any) -> Self:
        """Return a new object with other values of some arguments; errors as the constructor."""
        changed: Self = _make(type(self), {**self._given(), **arguments})
        return changed

    def _cut(self, **arguments: Any) -> Self:
        """Return a copy that keeps what was computed, with other values of arguments on which none of it depends."""
        copied: Self = object.__new__(type(self))
        copied.__dict__.update({**self.__dict__, **arguments})
        return copied

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._arguments() == other._arguments()

    # Typed, because mypy would take the classes for objects without a hash.
    __hash__: ClassVar[Any] = lambda self: hash((type(self), *map(hashable, self._arguments().values())))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self._arguments().items())
        return f"{type(self).__name__}({inside})"


_MAKING = "_making"
"""Attribute of an object whose constructor runs, during which its arguments may be set twice."""


def _make(made: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the object of a class with these arguments of the constructor."""
    bound = inspect.BoundArguments(_signature(made), OrderedDict(arguments))
    one = made.__new__(made, *bound.args, **bound.kwargs)
    one.__dict__[_MAKING] = True
    one.__init__(*bound.args, **bound.kwargs)
    del one.__dict__[_MAKING]
    return one


@cache
def _signature(made: type) -> inspect.Signature:
    return inspect.signature(made)


def _parameters(one: Declared) -> Mapping[str, inspect.Parameter]:
    made: Any = type(one)
    return _signature(made).parameters


def _constructor(made: Any) -> Callable[..., None]:
    """Return the constructor that a class declares; after ``*pipelines``, all is given by name."""
    names: dict[str, tuple[bool, int]] = {}
    for depth, base in enumerate(reversed(made.__mro__)):
        by_name = False
        for name, annotation in inspect.get_annotations(base).items() if issubclass(base, Declared) else ():
            by_name = by_name or annotation in (KW_ONLY, "KW_ONLY")
            constant = str(annotation).removeprefix("typing.").startswith("ClassVar")
            # A property takes the place of a parameter of the base.
            if not (constant or name.startswith("_") or isinstance(getattr(made, name, None), property)):
                names.setdefault(name, (by_name and name != PIPELINES, -depth * by_name))
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for name in sorted(names, key=lambda name: names[name]):  # What is given by name: of subclasses first.
        if name == PIPELINES:
            parameters.append(inspect.Parameter(name, inspect.Parameter.VAR_POSITIONAL))
        kind = inspect.Parameter.KEYWORD_ONLY if name == PIPELINES or names[name][0] else kind
        if name != PIPELINES:
            parameters.append(inspect.Parameter(name, kind, default=getattr(made, name, _REQUIRED)))
    signature = inspect.Signature(parameters)

    def __init__(self: Declared, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        try:
            bound = signature.bind(self, *args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{made.__name__}: {error}") from None
        bound.apply_defaults()
        outer = _MAKING in self.__dict__
        self.__dict__[_MAKING] = True
        given = {name: value for name, value in bound.arguments.items() if name != "self"}
        shown = component_name(type(self))
        # What a user gives by name is checked first; pipelines are the matter of the class.
        for field in sorted(fields(made).values(), key=lambda field: field.default is _REQUIRED):
            if field.name != PIPELINES:
                field.check(shown, given[field.name])
        for name, value in given.items():
            setattr(self, name, value)
        self.__post_init__()
        if not outer:
            del self.__dict__[_MAKING]

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


Declared.__init__ = _constructor(Declared)  # type: ignore[method-assign]


def component_name(made: type) -> str:
    """Return the name of a class in messages: its constant ``component`` or ``name``, or the name of the class."""
    names = (getattr(made, constant, "") for constant in ("component", "name"))
    return next((name for name in names if isinstance(name, str) and name), made.__name__)


@cache
def fields(made: type) -> Mapping[str, Field]:
    """Return the declared parameters of a class, by name, in the order of the constructor.

    Raises:
        NameError: an annotation has a name that its module imports for type checkers only.
    """
    hints = typing.get_type_hints(made, include_extras=True)
    return {
        name: _field(name, hints[name], one.default)
        for name, one in inspect.signature(made).parameters.items()
        if name in hints
    }


def _field(name: str, hint: Any, default: object) -> Field:
    kinds, extras = _parts(hint)
    bounds = tuple(one for one in extras if isinstance(one, Ge | Gt | Le))
    return Field(name, kinds, bounds, " ".join(one for one in extras if isinstance(one, str)), default)


def _parts(hint: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the types of an annotation, each without the others of a union, and what is said of them."""
    if get_origin(hint) is Annotated:
        kinds, extras = _parts(hint.__origin__)
        return kinds, (*extras, *hint.__metadata__)
    if get_origin(hint) not in (typing.Union, UnionType):
        return (hint,), ()
    kinds, extras = zip(*map(_parts, get_args(hint)), strict=True)
    return tuple(chain(*kinds)), tuple(chain(*extras))


def arguments_section(made: type) -> Iterator[str]:
    """Yield the lines of the section ``Args:`` of a class's docs; none for a class that declares nothing."""
    described = {name: field.description for name, field in fields(made).items() if field.description}
    if described:
        yield "Args:"
        yield from (f"    {name}: {text}" for name, text in described.items())
        yield ""


def _is_a(value: object, kind: Any, bounds: tuple[Ge | Gt | Le, ...]) -> bool:
    if kind is float or kind is int:
        number = isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
        return number and math.isfinite(value) and all(_fits(value, bound) for bound in bounds)  # type: ignore[arg-type]
    if get_origin(kind) is Literal:
        return any(type(value) is type(choice) and value == choice for choice in get_args(kind))
    if get_origin(kind) is PathLike:
        kind = PathLike
    if inspect.isclass(kind) and kind is not Any and not getattr(kind, "_is_protocol", False):
        return isinstance(value, kind)
    return True  # A container or a protocol: what is in it shows in use.


def _fits(value: Any, bound: Ge | Gt | Le) -> bool:
    match bound:
        case Ge(ge=low):
            return bool(value >= low)
        case Gt(gt=low):
            return bool(value > low)
        case Le(le=high):
            return bool(value <= high)


def _range(bounds: tuple[Ge | Gt | Le, ...]) -> str:
    """Return bounds in words: ``at least 0``, ``from 0 to 1``, ``above 0, at most 1``."""
    least = next((one.ge for one in bounds if isinstance(one, Ge)), None)
    above = next((one.gt for one in bounds if isinstance(one, Gt)), None)
    most = next((one.le for one in bounds if isinstance(one, Le)), None)
    if least is not None and most is not None:
        return f"from {least:.12g} to {most:.12g}"
    words = (("at least", least), ("above", above), ("at most", most))
    return ", ".join(f"{word} {number:.12g}" for word, number in words if number is not None)


def _phrase(kind: Any, bounds: tuple[Ge | Gt | Le, ...]) -> str:
    """Return what a value of a type is, for messages: ``an integer of at least 1``."""
    if kind is float or kind is int:
        noun, within = "an integer" if kind is int else "a number", _range(bounds)
        return " ".join(filter(None, (noun, "of" if within.startswith("at") else "", within)))
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    if kind is bool:
        return "true or false"
    noun = "text" if kind is str else getattr(kind, "__name__", str(kind))
    return f"{'an' if noun[0] in 'AEIOU' else 'a'} {noun}"


def _refuse(
    component: str, name: str, value: object, wanted: str, hint: str = "", error: type[LegalIRError] = ComponentError
) -> None:
    prefix = f"{component}: " if component else ""
    message = f"{prefix}{name}={value!r} is not {wanted}.{hint}"
    raise error(message, component=component or None, parameter=name, value=value)


def hashable(value: Any) -> Any:
    """Return a copy of an argument that can be hashed: dicts and lists as tuples."""
    if isinstance(value, dict):
        return tuple(sorted((key, hashable(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return tuple(map(hashable, value))
    return value


def check_number(
    component: str, name: str, value: Any, *, low: float, high: float = float("inf"), integer: bool = False
) -> None:
    """Check that parameter `name` of `component` is a finite number in ``[low, high]``.

    Raises:
        ComponentError: with the component, the parameter, the value and the accepted range.
    """
    bounds = (Ge(low),) if high == float("inf") else (Ge(low), Le(high))
    Field(name, (int if integer else float,), bounds, "").check(component, value)


def check_flag(component: str, name: str, value: object) -> None:
    """Check that parameter `name` of `component` is True or False.

    Raises:
        ComponentError: with the component, the parameter and the value.
    """
    Field(name, (bool,), (), "").check(component, value)


def check_choice(
    component: str,
    name: str,
    value: object,
    choices: Collection[str],
    error: type[LegalIRError] = ComponentError,
) -> None:
    """Check that parameter `name` of `component` is one of `choices`.

    Args:
        component: name of the component; empty if the name of the parameter is enough.
        name: name of the parameter.
        value: value of the parameter.
        choices: the accepted values.
        error: kind of the error.

    Raises:
        ComponentError: with the component, the parameter, the value and the choices; or `error` instead.
    """
    if not isinstance(value, str) or value not in choices:
        hint = suggestion(value, tuple(choices)) if isinstance(value, str) else ""
        _refuse(component, name, value, f"one of {', '.join(choices)}", hint, error)
