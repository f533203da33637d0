"""Contextual headers: a line that a language model writes for each chunk, which [nitibench] names as future work."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from legalir.llm.client import Client
from legalir.llm.prompts import load_prompt
from legalir.statutes.chunks.chunk_collection import Headers

BEGINNING = 1000
"""Characters of the beginning of a law that the model reads."""

_log = logging.getLogger("legalir")


def headers_by(client: Client, language: str) -> Headers:
    """Return a function that lets a chat model write the headers; a chunk whose reply failed has none.

    The model reads the chunk and the beginning of its law. The header stands in the title of the chunk, so that it is
    searched, and nobody takes it for the text of the law.

    Args:
        client: asks the model.
        language: of the prompt.
    """

    def headers(pairs: Sequence[tuple[str, str]]) -> list[str]:
        values = [{"law": law[:BEGINNING], "part": part} for law, part in pairs]
        replies = client.ask(load_prompt("chunk_header", language), values, max_tokens=128, may_be_cut=True)
        if failed := sum(reply.state != "ok" for reply in replies):
            _log.warning("%d of %d chunks have no header, because the reply failed.", failed, len(replies))
        return [" ".join(str(reply.value).split()) if reply.state == "ok" else "" for reply in replies]

    return headers
