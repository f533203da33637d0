"""Write the commands of ``legalir`` into command-line.md: run ``python docs/command_line.py`` after changing one.

The part of the page between the two markers is made here from the typer application; a test compares the two.
"""

from __future__ import annotations

import enum
import inspect
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("command-line.md")
BEGIN = "<!-- made by docs/command_line.py from here -->\n"
END = "<!-- to here -->\n"


def commands() -> Iterator[tuple[str, Any]]:
    """Yield every command of legalir and its first-party packages with its full name, in the order of the help."""
    from legalir import plugins
    from legalir.cli.main import FIRST_PARTY, load_command, parent_of

    for entry in plugins.entries("command"):
        if (entry.package == "legalir" or entry.name in FIRST_PARTY) and not parent_of(entry.name):
            yield from _below(f"legalir {entry.name}", load_command(entry.name))


def reference() -> str:
    """Return the generated part of the page: one section a command, with arguments, options and examples."""
    return "\n".join(_section(name, command) for name, command in commands())


def main() -> None:
    """Write the page anew."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{reference()}\n{END}{after}", encoding="utf-8")


def _below(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    subcommands = getattr(command, "commands", None)
    if subcommands is None:
        yield name, command
        return
    for subname, subcommand in subcommands.items():
        yield from _below(f"{name} {subname}", subcommand)


def _section(name: str, command: Any) -> str:
    shown = [one for one in command.params if one.name != "help" and not getattr(one, "hidden", False)]
    arguments = [parameter for parameter in shown if parameter.param_type_name == "argument"]
    options = [parameter for parameter in shown if parameter.param_type_name == "option"]
    usage = " ".join([name, *(_metavar(argument) for argument in arguments), *(["[OPTIONS]"] if options else [])])
    parts = [f"### `{name}`", inspect.cleandoc(command.help or "").partition("\f")[0], f"```text\n{usage}\n```"]
    if shown:
        rows = [f"| {_names(parameter)} | {_meaning(parameter, command)} |" for parameter in [*arguments, *options]]
        parts.append("\n".join(["| argument or option | meaning |", "|---|---|", *rows]))
    if examples := _examples(command.epilog or ""):
        parts.append("```text\n" + "\n".join(examples) + "\n```")
    return "\n\n".join(parts) + "\n"


def _metavar(argument: Any) -> str:
    name = str(argument.name).upper()
    return name if argument.required else f"[{name}]"


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_metavar(parameter)}`"
    return ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])


def _meaning(parameter: Any, command: Any) -> str:
    text = str(getattr(parameter, "help", None) or "")
    kind = typing.get_type_hints(command.callback).get(parameter.name)
    facts = []
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        facts.append("one of " + ", ".join(f"`{choice.value}`" for choice in kind))
    shown = getattr(parameter, "show_default", None)
    if isinstance(shown, str):
        facts.append(f"default: `{shown}`")
    elif shown is not False and not callable(parameter.default) and parameter.default not in (None, False, (), []):
        facts.append(f"default `{_value(parameter.default)}`")
    if getattr(parameter, "multiple", False) and "repeated" not in text:
        facts.append("may be repeated")
    return " ".join([text.strip(), f"({'; '.join(facts)})" if facts else ""]).strip().replace("|", "\\|")


def _value(value: object) -> str:
    return str(getattr(value, "value", value))


def _examples(epilog: str) -> list[str]:
    """Return the lines of an epilog that are commands; what ends with a full stop is a sentence."""
    lines = (line.strip() for line in epilog.splitlines())
    return [line for line in lines if re.match(r"(\w+=\S* )*legalir ", line) and not line.endswith(".")]


if __name__ == "__main__":
    main()
