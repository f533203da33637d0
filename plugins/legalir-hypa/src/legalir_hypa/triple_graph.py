"""Knowledge graph [hypa-rag]: facts (subject, predicate, object) that a chat model reads in provisions.

:func:`build_triples` asks the model about each provision. :class:`TripleGraph` contains each fact once, with the
provisions that state it. :func:`paths_from` walks from fact to fact.

Files of a build: the docnos of the provisions that state a fact (strings); the string tables
``entities`` and ``predicates``; ``subject.npy``, ``predicate.npy`` and ``object.npy``, int32 [f], which point into
them; ``indptr.npy``, int64 [f + 1], and ``provisions.npy``, int32 [m]: the provisions of each of f facts.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self, cast

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, create_model

from legalir import Client
from legalir.errors import FormatError, ModelError
from legalir.extend import (
    ChatModel,
    Collection,
    IndexArtifact,
    Strings,
    atomic_file,
    building,
    check_number,
    check_script,
    digest,
    file_digest,
    json_rows,
    load_prompt,
    provision_key,
    save_array,
    words,
    write_docnos,
    write_strings,
)

PROMPTS = Path(__file__).parent / "prompts"
"""The prompts: a folder each, with a file a language."""

_log = logging.getLogger("legalir")
_CHARACTERS = 2000
"""Characters of a provision that a model reads at once; a longer provision is read in parts."""
_TOKENS = 100
"""Tokens of the reply for each fact."""
_FIELDS = ("docno", "subject", "predicate", "object")


def normal_form(text: str) -> str:
    """Return the form in which equal entities are equal: NFC, lower case, words with one space between them."""
    return " ".join(words(text))


class Fact(NamedTuple):
    """A fact.

    Attributes:
        subject: an entity.
        predicate: what is said of it.
        object: another entity, or a value.
        provisions: docnos of the provisions that state it, in the order of the collection.
    """

    subject: str
    predicate: str
    object: str
    provisions: tuple[str, ...]

    def rows(self) -> Iterator[dict[str, str]]:
        """Yield a row for each provision: ``docno, subject, predicate, object``."""
        for docno in self.provisions:
            yield dict(zip(_FIELDS, (docno, *self[:3]), strict=True))


class TripleGraph(IndexArtifact):
    """The facts of a collection.

    Entities and predicates are equal if their normal forms are (:func:`normal_form`); the first spelling is shown. They
    may have any length. Facts are numbered in the order of the provisions.

    Args:
        path: directory of the artifact.
    """

    kind, version = "triple_graph", 1

    def __init__(self, path: str | PathLike[str]) -> None:
        super().__init__(str(path))

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self, iter: Iterable[Mapping[str, Any]], *, source: Mapping[str, Any] | None = None
    ) -> Self:
        """Build the graph; an existing graph at the path is replaced only when the new one is complete.

        Args:
            iter: a row for each fact of each provision: ``docno, subject, predicate, object``. A row with a text
                without letters and digits is left out, and counted.
            source: origin of the facts, stored in the manifest; JSON values.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
        """
        docnos: dict[str, int] = {}
        entities, predicates = _Table(), _Table()
        facts: dict[tuple[int, int, int], dict[int, None]] = {}
        empty = 0
        for row in iter:
            docno, *texts = (row[name] for name in _FIELDS)
            if not all(map(normal_form, texts)):
                empty += 1
                continue
            fact = entities.number(texts[0]), predicates.number(texts[1]), entities.number(texts[2])
            facts.setdefault(fact, {})[docnos.setdefault(docno, len(docnos))] = None
        with building(self.directory, self.kind, self.version) as (data, about):
            write_docnos(data, list(docnos))
            write_strings(data, "entities", entities.shown)
            write_strings(data, "predicates", predicates.shown)
            columns = np.array(list(facts), dtype=np.int32).reshape(-1, 3).T
            for name, column in zip(_FIELDS[1:], columns, strict=True):
                save_array(data / f"{name}.npy", column)
            save_array(data / "indptr.npy", np.cumsum([0, *map(len, facts.values())], dtype=np.int64))
            stated = [provision for provisions in facts.values() for provision in provisions]
            save_array(data / "provisions.npy", np.array(stated, dtype=np.int32))
            counts = {"facts": len(facts), "entities": len(entities.shown), "documents": len(docnos), "empty": empty}
            about.update(counts, source=dict(source or {}))
        self.forget()
        return self

    def fingerprint(self) -> str:
        """Return a sha256 over the facts, and over the model and the prompt that they come from."""
        return digest([super().fingerprint(), self.source.get("model"), self.source.get("prompt")])

    @property
    def source(self) -> dict[str, Any]:
        """Where the facts come from: of a model, ``model, prompt, n, failed, failures, foreign``."""
        return dict(self.manifest.facts["source"])

    def __len__(self) -> int:
        return len(self.arrays["subject"])

    @cached_property
    def entities(self) -> Strings:
        """The entities."""
        return Strings(self.arrays, "entities")

    @cached_property
    def _predicates(self) -> Strings:
        return Strings(self.arrays, "predicates")

    def ends(self, fact: int) -> tuple[int, int]:
        """Return the entities of a fact, subject and object."""
        return int(self.arrays["subject"][fact]), int(self.arrays["object"][fact])

    def predicate(self, fact: int) -> str:
        """Return the predicate of a fact."""
        return self._predicates[int(self.arrays["predicate"][fact])]

    def fact(self, number: int) -> Fact:
        """Return a fact."""
        subject, object_ = (self.entities[end] for end in self.ends(number))
        first, last = self.arrays["indptr"][number : number + 2]
        provisions = self.docno_table[self.arrays["provisions"][first:last].astype(np.int64)]
        return Fact(subject, self.predicate(number), object_, tuple(map(str, provisions)))

    def facts(self) -> Iterator[Fact]:
        """Yield all facts."""
        return map(self.fact, range(len(self)))

    @cached_property
    def _by_entity(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Facts by entity, [2f], and the first one of each of e entities, [e + 1]."""
        entity = np.concatenate((self.arrays["subject"], self.arrays["object"]))
        order = np.argsort(entity, kind="stable")
        number = np.tile(np.arange(len(self)), 2)
        return number[order], np.searchsorted(entity[order], np.arange(len(self.entities) + 1))

    def of_entity(self, entity: int) -> npt.NDArray[np.int64]:
        """Return the facts with an entity, ascending, each once."""
        facts, first = self._by_entity
        return np.unique(facts[first[entity] : first[entity + 1]])


class _Table:
    """Texts by their normal forms."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.shown: list[str] = []

    def number(self, text: str) -> int:
        """Return the number of a text; the first spelling of each normal form is stored."""
        number = self._numbers.setdefault(normal_form(text), len(self.shown))
        if number == len(self.shown):
            self.shown.append(" ".join(text.split()))
        return number


class Walk(NamedTuple):
    """A walk: a sequence of facts, each of which shares an entity with the previous one.

    Attributes:
        facts: their numbers.
        text: entities and predicates in the order of the walk: ``A → p → B ← q ← C``, where B is both objects.
    """

    facts: tuple[int, ...]
    text: str


def walks_from(
    graph: TripleGraph, entity: int, depth: int, first: Callable[[Sequence[int]], Sequence[int]]
) -> Iterator[Walk]:
    """Yield the walks from an entity that cannot be longer: of at most `depth` facts, and through no entity twice.

    A fact is walked both ways.

    Args:
        graph: the facts.
        entity: number of the entity.
        depth: at least 1.
        first: returns which facts of an entity to follow, in order.
    """

    def walk(facts: tuple[int, ...], text: str, here: int, seen: frozenset[int]) -> Iterator[Walk]:
        further = False
        for fact in first(graph.of_entity(here).tolist()) if len(facts) < depth else ():
            subject, object_ = graph.ends(fact)
            there, arrow = (object_, "→") if subject == here else (subject, "←")
            if there not in seen:
                further = True
                step = f"{text} {arrow} {graph.predicate(fact)} {arrow} {graph.entities[there]}"
                yield from walk((*facts, fact), step, there, seen | {there})
        if facts and not further:
            yield Walk(facts, text)

    return walk((), graph.entities[entity], entity, frozenset({entity}))


def whole_walks(walks: Iterable[Walk]) -> list[Walk]:
    """Return the walks that are not a part of a longer one; of several over the same facts, the first."""
    once: dict[tuple[int, ...], Walk] = {}
    for walk in walks:
        if walk.facts[::-1] not in once:
            once.setdefault(walk.facts, walk)
    parts: set[tuple[int, ...]] = set()
    for facts in once:
        runs = (facts[a:b] for a in range(len(facts)) for b in range(a + 1, len(facts) + 1) if b - a < len(facts))
        parts.update(way for run in runs for way in (run, run[::-1]))
    return [walk for facts, walk in once.items() if facts not in parts]


# Reading provisions by a model.


class _Fact(BaseModel):
    model_config = ConfigDict(extra="forbid")

    subject: Annotated[str, Field(min_length=1)]
    predicate: Annotated[str, Field(min_length=1)]
    object: Annotated[str, Field(min_length=1)]


@cache
def _facts(n: int) -> type[BaseModel]:
    """Return the type of a reply with at most `n` facts."""
    triples: Any = Annotated[list[_Fact], Field(max_length=n)]
    return create_model("Facts", __config__=ConfigDict(extra="forbid"), triples=(triples, ...))


class _Part(NamedTuple):
    """A text that a model reads at once."""

    docno: str
    name: str
    text: str


def build_triples(
    collection: Collection,
    *,
    llm: str | ChatModel | None = None,
    n: int = 10,
    prompt: str | PathLike[str] | None = None,
    language: str = "auto",
) -> TripleGraph:
    """Build the knowledge graph of a collection, replacing its present graph.

    A chat model is asked once for each provision, or for each part of a long one. A reply is stored as soon as it
    arrives, so that an interrupted build continues where it stopped. The paper [hypa-rag] has 10 facts for 512 tokens;
    its code drops entities of more than 128 bytes and cuts texts at a comma or bracket, and reads replies as lines.
    Here replies are JSON, and entities have any length.

    Left out and counted: replies that failed (``failed``, with reasons in ``failures``), and facts whose subject or
    object has no word of the provision (``foreign``), such as facts from the example in the prompt.

    Args:
        collection: the collection.
        llm: a model, or its name or call; None for the model of the collection's client.
        n: largest number of facts of one provision, from 1 to 50.
        prompt: file of your own prompt.
        language: language of the prompt; ``auto`` for the collection's language.

    Raises:
        ComponentError: `n` is out of range.
        DefinitionError: the file of the prompt cannot be read.
        ModelError: no request can succeed, or one may not be sent; see :meth:`legalir.llm.client.Client.ask`.
        ArtifactError: the graph cannot be written.
    """
    check_number("triples", "n", n, low=1, high=50, integer=True)
    client: Client = collection.client
    asked = load_prompt("triples", collection.language if language == "auto" else language, prompt, PROMPTS)
    parts = [part for one in collection.docs() for part in _parts(one.doc_id, one.title, one.text)]
    texts = {part.name: part.text for part in parts}

    def check(reply: Any, name: str) -> None:
        said = " ".join(text for fact in reply.triples for text in (fact.subject, fact.predicate, fact.object))
        check_script(said, texts[name])

    answers = client.ask(
        asked,
        [{"question": part.name, "provision": part.text, "n": n} for part in parts],
        llm=llm,
        kind=_facts(n),
        check=check,
        max_tokens=_TOKENS * (n + 1),
    )
    read = [(part, answer.value.triples) for part, answer in zip(parts, answers, strict=True) if answer.state == "ok"]
    rows, foreign = _rows(read)
    failures = [
        [part.name, answer.state, answer.reason]
        for part, answer in zip(parts, answers, strict=True)
        if answer.state != "ok"
    ]
    source = {
        "model": client.model(llm).name,
        "prompt": asked.fingerprint,
        "n": n,
        "asked": len(parts),
        "failed": dict(Counter(state for _, state, _ in failures)),
        "failures": failures,
        "foreign": foreign,
        "corpus": collection.fingerprint(),
    }
    return _place(collection).index(rows, source=source)


def _parts(docno: str, title: str, text: str) -> Iterator[_Part]:
    """Yield the parts of a provision to read: the whole text, or parts that end at a line break if possible."""
    start, number = 0, 1
    while start < len(text) or number == 1:
        end = len(text)
        if end - start > _CHARACTERS:
            line = text.rfind("\n", start + 1, start + _CHARACTERS)
            end = start + _CHARACTERS if line < 0 else line
        body = text[start:end].strip()
        part = f"{title}\n{body}" if title else body
        if normal_form(part):
            yield _Part(docno, docno if number == 1 else f"{docno}, part {number}", part)
        start, number = end, number + 1


def _rows(read: Sequence[tuple[_Part, Sequence[_Fact]]]) -> tuple[list[dict[str, str]], int]:
    """Return a row for each fact, and the number of facts that are not about their provision."""
    rows, foreign = [], 0
    for part, facts in read:
        text = normal_form(part.text)
        for fact in facts:
            if all(any(word in text for word in words(end)) for end in (fact.subject, fact.object)):
                rows.append(dict(zip(_FIELDS, (part.docno, fact.subject, fact.predicate, fact.object), strict=True)))
            else:
                foreign += 1
    return rows, foreign


# Finding the graph of a collection.


def _place(collection: Collection) -> TripleGraph:
    return TripleGraph(collection.cache / "triples")


def open_triples(collection: Collection, file: str | PathLike[str] | None = None) -> TripleGraph:
    """Return the knowledge graph of a collection.

    Args:
        collection: the collection.
        file: JSON lines of facts, perhaps compressed (``.gz``), that are read in place of those that
            :func:`build_triples` stored: ``docno, subject, predicate, object``.

    Raises:
        ModelError: the collection has no graph, or there is no such file; an experiment leaves such a system out.
        DataError: the file cannot be read.
        FormatError: a line of the file is faulty.
    """
    if file is None:
        graph = _place(collection)
        if not graph.built():
            raise ModelError(
                f"triples: {collection.id} has no knowledge graph: build it with "
                f"`legalir graph triples {collection.id} --llm NAME`."
            )
        return graph
    path = Path(file).expanduser()
    if not path.is_file():
        raise ModelError(
            f"triples: graph={str(file)!r} is not a file: give the path of a file of facts, which "
            f"`legalir graph triples {collection.id} --llm NAME --out FILE` writes."
        )
    graph = TripleGraph(collection.cache / f"triples-{file_digest(path)[:16]}")
    known = {name for provision in collection.docs() for name in (provision.doc_id, provision_key(provision.doc_id))}
    return collection.cached(graph, lambda one: one.index(read_facts(path, known), source={"file": path.name}))


def read_facts(path: Path, known: Container[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of a file of facts; a warning counts rows of provisions that are not `known`.

    Raises:
        DataError: the file cannot be read.
        FormatError: a line is not a row of four texts.
    """
    dangling = 0
    for number, row in json_rows(path):
        texts = {name: row.get(name) for name in _FIELDS}
        if not all(isinstance(text, str) for text in texts.values()):
            raise FormatError(f"{path}, line {number}: a fact needs the texts {', '.join(_FIELDS)}.")
        if texts["docno"] in known:
            yield cast(dict[str, str], texts)
        else:
            dangling += 1
    if dangling:
        _log.warning("triples: %d facts of %s are of provisions that the collection lacks; left out.", dangling, path)


def write_facts(graph: TripleGraph, path: Path) -> None:
    """Write the facts of a graph as JSON lines, which :func:`read_facts` reads, whole or not at all.

    Raises:
        OSError: the file cannot be written.
    """
    with atomic_file(path) as stream:
        stream.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for fact in graph.facts() for row in fact.rows())
