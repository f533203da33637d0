"""The source ``history``: files of laws in several versions, as provisions with the time in which each applies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from legalir.contract import factory_of
from legalir.declared import check_choice
from legalir.errors import DataError
from legalir.statutes.dates import iso_date
from legalir.statutes.importing.files import Format, StatuteFiles, format_of
from legalir.statutes.importing.linking import GivenLinks
from legalir.statutes.importing.parsing import Stored
from legalir.statutes.importing.text_links import TextLinks
from legalir.statutes.jurisdictions import jurisdiction
from legalir.statutes.versions.timeline import Edition, Version, VersionReading, content_of, successors, versions

REPEALED = "(repealed)"
"""Placeholder for the content of a repealed provision when wordings are compared."""


class History(StatuteFiles):
    """Files of laws in several versions, one file a version; the files of several laws may lie together.

    The files of one law are put in order, compared provision by provision, and become versions: docno
    ``key@2021-03-01``, ``effective_from``, ``effective_to``. A wording that did not change is one version, in its
    newest spelling. A repealed provision is a version with empty text; one that is gone ends.

    Raises:
        ComponentError: `format` or `unit` is not one.
    """

    component = "history"
    format: Annotated[str, "name of the format of the files, such as ``markdown-kr``; ``auto`` asks all formats"] = (
        "auto"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.versions: dict[str, list[Version]] = {}

    @property  # type: ignore[misc]  # not a parameter here
    def formats(self) -> tuple[Format, ...]:  # type: ignore[override]
        """The formats; a file is read by the first that recognises it."""
        from legalir.statutes.sources.auto import formats

        every = formats()
        check_choice("history", "format", self.format, ("auto", *(each.name for each in every)))
        return tuple(each for each in every if self.format in ("auto", each.name))

    def _named_files(self, root: Path, unpacked: ExitStack) -> Iterator[tuple[Path, str]]:
        """Yield each file and its name; a file that holds the wordings of all days is a file for each of these."""
        for path, name in super()._named_files(root, unpacked):
            editions: dict[str, bytes] = {}
            found = format_of(path, self._formats)
            if found and found.editions:
                with suppress(DataError):  # Its report says why it cannot be read.
                    editions = found.editions(path)
            if not editions:
                yield path, name
            for day, content in editions.items():
                copy = Path(unpacked.enter_context(TemporaryDirectory(prefix="legalir-"))) / path.name
                copy.write_bytes(content)
                yield copy, f"{name}@{day}"

    def provisions(self) -> Iterator[Mapping[str, str]]:
        """Yield the versions of all provisions, law by law.

        Raises:
            DataError: a file has no date.
        """
        self.versions = {}
        self._files: dict[str, Path] = {}
        self._acts: dict[tuple[str, str], Mapping[str, Any]] = {}
        editions: dict[str, list[Edition]] = {}
        countries: dict[str, str] = {}
        for stored in self.parsed():
            file = stored.report.file
            self._files[file] = stored.path
            parts = (stored.part(name) for name in ("facts", "provisions", "origins"))
            for facts, provisions, origins in zip(*parts, strict=True):
                editions.setdefault(facts["law_id"], []).append(_edition(file, facts, provisions, origins))
                countries[facts["law_id"]] = facts["country"]
                self._acts[facts["law_id"], file] = facts
        for law_id, files in editions.items():
            for version in versions(
                self._announced(law_id, files), accumulate=jurisdiction(countries[law_id]).accumulates
            ):
                self.versions.setdefault(version.key, []).append(version)
                yield _fields(version)

    def _announced(self, law_id: str, editions: list[Edition]) -> list[Edition]:
        """Return the files of a law; a file whose act was dated by an earlier file gets that day."""
        days: dict[str, str] = {}
        dated, begun = [], False
        for edition in sorted(editions, key=lambda edition: edition.published):
            facts = self._acts[law_id, edition.file]
            day = days.get(facts["amended_by"], "")
            begun = begun or bool(day)
            # Later files of this law have no day of their own, or they would come earlier.
            dated.append(replace(edition, effective=day or (edition.published if begun else edition.effective)))
            days |= facts["announced"]
        return dated

    def origins(self) -> Iterator[Mapping[str, object]]:
        """Yield where each version comes from: the newest file with this wording, and the act that made it."""
        newest: dict[str, list[Version]] = {}
        for run in self.versions.values():
            for version in run:
                newest.setdefault(version.file, []).append(version)
        lines: dict[str, dict[str, object]] = {}
        replaced = successors(version for run in self.versions.values() for version in run)
        for file, wanted in newest.items():
            origins = {
                line["docno"]: line
                for lines_of_law in Stored(self._files[file]).part("origins")
                for line in lines_of_law
            }
            for version in wanted:
                act = self._acts[version.fields["law_id"], version.first]
                line = {**origins[version.key], "docno": version.docno, "provision": version.key}
                dates = {
                    "promulgated": act["promulgated"],
                    "act": act["number"],
                    "made_of_changes": version.pending != (),
                }
                line |= dates | {"replaced_by": replaced.get(version.docno, line.get("replaced_by", ""))}
                lines[version.docno] = {name: value for name, value in line.items() if value}
        for run in self.versions.values():
            yield from (lines[version.docno] for version in run)

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Yield the publisher's links and the references, from the version in their file to the key of a provision."""
        if not self._stored:
            for _ in self.provisions():
                pass
        newest = sorted(self._files, key=self._newest, reverse=True)
        stored = [self._files[file] for file in newest]
        texts: dict[tuple[Path, str], list[tuple[str, str]]] = {}
        for run in self.versions.values():
            for each in run:
                if each.fields["text"]:
                    where = self._files[each.file], each.key
                    texts.setdefault(where, []).append((each.docno, each.fields["text"]))
        self._links = GivenLinks(stored)
        pairs: set[tuple[str, str]] = set()
        for path in self._files.values():
            for key, target, kind in self._links.of(path):
                for docno, _ in texts.get((path, key), ()) if target in self.versions else ():
                    pairs.add((docno, target))
                    yield docno, target, kind
        if self.references:
            self._text_links = TextLinks(stored, lambda path, key: texts.get((path, key), ()))
            yield from (link for link in self._text_links if link[:2] not in pairs)

    def report(self) -> dict[str, object]:
        """Return what became of the files, the links and the versions, for ``import.json``."""
        every = [version for run in self.versions.values() for version in run]
        counts = {
            "keys": len(self.versions),
            "versions": len(every),
            "repealed": sum(not version.fields["text"] for version in every),
            "replaced": successors(every),
            "made_of_changes": [_sentence(version) for version in every if version.pending],
        }
        return {**super().report(), "history": counts}

    def _newest(self, file: str) -> tuple[str, ...]:
        """Return the dates of the newest law of a file, none if it has no law of its own."""
        return max((_dates(facts) for facts in self._facts(file)), default=())

    def _facts(self, file: str) -> list[Mapping[str, str]]:
        return [facts for (_, name), facts in self._acts.items() if name == file]


history = factory_of(
    History, 'All versions of laws, each with the days from and to which it applies: ``history(path="versions/")``.'
)


def _dates(facts: Mapping[str, str]) -> tuple[str, str]:
    return facts["promulgated"], facts["version"]


def _edition(
    file: str, facts: Mapping[str, str], provisions: list[dict[str, str]], origins: list[Mapping[str, object]]
) -> Edition:
    copied = facts["published"] or _date_of(file)
    effective = facts["version"] or copied
    readings = {
        fields["docno"]: _reading(fields, bool(origin.get("repealed")), facts)
        for fields, origin in zip(provisions, origins, strict=True)
    }
    return Edition(file, effective, readings, facts["promulgated"], facts["number"], copied)


def _reading(fields: dict[str, str], repealed: bool, facts: Mapping[str, str]) -> VersionReading:
    content = REPEALED if repealed else content_of(fields.get("heading", ""), fields["text"])
    since, until = fields.get("effective_from", ""), fields.get("effective_to", "")
    return VersionReading(fields, content, since if since != facts["effective_from"] else "", until)


def _date_of(file: str) -> str:
    days = re.findall(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)", file)
    return iso_date(days[-1]) if days else ""


def _fields(version: Version) -> dict[str, str]:
    dates = {"docno": version.docno, "effective_from": version.since, "effective_to": version.until}
    fields = {**version.fields, **dates}
    return {name: value for name, value in fields.items() if value or name == "text"}


def _sentence(version: Version) -> str:
    days = ", ".join(sorted(set(version.pending)))
    return f"{version.docno}: {version.file} shows changes that begin on {days}; the text is made without them" + (
        ", and words that both changed keep the older form." if version.conflict else "."
    )
