"""``legalir graph``: build the knowledge graph of a collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from legalir.cli.printing import AsJson, print_json
from legalir.llm.options import model_options

if TYPE_CHECKING:
    from legalir.llm.client import Client

EXAMPLES = """Examples:

  legalir graph triples legalir/firecode --llm smollm2 --facts 2

  legalir graph triples my-statutes/ --llm 'openai(model="gpt-…")' --max-tokens-total 2000000

  legalir graph triples my-statutes/ --llm 'openai(model="gpt-…")' --out facts.jsonl

Then: legalir search my-statutes "question" --pipeline 'default % 5 >> triples'
"""

_SHOWN = 5
"""Failed replies that are printed; --json has all."""

app = typer.Typer(help="Build the knowledge graph of a collection.", no_args_is_help=True)


@app.callback()
def _graph() -> None:
    """Build the knowledge graph of a collection."""


@app.command(epilog=EXAMPLES)
@model_options
def triples(
    dataset: Annotated[str, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)],
    facts: Annotated[int, typer.Option("--facts", min=1, max=50, help="Maximum number of facts per provision.")] = 10,
    prompt: Annotated[
        Path | None,
        typer.Option("--prompt", help="YAML file of a prompt that replaces the built-in one.", show_default="ours"),
    ] = None,
    language: Annotated[
        str, typer.Option("--language", help="Language of the prompt; auto uses the language of the collection.")
    ] = "auto",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Output file of facts, as JSON lines.", show_default="none")
    ] = None,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Let a language model extract facts (subject, predicate, object) from each provision of DATASET, for triples.

    Replies are stored as they arrive: after an interruption, the same command asks only for the missing ones.
    """
    from legalir.collection.collection import Collection
    from legalir.hypa.triple_graph import build_triples, write_facts

    collection = Collection(dataset, client=client)
    graph = build_triples(collection, n=facts, prompt=prompt, language=language)
    if out is not None:
        write_facts(graph, out)
    about: dict[str, Any] = graph.manifest.facts
    usage = collection.client.usage
    if as_json:
        asked = {"asked": usage.asked, "stored": usage.stored, "paid_tokens": usage.paid_tokens}
        print_json({"path": str(graph.path), **about, **asked})
        return
    source = about["source"]
    typer.echo(
        f"{about['facts']:,} facts about {about['entities']:,} entities, from {about['documents']:,} of "
        f"{source['asked']:,} texts ({source['model']})"
    )
    typer.echo(f"Asked: {usage.asked:,} replies, {usage.paid_tokens:,} tokens; {usage.stored:,} were stored")
    if left := about["empty"] + source["foreign"]:
        typer.echo(f"Left out: {left:,} facts that are empty or not about their provision")
    failures = source["failures"]
    for docno, state, reason in failures[:_SHOWN]:
        typer.echo(f"Failed: {docno}: {state} ({reason})")
    if len(failures) > _SHOWN:
        typer.echo(f"… and {len(failures) - _SHOWN:,} more failed replies; --json lists all")
    typer.echo(f"Graph: {graph.path}")
    if out is not None:
        typer.echo(f"Facts: {out}")
