"""Measure the reader of references on the links that publishers mark up, with the links taken out of the text.

    python experiments/references/links.py [-v] [en|fr|it ...]

It needs ``$LEGALIR_DATA/sources`` (folders ``uslm``, ``fr-legi-json``, ``akn/normattiva``) and takes ten seconds. Each
paragraph of a file is read alone, without its place. Counted are links to an article: one is found if a reference of
any kind but ``delegates`` in its place has the article, and, where the link names them, the paragraph and the item
(shown apart). A cell of a table is a paragraph.
"""

from __future__ import annotations

import html
import json
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from legalir.references.read import Reference, read


class Link(NamedTuple):
    """A link of a publisher: its place in a text, and what it names."""

    start: int
    end: int
    article: str
    paragraph: str = ""
    item: str = ""


Sample = tuple[str, list[Link]]
Target = Callable[[str, str], tuple[str, str, str] | None]


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Return the interval of a share, 95 %."""
    z, share = 1.96, hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return middle - half, middle + half


def of_xml(path: Path, blocks: frozenset[str], target: Target) -> Iterator[Sample]:
    """Yield the paragraphs of an XML file, and their links."""
    for block in etree.parse(path).iter("{*}*"):
        if local(block) not in blocks or any(local(one) in blocks for one in block.iter("{*}*") if one is not block):
            continue
        text, links = "", []
        for event, one in etree.iterwalk(block, events=("start", "end")):
            if event == "start":
                one_start = len(text)
                text += one.text or ""
                one.set("_start", str(one_start))
            else:
                if local(one) == "ref" and (found := target(one.get("href", ""), text)):
                    links.append(Link(int(one.get("_start")), len(text), *found))
                text += one.tail or "" if one is not block else ""
        yield text, links


def local(element: etree._Element) -> str:
    """Return the name of an element without its namespace."""
    return etree.QName(element).localname


def uslm(href: str, _: str) -> tuple[str, str, str] | None:
    """Return article, paragraph and item of a link of USLM."""
    match = re.match(r"/us/(?:usc|pl)/.*?/s(\d[^/]*)(?:/([^/]+))?(?:/([^/]+))?", href)
    if match is None:
        return None
    below = ["" if one in (None, "etseq", "note") else one for one in match.groups()[1:]]
    return match[1], below[0], below[1]


def akn(href: str, _: str) -> tuple[str, str, str] | None:
    """Return article, paragraph and item of a link of Normattiva."""
    match = re.search(r"#art_([\w-]+?)(?:-com(\w+?))?(?:-let(\w+?))?(?:-num\w+)?$", href)
    return (match[1], match[2] or "", match[3] or "") if match else None


def legi(path: Path) -> Iterator[Sample]:
    """Yield the paragraphs of a code of Légifrance, and its links to articles of the same code."""
    numbers: dict[str, str] = {}
    texts: list[str] = []

    def walk(node: dict[str, object]) -> None:
        data = node.get("data")
        if isinstance(data, dict) and node.get("type") == "article":
            for version in data.get("articleVersions", []):
                numbers[version["id"]] = data["num"]
            numbers[data["id"]] = data["num"]
            texts.append(data.get("texteHtml") or "")
        for child in node.get("children", []):  # type: ignore[attr-defined]
            walk(child)

    walk(json.loads(path.read_text(encoding="utf-8")))
    for content in texts:
        for part in re.split(r"<(?:p|td|th|tr)\b[^>]*>|</(?:p|td|th|tr)>|<br ?/>", content):
            text, links, start, article = "", [], 0, ""
            for piece in re.split(r"(<[^>]*>)", part):
                if match := re.match(r'<a href="[^"]*idArticle=(LEGIARTI\d+)', html.unescape(piece)):
                    start, article = len(text), numbers.get(match[1], "")
                elif piece == "</a>":
                    if article:
                        links.append(Link(start, len(text), article))
                    article = ""
                elif not piece.startswith("<"):
                    text += html.unescape(piece)
            yield text, links


def number(article: str) -> str:
    """Return an article in one spelling."""
    return re.sub(r"[\s.‐‑–—*-]", "", article).casefold()


def samples(folder: Path, lang: str) -> Iterator[Sample]:
    """Yield the samples of a language."""
    if lang == "en":
        blocks = frozenset(("p", "content", "chapeau", "continuation", "sourceCredit"))
        for path in sorted((folder / "uslm").rglob("*.xml")):
            yield from of_xml(path, blocks, uslm)
    elif lang == "it":
        for path in sorted((folder / "akn" / "normattiva").glob("*.xml")):
            yield from of_xml(path, frozenset(("p",)), akn)
    elif lang == "fr":
        for path in sorted((folder / "fr-legi-json").glob("*.json")):
            yield from legi(path)


def measure(folder: Path, lang: str, verbose: bool) -> None:
    """Print how many links of a language are found."""
    counts: Counter[str] = Counter()
    for text, links in samples(folder, lang):
        found = [one for one in read(text, lang) if one.kind != "delegates"] if links else []
        for link in links:
            near = [one for one in found if one.start < link.end and link.start < one.end]
            right = [one for one in near if number(one.article) == number(link.article)]
            below = [one for one in right if agrees(one, link)]
            counts.update(n=1, article=bool(right), deep=bool(below or not link.paragraph) and bool(right))
            if verbose and not below:
                words = text[max(0, link.start - 90) : link.start] + "[[" + text[link.start : link.end] + "]]"
                print(" ".join((words + text[link.end : link.end + 60]).split()))
                print("   ", link[2:], "article" if not right else "below", [one[3:9] for one in near])
    for name in ("article", "deep"):
        hits, n = counts[name], counts["n"]
        print(f"{lang} {name:8} {hits:5}/{n:<5} {hits / n:.3f} [{wilson(hits, n)[0]:.3f}, {wilson(hits, n)[1]:.3f}]")


def agrees(one: Reference, link: Link) -> bool:
    """Return whether a reference has the paragraph and the item of a link."""
    pairs = ((link.paragraph, one.paragraph), (link.item, one.item))
    return all(not given or number(given) == number(own) for given, own in pairs)


def main() -> None:
    folder = Path(os.environ.get("LEGALIR_DATA", ""), "sources")
    if not (folder / "uslm").is_dir():
        sys.exit(f"{folder} is not there: set LEGALIR_DATA to a folder with sources.")
    for lang in [one for one in sys.argv[1:] if one != "-v"] or ["en", "fr", "it"]:
        measure(folder, lang, "-v" in sys.argv)


if __name__ == "__main__":
    main()
