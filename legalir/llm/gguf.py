"""A chat model in a local GGUF file, run by llama.cpp inside this process [llama.cpp]."""

from __future__ import annotations

import secrets
import threading
from functools import cached_property
from time import perf_counter
from typing import Any

from legalir.errors import ModelError
from legalir.executors import Portable
from legalir.extras import require
from legalir.frames.component import check_number
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply, read_completion
from legalir.models.folders import check_gguf, gguf_name, gguf_path


class GGUF(Portable):
    """A chat model in a GGUF file; the text never leaves this process.

    Args:
        model: path of the file, or the name of a preset.
        context: tokens of request and reply together, at least 128.
        threads: number of threads; more than one is often far slower.

    Raises:
        ModelError: there is no such file, or it is not the file of the preset.
        MissingExtra: the package of the preset is not installed.
    """

    host, concurrency = "", 1

    def __init__(self, model: str, context: int = 4096, threads: int = 1) -> None:
        check_number("gguf", "context", context, low=128, high=10_000_000, integer=True)
        check_number("gguf", "threads", threads, low=1, high=1024, integer=True)
        self._context, self._threads = context, threads
        check_gguf("gguf", model)
        self._model, self._lock = model, threading.Lock()
        self.name = gguf_name(model)

    @cached_property
    def _server(self) -> Any:
        llama = require("xllamacpp", extra="llm")
        parameters = llama.CommonParams()
        parameters.model.path = str(gguf_path("gguf", self._model))
        parameters.n_ctx, parameters.n_parallel = self._context, 1
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = self._threads
        # It also listens on a port of this machine, which nobody can use without this key.
        parameters.api_keys = [secrets.token_hex(32)]
        parameters.warmup, parameters.verbosity = False, -1
        parameters.cache_ram_mib = 0  # By default, states of earlier requests fill up to 8 GiB.
        try:
            return llama.Server(parameters)
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"gguf: {self._model} cannot be loaded: {error}.") from error

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the reply to one request; requests wait for each other.

        Raises:
            FailedReply: the request is too long, or got no reply.
            ModelError: the file cannot be loaded.
            MissingExtra: a package is not installed.
        """
        body: dict[str, Any] = {
            "messages": [{"role": role, "content": text} for role, text in request.messages],
            "temperature": request.temperature,
            "seed": request.seed,
            "max_tokens": request.max_tokens,
        }
        if request.schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"schema": request.schema}}
        if request.logprobs:
            body |= {"logprobs": True, "top_logprobs": request.logprobs}
        with self._lock:
            start = perf_counter()
            try:
                reply = self._server.handle_chat_completions(body)
            except (RuntimeError, ValueError) as error:
                raise FailedReply("unavailable", f"llama.cpp: {error}") from error
            seconds = perf_counter() - start
        if fault := reply.get("error"):
            too_long = "context" in str(fault.get("type"))
            raise FailedReply("too_long" if too_long else "unavailable", str(fault.get("message")))
        return read_completion({**reply, "model": self.name}, seconds)


def gguf(collection: object, *, model: str, context: int = 4096, threads: int = 1) -> GGUF:
    """Ask a model in a local GGUF file: ``gguf(model="model.gguf")``, or a preset: ``gguf(model="smollm2")``.

    Args:
        model: path of the file, or the name of a preset.
        context: tokens of request and reply together.
        threads: number of threads; more than one is often far slower.
    """
    return GGUF(model, context, threads)


def smollm2(collection: object, *, context: int = 4096) -> GGUF:
    """Ask SmolLM2-135M-Instruct, a small model for a first try: English only and weak.

    Args:
        context: tokens of request and reply together.
    """
    return GGUF("smollm2", context)
