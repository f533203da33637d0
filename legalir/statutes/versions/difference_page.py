"""What changed in the law between two days, as one page that needs no network and no script."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from html import escape

from legalir.statutes.versions.difference import Difference

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6675; --page: #fff; --box: #f5f7f9; --line: #d9dfe6;
  --add: #0a5c2b; --add-bg: #d7f5df; --cut: #8c1d18; --cut-bg: #fde3e1; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa6b5; --page: #14181e; --box: #1c222a;
  --line: #323b47; --add: #9be8b2; --add-bg: #123d22; --cut: #ffb4ab; --cut-bg: #50201c; } }
body { font: 16px/1.65 system-ui, "Noto Sans", "Noto Sans CJK KR", sans-serif; color: var(--ink);
  background: var(--page); max-width: 54rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.facts, .days { color: var(--soft); font-size: .9rem; }
article { border: 1px solid var(--line); border-radius: 8px; background: var(--box); padding: .8rem 1rem;
  margin: .8rem 0; }
h3 { font-size: 1rem; margin: 0; } p { white-space: pre-wrap; margin: .4rem 0 0; overflow-wrap: anywhere; }
ins { color: var(--add); background: var(--add-bg); text-decoration: none; border-radius: 3px; padding: 0 .1em; }
del { color: var(--cut); background: var(--cut-bg); border-radius: 3px; padding: 0 .1em; }
h4 { font-size: .9rem; margin: .6rem 0 0; } ul { margin: .2rem 0 0; padding-left: 1.2rem; font-size: .9rem; }
.kind { float: right; font-size: .8rem; border: 1px solid var(--line); border-radius: 1em; padding: 0 .6em;
  margin-left: .6em; }
:lang(ko) { word-break: keep-all; }
"""
_TAGS = {"same": "{}", "removed": "<del>{}</del>", "added": "<ins>{}</ins>"}


def difference_page(
    name: str,
    start: str,
    end: str,
    changes: Sequence[Difference],
    lang: str = "",
    beneath: Sequence[str] = (),
    rest: str = "",
) -> str:
    """Return the page, HTML.

    Args:
        name: of the collection.
        start: the first day, ISO date.
        end: the second day, ISO date.
        changes: the differences.
        lang: language of the provisions, ISO 639-1.
        beneath: HTML below each difference; none for no more.
        rest: HTML above all of them.
    """
    counts = Counter(change.kind for change in changes)
    facts = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "nothing changed"
    body = [f"<h1>{escape(name)}</h1>", f'<p class="facts">{start} → {end}: {facts}</p>', rest]
    law = None
    for place, change in enumerate(changes):
        if change.provision.law != law:
            law = change.provision.law
            body.append(f"<h2>{escape(law)}</h2>")
        body.append(_article(place, change, beneath[place] if beneath else ""))
    return html_page(f"{name}: {start} → {end}", lang or "en", _STYLE, "\n".join(filter(None, body)))


def html_page(title: str, lang: str, style: str, body: str) -> str:
    """Return a page, HTML, that loads nothing and runs no script; only its own style is allowed."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f'<!doctype html>\n<html lang="{escape(lang)}">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n'
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{digest}'\">\n"
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n{body}\n</html>\n"
    )


def _article(place: int, change: Difference, beneath: str) -> str:
    text = "".join(_TAGS[part.kind].format(escape(part.text)) for part in change.parts)
    since = f" · {change.since}" if change.since else ""
    return (
        f'<article id="c{place + 1}"><span class="kind">{change.kind}</span><h3>{escape(titles(change))}</h3>'
        f'<div class="days">{escape(docnos(change))}{since}</div><p>{text}</p>{beneath}</article>'
    )


def titles(change: Difference) -> str:
    """Return the title, or both where they differ."""
    return " → ".join(dict.fromkeys(side.title for side in change.sides))


def docnos(change: Difference) -> str:
    """Return the docno, or both."""
    return " → ".join(side.doc_id for side in change.sides)
