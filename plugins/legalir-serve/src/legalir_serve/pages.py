"""Pages for people who search: each view is an address, works without a script, and shows text only as text."""

from __future__ import annotations

import csv
import io
import json
import re
from bisect import bisect_left
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jinja2
import yaml
from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles

from legalir.errors import ComponentError, suggestion
from legalir.extend import CELL, NOTICE
from legalir_serve.neighbourhood import HEIGHT, WIDTH, Picture, picture
from legalir_serve.service import Service
from legalir_serve.work import event, refusal, steps

Run = Callable[..., Any]

PARAMETERS = ("q", "collection", "pipeline", "k", "as_of", "lang", "order")
"""Parameters of an address that stay from view to view."""

_WORD = re.compile(r"[^\W_]+")
_RESULTS = 10


def messages(more: Path | None = None) -> dict[str, dict[str, str]]:
    """Return the labels of pages by language and name; what a language lacks is in English.

    Args:
        more: a YAML file with labels by language and name, which override legalir's labels.

    Raises:
        ComponentError: it cannot be read, or holds something else.
    """
    own: dict[str, dict[str, str]] = yaml.safe_load(
        resources.files(__package__).joinpath("messages.yaml").read_text("utf-8")
    )
    given = {} if more is None else _labels(more, own["en"])
    return {
        language: {**own["en"], **own.get(language, {}), **given.get(language, {})} for language in {**own, **given}
    }


def _labels(path: Path, names: Collection[str]) -> dict[str, dict[str, str]]:
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ComponentError(f"The labels in {path} cannot be read: {type(error).__name__}.") from None
    for language, labels in given.items() if isinstance(given, dict) else [("", None)]:
        if not isinstance(language, str) or not re.fullmatch("[a-z]{2}", language) or not isinstance(labels, dict):
            raise ComponentError(f"{path} holds no labels: write codes of languages, and below each name: label.")
        for name, label in labels.items():
            if name not in names or not isinstance(label, str):
                raise ComponentError(f"{path}: {name!r} of {language} is no label.{suggestion(str(name), set(names))}")
    return given  # type: ignore[no-any-return]


def language_of(request: Request, languages: Collection[str]) -> str:
    """Return the language of a request: from its URL, else the browser's first available language."""
    accepted = request.headers.get("accept-language", "").split(",")
    for wanted in (request.query_params.get("lang", ""), *accepted):
        code = wanted.strip()[:2].lower()
        if code in languages:
            return code
    return "en"


def marked(text: str, question: str) -> list[tuple[str, bool]]:
    """Return a text as parts, and whether each is the beginning of a word that a word of the question has, too.

    Endings differ: 창문이 marks 창문은, doors marks door. Two letters of Hangul or Han have to agree, or four of an
    alphabet.
    """
    words = {word.lower() for word in _WORD.findall(question) if len(word) > 1}
    beginnings = {word[:length] for word in words for length in range(_shortest(word), len(word) + 1)}
    parts, end = [], 0
    for word in _WORD.finditer(text):
        own = word[0].lower()
        for length in range(len(own), _shortest(own) - 1, -1) if len(own) > 1 else ():
            if own[:length] in beginnings:
                start, stop = word.start(), word.start() + length
                parts += [(text[end:start], False), (text[start:stop], True)]
                end = stop
                break
    return [part for part in [*parts, (text[end:], False)] if part[0]]


def _shortest(word: str) -> int:
    return 2 if ord(word[0]) > 0x2E80 else min(4, len(word))


def blocks(text: str) -> list[str | list[list[str]]]:
    """Return a text as its lines; lines of as many cells that follow each other are a table, a list of rows."""
    found: list[str | list[list[str]]] = []
    for line in filter(str.strip, text.splitlines()):
        cells = line.split(CELL)
        before = found[-1] if found else ""
        if len(cells) > 1 and not isinstance(before, str) and len(before[-1]) == len(cells):
            before.append(cells)
        else:
            found.append([cells] if len(cells) > 1 else line)
    return [CELL.join(one[0]) if not isinstance(one, str) and len(one) == 1 else one for one in found]


def extract(text: str, question: str, length: int = 280) -> str:
    """Return the stretch of a text with the most words of the question, cut at white space."""
    flat = " ".join(text.split())
    if len(flat) <= length:
        return flat
    places, at = [], 0
    for part, hit in marked(flat, question):
        if hit:
            places.append(at)
        at += len(part)
    start = max(places or [0], key=lambda place: bisect_left(places, place + length - 60) - bisect_left(places, place))
    start = max(0, min(start - 60, len(flat) - length))
    start = flat.find(" ", start) + 1 if start and " " in flat[start : start + 40] else start
    end = start + length
    return ("… " if start else "") + flat[start:end].rstrip() + (" …" if end < len(flat) else "")


def reasons(explanation: Mapping[str, Any], most: int = 3) -> list[tuple[str, str]]:
    """Return the largest contributions to a score, each as a kind and a text.

    Kinds: ``word`` of the question; ``seed``, the docno of a result that cites the provision; ``law``, other provisions
    of the same law; ``other``.
    """
    found: list[tuple[float, tuple[str, str]]] = []

    def walk(node: Mapping[str, Any], share: float) -> None:
        total = sum(abs(part["value"]) for part in node["parts"]) or 1.0
        for part in node["parts"]:
            weight = share * abs(part["value"]) / total
            if part["source"] is not None:
                walk(part["source"], weight)
            elif part["value"] and not part["label"].startswith("…"):
                found.append((weight, _reason(part)))

    walk(explanation, 1.0)
    return list(dict.fromkeys(reason for _, reason in sorted(found, key=lambda one: -one[0])))[:most]


def _reason(part: Mapping[str, Any]) -> tuple[str, str]:
    if "term" in part["detail"]:
        return "word", str(part["label"])
    if "seed" in part["detail"]:
        return "seed", str(part["detail"]["seed"])
    return ("law", "") if "best of" in part["label"] else ("other", str(part["label"]))


def add_pages(app: FastAPI, service: Service, run: Run, labels: Path | None = None) -> None:
    """Add the pages to an application.

    Args:
        app: the application.
        service: what is served.
        run: does the work of a request.
        labels: a file of labels, see :func:`messages`.
    """
    texts = messages(labels)
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("legalir_serve"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.globals.update(marked=marked, extract=extract, blocks=blocks, notice=NOTICE)
    environment.globals.update(box_width=WIDTH, box_height=HEIGHT)
    app.mount("/static", StaticFiles(packages=[("legalir_serve", "static")]), name="static")

    def rendered(request: Request, template: str, **values: Any) -> str:
        given = {name: request.query_params[name] for name in PARAMETERS if request.query_params.get(name)}
        language = language_of(request, texts)

        def link(path: str, **changes: object) -> str:
            """Return this URL with some query parameters replaced."""
            query = {**given, **{name: str(value) for name, value in changes.items() if value is not None}}
            dropped = {name for name, value in changes.items() if value is None}
            return f"{path}?{urlencode({name: value for name, value in query.items() if name not in dropped})}"

        return environment.get_template(template).render(
            **values, given=given, link=link, t=texts[language], language=language, languages=list(texts)
        )

    def page(path: str, template: str) -> Callable[[Callable[[Request], Any]], None]:
        """Serve what a function returns, in a template; an error is a page, too."""

        def add(values_of: Callable[[Request], Any]) -> None:
            async def serve(request: Request) -> Response:
                try:
                    found = await values_of(request)
                    return found if isinstance(found, Response) else HTMLResponse(rendered(request, template, **found))
                except Exception as error:
                    refused = refusal(error)
                reason = refused_in(texts[language_of(request, texts)], refused.code, refused.reason)
                return HTMLResponse(rendered(request, "error.html", reason=reason), refused.status, refused.headers)

            app.add_api_route(path, serve, methods=["GET"], include_in_schema=False, response_class=HTMLResponse)

        return add

    def options(request: Request) -> dict[str, Any]:
        given = request.query_params
        return {
            "collection": given.get("collection") or None,
            "pipeline": given.get("pipeline") or "default",
            "as_of": given.get("as_of") or None,
        }

    def count(request: Request) -> int:
        return _whole(request.query_params.get("k", ""), _RESULTS)

    def searched(query: str, chosen: Mapping[str, Any], k: int) -> dict[str, Any]:
        found = service.search(query, k=k, explained=True, **chosen)
        found["why"] = [reasons(row["explanation"]) for row in found["results"]]
        found["titles"] = {row["docno"]: row["title"] or row["docno"] for row in found["results"]}
        return found

    @page("/", "search.html")
    async def search(request: Request) -> dict[str, Any]:
        query, chosen = request.query_params.get("q", ""), options(request)
        collections = await run(service.collections)
        found = await run(searched, query, chosen, count(request)) if query.strip() else None
        return {"collections": collections, "found": found, "query": query, "chosen": chosen}

    @page("/compare", "compare.html")
    async def compare(request: Request) -> dict[str, Any]:
        query, chosen = request.query_params.get("q", ""), options(request)
        other = {**chosen, "pipeline": request.query_params.get("other") or "bm25"}
        sides = []
        if query.strip():
            sides = [await run(service.search, query, k=count(request), **each) for each in (chosen, other)]
        places = [{row["docno"]: row["rank"] for row in side["results"]} for side in sides]
        collections = await run(service.collections)
        return {
            "collections": collections,
            "sides": sides,
            "places": places[::-1],
            "query": query,
            "chosen": chosen,
            "other": other,
        }

    @page("/provision", "provision.html")
    async def provision(request: Request) -> dict[str, Any]:
        docno, chosen = request.query_params.get("docno", ""), options(request)
        place = {"collection": chosen["collection"], "as_of": chosen["as_of"]}
        shown = await run(service.provision, docno, **place)
        around = await run(service.related, shown["docno"], **place, depth=2, most=24)
        changes = None
        first, last = (request.query_params.get(name, "") for name in ("from", "to"))
        if first and last:
            changes = await run(service.changes, first, last, collection=chosen["collection"], docno=shown["docno"])
        drawn: Picture = picture(around["nodes"], around["links"])
        query = request.query_params.get("q", "")
        return {
            "collections": [],
            "shown": shown,
            "drawn": drawn,
            "changes": changes,
            "query": query,
            "from_": first,
            "to": last,
        }

    @page("/explain", "explain.html")
    async def explain(request: Request) -> dict[str, Any]:
        query, docno = (request.query_params.get(name, "") for name in ("q", "docno"))
        return {"collections": [], "root": await run(service.explain, query, docno, **options(request)), "query": query}

    @page("/answer", "answer.html")
    async def answer(request: Request) -> dict[str, Any]:
        query, chosen = request.query_params.get("q", ""), options(request)
        chosen["pipeline"] = request.query_params.get("pipeline") or "answer"
        shown: dict[str, Any] = {"reply": None, "parts": [], "steps": ""}
        if query.strip() and request.query_params.get("live"):
            shown["steps"] = f"/answer/steps?{request.query_params}"
        elif query.strip():
            reply = await run(service.answer, query, **chosen)
            shown |= answered(reply, texts[language_of(request, texts)])
        return {"collections": await run(service.collections), "query": query, "chosen": chosen, **shown}

    @app.get("/answer/steps", include_in_schema=False)
    async def answer_steps(request: Request) -> Response:
        query, chosen = request.query_params.get("q", ""), options(request)
        chosen["pipeline"] = request.query_params.get("pipeline") or "answer"

        async def events() -> AsyncIterator[str]:
            labels = texts[language_of(request, texts)]
            async for kind, content in steps(run, lambda told: service.answer(query, told=told, **chosen)):
                shown = content
                if kind == "answer":
                    shown = {"html": rendered(request, "reply.html", **answered(content, labels))}
                elif kind == "error":
                    shown = {**content, "error": refused_in(labels, content["code"], content["error"])}
                yield event(kind, shown)

        return StreamingResponse(events(), media_type="text/event-stream")

    @page("/export", "error.html")
    async def export(request: Request) -> Response:
        found = await run(service.search, request.query_params.get("q", ""), k=count(request), **options(request))
        if request.query_params.get("format") == "csv":
            return _as_csv(found["results"])
        content = json.dumps(found, ensure_ascii=False, indent=1)
        headers = {"content-disposition": 'attachment; filename="provisions.json"'}
        return Response(content, media_type="application/json", headers=headers)


def _whole(text: str, otherwise: int) -> int:
    """Return the whole number from 0 that a text is."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else otherwise


def _as_csv(rows: list[dict[str, Any]]) -> Response:
    """Return results as a table for a spreadsheet, in which no cell is a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    columns = list(rows[0]) if rows else ["rank", "score", "docno", "title", "text"]
    writer.writerow(columns)
    for row in rows:
        cells = [str(row[column]) for column in columns]
        writer.writerow([f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell for cell in cells])
    headers = {"content-disposition": 'attachment; filename="provisions.csv"'}
    return Response("\ufeff" + out.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def refused_in(labels: Mapping[str, str], code: str, reason: str) -> str:
    """Return the reason of an error in the words of `labels`; what names a value follows as the server has it."""
    label = labels[f"error_{code}"]
    return f"{label} {reason}" if code in ("invalid", "not_found") else label


def answered(reply: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """Return an answer as its template shows it, each quotation once.

    Its text as parts, each with a docno and ``cited``, ``verified`` (checked words of a provision) or nothing; the
    `quotes` that are not in the text, each with docno, title and state; and the `reason`, in the words of `labels`
    unless a model wrote it.
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
    return {"reply": reply, "parts": parts, "quotes": quotes, "reason": reason}
