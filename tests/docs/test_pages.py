"""The pages hold what the code has: every component, command, option and public name."""

from __future__ import annotations

import importlib.util
import inspect
import re
import tomllib
import warnings
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from documentation import DOCS, ROOT, links

import legalir
from legalir import plugins
from legalir.contract import COMPONENT_ROLES, GROUP

OTHER_PAGES = [
    ROOT / name
    for name in (
        "README.md",
        "AGENTS.md",
        "llms.txt",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "experiments/README.md",
        "experiments/CHANGES.md",
    )
] + sorted(ROOT.glob("plugins/*/README.md"))
SECTION = re.compile(
    r"^### `(?P<name>\w+)`(?: as \w+)?\n`(?P<expression>[^\n]*)`\n\n(?P<facts>.*?)(?=^##|\Z)", re.M | re.S
)
NOT_A_USERS = {"collection", "left"}
"""Parameters that a pipeline fills in."""


def read(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def module_at(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def facts_of(section: re.Match[str]) -> dict[str, str]:
    items = re.findall(r"^- (\w+): (.*(?:\n  .*)*)", section["facts"], flags=re.M)
    return {key: re.sub(r"\s+", " ", value) for key, value in items}


def expression_of(entry: plugins.PluginEntry) -> str:
    """Return a component with its defaults, as its signature has them."""
    shown = []
    for parameter in inspect.signature(plugins.load(entry).factory).parameters.values():
        if parameter.name in NOT_A_USERS:
            continue
        star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        shown.append(f"{star}{parameter.name}{default}")
    return f"{entry.name}({', '.join(shown)})" if shown else entry.name


SECTIONS = list(SECTION.finditer(read("components.md")))
OURS = [one for one in plugins.entries() if one.package in ("legalir", "legalir-hypa") and one.role in COMPONENT_ROLES]


def test_every_component_is_listed_once_with_its_role() -> None:
    listed = [(facts_of(section)["Role"].partition(".")[0], section["name"]) for section in SECTIONS]
    assert sorted(listed) == sorted((entry.role, entry.name) for entry in OURS)
    assert len(SECTIONS) == len(re.findall("^### ", read("components.md"), flags=re.M)), (
        "a section that is read otherwise"
    )


@pytest.mark.parametrize("entry", OURS, ids=str)
def test_a_component_has_formula_source_and_page(entry: plugins.PluginEntry) -> None:
    sections = [section for section in SECTIONS if section["name"] == entry.name]
    sections = [section for section in sections if facts_of(section)["Role"].startswith(entry.role)]
    assert sections, f"docs/components.md has no section on the {entry}"
    facts = facts_of(sections[0])
    assert sections[0]["expression"] == expression_of(entry)
    assert facts.keys() >= {"Formula", "Source", "More"}
    assert all(facts.values())
    page = re.findall(r"\]\(([\w./-]+\.md)", facts["More"])[0]
    assert re.search(rf"`{entry.name}\b", read(page)), f"{page} does not mention {entry.name}"


@pytest.mark.parametrize("project", sorted(ROOT.glob("plugins/*/pyproject.toml")), ids=lambda path: path.parent.name)
def test_first_party_plugins_are_listed(project: Path) -> None:
    content = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    for entry in content["entry-points"][GROUP]:
        role, _, name = entry.partition(".")
        assert f"| `{content['name']}` | {role} `{name}` |" in read("components.md")


def test_the_commands_are_those_of_the_program() -> None:
    made = module_at(DOCS / "command_line.py")
    _, _, rest = read("command-line.md").partition(made.BEGIN)
    shown, _, _ = rest.partition(made.END)
    assert shown.strip() == made.reference().strip(), "run python docs/command_line.py"
    for name, command in made.commands():
        assert f"`{name}`" in shown
        for option in (option for one in command.params for option in one.opts if option.startswith("-")):
            assert f"`{option}`" in shown or option == "--help", (name, option)


def test_every_public_name_has_its_place() -> None:
    text = read("api.md")
    missing = [name for name in legalir.__all__ if not re.search(rf"legalir\.{name}\b", text)]
    assert missing == []


def test_links_of_pages_that_sphinx_does_not_read_lead_somewhere() -> None:
    for page in OTHER_PAGES:
        for path in links(page):
            assert (page.parent / path).exists(), f"{page.name} links to {path}"
            assert ROOT in (page.parent / path).resolve().parents, f"{page.name} links to {path}, which is outside"


def test_the_page_in_pyterriers_documentation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = (ROOT / "legalir" / "pt_docs" / "index.rst").read_text(encoding="utf-8")
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The inplace keyword", DeprecationWarning)
        exec("\n".join(re.findall(r"^    (?! *:)(.+)$", text, re.M)), {})
    described = re.findall(r"autoclass:: legalir\.(\w+)\n +:members: (.+)", text)
    assert described
    for name, members in described:
        assert all(hasattr(getattr(legalir, name), member) for member in members.split(", ")), name


def test_the_versions_of_python_are_those_that_the_ci_runs() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [one.rpartition(" ")[2] for one in project["classifiers"] if " :: Python :: 3." in one]
    assert named == ["3.11", *jobs["systems"]["strategy"]["matrix"]["python"]]
    assert project["requires-python"] == f">={named[0]}"


def test_the_page_for_language_models_is_up_to_date() -> None:
    made = module_at(DOCS / "llms.py")
    assert (ROOT / "llms.txt").read_text(encoding="utf-8") == made.text(), "run python docs/llms.py"
