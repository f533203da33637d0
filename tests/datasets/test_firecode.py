"""The bundled collection stays worth searching: believable, consistent, not to be solved by shared words."""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections import defaultdict

import pytest

from legalir import datasets
from legalir.analysis.ngrams import NGrams
from legalir.datasets import Provision, StatuteDataset

INSTRUMENTS = {
    "건축물 화재안전관리법": "act",
    "건축물 화재안전관리법 시행령": "decree",
    "건축물 화재안전관리법 시행규칙": "rule",
    "밀집영업장 화재안전 특별법": "vact",
    "밀집영업장 화재안전 특별법 시행령": "vdecree",
    "밀집영업장 화재안전 특별법 시행규칙": "vrule",
    "자동살수설비의 화재안전기술기준(FTS 110)": "fts110",
    "화재감지ㆍ경보설비의 화재안전기술기준(FTS 210)": "fts210",
    "피난기구 및 유도등의 화재안전기술기준(FTS 301)": "fts301",
    "피난시설의 화재안전기술기준(FTS 310)": "fts310",
    "연기제어설비의 화재안전기술기준(FTS 410)": "fts410",
}


@pytest.fixture(scope="module")
def firecode() -> StatuteDataset:
    return datasets.load("legalir/firecode")


@pytest.fixture(scope="module")
def provisions(firecode: StatuteDataset) -> dict[str, Provision]:
    return {provision.doc_id: provision for provision in firecode.docs()}


@pytest.fixture(scope="module")
def gold(firecode: StatuteDataset) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for row in firecode.qrels().itertuples():
        found[str(row.qid)].add(str(row.docno))
    return dict(found)


@pytest.fixture(scope="module")
def neighbours(firecode: StatuteDataset) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for source, target, _ in firecode.links():
        found[source].add(target)
        found[target].add(source)
    return found


def test_size(provisions: dict[str, Provision], firecode: StatuteDataset) -> None:
    assert len(provisions) >= 240
    assert {provision.law for provision in provisions.values()} == set(INSTRUMENTS)
    assert len(firecode.topics()) >= 90
    assert {provision.level for provision in provisions.values()} == {"act", "decree", "rule", "standard"}


def test_questions_are_answered_by_one_to_five_provisions(gold: dict[str, set[str]]) -> None:
    sizes = [len(docnos) for docnos in gold.values()]
    assert all(1 <= size <= 5 for size in sizes)
    assert sum(size > 1 for size in sizes) >= len(sizes) / 2


def test_every_judgement_and_link_points_at_a_provision(
    provisions: dict[str, Provision], gold: dict[str, set[str]], neighbours: dict[str, set[str]]
) -> None:
    assert set().union(*gold.values()) <= set(provisions)
    assert set(neighbours) <= set(provisions)


def test_a_third_needs_a_cited_provision_that_shares_few_words(
    firecode: StatuteDataset,
    provisions: dict[str, Provision],
    gold: dict[str, set[str]],
    neighbours: dict[str, set[str]],
) -> None:
    """Few: of the question's character pairs, weighted equally, at most 30 % occur in the provision."""
    pairs = NGrams("char", 2)
    hard = 0
    for qid, query in firecode.topics()[["qid", "query"]].itertuples(index=False):
        asked = set(pairs.terms(query))
        overlap = {
            docno: len(asked & set(pairs.terms(provisions[docno].default_text()))) / len(asked) for docno in gold[qid]
        }
        hard += any(
            share <= 0.3 and any(neighbour in gold[qid] for neighbour in neighbours[docno])
            for docno, share in overlap.items()
        )
    assert hard >= len(gold) / 3


def test_dev_and_test_split_the_questions() -> None:
    dev = set(datasets.load("legalir/firecode/dev").topics()["qid"])
    test = set(datasets.load("legalir/firecode/test").topics()["qid"])
    assert not dev & test
    assert dev | test == set(datasets.load("legalir/firecode").topics()["qid"])


def test_every_question_has_the_texts_that_the_authors_wrote(firecode: StatuteDataset) -> None:
    lines = (firecode.folder.root / "rewrites.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line) for line in lines]
    # In the order of the questions, three each; no number of a provision, which nobody knows from the question alone.
    prompts = ("analytical", "rationale", "hyde")
    places = [(text["question"], text["prompt"]) for text in texts]
    assert places == list(itertools.product(firecode.topics()["query"], prompts))
    assert len({text["text"] for text in texts}) == len(texts)
    for text in texts:
        assert set(text) == {"prompt", "question", "text"}
        assert unicodedata.is_normalized("NFC", text["text"])
        assert text["text"].strip() == text["text"]
        assert len(text["text"]) >= 20
        assert not re.search(r"제\s?\d+조", text["text"])


def test_one_standard_was_repealed_and_replaced(provisions: dict[str, Provision]) -> None:
    repealed = {p.law for p in provisions.values() if p.effective_to}
    assert repealed == {"피난기구 및 유도등의 화재안전기술기준(FTS 301)"}
    ends = {p.effective_to for p in provisions.values() if p.effective_to}
    begins = {p.effective_from for p in provisions.values() if p.doc_id.startswith("fts310-")}
    assert (ends, begins) == ({"2023-12-31"}, {"2024-01-01"})


def test_links_are_the_citations_of_the_text(firecode: StatuteDataset, provisions: dict[str, Provision]) -> None:
    written: dict[str, set[str]] = defaultdict(set)
    for source, target, _ in firecode.links():
        written[source].add(target)
    different = {
        docno: written[docno] ^ cited
        for docno, provision in provisions.items()
        if (cited := citations(provision)) != written[docno]
    }
    assert different == {}


MENTION = re.compile(
    r"「(?P<law>[^」]+)」"
    r"|(?P<same>같은 (?:법|영|규칙|기준)(?: (?:시행령|시행규칙))?)"
    r"|이 법 (?P<this>시행령|시행규칙)(?= 제)"
    r"|(?P<short>(?<![가-힣])(?:법|영|규칙))(?= 제\d+조)"
    r"|제(?P<first>\d+)조(?:제\d+항)?(?:제\d+호)?부터 제(?P<last>\d+)조까지|제(?P<article>\d+)조"
)


def citations(provision: Provision) -> set[str]:
    """Read the articles that a provision cites, as a lawyer reads them.

    An article belongs to the law named last in its sentence; a bare one, or one that no list joins to that law, to
    the provision's own law.
    """
    own = provision.doc_id.split("-")[0]
    cited: set[str] = set()
    named = {"법": own, "기준": own}
    for sentence in re.split(r"\n|(?<=다)\. ", provision.text):
        law, end = own, 0
        for mention in MENTION.finditer(sentence):
            between = sentence[end : mention.start()]
            if mention["law"] is not None:
                law = INSTRUMENTS.get(mention["law"], law)
                named["기준" if law.startswith("fts") else "법"] = law
            elif mention["same"] is not None:
                law = _same(mention["same"], named)
            elif mention["this"] is not None:
                law = _short({"시행령": "영", "시행규칙": "규칙"}[mention["this"]], own)
            elif mention["short"] is not None:
                law = _short(mention["short"], own)
            else:
                # A list goes on with the same law only through a joining word or a number of its own.
                if law != own and not re.fullmatch(
                    r"\s?|(?:제\d+항|제\d+호|[가-하]목|각 호|\s|,|ㆍ|ㆍ|및|또는|과|와|이나|나|부터|까지)*",
                    between,
                ):
                    law = own
                first = int(mention["first"] or mention["article"])
                last = int(mention["last"] or first)
                cited |= {f"{law}-{number}" for number in range(first, last + 1)}
            end = mention.end()
    return cited - {provision.doc_id}


def _same(words: str, named: dict[str, str]) -> str:
    if words == "같은 기준":
        return named["기준"]
    family = "v" if named["법"].startswith("v") else ""
    if words.endswith("시행령") or words == "같은 영":
        return f"{family}decree"
    if words.endswith("시행규칙") or words == "같은 규칙":
        return f"{family}rule"
    return f"{family}act"


def _short(word: str, own: str) -> str:
    return ("v" if own.startswith("v") else "") + {"법": "act", "영": "decree", "규칙": "rule"}[word]
