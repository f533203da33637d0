"""The environment of an experiment: enough to run it again, nothing about the person who ran it."""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from legalir.experiment.definition.definition import Definition, parse_measure
from legalir.experiment.runs.files import Run
from legalir.experiment.runs.fingerprints import frame_fingerprint, legalir_version
from legalir.experiment.runs.scores import is_ranking_measure
from legalir.measure.chunks import rule_of

if TYPE_CHECKING:
    from legalir.collection.collection import Collection
    from legalir.llm.client import Client, Usage

PACKAGES = (
    *("pyterrier", "ir-datasets", "ir-measures", "pytrec-eval-terrier", "numba", "numpy", "scipy", "pandas"),
    *("scikit-learn", "statsmodels", "networkx", "PyStemmer", "regex", "stop-words", "py3langid", "torch"),
    *("transformers", "sentence-transformers", "tokenizers", "faiss-cpu", "openai", "xllamacpp", "json-repair"),
)
"""Packages whose version may change a score or a time; those that are not installed are left out."""


def public_dataset_name(dataset: str) -> str:
    """Return a dataset id as it is; a path is cut to its last part, with the split if there is one."""
    path = Path(dataset).expanduser()
    if not (path.is_absolute() or dataset.startswith((".", "~")) or path.is_dir()):
        return dataset
    # "<folder>/<split>" is not a path itself.
    return path.name if path.is_dir() else "/".join(path.parts[-2:])


def describe_environment(
    definition: Definition,
    collection: Collection,
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    runs: Mapping[str, Run],
    absent: Mapping[str, str],
    seconds: float,
    usage: Usage,
) -> dict[str, object]:
    """Return the content of ``environment.json``: versions, machine, fingerprints, values, and how each run was made.

    `absent` holds the reason for each system without a run, `usage` what language models were asked.
    """
    from legalir.pipeline import canonical
    from legalir.pipeline.settings import tuned_digest

    shown = definition.shown()
    expressions = {
        name: text if name in definition.objects else canonical(text) for name, text in shown.expressions().items()
    }
    uses_default = any("default" in text for text in expressions.values())
    return {
        "legalir": legalir_version(),
        "python": platform.python_version(),
        "packages": _packages(),
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "processors": os.cpu_count(),
        },
        "dataset": {
            "id": public_dataset_name(definition.dataset),
            "corpus": collection.fingerprint(),
            "topics": frame_fingerprint(topics),
            "qrels": frame_fingerprint(qrels),
            "queries": len(topics),
            "judgements": len(qrels),
            "chunks": _chunk_rules(definition, collection),
            "language": collection.language,
            "tuned": tuned_digest(collection) if uses_default else None,
        },
        "values": dict(shown.values),
        "systems": {
            name: {"expression": text} | (_how(runs[name]) if name in runs else {"absent": absent[name]})
            for name, text in expressions.items()
        },
        "llm": _llm(collection.client, usage, runs.values()),
        "finished": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": round(seconds, 3),
    }


def _chunk_rules(definition: Definition, collection: Collection) -> dict[str, str] | None:
    """Return the rules by which chunks count, also of each measure of rankings; None if documents are provisions."""
    if collection.chunks is None:
        return None
    measures = {name: parse_measure(name) for name in definition.measures if is_ranking_measure(name)}
    return {"held": definition.chunks, **{name: rule_of(measure) for name, measure in measures.items()}}


def _how(run: Run) -> dict[str, object]:
    how = {"key": run.record.key, "seconds": round(run.record.seconds, 3), "reused": run.reused}
    how |= {"notes": remarks} if (remarks := run.remarks()) else {}
    return how if run.record.llm is None else {**how, "llm": run.record.llm}


def _llm(client: Client, usage: Usage, runs: Iterable[Run]) -> dict[str, object] | None:
    """Return what language models were asked now, with the models of all runs; None if no system asks one."""
    models: dict[str, str] = {}
    for run in runs:
        asked = (run.record.llm or {}).get("models")
        models |= asked if isinstance(asked, Mapping) else {}
    models |= usage.models if usage.asked + usage.stored else {}
    return {"model": client.llm_name(), **usage.to_dict(), "models": models} if models else None


def _packages() -> dict[str, str]:
    versions = {}
    for name in PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions
