"""``legalir explain``: explain the scores of provisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from legalir.cli.printing import AsJson, default_facts, print_default, print_json, printable
from legalir.cli.search import AsOf, Pipeline, Question
from legalir.llm.options import model_options

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from legalir.explanation import Explanation, Part
    from legalir.llm.client import Client

EXAMPLES = """Examples:

  legalir explain legalir/firecode "창문 없는 층" -k 2

  legalir explain legalir/firecode "창문 없는 층" --pipeline 'rrf(bm25, tfidf)' --docno fts310-5

  legalir explain legalir/firecode "창문 없는 층" --json
"""


app = typer.Typer()


@app.command(epilog=EXAMPLES)
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
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Explain why provisions of DATASET rank where they do for QUERY: show the parts that add up to each score.

    --json contains every part; --terms limits only the printed tree.
    """
    from legalir.collection.collection import Collection

    collection = Collection(dataset, client=client)
    explanations = collection.search(query, pipeline, k=k, as_of=as_of).explain(docno)
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
