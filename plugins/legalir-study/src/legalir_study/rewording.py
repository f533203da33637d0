"""Questions as people really ask them: some vaguer, longer, shorter or in another order, some with slips of typing.

Source: the augmentation of the questions of [hypa-rag]. Deviation: shares are those of the paper, and the released code
has others; slips are made by rule, with a seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from legalir import Client
from legalir.errors import ComponentError, suggestion
from legalir.extend import FailedReply, Prompt, check_script, digest
from legalir_study.drafts import without_markup
from legalir_study.items import Row

CHANGES = ("vaguer", "noise", "vaguer and noise", "reordered", "spelling", "longer", "shorter")
"""Changes of a question; ``longer`` and ``shorter`` are shares of the questions that rest on one provision, and on
three or more."""

HYPA_SHARES = dict(zip(CHANGES, (0.10, 0.10, 0.10, 0.05, 0.05, 0.25, 0.25), strict=True))
"""Shares of [hypa-rag]."""

_BY_MODEL = {"vaguer": "vaguer", "vaguer and noise": "vaguer", "reordered": "reordered"}
_SIGNS = ",.;:!?"


def parsed_shares(text: str) -> dict[str, float]:
    """Return the shares in a text such as ``vaguer=0.1, longer=0.25``; ``hypa`` means all shares of the paper.

    Raises:
        ComponentError: a change is unknown, a share is not from 0 to 1, or those of the changes that exclude each other
            are more than 1 together.
    """
    if text.strip() == "hypa":
        return dict(HYPA_SHARES)
    shares: dict[str, float] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, number = (piece.strip() for piece in part.partition("="))
        if name not in CHANGES:
            raise ComponentError(
                f"The change {name!r} is unknown: give some of {', '.join(CHANGES)}, such as vaguer=0.1, or hypa."
                f"{suggestion(name, CHANGES)}"
            )
        try:
            shares[name] = float(number)
        except ValueError:
            raise ComponentError(f"The share of {name!r} is {number!r}: give a number from 0 to 1.") from None
    return checked_shares(shares)


def checked_shares(shares: Mapping[str, float]) -> dict[str, float]:
    """Return shares after checking them; errors as :func:`parsed_shares`."""
    for name, share in shares.items():
        if name not in CHANGES:
            raise ComponentError(f"The change {name!r} is unknown: give some of {', '.join(CHANGES)}.")
        if not 0 <= share <= 1:
            raise ComponentError(f"The share of {name!r} is {share}: give a number from 0 to 1.")
    total = sum(share for name, share in shares.items() if name not in ("longer", "shorter"))
    if total > 1 + 1e-9:
        raise ComponentError(f"The shares of changes are {total:g} together: give at most 1.")
    return dict(shares)


def chosen_changes(items: Sequence[Row], shares: Mapping[str, float], seed: int) -> dict[str, str]:
    """Return the change of each item that has one, by qid.

    A share of the items with one document gets longer, and a share of those with three or more shorter; of all other
    items, each other change gets its share of all items, as far as they suffice. Numbers are rounded.

    Args:
        items: ``qid, documents``.
        shares: share of each change, from 0 to 1.
        seed: another seed chooses other items.
    """
    order = sorted(items, key=lambda row: digest([seed, "change", row["qid"]]))
    changes: dict[str, str] = {}
    classes = {"longer": range(1, 2), "shorter": range(3, 1000)}
    for change, needed in classes.items():
        of_class = [row["qid"] for row in order if len(row["documents"]) in needed]
        changes |= dict.fromkeys(of_class[: round(shares.get(change, 0) * len(of_class))], change)
    free = [row["qid"] for row in order if row["qid"] not in changes]
    for change in CHANGES:
        if change not in ("longer", "shorter"):
            count = round(shares.get(change, 0) * len(items))
            changes |= dict.fromkeys(free[:count], change)
            free = free[count:]
    return changes


def noisy(text: str, rng: random.Random) -> str:
    """Return a text with one slip in its words or punctuation: a word left out or twice, or a sign put in or left out.

    Words with digits stay, and so does a text of one word.
    """
    words = text.split()
    plain = [place for place, word in enumerate(words) if not any(map(str.isdigit, word))]
    signs = [place for place in plain if any(sign in _SIGNS for sign in words[place])]
    kinds = ["sign", *(["drop", "double"] if len(plain) > 1 else []), *(["no sign"] if signs else [])]
    kind = rng.choice(kinds) if plain else "none"
    if kind == "no sign":
        place = rng.choice(signs)
        words[place] = "".join(sign for sign in words[place] if sign not in _SIGNS)
    elif kind == "sign":
        words[rng.choice(plain)] += rng.choice(_SIGNS)
    elif kind == "double":
        place = rng.choice(plain)
        words.insert(place, words[place])
    elif kind == "drop":
        del words[rng.choice(plain)]
    return " ".join(filter(None, words))


def misspelt(text: str, rng: random.Random) -> str:
    """Return a text with one slip of typing: two neighbouring letters swapped, or one letter left out or twice.

    Only words of three letters or more are touched, and of them only letters after the first; digits stay.
    """
    places = [
        (start, start + len(word))
        for start, word in _words_with_places(text)
        if len(word) >= 3 and all(map(str.isalpha, word))
    ]
    if not places:
        return text
    start, end = rng.choice(places)
    place = rng.randrange(start + 1, end - 1)
    one, two = text[place], text[place + 1]
    slips: list[Callable[[], str]] = [lambda: "", lambda: one + one]
    if one != two:
        slips.append(lambda: two + one)
    slip = rng.randrange(len(slips))
    return text[:place] + slips[slip]() + text[place + (2 if slip == 2 else 1) :]


def _words_with_places(text: str) -> list[tuple[int, str]]:
    words, start = [], 0
    for place, sign in enumerate([*text, " "]):
        if not sign.isalnum():
            if place > start:
                words.append((start, text[start:place]))
            start = place + 1
    return words


def _check_rewording(text: str, question: str) -> None:
    if not any(map(str.isalnum, text)):
        raise FailedReply("empty", "the reply has no word")
    if len(text) > 4 * len(question) + 200:
        raise FailedReply("invalid", "the reply is much longer than the question")
    check_script(text, question)


def reworded(
    items: Sequence[Row], shares: Mapping[str, float], seed: int, client: Client, prompt: Prompt, llm: str | None
) -> tuple[list[Row], dict[str, int]]:
    """Return items with some of their questions changed.

    A changed item has ``change``, and ``original``, its question before. Where the model gave no rewording of use, the
    question stays and has no ``change``; the count says so.

    Args:
        items: ``qid, query, documents``.
        shares: share of each change, from 0 to 1.
        seed: of the choice of items and of the slips.
        client: asks the model.
        prompt: the prompt of the rewordings.
        llm: the model; None for that of the client.

    Returns:
        The items, and the number of each change that was made, ``failed`` among them where a rewording failed.

    Raises:
        ComponentError: a share is wrong.
        ModelError: no request can succeed.
    """
    changes = chosen_changes(items, checked_shares(shares), seed)
    asked = [row for row in items if changes.get(row["qid"]) not in (None, "noise", "spelling")]
    replies = client.ask(
        prompt,
        [
            {"question": row["query"], "change": _BY_MODEL.get(changes[row["qid"]], changes[row["qid"]])}
            for row in asked
        ],
        llm=llm,
        check=_check_rewording,
    )
    texts = {row["qid"]: reply for row, reply in zip(asked, replies, strict=True)}
    counts: dict[str, int] = {}
    changed: list[Row] = []
    for row in items:
        change = changes.get(row["qid"])
        rng = random.Random(digest([seed, "slip", row["qid"]]))
        text = row["query"]
        if row["qid"] in texts:
            reply = texts[row["qid"]]
            if reply.state != "ok":
                change = "failed"
            else:
                text = without_markup(reply.value)
        if change in ("noise", "vaguer and noise"):
            text = noisy(text, rng)
        elif change == "spelling":
            text = misspelt(text, rng)
        if change is not None:
            counts[change] = counts.get(change, 0) + 1
        if change in (None, "failed"):
            changed.append(row)
        else:
            changed.append({**row, "query": text, "change": change, "original": row["query"]})
    return changed, {change: counts[change] for change in (*CHANGES, "failed") if change in counts}
