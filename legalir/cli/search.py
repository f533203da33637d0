"""``legalir search``: the best provisions for one question."""

from __future__ import annotations

import enum
import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EXAMPLES", "Format", "search"]

EXAMPLES = """Examples:

  legalir search legalir/firecode "지하 노래방 비상구 크기는?"

  legalir search legalir/firecode "창문 없는 층" -k 3 --pipeline 'bm25(analyzer="char2", k1=1.5, b=0.75)'

  legalir search my-statutes/ "question" --format jsonl
"""


class Format(enum.StrEnum):
    """How results are printed."""

    table = "table"
    jsonl = "jsonl"
    trec = "trec"


def search(
    dataset: Annotated[str, typer.Argument(help="An id or the path of a folder.", show_default=False)],
    query: Annotated[str, typer.Argument(help="The question.", show_default=False)],
    k: Annotated[int, typer.Option("-k", min=1, help="Number of results.")] = 10,
    pipeline: Annotated[str, typer.Option("--pipeline", "-p", help="A pipeline expression.")] = "bm25",
    style: Annotated[Format, typer.Option("--format", "-f", help="How results are printed.")] = Format.table,
) -> None:
    """Search DATASET for the provisions that answer QUERY."""
    from legalir.collection import Collection

    results = Collection(dataset).search(query, pipeline, k=k)
    if style is Format.table:
        _print_table(results, query)
    elif style is Format.jsonl:
        for row in results.to_dict("records"):
            typer.echo(json.dumps({**row, "rank": row["rank"] + 1}, ensure_ascii=False))
    else:
        for row in results.itertuples():
            typer.echo(f"1 Q0 {row.docno} {row.rank + 1} {row.score:.6f} legalir")


def _print_table(results: pd.DataFrame, query: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if results.empty:
        console.print("No provision shares a term with this question.")
        return
    table = Table(box=None, padding=(0, 1), show_header=False, pad_edge=False)
    table.add_column(justify="right", style="bold")
    table.add_column(justify="right", style="dim")
    table.add_column(ratio=1, overflow="fold")
    for row in results.itertuples():
        provision = Text(str(row.title or row.docno), style="bold")
        provision.append(f"  {row.docno}", style="not bold dim")
        provision.append(f"\n{_best_line(str(row.text), query, width=160)}", style="not bold")
        table.add_row(str(row.rank + 1), f"{row.score:.2f}", provision)
    console.print(table)


def _best_line(text: str, query: str, width: int) -> str:
    """Return the line of `text` that shares most pairs of characters with `query`, cut to `width` characters."""
    from legalir.analysis.ngrams import NGrams

    pairs = NGrams("char", 2)
    wanted = set(pairs.terms(query))
    line = max(text.splitlines() or [""], key=lambda line: len(wanted & set(pairs.terms(line))))
    printable = "".join(character if character.isprintable() else " " for character in line).strip()
    return printable if len(printable) <= width else printable[: width - 1] + "…"
