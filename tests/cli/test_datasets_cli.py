import json

import pytest
from typer.testing import CliRunner

from legalir.cli.datasets import app
from legalir.datasets import load

CORPUS = [
    {"docno": "A-1", "title": "법 제1조(목적)", "text": "이 법은 [예방]을 정한다."},
    {"docno": "A-2", "title": "법 제2조(정의)", "text": "무창층이란 창이 없는 층을 말한다." * 20},
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LEGALIR_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "100")
    root = tmp_path / "data" / "mini"
    root.mkdir(parents=True)
    (tmp_path / "data" / "notes").mkdir()
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in CORPUS)
    (root / "corpus.jsonl").write_text(lines, encoding="utf-8")
    (root / "queries.jsonl").write_text('{"qid": "q1", "query": "뜻은?"}\n', encoding="utf-8")
    (root / "qrels.test.txt").write_text("q1 0 A-2 1\nq1 0 A-1 1\n", encoding="utf-8")
    (root / "links.tsv").write_text("A-2\tA-1\tself\n", encoding="utf-8")
    (root / "dataset.yaml").write_text("title: 작은 모음\nlicence: CC0\n", encoding="utf-8")
    return root


def run(*arguments):
    return CliRunner().invoke(app, list(arguments))


def fits(output, width=100):
    """Whether every line fits, a Hangul or Hanja character being two columns wide."""
    return all(
        sum(2 if "\u1100" <= c <= "\uffe6" and not "\u2000" <= c <= "\u2fff" else 1 for c in line) <= width
        for line in output.splitlines()
    )


def test_list(folder):
    result = run("list")
    assert result.exit_code == 0
    assert fits(result.output)
    rows = {line.split()[0]: line for line in result.output.splitlines() if line.strip()}
    assert rows["legalir/mini"].split()[1:] == ["folder", "test", "작은", "모음"]
    assert "holds no corpus.jsonl" in rows["legalir/notes"]
    assert rows["legalir/stard"].split()[1] == "published"


def test_list_as_json(folder):
    rows = {row["id"]: row for row in json.loads(run("list", "--json").stdout)}
    assert rows["legalir/mini"] == {"id": "legalir/mini", "kind": "folder", "splits": ["test"], "fault": ""}
    assert rows["legalir/notes"]["fault"] == "holds no corpus.jsonl or corpus.jsonl.gz"


def test_show(folder):
    result = run("show", "legalir/mini/test")
    assert result.exit_code == 0
    # The expression is one line, so that it can be copied.
    assert fits(result.output.partition("default here is")[0])
    for part in (
        "bm25f(analyzer='auto', k1=2.0)",
        "left out: there is one law at most",
        "작은 모음",
        "CC0",
        "provisions  2",
        "queries     1",
        "judgements  2",
        "1 self",
        "[예방]",
        "ko (recognised)",
        "char2",
    ):
        assert part in result.output


def test_show_as_json(folder):
    facts = json.loads(run("show", str(folder), "--json").stdout)
    assert (facts["provisions"], facts["queries"], facts["links"]) == (2, 1, {"self": 1})
    assert facts["sample"]["doc_id"] == "A-1"
    assert (facts["language"], facts["recognised"], facts["scripts"]) == ("ko", True, {"Hangul": 1.0})
    assert facts["analyzer"] == "char2"
    assert facts["default"]["expression"].startswith("linear(focus >> bm25f(analyzer='auto', k1=2.0)")
    assert "judgements" not in facts


def test_show_of_a_collection_that_is_not_here_fetches_nothing(folder):
    result = run("show", "legalir/stard")
    assert result.exit_code == 0
    assert "not fetched yet" in result.output
    assert "language  zh" in result.output


def test_check_of_a_clean_folder(folder):
    result = run("check", str(folder))
    assert result.exit_code == 0
    assert "Nothing is wrong." in result.output
    assert "1 (100%)" in result.output


def test_check_of_a_faulty_folder(folder):
    (folder / "qrels.test.txt").write_text("q1 0 A-9 1\nq1 0 A-1 x\n", encoding="utf-8")
    result = run("check", str(folder))
    assert result.exit_code == 1
    output = result.output
    assert "line 2: relevance 'x' is not an integer." in output
    assert "'A-9', judged for 'q1', is not in the corpus." in output
    assert "2 faults: 1 dangling judgement, 1 relevance" in output
    report = json.loads(run("check", str(folder), "--json").stdout)
    assert report["ok"] is False
    assert report["fault_counts"] == {"relevance": 1, "dangling judgement": 1}


def test_export_gives_the_files_of_a_folder(folder, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    for part, name in (("docs", "corpus.jsonl"), ("qrels", "qrels.test.txt"), ("links", "links.tsv")):
        result = run("export", "legalir/mini/test", part)
        assert result.exit_code == 0
        (copy / name).write_text(result.stdout, encoding="utf-8")
    (copy / "queries.jsonl").write_text(run("export", "legalir/mini/test", "queries").stdout, encoding="utf-8")
    one, other = load("legalir/mini/test"), load(copy / "test")
    assert list(one.docs()) == list(other.docs())
    assert one.topics().equals(other.topics())
    assert one.qrels().equals(other.qrels())
    assert list(one.links()) == list(other.links()) != []


def test_convert_writes_the_folder_format(tmp_path):
    root = tmp_path / "beir"
    (root / "qrels").mkdir(parents=True)
    (root / "corpus.jsonl").write_text('{"_id": "d 1", "text": "Dues."}\n', encoding="utf-8")
    (root / "queries.jsonl").write_text('{"_id": "q", "text": "dues?"}\n', encoding="utf-8")
    (root / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td 1\t1\n", encoding="utf-8")
    result = run("convert", str(root), str(tmp_path / "ours"), "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["splits"] == ["test"]
    assert "Nothing is wrong." in run("check", str(tmp_path / "ours")).output
    for source, target, message in ((tmp_path / "ours", "new", "neither a folder of BEIR"), (root, "ours", "exists")):
        result = run("convert", str(source), str(tmp_path / target))
        assert result.exit_code != 0
        assert message in str(result.exception or result.output)


def test_a_long_name_of_a_fact_leaves_room_for_the_values(folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    (folder / "corpus.jsonl").unlink()
    (folder / "qrels.test.txt").unlink()
    (folder / "corpus.jsonl").write_text('{"_id": "a 1", "text": "A vessel pays dues."}\n', encoding="utf-8")
    output = run("check", str(folder)).output
    assert "invisible" in output  # identifiers of a document with white space or invisible characters, …
    assert str(folder)[:16] in next(line for line in output.splitlines() if line.startswith("folder"))
