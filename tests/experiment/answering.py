"""A collection whose systems answer from a list, with every state that an answer can have, and judges of them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pyterrier as pt
from fake_collection import DEFINITION, DOCNOS, FakeCollection

from legalir.answer.generator import Answer, Generator
from legalir.experiments import ExperimentResult, run

NOT_THERE = "제99조"


def written(qid: str, docnos: Sequence[str]) -> Answer:
    """Return the answer to a question: the reply to q2 fails, that to q4 cites and quotes what is not there."""
    given = tuple(docnos)
    tokens = {"prompt_tokens": 20, "completion_tokens": 5}
    if qid == "q2":
        return Answer("", reply_state="cut", context_docnos=given, **tokens)
    if qid == "q3" and not given:
        return Answer("", abstained=True, reason="I have no provisions.", **tokens)
    first = given[0] if given else DOCNOS[0]
    if qid == "q4":
        quotes = ((first, f"본문 {first}", "verified"), (first, "<b>bold</b> words", "not found"))
        text = f"<script>alert(1)</script> 본문 {first} [{first}] <b>bold</b> words [{NOT_THERE}] and [{DOCNOS[10]}]."
        return Answer(text, (first, NOT_THERE, DOCNOS[10]), quotes, context_docnos=given, **tokens)
    quotes = ((first, f"본문 {first}", "repaired"),)
    return Answer(f"본문 {first} [{first}]", (first,), quotes, context_docnos=given, **tokens)


class Writes(Generator):
    """Generator that gives :func:`written`."""

    name = "writes"
    needs_provisions = False

    def answers(self, asked: pd.DataFrame, lists: Sequence[Sequence[str]]) -> list[Answer]:
        return [written(qid, docnos) for qid, docnos in zip(asked["qid"], lists, strict=True)]


class Fails(Writes):
    """Generator whose replies all fail."""

    def answers(self, asked: pd.DataFrame, lists: Sequence[Sequence[str]]) -> list[Answer]:
        return [Answer("", reply_state="unavailable", context_docnos=tuple(docnos)) for docnos in lists]


class Choosing(Writes):
    """Generator that chooses the options with the given digits, one a question."""

    def __init__(self, digits: str) -> None:
        self.digits = digits

    def answers(self, asked: pd.DataFrame, lists: Sequence[Sequence[str]]) -> list[Answer]:
        pairs = zip(self.digits, lists, strict=False)
        return [Answer("", choice=int(digit), context_docnos=tuple(docnos)) for digit, docnos in pairs]


class Judges(pt.Transformer):
    """Judge that reads the length of an answer: coverage 1 if it is there, NaN if the reply failed."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        failed = inp["reply_state"] != "ok"
        verdict = inp["qanswer"].str.len().gt(0).astype(float).mask(failed)
        return inp.assign(
            coverage=verdict,
            judge_coverage_reason=["<i>because</i>" if text else "" for text in inp["qanswer"]],
            judge_coverage_state=["skipped" if value else "ok" for value in failed],
            votes=[(1, value) for value in verdict],
            opaque=[object() for _ in verdict],
        )


class Raises(pt.Transformer):
    """Judge that raises an error once it sees an answer."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        if len(inp):
            raise self.error
        return inp


class Answering(FakeCollection):
    """A collection with the generators and judges above; `error` is what the judge ``raises`` raises."""

    error: Exception = RuntimeError("no")

    def pipeline(self, expression: str) -> pt.Transformer:
        name, _, rest = expression.partition(" >> ")
        if rest:
            return self.pipeline(name) >> self.pipeline(rest)
        parts = {"writes": Writes, "fails": Fails, "judges": Judges}
        if name.startswith("choose "):
            return Choosing(name.removeprefix("choose "))
        if name == "raises":
            return Raises(self.error)
        return parts[name]() if name in parts else super().pipeline(name)


SYSTEMS = {
    "약함": "weak",
    "Strong": "strong",
    "Answers": "gappy >> writes",
    "From memory": "writes",
    "Weak answers": "weak >> writes",
}


def answering(collection: Answering | None = None, out: object = None, **changes: object) -> ExperimentResult:
    """Return the result of an experiment with answers."""
    definition = {**DEFINITION, "systems": SYSTEMS, "references": [], **changes}
    return run(definition, out, collection=collection or Answering())  # type: ignore[arg-type]
