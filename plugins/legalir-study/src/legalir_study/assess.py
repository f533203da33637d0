"""``legalir assess``: judgements of one's own. Pool systems, let people or a model rate, write a split."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from legalir import Collection
from legalir.errors import ComponentError, DataError, MeasureError
from legalir.extend import atomic_file, digest, json_rows, model_options, read_yaml

if TYPE_CHECKING:
    from legalir import Client

SHEET = """Examples:

  legalir assess sheet my-laws/ --system bm25 --system default -k 20 --out pool

  legalir assess sheet my-laws/ --system default --system 'run(path="theirs.trec")' --sample 50 --out pool

Then: legalir assess qrels pool ratings-kim.json ratings-lee.json --out judged
"""
MODEL = """Examples:

  legalir assess model pool --llm 'openai(model="…")'

Then: legalir assess qrels pool ratings-kim.json pool/ratings-model.json --out judged
"""
QRELS = """Examples:

  legalir assess qrels pool ratings-kim.json ratings-lee.json --out judged

Then: legalir tune judged/assessed, or dataset: judged/assessed in an experiment.
"""

app = typer.Typer(no_args_is_help=True, help="Judge provisions for your own questions: pool, rate, write judgements.")

Pool = Annotated[Path, typer.Argument(help="Folder that 'legalir assess sheet' wrote.", show_default=False)]


def pooled(
    collection: Collection, systems: Sequence[str], k: int, sample: int | None, seed: int
) -> list[dict[str, Any]]:
    """Return the pool: ``id, qid, query, docno``, question by question; within one, in an order that the seed draws.

    Args:
        collection: the collection, with questions.
        systems: expressions; each gives its first `k` provisions.
        k: depth of the pool.
        sample: number of questions, drawn by `seed`; None for all.
        seed: random seed.

    Raises:
        ComponentError: there are no systems, or one gives answers or no ranks.
        DataError: there are no questions, or no system finds anything.
    """
    from legalir.extend import gives_answers

    if not systems:
        raise ComponentError("assess: no system is named: give --system, such as bm25, once for each.")
    questions = collection.topics()
    if sample is not None:
        drawn = sorted(questions["qid"], key=lambda qid: digest([seed, qid]))[:sample]
        questions = questions[questions["qid"].isin(drawn)]
    pool: dict[str, set[str]] = {}
    for system in systems:
        pipeline = collection.pipeline(system)
        if gives_answers(pipeline):
            raise ComponentError(f"assess: {system!r} gives answers, not provisions: take the generator away.")
        results = pipeline.transform(questions)
        if not {"docno", "rank"} <= {*results.columns}:
            raise ComponentError(f"assess: {system!r} gives no provisions with ranks: give a search, such as bm25.")
        for qid, docno in results.loc[results["rank"] < k, ["qid", "docno"]].itertuples(index=False):
            pool.setdefault(str(qid), set()).add(str(docno))
    rows = [
        {"id": f"{qid} {docno}", "qid": qid, "query": query, "docno": docno}
        for qid, query in questions[["qid", "query"]].itertuples(index=False)
        for docno in sorted(pool.get(qid, ()), key=lambda docno: digest([seed, qid, docno]))
    ]
    if not rows:
        raise DataError(f"No system finds a provision for a question of {collection.id}: there is nothing to rate.")
    return rows


@app.command(epilog=SHEET)
def sheet(
    dataset: Annotated[str, typer.Argument(help="Dataset id or folder, with questions.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the pool; it is new.", show_default=False)],
    system: Annotated[
        list[str] | None,
        typer.Option("--system", "-s", help="Expression of a system to pool (repeatable).", show_default=False),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Provisions of each system for a question.")] = 20,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="Number of questions, drawn at random.", show_default="all")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed for sampling and shuffling.")] = 0,
) -> None:
    """Pool the first provisions of several systems, and write a page where a person says which are relevant.

    The page does not say which system found a provision, nor at which rank.
    """
    from legalir_study.sheet import RELEVANCE, Item, sheet_page
    from legalir_study.split import write_about, write_rows

    if out.exists():
        raise DataError(f"{out} is there already: give a new folder with --out, so that sheets do not mix.")
    collection = Collection(dataset)
    rows = pooled(collection, system or [], k, sample, seed)
    records = collection.provisions(dict.fromkeys(row["docno"] for row in rows))
    texts = {docno: "\n".join(filter(None, (one.title, one.text))) for docno, one in records.items()}
    rows = [row for row in rows if row["docno"] in texts]
    items = [Item(row["id"], row["query"], "", f"{texts[row['docno']]}\n[{row['docno']}]", (), ()) for row in rows]
    page = sheet_page(
        items, collection, [RELEVANCE], f"Provisions of {collection.id}", collection.language, "provision"
    )
    out.mkdir(parents=True)
    write_rows(out / "pool.jsonl", rows)
    with atomic_file(out / "sheet.html") as stream:
        stream.write(page)
    facts = {"collection": collection.id, "corpus": collection.fingerprint(), "systems": list(system or []), "k": k}
    write_about(out / "pool.yaml", {**facts, "seed": seed, "questions": len({row["qid"] for row in rows})})
    typer.echo(
        f"{out / 'sheet.html'}: {len(rows)} provisions to rate, for {len({row['qid'] for row in rows})} questions"
    )


def _opened(
    pool: Path, client: Client | None = None
) -> tuple[Collection, Mapping[str, Any], list[dict[str, Any]], str]:
    """Return the collection of a pool, how it was made, its rows, and the id of its page.

    Raises:
        DataError: it is not a pool, or its collection has changed.
    """
    from legalir_study.sheet import RELEVANCE, sheet_id

    about = read_yaml(pool / "pool.yaml", "a pool")
    if not isinstance(about, Mapping) or "collection" not in about:
        raise DataError(f"{pool / 'pool.yaml'} is not of a pool: give a folder that legalir assess sheet wrote.")
    collection = Collection(about["collection"], client=client)
    if collection.fingerprint() != about.get("corpus"):
        raise DataError(f"The provisions of {collection.id} have changed since {pool} was made: make a new pool.")
    rows = [dict(row) for _, row in json_rows(pool / "pool.jsonl")]
    return collection, about, rows, sheet_id((row["id"] for row in rows), [RELEVANCE])


@app.command(epilog=MODEL)
@model_options
def model(
    pool: Pool,
    prompt: Annotated[Path | None, typer.Option(help="YAML file of your own prompt.", show_default="ours")] = None,
    *,
    client: Client,
) -> None:
    """Let a language model rate the provisions of POOL: relevant or not, with a quotation that is looked up.

    A failed reply, or one whose quotation the provision does not have, is not a rating.
    """
    from legalir.extend import judgements
    from legalir_study.sheet import KIND, RELEVANCE

    collection, _, rows, sheet_of = _opened(pool, client)
    given = judgements(collection, [(row["query"], row["docno"]) for row in rows], prompt=prompt and str(prompt))
    labels = {"accepted": 1, "refused": 0}
    ratings = {
        row["id"]: {RELEVANCE: labels[one.verdict], "comment": one.quote or one.note}
        for row, one in zip(rows, given, strict=True)
        if one.verdict in labels
    }
    content = {"kind": KIND, "version": 1, "sheet": sheet_of, "rater": client.llm_name(), "ratings": ratings}
    with atomic_file(pool / "ratings-model.json") as stream:
        json.dump(content, stream, ensure_ascii=False, indent=1)
    typer.echo(f"{pool / 'ratings-model.json'}: {len(ratings)} of {len(rows)} rated by {client.llm_name()}")
    if lost := [one.note for one in given if one.verdict not in labels]:
        typer.echo(f"Not rated: {len(lost)}, such as: {lost[0]}", err=True)


@app.command(epilog=QRELS)
def qrels(
    pool: Pool,
    files: Annotated[list[Path], typer.Argument(help="Rating files of this pool.", show_default=False)],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Folder for the split: new, or of this collection.", show_default=False),
    ],
    split: Annotated[str, typer.Option("--split", help="Name of the split.")] = "assessed",
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing split.")] = False,
) -> None:
    """Write the judgements of POOL as a split that experiments and tune read, and show how well the raters agree.

    A provision is relevant if more raters say so than not; where they are equal, the first file decides. Provisions
    that nobody rated have no judgement.
    """
    from legalir_study.judge import Level, show_agreement
    from legalir_study.sheet import RELEVANCE, read_ratings
    from legalir_study.split import Synthesis, write_split

    collection, about, rows, sheet_of = _opened(pool)
    if len({file.resolve() for file in files}) < len(files):
        raise MeasureError("A file of ratings is named twice, and would agree with itself: name each once.")
    raters = [read_ratings(file) for file in files]
    for file, rater in zip(files, raters, strict=True):
        if rater.sheet != sheet_of:
            raise MeasureError(
                f"{file} has ratings of another sheet than {pool / 'sheet.html'}: give files of this pool."
            )
    labels: dict[str, dict[str, int]] = {}
    ties = unrated = 0
    for row in rows:
        given = [rater.values[RELEVANCE][row["id"]] for rater in raters if row["id"] in rater.values.get(RELEVANCE, {})]
        if not given:
            unrated += 1
            continue
        for_it, ties = sum(given), ties + (2 * sum(given) == len(given))
        relevant = given[0] if 2 * for_it == len(given) else float(2 * for_it > len(given))
        labels.setdefault(row["qid"], {})[row["docno"]] = int(relevant)
    questions = {row["qid"]: row["query"] for row in rows}
    kept = [{"qid": qid, "query": questions[qid]} for qid in questions if any(labels.get(qid, {}).values())]
    if not kept:
        raise DataError(f"No provision of {pool} is rated relevant: there is nothing to measure with.")
    without = [
        {"qid": qid, "query": query, "reason": "nothing relevant"}
        for qid, query in questions.items()
        if not any(labels.get(qid, {}).values())
    ]
    names = [rater.rater for rater in raters]
    report = {"rated": sum(map(len, labels.values())), "unrated": unrated, "ties": ties}
    facts = {"kind": "assess", "settings": {**about, "raters": names}, "dropped": {"nothing relevant": len(without)}}
    synthesis = Synthesis(
        kept,
        without,
        {**facts, "report": report},
        {qid: [docno for docno, label in of.items() if label] for qid, of in labels.items()},
    )
    written = write_split(synthesis, collection, out, split, replace)
    with atomic_file(written.qrels) as stream:  # Provisions that are not relevant, too.
        stream.writelines(
            f"{row['qid']} 0 {docno} {label}\n" for row in kept for docno, label in labels[row["qid"]].items()
        )
    if len(files) > 1:
        show_agreement(files, level=Level.nominal)
    typer.echo(
        f"{written.qrels}: {report['rated']} judgements of {len(kept)} questions; {ties} ties, {unrated} not rated"
    )
    if without:
        typer.echo(f"Left out: {len(without)} questions without a relevant provision")
    typer.echo(f"Use it: {out}/{split}")
