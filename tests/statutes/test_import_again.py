"""An import again gives, byte for byte, what a first import of the same files gives."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from statutes.korean_laws import many_laws

from legalir.statutes.importing import parsing
from legalir.statutes.importing.files import StatuteFiles
from legalir.statutes.sources.markdown import FORMATS
from legalir.statutes.writing import write_collection

NAMES = ("등대법", "등대법 시행령", "부두법", "부두법 시행령", "창고법")


class Laws:
    """Files of laws that cite each other, and random edits of them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.draw = folder, random.Random(seed)
        self.laws: dict[str, dict[str, str]] = {}
        folder.mkdir()
        for _ in NAMES:
            self.add()

    def add(self) -> None:
        number = 900000 + len(self.laws) + self.draw.randrange(10_000) * 10
        title = self.draw.choice(NAMES) if self.draw.random() < 0.2 else NAMES[len(self.laws) % len(NAMES)]
        articles = {str(article): self.sentence() for article in range(1, 6)}
        self.laws[f"{number}.md"] = {"제목": title, "법령ID": str(number), **articles}

    def sentence(self) -> str:
        law, article = self.draw.choice(NAMES), self.draw.randint(1, 7)
        return self.draw.choice(
            [
                f'「{law}」(이하 "법"이라 한다) 제{article}조에 따른다.',
                f"법 제{article}조제1항부터 제3항까지에 따라 신고한다.",
                f"제{article}조 및 같은 법 제2조에 따르되, 기한은 대통령령으로 정한다.",
                f"전조와 「{law}」 제1조부터 제{article}조까지의 기록을 보관한다.",
                "등불을 켠다.",
            ]
        )

    def edit(self) -> None:
        name = self.draw.choice(list(self.laws))
        law = self.laws[name]
        article = self.draw.choice([each for each in law if each.isdigit()])
        match self.draw.choice(["add", "remove", "change", "file", "title", "law", "article", "leave out"]):
            case "add":
                self.add()
            case "remove" if len(self.laws) > 2:
                del self.laws[name]
            case "change":
                law[article] = self.sentence()
            case "file":
                self.laws[f"0{name}"] = self.laws.pop(name)
            case "title":
                law["제목"] = self.draw.choice(NAMES)
            case "law":
                law["법령ID"] += "1"
            case "article":
                law[str(max(int(each) for each in law if each.isdigit()) + 1)] = law.pop(article)
            case "leave out" if len(law) > 4:
                del law[article]

    def write(self) -> None:
        for path in self.folder.iterdir():
            path.unlink()
        for name, law in self.laws.items():
            facts = "".join(f"{key}: '{value}'\n" for key, value in law.items() if not key.isdigit())
            articles = "".join(f"\n##### 제{key}조\n{value}\n" for key, value in law.items() if key.isdigit())
            (self.folder / name).write_text(f"---\n{facts}법령구분: 법률\n---\n{articles}", encoding="utf-8")


@pytest.mark.parametrize("seed", range(3))
def test_an_import_again_is_a_first_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    laws = Laws(tmp_path / "laws", seed)
    cited = 0
    for turn in range(4):
        laws.write()
        monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "home"))
        again = _imported(laws.folder, tmp_path / "again")
        monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / f"home-{turn}"))
        assert again == _imported(laws.folder, tmp_path / f"first-{turn}")
        cited += again["links.tsv"].count(b"cites")
        for _ in range(laws.draw.randint(1, 4)):
            laws.edit()
    assert cited > 20


def _imported(files: Path, folder: Path) -> dict[str, bytes]:
    write_collection(StatuteFiles(FORMATS[0], files, workers=1), folder, replace=folder.exists())
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_only_what_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    parsed = parsing._parsed
    monkeypatch.setattr(parsing, "_parsed", lambda task, *rest: read.append(task.name) or parsed(task, *rest))
    monkeypatch.setattr(parsing, "_FEW", 0)  # what a small import reads is not kept
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "home"))
    root = many_laws(tmp_path / "laws", 4)

    def again(**parameters: object) -> tuple[list[str], dict[str, bytes]]:
        read.clear()
        write_collection(StatuteFiles(FORMATS, root, workers=1, **parameters), tmp_path / "new", replace=True)
        return list(read), {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}

    assert len(again()[0]) == 4
    first = again()
    assert first[0] == []
    (root / "001.md").write_text((root / "001.md").read_text().replace("2미터", "3미터"))
    (root / "002.md").rename(root / "2.md")
    names, files = again()
    assert names == ["001.md", "2.md"]
    kept = next((tmp_path / "home" / "parsed").iterdir())
    assert len(list(kept.iterdir())) == 6  # what was not used for long goes with a later import
    for path in kept.iterdir():
        path.write_bytes(path.read_bytes()[:-1])  # damaged: read again
    damaged = again()
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "other"))
    fresh = again()
    assert damaged == fresh == (["000.md", "001.md", "003.md", "2.md"], files)
    assert len(again(unit="item")[0]) == 4
    monkeypatch.setattr(parsing, "_code", lambda: "newer")
    assert len(again()[0]) == 4
    monkeypatch.setattr(parsing, "_CLOCK", -60)
    assert again()[0] == []
    assert list(next((tmp_path / "other" / "parsed").iterdir()).iterdir()) == []
