"""Loading models into memory from a local folder, never by unpickling; their own code runs only if trusted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args
from weakref import WeakValueDictionary

from legalir.declared import check_choice
from legalir.errors import LegalIRError, ModelError
from legalir.extras import require

Dtype = Literal["float32", "float16", "bfloat16"]
DTYPES: tuple[str, ...] = get_args(Dtype)


@dataclass(frozen=True)
class Placement:
    """Device, such as ``cpu`` or ``cuda:1``, and type of the weights: ``float32``, ``float16`` or ``bfloat16``."""

    device: str
    dtype: str

    @property
    def torch_dtype(self) -> Any:
        """The type of the weights in torch."""
        return getattr(require("torch", extra="dense"), self.dtype)


def placement(device: str | None = None, dtype: str | None = None) -> Placement:
    """Return the device and the type to compute with.

    Args:
        device: name of a device in torch; None for ``cuda`` if the machine has it, else ``mps``, else ``cpu``.
        dtype: type of the weights; None for ``float16`` on ``cuda`` and ``float32`` elsewhere.

    Raises:
        ModelError: this machine has no such device, or there is no such type.
        MissingExtra: torch is not installed.
    """
    torch = require("torch", extra="dense")
    if dtype is not None:
        check_choice("", "dtype", dtype, DTYPES, ModelError)
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    else:
        _check_device(torch, device)
    default = "float16" if device.split(":")[0] == "cuda" else "float32"
    return Placement(device, default if dtype is None else dtype)


def _check_device(torch: Any, device: str) -> None:
    try:
        kind, number = torch.device(device).type, torch.device(device).index or 0
    except (RuntimeError, TypeError):
        raise ModelError(f"device={device!r} is not a device: give 'cpu', 'cuda', 'cuda:1' or 'mps'.") from None
    counts = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    if number >= counts.get(kind, 0):
        have = [name for name, count in counts.items() if count]
        raise ModelError(f"device={device!r} is not on this machine, which has {', '.join(have)}: leave device out.")


T = TypeVar("T")
_UNUSED = ("pooler.", "position_ids", "lm_head.")
"""Parts that do not change the hidden states; many checkpoints leave them out."""
_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "*.bpe.model", "spiece.model", "vocab.*")
_SHARED: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()
_LOCK = threading.RLock()


def load_tokenizer(folder: Path, *, trust_remote_code: bool = False, gguf_file: str | None = None) -> Any:
    """Return the fast tokenizer of the model in `folder`.

    Args:
        folder: folder of the model.
        trust_remote_code: whether Python files in the folder may be run.
        gguf_file: name of a GGUF file in the folder that contains the tokenizer; None if it has its own files.

    Raises:
        ModelError: its files are missing, cannot be read, or need Python code of their own.
        MissingExtra: transformers is not installed.
    """
    transformers = require("transformers", extra="dense")
    if gguf_file is None:
        check_tokenizer(folder)
    with readable(folder, "The tokenizer"):
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=trust_remote_code, **_gguf(gguf_file)
        )
    if not tokenizer.is_fast:
        raise ModelError(f"{folder} has no tokenizer.json: save the model again with a fast tokenizer.")
    return tokenizer


def check_tokenizer(folder: Path) -> None:
    """Check that `folder` contains a tokenizer; without files, transformers makes one with an empty vocabulary.

    Raises:
        ModelError: there is no tokenizer.
    """
    if not any(any(folder.glob(pattern)) for pattern in _TOKENIZERS):
        raise ModelError(f"{folder} lacks tokenizer.json: get the whole model again.")


def load_backbone(
    folder: Path, kind: str, placed: Placement, *, trust_remote_code: bool = False, gguf_file: str | None = None
) -> Any:
    """Return the transformer in `folder`, in evaluation mode and without gradients.

    Args:
        folder: folder of the model.
        kind: ``AutoModel`` for hidden states, ``AutoModelForSequenceClassification`` for scores,
            ``AutoModelForCausalLM`` for the next token.
        placed: device and type.
        trust_remote_code: whether Python files in the folder may be run.
        gguf_file: name of a GGUF file in the folder that holds configuration and weights, which are dequantised; None:
            they are in files of their own.

    Raises:
        ModelError: files are missing or cannot be read, weights are missing or have another shape, or the model
            needs its own Python code.
        MissingExtra: transformers is not installed.
    """
    transformers = require("transformers", extra="dense")
    with readable(folder, "The weights"):
        model, info = getattr(transformers, kind).from_pretrained(
            str(folder),
            dtype=placed.torch_dtype,
            local_files_only=True,
            trust_remote_code=trust_remote_code,
            output_loading_info=True,
            **_gguf(gguf_file),
        )
    _check_weights(folder, [name for name in info["missing_keys"] if kind != "AutoModel" or not _is_unused(name)])
    return model.requires_grad_(False).eval().to(placed.device)


def _gguf(file: str | None) -> dict[str, str]:
    """Return the argument by which transformers reads a GGUF file, for which it needs the package gguf."""
    if file is None:
        return {}
    require("gguf", extra="neural")
    return {"gguf_file": file}


def check_complete(model: Any, folder: Path) -> None:
    """Check that the files in `folder` contain all weights of a transformer that another library loaded.

    transformers marks the weights that it reads; it fills missing weights with random numbers and only logs it.

    Raises:
        ModelError: weights were missing.
    """
    read = {name: getattr(value, "_is_hf_initialized", False) for name, value in model.named_parameters()}
    if any(read.values()):
        _check_weights(folder, [name for name, was_read in read.items() if not was_read and not _is_unused(name)])


def _check_weights(folder: Path, missing: list[str]) -> None:
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ModelError(
            f"{folder} lacks the weights {min(missing)}{more}: it is not a whole model of this kind, so get another."
        )


def _is_unused(name: str) -> bool:
    return any(part in name for part in _UNUSED)


def load_tensors(folder: Path, name: str) -> dict[str, Any]:
    """Return the tensors of ``NAME.safetensors``, else of ``NAME.pt``, on the CPU.

    Raises:
        ModelError: there is no such file, it cannot be read, or it contains more than tensors.
    """
    safe, pickled = folder / f"{name}.safetensors", folder / f"{name}.pt"
    torch = require("torch", extra="dense")
    if safe.is_file():
        with readable(safe, "The tensors"):
            return dict(require("safetensors.torch", extra="dense").load_file(str(safe)))
    if not pickled.is_file():
        raise ModelError(f"{folder} lacks {name}.pt: get the whole model again.")
    with readable(pickled, "The tensors"):
        tensors = torch.load(pickled, map_location="cpu", weights_only=True)
    if not isinstance(tensors, dict) or not all(isinstance(value, torch.Tensor) for value in tensors.values()):
        raise ModelError(f"{pickled} does not hold tensors by name: get the whole model again.")
    return dict(tensors)


def shared(key: tuple[Any, ...], make: Callable[[], T]) -> T:
    """Return the object of `key` if any component still uses it; else make it.

    So each model is in memory once, however many components use it.
    """
    with _LOCK:
        value: T | None = _SHARED.get(key)
        if value is None:
            _SHARED[key] = value = make()
        return value


@contextmanager
def readable(source: Path, what: str) -> Iterator[None]:
    """Read files of a model without output; turn any error of a library into a ModelError of one sentence."""
    try:
        with quiet():
            yield
    except (LegalIRError, MemoryError):
        raise
    except Exception as error:  # Four libraries raise errors of many kinds.
        raise ModelError(_fault(source, what, error)) from error


def _fault(source: Path, what: str, error: Exception) -> str:
    text = str(error)
    if "trust_remote_code" in text:
        return (
            f"{source} needs Python code of its own: read that code, and if you trust it, set trust_remote_code=true."
        )
    if "weights_only" in text or "Weights only" in text:
        return f"{what} of {source} cannot be read: its pickle holds more than tensors and could run code."
    if "mismatched_sizes" in text or "size mismatch" in text:
        return f"{what} of {source} cannot be read: its shapes differ from config.json, so get the whole model again."
    reason = " ".join(text.split("\n")[0].split())[:200].rstrip(".") or type(error).__name__
    return f"{what} of {source} cannot be read ({reason}): get the whole model again."


@contextmanager
def quiet() -> Iterator[None]:
    """Hide progress bars and log lines of transformers; errors are still raised."""
    logging = require("transformers", extra="dense").utils.logging
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
