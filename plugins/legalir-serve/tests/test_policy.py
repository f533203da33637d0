"""What a request may ask for."""

from __future__ import annotations

import pytest

from legalir.errors import ComponentError, ExpressionError
from legalir_serve.policy import HARMLESS, Policy, known

POLICY = Policy({"default": "default", "mine": 'dense(encoder="/models/own")'})


@pytest.mark.parametrize(
    "expression",
    [
        "bm25 % 10",
        "bm25(k1=1.5, b=0.4) >> sar(k=5)",
        'rrf(bm25(analyzer="auto"), tfidf) % 100',
        'linear(bm25, lookup, weights=[0.8, 0.2], normalize="none")',
        "default % 5 >> quote",
    ],
)
def test_harmless_expressions(expression: str) -> None:
    assert POLICY.expression(expression) == expression


def test_a_name_of_the_operator_may_hold_anything() -> None:
    assert POLICY.expression("mine") == 'dense(encoder="/models/own")'


@pytest.mark.parametrize(
    "expression",
    [
        'dense(encoder="/etc/passwd")',
        'bm25(analyzer="../../secrets")',
        'bm25(analyzer="kiwi")',
        'bm25(analyzer="jamo3")',
        "rrf(bm25, lsa)",
        'triples(graph="facts.jsonl") >> bm25',
        'recorded(path="x")',
        'run(path="/etc/passwd")',
        'run("x")',
        "rar(default)",
        "bm25 % 1000000000",
        "bm25(num_results=99999999)",
        "bm25(k1=1e308)",
        "__import__('os').system('x')",
        "bm25; bm25",
        "(" * 10_000,
        "rrf(" * 3000 + "bm25" + ")" * 3000,
        "bm25 >> " * 2000 + "sar",
        "rrf(" + ", ".join(f"bm25(k1={number / 100})" for number in range(1, 9)) + ")",
        'bm25 >> nitilink(depth=5, order="bfs")',
        "",
        "\x00",
    ],
)
def test_what_is_refused(expression: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        POLICY.expression(expression)
    assert "\n" not in str(caught.value).strip() or len(str(caught.value)) < 2000


def test_questions() -> None:
    assert POLICY.question("  When\tis the\x00 lamp\u2028lit? ") == "When is the lamp lit?"
    for text in ("", " \n\u200b"):
        with pytest.raises(ComponentError, match="empty"):
            POLICY.question(text)
    with pytest.raises(ComponentError, match="4,001 characters"):
        POLICY.question("x" * 4001)


def test_components_of_an_operator() -> None:
    assert known(["rerank"]) == HARMLESS | {"rerank"}
    with pytest.raises(ComponentError, match="no component 'nix'"):
        known(["nix"])
