"""Queries as a report shows them: with their words, results, answers and gold provisions.

The text of an answer is never trusted: it is cut into pieces of plain text, which the template escapes.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from legalir.answer.generator import ANSWER_COLUMNS, NOTHING_FOUND, Answer, citing
from legalir.experiments.runs import Run, has_answers
from legalir.storage.validity import provision_key

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

TOP = 5
"""Number of first results of each query whose titles are stored."""

LONGEST = 6_000
"""Number of characters that are stored of a cited provision."""

ITEM_COLUMNS = ("options", "key", "abstain", "documents", "answer", "explanation")
"""Columns of questions that a report shows or needs, if a dataset has them."""


@dataclass(frozen=True)
class Wording:
    """The words of an experiment.

    Attributes:
        queries: text by qid, in the order of the topics.
        gold: relevant docnos by qid with their grade, best first.
        titles: title by docno, of gold provisions, of each system's first results, and of what answers cite.
        texts: text by docno, of provisions that answers cite; at most 6 000 characters of each.
        items: by qid the columns :data:`ITEM_COLUMNS` that are not empty, such as the options of a multiple-choice item
            and the reference answer of a question.
        lengths: characters by docno, of the provisions that answers were made from.
    """

    queries: Mapping[str, str] = field(default_factory=dict)
    gold: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    items: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    lengths: Mapping[str, int] = field(default_factory=dict)


def collect_context(
    collection: Collection, runs: Iterable[pd.DataFrame], topics: pd.DataFrame, qrels: pd.DataFrame
) -> Wording:
    """Collect the queries, their gold provisions, and titles of those, of the first results in `runs` and of citations.

    A citation of something that is not in the collection has no title.
    """
    gold: dict[str, dict[str, int]] = {qid: {} for qid in topics["qid"]}
    relevant = qrels[qrels["label"] > 0].sort_values(["label", "docno"], ascending=[False, True])
    for qid, docno, label in zip(relevant["qid"], relevant["docno"], relevant["label"], strict=True):
        gold[qid][docno] = int(label)
    shown = dict.fromkeys(relevant["docno"])
    if collection.dated:
        runs = list(runs)
        gold = _retrieved_versions(gold, runs)
        shown = dict.fromkeys(docno for labels in gold.values() for docno in labels)
    cited: dict[str, None] = {}
    given: dict[str, None] = {}
    for run in runs:
        if has_answers(run):
            cited |= dict.fromkeys(docno for docnos in run.get("citations", ()) for docno in docnos)
            given |= dict.fromkeys(docno for docnos in run.get("context_docnos", ()) for docno in docnos)
            shown |= dict.fromkeys(docno for docnos in run.get("context_docnos", ()) for docno in docnos[:TOP])
        else:
            shown |= dict.fromkeys(run.loc[run["rank"] < TOP, "docno"])
    titles, texts, lengths = {}, {}, {}
    for docno, provision in collection.provisions(list(shown | cited | given)).items():
        if docno in given:
            lengths[docno] = len(provision.title) + len(provision.text)
        if docno not in shown and docno not in cited:
            continue
        title = provision.title or " ".join(provision.text.split())[:80]
        titles[docno] = " ".join(title.split())
        if docno in cited:
            texts[docno] = provision.text[:LONGEST] + ("…" if len(provision.text) > LONGEST else "")
    queries = dict(zip(topics["qid"], topics["query"].astype(str), strict=True))
    return Wording(queries, gold, titles, texts, _items(topics), lengths)


def _retrieved_versions(gold: dict[str, dict[str, int]], runs: Iterable[pd.DataFrame]) -> dict[str, dict[str, int]]:
    """Return judgements in which a key has become the versions of it that runs have for the question."""
    versions: dict[tuple[str, str], dict[str, None]] = {}
    for run in runs:
        if "docno" in run.columns:
            for qid, docno in zip(run["qid"], run["docno"], strict=True):
                versions.setdefault((qid, provision_key(docno)), {})[docno] = None
    return {
        qid: {docno: label for name, label in labels.items() for docno in versions.get((qid, name), (name,))}
        for qid, labels in gold.items()
    }


def _items(topics: pd.DataFrame) -> dict[str, dict[str, Any]]:
    there = ["qid", *(name for name in ITEM_COLUMNS if name in topics.columns)]
    rows = topics[there].to_dict(orient="records")
    items = {str(row.pop("qid")): {str(name): _plain(value) for name, value in row.items()} for row in rows}
    items = {qid: {name: value for name, value in item.items() if value is not None} for qid, item in items.items()}
    return {qid: item for qid, item in items.items() if item}


def _plain(value: Any) -> Any:
    """Return a cell as JSON has it; None for an empty one."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, float) and (math.isnan(value) or value.is_integer()):
        value = None if math.isnan(value) else int(value)
    return None if value in ("", []) else value


CITATIONS = {
    "given": "cited",
    "not given": "cited, but was not given to the model",
    "unknown": "cited, but is not in the collection",
}
"""Kinds of citations, and their meaning."""


class Piece(NamedTuple):
    """A piece of an answer.

    Attributes:
        text: as in the collection.
        kind: ``text``; ``verified``, ``repaired`` or ``not found`` for a quotation; a kind of :data:`CITATIONS`.
        docno: the provision that is cited or quoted.
    """

    text: str
    kind: str = "text"
    docno: str = ""


class CitedProvision(NamedTuple):
    """A provision that an answer cites: docno, title, kind of citation, whether it is relevant, its text in pieces."""

    docno: str
    title: str
    kind: str
    gold: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class AnswerView:
    """An answer of a system.

    Attributes:
        pieces: the text of the answer.
        state: state of the reply if it failed, else empty.
        abstained: whether it is an abstention.
        reason: why.
        choice: number and text of the chosen option, empty if there are no options.
        quotes: quotations whose words are not in the answer.
        sources: the provisions that the answer cites, in order.
        given: number of provisions in the context.
        unread: titles of the first of these provisions that it does not cite.
        missing: titles of relevant provisions that are not in the context, if there was retrieval.
        verdicts: name and text of each number of a judge.
        remarks: judge and text of each reason of a judge, and of each state that is not ``ok``.
    """

    pieces: tuple[Piece, ...]
    state: str
    abstained: bool
    reason: str
    choice: str
    quotes: tuple[Piece, ...]
    sources: tuple[CitedProvision, ...]
    given: int
    unread: tuple[str, ...]
    missing: tuple[str, ...]
    verdicts: tuple[tuple[str, str], ...]
    remarks: tuple[tuple[str, str], ...]


def answer_view(row: Mapping[str, Any], context: Wording, qid: str) -> AnswerView:
    """Return an answer as the report shows it.

    Args:
        row: its row in the run.
        context: the words of the experiment.
        qid: the question.
    """
    answer = Answer.of_row(row)
    gold, titles = context.gold.get(qid, {}), context.titles
    kinds = {docno: citation_kind(docno, answer.context_docnos, titles) for docno in answer.citations}
    pieces, lost = pieces_of(answer, kinds)
    sources = []
    for docno, kind in kinds.items():
        words = [(words, state) for quoted, words, state in answer.quotes if quoted == docno and state != "not found"]
        text = marked(context.texts.get(docno, ""), [(word, state, docno) for word, state in words])[0]
        sources.append(CitedProvision(docno, titles.get(docno, docno), kind, docno in gold, text))
    retrieved = bool(answer.context_docnos) or answer.reason == NOTHING_FOUND
    unread = [docno for docno in answer.context_docnos if docno not in kinds][:TOP]
    missing = [docno for docno in gold if retrieved and docno not in answer.context_docnos]
    return AnswerView(
        pieces=pieces,
        state="" if answer.reply_state == "ok" else answer.reply_state,
        abstained=bool(answer.abstained),
        reason=answer.reason,
        choice=_choice(answer.choice, context.items.get(qid, {})),
        quotes=lost,
        sources=tuple(sources),
        given=len(answer.context_docnos),
        unread=tuple(titles.get(docno, docno) for docno in unread),
        missing=tuple(titles.get(docno, docno) for docno in missing),
        verdicts=tuple(_verdicts(row)),
        remarks=tuple(_remarks(row)),
    )


def citation_kind(docno: str, given: Container[str], known: Container[str]) -> str:
    """Return the kind of a citation, a key of :data:`CITATIONS`.

    Args:
        docno: what is cited.
        given: the provisions in the context of the answer.
        known: provisions that are in the collection.
    """
    return "given" if docno in given else "not given" if docno in known else "unknown"


def pieces_of(answer: Answer, kinds: Mapping[str, str]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return the text of an answer in pieces, and the quotations whose words are not in it."""
    marks = [(citing(docno), kind, docno) for docno, kind in kinds.items()]
    return marked(answer.text, [*marks, *((words, state, docno) for docno, words, state in answer.quotes)])


def marked(text: str, marks: Iterable[tuple[str, str, str]]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return a text cut at the marks in it, and the marks that are not in it.

    If two marks overlap, the first is kept; if both begin at the same place, the longer one. Pieces
    together give the text.

    Args:
        text: the text.
        marks: words, kind and docno of each mark; all places of the words are marked, in any white space. Of words
            with ``…`` for what they leave out, each part is marked at the first place after the part before it.
    """
    places = []
    lost = []
    for words, kind, docno in marks:
        found = _places(text, words)
        places += [(start, Piece(text[start:end], kind, docno)) for start, end in found]
        lost += [] if found else [Piece(words, kind, docno)]
    pieces, end = [], 0
    for start, piece in sorted(places, key=lambda place: (place[0], -len(place[1].text))):
        if start >= end:
            pieces += [Piece(text[end:start])] if start > end else []
            pieces.append(piece)
            end = start + len(piece.text)
    pieces += [Piece(text[end:])] if end < len(text) else []
    return tuple(pieces), tuple(lost)


def _places(text: str, words: str) -> list[tuple[int, int]]:
    """Return start and end of each place of words; none if a part of them is not there."""
    parts = [re.compile(r"\s+".join(map(re.escape, part.split()))) for part in words.split("…") if part.strip()]
    if len(parts) == 1:
        return [match.span() for match in parts[0].finditer(text)]
    places: list[tuple[int, int]] = []
    for part in parts:
        match = part.search(text, places[-1][1] if places else 0)
        if match is None:
            return []
        places.append(match.span())
    return places


def _choice(choice: int, item: Mapping[str, Any]) -> str:
    options = item.get("options", [])
    if not options:
        return ""
    return f"{choice}. {options[choice - 1]}" if 0 < choice <= len(options) else "none"


def _verdicts(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in row.items():
        if name not in ANSWER_COLUMNS and isinstance(value, float) and not math.isnan(value):
            yield name, f"{value:.3g}"


def _remarks(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in row.items():
        judge, _, what = name.rpartition("_")
        if name in ANSWER_COLUMNS or not isinstance(value, str) or not value:
            continue
        if what == "reason" or (what == "state" and value != "ok"):
            yield judge, value


@dataclass(frozen=True)
class QueryLine:
    """A query in a list, with its value and a remark."""

    qid: str
    query: str
    value: float
    remark: str = ""


@dataclass(frozen=True)
class Hit:
    """A provision in a result list."""

    docno: str
    title: str
    gold: bool


@dataclass(frozen=True)
class QueryCard:
    """One query in full.

    Attributes:
        qid: its qid.
        query: its text.
        gold: (docno, title) of the relevant provisions.
        ranks: for each system with ranked lists its name, the rank from 1 of each gold provision (None where it is not
            in the list) and the value of the first measure.
        lists: first results by system.
        answers: answer by system; None if a system has no answer.
        options: options of a multiple-choice item, each with whether it is the key.
        reference: the reference answer, empty if there is none.
    """

    qid: str
    query: str
    gold: tuple[tuple[str, str], ...]
    ranks: list[tuple[str, tuple[int | None, ...], float]] = field(default_factory=list)
    lists: dict[str, tuple[Hit, ...]] = field(default_factory=dict)
    answers: dict[str, AnswerView | None] = field(default_factory=dict)
    options: tuple[tuple[str, bool], ...] = ()
    reference: str = ""

    def sources(self) -> list[CitedProvision]:
        """Return the cited provisions that have a text, each once, with the marks of the first answer."""
        every = [source for view in self.answers.values() if view is not None for source in view.sources]
        return list({source.docno: source for source in reversed(every) if source.pieces}.values())[::-1]


def anchor(qid: str) -> str:
    """Return the HTML id of a query's card."""
    safe = re.sub(r"[^A-Za-z0-9-]", lambda match: f"_{ord(match[0]):x}", qid)
    return f"q-{safe}"


class QueryFacts:
    """Facts about each query of an experiment.

    Args:
        context: the words of the experiment.
        per_query: columns ``name, qid, measure, value, weight``.
        measure: the measure whose values are shown, the first of the definition.
        runs: the run of each system.
    """

    def __init__(self, context: Wording, per_query: pd.DataFrame, measure: str, runs: Mapping[str, Run]) -> None:
        self.context, self.runs, self.per_query = context, runs, per_query
        self.answering = [name for name, run in runs.items() if has_answers(run.frame)]
        rows = per_query[per_query["measure"] == measure]
        self._values: dict[str, dict[str, float]] = {}
        for name, qid, value in zip(rows["name"], rows["qid"], rows["value"], strict=True):
            self._values.setdefault(qid, {})[name] = float(value)

    def differences(self, system: str, baseline: str) -> list[tuple[str, float]]:
        """Return (qid, value of `system` minus value of `baseline`) where both are defined, in the order of topics."""
        pairs = [(qid, self._value(qid, system) - self._value(qid, baseline)) for qid in self.context.queries]
        return [(qid, difference) for qid, difference in pairs if not math.isnan(difference)]

    def _value(self, qid: str, system: str) -> float:
        return self._values.get(qid, {}).get(system, math.nan)

    def lines(self, values: Iterable[tuple[str, float]]) -> list[QueryLine]:
        """Return a line for each (qid, value)."""
        return [QueryLine(qid, self.context.queries[qid], value) for qid, value in values]

    def slowest(self, count: int) -> list[QueryLine]:
        """Return the slowest queries over all systems, each once; the remark is the system that was slow."""
        lines: dict[str, QueryLine] = {}
        for name, run in self.runs.items():
            for qid, time in run.record.latency.slowest(count) if run.record.latency is not None else ():
                if qid in self.context.queries and (qid not in lines or time > lines[qid].value):
                    lines[qid] = QueryLine(qid, self.context.queries[qid], time, name)
        return sorted(lines.values(), key=lambda line: -line.value)[:count]

    def telling(self, count: int) -> list[str]:
        """Return questions whose answers show most: failed, abstained, with wrong citations or quotations; then others.

        Questions are taken from these kinds in turn, in the order of the topics.
        """
        kinds: dict[str, list[str]] = {}
        for name in self.answering:
            for row in self.runs[name].frame.to_dict(orient="records"):
                kinds.setdefault(_kind(Answer.of_row(row), self.context.titles), []).append(str(row["qid"]))
        queues = [[*dict.fromkeys(qids)] for _, qids in sorted(kinds.items())]
        turns = (qid for turn in itertools.zip_longest(*queues) for qid in turn if qid is not None)
        return list(itertools.islice(dict.fromkeys(turns), count))

    def cards(self, qids: Iterable[str], listed: Sequence[str]) -> list[QueryCard]:
        """Return the cards of `qids` in the order of the topics, with the first results of the systems `listed`."""
        wanted = set(qids)
        runs = {name: {str(qid): rows for qid, rows in run.frame.groupby("qid")} for name, run in self.runs.items()}
        return [self._card(qid, runs, listed) for qid in self.context.queries if qid in wanted]

    def _card(self, qid: str, runs: Mapping[str, Mapping[str, pd.DataFrame]], listed: Sequence[str]) -> QueryCard:
        titles = self.context.titles
        gold = list(self.context.gold.get(qid, {}))
        item = self.context.items.get(qid, {})
        options = tuple(
            (str(option), number == item.get("key")) for number, option in enumerate(item.get("options", ()), 1)
        )
        card = QueryCard(
            qid,
            self.context.queries[qid],
            tuple((docno, titles.get(docno, docno)) for docno in gold),
            options=options,
            reference=str(item.get("answer", "")),
        )
        for name, by_query in runs.items():
            rows = by_query.get(qid)
            if name in self.answering:
                row = None if rows is None else {str(column): value for column, value in rows.iloc[0].items()}
                card.answers[name] = None if row is None else answer_view(row, self.context, qid)
                continue
            hits = () if rows is None else zip(rows["docno"], rows["rank"], strict=True)
            places = {str(docno): int(rank) + 1 for docno, rank in hits}
            card.ranks.append((name, tuple(places.get(docno) for docno in gold), self._value(qid, name)))
            if name in listed:
                first = sorted(places, key=lambda docno: places[docno])[:TOP]
                card.lists[name] = tuple(Hit(docno, titles.get(docno, docno), docno in gold) for docno in first)
        return card


def _kind(answer: Answer, known: Mapping[str, str]) -> str:
    if answer.reply_state != "ok":
        return "1 failed"
    if answer.abstained:
        return "2 abstained"
    wrong = any(citation_kind(docno, answer.context_docnos, known) != "given" for docno in answer.citations)
    if wrong or any(state == "not found" for _, _, state in answer.quotes):
        return "3 unsupported"
    return "4 other"


def extremes(changes: Sequence[tuple[str, float]], count: int, sign: int) -> list[tuple[str, float]]:
    """Return the `count` queries with the largest gain (`sign` 1) or loss (-1); fewer where fewer changed."""
    chosen = sorted((item for item in changes if item[1] * sign > 0), key=lambda item: (-item[1] * sign, item[0]))
    return chosen[:count]
