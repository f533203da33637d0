"""Language and scripts of a collection, recognised once and stored next to its indexes."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import NamedTuple

from legalir.analysis.language import UNKNOWN, identify, language, scripts
from legalir.datasets import StatuteDataset
from legalir.errors import AnalyzerError
from legalir.storage.documents import title_and_text
from legalir.storage.files import atomic_file

_FIRST, _TEXTS = 20_000, 500
"""Provisions among which about this many, evenly spaced, are looked at."""

_FILE = "writing.json"

_SEEN = 0.01
"""Share of the letters from which on a script counts."""

_LETTERS = 8
"""Minimum number of letters in a question; a shorter text is a code (``NFTC 103``)."""


class Writing(NamedTuple):
    """How the provisions of a collection are written.

    Attributes:
        language: code of the language, from ``dataset.yaml``, else recognised; ``und`` if unknown.
        recognised: whether the language was recognised, instead of declared.
        scripts: share of each script in the letters, the greatest first.
    """

    language: str
    recognised: bool
    scripts: dict[str, float]

    def __str__(self) -> str:
        """Return one line: ``en (recognised)``, and the scripts if there are several."""
        source = "recognised" if self.recognised else "given"
        line = "cannot be told" if self.language == UNKNOWN else f"{self.language} ({source})"
        shares = [f"{script} {share:.0%}" for script, share in self.scripts.items() if share >= _SEEN]
        if len(shares) < 2:
            return line
        return f"{line}; letters: {', '.join(shares)}: each run of a script is analysed by its own rule"

    def objection(self, question: str) -> str:
        """Return a sentence on why little or nothing can be found for a question, or an empty string."""
        if not any(map(str.isalnum, question)):
            return "The question has no letter and no digit, so that it has no terms: ask in words."
        asked = scripts([question])
        script = next(iter(asked), "")
        letters = sum(map(str.isalpha, question))
        if letters < _LETTERS or not self.scripts or self.scripts.get(script, 0) >= _SEEN:
            return ""
        own, share = next(iter(self.scripts.items()))
        return (
            f"The question is written in {script} letters, and {share:.0%} of the letters of the provisions are {own}."
        )


def writing_of(source: StatuteDataset, cache: Path) -> Writing:
    """Return how the provisions of `source` are written; what is recognised is stored in the folder `cache`.

    Raises:
        AnalyzerError: ``dataset.yaml`` names a language that is not known.
    """
    seen = _stored(cache / _FILE)
    if seen is None:
        first = min(source.docs_count(), _FIRST)
        looked_at = range(0, first, max(1, first // _TEXTS))
        texts = [title_and_text(record.title, record.text) for record in source.store.at(looked_at)]
        seen = identify(texts), scripts(texts)
        # If the cache cannot be written, the index that needs it reports that.
        with contextlib.suppress(OSError), atomic_file(cache / _FILE) as file:
            json.dump({"language": seen[0], "scripts": seen[1]}, file)
    given = source.about.lang
    if given is None:
        return Writing(seen[0], True, seen[1])
    try:
        return Writing(language(given).code, False, seen[1])
    except AnalyzerError as error:
        raise AnalyzerError(f"{source.id}: {error} Correct it in dataset.yaml, or leave it out.") from None


def _stored(path: Path) -> tuple[str, dict[str, float]] | None:
    """Return what was recognised before, or None where that cannot be read: it is recognised again then."""
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        return language(facts["language"]).code, {
            str(script): float(share) for script, share in facts["scripts"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, AnalyzerError):
        return None
