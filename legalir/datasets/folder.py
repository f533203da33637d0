"""The folder format: which file of a folder is what, told by names alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from legalir.datasets.about import About, read_about
from legalir.datasets.shipped import judgement_folder
from legalir.errors import DatasetNotFound, FormatError

__all__ = ["Folder"]

_QUERIES = re.compile(r"queries(?:\.([A-Za-z0-9_-]+))?\.jsonl(?:\.gz)?")
_QRELS = re.compile(r"qrels(?:\.([A-Za-z0-9_-]+))?\.txt")


@dataclass(frozen=True)
class Folder:
    """The files of one collection; the key of a file without a split is the empty string."""

    root: Path
    corpus: Path
    queries: dict[str, Path] = field(default_factory=dict)
    qrels: dict[str, Path] = field(default_factory=dict)
    links: Path | None = None
    ignored: tuple[Path, ...] = ()

    @classmethod
    def open(cls, root: Path) -> Folder:
        """Find the files of `root`, and the shipped judgements if its ``dataset.yaml`` names some.

        Raises:
            DatasetNotFound: there is no such folder, or no corpus in it.
            FormatError: two files claim one part, or ``dataset.yaml`` cannot be used.
        """
        folder = cls.scan(root)
        if folder.about.qrels is None:
            return folder
        if folder.qrels:
            raise FormatError(f"{root / 'dataset.yaml'}: names 'qrels', but the folder has judgement files, too.")
        judgements = _by_split(sorted(judgement_folder(folder.about.qrels).iterdir()), _QRELS)
        return cls(root, folder.corpus, folder.queries, judgements, folder.links, folder.ignored)

    @classmethod
    def scan(cls, root: Path) -> Folder:
        """Find the files of `root` by their names; no file is read.

        Raises:
            DatasetNotFound: there is no such folder, or no corpus in it.
            FormatError: two files claim one part.
        """
        try:
            files = sorted(path for path in root.iterdir() if path.is_file())
        except OSError as error:
            raise DatasetNotFound(f"{root} is not a folder that can be read ({error.strerror}).") from error
        corpus = _one(files, "corpus.jsonl")
        if corpus is None:
            raise DatasetNotFound(f"{root} holds no corpus.jsonl or corpus.jsonl.gz.")
        links = _one(files, "links.tsv")
        queries, qrels = _by_split(files, _QUERIES), _by_split(files, _QRELS)
        used = {corpus, links, root / "dataset.yaml", *queries.values(), *qrels.values()}
        return cls(root, corpus, queries, qrels, links, tuple(file for file in files if file not in used))

    @cached_property
    def about(self) -> About:
        """What ``dataset.yaml`` says; nothing where there is none."""
        path = self.root / "dataset.yaml"
        return read_about(path) if path.is_file() else About()

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits: whatever has its own queries or its own judgements."""
        return tuple(sorted({*self.queries, *self.qrels} - {""}))

    def queries_of(self, split: str | None) -> Path | None:
        """Return the query file of a split: its own, else the base's."""
        return self.queries.get(split or "", self.queries.get(""))

    def qrels_of(self, split: str | None) -> Path | None:
        """Return the judgement file of a split: its own, else the base's."""
        return self.qrels.get(split or "", self.qrels.get(""))


def _one(files: list[Path], name: str) -> Path | None:
    found = [path for path in files if path.name in (name, f"{name}.gz")]
    if len(found) > 1:
        raise FormatError(f"{found[0].parent} holds both {name} and {name}.gz: remove one.")
    return found[0] if found else None


def _by_split(files: list[Path], pattern: re.Pattern[str]) -> dict[str, Path]:
    out: dict[str, Path] = {}
    for path in files:
        match = pattern.fullmatch(path.name)
        if match is None:
            continue
        split = match[1] or ""
        if split in out:
            raise FormatError(f"{path.parent} holds both {out[split].name} and {path.name}: remove one.")
        out[split] = path
    return out
