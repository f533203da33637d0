"""Measure how names of laws are read that stand before a number without quotation marks.

    python experiments/references/names.py

Each name in the column ``law`` of a collection is put into a sentence of another law: ``원고는 … 제3조를 든다.``
It needs ``$LEGALIR_DATA`` with kr-statutes and stard-dev, and takes a minute.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections import Counter
from pathlib import Path

from legalir.references.read import Place, read

SETS = {"kr-statutes": ("ko", "등대법", "원고는 {} 제3조를 든다."), "stard-dev": ("zh", "灯塔法", "根据{}第三条的规定")}


def spelled(name: str) -> str:
    """Return a name without blanks, dots between words and quotation marks."""
    return re.sub(r"[\s·ㆍ‧・《》]", "", name)


def main() -> None:
    data = Path(os.environ.get("LEGALIR_DATA", ""))
    for folder, (lang, own, sentence) in SETS.items():
        path = data / folder / "corpus.jsonl.gz"
        if not path.is_file():
            sys.exit(f"{path} is not there: set LEGALIR_DATA to a folder with {folder}.")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            names = {str(json.loads(line).get("law", "")) for line in file} - {""}
        counts = Counter[str]()
        for name in sorted(names):
            found = [one for one in read(sentence.format(name), lang, Place(own, "1")) if one.article]
            law = found[0].law if found else ""
            whole = spelled(law) == spelled(name)
            counts["whole" if whole else "of the own law" if law.startswith(own) else "cut, or not told"] += 1
        shares = ", ".join(f"{kind} {number} ({number / len(names):.3f})" for kind, number in counts.most_common())
        print(f"{folder}: {len(names)} names: {shares}")


if __name__ == "__main__":
    main()
