"""The folder format: the role of each file by its name, ``dataset.yaml``, and the judgement files of the package."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple

from pydantic import BeforeValidator, Field

from legalir.config import AnyText, Flag, Schema, Whole, read_yaml
from legalir.errors import DataError, DatasetNotFound, DefinitionError, FormatError
from legalir.storage.digest import cached_file_digest

ORIGIN, REPORT, DANGLING = "origin.jsonl", "import.json", "links.dangling.tsv"
"""Files that an import writes next to the provisions: places in the source, report, and dangling links."""

DEFINITIONS = "definitions.jsonl"
"""File of the terms that provisions define, which an import writes, too."""

ALIASES = "aliases.tsv"
"""File of other names of laws: the name, a tab, and the law by its name or ``law_id``."""

OUT_OF_SCOPE = "out_of_scope.jsonl"
"""File of questions that the provisions do not answer, in the form of the other questions."""

CHUNKS, PROVISIONS = "chunks.tsv", "provisions.jsonl"
"""Files of a chunk collection: the contents of each chunk, and the provisions that were cut."""

_QUERIES = re.compile(r"queries(?:\.([A-Za-z0-9_-]+))?\.jsonl(?:\.gz)?")
_QRELS = re.compile(r"qrels(?:\.([A-Za-z0-9_-]+))?\.txt")
_PACKAGE = Path(__file__).resolve().parent.parent


class About(Schema):
    """Facts in a ``dataset.yaml``, all optional."""

    KIND: ClassVar[str] = "a description of a collection"

    title: AnyText | None = None
    """Full name of the collection."""

    titles: dict[AnyText, AnyText] = Field(default_factory=dict)
    """The name in other languages, by their codes: ``{ko: 항만법}``."""

    licence: AnyText | None = None
    """Terms of use."""

    lang: AnyText | None = None
    """ISO 639-1 code of the corpus, and of the queries unless `query_lang` differs."""

    source: AnyText | None = None
    """Origin of the collection, such as an address."""

    description: AnyText | None = None
    """A few sentences."""

    citation: AnyText | None = None
    """Reference to the publication."""

    query_field: AnyText = "query"
    """Column of a query file that contains the question."""

    query_lang: Annotated[
        dict[AnyText, AnyText], BeforeValidator(lambda value: {"*": value} if isinstance(value, str) else value)
    ] = Field(default_factory=dict)
    """Language of the queries by split; the key ``*``, or a text alone, means all splits."""

    labels: dict[Whole, AnyText] = Field(default_factory=lambda: {0: "not relevant", 1: "relevant"})
    """Meaning of each relevance label."""

    qrels: AnyText | None = None
    """Name of a folder of the judgements that ship with legalir."""

    complete: Flag = False
    """Whether it has all laws in force of its jurisdiction: then a law that it lacks does not exist."""

    fictional: Flag = False
    """Whether its laws are invented, which pages then say."""

    static: AnyText | None = None
    """Folder of the static encoder trained for it, relative to this file's."""

    def titled(self, language: str) -> str:
        """Return the name of the collection for readers of a language; empty if it has none."""
        return self.titles.get(language) or self.title or ""

    def queries_lang(self, split: str | None) -> str | None:
        """Return the language of the queries of a split; None means the base."""
        return self.query_lang.get(split or "", self.query_lang.get("*", self.lang))


def read_about(path: Path) -> About:
    """Read a ``dataset.yaml``; a key without a value counts as missing.

    Raises:
        FormatError: it is not YAML, not a mapping, or has an unknown key or a value of the wrong type.
    """
    try:
        content = read_yaml(path, About.KIND) or {}
        if isinstance(content, Mapping):
            content = {
                key: value for key, value in content.items() if value is not None or key not in About.model_fields
            }
        return About.parse(content, str(path))
    except DefinitionError as error:
        raise FormatError(str(error)) from error


def _here() -> bool:
    return True


class FolderOutline(NamedTuple):
    """Facts about a collection that are there before a file is read or fetched.

    Attributes:
        queries: the splits with queries of their own; the empty string is the base.
        qrels: the splits with judgements of their own, likewise.
        about: title, licence and the like; None where only ``dataset.yaml`` has them.
        fetched: returns whether the files are on this machine.
    """

    queries: frozenset[str]
    qrels: frozenset[str]
    about: About | None = None
    fetched: Callable[[], bool] = _here

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits."""
        return tuple(sorted((self.queries | self.qrels) - {""}))


@dataclass(frozen=True)
class Folder:
    """The files of one collection.

    Attributes:
        root: the folder.
        corpus: the file of the provisions.
        queries: query file by split; the empty string is the base.
        qrels: judgement file by split, likewise.
        links: the file of the links; None for a folder without links.
        chunks: the contents of each chunk, if the documents are chunks; None for provisions.
        provisions: the provisions that were cut into chunks; None if the documents are provisions.
        ignored: files that the format does not know.
        original: the folder of which `root` is a copy in the cache; None for a folder that is not a copy.
    """

    root: Path
    corpus: Path
    queries: dict[str, Path] = field(default_factory=dict)
    qrels: dict[str, Path] = field(default_factory=dict)
    links: Path | None = None
    chunks: Path | None = None
    provisions: Path | None = None
    ignored: tuple[Path, ...] = ()
    original: Path | None = None

    @classmethod
    def open(cls, root: Path) -> Folder:
        """Find the files of `root`, and the judgements of the package where its ``dataset.yaml`` names some.

        Raises:
            DataError: the judgements of the package are missing.
            DatasetNotFound: there is no such folder, or no corpus in it.
            FormatError: two files have the same role, or ``dataset.yaml`` cannot be used.
        """
        folder = cls.scan(root)
        if folder.about.qrels is None:
            return folder
        if folder.qrels:
            raise FormatError(f"{root / 'dataset.yaml'}: names 'qrels', but the folder has judgement files, too.")
        judgements = _by_split(sorted(_judgement_folder(folder.about.qrels).iterdir()), _QRELS)
        return replace(folder, qrels=judgements)

    @classmethod
    def scan(cls, root: Path) -> Folder:
        """Find the files of `root` by their names; no file is read.

        Raises:
            DatasetNotFound: there is no such folder, or no corpus in it.
            FormatError: two files have the same role.
        """
        try:
            files = sorted(path for path in root.iterdir() if path.is_file())
        except OSError as error:
            raise DatasetNotFound(f"{root} is not a folder that can be read ({error.strerror}).") from error
        corpus = _one(files, "corpus.jsonl")
        if corpus is None:
            raise DatasetNotFound(f"{root} holds no corpus.jsonl or corpus.jsonl.gz.")
        links, chunks, provisions = (_one(files, name) for name in ("links.tsv", CHUNKS, PROVISIONS))
        queries, qrels = _by_split(files, _QUERIES), _by_split(files, _QRELS)
        imported = (root / name for name in (ORIGIN, REPORT, DANGLING, DEFINITIONS, ALIASES, OUT_OF_SCOPE))
        used = {corpus, links, chunks, provisions, root / "dataset.yaml", *imported, *queries.values(), *qrels.values()}
        ignored = tuple(file for file in files if file not in used)
        return cls(root, corpus, queries, qrels, links, chunks, provisions, ignored)

    @cached_property
    def about(self) -> About:
        """Facts in ``dataset.yaml``; defaults if there is no such file."""
        path = self.root / "dataset.yaml"
        return read_about(path) if path.is_file() else About()

    @property
    def outline(self) -> FolderOutline:
        """The splits of the folder."""
        return FolderOutline(frozenset(self.queries), frozenset(self.qrels))

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits: each has its own queries or its own judgements."""
        return self.outline.splits

    def queries_of(self, split: str | None) -> Path | None:
        """Return the query file of a split: its own, else the base's."""
        return self.queries.get(split or "", self.queries.get(""))

    def qrels_of(self, split: str | None) -> Path | None:
        """Return the judgement file of a split: its own, else the base's."""
        return self.qrels.get(split or "", self.qrels.get(""))


def _one(files: list[Path], name: str) -> Path | None:
    paths = [path for path in files if path.name in (name, f"{name}.gz")]
    if len(paths) > 1:
        raise FormatError(f"{paths[0].parent} holds both {name} and {name}.gz: remove one.")
    return paths[0] if paths else None


def _by_split(files: list[Path], pattern: re.Pattern[str]) -> dict[str, Path]:
    out: dict[str, Path] = {}
    for path in files:
        if match := pattern.fullmatch(path.name):
            split = match[1] or ""
            if split in out:
                raise FormatError(f"{path.parent} holds both {out[split].name} and {path.name}: remove one.")
            out[split] = path
    return out


def _judgement_root() -> Path:
    """Return the folder of the judgement files: inside an installed package, or next to it in a source tree."""
    for root in (_PACKAGE / "qrels", _PACKAGE.parent / "qrels"):
        if (root / "manifest.yaml").is_file():
            return root
    raise DataError("The judgement files of legalir are missing from this installation: install it again.")


def _judgement_folder(name: str) -> Path:
    folder = _judgement_root() / name
    if Path(name).name != name or not folder.is_dir():
        raise DataError(f"legalir ships no judgements named {name!r}.")
    return folder


@cache
def _declared_digests(manifest: Path) -> dict[str, str]:
    """Return sha256 by path, from ``files: {<path beside the manifest>: {sha256: ..., source: ..., licence: ...}}``."""
    import yaml

    content = yaml.safe_load(manifest.read_text(encoding="utf-8"))
    try:
        return {path: str(entry["sha256"]) for path, entry in content["files"].items()}
    except (TypeError, KeyError, AttributeError) as error:
        raise DataError(f"{manifest} does not list 'files' with their sha256.") from error


def verify_judgements(path: Path) -> None:
    """Check a judgement file of the package against its declared sha256.

    Raises:
        DataError: it is not declared, or its content is not the declared one.
    """
    root = _judgement_root()
    manifest = root / "manifest.yaml"
    declared = _declared_digests(manifest).get(path.relative_to(root).as_posix())
    if declared is None:
        raise DataError(f"{path} is not declared in {manifest}.")
    if cached_file_digest(path) != declared:
        raise DataError(f"{path} is not the file that {manifest} declares: install legalir again.")
