"""Texts made to be slow: what each pattern of the names of laws accepts, whole and cut off, again and again.

    python experiments/bench/repeated.py [LANGUAGE ...]

A pattern whose words can be split in many ways takes minutes for some kilobytes, and a server reads what it is sent.
Each pattern is written three times with repeats of random and of greatest length, and repeated to 6 000 characters.
"""

from __future__ import annotations

import random
import sys
import time
from re import _constants as names  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from legalir.references.grammar import grammars
from legalir.references.read import Place, read

LENGTH, TIMES, MORE = 6_000, 3, 6


def written(tree: Any, chance: random.Random, long: bool) -> str:
    """Return a text of the parts of a regular expression, without what is only looked at around it."""
    out = []
    for name, value in tree:
        if name is names.LITERAL:
            out.append(chr(value))
        elif name is names.IN:
            kind, sign = chance.choice(value)
            first, last = sign if kind is names.RANGE else (sign, sign)
            known = kind in (names.LITERAL, names.RANGE)
            out.append(chr(chance.randint(first, last)) if known else "5" if sign is names.CATEGORY_DIGIT else "a")
        elif name is names.BRANCH:
            out.append(written(chance.choice(value[1]), chance, long))
        elif name is names.SUBPATTERN:
            out.append(written(value[-1], chance, long))
        elif name is names.ATOMIC_GROUP:
            out.append(written(value, chance, long))
        elif name in (names.MAX_REPEAT, names.MIN_REPEAT, names.POSSESSIVE_REPEAT):
            most = min(int(value[1]), value[0] + MORE)
            count = most if long else chance.randint(value[0], most)
            out += [written(value[2], chance, long) for _ in range(count)]
        elif name in (names.NOT_LITERAL, names.ANY):
            out.append("x")
    return "".join(out)


def main() -> None:
    """Print, for each language, how many texts were read and the longest time of one."""
    chance = random.Random(7)
    print("| language | texts | longest s | its beginning |\n|---|--:|--:|---|")
    for language in sys.argv[1:] or grammars():
        read("1", language, Place())  # The first use compiles the grammar.
        took: list[tuple[float, str]] = []
        for law in grammars()[language].every_law:
            for turn in range(TIMES):
                name = " ".join(written(parser.parse(law.pattern), chance, turn > 0).split()) or "a"
                part = name[: max(4, 2 * len(name) // 3)]
                for unit in (f"{name} ", f"{part} ", part):
                    start = time.process_time()
                    read((unit * LENGTH)[:LENGTH], language, Place())
                    took.append((time.process_time() - start, name[:30]))
        if took:
            longest, name = max(took)
            print(f"| {language} | {len(took)} | {longest:.2f} | `{name}` |", flush=True)


if __name__ == "__main__":
    main()
