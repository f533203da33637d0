"""The conformance kit on mcq, whose questions need options: the kit's get some."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyterrier as pt
import pytest

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


@pytest.mark.parametrize("upstream", [None, ""], ids=["provisions", "without"])
def test_mcq(upstream: str | None) -> None:
    assert [one for one in testing.check("generator", mcq_with_options, upstream=upstream) if not one.ok] == []
