"""The page on which people review items, and how their decisions change a split.

A person accepts, edits or drops each item beside its provisions. Decisions are a file; applying it rewrites the split:
accepted and edited items stay, dropped ones move to the dropped items with the reason ``review``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from legalir import Collection
from legalir.errors import DataError
from legalir.extend import file_digest, json_rows, read_qrels
from legalir_study.filters import malformed_options, malformed_questions
from legalir_study.items import DETAIL, REASON, Row
from legalir_study.mcq import OPTIONS
from legalir_study.nuggets import NO_NUGGET, nugget_lines, nuggets_of
from legalir_study.page import offline_page, template
from legalir_study.split import SplitFiles, read_rows, write_about, write_judgements, write_rows

KIND = "legalir decisions"
"""Mark of a file of decisions."""

REVIEW = "review"
"""Reason of an item that a person dropped, and column with the decision about an item that stays."""

_FIELDS = ("query", "answer", "explanation")


class _Edited(BaseModel):
    """The parts of an item that a person may change."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: str | None = None
    answer: str | None = None
    explanation: str | None = None
    options: list[str] | None = None
    key: int | None = None
    documents: list[str] | None = None
    nuggets: str | None = None


class _Decision(BaseModel):
    decision: Literal["accept", "edit", "drop"] | None = None
    item: _Edited = _Edited()
    note: str = ""


class _Decisions(BaseModel):
    kind: Literal["legalir decisions"]
    sheet: str
    split: str
    rater: str = ""
    decisions: dict[str, _Decision]


def _opened(folder: Path, split: str) -> tuple[SplitFiles, str, list[Row], dict[str, list[str]]]:
    """Return the files of a split, its column of questions, its items, and the judged provisions of each.

    Raises:
        DataError: the folder is no collection, or has no such split with judgements of its own.
    """
    files, source = SplitFiles.of(folder, split), Collection(folder).source
    if not files.queries.exists() or not files.qrels.exists():
        there = ", ".join(one for one in source.splits if one in source.folder.queries and one in source.folder.qrels)
        raise DataError(
            f"{folder} has no {files.queries.name} with {files.qrels.name}: "
            f"{f'its splits are {there}' if there else 'make a split with legalir synthesize first'}."
        )
    column = source.about.query_field
    judged: dict[str, list[str]] = {}
    for qid, docno, label in read_qrels(files.qrels):
        if label >= 1:
            judged.setdefault(qid, []).append(docno)
    return files, column, read_rows(files.queries, column), judged


def _sheet(files: SplitFiles) -> str:
    """Return the digest that ties decisions to the items that were shown."""
    return file_digest(files.queries)[:16]


def _is_choice(row: Row) -> bool:
    return isinstance(row.get("options"), list) and isinstance(row.get("key"), int)


def review_page(folder: Path, split: str) -> str:
    """Return the page on which people review a split, HTML.

    Args:
        folder: a collection with the split.
        split: name of the split.

    Raises:
        DataError: there is no such split.
    """
    files, _, rows, judged = _opened(folder, split)
    source = Collection(folder).source
    items = []
    docnos: dict[str, None] = {}
    for row in rows:
        documents = list(dict.fromkeys([*row.get("documents", ()), *judged.get(row["qid"], ())]))
        opened = row.get("open", [])
        docnos |= dict.fromkeys([*documents, *(docno for one in opened for docno in one["candidates"])])
        item = {"id": row["qid"], "documents": documents, "open": opened, "options": [], "free": False}
        item |= {name: row[name] for name in _FIELDS if isinstance(row.get(name), str)}
        if isinstance(row.get("nuggets"), list):
            item["nuggets"] = nugget_lines(row["nuggets"])
        if _is_choice(row):
            abstain = row.get("abstain", 0)
            # The words for yes and no are not the person's to change.
            item |= {"options": row["options"], "key": row["key"], "abstain": abstain, "free": bool(abstain)}
        items.append(item)
    provisions = source.provisions(docnos)
    data = {
        "title": f"{source.about.title or folder.name}: {split}",
        "kind": KIND,
        "field": "decisions",
        "sheet": _sheet(files),
        "noun": "item",
        "done": "reviewed",
        "extra": {"split": split},
        "items": items,
        "provisions": {docno: {"title": one.title, "text": one.text} for docno, one in provisions.items()},
    }
    return offline_page(
        str(data["title"]),
        template("review.html"),
        template("review.js"),
        data,
        source.about.queries_lang(split) or "",
        template("review.css"),
    )


def read_decisions(path: Path) -> _Decisions:
    """Read a file that the page saved.

    Raises:
        DataError: the file cannot be read, or holds no decisions.
    """
    try:
        return _Decisions.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror or error}).") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 (byte {error.start}).") from error
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise DataError(
            f"{path} is not a file of decisions ({f'{where}: ' if where else ''}{fault['msg']}): save one on the page "
            f"that 'legalir synthesize review' writes."
        ) from error


def apply_decisions(folder: Path, path: Path) -> dict[str, int]:
    """Write the decisions of a person into a split.

    An item that stays has the column ``review``: ``accepted`` or ``edited``. An item without a decision stays as it is.
    How the split was made (``synthesis.<split>.yaml``) gets the counts and the sha256 of the decisions.

    Args:
        folder: the collection with the split.
        path: a file that the page saved.

    Returns:
        The number of items that were ``accepted, edited, dropped``, and that are ``open``.

    Raises:
        DataError: the file does not hold decisions, is about another state of the split, or an edited item is
            malformed; nothing is written.
    """
    given = read_decisions(path)
    files, column, rows, judged = _opened(folder, given.split)
    if given.sheet != _sheet(files):
        raise DataError(
            f"{path} is about another state of {files.queries}: write the page again with legalir synthesize review, "
            f"and decide on what it shows."
        )
    if unknown := [qid for qid in given.decisions if qid not in {row["qid"] for row in rows}]:
        raise DataError(f"{path}: {unknown[0]!r} is not an item of {files.queries}.")
    counts = Counter({"accepted": 0, "edited": 0, "dropped": 0, "open": 0})
    kept: list[Row] = []
    dropped: list[Row] = []
    edited: list[Row] = []
    for row in rows:
        decision = given.decisions.get(row["qid"], _Decision())
        if decision.decision is None:
            counts["open"] += 1
            kept.append(row)
        elif decision.decision == "drop":
            counts["dropped"] += 1
            dropped.append({**row, REASON: REVIEW, DETAIL: decision.note})
        else:
            state = "edited" if decision.decision == "edit" else "accepted"
            counts[state] += 1
            changes = decision.item.model_dump(exclude_none=True) if state == "edited" else {}
            if "nuggets" in changes:
                changes["nuggets"] = nuggets_of(changes["nuggets"])
            if "documents" in changes:
                judged[row["qid"]] = changes["documents"]
                for name in ("documents", "citations"):
                    if name not in row:
                        changes.pop(name, None)
                    else:
                        changes[name] = judged[row["qid"]]
            new = {name: value for name, value in {**row, **changes}.items() if name != "open"} | {REVIEW: state}
            kept.append(new)
            edited += [new] if state == "edited" else []
    _check_edited(path, folder, edited, judged)
    earlier = [row for _, row in json_rows(files.dropped)] if files.dropped.exists() else []
    done = {row.get("qid") for row in earlier if row.get(REASON) == REVIEW}
    about = yaml.safe_load(files.about.read_text(encoding="utf-8")) if files.about.exists() else {}
    about.setdefault("counts", {})["kept"] = len(kept)
    review = {"rater": given.rater, **counts, "decisions": file_digest(path)}
    about["reviews"] = [*about.get("reviews", []), review]
    write_rows(files.dropped, [*earlier, *(row for row in dropped if row["qid"] not in done)])
    write_judgements(files.qrels, ((row["qid"], judged.get(row["qid"], ())) for row in kept))
    write_rows(files.queries, [{"qid": row["qid"], column: row["query"], **row} for row in kept])
    write_about(files.about, about)
    return dict(counts)


def _check_edited(path: Path, folder: Path, items: Sequence[Row], judged: Mapping[str, Sequence[str]]) -> None:
    """Check items that a person has changed.

    Raises:
        DataError: one is malformed, or names a provision that the corpus does not have.
    """
    choices = [row for row in items if _is_choice(row)]
    faults = {
        **malformed_questions(items),
        **malformed_options([row for row in choices if row.get("abstain")], OPTIONS),
        **malformed_options([row for row in choices if not row.get("abstain")], 2),
        **{row["qid"]: NO_NUGGET for row in items if row.get("nuggets") == []},
    }
    for qid, fault in faults.items():
        raise DataError(f"{path}: the edited item {qid!r} cannot be used ({fault}): change it on the page.")
    named = {docno for row in items for docno in judged.get(row["qid"], ())}
    there: dict[str, Any] = dict(Collection(folder).provisions(sorted(named)))
    if missing := sorted(named - set(there)):
        raise DataError(f"{path}: {missing[0]!r} is not a provision of {folder}.")
