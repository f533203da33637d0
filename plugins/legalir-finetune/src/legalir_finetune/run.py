"""``legalir finetune``: from a recipe, a collection and a base model to a tuned model on disk."""

from __future__ import annotations

import importlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import legalir
from legalir.errors import ComponentError, DefinitionError, MissingExtra, ModelError
from legalir.extend import Checkpoints, Display, interrupts, open_display, own_place, placement
from legalir_finetune.anchors import read_anchor_source
from legalir_finetune.card import CARD, card_of, write_card, write_history
from legalir_finetune.model import BaseModel, load_network, read_base_model
from legalir_finetune.recipes import FineTuning
from legalir_finetune.training import Tuning

if TYPE_CHECKING:
    import pandas as pd

    from legalir import Collection


@dataclass(frozen=True)
class FineTuned:
    """A model that was tuned.

    Attributes:
        path: its folder.
        history: a row for each epoch, from 0, the model before: ``epoch``, ``loss``, on dev queries ``R@10, nDCG@10,
            MultiHitRate@10`` as shares, ``steps``, ``moved`` anchors that waited for another batch, ``left`` ones that
            are left out of batches, ``seconds``, and ``kept``, which is true for the epoch of the model.
        note: why there is no picture of the history, None if there is one.
    """

    path: Path
    history: pd.DataFrame
    note: str | None


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
    check_packages("torch", "transformers", "safetensors", "FlagEmbedding")
    device = placement(recipe.device).device
    if recipe.precision == "float16" and device != "cuda":
        raise ModelError(f"'precision' float16 needs cuda, not {device}: write bfloat16 or float32.")
    out = Path(recipe.out).expanduser().absolute()
    with own_place(out, lambda: check_place(out, replace)), open_display(progress, lines) as display:
        base = read_base_model(recipe)
        opened = collection if collection is not None else legalir.Collection(recipe.dataset)
        display.phase(f"Reading {opened.id}")
        return _tuned(recipe, opened, base, out, display, device, resume)


def check_packages(*names: str) -> None:
    """Import packages that a training needs.

    Raises:
        MissingExtra: one is not installed.
    """
    for name in names:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            raise MissingExtra(
                f"This needs the package {name!r}, which is not installed: pip install ./plugins/legalir-finetune in "
                f"the source folder of legalir."
            ) from error


def check_place(out: Path, replace: bool) -> None:
    """Check that `out` is free, or holds a tuned model that is to be replaced: nothing else is ever replaced."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    try:
        is_ours = isinstance(json.loads((out / CARD).read_text(encoding="utf-8")), dict)
    except (OSError, ValueError):
        is_ours = False
    if not is_ours:
        raise ComponentError(f"{out} exists and is not a fine-tuned model: choose another folder, or remove it.")
    if not replace:
        raise DefinitionError(f"{out} exists: give another place, or replace=True (--replace).")


def _tuned(
    recipe: FineTuning,
    collection: Collection,
    base: BaseModel,
    out: Path,
    display: Display,
    device: str,
    resume: bool | None,
) -> FineTuned:
    source = read_anchor_source(recipe, collection, display)
    material = source.material
    checkpoints = Checkpoints(out, recipe.fingerprint({**material.data, "base": base.digest}))
    if resume is False:
        checkpoints.remove()
    display.phase(f"Loading {base.name}")
    with interrupts() as interrupted:
        network = load_network(recipe, base)
        tuning = Tuning(recipe, base, network, source, checkpoints, display, device, interrupted)
        if not tuning.resume() and resume:
            raise DefinitionError(
                f"{checkpoints.path} holds no interrupted training: tune without resume=True (--resume)."
            )
        tuned = tuning.run()
    rows = [{**row, "kept": row["epoch"] == tuned.best["epoch"]} for row in tuned.history]
    finished = checkpoints.workshop / "finished"
    shutil.rmtree(finished, ignore_errors=True)
    shutil.copytree(tuned.folder, finished)  # The state stays as it is.
    write_card(finished, card_of(recipe, collection, base, material, rows))
    note = write_history(finished, rows, recipe.measure)
    checkpoints.publish(finished)
    return FineTuned(out, history_frame(rows), note)


def history_frame(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return the history as a frame, ``seconds`` and ``kept`` last."""
    import pandas as pd

    frame = pd.DataFrame(rows)
    last = ["seconds", "kept"]
    return frame[[*(name for name in frame.columns if name not in last), *last]]
