"""``legalir datasets``: list, show, check, import, export and cut collections, and print their hierarchy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from legalir.cli.printing import (
    AsJson,
    Workers,
    default_facts,
    facts_table,
    print_default,
    print_differences,
    print_json,
    printable,
    working,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from legalir.datasets import CheckReport, StatuteDataset
    from legalir.datasets.records import Provision
    from legalir.statutes.doubts import Doubt
    from legalir.statutes.importing.changes import ImportChanges
    from legalir.statutes.importing.tree import Node
    from legalir.statutes.writing import ImportReport

app = typer.Typer(
    no_args_is_help=True,
    help="List, show, check, import, export, compare and cut collections of statutes, and print their hierarchy.",
)

_LIST = """Examples:

  legalir datasets list

  LEGALIR_DATA=~/statutes legalir datasets list --json
"""
_SHOW = """Examples:

  legalir datasets show legalir/firecode

  legalir datasets show legalir/firecode/test --json

  legalir datasets show legalir/stard --fetch
"""
_CHECK = """Examples:

  legalir datasets check my-statutes/

  legalir datasets check my-statutes/ --json

The exit code is 1 if there is a fault, so that a script can stop there.
"""
_IMPORT = """Examples:

  legalir datasets import provisions.csv my-statutes/

  legalir datasets import 'markdown(path="laws/", workers=2)' my-statutes/ --strict

  legalir datasets import 'table(path="laws.tsv", docno="id", text="body", links="cites.tsv")' my-statutes/

  legalir datasets import laws/ my-statutes/ --replace --licence CC0 --lang ko

Then: legalir datasets check my-statutes/, and legalir search my-statutes/ "question".

legalir plugins show table describes the tables that can be read; plugins add other sources.
"""
_CONVERT = """Examples:

  legalir datasets convert scifact/ my-scifact/

  legalir datasets convert irds:beir/scifact/test my-scifact/

  legalir datasets convert legalir/harbour harbour-beir/ --to beir

A folder of BEIR or MTEB and the id of another dataset can be searched as they are, without this command.
"""
_EXPORT = """Examples:

  legalir datasets export legalir/firecode/test qrels > qrels.txt

  legalir datasets export legalir/firecode docs > corpus.jsonl

  legalir datasets export legalir/stard/dev queries > queries.jsonl

The lines are those of the folder format. The program ir_datasets has more forms, once it knows legalir:

  python -c "import legalir, ir_datasets; ir_datasets.main_cli()" export legalir/firecode docs --format tsv
"""
_CHUNK = """Examples:

  legalir datasets chunk legalir/firecode firecode-lines/ --by line --size 553 --overlap 50

  legalir datasets chunk legalir/firecode firecode-windows/ --by sentence --size 512 --overlap 200

  legalir datasets chunk legalir/firecode firecode-meaning/ --by semantic --encoder lsa --buffer 3

Then: legalir search firecode-lines/ "question", or an experiment on firecode-lines/test. Judgements stay those of
provisions, and every measure maps chunks to provisions.
"""
_TREE = """Examples:

  legalir datasets tree my-statutes/

  legalir datasets tree my-statutes/ "Fire Services Act" --depth 3

  legalir datasets tree legalir/firecode --json

Without LAW, it shows the laws and their highest parts; with LAW, all of it.
"""
_DIFF = """Examples:

  legalir datasets diff my-laws/ 2020-01-01 2024-01-01

  legalir datasets diff my-laws/ 2020-01-01 2024-01-01 --law "Fire Services Act" --html changes.html

The collection must have versions of provisions: legalir datasets import 'history(path="versions/")' my-laws/.
"""


@app.command("list", epilog=_LIST)
def list_(as_json: AsJson = False) -> None:
    """List all collections that have an id, and the folders in $LEGALIR_DATA that cannot be used."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from legalir.datasets import available

    entries = available()
    if as_json:
        keys = ("id", "kind", "splits", "fault")
        print_json([{key: getattr(entry, key) for key in keys} for entry in entries])
        return
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    table.add_column("id", no_wrap=True)
    table.add_column("kind", style="dim")
    table.add_column("splits")
    table.add_column("", ratio=1, overflow="fold")
    for entry in entries:
        note = entry.fault or entry.title()
        style = "dim" if entry.fault else ""
        table.add_row(Text(entry.id, style), entry.kind, ", ".join(entry.splits), Text(note, style))
    Console().print(table)


@app.command(epilog=_SHOW)
def show(
    dataset: Annotated[str, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)],
    as_json: AsJson = False,
    fetch: Annotated[bool, typer.Option("--fetch", help="Download a published collection first.")] = False,
) -> None:
    """Show the counts, splits, licence, language, source and links of DATASET, and its first provision."""
    from legalir.analysis.analyzer import get_analyzer
    from legalir.collection.collection import Collection

    collection = Collection(dataset)
    source = collection.source
    facts: dict[str, object] = {
        "id": source.id,
        "title": source.about.title,
        "licence": source.about.licence,
        "language": source.about.lang,
        "source": source.about.source,
        "citation": source.about.citation,
        "about": source.about.description,
        "splits": list(source.splits),
    }
    if fetch or source.outline.fetched():
        writing = collection.writing
        facts |= writing._asdict() if as_json else {"language": writing}
        facts["analyzer"] = get_analyzer("auto", collection).name
        facts |= _counts(source)
        facts["default"] = default_facts(collection)
    else:
        facts["state"] = f"not fetched yet: legalir datasets show {source.id} --fetch"
    if as_json:
        print_json(facts)
    else:
        _print_facts(facts)


def _counts(source: StatuteDataset) -> dict[str, object]:
    from collections import Counter

    counts: dict[str, object] = {"provisions": source.docs_count()}
    if source.has_topics():
        counts["queries"] = sum(1 for _ in source.queries())
    if source.has_judgements():
        counts["judgements"] = sum(1 for _ in source.judgements())
    links = Counter(kind or "(no kind)" for _, _, kind in source.links())
    sample = next(source.docs(), None)
    return counts | {"links": dict(links), "sample": sample._asdict() if sample else None}


def _print_facts(facts: dict[str, object]) -> None:
    from rich.console import Console

    console = Console()
    sample, default = facts.pop("sample", None), facts.pop("default", None)
    splits, links = facts["splits"], facts.get("links")
    assert isinstance(splits, list)
    facts["splits"] = ", ".join(splits)
    if isinstance(links, dict):
        facts["links"] = ", ".join(f"{count} {kind}" for kind, count in links.items())
    console.print(facts_table(facts))
    if isinstance(sample, dict):
        text = str(sample["text"])
        console.print("\n[bold]first provision[/bold]")
        console.print(facts_table({**sample, "text": text if len(text) <= 300 else text[:299] + "…"}))
    if isinstance(default, dict):
        console.print("\n[bold]default[/bold] here is")
        print_default(console, default)


class Target(StrEnum):
    """Formats of a folder."""

    ours = "legalir"
    beir = "beir"


class Exported(StrEnum):
    """Parts of a dataset that can be exported."""

    docs = "docs"
    queries = "queries"
    qrels = "qrels"
    links = "links"


@app.command(epilog=_EXPORT)
def export(
    dataset: Annotated[str, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)],
    part: Annotated[Exported, typer.Argument(help="What to print.", show_default=False)],
) -> None:
    """Print one part of DATASET: docs and queries as JSON lines, qrels in TREC format, links as TSV."""
    from legalir.datasets import load

    source = load(dataset)
    if part is Exported.qrels:
        for qid, docno, label in source.judgements():
            typer.echo(f"{qid} 0 {docno} {label}")
    elif part is Exported.links:
        for link in source.links():
            typer.echo("\t".join(link))
    else:
        rows = source.queries() if part is Exported.queries else map(_document, source.docs(), source.store.rows())
        for row in rows:
            typer.echo(json.dumps(row, ensure_ascii=False))


@app.command(epilog=_CONVERT)
def convert(
    source: Annotated[
        str,
        typer.Argument(help="Folder of BEIR or MTEB, irds:ID, or PROVIDER:NAME of PyTerrier.", show_default=False),
    ],
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.", show_default=False)],
    to: Annotated[Target, typer.Option(help="Format of the folder; with beir, SOURCE is any dataset.")] = Target.ours,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing folder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a collection of another format in the folder format, or any collection as a folder of BEIR."""
    from rich.console import Console

    from legalir.datasets import load
    from legalir.datasets.foreign import convert as convert_source
    from legalir.datasets.foreign import source_of, to_beir
    from legalir.datasets.new_folder import new_folder
    from legalir.errors import DatasetNotFound

    if to is Target.beir:
        whole = load(source)
        with new_folder(folder, replace) as (new, _):
            parts = [] if whole.split else [split for split in whole.splits if split]
            counts = to_beir([whole, *(load(f"{source.rstrip('/')}/{split}") for split in parts)], new)
        names = [whole.split] if whole.split else parts
        if as_json:
            print_json({"folder": str(folder), "splits": names, "counts": counts})
        else:
            Console().print(facts_table({"folder": folder, "splits": ", ".join(names), **counts}))
        return
    found = source_of(source)
    if found is None:
        raise DatasetNotFound(
            f"{source!r} is neither a folder of BEIR or MTEB nor an id of PyTerrier, such as irds:beir/scifact/test. A "
            f"folder of the folder format needs no conversion."
        )
    with new_folder(folder, replace) as (new, _):
        counts = convert_source(found, new)
    if as_json:
        print_json({"folder": str(folder), "splits": list(found.outline.splits), "counts": counts})
    else:
        splits = ", ".join(found.outline.splits)
        Console().print(facts_table({"folder": folder, "splits": splits, **counts}))


def _document(provision: Provision, row: Mapping[str, Any]) -> dict[str, object]:
    """Return the line of a provision in ``corpus.jsonl``, without empty fields; `row` is the line in its folder."""
    from legalir.datasets.records import other_fields

    fields = provision._asdict()
    docno, text = fields.pop("doc_id"), fields.pop("text")
    named = {name: value for name, value in fields.items() if value}
    return {"docno": docno, **named, **other_fields(row), "text": text}


@app.command(epilog=_CHECK)
def check(
    path: Annotated[str, typer.Argument(help="Path of a folder, or dataset id.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Read all files of a folder completely and report every fault."""
    from legalir.datasets import check as check_folder
    from legalir.datasets import load
    from legalir.references.grammar import article_number
    from legalir.statutes.doubts import doubts_of

    report = check_folder(path, article_number=article_number)
    readable = report.provisions and not report.chunks and (report.ok or report.converted is None)
    doubts = doubts_of(load(path)) if readable else []
    if as_json:
        print_json(report.to_dict() | {"doubts": [doubt._asdict() for doubt in doubts]})
    else:
        _print_check(report, doubts)
    if not report.ok:
        raise typer.Exit(1)


def _print_check(report: CheckReport, doubts: Sequence[Doubt]) -> None:
    from rich.console import Console

    from legalir.datasets.readers import BELOW_0
    from legalir.statutes.doubts import examples

    console = Console()
    languages = ", ".join(f"{name} {count}" for name, count in report.scripts.most_common())
    unread = report.unnumbered
    facts: dict[str, object] = {
        "folder": report.path,
        "provisions": f"{report.provisions} ({languages})" if report.provisions else report.provisions,
        "without title": report.untitled or None,
        "without text": report.empty or None,
        "without number": f"{unread.total()}, such as the article {next(iter(unread))!r}" if unread else None,
        "links": ", ".join(f"{count} {kind}" for kind, count in report.links.most_common()),
        "held by chunks": ", ".join(f"{count} {share}" for share, count in report.chunks.items()),
        BELOW_0: report.negative or None,
        "other files": ", ".join(report.ignored),
        "read as": None if report.converted is None else "another format",
        **(report.converted or {}),
    }
    console.print(facts_table(facts))
    if report.splits:
        console.print(_splits(report))
    console.print()
    _print_sentences(console, "doubt", "yellow", examples(doubts))
    if report.ok:
        verdict = "No file has a fault; look at the doubts." if doubts else "Nothing is wrong."
        console.print(f"[green]{verdict}[/green]")
        return
    for fault in report.faults:
        console.print(str(fault), markup=False, highlight=False, soft_wrap=True)
    total = sum(report.fault_counts.values())
    kinds = ", ".join(f"{count} {kind}" for kind, count in report.fault_counts.most_common())
    console.print(f"\n[red]{total} fault{'s' if total > 1 else ''}[/red]: {kinds}")
    if total > len(report.faults):
        console.print(f"{total - len(report.faults)} of them are counted but not listed.")


def _splits(report: CheckReport) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 1), pad_edge=False)
    table.add_column("split")
    for name in ("queries", "not judged", "judgements", "labels", "several gold"):
        table.add_column(name, justify="right")
    for split, counts in report.splits.items():
        labels = ", ".join(f"{label}: {count}" for label, count in counts.labels.items())
        share = f"{counts.multi_label} ({counts.multi_label / counts.judged:.0%})" if counts.judged else "–"
        numbers = (counts.queries, counts.unjudged, counts.judgements)
        table.add_row(split or "(base)", *map(str, numbers), labels or "–", share)
    return table


@app.command(epilog=_TREE)
def tree(
    path: Annotated[str, typer.Argument(help="Path of a folder, or dataset id.", show_default=False)],
    law: Annotated[
        str | None, typer.Argument(help="Name or identifier of a law, or a part of the name.", show_default=False)
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, help="Number of levels to show; 1 shows only the laws.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the hierarchy of a collection: laws, parts, chapters and articles with their numbers of provisions, and the
    terms that each provision defines.
    """
    from legalir.datasets import load
    from legalir.statutes.definitions import read_definitions
    from legalir.statutes.importing.tree import read_origins
    from legalir.statutes.importing.tree import tree as tree_of

    dataset = load(path)
    laws = tree_of(dataset.docs(), read_origins(dataset.folder.root), law, read_definitions(dataset.folder.root))
    shown = depth if depth or law else 2
    if as_json:
        print_json([node.to_dict(shown) for node in laws])
        return
    for node in laws:
        _print_node(node, "", shown)


def _print_node(node: Node, indent: str, depth: int | None) -> None:
    from rich.console import Console
    from rich.text import Text

    line = Text(indent + printable(node.name), style="bold" if node.level == "law" else "")
    if node.units:
        count = f"{node.provisions} provision{'s' if node.provisions > 1 else ''}"
        repealed = f", {node.repealed} repealed" if node.repealed else ""
        line.append(f"  {count}{repealed}", style="dim")
    elif node.repealed:
        line.append("  repealed", style="red")
    if node.defines:
        line.append(f"  defines: {printable(', '.join(node.defines))}", style="dim")
    Console().print(line, soft_wrap=True)
    if depth != 1:
        for unit in node.units:
            _print_node(unit, indent + "  ", None if depth is None else depth - 1)


@app.command("import", epilog=_IMPORT)
def import_collection(
    source: Annotated[
        str, typer.Argument(help="File or folder; or a source with its parameters, in quotes.", show_default=False)
    ],
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.", show_default=False)],
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Replace the provisions and links of an existing folder; other files are kept."),
    ] = False,
    title: Annotated[str | None, typer.Option(help="Name of the collection.", show_default=False)] = None,
    licence: Annotated[str | None, typer.Option(help="Licence or terms of use.", show_default=False)] = None,
    lang: Annotated[
        str | None, typer.Option(help="Language of the provisions, such as ko.", show_default=False)
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Write nothing if a file cannot be read in full.")] = False,
    executor: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Write the provisions and links of SOURCE to FOLDER, in the format that every other command reads.

    Every provision and link is checked, and FOLDER appears complete or not at all. If some files cannot be read, the
    others are written, the faults are printed, and the exit code is 1.
    """
    from legalir.statutes.writing import write_collection

    options = {"title": title, "licence": licence, "lang": lang}
    about = {name: value for name, value in options.items() if value is not None}
    with working(executor) as workers:
        report = write_collection(source, folder, replace=replace, about=about, strict=strict, executor=workers)
    if as_json:
        print_json(report.to_dict() | {"warnings": report.warnings()})
    else:
        _print_import(report)
    if report.faults:
        raise typer.Exit(1)


_SHOWN = 5
"""Notes, files and docnos of one kind that an import prints."""


def _print_import(report: ImportReport) -> None:
    from rich.console import Console

    from legalir.statutes.doubts import examples

    console = Console()
    rows: dict[str, object] = {
        "folder": report.folder,
        **_of_files(report.details),
        "provisions": report.provisions,
        "without title": report.untitled or None,
        "definitions": report.definitions or None,
        "links": ", ".join(f"{count} {kind or '(no kind)'}" for kind, count in report.links.most_common()),
        **_of_links(report.details),
        **_of_changes(report.changes),
        "kept": ", ".join(report.kept),
    }
    console.print(facts_table(rows))
    for word, style, sentences in (
        ("note", "dim", _passed_over(report.details)),
        ("note", "dim", [note for file in _files(report.details) for note in file.get("notes", [])]),
        ("warning", "yellow", report.warnings()),
        ("not read", "red", report.faults),
    ):
        _print_sentences(console, word, style, sentences[:_SHOWN])
        if len(sentences) > _SHOWN:
            console.print(f"[{style}]{word}:[/{style}] {len(sentences) - _SHOWN} more: see import.json")
    _print_sentences(console, "doubt", "yellow", examples(report.doubts))


def _print_sentences(console: Console, word: str, style: str, sentences: Sequence[str]) -> None:
    for sentence in sentences:
        console.print(f"[{style}]{word}:[/{style}]", end=" ")
        console.print(printable(sentence), markup=False, highlight=False, soft_wrap=True)


def _files(details: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(details.get("files", []))


def _passed_over(details: Mapping[str, Any]) -> list[str]:
    return list(details.get("passed_over", []))


def _of_files(details: Mapping[str, Any]) -> dict[str, object]:
    """Return table rows with the outcome for the files; empty for a source that reads no files."""
    if not details:
        return {}
    formats = ", ".join(f"{count} {name}" for name, count in details["formats"].items())
    reasons = [f"{reason} {count / max(details['characters'], 1):.1%}" for reason, count in details["left_out"].items()]
    unknown = details["unknown"]
    more = ", …" if len(unknown) > _SHOWN else ""
    return {
        "files": formats,
        "other files": f"{len(unknown)}: {', '.join(unknown[:_SHOWN])}{more}" if unknown else None,
        "laws": details["laws"],
        "characters": f"{details['characters']}, {details['inside'] / max(details['characters'], 1):.1%} in provisions",
        "left out": ", ".join(reasons[:_SHOWN] + ["…"] * (len(reasons) > _SHOWN)),
    }


def _of_links(details: Mapping[str, Any]) -> dict[str, object]:
    return {
        f"{origin}, {name}": ", ".join(f"{count} {state}" for state, count in counts.items())
        for origin in ("links", "references")
        for name, counts in details.get(origin, {}).items()
        if name != "examples"
    }


def _of_changes(changes: ImportChanges | None) -> dict[str, object]:
    if changes is None:
        return {}
    rows: dict[str, object] = {}
    for name in ("added", "changed", "repealed", "moved", "removed"):
        docnos = [each if isinstance(each, str) else " → ".join(each) for each in getattr(changes, name)]
        more = ", …" if len(docnos) > _SHOWN else ""
        rows[name] = f"{len(docnos)}: {', '.join(docnos[:_SHOWN])}{more}" if docnos else None
    return {**rows, "unchanged": changes.unchanged}


@app.command("chunk", epilog=_CHUNK)
def chunk_collection(
    dataset: Annotated[str, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)],
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.", show_default=False)],
    by: Annotated[
        str,
        typer.Option(help="article, character, line, recursive, sentence, semantic, pattern or judgment."),
    ] = "article",
    size: Annotated[
        int | None, typer.Option(help="Maximum number of characters in a chunk.", show_default="the method's")
    ] = None,
    overlap: Annotated[
        int | None, typer.Option(help="Maximum number of characters that a chunk repeats.", show_default="the method's")
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            help="Unit of --size and --overlap for --by sentence: characters or estimated_tokens.",
            show_default="estimated_tokens",
        ),
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(help="Folder of a model; --by sentence counts its tokens.", show_default=False),
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            help="Regular expression that matches the start of each chunk (--by pattern).", show_default="(?m)^§"
        ),
    ] = None,
    encoder: Annotated[str | None, typer.Option(help="Encoder used by --by semantic.", show_default="lsa")] = None,
    buffer: Annotated[
        int | None,
        typer.Option(help="Number of neighbouring sentences on each side (--by semantic).", show_default="1"),
    ] = None,
    percentile: Annotated[
        float | None,
        typer.Option(help="Split where the distance exceeds this percentile (--by semantic).", show_default="90"),
    ] = None,
    headers: Annotated[
        bool, typer.Option("--headers", help="Let a language model add a line about each chunk to its title.")
    ] = False,
    llm: Annotated[
        str | None, typer.Option("--llm", help="Language model that writes the headers.", show_default="$LEGALIR_LLM")
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            help="Cut the provisions in force on this day, if the collection has versions.",
            show_default=False,
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing folder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Cut the laws of DATASET, as plain text, into chunks, and write them to FOLDER as a collection.

    Also prints how many provisions are not contained in any single chunk.
    """
    from legalir.chunks.cache import cutter
    from legalir.chunks.chunk_collection import headers_by, write_chunks
    from legalir.collection.collection import Collection
    from legalir.llm.client import Client

    collection = Collection(dataset, client=Client(llm))
    given: dict[str, object] = {
        "size": size,
        "overlap": overlap,
        "unit": unit,
        "tokenizer": tokenizer,
        "pattern": pattern,
    }
    cut, label = cutter(collection, by, encoder, **given, buffer=buffer, percentile=percentile)
    written = headers_by(collection.client, collection.language) if headers else None
    report = write_chunks(collection.source, folder, cut, label, replace=replace, headers=written, as_of=as_of)
    if as_json:
        print_json(report.to_dict())
        return
    from rich.console import Console

    loss = report.loss
    rows: dict[str, object] = {
        "folder": report.folder,
        "as of": report.as_of or None,
        "laws": report.laws,
        "chunks": f"{loss.chunks}, of {report.characters:.0f} characters on average",
        "provisions": f"{loss.provisions}, of which a chunk holds {loss.whole} completely",
        "empty provisions": report.empty or None,
        "links": report.links or None,
        "provisions a kept chunk": f"{loss.per_chunk:.3f}",
        "kept chunks a provision": f"{loss.per_provision:.3f}",
        "failed chunks": f"{loss.failed_chunks:.3f}",
        "failed provisions": f"{loss.failed_provisions:.3f}",
        "uncovered provisions": f"{loss.uncovered:.3f}",
    }
    Console().print(facts_table(rows))


@app.command(epilog=_DIFF)
def diff(
    dataset: Annotated[str, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)],
    start: Annotated[str, typer.Argument(help="The first day, such as 2020-01-01.", show_default=False)],
    end: Annotated[str, typer.Argument(help="The second day.", show_default=False)],
    law: Annotated[
        str, typer.Option(help="Name or identifier of a law; only this law is compared.", show_default=False)
    ] = "",
    page: Annotated[
        Path | None, typer.Option("--html", help="Also write an HTML page to this file.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the provisions that changed, were added, repealed or moved between two days, word by word."""
    from legalir.datasets import load
    from legalir.statutes.versions.difference import differences
    from legalir.statutes.versions.difference_page import difference_page
    from legalir.storage.files import atomic_file

    source = load(dataset)
    changes = differences(source, start, end, law)
    if page is not None:
        with atomic_file(page) as out:
            out.write(difference_page(source.about.title or source.id, start, end, changes, source.about.lang or ""))
    if as_json:
        print_json([change.to_dict() for change in changes])
    else:
        print_differences(changes)
