"""From runs to a table: values of each query, means, confidence intervals, paired tests against the baseline.

A measure needs columns of a run: a ranking measure documents and scores, a measure of answers what generators and
judges add. It applies to each system that has them. The provisions that an answer was made from are its ranking, so
that one table has both kinds; figures of a measure that does not apply are NaN.

``pt.Experiment`` computes the value of each query. Its own means and tests need a value for each query and count each
query the same; ours leave out a query without a value and weigh the queries of a measure that pools its counts.
Intervals and the randomisation test are seeded and vectorised.
"""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import ir_measures
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from ir_measures.measures import Measure
from ir_measures.measures.base import SumAgg

from legalir.answer.generator import NOTHING_FOUND, PARTLY
from legalir.datasets.chunks import ChunkMap
from legalir.errors import LegalIRError, MeasureError, describe
from legalir.experiments.definition import Definition, parse_measure
from legalir.experiments.runs import Latency, has_answers
from legalir.measure.answers import REFUSING, AnswerMeasure
from legalir.measure.chunks import ChunkMeasure, Covers
from legalir.measure.measures import Share, judged_names, of_evaluator
from legalir.measure.scoring import CURES

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


class PairedTest(Protocol):
    """Paired test; see :func:`paired_test`."""

    def __call__(self, values: Array, baseline: Array, clusters: Codes | None = None) -> tuple[float, float]:
        """Return (statistic, p)."""


SEED = 20_260_101
RESAMPLES = 2_000
FLIPS = 10_000


def paired_test(name: str) -> PairedTest:
    """Return a paired test: a function of two arrays, one value per query, and of the cluster of each query, or None.

    It returns (statistic, p). Queries of one cluster, such as those about one case, are not independent: Student's t
    then has cluster-robust standard errors, and the randomisation test flips whole clusters.

    Two systems that are equal on every query, or a single query, give p = 1, where scipy's tests give NaN and a
    warning.

    Args:
        name: ``t`` (Student), ``wilcoxon`` (signed rank, without zeros [wilcoxon]) or ``randomisation``.
    """
    from scipy import stats

    tests: dict[str, Callable[[Array, Array], tuple[float, float]]] = {
        "t": stats.ttest_rel,
        "wilcoxon": stats.wilcoxon,
        "randomisation": randomisation_test,
    }
    test = tests[name]

    def guarded(values: Array, baseline: Array, clusters: Codes | None = None) -> tuple[float, float]:
        count = len(values) if clusters is None else len(np.unique(clusters))
        if count < 2 or np.array_equal(values, baseline):
            return 0.0, 1.0
        if clusters is not None and name == "t":
            return clustered_t(values - baseline, clusters)
        if clusters is not None and name == "randomisation":
            sums = np.bincount(clusters, weights=values - baseline).astype(np.float64)
            return float((values - baseline).mean()), randomisation_test(sums, np.zeros(len(sums)))[1]
        with warnings.catch_warnings():
            # Differences that are all the same leave no variance: t is infinite, and p is 0 as it should be.
            warnings.simplefilter("ignore")
            statistic, p = test(values, baseline)
        # Differences whose squares are 0 in floating point leave 0 / 0; they count as no difference.
        return (0.0, 1.0) if np.isnan(p) else (float(statistic), float(p))

    return guarded


def clustered_t(difference: Array, clusters: Codes) -> tuple[float, float]:
    """Return t and p of a mean difference with cluster-robust standard errors [clustered].

    ``se² = G/(G-1) · Σ_g (Σ_{i in g} (d_i - mean))² / n²`` over G clusters of n values; t has G - 1 degrees of freedom.
    With one value a cluster it is Student's paired t. Differences that are all the same have p 0.

    Args:
        difference: shape (queries,).
        clusters: number of the cluster of each, from 0.
    """
    from scipy import stats

    count = len(np.unique(clusters))
    mean = float(difference.mean())
    sums = np.bincount(clusters, weights=difference - mean)
    error = math.sqrt(count / (count - 1) * float(sums @ sums)) / len(difference)
    if not error:
        return (0.0, 1.0) if not mean else (math.copysign(math.inf, mean), 0.0)
    t = mean / error
    return t, float(2 * stats.t.sf(abs(t), count - 1))


def randomisation_test(values: Array, baseline: Array) -> tuple[float, float]:
    """Test by flipping the signs of the differences at random [randomisation] (two-sided, 10 000 flips, seeded).

    Returns:
        The mean difference, and the share of sign patterns whose mean is at least as far from 0, the observed
        pattern counted among them, so that p is never 0.
    """
    difference = values - baseline
    changed = difference[difference != 0]
    observed = abs(changed.sum()) * (1 - 1e-12)
    generator = np.random.default_rng(SEED)
    extreme = 0
    for _ in range(0, FLIPS, 1_000):
        signs = generator.integers(0, 2, size=(1_000, len(changed)), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ changed) >= observed).sum())
    return float(difference.mean()), (1 + extreme) / (1 + FLIPS)


def resampling_counts(queries: int, clusters: Codes | None = None) -> Array:
    """Return the number of times that each query is drawn in each bootstrap resample: shape (resamples, queries).

    With `clusters`, the number of the cluster of each query from 0, whole clusters are drawn.
    """
    generator = np.random.default_rng(SEED)
    count = queries if clusters is None else int(clusters.max()) + 1
    drawn = generator.multinomial(count, np.full(count, 1 / count), size=RESAMPLES).astype(np.float64)
    return drawn if clusters is None else drawn[:, clusters]


def corrected(p: Array, method: str | None, alpha: float) -> tuple[npt.NDArray[np.bool_], Array]:
    """Return which of several p-values are significant at `alpha`, and the corrected p-values.

    Args:
        p: p-values of one family, at least one.
        method: name of the correction in statsmodels [holm]; None corrects nothing.
        alpha: level of significance.
    """
    if method is None:
        return p < alpha, p
    from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

    reject, after, _, _ = multipletests(p, alpha=alpha, method=method)
    return reject, after


def bootstrap_interval(
    values: Array, counts: Array, weights: Array | None = None, level: float = 0.95
) -> tuple[Array, Array]:
    """Return percentile intervals [bootstrap] of (weighted) means over queries.

    Resamples without weight are left out; a row without any has NaN.

    Args:
        values: shape (rows, queries); a row is one measure of one system.
        counts: from :func:`resampling_counts`; all rows see the same resamples.
        weights: one weight a query for ``Σ w·v / Σ w``, for measures that pool their judgements, of shape (queries,) or
            (rows, queries); 0 leaves a query out, None is 1.
        level: the share of resamples inside.

    Returns:
        The lower and the upper ends, each of shape (rows,).
    """
    return percentile_ends(resampled_means(values, counts, weights), level)


def resampled_means(values: Array, counts: Array, weights: Array | None = None) -> Array:
    """Return the (weighted) mean of each row in each resample; arguments as :func:`bootstrap_interval`.

    Returns:
        Means of shape (rows, resamples); NaN in a resample without weight.
    """
    shares = np.broadcast_to(1.0 if weights is None else weights, values.shape)
    totals = shares @ counts.T
    means: Array = (values * shares) @ counts.T / np.where(totals > 0, totals, np.nan)
    return means


def percentile_ends(means: Array, level: float = 0.95) -> tuple[Array, Array]:
    """Return the lower and the upper ends of the middle `level` of each row, each of shape (rows,).

    Args:
        means: shape (rows, resamples); NaN is left out, and a row of NaN has NaN.
        level: the share inside.
    """
    ends = np.full((2, len(means)), np.nan)
    there = ~np.isnan(means).all(axis=1)
    ends[:, there] = np.nanquantile(means[there], [(1 - level) / 2, (1 + level) / 2], axis=1)
    return ends[0], ends[1]


_log = logging.getLogger("legalir")

PER_QUERY_COLUMNS = ("name", "qid", "measure", "value", "weight")
"""The columns of the per-query values: one row a system, query and measure that applies. The score is Σ w·v / Σ w over
the queries whose value is not NaN; the weight is 1 unless the measure pools its counts, as MicroR does."""

COUNT_COLUMNS = ("answers failed", "answers abstained", "tokens in", "tokens out")
"""The columns of answers: failed replies, abstentions, tokens of the requests and of the replies."""

LATENCY_COLUMNS = ("ms median", "ms p95")
"""The columns of the response time of one query, in milliseconds."""

_RANKING = frozenset({"qid", "docno", "score"})


def statistic_columns(measure: str) -> list[str]:
    """Return the columns that belong to one measure besides its mean.

    ``low`` and ``high`` bound the 95 % confidence interval of the mean [bootstrap]; ``+`` and ``-`` count the queries
    won and lost against the baseline; ``p-value`` is from the paired test, ``corrected`` the same after correction
    over the systems, and ``reject`` is True if the difference is significant.
    """
    names = ("low", "high", "+", "-", "p-value", "p-value corrected", "reject")
    return [f"{measure} {name}" for name in names]


def is_ranking_measure(measure: str) -> bool:
    """Return True if a measure reads ranked documents, and False if it reads answers."""
    return "doc_id" in ir_measures.run_inputs([parse_measure(measure)])


def scorable(run: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """Return ranked lists in the form in which they are scored: by their ranks.

    The evaluators break ties in their own ways, and some compare scores in single precision; with one score a rank,
    every measure sees the order of the run. Some evaluators refuse an empty run: such a run gets one row that names no
    document, and so scores 0. The scores of the run are in ``given``.
    """
    if run.empty:
        return pd.DataFrame({"qid": [str(topics["qid"].iloc[0])], "docno": [""], "score": 0.0, "rank": 0, "given": 0.0})
    ranks = -run["rank"].astype(np.float64)
    return run.assign(given=run.get("score", ranks), score=ranks)


def given_provisions(run: pd.DataFrame) -> pd.DataFrame | None:
    """Return the provisions that answers were made from as ranked lists; None for answers without retrieval.

    Provisions that were read only in part (``context_partly``) are left out. Answers have a ranking if a question has
    provisions, or none because nothing was found.
    """
    if "context_docnos" not in run.columns:
        return None
    if not (run["context_docnos"].map(len).any() or (run["reason"] == NOTHING_FOUND).any()):
        return None
    partly = run[PARTLY] if PARTLY in run.columns else [()] * len(run)
    rows = [
        (qid, docno, rank)
        for qid, docnos, without in zip(run["qid"], run["context_docnos"], partly, strict=True)
        for rank, docno in enumerate(one for one in dict.fromkeys(docnos) if one not in without)
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "rank"])


def per_query_scores(
    definition: Definition,
    runs: Mapping[str, pd.DataFrame],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    chunks: ChunkMap | None = None,
    failed: dict[str, str] | None = None,
) -> pd.DataFrame:
    """Return the value of each system, query and measure that applies, in the order of runs, topics and measures.

    A measure that its package fails to compute for a system has no values there.

    Args:
        definition: names the measures.
        runs: the run of each system.
        topics: the judged queries.
        qrels: their judgements.
        chunks: the contents of each chunk, if the documents are chunks. A ranking gives the provisions in its chunks
            by the rule of the definition; the context of an answer is all provisions in its chunks, also in part.
        failed: gets the reason for each measure that failed.

    Raises:
        MeasureError: there are answers, and none have the columns that a measure needs.
    """
    measures = {name: parse_measure(name) for name in definition.measures}
    inputs = {
        name: frozenset(pt.model.from_ir_measures(sorted(ir_measures.run_inputs([measure]))))
        for name, measure in measures.items()
    }
    failed = {} if failed is None else failed
    runs = {name: judged_names(run, qrels) for name, run in runs.items()}
    forms = {name: _forms(run, topics, chunks) for name, run in runs.items()}
    covers: Covers = {} if chunks is None else chunks.provisions(definition.chunks)
    for measure, needed in inputs.items():
        answers = [form for name, form in forms.items() if has_answers(runs[name])]
        try:
            _check_columns(measure, needed, [set(map(str, frame.columns)) for form in answers for frame in form])
        except MeasureError as error:
            # A judge may have been left out, as its model is not there.
            if not definition.judges or not any("judge_" in CURES.get(column, "") for column in needed):
                raise
            failed[measure] = str(error).removeprefix(f"The measure {measure} ").rstrip(".")
    places = {qid: place for place, qid in enumerate(topics["qid"])}
    rows = []
    for name in runs:
        values: dict[tuple[str, str], float] = {}
        for form in forms[name]:
            chosen = [measure for measure, needed in inputs.items() if needed <= set(form.columns)]
            if chosen:
                names = {measures[measure]: measure for measure in chosen}
                if chunks is not None and inputs[chosen[0]] == _RANKING:
                    names = {ChunkMeasure(measure, covers): name for measure, name in names.items()}
                values |= _values(names, qrels, form, failed)
        order = [(qid, measure) for qid in places for measure in measures if (qid, measure) in values]
        rows += [(name, qid, measure, *_weighed(values[qid, measure])) for qid, measure in order]
    if definition.out_of_scope:
        outside = set(topics.loc[topics["out_of_scope"], "qid"])
        scoped = {name for name, measure in measures.items() if _needs_gold(measure)}
        rows = [row for row in rows if row[1] not in outside or row[2] not in scoped]
    frame = pd.DataFrame(rows, columns=list(PER_QUERY_COLUMNS))
    return frame.astype({"name": str, "qid": str, "measure": str, "value": np.float64, "weight": np.float64})


def _needs_gold(measure: Measure) -> bool:
    """Return True for a measure that compares with gold provisions, and means nothing where there are none."""
    compares = "rel" in measure.SUPPORTED_PARAMS and measure.NAME not in REFUSING
    return compares or not isinstance(measure, AnswerMeasure)


def _values(
    names: Mapping[Measure, str], qrels: pd.DataFrame, run: pd.DataFrame, failed: dict[str, str]
) -> dict[tuple[str, str], float]:
    """Return the value of each query and measure, by qid and name; a measure that fails is left out.

    For evaluators of other packages, the queries and documents of ranked lists are numbered: some read only numbers as
    qids, or split docnos at white space. Ranks are without ties, so that the docnos order nothing.

    Args:
        names: name by measure.
        qrels: the judgements.
        run: what the measures read.
        failed: gets the reason for each measure that failed.
    """
    if "given" in run.columns:
        others = {measure: name for measure, name in names.items() if not of_evaluator(measure)}
        numbered = {measure: name for measure, name in names.items() if measure not in others}
        own = run.drop(columns="given")
        values = _computed(numbered, qrels, own, failed, True) if numbered else {}
        return values | (_computed(others, qrels, own.assign(score=run["given"]), failed, False) if others else {})
    return _computed(names, qrels, run, failed, False)


def _computed(
    names: Mapping[Measure, str], qrels: pd.DataFrame, run: pd.DataFrame, failed: dict[str, str], numbered: bool
) -> dict[tuple[str, str], float]:
    """Return the values of :func:`_values`, with numbered queries and documents or without."""
    qids = pd.Index(qrels["qid"].unique())
    if numbered:
        qrels, run = (frame.assign(qid=(qids.get_indexer(frame["qid"]) + 1).astype(str)) for frame in (qrels, run))
        if not any(isinstance(measure, ChunkMeasure) for measure in names):
            docnos = pd.Index(pd.concat([qrels["docno"], run["docno"]]).unique())
            qrels, run = (frame.assign(docno=docnos.get_indexer(frame["docno"]).astype(str)) for frame in (qrels, run))
    try:
        tables = [_experiment(list(names), qrels, run)]
    except LegalIRError:
        raise
    except Exception:  # A measure fails, and its package does not say which one.
        tables = []
        for measure, name in names.items():
            try:
                tables.append(_experiment([measure], qrels, run))
            except LegalIRError:
                raise
            except Exception as error:
                if name not in failed:
                    failed[name] = reason = describe(error).splitlines()[0][:200].rstrip(".")
                    _log.warning("The measure %s could not be computed and is left out: %s.", name, reason)
    by_text = {str(measure): name for measure, name in names.items()}
    return {
        (str(qids[int(qid) - 1]) if numbered else qid, by_text[measure]): value
        for table in tables
        for qid, values in table.items()
        for measure, value in values.items()
    }


def _experiment(measures: list[Measure], qrels: pd.DataFrame, run: pd.DataFrame) -> Mapping[str, Mapping[str, float]]:
    """Return the value of each measure by qid and text of the measure; pooled values keep their counts."""
    topics = qrels[["qid"]].drop_duplicates()
    [table] = pt.Experiment(
        [run], topics, qrels, measures, names=["run"], perquery=True, dataframe=False, validate="ignore"
    ).values()
    values: Mapping[str, Mapping[str, float]] = table
    return values


def _forms(run: pd.DataFrame, topics: pd.DataFrame, chunks: ChunkMap | None) -> list[pd.DataFrame]:
    """Return the frames that measures read: ranked lists, answers with the columns of their questions, or both."""
    ranking = given_provisions(run) if has_answers(run) else run
    forms = [] if ranking is None else [scorable(ranking, topics)[["qid", "docno", "score", "given"]]]
    if has_answers(run):
        more = [name for name in topics.columns if name not in run.columns]
        answers = run.join(topics.set_index("qid")[more], on="qid")
        if chunks is not None and "context_docnos" in answers.columns:
            answers["context_docnos"] = [chunks.held(docnos) for docnos in answers["context_docnos"]]
        forms.append(answers)
    return forms


def _check_columns(measure: str, needed: frozenset[str], held: Sequence[set[str]]) -> None:
    """Check that some answers have the columns that a measure of answers needs.

    Raises:
        MeasureError: with the columns that are missing.
    """
    if needed == _RANKING or not held or any(needed <= columns for columns in held):
        return
    missing = ", ".join(map(repr, sorted(needed - set().union(*held))))
    raise MeasureError(
        f"The measure {measure} needs {missing}, which neither the answers nor their questions have: give a dataset "
        f"or a generator that has it, or add its judge to 'judges'."
    )


def _weighed(value: float) -> tuple[float, float]:
    return float(value), float(value.relevant if isinstance(value, Share) else 1.0)


def score_table(
    definition: Definition,
    runs: Mapping[str, pd.DataFrame],
    latencies: Mapping[str, Latency | None],
    per_query: pd.DataFrame,
    clusters: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return one row per system: the name, the measures, their statistics, counts of answers, the latency.

    For each measure, p-values are corrected over the systems that are compared with the baseline, as in
    ``pt.Experiment``; measures are not pooled. Without a correction ``reject`` compares the plain p-value with alpha.
    Two systems are compared over the queries for which the values of both are defined. A system to which a measure
    does not apply is not compared by it, nor are others if it is the baseline. Queries of one cluster (`clusters`, by
    qid) are drawn and tested together.
    """
    names = list(runs)
    columns: dict[str, object] = {"name": names}
    statistics: dict[str, object] = {}
    for measure in definition.measures:
        of_measure = per_query[per_query["measure"] == measure]
        pivoted = [
            of_measure.pivot(index="name", columns="qid", values=column).reindex(names)
            for column in ("value", "weight")
        ]
        values, weights = (frame.to_numpy(dtype=np.float64) for frame in pivoted)
        codes = codes_of(clusters, pivoted[0].columns)
        mean, low, high = means_and_intervals(values, weights, codes)
        if isinstance(parse_measure(measure).aggregator(), SumAgg):  # Such as NumRet.
            mean, low, high = (figures * values.shape[1] for figures in (mean, low, high))
        columns[measure] = mean
        statistics |= {f"{measure} low": low, f"{measure} high": high}
        if definition.baseline in names:
            statistics |= {
                f"{measure} {name}": column
                for name, column in _comparison(values, names.index(definition.baseline), definition, codes)
            }
    table = pd.DataFrame({**columns, **statistics})
    if any(map(has_answers, runs.values())):
        counts = pd.DataFrame([_counts(run) for run in runs.values()], columns=list(COUNT_COLUMNS), dtype="Int64")
        table = pd.concat([table, counts], axis=1)
    for column, value in zip(LATENCY_COLUMNS, ("median", "p95"), strict=True):
        table[column] = [_time(latencies.get(name), value) for name in names]
    return table


def codes_of(clusters: Mapping[str, str] | None, qids: Iterable[str]) -> Codes | None:
    """Return the number of the cluster of each query, from 0; None without clusters."""
    return None if clusters is None else pd.factorize(np.array([clusters[qid] for qid in qids], dtype=object))[0]


def means_and_intervals(
    values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], clusters: Codes | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return Σ w·v / Σ w of each row and the ends of its 95 % confidence interval, each of shape (rows,).

    Args:
        values: shape (rows, queries); NaN is left out.
        weights: of the same shape. A row whose weights are all 0 has the mean of its values, and an interval of that.
        clusters: number of the cluster of each query, from :func:`codes_of`.
    """
    rows, queries = values.shape
    empty = np.full(rows, np.nan)
    if not queries:
        return empty, empty.copy(), empty.copy()
    defined = ~np.isnan(values)
    shares = np.where(defined, weights, 0.0)
    nothing = shares.sum(axis=1) == 0
    shares[nothing] = defined[nothing]
    totals = shares.sum(axis=1)
    sums = (np.where(defined, values, 0.0) * shares).sum(axis=1)
    means = np.divide(sums, totals, out=empty, where=totals > 0)
    low, high = bootstrap_interval(np.where(defined, values, 0.0), resampling_counts(queries, clusters), shares)
    return means, low, high


def _comparison(
    values: npt.NDArray[np.float64], baseline: int, definition: Definition, clusters: Codes | None
) -> Iterator[tuple[str, object]]:
    """Yield the columns of the comparison with the row `baseline`, by name; none where nothing is compared."""
    test = paired_test(definition.test)
    won, lost = (np.zeros(len(values), dtype=np.int64) for _ in range(2))
    p = np.full(len(values), np.nan)
    for row in range(len(values)):
        both = ~np.isnan(values[row]) & ~np.isnan(values[baseline])
        if row == baseline or not both.any():
            continue
        ours, theirs = values[row][both], values[baseline][both]
        won[row], lost[row] = (ours > theirs).sum(), (ours < theirs).sum()
        p[row] = test(ours, theirs, _again(clusters, both))[1]
    compared = ~np.isnan(p)
    if not compared.any():
        return
    for sign, queries in (("+", won), ("-", lost)):
        yield sign, pd.array([int(n) if there else None for n, there in zip(queries, compared, strict=True)], "Int64")
    reject, after = np.zeros(len(values), dtype=bool), np.full(len(values), np.nan)
    reject[compared], after[compared] = corrected(p[compared], definition.correction, definition.alpha)
    yield from (("p-value", p), ("p-value corrected", after), ("reject", reject))


def _again(clusters: Codes | None, chosen: npt.NDArray[np.bool_]) -> Codes | None:
    """Return the numbers of the clusters of some queries, without gaps."""
    return None if clusters is None else np.unique(clusters[chosen], return_inverse=True)[1].astype(np.int64)


def compare_pairs(
    definition: Definition,
    measure: str,
    here: pd.DataFrame,
    there: pd.DataFrame,
    pairs: Sequence[tuple[str, str]],
    clusters: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the comparison of systems of two results by one measure: a row a pair with values of both.

    Args:
        definition: names the test, the correction and its level.
        measure: the measure.
        here: per-query values of one result (:data:`PER_QUERY_COLUMNS`).
        there: the scores of the other system.
        pairs: name of a system of each; the corrected p-values are over all pairs.
        clusters: cluster of each query, by qid.

    Returns:
        The columns of :meth:`legalir.experiments.result.ExperimentResult.compare`.
    """
    test = paired_test(definition.test)
    summed = isinstance(parse_measure(measure).aggregator(), SumAgg)
    rows = []
    for name, against in pairs:
        ours, theirs = _weighted(here, name, measure), _weighted(there, against, measure)
        both = pd.concat([ours, theirs], axis=1, join="inner").dropna()
        if both.empty:
            continue
        value, weight, value_there, weight_there = both.to_numpy(dtype=np.float64).T
        values, weights = np.array([value, value_there]), np.array([weight, weight_there])
        means, _, _ = means_and_intervals(values, weights)
        codes = codes_of(clusters, both.index)
        weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, 1.0)
        resampled = resampled_means(values, resampling_counts(len(both), codes), weights)
        low, high = percentile_ends(resampled[:1] - resampled[1:])
        factor = len(both) if summed else 1
        figures = [figure * factor for figure in (*means, means[0] - means[1], low[0], high[0])]
        won, lost = int((value > value_there).sum()), int((value < value_there).sum())
        rows.append((name, against, measure, *figures, won, lost, test(value, value_there, codes)[1]))
    columns = ["name", "against", "measure", "here", "there", "difference", "low", "high", "+", "-", "p-value"]
    table = pd.DataFrame(rows, columns=columns)
    if rows:
        reject, after = corrected(table["p-value"].to_numpy(), definition.correction, definition.alpha)
        table["p-value corrected"], table["reject"] = after, reject
    return table


def _weighted(per_query: pd.DataFrame, name: str, measure: str) -> pd.DataFrame:
    """Return value and weight of a system and measure, by qid."""
    rows = per_query[(per_query["name"] == name) & (per_query["measure"] == measure)]
    return rows.set_index("qid")[["value", "weight"]]


def _counts(run: pd.DataFrame) -> list[int | None]:
    """Return the values of :data:`COUNT_COLUMNS`; None for a ranked list, and for columns that a run does not have."""
    counted = run.assign(failed=run["reply_state"] != "ok") if "reply_state" in run.columns else run
    names = ("failed", "abstained", "prompt_tokens", "completion_tokens")
    return [int(counted[name].sum()) if name in counted.columns else None for name in names]


def _time(latency: Latency | None, name: str) -> float:
    return float("nan") if latency is None else float(getattr(latency, name))
