"""Questions with options: a chat model chooses one, and its reply is read strictly.

An option is known by its number, from 1, in the item. What the model reads may be in another order; `choice` never is.
"""

from __future__ import annotations

import logging
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any, Literal, NamedTuple
from unicodedata import normalize

import pandas as pd
from annotated_types import Ge
from pydantic import BaseModel, ConfigDict, create_model

from legalir.answer.contexts import Context, context, report_left_out, texts_of
from legalir.answer.generator import Answer, Generator
from legalir.answer.pick import ABSTAINED
from legalir.collections import Collection
from legalir.errors import ComponentError, ModelError
from legalir.llm.asking import AsksModel
from legalir.llm.chat import State
from legalir.llm.client import CheckedReply
from legalir.llm.prompts import Prompt
from legalir.rewrite.rewriter import asking_factory, prompt_of
from legalir.storage.digest import digest

_log = logging.getLogger("legalir")

_MOST_OPTIONS = 20
_ALTERNATIVES = 20
"""Alternatives of each token with a log-probability; endpoints give no more."""
_FIRST_TOKENS = 5
"""Tokens of a reply that is read by its probabilities: the number may follow a line break."""

YES_NO_WORDS = {
    "en": (("Yes",), ("No",)),
    "de": (("Ja",), ("Nein",)),
    "es": (("Sí",), ("No",)),
    "fr": (("Oui",), ("Non",)),
    "id": (("Ya",), ("Tidak",)),
    "it": (("Sì",), ("No",)),
    "ja": (("はい",), ("いいえ",)),
    "ko": (("예", "네", "그렇습니다"), ("아니요", "아니오", "아뇨", "아닙니다", "그렇지 않습니다")),
    "nl": (("Ja",), ("Nee",)),
    "pl": (("Tak",), ("Nie",)),
    "pt": (("Sim",), ("Não",)),
    "th": (("ใช่", "ได้"), ("ไม่ใช่", "ไม่ได้", "ไม่")),
    "vi": (("Có", "Đúng"), ("Không", "Sai")),
    "zh": (("是", "是的", "对"), ("否", "不是", "不")),
}
"""Words for yes and for no by language; the prompt asks for the first of each."""

_GOES_ON = normalize(
    "NFKC",
    r"(?= (?:because|since|it|they|he|she|you|we|there|this|that|the|weil|porque|car|parce|perché|omdat|ponieważ|bo"
    r"|karena|vì|bởi)\b| ?(?:그렇|맞습|맞아|아닙|เพราะ|因为|因為))",
)
"""What follows a word for yes or no that stands for itself, without a sign between."""


# Content of a reply.

_MARKUP = re.compile(r"<[^<>]*>|\\boxed|\\[()\[\]]|[*_`#$|{}\"'“”‘’「」『』\ufe0e\ufe0f\u20e3]|^[-•>]\s+", re.MULTILINE)
_SIGN = re.compile(r"CIRCLED|PARENTHESIZED|FULL STOP|DINGBAT")

# A line has single spaces; repetitions are bounded, so that no reply takes long to read.
_ONE = r"(?:[(\[] ?)?\d{1,4}(?: ?[)\]]| ?[번番號号](?!호))?"
_SEPARATOR = r" ?(?:[,/&~·、–-]|or|and|또는|혹은|이나|나|과|와|및|または|と|か|或|和|และ|หรือ|hoặc|và) ?"
_RUN = rf"(?P<run>{_ONE}(?:{_SEPARATOR}{_ONE}){{0,25}})"
_LABEL = normalize(
    "NFKC",
    r"(?:\b(?:answer|option|choice)s?\b|정답|답변|답|선택지|선택|보기|正解|答え|解答|回答|選択肢|答案|选项|选择|選項|選擇"
    r"|คำตอบ|ตอบ|ตัวเลือก|đáp án|lựa chọn|phương án|câu trả lời)",
)
_GLUE = normalize(
    "NFKC", r"(?: |[:：=>\])】〕]|\b(?:is|number|no\.|là|số)\b|은|는|の|は|が|是|为|為|คือ|ที่|ข้อ|番号|번호)"
)
_BETWEEN = rf"(?:{_GLUE}|{_LABEL}){{0,12}}"
_ENDING = r"(?:입니다|이다|です|だ|ครับ|ค่ะ)"
_NOT = r"(?! ?[이가]? ?아니)"
_END = rf"(?:(?<=[)\]번番號号]){_NOT}|(?={_ENDING})|(?![^\W_]|[.,]\d))"

_LONE = re.compile(rf"(?:ข้อ|번호)? ?{_RUN} ?[.:、。)\]]{{0,3}} ?{_ENDING}?[.。]?")
_AT_START = re.compile(
    rf"(?:ข้อ|번호)? ?{_RUN}(?:(?<=[)\]번番號号])|[.:、](?!\d)|,(?!\d)| [-–—](?= )| (?=\([^()]*\)$)){_NOT}"
)
_BESIDE = re.compile(rf"{_RUN} ")
_LABELLED = re.compile(rf"{_LABEL}{_BETWEEN}{_RUN}{_END}")
_BEFORE_LABEL = re.compile(
    rf"(?<![\w.,]){_RUN}(?: ?(?:[이가은는はが]|is(?: the)?|คือ|是|là) ?"
    rf"(?:correct|right|best|{_LABEL}|맞|옳|正し|正确|đúng|ถูก)"
    rf"|[을를]? ?(?:선택|고르|고릅))"
)
_INTRODUCTION = rf"(?:the )?(?:(?:final|correct|best|right) )?{_LABEL}"
_LABEL_ALONE = re.compile(rf"{_INTRODUCTION}{_BETWEEN}")


# A choice that is named to be denied: "not 1 but 3", "1번이 아니라 3번".
_DENIED = re.compile(
    normalize(
        "NFKC",
        rf"{_ONE} ?[은는이가]? ?아니(?:라(?!고)|고|며),? ?"
        rf"|\b(?:not|isn't|nicht) (?:{_LABEL} )?{_ONE},? (?:but|sondern)(?: rather)? "
        rf"|{_ONE}(?:では?|じゃ)なく(?:て)?、? ?|不是 ?{_ONE} ?,? ?而(?=是)"
        rf"|ไม่ใช่ ?(?:ข้อ)? ?{_ONE} ?แต่(?:เป็น|คือ)? ?"
        rf"|không phải (?:là )?(?:{_LABEL} )?{_ONE},? mà (?=là)",
    )
)


def plain(text: str) -> str:
    """Return a text without markup, in NFKC and small letters; ``③`` is ``(3)``."""
    signs = (
        f"({int(unicodedata.numeric(sign))})"
        if unicodedata.category(sign) == "No" and _SIGN.search(unicodedata.name(sign, ""))
        else sign
        for sign in text
    )
    return normalize("NFKC", _MARKUP.sub("", "".join(signs))).casefold()


def _one_line(text: str) -> str:
    """Return a text in one line, with single spaces: as one option it cannot look like two."""
    return " ".join(text.split())


def _wording(text: str) -> str:
    """Return a text normalised for comparison: single spaces, and no full stop, comma or colon around it."""
    return _one_line(text).strip(" .。,:;、!-")


def read_number(reply: str, options: Sequence[str]) -> int:
    """Return the number of the option that a reply names, from 1; 0 for no option, two options, or an unknown one.

    An option is named by

    - a line that is its number: ``3``, ``3.``, ``3)``, ``(3)``, ``3번``, ``③``, ``3입니다``;
    - a number with such a mark at the start of a line, and an explanation or the text of the same option after it, or
      words in brackets: ``3 (text)``;
    - a number after or before a word for *answer* or *option*: ``정답: 3``, ``[정답] 3``, ``Option 3``, ``the answer is
      3``, ``3번이 정답``; a choice that is denied, ``not 1 but 3``, is not named;
    - a line that is its text.

    Any other number, such as an article number, is part of an explanation; so are numbers at the start of lines where
    another line is a choice or has a word for *answer*. A line that is a number is never the text of an option.

    Args:
        reply: a reply without reasoning tags; markup does not matter.
        options: the texts of the options, in the order in which the model read them.
    """
    texts: dict[str, list[int]] = {}
    for number, option in enumerate(options, start=1):
        texts.setdefault(_wording(plain(option)), []).append(number)
    whole = plain(reply)
    if not _LONE.fullmatch(_one_line(whole)) and (whole_text := texts.get(_wording(whole))):
        return whole_text[0] if len(whole_text) == 1 else 0
    named: dict[int, set[int]] = {0: set(), 1: set(), 2: set()}
    for line in map(_one_line, whole.splitlines()):
        rank, numbers = _named(_DENIED.sub("", line), texts)
        if (named[1] or named[2]) and _LONE.fullmatch(line):
            rank = 2  # The next number of a list, which was cut.
        named[rank] |= numbers
    # Numbers at the start of lines may number the options, or an explanation.
    best = named[0] or named[1] | named[2]
    (number,) = best if len(best) == 1 else (0,)
    return number if 1 <= number <= len(options) else 0


def _named(line: str, texts: Mapping[str, Sequence[int]]) -> tuple[int, set[int]]:
    """Return the numbers that one line names, and how clearly.

    0: the line is a choice, or has a word for *answer*; 1: a number with its text; 2: a number at the start.
    """
    if lone := _LONE.fullmatch(line):
        return 0, _numbers(lone)
    if _wording(line) in texts:
        return 0, set(texts[_wording(line)])
    named: set[int] = set()
    after = label.end() if (label := _LABEL_ALONE.match(line)) else 0
    for pattern in (_LABELLED, _BEFORE_LABEL):
        for match in pattern.finditer(line):
            named |= _numbers(match)
            after = max(after, match.end()) if pattern is _LABELLED else after
    labelled = bool(named)
    beside = _BESIDE.match(line)
    if start := _AT_START.match(line) or (beside if beside and _wording(line[beside.end() :]) in texts else None):
        named |= _numbers(start)
        after = max(after, start.end())
    own = set(texts.get(_wording(line[after:]).strip("()"), ()) if after else ())
    return 0 if labelled or (own and not named) else 1 if own else 2, named | own


def _numbers(match: re.Match[str]) -> set[int]:
    return {int(number) for number in re.findall(r"\d+", match["run"])}


def read_word(reply: str, options: Sequence[Sequence[str]], *, alone: bool = False) -> int:
    """Return the number of the option that a reply names by a word, from 1; 0 for none or for several.

    A line names an option if it begins with one of its words, also after ``답:`` or ``the answer is``: ``예.``,
    ``No, because …``. A list of words, ``yes or no``, names all of them.

    Args:
        reply: a reply without reasoning tags; markup does not matter.
        options: the words of each option.
        alone: whether a sign, a reason or nothing must follow the word: ``No permit is needed`` may mean yes.
    """
    words = {_wording(plain(word)): number for number, each in enumerate(options, start=1) for word in each}
    longest = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    after = rf"(?:(?= ?(?:[^\w\s]|$))|{_GOES_ON})" if alone else r"(?![^\W_])"
    end = rf"(?:(?={_ENDING})|{after})"
    # As few words of introduction as possible: 是 is one, and also a yes.
    at_start = re.compile(rf"(?:{_INTRODUCTION}{_BETWEEN}?)?(?P<word>{longest}){end}")
    named: set[int] = set()
    for line in map(_one_line, plain(reply).splitlines()):
        if match := at_start.match(line):
            named.add(words[match["word"]])
            line = line[match.start("word") :]
        elif alone:
            continue
        parts = re.split(r"[,/;:.·、。!?()\[\]]|\bor\b|\band\b|또는|または|หรือ|或|\bhoặc\b", line)
        named |= {words[part] for part in map(_wording, parts) if part in words}
    return named.pop() if len(named) == 1 else 0


def option_probabilities(tokens: Sequence[Mapping[str, float]], words: Sequence[Sequence[str]]) -> list[float]:
    """Return the probability of each option: the first-token probability of tokens that begin one of its words.

    Tokens of white space before it are passed over. A token that begins words of two options counts for neither.

    Args:
        tokens: log-probabilities of the alternatives of each token of a reply.
        words: the words of each option; its number for numbered ones.
    """
    probabilities = [0.0] * len(words)
    begun_by = [[plain(word) for word in each] for each in words]
    for alternatives in tokens:
        if not max(alternatives, key=lambda token: alternatives[token], default="").strip():
            continue
        for token, logprob in alternatives.items():
            text = plain(token).strip(" ()[].:\t\n")
            begun = [
                place for place, each in enumerate(begun_by) if text and any(word.startswith(text) for word in each)
            ]
            if len(begun) == 1:
                probabilities[begun[0]] += math.exp(logprob)
        break
    return probabilities


# What a model reads.


class _Item(NamedTuple):
    """A question with its options as the model reads them.

    Attributes:
        question: the question.
        options: the text of each option in the item.
        shown: numbers of the options in the order in which the model reads them.
        words: the words for each option, in the order in which the model reads them.
        abstain: number of the option "cannot be answered"; 0 if there is none.
    """

    question: str
    options: tuple[str, ...]
    shown: tuple[int, ...]
    words: tuple[tuple[str, ...], ...]
    abstain: int


def shuffled(count: int, abstain: int, seed: int, qid: str) -> tuple[int, ...]:
    """Return the numbers of the options, from 1, in an order that follows from the seed and the qid alone.

    Args:
        count: number of options.
        abstain: the option that stays last; 0 for none.
        seed: another seed gives another order.
        qid: id of the question.
    """
    numbers = (number for number in range(1, count + 1) if number != abstain)
    order = sorted(numbers, key=lambda number: digest([seed, qid, number]))
    return (*order, abstain) if abstain else tuple(order)


class Choosing(AsksModel, Generator):
    """Generator that lets a chat model choose one of the options of a question.

    With a ranked list the model reads the first `k` provisions and is instructed to use only these; without one it
    reads the question alone (zero-shot).

    Columns in: ``qid, query`` and, with a ranked list, ``docno, score, rank``; and the columns that a subclass needs.
    Columns out: :data:`~legalir.answer.generator.ANSWER_COLUMNS`. ``choice`` is the number of the option in the item,
    and ``qanswer`` its text. A reply that names no option, or two, has choice 0 and the state ``invalid``; it is not
    asked for again. An answer has no citations.

    A subclass defines in :meth:`_item` which options a question has, and in :meth:`_shown` and :meth:`_read` how the
    model reads and names them.

    Raises:
        ComponentError: a parameter is out of range, or a question lacks what it needs.
        ModelError: no model is named, it is not allowed, or it returns no log-probabilities.
    """

    needs_provisions = False

    context_prompt: Annotated[Prompt, "the prompt with provisions"]
    collection: Annotated[Collection, "source of the provisions"]
    _: KW_ONLY
    k: Annotated[int, Ge(1), "number of provisions from the list"] = 10
    context_tokens: Annotated[
        int | None,
        Ge(1),
        "number of tokens of the provisions, estimated (see "
        ":func:`~legalir.llm.chat.estimated_tokens`); those at the end that do not fit are left out, but not the first",
    ] = None
    logprobs: Annotated[
        bool,
        "whether the most probable option is the choice, by the log-probabilities of the first token of the "
        "reply; ``option_probs`` then has the probability of each option, in the order of the item. They add "
        "up to 1 at most. The model must offer log-probabilities",
    ] = False
    schema: Annotated[
        bool,
        "whether the reply is JSON with an option from a list, for models that follow a schema",
    ] = False
    max_tokens: Annotated[
        int,
        Ge(1),
        "tokens of the reply; a model that reasons before it replies needs some thousands",
    ] = 64

    def __post_init__(self) -> None:
        if self.logprobs and self.schema:
            raise ComponentError(f"{self.name}: logprobs=True and schema=True exclude each other: give one of them.")
        super().__post_init__()

    def _item(self, row: Mapping[Any, Any]) -> _Item:
        """Return the question of a row with its options.

        Raises:
            ComponentError: it lacks what it needs.
        """
        raise NotImplementedError

    def _shown(self, item: _Item) -> list[str]:
        """Return the lines of the options."""
        raise NotImplementedError

    def _read(self, text: str, item: _Item) -> int:
        """Return the place of the option that a text names, from 1, in the order in which the model read them; or 0."""
        raise NotImplementedError

    def answers(self, asked: pd.DataFrame, lists: Sequence[Sequence[str]]) -> list[Answer]:
        """Return the choice of each question.

        Raises:
            ComponentError: a question lacks what it needs, or a provision is not in the collection.
            ModelError: no request can succeed, or the model returns no log-probabilities.
        """
        items = [self._item(row) for row in asked.to_dict("records")]
        first = [docnos[: self.k] for docnos in lists]
        given = [
            context(dict.fromkeys(docnos, ""), texts_of(docnos, self.collection, self.name), self.context_tokens)
            for docnos in first
        ]
        report_left_out(self.name, sum(map(len, first)), sum(len(one.docnos) for one in given))
        answers = [Answer("", reply_state="empty")] * len(items)  # Punctuation alone asks nothing.
        groups: dict[tuple[Prompt, tuple[Any, ...]], list[int]] = {}
        for row, item in enumerate(items):
            if any(map(str.isalnum, item.question)):
                prompt = self.context_prompt if given[row].docnos else self.prompt
                groups.setdefault((prompt, self._enum(item)), []).append(row)
        for (prompt, enum), rows in groups.items():
            replies = self._ask(prompt, enum, [(items[row], given[row]) for row in rows])
            for row, reply in zip(rows, replies, strict=True):
                answers[row] = self._answer(reply, items[row], given[row].docnos)
        self._report(answers)
        return answers

    def _report(self, answers: Sequence[Answer]) -> None:
        """Count the replies that make no choice."""
        states = Counter(answer.reply_state for answer in answers)
        if states["invalid"]:
            _log.warning("%s: %d of %d replies name no option or several.", self.name, states["invalid"], len(answers))
        if states["cut"]:
            _log.warning(
                "%s: %d of %d replies were cut before a choice: a model that reasons needs more than max_tokens=%d.",
                self.name,
                states["cut"],
                len(answers),
                self.max_tokens,
            )

    def _enum(self, item: _Item) -> tuple[Any, ...]:
        """Return the values of the schema; none without a schema."""
        return tuple(words[0] for words in item.words) if self.schema else ()

    def _ask(self, prompt: Prompt, enum: tuple[Any, ...], asked: Sequence[tuple[_Item, Context]]) -> list[CheckedReply]:
        return self.client.ask(
            prompt,
            [
                {
                    "question": item.question,
                    "options": "\n".join(self._shown(item)),
                    "n": len(item.options),
                    "provisions": given.text,
                }
                for item, given in asked
            ],
            llm=self.llm,
            kind=_choice_of(enum) if enum else None,
            may_be_cut=True,
            max_tokens=_FIRST_TOKENS if self.logprobs else self.max_tokens,
            logprobs=_ALTERNATIVES if self.logprobs else 0,
        )

    def _answer(self, reply: CheckedReply, item: _Item, docnos: tuple[str, ...]) -> Answer:
        """Return the answer in a reply."""
        probabilities: tuple[float, ...] = ()
        place = 0
        if reply.state == "ok" and self.logprobs:
            if reply.reply is None or not reply.reply.logprobs:
                raise ModelError(
                    f"{self.name}: {self.client.model(self.llm).name} returns no log-probabilities: leave out "
                    f"logprobs=True, or take another model."
                )
            shown = option_probabilities(reply.reply.logprobs, item.words)
            probabilities = tuple(shown[item.shown.index(number)] for number in sorted(item.shown))
            place = shown.index(max(shown)) + 1 if any(shown) else 0
        elif reply.state == "ok":
            place = self._read(str(reply.value.choice) if self.schema else reply.value, item)
        choice = item.shown[place - 1] if place else 0
        state: State = "invalid" if reply.state == "ok" and not choice else reply.state
        abstained = 0 < choice == item.abstain
        return Answer(
            item.options[choice - 1] if choice else "",
            abstained=abstained,
            reason=ABSTAINED if abstained else "",
            reply_state=state,
            context_docnos=docnos,
            choice=choice,
            option_probs=probabilities,
            prompt_tokens=0 if reply.reply is None else reply.reply.prompt_tokens,
            completion_tokens=0 if reply.reply is None else reply.reply.completion_tokens,
        )


class MCQ(Choosing):
    """Generator that lets a chat model answer a multiple-choice question by the number of an option.

    Further columns in: ``options``, the texts; ``abstain``, the number of the option that the question cannot be
    answered from the provisions. An item without it is refused, because no reply could show that the model knows
    that a provision is missing.

    Options are shown in an order that follows from `seed` and the qid, the option to abstain last. The prompts ask for
    the number alone; with provisions, for the option to abstain if they do not contain the answer. How a reply is read:
    :func:`read_number`.

    Source: the test of [sar], which does not describe how replies were read, and shows the options as published.
    """

    name = "mcq"

    shuffle: Annotated[bool, "whether to shuffle the options; False shows them in the order of the item"] = True
    seed: Annotated[int, Ge(0), "seed of the order"] = 0

    def _item(self, row: Mapping[Any, Any]) -> _Item:
        options = _options(self.name, row)
        if options is None:
            raise ComponentError(
                f"mcq: the question {row['qid']!r} has no options: ask the questions of a collection that has some in "
                f"its column 'options', such as legalir/firecode/multihop."
            )
        abstain = row.get("abstain")
        # One row without a number makes a column of floats.
        if not isinstance(abstain, int | float) or abstain not in range(1, len(options) + 1):
            raise ComponentError(
                f"mcq: 'abstain' of {row['qid']!r} is {abstain!r}: give the number of the option that says that the "
                f"question cannot be answered, from 1 to {len(options)}."
            )
        if self.logprobs and len(options) > 9:
            raise ComponentError(
                f"mcq: {row['qid']!r} has {len(options)} options: logprobs=True takes at most 9, whose numbers have "
                f"one digit."
            )
        numbers = tuple(range(1, len(options) + 1))
        shown = shuffled(len(options), int(abstain), self.seed, row["qid"]) if self.shuffle else numbers
        return _Item(row["query"], options, shown, tuple((str(number),) for number in numbers), int(abstain))

    def _shown(self, item: _Item) -> list[str]:
        return [f"{place}. {_one_line(item.options[number - 1])}" for place, number in enumerate(item.shown, start=1)]

    def _read(self, text: str, item: _Item) -> int:
        return read_number(text, [item.options[number - 1] for number in item.shown])

    def _enum(self, item: _Item) -> tuple[Any, ...]:
        return tuple(range(1, len(item.options) + 1)) if self.schema else ()


class YesNo(Choosing):
    """Generator that lets a chat model answer a question with yes or no.

    Further column in: ``options``, two texts; without it, the words of the prompt's language, yes first. The model
    replies with a word, not with a number, so the words are shown in the order of the item. How a reply is read:
    :func:`read_word`; ``네`` is as good as ``예``. There is no option to abstain.

    Source: the yes/no test of [searchfiresafety].
    """

    name = "yesno"

    def _item(self, row: Mapping[Any, Any]) -> _Item:
        own = YES_NO_WORDS.get(self.prompt.language, YES_NO_WORDS["en"])
        options = _options(self.name, row) or (own[0][0], own[1][0])
        if len(options) != 2:
            raise ComponentError(f"yesno: {row['qid']!r} has {len(options)} options: give two, or use mcq.")
        words = tuple(tuple(dict.fromkeys((option, *_alike(option)))) for option in options)
        return _Item(row["query"], options, (1, 2), words, 0)

    def _shown(self, item: _Item) -> list[str]:
        return [_one_line(option) for option in item.options]

    def _read(self, text: str, item: _Item) -> int:
        return read_word(text, item.words)


def _alike(option: str) -> tuple[str, ...]:
    """Return the words that mean the same as a word for yes or for no; none for any other word."""
    meant = _wording(plain(option))
    return next((each for pair in YES_NO_WORDS.values() for each in pair if meant in map(plain, each)), ())


def yes_no_words(options: object) -> tuple[tuple[str, ...], ...]:
    """Return the words of both options of a yes/no item, in its order; nothing for the options of other questions."""
    if not isinstance(options, list | tuple) or not all(isinstance(option, str) for option in options):
        return ()
    words = tuple(tuple(dict.fromkeys((option, *_alike(option)))) for option in options if _alike(option))
    return words if len(words) == len(options) == 2 else ()


def _options(component: str, row: Mapping[Any, Any]) -> tuple[str, ...] | None:
    """Return the options of a question; None for a question without options.

    Raises:
        ComponentError: they are not from 2 to 20 texts.
    """
    options = row.get("options")
    if options is None or isinstance(options, float):  # NaN, where other questions have some
        return None
    if isinstance(options, str) or not isinstance(options, Sequence):
        raise ComponentError(f"{component}: 'options' of {row['qid']!r} is {options!r}: give a list of texts.")
    for option in options:
        if not isinstance(option, str) or not option.strip():
            raise ComponentError(f"{component}: {row['qid']!r} has the option {option!r}: give a text.")
    if not 2 <= len(options) <= _MOST_OPTIONS:
        raise ComponentError(f"{component}: {row['qid']!r} has {len(options)} options: give 2 to {_MOST_OPTIONS}.")
    return tuple(options)


def _choice_of(values: tuple[Any, ...]) -> type[BaseModel]:
    """Return the type of a reply that contains one of the values."""
    choice: Any = Literal[values]
    return create_model("Choice", __config__=ConfigDict(extra="forbid"), choice=(choice, ...))


def _context_prompt(name: str) -> Callable[..., Prompt]:
    def chosen(collection: Collection, context_prompt: str | None = None, language: str = "auto") -> Prompt:
        """Return the prompt with provisions.

        Args:
            context_prompt: file of your own prompt with provisions.
            language: language of the prompts; ``auto`` for the collection's language.
        """
        return prompt_of(f"{name}_context")(collection, context_prompt, language)

    return chosen


mcq = asking_factory(
    MCQ,
    "Choose an option: ``golden >> mcq``; without provisions, the zero-shot baseline: ``mcq``.",
    "llm",
    context_prompt=_context_prompt("mcq"),
)
yesno = asking_factory(
    YesNo,
    "Answer with yes or no: ``golden >> yesno``; without provisions, the zero-shot baseline: ``yesno``.",
    "llm",
    context_prompt=_context_prompt("yesno"),
)
