"""The report: one file, whole, escaped, self-contained, with links that lead somewhere."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fake_collection import DEFINITION, TOPICS, FakeCollection, page_of

from legalir.errors import MissingExtra
from legalir.experiments import ExperimentResult, run
from legalir.experiments.html import difference_chart, headline, legend, measure_panels
from legalir.experiments.queries import QueryFacts, anchor, extremes

VOID = {"meta", "br", "line", "path"}


class Page(HTMLParser):
    """Checks nesting, and collects ids, links, and everything a page would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name == "href":
                self.links.append(value or "")
            elif name in {"src", "srcset", "data"} or tag in {"link", "script", "iframe", "img", "object"}:
                self.loads.append(f"{tag} {name}={value}")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def result(**changes: object) -> ExperimentResult:
    return run({**DEFINITION, **changes}, collection=FakeCollection())  # type: ignore[arg-type]


def test_a_page_is_well_formed_and_needs_nothing_else(tmp_path: Path) -> None:
    path = result().report(tmp_path / "deep" / "report.html")
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert page.loads == []
    assert "http" not in text and "url(" not in text and "@import" not in text
    assert len(page.ids) == len(set(page.ids))
    assert page.links and {link.removeprefix("#") for link in page.links} <= set(page.ids)


def test_a_page_shows_what_was_asked_and_found() -> None:
    page = Page(page_of(result(description="First.\n\nSecond.", notes="Mind the gap.")))
    for words in (
        "설치 기준 실험",
        "First.",
        "Second.",
        "Mind the gap.",
        "87.50",
        "Paper",
        "Somebody 2020",
        "strong % 1",
    ):
        assert words in page.text
    for query in TOPICS["query"]:
        assert query in page.text
    assert "제1조(설치)" in page.text
    assert page.text.count("baseline") >= 2


def test_words_of_users_are_never_markup() -> None:
    text = page_of(
        result(title="<script>x</script>", systems={"<i>A": "weak", "B&B": "strong"}, baseline="<i>A", notes="<b>n</b>")
    )
    assert "<script" not in text and "<i>" not in text and "<b>50%" not in text
    assert "&lt;b&gt;50% &amp; more" in text and "B&amp;B" in text


@pytest.mark.parametrize(
    "changes",
    [
        {"baseline": None},
        {"systems": {"약함": "weak"}},
        {"systems": {"약함": "weak"}, "baseline": None, "references": []},
        {"systems": {"약함": "weak", "nothing": "none"}},
        {"systems": {"nothing": "none"}, "baseline": None},
        {"systems": {"약함": "weak", "again": "weak"}},
        {"correction": None},
        {"measures": ["NumRet", "MicroR@2"]},
    ],
)
def test_unusual_experiments_have_a_page_too(changes: dict[str, object]) -> None:
    page = Page(page_of(result(**changes)))
    assert "nan" not in page.text.lower()


def test_a_page_without_times_and_from_disk_is_the_same(tmp_path: Path) -> None:
    first = run(DEFINITION, tmp_path, collection=FakeCollection(), latency_queries=0)  # type: ignore[arg-type]
    text = page_of(first)
    assert "Response time" not in text
    assert page_of(ExperimentResult.load(tmp_path)) == text


def test_without_jinja_the_cure_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = result()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtra, match=re.escape("pip install 'legalir[report]'")):
        found.report(tmp_path / "x.html")
    assert list(tmp_path.iterdir()) == []


def test_headlines() -> None:
    assert headline(result().scores, 4) == (
        "Strong is best by R@2: 87.50, 50.00 more than the baseline 약함 "
        "(p = .183 after Holm correction; 3 queries better, 0 worse, 1 equal)."
    )
    assert headline(result(baseline="Strong").scores, 4) == (
        "No system is better than the baseline Strong by R@2 (87.50); Strong, first only is next with 75.00 "
        "(p = .391 after Holm correction; 0 queries better, 1 worse, 3 equal)."
    )
    assert headline(result(baseline=None).scores, 4) == "Strong has the highest R@2: 87.50."
    assert "Holm" in legend(result().scores) and "Holm" not in legend(result(correction=None).scores)


def test_bars_by_hand() -> None:
    found = result()
    rows = found.scores.rows
    panel = measure_panels(found.scores)[0]
    assert [bar.kind for bar in panel.bars] == ["baseline", "leader", "other"]
    scale = max(cell.high for cell in (row.cells[0] for row in rows if not row.published))
    assert panel.bars[1].width == pytest.approx(100 * 0.875 / scale)
    assert panel.baseline == panel.bars[0].width
    assert all(bar.low <= bar.width <= bar.high <= 100 for bar in panel.bars)


def test_differences_by_hand() -> None:
    chart = difference_chart([("a", 0.0), ("b", -0.25), ("c", 0.5), ("d", 0.75)])
    assert (chart.won, chart.equal, chart.lost) == (2, 1, 1)
    assert (chart.top, chart.bottom) == (0.75, -0.25)
    # A height of 200 spans 0.75 + 0.25; zero lies at 150 from the top; the gap of the equal ones is 1 wide.
    assert chart.zero == pytest.approx(150)
    assert [(bar.qid, bar.x, bar.y, bar.height) for bar in chart.bars] == [
        ("d", 0, 0, 150),
        ("c", 1, 50, 100),
        ("b", 3, 150, 50),
    ]
    assert chart.width == 4
    assert chart.path(True).count("M") == 2
    # Three bars among many equal queries are as wide as one in forty.
    assert difference_chart([("w", 1.0), ("l", -1.0), *[(str(n), 0.0) for n in range(90)]]).width == 40
    assert difference_chart([("a", 0.0)]).bars == ()


def test_lists_of_queries() -> None:
    found = result()
    changes = [("q1", 0.5), ("q2", -0.5), ("q3", 0.0), ("q4", 0.75)]
    assert [qid for qid, _ in extremes(changes, 5, 1)] == ["q4", "q1"]
    assert [qid for qid, _ in extremes(changes, 5, -1)] == ["q2"]
    slow = QueryFacts(found.context, found.per_query, "R@2", found.system_runs).slowest(3)
    assert len(slow) == 3 and [line.value for line in slow] == sorted((line.value for line in slow), reverse=True)


def test_anchors_are_safe_and_distinct() -> None:
    qids = ["q1", "q 1", "q_1", "q-1", 'q"1', "문1", "q_201"]
    anchors = [anchor(qid) for qid in qids]
    assert len(set(anchors)) == len(qids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+", name) for name in anchors)
