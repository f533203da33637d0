"""Packages that ``legalir plugins new`` writes: complete, installable, and right from the start."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)

from legalir.cli.main import main
from legalir.cli.plugins import write_package
from legalir.errors import PluginError
from legalir.plugins import ROLES


def on_the_path(site: Path, packages: Sequence[Path]) -> str:
    """Return a PYTHONPATH on which packages are installed, with the metadata that their pyproject.toml declares."""
    for package in packages:
        project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        )
        lines = [
            line
            for group, entries in project["entry-points"].items()
            for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
        ]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return os.pathsep.join([str(site), *(str(package / "src") for package in packages)])


@pytest.fixture(name="verdicts", scope="module")
def tests_of_a_package_of_every_role(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[str, str]]]:
    """By role, the tests of its package and how each ended; one process for all, as imports take the time."""
    out = tmp_path_factory.mktemp("packages")
    packages = [write_package(f"sample_{role}", role, out) for role in ROLES]
    report = out / "report.xml"
    options = ["-q", "-p", "no:cacheprovider", "-W", "error", "-W", "ignore:The inplace keyword:DeprecationWarning"]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--junitxml={report}", *map(str, packages)],
        cwd=out,
        env={
            **os.environ,
            "PYTHONPATH": on_the_path(out / "site", packages),
            "LEGALIR_HOME": str(out / "home"),
            "LEGALIR_DISABLE_PLUGINS": "",
        },
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert report.exists(), ended.stdout + ended.stderr
    found: dict[str, list[tuple[str, str]]] = {role: [] for role in ROLES}
    for case in ET.parse(report).iter("testcase"):
        role = next(role for role in ROLES if f"test_sample_{role}" in str(case.get("classname")))
        fault = next((child for child in case if child.tag in ("failure", "error")), None)
        skipped = any(child.tag == "skipped" for child in case)
        verdict = "skipped" if skipped else "passed" if fault is None else str(fault.text)
        found[role].append((str(case.get("name")), verdict))
    return found


@pytest.mark.parametrize("role", ROLES)
def test_a_package_of_every_role_passes_its_own_tests(verdicts: dict[str, list[tuple[str, str]]], role: str) -> None:
    names = [name for name, _ in verdicts[role]]
    kit = sum(name.startswith("test_conformance[") for name in names)
    assert kit > 8 if ROLES[role].by_factory else kit == 0
    assert any("golden" in name for name in names)
    assert [verdict for verdict in verdicts[role] if verdict[1] not in ("passed", "skipped")] == []
    assert sum(verdict == "passed" for _, verdict in verdicts[role]) > len(names) / 2


@pytest.mark.parametrize("role", ROLES)
def test_what_is_written(tmp_path: Path, role: str) -> None:
    folder = write_package("my_own2", role, tmp_path, package="Acme.My-Own")
    assert folder == tmp_path / "Acme.My-Own"
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert files - {"tests/provisions.csv"} == {
        *("pyproject.toml", "README.md", ".gitignore", "tests/test_my_own2.py"),
        *(f"src/acme_my_own/{name}" for name in ("__init__.py", f"{role}.py", "py.typed")),
    }
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"] == {
        "legalir.v1": {f"{role}.my_own2": f"acme_my_own.{role}:{'factory' if ROLES[role].by_factory else 'my_own2'}"}
    }
    assert project["dependencies"][0] == "legalir>=0.1,<0.2"
    for path in folder.rglob("*.*"):
        assert not path.is_file() or "$" not in path.read_text(encoding="utf-8"), f"{path.name} has a gap"
    for path in folder.rglob("*.py"):
        documented = ast.parse(path.read_text(encoding="utf-8"))
        assert ast.get_docstring(documented), path
    assert oct(folder.stat().st_mode)[-3:] == "755"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("name", ["", "two words", "x-y", "Überblick", "lambda", "_x", "x_", "../x", "3d", "$x"])
def test_a_name_that_is_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(PluginError, match="is not a name for a component"):
        write_package(name, "retriever", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_taken(tmp_path: Path, install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("acme", {"reranker.sparkle": "acme_module:f", "source.sparkle2": "acme_module:f"}, version="2.1")
    out = tmp_path / "out"
    with pytest.raises(PluginError, match=r"'bm25'.*'bm25'"):
        write_package("bm25", "fuser", out)
    with pytest.raises(PluginError, match=r"'jamo5'.*'jamo'"):
        write_package("jamo5", "analyzer", out)
    with pytest.raises(PluginError, match=r"'sparkle'.*'sparkle'.*2\.1"):
        write_package("sparkle", "retriever", out)
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "acme")
    with pytest.raises(PluginError, match="'sparkle'"):
        write_package("sparkle", "retriever", out)
    assert not out.exists()
    # Sources are named elsewhere than retrievers are.
    assert write_package("sparkle2", "retriever", out).is_dir()


@pytest.mark.parametrize(
    ("package", "fault"),
    [
        ("", "is not a name for a package"),
        ("../elsewhere", "is not a name for a package"),
        ("class", "is not a name for a package"),
        ("json", "There is a module 'json' already"),
        ("legalir", "A package legalir .* is installed"),
        ("NumPy", "A package NumPy .* is installed"),
        ("fake-plugins", "There is a module 'fake_plugins' already"),
    ],
)
def test_a_package_that_cannot_be_called_so(tmp_path: Path, package: str, fault: str) -> None:
    with pytest.raises(PluginError, match=fault):
        write_package("mine", "retriever", tmp_path / "out", package)
    assert not (tmp_path / "out").exists()


def test_an_unknown_role(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="'reranker'"):
        write_package("mine", "rerankr", tmp_path)


@pytest.mark.parametrize("kind", ["folder", "file", "dangling link"])
def test_what_exists_is_left_as_it_is(tmp_path: Path, kind: str) -> None:
    taken = tmp_path / "legalir-mine"
    if kind == "folder":
        taken.mkdir()
    elif kind == "file":
        taken.write_text("mine")
    else:
        taken.symlink_to(tmp_path / "nowhere")
    with pytest.raises(PluginError, match="exists and is left as it is"):
        write_package("mine", "retriever", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["legalir-mine"]
    assert not taken.is_dir() or list(taken.iterdir()) == []


def test_a_place_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PluginError, match="cannot be written"):
        write_package("mine", "retriever", tmp_path / "file")

    def full(self: Path, *_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(PluginError, match="No space left on device"):
        write_package("mine", "retriever", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"], "nothing is left behind"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["legalir", "plugins", "new", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_the_command_says_what_is_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, "mine", "--role", "reranker") == 0
    out = capsys.readouterr().out
    assert "src/legalir_mine/reranker.py" in out
    assert "  pip install -e '.[test]'\n" in out
    assert "  legalir plugins check mine\n" in out
    assert "--pipeline 'bm25 % 100 >> mine'" in out
    assert (tmp_path / "legalir-mine" / "pyproject.toml").is_file()
    assert run(monkeypatch, "other", "--role", "source", "--out", str(tmp_path / "deep" / "er")) == 0
    assert "legalir plugins check 'other(path=\"tests/provisions.csv\")'" in capsys.readouterr().out


def test_misuse_is_one_line_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "bm25", "--role", "retriever", "--out", str(tmp_path)) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: The name 'bm25' is taken")
    assert error.count("\n") == 1
