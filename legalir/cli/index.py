"""``legalir index``: build the sparse index of a collection ahead of its first search."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from legalir.cli.printing import AsJson, print_json

EXAMPLES = """Examples:

  legalir index legalir/firecode

  legalir index my-statutes/ --analyzer char2
"""


def build(
    dataset: Annotated[str, typer.Argument(help="An id or the path of a folder.", show_default=False)],
    analyzer: Annotated[
        str, typer.Option("--analyzer", "-a", help="auto, word, charN, jamoN, whitespace, or a plugin's.")
    ] = "auto",
    as_json: AsJson = False,
) -> None:
    """Build the sparse index of DATASET, unless it is there and up to date."""
    from legalir.collection.collection import Collection
    from legalir.frames.as_of import today
    from legalir.storage.validity import provision_key

    start = time.perf_counter()
    collection = Collection(dataset)
    writing = collection.writing
    index = collection.sparse(analyzer)
    facts = index.manifest.facts
    path = Path(str(index.path))
    size = sum(entry["size"] for entry in index.manifest.files.values())
    seconds = time.perf_counter() - start
    if as_json:
        print_json({"path": str(path), "bytes": size, "seconds": round(seconds, 3), **writing._asdict(), **facts})
        return
    typer.echo(
        f"{facts['documents']:,} provisions, {facts['terms']:,} terms ({facts['analyzer']['name']}), "
        f"{size / 1e6:,.1f} MB, {seconds:.1f} s"
    )
    if index.validity is not None:
        provisions = len({provision_key(docno) for docno in index.docnos.tolist()})
        held = int(index.validity.on(today()).sum())
        typer.echo(f"Versions of {provisions:,} provisions, {held:,} of them in force today")
    typer.echo(f"Language: {writing}")
    typer.echo(f"Index: {path}")
