"""``legalir finetune``: a recipe carried out, from a collection and a model to a tuned model on disk."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legalir.errors import DefinitionError, ModelError
from legalir.extras import require
from legalir.models.loading import placement
from legalir.storage.files import link_or_copy
from legalir.train.display import Display, open_display
from legalir.train.finetune.base import Base, read_base
from legalir.train.finetune.card import card_of, write_card, write_history
from legalir.train.finetune.material import Dev, Texts, dev_of, read_texts
from legalir.train.finetune.place import check_place, put_in_place
from legalir.train.finetune.recipe import FineTuning
from legalir.train.finetune.states import States
from legalir.train.negatives import mine_by_expression
from legalir.train.static import interrupts, own_place

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from legalir.collection.collection import Collection
    from legalir.train.batches import Gold
    from legalir.train.finetune.tuning import Tuned

__all__ = ["FineTuned", "finetune"]


@dataclass(frozen=True)
class FineTuned:
    """A model that was tuned.

    Attributes:
        path: its folder.
        history: a row for each epoch, from 0, the model before: ``epoch``, ``loss``, on dev queries ``R@10, nDCG@10,
            MultiHitRate@10`` as shares, ``steps``, ``moved`` anchors that waited for another batch, ``left`` ones that
            found none, ``seconds``, and ``kept``, which is true for the epoch that the model is of.
        note: why there is no picture of it, None where there is one.
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
    """Tune a model by InfoNCE: each query is told from the provisions of the others of its batch, and from hard ones.

    Args:
        recipe: how.
        collection: that of the recipe, where it is open already.
        resume: None goes on with an interrupted training of the same recipe, model and data, if there is one in
            ``OUT.partial``; True insists that there is; False begins anew.
        replace: whether a tuned model at `out` is replaced.
        progress: whether a terminal shows progress.
        lines: whether each epoch is told in a line on standard error, where that is no terminal.

    Raises:
        ArtifactError: the state of an interrupted training is damaged or of another recipe, another training to `out`
            is under way, or nothing can be written there.
        ComponentError: something else than a tuned model is at `out`.
        DataError: nothing to learn from, or the dev split shares queries with the judgements.
        DatasetNotFound: there is no such collection or split.
        DefinitionError: `out` exists.
        LegalIRError: the loss became infinite or NaN.
        MissingExtra: FlagEmbedding is not installed.
        ModelError: the model cannot be found, read or trusted, or there is no such device.
    """
    from legalir.collection.collection import Collection

    for name in ("torch", "transformers", "safetensors", "FlagEmbedding"):
        require(name, extra="dense")
    device = placement(recipe.device).device
    if recipe.precision == "float16" and device != "cuda":
        raise ModelError(f"'precision' float16 needs cuda, not {device}: write bfloat16 or float32.")
    out = Path(recipe.out).expanduser().absolute()
    with own_place(out, lambda: check_place(out, replace)), open_display(progress, lines) as display:
        base = read_base(recipe)
        opened = collection if collection is not None else Collection(recipe.dataset)
        display.phase(f"Reading {opened.id}")
        return _tuned(recipe, opened, base, out, display, device, resume)


def _tuned(
    recipe: FineTuning,
    collection: Collection,
    base: Base,
    out: Path,
    display: Display,
    device: str,
    resume: bool | None,
) -> FineTuned:
    texts = _texts(recipe, collection, display)
    dev = dev_of(recipe, texts)
    states = States(out, recipe.fingerprint({**texts.material.data, "base": base.digest}))
    if resume is False:
        states.remove()
    tuned = _learn(recipe, base, texts, dev, states, display, device, resume)
    rows = [{**row, "kept": row["epoch"] == tuned.best["epoch"]} for row in tuned.history]
    finished = _copied(tuned.folder, states.workshop / "finished")
    write_card(finished, card_of(recipe, collection, base, texts, dev, rows))
    note = write_history(finished, rows, recipe.measure)
    put_in_place(finished, out)
    states.remove()
    return FineTuned(out, _frame(rows), note)


def _texts(recipe: FineTuning, collection: Collection, display: Display) -> Texts:
    def mine(queries: Sequence[str], spared: Gold, docnos: Sequence[str]) -> npt.NDArray[np.int32]:
        display.phase(f"Searching negatives with {recipe.negatives}", len(queries))
        return mine_by_expression(recipe.negatives, collection, queries, spared, docnos, recipe.depth, display.advance)

    return read_texts(recipe, collection, mine)


def _learn(
    recipe: FineTuning,
    base: Base,
    texts: Texts,
    dev: Dev | None,
    states: States,
    display: Display,
    device: str,
    resume: bool | None,
) -> Tuned:
    from legalir.train.finetune.network import load_network
    from legalir.train.finetune.tuning import Tuning

    display.phase(f"Loading {base.name}")
    with interrupts() as interrupted:
        network = load_network(recipe, base)
        tuning = Tuning(recipe, base, network, texts, dev, states, display, device, interrupted)
        if not tuning.resume() and resume:
            raise DefinitionError(f"{states.path} holds no interrupted training: tune without resume=True (--resume).")
        return tuning.run()


def _copied(folder: Path, to: Path) -> Path:
    """Return a copy that shares its files with the original where the file system can: the state stays as it is."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to, copy_function=link_or_copy)
    return to


def _frame(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(rows)
    last = ["seconds", "kept"]
    return frame[[*(name for name in frame.columns if name not in last), *last]]
