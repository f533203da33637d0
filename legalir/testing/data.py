"""The kit's data: invented statutes in three languages, questions on them, and unusual texts."""

from __future__ import annotations

import unicodedata

import pandas as pd

from legalir.llm.chat import ChatRequest

FIRST_STAGE = 'tfidf(analyzer="whitespace") % 20'
"""Expression of the input of rerankers, expanders and generators; its scores lie in [0, 1], as some of them need."""

ANSWERED = f"{FIRST_STAGE} >> quote(analyzer='whitespace')"
"""Expression of the input of judges."""

BRANCHES = ('tfidf(analyzer="whitespace") % 20', 'bm25(analyzer="char2") % 5', 'tfidf(analyzer="char2") % 7')
"""Expressions of the inputs of fusers (two, or all three): lists of different lengths and scales."""

_FIELDS = ("docno", "law", "title", "text")
_TWIN = ("제9조 (벌칙)", "등대에 등불을 켜지 않은 관리인은 벌금을 낸다.")

PROVISIONS: tuple[dict[str, str], ...] = tuple(
    dict(zip(_FIELDS, row, strict=True))
    for row in (
        ("lamp-1", "등대법", "제1조 (목적)", "이 법은 등대와 등불을 지켜 배의 안전을 돕는다."),
        ("lamp-2", "등대법", "제2조 (등불)", "등대 관리인은 해가 지면 등불을 켜고 해가 뜨면 등불을 끈다."),
        ("lamp-3", "등대법", "제3조 (안개)", "안개가 끼면 관리인은 등불 대신 종을 친다. 종의 수는 시행령으로 정한다."),
        # These two differ only in their docno, so that their scores are equal.
        ("lamp-9", "등대법", *_TWIN),
        ("lamp-9-2", "등대법", *_TWIN),
        ("bell-1", "등대법 시행령", "제1조 (종)", "안개가 끼면 종을 1분에 3번 치고, 폭풍이면 1분에 7번 친다."),
        ("bell-2", "등대법 시행령", "제2조 (관리인)", "관리인은 3년마다 교육을 받고 등불과 종을 검사한다."),
        ("ferry-1", "Ferry Act", "Section 1 (Ferries)", "A ferry carries passengers, goods and livestock."),
        ("ferry-2", "Ferry Act", "Section 2 (Fog)", "In fog a ferry rings its bell and waits at the café on the pier."),
        ("ferry-3", "Ferry Act", "Section 3 (Fares)", "Passengers pay a fare; goods are carried at half the fare."),
        ("raft-1", "พระราชบัญญัติแพ", "มาตรา 1", "แพ ต้อง มี โคมไฟ เมื่อ มี หมอก"),
        ("raft-2", "พระราชบัญญัติแพ", "มาตรา 2", "คน พาย แพ ต้อง ตี ระฆัง เมื่อ มี หมอก หนา"),
    )
)
"""The provisions: docno, law, title, text."""

DOCNOS = frozenset(one["docno"] for one in PROVISIONS)
"""All docnos of :data:`PROVISIONS`."""

LINKS: tuple[tuple[str, str, str], ...] = (
    ("lamp-3", "bell-1", "delegates"),
    ("lamp-9", "lamp-2", "cites"),
    ("lamp-9-2", "lamp-2", "cites"),
    ("bell-1", "lamp-3", "cites"),
    ("bell-2", "lamp-2", "cites"),
    ("ferry-2", "ferry-1", "cites"),
    ("ferry-3", "ferry-1", "cites"),
    ("raft-2", "raft-1", "cites"),
)
"""Source, target and kind."""

QUERIES = pd.DataFrame(
    {
        "qid": ["q1", "q3", "q2", "q4"],
        "query": [
            "등대 관리인은 언제 등불을 켜나요? 등불을 켜지 않은 관리인은 벌금을 낸다. 등대법 제9조",
            "In fog, what does a ferry do at the café, by section 3 of the Ferry Act?",
            "안개가 끼면 등대법 시행령 제1조는 종을 몇 번 치나요?",
            "แพ ต้อง มี โคมไฟ เมื่อ มี หมอก มาตรา 1",
        ],
    }
)
"""The questions; each has results, by words, by their parts and by number, and the first has two of equal scores."""

JUDGEMENTS: tuple[tuple[str, str, int], ...] = (
    ("q1", "lamp-2", 1),
    ("q1", "lamp-9", 2),
    ("q2", "bell-1", 1),
    ("q2", "lamp-3", 1),
    ("q3", "ferry-2", 1),
    ("q3", "ferry-3", 0),
    ("q4", "raft-1", 1),
)
"""Question, provision and label."""

REFERENCES = (
    "해가 지면 등불을 켜고, 켜지 않으면 벌금을 낸다.",
    "It rings its bell and waits at the café on the pier.",
    "1분에 3번 친다.",
    "แพ ต้อง มี โคมไฟ",
)
"""The reference answer to each question, for judges."""

TEXTS: tuple[str, ...] = (*(one["text"] for one in PROVISIONS), *QUERIES["query"])
"""The texts for analyzers and encoders."""

CHAT_REQUEST = ChatRequest(
    (("system", "Answer in at most five words."), ("user", "When is the lamp of a lighthouse lit?")),
    max_tokens=8,
    prompt="lighthouse",
    question="When is the lamp of a lighthouse lit?",
)
"""The request for chat models."""

ODD_TEXTS: tuple[str, ...] = (
    "",
    " \t\n",
    "?!…「」()-~^\"'\\/:*[]{}",
    "AND OR NOT NEAR/3 field:value",
    "\x00\x07\ufeff\u200b\u202e",
    "\ud7b0\u1100\u0301\U0001f525",
    "등불" + "\u0301" * 50,
)
"""Empty texts, punctuation, a search engine's syntax, control characters, lone jamo and marks."""

ODD_PROVISIONS: tuple[dict[str, str], ...] = (
    *({"docno": f"odd-{number}", "text": text} for number, text in enumerate(ODD_TEXTS)),
    {"docno": "odd-title", "title": "…", "law": "", "text": ""},
    {"docno": "이상한문서:1/2#가", "title": "제1조", "law": "?", "text": "등불"},
    {"docno": "odd-nfd", "title": "", "law": "", "text": unicodedata.normalize("NFD", "등대의 등불")},
)
"""Provisions with an unusual text, without a text, or without a title."""

HEAVY: tuple[str, ...] = (
    "FlagEmbedding",
    "faiss",
    "jax",
    "jnius",
    "keras",
    "kiwipiepy",
    "llama_cpp",
    "onnxruntime",
    "openai",
    "pyserini",
    "sentence_transformers",
    "tensorflow",
    "torch",
    "transformers",
    "vllm",
    "xllamacpp",
)
"""Modules whose import takes seconds or gigabytes, or starts a virtual machine."""


def dated_provisions() -> list[dict[str, str]]:
    """Return two versions of each provision, until 2010 and from 2011 on; ``ferry-3`` is repealed in 2011."""
    return [
        {**one, "docno": f"{one['docno']}@{day}", "text": "" if repealed else one["text"]}
        for one in PROVISIONS
        for day in ("2001-01-01", "2011-01-01")
        for repealed in [(one["docno"], day) == ("ferry-3", "2011-01-01")]
    ]


def long_text() -> str:
    """Return a text of 100 000 characters."""
    once = " ".join(one["text"] for one in PROVISIONS) + " "
    return (once * (100_000 // len(once) + 1))[:100_000]
