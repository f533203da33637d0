"""Multiple-choice items over two provisions, one of which cites the other, and the test that they need both.

Source: the synthesis of [searchfiresafety] and [sar]. Deviations: structured replies; a model takes the place of the
people who look whether the first provision is enough; a question that the second provision alone answers is dropped,
too; duplicates are dropped; the key stands at each place equally often (in the published items it is the second in
71 % of a sample).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir import Collection
from legalir.errors import DataError
from legalir.extend import digest, load_prompt, write_spec
from legalir_study.drafts import MCQDraft
from legalir_study.filters import (
    ABOUT_TEXT,
    DUPLICATE,
    MALFORMED,
    about_the_text,
    abstention,
    duplicates,
    malformed_options,
)
from legalir_study.items import FAILED, Faults, Row, Sieve, sampled
from legalir_study.split import PROMPTS, Synthesis, provisions_with_text

_log = logging.getLogger("legalir")

FROM_FIRST = "answerable from the first provision alone"
NOT_FROM_BOTH = "not answerable from both provisions"
FROM_SECOND = "answerable from the second provision alone"
UNDECIDED = "no verdict"
"""Names of the filters that ask a model; `UNDECIDED` drops the items whose judge gave no reply of use."""

OPTIONS = 4
"""Number of options without the one to abstain."""


class Verdict(NamedTuple):
    """The option that a judge chose.

    Attributes:
        choice: number of the option, from 1; 0 for none.
        state: ``ok``, or what is wrong with the reply.
    """

    choice: int
    state: str


def citation_pairs(collection: Collection, count: int, seed: int = 0) -> list[tuple[str, str]]:
    """Return pairs of provisions, the first of which cites the second: a sample of the links of a collection.

    Provisions with hardly any text are left out, and links of a provision to itself.

    Raises:
        DataError: there is no such pair.
    """
    usable = provisions_with_text(collection)
    pairs = [(a, b) for a, b, _ in collection.graph.links() if a in usable and b in usable]
    if not pairs:
        raise DataError(
            f"{collection.id} has no links between provisions with text: multiple-choice items are made from links."
        )
    if len(pairs) < count:
        _log.warning(
            "%s has %d links between provisions with text: %d were asked for.", collection.id, len(pairs), count
        )
    return sampled(pairs, count, seed, "mcq")


def undecided(items: Sequence[Row], verdicts: Mapping[str, Verdict]) -> Faults:
    """Return the items for which the judge gave no reply of use."""
    return {row["qid"]: verdicts[row["qid"]].state for row in items if verdicts[row["qid"]].state != "ok"}


def answered_right(items: Sequence[Row], verdicts: Mapping[str, Verdict]) -> Faults:
    """Return the items for which the judge chose the key: what it was given is enough."""
    return {row["qid"]: "" for row in items if verdicts[row["qid"]].choice == row["key"]}


def not_answered_right(items: Sequence[Row], verdicts: Mapping[str, Verdict]) -> Faults:
    """Return the items for which the judge chose another option than the key, each with its choice."""
    wrong = {row["qid"]: (row, verdicts[row["qid"]].choice) for row in items}
    return {
        qid: "chose to abstain" if choice == row["abstain"] else f"chose {row['options'][choice - 1]!r}"
        for qid, (row, choice) in wrong.items()
        if choice != row["key"]
    }


def verdicts_of(items: Sequence[Row], given: slice, judge: pt.Transformer) -> dict[str, Verdict]:
    """Return the option that a judge chooses for each item when it reads some of its documents.

    Args:
        items: ``qid, query, options, abstain, documents``.
        given: which of the documents it reads.
        judge: a generator, such as ``mcq``.
    """
    rows = [
        {**{name: row[name] for name in ("qid", "query", "options", "abstain")}, "docno": docno, "rank": rank}
        for row in items
        for rank, docno in enumerate(row["documents"][given])
    ]
    if not rows:
        return {}
    frame = pd.DataFrame(rows).assign(score=lambda one: -one["rank"].astype(np.float64))
    answers = judge.transform(frame)
    columns = (answers[name] for name in ("qid", "choice", "reply_state"))
    return {qid: Verdict(choice, state) for qid, choice, state in zip(*columns, strict=True)}


def with_balanced_keys(items: Sequence[Row], seed: int) -> list[Row]:
    """Return items whose key is at each place equally often; the counts differ by at most one.

    The options of an item are put into an order that follows from the seed and its qid; the option to abstain, the
    last, stays there.

    Args:
        items: ``qid, options, key, abstain``; all with the same number of options.
        seed: seed of the order.
    """
    order = sorted(range(len(items)), key=lambda number: digest([seed, "place", items[number]["qid"]]))
    place = {number: turn % OPTIONS for turn, number in enumerate(order)}
    balanced = []
    for number, row in enumerate(items):
        own, last = row["options"][: row["abstain"] - 1], row["options"][row["abstain"] - 1 :]
        key = own[row["key"] - 1]
        others = [option for option in own if option != key]
        others.sort(key=lambda option, qid=row["qid"]: digest([seed, qid, option]))  # type: ignore[misc]
        options = [*others[: place[number]], key, *others[place[number] :], *last]
        balanced.append({**row, "options": options, "key": place[number] + 1})
    return balanced


def synthesize_mcq(
    collection: Collection,
    count: int = 100,
    *,
    seed: int = 0,
    llm: str | None = None,
    judge: str | None = None,
    prompt: str | None = None,
    language: str = "auto",
    abstain: str | None = None,
    alike: float = 90,
    max_tokens: int = 1024,
) -> Synthesis:
    """Let a model write multiple-choice items on citation pairs, and keep those that need both provisions.

    The filters, in their order: malformed; about the text; answerable from the first provision alone; not answerable
    from both; answerable from the second alone; duplicates.

    Args:
        collection: the collection, whose client asks the models.
        count: number of pairs, at least 1; an item each.
        seed: of the sample of pairs, and of the order of options.
        llm: the model that writes; None for that of the client.
        judge: the model that answers; None for the one that writes.
        prompt: file of a prompt of your own.
        language: language of the items; ``auto`` for the collection's language.
        abstain: the option that says that the question cannot be answered; None for ours.
        alike: similarity from which two questions are the same, percent.
        max_tokens: tokens of the reply that holds an item.

    Raises:
        DataError: the collection has no links between provisions with text.
        DefinitionError: the language has no option to abstain.
        ModelError: no model is named, or no request can succeed.
    """
    code = collection.language if language == "auto" else language
    refusal = abstain or abstention(code)
    client = collection.client
    asked = load_prompt("synthesize_mcq", code, prompt, PROMPTS)
    names = client.model(llm).name, client.model(judge or llm).name
    settings = {"llm": judge or llm, "k": 2, "language": language, "seed": seed}
    judging = collection.pipeline(write_spec("mcq", settings))
    pairs = citation_pairs(collection, count, seed)
    if names[0] == names[1]:
        _log.warning("%s writes the items and judges them: name another model with --judge.", names[0])
    texts = collection.provisions({docno for pair in pairs for docno in pair})
    replies = client.ask(
        asked,
        [
            {"first": texts[a].default_text(), "second": texts[b].default_text(), "question": f"{a} {b}"}
            for a, b in pairs
        ],
        llm=llm,
        kind=MCQDraft,
        max_tokens=max_tokens,
    )
    items: list[Row] = []
    failed: dict[str, str] = {}
    for number, (pair, reply) in enumerate(zip(pairs, replies, strict=True), start=1):
        written: Row = reply.value.row() if reply.state == "ok" else {"query": "", "options": [], "key": 0}
        options = [*written["options"], refusal]
        row = {"qid": f"mcq{number:04}", **written, "options": options, "abstain": len(options), "documents": [*pair]}
        items.append(row)
        if reply.state != "ok":
            failed[row["qid"]] = f"{reply.state}: {reply.reason}"
    sieve = Sieve(items)
    sieve.drop(FAILED, failed)
    sieve.drop(MALFORMED, malformed_options(sieve.kept, OPTIONS))
    sieve.drop(ABOUT_TEXT, about_the_text(sieve.kept, code))
    for given, reason, faults in (
        (slice(1), FROM_FIRST, answered_right),
        (slice(2), NOT_FROM_BOTH, not_answered_right),
        (slice(1, 2), FROM_SECOND, answered_right),
    ):
        verdicts = verdicts_of(sieve.kept, given, judging)
        sieve.drop(UNDECIDED, undecided(sieve.kept, verdicts))
        sieve.drop(reason, faults(sieve.kept, verdicts))
    sieve.drop(DUPLICATE, duplicates(sieve.kept, alike))
    kept = with_balanced_keys(sieve.kept, seed)
    keys = {place: sum(row["key"] == place for row in kept) for place in range(1, OPTIONS + 1)}
    return Synthesis(
        kept,
        sieve.dropped,
        {
            "kind": "mcq",
            "model": names[0],
            "judge": names[1],
            "prompts": [asked, load_prompt("mcq_context", code)],
            "settings": {"seed": seed, "count": count, "language": code, "alike": alike},
            "dropped": sieve.counts(),
            "report": {"keys": keys},
        },
    )
