"""docs/analysis.md has the rules of each language that the analysis of words knows."""

from __future__ import annotations

from documentation import DOCS

from legalir.analysis.language import Language, _languages
from legalir.analysis.words import stop_words


def rules(known: Language) -> list[str]:
    """Return what is done for a language, in the words of the page."""
    done = {
        "stems": known.stemmer,
        "stop words": stop_words(known.code),
        "pairs across them": known.bridge,
        "elisions": known.elisions,
        "accents off": known.fold,
        "compounds": known.compounds,
        "own lower case": known.lower,
        "letters before numbers": known.signs,
    }
    return [rule for rule, applies in done.items() if applies]


def table() -> str:
    """Return the part of the page on languages."""
    known = [(one.code, one.name, rules(one)) for one in _languages().values()]
    rows = [f"| `{code}` | {name} | {', '.join(done)} |" for code, name, done in known if done]
    others = ", ".join(f"{name} (`{code}`)" for code, name, done in known if not done)
    return "\n".join(
        ("| code | language | rules |", "|---|---|---|", *rows, "", f"Without rules of their own: {others}.")
    )


def test_the_page_has_the_rules_of_each_language() -> None:
    assert table() in (DOCS / "analysis.md").read_text(encoding="utf-8"), f"write this:\n\n{table()}"
