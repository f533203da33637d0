from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.errors import MeasureError
from legalir_study.agreement import Agreement, agreement, krippendorff_alpha

RATINGS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=25)


def of_counts(counts: list[list[int]], labels: list[float]) -> Agreement:
    """Return the agreement of the ratings behind a confusion matrix."""
    pairs = [
        (human, judge)
        for human, row in zip(labels, counts, strict=True)
        for judge, n in zip(labels, row, strict=True)
        for _ in range(n)
    ]
    return agreement([a for a, _ in pairs], [b for _, b in pairs])


def test_the_judge_of_searchfiresafety() -> None:
    """TN 27.10, FP .90, FN 10.80, TP 61.20 %; printed: 88.30 % agreement, precision .986, recall .850, κ .738."""
    figures = of_counts([[271, 9], [108, 612]], [0, 1])
    assert figures.n == 1000
    assert figures.agreement == pytest.approx(0.883)
    assert figures.confusion.tolist() == [[271, 9], [108, 612]]
    assert figures.confusion[1, 1] / figures.confusion[:, 1].sum() == pytest.approx(0.986, abs=5e-4)
    assert figures.confusion[1, 1] / figures.confusion[1].sum() == pytest.approx(0.850, abs=5e-4)
    assert figures.kappa == pytest.approx(0.738, abs=5e-4)
    assert figures.quadratic_kappa == pytest.approx(figures.kappa)  # Two labels leave no room for weights.
    assert (figures.human_marginal, figures.judge_marginal) == (pytest.approx((0.28, 0.72)), (0.379, 0.621))


@pytest.mark.parametrize(
    ("counts", "n", "weighted", "kappa", "quadratic"),
    [
        ([[8, 2, 3], [2, 29, 7], [1, 9, 139]], 200, (0.88, 0.88, 0.88), 0.70, 0.73),
        ([[43, 5, 1], [6, 35, 6], [2, 5, 47]], 150, (0.83, 0.83, 0.83), 0.75, 0.84),
    ],
)
def test_coverage_of_nitibench(
    counts: list[list[int]], n: int, weighted: tuple[float, ...], kappa: float, quadratic: float
) -> None:
    figures = of_counts(counts, [0, 50, 100])
    assert figures.n == n
    assert (figures.precision, figures.recall, figures.f1) == pytest.approx(weighted, abs=5e-3)
    assert figures.kappa == pytest.approx(kappa, abs=5e-3)
    assert figures.quadratic_kappa == pytest.approx(quadratic, abs=5e-3)
    assert figures.undefined == {"spearman_binarised": "no threshold was given"}


def test_spearman_raw_and_binarised() -> None:
    human, judge = [1, 1, 0, 0, 1], [5, 4, 4, 2, 5]
    figures = agreement(human, judge, human_threshold=1, judge_threshold=4)
    assert figures.spearman == pytest.approx(0.761, abs=5e-4)
    assert figures.spearman_binarised == pytest.approx(0.612, abs=5e-4)
    assert figures.labels == (0, 1)
    assert figures.agreement == 0.8
    assert figures.undefined == {}


@given(RATINGS)
def test_kappa_as_scikit_learn_and_its_definition_have_it(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    human, judge = [a / 2 for a, _ in pairs], [b / 2 for _, b in pairs]
    figures = agreement(human, judge)
    assert figures.agreement == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))
    if len({*human, *judge}) < 2:
        assert math.isnan(figures.kappa)
        return
    chance = sum(human.count(label) * judge.count(label) for label in {*human}) / len(pairs) ** 2
    assert figures.kappa == pytest.approx((figures.agreement - chance) / (1 - chance), abs=1e-9)
    labels = list(range(1, 6))  # All of them, as scikit-learn weighs by the place of a label among those it is given.
    expected = cohen_kappa_score(*map(list, zip(*pairs, strict=True)), weights="quadratic", labels=labels)
    assert figures.quadratic_kappa == pytest.approx(expected, abs=1e-9)


@given(RATINGS)
def test_nominal_alpha_from_its_definition(pairs: list[tuple[int, int]]) -> None:
    values = [value for pair in pairs for value in pair]
    n = len(values)
    observed = sum(a != b for a, b in pairs) / len(pairs)
    expected = sum(a != b for i, a in enumerate(values) for j, b in enumerate(values) if i != j) / (n * (n - 1))
    alpha = krippendorff_alpha([[a for a, _ in pairs], [b for _, b in pairs]], "nominal")
    if expected:
        assert alpha == pytest.approx(1 - observed / expected, abs=1e-9)
    else:
        assert math.isnan(alpha)


def test_a_judge_that_always_says_yes_has_kappa_0() -> None:
    figures = agreement([1, 0, 1, 1, 0], [1, 1, 1, 1, 1])
    assert (figures.kappa, figures.quadratic_kappa) == (0, 0)
    assert figures.agreement == 0.6
    assert math.isnan(figures.spearman)
    assert figures.undefined["spearman"] == "the ratings of the judge never vary"
    assert figures.alpha < 0  # Alpha mixes both marginals, so it is not 0 here.


def test_constant_ratings_are_undefined_and_not_0() -> None:
    figures = agreement([1, 1, 1], [1, 1, 1])
    for name in ("kappa", "quadratic_kappa", "alpha", "spearman"):
        assert math.isnan(getattr(figures, name))
        assert figures.undefined[name] == "the ratings of both raters never vary"
    assert figures.agreement == 1
    # Binarised at 4, the human never varies; as given, they do.
    binarised = agreement([4, 5, 4], [2, 5, 4], human_threshold=4, judge_threshold=4)
    assert not math.isnan(binarised.spearman)
    assert binarised.undefined == {"spearman_binarised": "the ratings of the human never vary"}


def test_alpha_of_more_raters_with_gaps() -> None:
    """The data of the worked example that the field hands around: nominal .691, interval .811."""
    raters = [
        [None, None, None, None, None, 3, 4, 1, 2, 1, 1, 3, 3, None, 3],
        [1, None, 2, 1, 3, 3, 4, 3, None, None, None, None, None, None, None],
        [None, None, 2, 1, 3, 4, 4, None, 2, 1, 1, 3, 3, None, 4],
    ]
    assert krippendorff_alpha(raters, "nominal") == pytest.approx(0.691, abs=5e-4)
    assert krippendorff_alpha(raters, "interval") == pytest.approx(0.811, abs=5e-4)
    assert math.isnan(krippendorff_alpha([[1, None], [None, 2]]))
    assert math.isnan(krippendorff_alpha([]))


def test_levels_agree_on_two_labels() -> None:
    human, judge = [0, 1, 1, 0, 1], [0, 1, 0, 0, 1]
    first, *others = (krippendorff_alpha([human, judge], level) for level in ("nominal", "ordinal", "interval"))
    assert others == pytest.approx([first] * 2)


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(MeasureError, match="There are 2 and 1 ratings"):
        agreement([1, 2], [1])
    with pytest.raises(MeasureError, match="level='ordinary'"):
        agreement([1], [1], level="ordinary")  # type: ignore[arg-type]
