"""Prompts as data: one YAML file a language, with a version; what is put into them is marked as data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from legalir.config import Schema, Text, Whole
from legalir.errors import DefinitionError
from legalir.frames.columns import whole_characters
from legalir.storage.digest import digest

_FOLDER = Path(__file__).parent / "prompts"
_SAME_LANGUAGE = "Write your answer in the language of the question."
_SLOT = re.compile(r"\{(\w+)\}")
_FORMER = re.compile(r"(\w+)@\d+")
"""A version of a prompt: ``answer@1``. Its folder has the same name, so that recorded replies to it stay usable."""


class PromptFile(Schema):
    """A prompt as people write it.

    In `user` each ``{name}`` is replaced by a value. A slot on a line between ``<name>`` and ``</name>`` is data.
    """

    KIND = "a prompt"

    version: Annotated[Whole, Field(ge=1)]
    """Version of the text; raise it with each change."""

    system: Text
    """Role of the model and rules of the task."""

    user: Text
    """The task, with ``{name}`` in place of each value."""


class Prompt(NamedTuple):
    """A prompt in one language.

    Attributes:
        name: name of the prompt, such as ``analytical``.
        language: code of the language that it is written in.
        system: text of the role ``system``.
        user: text of the role ``user``, with slots.
        fingerprint: sha256 of all of it but the examples.
        examples: further messages before the role ``user``, such as questions and their answers: role and text.
    """

    name: str
    language: str
    system: str
    user: str
    fingerprint: str
    examples: tuple[tuple[str, str], ...] = ()

    def messages(self, values: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
        """Return the messages with `values` in the slots.

        Values are data: a tag in a value that looks like one of the prompt's own tags loses its brackets, so that a
        value cannot end its own block.

        Raises:
            DefinitionError: a slot has no value.
        """
        tags = re.compile(rf"<(\s*/?\s*(?:{'|'.join(map(re.escape, self.slots()))})\b[^<>]*)>", re.IGNORECASE)
        if missing := [name for name in self.slots() if name not in values]:
            raise DefinitionError(
                f"The prompt {self.name!r} has a slot {{{missing[0]}}}, and its values are {', '.join(values)}."
            )
        filled = _SLOT.sub(lambda slot: tags.sub(r"‹\1›", whole_characters(str(values[slot[1]]))), self.user)
        return (("system", self.system), *self.examples, ("user", filled))

    def with_rule(self, rule: str) -> Prompt:
        """Return the prompt with a further rule at the end of the role ``system``."""
        return self._replace(system=f"{self.system}\n{rule}", fingerprint=digest([self.fingerprint, rule]))

    def slots(self) -> Iterable[str]:
        """Return the names of the slots, each once."""
        return dict.fromkeys(_SLOT.findall(self.user))


def load_prompt(name: str, language: str, path: str | PathLike[str] | None = None, prompts: Path = _FOLDER) -> Prompt:
    """Return a prompt: a file of the user's, or the one in `language` of a folder of prompts.

    A language without a file gets the English prompt, with the instruction to answer in the language of the question.

    Args:
        name: name of the prompt.
        language: code of the language.
        path: the user's own file, or a former version of the prompt, such as ``answer@1``; None for
            ``PROMPTS/NAME/LANGUAGE.yaml``.
        prompts: a folder of prompts, one folder each; by default legalir's own.

    Raises:
        DefinitionError: the file cannot be read, or the prompt has no such version.
    """
    if former := _FORMER.fullmatch(str(path)):
        there = [folder.name for folder in sorted(prompts.glob(f"{name}@*"))]
        if former[0] not in there:
            raise DefinitionError(
                f"prompt={former[0]!r} is not a former version of {name!r}"
                f"{f', which has {chr(44).join(there)}' if there else ''}: leave out prompt for the present one."
            )
        return _shipped(name, language, prompts / former[0])
    if path is not None:
        return _prompt(name, language, PromptFile.load(path))
    return _shipped(name, language, prompts / name)


@cache
def _shipped(name: str, language: str, folder: Path) -> Prompt:
    if (folder / f"{language}.yaml").is_file():
        return _prompt(name, language, PromptFile.load(folder / f"{language}.yaml"))
    return _prompt(name, "en", PromptFile.load(folder / "en.yaml"), f"\n{_SAME_LANGUAGE}")


def _prompt(name: str, language: str, read: PromptFile, more: str = "") -> Prompt:
    system = read.system + more
    return Prompt(name, language, system, read.user, digest([name, language, read.version, system, read.user]))


def prompt_names() -> list[str]:
    """Return the names of the prompts that ship, without former versions."""
    return sorted(folder.name for folder in _FOLDER.iterdir() if folder.is_dir() and "@" not in folder.name)
