"""What ships with the package: the bundled collection and the judgement files, whose sha256 is declared."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from legalir.errors import DataError
from legalir.storage.digest import cached_file_digest

__all__ = ["FIRECODE", "judgement_folder", "verify_judgements"]

_PACKAGE = Path(__file__).resolve().parent.parent

FIRECODE = _PACKAGE / "datasets" / "firecode"
"""Folder of the bundled collection, ``legalir/firecode``."""


def judgement_root() -> Path:
    """Return the folder of the judgement files: inside an installed package, beside it in a source tree.

    Raises:
        DataError: neither is there.
    """
    for root in (_PACKAGE / "qrels", _PACKAGE.parent / "qrels"):
        if (root / "manifest.yaml").is_file():
            return root
    raise DataError("The judgement files of legalir are missing from this installation: install it again.")


def judgement_folder(name: str) -> Path:
    """Return the folder of one collection's judgements.

    Raises:
        DataError: there is none of that name.
    """
    folder = judgement_root() / name
    if Path(name).name != name or not folder.is_dir():
        raise DataError(f"legalir ships no judgements named {name!r}.")
    return folder


@cache
def _manifest(root: Path) -> dict[str, str]:
    """Return sha256 by path below `root`, as ``manifest.yaml`` declares it.

    Its form: ``files: {<path below root>: {sha256: ..., source: ..., licence: ...}}``.
    """
    import yaml

    content = yaml.safe_load((root / "manifest.yaml").read_text(encoding="utf-8"))
    try:
        return {path: str(entry["sha256"]) for path, entry in content["files"].items()}
    except (TypeError, KeyError, AttributeError) as error:
        raise DataError(f"{root / 'manifest.yaml'} does not list 'files' with their sha256.") from error


def verify_judgements(path: Path) -> None:
    """Check a shipped judgement file against its declared sha256.

    Raises:
        DataError: it is not declared, or its content is not the declared one.
    """
    root = judgement_root()
    name = path.relative_to(root).as_posix()
    declared = _manifest(root).get(name)
    if declared is None:
        raise DataError(f"{path} is not declared in {root / 'manifest.yaml'}.")
    if cached_file_digest(path) != declared:
        raise DataError(f"{path} is not the file that {root / 'manifest.yaml'} declares: install legalir again.")
