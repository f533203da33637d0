"""``legalir answer``: answer a question with sources and checked citations, and save and show records of answers."""

from __future__ import annotations

import enum
import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from legalir.cli.printing import AsJson, print_json, printable
from legalir.cli.search import AsOf, InLaw, InLevel, InPath, Where, beside_lines, day_asked
from legalir.llm.options import model_options

if TYPE_CHECKING:
    from legalir.llm.client import Client

EXAMPLES = """Examples:

  legalir answer legalir/harbour "Must my pleasure craft be registered?"

  legalir answer legalir/harbour "Where can the children swim in summer?" --llm smollm2

  legalir answer my-statutes/ "question" --pipeline 'default % 20 >> answer(k=10)' --format markdown

  legalir answer my-statutes/ "question" --llm smollm2 --record answer.json

  legalir answer --show answer.json

Without a language model, the answer quotes the provisions. Each citation and each quotation is checked without a model.
"""

QUOTE, ANSWER = "default % 5 >> refuse >> quote", "default >> answer"
"""Pipelines if none is given: without a language model, and with one."""

_OTHERS = 5
"""Number of provisions, beside the cited ones, that are listed below an answer."""

_MARKS = {"verified": "✓", "repaired": "≈", "not found": "✗"}
_STATES = {
    "verified": "wording checked",
    "repaired": "wording repaired: these are the provision's own words",
    "not found": "not in the provision",
}


class AnswerFormat(enum.StrEnum):
    """Layouts of an answer."""

    text = "text"
    markdown = "markdown"


app = typer.Typer()


@app.command(epilog=EXAMPLES)
@model_options
def answer(
    dataset: Annotated[str | None, typer.Argument(help="Dataset id, or path of a folder.", show_default=False)] = None,
    query: Annotated[str | None, typer.Argument(help="The question.", show_default=False)] = None,
    pipeline: Annotated[
        str | None,
        typer.Option(
            "--pipeline",
            "-p",
            help="Pipeline expression that ends in a generator.",
            show_default=f"{ANSWER}, or {QUOTE} without a model",
        ),
    ] = None,
    style: Annotated[AnswerFormat, typer.Option("--format", "-f", help="Layout of the answer.")] = AnswerFormat.text,
    record: Annotated[
        Path | None,
        typer.Option("--record", help="New file for the answer and everything it was made from.", show_default=False),
    ] = None,
    show: Annotated[
        Path | None, typer.Option("--show", help="Show the answer in a file written by --record.", show_default=False)
    ] = None,
    as_of: AsOf = None,
    where: Where = None,
    law: InLaw = None,
    level: InLevel = None,
    path: InPath = None,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Answer QUERY from the provisions of DATASET, with checked citations."""
    from legalir.collection.results import read_record

    if show is not None:
        if dataset is not None:
            raise typer.BadParameter("--show takes no dataset and no question: the file has them.")
        kept = read_record(show)
        if as_json:
            print_json(kept)
            return
        typer.echo(
            f"Recorded {kept['recorded']} from {printable(kept['collection'])}, by {printable(kept['pipeline'])}.\n"
        )
        typer.echo(printable(kept["answer"]["query"]) + "\n")
        _print(kept["answer"], style)
        return
    if dataset is None or query is None or not query.strip():
        raise typer.BadParameter("give a dataset and a question in quotes, or --show FILE.")
    from legalir.collection.collection import Collection
    from legalir.collection.results import answer_facts, record_of, write_record
    from legalir.errors import ArtifactError
    from legalir.frames.where import filter_of
    from legalir.pipeline import canonical

    if record is not None and record.exists():
        raise ArtifactError(f"{record} exists: records are never replaced; give another name.")
    chosen = filter_of(where, law, level, path)
    collection = Collection(dataset, client=client, where=chosen)
    asked = day_asked(collection, query, as_of)
    if asked.day:
        collection = Collection(dataset, client=client, as_of=asked.day, where=chosen)
    expression = pipeline or (QUOTE if client.llm is None else ANSWER)
    facts = answer_facts(collection.answer(query, expression, told=_progress), collection)
    facts |= {"pipeline": str(expression)} | ({"as_of_note": asked.note} if asked.note else {})
    if record is not None:
        write_record(record, record_of(facts, collection, canonical(expression)))
        typer.echo(f"Recorded in {record}.", err=True)
    print_json(facts) if as_json else _print(facts, style)
    if facts["reply_state"] != "ok":
        raise typer.Exit(1)


def _progress(words: str) -> None:
    typer.echo(f"{words} …", err=True)


def _print(facts: dict[str, Any], style: AnswerFormat) -> None:
    for line in (_text if style is AnswerFormat.text else _markdown)(facts):
        typer.echo(line)


def _outcome(facts: dict[str, Any]) -> str:
    """Return a sentence that says why there is no answer, or an empty string if there is an answer."""
    if facts["reply_state"] != "ok":
        return f"No answer: the reply of the model failed ({facts['reply_state']})."
    return f"No answer: {facts['reason']}." if facts["abstained"] else ""


def _lines(facts: dict[str, Any]) -> Iterator[str]:
    """Yield the statements, marked if they cite nothing, or what is repealed, or contradict their quotation.

    The last line is what is not decided.
    """
    from legalir.answer.generator import cited

    uncited = set(facts.get("uncited", ()))
    contradicted = facts.get("contradicted", ())
    repealed = {one["docno"] for one in facts["citations"] if one.get("repealed")}
    for line in facts["answer"].splitlines():
        bare = " ".join(line.split())
        marks = ["cites no provision"] if bare in uncited else []
        marks += ["repealed, not the law in force"] if cited(line, repealed) else []
        marks += [f"contradicts its quotation: {one['reason']}" for one in contradicted if one["statement"] in bare]
        yield " ".join([line, *(f"({mark})" for mark in marks)])
    if facts["reason"] and not facts["abstained"]:
        yield f"Not decided: {facts['reason']}"


def _citation(citation: dict[str, Any]) -> str:
    state = "" if citation["state"] == "given" else f" ({citation['state']})"
    return "  ".join(filter(None, [citation["docno"], citation["title"]])) + state


_IN_LINK = str.maketrans({"<": "%3C", ">": "%3E"})


def _quotation(quote: dict[str, Any], answer: str, shown: Callable[[str], str]) -> str:
    """Return a quotation with its state; do not repeat checked words that are already in the answer."""
    repeated = quote["state"] == "verified" and quote["words"] in answer
    words = "" if repeated else f"“{shown(quote['words'])}” "
    return f"{_MARKS[quote['state']]} {words}{_STATES[quote['state']]}"


def _text(facts: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of an answer for a terminal: its text, the cited sources, and the other sources."""
    if outcome := _outcome(facts):
        yield printable(outcome)
    yield from map(printable, _lines(facts))
    if facts["citations"]:
        yield "\nSources"
    for citation in facts["citations"]:
        yield f"  {printable(_citation(citation))}"
        for line in (*beside_lines(citation), *filter(None, [citation.get("url")])):
            yield f"    {printable(line)}"
        for quote in citation["quotes"]:
            yield f"    {_quotation(quote, facts['answer'], printable)}"
    if others := _others(facts):
        yield "\n" + "\n  ".join(others)
    yield from map(printable, _of_time(facts))
    if "where" in facts:
        yield f"\nFilter: {printable(facts['where'])}"
    yield f"\n{facts['notice']}"


def _markdown(facts: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of an answer in Markdown; markup in the texts is escaped."""
    if outcome := _outcome(facts):
        yield f"**{_escaped(outcome)}**\n"
    yield from (f"{_escaped(line)}\n" for line in _lines(facts))
    if facts["citations"]:
        yield "## Sources\n"
    for citation in facts["citations"]:
        page = f" <{citation['url'].translate(_IN_LINK)}>" if citation.get("url") else ""
        yield f"- {_escaped(_citation(citation))}{page}"
        yield from (f"  - {_escaped(line)}" for line in beside_lines(citation))
        for quote in citation["quotes"]:
            yield f"  > {_quotation(quote, facts['answer'], _escaped)}"
    if others := _others(facts):
        yield "\n" + "\n- ".join(map(_escaped, others))
    yield from map(_escaped, _of_time(facts))
    if "where" in facts:
        yield f"\nFilter: {_escaped(facts['where'])}"
    yield f"\n*{facts['notice']}*"


def _of_time(facts: dict[str, Any]) -> Iterator[str]:
    """Yield lines about the day of the law, and what is not in force yet."""
    if (note := facts.get("as_of_note", "")) or "as_of" in facts:
        yield ""
    if "as_of" in facts and not note.startswith("As of"):
        yield f"As of {facts['as_of']}."
    if note:
        yield note
    for one in facts.get("not_yet", ()):
        yield f"Not yet in force: {one['title'] or one['docno']}  {one['docno']} (--as-of {one['effective_from']})"


def _others(facts: dict[str, Any]) -> list[str]:
    """Return lines about the provisions that are not cited: after a refusal with titles, as they are the nearest."""
    cited = {citation["docno"] for citation in facts["citations"]}
    others = [one for one in facts["sources"] if one["docno"] not in cited][:_OTHERS]
    repealed = ("(repealed)" if one.get("repealed") else "" for one in others)
    names = (
        "  ".join(filter(None, [one["docno"], " ".join(one["title"].split()), mark]))
        for one, mark in zip(others, repealed, strict=True)
    )
    pipeline = str(facts.get("pipeline", ""))
    anyway = re.sub(r" >> refuse(?:\([^()]*\))?(?= >> quote)", "", pipeline)
    how = f" (they are quoted with -p '{anyway}')" if anyway != pipeline else ""
    head = f"Nearest provisions{how}:" if facts["abstained"] else "Also found:"
    return [head, *map(printable, names)] if others else []


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_\[\]#|~!])", r"\\\1", html.escape(printable(text), quote=False))
