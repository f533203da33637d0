"""Figures made again: the experiments of a folder, and the scores that they are expected to have.

Expected scores are beside a definition, in ``<name>.expected.tsv``, or ``<name>.<collection>.expected.tsv`` where it
has several datasets. They are without the encoder ``e5``, unless a system names it. A system with a model that is given
by a value has expected scores only if a package carries the model, or it is in the folder.

``reproduce.yaml`` says what the experiments of the folder need from elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, distribution, requires
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import ClassVar

from legalir import plugins
from legalir.config import Schema, Text
from legalir.datasets import load
from legalir.datasets.dataset import StatuteDataset
from legalir.dense.e5 import SEMANTIC
from legalir.errors import DatasetNotFound, DownloadError, ExperimentError, MissingExtra, ModelError, suggestion
from legalir.experiments.definition import Definition
from legalir.experiments.experiment import AT_HAND, dataset_state, run
from legalir.experiments.fingerprints import frame_fingerprint
from legalir.experiments.result import (
    Comparison,
    Expected,
    ExperimentResult,
    compare,
    dataset_slug,
    read_expected,
    write_expected,
)

NEEDS = "reproduce.yaml"
RECIPES = ("recipes", "finetune")
"""Folders that hold no experiments, but how the models of the experiments beside them are trained."""
_MODEL = re.compile(r'\bmodel="(results/[^"]+)"')
"""A trained model in an expression, a path from the working directory."""


class Source(Schema):
    """A collection that is not bundled."""

    KIND: ClassVar[str] = "a collection"

    source: Text
    """Where it is from, in a sentence."""
    sha256: Mapping[str, Text] = {}
    """:func:`data_digest` of what the expected scores were made with, by split; ``all`` for the whole collection."""


class Needs(Schema):
    """Collections, plugins, models and scripts that experiments need and that are outside their folder."""

    KIND: ClassVar[str] = "a mapping of what experiments need"

    collections: Mapping[str, Source] = {}
    """Collections by name, which is the last part of ``legalir/NAME``."""
    plugins: Mapping[str, Text] = {}
    """Package that an experiment needs, by the name of the experiment, or an extra such as ``legalir[graph]``."""
    trained: Mapping[str, Text] = {}
    """Command that trains the models of a folder, where no recipe does."""
    carried: Mapping[str, Text] = {}
    """Model that a package carries, as ``package/folder``, by the value that names it in definitions."""
    scripts: Mapping[str, Text] = {}
    """Script by the name of its experiment; it compares its figures itself, and renews them with ``--write``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one experiment on one dataset.

    Attributes:
        name: name of the experiment.
        dataset: the dataset; of a script, its file.
        ok: whether all figures are as expected (after ``write``, True); None if none were compared.
        text: what happened, in words.
        comparison: the cells that were compared, if any.
        whole: whether every system that has expected scores was run.
    """

    name: str
    dataset: str
    ok: bool | None
    text: str
    comparison: Comparison | None = None
    whole: bool = True


def data_digest(dataset: StatuteDataset) -> str:
    """Return a sha256 over the content of provisions, links, questions and judgements, however they are stored."""
    digest = hashlib.sha256()
    for row in dataset.docs():
        digest.update(json.dumps([row.doc_id, row.title, row.text], ensure_ascii=False).encode())
    for link in sorted(dataset.links()):
        digest.update(json.dumps(link, ensure_ascii=False).encode())
    for frame, columns in ((dataset.topics(), ["qid", "query"]), (dataset.qrels(), ["qid", "docno", "label"])):
        digest.update(frame_fingerprint(frame[columns].sort_values(columns[:-1])).encode())
    return digest.hexdigest()


class Reproduction:
    """The experiments of a folder.

    Args:
        folder: the folder; experiments are its YAML files, named by their paths in it without ``.yaml``.

    Raises:
        ExperimentError: the folder has no experiments.
        DefinitionError: ``reproduce.yaml`` is wrong.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).resolve()
        found = [file for file in sorted(self.folder.rglob("*.yaml")) if file.parent.name not in RECIPES]
        names = [file.relative_to(self.folder).with_suffix("").as_posix() for file in found]
        self.files = {name: file for name, file in zip(names, found, strict=True) if name != Path(NEEDS).stem}
        if not self.files:
            raise ExperimentError(
                f"There are no experiments in {folder}: run this in a clone of legalir, or give --folder with yours."
            )
        needs = self.folder / NEEDS
        self.needs = Needs.load(needs) if needs.is_file() else Needs()
        self._states: dict[str, str] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all experiments."""
        return *self.files, *self.needs.scripts

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """The definition of each experiment that has one; DefinitionError if one is wrong."""
        return {name: Definition.load(file) for name, file in self.files.items()}

    def known(self, name: str) -> str:
        """Return the name of an experiment from its name or the path of its file.

        Raises:
            ExperimentError: no experiment has this name.
        """
        names = {str(file): key for key, file in self.files.items()}
        key = names.get(str(Path(name).resolve()), name.removesuffix(".yaml"))
        if key not in self.names:
            hint = suggestion(key, set(self.names)) or " `legalir reproduce` lists all."
            raise ExperimentError(f"There is no experiment {name!r} in {self.folder}.{hint}")
        return key

    def missing(self, name: str) -> dict[str, str]:
        """Return a sentence for each thing that is missing, by dataset; ``""`` is what all datasets need."""
        if sentence := self._missing_plugin(name):
            return {"": sentence}
        if name in self.needs.scripts:
            return {}
        if sentence := self._missing_model(name):
            return {"": sentence}
        each = {one.dataset: self._missing_data(name, one.dataset) for one in self.definitions[name].each()}
        return {dataset: sentence for dataset, sentence in each.items() if sentence}

    def _missing_plugin(self, name: str) -> str:
        package, _, extras = self.needs.plugins.get(name, "").rstrip("]").partition("[")
        try:
            for one in _of_extras(package, extras.split(",")) if extras else filter(None, [package]):
                distribution(one)
        except PackageNotFoundError as error:
            if extras:
                return f"The package {error.name} is not installed: pip install '{package}[{extras}]'"
            return f"The package {package} is not installed: pip install ./plugins/{package}"
        return ""

    def _missing_model(self, name: str) -> str:
        file = self.files[name]
        models = dict.fromkeys(_MODEL.findall(file.read_text(encoding="utf-8")))
        missing = [folder for folder in models if not Path(folder, "model.json").exists()]
        if not missing:
            return ""
        recipe = os.path.relpath(file.parent / RECIPES[0] / f"{Path(missing[0]).name}.yaml")
        command = self.needs.trained.get(file.parent.name, f"legalir train static --recipe {recipe}")
        others = f" ({len(missing) - 1} more missing)" if missing[1:] else ""
        return f"There is no {missing[0]}{others}; train it: {command}"

    def _missing_data(self, name: str, dataset: str) -> str:
        collection, split = _parts(dataset)
        known = self.needs.collections.get(collection)
        state = self._states.get(dataset) or self._states.setdefault(dataset, dataset_state(dataset))
        if state == AT_HAND:
            return ""
        if known and split in known.sha256:
            return f"{dataset} is not at hand: make the folder $LEGALIR_DATA/{collection}. {known.source}"
        if state == "not fetched":
            return f"{dataset} was not fetched: legalir datasets check legalir/{collection}"
        return f"Data that are not at hand: {os.path.relpath(self.files[name])} and the README say where they are from."

    def other_data(self, dataset: str) -> str:
        """Return a sentence if a dataset is known not to be what the expected scores were made with; else ``""``."""
        name, split = _parts(dataset)
        known = self.needs.collections.get(name)
        wanted = known.sha256.get(split, "") if known else ""
        if not wanted or (here := data_digest(load(dataset))) == wanted:
            return ""
        return (
            f"OTHER DATA: the sha256 of {dataset} is {here[:16]}, and the expected scores are of {wanted[:16]}: make "
            f"$LEGALIR_DATA/{name} anew"
        )

    def run(
        self, name: str, values: Mapping[str, str] | None = None, *, out: Path = Path("results"), write: bool = False
    ) -> Iterator[Outcome]:
        """Run an experiment on each of its datasets, without the encoder ``e5`` where no system names it.

        Args:
            name: name of the experiment.
            values: values that replace the definition's, where it has them.
            out: directory of the results.
            write: renew the expected scores instead of comparing.

        Raises:
            ExperimentError: a system or the file of expected scores is wrong.
        """
        os.environ[SEMANTIC] = "off"
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        missing = self.missing(name)
        if "" in missing:
            yield Outcome(name, "", None, f"not run: {missing['']}")
            return
        if script := self.needs.scripts.get(name):
            command = [sys.executable, str(self.folder / script), *(["--write"] if write else [])]
            good = subprocess.run(command, check=False).returncode == 0
            yield Outcome(name, script, good, "as expected" if good else "DIFFERENT")
            return
        definition = self.definitions[name]
        if definition.llm:
            # Expected scores are those of the model that the file names.
            os.environ.pop("LEGALIR_LLM", None)
        given = {key: value for key, value in (values or {}).items() if key in definition.values}
        definition = definition.with_values(self._carried(definition) | given)
        for one in definition.each():
            if reason := missing.get(one.dataset) or ("" if write else self.other_data(one.dataset)):
                # Other data are a failure, missing data are not.
                failed = None if one.dataset in missing else False
                yield Outcome(name, one.dataset, failed, reason if failed is False else f"not run: {reason}")
            else:
                yield self._run_on(name, definition, one, out / name / dataset_slug(one.dataset), write)

    def _run_on(self, name: str, definition: Definition, one: Definition, out: Path, write: bool) -> Outcome:
        try:
            result = run(one, out)
        except (DatasetNotFound, DownloadError, MissingExtra, ModelError) as error:
            return Outcome(name, one.dataset, None, f"not run: {error}")
        assert isinstance(result, ExperimentResult)
        if find_spec("jinja2") is not None:
            result.report(out / "report.html")
        absent = "".join(f"; without {', '.join(names)}: {why}" for why, names in result.scores.reasons().items())
        slug = f".{dataset_slug(one.dataset)}" if definition.datasets else ""
        file = self.files[name].with_name(f"{self.files[name].stem}{slug}.expected.tsv")
        steady = self.steady(definition)
        if not steady or not (write or file.exists()):
            why = "no figures are expected" if steady else "its figures depend on the models, and none are expected"
            return Outcome(name, one.dataset, None, f"run: {why}{absent}")
        if write:
            write_expected(_only(result, steady), file)
            return Outcome(name, one.dataset, True, f"written: {file}{absent}")
        comparison = compared(result, read_expected(file), steady)
        if not comparison.cells:
            return Outcome(name, one.dataset, None, f"run: nothing could be compared{absent}")
        counts = ", ".join(f"{number} {status}" for status, number in comparison.counts.items())
        text = f"{'as expected' if comparison.ok else 'DIFFERENT'} ({counts}){absent}"
        return Outcome(name, one.dataset, comparison.ok, text, comparison, steady.isdisjoint(result.scores.absent))

    def _carried(self, definition: Definition) -> dict[str, object]:
        """Return the values of a definition for which a package carries the model."""
        values: dict[str, object] = {}
        for name, place in self.needs.carried.items():
            package, _, folder = place.partition("/")
            spec = find_spec(package) if name in definition.values else None
            if spec is not None and spec.origin:
                values[name] = Path(spec.origin).parent / folder
        return values

    def steady(self, definition: Definition) -> set[str]:
        """Return the systems that have the same scores everywhere.

        They have no model, one that a package carries, or an encoder of legalir's own; models, facts and replies of a
        language model are in the folder.
        """
        used = {name: set(Template(text).get_identifiers()) for name, text in definition.systems.items()}
        own = {name for name, value in definition.values.items() if plugins.is_installed(str(value), ("encoder",))}
        own |= {name for name, value in definition.values.items() if Path(str(value)).is_relative_to(self.folder)}
        return {name for name, values in used.items() if values <= {*self.needs.carried, *own}}


def _of_extras(package: str, extras: Sequence[str]) -> Iterator[str]:
    """Yield the packages that extras of a package need."""
    for requirement in requires(package) or ():
        name, _, condition = requirement.partition(";")
        if any(f'extra == "{extra}"' in condition for extra in extras):
            yield re.split(r"[^\w.-]", name)[0]


def compared(result: ExperimentResult, expected: Expected, steady: set[str]) -> Comparison:
    """Compare the systems of `steady` that were run with their expected scores."""
    there = {key: value for key, value in expected.scores.items() if key[0] not in result.absent}
    return compare(_only(result, steady), Expected(there, expected.tolerance))


def _only(result: ExperimentResult, systems: set[str]) -> ExperimentResult:
    return replace(result, table=result.table[result.table["name"].isin(systems)])


def _parts(dataset: str) -> tuple[str, str]:
    """Return the name and the split of a dataset: ``legalir/koblex`` is ``koblex`` and ``all``."""
    name, _, split = dataset.removeprefix("legalir/").partition("/")
    return name, split or "all"
