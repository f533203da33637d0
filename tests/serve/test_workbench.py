"""Results of experiments and sheets on the server: what is shown, what is saved, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import SCRIPT, client_of, service
from split_folder import write_splits
from starlette.testclient import TestClient

from legalir.errors import ComponentError, DatasetNotFound, LegalIRError
from legalir.experiment.runner import run
from legalir.serve.service import Service
from legalir.serve.workbench import Workbench
from legalir_study.review import read_decisions
from legalir_study.sheet import read_ratings

CORPUS = [
    {"docno": "a", "title": f"Pier Act {SCRIPT}", "text": "A lamp of a pier is lit at night."},
    {"docno": "b", "title": "Fee Act", "text": "The fee for a lamp is 5 crowns."},
    {"docno": "c", "title": "Boat Act", "text": "A boat has an anchor."},
]
QUERIES = [
    {"qid": "q1", "query": "When is the lamp lit?", "answer": "At night."},
    {"qid": "q2", "query": f"What is the fee {SCRIPT}?", "answer": "5 crowns."},
]
SYSTEMS = {"words": "bm25", "fields": "bm25f", "answers": "bm25 % 2 >> quote"}


@pytest.fixture(name="places", scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the folder of a collection, and that of the result of an experiment on it."""
    home = tmp_path_factory.mktemp("bench")
    folder = write_splits(home / "piers", CORPUS, QUERIES, {"test": ["q1 0 a 1", "q2 0 b 1"]}, lang="en")
    (folder / "queries.jsonl").rename(folder / "queries.test.jsonl")
    definition = {
        "title": f"Piers {SCRIPT}",
        "dataset": f"{folder}/test",
        "measures": ["nDCG@10", "R@1", "CitationF1"],
        "baseline": "words",
        "systems": SYSTEMS,
    }
    run(definition, home / "result", latency_queries=0)
    return folder, home / "result"


@pytest.fixture(name="bench")
def opened(places: tuple[Path, Path], tmp_path: Path) -> Workbench:
    folder, result = places
    return Workbench([str(result)], [str(result), f"{folder}:test"], tmp_path / "saved")


@pytest.fixture(name="client")
def served(bench: Workbench, places: tuple[Path, Path]) -> Iterator[TestClient]:
    with client_of(Service({"piers": places[0]}), workbench=bench, tools=False) as client:
        yield client


def ratings(bench: Workbench, rater: str = "Kim", value: float = 1.0) -> dict[str, Any]:
    page = bench.sheet("result").page("/s")
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    values = {item["id"]: {"coverage": value, "contradiction": 0.0} for item in data["items"]}
    return {"kind": data["kind"], "version": 1, "sheet": data["sheet"], "rater": rater, "ratings": values}


def test_results_and_their_questions(client: TestClient) -> None:
    assert "Piers &lt;script&gt;" in client.get("/results").text
    page = client.get("/result?name=result").text
    assert "<script>alert" not in page and "When is the lamp lit?" in page
    for system in SYSTEMS:
        assert f'<th scope="row">{system}' in page
    for order in ("lost", "won"):
        assert client.get(f"/result?name=result&order={order}").text.count("/result/question?") == 2
    page = client.get("/result/question?name=result&qid=q2").text
    assert "<script>alert" not in page and "5 crowns." in page
    # Each provision leads to its page, because its collection is served.
    assert "collection=piers" in page and "docno=b" in page
    assert client.get("/result/question?name=result&qid=q9").status_code == 404
    assert client.get("/result?name=resulx").status_code == 404


def test_without_a_workbench_there_are_no_such_pages(tmp_path: Path) -> None:
    with client_of(service(tmp_path)) as client:
        assert client.get("/results").status_code == 404
        assert "/results" not in client.get("/").text


def test_what_a_person_says_is_saved(client: TestClient, bench: Workbench, tmp_path: Path) -> None:
    page = client.get("/sheet?name=result")
    assert "script-src 'sha256-" in page.text and "connect-src 'self'" in page.text
    assert page.headers["content-security-policy"] == "base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
    assert client.get("/sheet/saved?name=result&rater=Kim").json() == {}
    for value in (0.5, 1.0):
        assert client.put("/sheet/saved?name=result", json=ratings(bench, value=value)).status_code == 204
    assert client.put("/sheet/saved?name=result", json=ratings(bench, "../Kim")).status_code == 204
    files = sorted((tmp_path / "saved" / "result").iterdir())
    assert len(files) == 2 and bench.raters("result") == 2
    assert {read_ratings(path).rater for path in files} == {"Kim", "../Kim"}
    kim = next(path for path in files if path.name.startswith("Kim-"))
    assert set(read_ratings(kim).values["coverage"].values()) == {1.0}
    assert client.get("/sheet/saved?name=result&rater=Kim").json()["rater"] == "Kim"
    assert "2 filled in" in client.get("/results").text

    decided = {"kind": "legalir decisions", "sheet": "x", "split": "test", "rater": "Lee"}
    decided["decisions"] = {"q1": {"decision": "accept"}}  # type: ignore[assignment]
    assert client.put("/sheet/saved?name=piers-test", json=decided).status_code == 204
    (path,) = (tmp_path / "saved" / "piers-test").glob("Lee-*.json")
    assert read_decisions(path).decisions["q1"].decision == "accept"


def test_what_is_refused(client: TestClient, bench: Workbench, tmp_path: Path) -> None:
    good, address = ratings(bench), "/sheet/saved?name=result"
    assert client.put(address, json=good, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert client.put(address, content=json.dumps(good), headers={"content-type": "text/plain"}).status_code == 403
    assert client.put(address, json={**good, "rater": " "}).status_code == 400
    assert client.put(address, json={**good, "rater": "x" * 81}).status_code == 400
    assert client.put(address, json={**good, "kind": "other"}).json()["error"].startswith("What is to be saved is not")
    assert client.put(address, json={**good, "ratings": {"i": {"coverage": 7}}}).status_code == 400
    for content in (b"[" * 100_000, b"\xff", b"null"):
        reply = client.put(address, content=content, headers={"content-type": "application/json"})
        assert reply.status_code == 400, content[:5]
    assert client.put(address, content=b"1" * 2_000_000).status_code == 413
    assert client.put(address, content=(part for part in [b"{}"])).status_code == 411
    assert client.put("/sheet/saved?name=nothing", json=good).status_code == 404
    assert not (tmp_path / "saved").exists()


def test_there_is_an_end_of_people(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir.serve.workbench._RATERS", 1)
    bench.save("result", json.dumps(ratings(bench)))
    bench.save("result", json.dumps(ratings(bench)))
    with pytest.raises(ComponentError, match="1 people have filled in"):
        bench.save("result", json.dumps(ratings(bench, "Lee")))


def test_a_folder_that_cannot_be_written(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "saved").write_text("a file")
    with pytest.raises(LegalIRError, match="cannot be written"):
        bench.save("result", json.dumps(ratings(bench)))


@pytest.mark.parametrize(
    ("results", "sheets", "reason"),
    [
        (["{home}"], [], "holds no experiment result"),
        ([], ["{folder}"], "neither the directory of a result nor FOLDER:SPLIT"),
        ([], ["{folder}:nix"], "its splits are test"),
    ],
)
def test_mistakes_are_told_at_the_start(
    places: tuple[Path, Path], results: list[str], sheets: list[str], reason: str
) -> None:
    given = {"folder": str(places[0]), "home": str(places[0].parent)}
    with pytest.raises(LegalIRError, match=reason):
        Workbench([one.format(**given) for one in results], [one.format(**given) for one in sheets])


def test_a_new_run_is_read(places: tuple[Path, Path], bench: Workbench) -> None:
    _, result = places
    before = bench.result("result")
    assert bench.result("result") is before
    before.save(result)
    assert bench.result("result") is not before
    with pytest.raises(DatasetNotFound, match="Did you mean"):
        bench.result("results")
