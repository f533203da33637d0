"""Run experiments and compare every score with the expected one: ``make experiments``.

    python experiments/check.py [FILE.yaml ...] [--write]

Without files, all experiments whose collections, plugins and models are at hand. Expected scores stand beside a
definition, in ``<name>.expected.tsv``, or ``<name>.<collection>.expected.tsv`` where it has several. ``--write`` renews
them instead. Models are not kept, but how they are trained is: where one is missing, its recipe is told.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from legalir import plugins
from legalir.errors import DatasetNotFound, DownloadError, MissingExtra
from legalir.experiment import Definition, compare, read_expected, run, write_expected
from legalir.experiment.runner import dataset_slug

HERE = Path(__file__).resolve().parent

# Experiments that need a first-party plugin: role and name of its component, and the folder to install.
NEEDS = {
    "kiwi.yaml": ("analyzer", "kiwi", "plugins/legalir-kiwi"),
    "lucene.yaml": ("retriever", "lucene", "plugins/legalir-lucene"),
}

RECIPES = "recipes"
"""Folder beside experiments that holds no experiments: how the models that they need are trained."""

MODEL = re.compile(r'\bmodel="(results/[^"]+)"')
"""A trained model in an expression, seen from the root of the repository."""


def expected_path(file: Path, definition: Definition, dataset: str) -> Path:
    """Return where the expected scores of one dataset of an experiment stand."""
    name = f".{dataset_slug(dataset)}" if definition.datasets else ""
    return file.with_name(f"{file.stem}{name}.expected.tsv")


def missing_plugin(file: Path) -> str | None:
    """Say which plugin an experiment needs and lacks."""
    role, name, folder = NEEDS.get(file.name, ("", "", ""))
    if not name or plugins.is_installed(name, (role,)):
        return None
    return f"There is no {role} {name!r}: pip install ./{folder}"


def missing_model(file: Path) -> str | None:
    """Say which trained models an experiment needs and lacks, and how to train the first."""
    named = dict.fromkeys(MODEL.findall(file.read_text(encoding="utf-8")))
    missing = [folder for folder in named if not Path(folder, "model.json").exists()]
    if not missing:
        return None
    recipe = file.parent.relative_to(HERE.parent) / RECIPES / f"{Path(missing[0]).name}.yaml"
    others = f" ({len(missing) - 1} more missing)" if missing[1:] else ""
    return f"There is no {missing[0]}{others}; train it: legalir train static --recipe {recipe}"


def check(file: Path, *, write: bool) -> bool:
    """Run one experiment on each of its datasets; return whether all scores are as expected."""
    if complaint := missing_plugin(file) or missing_model(file):
        print(f"not run    {file.relative_to(HERE)}: {complaint}")
        return True
    definition = Definition.load(file)
    good = True
    for one in definition.each():
        slug = dataset_slug(one.dataset)
        out = Path("results") / file.relative_to(HERE).with_suffix("") / slug
        try:
            result = run(one, out)
        except (DatasetNotFound, DownloadError, MissingExtra) as error:
            print(f"not run    {file.relative_to(HERE)} on {slug}: {error}")
            continue
        result.report(out / "report.html")
        expected = expected_path(file, definition, one.dataset)
        if write:
            write_expected(result, expected)
            print(f"written    {expected.relative_to(HERE)}")
            continue
        found = compare(result, read_expected(expected))
        good = good and found.ok
        counts = ", ".join(f"{number} {status}" for status, number in found.counts.items())
        print(f"{'as expected' if found.ok else 'DIFFERENT '} {file.relative_to(HERE)} on {slug}: {counts}")
    return good


def main() -> None:
    """Check the files that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="experiments; by default all")
    parser.add_argument("--write", action="store_true", help="renew the expected scores")
    options = parser.parse_args()
    every = (file for file in sorted(HERE.rglob("*.yaml")) if file.parent.name != RECIPES)
    files = [file.resolve() for file in options.files] or list(every)
    results = [check(file, write=options.write) for file in files]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
