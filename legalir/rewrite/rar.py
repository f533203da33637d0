"""RAR-Agent [rar-agent]: two queries written by a chat model are fused with the question, then the question decides.

The analytical query contains the legal terms and the main issue; the rationale is a short hypothetical ruling, for
which the analytical query is the scaffold. The prompts of the paper are not published; ours have the same contents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyterrier as pt

from legalir.collections import Collection
from legalir.declared import check_flag, check_number
from legalir.frames.chain import Chain
from legalir.fuse.rrf import RRF
from legalir.llm.chat import REPLY_STATE
from legalir.llm.prompts import Prompt
from legalir.rewrite.rewriter import Rewriter, asking_factory, known_numbers, prompt_of

_QUERY_TOKENS, _RULING_TOKENS = 120, 400


class Analytical(Rewriter):
    """Replaces each question by its legal terms and main issue [rar-agent, eq. 1].

    Columns in: ``qid, query``. Columns out: the same, ``query_0`` and ``reply_state``. Arguments and errors as for
    :class:`~legalir.rewrite.rewriter.Rewriter`.
    """

    name = "analytical"

    def _rewritten(self, inp: pd.DataFrame, questions: Sequence[str]) -> dict[str, list[Any]]:
        answers = self._ask([{"question": question} for question in questions], max_tokens=_QUERY_TOKENS)
        return self._columns(answers, questions)


class Rationale(Rewriter):
    """Replaces each question by a short hypothetical ruling [rar-agent, eq. 2].

    The output of :class:`Analytical` is the scaffold if that component precedes this one; without it, or if its reply
    failed, there is no scaffold. Columns in: ``qid, query``. Columns out: the same, ``query_0`` and ``reply_state``.
    Arguments and errors as for :class:`~legalir.rewrite.rewriter.Rewriter`.
    """

    name = "rationale"

    def _rewritten(self, inp: pd.DataFrame, questions: Sequence[str]) -> dict[str, list[Any]]:
        written = inp[REPLY_STATE] == "ok" if REPLY_STATE in inp.columns else pd.Series(False, index=inp.index)
        values = [
            {"question": question, "scaffold": query if ok else ""}
            for question, query, ok in zip(questions, inp["query"], written, strict=True)
        ]
        return self._columns(self._ask(values, max_tokens=_RULING_TOKENS), questions)


analytical = asking_factory(
    Analytical,
    "Search with the legal terms and the main issue of a question: ``analytical >> bm25``.",
    numbers=known_numbers,
)


def _ruling_prompt(
    collection: Collection, cot: bool = True, prompt: str | None = None, language: str = "auto"
) -> Prompt:
    """Return the prompt for the ruling.

    Args:
        cot: whether to instruct the model to think step by step.
        prompt: file of your own prompt.
        language: language of the prompt; ``auto`` for the collection's language.
    """
    return prompt_of("rationale" if cot else "ruling")(collection, prompt, language)


rationale = asking_factory(
    Rationale,
    "Search with a hypothetical ruling: ``analytical >> rationale >> bm25``.",
    prompt=_ruling_prompt,
    numbers=known_numbers,
)


def rar(
    collection: Collection,
    pipeline: pt.Transformer,
    *,
    N: int = 30,
    M: int = 30,
    k: int = 20,
    rrf_k: float = 60,
    reranker: pt.Transformer | None = None,
    cot: bool = True,
    scaffold: bool = True,
    llm: str | None = None,
    language: str = "auto",
    strip_unknown_citations: bool = True,
) -> pt.Transformer:
    """RAR-Agent's retrieval: ``rar(default, reranker=rerank("BAAI/bge-reranker-v2-m3"))``.

    The same as ``rrf(P % N, analytical >> P % N, analytical >> rationale >> P % N, k=rrf_k) % M >> reranker % k``. The
    reranker reads the original question; without a reranker, the order of the fusion is kept. The paper's P is the
    hybrid ``linear(dense, bm25, weights=[0.4, 0.6])`` [rar-agent]; how it normalises scores is not published.

    Args:
        pipeline: P, searched with the question and with both queries.
        N: number of results of each search.
        M: number of results of the fusion.
        k: number of results.
        rrf_k: constant of the fusion.
        reranker: scores the M results against the original question; None for the order of the fusion.
        cot: whether the rationale is reasoned step by step.
        scaffold: whether the prompt for the rationale contains the analytical query.
        llm: name or call of the model; None for the model of the run.
        language: language of the prompts; ``auto`` for the collection's language.
        strip_unknown_citations: whether references to provisions that the collection lacks are dropped.
    """
    for name, value in (("N", N), ("M", M), ("k", k)):
        check_number("rar", name, value, low=1, integer=True)
    for name, flag in (("cot", cot), ("scaffold", scaffold)):
        check_flag("rar", name, flag)
    shared: dict[str, Any] = {"llm": llm, "language": language, "strip_unknown_citations": strip_unknown_citations}
    issue, ruling = analytical(collection, **shared), rationale(collection, cot=cot, **shared)
    search = pipeline % N
    third = Chain(issue, ruling, search) if scaffold else Chain(ruling, search)
    fusion = RRF(search, Chain(issue, search), third, k=rrf_k)
    if reranker is None:
        fusion.note = "rar has no reranker: the order of its fusion stands"
        return fusion % M % k
    return Chain(fusion % M, reranker) % k
