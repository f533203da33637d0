"""What the tests of formats share: a law read from text, its documents, the real files, and rows of their examples."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from legalir import testing
from legalir.statutes.documents import CutLaw, Document, cut
from legalir.statutes.importing.files import Format
from legalir.statutes.law import Law

DATA = os.environ.get("LEGALIR_DATA", "")
"""Read at import: the tests themselves run without the variable."""


def law_of(format: Format, text: str | bytes, name: str = "sample.xml") -> Law:
    """Return the one law of a file, and check that each character of it is accounted for."""
    data = text.encode() if isinstance(text, str) else text
    path = Path(name)
    assert format.recognises(path, data[:8192])
    (law,) = format.read(path, data)
    assert law.unread() == [], [law.text[start:end] for start, end in law.unread()]
    return law


def documents_of(law: Law) -> dict[str, Document]:
    """Return the documents of a law by docno without its identifier."""
    return {one.docno.removeprefix(f"{law.law_id}-"): one for one in cut(law).documents}


def real_folder(name: str) -> Path:
    """Return a folder of real files, or skip the test."""
    folder = Path(DATA) / "sources" / name
    if not DATA or not folder.is_dir():
        pytest.skip(f"not run: $LEGALIR_DATA has no sources/{name}")
    return folder


def real_laws(format: Format, folder: Path) -> Iterator[tuple[Path, Law, CutLaw]]:
    """Yield each law of a real folder that the format recognises, with what it is cut into."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in format.suffixes:
            data = path.read_bytes()
            if format.recognises(path, data[:8192]):
                for law in format.read(path, data):
                    assert law.unread() == [], path
                    yield path, law, cut(law)


def check_examples(format: Format, folder: Path) -> None:
    """Check each row of ``examples.jsonl`` whose file is there: identifier, heading path, first words."""
    rows = [json.loads(line) for line in (folder / "examples.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if (folder / row["file"]).is_file()]
    assert rows
    for row in rows:
        path = folder / row["file"]
        (law,) = format.read(path, path.read_bytes())
        check_example(law, row)


def check_example(law: Law, row: Mapping[str, Any]) -> None:
    """Check one row: some document has the key or docno, its path and its first words, white space apart."""
    place = row["id"].partition(".")[0]
    found = [
        one
        for one in cut(law).documents
        if place in (one.unit.key, one.unit.key.rpartition("__")[2]) or one.docno == f"{law.law_id}-{row['id']}"
    ]
    assert found, row
    (document,) = [one for one in found if one.unit.kind in ("article", "annex")]
    path = bare(" ".join(f"{unit.label} {unit.heading}" for unit in (*document.above, document.unit)))
    for step in row["path"]:
        assert bare(step.rstrip(" …")) in path, (step, path)
    assert bare(law.render(document.unit)).startswith(bare(row["starts"])) or bare(document.text).startswith(
        bare(row["starts"])
    ), (row["starts"], document.text[:200])


def bare(text: str) -> str:
    """Return the letters and digits of a text."""
    return re.sub(r"[\W_]+", "", text.replace("…", ""))


def check_conformance(source: str, path: Path) -> None:
    """Check a source by the kit that every source passes."""
    outcomes = testing.check("source", source, params={"path": str(path)})
    assert [one for one in outcomes if not one.ok] == []
    assert [one for one in outcomes if one.status == "passed"]
