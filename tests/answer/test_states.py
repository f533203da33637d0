"""States: which of them a question asks the law of."""

from __future__ import annotations

import pytest

from legalir.answer.states import candidates, mentions


@pytest.mark.parametrize(
    ("query", "states"),
    [
        ("Wie lang ist die Frist nach Schweizer Recht?", ["Switzerland"]),
        ("was sagt das österreichische mietrecht zur kaution", ["Austria"]),
        ("Is a bias audit needed under Japanese employment law?", ["Japan"]),
        ("Does Colorado require an audit?", ["United States/Colorado"]),
        ("What must a data controller do under GDPR?", ["European Union"]),
        ("Combien de jours de congé a-t-on aux États-Unis ?", ["United States"]),
        ("Come si ottiene il divorzio in Spagna?", ["Spain"]),
        ("¿Qué edad mínima fija la ley alemana?", ["Germany"]),
        ("Ile wynosi płaca minimalna w Czechach?", ["Czechia"]),
        ("Ở Mỹ, kết hôn cần điều kiện gì?", ["United States"]),
        ("Bagaimana aturan warisan di Belanda?", ["Netherlands"]),
        ("일본 민법에서 유류분은?", ["Japan"]),
        ("在法国租房要押金吗？", ["France"]),
        ("ドイツでは何歳から選挙権がありますか？", ["Germany"]),
        ("กฎหมายญี่ปุ่นกำหนดไว้อย่างไร", ["Japan"]),
        ("ما هي شروط الطلاق في مصر؟", ["Egypt"]),
        ("ماذا يقول القانون الألماني عن الطلاق؟", ["Germany"]),
        ("what is the drinking age in the us", ["United States"]),
        ("Mein Vater lebt in Österreich. Muss er Unterhalt zahlen?", []),
        ("Kann mein in Italien lebender Bruder erben?", []),
        ("Is a company active in Germany and listed in France bound by it?", []),
        ("Das Auto kam aus Italien. Haftet der Verkäufer?", []),
        ("일본에서 수입한 소화기도 검사를 받나요?", []),
        ("我老公是美国人，怎么办？", []),
        ("Wer haftet, wenn der Flug in die USA ausfällt?", []),
        ("Does a French law firm count as an employer?", []),
        ("Di perusahaan, siapa yang bertanggung jawab?", []),
        ("Pháp luật quy định thế nào? Anh A có đúng không?", []),
        ("Please tell us about it. " * 20 + "What is the rule under Swiss law?", []),
    ],
)
def test_the_states_whose_law_is_asked_for(query: str, states: list[str]) -> None:
    assert [one.state for one in mentions(query) if one.asked] == states


def test_the_law_of_each_language_may_be_that_of_its_states_and_their_parts() -> None:
    assert list(candidates("ko")) == ["South Korea"]
    assert {"Germany", "Austria", "Germany/Bavaria"} <= set(candidates("de"))
    assert {"Japan", "Brazil"} <= set(candidates("und"))
