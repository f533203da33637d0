"""Base of the components that let a chat model write a better question."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import pandas as pd
import pyterrier as pt

from legalir.analysis.language import foreign_script, language_of
from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.declared import component_name
from legalir.frames.columns import QUERY_PARTS, QUERY_STEPS, push_queries, require_texts, whole_characters
from legalir.llm.asking import AsksModel
from legalir.llm.chat import REPLY_STATE, FailedReply
from legalir.llm.client import CheckedReply
from legalir.llm.prompts import Prompt, load_prompt
from legalir.references.lookup import NumberTable
from legalir.storage.digest import digest

if TYPE_CHECKING:
    from legalir.explanation import Explanation, Upstream


_OBJECTS = (QUERY_PARTS, QUERY_STEPS)
"""Columns whose values are not texts."""


def original_questions(frame: pd.DataFrame) -> list[str]:
    """Return the question of each row as it was before the first rewriting.

    PyTerrier keeps earlier forms in ``query_0``, ``query_1``, ...; the oldest one has the highest number.
    """
    pushed = [column for column in frame.columns if column.startswith("query_") and column[6:].isdigit()]
    column = max(pushed, key=lambda name: int(name[6:]), default="query")
    return [composed(text) for text in frame[column]]


def composed(text: object) -> str:
    """Return a text in NFC, with whole characters, so that a question in NFC and NFD is asked only once."""
    return unicodedata.normalize("NFC", whole_characters(str(text)))


def check_script(text: str, question: str) -> None:
    """Check that a reply is written in a script of its question.

    Raises:
        FailedReply: the scripts have nothing in common.
    """
    if (script := foreign_script(text, question)) is not None:
        raise FailedReply("language", f"the reply is written in {script}")


class Rewriter(AsksModel):
    """Lets a chat model write what is searched for in place of each question.

    The model always reads the original question, also after another rewriting. Columns in: ``qid, query``. Columns
    out: the same, the question as it was in ``query_0`` (PyTerrier's convention), and ``reply_state``. Where the reply
    failed, the original question is searched for; a fusion omits that list if it has another list of the question.

    A subclass defines its request in :meth:`_rewritten`.

    Raises:
        ModelError: no model is named, or it is not allowed.
    """

    name = ""
    columns: ClassVar[tuple[str, ...]] = ("query", REPLY_STATE)

    _: KW_ONLY
    numbers: Annotated[
        NumberTable | None,
        "numbers of the provisions; references to others are dropped from what the model writes. None keeps all",
    ] = None

    @property
    def fingerprint(self) -> str:
        """Digest of the model and the prompt."""
        return digest([self.client.model(self.llm).name, self.prompt.fingerprint])

    def _ask(self, values: Sequence[Mapping[str, object]], **settings: Any) -> list[CheckedReply]:
        """Return the answers to the prompt; texts may be cut, and must be in a script of their question."""
        return self.client.ask(self.prompt, values, llm=self.llm, may_be_cut=True, check=check_script, **settings)

    def _columns(self, answers: Sequence[CheckedReply], questions: Sequence[str]) -> dict[str, list[Any]]:
        """Return the columns for one text per question, written in one line."""
        texts = [
            " ".join(self._cleaned(answer.value).split()) if answer.state == "ok" else question
            for answer, question in zip(answers, questions, strict=True)
        ]
        return {"query": texts, REPLY_STATE: [answer.state for answer in answers]}

    def _cleaned(self, text: str) -> str:
        """Return what the model wrote without references to provisions that the collection lacks."""
        return text if self.numbers is None else self.numbers.without_unknown(text)

    def _rewritten(self, inp: pd.DataFrame, questions: Sequence[str]) -> dict[str, list[Any]]:
        """Return the values of each of :attr:`columns`.

        Args:
            inp: the rows.
            questions: the original question of each row.
        """
        raise NotImplementedError

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the questions, rewritten.

        Raises:
            ComponentError: a query is not a string.
            ModelError: no request can succeed; see :meth:`legalir.llm.client.Client.ask`.
        """
        pt.validate.columns(inp, includes=["qid", "query"])
        require_texts(inp, self.name)
        inp = inp.assign(query=pd.Series(map(composed, inp["query"]), index=inp.index, dtype=str))
        questions = original_questions(inp)
        # Punctuation alone asks nothing.
        rows = [row for row, question in enumerate(questions) if any(map(str.isalnum, question))]
        columns: dict[str, list[Any]] = {
            "query": list(questions),
            REPLY_STATE: ["empty"] * len(inp),
            QUERY_PARTS: [(("query", question),) for question in questions],
            QUERY_STEPS: [()] * len(inp),
        }
        if rows:
            for column, values in self._rewritten(inp.iloc[rows], [questions[row] for row in rows]).items():
                for row, value in zip(rows, values, strict=True):
                    columns[column][row] = value
        out = push_queries(inp)
        for column in self.columns:
            out[column] = pd.Series(columns[column], index=out.index, dtype=object if column in _OBJECTS else str)
        return out

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no queries, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        kinds = {column: object if column in _OBJECTS else str for column in self.columns}
        return push_queries(inp).assign(**{column: pd.Series(dtype=kind) for column, kind in kinds.items()})

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return nothing: a question has no score."""
        return {}


A = TypeVar("A", bound=AsksModel)


def asking_factory(made: type[A], about: str, first: str = "", /, **fixed: object) -> Callable[..., A]:
    """Return the factory of a component that asks the client of a collection by the prompt of its own name.

    Arguments as for :func:`~legalir.contract.factory_of`.
    """
    own = {"prompt": prompt_of(component_name(made)), "client": lambda collection: collection.client}
    return factory_of(made, about, first, **{**own, **fixed})


def prompt_of(name: str) -> Callable[..., Prompt]:
    """Return the function that gives a factory the prompt `name`."""

    def chosen(collection: Collection | None, prompt: str | None = None, language: str = "auto") -> Prompt:
        """Return the user's own prompt, or ours in a language.

        Args:
            prompt: file of your own prompt, or a former version of ours, such as ``answer@1``.
            language: language of the prompt; ``auto`` for the collection's language.

        Raises:
            DefinitionError: the file cannot be read, or there is no such version.
        """
        return load_prompt(name, language_of(collection) if language == "auto" else language, prompt)

    return chosen


def known_numbers(collection: Collection, strip_unknown_citations: bool = True) -> NumberTable | None:
    """Return the numbers of the provisions, for :class:`Rewriter`.

    Args:
        strip_unknown_citations: whether references to provisions that the collection lacks are dropped.
    """
    return NumberTable.of(collection) if strip_unknown_citations else None
