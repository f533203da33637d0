"""``legalir survey``: find every provision on a matter, batch by batch, until the estimated recall is reached."""

from __future__ import annotations

import contextlib
import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from legalir.cli.printing import AsJson, print_json, printable
from legalir.cli.search import AsOf, Question, day_asked
from legalir.llm.options import model_options

if TYPE_CHECKING:
    from legalir.llm.client import Client
    from legalir.survey.survey import Survey

EXAMPLES = """Examples:

  legalir survey legalir/harbour "duties of the master of a vessel" --file master.json

  legalir survey my-laws/ "duties of the operator of a ferry" --llm 'openai(model="…")' --csv ferry.csv

  legalir survey my-laws/ "duties of the operator of a ferry" --sample 60

The same command goes on where it stopped: every decision is in --file at once.
"""

Decide = Callable[["Survey", Sequence[str]], bool]
"""Decides about provisions, or some of them; returns False to stop."""

app = typer.Typer()


@app.command(epilog=EXAMPLES)
@model_options
def survey(
    dataset: Annotated[str, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)],
    query: Question,
    file: Annotated[
        Path, typer.Option("--file", "-f", help="File of the survey; it is continued if it exists.")
    ] = Path("survey.json"),
    pipeline: Annotated[
        str | None, typer.Option("--pipeline", "-p", help="Pipeline expression.", show_default="default")
    ] = None,
    batch: Annotated[
        int | None, typer.Option(min=1, help="Provisions that are read before the order changes.", show_default="10")
    ] = None,
    target: Annotated[
        float | None, typer.Option(help="Estimated recall at which the survey ends.", show_default="0.95")
    ] = None,
    most: Annotated[
        int | None, typer.Option("--most", min=1, help="Stop after this many decisions.", show_default="no limit")
    ] = None,
    on: Annotated[bool, typer.Option("--on", help="Go on after the target is reached.")] = False,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Read this many of the rest, drawn at random, as a check.", show_default=False),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Put what is open back among what is read.")] = False,
    judged: Annotated[
        Path | None, typer.Option("--qrels", help="Decide by this file of judgements (TREC).", show_default=False)
    ] = None,
    qid: Annotated[str, typer.Option(help="Question id in files of judgements.")] = "1",
    prompt: Annotated[Path | None, typer.Option(help="YAML file of your own prompt.", show_default="ours")] = None,
    table: Annotated[
        Path | None, typer.Option("--csv", help="Output file of all decisions.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out-qrels", help="Output file of the judgements (TREC).", show_default=False)
    ] = None,
    as_of: AsOf = None,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Find every provision of DATASET on a matter: read, accept or refuse, and search again with what was accepted.

    You decide in the terminal; with --llm a model decides and quotes. A provision on which a reply failed is open,
    never refused. The survey ends when the estimated recall reaches --target.
    """
    from legalir.collection.collection import Collection
    from legalir.survey.survey import Survey

    collection = Collection(dataset, client=client)
    given: dict[str, Any] = {
        name: value
        for name, value in (("pipeline", pipeline), ("batch", batch), ("target", target))
        if value is not None
    }
    with _alone(file):
        if file.exists():
            found = Survey.load(file, collection)
            given |= {"query": query} | ({} if as_of is None else {"day": collection.day(as_of)})
            for name, value in given.items():
                if (own := getattr(found.state, name)) != value:
                    raise typer.BadParameter(
                        f"{file} is a survey with the {name} {own!r}, not {value!r}: give that, or another --file."
                    )
        else:
            asked = day_asked(collection, query, as_of)
            if asked.note:
                typer.echo(asked.note, err=True)
            found = Survey.new(collection, query, as_of=asked.day or None, **given)
            collection.warn_of(query, found.state.day or None)
        if again:
            found.reopen()
        found.save(file)  # Before anybody decides: a file that cannot be written must not cost decisions.
        if sample is not None:
            found.draw(sample)
        if judged is not None:
            decide = _by_file(judged, qid)
        elif client.llm is not None:
            decide = _by_model(client, None if prompt is None else str(prompt))
        else:
            decide = _by_person(file)
        read_on(found, decide, lambda: found.save(file), most, on)
        found.save(file)
    _write(found, table, out, qid)
    if as_json:
        rows = list(found.rows())
        print_json({**found.state.model_dump(exclude={"decisions", "sample"}), **_facts(found), "decisions": rows})
    else:
        _print(found, file)


@contextlib.contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Hold the file of a survey, so that no other survey overwrites its decisions."""
    from legalir.errors import DataError
    from legalir.storage.files import file_lock

    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(file_lock(file, wait=False, keep=False))
        except TimeoutError:
            raise DataError(f"{file} is open in another survey: end that one, or give another --file.") from None
        except OSError as error:
            raise DataError(f"{file} cannot be written ({error.strerror or error}): give another --file.") from error
        yield


def read_on(
    survey: Survey, decide: Decide, save: Callable[[], None], most: int | None = None, on: bool = False
) -> None:
    """Let somebody decide until the target is reached, everything is read, or `decide` stops.

    Args:
        survey: the survey.
        decide: decides about the provisions of :meth:`Survey.pending`.
        save: called after each call of `decide`.
        most: stop after this many decisions.
        on: go on after the target is reached.
    """
    start, before = len(survey.decisions), -1
    while pending := survey.pending():
        at_end = survey.round != before  # A batch that was begun is read to its end.
        before = survey.round
        sampling = survey.sample is not None and pending[0] in survey.sample.docnos
        if at_end and not on and not sampling and survey.recall().reaches(survey.state.target):
            return
        left = None if most is None else most - (len(survey.decisions) - start)
        if left is not None and left <= 0:
            return
        goes_on = decide(survey, pending[:left])
        save()
        if not goes_on:
            return


def _by_file(path: Path, qid: str) -> Decide:
    from legalir.datasets.readers import read_qrels

    rows = [(docno, label) for of, docno, label in read_qrels(path) if of == qid]
    if not rows:
        raise typer.BadParameter(f"{path} has no judgement of the question {qid!r}: give --qid.")
    relevant = {docno for docno, label in rows if label > 0}

    def decide(survey: Survey, pending: Sequence[str]) -> bool:
        for docno in pending:
            survey.decide(docno, "accepted" if docno in relevant else "refused", by=path.name)
        return True

    return decide


def _by_model(client: Client, prompt: str | None) -> Decide:
    from legalir.survey.judging import judgements

    name = client.llm_name() or ""

    def decide(survey: Survey, pending: Sequence[str]) -> bool:
        pairs = [(survey.state.query, docno) for docno in pending]
        given = judgements(survey.collection, pairs, prompt=prompt)
        for docno, one in zip(pending, given, strict=True):
            survey.decide(docno, one.verdict, quote=one.quote, note=one.note, by=name)
        if all(one.verdict == "open" for one in given):
            typer.echo(f"No reply of this batch can be used ({given[0].note}): stopped. Then: --again", err=True)
            return False
        return True

    return decide


def _by_person(file: Path) -> Decide:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    typer.echo(f"y on the matter, n not, s skip, t whole text, u undo, q stop; decisions are in {file}.")

    def decide(survey: Survey, pending: Sequence[str]) -> bool:
        from legalir.analysis.analyzer import get_analyzer
        from legalir.answer.quote import best_sentences

        docno, collection = pending[0], survey.collection
        record = collection.provisions([docno])[docno]
        query, analyzer = survey.state.query, get_analyzer("auto", collection)
        (quote,) = best_sentences(query, [record.text], 1, analyzer, collection.language)
        head = Text(f"\n{len(survey.decisions) + 1}. ", style="dim")
        head.append(printable(record.title or docno), style="bold").append(f"  {docno}", style="dim")
        head.append(f"\n{printable(survey.why(docno))}", style="dim").append(f"\n{printable(quote)}", style="default")
        console.print(head)
        while True:
            try:
                key = typer.prompt("y/n/s/t/u/q", prompt_suffix=" ").strip()[:1].lower()
            except typer.Abort:
                key = "q"
            if key == "t":
                console.print(Text(printable(record.text)))
            elif key in "ynsuq" and key:
                break
        if key == "q":
            return False
        if key == "u":
            last = survey.undo()
            typer.echo("There is no decision to take back." if last is None else f"Taken back: {last.docno}")
        else:
            verdict = {"y": "accepted", "n": "refused", "s": "open"}[key]
            note = "skipped" if key == "s" else ""
            survey.decide(docno, verdict, quote=quote if key == "y" else "", note=note, by="person")  # type: ignore[arg-type]
        return True

    return decide


def _facts(survey: Survey) -> dict[str, object]:
    recall = survey.recall()
    return {
        "recall": {name: None if value != value else value for name, value in recall._asdict().items()},
        "reached": recall.reaches(survey.state.target),
        "sentences": recall.sentences(),
    }


def _write(survey: Survey, table: Path | None, qrels: Path | None, qid: str) -> None:
    from legalir.storage.files import atomic_file

    if table is not None:
        with atomic_file(table) as stream:
            writer = csv.DictWriter(
                stream, ["docno", "title", "law", "decision", "quote", "note", "round", "by"], lineterminator="\n"
            )
            writer.writeheader()
            writer.writerows(survey.rows())
    if qrels is not None:
        with atomic_file(qrels) as stream:
            stream.writelines(f"{one.qid} 0 {one.docno} {one.label}\n" for one in survey.qrels(qid).itertuples())


def _print(survey: Survey, file: Path) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
    table = Table(box=None, padding=(0, 1), show_header=False, pad_edge=False)
    table.add_column(justify="right", style="dim")
    table.add_column(ratio=1, overflow="fold")
    shown = [row for row in survey.rows() if row["decision"] != "refused"]
    for row in shown:
        line = Text(printable(str(row["title"] or row["docno"])), style="bold")
        line.append(f"  {row['docno']}", style="not bold dim")
        line.append("\n" + printable(str(row["quote"] or row["note"])), style="not bold")
        table.add_row("open" if row["decision"] == "open" else str(row["round"]), line)
    console.print(table)
    recall = survey.recall()
    for sentence in recall.sentences():
        console.print(Text(sentence), soft_wrap=True)
    reached, target = recall.reaches(survey.state.target), f"{100 * survey.state.target:g} %"
    if not survey.pending():
        console.print("Everything is read.")
    else:
        how = f"The target of {target} is reached: --on reads further, --sample 60 checks the rest."
        console.print(how if reached else f"The target of {target} is not reached: the same command goes on.")
    console.print(f"Survey: {file}", soft_wrap=True)
