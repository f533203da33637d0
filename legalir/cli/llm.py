"""``legalir llm cache``: show, export and delete stored replies of language models."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from legalir.cli.printing import AsJson, print_json, printable
from legalir.errors import ArtifactError

if TYPE_CHECKING:
    from legalir.llm.cache import ReplyCache, Totals

app = typer.Typer(no_args_is_help=True, help="Manage the stored replies of language models.")
cache = typer.Typer(no_args_is_help=True, help="Show, export and delete the stored replies of language models.")
app.add_typer(cache, name="cache")

_SHOW = """Examples:

  legalir llm cache show

  legalir llm cache show --json

No question is printed. LEGALIR_HOME is the directory of the cache.
"""
_EXPORT = """Examples:

  legalir llm cache export replies.jsonl

  legalir llm cache export replies.jsonl --model qwen3 --replace

Then: legalir search legalir/firecode "question" --pipeline 'rar(default)' --llm 'recorded(path="replies.jsonl")'.

The file holds the questions and the texts of the replies, and no key.
"""
_PRUNE = """Examples:

  legalir llm cache prune --older-than 90

  legalir llm cache prune --older-than 90 --model qwen3 --yes

  legalir llm cache prune --all --yes

Without --yes nothing is deleted. A deleted reply is asked for, and paid for, again.
"""

Model = Annotated[str | None, typer.Option("--model", help="Select only replies of this model.", show_default=False)]


@cache.command(epilog=_SHOW)
def show(as_json: AsJson = False) -> None:
    """Show the number, tokens and dates of the stored replies, by model and prompt."""
    from legalir.llm.cache import default_cache

    path = default_cache()
    stored = _opened().summary() if path.exists() else []
    size = sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*") if file.name in _files(path))
    if as_json:
        print_json({"file": str(path), "bytes": size, "replies": [_json(row) for row in stored]})
        return
    if not stored:
        typer.echo(f"No replies are stored in {path}.")
        return
    _print_table(stored)
    typer.echo(f"\n{path}: {_size(size)}")


@cache.command(epilog=_EXPORT)
def export(
    file: Annotated[Path, typer.Argument(help="New file of JSON lines.", show_default=False)],
    model: Model = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing file.")] = False,
) -> None:
    """Write the stored replies to FILE, for use with `recorded`."""
    from legalir.storage.files import atomic_file

    replies = _opened()
    if file.exists() and (not replace or file.samefile(replies.path)):
        raise typer.BadParameter(f"{file} exists: give another name{', or --replace' if not replace else ''}.")
    models: Counter[str] = Counter()
    try:
        with atomic_file(file) as stream:
            for stored in replies.rows(model):
                stream.write(f"{stored.line()}\n")
                models[printable(stored.model)] += 1
            if not models:
                raise ArtifactError(f"No replies{f' of {model}' if model else ''} are stored: nothing is written.")
    except OSError as error:
        raise ArtifactError(f"{file} cannot be written ({error.strerror or error}): give another place.") from error
    typer.echo(f"{file}: {', '.join(f'{count} replies of {name}' for name, count in sorted(models.items()))}")
    if len(models) > 1:
        typer.echo("recorded takes one reply to each question, of any of these models: --model exports one.", err=True)


@cache.command(epilog=_PRUNE)
def prune(
    older_than: Annotated[
        float | None,
        typer.Option(
            "--older-than", metavar="DAYS", min=0, help="Select only replies older than DAYS.", show_default=False
        ),
    ] = None,
    model: Model = None,
    everything: Annotated[bool, typer.Option("--all", help="Select all replies.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Delete the selected replies; without it, they are only shown.")
    ] = False,
) -> None:
    """Delete stored replies; without --yes, show what would be deleted."""
    if everything == (older_than is not None or model is not None):
        raise typer.BadParameter("say which replies: --older-than and --model, or --all alone.")
    before = time.time() - 86_400 * (older_than or 0)
    replies = _opened()
    selected = replies.summary(before, model)
    if selected:
        _print_table(selected)
        typer.echo()
    if yes:
        typer.echo(f"Deleted {replies.prune(before, model)} replies.")
    else:
        count = sum(row.replies for row in selected)
        typer.echo(f"Would delete {count} replies: add --yes to delete them." if count else "No replies to delete.")


def _opened() -> ReplyCache:
    from legalir.llm.cache import ReplyCache, default_cache

    path = default_cache()
    if not path.exists():
        raise ArtifactError(f"No replies are cached at {path}: ask a model first, or set LEGALIR_HOME.")
    return ReplyCache(path)


def _files(path: Path) -> Sequence[str]:
    """Return the file names of an SQLite database."""
    return [path.name + end for end in ("", "-wal", "-shm")]


def _json(row: Totals) -> dict[str, object]:
    return row._asdict() | {name: _when(getattr(row, name)).isoformat("T", "seconds") for name in ("first", "last")}


def _when(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"


def _print_table(rows: Sequence[Totals]) -> None:
    """Print the name of each model, which may be as long as a path, and a line for each prompt below it."""
    lines: list[tuple[str, ...]] = [("prompt", "replies", "failed", "tokens in", "tokens out", "first", "last")]
    lines += [_line(printable(row.prompt), [row]) for row in rows]
    if len(rows) > 1:
        lines.append(_line("all", rows))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    models = {place: row.model for place, row in enumerate(rows, start=1)}
    for place, (name, *numbers) in enumerate(lines):
        model = models.get(place)
        if model is not None and model != models.get(place - 1):
            typer.echo(printable(model))
        cells = [name.ljust(widths[0]), *map(str.rjust, numbers, widths[1:])]
        typer.echo(f"  {'  '.join(cells)}")


def _line(name: str, rows: Sequence[Totals]) -> tuple[str, ...]:
    counts = [sum(column) for column in zip(*(row[2:6] for row in rows), strict=True)]
    dates = min(row.first for row in rows), max(row.last for row in rows)
    return name, *(f"{count:,}" for count in counts), *(f"{_when(date):%Y-%m-%d}" for date in dates)
