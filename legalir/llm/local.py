"""Chat models that run inside this process: by transformers, and GGUF files by llama.cpp [llama.cpp]."""

from __future__ import annotations

import io
import re
import secrets
import threading
from collections.abc import Mapping
from contextlib import nullcontext, redirect_stderr
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

from annotated_types import Ge, Le

from legalir.contract import factory_of
from legalir.declared import Declared
from legalir.errors import ModelError
from legalir.extras import require
from legalir.frames.columns import whole_characters
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply, read_completion
from legalir.models.folders import PRESETS, check_gguf, find_model, gguf_name, gguf_path, is_folder, model_digest
from legalir.models.loading import Dtype, Placement, load_backbone, load_tokenizer, placement
from legalir.models.presets import preset_of
from legalir.storage.digest import cached_file_digest, digest

_LICENCE = re.compile(r"^license:\s*(\S.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class CausalFiles:
    """The files of a model that writes text.

    Attributes:
        name: the requested name, or the name of its folder or file; never a path.
        folder: the folder of its files.
        gguf_file: name of the GGUF file in it; None if the files are in transformers' format.
        digest: sha256 of all files that decide what the model writes.
        licence: as the model states it; None if it is not known.
    """

    name: str
    folder: Path
    gguf_file: str | None
    digest: str
    licence: str | None


def is_gguf(model: str) -> bool:
    """Return True if `model` is written as a GGUF file or is the name of a preset, not a folder or hub name."""
    return model in PRESETS or model.lower().endswith(".gguf")


def find_causal(who: str, model: str) -> CausalFiles:
    """Return the files of a model, after downloading missing ones.

    Args:
        who: what asks, for errors about GGUF files.
        model: a folder, a name on the hub, the path of a GGUF file, or the name of a preset, ``smollm2``.

    Raises:
        MissingExtra: a package is not installed.
        ModelError: the model cannot be found, read or fetched.
    """
    if is_gguf(model):
        check_gguf(who, model)
        path = gguf_path(who, model)
        licence = PRESETS[model].licence if model in PRESETS else None
        return CausalFiles(path.name, path.parent, path.name, cached_file_digest(path), licence)
    folder, preset = find_model(model), preset_of(model)
    name = folder.resolve().name if is_folder(model) else model
    return CausalFiles(
        name, folder, None, model_digest(folder), stated_licence(folder) if not preset else preset.licence
    )


def load_causal(files: CausalFiles, placed: Placement) -> tuple[Any, Any]:
    """Return the model, in evaluation mode and without gradients, and its tokenizer; no pickle is read.

    Weights of a GGUF file are dequantised: the model can be trained and saved like any other.

    Raises:
        MissingExtra: a package is not installed.
        ModelError: the files cannot be read, or need Python code of their own.
    """
    # transformers shows a bar for each GGUF file that cannot be switched off.
    with nullcontext() if files.gguf_file is None else redirect_stderr(io.StringIO()):
        tokenizer = load_tokenizer(files.folder, gguf_file=files.gguf_file)
        model = load_backbone(files.folder, "AutoModelForCausalLM", placed, gguf_file=files.gguf_file)
    if files.gguf_file is not None:
        # The weights are not quantised any more, but transformers still takes them for such.
        del model.config.quantization_config
        model.hf_quantizer, model.is_quantized = None, False
    model.config._name_or_path = ""  # It would be a path of this machine.
    return model, tokenizer


def stated_licence(folder: Path) -> str | None:
    """Return the licence that the card (README.md) of a model states; None if it states none."""
    try:
        licence = _LICENCE.search((folder / "README.md").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return licence.group(1) if licence else None


class TransformersChat(Declared):
    """A chat model read by transformers; the text never leaves this process.

    A request becomes text by the model's own chat template. At temperature 0 the most likely token is taken each time.
    A JSON schema is not enforced while the model writes; as with any model, a reply that does not fit is a failed one.

    Raises:
        ComponentError: a parameter is not accepted.
        ModelError: there is no such folder or GGUF file.
    """

    component = "transformers"
    host, concurrency = "", 1

    model: Annotated[
        str, "folder, name on the hub, path of a GGUF file (which is dequantised), or name of a preset (``smollm2``)"
    ]
    context: Annotated[int, Ge(128), Le(10_000_000), "tokens of request and reply together; a model may take fewer"] = (
        4096
    )
    dtype: Annotated[Dtype, "number type of the weights"] = "float32"
    device: Annotated[str | None, "``cpu``, ``cuda`` or ``mps``; None: cuda or mps if there is one, else cpu"] = None

    def __post_init__(self) -> None:
        if is_gguf(self.model):
            check_gguf("transformers", self.model)
        elif is_folder(self.model) and not Path(self.model).expanduser().is_dir():
            raise ModelError(f"transformers: there is no folder {self.model}: give the folder of a model, or a name.")
        self._lock = threading.Lock()

    @cached_property
    def _files(self) -> CausalFiles:
        return find_causal("transformers", self.model)

    @cached_property
    def name(self) -> str:
        """Name of the model, and the first digits of a sha256 of its files and the number type."""
        return f"{self._files.name}@{digest([self._files.digest, self.dtype])[:16]}"

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        model, tokenizer = load_causal(self._files, placement(self.device, self.dtype))
        if not tokenizer.chat_template:
            raise ModelError(f"{self._files.name} has no chat template, so it takes no messages: give a chat model.")
        return model, tokenizer

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the reply to one request; requests wait for each other.

        Raises:
            FailedReply: the request is too long, or the model's template refuses it.
            MissingExtra: a package is not installed.
            ModelError: the model cannot be loaded, or is not a chat model.
        """
        with self._lock:
            model, tokenizer = self._loaded
            start = perf_counter()
            prompt = _prompt(tokenizer, request).to(model.device)
            most = getattr(model.config, "max_position_embeddings", None) or self.context
            room = min(self.context, most) - prompt.shape[1]
            if room < 1:
                raise FailedReply(
                    "too_long",
                    f"the request has {prompt.shape[1]} tokens, and {self._files.name} takes {room + prompt.shape[1]}",
                )
            tokens, alternatives = _write(model, tokenizer, prompt, request, min(request.max_tokens, room))
            seconds = perf_counter() - start
        ends = _ends(model, tokenizer)
        stopped = bool(tokens) and tokens[-1] in ends
        written = tokens[: len(tokens) - stopped]
        return ChatReply(
            text=whole_characters(tokenizer.decode(written, skip_special_tokens=True)),
            finish_reason="stop" if stopped else "length",
            model=self.name,
            prompt_tokens=prompt.shape[1],
            completion_tokens=len(tokens),
            seconds=seconds,
            logprobs=alternatives[: len(written)],
        )


def _prompt(tokenizer: Any, request: ChatRequest) -> Any:
    """Return the token ids of a request, [1, n]."""
    messages = [{"role": role, "content": text} for role, text in request.messages]
    jinja = require("jinja2", extra="neural")
    try:
        read = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
        )
    except jinja.TemplateError as error:
        raise FailedReply("unavailable", f"the model's chat template refuses the messages: {error}") from error
    return read["input_ids"]


def _ends(model: Any, tokenizer: Any) -> set[int]:
    """Return the tokens that end a reply."""
    own = model.generation_config.eos_token_id
    own = [] if own is None else own if isinstance(own, list) else [own]
    return {number for number in (*own, tokenizer.eos_token_id) if number is not None}


def _write(
    model: Any, tokenizer: Any, prompt: Any, request: ChatRequest, most: int
) -> tuple[list[int], tuple[Mapping[str, float], ...]]:
    """Return the tokens of the reply, including the end token, and the alternatives of each."""
    torch, library = require("torch", extra="neural"), require("transformers", extra="neural")
    ends = sorted(_ends(model, tokenizer))
    settings = library.GenerationConfig(
        max_new_tokens=most,
        eos_token_id=ends or None,
        pad_token_id=ends[0] if ends else 0,
        output_logits=request.logprobs > 0,
        return_dict_in_generate=True,
        **({"do_sample": True, "temperature": request.temperature, "top_k": 0} if request.temperature else {}),
    )
    # A model's own settings, such as a repetition penalty, would apply to every setting omitted here.
    before, model.generation_config = model.generation_config, library.GenerationConfig()
    try:
        with torch.inference_mode(), torch.random.fork_rng():
            torch.manual_seed(request.seed)
            made = model.generate(prompt, attention_mask=torch.ones_like(prompt), generation_config=settings)
    finally:
        model.generation_config = before
    tokens = made.sequences[0, prompt.shape[1] :].tolist()
    logits = made.logits if request.logprobs else ()
    return tokens, tuple(
        _alternatives(tokenizer, torch.log_softmax(one[0].float(), -1), request.logprobs) for one in logits
    )


def _alternatives(tokenizer: Any, logprobs: Any, count: int) -> dict[str, float]:
    """Return the most likely tokens with their log-probabilities, best first; of two equal texts the likelier one."""
    best = logprobs.topk(min(count, len(logprobs)))
    alternatives: dict[str, float] = {}
    for number, value in zip(best.indices.tolist(), best.values.tolist(), strict=True):
        alternatives.setdefault(whole_characters(tokenizer.decode([number])), value)
    return alternatives


transformers = factory_of(
    TransformersChat, 'Ask a model that transformers reads: ``transformers(model="results/my-model")``.'
)


class GGUF(Declared):
    """A chat model in a GGUF file; the text never leaves this process.

    Raises:
        ModelError: there is no such file, or it is not the file of the preset.
        MissingExtra: the package of the preset is not installed.
    """

    component = "gguf"
    host, concurrency = "", 1

    model: Annotated[str, "path of the file, or the name of a preset"]
    context: Annotated[int, Ge(128), Le(10_000_000), "tokens of request and reply together"] = 4096
    threads: Annotated[int, Ge(1), Le(1024), "number of threads; more than one is often far slower"] = 1

    def __post_init__(self) -> None:
        check_gguf("gguf", self.model)
        self.name, self._lock = gguf_name(self.model), threading.Lock()

    @cached_property
    def _server(self) -> Any:
        llama = require("xllamacpp", extra="llm")
        parameters = llama.CommonParams()
        parameters.model.path = str(gguf_path("gguf", self.model))
        parameters.n_ctx, parameters.n_parallel = self.context, 1
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = self.threads
        # It also listens on a port of this machine, which nobody can use without this key.
        parameters.api_keys = [secrets.token_hex(32)]
        parameters.warmup, parameters.verbosity = False, -1
        parameters.cache_ram_mib = 0  # By default, states of earlier requests fill up to 8 GiB.
        try:
            return llama.Server(parameters)
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"gguf: {self.model} cannot be loaded: {error}.") from error

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


gguf = factory_of(
    GGUF, 'Ask a model in a local GGUF file: ``gguf(model="model.gguf")``, or a preset: ``gguf(model="smollm2")``.'
)
smollm2 = factory_of(
    GGUF,
    "Ask SmolLM2-135M-Instruct, a small model for a first try, English only and weak: ``smollm2``.",
    model="smollm2",
    threads=1,
)
