"""InfoNCE (van den Oord, Li and Vinyals 2018): choose the right provision among those of the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from legalir.extras import require
from legalir.train.batches import Batch

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["info_nce", "loss_and_gradient"]

_NEVER = -1e4
"""Instead of minus infinity, which would make NaN where all else is masked."""


def info_nce(sums: Tensor, batch: Batch, temperature: float) -> Tensor:
    """Return the mean of ``-ln(exp(c_t/T) / Σ_j exp(c_j/T))``, c_j the cosine of a query and provision j.

    The sum is over all provisions of the batch but those that are masked, which may be right as well as t.

    Args:
        sums: what the texts add up to, queries first, then provisions, float [b + n, d]; of any length.
        batch: of b pairs and n provisions.
        temperature: T.
    """
    torch = require("torch", extra="dense")
    vectors = torch.nn.functional.normalize(sums, dim=1)
    size = len(batch.queries)
    logits = vectors[:size] @ vectors[size:].T / temperature
    logits = logits.masked_fill(torch.from_numpy(batch.masked), _NEVER)
    loss: Tensor = torch.nn.functional.cross_entropy(logits, torch.from_numpy(batch.target))
    return loss


def loss_and_gradient(
    sums: npt.NDArray[np.float32], batch: Batch, temperature: float
) -> tuple[float, npt.NDArray[np.float32]]:
    """Return the loss, and its gradient with respect to `sums`, [b + n, d]."""
    torch = require("torch", extra="dense")
    leaf = torch.from_numpy(sums).requires_grad_()
    loss = info_nce(leaf, batch, temperature)
    loss.backward()
    return float(loss.detach()), leaf.grad.numpy()
