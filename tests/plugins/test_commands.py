"""Commands of other packages, and the list of all commands."""

from __future__ import annotations

import subprocess
import sys

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)
from typer.testing import CliRunner, Result

from legalir import plugins
from legalir.cli.main import app, command_summary, load_command, main
from legalir.errors import MissingExtra, PluginError

SOURCE = '''
import typer
app = typer.Typer(help="Weigh provisions.\\nAnd more.")

@app.command()
def one(grams: int = 1) -> None:
    """Weigh one."""
    typer.echo(f"{grams} g")

@app.command()
def all() -> None:
    """Weigh all."""
    raise typer.Exit(3)

def shout(word: str) -> None:
    """Print WORD in capitals.

    And nothing else.
    """
    typer.echo(word.upper())

def fail() -> None:
    """Fail."""
    return 1 / 0
'''


@pytest.fixture(autouse=True)
def three_packages(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    entries = {f"command.{name}": f"weights_module:{name}" for name in ("shout", "fail")}
    entries |= {"command.weigh": "weights_module:app", "command.weigh_twice": "weights_module:shout"}
    install("weights", entries, SOURCE, version="2.1")
    install("sick", {"command.ill": "sick_module:app"}, "raise RuntimeError('no licence')\n")
    install("gone", {"command.lost": "nowhere_module:app"})


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_help_lists_all_and_imports_none() -> None:
    output = run("--help").output
    lines = {line.strip("│ ").split("  ")[0]: line for line in output.splitlines()}
    assert "Weigh provisions." in lines["weigh"]
    assert "Print WORD in capitals." in lines["shout"]
    assert "A command of package sick 1.0." in lines["ill"]
    assert "A command of package gone 1.0." in lines["lost"]
    assert "Search DATASET" in lines["search"]
    assert not {"weights_module", "sick_module"} & set(sys.modules)


def test_a_command_below_another_one() -> None:
    assert run("weigh", "twice", "hello").output == "HELLO\n"
    assert "weigh_twice" not in run("--help").output
    assert "Print WORD in capitals." in run("weigh", "--help").output


def test_a_function_and_an_app_are_commands() -> None:
    assert run("shout", "hello").output == "HELLO\n"
    assert run("weigh", "one", "--grams", "3").output == "3 g\n"
    assert run("weigh", "all").exit_code == 3
    assert run("shout").exit_code == 2
    assert "--install-completion" not in run("weigh", "--help").output


def test_a_broken_command_is_one_line_and_leaves_the_rest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    causes = {"ill": "RuntimeError: no licence", "lost": "ModuleNotFoundError", "fail": "weights 2.1 failed"}
    for name, cause in causes.items():
        monkeypatch.setattr(sys, "argv", ["legalir", name])
        with pytest.raises(SystemExit) as ended:
            main()
        message = capsys.readouterr().err
        assert (ended.value.code, message.count("\n")) == (1, 1)
        assert cause in message
    assert run("shout", "hello").output == "HELLO\n"


def test_a_name_that_two_packages_claim(install: Install) -> None:
    install("rival", {"command.shout": "rival_module:app"})
    with pytest.raises(PluginError, match=r"'shout' .*rival 1\.0 .*weights 2\.1"):
        load_command("shout")
    assert "shout" in run("--help").output


def test_an_unknown_command_is_misuse_with_a_suggestion() -> None:
    ended = run("shuot")
    assert ended.exit_code == 2
    assert "Did you mean 'shout'" in ended.output


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("serve", "legalir-serve"),
        ("mcp", "legalir-serve"),
        ("judge", "legalir-study"),
        ("finetune", "legalir-finetune"),
        ("train complexity", "legalir-hypa"),
    ],
)
def test_a_command_of_a_package_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, name: str, package: str) -> None:
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", package)
    ended = run(*name.split(), "legalir/firecode")
    assert isinstance(ended.exception, MissingExtra)
    assert f"pip install ./plugins/{package}" in str(ended.exception)


def test_the_summary_of_each_command_is_the_first_line_of_its_help() -> None:
    ours = [entry for entry in plugins.entries("command") if entry.package == "legalir"]
    assert {"search", "datasets", "index", "update", "plugins"} <= {entry.name for entry in ours}
    for entry in ours:
        command = load_command(entry.name)
        assert (command.help or "").partition("\n")[0] == command_summary(entry), entry


def test_help_is_light() -> None:
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom legalir.cli.main import app\n"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
        "print(sorted({'pandas', 'pyterrier', 'numpy', 'legalir.cli.search'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
