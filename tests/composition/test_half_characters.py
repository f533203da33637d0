"""A query may hold half a surrogate pair, and no result depends on whether pyarrow is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from legalir.collection.collection import Collection

QUERIES = (
    "창문 \ud800없는 층",
    "\udcff",
    "\ud83d\udd25 화재 " + "보험의 과태료 \ud83d는 얼마인가요? " * 12,
    "\ud800\ud800 소방 \udfff",
)
EXPRESSIONS = (
    *("default", "focus", "focus >> bm25"),
    *("rrf(bm25, lsa) >> sar(normalize='minmax')", "bm25 >> links >> bm25f"),
)

SCRIPT = """
import json, sys
sys.modules["pyarrow"] = None
import test_half_characters as here
from legalir.collection.collection import Collection
print(json.dumps(here.results(Collection("legalir/firecode", cache=sys.argv[1]))))
"""


def results(collection: Collection) -> list[Any]:
    """Return the results of all expressions, as JSON has them."""
    frame = pd.DataFrame({"qid": [str(number) for number in range(len(QUERIES))]})
    frame["query"] = pd.Series(QUERIES, dtype=object)  # the default type refuses halves where pyarrow is installed
    out: list[Any] = []
    for expression in EXPRESSIONS:
        found = collection.pipeline(expression)(frame)
        columns = [column for column in ("qid", "docno", "score", "rank") if column in found.columns]
        query = found["query"].tolist() if expression == "focus" else []
        out.append([*(found[column].tolist() for column in columns), query])
    return json.loads(json.dumps(out))


def test_results_do_not_depend_on_pyarrow(collection: Collection) -> None:
    command = [sys.executable, "-c", SCRIPT, str(collection.cache.parent.parent)]
    run = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == results(collection)


def test_focus_replaces_halves(collection: Collection) -> None:
    focus = results(collection)[EXPRESSIONS.index("focus")][-1]
    assert focus[1] == "�"
    assert "\ud83d" not in focus[2]
    assert focus[2].startswith("🔥 화재")
