"""Measure the reader of references on sentences with known targets, beside other packages.

    python experiments/references/sentences.py

It needs ``$LEGALIR_DATA/sources/references/*.jsonl`` and takes seconds. Each sentence is read alone: with the name of
its law and its place there, and with the short names that the sentences of its law define. Counted are references with
an article, delegations apart; a reference is right if law, article and place in the text agree. Laws that the source
writes as an identifier, and the text by a name, are compared by article and place alone. Recall counts all sentences,
precision those whose links are complete: Korean, Japanese, and English without ``unlinked``.

`eyecite`, `citeurl` and `bundesrecht` read the same English and German sentences where they are installed.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from legalir.references.read import Reference, learn_names, place_of, read

_ID = re.compile(r"/|^[A-Z]{4}TEXT|^uksi|^ukpga|^[A-Z]-\d")


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Return the interval of a share, 95 %."""
    if n == 0:
        return 0.0, 1.0
    z, share = 1.96, hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return middle - half, middle + half


def number(article: str) -> str:
    """Return an article in one spelling."""
    return re.sub(r"[\s.‐‑–—-]", "", unicodedata.normalize("NFKC", article)).casefold()


def agree(gold: dict[str, object], one: Reference) -> bool:
    """Return whether a reference is the given one."""
    start, end = int(str(gold["start"])), int(str(gold["end"]))
    article = one.item if gold.get("annex") and one.annex else one.article
    if number(str(gold["article"])) != number(article) or one.end <= start or end <= one.start:
        return False
    law = str(gold["law"])
    unlike = bool(_ID.search(law)) != bool(_ID.search(one.law))
    return unlike or law == "(self)" or "".join(law.split()) == "".join(one.law.split())


def sentences(path: Path) -> list[dict[str, object]]:
    """Return the rows of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def measure(lang: str, rows: Sequence[dict[str, object]], verbose: bool) -> None:
    """Print recall and precision of a language."""
    names: dict[str, dict[str, str]] = {}
    for row in rows:
        names.setdefault(str(row.get("law", "")), {}).update(learn_names(str(row["text"]), lang))
    given = found = right_given = right_found = 0
    for row in rows:
        law, at = str(row.get("law", "")), str(row.get("source", "")).partition("#")[2]
        read_ones = [
            one
            for one in read(str(row["text"]), lang, place_of(at, lang, law), names[law])
            if one.kind != "delegates" and (one.article or (one.annex and one.item))
        ]
        references = row["references"]
        assert isinstance(references, list)
        gold = [one for one in references if one.get("article") and not one.get("href_disagrees")]
        missed = [one for one in gold if not any(agree(one, each) for each in read_ones)]
        read_ones = [one for one in read_ones if one.article]
        wrong = [one for one in read_ones if not any(agree(each, one) for each in gold)]
        given, right_given = given + len(gold), right_given + len(gold) - len(missed)
        if lang in ("ko", "ja") or (lang == "en" and row.get("unlinked") == []):
            found, right_found = found + len(read_ones), right_found + len(read_ones) - len(wrong)
        else:
            wrong = []
        if verbose and (missed or wrong):
            print(row["text"])
            print(*(f"  missed {one}" for one in missed), *(f"  wrong {one}" for one in wrong), sep="\n")
    print(line(lang, right_given, given, right_found, found))


def line(name: str, right_given: int, given: int, right_found: int, found: int) -> str:
    """Return a line of the table."""
    text = f"{name:12}"
    for hits, n in ((right_given, given), (right_found, found)):
        low, high = wilson(hits, n)
        text += f"  {hits:4}/{n:<4} {hits / n:.3f} [{low:.3f}, {high:.3f}]" if n else "  -"
    return text


def peers(rows: Sequence[dict[str, object]]) -> None:
    """Print how many given articles of English sentences other packages find."""
    gold = [
        (str(row["text"]), one)
        for row in rows
        for one in row["references"]
        if one.get("article")  # type: ignore[attr-defined]
    ]
    try:
        from eyecite import get_citations  # type: ignore[import-not-found]
    except ImportError:
        print("eyecite       not installed: skipped")
    else:
        hits = sum(
            any(
                number(str(one["article"])) == number(str(each.groups.get("section", "")).partition("(")[0])
                for each in get_citations(text)
            )
            for text, one in gold
        )
        print(line("eyecite (en)", hits, len(gold), 0, 0))
    try:
        from citeurl import Citator  # type: ignore[import-not-found]
    except ImportError:
        print("citeurl       not installed: skipped")
    else:
        citator = Citator()
        hits = sum(
            any(
                number(str(one["article"])) == number(str(each.tokens.get("section") or ""))
                for each in citator.list_cites(text)
            )
            for text, one in gold
        )
        print(line("citeurl (en)", hits, len(gold), 0, 0))


def main() -> None:
    folder = Path(os.environ.get("LEGALIR_DATA", ""), "sources", "references")
    if not folder.is_dir():
        sys.exit(f"{folder} is not there: set LEGALIR_DATA to a folder with sources/references.")
    print("language      recall                              precision")
    for path in sorted(folder.glob("*.jsonl")):
        measure(path.stem, sentences(path), "-v" in sys.argv)
    peers(sentences(folder / "en.jsonl"))


if __name__ == "__main__":
    main()
