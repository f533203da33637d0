"""Runs on disk: a TREC file that reads back exactly, and beside it what it was made from."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.errors import ExperimentError
from legalir.experiment.runs.latency import Latency
from legalir.storage.digest import file_digest
from legalir.storage.files import atomic_file

__all__ = ["RUN_COLUMNS", "RunRecord", "read_record", "read_run", "run_paths", "write_record", "write_run"]

RUN_COLUMNS = ("qid", "docno", "score", "rank")
"""The columns of a run: strings, strings, finite floats, and integers from 0."""


@dataclass(frozen=True)
class RunRecord:
    """How a run was made.

    Attributes:
        system: the name of the system.
        expression: its canonical expression.
        key: the key of :func:`legalir.experiment.runs.fingerprints.run_key`.
        sha256: of the run file.
        queries: how many queries were asked.
        seconds: time for all of them together, shared prefixes counted in full.
        latency: the response time of single queries, None where it was not measured.
    """

    system: str
    expression: str
    key: str
    sha256: str
    queries: int
    seconds: float
    latency: Latency | None = None


def run_paths(folder: Path, systems: Iterable[str]) -> dict[str, Path]:
    """Return the path of each system's run file: the system's name where that is possible, and unique."""
    slugs = {system: re.sub(r"[^\w.+=-]+", "-", system).strip("-.")[:60] for system in systems}
    # Some file systems do not tell case apart.
    taken = Counter(slug.casefold() for slug in slugs.values())
    return {
        system: folder / f"{slug if slug and taken[slug.casefold()] == 1 else _with_hash(slug, system)}.trec"
        for system, slug in slugs.items()
    }


def _with_hash(slug: str, system: str) -> str:
    return f"{slug}-{hashlib.sha256(system.encode()).hexdigest()[:8]}".lstrip("-")


def write_run(path: Path, run: pd.DataFrame, tag: str) -> None:
    """Write a run as ``qid Q0 docno rank score tag``, separated by tabs, scores exact.

    Ranks count from 0 as PyTerrier's do; TREC's tools order by score. Tabs, which those tools take as they
    take spaces, keep a docno with a space in one piece.
    """
    frame = pd.DataFrame(
        {
            "qid": run["qid"],
            "q0": "Q0",
            "docno": run["docno"],
            "rank": run["rank"],
            "score": run["score"].astype(np.float64),
            "tag": re.sub(r"\s+", "_", tag),
        }
    )
    with atomic_file(path) as stream:
        # pandas writes the shortest decimal that reads back as the same float.
        frame.to_csv(stream, sep="\t", header=False, index=False, quoting=csv.QUOTE_NONE, lineterminator="\n")


def read_run(path: Path) -> pd.DataFrame:
    """Read a run that :func:`write_run` wrote; the frame equals the one written.

    Raises:
        ExperimentError: the file is missing or is not such a run.
    """
    try:
        frame = pd.read_csv(
            path,
            sep="\t",
            names=["qid", "q0", "docno", "rank", "score", "tag"],
            dtype={"qid": str, "docno": str, "rank": np.int64, "score": object, "tag": str},
            quoting=csv.QUOTE_NONE,
            keep_default_na=False,
        )
        frame["score"] = exact_floats(frame["score"])
    except OSError as error:
        raise ExperimentError(f"{path} cannot be read ({error.strerror}): run the experiment again.") from error
    except (ValueError, pd.errors.ParserError) as error:
        raise ExperimentError(f"{path} is not a run file: delete it and run the experiment again.") from error
    return frame[list(RUN_COLUMNS)]


def exact_floats(texts: pd.Series[str]) -> npt.NDArray[np.float64]:
    """Return the numbers that `texts` spell, exactly, which the parsers of pandas do not promise."""
    return np.array([float(text or "nan") for text in texts], dtype=np.float64)


def write_record(path: Path, record: RunRecord) -> None:
    """Write what belongs to the run file `path` beside it, with the suffix ``.json``."""
    with atomic_file(path.with_suffix(".json")) as stream:
        json.dump(asdict(record), stream, ensure_ascii=False, indent=1)
        stream.write("\n")


def read_record(path: Path) -> RunRecord | None:
    """Return what belongs to the run file `path`; None where it is missing, damaged, or of another file."""
    try:
        values = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        latency = values.pop("latency")
        record = RunRecord(**values, latency=None if latency is None else Latency.from_dict(latency))
        return record if file_digest(path) == record.sha256 else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
