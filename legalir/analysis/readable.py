"""Terms as people read them: jamo put together again to syllables, and what is left over as letters."""

from __future__ import annotations

import unicodedata

__all__ = ["readable"]

_LEADS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_TAILS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"

# Conjoining jamo, which are the terms, have no shape of their own in many fonts; compatibility letters do.
_LETTERS = {
    **{0x1100 + place: letter for place, letter in enumerate(_LEADS)},
    **{0x1161 + place: chr(0x314F + place) for place in range(21)},
    **{0x11A8 + place: letter for place, letter in enumerate(_TAILS)},
}


def readable(term: str) -> str:
    """Return a term as people read it: of the word 무창층, the jamo 3-grams are 무ㅊ, ㅜ차, 창, ㅏㅇㅊ, ㅇ츠 and 층.

    Syllables are put together where the term holds all of one, or its lead and vowel; other jamo become compatibility
    letters. A tail and a lead look the same then.
    """
    return unicodedata.normalize("NFC", term).translate(_LETTERS)
