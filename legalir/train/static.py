"""``legalir.train_static``: from a recipe and a collection to a static model on disk."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import legalir
from legalir.dense.static_model import StaticModel, check_place
from legalir.errors import DefinitionError
from legalir.extras import require
from legalir.train.checkpoints import Checkpoints, interrupts, own_place
from legalir.train.display import Display, open_display
from legalir.train.material import Material, dataset_facts, read_material
from legalir.train.model_weight import measure_weight, sentence
from legalir.train.negatives import Pool, mine_by_expression
from legalir.train.recipes import MODEL, RANDOM, RecipeSettings, StaticRecipe
from legalir.train.static_training import StaticTraining, TrainedTable

if TYPE_CHECKING:
    import pandas as pd

    from legalir.collection.collection import Collection


@dataclass(frozen=True)
class TrainedModel:
    """A model that was trained.

    Attributes:
        path: its folder.
        history: a row for each epoch: ``epoch`` (from 1), ``loss``, on dev queries ``R@10, nDCG@10, MultiHitRate@10``
            as shares, ``seconds``, and ``kept``, which is true for the epoch of the model.
        model: the model, opened.
        note: what its weight in ``default`` was chosen from, one sentence; None: no weight was chosen.
    """

    path: Path
    history: pd.DataFrame
    model: StaticModel
    note: str | None


def train_static(
    collection: Collection | str | PathLike[str],
    out: str | PathLike[str],
    *,
    resume: bool | None = None,
    replace: bool = False,
    progress: bool = True,
    **settings: Unpack[RecipeSettings],
) -> TrainedModel:
    """Train a static encoder: a vector for each n-gram and word, from queries and the provisions right for them.

    A step takes `batch` pairs and learns, by InfoNCE [infonce], to distinguish the provision of each query from the
    provisions of the other pairs, from `random` drawn ones, and from one hard negative a pair; other provisions that
    are right for a query are not its negatives. If there are judged questions, some are held out; they choose the
    weight of the model in ``default``. The same seed makes the same bytes on the same machine, with any number of
    threads, and also if the training is interrupted and resumed::

        trained = legalir.train_static("legalir/firecode", "model", sources=["citations", "headings"])
        collection.search("비상구의 너비", 'static(model="model")')

    Args:
        collection: a collection, its id or its path; its split is the one whose judgements are learnt from.
        out: folder of the model.
        resume: None: continue an interrupted training of the same recipe and data, if there is one in ``OUT.partial``;
            True: there must be one; False: begin again.
        replace: whether a model at `out` is replaced.
        progress: whether a terminal shows progress.
        **settings: the other keys of a :class:`~legalir.train.recipes.StaticRecipe`: `sources` and their `weights`;
            `dev`, `measure`, `patience`; `hold_out`; `seed`; the features `char`, `jamo`, `words`, `edges`, `rows`,
            `max_characters`, `tf`; `dim`; `epochs`, `batch`, `rate`, `temperature`; `negatives`, `hard`, `random`;
            `precision`, `checkpoint_minutes`, `threads`.

    Returns:
        The folder of the model, the history, and the model.

    Raises:
        ArtifactError: the state of an interrupted training is damaged or of another recipe, another training to `out`
            is under way, or nothing can be written there.
        ComponentError: something that is not a model is at `out`.
        DataError: there is nothing to learn from, or the dev split shares queries with the judgements.
        DatasetNotFound: there is no such collection or split.
        DefinitionError: a setting is not accepted, or `out` exists.
        LegalIRError: the loss became infinite or NaN; nothing is written then.
        MissingExtra: torch is not installed.
    """
    from legalir.collection.collection import Collection

    opened = collection if isinstance(collection, Collection) else Collection(collection)
    recipe = StaticRecipe.parse({**settings, "dataset": opened.id, "out": os.fspath(out)}, "train_static")
    return train_recipe(recipe, collection=opened, resume=resume, replace=replace, progress=progress)


def train_recipe(
    recipe: StaticRecipe,
    *,
    collection: Collection | None = None,
    resume: bool | None = None,
    replace: bool = False,
    progress: bool = True,
    lines: bool = False,
) -> TrainedModel:
    """Train the model of a recipe; same arguments, errors and result as :func:`train_static`.

    Args:
        recipe: the recipe.
        collection: the collection of the recipe, if it is open already.
        resume: whether to continue an interrupted training.
        replace: whether a model at `out` is replaced.
        progress: whether a terminal shows progress.
        lines: whether to print a line for each epoch on standard error if that is not a terminal.
    """
    from legalir.collection.collection import Collection

    require("torch", extra="dense")
    require("safetensors", extra="dense")
    out = Path(recipe.out).expanduser()
    with own_place(out, lambda: _check_place(out, replace)):
        opened = collection if collection is not None else Collection(recipe.dataset)
        with open_display(progress, lines) as display:
            return _trained(recipe, opened, out, display, resume)


def _check_place(out: Path, replace: bool) -> None:
    if out.exists() and not replace:
        raise DefinitionError(f"{out} exists: give another place, or replace=True (--replace).")
    check_place(out)


def _trained(
    recipe: StaticRecipe, collection: Collection, out: Path, display: Display, resume: bool | None
) -> TrainedModel:
    with ThreadPoolExecutor(recipe.threads or os.cpu_count() or 1) as threads, _one_thread_of_torch():
        display.phase(f"Reading {collection.id}")
        material = read_material(collection, recipe.sources, recipe.dev, recipe.hold_out)
        checkpoints = Checkpoints(out, recipe.fingerprint(material.data))
        if resume is False:
            checkpoints.remove()
        hard = _mined(recipe, collection, material, display)
        training = StaticTraining(recipe, material, checkpoints, threads, display, hard)
        material = training.material  # Without the texts of the provisions.
        if not training.resume() and resume:
            raise DefinitionError(
                f"{checkpoints.path} holds no interrupted training: train without resume=True (--resume)."
            )
        with interrupts() as interrupted:
            trained = training.run(interrupted)
    card = model_card(recipe, collection, material, trained.best)
    model = StaticModel(recipe.ngrams, trained.table, tf=recipe.tf, card=card)
    model = model.quantised() if recipe.precision == "int8" else model
    note = None
    if material.held_out is not None:
        display.phase("Choosing the weight in default")
        card["default"] = measure_weight(collection, model, material.held_out, material.docnos)
        note = sentence(card["default"])
        logging.getLogger("legalir").info(note)
    StaticModel(model.ngrams, model.table, scale=model.scale, tf=model.tf, card=card).save(out)
    checkpoints.remove()
    return TrainedModel(out, _history(trained), StaticModel.load(out), note)


def _mined(recipe: StaticRecipe, collection: Collection, material: Material, display: Display) -> Pool | None:
    """Return the hard negatives that a pipeline finds; None if the model finds its own or there are none."""
    if recipe.negatives in (MODEL, RANDOM) or not recipe.hard:
        return None
    texts = material.train.texts
    display.phase(f"Searching negatives with {recipe.negatives}", len(texts))
    return mine_by_expression(
        recipe.negatives, collection, texts, material.train.spared, material.docnos, recipe.hard, display.advance
    )


def _history(trained: TrainedTable) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(trained.history)
    frame = frame[[*(name for name in frame.columns if name != "seconds"), "seconds"]]
    return frame.assign(kept=frame["epoch"] == trained.best["epoch"])


@contextmanager
def _one_thread_of_torch() -> Iterator[None]:
    """Give torch one thread: several would wait for each other at each of many small operations."""
    torch = require("torch", extra="dense")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def model_card(
    recipe: StaticRecipe, collection: Collection, material: Material, best: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the card: JSON values, the same whenever the same model is trained.

    Args:
        recipe: the recipe.
        collection: the collection that was learnt from.
        material: the data read from it.
        best: the row of the history of the best epoch.
    """
    facts = dataset_facts(collection)
    measures = {name: round(value, 6) for name, value in best.items() if "@" in name and value is not None}
    dev = {"split": recipe.dev, "queries": len(material.dev.texts), **measures} if material.dev else None
    return {
        "made_by": f"legalir {legalir.__version__}",
        "sources": [{**facts, **source, "fingerprint": material.data["train"]} for source in material.sources],
        "corpus": {"documents": len(material.docnos), "sha256": material.data["corpus"], **facts},
        "seed": recipe.seed,
        "recipe": recipe.settings(),
        "epoch": best["epoch"],
        "loss": round(float(best["loss"]), 6),
        "dev": dev,
    }
