"""``legalir index`` and ``legalir update``: build the indexes of a collection before its first search."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from legalir.cli.printing import AsJson, Workers, print_json, working
from legalir.errors import ArtifactError
from legalir.storage.digest import file_digest

if TYPE_CHECKING:
    from legalir.storage.artifact import IndexArtifact

EXAMPLES = """Examples:

  legalir index legalir/harbour

  legalir index my-statutes/ --analyzer char2

  legalir index my-statutes/ --semantic

  legalir index my-statutes/ --executor 'processes(workers=8)'

  legalir index legalir/harbour --export harbour.tar.lz4
"""


UPDATE_EXAMPLES = """Examples:

  legalir datasets import 'law_go_kr(path="files")' my-laws/ --replace

  legalir update my-laws/
"""


app = typer.Typer()
update_app = typer.Typer()


@app.command(epilog=EXAMPLES)
def build(
    dataset: Annotated[str, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)],
    analyzer: Annotated[
        str,
        typer.Option(
            "--analyzer", "-a", help="Analyzer: auto, word, charN, jamoN, whitespace, or the name of a plugin."
        ),
    ] = "auto",
    semantic: Annotated[
        bool,
        typer.Option(
            "--semantic", help="Build the vectors of the encoder e5, too, which default then uses; minutes to hours."
        ),
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            help="Also pack the sparse index into this file, such as index.tar.lz4, with its sha256 in FILE.json.",
            show_default=False,
        ),
    ] = None,
    executor: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Build the sparse index of DATASET if it is missing or out of date, and its vectors if they are wanted."""
    from legalir.collection.collection import Collection
    from legalir.frames.as_of import today
    from legalir.storage.validity import provision_key

    if export is not None and export.suffix != ".lz4":
        # PyTerrier reads a file of another name as a plain tar file.
        raise typer.BadParameter(f"must end in .tar.lz4, got {str(export)!r}.", param_hint="--export")
    if semantic:  # What is missing is said before anything is built.
        from legalir.dense.e5 import require_installed

        require_installed()
    start = time.perf_counter()
    with working(executor) as workers:
        collection = Collection(dataset, executor=workers)
        writing = collection.writing
        index = collection.sparse(analyzer)
        vectors = collection.dense("e5") if semantic else None
    packed = {} if export is None else {"export": str(export), "sha256": _packed(index, export)}
    facts = index.manifest.facts
    path = Path(str(index.path))
    size = _size(index)
    seconds = time.perf_counter() - start
    if as_json:
        dense = {} if vectors is None else {"vectors": {"path": str(vectors.path), "bytes": _size(vectors)}}
        built = {"path": str(path), "bytes": size, "seconds": round(seconds, 3), **dense, **packed}
        print_json({**built, **writing._asdict(), **facts})
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
    if vectors is not None:
        shape = f"{len(vectors):,} vectors of {vectors.dimensions} numbers, {_size(vectors) / 1e6:,.1f} MB"
        typer.echo(f"Meaning: {shape}: {vectors.path}")
    if packed:
        typer.echo(f"Packed: {packed['export']}, sha256 {packed['sha256']}")


def _packed(index: IndexArtifact, file: Path) -> str:
    """Pack an index into a file, and return the sha256 of the file.

    Raises:
        ArtifactError: the file cannot be written.
    """
    try:
        index.build_package(str(file), verbose=False)
    except OSError as error:
        raise ArtifactError(f"{file} cannot be written ({error.strerror}): give --export another path.") from error
    return file_digest(file)


def _size(index: IndexArtifact) -> int:
    return sum(entry["size"] for entry in index.manifest.files.values())


@update_app.command(epilog=UPDATE_EXAMPLES)
def update(
    dataset: Annotated[str, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)],
    executor: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Rebuild the indexes of DATASET after its files have changed; unchanged texts are not encoded again.

    Every existing index is rebuilt for the new state; if there are none, the indexes that the pipeline default needs
    are built. Programs that are searching continue with the state that they have opened.
    """
    from legalir.collection.collection import Collection

    start = time.perf_counter()
    with working(executor) as workers:
        done = Collection(dataset, executor=workers).update()
    seconds = time.perf_counter() - start
    if as_json:
        print_json({**done._asdict(), "total": round(seconds, 3)})
        return
    typer.echo(f"{done.added:,} provisions added, {done.changed:,} changed, {done.removed:,} removed: {seconds:.1f} s")
    for name, took in done.seconds.items():
        typer.echo(f"  {name}: {took:.1f} s")
    for name, reason in done.left.items():
        typer.echo(f"  {name}: left as it was: {reason}")
    if done.former:
        typer.echo("The former state stays, for the sake of what was left; the next update removes it.")
