"""Which system an error comes from: PyTerrier runs all of them together, and names none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType

import pyterrier as pt

from legalir.errors import LegalIRError, PluginError
from legalir.plugins import culprit, describe

__all__ = ["naming"]


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
        name = _running(error.__traceback__, pipelines)
        if name is None:
            raise
        if isinstance(error, LegalIRError):
            raise type(error)(f"The system {name!r}: {error}") from error
        if (plugin := culprit(error)) is not None:
            raise PluginError(f"The system {name!r}: The {plugin} failed while it ran: {describe(error)}.") from error
        raise


def _running(traceback: TracebackType | None, pipelines: Mapping[str, pt.Transformer]) -> str | None:
    """Return the first pipeline that has the step which stands outermost in the traceback, else None."""
    steps: dict[int, str] = {}
    for name, pipeline in pipelines.items():
        for step in _steps(pipeline):
            steps.setdefault(id(step), name)
    while traceback is not None:
        found = steps.get(id(traceback.tb_frame.f_locals.get("self")))
        if found is not None:
            return found
        traceback = traceback.tb_next
    return None


def _steps(pipeline: pt.Transformer) -> tuple[pt.Transformer, ...]:
    return tuple(pipeline) if isinstance(pipeline, pt.Compose) else (pipeline,)
