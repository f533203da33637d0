"""A repository of laws: each commit is a version. The test makes the repository."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from of_format import check_conformance, documents_of, law_of

from legalir.errors import DataError
from legalir.statutes.sources.markdown import FORMATS
from legalir.statutes.writing import write_collection

LAW = """---
title: "Ley de puertos"
identifier: "BOE-A-2020-1"
country: "es"
rank: "ley"
publication_date: "2020-01-01"
last_updated: "{day}"
status: "in_force"
---
# Ley de puertos

[preámbulo]

## TÍTULO I. De los puertos

### CAPÍTULO I

###### Artículo 1. Objeto.

{text}

###### Artículo 2 bis. Muelles.

1. Los muelles son de **piedra**.

   a) Según el artículo 1.

## Disposición adicional primera. Faros.

Los faros son altos.
"""


def git(folder: Path, *command: str, day: str = "2020-01-01") -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = {f"GIT_{role}_{name}": "a@b" for role in ("AUTHOR", "COMMITTER") for name in ("NAME", "EMAIL")}
    when = {"GIT_AUTHOR_DATE": f"{day}T12:00:00+00:00", "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "-C", str(folder), *command], check=True, capture_output=True, env=clean | who | when)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("legalize-es")
    (folder / "es").mkdir()
    git(folder, "init", "-q")
    for day, text in (("2020-01-01", "Es la ley de los puertos."), ("2023-05-01", "Es la ley de puertos y faros.")):
        (folder / "es" / "BOE-A-2020-1.md").write_text(LAW.format(day=day, text=text), encoding="utf-8")
        (folder / "README.md").write_text(f"# Laws of {day}\n", encoding="utf-8")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "[reform]", day=day)
    (folder / "es" / "BOE-A-2020-1.md").unlink()  # The working tree is not read.
    return folder


def rows(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]


def test_commits_are_versions(repository: Path, tmp_path: Path) -> None:
    report = write_collection(f'git(path="{repository}", workers=1)', tmp_path / "new")
    versions = {row["docno"]: (row["effective_from"], row.get("effective_to", "")) for row in rows(tmp_path / "new")}
    assert versions == {
        "BOE-A-2020-1-preamble@2020-01-01": ("2020-01-01", ""),
        "BOE-A-2020-1-1@2020-01-01": ("2020-01-01", "2023-05-01"),
        "BOE-A-2020-1-1@2023-05-01": ("2023-05-01", ""),
        "BOE-A-2020-1-2bis@2020-01-01": ("2020-01-01", ""),
        "BOE-A-2020-1-disposición-adicional-primera-faros@2020-01-01": ("2020-01-01", ""),
    }
    files = [str(file["file"]) for file in report.details["files"]]  # type: ignore[attr-defined]
    assert [name.rpartition("-")[0] for name in files] == [
        *("es/BOE-A-2020-1.md@2020-01-01", "es/BOE-A-2020-1.md@2023-05-01")
    ]
    assert report.details["unknown"]  # README.md
    assert report.faults == []


def test_a_bare_repository_and_a_pattern(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(tmp_path / "bare.git"))
    write_collection(f'git(path="{tmp_path / "bare.git"}", files="es/*", workers=1)', tmp_path / "new")
    assert len(rows(tmp_path / "new")) == 5


def test_nothing_of_the_repository_is_run(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(tmp_path / "evil.git"))
    ran = tmp_path / "ran"
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    names = ("core.pager", "core.fsmonitor", "diff.external", "gpg.program", "core.sshCommand", "diff.x.textconv")
    for name in names:
        git(tmp_path / "evil.git", "config", name, str(program))
    git(tmp_path / "evil.git", "config", "log.showSignature", "true")
    (tmp_path / "evil.git" / "info").mkdir(exist_ok=True)
    (tmp_path / "evil.git" / "info" / "attributes").write_text("*.md diff=x filter=x\n", encoding="utf-8")
    write_collection(f'git(path="{tmp_path / "evil.git"}", workers=1)', tmp_path / "new")
    assert not ran.exists()


def test_faults(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a git repository"):
        write_collection(f'git(path="{repository / "es"}")', tmp_path / "new")
    with pytest.raises(DataError, match="cannot be read by git"):
        write_collection(f'git(path="{repository}", branch="--output=x")', tmp_path / "new")


def test_conformance(repository: Path) -> None:
    check_conformance("git", repository)


def test_a_law_by_its_headings() -> None:
    format_ = next(each for each in FORMATS if each.name == "markdown-legalize")
    law = law_of(format_, LAW.format(day="2020-01-01", text="Es la ley."), "a.md")
    assert (law.title, law.lang, law.country, law.level) == ("Ley de puertos", "es", "es", "ley")
    documents = documents_of(law)
    assert documents["1"].unit.heading == "Objeto"
    assert [each.heading or each.label for each in documents["1"].above[1:]] == ["De los puertos", "CAPÍTULO I"]
    assert documents["2bis"].text == "1. Los muelles son de piedra.\na) Según el artículo 1."
