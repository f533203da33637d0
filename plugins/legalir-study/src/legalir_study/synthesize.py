"""``legalir synthesize``: let a language model make test items and labels from the provisions of a collection."""

from __future__ import annotations

import enum
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from legalir.extend import model_options

if TYPE_CHECKING:
    from legalir import Client, Collection
    from legalir_study.split import Synthesis

MCQ = """Examples:

  legalir synthesize mcq my-statutes/ --llm 'openai(model="gpt-…")' --judge 'openai(model="qwen…")' --out my-items

  legalir synthesize mcq legalir/firecode --llm smollm2 --count 5 --out my-items

  legalir synthesize mcq my-statutes/ --count 500 --out my-items --dry-run

Then: legalir synthesize review my-items --split multihop --out review.html
"""

YESNO = """Examples:

  legalir synthesize yesno my-statutes/ --llm 'openai(model="gpt-…")' --out my-items

  legalir synthesize yesno legalir/firecode --llm smollm2 --count 5 --out my-items

Then: legalir synthesize review my-items --split yesno --out review.html
"""

QUESTIONS = """Examples:

  legalir synthesize questions my-statutes/ --llm 'openai(model="gpt-…")' --count 25 --out my-items

  legalir synthesize questions my-statutes/ --types simple,comparative --change vaguer=0.1,spelling=0.05 --out my-items

  legalir synthesize questions my-statutes/ --change hypa --out my-items --dry-run

Types: simple, complex, distracting, situational, double, conversational, complex_situational, out_of_scope, vague,
comparative, rule_conclusion. Changes: vaguer, noise, vaguer and noise, reordered, spelling, longer, shorter.
"""

LABELS = """Examples:

  legalir synthesize labels my-statutes/train --candidates 'bm25 % 20' --positives 'rerank("…")' --threshold 0.5 --out o

  legalir synthesize labels my-statutes/train --positives listwise --top 2 --llm 'openai(model="…")' --out o

  legalir synthesize labels my-statutes/ --from answers --out my-items

Then: legalir synthesize review my-items --split labels --out review.html
"""

NUGGETS = """Examples:

  legalir synthesize nuggets legalir/firecode --llm 'openai(model="gpt-…")' --out my-items

Then: legalir synthesize review my-items --split nuggets --out review.html, and in an experiment
judges: ['judge_nuggets(nuggets="my-items/queries.nuggets.jsonl")']
"""

REVIEW = """Examples:

  legalir synthesize review my-items --split multihop --out review.html

  legalir synthesize apply my-items decisions-me.json
"""

app = typer.Typer(help="Make test items and labels from the provisions of a collection.", no_args_is_help=True)

Dataset = Annotated[str, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)]
Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", help="Folder for the split: a new folder, or a folder of this collection.", show_default=False
    ),
]
Count = Annotated[int, typer.Option("--count", "-n", min=1, help="Number of provisions or pairs to use.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Random seed.")]
OwnPrompt = Annotated[
    Path | None,
    typer.Option("--prompt", help="YAML file of a prompt that replaces the built-in one.", show_default="ours"),
]
Language = Annotated[
    str, typer.Option("--language", help="Language of the items; auto uses the language of the collection.")
]
Alike = Annotated[
    float,
    typer.Option("--alike", min=1, max=100, help="Similarity in percent at which two questions count as the same."),
]
Replace = Annotated[bool, typer.Option("--replace", help="Replace an existing split.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count the requests; send and write nothing.")]


def _print_json(facts: object) -> None:
    typer.echo(json.dumps(facts, ensure_ascii=False, indent=1))


@app.callback()
def _synthesize() -> None:
    """Make test items and labels from the provisions of a collection."""


def _made(
    dataset: str,
    out: Path,
    split: str,
    replace: bool,
    as_json: bool,
    client: Client,
    make: Callable[[Collection], Synthesis],
    planned: Callable[[Collection], str] | None,
) -> None:
    """Check the target, make the items, write the split and print the counts."""
    from legalir import Collection
    from legalir_study.split import check_target, write_split

    collection = Collection(dataset, client=client)
    check_target(collection, out, split, replace)
    if planned is not None:
        typer.echo(f"{planned(collection)}; nothing was asked or written.")
        return
    synthesis = make(collection)
    files = write_split(synthesis, collection, out, split, replace)
    usage = collection.client.usage
    counts = {"kept": len(synthesis.kept), "dropped": synthesis.about["dropped"], "report": synthesis.about["report"]}
    asked = {"asked": usage.asked, "stored": usage.stored, "paid_tokens": usage.paid_tokens}
    if as_json:
        _print_json({"dataset": f"{out}/{split}", "files": [str(file) for file in files], **counts, **asked})
        return
    typer.echo(f"Kept: {len(synthesis.kept):,} items in {files.queries}")
    for reason, number in synthesis.about["dropped"].items():
        typer.echo(f"Dropped: {number:,} {reason}")
    for name, value in synthesis.about["report"].items():
        shown = ", ".join(f"{key} {one}" for key, one in value.items()) if isinstance(value, dict) else value
        typer.echo(f"{name[:1].upper()}{name[1:]}: {shown}")
    if usage.asked or usage.stored:
        typer.echo(f"Asked: {usage.asked:,} replies, {usage.paid_tokens:,} tokens; {usage.stored:,} were stored")


@app.command(epilog=MCQ)
@model_options
def mcq(
    dataset: Dataset,
    out: Out,
    split: Annotated[str, typer.Option("--split", help="Name of the split.")] = "multihop",
    count: Count = 100,
    seed: Seed = 0,
    judge: Annotated[
        str | None, typer.Option("--judge", help="Language model that answers the items.", show_default="--llm")
    ] = None,
    prompt: OwnPrompt = None,
    language: Language = "auto",
    abstain: Annotated[
        str | None, typer.Option("--abstain", help="Text of the option to abstain.", show_default="by language")
    ] = None,
    alike: Alike = 90,
    replace: Replace = False,
    dry_run: DryRun = False,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Write multiple-choice items on pairs of provisions of DATASET, one of which cites the other.

    An item is kept if a judge needs both provisions to answer it. Replies are stored as they arrive: after an
    interruption, the same command asks only for the missing ones.
    """
    from legalir_study.mcq import citation_pairs, synthesize_mcq

    def make(collection: Collection) -> Synthesis:
        return synthesize_mcq(
            collection,
            count,
            seed=seed,
            judge=judge,
            prompt=None if prompt is None else str(prompt),
            language=language,
            abstain=abstain,
            alike=alike,
        )

    def planned(collection: Collection) -> str:
        pairs = len(citation_pairs(collection, count, seed))
        return f"{pairs:,} requests for items, and at most {3 * pairs:,} to the judge"

    _made(dataset, out, split, replace, as_json, client, make, planned if dry_run else None)


@app.command(epilog=YESNO)
@model_options
def yesno(
    dataset: Dataset,
    out: Out,
    split: Annotated[str, typer.Option("--split", help="Name of the split.")] = "yesno",
    count: Count = 100,
    seed: Seed = 0,
    prompt: OwnPrompt = None,
    language: Language = "auto",
    alike: Alike = 90,
    replace: Replace = False,
    dry_run: DryRun = False,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Write three yes/no questions about each of several provisions of DATASET."""
    from legalir_study.yesno import QUESTIONS, sampled_provisions, synthesize_yesno

    def make(collection: Collection) -> Synthesis:
        own = None if prompt is None else str(prompt)
        return synthesize_yesno(collection, count, seed=seed, prompt=own, language=language, alike=alike)

    def planned(collection: Collection) -> str:
        provisions = len(sampled_provisions(collection, count, seed, "yesno"))
        return f"{provisions:,} requests for {QUESTIONS} questions each"

    _made(dataset, out, split, replace, as_json, client, make, planned if dry_run else None)


@app.command(epilog=QUESTIONS)
@model_options
def questions(
    dataset: Dataset,
    out: Out,
    split: Annotated[str, typer.Option("--split", help="Name of the split.")] = "questions",
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="Number of questions of each type.")] = 10,
    types: Annotated[
        list[str] | None,
        typer.Option("--types", help="Types of questions (comma-separated, or repeated).", show_default="all"),
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--change",
            help="Shares of questions to change (comma-separated, or repeated); hypa uses the shares of the paper.",
            show_default="none",
        ),
    ] = None,
    seed: Seed = 0,
    prompt: OwnPrompt = None,
    language: Language = "auto",
    alike: Alike = 90,
    replace: Replace = False,
    dry_run: DryRun = False,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Write open questions of eleven types about provisions of DATASET, with reference answers and their provisions."""
    from legalir_study.questions import TYPES, checked_types, planned_questions, synthesize_questions
    from legalir_study.rewording import parsed_shares

    wanted = checked_types([one.strip() for one in ",".join(types).split(",")] if types else list(TYPES))
    shares = parsed_shares(",".join(change or ()))

    def make(collection: Collection) -> Synthesis:
        own = None if prompt is None else str(prompt)
        return synthesize_questions(
            collection, count, types=wanted, shares=shares, seed=seed, prompt=own, language=language, alike=alike
        )

    def planned(collection: Collection) -> str:
        plan = len(planned_questions(collection, count, wanted, seed))
        return f"{plan:,} requests for questions{f', and at most {plan:,} for changes' if shares else ''}"

    _made(dataset, out, split, replace, as_json, client, make, planned if dry_run else None)


class Origin(enum.StrEnum):
    """Sources of labels."""

    pipeline = "pipeline"
    answers = "answers"


@app.command(epilog=LABELS)
@model_options
def labels(
    dataset: Dataset,
    out: Out,
    split: Annotated[str, typer.Option("--split", help="Name of the split.")] = "labels",
    origin: Annotated[
        Origin, typer.Option("--from", help="Source of the labels: a pipeline, or the citations in existing answers.")
    ] = Origin.pipeline,
    candidates: Annotated[str, typer.Option("--candidates", help="Retriever of the candidates.")] = "default % 20",
    positives: Annotated[
        str | None, typer.Option("--positives", help="Reranker of the candidates.", show_default="none")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="Minimum score of a positive.", show_default="none")
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", min=1, help="Number of top results that can be positives.", show_default="all"),
    ] = None,
    column: Annotated[str, typer.Option("--column", help="Column of the existing answers.")] = "answer",
    replace: Replace = False,
    dry_run: DryRun = False,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Label relevant provisions for the questions of DATASET, by a pipeline or by the citations in existing answers."""
    from legalir_study.answered import synthesize_answer_labels
    from legalir_study.labels import questions_of, synthesize_labels

    def make(collection: Collection) -> Synthesis:
        if origin is Origin.answers:
            return synthesize_answer_labels(collection, column=column)
        return synthesize_labels(collection, positives, candidates=candidates, threshold=threshold, top=top)

    def planned(collection: Collection) -> str:
        number = len(questions_of(collection))
        return (
            f"{number:,} questions; reading answers asks no model"
            if origin is Origin.answers
            else (f"{number:,} questions, each searched for with {candidates!r} and judged by {positives!r}")
        )

    _made(dataset, out, split, replace, as_json, client, make, planned if dry_run else None)


@app.command(epilog=NUGGETS)
@model_options
def nuggets(
    dataset: Dataset,
    out: Out,
    split: Annotated[str, typer.Option("--split", help="Name of the split.")] = "nuggets",
    prompt: OwnPrompt = None,
    language: Language = "auto",
    alike: Annotated[
        float,
        typer.Option("--alike", min=1, max=100, help="Similarity in percent at which two facts count as the same."),
    ] = 90,
    replace: Replace = False,
    dry_run: DryRun = False,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Propose the facts that a good answer to each question of DATASET has, from its reference answer or provisions."""
    from legalir_study.nuggets import planned_nuggets, synthesize_nuggets

    def make(collection: Collection) -> Synthesis:
        own = None if prompt is None else str(prompt)
        return synthesize_nuggets(collection, prompt=own, language=language, alike=alike)

    def planned(collection: Collection) -> str:
        return f"at most {len(planned_nuggets(collection)):,} requests, one a question"

    _made(dataset, out, split, replace, as_json, client, make, planned if dry_run else None)


@app.command(epilog=REVIEW)
def review(
    folder: Annotated[Path, typer.Argument(help="Folder of a collection.", show_default=False)],
    split: Annotated[str, typer.Option("--split", help="Name of the split.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Output file of the page.")] = Path("review.html"),
) -> None:
    """Write a page where people accept, edit or drop the items of a split, and save their decisions.

    The page is one file that needs no network.
    """
    from legalir.extend import atomic_file
    from legalir_study.review import review_page

    page = review_page(folder, split)
    with atomic_file(out) as stream:
        stream.write(page)
    typer.echo(f"Page: {out}")


@app.command(epilog=REVIEW)
def apply(
    folder: Annotated[Path, typer.Argument(help="Folder of the collection.", show_default=False)],
    decisions: Annotated[Path, typer.Argument(help="File saved by the page.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Apply a person's decisions to their split; dropped items move to the list of dropped items."""
    from legalir_study.review import apply_decisions

    counts = apply_decisions(folder, decisions)
    if as_json:
        _print_json(counts)
    else:
        typer.echo(", ".join(f"{number:,} {name}" for name, number in counts.items()))
