"""Phrases and excluded words in a question: ``"just cause"``, ``-vehicles``, ``-"motor vehicles"``.

Any pair of double quotation marks counts. Corner brackets around Korean words do not, because they name laws there; nor
do single marks, the marks of titles (U+300A), and a straight mark after a letter or digit, which may mean inches.
"""

from __future__ import annotations

import regex

_PAIRS = ("“”", "„“", "„”", "””", "«»", "»«", "「」", "『』", "＂＂", "〝〟", "〝〞")
_QUOTED = "|".join(
    [
        r'(?<![\p{Latin}\p{Nd}])"([^"]+)"(?![\p{Latin}\p{Nd}])',
        *(f"{pair[0]}([^{pair[0]}{pair[1]}]+){pair[1]}" for pair in _PAIRS),
    ]
)
_MARKED = regex.compile(rf"(?P<out>(?<!\S)-)?(?:{_QUOTED})|(?<!\S)-(?P<word>\p{{L}}[^\s,;:!?。、，]*)")
_KOREAN = regex.compile(r"[「『].*\p{Hangul}", regex.DOTALL)


def marked(question: str) -> tuple[str, list[dict[str, str]]]:
    """Return a question without its excluded words, and the filters for its phrases and excluded words, in order."""
    filters: list[dict[str, str]] = []

    def read(found: regex.Match[str]) -> str:
        words = found["word"] or next(filter(None, found.groups()[1:]))
        is_out = bool(found["out"] or found["word"])
        if not words.strip() or (_KOREAN.match(found[0]) and not is_out):
            return found[0]
        filters.append({f"text{'!~' if is_out else '~'}": words.strip().rstrip(".")})
        return " " if is_out else found[0]

    words = _MARKED.sub(read, question)
    return (" ".join(words.split()) if words != question else question), filters
