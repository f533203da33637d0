"""``legalir graph`` and ``legalir train complexity``: build a knowledge graph; train a classifier of questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from legalir.extend import model_options

if TYPE_CHECKING:
    from legalir import Client

EXAMPLES = """Examples:

  legalir graph triples legalir/firecode --llm smollm2 --facts 2

  legalir graph triples my-statutes/ --llm 'openai(model="gpt-…")' --max-tokens-total 2000000

  legalir graph triples my-statutes/ --llm 'openai(model="gpt-…")' --out facts.jsonl

Then: legalir search my-statutes "question" --pipeline 'default % 5 >> triples'
"""

_SHOWN = 5
"""Failed replies that are printed; --json has all."""

COMPLEXITY_EXAMPLES = """Examples:

  legalir train complexity hypa-complexity --classes 3 --model svm --out complexity-model

  legalir train complexity my-statutes/train --model lr --out complexity-model

  legalir train complexity questions.csv --model distilbert/distilbert-base-uncased --out complexity-model

Then: legalir search my-statutes "question" --pipeline 'adaptive(default, by=complexity("complexity-model"))'
"""

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

app = typer.Typer(help="Build the knowledge graph of a collection.", no_args_is_help=True)


complexity_app = typer.Typer()


def _print_json(facts: object) -> None:
    typer.echo(json.dumps(facts, ensure_ascii=False, indent=1))


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


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
    from legalir import Collection
    from legalir_hypa.triple_graph import build_triples, write_facts

    collection = Collection(dataset, client=client)
    graph = build_triples(collection, n=facts, prompt=prompt, language=language)
    if out is not None:
        write_facts(graph, out)
    about: dict[str, Any] = graph.manifest.facts
    usage = collection.client.usage
    if as_json:
        asked = {"asked": usage.asked, "stored": usage.stored, "paid_tokens": usage.paid_tokens}
        _print_json({"path": str(graph.path), **about, **asked})
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


@complexity_app.command(epilog=COMPLEXITY_EXAMPLES)
def complexity(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|FOLDER|DATASET/SPLIT",
            help="CSV file with the columns question and label (0, 1, 2: one, two, three or more contexts), a folder "
            "with the published questionset_noisy2.csv, or a collection, whose judgements are counted.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the model.", show_default=False)],
    classes: Annotated[int, typer.Option(help="Number of classes: 3, or 2 (one context, or more).")] = 3,
    model: Annotated[
        str, typer.Option(help="Model: svm, lr, or a transformer to fine-tune (a folder, or a name on the hub).")
    ] = "svm",
    device: Annotated[
        str | None,
        typer.Option(help="Device for a transformer: cpu, cuda or mps.", show_default="an accelerator, else cpu"),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing model.")] = False,
    as_json: AsJson = False,
) -> None:
    """Train a classifier that predicts how many contexts a question needs."""
    from legalir_hypa.training import train_complexity

    trained = train_complexity(source, out, classes=classes, model=model, replace=replace, device=device)
    if as_json:
        facts = {"bytes": _size(trained.path), "questions": trained.questions, "macro_f1": trained.macro_f1}
        _print_json({"out": str(trained.path), **facts})
        return
    typer.echo(", ".join(f"{count} {name}" for name, count in trained.questions.items()) + " questions")
    for name, value in trained.macro_f1.items():
        typer.echo(f"{name} macro-F1 {value:.4f}".replace(" 0.", " ."))
    typer.echo(f"Model: {trained.path} ({_size(trained.path) / 1e6:,.1f} MB)")
    typer.echo(f"Use it: --pipeline 'adaptive(default, by=complexity(\"{trained.path}\"))'")
