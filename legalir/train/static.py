"""``legalir.train_static``: a recipe carried out, from a collection to a model on disk.

The place of a model that is being trained: nobody else trains to it.

The card of a trained model: what it was made from and how, as data.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import legalir
from legalir.encode.static_model import StaticModel, check_place
from legalir.errors import ArtifactError, DefinitionError
from legalir.extras import require
from legalir.storage.files import restore_directory
from legalir.storage.locks import file_lock
from legalir.train.checkpoint import Checkpoints
from legalir.train.display import Display, open_display
from legalir.train.material import Material, dataset_name, read_material
from legalir.train.recipe import MODEL, RANDOM, Recipe, Settings

if TYPE_CHECKING:
    import pandas as pd

    from legalir.collection.collection import Collection
    from legalir.train.loop import Learnt
    from legalir.train.negatives import Pool

__all__ = ["TrainedModel", "interrupts", "model_card", "own_place", "train_recipe", "train_static"]


@contextlib.contextmanager
def own_place(out: Path, check: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of `out`; complain before the work about what would make it worthless.

    Args:
        out: folder of the model.
        check: raises where something is there that must not be replaced; called without and with the lock.

    Raises:
        ArtifactError: another training to `out` is under way, or nothing can be written there.
    """
    check()
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(file_lock(out, wait=False, keep=False))
            restore_directory(out)
        except TimeoutError:
            raise ArtifactError(f"Another training writes {out}: wait for its end, or give another place.") from None
        except OSError as error:
            raise ArtifactError(f"{out} cannot be written ({error.strerror or error}): give another place.") from error
        check()  # Another training may have ended there in between.
        yield


def model_card(recipe: Recipe, collection: Collection, material: Material, best: Mapping[str, Any]) -> dict[str, Any]:
    """Return the card: JSON values, the same whenever the same model is trained.

    Args:
        recipe: how.
        collection: from what.
        material: what was read of it.
        best: the row of the history of the epoch that was kept.
    """
    about = collection.source.about
    facts = {"dataset": dataset_name(collection), "title": about.title, "lang": about.lang, "licence": about.licence}
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


@dataclass(frozen=True)
class TrainedModel:
    """A model that was trained.

    Attributes:
        path: its folder.
        history: a row for each epoch: ``epoch`` (from 1), ``loss``, on dev queries ``R@10, nDCG@10, MultiHitRate@10``
            as shares, ``seconds``, and ``kept``, which is true for the epoch that the model is of.
        model: the model, opened.
    """

    path: Path
    history: pd.DataFrame
    model: StaticModel


def train_static(
    collection: Collection | str | PathLike[str],
    out: str | PathLike[str],
    *,
    resume: bool | None = None,
    replace: bool = False,
    progress: bool = True,
    **settings: Unpack[Settings],
) -> TrainedModel:
    """Train a static encoder: a vector for every n-gram and word, from queries and the provisions right for them.

    A step takes `batch` pairs and learns, by InfoNCE, to tell the provision of each query from those of the other
    pairs, from `random` drawn ones, and from one hard negative a pair; whatever else is right for a query is no
    negative of it. The same seed makes the same bytes on the same machine, with any number of threads, and also when
    the training is interrupted and resumed::

        trained = legalir.train_static("legalir/firecode", "model", sources=["citations", "headings"])
        collection.search("비상구의 너비", 'static(model="model")')

    Args:
        collection: a collection, its id or its path; its split is the one whose judgements are learnt from.
        out: folder of the model.
        resume: None goes on with an interrupted training of the same recipe and data, if there is one in
            ``OUT.partial``; True insists that there is; False begins anew.
        replace: whether a model at `out` is replaced.
        progress: whether a terminal shows progress.
        **settings: the other values of a :class:`~legalir.train.recipe.Recipe`: `sources` and their `weights`; `dev`,
            `measure`, `patience`; `seed`; what is read, `char`, `jamo`, `words`, `edges`, `rows`, `max_characters`,
            `tf`; the size of a vector, `dim`; `epochs`, `batch`, `rate`, `temperature`; `negatives`, `hard`, `random`;
            `precision`, `checkpoint_minutes`, `threads`.

    Returns:
        Where the model is, how it was learnt, and the model.

    Raises:
        ArtifactError: the state of an interrupted training is damaged or of another recipe, another training to `out`
            is under way, or nothing can be written there.
        ComponentError: something else than a model is at `out`.
        DataError: nothing to learn from, or the dev split shares queries with the judgements.
        DatasetNotFound: there is no such collection or split.
        DefinitionError: a setting means nothing, or `out` exists.
        LegalIRError: the loss became infinite or NaN; nothing is written then.
        MissingExtra: torch is not installed.
    """
    from legalir.collection.collection import Collection

    opened = collection if isinstance(collection, Collection) else Collection(collection)
    recipe = Recipe.parse({**settings, "dataset": opened.id, "out": os.fspath(out)}, "train_static")
    return train_recipe(recipe, collection=opened, resume=resume, replace=replace, progress=progress)


def train_recipe(
    recipe: Recipe,
    *,
    collection: Collection | None = None,
    resume: bool | None = None,
    replace: bool = False,
    progress: bool = True,
    lines: bool = False,
) -> TrainedModel:
    """Carry out a recipe; as :func:`train_static`.

    Args:
        recipe: the recipe.
        collection: that of the recipe, where it is open already.
        resume: as there.
        replace: as there.
        progress: as there.
        lines: whether each epoch is told in a line on standard error, where that is no terminal.
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


def _trained(recipe: Recipe, collection: Collection, out: Path, display: Display, resume: bool | None) -> TrainedModel:
    with ThreadPoolExecutor(recipe.threads or os.cpu_count() or 1) as pool:
        display.phase(f"Reading {collection.id}")
        material = read_material(recipe, collection, pool)
        checkpoints = Checkpoints(out, recipe.fingerprint(material.data))
        if resume is False:
            checkpoints.remove()
        with _one_thread(), interrupts() as interrupted:
            learnt = _learn(recipe, collection, material, checkpoints, pool, display, interrupted, resume)
    card = model_card(recipe, collection, material, learnt.best)
    model = StaticModel(recipe.ngrams, learnt.table, tf=recipe.tf, card=card)
    (model.quantised() if recipe.precision == "int8" else model).save(out)
    checkpoints.remove()
    return TrainedModel(out, _history(learnt), StaticModel.load(out))


def _learn(
    recipe: Recipe,
    collection: Collection,
    material: Material,
    checkpoints: Checkpoints,
    pool: Executor,
    display: Display,
    interrupted: Callable[[], bool],
    resume: bool | None,
) -> Learnt:
    from legalir.train.loop import Training

    hard = _mined(recipe, collection, material, display)
    training = Training(recipe, material, checkpoints, pool, display, hard, interrupted)
    if not training.resume() and resume:
        raise DefinitionError(
            f"{checkpoints.path} holds no interrupted training: train without resume=True (--resume)."
        )
    return training.run()


def _mined(recipe: Recipe, collection: Collection, material: Material, display: Display) -> Pool | None:
    """Return the hard negatives that a pipeline finds, None where the model finds its own or there are none."""
    from legalir.train.negatives import mine_by_expression

    if recipe.negatives in (MODEL, RANDOM) or not recipe.hard:
        return None
    texts = material.train.texts
    display.phase(f"Searching negatives with {recipe.negatives}", len(texts))
    return mine_by_expression(
        recipe.negatives, collection, texts, material.train.spared, material.docnos, recipe.hard, display.advance
    )


def _history(learnt: Learnt) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(learnt.history)
    frame = frame[[*(name for name in frame.columns if name != "seconds"), "seconds"]]
    return frame.assign(kept=frame["epoch"] == learnt.best["epoch"])


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Give torch one thread: several wait for each other at every one of its many small operations."""
    torch = require("torch", extra="dense")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Yield what tells whether Ctrl-C was pressed: the first waits for the end of a step, the second does not."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.getsignal(signal.SIGINT)
    pressed: list[bool] = []

    def press(*_: object) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(True)

    signal.signal(signal.SIGINT, press)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)
