"""Facts that differ between jurisdictions, as data: how the laws of a statute are named after it."""

from __future__ import annotations

SUBORDINATE_SUFFIXES: dict[str, tuple[str, ...]] = {
    "kr": ("시행령", "시행규칙"),
}
"""Last words in the names of the laws that carry out a statute, by country (ISO 3166-1).

Korea: the enforcement decree and the enforcement rule of a statute bear its name and one of these words.
"""


def statute_of(law: str) -> str:
    """Return the name of the statute that a law carries out: its own name without a suffix, or the whole name."""
    for suffixes in SUBORDINATE_SUFFIXES.values():
        for suffix in suffixes:
            if law.endswith(suffix):
                return law.removesuffix(suffix).rstrip() or law
    return law
