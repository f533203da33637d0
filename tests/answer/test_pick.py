"""Options picked by a rule, and the figures that follow from it."""

from __future__ import annotations

import pandas as pd
import pytest
from refusals import refused

from legalir import Collection
from legalir.answer.pick import Pick
from legalir.errors import ComponentError
from legalir.measure.right_choices import Safety

ITEMS = Collection("legalir/firecode/multihop")
TOPICS = ITEMS.topics()


def answers(context: str, by: str) -> pd.DataFrame:
    return ITEMS.pipeline(f'{context}pick(by="{by}")')(TOPICS)


@pytest.mark.parametrize(
    ("by", "zero_shot", "partial", "full"),
    [("abstain", 0.0, 1.0, 0.0), ("right", 1.0, 1.0, 1.0), ("longest", None, 0.0, None)],
)
def test_figures_known_by_construction(by: str, zero_shot: float | None, partial: float, full: float | None) -> None:
    parts = {
        "zero_shot": answers("", by),
        "partial": answers('golden(documents="first") >> ', by),
        "full": answers("golden >> ", by),
    }
    safety = Safety.from_answers(**parts)
    # The longest option is the key as often as a plain count says.
    lengths = [[len(option) for option in options[:4]] for options in TOPICS["options"]]
    longest = sum(one.index(max(one)) + 1 == key for one, key in zip(lengths, TOPICS["key"], strict=True)) / len(TOPICS)
    assert safety.zero_shot.correct == pytest.approx(longest if zero_shot is None else zero_shot)
    assert safety.partial.correct == pytest.approx(partial)
    assert safety.full.correct == pytest.approx(longest if full is None else full)
    assert parts["full"]["abstained"].all() == (by == "abstain")
    assert [len(one) for one in parts["full"]["context_docnos"]] == [2] * len(TOPICS)


def test_the_right_option_depends_on_what_is_given() -> None:
    full, partial = answers("golden >> ", "right"), answers('golden(documents="second") >> ', "right")
    assert full["choice"].tolist() == TOPICS["key"].tolist()
    assert partial["choice"].tolist() == TOPICS["abstain"].tolist()
    assert full["qanswer"].iloc[0] == TOPICS["options"].iloc[0][TOPICS["key"].iloc[0] - 1]


def test_faults() -> None:
    with refused("pick", "by", "best"):
        Pick("best")
    with pytest.raises(ComponentError, match=r"^pick: .*no column 'options'"):
        Pick()(pd.DataFrame({"qid": ["1"], "query": ["?"]}))
