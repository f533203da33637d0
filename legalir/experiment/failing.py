"""Which system an error comes from: PyTerrier runs all of them together, and names none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType

import pyterrier as pt

from legalir.errors import LegalIRError, MissingExtra, ModelError, PluginError
from legalir.plugins import culprit, describe

__all__ = ["holding", "naming", "unavailable"]


@contextmanager
def naming(pipelines: Mapping[str, pt.Transformer]) -> Iterator[None]:
    """Begin an error of a component, or of a plugin that failed, with the system that was running.

    Args:
        pipelines: those that run, by the names of their systems. Of several that begin alike, the first is named.

    Raises:
        LegalIRError: as it was raised, with the name.
        PluginError: the code of a plugin failed; the message names it, too.
    """
    try:
        yield
    except pt.validate.InputValidationError:
        raise  # A component behind one that does not give its columns: nobody's code failed.
    except Exception as error:
        names = holding(error.__traceback__, pipelines)
        if not names:
            raise
        name = names[0]
        if isinstance(error, LegalIRError):
            raise type(error)(f"The system {name!r}: {error}") from error
        if (plugin := culprit(error)) is not None:
            raise PluginError(f"The system {name!r}: The {plugin} failed while it ran: {describe(error)}.") from error
        raise


def holding(traceback: TracebackType | None, pipelines: Mapping[str, pt.Transformer]) -> list[str]:
    """Return the names of all pipelines that have the step which stands outermost in the traceback, or its equal."""
    steps = {id(step): step for pipeline in pipelines.values() for step in _steps(pipeline)}
    while traceback is not None:
        found = steps.get(id(traceback.tb_frame.f_locals.get("self")))
        if found is not None:
            return [name for name, pipeline in pipelines.items() if found in _steps(pipeline)]
        traceback = traceback.tb_next
    return []


def unavailable(error: BaseException | None) -> ModelError | MissingExtra | None:
    """Return the error about an absent model or package from which `error` arose, or which it is; or None."""
    while error is not None and not isinstance(error, ModelError | MissingExtra):
        error = error.__cause__
    return error


def _steps(pipeline: pt.Transformer) -> tuple[pt.Transformer, ...]:
    return tuple(pipeline) if isinstance(pipeline, pt.Compose) else (pipeline,)
