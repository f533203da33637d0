"""Search in the knowledge graph [hypa-rag]: what a question names, the walks from there, and their provisions.

The graph itself is :class:`legalir_hypa.triple_graph.TripleGraph`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict, Field, create_model

from legalir import Client, DenseIndex, SparseIndex
from legalir.errors import ComponentError
from legalir.extend import (
    ChatModel,
    Collection,
    Component,
    Encoder,
    Explanation,
    LawTable,
    Part,
    Prompt,
    RankedLists,
    TrainableEncoder,
    Upstream,
    best_first,
    check_choice,
    check_number,
    check_script,
    digest,
    drop_results,
    empty_like,
    get_analyzer,
    get_encoder,
    load_prompt,
    original_questions,
    parameters_of,
    places,
    query_columns,
    ranked_lists,
    read_lists,
    require_texts,
    versions_in_force,
)
from legalir_hypa.adaptive import KEYWORDS, PATHS
from legalir_hypa.triple_graph import PROMPTS, TripleGraph, Walk, open_triples, walks_from, whole_walks

CONTEXT = "context"
"""Column of the walks as text."""

_TOKENS = 20
"""Tokens of the reply for each key word."""
_FOLLOWED, _WALKS = 30, 2000
"""Facts of an entity that are followed, the most similar to the question first, and walks from it that are compared: an
entity such as ``owner`` may lead everywhere."""

Keep = Literal["longest", "similar"]
Adapts = Literal["max_paths", "depth"]


@cache
def _keywords(n: int) -> type[BaseModel]:
    """Return the type of a reply with at most `n` key words."""
    text = Annotated[str, Field(min_length=1, max_length=100)]
    keywords: Any = Annotated[list[text], Field(min_length=1, max_length=n)]
    return create_model("Keywords", __config__=ConfigDict(extra="forbid"), keywords=(keywords, ...))


def _check(reply: Any, question: str) -> None:
    check_script(" ".join(reply.keywords), question)


class _Asked(NamedTuple):
    """A question to the graph.

    Attributes:
        question: the question.
        texts: what is looked up among the entities: key words, each for its best entity; or the question itself.
        roots: number of entities to begin at.
        depth: largest number of facts of a walk.
        most: maximum number of walks.
    """

    question: str
    texts: list[str]
    roots: int
    depth: int
    most: int


class Triples(Component):
    """Adds provisions along walks in the knowledge graph, and the walks as text [hypa-rag].

    1. A chat model names the key words of the question, and each leads to the entity with the most similar terms; or,
       without a model, the question leads to as many entities. If a reply fails, it is counted, and the question leads.
    2. The facts with the vectors most similar to the question are found, too.
    3. From each entity all walks of at most `depth` facts are taken, both ways along a fact; walks that are part of a
       longer walk are dropped, and `max_paths` are kept.
    4. The provisions that state the facts of these walks are added below the list, in the order of the walks, each
       once. So the places of the list stay. Their score is one divided by the place.

    The original question is read, also after a rewriting. A frame of questions alone has empty lists: then the
    graph alone is searched. A retriever on the right scores the provisions and keeps the column ``context``.

    Columns in: ``qid, query``, and ``docno, score`` of a list; perhaps ``paths`` and ``keywords``, whole numbers in
    place of `max_paths` (or of `depth`, see `adapts`) and `keywords`; 0 ``paths`` add nothing. Columns out: the query
    columns, ``context`` (the walks, one per line, after any earlier content; empty if there are none), ``docno, score,
    rank``.

    The paper leaves open which walks are kept; its code keeps the longest texts. Of the two modes of the code,
    one throws the provisions away, and one loses their order.

    Raises:
        ComponentError: a parameter is invalid.
        ModelError: no model is named, or it is not allowed.
    """

    name = "triples"

    graph: Annotated[TripleGraph, "the facts"]
    entities: Annotated[
        SparseIndex | None,
        "finds entities by their terms; the docno is the number. None without any fact",
    ] = None
    facts: Annotated[
        DenseIndex | None,
        "finds facts by their vectors; the docno is the number. None leaves them out",
    ] = None
    client: Annotated[Client | None, "asks for key words; None for the question itself"] = None
    prompt: Annotated[Prompt | None, "the prompt for key words"] = None
    llm: Annotated[str | ChatModel | None, "a model, or its name or call; None for the client's model"] = None
    depth: Annotated[int, Ge(1), Le(6), "largest number of facts of a walk"] = 2
    max_paths: Annotated[int, Ge(0), "maximum number of walks"] = 2
    keywords: Annotated[int, Ge(0), Le(50), "largest number of key words, or of entities of the question"] = 4
    similar: Annotated[int, Ge(0), "number of the most similar facts"] = 2
    provisions: Annotated[
        int,
        Ge(1),
        "maximum number of provisions per fact, at least 1: a definition may occur in many",
    ] = 3
    keep: Annotated[
        Keep,
        "``longest``, the walks with the longest texts; or ``similar``, those with the greatest mean cosine "
        "of their facts with the question",
    ] = "longest"
    adapts: Annotated[
        Adapts,
        "the parameter that the column ``paths`` replaces: ``max_paths``, or ``depth`` as the paper's text has it",
    ] = "max_paths"
    versions: Annotated[
        LawTable | None,
        "the documents of the collection: only facts of provisions count that are in force and pass the filter of a "
        "query; a fact of a key applies to each version. None for no versions and filters",
    ] = None

    def __post_init__(self) -> None:
        if self.client is not None:
            self.client.model(self.llm)  # Report a missing or forbidden model at once.

    @property
    def fingerprint(self) -> str:
        """Digest of the graph, and of the model and the prompt for key words."""
        asks = self.client is not None and self.prompt is not None
        model = [self.client.model(self.llm).name, self.prompt.fingerprint] if asks else []  # type: ignore[union-attr]
        return digest([self.graph.fingerprint(), *model])

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        self._validate(inp)
        return empty_like(_with_context(drop_results(inp).iloc[:0], []))

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the longer lists.

        Raises:
            ComponentError: a query is not a string, a score is not finite, a document occurs twice in a list, or
                ``paths`` or ``keywords`` of a question is not a number of this kind.
            ModelError: no request can succeed; see :meth:`legalir.llm.client.Client.ask`.
        """
        self._validate(inp)
        require_texts(inp, self.name)
        lists = self._lists(inp)
        query, docno = [lists.query], [lists.docno]
        texts = []
        laws = self._laws(lists.queries)
        for number, (walks, law) in enumerate(zip(self._walks(lists.queries), laws, strict=True)):
            first, last = lists.bounds[number : number + 2]
            added = self._added(walks, lists.docno[first:last].tolist(), law)
            query.append(np.full(len(added), number))
            docno.append(np.array(list(added), dtype=object))
            texts.append("\n".join(walk.text for walk in walks))
        queries = _with_context(query_columns(lists.queries), texts)
        of, documents = np.concatenate(query), np.concatenate(docno)
        order = np.argsort(of, kind="stable")  # Added provisions follow the list.
        score = 1.0 / (places(of[order]) + 1)
        return ranked_lists(queries, of[order], documents[order], score).frame()

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return why `docnos` have their places: by their own score, or by the walk that leads to them."""
        lists = self._lists(inp)
        (walks,) = self._walks(lists.queries)
        own = lists.docno.tolist()
        added = self._added(walks, own, self._laws(lists.queries)[0])
        origins = upstream([docno for docno in docnos if docno in own])
        explained = {}
        for place, docno in enumerate([*own, *added], start=1):
            if docno not in docnos:
                continue
            detail: dict[str, object] = {"place": place}
            label = f"place {place}, of the list"
            if docno in added:
                walk, fact = added[docno]
                detail |= {"walk": walk.text, "fact": list(self.graph.fact(fact)[:3])}
                label = f"place {place}, by the walk {walk.text}"
            part = Part(label, 1 / place, origins.get(docno), detail)
            explained[docno] = Explanation(docno, part.value, self.name, (part,), "one divided by the place")
        return explained

    def _validate(self, inp: pd.DataFrame) -> None:
        with pt.validate.any(inp) as found:
            found.columns(includes=["qid", "query", "docno", "score"])
            found.columns(includes=["qid", "query"], excludes=["docno"])

    def _lists(self, inp: pd.DataFrame) -> RankedLists:
        """Return the lists of the input, empty ones for questions."""
        if "docno" in inp.columns:
            return read_lists(inp, self.name)[0]
        return RankedLists(drop_results(inp), *(np.zeros(0, dtype=kind) for kind in (np.int64, object, np.float64)))

    def _laws(self, queries: pd.DataFrame) -> list[Mapping[str, str] | None]:
        return [None] * len(queries) if self.versions is None else self.versions.in_force(queries)

    def _stating(self, fact: int, law: Mapping[str, str] | None) -> Sequence[str]:
        """Return the provisions of a fact, of those in force."""
        names = self.graph.fact(fact).provisions
        return names if law is None else versions_in_force(names, law)

    def _added(
        self, walks: Sequence[Walk], own: Sequence[str], law: Mapping[str, str] | None
    ) -> dict[str, tuple[Walk, int]]:
        """Return the provisions that are added to a list, in order, each with the walk and the fact that lead to it."""
        added: dict[str, tuple[Walk, int]] = {}
        for walk in walks:
            for fact in walk.facts:
                for docno in self._stating(fact, law)[: self.provisions]:
                    if docno not in own:
                        added.setdefault(docno, (walk, fact))
        return added

    # From questions to walks.

    def _walks(self, queries: pd.DataFrame) -> Iterator[list[Walk]]:
        """Yield the walks of each query."""
        nothing_there = self.entities is None or not len(self.graph)
        for asked, law in zip(self._asked(queries), self._laws(queries), strict=True):
            # Punctuation alone asks nothing.
            if nothing_there or asked.most == 0 or not any(map(str.isalnum, asked.question)):
                yield []
            else:
                yield self._walks_of(asked, law)

    def _asked(self, queries: pd.DataFrame) -> list[_Asked]:
        """Return the questions with their key words and numbers."""
        questions = original_questions(queries)
        limit = {"max_paths": self.max_paths, "depth": self.depth}
        roots = self._numbers(queries, KEYWORDS, self.keywords, 50)
        given = self._numbers(queries, PATHS, limit[self.adapts], 6 if self.adapts == "depth" else None)
        texts = self._texts(questions, [n if one else 0 for n, one in zip(roots, given, strict=True)])
        asked = []
        for question, own, count, adapted in zip(questions, texts, roots, given, strict=True):
            numbers = {**limit, self.adapts: adapted}
            most = numbers["max_paths"] if numbers["depth"] else 0
            asked.append(_Asked(question, own, count, numbers["depth"], most))
        return asked

    def _numbers(self, queries: pd.DataFrame, column: str, default: int, high: int | None) -> list[int]:
        """Return the number in a column of each query, or the default."""
        if column not in queries.columns:
            return [default] * len(queries)
        for value in queries[column]:
            check_number("triples", column, value, low=0, high=float("inf") if high is None else high, integer=True)
        return [int(value) for value in queries[column]]

    def _texts(self, questions: Sequence[str], counts: Sequence[int]) -> list[list[str]]:
        """Return the key words of each question, or the question itself if there is no request or the reply failed.

        Args:
            questions: the questions.
            counts: largest number of key words of each.
        """
        texts = [[question] for question in questions]
        if self.client is None or self.prompt is None or self.entities is None:
            return texts
        for n in sorted(set(counts) - {0}):
            rows = [row for row, count in enumerate(counts) if count == n and any(map(str.isalnum, questions[row]))]
            answers = self.client.ask(
                self.prompt,
                [{"question": questions[row], "n": n} for row in rows],
                llm=self.llm,
                kind=_keywords(n),
                check=_check,
                max_tokens=_TOKENS * (n + 2),
            )
            for row, answer in zip(rows, answers, strict=True):
                if answer.state == "ok":
                    texts[row] = list(dict.fromkeys(answer.value.keywords))
        return texts

    def _walks_of(self, asked: _Asked, law: Mapping[str, str] | None) -> list[Walk]:
        """Return the walks of one question, the best first."""
        cosine = self._cosines(asked.question)

        def first(facts: Sequence[int]) -> Sequence[int]:
            stated = facts if law is None else [fact for fact in facts if self._stating(fact, law)]
            return sorted(stated, key=lambda fact: (-cosine[fact], fact))[:_FOLLOWED]

        walks = [
            walk
            for root in self._roots(asked)
            for walk in islice(walks_from(self.graph, root, asked.depth, first), _WALKS)
        ]
        if self.facts is not None:
            stated = np.ones(len(cosine), dtype=bool)
            if law is not None:
                stated[:] = [bool(self._stating(fact, law)) for fact in range(len(cosine))]
            possible = np.flatnonzero(stated)
            nearest = possible[best_first(cosine[possible], possible, self.similar)].tolist()
            walks += [Walk((fact,), " → ".join(self.graph.fact(fact)[:3])) for fact in nearest if cosine[fact] > 0]
        worth = {
            walk: len(walk.text) if self.keep == "longest" else float(np.mean(cosine[list(walk.facts)]))
            for walk in whole_walks(walks)
        }
        return sorted(worth, key=lambda walk: (-worth[walk], walk.text))[: asked.most]

    def _roots(self, asked: _Asked) -> list[int]:
        """Return the entities to begin at, the best first."""
        assert self.entities is not None
        if not asked.roots:
            return []
        each = 1 if asked.texts != [asked.question] else asked.roots
        search = self.entities.tfidf(num_results=each)
        found = [docno for text in asked.texts for docno in self.entities.docno_table[search.best(text)[0]]]
        return [int(docno) for docno in dict.fromkeys(found)]

    def _cosines(self, question: str) -> npt.NDArray[np.floating]:
        """Return the cosine of each fact with a question, [f]; 0 without vectors."""
        if self.facts is None:
            return np.zeros(len(self.graph))
        frame = pd.DataFrame({"qid": ["1"], "query": [question]})
        vector = self.facts.query_vectors(frame, self.name)[0]
        cosine = np.zeros(len(self.graph), dtype=np.float32)
        cosine[self.facts.docnos.astype(np.int64)] = self.facts.vectors @ vector
        # Of facts with nearly equal cosines, the last bits do not decide.
        return np.round(cosine, 5)


def _with_context(queries: pd.DataFrame, texts: Sequence[str]) -> pd.DataFrame:
    """Return queries with further text in the column ``context``."""
    before = queries[CONTEXT] if CONTEXT in queries.columns else [""] * len(texts)
    whole = ["\n".join(filter(None, both)) for both in zip(before, texts, strict=True)]
    return queries.assign(**{CONTEXT: pd.Series(whole, index=queries.index, dtype=str)})


@parameters_of(Triples, without=["graph", "entities", "facts", "client", "prompt", "versions"])
def triples(
    collection: Collection,
    *,
    graph: str | PathLike[str] | None = None,
    by: str = "llm",
    encoder: str | None = "lsa",
    analyzer: str = "auto",
    prompt: str | None = None,
    language: str = "auto",
    **params: Any,
) -> Triples:
    """Add provisions and text of the knowledge graph: ``default % 5 >> triples``.

    The graph is built by ``legalir graph triples``.

    Args:
        graph: a file of facts, JSON lines with ``docno, subject, predicate, object``; None for the graph that was
            built.
        by: ``llm``, key words that a language model names; or ``question``, the question itself, without a model.
        encoder: makes the vectors of facts; None leaves the search by vectors out.
        analyzer: turns entities and what is looked for into terms.
        prompt: file of your own prompt for key words.
        language: language of the prompt; ``auto`` for the collection's language.
    """
    check_choice("triples", "by", by, ("llm", "question"))
    if by == "question" and prompt is not None:
        raise ComponentError(
            f"triples: by='question' asks no model, so that prompt={prompt!r} has no use: leave it out."
        )
    if encoder is None and params.get("keep") == "similar":
        raise ComponentError("triples: keep='similar' compares vectors: give an encoder.")
    facts = open_triples(collection, graph)
    if len(facts):
        params["entities"] = _entities(facts, collection, analyzer)
        params["facts"] = None if encoder is None else _vectors(facts, collection, get_encoder(encoder, collection))
    if by == "llm":
        code = collection.language if language == "auto" else language
        params["client"] = collection.client
        params["prompt"] = load_prompt("keywords", code, prompt, PROMPTS)
    return Triples(facts, versions=LawTable.of(collection), **params)


def _entities(graph: TripleGraph, collection: Collection, analyzer: str) -> SparseIndex:
    """Return the index of the entities, built on first use."""
    chosen = get_analyzer(analyzer, collection)
    index = SparseIndex(_beside(graph, "entities", chosen.fingerprint), analyzer=chosen)
    documents = ({"docno": str(number), "text": text} for number, text in enumerate(graph.entities))
    return collection.cached(index, lambda one: one.index(documents, corpus=graph.fingerprint()))


def _vectors(graph: TripleGraph, collection: Collection, encoder: Encoder | TrainableEncoder) -> DenseIndex:
    """Return the index of the facts' vectors, built on first use."""
    index = DenseIndex(_beside(graph, "facts", encoder.fingerprint), encoder)
    documents = ({"docno": str(number), "text": " ".join(fact[:3])} for number, fact in enumerate(graph.facts()))
    return collection.cached(index, lambda one: one.index(documents, corpus=graph.fingerprint()))


def _beside(graph: TripleGraph, name: str, fingerprint: str) -> Path:
    place = graph.directory
    return place.with_name(f"{place.name}-{graph.fingerprint()[:8]}-{name}-{fingerprint[:8]}")
