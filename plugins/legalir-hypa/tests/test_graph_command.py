"""`legalir graph` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import legalir
from legalir.errors import ComponentError, DefinitionError, LegalIRError
from legalir_hypa.commands import app, complexity_app

LAMPS = {"a-1": "The keeper lights the lamp.", "a-2": "The keeper rings the bell.", "a-3": "A ferry waits."}
REPLIES = {
    "a-1": '{"triples": [{"subject": "keeper", "predicate": "lights", "object": "lamp"}]}',
    "a-2": '{"triples": [{"subject": "keeper", "predicate": "rings", "object": "bell"}, '
    '{"subject": "owner", "predicate": "keeps", "object": "records"}]}',
    "a-3": "There are no facts in this provision.",
}


def write(tmp_path: Path) -> tuple[str, str]:
    """Write a collection and recorded replies; return its path and the name of the model."""
    folder = tmp_path / "lamps"
    folder.mkdir()
    rows = [json.dumps({"docno": docno, "text": text}) for docno, text in LAMPS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")
    lines = [json.dumps({"prompt": "triples", "question": docno, "text": text}) for docno, text in REPLIES.items()]
    (tmp_path / "replies.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return str(folder), f"recorded(path={str(tmp_path / 'replies.jsonl')!r})"


def run(*words: str) -> str:
    shown = CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})
    assert shown.exit_code == 0, shown.output
    return shown.output


def test_a_graph_is_built_searched_and_explained(tmp_path: Path) -> None:
    folder, llm = write(tmp_path)
    out = tmp_path / "facts.jsonl"
    shown = run("triples", folder, "--llm", llm, "--facts", "3", "--out", str(out)).splitlines()
    assert shown[0].startswith("2 facts about 3 entities, from 2 of 3 texts (recorded:replies.jsonl@")
    assert "Left out: 1 facts that are empty or not about their provision" in shown
    assert any(line.startswith("Failed: a-3: invalid (the reply is not the JSON that was asked for") for line in shown)
    assert [json.loads(line)["docno"] for line in out.read_text(encoding="utf-8").splitlines()] == ["a-1", "a-2"]
    pipeline = "bm25 % 1 >> triples(by='question', encoder=None)"
    found = legalir.Collection(folder).search("Who lights the lamp?", pipeline)
    assert found["docno"].tolist() == ["a-1", "a-2"]
    assert "by the walk" in str(found.explain()[1].to_dict())
    again = json.loads(run("triples", folder, "--llm", llm, "--facts", "3", "--offline", "--json"))
    assert (again["asked"], again["facts"], again["source"]["failed"]) == (0, 2, {"invalid": 1})
    assert again["source"]["failures"][0][:2] == ["a-3", "invalid"]


def test_without_a_graph_the_command_is_named(tmp_path: Path) -> None:
    folder, _ = write(tmp_path)
    with pytest.raises(LegalIRError, match=f"{folder}"):
        legalir.Collection(folder).pipeline("bm25 >> triples(by='question')")
    with pytest.raises(ComponentError, match="No language model is named"):
        CliRunner().invoke(app, ["triples", folder], catch_exceptions=False)


def test_a_classifier_of_complexity(tmp_path: Path) -> None:
    file, out = tmp_path / "questions.csv", tmp_path / "model"
    words = ("what width", "compare width with height", "explain all rules of width")
    rows = [f"{words[label]} {number},{label}" for label in range(3) for number in range(20)]
    file.write_text("\n".join(["question,label", *rows]) + "\n", encoding="utf-8")

    def train(*options: str) -> Result:
        return CliRunner().invoke(complexity_app, [str(file), "--out", str(out), *options])

    assert train("--model", "lr").stdout.splitlines()[:4] == [
        "42 train, 6 validation, 12 test questions",
        "validation macro-F1 1.0000",
        "test macro-F1 1.0000",
        f"Model: {out} (0.0 MB)",
    ]
    assert isinstance(train("--classes", "2").exception, DefinitionError)
    facts = json.loads(train("--classes", "2", "--replace", "--json").stdout)
    assert facts["questions"] == {"train": 28, "validation": 4, "test": 8}
    assert set(facts["macro_f1"]) == {"validation", "test"}
