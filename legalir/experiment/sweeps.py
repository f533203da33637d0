"""A parameter that takes several values: one system a value, drawn as a curve in the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Sweep", "Value"]

Value = float | int | str | bool | None | tuple[float | int, ...]


@dataclass(frozen=True)
class Sweep:
    """Systems that differ in one parameter.

    Attributes:
        name: heading of the curve.
        parameter: its name in `expression`, in braces.
        values: what takes its place, as the expression language writes it; a list stays a list.
        expression: such as ``lsa >> sar(beta={beta})``.
    """

    name: str
    parameter: str
    values: tuple[Value, ...]
    expression: str

    def systems(self) -> dict[str, str]:
        """Return name and expression of one system for each value."""
        return {self.system(value): self._expression(value) for value in self.values}

    def system(self, value: Value) -> str:
        """Return the name of the system with this value."""
        return f"{self.name}, {self.parameter}={self.text(value)}"

    def text(self, value: Value) -> str:
        """Return a value as a reader wants it."""
        return " : ".join(map(str, value)) if isinstance(value, tuple) else str(value)

    def _expression(self, value: Value) -> str:
        literal = repr(list(value)) if isinstance(value, tuple) else repr(value)
        return self.expression.replace(f"{{{self.parameter}}}", literal)

    def as_dict(self) -> Mapping[str, object]:
        """Return plain values, as the YAML file holds them."""
        values = [list(value) if isinstance(value, tuple) else value for value in self.values]
        return {
            "name": self.name,
            "parameter": self.parameter,
            "values": values,
            "expression": self.expression,
        }
