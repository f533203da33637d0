"""The report: the text with its citations marked, and what is known of each, as one page without scripts."""

from __future__ import annotations

from html import escape

from legalir.statutes.versions.difference_page import html_page
from legalir.verify.verification import WRONG, Checked, Verification

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6675; --page: #fff; --box: #f5f7f9; --line: #d9dfe6;
  --right: #0a5c2b; --right-bg: #dff5e5; --wrong: #8c1d18; --wrong-bg: #fde3e1; --open: #6a4b00; --open-bg: #fff0c9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa6b5; --page: #14181e; --box: #1c222a;
  --line: #323b47; --right: #9be8b2; --right-bg: #123d22; --wrong: #ffb4ab; --wrong-bg: #50201c; --open: #ffd98a;
  --open-bg: #4a3800; } }
body { font: 16px/1.65 system-ui, "Noto Sans", "Noto Sans CJK KR", sans-serif; color: var(--ink);
  background: var(--page); max-width: 54rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.facts { color: var(--soft); font-size: .9rem; margin-top: 0; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.text a { text-decoration: underline; text-underline-offset: .2em; border-radius: 3px; padding: 0 .1em; }
.right { color: var(--right); background: var(--right-bg); }
.wrong { color: var(--wrong); background: var(--wrong-bg); }
.open { color: var(--open); background: var(--open-bg); }
ol { padding-left: 0; list-style: none; } li { border: 1px solid var(--line); border-radius: 8px;
  background: var(--box); padding: .6rem 1rem; margin: .6rem 0; overflow-wrap: anywhere; }
li:target { outline: 2px solid var(--ink); } .state { font-size: .85rem; border-radius: 1em; padding: .05rem .7em;
  margin-left: .5em; white-space: nowrap; } p { margin: .3rem 0 0; }
ins { text-decoration: none; background: var(--wrong-bg); color: var(--wrong); }
del { background: var(--right-bg); color: var(--right); text-decoration: none; }
.key { color: var(--soft); font-size: .85rem; } :lang(ko) { word-break: keep-all; }
"""
_TAGS = {"same": "{}", "removed": "<del>{}</del>", "added": "<ins>{}</ins>"}


def verification_page(name: str, verified: Verification) -> str:
    """Return the page, HTML.

    Args:
        name: of the document.
        verified: its citations.
    """
    rows = "".join(
        _row(number, one, verified.titles, verified.day) for number, one in enumerate(verified.citations, start=1)
    )
    body = (
        f"<h1>{escape(name)}</h1>\n<p class=facts>{escape(summary(verified))} Checked against "
        f"{escape(verified.collection)} as of {escape(verified.day)}.</p>\n"
        f'<h2>Text</h2>\n<div class="text" lang="{escape(verified.lang)}">{_marked(verified)}</div>\n'
        f"<h2>Citations</h2>\n<ol>\n{rows}</ol>"
    )
    return html_page(f"{name}: citations", "en", _STYLE, body)


def summary(verified: Verification) -> str:
    """Return one sentence that counts the citations in each state."""
    if not verified.citations:
        return "No citation was found in the text."
    counts = sorted(verified.counts.items(), key=lambda one: (one[0] != "right", one[0] not in WRONG, one[0]))
    total, told = len(verified.citations), ", ".join(f"{count} {state}" for state, count in counts)
    return f"{total} {'citation' if total == 1 else 'citations'}: {told}."


def _class(one: Checked) -> str:
    return "right" if one.state == "right" else "wrong" if one.state in WRONG else "open"


def _marked(verified: Verification) -> str:
    pieces, end = [], 0
    for number, one in enumerate(verified.citations, start=1):
        pieces.append(escape(verified.text[end : one.start]))
        title = escape(f"{one.state}. {one.reason}".strip())
        pieces.append(
            f'<a id="t{number}" href="#c{number}" class="{_class(one)}" title="{title}">{escape(one.words)}</a>'
        )
        end = one.end
    return "".join([*pieces, escape(verified.text[end:])])


def _row(number: int, one: Checked, titles: dict[str, str], day: str) -> str:
    lines = [
        f'<li id="c{number}"><a href="#t{number}">{number}</a> {escape(one.words)}'
        f'<span class="state {_class(one)}">{escape(one.state)}</span>'
    ]
    if one.reason:
        lines.append(f"<p>{escape(one.reason)}</p>")
    if one.parts:
        words = "".join(_TAGS[part.kind].format(escape(part.text)) for part in one.parts)
        lines.append(f"<p>{words}</p><p class=key><del>the provision</del> · <ins>the text</ins></p>")
    own = one.docnos or ((one.shows,) if one.shows else ())
    for label, names in (("", own), ("Nearest: ", one.others)):
        if names and not (label and names == own):
            shown = "; ".join(escape(f"{titles[each]} [{each}]" if each in titles else each) for each in names[:5])
            lines.append(f"<p class=key>{label}{shown}</p>")
    if one.day != day:
        lines.append(f"<p class=key>As of {escape(one.day)}</p>")
    return "".join(lines) + "</li>\n"
