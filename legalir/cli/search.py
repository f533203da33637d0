"""``legalir search``: find the best provisions, with an answer if a pipeline gives one. ``legalir explain``: why so."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from legalir.cli.cited import open_cited
from legalir.cli.printing import AsJson, default_facts, print_default, print_json, printable
from legalir.llm.options import model_options

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from legalir.answer.generator import Answer
    from legalir.collection.collection import Collection
    from legalir.explanation import Explanation, Part
    from legalir.llm.client import Client
    from legalir.verify.days import AskedDay


EXAMPLES = """Examples:

  legalir search legalir/harbour "Must my pleasure craft be registered?"

  legalir search legalir/harbour "speed in the basin" -k 3 --pipeline 'bm25(k1=1.5, b=0.75)'

  legalir search my-statutes/ "question" --pipeline bm25 --json

  legalir search my-laws/ "question" --as-of 2021-03-01

  legalir search legalir/harbour "pleasure craft" --level act --level decree --where 'effective_from>=2020'

  legalir search legalir/harbour "Harbour Act section 22"

  legalir search legalir/harbour "pleasure craft" --also my-laws/

  legalir search legalir/harbour "Where can the children swim?" --pipeline 'default % 5 >> quote'

  legalir search legalir/harbour "Where can the children swim?" --pipeline 'rar(default)' --llm smollm2

  legalir search my-laws/ --questions questions.tsv -k 1000 --pipeline bm25 --out bm25.trec

Where the pipeline ends in a generator, its answer stands above the provisions that it was made from. A question that is
only a citation, in any spelling, opens its provision. The questions of a file are taken as they are: their days and
filters are in the fields as_of and where, and quotation marks have no meaning. trec_eval reads the run in our order.
"""


_NO_QUESTION = "\0"


def _check_question(query: str) -> str:
    if not query.strip():
        raise typer.BadParameter("the question is empty: write one in quotes.")
    return query


Question = Annotated[str, typer.Argument(help="The question.", show_default=False, callback=_check_question)]
"""The argument of every command that takes a question."""

Pipeline = Annotated[str, typer.Option("--pipeline", "-p", help="Pipeline expression.")]
"""The option of every command that searches."""


AsOf = Annotated[
    str | None,
    typer.Option("--as-of", help="Search the law in force on this day, such as 2021-03-01.", show_default="today"),
]
"""The option of every command that asks a collection that may hold versions of provisions."""


Also = Annotated[
    list[str] | None,
    typer.Option(
        "--also", help="Search this collection, too (repeatable); its list is fused by rank.", show_default=False
    ),
]


def day_asked(collection: Collection, query: str, as_of: str | None) -> AskedDay:
    """Return the day of a question: the option, else the day of the law that its words ask for, with a note."""
    from legalir.verify.days import AskedDay

    return collection.asked_day(query, "--as-of") if as_of is None else AskedDay(as_of)


Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        help="Search only provisions that pass, such as 'level=act|decree, law!=\"Fire Act\"' (repeatable: all hold).",
        show_default=False,
    ),
]
InLaw = Annotated[
    list[str] | None, typer.Option("--law", help="Search this law (repeatable: any of them).", show_default=False)
]
InLevel = Annotated[
    list[str] | None,
    typer.Option("--level", help="Search this level, such as act (repeatable: any of them).", show_default=False),
]
InPath = Annotated[
    list[str] | None,
    typer.Option("--path", help="Search the parts of laws with this in their path (repeatable).", show_default=False),
]
"""The options of every command that asks a collection, for filters."""


class SearchFormat(enum.StrEnum):
    """Layouts of results."""

    table = "table"
    trec = "trec"


app = typer.Typer()


@app.command(epilog=EXAMPLES)
@model_options
def search(
    dataset: Annotated[str, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)],
    query: Annotated[
        str,
        typer.Argument(help="The question; left out with --questions.", show_default=False, callback=_check_question),
    ] = _NO_QUESTION,
    k: Annotated[int, typer.Option("-k", min=1, help="Number of results.")] = 10,
    pipeline: Pipeline = "default",
    style: Annotated[SearchFormat, typer.Option("--format", "-f", help="Layout of the results.")] = SearchFormat.table,
    as_of: AsOf = None,
    where: Where = None,
    law: InLaw = None,
    level: InLevel = None,
    path: InPath = None,
    also: Also = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            help="Search for all questions of this file: JSON lines as queries.jsonl, or a qid, a tab and a question.",
            show_default=False,
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Output file of --questions: a TREC run, or JSON lines of answers.", show_default=False),
    ] = None,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Search DATASET for the provisions that answer QUERY, or all questions of a file.

    Words of QUERY in quotation marks are a phrase that each result has; a word after a minus sign is in none.
    """
    from legalir.answer.refuse import weakness
    from legalir.collection.collection import Collection
    from legalir.collection.results import answer_with, gives_answers, search_with
    from legalir.collection.results import rows as numbered
    from legalir.collection.several import search as search_several
    from legalir.frames.where import filter_of
    from legalir.verify.days import AskedDay

    if as_json and style is SearchFormat.trec:
        raise typer.BadParameter("--json and --format trec exclude each other: give one of them.")
    chosen = filter_of(where, law, level, path)
    if (questions is None) != (out is None) or (questions is None) == (query == _NO_QUESTION):
        raise typer.BadParameter("give a question, or --questions FILE and --out FILE.")
    if questions is not None and out is not None:
        if also or as_json:
            raise typer.BadParameter(
                "--questions writes the run of one collection to --out, without --also and --json."
            )
        _write_run(Collection(dataset, client=client, where=chosen), dataset, pipeline, questions, out, k, as_of)
        return
    collection, *others = every = [Collection(one, client=client, where=chosen) for one in (dataset, *(also or ()))]
    is_plain = pipeline.strip() == "default" and not as_json and style is SearchFormat.table and not chosen
    if is_plain and open_cited(every, query, as_of):
        return
    if others:
        if style is SearchFormat.trec:
            raise typer.BadParameter("results of several collections have no TREC form: use --json.")
        days = (day_asked(one, query, as_of) for one in every if one.dated)
        asked = next(days, AskedDay(as_of or ""))
        if asked.note:
            typer.echo(asked.note, err=True)
        rows = numbered(search_several(every, query, pipeline, k, as_of=asked.day or None))
        shown = [{**row, "docno": f"{row['docno']} · {row['collection']}"} for row in rows]
        print_json(rows) if as_json else _print_table(shown, query)
        return
    steps, asked = collection.pipeline(pipeline), day_asked(collection, query, as_of)
    day = collection.day(asked.day or None)
    collection.warn_of(query, day)
    if gives_answers(steps):
        if style is SearchFormat.trec:
            raise typer.BadParameter("an answer has no TREC form: take the generator away, or use --json.")
        if asked.note:
            typer.echo(asked.note, err=True)
        own: dict[str, Any] = {"where": collection.filter(), "fields": collection.fields}
        own["repealed"] = collection.repealed
        _print_answer(answer_with(steps, query, pipeline, collection.provisions, as_of=day, **own), k, as_json)
        return
    words, filtered, marks = collection.asked(query)
    for mark in marks:
        typer.echo(mark, err=True)
    rows = numbered(
        search_with(steps, words, pipeline, k, collection.provisions, day, where=filtered, fields=collection.fields)
    )
    beside = collection.beside([row["docno"] for row in rows], day)
    rows = [{**row, **beside[row["docno"]]} for row in rows]
    notes = _notes(collection, words, k, day, asked.note, filtered)
    if collection.chunks is not None:
        for row in rows:
            row["provisions"] = {one.provision: one.complete for one in collection.chunks[row["docno"]]}
    for note in notes if as_json or style is SearchFormat.trec else ():
        typer.echo(note, err=True)
    if as_json:
        print_json(rows)
    elif style is SearchFormat.table:
        passing = f" that passes {filtered}" if filtered else ""
        _print_table(rows, words, f"{'' if day is None else f' in force on {day}'}{passing}")
        if filtered and rows:
            typer.echo(f"Filter: {printable(filtered)}")
        if day is not None and rows and not asked.note.startswith("As of"):
            typer.echo(f"As of {day}.")
        for note in notes:
            typer.echo(note)
        if rows and pipeline.strip() == "default" and (reason := weakness(collection, words, day, filtered)):
            typer.echo(f"Weak match: {reason}.")
    else:
        for row in rows:
            typer.echo(f"1 Q0 {row['docno']} {row['rank']} {row['score']:.9g} legalir")


def _write_run(
    collection: Collection, dataset: str, pipeline: str, questions: Path, out: Path, k: int, as_of: str | None
) -> None:
    """Write the results of the questions of a file, in the order that trec_eval reads, and say how many have none.

    Beside it stands its description in the form of ir_metadata, as beside each run of an experiment.
    """
    from time import perf_counter

    import pandas as pd

    from legalir.datasets.foreign import read_questions
    from legalir.errors import DataError
    from legalir.experiments.execution import Spent, checked_run
    from legalir.experiments.experiment import describe_machine, public_dataset_name
    from legalir.experiments.fingerprints import frame_fingerprint
    from legalir.experiments.runs import RunRecord, run_metadata, write_metadata, write_run, writing
    from legalir.experiments.tracking import tracked
    from legalir.frames.as_of import with_as_of
    from legalir.pipeline import canonical

    topics = pd.DataFrame(read_questions(questions))
    if topics.empty:
        raise DataError(f"{questions} has no questions.")
    if (day := collection.day(as_of)) is not None:
        topics = with_as_of(topics, day)
    start = perf_counter()
    with tracked() as resources:
        run = checked_run(pipeline, collection.pipeline(pipeline).transform(topics), k, topics.columns)
    spent = Spent(perf_counter() - start, collection.client.usage)
    record = RunRecord(
        pipeline,
        canonical(pipeline),
        key="",
        sha256="",
        queries=len(topics),
        seconds=spent.seconds,
        llm=spent.llm(),
        resources=resources or None,
    )
    data = {
        "id": public_dataset_name(dataset),
        "corpus": collection.fingerprint(),
        "topics": frame_fingerprint(topics),
    }
    metadata = run_metadata(
        record,
        {**describe_machine(), "dataset": data},
        dataset,
        command="legalir search DATASET --questions FILE --out FILE",
    )
    with writing(out.parent):
        write_run(out, run, pipeline)
        write_metadata(out, metadata)
    typer.echo(f"{run['qid'].nunique()} of {len(topics)} questions have results: {out}")


_NEW = 3
"""Provisions not yet in force that are named."""


def _notes(collection: Collection, query: str, k: int, day: str | None, note: str, where: str) -> list[str]:
    """Return the lines below results: the day from the question, and the provisions that are not yet in force."""
    new = collection.upcoming(query, k, as_of=day, where=where or None)
    lines = [
        f"Not yet in force: {printable(each.title or each.doc_id)}  {each.doc_id} (--as-of {each.effective_from})"
        for each in new[:_NEW]
    ]
    more = [f"Not yet in force: {len(new) - _NEW} more."] if len(new) > _NEW else []
    return [*([note] if note else []), *lines, *more]


def _print_answer(answer: Answer, k: int, as_json: bool) -> None:
    """Print an answer with its first `k` sources and all other sources that it cites."""
    from legalir.collection.results import rows as numbered

    cited, sources = answer.citations, answer.sources
    rows = numbered(sources[(sources["rank"] < k) | sources["docno"].isin(cited)])
    if as_json:
        print_json({"query": answer.query, "answer": answer.text, "cited": cited, "sources": rows})
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in answer.text.splitlines():
        console.print(Text(printable(line)))
    if answer.text:
        console.print("\n[bold]Sources[/bold]")
    _print_table(rows, answer.query)


def _print_table(rows: list[dict[str, Any]], query: str, of: str = "") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not rows:
        console.print(f"No provision{of} shares a term with this question.", highlight=False)
        return
    table = Table(box=None, padding=(0, 1), show_header=False, pad_edge=False)
    table.add_column(justify="right", style="bold")
    table.add_column(justify="right", style="dim")
    table.add_column(ratio=1, overflow="fold")
    for row in rows:
        provision = Text(printable(row["title"] or row["docno"]), style="bold")
        if row["title"]:
            provision.append(f"  {row['docno']}", style="not bold dim")
        if held := row.get("provisions"):
            names = ", ".join(docno if whole else f"{docno} (in part)" for docno, whole in held.items())
            provision.append(f"\nholds {printable(names)}", style="not bold dim")
        provision.append(f"\n{_best_line(row['text'], query, width=160)}", style="not bold")
        for line in beside_lines(row):
            provision.append(f"\n{line}", style="not bold dim")
        if row.get("url"):
            provision.append(f"\n{row['url']}", style="not bold dim")
        table.add_row(str(row["rank"]), f"{row['score']:.4g}", provision)
    console.print(table)


def beside_lines(row: Mapping[str, Any]) -> list[str]:
    """Return the lines of what stands beside a provision in time, as :meth:`Collection.beside` has it."""
    names = [printable(one["title"] or one["docno"]) for one in row.get("transitional", ())]
    more = f", and {len(names) - _NEW} more" if len(names) > _NEW else ""
    lines = [f"repealed: {printable(row['repealed'])}"] if "repealed" in row else []
    lines += [row["upcoming"]] if "upcoming" in row else []
    return [*lines, f"transitional: {'; '.join(names[:_NEW])}{more}"] if names else lines


def _best_line(text: str, query: str, width: int) -> str:
    """Return the line of `text` that shares the most character pairs with `query`, cut to `width` characters."""
    from legalir.analysis.ngrams import NGrams

    pairs = NGrams("char", 2)
    wanted = set(pairs.terms(query))
    line = printable(max(text.splitlines() or [""], key=lambda line: len(wanted & set(pairs.terms(line)))))
    return line if len(line) <= width else line[: width - 1] + "…"


EXPLAIN_EXAMPLES = """Examples:

  legalir explain legalir/harbour "pleasure craft" -k 2

  legalir explain legalir/harbour "pleasure craft" --pipeline 'rrf(bm25, tfidf)' --docno reg-14

  legalir explain legalir/harbour "pleasure craft" --json
"""


explain_app = typer.Typer()


@explain_app.command(epilog=EXPLAIN_EXAMPLES)
@model_options
def explain(
    dataset: Annotated[str, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)],
    query: Question,
    pipeline: Pipeline = "default",
    docno: Annotated[
        list[str] | None,
        typer.Option("--docno", "-d", help="Docno of a provision to explain (repeatable).", show_default=False),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Number of results to explain if --docno is not used.")] = 3,
    terms: Annotated[
        int, typer.Option("--terms", min=1, help="Maximum number of contributions shown for each score.")
    ] = 8,
    as_of: AsOf = None,
    where: Where = None,
    law: InLaw = None,
    level: InLevel = None,
    path: InPath = None,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Explain why provisions of DATASET rank where they do for QUERY: show the parts that add up to each score.

    --json contains every part; --terms limits only the printed tree.
    """
    from legalir.collection.collection import Collection
    from legalir.frames.where import filter_of

    chosen = filter_of(where, law, level, path)
    collection = Collection(dataset, client=client, where=chosen)
    asked = day_asked(collection, query, as_of)
    if asked.note:
        typer.echo(asked.note, err=True)
    explanations = collection.search(query, pipeline, k=k, as_of=asked.day or None).explain(docno)
    if as_json:
        print_json([explanation.to_dict() for explanation in explanations])
        return
    from rich.console import Console

    console = Console(highlight=False)
    if not explanations:
        console.print("No provision shares a term with this question.")
    provisions = collection.provisions(explanation.docno for explanation in explanations)
    for explanation in explanations:
        console.print(_tree(explanation.shortened(terms), provisions[explanation.docno].title))
    if explanations and pipeline.strip() == "default":
        console.print("\n[bold]default[/bold] here is")
        print_default(console, default_facts(collection))


def _tree(explanation: Explanation, title: str) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    root = Text(printable(title or explanation.docno), style="bold")
    if title:
        root.append(f"  {explanation.docno}", style="not bold dim")
    root.append(f"\n{explanation.score:.4f}", style="not bold cyan")
    root.append(f"  {printable(explanation.label)}", style="not bold")
    if explanation.note:
        root.append(f"  ({printable(explanation.note)})", style="not bold dim")
    tree = Tree(root, guide_style="dim")
    _grow(tree, explanation)
    return tree


def _grow(tree: Tree, explanation: Explanation) -> None:
    for part in explanation.parts:
        branch = tree.add(_line(part, explanation))
        if part.source is not None:
            _grow(branch, part.source)


def _line(part: Part, of: Explanation) -> Text:
    from rich.text import Text

    from legalir.explanation import origin

    line = Text(f"{part.value:+.4f}", style="cyan")
    line.append(f"  {printable(part.label)}", style="default")
    if isinstance(documents := part.detail.get("documents"), int):
        line.append(f"  in {documents} provision{'s' if documents > 1 else ''}", style="dim")
    if about := origin(part, of):
        line.append(f"  ← {printable(about)}", style="dim")
    return line
