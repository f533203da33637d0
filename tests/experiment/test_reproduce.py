"""``legalir reproduce``: what is at hand, what differs, and what exit code says so."""

from __future__ import annotations

import gzip
import json
import re
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

import legalir
from legalir import Collection
from legalir.cli.experiment import reproduce_app
from legalir.datasets import load
from legalir.errors import ExperimentError
from legalir.experiments import reproduce
from legalir.experiments.fingerprints import notes
from legalir.experiments.reproduce import Needs, Reproduction, data_digest
from legalir.pipeline.default import DefaultSettings, Gain, Tuned, default, sketch_of, write_tuned

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


def write(folder: Path, relevant: str = "a", *, packed: bool = False) -> Path:
    """Write a collection of two provisions and a question."""
    folder.mkdir(parents=True)
    rows = [{"docno": "a", "text": "Lamps are lit at dusk."}, {"docno": "b", "text": "A lamp is green."}]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if packed:
        (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    else:
        (folder / "corpus.jsonl").write_text(text)
    (folder / "queries.jsonl").write_text(json.dumps({"qid": "q", "query": "dusk"}) + "\n")
    (folder / "qrels.txt").write_text(f"q 0 {relevant} 1\n")
    (folder / "links.tsv").write_text("a\tb\tcites\n")
    return folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of an experiment on a collection at hand and another one that is not."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEGALIR_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("legalir.experiments.runs.BUDGET_SECONDS", 0)
    write(tmp_path / "data" / "lamps")
    experiments = tmp_path / "experiments"
    experiments.mkdir()
    for name, dataset in (("lit", "legalir/lamps"), ("dark", "legalir/gone")):
        definition = {"title": name, "dataset": dataset, "measures": ["RR@10"], "systems": {"BM25": "bm25"}}
        (experiments / f"{name}.yaml").write_text(yaml.safe_dump(definition))
    return experiments


def call(*arguments: str) -> Result:
    return CliRunner().invoke(reproduce_app, arguments)


def needs(folder: Path, sha256: str) -> None:
    about = {
        "lamps": {"source": "Here.", "sha256": {"all": sha256}},
        "gone": {"source": "x.org", "sha256": {"all": "0"}},
    }
    (folder / "reproduce.yaml").write_text(yaml.safe_dump({"collections": about}))


@pytest.mark.parametrize(
    ("value", "sha256", "code", "ok"), [(1.0, "", 0, True), (0.5, "", 1, False), (1.0, "0" * 64, 1, False)]
)
def test_scores_and_data_are_compared(folder: Path, value: float, sha256: str, code: int, ok: bool) -> None:
    (folder / "lit.expected.tsv").write_text(f"system\tmeasure\tvalue\nBM25\tRR@10\t{value}\n")
    needs(folder, sha256 or data_digest(load("legalir/lamps")))
    done = call("lit", "--json")
    assert done.exit_code == code, done.output
    [row] = json.loads(done.stdout)["experiments"]
    assert row["ok"] is ok and ("cells" in row) is not bool(sha256)


def test_what_is_not_compared_is_no_success(folder: Path) -> None:
    needs(folder, data_digest(load("legalir/lamps")))
    listed = call().stdout
    assert "x.org" in listed and "at hand" in listed and "Here." not in listed
    assert call("dark").exit_code == 1 == call("lit").exit_code  # no data; no expected scores
    assert call("--all").exit_code == 0 == call("lit", "--write").exit_code == call("lit").exit_code
    with pytest.raises(ExperimentError, match="lit"):
        raise call("lot").exception or AssertionError
    with pytest.raises(ExperimentError, match="--folder"):
        Reproduction(folder / "none")


def test_a_digest_is_of_the_content(tmp_path: Path) -> None:
    digests = [
        data_digest(load(write(tmp_path / name, relevant, packed=packed)))
        for name, relevant, packed in (("a", "a", False), ("b", "a", True), ("c", "b", False))
    ]
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize(
    ("name", "lacks"),
    [("harbour-e5", "onnxruntime"), ("delegation", "networkx"), ("delegation", "matplotlib"), ("harbour", "networkx")],
)
def test_an_extra_that_is_missing_is_said(name: str, lacks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def distribution(package: str) -> str:
        if package == lacks:
            raise PackageNotFoundError(package)
        return package

    monkeypatch.setattr(reproduce, "distribution", distribution)
    reproduction = Reproduction(EXPERIMENTS)
    assert (f"{lacks} is not installed: pip install 'legalir[" in reproduction.missing(name).get("", "")) is (
        name != "harbour"
    )
    if name == "delegation":
        [outcome] = reproduction.run(name)
        assert outcome.ok is None and lacks in outcome.text


@pytest.mark.parametrize(("installed", "asked", "said"), [(False, None, True), (False, False, False)])
def test_what_default_lacks_is_a_note(
    installed: bool, asked: bool | None, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LEGALIR_SEMANTIC", raising=False)
    monkeypatch.setattr("legalir.pipeline.default.is_installed", lambda: installed)
    pipeline = default(Collection("legalir/harbour"), semantic=asked)
    assert any("e5 is not installed" in one for one in notes(pipeline % 10)) is said


@pytest.mark.parametrize("settings", [DefaultSettings(), DefaultSettings(lookup=0.0, family=0.0)])
@pytest.mark.parametrize(("split", "marked"), [("dev", True), (None, False)])
def test_settings_tuned_on_the_questions_are_said(
    settings: DefaultSettings, split: str | None, marked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LEGALIR_SEMANTIC", raising=False)
    monkeypatch.setattr("legalir.pipeline.default.is_installed", lambda: False)
    folder = write(tmp_path / "lamps")
    (folder / "qrels.dev.txt").write_text("q 0 b 1\n")
    collection = Collection(folder)
    gain = Gain(measure="nDCG@10", questions=20, folds=5, default=40.0, tuned=42.5, low=0.5, high=4.5)
    facts = {"corpus": collection.fingerprint(), "sketch": sketch_of(collection.docs())}
    write_tuned(Tuned(collection="lamps", split=split, settings=settings, gain=gain, **facts), folder / "tuned.yaml")
    systems = {"ours": "default % 10", "plain": "default(tuned=False)"}
    result = legalir.experiment({"dataset": f"{folder}/dev", "measures": ["nDCG@10"], "systems": systems})
    [(remark, names)] = [(one, names) for one, names in result.remarks.items() if "chosen by legalir tune" in one]
    assert names == ["ours"]
    assert ("these questions (lamps/dev)" in remark) is marked
    assert "e5 is not installed" in remark
    assert "chosen by legalir tune on" in result.to_latex()


def test_systems_without_results_are_noted(tmp_path: Path) -> None:
    (tmp_path / "other.trec").write_text("zz1 Q0 act-1 1 1.0 x\n")
    (tmp_path / "part.trec").write_text("hb01 Q0 act-1 1 1.0 x\nzz2 Q0 act-1 1 1.0 x\n")
    systems = {"bm25": "bm25", **{one: f'run(path="{tmp_path / one}.trec")' for one in ("other", "part")}}
    systems["part"] = f"linear({systems['part']}, {systems['part']}) % 1000"
    result = legalir.experiment({"dataset": "legalir/harbour", "measures": ["nDCG@10"], "systems": systems})
    assert result.remarks == {
        "no result for all 40 questions": ["other"],
        "no result for 39 of 40 questions": ["part"],
        "1 of 1 questions of other.trec are not evaluated, such as 'zz1'": ["other"],
        "1 of 2 questions of part.trec are not evaluated, such as 'zz2'": ["part"],
        "lists of at most 1 by its own limit": ["part"],
    }
    # A sample leaves out questions of the dataset; what is noted of the file are questions that it does not judge.
    held = {"dataset": "legalir/harbour", "measures": ["nDCG@10"], "systems": systems, "sample": {"n": 3}}
    assert "hb01" not in legalir.experiment(held).context.queries
    remarks = legalir.experiment(held).remarks
    assert "1 of 2 questions of part.trec are not judged, such as 'zz2'" in remarks
    assert remarks["no result for all 3 questions"] == ["other", "part"]


def test_sets_of_the_page_on_default_have_a_source_or_are_marked() -> None:
    known = Reproduction(EXPERIMENTS).needs.collections
    text = (EXPERIMENTS.parent / "docs" / "default.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (([\w-]+)[^|]*) \|.* \d+\.\d.* \d+\.\d", text, flags=re.M)
    assert {"obliqa-dev", "koblex", "kr-precedent-core"} <= {name for _, name in rows}
    for cell, name in rows:
        assert name == "firecode" or "not published" in cell or known[name].sha256, name


def test_needs_of_the_shipped_experiments() -> None:
    shipped = Reproduction(EXPERIMENTS)
    assert set(shipped.needs.plugins) <= {*shipped.files, *shipped.needs.scripts}
    assert all((EXPERIMENTS / script).is_file() for script in shipped.needs.scripts.values())
    assert shipped.known(str(EXPERIMENTS / "koblex" / "sparse.yaml")) == shipped.known("koblex/sparse.yaml")
    assert Needs().collections == {}
    # Every score on a collection that is not bundled is of known data.
    for name, definition in shipped.definitions.items():
        for one in definition.each():
            split = one.dataset.removeprefix("legalir/").split("/")
            if split[0] in ("firecode", "harbour") or not one.dataset.startswith("legalir/"):
                continue
            slug = "-".join(split)
            file = shipped.files[name]
            if any(file.with_name(f"{file.stem}{part}.expected.tsv").exists() for part in ("", f".{slug}")):
                assert shipped.needs.collections[split[0]].sha256[split[1] if split[1:] else "all"], name
