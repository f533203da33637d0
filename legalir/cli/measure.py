"""``legalir measure``: measure a run file against judgements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from legalir.cli.printing import AsJson, print_json

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures.measures import Measure

EXAMPLES = """Examples:

  legalir measure qrels.txt bm25.trec nDCG@10 R@100 MultiMRR@10

  legalir measure legalir/firecode/test bm25.trec MultiHitRate@10 MicroR@10 --json

  legalir measure qrels.txt bm25.trec nDCG@10 --per-query

It prints what the program ir_measures prints, and knows legalir's measures, too. A line of the run is
"qid Q0 docno rank score tag"; results are ordered by score, and equal scores by docno, descending, as in trec_eval;
ir_measures orders equal scores otherwise for some measures, such as RR@10. docnos are compared as they are.
"""

ALL = "all"
"""The qid of the mean over the questions, as in ``ir_measures``."""


app = typer.Typer()


@app.command(epilog=EXAMPLES)
def measure(
    qrels: Annotated[str, typer.Argument(help="File of judgements (TREC format), or dataset id.", show_default=False)],
    run: Annotated[Path, typer.Argument(help="File of results (TREC format).", show_default=False)],
    measures: Annotated[list[str], typer.Argument(help="Names of measures.", show_default=False)],
    per_query: Annotated[bool, typer.Option("--per-query", help="Also print the value of each question.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the results in RUN against the judgements in QRELS."""
    from legalir.measure import parse_measures

    parsed = parse_measures(name for text in measures for name in text.split())
    judged, results = _judgements(qrels), _results(run)
    for note in _notes(judged, results, parsed, qrels, run):
        typer.echo(note, err=True)
    rows = [row for one in parsed for row in _values(one, judged, results)]
    means = {name: value for qid, name, value in rows if qid == ALL}
    if as_json:
        values = [dict(zip(("qid", "measure", "value"), row, strict=True)) for row in rows if row[0] != ALL]
        questions = judged["query_id"].nunique()
        print_json({"questions": questions, "means": means} | ({"per_query": values} if per_query else {}))
        return
    for qid, name, value in rows:
        if per_query:
            typer.echo(f"{qid}\t{name}\t{value:.4f}")
        elif qid == ALL:
            typer.echo(f"{name}\t{value:.4f}")


def _judgements(text: str) -> pd.DataFrame:
    """Return ``query_id, doc_id, relevance`` of a file or a dataset.

    Raises:
        DataError: there is no such file or dataset, or a line is faulty.
    """
    import pandas as pd

    from legalir.datasets import load
    from legalir.datasets.foreign import read_judgements
    from legalir.datasets.readers import read_qrels
    from legalir.errors import DatasetNotFound

    path = Path(text).expanduser()
    try:
        table = path.suffix in (".tsv", ".jsonl", ".parquet")
        read = partial(read_judgements if table else read_qrels, negative=True)
        rows = read(path) if path.is_file() else load(text).judgements(negative=True)
    except DatasetNotFound as error:
        raise DatasetNotFound(f"There is no file {text} of judgements, and {error}") from error
    return pd.DataFrame(list(rows), columns=["query_id", "doc_id", "relevance"])


def _results(path: Path) -> pd.DataFrame:
    """Return ``query_id, doc_id, score`` of a file.

    Raises:
        DataError: the file cannot be read, or a line is faulty.
    """
    import pandas as pd

    from legalir.pipeline.stored_run import read_trec_run

    frames = [
        pd.DataFrame({"query_id": qid, "doc_id": hits.docno, "score": hits.score})
        for qid, hits in read_trec_run(path).items()
    ]
    return pd.concat(frames, ignore_index=True)


def _notes(
    judged: pd.DataFrame, results: pd.DataFrame, measures: list[Measure], qrels: str, run: Path
) -> Iterator[str]:
    """Yield a warning for each reason why a value may be misleading.

    Raises:
        DataError: no question of the run is judged.
    """
    from legalir.errors import DataError

    asked, answered = set(judged["query_id"]), set(results["query_id"])
    if not asked & answered:
        example = next(iter(results["query_id"]), "")
        raise DataError(f"No question of {run} ({example!r} …) is judged in {qrels}: give the judgements of this run.")
    if missing := len(asked - answered):
        yield f"{missing} of {len(asked)} judged questions have no results in {run}: they count as 0."
    if unjudged := len(answered - asked):
        yield f"{unjudged} of {len(answered)} questions of {run} are not judged: they do not count."
    longest = int(results.groupby("query_id").size().max())
    for one in measures:
        cutoff = one.params.get("cutoff")
        if isinstance(cutoff, int) and cutoff > longest:
            yield f"{one}: no list in {run} has more than {longest} results."


def _values(one: Measure, judged: pd.DataFrame, results: pd.DataFrame) -> Iterator[tuple[str, str, float]]:
    """Yield qid, measure and value for each question, then the mean with qid :data:`ALL`.

    Raises:
        MeasureError: the measure needs answers, or the package that computes it fails.
    """
    import ir_measures

    from legalir.errors import MeasureError, describe
    from legalir.measure.measures import of_evaluator

    if "doc_id" not in ir_measures.run_inputs([one]):
        raise MeasureError(f"Measure {str(one)!r} reads answers, and a TREC file has none: use an experiment.")
    qids = sorted(set(judged["query_id"]))
    numbers = {qid: str(number) if of_evaluator(one) else qid for number, qid in enumerate(qids)}
    names = {number: qid for qid, number in numbers.items()}
    frames = [frame.assign(query_id=frame["query_id"].map(numbers)).dropna() for frame in (judged, results)]
    try:
        values = {names[value.query_id]: value.value for value in ir_measures.iter_calc([one], *frames)}
    except Exception as error:  # Other packages fail in their own ways.
        raise MeasureError(f"Measure {str(one)!r} cannot be computed here: {describe(error)}.") from error
    total = one.aggregator()
    for qid in sorted(values):
        total.add(values[qid])
        yield qid, str(one), float(values[qid])
    yield ALL, str(one), float(total.result())
