"""Pages for people who search: each view is an address, works without a script, and shows text only as text."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import jinja2
from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from legalir.errors import ComponentError, suggestion
from legalir.extend import NOTICE, WRONG
from legalir_serve.exports import KINDS, as_csv, as_json, as_word, citation, days_of
from legalir_serve.labels import language_of, messages, plural, refused_in, said
from legalir_serve.law_pages import SURVEY, add_law_pages, given_in, place_of, text_in
from legalir_serve.passages import extract, marked, reasons, telling
from legalir_serve.reading import paragraphs
from legalir_serve.service import Service
from legalir_serve.work import event, refusal, steps

Run = Callable[..., Any]
Page = Callable[[Request, dict[str, str]], dict[str, Any] | Response]

PARAMETERS = ("q", "collection", "pipeline", "k", "offset", "as_of", "law", "level", "path", "lang")
"""Parameters of an address that stay from view to view."""

_FILTERS = ("law", "level", "path")
"""Parameters that filter."""

_OTHERS = ("docno", "from", "to", "other", "format", "live", "text", "words", *SURVEY)
"""Parameters of single pages."""

_ADDED = ("utm_", "fbclid", "gclid")
"""What other sites add to an address."""

_TAKEN = (
    *("docno", "title", "law", "path", "heading", "level", "effective_from", "effective_to", "state", "since", "url"),
    "text",
)
"""What a file has of a single provision."""

_WORD = re.compile(r"\w+")
_RESULTS = 10


def add_pages(app: FastAPI, service: Service, run: Callable[..., Run], labels: Path | None = None) -> None:
    """Add the pages to an application.

    Args:
        app: the application.
        service: what is served.
        run: returns what does the work of a request for a pipeline; it also fills templates.
        labels: a file of labels, see :func:`messages`.
    """
    texts = messages(labels)
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("legalir_serve"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.globals.update(
        marked=marked, extract=extract, telling=telling, paragraphs=paragraphs, class_of=class_of, notice=NOTICE
    )

    def path_of(path: str, most: int = 99) -> str:
        """Return the last parts of a path; on a phone, a long one would hide what it leads to."""
        parts = path.split(" > ")
        return " › ".join(parts if len(parts) <= most + 1 else ["…", *parts[-most:]])

    def title_of(name: str, language: str) -> str:
        return service.opened(name).collection.source.about.titled(language) or name

    def dated(name: str) -> bool:
        return service.opened(name).collection.dated

    def spoken_in(name: str) -> str:
        return service.opened(name).collection.language

    environment.globals.update(spoken_in=spoken_in, path_of=path_of, days_of=days_of, plural=plural)
    app.mount("/static", Cached(packages=[("legalir_serve", "static")]), name="static")

    def rendered(request: Request, template: str, **values: Any) -> str:
        dropped = values.pop("without", ())
        given = {
            name: request.query_params[name]
            for name in PARAMETERS
            if request.query_params.get(name) and name not in dropped
        }
        language, root = language_of(request, texts), request.scope.get("root_path", "")

        def link(path: str, /, **changes: object) -> str:
            """Return this URL with some query parameters replaced."""
            query = {**given, **{name: str(value) for name, value in changes.items() if value is not None}}
            dropped = {name for name, value in changes.items() if value is None}
            kept = urlencode({name: value for name, value in query.items() if name not in dropped})
            return f"{root}{path}?{kept}" if kept else f"{root}{path}"

        t, chosen = (
            texts[language],
            values.get("chosen", {}).get("collection") or request.query_params.get("collection"),
        )
        invented = [name for name in service.names if service.opened(name).collection.source.about.fictional]
        invented = [name for name in invented if chosen in ("all", name) or (not chosen and name == service.names[0])]
        return environment.get_template(template).render(
            **values,
            given=given,
            link=link,
            root=root,
            t=t,
            language=language,
            languages=dict(sorted(texts.items())),
            title_of=partial(title_of, language=language),
            fictional=[title_of(name, language) for name in invented],
            said=lambda text: said(text, t),
            cite=lambda row, name: as_cited(request, row, name, language),
            page_address=str(request.url),
            today=date.today().isoformat(),
        )

    def refused_page(request: Request, error: Exception) -> Response:
        refused, t = refusal(error, service.hidden), texts[language_of(request, texts)]
        wanted = request.query_params.get("docno") or request.query_params.get("collection") or ""
        reason = refused_in(t, refused.code, refused.reason, wanted)
        headers = {**refused.headers, "vary": "accept-language"}
        without = ("as_of",) if refused.code == "no_versions" else ()
        detail = refused.reason if refused.code == "invalid" else ""
        shown = {"reason": reason, "detail": detail, "told": said(refused.reason, t) != ""}
        return HTMLResponse(rendered(request, "error.html", **shown, without=without), refused.status, headers)

    def page(path: str, template: str, methods: Iterable[str] = ("GET",), long: bool = False) -> Callable[[Page], None]:
        """Serve what a function returns, in a template; an error is a page, too.

        The function is given the request and its parameters, those of a form among them. It and the template are the
        work of a request for a pipeline; `long` work is done as that of expressions that requests write.
        """

        def add(values_of: Page) -> None:
            def work(request: Request, given: dict[str, str]) -> Response:
                found = values_of(request, given)
                if isinstance(found, Response):
                    return found
                return HTMLResponse(rendered(request, template, **found), headers={"vary": "accept-language"})

            async def serve(request: Request) -> Response:
                try:
                    check_parameters(request)
                    given = await given_in(request)
                    worker = run(path if long else given.get("pipeline", ""), "".join(given.values()))
                    reply: Response = await worker(work, request, given)
                    return reply
                except Exception as error:
                    return refused_page(request, error)

            app.add_api_route(path, serve, methods=[*methods], include_in_schema=False, response_class=HTMLResponse)

        return add

    refuse = app.exception_handlers[HTTPException]

    async def refuse_or_show(request: Request, error: Exception) -> Response:
        """Answer a mistake in an address with a page, unless it is of the API."""
        if request.url.path.removeprefix(request.scope.get("root_path", "")).startswith(("/v1", "/mcp")):
            answer: Response = await refuse(request, error)  # type: ignore[misc]
            return answer
        return refused_page(request, error)

    app.add_exception_handler(HTTPException, refuse_or_show)

    def options(given: Mapping[str, str]) -> dict[str, Any]:
        return {
            "collection": given.get("collection") or None,
            "pipeline": given.get("pipeline") or "default",
            "as_of": given.get("as_of") or None,
            **{
                name: value.split("|") if name == "level" else [value]
                for name in _FILTERS
                if (value := given.get(name))
            },
        }

    def count(given: Mapping[str, str]) -> int:
        return _whole(given.get("k", ""), _RESULTS)

    def searched(query: str, chosen: Mapping[str, Any], k: int) -> dict[str, Any]:
        places = [chosen["collection"]] if chosen["collection"] else []
        options = {name: value for name, value in chosen.items() if name != "collection"}
        found = service.several(query, places, k=k, explained=True, counted=True, **options)
        found["names"] = found["collection"] if isinstance(found["collection"], list) else [found["collection"]]
        for row in found["results"]:
            held = service.opened(row.get("collection", found["names"][0])).collection
            why = reasons(row["explanation"], telling(found["query"], held.language))[:3]
            seeds = held.provisions([text for kind, text in why if kind == "seed"])
            row["why"] = [(kind, text, seeds[text].title or text if text in seeds else text) for kind, text in why]
        # The law of today is not what was asked for, if a day was.
        asked = chosen["as_of"] or (found.get("as_of_note") and found["as_of"])
        found["undated"] = [name for name in found["names"] if asked and not dated(name)]
        return found

    @page("/", "search.html")
    def search(request: Request, given: dict[str, str]) -> dict[str, Any] | Response:
        query, chosen = given.get("q", ""), options(given)
        plain = chosen["pipeline"] == "default" and not given.get("words")
        if query.strip() and plain and not any(name in chosen for name in _FILTERS):
            named = chosen["collection"] if chosen["collection"] != "all" else None
            known = service.cited(query, collection=named, as_of=chosen["as_of"])["found"]
            # Without versions there is no wording of a day that is asked.
            cited = [row for row in known if row["shows"] and (dated(row["collection"]) or not chosen["as_of"])]
            if len(cited) == 1:  # The question is nothing but its citation.
                place = {name: given[name] for name in ("q", "as_of", "lang") if given.get(name)}
                place |= {"docno": cited[0]["shows"], "collection": cited[0]["collection"], "words": "1"}
                root = request.scope.get("root_path", "")
                return RedirectResponse(f"{root}/provision?{urlencode(place)}", 303)
        chosen["offset"] = _whole(given.get("offset", ""), 0)
        found = searched(query, chosen, count(given)) if query.strip() else None
        return {
            "collections": service.collections(),
            "found": found,
            "query": query,
            "chosen": chosen,
            "examples": {} if found else {name: service.examples(name) for name in service.names},
            "count": count(given),
        }

    @page("/compare", "compare.html", long=True)
    def compare(request: Request, given: dict[str, str]) -> dict[str, Any]:
        query, chosen = given.get("q", ""), options(given)
        chosen["collection"] = None if chosen["collection"] == "all" else chosen["collection"]
        other = {**chosen, "pipeline": given.get("other") or "bm25"}
        both = (chosen, other) if query.strip() else ()
        sides = [service.search(query, k=count(given), **each) for each in both]
        places = [{row["docno"]: row["rank"] for row in side["results"]} for side in sides]
        return {
            "collections": service.collections(),
            "sides": sides,
            "places": places[::-1],
            "query": query,
            "chosen": chosen,
            "other": other,
        }

    @page("/verify", "verify.html", ("GET", "POST"))
    def verify(request: Request, given: dict[str, str]) -> dict[str, Any]:
        text, chosen = text_in(given), place_of(given)
        verified = None
        if text.strip():
            verified = service.verify(text, collection=chosen["collection"], as_of=chosen["as_of"])
        return {
            "collections": service.collections(),
            "verified": verified,
            "pieces": pieces(text, verified["citations"]) if verified else [],
            "text": text,
            "chosen": chosen,
        }

    add_law_pages(page, service)

    @page("/explain", "explain.html")
    def explain(request: Request, given: dict[str, str]) -> dict[str, Any]:
        query, docno = (given.get(name, "") for name in ("q", "docno"))
        chosen = options(given)
        shown = service.explain(query, docno, **chosen)
        why = reasons(shown, query)
        words = [text for kind, text in why if kind == "word"][:6]
        named = service.opened(chosen["collection"]).collection.provisions([docno, *(text for _, text in why)])
        titles = {each: one.title or each for each, one in named.items()}
        return {"collections": [], "shown": shown, "why": why[:6], "words": words, "titles": titles, "query": query}

    @page("/answer", "answer.html")
    def answer(request: Request, given: dict[str, str]) -> dict[str, Any]:
        query, chosen = given.get("q", ""), {**options(given), "pipeline": given.get("pipeline") or "answer"}
        shown: dict[str, Any] = {"reply": None, "parts": [], "steps": "", "choose": chosen["collection"] == "all"}
        if shown["choose"]:  # An answer is made of the provisions of one collection.
            pass
        elif query.strip() and given.get("live"):
            shown["steps"] = f"{request.scope.get('root_path', '')}/answer/steps?{request.query_params}"
        elif query.strip():
            shown |= answered(service.answer(query, **chosen), texts[language_of(request, texts)])
        return {"collections": service.collections(), "query": query, "chosen": chosen, **shown}

    @app.get("/answer/steps", include_in_schema=False)
    async def answer_steps(request: Request) -> Response:
        given = {**request.query_params}
        query, chosen = given.get("q", ""), {**options(given), "pipeline": given.get("pipeline") or "answer"}

        async def events() -> AsyncIterator[str]:
            labels = texts[language_of(request, texts)]
            work = run(chosen["pipeline"], query)
            answering = steps(work, lambda told: service.answer(query, told=told, **chosen), service.hidden)
            async for kind, content in answering:
                shown = content
                if kind == "answer":
                    shown = {"html": rendered(request, "reply.html", **answered(content, labels))}
                elif kind == "error":
                    shown = {**content, "error": refused_in(labels, content["code"], content["error"])}
                yield event(kind, shown)

        return StreamingResponse(events(), media_type="text/event-stream")

    @page("/export", "error.html")
    def export(request: Request, given: dict[str, str]) -> Response:
        query, docno, chosen = given.get("q", ""), given.get("docno"), options(given)
        kind = given.get("format") or "json"
        if kind not in KINDS:
            raise ComponentError(f"format={kind!r} is not one of: {', '.join(KINDS)}.")
        if docno:
            place = {"collection": chosen["collection"], "as_of": chosen["as_of"]}
            shown = service.provision(docno, **place)
            found = {"collection": shown["collection"], "results": [{name: shown.get(name) for name in _TAKEN}]}
        else:
            place = chosen.pop("collection")
            places = [place] if place else []
            found = service.several(query, places, k=count(given), **chosen)
        content, name = exported(request, found, kind, query)
        name = "-".join([*_WORD.findall(name)[:8], date.today().isoformat()])[:80]
        headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}.{kind}"}
        return Response(content, media_type=KINDS[kind], headers=headers)

    def exported(request: Request, found: dict[str, Any], kind: str, query: str) -> tuple[bytes, str]:
        """Return the file of results or of one provision, and what it is about."""
        language = language_of(request, texts)
        t, of = texts[language], found["collection"]
        names = of if isinstance(of, list) else [of]
        rows = [as_cited(request, row, row.get("collection", names[0]), language) for row in found.pop("results")]
        day = date.today().isoformat()
        if kind == "json":
            return as_json(rows, {**found, "retrieved": day}), query or rows[0]["title"]
        if kind == "csv":
            more = {"question": query, "as_of": found.get("as_of") or "", "retrieved": day}
            more |= {"collection": names[0]} if len(names) == 1 else {}
            return as_csv(rows, more), query or rows[0]["title"]
        titles = ", ".join(title_of(name, language) for name in names)
        when = f"{t['in_force_on']} {found['as_of']}" if found.get("as_of") else ""
        facts = " · ".join(filter(None, (titles, when, t["retrieved"].format(day=day), t["notice"])))
        heading = query or rows[0]["title"] or rows[0]["docno"]
        spoken = spoken_in(names[0])
        return as_word(heading, facts, rows, t, spoken), heading

    def as_cited(request: Request, row: Mapping[str, Any], name: str, language: str) -> dict[str, Any]:
        """Return a row of a provision with its address and how it is cited."""
        address = f"{request.base_url}provision?{urlencode({'docno': row['docno'], 'collection': name})}"
        return {
            **row,
            "address": address,
            "citation": citation(row, texts[language], title_of(name, language), address),
        }

    @page("/kept", "kept.html")
    def kept(request: Request, given: dict[str, str]) -> dict[str, Any]:
        return {}


def check_parameters(request: Request) -> None:
    """Refuse a parameter that no page has: ``asof`` for ``as_of`` would give the law of another day without a word.

    Raises:
        ComponentError: there is one. What other sites add to a link (``utm_source``) is left alone.
    """
    for name in request.query_params:
        if name not in (*PARAMETERS, *_OTHERS) and not name.startswith(_ADDED):
            raise ComponentError(f"{name}?{suggestion(name, (*PARAMETERS, *_OTHERS))}")


class Cached(StaticFiles):
    """Files of the pages, which a browser may keep for a day."""

    def file_response(self, *arguments: Any, **named: Any) -> Response:
        """Return a file."""
        reply = super().file_response(*arguments, **named)
        reply.headers["cache-control"] = "public, max-age=86400"
        return reply


def pieces(text: str, citations: Iterable[Mapping[str, Any]]) -> list[tuple[str, int, str]]:
    """Return a text in pieces, each with the number of its citation, from 1, and its class; 0 and empty between them.

    Classes: ``right``, ``wrong``, ``open``.
    """
    found, end = list[tuple[str, int, str]](), 0
    for number, one in enumerate(citations, 1):
        found += [(text[end : one["start"]], 0, ""), (text[one["start"] : one["end"]], number, class_of(one["state"]))]
        end = one["end"]
    return [piece for piece in [*found, (text[end:], 0, "")] if piece[0]]


def class_of(state: str) -> str:
    """Return whether a state of a citation is ``right``, ``wrong``, or left ``open``."""
    return "right" if state == "right" else "wrong" if state in WRONG else "open"


def _whole(text: str, otherwise: int) -> int:
    """Return the whole number from 0 that a text is."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else otherwise


def answered(reply: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """Return an answer as its template shows it, each quotation once.

    Its text as parts, each with a docno and ``cited``, ``verified`` (checked words of a provision) or nothing; the
    `quotes` that are not in the text, each with docno, title and state; the `reason`, in the words of `labels` unless a
    model wrote it; the sources that are `cited`, in the order of their citations, with the `numbers` by which the text
    cites them, from 1; those that were `read`, and those that were `left` out, without being cited.
    """
    citations = {citation["docno"]: citation for citation in reply["citations"]}
    every = [(docno, one["words"], one["state"]) for docno, of in citations.items() for one in of["quotes"]]
    verified = {words: docno for docno, words, state in reversed(every) if state == "verified" and words}
    marks = {f"[{docno}]": (docno, "cited") for docno in citations}
    marks |= {words: (docno, "verified") for words, docno in verified.items()}
    pattern = "|".join(map(re.escape, sorted(marks, key=len, reverse=True))) or "(?!)"
    parts = [(part, *marks.get(part, ("", ""))) for part in re.split(f"({pattern})", reply["answer"]) if part]
    shown = {part for part, _, kind in parts if kind == "verified"}
    quotes = [(docno, citations[docno]["title"], words, state) for docno, words, state in every if words not in shown]
    reason = labels.get(f"reason_{reply['reason_kind']}", reply["reason"])
    sources = {row["docno"]: row for row in reply.get("sources", ())}
    others = [row for docno, row in sources.items() if docno not in citations]
    return {
        "reply": reply,
        "parts": parts,
        "quotes": quotes,
        "reason": reason,
        "numbers": {docno: number for number, docno in enumerate(citations, 1)},
        "cited": [sources.get(docno, {**citation, "text": ""}) for docno, citation in citations.items()],
        "read": [row for row in others if row["read"]],
        "left": [row for row in others if not row["read"]],
    }
