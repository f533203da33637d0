"""What answers cost beside the model, and what their measures cost beside other packages.

    python experiments/bench/answering.py

Needs no collection, no model and no network. The arms take turns; medians, in processor time of one thread.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import ir_measures
import pandas as pd
import pyterrier as pt
from rapidfuzz.distance import LCSseq
from rouge_score import rouge_scorer

from legalir import Client, Collection
from legalir.answer.answer import checked_quote
from legalir.llm.chat import ChatReply, ChatRequest
from legalir.measure import parse_measures
from legalir.measure.overlap import Rouge

ROUNDS, QUESTIONS, ANSWERS, PAIRS = 5, 400, 10_000, 2_000

Claim = tuple[str, str, bool | None]


class Instant:
    """A model that answers at once: one statement for each of the first two provisions, with a quotation."""

    name, host, concurrency = "instant", "", 1

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return two statements."""
        lines = request.messages[1][1].partition("<provisions>\n")[2].splitlines()[:2]
        rows = [
            {"text": "그러하다.", "citations": [{"provision": number, "quote": line[-60:]}]}
            for number, line in enumerate(lines, start=1)
        ]
        return ChatReply(json.dumps({"can_answer": True, "statements": rows}, ensure_ascii=False), prompt_tokens=900)


def processor(work: Callable[[], object]) -> float:
    """Return the seconds of processor time of `work`."""
    start = time.process_time()
    work()
    return time.process_time() - start


def in_turns(*arms: Callable[[], object]) -> list[float]:
    """Return the median seconds of each arm."""
    for arm in arms:
        arm()  # What is opened and compiled first is not what is measured.
    return [median(times) for times in zip(*([processor(arm) for arm in arms] for _ in range(ROUNDS)), strict=True)]


def answering(folder: Path) -> list[Claim]:
    """`quote` and `answer` added to a search, for questions in one call."""
    collection = Collection("legalir/firecode/test")
    asked = list(collection.topics()["query"])
    topics = pd.DataFrame(
        [(str(number), f"{asked[number % len(asked)]} ({number})") for number in range(QUESTIONS)],
        columns=["qid", "query"],
    )
    results = collection.pipeline("default % 10").transform(topics)
    quote = collection.pipeline("quote(k=5)")
    quoting = in_turns(partial(quote.transform, results))[0]
    rounds = []
    for turn in range(ROUNDS):
        client = Client(Instant(), cache=folder / f"{turn}.sqlite")
        system = Collection("legalir/firecode", client=client).pipeline("answer(k=10)")
        rounds.append([processor(partial(system.transform, results)) for _ in range(2)])
    first, again = (1000 * median(times) / QUESTIONS for times in zip(*rounds, strict=True))
    return [
        ("`quote(k=5)`, ms a question: below 5", f"{1000 * quoting / QUESTIONS:.2f}", quoting / QUESTIONS < 0.005),
        (
            "`answer(k=10)` over an instant model, linked provisions included, ms a question: below 10",
            f"{first:.2f} at first, {again:.2f} from the cache",
            max(first, again) < 10,
        ),
    ]


def quotations(folder: Path) -> list[Claim]:
    """Looking a quotation up in its provision, as it stands there and with one letter changed."""
    texts = [provision.text for provision in Collection("legalir/firecode").docs() if len(provision.text) > 120]
    exact = [(text[20:100], text) for text in texts]
    changed = [(f"{words[:40]}것{words[41:]}", text) for words, text in exact]
    seconds = in_turns(
        *(partial(lambda pairs: [checked_quote(*pair) for pair in pairs], pairs) for pairs in (exact, changed))
    )
    found, repaired = (1e6 * one / len(texts) for one in seconds)
    return [("a quotation of 80 letters, µs: found, repaired (not a claim)", f"{found:.0f}, {repaired:.0f}", None)]


def measures(folder: Path) -> list[Claim]:
    """CitationF1 beside the SetF of ir_measures, and ROUGE-L beside the package of the papers."""
    docnos = [f"law-{number}" for number in range(500)]
    rows = [(str(number), tuple(docnos[(number * 7 + step) % 500] for step in range(5))) for number in range(ANSWERS)]
    answers = pd.DataFrame(rows, columns=["qid", "citations"])
    qrels = pd.DataFrame(
        [(qid, docnos[(int(qid) * 7 + step) % 500], 1) for qid, _ in rows for step in range(3, 6)],
        columns=["query_id", "doc_id", "relevance"],
    )
    run = pd.DataFrame(
        [(qid, docno, 1.0) for qid, cited in rows for docno in cited], columns=["query_id", "doc_id", "score"]
    )
    (citation,) = parse_measures(["CitationF1"])
    frame = pt.model.to_ir_measures(answers)
    ours, theirs = in_turns(
        partial(ir_measures.calc_aggregate, [citation], qrels, frame),
        partial(ir_measures.calc_aggregate, [ir_measures.SetF], qrels, run),
    )
    value = ir_measures.calc_aggregate([citation], qrels, frame)[citation]
    assert abs(value - ir_measures.calc_aggregate([ir_measures.SetF], qrels, run)[ir_measures.SetF]) < 1e-9
    words = [f"word{number * number % 97}" for number in range(4_000)]
    pairs = [(" ".join(words[n : n + 60]), " ".join(words[n + 9 : n + 75])) for n in range(PAIRS)]
    rouge, peer = Rouge("whitespace"), rouge_scorer.RougeScorer(["rougeL"])
    mine = [rouge.score(*pair, "L").f1 for pair in pairs[:200]]
    assert all(abs(one - peer.score(b, a)["rougeL"].fmeasure) < 1e-9 for one, (a, b) in zip(mine, pairs, strict=False))
    split = [(a.split(), b.split()) for a, b in pairs]
    seconds = in_turns(
        lambda: [rouge.score(*pair, "L") for pair in pairs],
        lambda: [peer.score(b, a) for a, b in pairs],
        lambda: [LCSseq.similarity(a, b) for a, b in split],
    )
    each = [1e6 * one / PAIRS for one in seconds]
    return [
        (
            f"CitationF1 of {ANSWERS:,} answers, seconds: at most twice those of SetF of ir_measures",
            f"{ours:.2f} ({theirs:.2f})",
            ours <= 2 * theirs,
        ),
        (
            "ROUGE-L of 60 and 66 words, µs a pair: faster than `rouge-score`, equal figures on Latin letters",
            f"{each[0]:.0f} (`rouge-score` {each[1]:.0f}, rapidfuzz alone {each[2]:.0f})",
            each[0] < each[1],
        ),
    ]


def main() -> None:
    """Measure all of it and print a table of claims."""
    print("| claim | measured | |\n|---|---|---|")
    for measure in (answering, quotations, measures):
        with tempfile.TemporaryDirectory() as folder:
            for claim, measured, passed in measure(Path(folder)):
                verdict = {True: "pass", False: "**fail**", None: ""}[passed]
                print(f"| {claim} | {measured} | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
