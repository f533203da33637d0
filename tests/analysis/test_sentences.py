"""Where sentences of statutes begin and end."""

from __future__ import annotations

import pytest

from legalir.analysis.sentences import Outline, split_sentences
from legalir.analysis.wording import contradicts, decisive
from legalir.answer.quote import _joined


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\u2028\t", []),
        ("비상구를 둔다. 다만, 창고는 그러하지 아니하다.", ["비상구를 둔다.", "다만, 창고는 그러하지 아니하다."]),
        ("① 통로를 둔다. ② 너비는 2미터로 한다.", ["① 통로를 둔다.", "② 너비는 2미터로 한다."]),
        ("다음과 같다.\n1. 소화기\n가. 분말\n나. 가스", ["다음과 같다.", "1. 소화기", "가. 분말", "나. 가스"]),
        ("2024. 1. 31. 시행한다.", ["2024. 1. 31. 시행한다."]),
        ("너비 1.5미터 이상(지하는 3. 2미터)", ["너비 1.5미터 이상(지하는 3. 2미터)"]),
        ("See Art.  5 of it.", ["See Art. 5 of it."]),
        ("(창고를 말한다). 이하 같다.", ["(창고를 말한다).", "이하 같다."]),
        (
            "See Art. 5 of the Act. It applies! Does it? Yes.",
            ["See Art. 5 of the Act.", "It applies!", "Does it?", "Yes."],
        ),
        ("The lamp is lit. The answer is no. It stays.", ["The lamp is lit.", "The answer is no.", "It stays."]),
        (
            "Under No. (4) of 2013, reg. V and Mr. Bell. (2) Boats.",
            ["Under No. (4) of 2013, reg. V and Mr. Bell.", "(2) Boats."],
        ),
        (
            "Nach Nr. III lit. a, z. B. Boote, gilt Abs. 2. Es gilt.",
            ["Nach Nr. III lit. a, z. B. Boote, gilt Abs. 2. Es gilt."],
        ),
        (
            "Zgodnie z art. V lit. a statek, tj. Tratwa, stoi. Tak.",
            ["Zgodnie z art. V lit. a statek, tj. Tratwa, stoi.", "Tak."],
        ),
        ("Los barcos, p. ej. Veleros, salen. Es así.", ["Los barcos, p. ej. Veleros, salen.", "Es así."]),
        ("He said “no.” Then he left.", ["He said “no.”", "Then he left."]),
        ("第一条のとおり。ただし書。", ["第一条のとおり。", "ただし書。"]),
        ("ทางเดินต้องกว้าง 2 เมตร\nเว้นแต่ชั้นใต้ดิน", ["ทางเดินต้องกว้าง 2 เมตร", "เว้นแต่ชั้นใต้ดิน"]),
        ("นายท่ามีหน้าที่ดังนี้ (๑) จุดไฟ (๒) ปิดประตูตามข้อ (๓) ทุกคืน", ["นายท่ามีหน้าที่ดังนี้", "(๑) จุดไฟ", "(๒) ปิดประตูตามข้อ (๓) ทุกคืน"]),
        ("ให้เรือออก ในกรณีที่เรือจม ให้คืนเงิน ทั้งนี้ ตามระเบียบ", ["ให้เรือออก", "ในกรณีที่เรือจม ให้คืนเงิน", "ทั้งนี้ ตามระเบียบ"]),
        # A condition of what is before it, one within a rule, and one that points back.
        ("ให้เรือออก ถ้าเรือมีไฟ", ["ให้เรือออก ถ้าเรือมีไฟ"]),
        ("ผู้ใดนำเรือออก ถ้าเรือไม่มีไฟ ต้องระวางโทษปรับ", ["ผู้ใดนำเรือออก ถ้าเรือไม่มีไฟ ต้องระวางโทษปรับ"]),
        ("ให้เรือออก เมื่อเรือนั้นจม ให้คืนเงิน", ["ให้เรือออก เมื่อเรือนั้นจม ให้คืนเงิน"]),
        ("line one\r\nline two\x0bthree", ["line one", "line two", "three"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


def test_nothing_is_lost() -> None:
    text = "① 가나다. 라마 1.2 바.\n(사아)。자차! ② “카타.” 파하? "
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_a_long_text_is_no_trouble() -> None:
    # Quadratic time would take minutes.
    assert len(split_sentences("가나다라 " * 200_000)) == 1
    assert len(split_sentences(" " * 200_000 + "가")) == 1
    assert len(split_sentences("말한다. " * 100_000)) == 100_000
    assert len(split_sentences("เรือ ถ้าเรือ " * 20_000)) == 1
    assert len(split_sentences("the keeper of the lighthouse shall light the lamp after the\n" * 20_000)) == 1
    assert decisive("a" * 60_000) == decisive("만" * 60_000) == []


@pytest.mark.parametrize(
    ("text", "chosen", "expected"),
    [
        (
            "문을 연다. 다만, 밤에는 닫는다. 이 경우 알린다. 끝낸다.",
            "연다",
            "문을 연다. 다만, 밤에는 닫는다. 이 경우 알린다.",
        ),
        ("船は出る。ただし、嵐の日は除く。港は開く。", "嵐", "船は出る。ただし、嵐の日は除く。"),
        ("船主应当登记。但是小船除外。港口开放。", "登记", "船主应当登记。但是小船除外。"),
        (
            "The boat leaves. However, it waits for mail. It is red.",
            "boat",
            "The boat leaves. However, it waits for mail.",
        ),
        (
            "Das Boot fährt ab. Dies gilt nicht bei Sturm. Es ist rot.",
            "Boot",
            "Das Boot fährt ab. Dies gilt nicht bei Sturm.",
        ),
        (
            "Båten går enligt 3 kap. 4 §. I sådana fall väntar den. Den är röd.",
            "går",
            "Båten går enligt 3 kap. 4 §. I sådana fall väntar den.",
        ),
        ("Le bateau part. Toutefois, il attend. Il est rouge.", "part", "Le bateau part. Toutefois, il attend."),
        ("เรือต้องออก\nเว้นแต่มีพายุ", "ออก", "เรือต้องออก เว้นแต่มีพายุ"),
        ("Tàu rời bến. Tuy nhiên, tàu chờ thư. Tàu đỏ.", "rời", "Tàu rời bến. Tuy nhiên, tàu chờ thư."),
        ("다음과 같다.\n1. 배\n가. 큰 배\n나. 작은 배\n2. 차", "작은", "다음과 같다. 1. 배 … 나. 작은 배"),
        ("다음과 같다.\n1. 배\n2. 차\n다만, 밤은 뺀다.", "차", "다음과 같다. … 2. 차 다만, 밤은 뺀다."),
        ("A person must:\n(a) stop;\n(b) call; or\n(c) wait.", "wait", "A person must: … (c) wait."),
        ("有下列行为之一的，处罚：\n(一)停船；\n(二)撞船。", "撞船", "有下列行为之一的，处罚： … (二)撞船。"),
        ("Boats (see Art. 5.\nNow void) leave. They are red.", "leave", "Boats (see Art. 5. Now void) leave."),
        ("Boats:\n1. red;\n2. old\nOld is ten.\n3. big.", "big", "Boats: … 3. big."),
        ("Boats:\n1. red;\n2. old\nOld is ten.\n3. big.", "ten", "Boats: … 2. old Old is ten."),
        ("Boats:\n1. red;\n2. old\nOld is ten.\n3. big.", "old", "Boats: … 2. old"),
        ("Boats:\n(h) red;\n(i) old;\n(j) big.", "old", "Boats: … (i) old;"),
        ("Boats:\n(h) red:\n(i) old;\n(ii) new.", "old", "Boats: (h) red: (i) old;"),
        ("ให้เรือออก เมื่อเรือจม ให้คืนเงิน ทั้งนี้ ตามระเบียบ", "ออก", "ให้เรือออก … ทั้งนี้ ตามระเบียบ"),
        (
            "① 배는 쉰다.\n② 배는 붉다.\n③ 제1항은 밤에는 적용하지 아니한다.",
            "쉰",
            "① 배는 쉰다. … ③ 제1항은 밤에는 적용하지 아니한다.",
        ),
        ("① 배는 쉰다.\n② 제5조제1항에도 불구하고 간다.", "쉰", "① 배는 쉰다."),
        (
            "船は出ない。\n２　前項の規定は、夜は適用しない。\n３　船は赤い。",
            "出",
            "船は出ない。 ２ 前項の規定は、夜は適用しない。",
        ),
        ("船舶停航。\n船舶为红色。\n第一款规定不适用于小船。", "停航", "船舶停航。 … 第一款规定不适用于小船。"),
        (
            "(1) Boats stop.\n(2) Paragraph (1) does not apply to rafts.",
            "rafts",
            "(1) Boats stop. (2) Paragraph (1) does not apply to rafts.",
        ),
        (
            "(1) Boote warten. Bei Nebel fahren sie jedoch.\n(2) Absatz 1 gilt nicht.",
            "Nebel",
            "(1) Boote warten. Bei Nebel fahren sie jedoch. (2) Absatz 1 gilt nicht.",
        ),
        ("Le bateau part.\nLe premier alinéa de l'article 5 n'est pas applicable.", "part", "Le bateau part."),
        ("ห้ามเรือออก\nความในวรรคหนึ่งมิให้ใช้บังคับ", "ออก", "ห้ามเรือออก ความในวรรคหนึ่งมิให้ใช้บังคับ"),
        (
            "Le bateau part. Cette règle n'est pas applicable la nuit. Oui.",
            "part",
            "Le bateau part. Cette règle n'est pas applicable la nuit.",
        ),
        (
            "1. Le barche escono. 2. In mare vale l'art. 3. Sono rosse. 3. Tornano.",
            "rosse",
            "2. In mare vale l'art. 3. Sono rosse.",
        ),
        (
            "① 배는 쉰다.\n1. 큰 배\n② 제1항에도 불구하고 간다.\n1. 작은 배",
            "간다",
            "① 배는 쉰다. … ② 제1항에도 불구하고 간다. 1. 작은 배",
        ),
        ("Boats:\n1. red:\n- one\nOld.\n- two\n2. big.", "big", "Boats: … 2. big."),
        ("다음과 같다.\n1. 배\n가. 큰 배\n다만, 밤은 뺀다.\n2. 차", "차", "다음과 같다. … 2. 차"),
        (
            "다음과 같다.\n1. 배\n가. 큰 배\n다만, 밤은 뺀다.\n2. 차",
            "큰",
            "다음과 같다. 1. 배 가. 큰 배 다만, 밤은 뺀다.",
        ),
        ("Boats shall: a) stop; b) call; b-bis) wait.", "wait", "Boats shall: … b-bis) wait."),
        ("Boats:\n1. " + "a" * 80 + "\n2. b", "Boats", "Boats: 1. " + "a" * 80 + " …"),
    ],
)
def test_a_sentence_comes_with_its_rule(text: str, chosen: str, expected: str) -> None:
    outline = Outline(text)
    place = next(place for place, sentence in enumerate(outline.sentences) if chosen in sentence)
    assert _joined(outline, [place], 60) == expected


@pytest.mark.parametrize(
    ("statement", "quote", "reason"),
    [
        ("Notice of 60 days is due.", "Notice of not less than thirty days shall be given.", "number"),
        ("Höchstens 2 Monate.", "Die Frist beträgt mindestens zwei Monate.", "comparison"),
        ("3천만원 초과", "3천만원 이하의 벌금에 처한다", "comparison"),
        ("二十日以上", "二十か月以上とする", "unit"),
        ("The owner may refuse the boat.", "The owner may not refuse the boat.", "negation"),
        ("Högst 2 månader.", "Fristen är minst 2 månader.", "comparison"),
        ("Båden skal ligge ved kajen.", "Båden skal ikke ligge ved kajen.", "negation"),
        ("Tähtaeg on vähemalt 3 päeva.", "Tähtaeg on kõige rohkem 3 päeva.", "comparison"),
        ("Båten kan ligge der, ikkje meir enn 3 dagar.", "Båten kan ligge der, ikke mer enn 3 dagar.", None),
        ("ไม่น้อยกว่า 15 วัน", "ต้องไม่เกินสิบห้าวัน", "comparison"),
        ("Notice of at least 30 days is due.", "Notice of not less than thirty days shall be given.", None),
        ("Title: a boat stays. This is not so at night.", "a boat stays.\nThis is not so at night.", None),
        ("A boat does not stay at night.", "A boat stays at night. This is not so in June.", None),
        ("A boat of 20 m needs it.", "Boats of more than 10 m need it.", None),
        ("Le délai est de deux mois au plus.", "Le délai ne peut excéder 2 mois.", None),
        ("ไม่เกินสองเดือน", "ห้ามเกิน 2 เดือน", None),
        ("배는 붉다.", "차는 푸르지 아니하다.", None),
    ],
)
def test_contradictions(statement: str, quote: str, reason: str | None) -> None:
    assert (contradicts(statement, quote, "My boat is 20 m long.") or "").partition(":")[0] == (reason or "")
