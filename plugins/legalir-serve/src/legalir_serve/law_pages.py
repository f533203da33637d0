"""Pages that show the law: a provision, a law as a whole, its levels, what changed between two days, a survey."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from fastapi import Request, Response

from legalir.errors import ComponentError
from legalir_serve import laws, surveys
from legalir_serve.exports import as_csv
from legalir_serve.policy import TEXT
from legalir_serve.service import Service

SURVEY = ("state", *(f"r{place}" for place in range(surveys.BATCH)), *(f"d{place}" for place in range(surveys.BATCH)))
"""Parameters of a survey: what was decided before, and the provisions of a batch with what is decided of each."""

_SHOWN = 200
"""Most changes that a page shows."""


async def given_in(request: Request) -> dict[str, str]:
    """Return the parameters of an address and of a form; a text is too long for an address."""
    given = {**request.query_params}
    if request.method == "POST":
        given |= dict(parse_qsl((await request.body()).decode("utf-8", "replace")))
    return given


def place_of(given: Mapping[str, str]) -> dict[str, str | None]:
    """Return the collection and the day of a request."""
    return {name: given.get(name) or None for name in ("collection", "as_of")}


def text_in(given: Mapping[str, str]) -> str:
    """Return the text of a form.

    Raises:
        ComponentError: it is too long.
    """
    text = given.get("text", "")
    if len(text) > TEXT:
        raise ComponentError(f"The text has {len(text):,} characters, and {TEXT:,} are allowed.")
    return text


def add_law_pages(page: Callable[..., Callable[..., None]], service: Service) -> None:
    """Add the pages to an application.

    Args:
        page: serves what a function returns, in a template.
        service: what is served.
    """

    def facts_of(shown: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the pages of a provision and of a law need."""
        held = service.opened(shown["collection"]).collection
        return {
            "collections": [],
            "shown": shown,
            "law_language": held.language,
            "dated": held.dated,
        }

    @page("/provision", "provision.html")
    def provision(request: Request, given: dict[str, str]) -> dict[str, Any]:
        place, first, last = place_of(given), given.get("from", ""), given.get("to", "")
        shown = laws.provision(service, given.get("docno", ""), **place)
        days = [one["effective_from"] for one in shown["versions"]]
        here = next((at for at, one in enumerate(shown["versions"]) if one["docno"] == shown["docno"]), 0)
        chosen = first or days[max(0, here - 1)], last or days[max(here, min(1, len(days) - 1))]
        changes = None
        if first or last or len(days) > 1:
            changes = service.changes(*chosen, collection=shown["collection"], docno=shown["docno"])
        return {
            **facts_of(shown),
            "previews": laws.previews(service, shown),
            "changes": changes,
            "compared": bool(first or last),
            "has_levels": laws.level_of(shown["level"]) >= 0,
            "query": given.get("q", ""),
            "cited": given.get("words"),
        }

    @page("/law", "law.html")
    def law(request: Request, given: dict[str, str]) -> dict[str, Any]:
        docno = given.get("docno", "")
        shown = service.law(docno, **place_of(given))
        days = laws.days(service, docno, collection=shown["collection"])
        return {**facts_of({**shown, "docno": docno}), "days": days}

    @page("/levels", "levels.html")
    def levels(request: Request, given: dict[str, str]) -> dict[str, Any]:
        return facts_of(laws.levels(service, given.get("docno", ""), **place_of(given)))

    def changes(request: Request, given: dict[str, str]) -> dict[str, Any]:
        docno, text, name = given.get("docno", ""), text_in(given), given.get("law", "")
        opened = service.opened(given.get("collection") or None)
        record = service.citing(docno, "cites", collection=opened.name, k=0) if docno else None
        days = laws.days(service, docno, collection=opened.name) if docno else []
        meant = record["law"] if record else name
        first, last = given.get("from", ""), given.get("to", "")
        if last and not first:
            raise ComponentError("from is missing: give the earlier day, too.")
        if days and not first and not last:  # The newest change.
            first, last = days[max(0, len(days) - 2)][0], days[-1][0]
        shown = None
        if first:
            documents = {"text": text} if text.strip() else {}
            last = last or "today"
            shown = service.impact(first, last, collection=opened.name, law=meant, documents=documents)
        return {
            "collections": [one for one in service.collections() if one["dated"]],
            "shown": shown,
            "most": _SHOWN,
            "law_name": meant,
            "docno": docno,
            "days": days,
            "chosen": {"collection": opened.name, "from": first, "to": shown["to"] if shown else last},
            "text": text,
            "law_language": opened.collection.language,
            "without": ("law", "collection", "as_of"),
        }

    for path in ("/changes", "/impact"):
        page(path, "changes.html", ("GET", "POST"))(changes)

    @page("/survey", "survey.html", long=True)
    def survey(request: Request, given: dict[str, str]) -> dict[str, Any] | Response:
        query, place = given.get("q", ""), place_of(given)
        decided, corpus = surveys.unpacked(given.get("state", ""))
        known = {docno for docno, _ in decided}
        for number in range(surveys.BATCH):
            docno, sign = given.get(f"d{number}", ""), given.get(f"r{number}", "")
            if docno and sign and docno not in known:
                decided.append((docno, surveys.VERDICTS.get(sign, sign)))
        shown = None
        if query.strip():
            shown = surveys.survey(service, query, decided, corpus=corpus, **place)
        if shown and given.get("format") == "csv":
            address = f"{request.base_url}".rstrip("/")
            rows = [
                {
                    **row,
                    "address": f"{address}/provision?"
                    + urlencode({"docno": row["docno"], "collection": shown["collection"]}),
                }
                for row in shown["decisions"]
            ]
            name = quote(f"survey-{date.today().isoformat()}.csv")
            headers = {"content-disposition": f"attachment; filename*=UTF-8''{name}"}
            more = {"question": shown["query"], "collection": shown["collection"], "as_of": shown["as_of"] or ""}
            return Response(as_csv(rows, more), media_type="text/csv; charset=utf-8", headers=headers)
        opened = service.opened(place["collection"])
        named = [one for row in (shown or {"pending": []})["pending"] for one in row["near"]]
        return {
            "collections": service.collections(),
            "shown": shown,
            "query": query,
            "chosen": place,
            "state": surveys.packed(decided, shown["corpus"]) if shown else "",
            "back": surveys.packed(decided[:-1], shown["corpus"]) if shown and decided else "",
            "titles": {docno: one.title or docno for docno, one in opened.collection.provisions(named).items()},
            "law_language": opened.collection.language,
            "target": round(100 * surveys.TARGET),
        }
