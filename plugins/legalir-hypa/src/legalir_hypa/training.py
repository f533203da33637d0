"""Training of a classifier of questions by the number of contexts that they need [hypa-rag].

Questions come from a file with the columns ``question,label``, whose labels 0, 1 and 2 mean one, two, and three or
more contexts; or from judgements, where 1, 2 and at least 3 right provisions are the classes. Sampling, split, settings
and seeds match the released notebooks, so that their file gives their figures.
"""

from __future__ import annotations

import csv
import unicodedata
from collections import Counter
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from legalir import Collection, __version__
from legalir.errors import ArtifactError, ComponentError, DataError, DefinitionError, LegalIRError, ModelError
from legalir.extend import (
    Display,
    atomic_directory,
    check_number,
    digest,
    find_model,
    is_card,
    load_tokenizer,
    open_display,
    own_place,
    own_random_numbers,
    placement,
    quiet,
    writing,
)
from legalir_hypa.complexity import (
    ABOUT,
    FORMAT,
    Classifier,
    LinearClassifier,
    max_tokens,
    open_classifier,
    write_about,
)

if TYPE_CHECKING:
    import pandas as pd

RELEASED = "questionset_noisy2.csv"
"""File of the released data that is read from a folder."""

_LEAST = 10
"""Questions of each class that a split needs."""
_TEST, _VALIDATION = 0.2, 0.125
_SAMPLING = 3
_SPLIT = {2: 42, 3: 3}
"""Seed of the split, by the number of classes."""
_SEED = 5
_KINDS = ("svm", "lr")


@dataclass(frozen=True)
class TrainedClassifier:
    """A classifier that was trained.

    Attributes:
        path: its folder.
        macro_f1: macro-F1 on the parts ``validation`` and ``test``.
        questions: number of questions of the parts ``train``, ``validation`` and ``test``.
    """

    path: Path
    macro_f1: dict[str, float]
    questions: dict[str, int]


def train_complexity(
    source: str | PathLike[str],
    out: str | PathLike[str],
    *,
    classes: int = 3,
    model: str = "svm",
    replace: bool = False,
    device: str | None = None,
    rate: float = 2e-5,
    batch: int = 32,
    epochs: int = 10,
    decay: float = 0.01,
    progress: bool = True,
) -> TrainedClassifier:
    """Train a classifier of questions and measure it; the same data make the same linear model.

    A fifth of the questions is the test part, an eighth of the rest is for validation; each part has the classes in
    proportion. Two classes are sampled to the same size first.

    Args:
        source: a CSV file, a folder with the released file, or the id or path of a collection, with a split.
        out: folder of the model.
        classes: 3; or 2, where two contexts count as more.
        model: ``svm``, ``lr``, or folder or hub name of a transformer that is fine-tuned.
        replace: whether a classifier at `out` is replaced.
        device: device for a transformer; None for an accelerator if the machine has one.
        rate: learning rate of a transformer at the start; it falls linearly to 0.
        batch: questions of a step.
        epochs: number of passes over the questions; the last state is saved.
        decay: weight decay.
        progress: whether a terminal shows the progress of a transformer.

    Raises:
        ArtifactError: another training to `out` is under way, or nothing can be written there.
        ComponentError: a parameter is wrong, or something else is at `out`.
        DataError: the questions cannot be read, or a class has too few.
        DatasetNotFound: there is no such file or collection.
        DefinitionError: `out` exists.
        MissingExtra: a transformer needs packages that are not installed.
        ModelError: there is no such model, or it cannot be read.
    """
    if type(classes) is not int or classes not in _SPLIT:
        raise ComponentError(f"train complexity: classes={classes!r} is not 2 or 3.")
    for name, value, whole in (("rate", rate, False), ("batch", batch, True), ("epochs", epochs, True)):
        check_number("train complexity", name, value, low=1 if whole else 0, integer=whole)
    check_number("train complexity", "decay", decay, low=0)
    place = Path(out).expanduser().absolute()
    with own_place(place, lambda: _check_place(place, replace)), open_display(progress, lines=False) as display:
        questions = read_questions(source)
        parts = split(questions, classes)
        card: dict[str, Any] = {
            "made_by": f"legalir {__version__}",
            "source": Path(fspath(source)).name if Path(fspath(source)).exists() else fspath(source),
            "sha256": digest([questions["question"].tolist(), questions["label"].tolist()]),
            "questions": {name: len(part) for name, part in parts.items()},
            "model": Path(model).name if Path(model).expanduser().is_dir() else model,
        }
        settings = {"rate": rate, "batch": batch, "epochs": epochs, "decay": decay}
        try:
            with atomic_directory(place, "replace") as folder:
                if model in _KINDS:
                    _linear(model, classes, parts["train"]).save(folder, card)
                else:
                    _fine_tune(model, classes, parts["train"], folder, device, settings, display)
                    write_about(folder, "transformer", classes, [], {**card, "settings": settings})
        except OSError as error:
            raise ArtifactError(
                f"Writing {place} failed ({error.strerror or error}): free some space, or choose another folder."
            ) from error
        classifier = open_classifier(place, device=device)
        scores = {name: _macro_f1(classifier, parts[name]) for name in ("validation", "test")}
    return TrainedClassifier(place, scores, card["questions"])


def _check_place(out: Path, replace: bool) -> None:
    """Check that `out` is free, or contains a classifier to replace; nothing else is ever replaced."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not out.is_dir() or not is_card(out / ABOUT, FORMAT):
        raise ComponentError(f"{out} exists and is not a complexity classifier: choose another folder, or remove it.")
    if not replace:
        raise DefinitionError(f"{out} exists: give another place, or replace=True (--replace).")


def read_questions(source: str | PathLike[str]) -> pd.DataFrame:
    """Return questions with labels 0, 1 and 2: columns ``question, label``.

    Args:
        source: as for :func:`train_complexity`.

    Raises:
        DataError: a file or line is faulty, or there is no judged question.
        DatasetNotFound: there is no such file or collection.
    """
    import pandas as pd

    path = Path(source).expanduser()
    file = path / RELEASED if (path / RELEASED).is_file() else path
    rows = list(_rows_of_file(file) if file.is_file() else _rows_of_judgements(fspath(source)))
    if not rows:
        raise DataError(f"{file} has no questions: give a file with the columns question and label.")
    composed = [(unicodedata.normalize("NFC", question), label) for question, label in rows]
    return pd.DataFrame(composed, columns=["question", "label"])


def _rows_of_file(file: Path) -> list[tuple[str, int]]:
    rows = []
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            if missing := [name for name in ("question", "label") if name not in (reader.fieldnames or ())]:
                raise DataError(
                    f"{file} has no column {missing[0]!r}: give a CSV file with the columns question and label."
                )
            for row in reader:
                question, label = row["question"], row["label"]
                if not question or not question.strip() or label not in ("0", "1", "2"):
                    fault = f"the label {label!r}" if question and question.strip() else "no question"
                    raise DataError(
                        f"{file}, line {reader.line_num}: {fault}; write a question, and 0, 1 or 2 for one, two, and "
                        f"three or more contexts."
                    )
                rows.append((question, int(label)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{file} cannot be read as CSV ({reason}): give a file in UTF-8 with commas.") from error
    return rows


def _rows_of_judgements(name: str) -> list[tuple[str, int]]:
    dataset = Collection(name).source
    right = {(one.qid, one.docno) for one in dataset.judgements() if one.label >= 1}
    contexts = Counter(qid for qid, _ in right)
    rows = [(str(row["query"]), contexts[str(row["qid"])]) for row in dataset.queries()]
    return [(question, min(count, 3) - 1) for question, count in rows if count and question.strip()]


def split(questions: pd.DataFrame, classes: int) -> dict[str, pd.DataFrame]:
    """Return the parts ``train``, ``validation`` and ``test``.

    Args:
        questions: columns ``question, label``.
        classes: 3; or 2, for which labels 1 and 2 are merged, and each class is sampled to the size of the smaller.

    Raises:
        DataError: a class has too few questions.
    """
    import pandas as pd
    from sklearn.model_selection import train_test_split

    labels = questions["label"].clip(upper=classes - 1)
    merged = questions.assign(label=labels)
    counts = [int((labels == label).sum()) for label in range(classes)]
    if min(counts) < _LEAST:
        few = counts.index(min(counts))
        advice = "give more, or --classes 2" if classes == 3 and min(counts[:2]) >= _LEAST else "give more"
        raise DataError(
            f"Class {few} has {counts[few]} questions ({', '.join(map(str, counts))} in all classes), and each needs "
            f"{_LEAST}: {advice}."
        )
    if classes == 2:
        groups = [rows for _, rows in merged.groupby("label")]
        merged = pd.concat([rows.sample(n=min(counts), random_state=_SAMPLING) for rows in groups])
    seed = _SPLIT[classes]
    rest, test = train_test_split(merged, test_size=_TEST, stratify=merged["label"], random_state=seed)
    train, validation = train_test_split(rest, test_size=_VALIDATION, stratify=rest["label"], random_state=seed)
    return {"train": train, "validation": validation, "test": test}


def _linear(kind: str, classes: int, train: pd.DataFrame) -> LinearClassifier:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC

    vectorizer = TfidfVectorizer()
    try:
        vectors = vectorizer.fit_transform(train["question"])
    except ValueError:
        raise DataError("No question has a term of two letters or more: give questions in words.") from None
    learner = SVC(kernel="linear", random_state=_SEED)
    if kind == "lr":
        learner = LogisticRegression(max_iter=1000, random_state=_SEED)
    learner.fit(vectors, train["label"])
    weights, intercept = _dense(learner.coef_), np.asarray(learner.intercept_, dtype=np.float64)
    if classes == 2:  # One row, which is positive for the second class.
        weights, intercept = (
            (np.concatenate((np.zeros_like(weights), weights)), np.append(0.0, intercept))
            if kind == "lr"
            else (-weights, -intercept)
        )
    terms = vectorizer.get_feature_names_out().tolist()
    return LinearClassifier(kind, classes, terms, np.asarray(vectorizer.idf_, np.float64), weights, intercept)


def _dense(matrix: Any) -> npt.NDArray[np.float64]:
    return np.ascontiguousarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float64)


def _fine_tune(
    name: str,
    classes: int,
    train: pd.DataFrame,
    folder: Path,
    device: str | None,
    settings: dict[str, Any],
    display: Display,
) -> None:
    """Fine-tune a transformer, and write it into an existing folder."""
    base = find_model(name)
    if not any(base.glob("*.safetensors")):
        raise ModelError(f"{base} has no weights as safetensors, and pickled ones are not read: give another model.")
    placed = placement(device, "float32").device
    tokenizer = load_tokenizer(base)
    import torch
    import transformers

    with own_random_numbers():
        torch.manual_seed(_SEED)
        try:
            with quiet():
                network = transformers.AutoModelForSequenceClassification.from_pretrained(
                    str(base), num_labels=classes, local_files_only=True, use_safetensors=True, dtype=torch.float32
                )
        except (LegalIRError, MemoryError):
            raise
        except Exception as error:  # transformers, torch and safetensors raise errors of many kinds.
            raise ModelError(f"The weights in {base} cannot be read ({error}): get the model again.") from error
        read = tokenizer(train["question"].tolist(), truncation=True, max_length=max_tokens(tokenizer, network.config))
        rows = [
            {"input_ids": ids, "attention_mask": mask, "labels": label}
            for ids, mask, label in zip(read["input_ids"], read["attention_mask"], train["label"].tolist(), strict=True)
        ]
        steps = -(-len(rows) // settings["batch"])
        trainer = transformers.Trainer(
            model=network,
            args=transformers.TrainingArguments(
                output_dir=str(folder),
                per_device_train_batch_size=settings["batch"],
                num_train_epochs=settings["epochs"],
                learning_rate=settings["rate"],
                weight_decay=settings["decay"],
                optim="adamw_torch",
                seed=_SEED,
                use_cpu=placed == "cpu",
                logging_strategy="no",
                save_strategy="no",
                report_to="none",
                disable_tqdm=True,
                push_to_hub=False,
                dataloader_pin_memory=placed != "cpu",
            ),
            train_dataset=rows,
            data_collator=transformers.DataCollatorWithPadding(tokenizer),
            callbacks=[type("Steps", (transformers.TrainerCallback,), _shown_on(display, steps))()],
        )
        trainer.remove_callback(transformers.PrinterCallback)
        trainer.train()
    network.config._name_or_path = ""  # It would be a path on this machine.
    with writing(folder), quiet():
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    for file in folder.iterdir():
        file.chmod(0o644)  # transformers lets only the owner read weights.


def _shown_on(display: Display, steps: int) -> dict[str, Any]:
    """Return the methods of a callback of the trainer that shows its steps."""

    def on_epoch_begin(self: Any, args: Any, state: Any, control: Any, **_: Any) -> None:
        display.phase(f"Epoch {state.global_step // steps + 1} of {args.num_train_epochs}", steps)

    def on_step_end(self: Any, args: Any, state: Any, control: Any, **_: Any) -> None:
        display.advance()

    return {"on_epoch_begin": on_epoch_begin, "on_step_end": on_step_end}


def _macro_f1(classifier: Classifier, part: pd.DataFrame) -> float:
    from sklearn.metrics import f1_score

    predicted, _ = classifier.classify(part["question"].tolist())
    return float(f1_score(part["label"], predicted, average="macro"))
