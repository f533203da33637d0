"""The language model that is tuned: the base model on disk, the network in training, and the tuned model on disk.

The network is FlagEmbedding's, on a backbone and heads that were read safely. A tuned model is written in the layout of
sentence-transformers, with the heads of BGE-M3 next to it, as the encoders read it.
"""

from __future__ import annotations

import copy
import importlib
import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import legalir
from legalir.errors import ModelError
from legalir.extend import (
    e5_folder,
    find_causal,
    find_model,
    load_backbone,
    load_tensors,
    load_tokenizer,
    placement,
    quiet,
)
from legalir_finetune.recipes import FineTuning

_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_lasttoken": "last",
    "cls": "cls",
    "mean": "mean",
    "lasttoken": "last",
}
_MODULES = ("Transformer", "Pooling", "Normalize")


@dataclass(frozen=True)
class BaseModel:
    """The model before tuning.

    Attributes:
        name: as in the recipe, or the name of its folder.
        folder: the folder of its files.
        digest: of the files on which its vectors depend.
        pooling: hidden states that make the vector, ``cls``, ``mean`` or ``last``.
        query_prompt: text before each query.
        document_prompt: text before each provision.
        licence: as its card states it; None if it is not known.
    """

    name: str
    folder: Path
    digest: str
    pooling: str
    query_prompt: str
    document_prompt: str
    licence: str | None


def read_base_model(recipe: FineTuning) -> BaseModel:
    """Return the base model of a recipe.

    Raises:
        ModelError: it cannot be found, or has parts that cannot be tuned.
    """
    unified = recipe.objective == "unified"
    model = str(e5_folder()) if recipe.model == "e5" else recipe.model
    own = _pooling(find_model(model))
    pooling = recipe.pooling or ("cls" if unified else own)
    # An M3 encoder has no prompts.
    query_prompt, document_prompt = ("", "") if unified else (recipe.query_prompt, recipe.document_prompt)
    encoder = legalir.SentenceEncoder(
        model, pooling=pooling, query_prompt=query_prompt, document_prompt=document_prompt
    )
    settings, files = encoder.settings, find_causal("finetune", model)
    return BaseModel(
        name=files.name,
        folder=files.folder,
        digest=files.digest,
        pooling=pooling or settings.pooling or "cls",
        query_prompt=settings.query_prompt,
        document_prompt=settings.document_prompt,
        licence=files.licence,
    )


def _pooling(folder: Path) -> str | None:
    """Return the pooling that ``modules.json`` names, None if it names none."""
    modules = _json(folder / "modules.json", [])
    for module in modules:
        kind = str(module.get("type", "")).rsplit(".", 1)[-1]
        if kind not in _MODULES:
            raise ModelError(
                f"{folder} ends in a module {kind}, which fine-tuning would leave out: tune a model without it."
            )
    for module in modules:
        if str(module.get("type", "")).endswith("Pooling"):
            config = _json(folder / str(module["path"]) / "config.json")
            flags = [name for name, value in config.items() if value is True]
            for mode in [str(config["pooling_mode"])] if "pooling_mode" in config else flags:
                if mode in _MODES:
                    return _MODES[mode]
                if mode.startswith("pooling_mode"):
                    raise ModelError(f"{folder} has {mode}: fine-tuning knows cls, mean and last; give 'pooling'.")
    return None


def _json(path: Path, default: Any = None) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {} if default is None else default
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read ({error}): get the whole model again.") from error


HEADS = ("sparse_linear", "colbert_linear")
_PACKAGE = "FlagEmbedding.finetune.embedder.encoder_only"
_WEIGHT = 0.1
"""Weight of each token in a new head."""
_POOLINGS = {"cls": "cls", "mean": "mean", "last": "last_token"}
"""Names of poolings in FlagEmbedding."""
_POOLING_FLAGS = {"cls": "cls_token", "mean": "mean_tokens", "last": "lasttoken"}
"""Names of poolings in sentence-transformers."""


@dataclass(frozen=True)
class Network:
    """The network in training.

    Attributes:
        module: FlagEmbedding's model, whose forward pass returns the loss.
        tokenizer: of the base model.
        new_heads: whether the base model has no heads for tokens and multi-vectors, so that they begin at random.
    """

    module: Any
    tokenizer: Any
    new_heads: bool = False

    @property
    def backbone(self) -> Any:
        """The transformer in it."""
        return self.module.model


def load_network(recipe: FineTuning, base: BaseModel) -> Network:
    """Load the base model in float32, ready to be trained.

    Raises:
        ModelError: the model's files cannot be read or trusted, or it cannot read texts as long as the recipe's.
    """
    kind = "m3" if recipe.objective == "unified" else "base"
    flag_embedding: Any = importlib.import_module(f"{_PACKAGE}.{kind}")
    tokenizer = load_tokenizer(base.folder)
    backbone = load_backbone(base.folder, "AutoModel", placement("cpu", "float32")).requires_grad_(True)
    _check_lengths(recipe, base, backbone.config)
    if recipe.gradient_checkpointing:
        # Its name changed within the fifth version of transformers.
        newer = getattr(backbone, "activation_checkpointing_enable", None)
        (newer or backbone.gradient_checkpointing_enable)({"use_reentrant": False})
    common = {
        "tokenizer": tokenizer,
        "temperature": recipe.temperature,
        "sub_batch_size": recipe.sub_batch or -1,
        "sentence_pooling_method": _POOLINGS[base.pooling],
        "normalize_embeddings": True,
    }
    if recipe.method == "lora":
        backbone = _with_addition(recipe, backbone)
    if kind == "base":
        one = type("OneVector", (flag_embedding.BiEncoderOnlyEmbedderModel,), {"encode": encode, "forward": info_nce})
        return Network(one(backbone, **common), tokenizer)
    parts, new = _heads(base.folder, backbone.config.hidden_size, recipe.seed)
    three = type("ThreeHeads", (flag_embedding.EncoderOnlyEmbedderM3Model,), {"_sparse_embedding": sparse_embedding})
    module = three({"model": backbone, **parts}, use_self_distill=recipe.self_distill, **common)
    return Network(module, tokenizer, new)


def _with_addition(recipe: FineTuning, backbone: Any) -> Any:
    """Return peft's model around a backbone, of which only an addition of low rank is trained."""
    import torch

    peft: Any = importlib.import_module("peft")
    layers = [
        name
        for name, layer in backbone.named_modules()
        if isinstance(layer, torch.nn.Linear) and "pooler" not in name  # No vector depends on the pooler.
    ]
    config = peft.LoraConfig(r=recipe.rank, lora_alpha=recipe.alpha, target_modules=layers)
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft asks transformers by an older name.
        torch.manual_seed(recipe.seed)
        return peft.get_peft_model(backbone, config)


def encode(self: Any, features: dict[str, Any]) -> Any:
    """Return the vectors of texts, as FlagEmbedding does, but texts of like length go through the model together.

    Args:
        self: the model; `sub_batch_size` is the number of texts that go through it at a time, -1 for all.
        features: token ids and masks, [n, t].
    """
    import torch

    size = self.sub_batch_size if self.sub_batch_size > 0 else len(features["input_ids"])
    order, vectors = features["attention_mask"].sum(dim=1).argsort(stable=True), []
    for rows in order.split(size):
        columns = features["attention_mask"][rows].any(dim=0)
        part = {name: tensor[rows][:, columns] for name, tensor in features.items()}
        hidden = self.model(**part, return_dict=True).last_hidden_state
        vectors.append(self._sentence_embedding(hidden, part["attention_mask"]))
    joined = torch.cat(vectors)[order.argsort()]
    return torch.nn.functional.normalize(joined, dim=-1)


def info_nce(self: Any, queries: dict[str, Any], passages: dict[str, Any], spared: Any = None) -> Any:
    """Return an object with the ``loss``, InfoNCE in float32 as FlagEmbedding has it, without the passages in `spared`.

    Args:
        self: the model.
        queries: token ids and masks, [n, t].
        passages: the same, query by query, the right one first.
        spared: whether a passage is not a negative of a query, bool [n, m]; None: all others of the batch are.
    """
    import torch

    one, two = self.encode(queries), self.encode(passages)
    own = torch.arange(len(one), device=one.device) * (len(two) // len(one))
    with torch.autocast(one.device.type, enabled=False):
        scores = one.float() @ two.float().T / self.temperature
        if spared is not None:
            others = spared.scatter(1, own[:, None], False)
            scores = scores.masked_fill(others, -torch.inf)
        return SimpleNamespace(loss=torch.nn.functional.cross_entropy(scores, own))


def sparse_embedding(self: Any, hidden_state: Any, input_ids: Any, return_embedding: bool = True) -> Any:
    """Return the weights of tokens as :class:`EncoderOnlyEmbedderM3Model` does, in far less memory.

    FlagEmbedding's own makes an array of texts x tokens x vocabulary in training, 17 GB for 32 texts of 512 tokens and
    250 002 pieces. This one makes texts x vocabulary.

    Args:
        self: the model.
        hidden_state: of the texts, [n, t, d].
        input_ids: token ids, [n, t].
        return_embedding: if False, the output of the head for each token is returned, [n, t, 1].

    Returns:
        The greatest weight of each token id, [n, V]; 0 for ids that are not in the text and for special ones.
    """
    import torch

    weights = torch.relu(self.sparse_linear(hidden_state))
    if not return_embedding:
        return weights
    empty = weights.new_zeros(len(input_ids), self.vocab_size)
    greatest = empty.scatter_reduce(1, input_ids, weights.squeeze(-1), reduce="amax")
    names = self.tokenizer
    special = [names.cls_token_id, names.eos_token_id, names.pad_token_id, names.unk_token_id]
    counts = torch.ones(self.vocab_size, dtype=greatest.dtype, device=greatest.device)
    counts[[number for number in special if number is not None]] = 0.0
    return greatest * counts


def _heads(folder: Path, hidden: int, seed: int) -> tuple[dict[str, Any], bool]:
    """Return the linear layers of both heads, and whether they are new."""
    import torch

    present = [any((folder / f"{name}.{end}").is_file() for end in ("safetensors", "pt")) for name in HEADS]
    if any(present) and not all(present):
        raise ModelError(f"{folder} has one of {' and '.join(HEADS)}, but not both: get the whole model again.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        heads = {"sparse_linear": torch.nn.Linear(hidden, 1), "colbert_linear": torch.nn.Linear(hidden, hidden)}
    # All tokens weigh alike: the ReLU of a random layer gives many tokens 0, and then they never learn.
    torch.nn.init.zeros_(heads["sparse_linear"].weight)
    torch.nn.init.constant_(heads["sparse_linear"].bias, _WEIGHT)
    if not all(present):
        return heads, True
    for name in HEADS:
        tensors = load_tensors(folder, name)
        weight = tensors.get("weight")
        if weight is None or weight.ndim != 2 or weight.shape[1] != hidden or set(tensors) != {"weight", "bias"}:
            raise ModelError(f"{name} of {folder} does not fit its transformer: get the whole model again.")
        heads[name] = torch.nn.Linear(hidden, len(weight))
        heads[name].load_state_dict({key: value.float() for key, value in tensors.items()})
    return heads, False


def _check_lengths(recipe: FineTuning, base: BaseModel, config: Any) -> None:
    most = getattr(config, "max_position_embeddings", None)
    # RoBERTa counts positions from the number after the padding's.
    room = None if most is None else most - (2 if "roberta" in str(config.model_type) else 0)
    for name in ("query_length", "passage_length"):
        if room is not None and getattr(recipe, name) > room:
            raise ModelError(
                f"{name!r} is {getattr(recipe, name)}, but {base.name} reads at most {room} tokens: give fewer."
            )


def write_model(folder: Path, recipe: FineTuning, base: BaseModel, network: Network) -> None:
    """Write the network as it is now into a folder.

    The folder gets ``config.json``, ``model.safetensors`` and the tokenizer; ``modules.json`` with pooling and
    normalisation, prompts and limit; and for ``unified`` both heads, as ``.safetensors`` and, for FlagEmbedding, as
    ``.pt``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    backbone = network.backbone
    if recipe.writes_adapter:
        write_adapter(folder, base.name, backbone)
        return
    with quiet():
        if recipe.method == "lora":
            backbone = copy.deepcopy(backbone).merge_and_unload()  # The network itself stays as it is, to the bit.
        # It would be a path on this machine; or a known name, whose preset would override what is written here.
        backbone.config._name_or_path = ""
        state = {name: tensor.detach().cpu().clone() for name, tensor in backbone.state_dict().items()}
        backbone.save_pretrained(folder, state_dict=state)
        network.tokenizer.save_pretrained(folder)
    names = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for number, (path, kind) in enumerate(names)
    ]
    pooling = {f"pooling_mode_{mode}": kind == base.pooling for kind, mode in _POOLING_FLAGS.items()}
    prompts = {"query": base.query_prompt, "document": base.document_prompt}
    for path, content in {
        "modules.json": modules,
        "1_Pooling/config.json": {"word_embedding_dimension": backbone.config.hidden_size, **pooling},
        "sentence_bert_config.json": {
            "max_seq_length": max(recipe.query_length, recipe.passage_length),
            "do_lower_case": False,
        },
        "config_sentence_transformers.json": {"prompts": prompts, "similarity_fn_name": "cosine"},
    }.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    (folder / "2_Normalize").mkdir(exist_ok=True)
    if recipe.objective == "unified":
        _write_heads(folder, network)
    for file in folder.rglob("*"):
        if file.is_file():
            file.chmod(0o644)  # transformers lets only the owner read weights.


def write_adapter(folder: Path, base: str, model: Any, embeddings: bool = False) -> None:
    """Write an addition of low rank as peft reads it, without any path of this machine.

    Args:
        folder: gets ``adapter_config.json`` and ``adapter_model.safetensors``.
        base: name of the base model.
        model: peft's.
        embeddings: whether the embeddings were trained, too.
    """
    with quiet():
        model.save_pretrained(folder, save_embedding_layers=embeddings)
    (folder / "README.md").unlink(missing_ok=True)  # It holds nothing but headings.
    path = folder / "adapter_config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config |= {"base_model_name_or_path": base, "target_modules": sorted(config["target_modules"])}
    path.write_text(json.dumps(config, ensure_ascii=False, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    for file in folder.iterdir():
        file.chmod(0o644)  # peft lets only the owner read weights.


def _write_heads(folder: Path, network: Network) -> None:
    import torch
    from safetensors.torch import save_file

    for name in HEADS:
        layer = getattr(network.module, name)
        tensors = {key: value.detach().cpu().clone().contiguous() for key, value in layer.state_dict().items()}
        save_file(tensors, folder / f"{name}.safetensors")
        torch.save(tensors, folder / f"{name}.pt")
