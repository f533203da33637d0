"""``legalir answer``: an answer with its sources and what was verified, in three forms, and its record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from scripted import Scripted
from typer.testing import CliRunner, Result

from legalir.cli.answer import answer
from legalir.errors import ArtifactError
from legalir.llm.chat import ChatReply
from legalir.llm.client import Client

NOTICE = "This is a research aid and no legal advice."
PROVISIONS = [
    {
        "docno": "a-1",
        "title": "창고법 제1조",
        "text": "통로를 둔다. \x1b[31m통로의 너비는 2미터로 한다.",
        "url": "https://law.example/<1>",
    },
    {"docno": "a-2", "title": "창고법 제2조", "text": "통로에 물건을 두지 아니한다."},
]
REPLY = {
    "can_answer": True,
    "statements": [
        {
            "text": "너비는 <b>2미터</b>이다.",
            "citations": [
                {"provision": 1, "quote": "통로의 너비는 2미터로 한다."},
                {"provision": 1, "quote": "벽은 없다고 본다."},
                {"provision": "a-2", "quote": ""},
                {"provision": "민법 제5조", "quote": ""},
            ],
        }
    ],
}


@pytest.fixture(name="folder")
def small_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LEGALIR_LLM", raising=False)
    lines = [json.dumps(row, ensure_ascii=False) for row in PROVISIONS]
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return str(tmp_path / "s")


@pytest.fixture(name="model")
def scripted(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """The model behind each ``--llm``."""
    model = Scripted(lambda request: json.dumps(REPLY, ensure_ascii=False))
    monkeypatch.setattr(Client, "model", lambda self, llm=None: model)
    return model


def run(*arguments: str) -> Result:
    app = typer.Typer()
    app.command()(answer)
    return CliRunner().invoke(app, list(arguments))


def test_without_a_model_it_quotes(folder: str) -> None:
    done = run(folder, "통로의 너비는?", "-p", "bm25 % 1 >> quote")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "창고법 제1조:  [31m통로의 너비는 2미터로 한다. [a-1]",
        "",
        "Sources",
        "  a-1  창고법 제1조",
        "    https://law.example/<1>",
        "    ✓ wording checked",
        "",
        NOTICE,
    ]
    assert done.stderr == "Retrieved 1 provision …\nChecked the wording of 1 of 1 quotation …\n"


def test_with_a_model_what_is_wrong_is_said(folder: str, model: Scripted) -> None:
    done = run(folder, "통로의 너비는?", "-p", "bm25 % 1 >> answer(links=False)", "--llm", "scripted")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "너비는 <b>2미터</b>이다. [a-1][a-2][민법 제5조]",
        "",
        "Sources",
        "  a-1  창고법 제1조",
        "    https://law.example/<1>",
        "    ✓ “통로의 너비는 2미터로 한다.” wording checked",
        "    ✗ “벽은 없다고 본다.” not in the provision",
        "  a-2  창고법 제2조 (not given)",
        "  민법 제5조 (not in the collection)",
        "",
        NOTICE,
    ]
    assert done.stderr.splitlines()[1:] == [
        "Asked a language model, 12 tokens …",
        "Checked the wording of 1 of 2 quotations …",
    ]


def test_a_false_quotation_is_shown_even_if_the_answer_repeats_it(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "벽은 없다고 본다."
    statement = {"text": words, "citations": [{"provision": 1, "quote": words}]}
    reply = json.dumps({"can_answer": True, "statements": [statement]}, ensure_ascii=False)
    monkeypatch.setattr(Client, "model", lambda self, llm=None: Scripted(lambda request: reply))
    done = run(folder, "통로의 너비는?", "-p", "bm25 % 1 >> answer(links=False)", "--llm", "scripted")
    assert f"    ✗ “{words}” not in the provision" in done.stdout.splitlines()


def test_a_statement_against_its_quotation_is_marked(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    citation = {"provision": 1, "quote": "통로의 너비는 2미터로 한다."}
    statements = [{"text": f"너비는 {n}미터이다.", "citations": [citation]} for n in (9, 2)]
    reply = json.dumps({"can_answer": True, "statements": statements}, ensure_ascii=False)
    monkeypatch.setattr(Client, "model", lambda self, llm=None: Scripted(lambda request: reply))
    pipeline = ("-p", "bm25 % 1 >> answer(links=False)", "--llm", "scripted")
    reason = "number: 9 m, quoted: 2 m"
    assert run(folder, "통로의 너비는?", *pipeline).stdout.splitlines()[:2] == [
        f"너비는 9미터이다. [a-1] (contradicts its quotation: {reason})",
        "너비는 2미터이다. [a-1]",
    ]
    facts = json.loads(run(folder, "통로의 너비는?", *pipeline, "--json").stdout)
    assert facts["contradicted"] == [{"statement": "너비는 9미터이다.", "reason": reason}]


def test_markdown_has_no_markup_of_the_model(folder: str, model: Scripted) -> None:
    done = run(folder, "통로의 너비는?", "-p", "bm25 % 1 >> answer(links=False)", "--format", "markdown")
    assert done.stdout.startswith("너비는 &lt;b&gt;2미터&lt;/b&gt;이다. \\[a-1\\]\\[a-2\\]\\[민법 제5조\\]\n")
    assert "## Sources" in done.stdout and " <https://law.example/%3C1%3E>\n" in done.stdout
    assert done.stdout.endswith(f"*{NOTICE}*\n")


def test_json_has_all_of_it(folder: str, model: Scripted) -> None:
    done = run(folder, "통로의 너비는?", "-p", "bm25 % 1 >> answer(links=False)", "--json")
    facts = json.loads(done.stdout)
    assert [(one["docno"], one["state"]) for one in facts["citations"]] == [
        ("a-1", "given"),
        ("a-2", "not given"),
        ("민법 제5조", "not in the collection"),
    ]
    assert facts["sources"][0]["docno"] == "a-1"
    assert facts["sources"][0]["read"] is True
    assert (facts["notice"], facts["prompt_tokens"]) == (NOTICE, 7)


@pytest.mark.parametrize(
    ("reply", "code", "sentence"),
    [
        ('{"can_answer": false, "reason": "벌칙이 없다"}', 0, "No answer: 벌칙이 없다."),
        (ChatReply("", finish_reason="content_filter"), 1, "No answer: the reply of the model failed (filtered)."),
    ],
)
def test_no_answer_is_said_plainly(
    folder: str, monkeypatch: pytest.MonkeyPatch, reply: str | ChatReply, code: int, sentence: str
) -> None:
    monkeypatch.setattr(Client, "model", lambda self, llm=None: Scripted(lambda request: reply))
    done = run(folder, "통로의 너비는?", "-p", "bm25 >> answer")
    assert (done.exit_code, done.stdout.splitlines()[0]) == (code, sentence)


def test_nothing_was_found(folder: str) -> None:
    done = run(folder, "zebra")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == ["No answer: nothing found.", "", NOTICE]


class TestRecords:
    def test_a_record_shows_the_same_answer_without_the_collection(
        self, folder: str, model: Scripted, tmp_path: Path
    ) -> None:
        file = tmp_path / "answer.json"
        asked = run(folder, "통로의 너비는?", "-p", "bm25 % 1 >> answer(links=False)", "--record", str(file))
        assert asked.exit_code == 0, asked.output
        (Path(folder) / "corpus.jsonl").unlink()
        shown = run("--show", str(file))
        assert shown.exit_code == 0
        head, _, rest = shown.stdout.partition("\n\n통로의 너비는?\n\n")
        assert head.startswith("Recorded 20")
        assert head.endswith(" from s, by bm25 % 1 >> answer(links=False).")
        assert rest == asked.stdout
        record = json.loads(run("--show", str(file), "--json").stdout)
        assert str(tmp_path) not in json.dumps(record)
        (stored,) = record["replies"]
        assert stored["model"] == "scripted"
        assert len(stored["request"]["fingerprint"]) == len(record["corpus"]) == 64
        assert "통로의 너비는 2미터로 한다." in stored["request"]["messages"][1][1]

    def test_a_record_is_never_replaced(self, folder: str, tmp_path: Path, model: Scripted) -> None:
        file = tmp_path / "answer.json"
        file.write_text("mine")
        done = run(folder, "통로?", "-p", "bm25 >> answer", "--record", str(file))
        assert isinstance(done.exception, ArtifactError)
        assert file.read_text() == "mine"
        assert model.requests == [], "a fault is found before a model is asked"

    @pytest.mark.parametrize(
        ("content", "fault"),
        [
            ("mine", "is not the record of an answer"),
            ("[]", "is not the record of an answer"),
            ('{"format": 1}', "is not the record of an answer"),
            ('{"format": 1, "sha256": "0"}', "was altered"),
        ],
    )
    def test_another_file(self, tmp_path: Path, content: str, fault: str) -> None:
        (tmp_path / "x.json").write_text(content)
        assert fault in str(run("--show", str(tmp_path / "x.json")).exception)
        assert "cannot be read" in str(run("--show", str(tmp_path / "y.json")).exception)

    def test_an_altered_record(self, folder: str, tmp_path: Path) -> None:
        file = tmp_path / "answer.json"
        assert run(folder, "통로의 너비는?", "-p", "bm25 >> quote", "--record", str(file)).exit_code == 0
        file.write_text(file.read_text(encoding="utf-8").replace("2미터", "9미터"), encoding="utf-8")
        assert "was altered" in str(run("--show", str(file)).exception)


@pytest.mark.parametrize("arguments", [[], ["s"], ["s", " "], ["s", "q", "--show", "x"]])
def test_misuse(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2
