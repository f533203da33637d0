"""What a plugin is called, and what it can be: one entry point, known from metadata alone."""

from __future__ import annotations

from typing import NamedTuple, Protocol

__all__ = ["GROUP", "PIPELINE_ROLES", "RESERVED", "ROLES", "Factory", "PluginEntry"]

GROUP = "legalir.v1"
"""The entry-point group; its number is the version of the contract between legalir and a plugin."""

PIPELINE_ROLES = ("retriever", "fuser", "expander", "reranker", "generator")
"""Roles whose factories return a transformer; their names are those of pipeline expressions."""

ROLES = ("analyzer", "encoder", *PIPELINE_ROLES, "source")
"""Every role a plugin can play."""

RESERVED = ("collection", "left")
"""Parameters of a factory that legalir fills in."""


class Factory(Protocol):
    """What an entry point holds: makes the component of its role for a collection."""

    def __call__(self, collection: object, *pipelines: object, **params: object) -> object:
        """Return the component."""


class PluginEntry(NamedTuple):
    """One entry point, known from metadata alone.

    Attributes:
        role: what the component does, one of :data:`ROLES`.
        name: what it is called in expressions.
        package: the distribution that offers it, in normal form (``legalir-kiwi``).
        version: of that distribution.
        value: where the factory is, ``module:attribute``.
        group: the contract that it was written for; only entries of :data:`GROUP` are ever imported.
    """

    role: str
    name: str
    package: str
    version: str
    value: str
    group: str = GROUP

    def __str__(self) -> str:
        return f"{self.role} {self.name!r} of package {self.package} {self.version}"
