"""IRCoT [ircot]: a chat model writes one sentence of reasoning after each search, which is the next query."""

from __future__ import annotations

import re
from collections.abc import Mapping

from legalir.analysis.sentences import split_sentences
from legalir.llm.chat import FailedReply
from legalir.rewrite.iterate import NextQuery, Steps
from legalir.rewrite.rewriter import asking_factory, known_numbers

ANSWER = re.compile(r"\banswer is\b|(?<![가-힣])답은|答えは|答案是(?!否)|คำตอบคือ|câu trả lời là", re.IGNORECASE)
"""Words of the sentence that ends the reasoning, as the prompts ask for them."""

_TAG = re.compile(r"</?(?:question|provisions|sentences)>")


class IRCoT(NextQuery):
    """Writes the next sentence of the reasoning that leads to the answer, and searches with it [ircot].

    The model reads the question, the provisions found so far in the order in which they were found, at most `k`, and
    its sentences so far. The first sentence of its reply counts, the rest is dropped; a line that ends in a colon, such
    as *The next sentence:*, is no sentence, and a reply without any is a failed reply. A sentence with *answer is*, or
    the same words in the language of the prompt, ends the loop and is not searched for. The loop of the paper, with 4
    results a search, at most 8 sentences and at most 15 provisions, is ``iterate(P % 4, ircot, n=8)``.

    The paper shows the model whole examples of reasoning and lists the paragraphs in the order in which they were
    found; here are instructions in place of the examples, and the list is that of
    :class:`~legalir.rewrite.iterate.Iterate`. Columns, arguments and errors as for
    :class:`~legalir.rewrite.iterate.NextQuery`.
    """

    name = "ircot"
    max_tokens = 200

    def _slots(self, steps: Steps, lines: Mapping[str, str]) -> dict[str, str]:
        sentences = (text for _, text in steps if text)
        return {"provisions": "\n".join(lines.values()), "sentences": "\n".join(sentences)}

    def _text(self, reply: str, raw: str) -> str:
        for sentence in split_sentences(_TAG.sub("\n", reply), self.prompt.language):
            announces = sentence.endswith((":", "：")) and not ANSWER.search(sentence)
            if any(map(str.isalnum, sentence)) and not announces:
                return sentence
        raise FailedReply("invalid", "the reply has no sentence")

    def _query(self, text: str) -> str:
        return "" if ANSWER.search(text) else text


ircot = asking_factory(
    IRCoT,
    "Reason one sentence further and search with it: ``iterate(default % 4, ircot, n=8)``.",
    "k",
    numbers=known_numbers,
)
