import functools
import json
from pathlib import Path
from typing import Any

import pytest
from of_format import (
    check_conformance,
    documents_of,
    law_of,
)

from legalir.errors import DataError
from legalir.statutes.sources.fr_legi import FORMATS

(FORMAT,) = FORMATS
CODE = "LEGITEXT000000000001"
PARIS, UTC, OPEN = 1451602800000, 1451606400000, 32472144000000
"""2016-01-01 at midnight in Paris and in UTC, and 2999-01-01."""


def article(number: str, html: str, **more: object) -> dict[str, object]:
    own = f"LEGIARTI00000000{len(number)}{number[-1]}"
    data = {"num": number, "cid": own, "id": own, "etat": "VIGUEUR", "dateDebut": UTC, "dateFin": OPEN}
    return {"type": "article", "data": {**data, "texte": "", "texteHtml": html, "nota": "", **more}}


def section(title: str, *children: object) -> dict[str, object]:
    return {"type": "section", "data": {"title": title, "cid": "LEGISCTA1", "etat": "VIGUEUR"}, "children": children}


def code(*children: object) -> str:
    data = {"title": "Code des radeaux", "cid": CODE, "dateDebutVersion": "2026-05-28", "dateModif": "2026-05-28"}
    return json.dumps({"type": "code", "data": data, "children": children})


LINK = f'<a href="/affichCodeArticle.do?cidTexte={CODE}&idArticle=LEGIARTI000000009999&dateTexte=">L. 1-1</a>'
OTHER = '<a href="/affichTexte.do?cidTexte=JORFTEXT000000000007&amp;categorieLien=cid">loi n° 7</a>'
WEB = '<a href="http://example.org">site</a>'
VERSIONS = [{"id": "LEGIARTI000000009999", "dateDebut": PARIS, "dateFin": UTC}]
SAMPLE = code(
    section(
        "Livre Ier : LES LAMPES",
        section("Titre unique", article("L1-1", "<p>Une lampe<br/>éclaire.</p>", articleVersions=VERSIONS)),
    ),
    section(
        "Livre II : Les radeaux",
        article("R*2-1", f"<p>Voir {LINK}, la {OTHER} et le {WEB}.</p>", nota="Une note.", dateDebut=PARIS),
        article("L2-3", "<p>Vide.</p>", etat="ABROGE", dateFin=UTC + 86_400_000),
        article("L2-4", "<p>Encore.</p>", etat="ABROGE_DIFF", dateFin=2_000_000_000_000),
        article("Annexe I", "<table><tr><th colspan='2'>A</th></tr><tr><td rowspan='2'>b</td><td>c</td></tr>"
                "<tr><td>d<br/>e</td></tr></table>"),
    ),
)  # fmt: skip


def test_tree() -> None:
    law = law_of(FORMAT, SAMPLE, "c.json")
    assert (law.law_id, law.title, law.level, law.effective_from) == (CODE, "Code des radeaux", "act", "2026-05-28")
    documents = documents_of(law)
    assert {number: one.text for number, one in documents.items()} == {
        "L1-1": "Une lampe\néclaire.",
        "R*2-1": "Voir L. 1-1, la loi n° 7 et le site.",
        "L2-3": "",
        "L2-4": "Encore.",
        "annex-1": "A\nb | c\nb | d e",
    }
    path = [(unit.kind, unit.level, unit.number, unit.label, unit.heading) for unit in documents["L1-1"].above[1:]]
    assert path == [("group", "livre", "1", "Livre Ier", "LES LAMPES"), ("group", "titre", "", "Titre unique", "")]
    assert law.counts()[2] == {"title": 14, "number": 24, "editor's note": 8}


def test_dates_and_repeal() -> None:
    documents = documents_of(law_of(FORMAT, SAMPLE, "c.json"))
    dates = {number: (one.unit.effective_from, one.unit.effective_to) for number, one in documents.items()}
    assert dates["L1-1"] == dates["R*2-1"] == ("2016-01-01", "")
    assert dates["L2-3"] == ("2016-01-01", "2016-01-02")
    assert [number for number, one in documents.items() if one.unit.repealed] == ["L2-3"]


def test_links_lead_to_the_article_through_time() -> None:
    law = law_of(FORMAT, SAMPLE, "c.json")
    links = [link for unit in law.root.walk() for link in unit.links]
    assert [(link.law, link.key, law.text[link.start : link.end]) for link in links] == [
        ("", "LEGIARTI0000000041", "L. 1-1"),
        ("JORFTEXT000000000007", "", "loi n° 7"),
    ]
    assert "1 articles have other wordings" in law.notes[0]


def test_a_reply_of_the_publishers_api() -> None:
    def as_reply(node: dict[str, Any], order: int) -> dict[str, Any]:
        nodes = list(enumerate(node["children"]))[::-1]  # `intOrdre` says where each stands.
        return {
            **node["data"],
            "intOrdre": order,
            "sections": [as_reply(each, at) for at, each in nodes if each["type"] == "section"],
            "articles": [
                {**each["data"], "content": each["data"]["texteHtml"], "texteHtml": None, "intOrdre": at}
                for at, each in nodes
                if each["type"] == "article"
            ],
        }

    reply = json.dumps(as_reply(json.loads(SAMPLE), 0))
    assert FORMAT.recognises(Path("c.json"), reply.encode())
    law, tree = law_of(FORMAT, reply, "c.json"), law_of(FORMAT, SAMPLE, "c.json")
    assert (law.law_id, law.title, law.text) == (tree.law_id, tree.title, tree.text)
    assert {number: one.text for number, one in documents_of(law).items()} == {
        number: one.text for number, one in documents_of(tree).items()
    }


DEEP = functools.reduce(lambda inner, _: {"title": "a", "sections": [inner]}, range(300), dict[str, object]())


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (json.dumps(DEEP).encode(), "c.json: more than 100 sections"),
        (
            code(functools.reduce(lambda inner, _: section("a", inner), range(300), section("b"))).encode(),
            "c.json: more",
        ),
        (SAMPLE.encode()[:200], "c.json, line 1, column 200: not JSON"),
        ("é".encode("latin-1"), "c.json: not UTF-8 at byte 0"),
        (b"[]", "c.json: no code at its root"),
        (code({"type": "article"}).encode(), "c.json: a node of the tree has no 'data', after the title."),
    ],
)
def test_a_broken_file_is_one_sentence(data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        list(FORMAT.read(Path("c.json"), data))


def test_entities_in_html_are_not_read_from_files() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><p>&a;b</p>'
    law = law_of(FORMAT, code(article("L1", bomb)), "c.json")
    assert documents_of(law)["L1"].text.endswith("b")
    assert len(law.text) < 200


def test_conformance(tmp_path) -> None:
    (tmp_path / "c.json").write_text(SAMPLE, encoding="utf-8")
    check_conformance("fr_legi", tmp_path)
