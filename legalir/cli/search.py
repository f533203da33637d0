"""``legalir search``: find the best provisions for a question, with an answer if the pipeline gives one."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from legalir.cli.printing import AsJson, print_json, printable
from legalir.llm.options import model_options

if TYPE_CHECKING:
    from legalir.answer.generator import Answer
    from legalir.llm.client import Client

EXAMPLES = """Examples:

  legalir search legalir/firecode "화재보험에 가입하지 않으면 과태료가 얼마인가요?"

  legalir search legalir/firecode "창문 없는 층" -k 3 --pipeline 'bm25(analyzer="char2", k1=1.5, b=0.75)'

  legalir search my-statutes/ "question" --pipeline bm25 --json

  legalir search my-laws/ "question" --as-of 2021-03-01

  legalir search legalir/firecode "창문 없는 층의 기준은?" --pipeline 'default % 5 >> quote'

  legalir search legalir/firecode "창문 없는 층의 기준은?" --pipeline 'rar(default)' --llm smollm2

Where the pipeline ends in a generator, its answer stands above the provisions that it was made from.
"""


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


class SearchFormat(enum.StrEnum):
    """Layouts of results."""

    table = "table"
    trec = "trec"


app = typer.Typer()


@app.command(epilog=EXAMPLES)
@model_options
def search(
    dataset: Annotated[str, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)],
    query: Question,
    k: Annotated[int, typer.Option("-k", min=1, help="Number of results.")] = 10,
    pipeline: Pipeline = "default",
    style: Annotated[SearchFormat, typer.Option("--format", "-f", help="Layout of the results.")] = SearchFormat.table,
    as_of: AsOf = None,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Search DATASET for the provisions that answer QUERY."""
    from legalir.collection.collection import Collection
    from legalir.collection.results import answer_with, gives_answers, search_with
    from legalir.collection.results import rows as numbered

    if as_json and style is SearchFormat.trec:
        raise typer.BadParameter("--json and --format trec exclude each other: give one of them.")
    collection = Collection(dataset, client=client)
    steps, day = collection.pipeline(pipeline), collection.day(as_of)
    collection.warn_of(query, day)
    if gives_answers(steps):
        if style is SearchFormat.trec:
            raise typer.BadParameter("an answer has no TREC form: take the generator away, or use --json.")
        _print_answer(answer_with(steps, query, pipeline, collection.provisions, as_of=day), k, as_json)
        return
    rows = numbered(search_with(steps, query, pipeline, k, collection.provisions, day))
    if collection.chunks is not None:
        for row in rows:
            row["provisions"] = {one.provision: one.complete for one in collection.chunks[row["docno"]]}
    if as_json:
        print_json(rows)
    elif style is SearchFormat.table:
        _print_table(rows, query, "" if day is None else f" in force on {day}")
        if day is not None and rows:
            typer.echo(f"As of {day}.")
    else:
        for row in rows:
            typer.echo(f"1 Q0 {row['docno']} {row['rank']} {row['score']:.9g} legalir")


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
        table.add_row(str(row["rank"]), f"{row['score']:.4g}", provision)
    console.print(table)


def _best_line(text: str, query: str, width: int) -> str:
    """Return the line of `text` that shares the most character pairs with `query`, cut to `width` characters."""
    from legalir.analysis.ngrams import NGrams

    pairs = NGrams("char", 2)
    wanted = set(pairs.terms(query))
    line = printable(max(text.splitlines() or [""], key=lambda line: len(wanted & set(pairs.terms(line)))))
    return line if len(line) <= width else line[: width - 1] + "…"
