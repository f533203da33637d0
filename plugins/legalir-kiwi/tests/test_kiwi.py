"""The analyzer kiwi: terms of invented sentences, read by hand; and what every analyzer has to hold to."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata

import numpy as np
import pytest

from legalir import Collection, testing
from legalir.errors import AnalyzerError, MissingExtra
from legalir.extend import count_terms, get_analyzer
from legalir_kiwi import KiwiAnalyzer, kiwi, model
from legalir_kiwi.tags import term

SENTENCE = "관리인은 창고 옆에 모래를 쌓아야 한다."


@testing.parametrize("analyzer", "kiwi")
def test_conformance(check):
    check()


@pytest.mark.parametrize(
    ("tags", "wanted"),
    [
        # 관리인/NNG 은/JX 창고/NNG 옆/NNG 에/JKB 모래/NNG 를/JKO 쌓/VV 어야/EC 하/VX ᆫ다/EF ./SF
        ("content", ["관리인", "창고", "옆", "모래", "쌓"]),
        ("nouns", ["관리인", "창고", "옆", "모래"]),
        ("all", ["관리인", "은", "창고", "옆", "에", "모래", "를", "쌓", "어야", "하", "ᆫ다"]),
    ],
)
def test_settings(tags, wanted):
    assert KiwiAnalyzer(tags).terms(SENTENCE) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("날이 어두워서 등불을 켰다", ["날", "어둡", "등불", "켜"]),  # Irregular stems are those of the dictionary.
        ("이웃을 도왔다", ["이웃", "돕"]),
        ("제7조의2제1항", ["7", "조", "2", "1", "항"]),  # 제 is a prefix, 의 a particle.
        ("높이 31미터, 넓이 1,500㎡, 3.5퍼센트", ["높이", "31", "미터", "넓이", "1500", "3.5", "퍼센트"]),
        ("LPG 탱크와 iot 센서", ["lpg", "탱크", "iot", "센서"]),
        ("危險物 창고", ["危險物", "창고"]),
        ("แพ ต้อง มี โคมไฟ", ["แพ", "ต้อง", "มี", "โคมไฟ"]),
    ],
)
def test_terms(text, wanted):
    assert KiwiAnalyzer().terms(text) == wanted


@pytest.mark.parametrize("tags", ["content", "nouns", "all"])
def test_middle_dots_are_alike_and_no_terms(tags):
    found = {tuple(KiwiAnalyzer(tags).terms(f"등불{dot}종")) for dot in "\u00b7\u2022\u2027\u22c5\u30fb\uff65\u318d"}
    assert found == {("등불", "종")}


def test_decomposed_upper_case_text_has_the_same_terms():
    text = "Ferry 창고의 CAFÉ 앞에 종을 단다"
    for other in (unicodedata.normalize("NFD", text), text.upper(), text.lower()):
        assert KiwiAnalyzer().terms(other) == KiwiAnalyzer().terms(text) == ["ferry", "창고", "café", "앞", "종", "달"]


def test_terms_of_morphemes():
    assert term("12,345,678", "SN", "content") == "12345678"
    assert term("1,2", "SN", "content") == "1,2"
    assert term("어둡", "VA-I", "content") == "어둡"
    assert term("어둡", "VA-I", "nouns") == ""
    assert term("①", "SW", "content") == "" and term("①", "SW", "all") == "①"
    assert term("ระฆัง", "SW", "nouns") == "ระฆัง"
    assert term("어느\n두 나루", "NNP", "nouns") == "어느 두 나루"


def test_a_long_text_is_cut_at_white_space_and_read_to_its_end():
    sentence = f"{SENTENCE} "
    text = sentence * (model.PIECE * 3 // len(sentence)) + "등대"
    cut = model.pieces(text)
    assert len(cut) == 3 and "".join(cut) == text
    assert all(len(piece) <= model.PIECE and piece[-1] in " 대" for piece in cut)
    analyzer = KiwiAnalyzer("nouns")
    found = analyzer.terms(text)
    assert found[-1] == "등대" and found.count("모래") == text.count("모래")
    counts = analyzer.count(["종", text, "", "종"])
    assert counts.lengths.tolist() == [1, len(found), 0, 1]
    assert model.pieces("가" * (model.PIECE + 1)) == ["가" * model.PIECE, "가"]


def test_many_texts_count_as_one_by_one_with_any_number_of_threads():
    class Plain:
        name = fingerprint = "plain"
        terms = staticmethod(KiwiAnalyzer().terms)

    texts = [f"{SENTENCE} 제{number}조에 따른 등불 {number % 7}개" for number in range(200)] + ["", "…"]
    wanted = count_terms(Plain(), texts)
    for threads in (None, 1):
        found = KiwiAnalyzer(threads=threads).count(texts)
        assert found.terms == wanted.terms
        for one in ("indptr", "documents", "frequencies", "lengths"):
            np.testing.assert_array_equal(getattr(found, one), getattr(wanted, one))


def test_threads_share_one_model():
    texts = [f"{SENTENCE} {number}" for number in range(40)]
    analyzer = KiwiAnalyzer()
    wanted = [analyzer.terms(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: [KiwiAnalyzer().terms(text) for text in texts], range(16)):
            assert found == wanted
        lengths = list(pool.map(lambda _: analyzer.count(texts).lengths.tolist(), range(8)))
    assert lengths == [[len(terms) for terms in wanted]] * 8


FORKED = """
import os, signal
from legalir_kiwi import KiwiAnalyzer
analyzer = KiwiAnalyzer(threads=1)
texts = ["등불을 켠다", "종을 친다"]
wanted = analyzer.count(texts).terms
if (child := os.fork()) == 0:
    signal.alarm(60)  # The threads of the parent's model are not here: waiting for them would last for ever.
    os._exit(0 if analyzer.count(texts).terms == wanted == analyzer.count(texts).terms else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_process_loads_its_own_model():
    subprocess.run([sys.executable, "-c", FORKED], check=True, timeout=120)


def test_names_make_the_analyzer_again():
    assert kiwi(None).name == "kiwi"
    for analyzer in (kiwi(None), kiwi(None, tags="nouns", threads=2)):
        again = get_analyzer(analyzer.name)
        assert again == analyzer and again.fingerprint == analyzer.fingerprint


def test_fingerprints_tell_settings_and_versions_apart(monkeypatch):
    found = {KiwiAnalyzer(tags).fingerprint for tags in ("content", "nouns", "all")}
    assert KiwiAnalyzer(threads=3).fingerprint in found and len(found) == 3
    for package in ("kiwipiepy", "kiwipiepy_model"):
        real = metadata.version
        monkeypatch.setattr(metadata, "version", lambda name, p=package, r=real: "0.0" if name == p else r(name))
        found |= {KiwiAnalyzer().fingerprint}
        monkeypatch.setattr(metadata, "version", real)
    assert len(found) == 5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tags": "noun"}, r"^kiwi: tags='noun' is not one of content, nouns, all\. Did you mean 'nouns'\?$"),
        ({"tags": ["NNG"]}, "is not one of content, nouns, all"),
        ({"threads": 0}, "threads=0 is neither None nor an integer from 1 to 256"),
        ({"threads": True}, "threads=True is neither"),
        ({"threads": 1000}, "threads=1000 is neither"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(AnalyzerError, match=message):
        kiwi(None, **parameters)


@pytest.mark.parametrize("package", ["kiwipiepy", "kiwipiepy_model"])
def test_without_kiwipiepy_one_sentence_says_how_to_install_it(monkeypatch, package):
    def version(name):
        if name == package:
            raise metadata.PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(MissingExtra, match=f"'{package}'"):
        kiwi(None)


def test_bm25_over_morphemes(tmp_path):
    # Particles keep the words of the question from those of the provision; their morphemes are the same.
    lines = [
        '{"docno": "a", "text": "나루지기는 등불을 켜고 종을 친다."}',
        '{"docno": "b", "text": "뗏목에는 모래를 싣지 못한다."}',
    ]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    collection = Collection(tmp_path, cache=tmp_path / "cache")
    assert collection.search("모래만 실었다", 'bm25(analyzer="whitespace")').empty
    for spec in ('bm25(analyzer="kiwi")', """bm25(analyzer='kiwi(tags="nouns")')"""):
        assert Collection(tmp_path, cache=tmp_path / "cache").search("모래만 실었다", spec)["docno"].tolist() == ["b"]
