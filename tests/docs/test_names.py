"""Names in the prose of the pages: a command, an option, or a Python name of ours in backticks is one that there is."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import shlex
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from documentation import PAGES, ROOT, spans

import legalir
from legalir import extend, plugins, testing
from legalir.cli.main import app, load_command
from legalir.contract import COMPONENT_ROLES

OBJECTS: dict[str, list[Any]] = {
    "legalir": [legalir],
    "collection": [legalir.Collection],
    "index": [legalir.SparseIndex, legalir.DenseIndex],
    "manifest": [extend.Manifest],
    "outcome": [testing.Outcome],
}
"""What the pages call by a name of their own; a class stands for its instances."""
FACTORIES = [
    (entry.name, plugins.load(entry).factory)
    for entry in plugins.entries()
    if entry.package == "legalir" and entry.role in COMPONENT_ROLES
]
OTHER_WORDS = {
    *("CrossEncoder", "FlagReranker", "SentenceTransformer", "TruncatedSVD", "compute_score"),
    *(
        "SetF",
        "answer_citations",
        "from_a_alone",
        "from_b_alone",
        "judge_ragas_state",
        "judge_ragas_reason",
        "bge_m3",
        "legalir_name",
        "jamoN",
        "charN",
        "rank_m",
        "s_m",
    ),
}
"""Names of other packages, of fields, of examples, and in formulas."""
ROOMS = {path.name for path in (ROOT / "legalir").iterdir() if path.is_dir()}
DOORS = {"errors", "extend", "testing"}
"""Modules from which one imports."""
GROUPS = {"legalir.v1", "legalir.v2"}
"""Groups of entry points."""


class MissingError(Exception):
    """There is no such name."""


def member(owner: Any, name: str) -> Any:
    """Return what `name` is in a module, a class or its instances: a class stands for its instances, None for any."""
    if owner is legalir and name in DOORS:
        return importlib.import_module(f"legalir.{name}")
    if owner is legalir and name not in legalir.__all__:
        raise MissingError(f"import legalir brings no legalir.{name}: write from … import …")
    if inspect.ismodule(owner):
        if not hasattr(owner, name):
            raise MissingError(f"{owner.__name__} has no {name}")
        return getattr(owner, name)
    if not inspect.isclass(owner):
        return None
    value = inspect.getattr_static(owner, name, None)
    if value is None and not re.search(rf"^    {name}: |self\.{name}\b", inspect.getsource(owner), flags=re.M):
        raise MissingError(f"{owner.__name__} has no {name}")
    getter = getattr(value, "fget", None) or getattr(value, "func", None)
    try:
        return value if getter is None else typing.get_type_hints(getter)["return"]
    except NameError:  # A type that is imported for type checkers alone.
        return None


def objects(node: ast.expr) -> list[Any]:
    """Return what an expression may be: nothing if it is not one of our names."""
    if isinstance(node, ast.Attribute):
        found, complaints = [], []
        for owner in objects(node.value):
            try:
                found.append(member(owner, node.attr))
            except MissingError as error:
                complaints.append(error)
        if complaints and not found:
            raise complaints[0]
        return found
    if not isinstance(node, ast.Name):
        return []
    if node.id in OBJECTS:
        return OBJECTS[node.id]
    public = [getattr(module, node.id) for module in (legalir, extend, testing) if node.id in module.__all__]
    return public or [importlib.import_module(f"legalir.{room}") for room in ROOMS & {node.id}]


def parameters(called: ast.expr) -> set[str]:
    """Return the parameters of what is called; nothing if it is not ours."""
    name = getattr(called, "id", None)
    found = [] if name in OBJECTS else [one for one in objects(called) if callable(one)]
    found += [factory for component, factory in FACTORIES if component == name]
    return {parameter for one in found for parameter in inspect.signature(one).parameters}


def is_module(span: str) -> bool:
    """Return whether a span is a module of ours: ``legalir.dense.contract``, or ``encode.contract`` for short."""
    path = ROOT / "legalir" / span.removeprefix("legalir.").replace(".", "/")
    return re.fullmatch(r"[\w.]+", span) is not None and (path.is_dir() or path.with_suffix(".py").exists())


def faults(span: str) -> Iterator[str]:
    """Yield what is wrong with the names in a span that is Python; nothing if it is not."""
    if span in GROUPS or re.search(r"\w/", span) or is_module(span):
        return
    try:
        tree = ast.parse(span.replace("…", "..."))
    except SyntaxError:
        return
    for node in ast.walk(tree):
        try:
            if isinstance(node, ast.ImportFrom):
                module = importlib.import_module(str(node.module))
                yield from (f"{node.module} has no {one.name}" for one in node.names if not hasattr(module, one.name))
            elif isinstance(node, ast.Attribute):
                objects(node)
            elif isinstance(node, ast.Call):
                accepted = parameters(node.func)
                unknown = [keyword.arg for keyword in node.keywords if keyword.arg and keyword.arg not in accepted]
                if accepted and unknown:
                    yield f"{ast.unparse(node.func)} has no parameter {', '.join(unknown)}"
        except MissingError as error:
            yield str(error)


def defined() -> set[str]:
    """Return the names that the code defines, and those that it has as strings, such as columns."""
    names: set[str] = set()
    for path in (*ROOT.glob("legalir/**/*.py"), *ROOT.glob("plugins/*/src/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case (
                    ast.FunctionDef(name=name)
                    | ast.AsyncFunctionDef(name=name)
                    | ast.ClassDef(name=name)
                    | ast.arg(arg=name)
                ):
                    names.add(name)
                case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    names.add(name)
                case ast.alias(name=name, asname=None):
                    names.add(name)
                case ast.Constant(value=str(name)):
                    names.add(name)
    return names


DEFINED = defined() | OTHER_WORDS


def unknown_words(span: str) -> list[str]:
    """Return a name that begins a span and that nobody would mistake for an English word, if the code lacks it."""
    word = re.match(r"\.?([A-Za-z]\w*)(?=$|\()", span)
    looks = word is not None and re.search(r"[a-z]_[a-z]|[a-z][A-Z]|[A-Z][A-Z]+[a-z]", word[1])
    return [word[1]] if word is not None and looks and word[1] not in DEFINED else []


OPTION = "--[a-z]|-[a-z]$"
PROGRAM: Any = typer.main.get_command(app)
PROGRAM.commands = {name: load_command(name) for name in PROGRAM.commands}


def options(command: Any) -> set[str]:
    """Return the options of a command and of those below it."""
    below = (options(one) for one in getattr(command, "commands", {}).values())
    return {"--help", *(option for one in command.params for option in [*one.opts, *one.secondary_opts])}.union(*below)


def command_faults(span: str) -> Iterator[str]:
    """Yield the commands and options in a span that ``legalir`` does not have."""
    words = shlex.split(span)
    if re.match(OPTION, span) and words[0] not in options(PROGRAM):
        yield f"no command has {words[0]}"
    if words[0] != "legalir" or len(words) < 2:
        return
    command = PROGRAM
    for word in words[1:]:
        below = getattr(command, "commands", {})
        if word in below:
            command = below[word]
        elif re.match(OPTION, word) and word not in options(command):
            yield f"{command.name} has no {word}"
        elif below and re.match("[a-z]", word):
            yield f"there is no command {word} in {span}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_are_there(page: Path) -> None:
    for span in spans(page):
        assert list(faults(span)) == [], f"{page.name}: {span}"
        assert unknown_words(span) == [], f"{page.name}: {span}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_are_there(page: Path) -> None:
    for span in spans(page):
        if re.match(f"legalir |{OPTION}", span):
            assert list(command_faults(span)) == [], f"{page.name}: {span}"


@pytest.mark.parametrize(
    "wrong",
    [
        *("legalir.pipeline.default.DEFAULT", "legalir.Colection", "legalir.dense.nothing", "frames.nothing"),
        *("legalir.pipeline.default.DEFAULT", "legalir.Colection", "legalir.dense.nothing", "frames.nothing"),
        *("Collection.find", "collection.find(query)", "index.manifest.fact", "testing.nothing()"),
        *("SAR(graph, gamma=1)", "bm25(analyser='char2')", "from legalir.errors import NoSuchError"),
        *("is_holed(inp)", "NoSuchError"),
    ],
)
def test_a_name_that_is_not_there_is_noticed(wrong: str) -> None:
    assert [*faults(wrong), *unknown_words(wrong)]


@pytest.mark.parametrize(
    "wrong", ["legalir serch", "legalir plugins ad NAME", "legalir index --pipelin", "--pipelin", "-z"]
)
def test_a_command_that_is_not_there_is_noticed(wrong: str) -> None:
    assert list(command_faults(wrong))
