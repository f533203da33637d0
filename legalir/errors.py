"""The exceptions that legalir raises on purpose, in one tree.

::

    LegalIRError                 base: a message of one sentence: what is wrong, where, and what to do
    ├── DataError                a dataset, folder, file or line that cannot be used
    │   ├── FormatError          a line or file that breaks the folder format (names file, line, fault)
    │   ├── DatasetNotFound      an id or path without a dataset
    │   └── DownloadError        a collection that could not be fetched or failed verification
    ├── ArtifactError            an index that is missing, truncated, altered or built for something else
    ├── AnalyzerError            an analyzer with an unknown name or a wrong parameter
    ├── ExpressionError          a pipeline expression that cannot be read
    ├── ComponentError           a component given a wrong parameter or a wrong frame
    │   └── ModelError           a language model that cannot be found, read or trusted
    ├── MeasureError             a measure that is unknown or cannot be computed
    ├── ExperimentError          an experiment that cannot be run, or a result that cannot be used
    │   └── DefinitionError      a YAML definition or recipe that is missing or wrong
    ├── PluginError              a plugin that is broken, disabled or claims a taken name
    │   └── PluginNotFound       a name that no installed package offers
    ├── MissingExtra             an optional package that is not installed (says how to install it)
    └── WorkerError              a process that ended in the middle of its work

A mistake of the user always raises one of these; any other exception is a bug.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import cache

__all__ = [
    "AnalyzerError",
    "ArtifactError",
    "ComponentError",
    "DataError",
    "DatasetNotFound",
    "DefinitionError",
    "DownloadError",
    "ExperimentError",
    "ExpressionError",
    "FormatError",
    "LegalIRError",
    "MeasureError",
    "MissingExtra",
    "ModelError",
    "PluginError",
    "PluginNotFound",
    "WorkerError",
    "describe",
    "suggestion",
]


class LegalIRError(Exception):
    """Base of every error that legalir raises on purpose.

    Attributes:
        component: the component that was given a wrong parameter; None for other errors, here and below.
        parameter: the name of the parameter.
        value: the value that was refused.
    """

    def __init__(
        self, *message: object, component: str | None = None, parameter: str | None = None, value: object = None
    ) -> None:
        super().__init__(*message)
        self.component = component
        self.parameter = parameter
        self.value = value


class DataError(LegalIRError):
    """A dataset, folder, file or line that cannot be used."""


class FormatError(DataError):
    """A file or line that breaks the folder format."""


class DatasetNotFound(DataError, KeyError):  # noqa: N818  (reads as the sentence it is)
    """An id or path without a dataset. It is a KeyError, too, as ``ir_datasets`` raises for an unknown id."""

    __str__ = DataError.__str__  # A KeyError is shown in quotation marks.


class DownloadError(DataError):
    """A collection that could not be fetched, or has other content than declared."""


class ArtifactError(LegalIRError):
    """An artifact on disk that is missing, truncated, altered or built for something else."""


class AnalyzerError(LegalIRError):
    """An analyzer with an unknown name or a wrong parameter."""


class ExpressionError(LegalIRError):
    """A pipeline expression that cannot be read."""


class ComponentError(LegalIRError):
    """A component that was given a wrong parameter or a wrong frame."""


class ModelError(ComponentError):
    """A language model whose files cannot be found, read or trusted."""


class MeasureError(LegalIRError):
    """A measure that is unknown or cannot be computed."""


class ExperimentError(LegalIRError):
    """An experiment that cannot be run, or a result that cannot be used."""


class DefinitionError(ExperimentError):
    """A YAML definition of an experiment, or recipe of a training, that is missing or wrong."""


class PluginError(LegalIRError):
    """A plugin that is broken, missing, or claims a name that is taken."""


class PluginNotFound(PluginError):  # noqa: N818  (reads as the sentence it is)
    """A component's name that no installed package offers."""


class MissingExtra(LegalIRError):  # noqa: N818  (reads as the sentence it is)
    """An optional package that is not installed."""


class WorkerError(LegalIRError):
    """A process that ended in the middle of its work."""


def describe(error: BaseException) -> str:
    """Return the type and the first line of an error, for a message of one sentence."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # The text of an error may be made by foreign code.
        lines = []
    return f"{type(error).__name__}: {lines[0].rstrip('.')}" if lines else type(error).__name__


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` when something in `known` is close to `name`, else an empty string."""
    import difflib

    close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.5)
    return f" Did you mean {close[0]!r}?" if close else ""


@cache
def warn_once(message: str) -> None:
    """Log a warning, once a process."""
    logging.getLogger("legalir").warning("%s", message)


def shown(value: object, most: int = 80) -> str:
    """Return the repr of a value for a message, cut to `most` characters."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."
