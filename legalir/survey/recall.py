"""Estimated recall of a survey, from where in the reading order the accepted provisions came.

Found ones become rarer as one reads on. The model: provisions on the matter are met at the rate ``a·(t + c)^-b`` at
place t, a Poisson process whose parameters are unknown [poisson-stop]; and a share (:data:`LOST`) of them lies
anywhere, like nothing that was accepted. Both give the probability of each number that is still missing. It is a model:
how often it is right was measured (``experiments/survey/README.md``); a sample of the rest assumes nothing, and needs
many readings.

Deviations from [poisson-stop]: the parameters are averaged over a grid, not fitted, and there is a share that is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LOST: Mapping[float, float] = {0.03: 1.0}
"""Share of the provisions on a matter that the order does not bring forward, for the estimate."""

LOST_ELSEWHERE: Mapping[float, float] = {0.01: 0.6, 0.1: 0.25, 0.3: 0.15}
"""Probability of each such share, for the lower end: the share differs between collections, and nobody knows it before.
"""

_POWERS, _DELAYS = np.linspace(0.8, 3.5, 10), np.geomspace(1, 300, 9)
_PRIOR = 0.5
_LARGEST = 500
"""Largest number of missing provisions that has a probability of its own; the last one has that of all larger ones."""


class Recall(NamedTuple):
    """The share of the provisions on the matter that are accepted.

    Attributes:
        accepted: number of accepted provisions.
        read: number of provisions that were read.
        unread: number of all others.
        undecided: number of provisions that are open; in `low` they count as missing.
        missing: expected number of provisions on the matter that were not read.
        value: accepted / (accepted + missing).
        low: lower end of the 95 % interval, one-sided: with a probability of 95 %, recall is not below it.
        bound: the same by the sample alone, which assumes no model; None without a sample.
        sampled: number of provisions in the sample that were decided.
    """

    accepted: int
    read: int
    unread: int
    undecided: int
    missing: float
    value: float
    low: float
    bound: float | None = None
    sampled: int = 0

    def reaches(self, target: float) -> bool:
        """Return whether the estimate has reached a target; not while nothing is accepted or something is open."""
        return self.accepted > 0 and not self.undecided and self.value >= target

    def sentences(self) -> list[str]:
        """Return what is known, for people."""
        if not self.accepted:
            return [f"Nothing is accepted after {self.read} provisions: there is no estimate of recall."]
        lines = [
            f"{self.accepted} accepted of {self.read} read; estimated recall {100 * self.value:.0f} %, "
            f"at least {100 * self.low:.0f} % with a probability of 95 % (about {self.missing:.1f} missing)."
        ]
        if self.undecided:
            lines.append(f"{self.undecided} open: decide on them; until then they count as missing in the lower end.")
        if self.low < 0.8 and self.unread:
            lines.append(
                "The interval is wide: few provisions are accepted, or the last one came late. It proves little."
            )
        if self.bound is not None:
            lines.append(f"By the sample of {self.sampled} alone, recall is at least {100 * self.bound:.0f} %.")
        return lines


def missing_distribution(hits: list[int], read: int, total: int, lost_shares: Mapping[float, float] = LOST) -> Floats:
    """Return the probability of each number of provisions on the matter that were not read, from 0.

    Args:
        hits: places of the accepted provisions in the order of reading, from 1; at least one.
        read: number of provisions that were read in this order.
        total: number of provisions that can be read.
        lost_shares: probability of each share of provisions that the order does not bring forward.
    """
    from scipy.special import logsumexp
    from scipy.stats import nbinom, poisson

    found, rest = len(hits), total - read
    if rest <= 0:
        return np.ones(1)
    power, delay = (one.ravel() for one in np.meshgrid(_POWERS, _DELAYS, indexing="ij"))
    before, after = (_mass(*ends, power, delay) for ends in ((0.5, read + 0.5), (read + 0.5, total + 0.5)))
    places = np.array(hits, dtype=np.float64)
    likelihood = -power * np.log(places[:, None] + delay).sum(axis=0) - (found + _PRIOR) * np.log(before)
    weights = np.exp(likelihood - logsumexp(likelihood))
    numbers = np.arange(min(rest, _LARGEST) + 1)
    late = weights @ nbinom.pmf(numbers[None], found + _PRIOR, (before / (before + after))[:, None])
    late[-1] += max(0.0, 1 - late.sum())
    lost = sum(
        weight * poisson.pmf(numbers, share / (1 - share) * found * rest / total)
        for share, weight in lost_shares.items()
    )
    both: Floats = np.convolve(late, lost)[: len(numbers)]
    both[-1] += max(0.0, 1 - both.sum())
    return both


def _mass(start: float, end: float, power: Floats, delay: Floats) -> Floats:
    """Return the integral of ``(t + delay)^-power`` from `start` to `end`."""
    first, last, rest = start + delay, end + delay, 1 - power
    near = np.abs(rest) < 1e-9
    safe = np.where(near, 1.0, rest)
    return np.where(near, np.log(last / first), (last**safe - first**safe) / safe)


def estimate(
    hits: list[int],
    read: int,
    total: int,
    *,
    aside: tuple[int, int] = (0, 0),
    undecided: int = 0,
    sample: tuple[int, int, int, int] | None = None,
) -> Recall:
    """Return the estimated recall.

    Args:
        hits: places of the accepted provisions in the order of reading, from 1.
        read: number of provisions that were read in this order.
        total: number of provisions that can be read.
        aside: number of provisions that were read in samples, and how many of them were accepted.
        undecided: number of provisions that were read and are open.
        sample: number of provisions that the last sample was drawn from, how many of it are decided and accepted, and
            how many were accepted since it was drawn, the sample included.
    """
    from scipy.stats import beta

    accepted, drawn = len(hits) + aside[1], 0 if sample is None else sample[1]
    unread, nothing = total - read - aside[0], float("nan")
    if not accepted:
        return Recall(0, read + aside[0], unread, undecided, nothing, nothing, 0.0, None, drawn)
    missing, most = float(unread), unread
    if unread and hits:
        late = missing_distribution(hits, read, total - aside[0])
        missing = float(late @ np.arange(len(late)))
        late = missing_distribution(hits, read, total - aside[0], LOST_ELSEWHERE)
        most = int(np.searchsorted(np.cumsum(late), 0.95 - 1e-9))
    low, bound = accepted / (accepted + most + undecided), None
    if sample is not None and drawn:
        rest, _, on_matter, since = sample
        share = 1.0 if on_matter == drawn else float(beta.ppf(0.95, on_matter + 1, drawn - on_matter))
        unfound = max(0.0, rest * share - since) if unread else 0.0
        bound = accepted / (accepted + unfound + undecided)
        if on_matter and unread:  # The order left out what it should have brought: the sample goes before the model.
            missing, low = max(missing, rest * on_matter / drawn - since), min(low, bound)
    value = accepted / (accepted + missing)
    return Recall(accepted, read + aside[0], unread, undecided, missing, value, low, bound, drawn)
