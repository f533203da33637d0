"""Packages that ``legalir plugins new`` writes: complete, installable, and right from the start."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import yaml
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


def test_a_package_of_every_role_passes_its_own_tests(tmp_path: Path) -> None:
    """One process for all, as imports take the time; the kit's own processes are started for one role."""
    packages = [write_package(f"sample_{role}", role, tmp_path) for role in ROLES]
    report = tmp_path / "report.xml"
    options = ["-q", "-p", "no:cacheprovider", "-W", "error", "-W", "ignore:The inplace keyword:DeprecationWarning"]
    options += ["-k", "sample_analyzer or not (light or another)"]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--junitxml={report}", *map(str, packages)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": on_the_path(tmp_path / "site", packages)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert report.exists(), ended.stdout + ended.stderr
    passed: dict[str, list[str]] = {role: [] for role in ROLES}
    for case in ET.parse(report).iter("testcase"):
        name, faults = f"{case.get('classname')}.{case.get('name')}", [one for one in case if one.tag != "skipped"]
        assert not faults, f"{name}: {faults[0].text}"
        if not list(case):
            passed[next(role for role in ROLES if f"test_sample_{role}." in name)].append(name)
    for role, names in passed.items():
        kit = sum("test_conformance[" in name for name in names)
        assert kit > 5 if ROLES[role].by_factory else kit == 0, role
        assert any("golden" in name for name in names), role


@pytest.mark.parametrize("role", ROLES)
def test_what_is_written(tmp_path: Path, role: str) -> None:
    folder = write_package("my_own2", role, tmp_path, package="Acme.My-Own")
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert files - {"tests/provisions.csv"} == {
        *("pyproject.toml", "README.md", ".gitignore", "tests/test_my_own2.py"),
        *(".github/workflows/ci.yml", "docs/my_own2.md"),
        *(f"src/acme_my_own/{name}" for name in ("__init__.py", f"{role}.py", "py.typed")),
    }
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"] == {
        "legalir.v1": {f"{role}.my_own2": f"acme_my_own.{role}:{'factory' if ROLES[role].by_factory else 'my_own2'}"}
    }
    assert project["dependencies"][0] == "legalir>=0.1,<0.2"
    job = yaml.safe_load((folder / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]["test"]
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert commands[:2] == ["python -m pip install --editable '.[test]'", "python -m pytest"]
    assert shlex.split(commands[2])[:2] == ["legalir", "plugins"]
    marked = [line.strip() for line in (folder / ".github/workflows/ci.yml").read_text(encoding="utf-8").splitlines()]
    assert "# - run: python -m pip install 'legalir @ git+https://ADDRESS'" in marked
    assert "pip install FOLDER-OF-LEGALIR" in (folder / "README.md").read_text(encoding="utf-8")
    for path in folder.rglob("*.*"):
        text = path.read_text(encoding="utf-8").replace("${{ matrix.python }}", "") if path.is_file() else ""
        assert "$" not in text, f"{path.name} has a gap"
    assert oct(folder.stat().st_mode)[-3:] == "755"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("name", ["", "x-y", "Überblick", "lambda", "_x", "x_", "../x", "3d"])
def test_a_name_that_is_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(PluginError, match="name for a component"):
        write_package(name, "retriever", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_measure_may_have_capitals(tmp_path: Path) -> None:
    assert "\nMyShare = " in (
        write_package("MyShare", "measure", tmp_path) / "src/legalir_myshare/measure.py"
    ).read_text("utf-8")
    folder = write_package("Share", "measure", tmp_path)
    assert folder.name == "legalir-share"
    assert '"measure.Share" = "legalir_share.measure:Share"' in (folder / "pyproject.toml").read_text("utf-8")
    with pytest.raises(PluginError, match="not a name"):
        write_package("Share", "reranker", tmp_path)


def test_a_name_that_is_taken(tmp_path: Path, install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("acme", {"reranker.sparkle": "acme_module:f", "source.sparkle2": "acme_module:f"}, version="2.1")
    out = tmp_path / "out"
    taken = [("bm25", "fuser", "'bm25'"), ("jamo5", "analyzer", "'jamo'"), ("sparkle", "retriever", r"2\.1")]
    for name, role, other in taken:
        with pytest.raises(PluginError, match=rf"'{name}'.*{other}"):
            write_package(name, role, out)
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "acme")
    with pytest.raises(PluginError, match="'sparkle'"):
        write_package("sparkle", "retriever", out)
    assert not out.exists()
    # Sources are named elsewhere than retrievers are.
    assert write_package("sparkle2", "retriever", out).is_dir()


@pytest.mark.parametrize(
    ("package", "fault"),
    [
        ("../elsewhere", "name for a package"),
        ("class", "name for a package"),
        ("json", "module 'json'"),
        ("NumPy", "package NumPy .* is installed"),
        ("fake-plugins", "module 'fake_plugins'"),
    ],
)
def test_a_package_that_cannot_be_called_so(tmp_path: Path, package: str, fault: str) -> None:
    with pytest.raises(PluginError, match=fault):
        write_package("mine", "retriever", tmp_path / "out", package)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch, lambda taken: taken.symlink_to("nowhere")])
def test_what_exists_is_left_as_it_is(tmp_path: Path, make: Callable[[Path], None]) -> None:
    taken = tmp_path / "legalir-mine"
    make(taken)
    with pytest.raises(PluginError, match="legalir-mine exists"):
        write_package("mine", "retriever", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["legalir-mine"]
    assert not taken.is_dir() or list(taken.iterdir()) == []


def test_a_place_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PluginError, match="cannot be written"):
        write_package("mine", "retriever", tmp_path / "file")
    with pytest.raises(PluginError, match="'reranker'"):
        write_package("mine", "rerankr", tmp_path)

    def full(self: Path, *_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(PluginError, match="No space"):
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
    assert run(monkeypatch, "bm25", "--role", "retriever", "--out", str(tmp_path)) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: The name 'bm25' is taken")
    assert error.count("\n") == 1
