"""Every example of the documentation runs, page by page, over the bundled collection.

The blocks of a page run in their order, in one directory and one namespace. What cannot run says why, in a comment
directly before it: ``<!-- not run: reason -->``. In the directory stand the experiments at hand and the folder
``my-statutes`` that docs/datasets.md writes out, and the files that the page itself shows under their names.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from documentation import DOCS, PAGES, ROOT, Block, blocks
from typer.testing import CliRunner, Result

from legalir.cli.main import app
from legalir.datasets import check, load
from legalir.experiments.definition import load_definition
from legalir.train.recipes import StaticRecipe
from legalir_finetune import FineTuning, Pretraining

RUN = ("python", "sh", "console")
NEURAL = {"neural.md", "dense.md"}
"""Pages whose examples need torch."""
WITH_EXAMPLES = [
    pytest.param(page, marks=[pytest.mark.neural] if page.name in NEURAL else [], id=page.name)
    for page in PAGES
    if any(block.language in RUN for block in blocks(page))
]
DATA = [block for page in PAGES for block in blocks(page) if block.language in ("json", "toml", "yaml")]
RECIPE = {"dataset", "out"}
TUNING = {"dataset", "model", "out"}
DEFINITION = {"dataset", "datasets", "systems", "sweeps"}


@pytest.fixture(name="folder")
def worked_folder(tmp_path: Path) -> Path:
    """The folder of docs/datasets.md, written from what the page shows."""
    folder = tmp_path / "work" / "my-statutes"
    folder.mkdir(parents=True)
    for block in blocks(DOCS / "datasets.md"):
        if block.file is not None:
            (folder / block.file).write_text(block.text + "\n", encoding="utf-8")
    return folder


@pytest.fixture(name="here")
def working_directory(folder: Path, built: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory in which every page finds what it names; what is built is shared by the pages."""
    here = folder.parent
    shutil.copytree(ROOT / "experiments", here / "experiments", ignore=shutil.ignore_patterns("bench"))
    monkeypatch.chdir(here)
    monkeypatch.setenv("LEGALIR_HOME", str(built))
    monkeypatch.setenv("COLUMNS", "160")
    # Timing takes most of the time; settings that are found would change what `default` gives on other pages.
    monkeypatch.setattr("legalir.experiments.runs.BUDGET_SECONDS", 0)
    monkeypatch.setattr("legalir.train.tune._knobs", lambda collection, start: {"k1": (start.k1,)})
    return here


@pytest.mark.parametrize("page", WITH_EXAMPLES)
def test_every_example_runs(page: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)  # Annotations are read in the module of their class.
    for block in blocks(page):
        if block.not_run is not None:
            continue
        if block.file is not None:
            Path(block.file).write_text(block.text + "\n", encoding="utf-8")
        if block.language == "python":
            # Empty lines before it, so that a traceback has the line of the page.
            code = compile("\n" * (block.line - 1) + block.text, str(page), "exec", dont_inherit=True)
            exec(code, vars(module))
        elif block.language == "sh":
            for line in shell_lines(block.text):
                run_line(line, block, monkeypatch)
        elif block.language == "console":
            check_console(block)


def shell_lines(text: str) -> Iterator[list[str]]:
    for line in text.replace("\\\n", " ").splitlines():
        if words := shlex.split(line, comments=True):
            yield words


def run_line(words: list[str], block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a line that begins with ``legalir``; of other lines, check what can be checked without running them."""
    if words[0] == "legalir":
        result = legalir(words[1:])
        assert result.exit_code == 0, f"{block}: {shlex.join(words)}: {result.exception!r}\n{result.output}"
    elif words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M)
        assert set(words[1:]) <= set(targets), f"{block}: the Makefile has no such target"
    elif words[0] == "export":
        name, _, value = words[1].partition("=")
        monkeypatch.setenv(name, os.path.expanduser(value))  # noqa: PTH111  (the shell expands any text)
    else:
        raise AssertionError(f"{block}: {shlex.join(words)}: mark what is not run by <!-- not run: reason -->")


def legalir(arguments: list[str]) -> Result:
    return CliRunner().invoke(app, arguments, catch_exceptions=True)


def check_console(block: Block) -> None:
    """Compare what the page shows below ``$ legalir …`` with what is printed."""
    command, *shown = block.text.splitlines()
    assert command.startswith("$ legalir "), f"{block}: begin with $ legalir"
    result = legalir(shlex.split(command)[2:])
    assert [line.rstrip() for line in result.output.splitlines()] == shown, f"{block}: it prints\n{result.output}"


@pytest.mark.parametrize("block", DATA, ids=str)
def test_data_can_be_read(block: Block) -> None:
    if block.not_run is not None:
        return
    if block.language == "json":
        assert all(isinstance(json.loads(line), dict) for line in block.text.splitlines())
    elif block.language == "toml":
        assert tomllib.loads(block.text)
    elif (content := yaml.safe_load(block.text)).keys() >= TUNING:
        kind = Pretraining if "kind" in content else FineTuning
        assert kind.parse(content, "recipe.yaml").as_dict().items() >= content.items()
    elif content.keys() >= RECIPE:
        assert StaticRecipe.parse(content, "recipe.yaml").as_dict().items() >= content.items()
    elif content.keys() & DEFINITION:
        # A page may show a part of a definition.
        fill = {"dataset": "legalir/firecode", "measures": ["R@10"], "systems": {"BM25": "bm25"}}
        fill = {key: value for key, value in fill.items() if not (key == "dataset" and "datasets" in content)}
        definition = load_definition({**fill, **content})
        assert len(definition.systems) >= 1


def test_the_laws_of_the_readme_have_links(tmp_path: Path) -> None:
    (block,) = (block for block in blocks(ROOT / "README.md") if block.file == "laws.csv")
    (tmp_path / "laws.csv").write_text(block.text + "\n", encoding="utf-8")
    assert legalir(["datasets", "import", str(tmp_path / "laws.csv"), str(tmp_path / "laws")]).exit_code == 0
    assert len(list(load(tmp_path / "laws").links())) == 2


def test_what_is_not_run_has_a_reason() -> None:
    for page in PAGES:
        marked = [block for block in blocks(page) if block.not_run is not None]
        assert all(len(str(block.not_run)) > 8 and block.language for block in marked), page
        text = page.read_text(encoding="utf-8")
        assert text.count("<!-- not run") == len(marked), f"{page.name}: a mark without a block, or without a reason"


def test_the_folder_that_is_shown_holds_what_is_said(folder: Path) -> None:
    assert check(folder).ok
    split = load(folder / "test")
    assert (split.docs_count(), len(split.topics()), len(split.qrels()), len(list(split.links()))) == (2, 1, 2, 1)


def test_the_check_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    block = Block("page.md", 1, "sh", "", None, None)
    run_line(["make", "test"], block, monkeypatch)
    for wrong in (["make", "tset"], ["legalir", "serach"], ["pip", "install", "x"]):
        with pytest.raises(AssertionError, match=r"page\.md:1"):
            run_line(wrong, block, monkeypatch)
    with pytest.raises(AssertionError, match="it prints"):
        check_console(block._replace(language="console", text="$ legalir --version\nlegalir 0.0.0"))
