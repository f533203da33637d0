"""Mutants of components that work on frames: right ones, each spoiled in one way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import right_components as right

from legalir.frames.component import Component

Spoil = Callable[["Spoiled", pd.DataFrame], pd.DataFrame]
Factory = Callable[..., Any]

KINDS: dict[str, tuple[str, Factory]] = {
    "retriever": ("retriever", right.overlap),
    "fuser": ("fuser", right.best),
    "reranker": ("reranker", right.squared),
    "expander": ("expander", right.squared),
    "rewriter": ("expander", right.shout),
    "generator": ("generator", right.first),
    "judge": ("judge", right.brief),
}
"""Role and right factory of each kind of component; there are two kinds of expanders."""

RANKED = ("retriever", "fuser", "reranker", "expander")
"""Kinds that give results."""


class Spoiled(Component):
    """A component that calls `inner` and spoils its output by `how`, which also gets the collection."""

    def __init__(self, inner: Any, how: Spoil, collection: Any) -> None:
        self.inner = inner
        self.how = how
        self.collection = collection
        self.memory: set[Any] = set()

    def _arguments(self) -> dict[str, Any]:
        return {"inner": self.inner}  # Functions and collections have an address in their representation.

    def __reduce__(self) -> tuple[Any, ...]:
        _HOW[id(self.how)] = self.how  # Functions of a test have no name to pickle.
        return _again, (type(self), self.inner, id(self.how), self.collection)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return self.how(self, inp)

    def right(self, inp: pd.DataFrame) -> pd.DataFrame:
        out: pd.DataFrame = self.inner.transform(inp)
        return out


_HOW: dict[int, Spoil] = {}


def _again(made: type[Spoiled], inner: Any, how: int, collection: Any) -> Spoiled:
    return made(inner, _HOW[how], collection)


def by(how: Spoil, made: type[Spoiled] = Spoiled) -> Callable[[Factory], Factory]:
    """Return what turns a right factory into one whose components are spoiled by `how`."""

    def spoil(factory: Factory) -> Factory:
        def spoiled(collection: Any, *pipelines: Any, **params: Any) -> Spoiled:
            return made(factory(collection, *pipelines, **params), how, collection)

        return with_signature(spoiled, factory)

    return spoil


def with_signature(spoiled: Factory, factory: Factory) -> Factory:
    """Give a mutant the parameters of the right factory, which the kit looks at."""
    import inspect

    spoiled.__signature__ = inspect.signature(factory)  # type: ignore[attr-defined]
    return spoiled


def changed(out: pd.DataFrame) -> pd.DataFrame:
    """Return `out` with other scores, answers or questions."""
    if "score" in out:
        return out.assign(score=out["score"] * 2)
    column = "qanswer" if "qanswer" in out else "query"
    return out.assign(**{column: out[column] + "!"})


def changed_if(condition: Callable[[Spoiled, pd.DataFrame], bool]) -> Callable[[Factory], Factory]:
    """Return a mutant that says something else where `condition` holds of its input."""

    def how(self: Spoiled, inp: pd.DataFrame) -> pd.DataFrame:
        out = self.right(inp)
        return changed(out) if len(inp) and condition(self, inp) else out

    return by(how)


def always(how: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[Factory], Factory]:
    """Return a mutant that does something to every output, also to an empty one."""
    return by(lambda self, inp: how(self.right(inp)))


def raising(condition: Callable[[Spoiled, pd.DataFrame], bool]) -> Callable[[Factory], Factory]:
    """Return a mutant that raises where `condition` holds of its input."""

    def how(self: Spoiled, inp: pd.DataFrame) -> pd.DataFrame:
        if len(inp) and condition(self, inp):
            raise ValueError("cannot cope")
        return self.right(inp)

    return by(how)
