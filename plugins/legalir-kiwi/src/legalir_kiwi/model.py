"""Kiwi's model: loaded once a process, when the first text comes, and shared by all analyzers."""

from __future__ import annotations

import os
import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from importlib import metadata
from itertools import islice
from typing import TYPE_CHECKING

from legalir.errors import MissingExtra

if TYPE_CHECKING:
    from kiwipiepy import Kiwi, Token

__all__ = ["PIECE", "morphemes", "morphemes_of", "pieces", "versions"]

PIECE = 10_000
"""Longest piece of text that Kiwi is given, in characters: its time grows faster than the text (112 000 characters
without a line break took 6 s, 420 000 took 60 s)."""

_CUT = re.compile(rf".{{1,{PIECE - 1}}}(?:\s|\Z)|.{{1,{PIECE}}}", re.DOTALL)
_SURROGATES = re.compile("[\ud800-\udfff]")  # Kiwi reads UTF-16 and refuses lone ones.
_DOTS = dict.fromkeys(map(ord, "\u318d\u2022\u2027\u22c5\u30fb\uff65"), "\u00b7")

_lock = threading.Lock()
_models: dict[int, Kiwi] = {}
_inherited: list[dict[int, Kiwi]] = []


def versions() -> dict[str, str]:
    """Return the versions of kiwipiepy and of its model, without importing them.

    Raises:
        MissingExtra: one of them is not installed.
    """
    found: dict[str, str] = {}
    for package in ("kiwipiepy", "kiwipiepy_model"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError as error:
            raise MissingExtra(
                f"The analyzer kiwi needs the package {package!r}, which is not installed: pip install kiwipiepy"
            ) from error
    return found


def pieces(text: str) -> list[str]:
    """Return `text` in NFC and lower case, its middle dots alike, in pieces of at most :data:`PIECE` characters.

    A piece ends after white space where there is any. The dots of enumerations that people type become U+00B7, which
    Kiwi takes for punctuation; U+318D, which statutes use, it takes for a symbol.
    """
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    text = _SURROGATES.sub(" ", text.translate(_DOTS))
    return [text] if len(text) <= PIECE else _CUT.findall(text)


def morphemes(texts: Iterable[str], threads: int | None) -> Iterator[list[tuple[str, str]]]:
    """Yield the morphemes of each text, form and tag, in order.

    Several texts are analysed by several threads; the queue is bounded by the number of threads, not of texts.

    Args:
        texts: any number.
        threads: how many; None: as many as there are processors.
    """
    sizes: list[int] = []

    def stream() -> Iterator[str]:
        for text in texts:
            cut = pieces(text)
            sizes.append(len(cut))
            yield from cut

    analysed: Iterator[list[Token]] = iter(_model(threads).tokenize(stream()))
    # A text is cut when Kiwi asks for it, which is before its first piece is here.
    for done, first in enumerate(analysed):
        rest = islice(analysed, sizes[done] - 1)
        yield [(token.form, token.tag) for piece in (first, *rest) for token in piece]


def morphemes_of(text: str, threads: int | None) -> list[tuple[str, str]]:
    """Return the morphemes of one text, analysed in the thread that asks."""
    model = _model(threads)
    return [(token.form, token.tag) for piece in pieces(text) for token in model.tokenize(piece)]


def _model(threads: int | None) -> Kiwi:
    from kiwipiepy import Kiwi

    number = threads or _processors()
    with _lock:
        if number not in _models:
            _models[number] = Kiwi(num_workers=number)
        return _models[number]


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def _after_fork() -> None:
    """Begin without a model in a forked process: the threads of the parent's model are not there, and it would wait."""
    global _lock, _models
    _lock = threading.Lock()
    _inherited.append(_models)  # Ending that model would wait for those threads, too.
    _models = {}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
