"""Strict YAML: what is read, and each fault in one sentence that names the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from legalir.errors import DefinitionError
from legalir.storage.yaml_files import kind_of, read_yaml


def test_plain_values(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: [1, 0.5, x]\n'b': {c: true}\n", encoding="utf-8")
    assert read_yaml(file, "a list") == {"a": [1, 0.5, "x"], "b": {"c": True}}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a: 1\nb: {c: 1, c: 2}", r", line 2: the key 'c' occurs twice: keep one\.$"),
        (b"1: x\ntrue: y", r", line 2: the keys 1 and true have the same value: put both in quotes .*"),
        (b"yes: x\non: y", r", line 2: the keys yes and on have the same value: .*"),
        (b"1: x\n1.0: y", r", line 2: the keys 1 and 1\.0 have the same value: .*"),
        (b"1: x\n1: y", r", line 2: the key '1' occurs twice: keep one\.$"),
        (b"a: [", r" is not valid YAML: line 1, column 5: "),
        (b"a: !!python/name:os.system", r" is not valid YAML: line 1, "),
        (b"a: \xff", r" is not UTF-8 \(byte 3\): save it as UTF-8\.$"),
        (b"[" * 5000, r" is nested too deeply to be a recipe\.$"),
        (None, r" does not exist: give the path of a recipe \(YAML\)\.$"),
    ],
)
def test_faults(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    file = tmp_path / "a.yaml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(DefinitionError, match=r"a\.yaml" + sentence):
        read_yaml(file, "a recipe")


def test_kinds() -> None:
    values = (None, True, 1, 0.5, "x", [], {}, b"")
    shown = ["nothing", "true or false", "a whole number", "a number", "text", "a list", "a mapping", "bytes"]
    assert list(map(kind_of, values)) == shown
