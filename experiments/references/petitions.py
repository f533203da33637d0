"""Measure how the reference strings of petitions resolve to the units that people judged.

    python experiments/references/petitions.py

It needs ``$LEGALIR_DATA/searchfiresafety/raw/qna_ver1.jsonl``. The collection is the set of judged units. The strings
of an answer are read in order as one text, so that ``같은 법`` has something to mean. A string is resolvable if it has
a number, and its law has a judged unit of this number, or nothing is known of its law; but not if it says ``같은 법``
and no law is named before it in its answer. It is right if one of its units is judged for its question.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from pathlib import Path

from legalir.references.read import Place, read
from legalir.references.resolve import LawEntry, Resolver
from legalir.statutes.documents import Address
from legalir.statutes.law import Kind

_CODE = re.compile(r"-(NF[TPS]C)-(\w+)$")


def entry(name: str, units: list[str]) -> LawEntry:
    """Return a law of which the judged units are known."""
    title = _CODE.sub(r"(\1 \2)", name).replace("-", " ")
    addresses = []
    for unit in units:
        kind: Kind = "annex" if unit.startswith("별표") else "article"
        parts = re.split(r"-|(?<=호)의(?=[가-힣])", unit)
        head = parts[0].removeprefix("제").removesuffix("조").replace("조의", "의")
        head = f"annex {head.removeprefix('별표').strip()}" if kind == "annex" else head
        path = (head, *(part.removesuffix("호").removesuffix("목") for part in parts[1:]))
        addresses += [Address(path[:size], "", f"{name}_{unit}", kind) for size in range(1, len(path) + 1)]
    return LawEntry(name, title, (), "kr", "ko", "", addresses)


def form(text: str) -> str:
    """Return the form of a string."""
    same = re.match(r"\s*(같은|동법|동 법)", text)
    if same and re.search(r"제\s?\d+조|별표|\d\.\d", text):
        return "anaphora"
    if same:
        return "anaphora only"
    law = "「law」" if "「" in text else "bare code" if re.match(r"\s*NF[TPS]C", text) else "rest"
    after = text.rpartition("」")[2] if "」" in text else re.sub(r"^\s*NF[TPS]C\s?\w+", "", text)
    if "별표" in after:
        return f"{law} + annex"
    if re.search(r"제\s?\d+조", after):
        return f"{law} + article"
    return f"{law} + decimal" if re.search(r"\d\.\d", after) else f"{law} only"


def _unit(name: str) -> str:
    """Return a unit, of an annex without its items, which many strings do not name."""
    return re.sub(r"(별표[\d의]*)-.*", r"\1", name)


def main() -> None:
    source = Path(os.environ.get("LEGALIR_DATA", ""), "searchfiresafety", "raw", "qna_ver1.jsonl")
    if not source.is_file():
        sys.exit(f"{source} is not there: set LEGALIR_DATA to a folder with searchfiresafety.")
    rows = [json.loads(line) for line in source.open(encoding="utf-8")]
    units: dict[str, dict[str, None]] = {}
    for row in rows:
        for name in row["semantic_ids"]:
            law, _, unit = name.partition("_")
            units.setdefault(law, {})[unit] = None
    resolver = Resolver(entry(law, list(inside)) for law, inside in units.items())
    table: dict[str, Counter[str]] = {}
    for row in rows:
        text, starts = "", []
        for one in row["law_references"]:
            starts.append(len(text))
            text += f"{one}\n"
        resolved = resolver.resolve(read(text, "ko", Place()), "")
        for one, start in zip(row["law_references"], starts, strict=True):
            own = [each for each in resolved if start <= each.reference.start < start + len(one)]
            own = [each for each in own if each.state != "whole law"] or own
            state = own[0].state if own else "nothing read"
            docnos = {docno for each in own for docno in each.docnos}
            if form(one) == "anaphora" and not (text[:start].strip() or "「" in one):
                state = "no law before"
            counts = table.setdefault(form(one), Counter())
            counts[state] += 1
            counts["right"] += bool({_unit(docno) for docno in docnos} & {_unit(one) for one in row["semantic_ids"]})
            counts["resolvable"] += state not in ("not in collection", "no law before") and "only" not in form(one)
            if "-v" in sys.argv and state != "resolved" and "only" not in form(one):
                print(state, one)
            counts["n"] += 1
    states = ("n", "resolvable", "resolved", "right", "no law before", "ambiguous")
    states += ("whole law", "not in collection", "unparsed", "nothing read")
    print("form".ljust(22), *(state.rjust(len(state) + 2) for state in states))
    for name, counts in sorted(table.items(), key=lambda item: -item[1]["n"]):
        print(name.ljust(22), *(str(counts[state]).rjust(len(state) + 2) for state in states))


if __name__ == "__main__":
    main()
