"""Errors put into correct citations by rule, and how many `verify` catches.

    python experiments/verify/seeded.py [--each 60] [COLLECTION …]

From each collection, provisions are drawn at random. A passage cites one of them correctly, in a form of its language:
law, number, heading where there is one, and some of its words in quotation marks. Then one thing is altered:

- number: the law has no such number
- other: the number of another provision; heading or quoted words are then not its own
- part: a paragraph that the provision does not have
- law: one letter of the name of the law is another
- heading: that of another provision of the law
- word: one word of the quotation is another one of the provision, or is left out
- day: the passage names a day before the collection begins (collections of versions)

A correct passage must be *right*; of an altered one, the citation must not be. Collections are folders, also of
$LEGALIR_DATA, or ids.
"""

from __future__ import annotations

import argparse
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path

from legalir import Collection
from legalir.datasets.records import Provision

COLLECTIONS = (
    *("legalir/firecode", "legalir/firecode-dated", "kr-statutes", "stard-dev", "gerlayqa-dev", "fr-travail-dev"),
    *("it-quiz-dev", "nitibench-tax", "alqac-dev"),
)
FORMS = {
    "ko": ("「{law}」 제{n}조{head}는 “{quote}”라고 정한다.", '{law} 제{n}조{head}에 따르면 "{quote}".'),
    "ja": ("{law}第{n}条{head}は「{quote}」と定める。", "「{quote}」（{law}第{n}条）"),
    "zh": ("《{law}》第{n}条{head}规定：“{quote}”", "根据{law}第{n}条，“{quote}”"),
    "en": ("Section {n} of the {law}{head} says: “{quote}”.", '"{quote}" ({law}, section {n})'),
    "de": ("§ {n} {law}{head} lautet: „{quote}“.", "„{quote}“ (§ {n} {law})"),
    "fr": ("L'article {n} du {law} dispose : « {quote} ».", "« {quote} » (article {n} du {law})"),
    "it": ("L'art. {n} del {law} dispone: «{quote}».", "«{quote}» (art. {n} {law})"),
    "th": ("มาตรา {n} แห่ง{law} บัญญัติว่า “{quote}”", "“{quote}” ({law} มาตรา {n})"),
    "vi": ("Điều {n} {law} quy định: “{quote}”.", "“{quote}” (Điều {n} {law})"),
}
PARTS = {"ko": "제{n}조제{p}항", "de": "§ {n} Abs. {p}", "zh": "第{n}条第{p}款", "th": "มาตรา {n} วรรค {p}"}
BRACKETS = {"ko": "({})", "ja": "（{}）", "de": " ({})", "zh": "（{}）", "en": " ({})"}
DAYS = {"ko": "2001. 3. 1. 당시 ", "ja": "2001年3月1日現在、"}
WORDS, LETTERS = 9, 24


def passage(form: str, law: str, number: str, heading: str, quote: str, lang: str) -> str:
    """Return a passage that cites a provision."""
    written = re.sub(r"^(\d+)[.의](\d+)$", r"\1조의\2" if lang == "ko" else r"\1条之\2", number)
    text = form.replace("{n}조", "{n}") if lang == "ko" and "조의" in written else form
    head = BRACKETS.get(lang, "").format(heading) if heading else ""
    return text.format(law=law, n=written, head=head, quote=quote)


def _passage(form: str, given: dict[str, str], **new: str) -> str:
    return passage(form, **{**given, **new})


def words_of(text: str, lang: str, draw: random.Random) -> list[str]:
    """Return some words of a provision that follow each other, or letters where words have no blanks."""
    lines = [line for line in text.splitlines() if len(line) > 40]
    if not lines:
        return []
    line = re.sub(r"[\"“”„«»「」『』‘’]", "", draw.choice(lines))
    pieces = list(line) if lang in ("ja", "zh", "th") else line.split()
    size = LETTERS if lang in ("ja", "zh", "th") else WORDS
    start = draw.randrange(max(1, len(pieces) - size))
    return pieces[start : start + size]


def altered_word(words: list[str], text: str, lang: str, draw: random.Random) -> list[str] | None:
    """Return words with one in the middle exchanged for another of the provision, or left out."""
    place = draw.randrange(2, len(words) - 2)
    joined = "" if lang in ("ja", "zh", "th") else " "
    whole = re.sub(r"\W", "", text)
    others = list(dict.fromkeys(re.sub(r"[\"“”„«»「」『』‘’]", "", text) if not joined else text.split()))
    draw.shuffle(others)
    for new in ([], *([one] for one in others[:20])):
        changed = [*words[:place], *new, *words[place + 1 :]]
        key = re.sub(r"\W", "", joined.join(changed))
        if key != re.sub(r"\W", "", joined.join(words)) and key not in whole and draw.random() < 0.7:
            return changed
    return None


def cases(collection: Collection, each: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield what is altered, and the passage."""
    draw, lang = random.Random(seed), collection.language.partition("-")[0]
    records: dict[str, list[Provision]] = defaultdict(list)
    for one in collection.docs():
        valid = not one.effective_to and one.effective_from <= date.today().isoformat()
        if valid and one.law and re.fullmatch(r"[LRD]?\d[\d.의-]*", one.article) and len(one.text) > 60:
            records[one.law].append(one)
    laws = [law for law, of in records.items() if len(of) > 3]
    known = {re.sub(r"\W", "", law) for law in records}
    forms = FORMS.get(lang)
    if not laws or forms is None:
        return
    for _ in range(each):
        law = draw.choice(laws)
        one, other = draw.sample(records[law], 2)
        words = words_of(one.text, lang, draw)
        if len(words) < 6:
            continue
        quote, form = ("" if lang in ("ja", "zh", "th") else " ").join(words), draw.choice(forms)
        heading = one.heading if len(one.heading) < 50 and not re.search(r"[()（）\d]", one.heading) else ""
        heading = heading if lang in BRACKETS else ""
        given = {"law": law, "number": one.article, "heading": heading, "quote": quote, "lang": lang}
        make = partial(_passage, form, given)
        yield "", make()
        numbers = {record.article for record in records[law]}
        unused = next(str(n) for n in range(draw.randrange(700, 5000), 9999) if str(n) not in numbers)
        prefix = re.match(r"\D*", one.article)
        yield "number", make(number=(prefix[0] if prefix else "") + unused)
        if other.article != one.article and re.sub(r"\W", "", quote) not in re.sub(r"\W", "", other.text):
            yield "other", make(number=other.article)
        place = draw.randrange(1, max(2, len(law) - 1))
        letter = draw.choice([sign for sign in "".join(laws) if sign.isalpha()])
        changed = law[:place] + letter + law[place + 1 :]
        if law[place].isalpha() and re.sub(r"\W", "", changed.casefold()) not in {name.casefold() for name in known}:
            yield "law", make(law=changed)
        if (
            heading
            and other.heading not in ("", heading)
            and not re.search(r"[()（）\d]", other.heading)
            and "{head}" in form
        ):
            yield "heading", make(heading=other.heading)
        if changed_words := altered_word(words, one.text, lang, draw):
            yield "word", make(quote=("" if lang in ("ja", "zh", "th") else " ").join(changed_words))
        if lang in PARTS and one.text.count("\n") < 8:
            yield (
                "part",
                f"{law if lang != 'de' else ''}{PARTS[lang].format(n=one.article, p=19)} {law if lang == 'de' else ''}",
            )
        if collection.dated:
            yield "day", DAYS.get(lang, "as of 2001-03-01 ") + make()


def interval(right: int, total: int) -> str:
    """Return a share in percent with its 95 % interval (Wilson)."""
    if not total:
        return "–"
    z, share = 1.96, right / total
    middle, spread = share + z * z / 2 / total, z * (share * (1 - share) / total + z * z / 4 / total**2) ** 0.5
    low, high = (100 * (middle + sign * spread) / (1 + z * z / total) for sign in (-1, 1))
    return f"{100 * share:.1f} ({low:.1f}–{high:.1f})"


def main() -> None:
    """Print a row for each collection: what is right of correct passages, and what is caught of each error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="*", default=COLLECTIONS)
    parser.add_argument("--each", type=int, default=60, help="passages of each collection")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print each passage that came out wrongly")
    options = parser.parse_args()
    totals: Counter[str] = Counter()
    kinds = ("number", "other", "part", "law", "heading", "word", "day")
    print(f"| collection | correct: right | {' | '.join(kinds)} | no citation seen |\n|---|{'--:|' * (len(kinds) + 2)}")
    for name in options.collections:
        folder = Path(os.environ.get("LEGALIR_DATA", ".")) / name
        collection = Collection(folder if folder.is_dir() else name)
        seen, good, skipped = Counter[str](), Counter[str](), 0
        for kind, text in cases(collection, options.each, options.seed):
            states = [one.state for one in collection.verify(text, as_of=None).citations]
            seen[kind] += 1
            skipped += not states
            right = bool(states) and all(state == "right" for state in states)
            good[kind] += right if not kind else bool(states) and not right
            if options.show and (not right if not kind else right or not states):
                print(f"    {kind or 'correct'}: {states} {text}")
        totals.update({f"seen {kind}": count for kind, count in seen.items()})
        totals.update({f"good {kind}": count for kind, count in good.items()})
        cells = (f"{good[kind]} of {seen[kind]}" if seen[kind] else "–" for kind in ("", *kinds))
        print(f"| {name} | {' | '.join(cells)} | {skipped} |", flush=True)
    errors = sum(totals[f"seen {kind}"] for kind in kinds)
    caught = sum(totals[f"good {kind}"] for kind in kinds)
    passed = totals["good "]
    print(f"\nCorrect passages that are right: {interval(passed, totals['seen '])} %")
    print(f"Errors caught: {interval(caught, errors)} %")
    print(f"Precision of right: {interval(passed, passed + errors - caught)} %")


if __name__ == "__main__":
    main()
