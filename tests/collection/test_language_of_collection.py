"""The language of a collection: given, or recognised once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from legalir.analysis import language as writing_module
from legalir.analysis.language import Writing
from legalir.analysis.words import Auto, Words
from legalir.collection.collection import Collection
from legalir.errors import AnalyzerError

GERMAN = "Der Betreiber hat der zuständigen Behörde jede Änderung unverzüglich anzuzeigen."


@pytest.fixture(name="folder")
def written_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "gesetze"
    folder.mkdir()
    write(folder, [GERMAN] * 3)
    return folder


def write(folder: Path, texts: list[str]) -> None:
    rows = [{"docno": str(number), "text": text} for number, text in enumerate(texts)]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(name="asked")
def counted_questions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of texts of which the language was recognised."""
    asked: list[int] = []
    identify = writing_module.identify

    def counted(texts: list[str]) -> str:
        asked.append(len(texts))
        return identify(texts)

    monkeypatch.setattr(writing_module, "identify", counted)
    return asked


def test_it_is_recognised_once_and_stored(folder: Path, asked: list[int]) -> None:
    first = Collection(folder)
    assert (first.language, first.writing.recognised, first.writing.scripts) == ("de", True, {"Latin": 1.0})
    assert first.sparse().analyzer == Auto("de")
    assert first.sparse("word").analyzer == Words("de")
    assert Collection(folder).writing == first.writing
    assert asked == [3]


def test_it_is_recognised_again_for_another_corpus(folder: Path, asked: list[int]) -> None:
    assert Collection(folder).language == "de"
    write(folder, ["The operator must notify the authority of each change."])
    assert Collection(folder).language == "en"
    assert asked == [3, 1]


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", "3", '{"language": "xx", "scripts": {}}', '{"language": "de"}', "\udcff"]
)
def test_a_damaged_note_is_written_again(folder: Path, asked: list[int], content: str) -> None:
    collection = Collection(folder)
    collection.cache.mkdir(parents=True)
    (collection.cache / "writing.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    assert collection.language == "de"
    assert Collection(folder).language == "de"
    assert asked == [3]


def test_a_given_language_counts(folder: Path, asked: list[int]) -> None:
    (folder / "dataset.yaml").write_text("lang: de-AT\n", encoding="utf-8")
    given = Collection(folder).writing
    assert (given.language, given.recognised) == ("de", False)
    # One that is wrong is believed.
    (folder / "dataset.yaml").write_text("lang: en\n", encoding="utf-8")
    assert Collection(folder).sparse().analyzer == Auto("en")
    assert asked == [], "the recogniser takes a second"
    # It is recognised when it is no longer given, and that is stored for later, too.
    (folder / "dataset.yaml").write_text("title: Gesetze\n", encoding="utf-8")
    assert [Collection(folder).writing for _ in range(2)] == [Writing("de", True, {"Latin": 1.0})] * 2
    (folder / "dataset.yaml").write_text("lang: en\n", encoding="utf-8")
    assert Collection(folder).writing == Writing("en", False, {"Latin": 1.0})
    assert asked == [3]


def test_a_given_language_that_is_not_known(folder: Path) -> None:
    (folder / "dataset.yaml").write_text("lang: ger\n", encoding="utf-8")
    collection = Collection(folder)
    message = (
        r"gesetze: lang='ger' is not a language code .* Did you mean 'de' \(German\)\? Correct it in dataset\.yaml, or"
    )
    with pytest.raises(AnalyzerError, match=message):
        collection.search("Behörde", "bm25")
    assert len(collection.pipeline('bm25("char2")').search("Behörde")) == 3


def test_of_many_provisions_some_are_looked_at(folder: Path, asked: list[int]) -> None:
    write(folder, [GERMAN] * 1100)
    assert Collection(folder).language == "de"
    assert asked == [550]


def test_without_letters_there_is_no_language(folder: Path) -> None:
    write(folder, ["12 (3)", ""])
    collection = Collection(folder)
    assert collection.writing == ("und", True, {})
    assert collection.sparse().analyzer == Auto("und")


@pytest.mark.parametrize(
    ("writing", "line"),
    [
        (Writing("en", True, {"Latin": 1.0}), "en (recognised)"),
        (Writing("en", False, {"Latin": 0.995, "Greek": 0.005}), "en (given)"),
        (
            Writing("en", True, {"Latin": 0.71, "Hangul": 0.29}),
            "en (recognised); letters: Latin 71%, Hangul 29%: each run of a script is analysed by its own rule",
        ),
        (Writing("und", True, {}), "cannot be told"),
    ],
)
def test_it_is_shown_in_one_line(writing: Writing, line: str) -> None:
    assert str(writing) == line


KOREAN = Writing("ko", True, {"Hangul": 0.991, "Latin": 0.009})


@pytest.mark.parametrize(
    ("question", "objection"),
    [
        (
            "May a lessor terminate?",
            "The question is written in Latin letters, and 99% of the letters of the provisions are Hangul.",
        ),
        ("임대인은 해지할 수 있는가?", ""),
        # Nine letters of thirteen are Hangul.
        ("fire 창고의 안전한 비상구", ""),
        # A code is no question.
        ("NFTC 103", ""),
        ("103", ""),
        ("?!… \U0001f525", "The question has no letter and no digit, so that it has no terms: ask in words."),
        ("", "The question has no letter and no digit, so that it has no terms: ask in words."),
    ],
)
def test_a_question_in_another_script_is_objected_to(question: str, objection: str) -> None:
    assert KOREAN.objection(question) == objection


def test_the_objection_is_said_once_a_question(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    collection = Collection(folder)
    assert collection.search("허가를 받은 자는 신고하여야 한다", "rrf(bm25, tfidf)").empty
    assert [record.getMessage() for record in caplog.records] == [
        "The question is written in Hangul letters, and 100% of the letters of the provisions are Latin."
    ]
    caplog.clear()
    assert collection.answer("??", "bm25 >> quote").text == ""
    assert [record.getMessage()[:29] for record in caplog.records] == ["The question has no letter and"[:29]]
    caplog.clear()
    collection.pipeline("bm25").search("허가를 받은 자는 신고하여야 한다")
    collection.search("Behörde", "bm25")
    assert caplog.records == []
