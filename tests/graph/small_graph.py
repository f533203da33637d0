"""Random graphs for property tests: cycles, self-loops, repeats, hubs, isolated nodes and unknown ids."""

from __future__ import annotations

from hypothesis import strategies as st

DOCNOS = [f"d{number}" for number in range(12)]
KNOWN = DOCNOS[:10]
"""Of the ids that links name, the last two are no provisions."""

LINKS = st.lists(
    st.tuples(
        st.sampled_from([*DOCNOS, *["d0"] * 6]),
        st.sampled_from([*DOCNOS, *["d1"] * 6]),
        st.sampled_from(["self", "family", ""]),
    ),
    max_size=40,
)


def known_pairs(links: list[tuple[str, str, str]]) -> dict[tuple[str, str], str]:
    """Return the links that a graph over :data:`KNOWN` keeps, with their kinds, in order."""
    kept: dict[tuple[str, str], str] = {}
    for source, target, kind in links:
        if source in KNOWN and target in KNOWN and source != target:
            kept.setdefault((source, target), kind)
    return kept
