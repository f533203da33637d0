"""The conformance kit on mcq, whose questions need options: the kit's get some."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyterrier as pt

from legalir import testing
from legalir.answer.choices import mcq
from legalir.frames.component import Component


class Options(Component):
    """Gives each question the same options."""

    def __init__(self) -> None:
        pass

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        return inp.assign(options=[("켠다", "끈다", "알 수 없다")] * len(inp), abstain=3)

    empty = apply


def mcq_with_options(collection: Any) -> pt.Transformer:
    return Options() >> mcq(collection)


@testing.parametrize("generator", mcq_with_options)
def test_mcq(check: Any) -> None:
    check()


@testing.parametrize("generator", mcq_with_options, upstream="")
def test_mcq_without_provisions(check: Any) -> None:
    check()
