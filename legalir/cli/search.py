"""``legalir search``: the best provisions for one question."""

from __future__ import annotations

import enum
import json
from collections.abc import Hashable
from typing import Annotated, Any

import typer

__all__ = ["EXAMPLES", "Format", "Question", "printable", "search"]

EXAMPLES = """Examples:

  legalir search legalir/firecode "화재보험에 가입하지 않으면 과태료가 얼마인가요?"

  legalir search legalir/firecode "창문 없는 층" -k 3 --pipeline 'bm25(analyzer="char2", k1=1.5, b=0.75)'

  legalir search my-statutes/ "question" --format jsonl
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
    from legalir.collection import Collection

    found = Collection(dataset).search(query, pipeline, k=k)
    rows = [{**row, "rank": rank} for rank, row in enumerate(found.to_dict("records"), start=1)]
    if style is Format.table:
        _print_table(rows, query)
        return
    for row in rows:
        if style is Format.jsonl:
            typer.echo(json.dumps(row, ensure_ascii=False))
        else:
            typer.echo(f"1 Q0 {row['docno']} {row['rank']} {row['score']:.9g} legalir")


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
