"""A question among the provisions around it, in two dimensions, as in the paper's Figure 2."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from legalir import Collection
from legalir.extras import require


def draw(collection: Collection, qid: str, gold: set[str], seeds: int, path: Path) -> None:
    """Draw the first provisions of a question, what they cite, its gold provisions, and the links between them.

    Places are the first two principal components of the LSA vectors, question included.
    """
    topics = collection.topics()[["qid", "query"]]
    question = topics[topics["qid"] == qid]
    index = collection.dense("lsa(analyzer='jamo3')")
    first = list((collection.pipeline('lsa("jamo3")') % seeds).transform(question)["docno"])
    graph = collection.graph
    cited = [target for seed in first for target in graph.cites(seed)]
    shown = list(dict.fromkeys([*first, *cited, *sorted(gold)]))
    row = {docno: number for number, docno in enumerate(index.docnos)}
    vectors = np.asarray(index.vectors, dtype=np.float64)[[row[docno] for docno in shown]]
    asked = np.stack(index.query_encoder().transform(question)["query_vec"].to_list())
    places = _components(np.concatenate([vectors, asked]))
    at = dict(zip([*shown, "question"], places, strict=True))

    _plot(at, links_among(collection, shown), set(first), gold, f"Question {qid} of {collection.id}", path)


def links_among(collection: Collection, docnos: list[str]) -> list[tuple[str, str]]:
    """Return the citations from one of `docnos` to another."""
    graph = collection.graph
    return [(source, target) for source in docnos for target in graph.cites(source) if target in set(docnos)]


def _plot(
    at: dict[str, npt.NDArray[np.float64]],
    links: list[tuple[str, str]],
    first: set[str],
    gold: set[str],
    title: str,
    path: Path,
) -> None:
    matplotlib = require("matplotlib", extra="report")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams.update({"svg.hashsalt": "legalir", "svg.fonttype": "none", "font.size": 9})
    figure, axes = pyplot.subplots(figsize=(9, 6))
    for source, target in links:
        strong = source in first and target in gold
        line = {"color": "#17804f", "lw": 1.6} if strong else {"color": "#c3cad4", "lw": 0.7}
        axes.annotate("", at[target], at[source], arrowprops={"arrowstyle": "-|>", "shrinkA": 4, "shrinkB": 4, **line})
    docnos = [docno for docno in at if docno != "question"]
    kinds = [
        ("cited by one of the first", set(docnos) - first - gold, "o", "#b9cdec", 26),
        (f"first {len(first)}", first - gold, "o", "#2458b3", 34),
        ("gold, among the first", first & gold, "s", "#17804f", 60),
        ("gold, not among the first", gold - first, "s", "#b8442c", 60),
    ]
    for label, members, marker, colour, size in kinds:
        if members:
            points = np.array([at[docno] for docno in docnos if docno in members])
            axes.scatter(points[:, 0], points[:, 1], s=size, marker=marker, color=colour, label=label, zorder=3)
    axes.scatter(*at["question"], s=130, marker="*", color="#e0a100", label="question", zorder=4)
    for docno in gold:
        axes.annotate(docno, at[docno], xytext=(6, 6), textcoords="offset points", weight="bold", zorder=5)
    axes.set(xticks=[], yticks=[], title=title)
    axes.legend(frameon=False, loc="best")
    for side in axes.spines.values():
        side.set_visible(False)
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)


def _components(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the first two principal components, their signs fixed."""
    centred = vectors - vectors.mean(axis=0)
    left, scale, _ = np.linalg.svd(centred, full_matrices=False)
    places: npt.NDArray[np.float64] = left[:, :2] * scale[:2]
    return places * np.where(places[np.abs(places).argmax(axis=0), [0, 1]] < 0, -1, 1)
