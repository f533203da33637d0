"""What a person waits for: `default` beside its first stage, a search from the shell, ten systems that begin alike.

    python experiments/bench/interactive.py

Needs kr-statutes and kr-precedent-core in $LEGALIR_DATA. Indexes are built, once, where LEGALIR_HOME says.
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from pathlib import Path
from statistics import median

import pandas as pd
import pyterrier as pt
from ir_measures import R, nDCG

from legalir import Collection
from legalir.experiments.experiment import run

STATUTES, QUESTIONS = "legalir/kr-statutes", "legalir/kr-precedent-core/dev"
FIRST_STAGE = 'focus >> bm25f(analyzer="char2") % 1000'
SINGLE, ROUNDS, TURNS = 300, 3, 2
LINKS = range(1, 11)

Claim = tuple[str, str, bool]


def one_by_one(pipeline: pt.Transformer, topics: pd.DataFrame) -> list[float]:
    """Return the milliseconds of each question, asked alone."""
    milliseconds = []
    for row in range(len(topics)):
        question = topics.iloc[[row]]
        start = time.perf_counter()
        pipeline.transform(question)
        milliseconds.append(1000 * (time.perf_counter() - start))
    return milliseconds


def default_pipeline(topics: pd.DataFrame) -> Claim:
    """`default` and its first stage, in turns, on all provisions."""
    statutes = Collection(STATUTES)
    stages = [statutes.pipeline("default"), statutes.pipeline(FIRST_STAGE)]
    for pipeline in stages:
        one_by_one(pipeline, topics.head(20))
    rounds = [[median(one_by_one(pipeline, topics)) for pipeline in stages] for _ in range(ROUNDS)]
    whole, first = (median(times[stage] for times in rounds) for stage in (0, 1))
    ratio = median(times[0] / times[1] for times in rounds)
    text = f"{ratio:.2f} ({whole:.1f} and {first:.1f} ms a question)"
    return "`default`, time over that of its first stage, 191 574 provisions: at most 2", text, ratio <= 2


def shell(question: str, kind: str, limit: float) -> Claim:
    """`legalir search` with `default`, from the start of the process to its end."""
    command = [str(Path(sys.executable).with_name("legalir")), "search", STATUTES, question]
    seconds = []
    for _ in range(8):
        start = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        seconds.append(time.perf_counter() - start)
    measured = median(seconds[1:])
    return (
        f"warm `legalir search legalir/kr-statutes`, {kind}: at most {limit} s",
        f"{measured:.2f} s",
        measured <= limit,
    )


def shared_beginnings() -> Claim:
    """Ten systems that differ in their last step, run and scored: an experiment beside `pt.Experiment` as it comes."""
    collection = Collection(QUESTIONS)
    systems = {f"k={k}": f"default % 100 >> links(k={k}) % 100" for k in LINKS}
    definition = {"dataset": QUESTIONS, "measures": ["R@10", "nDCG@10"], "systems": systems}
    pipelines = [collection.pipeline(expression) for expression in systems.values()]
    topics, qrels = collection.topics(), collection.qrels()
    pipelines[0].transform(topics.head(20))
    pairs = []
    for _ in range(TURNS):
        start = time.perf_counter()
        result = run(definition, collection=collection, latency_queries=0)
        ours = time.perf_counter() - start
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # PyTerrier's advice to use another plan.
            table = pt.Experiment(pipelines, topics, qrels, [R @ 10, nDCG @ 10], names=list(systems))
        theirs = time.perf_counter() - start
        assert abs(result.table["nDCG@10"].to_numpy() - table["nDCG@10"].to_numpy()).max() < 1e-9
        pairs.append((ours, theirs))
    ours, theirs = (median(pair[arm] for pair in pairs) for arm in (0, 1))
    ratio = median(pair[1] / pair[0] for pair in pairs)
    text = f"{ratio:.1f} ({ours:.1f} and {theirs:.1f} s, {len(topics)} questions)"
    return "ten systems with one beginning, times faster than `pt.Experiment`: at least 3", text, ratio >= 3


def main() -> None:
    """Measure all of it and print a table of claims."""
    topics = Collection(QUESTIONS).topics()[["qid", "query"]].head(SINGLE)
    print("| claim | measured | |\n|---|---|---|")
    for measure in (
        lambda: default_pipeline(topics),
        lambda: shell("무창층에 설치하는 비상구의 기준은 무엇인가요?", "a question", 1.5),
        lambda: shell("민법 제750조에 따른 손해배상의 요건은 무엇인가요?", "one with the number of an article", 3),
        shared_beginnings,
    ):
        claim, measured, passed = measure()
        print(f"| {claim} | {measured} | {'pass' if passed else '**fail**'} |", flush=True)


if __name__ == "__main__":
    main()
