"""Pages for people: one HTML file that needs no network, on which a person goes through items and saves a file.

The texts stand in one block of JSON, which the scripts show as text: nothing in a question, an answer or a provision is
markup. A policy in the page forbids everything but its own scripts and style. ``templates/page.js`` has what all pages
do: it goes from item to item, keeps what the person says in the browser, and saves and loads it as a file.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from pathlib import Path


def whole_characters(text: str) -> str:
    """Return `text` with U+FFFD for each half of a surrogate pair."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def offline_page(
    title: str, main: str, script: str, data: Mapping[str, object], language: str = "", style: str = ""
) -> str:
    """Return a page, HTML.

    Args:
        title: its title.
        main: the HTML of its main part; no text of a collection.
        script: what it does beside ``page.js``, which is before it; it calls ``startPage``.
        data: JSON for the scripts. ``page.js`` reads ``title``; ``kind`` of the file that is saved and its ``field``,
            the key of what the person says; ``sheet``, which tells this page from others; ``noun`` and ``done``, words
            for the items and for what is done with them; ``items``, each with an ``id``; ``extra``, further keys of
            the file.
        language: code of the language of the texts.
        style: what it has beside ``page.css``.
    """
    style, script = template("page.css") + style, template("page.js") + script
    values = {
        "language": html.escape(language if re.fullmatch(r"[a-z]{2,3}", language) and language != "und" else "en"),
        "title": html.escape(whole_characters(title)),
        "policy": f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        "form-action 'none'; connect-src 'none'",
        "style": style,
        "script": script,
        "main": main,
        "data": _embedded(data),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda slot: values[slot[1]], template("page.html"))


def template(name: str) -> str:
    """Return the text of a file in the folder ``templates``."""
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")


def _embedded(data: object) -> str:
    """Return JSON that no parser of HTML can take for markup."""
    text = whole_characters(json.dumps(data, ensure_ascii=False))
    return "".join(f"\\u{ord(one):04x}" if one in "<>&\u2028\u2029" else one for one in text)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
