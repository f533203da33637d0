"""A chat model without a model: it repeats the question, as text or as JSON of the requested schema."""

from __future__ import annotations

import json
from typing import Any

from legalir.llm.chat import ChatReply, ChatRequest, Json


class Echo:
    """Replies to each request at once, and always alike: for tests of components that ask a model."""

    name, host, concurrency = "echo", "", 1

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the question, or the smallest JSON value of the schema with the question in each text."""
        words = request.question or "nothing"
        if request.schema is None:
            return ChatReply(words)
        value = _value(request.schema, request.schema.get("$defs", {}), words)
        return ChatReply(json.dumps(value, ensure_ascii=False))


def _value(schema: Json, parts: Json, words: str) -> Any:
    """Return a value that fits a JSON schema as pydantic writes it."""
    if "$ref" in schema:
        return _value(parts[schema["$ref"].rpartition("/")[2]], parts, words)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {name: _value(one, parts, words) for name, one in schema["properties"].items()}
    if kind == "array":
        return [_value(schema["items"], parts, words)] * max(1, schema.get("minItems", 1))
    if kind == "string":
        return words[: schema.get("maxLength", len(words))]
    return schema.get("minimum", 1)
