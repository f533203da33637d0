"""Chinese laws as Markdown. The sample law is invented."""

from pathlib import Path

import pytest
from of_format import check_conformance, documents_of, law_of

from legalir.errors import DataError
from legalir.statutes.documents import cut
from legalir.statutes.law import Law
from legalir.statutes.sources.markdown import FORMATS

FORMAT = next(each for each in FORMATS if each.name == "markdown-cn")
SAMPLE = """# 中华人民共和国灯塔法

2001年2月3日 第一次会议通过

2019年5月6日 第二次会议修正

<!-- INFO END -->

为了灯塔，制定本法。

## 第一章 总 则

第一条 灯塔应当有灯。

第二条 船舶应当看灯：

（一）大船：

1. 白天；

（二）小船。

第二条规定的船舶，包括木船。

第三条规定以外的船舶也看灯。

## 第二章 附 则

### 第一节 施 行

第三条 删除

第三条之一 本法自2001年3月1日起施行。

附件：灯的式样

白灯
"""
NAME = "行政法规/灯塔法(2019-05-06).md"


def read(text: str = SAMPLE, name: str = NAME) -> Law:
    return law_of(FORMAT, text, name)


def test_the_law_and_its_days() -> None:
    law = read()
    assert (law.title, law.names, law.level, law.kind) == ("中华人民共和国灯塔法", ("灯塔法",), "decree", "行政法规")
    assert (law.promulgated, law.effective_from) == ("2019-05-06", "2019-05-06"), "2001 is of the first version"
    later = read(SAMPLE.replace("2001年3月1日起", "2019年10月1日起"))
    assert later.effective_from == "2019-10-01"
    assert read(SAMPLE.replace("<!--", "2019年8月1日 施行\n\n<!--")).effective_from == "2019-08-01"
    assert read(name="灯塔.md").promulgated == "2019-05-06"


def test_articles_begin_a_paragraph() -> None:
    documents = documents_of(read())
    assert list(documents) == ["preamble", "1", "2", "3", "3之1", "annex-附件"]
    assert documents["2"].text.splitlines() == [
        *("船舶应当看灯：", "（一）大船：", "1. 白天；", "（二）小船。"),
        *("第二条规定的船舶，包括木船。", "第三条规定以外的船舶也看灯。"),
    ]
    assert documents["3"].unit.repealed
    assert documents["annex-附件"].unit.heading == "灯的式样"
    assert [unit.heading for unit in documents["3之1"].above[1:]] == ["附则", "施行"]


def test_paragraphs_are_counted_and_items_are_in_them() -> None:
    addresses = {address.path for address in cut(read()).addresses}
    assert {("2", "1"), ("2", "1", "1"), ("2", "1", "1", "1"), ("2", "1", "2"), ("2", "2"), ("2", "3")} <= addresses
    assert ("1", "1") not in addresses, "an article of one paragraph has no paragraphs"


def test_gaps_and_numbers_out_of_order_are_noted() -> None:
    law = read(SAMPLE.replace("第二条 船舶", "第五条 船舶"))
    assert law.notes == [
        "中华人民共和国灯塔法: 第五条 follows article 1.",
        "中华人民共和国灯塔法: a paragraph begins with 第三条 after article 5.",
        "中华人民共和国灯塔法: a paragraph begins with 第三条之一 after article 5.",
    ]
    assert read(SAMPLE.replace("2001年2月3日", "2001年2月31日")).notes == [
        "中华人民共和国灯塔法: no such date: 2001年2月31日 第一次会议通过."
    ]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (SAMPLE.encode("gb18030"), "a.md: not UTF-8 at byte 2"),
        (SAMPLE.replace("<!-- INFO END -->", "").encode(), "a.md: no title"),
        (b"", "a.md: no title"),
    ],
)
def test_a_broken_file_is_one_sentence(data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        list(FORMAT.read(Path("a.md"), data))


def test_conformance(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(SAMPLE, encoding="utf-8")
    check_conformance('markdown(rules="cn")', tmp_path)
