"""A scripted chat model."""

from __future__ import annotations

from collections.abc import Callable

from legalir.extend import ChatReply, ChatRequest


class Scripted:
    """Answers a request by a function of it; counts the requests that it got."""

    name, host, concurrency = "scripted", "", 1

    def __init__(self, reply: Callable[[ChatRequest], str | ChatReply]) -> None:
        self._reply = reply
        self.requests: list[ChatRequest] = []

    def chat(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        reply = self._reply(request)
        return reply if isinstance(reply, ChatReply) else ChatReply(reply, prompt_tokens=7, completion_tokens=5)
