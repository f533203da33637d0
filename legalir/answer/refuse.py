"""Refusing: whether a collection answers a question at all, by what their words and meanings share.

A question is compared with :data:`everyday questions <EVERYDAY>`, which no statute answers: what they share with a
collection is shared by chance. So each collection is its own measure, without a judgement. Features of a question:

- ``known``: the number of its terms that any provision has, over |q| + 1.
- ``length = ln(1 + |q|)``: the same share says more of a long question.
- ``close``, where the collection has vectors of ``e5``: the cosine of the nearest provision.
- ``named``: 1 if it names an :data:`area of law <AREAS>` (tenancy, traffic), else 0.
- ``area``: the mean of ``ln(1 + k(a)) / ln(1 + n)`` over the areas that it names: of the n provisions, 1 + k(a) is the
  geometric mean of 1 + those with a word of area a and 1 + those with two; 0 without an area.

q is the set of its terms without those of everyday questions, which any question may have. The mean of the first three
over the everyday questions is subtracted; an everyday question keeps the terms that no other one has. ``close`` is also
divided by what the headings of the collection reach. The sum, weighted, gives the evidence by the logistic function. A
question all of whose terms one provision has, such as a keyword, has an evidence of at least one half.

Words that name a law and a number which the collection lacks do not count, unless a question names another provision
that it has.

A question that asks only what the provisions say that it names by number (*What does section 4 say?*) has an evidence
of at least one half, and its list becomes these provisions. It is outside if none of them is there, or in force on the
day, or if the only one lacks the paragraph or item that is named. A number without a law in a collection of several
laws names nothing.

Whatever it shares, a question is outside (evidence 0) if it asks for the law of :mod:`another state
<legalir.answer.states>` than that of the collection, which the provisions nearest to its other words do not name; or if
it names a law that neither the collection nor any provision has.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from functools import cache, cached_property, reduce
from itertools import chain
from pathlib import Path
from typing import Annotated, NamedTuple, cast

import numpy as np
import pandas as pd
import pyterrier as pt
from annotated_types import Ge, Le
from numpy.typing import NDArray

from legalir.answer.generator import EVIDENCE, REASON_KINDS, REFUSAL
from legalir.answer.states import STATES, Mention, candidates, mentions
from legalir.collections import Collection
from legalir.config import read_yaml
from legalir.contract import factory_of
from legalir.datasets.folder import OUT_OF_SCOPE
from legalir.dense.e5 import SEMANTIC, is_installed
from legalir.dense.index import DenseIndex
from legalir.explanation import Explanation, Upstream
from legalir.frames.as_of import asked_once
from legalir.frames.columns import drop_results, require_texts
from legalir.frames.component import Component
from legalir.lexical.bm25f import BM25F, FieldIndex
from legalir.lexical.retriever import known_terms
from legalir.references.grammar import grammars
from legalir.references.lookup import Lookup, Naming, NumberTable
from legalir.references.numbers import clean
from legalir.references.parts import has_part
from legalir.references.read import read
from legalir.rewrite.rewriter import original_questions
from legalir.storage.digest import digest, file_digest
from legalir.storage.files import atomic_file

EVERYDAY = Path(__file__).with_name("everyday.yaml")
"""Everyday questions by language; English ones stand in for a language without."""

AREAS = Path(__file__).with_name("areas.yaml")
"""Words of areas of law by language; English ones stand in for a language without."""

_RARE = 0.57
"""The share ``area`` below which a collection has little about an area."""

_HEADINGS = 40
"""Number of headings whose nearest cosine is the measure of a close provision."""


_OFTEN = 5
"""A state can be the home of a collection if no other state is named by more than this many times its provisions."""

_NEAREST = 10
"""Number of provisions nearest to a question in which a state may be named."""


_LONG = 400
"""Letters of the longest question in which the name of a law that the collection lacks decides."""

_NAMES_OF_LAWS = {
    "ko": r"(?<![가-힣])[가-힣]{1,20}(?<![합불위방입사문편기요용수해적탈역체식])(?:법|법률|조례|시행령|시행규칙)"
    r"(?=(?:에서|상|에는?|에도|의|은|는|으로|이|도|에 따\w+|에 의\w+)? |, ?제?|제)",
    "zh": r"《[^》]{1,40}(?:法|法典|条例|规定|办法|公约)》|(?:(?<=根据)|(?<=按照)|(?<=依据)|(?<=依照)|(?<![一-鿿]))"
    r"[一-鿿]{2,12}?(?<![合违非司立执方办用做说看无想手犯守依])(?:法典|法|条例)(?=规定|第|中规定|对)",
    "ja": r"「[^」]{1,40}(?:法|条例|規則)」|[一-鿿ァ-ヶー]{1,16}(?<![合違非司立方用手])(?:法|条例)"
    r"(?=で|の|上|に基|により|によ|第)",
}
"""Names of laws within a sentence, where the grammar reads them only before a number."""


class Features(NamedTuple):
    """What a question shares with a collection.

    Without vectors, `close` is NaN. `whole` is 1 if one provision has all terms of q, and q has one, or if the question
    asks only what provisions say that it names; else 0. `outside` is 1 if it asks for a law or a provision that the
    collection lacks.
    """

    known: float
    length: float
    close: float
    named: float = 0.0
    area: float = 0.0
    whole: float = 0.0
    outside: float = 0.0


class Weights(NamedTuple):
    """Weights of the features, and the sum at which the evidence is one half; with `close` 0 it is not used."""

    known: float
    length: float
    close: float
    named: float
    area: float
    zero: float


class _Chance(NamedTuple):
    """What a collection has of everyday questions and of areas of law."""

    known: float
    length: float
    close: float
    """Means over the everyday questions."""
    headings: float
    """Mean cosine of headings; NaN without vectors."""
    areas: dict[str, float]
    """The share ``area`` of each."""
    home: list[str]
    """The states whose law it may have."""


# Learnt by logistic regression: experiments/answers/refuse.py makes them again; the README beside it has the figures.
WORDS = Weights(10.2, 1.8, 0.0, -5.5, 9.5, 3.05)
MEANING = Weights(5.3, 1.2, 6.5, -5.0, 6.2, 3.3)


class Refuse(Component):
    """Marks the questions that the collection seems not to answer; a generator then refuses them, and says why.

    The evidence is a number from 0 to 1 that compares across collections. It is not a probability: below one half are
    few judged questions (3 % in the mean over collections, 8 % at most).

    Columns in: ``qid, query, docno, score, rank``. Columns out: the same, ``query_evidence`` and ``query_refusal``, the
    reason, empty if the question may be answered. Lists and ranks stay; of a question that asks only what the
    provisions say that it names, only these stay.
    """

    name = "refuse"

    collection: Annotated[Collection, "source of the provisions"]
    threshold: Annotated[
        float, Ge(0), Le(1), "least evidence with which a question is answered; 0 answers all, 1 hardly any"
    ] = 0.5

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        self._validate(inp)
        out = inp.copy()
        out[EVIDENCE], out[REFUSAL] = pd.Series(dtype=np.float64), pd.Series(dtype=str)
        return out

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows with the evidence for each question.

        Raises:
            ComponentError: a query is not a string.
        """
        self._validate(inp)
        queries = drop_results(inp)
        require_texts(queries, self.name)
        asked = queries.assign(query=original_questions(queries))
        evidence = self.evidence(self.features(asked))
        named = {qid: docnos for qid, docnos in zip(asked["qid"], self._named(asked), strict=True) if docnos}
        reasons = [
            self.reason(query, number, part) if number < self.threshold else ""
            for query, number, part in zip(asked["query"], evidence, self._lacking_parts(asked), strict=True)
        ]
        found = pd.DataFrame({EVIDENCE: evidence, REFUSAL: reasons}, index=asked["qid"]).loc[inp["qid"]]
        out = inp.assign(**{name: found[name].to_numpy() for name in (EVIDENCE, REFUSAL)})
        return out[[docno in named.get(qid, (docno,)) for qid, docno in zip(out["qid"], out["docno"], strict=True)]]

    def _validate(self, inp: pd.DataFrame) -> None:
        pt.validate.columns(inp, includes=["qid", "query", "docno", "score", "rank"])

    def reason(self, query: str, evidence: float, part: str = "") -> str:
        """Return why a question with this evidence is not answered: a clause, without a full stop.

        Args:
            query: the question.
            evidence: from 0 to 1.
            part: which paragraph or item of the provision it names is not there; empty if none is missing.
        """
        shares = "words" if self._vectors is None else "words and meaning"
        states, laws = self._other_states(query), self._lacking(query)
        areas = [area for area in self._named_areas(query) if self._chance.areas[area] < _RARE]
        why = [f"it asks for the law of {' and '.join(state.split('/')[-1] for state in states)}"] if states else []
        missing = self._missing(query)
        why += [f"it has no {', '.join(filter(None, one))}" for one in missing]
        why += [f"it has no {law}" for law in laws if law not in dict(missing)]
        why += [f"it has little about {' and '.join(areas)}"] if areas else []
        absent = not states and (bool(laws) or (evidence == 0 and self._only_names(query)))
        if part:
            why.append(part)
        elif absent and not (missing or laws):
            why.append("what it names is repealed, not yet in force, or left out by the filter")
        if not (states or absent):
            why.append(
                f"its provisions share too little with it in {shares} (evidence {evidence:.2f}, {self.threshold:g} is "
                "needed)"
            )
        return "; ".join([REASON_KINDS["absent" if absent else "not_covered"], *why])

    def evidence(self, features: Sequence[Features]) -> list[float]:
        """Return the evidence of questions with these features, from 0 to 1."""
        weights = WORDS if self._vectors is None else MEANING
        totals = np.nan_to_num(self.shares(features)) @ weights[:5]
        # The last digits depend on how many questions are computed together.
        values = np.round(1 / (1 + np.exp(weights.zero - totals)), 12).tolist()
        return [
            0.0 if one.outside else (1 + value) / 2 if one.whole else value
            for value, one in zip(values, features, strict=True)
        ]

    def shares(self, features: Sequence[Features]) -> NDArray[np.float64]:
        """Return what questions share beyond chance: `known`, `length`, `close` (or NaN), `named`, `area`; [n, 5]."""
        values = np.array([one[:5] for one in features], dtype=np.float64).reshape(-1, 5)
        values[:, :3] -= self._chance[:3]
        values[:, 2] /= max(self._chance.headings - self._chance.close, 0.05)
        return values

    def features(self, asked: pd.DataFrame) -> list[Features]:
        """Return the features of questions: one row per question, ``qid, query``, perhaps ``as_of``."""
        known = asked.assign(query=[self._without_missing(query) for query in asked["query"]])
        features = []
        every = zip(known["query"], asked["query"], self._closest(known), self._named(asked), strict=True)
        for query, before, close, named in every:
            own = {term for term in self._index.analyzer.terms(query) if not self._everyday[term]}
            areas = self._named_areas(query)
            area = float(np.mean([self._chance.areas[one] for one in areas])) if areas else 0.0
            whole = float(bool(named) or (query == before and self._having(own).size > 0))
            outside = float(bool(self._other_states(before) or self._lacking(before)) or named == set())
            features.append(Features(*self._words(own), close, float(bool(areas)), area, whole, outside))
        return features

    def _named(self, asked: pd.DataFrame) -> list[set[str] | None]:
        """Return the provisions that each question names if it asks only what they say, else None."""
        rows = zip(asked["query"], self._lookup.named_by(asked), self._lacking_parts(asked), strict=True)
        return [
            (set[str]() if part else {str(self._numbers.docnos[place]) for place in places})
            if self._only_names(query)
            else None
            for query, places, part in rows
        ]

    def _lacking_parts(self, asked: pd.DataFrame) -> list[str]:
        """Return which paragraph or item of the one provision that each question asks for is not there; else empty."""
        named = zip(asked["query"], self._lookup.named_by(asked), strict=True)
        return [self._lacking_part(query, places) for query, places in named]

    def _lacking_part(self, query: str, named: Mapping[int, Naming]) -> str:
        if len(named) != 1 or not self._only_names(query):
            return ""
        ((place, naming),) = named.items()
        law = int(self._numbers.arrays["law"][place])
        lang = self._numbers.language(law) if law >= 0 else self.collection.language
        references = read(query, lang) if lang.partition("-")[0] in grammars() else []
        if len(references) != 1:
            return ""
        (record,) = self.collection.provisions([str(self._numbers.docnos[place])]).values()
        has, why = has_part(references[0], record, lang)
        return f"{naming.words}: {why[0].lower()}{why[1:-1]}" if has is False else ""

    def _only_names(self, query: str) -> bool:
        """Return True if a question asks only what provisions say, and it is clear which, or that there are none."""
        numbers = self._numbers
        if not numbers.manifest.facts["articles"] or not numbers.asks_for_text(query):
            return False
        return bool(self._lookup.named(query)) or not any(one.provisions for one in numbers.references(query))

    def _other_states(self, query: str) -> list[str]:
        """Return the states whose law a question asks for, and which are not those of the collection.

        None if it also names a state of the collection, or if a provision nearest to its other words names one of them.
        """
        names = [one for one in mentions(query) if one.asked]
        if not names or any(map(self._is_home, mentions(query))):
            return []
        states = list(dict.fromkeys(one.state for one in names))
        rest = "".join(
            " " if any(one.start <= place < one.end for one in names) else sign for place, sign in enumerate(query)
        )
        nearest = self._retriever.transform(_frame([rest]))["docno"]
        texts = (f"{one.title} {one.text}" for one in self.collection.provisions(nearest).values())
        return [] if any(mention.state in states for text in texts for mention in mentions(text)) else states

    def _is_home(self, one: Mention) -> bool:
        """Return True if the collection may have the law of a state that a text names."""
        home, state = self._chance.home, one.state.partition("/")[0]
        parts = any(each.startswith(f"{state}/") for each in home)
        return one.state in home or (parts if one.state == state else state in home and not parts and not one.law)

    def _lacking(self, query: str) -> list[str]:
        """Return the laws that a question names and that the collection lacks, and none of its provisions names."""
        numbers, query = self._numbers, clean(query)
        if len(query) > _LONG or any(one.laws for one in numbers.law_names.find(query)):
            return []
        laws = [query[one.start : one.end] for one in mentions(query) if one.own]
        if numbers.laws:
            laws += [law for law, _ in self._missing(query) if law]
            laws += [name for name in _law_names(query, self.collection.language) if numbers.is_other(name)]
        terms = self._index.analyzer.terms
        return [law for law in dict.fromkeys(laws) if not self._having(set(terms(law))).size]

    def _missing(self, query: str) -> list[tuple[str, str]]:
        """Return the laws with their numbers that a question names and the collection lacks.

        None if it also names a provision of the collection.
        """
        namings = list(self._numbers.references(query))
        if any(one.provisions for one in namings):
            return []
        return [(one.law, one.words) for one in namings if one.law_named or self._only_names(query)]

    def _without_missing(self, query: str) -> str:
        """Return a question without the words for laws and numbers that the collection lacks."""
        missing = self._missing(query)
        words = filter(None, chain(*missing))
        return reduce(lambda text, one: text.replace(one, " "), words, clean(query)) if missing else query

    def _named_areas(self, query: str) -> list[str]:
        """Return the areas of law that a question names."""
        terms = set(self._index.analyzer.terms(query))
        return list(dict.fromkeys(area for word, area in self._area_words if word <= terms))

    @cached_property
    def _area_words(self) -> list[tuple[frozenset[str], str]]:
        """The terms of each word of an area, and the area."""
        analyzer, found = self._index.analyzer, areas(self.collection.language).items()
        return [(word, area) for area, words in found for one in words if (word := frozenset(analyzer.terms(one)))]

    @cached_property
    def _index(self) -> FieldIndex:
        return FieldIndex.of(self.collection)

    @cached_property
    def _retriever(self) -> BM25F:
        return BM25F(self._index, num_results=_NEAREST)

    @cached_property
    def _numbers(self) -> NumberTable:
        return NumberTable.of(self.collection)

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self._numbers, most=len(self._numbers))

    @cached_property
    def _vectors(self) -> DenseIndex | None:
        """The vectors of ``e5``, where the collection has them and they are not left out."""
        if os.environ.get(SEMANTIC) == "off" or not is_installed():
            return None
        index = DenseIndex.at(self.collection, "e5")
        return index if index.built() else None

    @cached_property
    def _everyday(self) -> Counter[str]:
        """The number of everyday questions that have each term."""
        analyzer = self._index.analyzer
        return Counter(term for query in everyday(self.collection.language) for term in set(analyzer.terms(query)))

    @cached_property
    def _chance(self) -> _Chance:
        """What the collection has of everyday questions and areas; computed once for a collection."""
        parts = [self._index.fingerprint(), *map(file_digest, (EVERYDAY, AREAS, STATES, Path(__file__)))]
        parts += [] if self._vectors is None else [self._vectors.directory.name]
        file = self.collection.links_cache / f"chance-{digest(parts)[:16]}.json"
        with contextlib.suppress(OSError, ValueError, TypeError):
            return _Chance(**json.loads(file.read_text(encoding="utf-8")))
        found = self._computed()
        # What cannot be written is computed again.
        with contextlib.suppress(OSError), atomic_file(file) as stream:
            json.dump(found._asdict(), stream)
        return found

    def _computed(self) -> _Chance:
        queries, background = everyday(self.collection.language), self._everyday
        terms = [self._index.analyzer.terms(query) for query in queries]
        words = [self._words({term for term in of_query if background[term] == 1}) for of_query in terms]
        store = self.collection.source.store
        records = store.at(range(0, len(store), max(1, len(store) // _HEADINGS)))
        headings = [record.heading or record.title or record.text[:60] for record in records]
        everyday_close, close = (float(np.mean(self._closest(_frame(of)))) for of in (queries, headings[:_HEADINGS]))
        counts = {area: np.zeros(len(self._index), dtype=np.int64) for _, area in self._area_words}
        for word, area in self._area_words:
            counts[area][self._having(word)] += 1
        shares = {
            area: float(np.log1p([(count >= 1).sum(), (count >= 2).sum()]).mean() / np.log1p(len(self._index)))
            for area, count in counts.items()
        }
        named = {
            state: len(
                set[int]().union(*(self._having(set(self._index.analyzer.terms(name))).tolist() for name in names))
            )
            for state, names in candidates(self.collection.language).items()
        }
        # States that are named as often as the first one may be home, too: a law of one often names another.
        most = max(named.values())
        home = [state for state, count in named.items() if (count * _OFTEN >= most if most else "/" not in state)]
        known, length = np.mean(words, axis=0).tolist()
        return _Chance(known, length, everyday_close, close, shares, home)

    def _words(self, own: Set[str]) -> tuple[float, float]:
        """Return `known` and `length` of the terms of a question."""
        size = len(own) + 1
        return len(known_terms(self._index, dict.fromkeys(own, 1.0))[0]) / size, float(np.log(size))

    def _having(self, terms: Set[str]) -> NDArray[np.int64]:
        """Return the provisions that have all of these terms; none without a term."""
        index = self._index
        numbers = known_terms(index, dict.fromkeys(terms, 1.0))[0]
        if not terms or len(numbers) < len(terms):
            return np.empty(0, dtype=np.int64)
        lists = [index.documents[index.indptr[term] : index.indptr[term + 1]] for term in numbers]
        return reduce(np.intersect1d, lists).astype(np.int64)

    def _closest(self, asked: pd.DataFrame) -> list[float]:
        """Return the cosine of the nearest provision of each question, 0 if none is found; NaN without vectors."""
        if self._vectors is None:
            return [np.nan] * len(asked)
        hits = self._vectors.retriever(1).transform(
            asked[["qid", "query", *asked.columns.intersection(["as_of", "where"])]]
        )
        cosines = dict(zip(hits["qid"], hits["score"], strict=True))
        return [float(cosines.get(qid, 0.0)) for qid in asked["qid"]]

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the scores as they came."""
        return upstream(docnos)


def weakness(collection: Collection, query: str, as_of: str | None = None, where: str = "") -> str:
    """Return why :class:`Refuse` would refuse a question; empty if it would not."""
    refusing = Refuse(collection)
    asked = asked_once(query, as_of, where)
    (evidence,), (part,) = refusing.evidence(refusing.features(asked)), refusing._lacking_parts(asked)
    return refusing.reason(query, evidence, part) if evidence < refusing.threshold else ""


_MOST = 0.05
"""Largest share of judged questions that a learnt threshold refuses."""


class Threshold(NamedTuple):
    """A threshold of :class:`Refuse` that was learnt from the questions of a collection.

    Attributes:
        value: the threshold.
        questions: number of judged questions, and of questions outside.
        refused: share of each that is refused, each fold with the threshold of the other folds.
        plain: share of each that is refused with the default threshold.
    """

    value: float
    questions: tuple[int, int]
    refused: tuple[float, float]
    plain: tuple[float, float]

    def sentence(self) -> str:
        """Return the result for people."""
        (judged, outside), (wrong, right), (wrong_plain, right_plain) = self.questions, self.refused, self.plain
        return (
            f"refuse(threshold={self.value:g}) is learnt from {judged} judged questions and {outside} of "
            f"{OUT_OF_SCOPE}. On questions that had no part it refuses {wrong:.1%} and {right:.1%} of them; "
            f"the default threshold refuses {wrong_plain:.1%} and {right_plain:.1%}."
        )


def learnt_threshold(collection: Collection, folds: int = 5) -> Threshold | None:
    """Return the threshold that refuses most questions outside and at most 5 % of the judged ones.

    Returns None where the collection lacks judged questions, or the file ``out_of_scope.jsonl``.

    Raises:
        FormatError: a line of a file is faulty.
    """
    source = collection.source
    if not ((source.folder.root / OUT_OF_SCOPE).is_file() and source.has_topics() and source.has_judgements()):
        return None
    judged = {qid for qid, _, label in source.judgements() if label > 0}
    topics = source.topics()
    asked = [topics[topics["qid"].isin(judged)], source.out_of_scope()]
    if any(rows.empty for rows in asked):
        return None
    refusing = Refuse(collection)
    evidence = [np.array(refusing.evidence(refusing.features(rows))) for rows in asked]
    parts = [np.array([int(digest(qid)[:8], 16) % folds for qid in rows["qid"]]) for rows in asked]
    refused = [np.zeros(len(of), dtype=bool) for of in evidence]
    for fold in range(folds):
        value = _fitting(*(of[part != fold] for of, part in zip(evidence, parts, strict=True)))
        for of, part, out in zip(evidence, parts, refused, strict=True):
            out[part == fold] = of[part == fold] < value
    (judged_refused, outside_refused), (inside, outside) = refused, evidence
    return Threshold(
        _fitting(inside, outside),
        (len(inside), len(outside)),
        (float(judged_refused.mean()), float(outside_refused.mean())),
        (float((inside < refusing.threshold).mean()), float((outside < refusing.threshold).mean())),
    )


def _fitting(inside: NDArray[np.float64], outside: NDArray[np.float64]) -> float:
    """Return the lowest threshold, in hundredths, that refuses most of `outside` and few of `inside`."""
    values = np.arange(1, 100) / 100
    fits = [value for value in values if (inside < value).mean() <= _MOST] or [values[0]]
    return float(max(fits, key=lambda value: ((outside < value).mean(), -value)))


@cache
def everyday(language: str) -> list[str]:
    """Return the everyday questions in a language. A language without any has the English ones."""
    questions = cast(dict[str, list[str]], read_yaml(EVERYDAY, "a file of questions"))
    return questions.get(language, questions["en"])


@cache
def areas(language: str) -> dict[str, list[str]]:
    """Return the words of each area of law in a language. A language without any has the English ones."""
    words = cast(dict[str, dict[str, str]], read_yaml(AREAS, "a file of areas of law"))
    return {area: of_area.split(", ") for area, of_area in words.get(language, words["en"]).items()}


def _law_names(text: str, language: str) -> list[str]:
    """Return the names of laws in a cleaned text, without their numbers, as the grammar of its language knows them."""
    return [name for match in _law_pattern(language).finditer(text) if len(name := match[0].strip("《》「」『』")) > 2]


@cache
def _law_pattern(language: str) -> re.Pattern[str]:
    if language in _NAMES_OF_LAWS:
        return re.compile(_NAMES_OF_LAWS[language])
    laws = grammars()[language].laws if language in grammars() else ()
    # Capitals alone may mean anything; a law with its day is cited, not asked for.
    patterns = "|".join(law.pattern for law in laws if not (law.after or law.bare))
    return re.compile(rf"(?<!\w)(?=\w*[^\W\d_A-Z]{{3}})(?:{patterns})(?![\w/])(?<!\d)" if patterns else "(?!)")


def _frame(queries: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame({"qid": [str(number) for number in range(len(queries))], "query": list(queries)})


refuse = factory_of(
    Refuse, "Let a generator refuse questions that the collection does not answer: ``default % 5 >> refuse >> quote``."
)
