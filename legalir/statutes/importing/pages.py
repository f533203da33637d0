"""The page of a provision on its publisher's site, where its address follows from what a file says."""

from __future__ import annotations

import re
from typing import NamedTuple

from legalir.statutes.documents import Document
from legalir.statutes.law import Law


class _Site(NamedTuple):
    """Pages of a publisher.

    Attributes:
        country: of its laws.
        law_id: pattern of the identifiers that are part of an address.
        law: address of a law, with the fields of :func:`page_of`.
        article: what follows for an article; empty if its laws have one page.
        unit: pattern of ``key`` or ``label`` of the articles that have an address.
    """

    country: str
    law_id: str
    law: str
    article: str = ""
    unit: str = ""


_SITES = (
    _Site("kr", r"\d+", "https://www.law.go.kr/{room}/{name}", "/{label}", r"제\d+조(?:의\d+)*"),
    _Site(
        "eu", r"[1-9]\d{4}[A-Z]{1,2}\d{4}.*", "https://eur-lex.europa.eu/legal-content/{lang}/TXT/?uri=CELEX:{law_id}"
    ),
    _Site("uk", r"[a-z]+-\d{4}-\d+", "https://www.legislation.gov.uk/{path}", "/{unit}", r"(?:section|article)-\w+"),
    _Site("jp", r"\d{3}[A-Z]\w{10,}", "https://laws.e-gov.go.jp/law/{law_id}"),
    _Site("tw", r"[A-Z]\d{7}", "https://law.moj.gov.tw/LawClass/LawAll.aspx?pcode={law_id}"),
    _Site("fr", r"LEGITEXT\d+", "https://www.legifrance.gouv.fr/codes/id/{law_id}"),
    _Site("nl", r"BWB[RV]\d+", "https://wetten.overheid.nl/{law_id}"),
    _Site("es", r"BO[A-Z]*-[A-Za-z]-\d{4}-\d+", "https://www.boe.es/buscar/act.php?id={law_id}", "#{key}", r"[ad]\w+"),
    _Site("cl", r"\d+", "https://www.bcn.cl/leychile/navegar?idNorma={law_id}"),
)
_US = "https://uscode.house.gov/view.xhtml?req=granuleid:USC-prelim-title{title}-section{number}&num=0&edition=prelim"
_ROOMS = {"standard": "행정규칙", "ordinance": "자치법규"}


def page_of(law: Law, document: Document) -> str:
    """Return the address of a provision's page, of its law's page, or an empty string.

    Addresses are made by the schemes that the publishers document; nothing is fetched.
    """
    unit = document.unit
    if law.country == "us" and unit.kind == "article" and (title := re.fullmatch(r"usc-t(\d+a?)", law.law_id)):
        return _US.format(title=title[1], number=unit.number)
    for site in _SITES:
        if site.country == law.country and re.fullmatch(site.law_id, law.law_id):
            fields = {
                "law_id": law.law_id,
                "name": re.sub(r"\s+", "", law.title),
                "room": _ROOMS.get(law.level, "법령"),
                "lang": law.lang.upper(),
                "path": law.law_id.replace("-", "/"),
                "key": unit.key,
                "unit": unit.key.replace("-", "/"),
                "label": unit.label,
            }
            top = unit.kind == "article" and all(each.kind in ("law", "group") for each in document.above)
            name = unit.label if "{label}" in site.article else unit.key
            own = top and site.unit and law.level not in _ROOMS and re.fullmatch(site.unit, name)
            return (site.law + (site.article if own else "")).format(**fields)
    return ""
