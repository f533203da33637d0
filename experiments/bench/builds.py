"""Building one index in a process of its own: seconds, peak memory, bytes on disk, as one line of JSON.

Both arms read the same lines and index the same terms; the clock runs from the first line read. ::

    python experiments/bench/builds.py {legalir,bm25s} PROVISIONS.jsonl INDEX
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ANALYZER = "jamo3"


def documents(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def peak_mb() -> float:
    """Return the most memory that this process ever held, in units of 10⁶ bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def build_legalir(source: Path, index: Path) -> dict[str, float]:
    """Build our index on disk, durable; then open it, verify it, weigh its postings and answer one question."""
    from legalir.lexical.sparse import SparseIndex

    start, cpu = time.perf_counter(), time.process_time()
    built = SparseIndex(index, analyzer=ANALYZER).index(documents(source))
    written = time.perf_counter()
    written_mb = peak_mb()
    built.bm25(num_results=10).best("화재")
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
        "peak_mb": peak_mb(),
        "written_seconds": written - start,
        "written_mb": written_mb,
    }


def build_bm25s(source: Path, index: Path) -> dict[str, float]:
    """Build bm25s's index in memory from our terms; saving it comes after the clock has stopped."""
    import bm25s

    from legalir.analysis.analyzer import get_analyzer
    from legalir.storage.documents import indexed_text

    analyzer = get_analyzer(ANALYZER)
    retriever = bm25s.BM25(method="lucene", k1=0.9, b=0.4, backend="numba")
    # Its constructor leaves the matrix to numpy; compiling that step, outside the clock, is its faster way.
    retriever.activate_numba_csc()
    retriever.warmup_numba_csc()
    start, cpu = time.perf_counter(), time.process_time()
    vocabulary: dict[str, int] = {}
    ids = [
        [vocabulary.setdefault(term, len(vocabulary)) for term in analyzer.terms(indexed_text(document))]
        for document in documents(source)
    ]
    analysed = time.perf_counter()
    retriever.index((ids, vocabulary), show_progress=False)
    measured = {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
        "peak_mb": peak_mb(),
        "terms_seconds": analysed - start,
    }
    retriever.save(index, show_progress=False)
    return measured


ARMS: dict[str, Callable[[Path, Path], dict[str, float]]] = {"legalir": build_legalir, "bm25s": build_bm25s}


def main() -> None:
    arm, source, index = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    measured = ARMS[arm](source, index)
    measured["bytes"] = sum(file.stat().st_size for file in index.rglob("*") if file.is_file())
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
