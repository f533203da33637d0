"""Terms as Lucene gets them: in one line, apart from each other.

A term of an analyzer may hold anything, spaces among it. What separates terms or could not be seen is written as
``%`` and two hexadecimal digits for each byte, as in a URL, so that most terms look in Lucene's tools as they are.
"""

from __future__ import annotations

import hashlib
import re

__all__ = ["LONGEST", "encode"]

LONGEST = 8000
"""Longest encoded term, in characters; a term of Lucene may have 32 766 bytes, four to a character."""

# What Java takes for whitespace, what cannot be seen, and halves of surrogate pairs, which have no UTF-8. A fixed list:
# what Python's version of Unicode says must not decide how a term is written.
_UNSAFE = re.compile(
    r"[%|\x00-\x20\x7f-\xa0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ud800-\udfff\ufeff]"
)


def encode(term: str) -> str:
    """Return `term` without whitespace, ``|`` and what cannot be seen.

    Different terms give different texts. A term that would be longer than :data:`LONGEST` is given by its sha256,
    which cannot be decoded.
    """
    if not term:
        return "%"
    encoded = _UNSAFE.sub(_escape, term)
    if len(encoded) <= LONGEST:
        return encoded
    return f"%#{hashlib.sha256(term.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02x}" for byte in found[0].encode("utf-8", "surrogatepass"))
