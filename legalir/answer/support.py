"""Judge of support: does a cited provision carry the statement that cites it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from legalir.answer.judges import Judged, ModelJudge, PlainVerdict, Verdict, failed, labels_of, warn_of_own_answers
from legalir.collections import Collection
from legalir.llm.client import CheckedReply
from legalir.rewrite.rewriter import asking_factory
from legalir.storage.documents import title_and_text

if TYPE_CHECKING:
    from legalir.datasets.records import Provision

SUPPORT = {"full": 1.0, "partial": 0.5, "none": 0.0}
"""Value of each label of support [trec-rag]."""


class _Reply(PlainVerdict):
    labels: ClassVar = {
        "support": labels_of(
            full="full support|fully supported|supported|supports|fs|support",
            partial="partial support|partially supported|partly supported|ps",
            none="no|no support|not supported|unsupported|does not support|ns",
        )
    }

    reason: str = ""
    support: Literal["full", "partial", "none"]


class SupportJudge(ModelJudge):
    """Judge of whether the provisions that a statement cites carry it: fully, in part, or not [trec-rag], [alce].

    It reads a statement and one cited provision, and nothing else: one request for each pair. Where no provision
    carries the statement alone and there are several, it is asked about all of them together, and with three or more
    about all but one. A statement is a line of the answer (:func:`~legalir.answer.statements.statements_of`).

    Columns out, each from 0 to 1, and NaN for an answer without statements or citations:

    - ``support_recall``: share of the statements that what they cite carries fully, together [alce].
    - ``support_precision``: share of the citations that are needed: the statement is carried fully, and either this
      provision carries it alone, or the others do not without it [alce].
    - ``weighted_support_recall``: mean over the statements of the best support, in part .5 [trec-rag].
    - ``weighted_support_precision``: mean over the citations of their support alone, in part .5 [trec-rag].
    - ``judge_support_state``, ``judge_support_reason``: which statements are not carried fully.

    A statement without a citation counts 0 in recall; so does a citation of something that is not in the collection in
    both. If one request on an answer fails, the answer has no verdict.

    Deviations: [alce] asks a model of entailment for yes or no, and [trec-rag] reads the first citation alone.

    Same arguments as :class:`~legalir.answer.judges.ModelJudge`.
    """

    name = "judge_support"
    columns = (
        "support_recall",
        "support_precision",
        "weighted_support_recall",
        "weighted_support_precision",
    )
    needs_reference = False
    reply = _Reply

    collection: Annotated[Collection, "source of the provisions"]

    def verdicts(self, answers: Sequence[Judged]) -> list[Verdict]:
        """Return the verdict on each answer, in up to three rounds of requests."""
        texts = self._texts(answers)
        found: dict[tuple[str, tuple[str, ...]], CheckedReply] = {}

        def ask(wanted: Iterable[tuple[str, tuple[str, ...]]]) -> None:
            known = [(text, docnos) for text, docnos in dict.fromkeys(wanted) if (text, docnos) not in found]
            replies = self._ask(
                [
                    {"statement": text, "provisions": "\n".join(f"[{n}] {texts[d]}" for n, d in enumerate(docnos, 1))}
                    for text, docnos in known
                ]
            )
            found.update(zip(known, replies, strict=True))

        given = [
            [(one.text, tuple(docno for docno in one.citations if docno in texts)) for one in answer.statements]
            for answer in answers
        ]
        statements = list(dict.fromkeys(one for of_answer in given for one in of_answer))
        ask((text, (docno,)) for text, docnos in statements for docno in docnos)

        def value(text: str, docnos: tuple[str, ...]) -> float:
            reply = found.get((text, docnos))
            return SUPPORT[reply.value.support] if reply is not None and reply.state == "ok" else 0.0

        open_ones = [
            (text, docnos)
            for text, docnos in statements
            if len(docnos) > 1 and all(value(text, (docno,)) < 1 for docno in docnos)
        ]
        ask(open_ones)
        ask(
            (text, rest)
            for text, docnos in open_ones
            if len(docnos) > 2 and value(text, docnos) == 1
            for rest in combinations(docnos, len(docnos) - 1)
        )
        return [self._verdict(answer, of_answer, found) for answer, of_answer in zip(answers, given, strict=True)]

    def _texts(self, answers: Sequence[Judged]) -> Mapping[str, str]:
        """Return the text of each cited provision in one line; over chunks, those that hold it and were given."""
        cited = dict.fromkeys(docno for answer in answers for one in answer.statements for docno in one.citations)
        provisions = self.collection.provisions(list(cited))
        lines = {docno: _line(record) for docno, record in provisions.items()}
        if (chunks := self.collection.chunks) is not None:
            for answer in answers:
                records = self.collection.provisions(answer.context_docnos)
                for chunk in answer.context_docnos:
                    for docno in chunks.held([chunk]) if chunk in records else ():
                        if docno in cited:
                            lines.setdefault(docno, _line(records[chunk]))
        return lines

    def _verdict(
        self,
        answer: Judged,
        statements: Sequence[tuple[str, tuple[str, ...]]],
        found: Mapping[tuple[str, tuple[str, ...]], CheckedReply],
    ) -> Verdict:
        asked = {(text, part) for text, docnos in statements for part in _parts(docnos) if (text, part) in found}
        if bad := [found[one] for one in sorted(asked) if found[one].state != "ok"]:
            return failed(bad[0])

        def value(text: str, docnos: tuple[str, ...]) -> float:
            return SUPPORT[found[text, docnos].value.support] if (text, docnos) in found else 0.0

        best: list[float] = []
        needed: list[bool] = []
        alone: list[float] = []
        remarks: list[str] = []
        for (text, docnos), statement in zip(statements, answer.statements, strict=True):
            single = {docno: value(text, (docno,)) for docno in docnos}
            together = max([value(text, docnos), *single.values()], default=0.0)
            best.append(together)
            alone += [single.get(docno, 0.0) for docno in statement.citations]
            for docno in statement.citations:
                rest = tuple(one for one in docnos if one != docno)
                others = max([value(text, rest), *(single[one] for one in rest)], default=0.0)
                needed.append(docno in single and together == 1 and (single[docno] == 1 or others < 1))
            if together < 1:
                remarks.append(f"{'in part' if together else 'not'} supported: {text}")
        shares: dict[str, Sequence[float]] = {
            "support_recall": [one == 1 for one in best],
            "support_precision": needed,
            "weighted_support_recall": best,
            "weighted_support_precision": alone,
        }
        values = {name: sum(counted) / len(counted) for name, counted in shares.items() if counted}
        return Verdict(values, reason=" | ".join(remarks))


def _parts(docnos: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the groups of provisions that may be asked about: each alone, all, and all but one."""
    for size in {1, len(docnos) - 1, len(docnos)} - {0, -1}:
        yield from combinations(docnos, size)


def _line(record: Provision) -> str:
    return " ".join(title_and_text(record.title, record.text).split())


judge_support = asking_factory(
    SupportJudge,
    "Judge whether cited provisions carry the statements: ``default % 5 >> quote >> judge_support``.",
    client=warn_of_own_answers("judge_support"),
)
