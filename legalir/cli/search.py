"""``legalir search``: the best provisions for one question, and the answer where the pipeline gives one."""

from __future__ import annotations

import enum
import json
from collections.abc import Hashable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd

    from legalir.generate.generator import Answer

__all__ = ["EXAMPLES", "Format", "Question", "printable", "search"]

EXAMPLES = """Examples:

  legalir search legalir/firecode "화재보험에 가입하지 않으면 과태료가 얼마인가요?"

  legalir search legalir/firecode "창문 없는 층" -k 3 --pipeline 'bm25(analyzer="char2", k1=1.5, b=0.75)'

  legalir search my-statutes/ "question" --format jsonl

  legalir search legalir/firecode "창문 없는 층의 기준은?" --pipeline 'default % 5 >> quote'

Where the pipeline ends in a generator, its answer stands above the provisions that it was made from.
"""


def _asked(query: str) -> str:
    if not query.strip():
        raise typer.BadParameter("the question is empty: write one in quotes.")
    return query


Question = Annotated[str, typer.Argument(help="The question.", show_default=False, callback=_asked)]
"""The argument of every command that asks."""


class Format(enum.StrEnum):
    """How results are printed."""

    table = "table"
    jsonl = "jsonl"
    trec = "trec"


def search(
    dataset: Annotated[str, typer.Argument(help="An id or the path of a folder.", show_default=False)],
    query: Question,
    k: Annotated[int, typer.Option("-k", min=1, help="Number of results.")] = 10,
    pipeline: Annotated[str, typer.Option("--pipeline", "-p", help="A pipeline expression.")] = "bm25",
    style: Annotated[Format, typer.Option("--format", "-f", help="How results are printed.")] = Format.table,
) -> None:
    """Search DATASET for the provisions that answer QUERY."""
    from legalir.collection.collection import Collection
    from legalir.generate.generator import gives_answers

    collection = Collection(dataset)
    if gives_answers(collection.pipeline(pipeline)):
        if style is Format.trec:
            raise typer.BadParameter("an answer has no TREC form: take the generator away, or use --format jsonl.")
        _print_answer(collection.answer(query, pipeline), k, style)
        return
    rows = _numbered(collection.search(query, pipeline, k=k))
    if style is Format.table:
        _print_table(rows, query)
        return
    for row in rows:
        if style is Format.jsonl:
            typer.echo(json.dumps(row, ensure_ascii=False))
        else:
            typer.echo(f"1 Q0 {row['docno']} {row['rank']} {row['score']:.9g} legalir")


def _numbered(results: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """Return the rows of results with ranks from 1."""
    return [{**row, "rank": row["rank"] + 1} for row in results.to_dict("records")]


def _print_answer(answer: Answer, k: int, style: Format) -> None:
    """Print an answer and its best `k` sources, with any other that it cites."""
    cited = answer.cited
    sources = answer.sources
    rows = _numbered(sources[(sources["rank"] < k) | sources["docno"].isin(cited)])
    if style is Format.jsonl:
        found = {"query": answer.query, "answer": answer.text, "cited": cited, "sources": rows}
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in answer.text.splitlines():
        console.print(Text(printable(line)))
    if answer.text:
        console.print("\n[bold]Sources[/bold]")
    _print_table(rows, answer.query)


def _print_table(rows: list[dict[Hashable, Any]], query: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not rows:
        console.print("No provision shares a term with this question.")
        return
    table = Table(box=None, padding=(0, 1), show_header=False, pad_edge=False)
    table.add_column(justify="right", style="bold")
    table.add_column(justify="right", style="dim")
    table.add_column(ratio=1, overflow="fold")
    for row in rows:
        provision = Text(printable(row["title"] or row["docno"]), style="bold")
        if row["title"]:
            provision.append(f"  {row['docno']}", style="not bold dim")
        provision.append(f"\n{_best_line(row['text'], query, width=160)}", style="not bold")
        table.add_row(str(row["rank"]), f"{row['score']:.4g}", provision)
    console.print(table)


def printable(text: str) -> str:
    """Return `text` without what could steer a terminal; the text of a statute is not ours."""
    return "".join(character if character.isprintable() else " " for character in text).strip()


def _best_line(text: str, query: str, width: int) -> str:
    """Return the line of `text` that shares most pairs of characters with `query`, cut to `width` characters."""
    from legalir.analysis.ngrams import NGrams

    pairs = NGrams("char", 2)
    wanted = set(pairs.terms(query))
    line = printable(max(text.splitlines() or [""], key=lambda line: len(wanted & set(pairs.terms(line)))))
    return line if len(line) <= width else line[: width - 1] + "…"
