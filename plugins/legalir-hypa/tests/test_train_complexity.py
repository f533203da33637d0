"""Training of classifiers of questions: what is read, how it is split, what is measured, and mistakes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tiny_models import write_cross_encoder, write_sentence

from legalir.errors import ComponentError, DataError, DatasetNotFound, DefinitionError, LegalIRError, ModelError
from legalir_hypa import training as module
from legalir_hypa.complexity import LinearClassifier, open_classifier
from legalir_hypa.training import read_questions, split, train_complexity

DATA = os.environ.get("LEGALIR_DATA", "")
WORDS = {
    0: ("What is the width of a door", "Who is the owner of floor", "Define the term lamp"),
    1: ("What are the width and the fine of a door", "Compare the owner with the tenant of floor"),
    2: ("Explain the procedure and list all duties of floor", "Discuss how the rules of a door work together"),
}


def questions(*counts: int) -> Iterator[tuple[str, int]]:
    for label, count in enumerate(counts):
        for number in range(count):
            yield f"{WORDS[label][number % len(WORDS[label])]} {number}?", label


def write_csv(folder: Path, *counts: int) -> Path:
    file = folder / "questions.csv"
    pd.DataFrame(questions(*counts), columns=["question", "label"]).to_csv(file, index=False)
    return file


def write_dataset(folder: Path) -> Path:
    folder.mkdir()
    corpus = [{"docno": f"d{number}", "title": "", "text": f"Provision {number}."} for number in range(5)]
    rows = [
        {"qid": f"q{number}", "query": text, "label": label}
        for number, (text, label) in enumerate(questions(12, 10, 11))
    ]
    # Class 2 has three or four provisions; a judgement of 0 does not count.
    lines = [
        f"{row['qid']} 0 d{document} {int(document <= row['label'] + place % 2 * (row['label'] == 2))}"
        for place, row in enumerate(rows)
        for document in range(5)
    ]
    for name, content in (("corpus.jsonl", corpus), ("queries.jsonl", rows)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    (folder / "qrels.train.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", ["svm", "lr"])
def test_our_arithmetic_is_that_of_scikit_learn(model: str, classes: int, tmp_path: Path) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import f1_score
    from sklearn.svm import SVC

    file = write_csv(tmp_path, 30, 25, 40)
    trained = train_complexity(file, tmp_path / "model", classes=classes, model=model)
    parts = split(read_questions(file), classes)
    vectorizer = TfidfVectorizer().fit(parts["train"]["question"])
    learner = SVC(kernel="linear") if model == "svm" else LogisticRegression(max_iter=1000)
    learner.fit(vectorizer.transform(parts["train"]["question"]), parts["train"]["label"])
    texts = [text for part in parts.values() for text in part["question"]] + ["", "the procedure of a width", "!"]
    vectors = vectorizer.transform(texts)
    found, probabilities = open_classifier(trained.path).classify(texts)
    np.testing.assert_array_equal(found, learner.predict(vectors))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    if model == "lr":
        np.testing.assert_allclose(probabilities, learner.predict_proba(vectors), rtol=1e-9)
    predicted = learner.predict(vectorizer.transform(parts["test"]["question"]))
    assert trained.macro_f1["test"] == pytest.approx(f1_score(parts["test"]["label"], predicted, average="macro"))
    total = 95 if classes == 3 else 60
    assert trained.questions == {name: len(part) for name, part in parts.items()}
    assert sum(trained.questions.values()) == total
    assert trained.questions["test"] == total // 5
    card = json.loads((trained.path / "model.json").read_text(encoding="utf-8"))["card"]
    assert card["source"] == "questions.csv"
    assert str(tmp_path) not in json.dumps(card)


def test_the_same_data_make_the_same_bytes(tmp_path: Path) -> None:
    file = write_csv(tmp_path, 12, 12, 12)
    folders = [train_complexity(file, tmp_path / name).path for name in ("one", "two")]
    for name in ("model.json", "model.npz"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    assert {path.name for path in folders[0].iterdir()} == {"model.json", "model.npz"}


def test_a_collection_gives_its_numbers_of_right_provisions(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "statutes")
    read = read_questions(f"{folder}/train")
    assert read["label"].tolist() == [label for _, label in questions(12, 10, 11)]
    trained = train_complexity(f"{folder}/train", tmp_path / "model", model="lr")
    assert set(trained.macro_f1) == {"validation", "test"}


def test_a_folder_with_the_released_file(tmp_path: Path) -> None:
    write_csv(tmp_path, 3, 0, 0).rename(tmp_path / module.RELEASED)
    (tmp_path / "others.csv").write_text("a,b\n")
    assert len(read_questions(tmp_path)) == 3


FILES = {
    "has no column 'label': give a CSV file with the columns question and label": "question,labels\na,0\n",
    "has no column 'question'": "",
    "has no questions: give a file with the columns question and label": "question,label\n",
    "line 3: the label '4'; write a question, and 0, 1 or 2": "question,label\na,0\nb,4\n",
    "line 2: the label None": "question,label\na\n",
    "line 3: no question": 'question,label\na,0\n" ",1\n',
    "cannot be read as CSV": 'question,label\n"a"b,0\n',
}


@pytest.mark.parametrize("sentence", FILES)
def test_a_faulty_file(sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "questions.csv"
    file.write_text(FILES[sentence], encoding="utf-8")
    with pytest.raises(DataError, match=sentence):
        train_complexity(file, tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["questions.csv"]


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    file = tmp_path / "questions.csv"
    file.write_bytes(b"question,label\n\xff\xfe,0\n")
    with pytest.raises(DataError, match=r"cannot be read as CSV .*: give a file in UTF-8 with commas"):
        read_questions(file)


def test_too_few_questions_of_a_class(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"\(20, 20, 0.*10.*--classes 2"):
        train_complexity(write_csv(tmp_path, 20, 20, 0), tmp_path / "model")
    with pytest.raises(DataError, match="Class 1 has 0"):
        train_complexity(write_csv(tmp_path, 30), tmp_path / "model", classes=2)
    with pytest.raises(DataError, match="No question has a term of two letters or more"):
        file = tmp_path / "signs.csv"
        file.write_text("question,label\n" + "".join(f"{sign},{label}\n" for label in (0, 1, 2) for sign in "?!." * 5))
        train_complexity(file, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_mistakes(tmp_path: Path) -> None:
    file = write_csv(tmp_path, 12, 12, 12)
    with pytest.raises(ComponentError, match="classes=4 is not 2 or 3"):
        train_complexity(file, tmp_path / "model", classes=4)
    with pytest.raises(ComponentError, match=r"epochs=0.*1"):
        train_complexity(file, tmp_path / "model", epochs=0)
    with pytest.raises(ModelError, match="'smv'"):
        train_complexity(file, tmp_path / "model", model="smv")
    with pytest.raises(DatasetNotFound, match="none"):
        train_complexity(tmp_path / "none", tmp_path / "model")
    folder = write_dataset(tmp_path / "statutes")
    (folder / "qrels.train.txt").unlink()
    with pytest.raises(DataError, match="has no judgements"):
        train_complexity(folder, tmp_path / "model")
    train_complexity(file, tmp_path / "model")
    with pytest.raises(DefinitionError, match=r"replace=True \(--replace"):
        train_complexity(file, tmp_path / "model")
    train_complexity(file, tmp_path / "model", model="lr", replace=True)
    assert isinstance(open_classifier(tmp_path / "model"), LinearClassifier)
    with pytest.raises(
        ComponentError, match="statutes exists and is not a complexity classifier: choose another folder"
    ):
        train_complexity(file, folder, replace=True)
    assert (folder / "corpus.jsonl").is_file()


def test_the_released_data_give_their_figures(tmp_path: Path) -> None:
    file = Path(DATA) / "hypa-complexity" / module.RELEASED
    if not DATA or not file.is_file():
        pytest.skip("not run: there is no hypa-complexity in $LEGALIR_DATA")
    for classes, model, validation, test in (
        *((3, "lr", 0.8358, 0.8619), (3, "svm", 0.8587, 0.8731)),
        *((2, "lr", 0.9073, 0.9190), (2, "svm", 0.9213, 0.9305)),
    ):
        out = tmp_path / f"{model}{classes}"
        figures = train_complexity(file.parent, out, classes=classes, model=model).macro_f1
        assert figures == pytest.approx({"validation": validation, "test": test}, abs=0.005)


@pytest.mark.neural
def test_a_transformer_is_fine_tuned(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    import torch

    base = write_sentence(tmp_path / "base", layers=1, modules=False)
    file = write_csv(tmp_path, 40, 40, 40)
    before = torch.random.get_rng_state()
    capfd.readouterr()
    settings = {"classes": 3, "model": str(base), "device": "cpu", "rate": 1e-2, "epochs": 6}
    trained = train_complexity(file, tmp_path / "model", **settings)  # type: ignore[arg-type]
    assert capfd.readouterr().err == ""
    assert torch.equal(before, torch.random.get_rng_state())
    assert trained.macro_f1["test"] > 0.9
    classifier = open_classifier(trained.path, device="cpu")
    assert classifier.classes == 3
    about = json.loads((trained.path / "model.json").read_text(encoding="utf-8"))
    assert about["kind"] == "transformer"
    assert about["card"]["settings"] == {"rate": 1e-2, "batch": 32, "epochs": 6, "decay": 0.01}
    assert about["card"]["model"] == "base"
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= set(about["files"])
    for path in trained.path.iterdir():
        assert str(tmp_path).encode() not in path.read_bytes()
        assert path.suffix in (".json", ".safetensors")
    (trained.path / "tokenizer.json").write_text("{}")
    with pytest.raises(LegalIRError, match=r"tokenizer\.json.*2"):
        open_classifier(trained.path)
    pickled = write_cross_encoder(tmp_path / "pickled")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(ModelError, match="has no weights as safetensors"):
        train_complexity(file, tmp_path / "other", model=str(pickled), device="cpu")
    assert not (tmp_path / "other").exists()
