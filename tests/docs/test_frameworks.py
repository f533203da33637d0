"""The retrievers of docs/api.md for LangChain and LlamaIndex, with the package where it is installed.

Elsewhere, stand-ins have what is used of it, with the signatures of langchain-core 1.8 and llama-index-core 0.14.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest
from documentation import DOCS, blocks
from pydantic import BaseModel


@dataclass
class Document:
    page_content: str
    metadata: dict[str, Any]
    id: str


class LangChainRetriever(BaseModel):
    def invoke(self, query: str) -> list[Document]:
        return self._get_relevant_documents(query, run_manager=object())  # type: ignore[attr-defined]


@dataclass
class TextNode:
    text: str
    metadata: dict[str, Any]
    id_: str


@dataclass
class NodeWithScore:
    node: TextNode
    score: float


@dataclass
class QueryBundle:
    query_str: str


class LlamaIndexRetriever:
    def __init__(self, callback_manager: object = None) -> None: ...

    def retrieve(self, query: str) -> list[NodeWithScore]:
        return self._retrieve(QueryBundle(query))  # type: ignore[attr-defined]


STAND_INS: dict[str, dict[str, dict[str, type]]] = {
    "langchain_core": {"documents": {"Document": Document}, "retrievers": {"BaseRetriever": LangChainRetriever}},
    "llama_index": {
        "core": {},
        "core.retrievers": {"BaseRetriever": LlamaIndexRetriever},
        "core.schema": {"NodeWithScore": NodeWithScore, "TextNode": TextNode},
    },
}


@pytest.mark.parametrize("package", STAND_INS)
def test_a_retriever_of_another_framework(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec(package) is None:
        for name, content in {"": {}, **STAND_INS[package]}.items():
            module = ModuleType(f"{package}.{name}".rstrip("."))
            vars(module).update(content)
            monkeypatch.setitem(sys.modules, module.__name__, module)
    (block,) = (one for one in blocks(DOCS / "api.md") if f"from {package}" in one.text)
    *body, last = block.text.splitlines()
    example = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", example)
    exec("\n".join(body), vars(example))
    found = [getattr(one, "node", one) for one in eval(last, vars(example))]
    assert len(found) == 3 and found[0].metadata["title"].startswith("Harbour Act section 22")
    assert [one.metadata["rank"] for one in found] == [0, 1, 2] and found[0].metadata["score"] > 0
    texts = [getattr(one, "page_content", None) or one.text for one in found]
    assert texts[0].startswith("(1) A pleasure craft") and (getattr(found[0], "id", None) or found[0].id_) == "act-22"
