"""How laws are named after the statute that they carry out."""

from __future__ import annotations

import pytest

from legalir.statutes.jurisdictions import statute_of


@pytest.mark.parametrize(
    ("law", "family"),
    [
        ("소방법 시행령", "소방법"),
        ("소방법시행규칙", "소방법"),
        ("소방법 시행령 별표", "소방법 시행령 별표"),
        ("시행령", "시행령"),
        ("Fire Safety Act", "Fire Safety Act"),
        ("", ""),
    ],
)
def test_a_family_bears_the_name_of_its_statute(law: str, family: str) -> None:
    assert statute_of(law) == family
