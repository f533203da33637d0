"""A survey: a question, what was decided about each provision so far, and what is read next.

Everything that a survey knows is its decisions. What is read next is a function of them, so a survey goes on from its
file, and the last decision can be taken back. Decisions come from anyone: a person, a model, a file of judgements.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal, Self

import numpy as np
import pandas as pd
from pydantic import Field

from legalir.collections import Collection
from legalir.config import AnyText, Choice, Number, Schema, Text, Whole
from legalir.errors import ComponentError, DataError
from legalir.frames.columns import require_question
from legalir.storage.files import atomic_file
from legalir.survey.ranking import Numbers, Ranking
from legalir.survey.recall import Recall, estimate

ACCEPTED: Final = "accepted"
REFUSED: Final = "refused"
OPEN: Final = "open"
Verdict = Literal["accepted", "refused", "open"]
"""``open``: read, and not decided: a person skipped it, or the reply of a model failed. It is never a refusal."""


class Decision(Schema):
    """What was decided about one provision."""

    KIND = "a decision"

    docno: Text
    verdict: Choice[Verdict]
    round: Annotated[Whole, Field(ge=0)] = 0
    """Number of the batch, from 1; 0 in a sample of the rest."""
    quote: AnyText = ""
    """The words of the provision that decide."""
    note: AnyText = ""
    """Reason, or why it is open."""
    by: AnyText = ""
    """Who decided."""


class Sample(Schema):
    """A sample of the provisions that were not read, drawn at random."""

    KIND = "a sample"

    rest: Annotated[Whole, Field(ge=1)]
    """Number of provisions that it was drawn from."""
    docnos: tuple[Text, ...]
    decided: Annotated[Whole, Field(ge=0)]
    """Number of decisions before it was drawn."""


class SurveyState(Schema):
    """The content of the file of a survey."""

    KIND = "a survey"

    collection: Text
    corpus: Text
    """sha256 of the provisions."""
    query: Text
    pipeline: Text = "default"
    day: AnyText = ""
    """Day of the question; empty for a collection without versions."""
    batch: Annotated[Whole, Field(ge=1)] = 10
    target: Annotated[Number, Field(gt=0, lt=1)] = 0.95
    decisions: tuple[Decision, ...] = ()
    sample: Sample | None = None


class Survey:
    """All provisions of a collection on a matter, found batch by batch.

    Args:
        collection: the collection.
        state: question, settings and decisions.
    """

    def __init__(self, collection: Collection, state: SurveyState) -> None:
        self.collection, self.state = collection, state
        self.decisions = list(state.decisions)
        self.sample = state.sample
        self._batches: dict[int, list[str]] = {}

    @classmethod
    def new(
        cls,
        collection: Collection,
        query: str,
        *,
        pipeline: str = "default",
        as_of: str | None = None,
        batch: int = 10,
        target: float = 0.95,
    ) -> Self:
        """Return a survey without decisions.

        Args:
            collection: the collection.
            query: the question.
            pipeline: the search whose order is the first.
            as_of: the day of the question; None for the day of the collection, or today.
            batch: number of provisions that are read before the order changes.
            target: estimated recall at which the survey ends, above 0 and below 1.

        Raises:
            ComponentError: the question is empty, or `as_of` is not a date.
            DefinitionError: `batch` or `target` is out of range.
        """
        require_question(query, "survey")
        values = {"collection": collection.id, "corpus": collection.fingerprint(), "query": query, "batch": batch}
        values |= {"pipeline": pipeline, "day": collection.day(as_of) or "", "target": target}
        return cls(collection, SurveyState.parse(values))

    @classmethod
    def load(cls, path: Path, collection: Collection) -> Self:
        """Return the survey in a file.

        Raises:
            DataError: it cannot be read, is not a survey, or is of other provisions.
        """
        try:
            state = SurveyState.parse(json.loads(path.read_text(encoding="utf-8")), str(path))
        except (OSError, ValueError) as error:
            raise DataError(f"{path} is not the file of a survey ({error}): give another --file.") from error
        if state.corpus != collection.fingerprint():
            raise DataError(
                f"{path} is a survey of {state.collection} with other provisions than {collection.id} has: open that "
                f"collection, or begin again in another --file."
            )
        if len(collection.provisions(one.docno for one in state.decisions)) != len(state.decisions):
            raise DataError(f"{path} has a provision twice, or one that {collection.id} lacks: give another --file.")
        return cls(collection, state)

    def save(self, path: Path) -> None:
        """Write the survey to a file, whole or not at all.

        Raises:
            DataError: it cannot be written.
        """
        state = self.state.model_copy(update={"decisions": tuple(self.decisions), "sample": self.sample})
        try:
            with atomic_file(path) as stream:
                json.dump(state.model_dump(mode="json"), stream, ensure_ascii=False, indent=1)
        except OSError as error:
            raise DataError(f"{path} cannot be written ({error.strerror or error}): give another --file.") from error

    @cached_property
    def ranking(self) -> Ranking:
        """The order of the provisions."""
        return Ranking(self.collection, self.state.query, self.state.pipeline, self.state.day or None)

    @property
    def round(self) -> int:
        """Number of the batch that is read now, from 1."""
        last = max((one.round for one in self.decisions), default=1) or 1
        return last if self._left(last) else last + 1

    def pending(self) -> list[str]:
        """Return the docnos that are read next: of the sample, else of the batch; none if everything is read."""
        read = {one.docno for one in self.decisions}
        if self.sample and (left := [docno for docno in self.sample.docnos if docno not in read]):
            return left
        return self._left(self.round)

    def _left(self, number: int) -> list[str]:
        read = {one.docno for one in self.decisions}
        return [docno for docno in self._batch(number) if docno not in read]

    def _batch(self, number: int) -> list[str]:
        """Return a batch, which depends on the decisions of earlier batches, and on the sample before them."""
        if number not in self._batches:
            before = [one for one in self.decisions if one.round < number]
            accepted, refused = (self._numbers(verdict, before) for verdict in (ACCEPTED, REFUSED))
            read = self.ranking.numbers([one.docno for one in before])
            self._batches[number] = self.ranking.docnos(self.ranking.first(self.state.batch, accepted, refused, read))
        return self._batches[number]

    def _numbers(self, verdict: str, decisions: Sequence[Decision] | None = None) -> Numbers:
        chosen = self.decisions if decisions is None else decisions
        return self.ranking.numbers([one.docno for one in chosen if one.verdict == verdict])

    def why(self, docno: str) -> str:
        """Return why a provision is read, for people."""
        if self.sample and docno in self.sample.docnos:
            return "drawn at random from the rest"
        return self.ranking.why(int(self.ranking.numbers([docno])[0]), self._numbers(ACCEPTED))

    def decide(self, docno: str, verdict: Verdict, *, quote: str = "", note: str = "", by: str = "") -> None:
        """Record a decision about a provision of :meth:`pending`.

        Raises:
            ComponentError: it is not to be read now.
            DefinitionError: there is no such verdict.
        """
        if docno not in self.pending():
            raise ComponentError(f"survey: {docno!r} is not among the provisions to read: decide on {self.pending()}.")
        sampled = self.sample is not None and docno in self.sample.docnos
        number = 0 if sampled else self.round
        self.decisions.append(Decision(docno=docno, verdict=verdict, round=number, quote=quote, note=note, by=by))
        if sampled:
            self._batches.clear()

    def undo(self) -> Decision | None:
        """Take the last decision back and return it; None if there is none."""
        if not self.decisions:
            return None
        last = self.decisions.pop()
        self._batches = {number: batch for number, batch in self._batches.items() if 0 < number <= last.round}
        return last

    def reopen(self) -> int:
        """Put all provisions that are open back among those to read; return their number."""
        count = len(self.decisions)
        self.decisions = [one for one in self.decisions if one.verdict != OPEN]
        self._batches.clear()
        return count - len(self.decisions)

    def draw(self, count: int, seed: int = 0) -> None:
        """Draw a sample of the provisions that were not read; they are read next.

        Args:
            count: number of provisions; fewer if fewer are left.
            seed: random seed.

        Raises:
            ComponentError: the sample before is not read to its end.
        """
        if self.sample and set(self.sample.docnos) - {one.docno for one in self.decisions}:
            raise ComponentError("survey: the sample is not read to its end: decide on it before you draw another one.")
        unread = self.ranking.in_force.copy()
        unread[self.ranking.numbers([one.docno for one in self.decisions])] = False
        rest = np.flatnonzero(unread)
        if len(rest):
            drawn = np.random.default_rng(seed).choice(rest, min(count, len(rest)), replace=False)
            self.sample = Sample(rest=len(rest), docnos=tuple(self.ranking.docnos(drawn)), decided=len(self.decisions))

    def recall(self) -> Recall:
        """Return the estimated share of the provisions on the matter that are accepted, with its interval."""
        ranked = [one for one in self.decisions if one.round]
        hits = [place for place, one in enumerate(ranked, start=1) if one.verdict == ACCEPTED]
        aside = [one for one in self.decisions if not one.round]
        sample: tuple[int, int, int, int] | None = None
        if self.sample:
            drawn = [one.verdict for one in aside if one.docno in self.sample.docnos]
            since = sum(one.verdict == ACCEPTED for one in self.decisions[self.sample.decided :])
            sample = self.sample.rest, len(drawn), drawn.count(ACCEPTED), since
        return estimate(
            hits,
            len(ranked),
            len(self.ranking),
            aside=(len(aside), sum(one.verdict == ACCEPTED for one in aside)),
            undecided=sum(one.verdict == OPEN for one in self.decisions),
            sample=sample,
        )

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield each decision for a table: ``docno, title, law, decision, quote, note, round, by``."""
        provisions = self.collection.provisions([one.docno for one in self.decisions])
        for one in self.decisions:
            record = provisions.get(one.docno)
            title, law = ("", "") if record is None else (record.title, record.law)
            facts = {"docno": one.docno, "title": title, "law": law, "decision": one.verdict}
            yield {**facts, "quote": one.quote, "note": one.note, "round": one.round, "by": one.by}

    def qrels(self, qid: str = "1") -> pd.DataFrame:
        """Return the judgements: ``qid, docno, label``, 1 for accepted and 0 for refused; open ones are left out."""
        labels: Mapping[str, int] = {ACCEPTED: 1, REFUSED: 0}
        rows = [(qid, one.docno, labels[one.verdict]) for one in self.decisions if one.verdict in labels]
        return pd.DataFrame(rows, columns=["qid", "docno", "label"])
