"""Sheets of ratings: the pages of ``legalir judge sheet`` and ``legalir assess sheet``, saved on the server.

Each rater of a sheet has one file, which ``legalir judge agreement`` reads. A save names the state that its author saw;
one that would replace another state, or take ratings away unasked, is refused.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field, Strict
from starlette.exceptions import HTTPException
from typing_extensions import TypedDict

from legalir.errors import ComponentError, DatasetNotFound, suggestion
from legalir.extend import atomic_file, file_lock
from legalir_serve.guard import BODY
from legalir_serve.replies import Error

KIND = "legalir ratings"
"""Mark of a file of ratings."""

_RATERS, _FORMER = 100, 20
"""Most raters of a sheet, and most former states of the file of one."""

_NAME, _REMARK = 80, 2_000
"""Most characters of a name, and of a remark."""

_NOTHING = '"nothing"'
"""The tag of a rater who has saved nothing."""

_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')

Values = dict[str, dict[str, Annotated[float, Strict()] | str]]
"""Ratings and remarks of each item by its id."""


class Saved(TypedDict):
    """What one rater has saved on a sheet."""

    kind: str
    version: int
    sheet: str
    rater: str
    ratings: Values


class ChangedError(Error):
    """A save that was refused because another state is there."""

    there: Saved


class SaveRequest(BaseModel):
    """What the page of a sheet saves."""

    model_config = ConfigDict(extra="forbid")

    kind: str = Field(max_length=40, description=f"“{KIND}”.")
    version: int = Field(1, ge=1, le=1)
    sheet: str = Field(max_length=40, description="Id of the sheet.")
    title: str = Field("", max_length=500)
    rater: str = Field(max_length=500, description=f"Name of the rater, at most {_NAME} characters.")
    ratings: Values


class _Which(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field("", max_length=200, description="Name of the sheet; it may be left out if there is one.")


class RaterRequest(_Which):
    """A rater of a sheet."""

    rater: str = Field(max_length=500, description="Name of the rater.")


class SavingRequest(_Which):
    """A sheet, and whether its author takes ratings away."""

    less: bool = Field(False, description="Whether ratings that are saved may be taken away.")


class Refused(ComponentError):  # noqa: N818
    """A save that would lose ratings.

    Attributes:
        there: what is there, of the same rater.
        tag: the tag of what is there.
        status: 412 if it is another state than the one that was seen, 409 if ratings would be taken away unasked.
    """

    def __init__(self, message: str, there: Saved, tag: str, status: int) -> None:
        super().__init__(message)
        self.there, self.tag, self.status = there, tag, status


class Sheet:
    """A page on which people rate, and what may be saved on it.

    Args:
        place: the page, its folder, or the directory of an experiment result, whose page is made if it has none.

    Raises:
        ComponentError: there is no such page, or more would be saved on it than a request may hold.
    """

    def __init__(self, place: Path) -> None:
        self.page = _page(place)
        found = _DATA.search(self.page)
        data = json.loads(found[1]) if found else {}
        if data.get("kind") != KIND or "keptBy" not in self.page or not _POLICY.search(self.page):
            raise ComponentError(f"{place} is not a sheet of ratings of this version: make it by legalir judge sheet.")
        self.id, self.title, self.noun = str(data["sheet"]), str(data["title"]), str(data["noun"])
        self.items = frozenset(str(item["id"]) for item in data["items"])
        self.measures = {
            str(one["name"]): frozenset(float(value["value"]) for value in one["values"]) for one in data["measures"]
        }
        rated = {item: dict.fromkeys(self.measures, 0.5) for item in self.items}
        if len(json.dumps(rated)) > BODY:
            raise ComponentError(
                f"{place} has {len(self.items):,} {self.noun}s; their ratings would be more than the {BODY:,} bytes "
                "that one save may have: make a smaller sheet with --sample."
            )

    def served(self, address: str, script: str) -> tuple[str, str]:
        """Return the page with the script that saves, and its policy.

        Args:
            address: where ratings are saved.
            script: address of the script.
        """
        policy = _POLICY.search(self.page)
        assert policy is not None
        # The page asks nobody else than its own server, with its own script and that of the server.
        own = policy[1].replace("connect-src 'none'", "connect-src 'self'").replace("script-src ", "script-src 'self' ")
        tag = f'<script src="{escape(script)}" data-saved="{escape(address)}"></script>\n</body>'
        page = self.page.replace(policy[1], own, 1)
        page = page.replace("it sends nothing anywhere", "it saves what you rate on this server")
        return tag.join(page.rsplit("</body>", 1)), f"{own}; frame-ancestors 'none'"

    def ratings(self, asked: SaveRequest) -> Values:
        """Return what is to be saved: ratings and remarks of items of this sheet, without empty ones.

        Raises:
            ComponentError: it is something else.
        """
        if asked.kind != KIND or asked.sheet != self.id:
            raise ComponentError(f"These ratings are of another sheet than {self.id}: load the page anew.")
        kept: Values = {}
        for item, values in asked.ratings.items():
            if item not in self.items:
                raise ComponentError(f"There is no {self.noun} {item[:40]!r} in this sheet.")
            for name, value in values.items():
                if name == "comment":
                    if not isinstance(value, str) or len(value) > _REMARK:
                        raise ComponentError(f"The remark on {item} is not a text of at most {_REMARK:,} characters.")
                elif name not in self.measures:
                    raise ComponentError(f"This sheet has no measure {name[:40]!r}: {', '.join(self.measures)}.")
                elif value not in self.measures[name]:
                    allowed = ", ".join(f"{one:g}" for one in sorted(self.measures[name]))
                    raise ComponentError(f"{name} of {item} is {str(value)[:40]!r}, which is not one of {allowed}.")
            if said := {name: value for name, value in values.items() if value != ""}:
                kept[item] = said
        return kept


class Sheets:
    """Sheets by name, and the folder where ratings are saved, a folder for each sheet.

    Args:
        places: see :class:`Sheet`.
        folder: where ratings are saved.

    Raises:
        ComponentError: a place has no sheet, or the folder cannot be written.
    """

    def __init__(self, places: Iterable[Path], folder: Path) -> None:
        self._sheets: dict[str, Sheet] = {}
        self._folder = folder
        for place in places:
            path = place.resolve()
            name = (
                path.stem if path.is_file() and path.stem != "sheet" else (path.parent if path.is_file() else path).name
            )
            self._sheets[name if name not in self._sheets else f"{name}-{len(self._sheets) + 1}"] = Sheet(place)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with file_lock(folder / "sheets", keep=False):  # It is tried before people have rated anything.
                pass
        except OSError as error:
            raise ComponentError(
                f"{folder} cannot be written ({error.strerror or error}): give another --saved."
            ) from None

    @property
    def names(self) -> list[str]:
        """Names of the sheets."""
        return list(self._sheets)

    def sheet(self, name: str) -> Sheet:
        """Return a sheet; without a name, the only one.

        Raises:
            DatasetNotFound: there is none of this name.
        """
        if not name and len(self._sheets) == 1:
            return next(iter(self._sheets.values()))
        if name not in self._sheets:
            hint = suggestion(name, set(self._sheets))
            raise DatasetNotFound(f"There is no sheet {name!r} here.{hint} There are: {', '.join(self._sheets)}.")
        return self._sheets[name]

    def saved(self, name: str, rater: str) -> tuple[Saved, str]:
        """Return what a rater has saved on a sheet, and its tag.

        Raises:
            ComponentError: the name of the rater is not one.
            DatasetNotFound: there is no such sheet.
        """
        sheet, rater = self.sheet(name), person(rater)
        path = self._path(name, sheet, rater)
        if not path.exists():
            return Saved(kind=KIND, version=1, sheet=sheet.id, rater=rater, ratings={}), _NOTHING
        content = path.read_bytes()
        there: Saved = json.loads(content)
        return there, f'"{hashlib.sha256(content).hexdigest()[:32]}"'

    def save(self, name: str, asked: SaveRequest, seen: str = "", less: bool = False) -> tuple[int, str]:
        """Save the ratings of a rater; return how many items are rated, and the new tag.

        Args:
            name: name of the sheet.
            asked: what is to be saved.
            seen: tag of the state that the rater saw; empty: none, and then ratings may only be added.
            less: whether ratings may be taken away.

        Raises:
            ComponentError: it is not of this sheet, or there are too many raters.
            DatasetNotFound: there is no such sheet.
            Refused: another state is there, or ratings would be taken away unasked.
        """
        sheet, rater = self.sheet(name), person(asked.rater)
        path, ratings = self._path(name, sheet, rater), sheet.ratings(asked)
        path.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(path.parent / "sheet"):
            there, tag = self.saved(name, rater)
            fewer = _lost(there["ratings"], ratings, lambda value, other: other is None)
            loses = _lost(there["ratings"], ratings, lambda value, other: value != other) > 0
            if seen not in (tag, "*") if seen else loses:
                reason = f"{rater} has saved something else meanwhile: merge it with what is there."
                raise Refused(reason, there, tag, 412)
            if fewer and not less:
                reason = f"{fewer} ratings that {rater} saved would be lost: less=true takes them away."
                raise Refused(reason, there, tag, 409)
            if not ratings and tag == _NOTHING:  # Whoever has said nothing is no rater yet.
                return 0, tag
            if tag == _NOTHING and len([*path.parent.glob("ratings-*.json")]) >= _RATERS:
                raise ComponentError(f"{_RATERS} people have rated this sheet; the operator can put files elsewhere.")
            if loses:
                self._keep(path)
            content = Saved(kind=KIND, version=1, sheet=sheet.id, rater=rater, ratings=ratings)
            with atomic_file(path) as stream:
                json.dump(content, stream, ensure_ascii=False)
            return len(ratings), self.saved(name, rater)[1]

    def _path(self, name: str, sheet: Sheet, rater: str) -> Path:
        key = unicodedata.normalize("NFKC", rater).casefold()
        # The digest tells apart names that are written with the same letters in a file name.
        file = f"ratings-{_letters(key)}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.json"
        return self._folder / f"{_letters(name or next(iter(self._sheets)))}-{sheet.id}" / file

    def _keep(self, path: Path) -> None:
        """Keep the present state of a file, of which the next one leaves something out; the oldest state goes."""
        former = sorted((path.parent / "history" / path.stem).glob("*.json"))
        number = int(former[-1].stem) + 1 if former else 1
        place = path.parent / "history" / path.stem / f"{number:06}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(place) as stream:
            stream.write(path.read_text(encoding="utf-8"))
        for old in former[: len(former) + 1 - _FORMER]:
            old.unlink()


def person(name: str) -> str:
    """Return the name of a rater in one way of writing: composed letters, single spaces, nothing that is not seen.

    Raises:
        ComponentError: it is empty or too long.
    """
    seen = "".join(sign if sign.isprintable() else " " * sign.isspace() for sign in unicodedata.normalize("NFC", name))
    clean = " ".join(seen.split())
    if not clean or len(clean) > _NAME:
        raise ComponentError(f"A rater needs a name of at most {_NAME} characters: write yours on the page.")
    return clean


def add_sheets(app: FastAPI, sheets: Sheets, run: Callable[..., Any]) -> None:
    """Add the pages of sheets, and what they save, to an application.

    Args:
        app: the application.
        sheets: what is rated.
        run: does the work of a request.
    """

    @app.get("/sheet", include_in_schema=False)
    async def sheet(request: Request, asked: Annotated[_Which, Query()]) -> Response:
        root, query = request.scope.get("root_path", ""), str(request.url.query)
        address = f"{root}/sheet/saved?{query or 'name='}"
        try:
            page, policy = await run(sheets.sheet(asked.name).served, address, f"{root}/static/saving.js")
        except DatasetNotFound as error:
            raise HTTPException(404, str(error).rstrip(".")) from None
        return HTMLResponse(page, headers={"content-security-policy": policy})

    @app.get("/sheet/saved", tags=["sheets"], response_model=None, responses={200: {"model": Saved}})
    async def saved_ratings(asked: Annotated[RaterRequest, Query()]) -> Response:
        """Return what a rater has saved on a sheet; its ETag names this state."""
        there, tag = await run(sheets.saved, asked.name, asked.rater)
        return JSONResponse(there, headers={"etag": tag})

    errors: dict[int | str, dict[str, Any]] = {
        409: {"model": ChangedError, "description": "Ratings would be taken away without `less`."},
        412: {"model": ChangedError, "description": "Another state is there than `If-Match` names."},
    }

    @app.put(
        "/sheet/saved",
        tags=["sheets"],
        response_model=None,
        responses={200: {"model": dict[str, int]}, **errors},
    )
    async def save_ratings(request: Request, asked: Annotated[SavingRequest, Query()], given: SaveRequest) -> Response:
        """Save the ratings of a rater; `If-Match` names the state that was seen, without it ratings are only added."""
        seen = request.headers.get("if-match", "").removeprefix("W/")
        try:
            rated, tag = await run(sheets.save, asked.name, given, seen, asked.less)
        except Refused as error:
            content = {"error": str(error), "code": "changed", "there": error.there}
            return JSONResponse(content, error.status, {"etag": error.tag})
        return JSONResponse({"rated": rated}, headers={"etag": tag})


def _lost(there: Values, new: Values, loses: Callable[[Any, Any], bool]) -> int:
    """Return how many ratings of a state another one loses; a remark is not a rating."""
    return sum(
        loses(value, new.get(item, {}).get(name))
        for item, values in there.items()
        for name, value in values.items()
        if name != "comment"
    )


def _letters(name: str) -> str:
    return re.sub(r"[^\w.]+", "-", name)[:40].strip("-.") or "x"


def _page(place: Path) -> str:
    """Return a page that was made, or that of the answers of a result."""
    path = place / "sheet.html" if place.is_dir() else place
    if path.is_file():
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ComponentError(f"The sheet {path} cannot be read: {type(error).__name__}.") from None
    if not place.is_dir():
        raise ComponentError(f"There is no sheet {place}: make one by legalir judge sheet.")
    try:
        from legalir_study.judge import answers_page
    except ImportError:
        raise ComponentError(
            f"{place} has no sheet.html, and legalir-study, which makes it, is not installed: install it, or make the "
            "page elsewhere by legalir judge sheet."
        ) from None
    page: str = answers_page(place)[0]
    return page
