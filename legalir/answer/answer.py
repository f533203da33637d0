"""Answers by a chat model: statements that cite provisions, with quotations that are checked word by word; or prose.

The reply of the model is data. Each citation is resolved to a docno, and each quotation is looked up in the text of its
provision; both without a model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, replace
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from annotated_types import Ge, Le
from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from legalir.analysis.analyzer import get_analyzer
from legalir.analysis.sentences import Outline
from legalir.analysis.wording import same_wording
from legalir.answer.choices import read_word, yes_no_words
from legalir.answer.contexts import Context, context, linked, report_left_out, texts_of
from legalir.answer.examples import Example, Examples, examples_of
from legalir.answer.generator import GAP, REASON_KINDS, Answer, Generator, citing
from legalir.answer.quote import best_sentences
from legalir.answer.statements import numbers_of, refuses, without_numbers
from legalir.collections import Collection
from legalir.extras import require
from legalir.frames.as_of import AS_OF, days
from legalir.frames.where import passing
from legalir.graph.citation_graph import CitationGraph
from legalir.llm.asking import AsksModel
from legalir.llm.chat import FailedReply
from legalir.llm.client import CheckedReply
from legalir.llm.prompts import Prompt
from legalir.references.lookup import NumberTable
from legalir.rewrite.rewriter import asking_factory, check_script, prompt_of
from legalir.storage.validity import Mask, iso_date, provision_key

_AROUND = " .,;:()[]{}<>`*'\"“”‘’「」『』【】"
"""Signs around the name of a provision."""
_NO_NAME = {"", "-", "none", "null", "n/a"}
"""Names that a model gives for no provision."""
_QUOTES = "\"'“”‘’「」『』«»"
_ALIKE = 85
"""Lowest similarity, in percent, of a quotation that is repaired: one letter in seven differs."""

_LEFT_OUT = re.compile(r"\s*(?:[\[(（]\s*(?:…+|\.{3,}|略|중략|생략)\s*[\])）]|…+|\.{3,})\s*")
_NEXT_ROW = re.compile(r"\s*\|?[ \t]*\n\s*\|\s*")
"""End of a row of a table and begin of the next one, as the request has them."""
_WITHIN = re.compile(r"\d[.,]?\d|[a-z\u00c0-\u04ff]{2}", re.IGNORECASE)
_YES_OR_NO = 'Begin the answer with "{}" or with "{}", whichever is right, and go on with the reason.'
_NO_DAY = "-"
"""What the prompt has for the day of a question that has none, over provisions without versions."""

Turns = tuple[tuple[str, str], ...]
"""Messages between the role ``system`` and the question: role and text."""

_Name = Annotated[str, BeforeValidator(str), WithJsonSchema({"type": ["integer", "string"]})]


class _Citation(BaseModel):
    provision: _Name
    quote: str = ""


class _Statement(BaseModel):
    text: str
    citations: Annotated[list[_Citation], Field(json_schema_extra={"maxItems": 3})] = []


class _Reply(BaseModel):
    """Reply of the model. The limits of the schema help small models; longer lists are read, too."""

    can_answer: bool
    reason: str = ""
    statements: Annotated[list[_Statement], Field(json_schema_extra={"maxItems": 5})] = []


def _check(reply: _Reply, question: str) -> None:
    if not reply.can_answer:
        return
    text = " ".join(statement.text for statement in reply.statements).strip()
    if not text:
        raise FailedReply("invalid", "the reply has no statement")
    check_script(text, question)


def checked_quote(words: str, text: str) -> tuple[str, str]:
    """Return a quotation as the text has it, and its state.

    Args:
        words: the words that a model gives as a quotation; ``…`` marks words that are left out.
        text: the provision.

    Returns:
        The words and ``verified`` if the text has them in this order, white space and Unicode form apart; the most
        similar words of the text and ``repaired`` if they are at least 85 % similar (normalised indel distance) and
        differ in no number, unit, comparison, negation, duty or option; else the words and ``not found``. One word, one
        number or a few letters are ``not found``, unless they are the whole text.
    """
    words = words.strip(_QUOTES + " \n")
    rows = _NEXT_ROW.sub("\n", words.strip("| "))
    words, rows, text = (" ".join(unicodedata.normalize("NFC", one).split()) for one in (words, rows, text))
    if _place(words, text) < 0:
        words = rows or words
    if not words or (words != text and _too_short(words)):
        return words, "not found"
    if _place(words, text) >= 0:
        return words, "verified"
    checked, place = [], 0
    for piece in filter(None, _LEFT_OUT.split(words)):
        found, state = _checked_piece(piece, text[place:])
        if state == "not found":
            return words, state
        checked.append((found, state))
        place = text.index(found, place) + len(found)
    if not checked:
        return words, "not found"
    return GAP.join(found for found, _ in checked), min(
        (state for _, state in checked), key=("repaired", "verified").index
    )


def _too_short(words: str) -> bool:
    """Return True if words show nothing: less than two words with eight letters, or four syllables of Hangul.

    Six signs suffice in Chinese and Japanese, and twelve letters in writings that put no blanks between words.
    """
    letters = [letter for letter in words if letter.isalnum()]
    signs = sum("\u3040" <= letter <= "\u9fff" for letter in letters)
    unspaced = sum("\u0e00" <= letter <= "\u0eff" or "\u1000" <= letter <= "\u17ff" for letter in letters)
    hangul = sum("\uac00" <= letter <= "\ud7a3" for letter in letters)
    return signs < 6 and unspaced < 12 and (len(re.findall(r"\w*[^\W\d_]\w*", words)) < 2 or len(letters) + hangul < 8)


def _place(words: str, text: str) -> int:
    """Return the place of words in a text, or -1; they do not begin or end within a number or a word with blanks."""
    start = text.find(words)
    while start >= 0:
        if not any(_WITHIN.match(text, place - 1) for place in (start, start + len(words)) if 0 < place < len(text)):
            return start
        start = text.find(words, start + 1)
    return -1


def _checked_piece(words: str, text: str) -> tuple[str, str]:
    if _place(words, text) >= 0:
        return words, "verified"
    found = require("rapidfuzz.fuzz", extra="answers").partial_ratio_alignment(words, text, score_cutoff=_ALIKE)
    if found is None or len(words) > len(text):
        return words, "not found"
    # Whole words: an alignment may begin or end within one.
    start = text.rfind(" ", 0, found.dest_start + 1) + 1
    end = text.find(" ", max(found.dest_end - 1, start))
    passage = text[start : end if end >= 0 else len(text)]
    return (passage, "repaired") if same_wording(words, passage) else (words, "not found")


class LLMAnswer(AsksModel, Generator):
    """Generator that lets a chat model answer from the provisions of the list, and checks what it cites.

    The model reads the question and the first `k` provisions, each on a numbered line, linked ones below the provision
    that cites them [nitibench]; what an earlier component has put into the column ``context``, such as the walks of
    ``hypa``, follows below them. It returns statements with the numbers of the provisions that support them and words
    quoted from these, or reports that it cannot answer, and why. The answer has a line for each statement, with its
    citations at the end.

    A citation is resolved against the provisions in the request, by their labels and the usual forms of their numbers
    (:func:`~legalir.answer.statements.numbers_of`), then against the collection. A citation that is not in the request,
    or does not exist, stays in ``citations`` as the model wrote it, so that measures see it.

    A statement without a citation that says that the question cannot be answered from the provisions is a refusal
    (:func:`~legalir.answer.statements.refuses`). Alone it is an abstention; beside other statements it leaves the text
    and is the ``reason``: what the answer does not decide.

    With ``context=False`` the model reads no provision, recalls the law from memory and cites it by name and number:
    the parametric baseline of [nitibench]. It needs no ranked list.

    With ``plain=True`` the model writes a short answer in prose, without JSON, citations and quotations, as the systems
    do whose ROUGE papers publish. A sentence that refuses leaves the text and is the ``reason``; the answer abstains if
    its first sentence refuses.

    A prompt with the slot ``{day}`` reads the day of the question (``as_of``, or today where provisions are versions;
    else ``-``), and the provisions in full: the level of each law in the label, and tables as rows. A prompt without
    this slot, such as ``answer@1``, reads each provision as one line.

    With `examples`, their questions and answers stand before the question, as turns of the conversation: each with its
    judged provisions, which its answer cites, with a quotation that shares most words with the answer [nitibench].

    A question whose ``options`` are a word for yes and one for no is asked to be answered by a text that begins with
    one of them [rar-agent]; ``choice`` is the option that it begins with, and 0 if it begins with neither.

    A request that is longer than the model takes is asked again with half of the provisions, until it fits;
    ``context_docnos`` lists the provisions in the final request, and a message counts the rest.

    Deviations from [nitibench]: examples of the collection instead of fixed ones, statements instead of one text with a
    list of citations, temperature 0 instead of .5, and abstention is allowed.

    Columns in: ``qid, query`` and, unless `context` is False, ``docno, score, rank``. Columns out:
    :data:`~legalir.answer.generator.ANSWER_COLUMNS`.

    Raises:
        ComponentError: a parameter is out of range.
        MissingExtra: rapidfuzz is not installed.
        ModelError: no model is named, or it is not allowed.
    """

    name = "answer"

    collection: Annotated[Collection, "source of the provisions"]
    graph: Annotated[CitationGraph | None, "links between them; None gives the provisions of the list alone"] = None
    numbers: Annotated[
        NumberTable | None,
        "numbers of the provisions, which resolve a citation by name and number",
    ] = None
    _: KW_ONLY
    k: Annotated[int, Ge(1), "number of provisions from the list"] = 10
    after: Annotated[bool, "whether linked provisions follow the list, instead of each its parent"] = False
    context: Annotated[bool, "whether the model reads provisions"] = True
    context_tokens: Annotated[
        int | None,
        Ge(1),
        "number of tokens of the provisions, estimated (see "
        ":func:`~legalir.llm.chat.estimated_tokens`); those at the end that do not fit are left out, but not "
        "the first; None for no limit",
    ] = 16000
    max_tokens: Annotated[int, Ge(16), "tokens of the reply"] = 1024
    temperature: Annotated[float, Ge(0), Le(2), "from 0 to 2"] = 0.0
    plain: Annotated[bool, "whether the answer is prose without citations"] = False
    examples: Annotated[Examples | None, "judged questions with their answers, for the prompt"] = None
    others: Annotated[
        tuple[Prompt, ...],
        "the prompts with ``plain=True``, with ``context=False``, and with both; none for `prompt` in their place",
    ] = ()

    def __post_init__(self) -> None:
        require("rapidfuzz.fuzz", extra="answers")
        self.needs_provisions = self.context
        super().__post_init__()

    def answers(self, asked: pd.DataFrame, lists: Sequence[Sequence[str]]) -> list[Answer]:
        """Return the answer to each question; a request that is too long is repeated with half of the provisions."""
        facts = asked["context"].tolist() if self.context and "context" in asked.columns else [""] * len(asked)
        asked_on: Sequence[int | None] = days(asked) if self._dated() else [None] * len(asked)
        masks = [None] * len(asked) if self.graph is None else passing(asked, self.graph)
        wanted = [self._parents(*one) for one in zip(lists, asked_on, masks, strict=True)]
        full = "day" in self._own_prompt().slots()
        given = [
            context(one, texts_of(list(one), self.collection, "answer"), self.context_tokens, in_full=full)
            for one in wanted
        ]
        shown = [_NO_DAY] * len(asked)
        if self._dated() or AS_OF in asked.columns:
            shown = list(map(iso_date, days(asked)))
        rows = asked.to_dict("records")
        words = [yes_no_words(row.get("options")) for row in rows]
        prompts = self._prompts(rows, shown, words)
        questions = list(zip(asked["query"].tolist(), map(str, facts), shown, prompts, strict=True))
        answers: list[Answer] = [Answer("")] * len(asked)
        waiting = list(range(len(asked)))
        while waiting:
            of = [(questions[row], given[row], asked_on[row]) for row in waiting]
            made = self._ask(*map(list, zip(*of, strict=True)))
            for row, answer in zip(waiting, made, strict=True):
                answers[row] = answer
            waiting = [row for row in waiting if answers[row].reply_state == "too_long" and len(given[row].docnos) > 1]
            for row in waiting:
                given[row] = given[row].head(len(given[row].docnos) // 2)
        report_left_out("answer", sum(map(len, wanted)), sum(len(one.docnos) for one in given))
        return [
            replace(answer, choice=read_word(answer.text.partition("\n")[0], named, alone=True)) if named else answer
            for answer, named in zip(answers, words, strict=True)
        ]

    def _own_prompt(self) -> Prompt:
        """Return the prompt for answers of this kind."""
        return (self.prompt, *self.others)[self.plain + 2 * (not self.context)] if self.others else self.prompt

    def _dated(self) -> bool:
        """Return True if the provisions are versions."""
        return any(part is not None and part.validity is not None for part in (self.graph, self.numbers))

    def _parents(self, docnos: Sequence[str], day: int | None, mask: Mask | None) -> Mapping[str, str]:
        """Return the provisions for the model, each with the provision that cites it, of those that pass a filter."""
        first = docnos[: self.k] if self.context else ()
        graph = self.graph if self.graph is None or day is None else self.graph.at(day)
        if graph is None:
            return dict.fromkeys(first, "")
        parents = linked(first, graph, self.after)
        if mask is None:
            return parents
        return {docno: parent for docno, parent in parents.items() if not parent or mask[graph.numbers([docno])[0]]}

    def _prompts(
        self, rows: Sequence[Mapping[Any, Any]], days: Sequence[str], words: Sequence[Sequence[Sequence[str]]]
    ) -> Iterator[Prompt]:
        """Yield the prompt of each question, with its examples; of a yes/no item, with the rule how to begin."""
        made: dict[tuple[str, str], Turns] = {}
        for row, day, named in zip(rows, days, words, strict=True):
            prompt = self._own_prompt()
            turns: Turns = ()
            for one in self.examples.of(str(row["qid"]), row["query"]) if self.examples is not None else ():
                if (one.qid, day) not in made:
                    made[one.qid, day] = self._turns(one, prompt, day)
                turns += made[one.qid, day]
            prompt = prompt._replace(examples=turns)
            yield prompt.with_rule(_YES_OR_NO.format(*(each[0] for each in named))) if named else prompt

    def _turns(self, example: Example, prompt: Prompt, day: str) -> Turns:
        """Return an example as a request and its reply."""
        texts = texts_of(example.docnos, self.collection, self.name)
        parents = dict.fromkeys(example.docnos if self.context else (), "")
        given = context(parents, texts, self.context_tokens, in_full="day" in prompt.slots())
        values = {"question": example.question, "provisions": given.text, "day": day}
        request = prompt.messages(values)[-1]
        if self.plain:
            return request, ("assistant", example.answer)
        docnos = given.docnos or example.docnos
        analyzer = get_analyzer("auto", self.collection)
        quotes = best_sentences(example.answer, [texts[one].text for one in docnos], 1, analyzer)
        cites = [
            _Citation(provision=str(number), quote=quote)
            if self.context
            else _Citation(provision=texts[docno].title or docno)  # From memory, a provision is named.
            for number, (docno, quote) in enumerate(zip(docnos, quotes, strict=True), start=1)
        ]
        reply = _Reply(can_answer=True, statements=[_Statement(text=example.answer, citations=cites)])
        return request, ("assistant", reply.model_dump_json())

    def _ask(
        self,
        questions: Sequence[tuple[str, str, str, Prompt]],
        given: Sequence[Context],
        asked_on: Sequence[int | None],
    ) -> list[Answer]:
        """Return the answer to each question, with its further facts, day and prompt, from its provisions."""
        replies: dict[int, CheckedReply] = {}
        for prompt in dict.fromkeys(own for *_, own in questions):
            rows = [row for row, (*_, own) in enumerate(questions) if own == prompt]
            values = [
                {"question": question, "provisions": f"{given[row].text}\n{facts}".strip(), "day": day}
                for row, (question, facts, day, _) in ((row, questions[row]) for row in rows)
            ]
            asked = self.client.ask(
                prompt,
                values,
                llm=self.llm,
                kind=None if self.plain else _Reply,
                check=check_script if self.plain else _check,
                max_tokens=self.max_tokens,
                temperature=self.temperature,
            )
            replies |= zip(rows, asked, strict=True)
        return [self._read(replies[row], one, day) for row, (one, day) in enumerate(zip(given, asked_on, strict=True))]

    def _read(self, reply: CheckedReply, given: Context, day: int | None) -> Answer:
        """Return the answer in a reply, with resolved citations and checked quotations."""
        docnos = given.docnos
        tokens = (0, 0) if reply.reply is None else (reply.reply.prompt_tokens, reply.reply.completion_tokens)
        answer = Answer(
            "", reply_state=reply.state, context_docnos=docnos, prompt_tokens=tokens[0], completion_tokens=tokens[1]
        )
        if reply.state != "ok":
            return answer
        if self.plain:
            return _prose(reply.value, answer, self.collection.language)
        if not reply.value.can_answer:
            return replace(
                answer, abstained=True, reason=" ".join(reply.value.reason.split()) or REASON_KINDS["undecided"]
            )
        lines: list[str] = []
        refusals: list[str] = []
        quoted: dict[tuple[tuple[str, ...], str], None] = {}
        citations: dict[str, None] = {}
        for statement in reply.value.statements:
            text, numbers = without_numbers(" ".join(statement.text.split()), len(docnos))
            cites = [one for one in statement.citations if one.provision.strip(_AROUND).casefold() not in _NO_NAME]
            names = [*(one.provision for one in cites), *numbers]
            named = {name: self._resolved(name, given, day) for name in names}
            own = dict.fromkeys(docno for meant in named.values() for docno in meant)
            if not own and refuses(text):
                refusals.append(text)
                continue
            quoted |= {(named[one.provision], one.quote): None for one in cites if one.quote.strip()}
            citations |= own
            lines.append(f"{text} {''.join(map(citing, own))}".strip())
        text = "\n".join(line for line in lines if line)
        # What is left undecided beside an answer may stand in the reason or among the statements.
        reason = " ".join(" ".join([reply.value.reason, *refusals]).split())
        if not text:
            return replace(answer, abstained=True, reason=reason)
        checked = self._checked_quotes(list(quoted))
        return replace(answer, text=text, citations=tuple(citations), quotes=checked, reason=reason)

    def _resolved(self, name: str, given: Context, day: int | None) -> tuple[str, ...]:
        """Return the docnos that a model's name for provisions refers to, or the name itself if there is no match."""
        name, docnos = " ".join(name.split()), given.docnos
        if (labelled := given.labelled(name)) is not None:
            return (labelled,)
        numbers = numbers_of(name)
        if numbers and all(1 <= number <= len(docnos) for number in numbers):
            return tuple(docnos[number - 1] for number in numbers)
        bare = name.strip(_AROUND)
        for docno in (name, bare):
            if docno in docnos or (not numbers and self.collection.provisions([docno])):
                return (docno,)
        keys = {own.casefold(): docno for docno in reversed(docnos) for own in (docno, provision_key(docno))}
        if bare.casefold() in keys:
            return (keys[bare.casefold()],)
        if self.numbers is None or numbers:
            return (name,)
        validity = self.numbers.validity
        in_force = None if validity is None or day is None else validity.on(day)
        meant = {naming.provisions for naming in self.numbers.namings(name, 1, without_law=False, in_force=in_force)}
        return (str(self.numbers.docno_table[np.array(meant.pop())][0]) if len(meant) == 1 else name,)

    def _checked_quotes(self, quoted: Sequence[tuple[tuple[str, ...], str]]) -> tuple[tuple[str, str, str], ...]:
        """Return docno, words and state of each quotation; of several provisions, the one that has the words best."""
        provisions = self.collection.provisions([docno for docnos, _ in quoted for docno in docnos])
        texts = {docno: one.default_text() for docno, one in provisions.items()}
        found = ([(docno, *checked_quote(words, texts.get(docno, ""))) for docno in docnos] for docnos, words in quoted)
        return tuple(min(one, key=lambda row: ("verified", "repaired", "not found").index(row[2])) for one in found)


def _prose(text: str, answer: Answer, language: str) -> Answer:
    """Return an answer in prose; the numbers of provisions and what refuses to answer are not part of its text."""
    lines = (without_numbers(" ".join(line.split()), len(answer.context_docnos))[0] for line in text.splitlines())
    outlines = [Outline(line, language) for line in lines if line]
    sentences = [sentence for outline in outlines for sentence in outline.sentences]
    refusals = [sentence for sentence in sentences if refuses(sentence)]
    if refusals and refusals[0] == sentences[0]:
        return replace(answer, abstained=True, reason=" ".join(sentences))
    kept = (
        "".join(gap + one for gap, one in zip(outline.gaps, outline.sentences, strict=True) if one not in refusals)
        for outline in outlines
    )
    return replace(answer, text="\n".join(line.strip() for line in kept if line), reason=" ".join(refusals))


_OTHERS = ("answer_plain", "answer_memory", "answer_plain_memory")
"""Names of the prompts with ``plain=True``, with ``context=False``, and with both."""


def _others(
    collection: Collection, prompt: str | None = None, language: str = "auto", plain: bool = False
) -> tuple[Prompt, ...]:
    """Return the prompts of `_OTHERS`.

    Args:
        prompt: file of your own prompt, or a former version of ours, such as ``answer@1``.
        language: language of the prompt; ``auto`` for the collection's language.
        plain: whether the answer is prose without citations.

    Raises:
        DefinitionError: a former version of the prompt for answers with citations is to write prose.
    """
    # The prompt without provisions has not changed since answer@1.
    own = None if prompt is not None and str(prompt).startswith("answer@") and not plain else prompt
    return tuple(prompt_of(name)(collection, own, language) for name in _OTHERS)


def _graph(collection: Collection, links: bool | Literal["after"] = True) -> CitationGraph | None:
    """Return the graph of the collection.

    Args:
        links: whether to add the provisions that the first `k` cite, each below its parent; ``after`` for all of them
            after the first `k`.
    """
    return CitationGraph.of(collection) if links else None


def _after(collection: Collection, links: bool | Literal["after"] = True) -> bool:
    return links == "after"


answer = asking_factory(
    LLMAnswer,
    "Answer by a chat model, with citations that are checked: ``default >> answer(k=10)``.",
    "llm",
    others=_others,
    examples=examples_of,
    graph=_graph,
    after=_after,
    numbers=NumberTable.of,
)
