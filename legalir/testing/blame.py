"""What a component raised, in one line: type, message, and the place in the component's own files."""

from __future__ import annotations

import inspect
import traceback
from pathlib import Path

from legalir.errors import LegalIRError, describe
from legalir.testing.subject import Subject

__all__ = ["told"]


def told(error: BaseException, subject: Subject | None) -> str:
    """Return a sentence on an error that left a component; one that was raised on purpose says all by itself."""
    when = "".join(getattr(error, "__notes__", []))
    if isinstance(error, LegalIRError):
        return f"it refused{when}: {error}" if when else str(error)
    frames = traceback.extract_tb(error.__traceback__)
    home = _home(subject)
    own = [frame for frame in frames if home is not None and Path(frame.filename).is_relative_to(home)]
    place = (own or [frame for frame in frames if Path(frame.filename).parent != Path(__file__).parent])[-1:]
    at = "".join(f" (at {Path(frame.filename).name}, line {frame.lineno}, in {frame.name})" for frame in place)
    return f"raised {describe(error)}{when}{at}: make it accept what this check gives it."


def _home(subject: Subject | None) -> Path | None:
    """Return the folder of the component's package, or the file where it is a module by itself."""
    if subject is None:
        return None
    try:
        factory = inspect.unwrap(subject.factory)
        file = Path(inspect.getsourcefile(factory) or "")
        package = str(getattr(factory, "__module__", "")).partition(".")[0]
    except Exception:  # Nothing that is wrong with the component may hide what it raised.
        return None
    return next((folder for folder in file.parents if folder.name == package), file)
