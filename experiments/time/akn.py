"""Write the laws of legalir/firecode-dated as Akoma Ntoso, from their Markdown.

    python experiments/time/akn.py [FOLDER]

A version is an expression of its law: the work has the day of the first promulgation, the expression the day from
which it applies, the manifestation the day of the act that made it. An article that begins on another day names its
time by ``period``. Addenda, which say these days in words, are not written.
"""

import re
import sys
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from legalir.datasets.catalog import DATED
from legalir.statutes.sources.markdown import read_kr

NAMESPACE = "http://docs.oasis-open.org/legaldocml/ns/akn/3.0"
CHAPTER = re.compile(r"## (제(\d+)장) (.+)")
ARTICLE = re.compile(r"##### (제(\d+)조(?:의(\d+))?) (?:\((.+)\)|(삭제.*))")
PARAGRAPH = re.compile(r"\*\*(.)\*\* (.+)")
ITEM = re.compile(r"  (\d+)\\\. (.+)")


def main(folder: Path) -> None:
    """Write each file of ``versions`` under the same name, with ``.xml``, below a folder."""
    for law in sorted((DATED / "versions").iterdir()):
        files = sorted(law.iterdir())
        for path in files:
            target = folder / law.name / f"{path.stem}.xml"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(document(path, work=files[0].stem), encoding="utf-8")


def document(path: Path, work: str) -> str:
    """Return a file as Akoma Ntoso; `work` is the day on which the law was first promulgated."""
    (law,) = read_kr(path, path.read_bytes())
    dated = {unit.number: unit.effective_from for unit in law.root.walk() if unit.effective_from}
    days = sorted(set(dated.values()))
    events = "".join(f'<eventRef eId="e{n}" date="{day}" source="#ministry"/>\n' for n, day in enumerate(days, 1))
    groups = "".join(
        f'<temporalGroup eId="t{n}"><timeInterval start="#e{n}" refersTo="#in_force"/></temporalGroup>\n'
        for n in range(1, len(days) + 1)
    )
    times = [
        f'<lifecycle source="#ministry">\n{events}</lifecycle>',
        f'<temporalData source="#ministry">\n{groups}</temporalData>',
    ]
    uri, kind = f"/akn/kr/act/{law.law_id}", quoteattr(law.kind)
    expression = f"{uri}/kor@{law.effective_from}"
    alias = f'<FRBRalias name="title" value={quoteattr(law.title)}/>'
    place = f'<FRBRcountry value="kr"/><FRBRsubtype value={kind}/>'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<akomaNtoso xmlns="{NAMESPACE}">',
        f"<act name={kind}>",
        '<meta>\n<identification source="#ministry">',
        identification("Work", uri, "promulgated", work, alias, place),
        identification("Expression", expression, "in force", law.effective_from, "", '<FRBRlanguage language="kor"/>'),
        identification("Manifestation", f"{expression}.xml", "published", law.promulgated),
        "</identification>",
        *(times if days else []),
        "</meta>\n<body>",
        *body(law.text[law.text.index("## 제1장") : law.text.index("## 부칙")], dated, days),
        "</body>\n</act>\n</akomaNtoso>\n",
    ]
    return "\n".join(lines)


def identification(name: str, uri: str, event: str, day: str, alias: str = "", more: str = "") -> str:
    """Return the element that identifies a work, an expression or a manifestation."""
    return (
        f'<FRBR{name}><FRBRthis value="{uri}"/><FRBRuri value="{uri}"/>{alias}<FRBRdate date="{day}" name="{event}"/>'
        f'<FRBRauthor href="#ministry"/>{more}</FRBR{name}>'
    )


def body(text: str, dated: dict[str, str], days: list[str]) -> list[str]:
    """Return the lines of the chapters and their articles."""
    lines: list[str] = []
    closing: list[tuple[int, str]] = []  # Depth and end of what is open.

    def close(depth: int) -> None:
        while closing and closing[-1][0] >= depth:
            lines.append(closing.pop()[1])

    def open_(depth: int, start: str, end: str) -> None:
        close(depth)
        lines.append(start)
        closing.append((depth, end))

    article = where = ""
    written = [line for line in text.splitlines() if line.strip()]
    for line, after in zip(written, [*written[1:], ""], strict=True):
        if match := CHAPTER.match(line):
            label, number, heading = match.groups()
            start = f'<chapter eId="chp_{number}"><num>{label}</num><heading>{escape(heading)}</heading>'
            open_(1, start, "</chapter>")
        elif match := ARTICLE.match(line):
            label, number, branch, heading, repealed = match.groups()
            article = where = f"art_{number}" + (f"-{branch}" if branch else "")
            day = dated.get(f"{number}의{branch}" if branch else number)
            period = f' period="#t{days.index(day) + 1}"' if day else ""
            status = ' status="removed"' if repealed else ""
            title = f"<heading>{escape(heading)}</heading>" if heading else ""
            open_(2, f'<article eId="{article}"{status}{period}><num>{label}</num>{title}', "</article>")
            if repealed:
                lines.append(f"<content><p>{escape(repealed)}</p></content>")
        elif match := ITEM.match(line):
            number, words = match.groups()
            key = f"{where}__point_{number}"
            lines.append(f'<point eId="{key}"><num>{number}.</num><content><p>{escape(words)}</p></content></point>')
        else:
            close(3)
            label, words = match.groups() if (match := PARAGRAPH.match(line)) else ("", line)
            where = article
            if label:
                where += f"__para_{ord(label) - ord('①') + 1}"
                open_(3, f'<paragraph eId="{where}"><num>{label}</num>', "</paragraph>")
            if ITEM.match(after):
                open_(4, f"<list><intro><p>{escape(words)}</p></intro>", "</list>")
            else:
                lines.append(f"<content><p>{escape(words)}</p></content>")
    close(0)
    return lines


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATED / "akn")
