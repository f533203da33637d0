"""How often a citation opens the provision that it names, by spelling: 30 provisions of each collection, drawn.

    LEGALIR_DATA=… python experiments/verify/spellings.py [collection …]

Each provision is typed in every spelling of its language. *Right*: its docno is what :meth:`legalir.Collection.find`
shows; *wrong*: another one is; *undecided*: none is. ``laws of …``: citations of laws that a collection does not have,
of which any that opens is wrong.
"""

from __future__ import annotations

import os
import random
import re
import sys
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from legalir import Collection
from legalir.datasets.records import Provision

DRAWN = 30
SPELLINGS = {
    "ko": (
        *("{law} 제{n}조", "「{law}」 제{n}조", "{law}제{n}조", "{law} {n}조", "{law}{n}조", "{law} {n}", "{law} §{n}"),
        *("{law} §{n}조", "{law} 제 {n} 조", "{law}의 {n}조", "{bare}{n}조", "{law} 第{n}條", "{law} 제{n}조 제1항"),
        *("{law} {n}조 1항", "{law} {n}조①", "{law}, 제{n}조", "제{n}조 {law}", "[{law} 제{n}조]"),
    ),
    "de": (
        *("§ {n} {law}", "§{n} {law}", "{law} § {n}", "{law} {n}", "{law}, § {n}", "§ {n} Abs. 1 {law}", "{n} {law}"),
        *(
            "§ {n} I {law}",
            "§ {n} des {law}",
            "§ {n}",
            "Art. {n} {law}",
            "Paragraph {n} {law}",
            "§ {n} Abs. 1 S. 1 {law}",
        ),
    ),
    "it": (
        *("art. {n} {law}", "art {n} {law}", "articolo {n} {law}", "{law} {n}", "{law} art. {n}", "{law}, art. {n}"),
        *("{n} {law}", "Art.{n} {law}", "art. {n}, comma 1, {law}", "art. {n} co. 1 {law}", "l'art. {n} {law}"),
    ),
    "fr": (
        *(
            "article {n} du {law}",
            "art. {n} {law}",
            "{law} {n}",
            "{law}, article {n}",
            "{n} {law}",
            "l'article {n} du {law}",
        ),
        *("art {n} du {law}", "{law} art. {n}", "{n}", "article {n}, alinéa 1, du {law}"),
    ),
    "zh": (
        *(
            "{law}第{n}条",
            "《{law}》第{n}条",
            "{law}{n}条",
            "{law} {n}",
            "{law} {n}条",
            "《{law}》第 {n} 条",
            "{law}§{n}",
        ),
        *("中华人民共和国{law}第{n}条", "第{n}条 {law}", "{law}的第{n}条", "{law}第{n}条第一款", "〈{law}〉{n}条"),
    ),
    "vi": (
        *(
            "Điều {n} {law}",
            "{law}, Điều {n}",
            "{law} Điều {n}",
            "điều {n} {law}",
            "{law} {n}",
            "khoản 1 Điều {n} {law}",
        ),
        *("Điều {n} của {law}", "Điều {n}, {law}", "{law} đ. {n}"),
    ),
    "en": (
        "{law} {n}",
        "Rule {n} {law}",
        "{law}, rule {n}",
        "rule {n} of the {law}",
        "{law} r. {n}",
        "section {n}, {law}",
    ),
    "th": (
        "{law} มาตรา {n}",
        "มาตรา {n} {law}",
        "{law} {n}",
        "{law} ม. {n}",
        "{law} ม.{n}",
        "มาตรา {n} แห่ง{law}",
        "{law}มาตรา{n}",
    ),
    "id": (
        "Pasal {n} {law}",
        "{law} Pasal {n}",
        "pasal {n}",
        "{law} {n}",
        "{n} {law}",
        "Ps. {n} {law}",
        "Pasal {n} ayat (1) {law}",
    ),
}
FOLDERS = {
    "kr-statutes": "ko",
    "koblex": "ko",
    "searchfiresafety": "ko",
    "gerlayqa-dev": "de",
    "it-quiz-dev": "it",
    "fr-travail-dev": "fr",
    "stard-dev": "zh",
    "alqac-dev": "vi",
    "obliqa-dev": "en",
    "nitibench-tax": "th",
    "kuhperdata-dev": "id",
}
SHORT = {
    "Bürgerliches Gesetzbuch": ("BGB", "bgb", "Bürgerliches Gesetzbuch"),
    "Codice penale": ("c.p.", "cp", "cod. pen."),
    "Codice di procedura penale": ("c.p.p.", "CPP"),
    "Costituzione": ("Cost.",),
    "Code du travail": ("code du travail", "C. trav."),
    "Bộ luật dân sự": ("BLDS",),
    "ประมวลกฎหมายแพ่งและพาณิชย์": ("ป.พ.พ.", "ปพพ"),
    "": ("KUHPerdata", "KUH Perdata", "KUHPer"),
    "근로기준법": ("근기법",),
    "刑事诉讼法": ("刑诉法",),
}
_HAN = "〇一二三四五六七八九"


def in_han(number: int) -> str:
    """Return a number up to 9999 in Han numerals."""
    digits = [int(one) for one in str(number)]
    signs = ["", "十", "百", "千"]
    words, size = "", len(digits)
    for place, digit in enumerate(digits):
        unit = signs[size - place - 1]
        words += f"{_HAN[digit]}{unit}" if digit else "〇" if words and words[-1] != "〇" else ""
    words = words.rstrip("〇")
    return words[1:] if words.startswith("一十") else words


def typed(one: Provision, lang: str) -> Iterator[tuple[str, str]]:
    """Yield the spellings of the citation of a provision: the kind, and the words."""
    joined = re.sub(r"^(\d+)[.의-](\d+)$", r"\1조의\2", one.article) if lang == "ko" else one.article
    if lang == "zh":
        joined = re.sub(r"^(\d+)\.(\d+)$", r"\1条之\2", one.article)
    names = [one.law] if one.law else []
    names += SHORT.get(one.law, ())
    sub = joined != one.article
    for place, law in enumerate(names):
        for form in SPELLINGS[lang]:
            if sub:
                form = form.replace("{n}조", "{n}").replace("{n} 조", "{n}").replace("{n}條", "{n}")
                form = form.replace("{n}条", "{n}").replace("{n} 条", "{n}")
            if lang == "zh" and law.startswith("中华人民共和国"):
                form = form.replace("中华人民共和国", "")
            words = form.format(law=law, bare=law.replace(" ", ""), n=joined)
            yield f"{form}{' (short name)' if (place and one.law) or place > 1 else ''}", words
    first = SPELLINGS[lang][0].format(law=names[0], bare="", n=joined)
    if not sub:
        yield "full-width digits", first.translate({48 + digit: 0xFF10 + digit for digit in range(10)})
        yield "NFD", unicodedata.normalize("NFD", first)
        if one.article.isdecimal() and lang in ("ko", "zh"):
            yield "Han numerals", first.replace(one.article, in_han(int(one.article)))
        if lang == "ko":
            yield "other middle dot", first.replace("ㆍ", "·")
        if lang == "th":
            yield "Thai digits", first.translate({48 + digit: 0xE50 + digit for digit in range(10)})
    elif lang == "ko":
        yield "{n}-{m}", f"{names[0]} {joined.replace('조의', '-')}"
        yield "{n}의{m}", f"{names[0]} {joined.replace('조의', '의')}"
        yield "{n}조의 {m}", f"{names[0]} {joined.replace('조의', '조의 ')}"
    yield "docno", one.doc_id
    if one.title:
        yield "title as results print it", one.title


def drawn(collection: Collection, seed: int) -> list[Provision]:
    """Return provisions with a number that no other provision of their law has."""
    seen: dict[tuple[str, str], int] = {}
    records = list(collection.docs())
    for one in records:
        key = (one.law, one.article.casefold())
        seen[key] = seen.get(key, 0) + 1
    known = [
        one for one in records if re.match(r"[A-Z]?\d", one.article) and seen[one.law, one.article.casefold()] == 1
    ]
    return random.Random(seed).sample(known, DRAWN)


UNKNOWN = {
    "ko": ("달나라법 3조", "이상한규정 제2조제1항", "고양이 보호에 관한 법률 시행령 제3조", "국제무지개협약 5조"),
    "de": ("§ 5 Katzengesetz", "Mondgesetz § 3", "§ 7 des Gesetzes über Regenbögen"),
    "zh": ("月球法第三条", "《养猫管理条例》第五条", "彩虹公约7条"),
}
"""Citations of laws that no collection has."""


def unknown(collection: Collection, lang: str) -> None:
    """Print how long the look-up of a law takes that a collection does not have: the first and the slowest other."""
    took = []
    for words in (*UNKNOWN.get(lang, ()), "art. 12 GDPR", "ZQGB 823", "Road Traffic Act 1988 s 170", "Codice lunare 4"):
        start = time.process_time()
        found = collection.find(words)
        took.append(1000 * (time.process_time() - start))
        if found and found.shows:
            print(f"|   {words!r} opens {found.shows} | | | | | |")
    print(f"|   unknown laws: first {took[0]:.0f} ms, others at most {max(took[1:]):.1f} ms | | | | | |")


def main(folders: list[str]) -> None:
    base, seed = Path(os.environ["LEGALIR_DATA"]), int(os.environ.get("SEED", "7"))
    for folder in folders:
        collection, lang = Collection(base / folder), FOLDERS[folder]
        counts: dict[str, list[int]] = {}
        slowest = spent = tries = 0.0
        collection.find("§ 1")
        for one in drawn(collection, seed):
            for kind, words in typed(one, lang):
                start = time.process_time()
                found = collection.find(words)
                took = time.process_time() - start
                slowest, spent, tries = max(slowest, took), spent + took, tries + 1
                shown = "" if found is None else found.shows
                state = 0 if shown == one.doc_id else 1 if shown else 2
                row = counts.setdefault(kind, [0, 0, 0])
                row[state] += 1
                if state and os.environ.get("SHOW"):
                    known = found and (found.state, found.reason, found.nearest)
                    print(f"  {words!r}: {shown or known}, not {one.doc_id}")
        total = [sum(row[place] for row in counts.values()) for place in range(3)]
        print(f"| {folder} | {len(counts)} | {total[0]} | {total[1]} | {total[2]} | {1000 * spent / tries:.1f} |")
        for kind, row in counts.items():
            if row[0] < sum(row):
                print(f"|   {kind} | | {row[0]} | {row[1]} | {row[2]} | |")
        unknown(collection, lang)
    if {"kr-statutes", "koblex"} <= {*folders}:
        small, large = Collection(base / "koblex"), Collection(base / "kr-statutes")
        laws = {one.law for one in small.docs()}
        others = [one for one in large.docs() if one.law not in laws and one.article.isdecimal()]
        opened = [
            one.doc_id
            for one in random.Random(seed).sample(others, 300)
            if (found := small.find(f"{one.law} {one.article}조")) and found.shows
        ]
        print(f"laws of kr-statutes that koblex lacks: {len(opened)} of 300 open another law: {opened[:5]}")


if __name__ == "__main__":
    main(sys.argv[1:] or list(FOLDERS))
