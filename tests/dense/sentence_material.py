"""Texts for sentence encoders: two languages, many lengths, white space at the ends, beyond every limit."""

from __future__ import annotations

from tiny_models import SENTENCES

TEXTS = (
    *SENTENCES,
    "소방",
    "  the owner  ",
    "제12조제3항을 준용한다.\n다만, 관리자는 그러하지 아니하다.\t",
    SENTENCES[0],
    "A",
    " ".join(SENTENCES * 3),
    "관계인 " * 600,
)
