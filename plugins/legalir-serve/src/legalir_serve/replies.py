"""The replies of the HTTP API, as its description has them; a test compares real replies with these."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from pydantic import BaseModel
from typing_extensions import TypedDict


class Error(BaseModel):
    """Why there is no reply."""

    error: str
    code: Literal[
        "busy",
        "changed",
        "fault",
        "invalid",
        "no_token",
        "no_versions",
        "not_found",
        "opening",
        "too_slow",
        "unavailable",
    ]


ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": Error, "description": "A value cannot be used."},
    401: {"model": Error, "description": "No right token was given."},
    403: {"model": Error, "description": "The request comes from a page of another server."},
    404: {"model": Error, "description": "There is no such collection or provision."},
    405: {"model": Error, "description": "The address has no such method; `Allow` names those that it has."},
    411: {"model": Error, "description": "The request does not say how long it is."},
    413: {"model": Error, "description": "The request is too large."},
    414: {"model": Error, "description": "The address is too long."},
    421: {"model": Error, "description": "The server does not have this name."},
    422: {"model": Error, "description": "A parameter is missing, unknown, or of the wrong type."},
    429: {"model": Error, "description": "Too many requests are being answered."},
    500: {"model": Error, "description": "The server has a fault."},
    503: {"model": Error, "description": "It took too long, or cannot be done now."},
}
"""Errors of every address."""


class Health(TypedDict):
    """State of the server."""

    status: Literal["ok"]
    ready: bool


class Ready(TypedDict):
    """Whether all indexes are open."""

    ready: bool


class CollectionRow(TypedDict):
    """A collection."""

    name: str
    title: str
    language: str
    provisions: int
    dated: bool
    pipelines: list[str]
    fictional: bool
    updated: str
    days: list[str] | None


class Suggestion(TypedDict):
    """A law, a heading, or the provision that is cited; `docno` and `title` are empty if several have the heading."""

    text: str
    kind: Literal["law", "heading", "provision"]
    collection: str
    provisions: int
    docno: str
    title: str


class Suggested(TypedDict):
    """Suggestions for what is typed."""

    q: str
    suggestions: list[Suggestion]


class Titled(TypedDict):
    """A provision by its title; one that is not in force yet has the day from which it is."""

    docno: str
    title: str
    effective_from: NotRequired[str]


class Result(TypedDict):
    """A provision among the results of a search; `rank` counts from 1."""

    rank: int
    score: float
    collection: NotRequired[str]
    docno: str
    title: str
    text: str
    law: str
    path: str
    heading: str
    level: str
    effective_from: NotRequired[str]
    effective_to: NotRequired[str]
    url: NotRequired[str]
    repealed: NotRequired[str]
    upcoming: NotRequired[str]
    transitional: NotRequired[list[Titled]]


class Search(TypedDict):
    """Results of a search; `next` is the offset of those that follow, if there may be any.

    `where` is the filter that they pass, with the phrases of the question; `notes` are about phrases that nothing has.
    """

    query: str
    collection: str | list[str]
    pipeline: str
    as_of: str | None
    as_of_note: NotRequired[str]
    not_yet: NotRequired[list[Titled]]
    where: str | None
    notes: list[str]
    not_searched: NotRequired[dict[str, str]]
    results: list[Result]
    next: int | None


class Part(TypedDict):
    """A contribution to a score; `source` explains a score that it was made from."""

    label: str
    value: float
    detail: dict[str, Any]
    source: Explained | None


class Explained(TypedDict):
    """Why a provision has its score."""

    docno: str
    score: float
    label: str
    note: str
    parts: list[Part]


class Named(TypedDict):
    """A provision in a list."""

    docno: str
    title: str
    law: str
    level: str


class Version(TypedDict):
    """A version of a provision: the day from which it applies, and the day from which it no longer does."""

    docno: str
    effective_from: str
    effective_to: str


class Reference(TypedDict):
    """A place in a text that names a provision which it cites, and its paragraph, item and so on: `2.3`."""

    start: int
    end: int
    docno: str
    unit: str


class Term(TypedDict):
    """A place in a text with a term that the law defines: its meaning, and the provision that defines it."""

    start: int
    end: int
    term: str
    meaning: str
    docno: str
    title: str


class OfLevel(Named):
    """A provision of a level; `via` has the provisions between, if it does not cite the one in question itself."""

    text: str
    family: bool
    via: list[str]
    references: list[Reference]


class Level(TypedDict):
    """The provisions of a level: at most 20, and how many there are."""

    level: str
    total: int
    provisions: list[OfLevel]


class Levels(TypedDict):
    """A provision, and those of other levels that it carries out, or that carry it out; none of an unknown level."""

    collection: str
    docno: str
    title: str
    law: str
    before: Named | None
    after: Named | None
    family: list[Titled]
    levels: list[Level]


class Surveyed(TypedDict):
    """A survey: decisions, what is read next, and the estimated recall; see `legalir survey --json`."""

    query: str
    collection: str
    as_of: str | None
    corpus: str
    changed: bool
    decisions: list[dict[str, Any]]
    pending: list[dict[str, Any]]
    total: int
    recall: dict[str, Any]
    reached: bool
    sentences: list[str]


class Law(TypedDict):
    """A law as a whole: its provisions in force on the day, in order; `family`: other laws, such as its decree."""

    collection: str
    law: str
    as_of: str | None
    family: list[Titled]
    provisions: list[dict[str, str]]


class Provision(TypedDict):
    """A provision; `cites` and `cited_by` have at most 200 provisions each, and the totals say how many there are."""

    collection: str
    docno: str
    title: str
    text: str
    law: str
    law_id: str
    level: str
    article: str
    heading: str
    path: str
    effective_from: str
    effective_to: str
    url: str
    references: list[Reference]
    terms: list[Term]
    state: Literal["in force", "no longer in force", "not yet in force", "repealed"]
    since: str
    in_force: str | None
    repealed: NotRequired[str]
    upcoming: NotRequired[str]
    transitional: NotRequired[list[Titled]]
    before: Named | None
    after: Named | None
    cites: list[Named]
    cites_total: int
    cited_by: list[Named]
    cited_by_total: int
    versions: list[Version]


class Node(Named):
    """A provision around another one, and its distance."""

    distance: int


class Link(TypedDict):
    """A provision that cites another one."""

    source: str
    target: str


class Related(TypedDict):
    """The neighbourhood of a provision."""

    collection: str
    nodes: list[Node]
    links: list[Link]


class Changes(TypedDict):
    """What changed between two days: `changes` of a law, or `before`, `after` and `parts` of a provision."""

    collection: str
    # Their names are words of Python: from, to.
    docno: NotRequired[str]
    before: NotRequired[str | None]
    after: NotRequired[str | None]
    parts: NotRequired[list[dict[str, str]]]
    changes: NotRequired[list[dict[str, Any]]]


class Answer(TypedDict):
    """An answer with its citations; see `legalir answer --json`."""

    query: str
    collection: str
    answer: str
    abstained: bool
    reason: str
    reason_kind: str
    reply_state: str
    uncited: list[str]
    contradicted: list[dict[str, str]]
    citations: list[dict[str, Any]]
    sources: list[dict[str, Any]]
    prompt_tokens: int
    completion_tokens: int
    as_of: NotRequired[str]
    as_of_note: NotRequired[str]
    not_yet: NotRequired[list[Titled]]
    where: NotRequired[str]
    notice: str


class CitedRow(TypedDict):
    """What a collection knows of a citation: its state, the provision to show, and those cited or nearest."""

    collection: str
    state: str
    reason: str
    day: str
    law: str
    shows: str
    provisions: list[dict[str, str]]


class Cited(TypedDict):
    """What a citation means, in each collection that knows it; empty for words that are no citation."""

    citation: str
    found: list[CitedRow]


class Verified(TypedDict):
    """The citations of a text; see `legalir verify --json`."""

    collection: str
    day: str
    counts: dict[str, int]
    wrong: int
    citations: list[dict[str, Any]]
    titles: dict[str, str]


class Impact(TypedDict):
    """What changed between two days (`from`, `to`), and what that touches; see `legalir impact --json`."""

    collection: str
    counts: dict[str, int]
    changes: list[dict[str, Any]]
    only_between: list[str]
    new_laws: list[str]
    documents: list[dict[str, Any]]
