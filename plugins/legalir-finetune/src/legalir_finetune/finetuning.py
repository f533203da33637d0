"""Fine-tuning of an encoder: batches of anchors, measures after each epoch, and the best model."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import legalir
from legalir.errors import DataError, ModelError
from legalir.extend import E5, Display, Gold, dev_measures, measures_of, own_random_numbers, placement, writing
from legalir_finetune.anchors import Anchor, AnchorSource, DevSet, dev_set, read_anchor_source
from legalir_finetune.card import write_card
from legalir_finetune.model import BaseModel, load_network, read_base_model, write_model
from legalir_finetune.recipes import FineTuning
from legalir_finetune.trainer import BatchSampler, FineTuned, Training, check_packages, opened

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from legalir import Collection


def finetune(
    recipe: FineTuning,
    *,
    collection: Collection | None = None,
    resume: bool | None = None,
    replace: bool = False,
    progress: bool = True,
    lines: bool = False,
) -> FineTuned:
    """Tune a language model by InfoNCE [infonce]: a query chooses its provision among all provisions of its batch.

    Args:
        recipe: the recipe.
        collection: the collection of the recipe, if it is open already.
        resume: None: go on with an interrupted training of the same recipe, model and data if there is one in
            ``OUT.partial``; True: there must be one; False: begin again.
        replace: whether a tuned model at `out` is replaced.
        progress: whether a terminal shows progress.
        lines: whether to print a line for each epoch on standard error if that is not a terminal.

    Raises:
        ArtifactError: the state of an interrupted training is damaged or of another recipe, another training to `out`
            is under way, or nothing can be written there.
        ComponentError: something that is not a tuned model is at `out`.
        DataError: there is nothing to learn from, or the dev split shares queries with the judgements.
        DatasetNotFound: there is no such collection or split.
        DefinitionError: `out` exists.
        LegalIRError: the loss became infinite or NaN.
        MissingExtra: a package is not installed.
        ModelError: the model cannot be found, read or trusted, or there is no such device.
    """
    peft = ("peft",) if recipe.method == "lora" else ()
    check_packages("torch", "transformers", "safetensors", "FlagEmbedding", *peft)
    device = placement(recipe.device).device
    if recipe.precision == "float16" and device != "cuda":
        raise ModelError(f"'precision' float16 needs cuda, not {device}: write bfloat16 or float32.")
    with opened(recipe, collection, replace, progress, lines) as (chosen, display):
        base = read_base_model(recipe)
        source = read_anchor_source(recipe, chosen, display)
        display.phase(f"Loading {base.name}")
        return Tuning(recipe, chosen, base, source, display, device).run(resume, recipe.measure)


class Tuning(Training):
    """One fine-tuning.

    Args:
        recipe: the recipe.
        collection: the collection that is learnt from.
        base: the base model.
        source: the data.
        display: shows the progress.
        device: ``cpu``, ``cuda`` or ``mps``.
    """

    LESS_MEMORY = "a smaller 'sub_batch', 'gradient_checkpointing: true', shorter passages or a smaller 'batch'"

    def __init__(
        self,
        recipe: FineTuning,
        collection: Collection,
        base: BaseModel,
        source: AnchorSource,
        display: Display,
        device: str,
    ) -> None:
        self._collection, self._base, self._material = collection, base, source.material
        self._spared = source.spared
        self._network = load_network(recipe, base)
        self._dev = dev_set(recipe, source.material)
        self.measures_before = self._dev is not None
        epochs = [source.epoch(recipe, epoch) for epoch in range(recipe.epochs)]
        least = min(len(epoch.batches) for epoch in epochs)
        if not least:
            raise DataError(
                f"No batch of {recipe.batch} anchors is possible without a right provision among the negatives: "
                f"give a smaller 'batch', or more data to learn from."
            )
        self._counts = [(one.moved, one.left + sum(map(len, one.batches[least:]))) for one in epochs]
        batches = BatchSampler(lambda epoch: source.epoch(recipe, epoch).batches, least)
        data = {**source.material.data, "base": base.digest}
        super().__init__(recipe, data, display, device, self._network.module, batches)

    def trainer_options(self) -> dict[str, Any]:
        """Return the texts, and what makes them tokens."""
        recipe, base, material = self._recipe, self._base, self._material
        texts = AnchorTexts(material.train.texts, material.passages, base.query_prompt, base.document_prompt)
        spared = self._spared if recipe.objective == "dense" else None
        collator = Collator(self._network.tokenizer, recipe.query_length, recipe.passage_length, spared)
        return {"train_dataset": texts, "data_collator": collator}

    def loss(self, model: Any, inputs: Any, items: Any) -> tuple[Any, float, float]:
        """Return the loss of the model."""
        loss = model(**inputs).loss
        return loss, float(loss.detach()), 1.0

    def best(self) -> dict[str, Any]:
        """Return the row of the best epoch: the first of equals; without dev queries, the last."""
        rows = self._trained()
        return rows[-1] if self._dev is None else max(rows, key=lambda row: row[self._recipe.measure])

    def enough(self) -> bool:
        """Return True if there was no better epoch for as many epochs as the recipe waits."""
        patience, rows = self._recipe.patience, self._trained()
        return patience is not None and bool(rows) and rows[-1]["epoch"] - self.best()["epoch"] >= patience

    def _trained(self) -> list[dict[str, Any]]:
        return [row for row in self._facts["history"] if row["epoch"]]

    def figures(self, epoch: int) -> dict[str, Any]:
        """Write the model as it is now, and measure it."""
        folder = self._written(epoch)
        shutil.rmtree(folder, ignore_errors=True)
        with writing(folder):
            write_model(folder, self._recipe, self._base, self._network)
        moved, left = self._counts[epoch - 1] if epoch else (0, 0)
        measures = {} if self._dev is None else _measures(self._recipe, folder, self._dev, self._device)
        return {"moved": moved, "left": left, **measures}

    def measure(self, epoch: int) -> dict[str, Any]:
        """Measure the model as it is now, and keep it if it is the best trained one."""
        row = super().measure(epoch)
        if epoch and self.best() is row:
            self._best_folder = self._written(epoch)
        return row

    def _written(self, epoch: int) -> Path:
        return self._checkpoints.workshop / f"epoch-{epoch}"

    def write(self, folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
        """Copy the best model; the state stays as it is."""
        assert self._best_folder is not None
        shutil.copytree(self._best_folder, folder)
        write_card(folder, self._recipe, self._collection, self._base, self._material, rows)


class AnchorTexts:
    """Anchors as texts, in NFC as the encoders read them.

    Args:
        queries: by number.
        passages: by number.
        query_prompt: text before each query.
        prompt: text before each passage.
    """

    def __init__(self, queries: Sequence[str], passages: Sequence[str], query_prompt: str, prompt: str) -> None:
        self._queries, self._passages, self._query_prompt, self._prompt = queries, passages, query_prompt, prompt

    def __len__(self) -> int:
        return len(self._queries)

    def __getitem__(self, anchor: Anchor) -> tuple[Anchor, str, list[str]]:
        """Return the anchor, its query, and its provisions, the right one first."""
        query = self._query_prompt + _nfc(self._queries[anchor.query])
        return anchor, query, [self._prompt + _nfc(self._passages[number]) for number in anchor.documents]


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


@dataclass(frozen=True)
class Collator:
    """Conversion of the texts of a batch to the input of the models.

    Attributes:
        tokenizer: of the base model.
        query_length: tokens read of a query.
        passage_length: tokens read of a provision.
        spared: provisions that are never negatives of a query; None: there are none in its batch.
    """

    tokenizer: Any
    query_length: int
    passage_length: int
    spared: Gold | None = None

    def __call__(self, batch: Sequence[tuple[Anchor, str, list[str]]]) -> dict[str, Any]:
        """Return token ids and masks of the queries, and of the passages, query by query.

        Unless `spared` is None, ``spared`` is true for the passages that are no negatives of a query: bool, [n, m].
        """
        import torch

        queries = [query for _, query, _ in batch]
        passages = [passage for _, _, passages in batch for passage in passages]
        inputs = {
            "queries": self._tokens(queries, self.query_length),
            "passages": self._tokens(passages, self.passage_length),
        }
        if self.spared is not None:
            documents = [number for anchor, _, _ in batch for number in anchor.documents]
            rows = [np.isin(documents, self.spared.of(anchor.query)) for anchor, _, _ in batch]
            inputs["spared"] = torch.from_numpy(np.stack(rows))
        return inputs

    def _tokens(self, texts: list[str], length: int) -> dict[str, Any]:
        read = self.tokenizer(texts, truncation=True, max_length=length, padding=True, return_tensors="pt")
        return {name: read[name] for name in ("input_ids", "attention_mask")}


def _measures(recipe: FineTuning, folder: Path, dev: DevSet, device: str) -> dict[str, float]:
    """Return ``R@10``, ``nDCG@10`` and ``MultiHitRate@10`` of the vectors of a model on disk.

    For M3 they measure the dense head, and ``nDCG@10 sparse`` measures the token weights. The model is read by the
    encoder that users will read it with.
    """
    with own_random_numbers():
        if recipe.objective == "unified":
            from scipy.sparse import csr_array

            m3 = legalir.M3Encoder(
                folder, max_length=recipe.passage_length, query_max_length=recipe.query_length, device=device
            )
            queries = m3.represent_queries(dev.queries, multi=False)
            documents = m3.represent(dev.passages, multi=False)
            size = 1 + max(int(part.tokens.max(initial=0)) for part in (queries, documents))
            weights = [
                csr_array((part.weights, part.tokens, part.bounds), shape=(len(part.bounds) - 1, size))
                for part in (queries, documents)
            ]
            measures = dev_measures(queries.dense, documents.dense, dev.gold)
            return {**measures, "nDCG@10 sparse": sparse_ndcg(weights[0], weights[1], dev.gold)}
        if recipe.writes_adapter:
            e5 = E5(adapter=folder)
            return dev_measures(e5.encode_queries(dev.queries), e5.encode(dev.passages), dev.gold)
        for_queries = legalir.SentenceEncoder(folder, max_length=recipe.query_length, device=device)
        for_passages = legalir.SentenceEncoder(folder, max_length=recipe.passage_length, device=device)
        vectors = for_queries.encode_queries(dev.queries), for_passages.encode(dev.passages)
        return dev_measures(*vectors, dev.gold)


def sparse_ndcg(queries: csr_array, documents: csr_array, gold: Gold) -> float:
    """Return the mean nDCG@10 (binary) by the inner products of token weights; a product of 0 is not a result.

    Args:
        queries: weight of each token id, [m, V].
        documents: the same of provisions, [n, V]; ties are ranked by their number.
        gold: right provisions of each query, at least one.
    """
    total, across = 0.0, documents.T.tocsr()
    for query in range(len(gold.indptr) - 1):
        row = (queries[[query]] @ across).toarray()[0]
        best = np.argsort(-row, kind="stable")[:10]
        total += measures_of(best[row[best] > 0], gold.of(query))[1]
    return total / max(1, len(gold.indptr) - 1)
