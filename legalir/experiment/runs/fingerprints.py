"""Keys of runs: a sha256 of everything that a run depends on."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pandas as pd
import pyterrier as pt

from legalir.storage.digest import digest, file_digest


def legalir_version() -> str:
    """Return the installed version of legalir, or ``unknown`` in a tree that was never installed."""
    try:
        return metadata.version("legalir")
    except metadata.PackageNotFoundError:
        return "unknown"


@functools.cache
def source_fingerprint() -> str:
    """Return a sha256 over the code that may change a run: legalir without its experiments and command line.

    The version alone would do for users, but not for those who work on a component.
    """
    root = Path(__file__).parents[2]
    files = sorted(path.relative_to(root) for path in root.rglob("*.py"))
    parts = [path for path in files if path.parts[0] not in {"cli", "experiment", "testing"}]
    return digest([[path.as_posix(), file_digest(root / path)] for path in parts])


def frame_fingerprint(frame: pd.DataFrame) -> str:
    """Return a sha256 over the columns and cells of a frame, in the order of its rows."""
    text = frame.to_csv(index=False, lineterminator="\n")
    return hashlib.sha256(text.encode()).hexdigest()


def pipeline_fingerprint(pipeline: pt.Transformer) -> str:
    """Return a sha256 over the components of a pipeline and what they have opened.

    It covers the class of each component, its file, and the version of its package; and the ``fingerprint``, an
    attribute or a method without arguments, of everything that a component holds: an index, an analyzer, an encoder,
    another pipeline. So a pipeline over another index is another pipeline.
    """
    return digest(list(_parts(pipeline, set())))


def object_fingerprint(pipeline: pt.Transformer) -> str | None:
    """Return a sha256 over a transformer that was given as an object: its state, and its components.

    None if its state cannot be written, such as an open connection: then nobody knows whether it has changed.
    """
    import cloudpickle

    try:
        state = cloudpickle.dumps(pipeline)
    except Exception:  # Any class may refuse in its own way.
        return None
    return digest([hashlib.sha256(state).hexdigest(), pipeline_fingerprint(pipeline)])


def notes(pipeline: pt.Transformer) -> list[str]:
    """Return the remarks of the components of a pipeline, each once, in order: their attribute ``note``."""
    own = getattr(pipeline, "note", "")
    inner = [value for value in vars(pipeline).values() if isinstance(value, pt.Transformer | tuple | list)]
    parts = [part for value in inner for part in (value if isinstance(value, tuple | list) else [value])]
    below = [note for part in parts if isinstance(part, pt.Transformer) for note in notes(part)]
    return list(dict.fromkeys(filter(None, [own, *below])))


def _parts(value: object, seen: set[int]) -> Iterator[str]:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, list | tuple):
        for item in value:
            yield from _parts(item, seen)
        return
    own = getattr(value, "fingerprint", None) if hasattr(type(value), "fingerprint") else None
    if own is None:
        own = vars(value).get("fingerprint") if hasattr(value, "__dict__") else None
    if callable(own):
        own = own()
    if isinstance(own, str):
        yield own
    elif isinstance(value, pt.Artifact):
        yield from _manifest(value)
    if isinstance(value, pt.Transformer):
        yield _origin(type(value))
        for name in sorted(vars(value)):
            yield from _parts(vars(value)[name], seen)


def _manifest(artifact: pt.Artifact) -> Iterator[str]:
    # An artifact of another package: its description on disk changes when it is built again.
    for name in ("pt_meta.json", "manifest.json"):
        path = Path(str(artifact.path)) / name
        if path.is_file():
            yield file_digest(path)


def _origin(kind: type) -> str:
    name = f"{kind.__module__}.{kind.__qualname__}"
    package = kind.__module__.partition(".")[0]
    if package == "legalir":
        return name  # source_fingerprint covers it
    # Most packages have the name of their distribution; for others there are the name and the file of the class.
    version, code = "", ""
    with contextlib.suppress(metadata.PackageNotFoundError, ValueError):
        version = metadata.version(package)
    with contextlib.suppress(TypeError, OSError):
        code = file_digest(Path(inspect.getsourcefile(kind) or ""))
    return f"{name} {version} {code}"


def run_key(corpus: str, topics: str, expression: str, pipeline: pt.Transformer, depth: int) -> str:
    """Return the key under which a run may be reused.

    It covers the fingerprints of the corpus and of the questions, the canonical expression, the depth of the run, the
    code of legalir, and what the components have opened. Judgements are not part of it: a run does not depend on them.
    """
    return digest(
        {
            "expression": expression,
            "corpus": corpus,
            "topics": topics,
            "depth": depth,
            "legalir": [legalir_version(), source_fingerprint()],
            "components": pipeline_fingerprint(pipeline),
        }
    )
