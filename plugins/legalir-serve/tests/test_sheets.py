"""Sheets that people rate: nobody loses a rating, one rater is one file, and what is saved is of the sheet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from served import client_of, service
from starlette.testclient import TestClient

from legalir.errors import ComponentError
from legalir_serve.sheets import KIND, SaveRequest, Sheets, person


def page(folder: Path, items: int = 30) -> Path:
    """Write a page with what the server reads of one."""
    path = folder / "berths.html"
    values = [{"value": value, "label": str(value)} for value in (0, 0.5, 1)]
    rows = [{"id": f"i{number}"} for number in range(items)]
    data = {"sheet": "s1", "kind": KIND, "title": "Berths", "noun": "answer", "items": rows}
    data["measures"] = [{"name": "coverage", "values": values}]
    policy = "default-src 'none'; script-src 'sha256-x'; connect-src 'none'"
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    body = f'<script type="application/json" id="data">{json.dumps(data)}</script><script>keptBy</script>'
    path.write_text(f"<html><head>{head}</head><body>{body}</body></html>", encoding="utf-8")
    return path


@pytest.fixture(name="client", scope="module")
def sheet_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("sheets")
    served = service(folder / "laws")
    with client_of(served, tools=False, sheets=Sheets([page(folder)], folder / "saved")) as client:
        client.app_folder = folder / "saved"  # type: ignore[attr-defined]
        yield client


def save(client: TestClient, rater: str, ratings: dict[str, Any], seen: str = "", **query: Any) -> Any:
    body = {"kind": KIND, "sheet": "s1", "rater": rater, "ratings": ratings}
    return client.put("/sheet/saved", params=query, json=body, headers={"if-match": seen} if seen else {})


def there(client: TestClient, rater: str) -> tuple[dict[str, Any], str]:
    reply = client.get("/sheet/saved", params={"rater": rater})
    assert reply.status_code == 200, reply.text
    return reply.json()["ratings"], reply.headers["etag"]


def rated(*numbers: int, value: float = 1) -> dict[str, Any]:
    return {f"i{number}": {"coverage": value} for number in numbers}


def test_the_page_saves_on_its_server_alone(client: TestClient) -> None:
    reply = client.get("/sheet?name=berths")
    policy = reply.headers["content-security-policy"]
    assert "connect-src 'self'" in policy and "script-src 'self' 'sha256-x'" in policy and "frame-ancestors" in policy
    (address,) = re.findall(r'<script src="/static/saving.js" data-saved="(.*?)">', reply.text)
    assert address == "/sheet/saved?name=berths" and client.get("/static/saving.js").status_code == 200
    assert client.get("/sheet").text.count("saving.js") == 1
    assert client.get("/sheet?name=berth").status_code == 404
    assert {"get", "put"} == set(client.get("/v1/openapi.json").json()["paths"]["/sheet/saved"])


def test_two_browsers_of_one_rater_lose_nothing(client: TestClient) -> None:
    (nothing, begun), (_, other) = there(client, "kim"), there(client, "kim")
    assert nothing == {} and begun == other
    first = save(client, "kim", rated(1, 2), begun)
    assert first.json() == {"rated": 2}
    late = save(client, "kim", rated(3), other)  # The second browser has not seen this.
    assert late.status_code == 412 and late.json()["there"]["ratings"] == rated(1, 2)
    assert late.json()["code"] == "changed" and late.headers["etag"] == first.headers["etag"]
    merged = save(client, "kim", {**rated(1, 2), **rated(3)}, late.headers["etag"])
    assert merged.status_code == 200 and len(there(client, "kim")[0]) == 3
    # Without a word on what was seen, ratings are only added.
    assert save(client, "kim", {}).status_code == 412
    assert save(client, "kim", rated(1, 2, 3, value=0)).status_code == 412
    assert save(client, "kim", rated(1, 2, 3, 4)).status_code == 200


def test_less_is_said(client: TestClient) -> None:
    save(client, "lee", rated(1, 2, 3))
    _, tag = there(client, "lee")
    refused = save(client, "lee", rated(1), tag)
    assert refused.status_code == 409 and "2 ratings" in refused.json()["error"]
    assert save(client, "lee", rated(1), tag, less=True).json() == {"rated": 1}
    (former,) = (client.app_folder / "berths-s1" / "history").glob("ratings-lee-*/*.json")  # type: ignore[attr-defined]
    assert json.loads(former.read_text())["ratings"] == rated(1, 2, 3)
    assert save(client, "lee", {"i1": {"coverage": 0}}, there(client, "lee")[1]).status_code == 200  # A change is none.


def test_a_rater_has_one_file(client: TestClient) -> None:
    save(client, "Zoë  Quay", rated(5))
    for spelling in ("Zoe\u0308 Quay", " zoë quay\u200b", "ZOË\u3000QUAY"):
        assert there(client, spelling)[0] == rated(5)
    assert save(client, "nobody yet", {}).json() == {"rated": 0}
    files = [*(client.app_folder / "berths-s1").glob("ratings-*.json")]  # type: ignore[attr-defined]
    assert sum("quay" in file.name for file in files) == 1 and not any("nobody" in file.name for file in files)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"sheet": "s2"}, "another sheet"),
        ({"kind": "other"}, "another sheet"),
        ({"ratings": rated(99)}, "There is no answer 'i99'"),
        ({"ratings": {"i1": {"beauty": 1}}}, "no measure 'beauty'"),
        ({"ratings": {"i1": {"coverage": 0.7}}}, "not one of 0, 0.5, 1"),
        ({"ratings": {"i1": {"coverage": "1"}}}, "not one of"),
        ({"ratings": {"i1": {"coverage": True}}}, "coverage"),
        ({"ratings": {"i1": {"comment": 1}}}, "remark"),
        ({"ratings": {"i1": {"comment": "x" * 2_001}}}, "2,000"),
        ({"ratings": [1]}, "ratings"),
        ({"rater": " \u200b "}, "name"),
        ({"rater": "x" * 81}, "80"),
        ({"more": "x" * 100_000}, "no parameter 'more'"),
        ({"more": "x" * 900_000}, "too large"),
    ],
)
def test_what_is_not_of_the_sheet_is_not_written(client: TestClient, changed: dict[str, Any], reason: str) -> None:
    body = {"kind": KIND, "sheet": "s1", "rater": "pat", "ratings": rated(1), **changed}
    reply = client.put("/sheet/saved", json=body)
    assert reply.status_code in (400, 413, 422) and reason in reply.json()["error"]
    assert there(client, "pat")[0] == {}


def asked(rater: str, ratings: dict[str, Any]) -> SaveRequest:
    return SaveRequest(kind=KIND, sheet="s1", rater=rater, ratings=ratings)


def test_bounds_and_many_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir_serve.sheets._FORMER", 3)
    monkeypatch.setattr("legalir_serve.sheets._RATERS", 2)
    sheets = Sheets([page(tmp_path)], tmp_path / "saved")
    for value in (0, 0.5, 1, 0, 0.5, 1):
        sheets.save("", asked("ann", rated(1, value=value)), sheets.saved("", "ann")[1])
    (folder,) = (tmp_path / "saved" / "berths-s1" / "history").iterdir()
    assert sorted(path.name for path in folder.iterdir()) == ["000003.json", "000004.json", "000005.json"]

    def add(number: int) -> None:
        for _ in range(100):
            content, tag = sheets.saved("", "ben")
            try:
                sheets.save("", asked("ben", {**content["ratings"], **rated(number)}), tag)
                return
            except ComponentError:
                continue

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(8)))
    assert len(sheets.saved("", "ben")[0]["ratings"]) == 8
    with pytest.raises(ComponentError, match="2 people"):
        sheets.save("", asked("eve", rated(1)))
    with pytest.raises(ComponentError, match="name"):
        person("")


def test_what_is_no_sheet(tmp_path: Path) -> None:
    (tmp_path / "other.html").write_text("<p>")
    for place, reason in (tmp_path / "other.html", "not a sheet"), (tmp_path / "none.html", "There is no sheet"):
        with pytest.raises(ComponentError, match=reason):
            Sheets([place], tmp_path / "saved")
    with pytest.raises(ComponentError, match="--sample"):
        Sheets([page(tmp_path, 12_000)], tmp_path / "saved")
    (tmp_path / "file").write_text("")
    with pytest.raises(ComponentError, match="give another --saved"):
        Sheets([page(tmp_path)], tmp_path / "file")
