"""Digests are the same for the same values and bytes, and change with them."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from legalir.storage import digest as module
from legalir.storage.digest import cached_file_digest, digest, file_digest


def test_the_digest_is_that_of_the_canonical_text() -> None:
    text = '{"a": [1, 2.5, null], "b": "\\ubc95\\ud800"}'
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert digest({"b": "법\ud800", "a": [1, 2.5, None]}) == expected
    assert digest({"a": (1, 2.5, None), "b": "법\ud800"}) == expected
    assert digest({"b": "법", "a": [1, 2.5, None]}) != expected


def test_what_is_not_json_has_no_digest() -> None:
    with pytest.raises(TypeError):
        digest({"a": {1, 2}})


def test_the_digest_of_a_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    content = bytes(range(256)) * 1000
    (tmp_path / "file").write_bytes(content)
    assert file_digest(tmp_path / "file") == hashlib.sha256(content).hexdigest()


def test_a_file_is_read_again_only_when_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    first = cached_file_digest(path)
    whole = module.file_digest
    monkeypatch.setattr(module, "file_digest", lambda path: pytest.fail("read again"))
    assert cached_file_digest(path) == first
    monkeypatch.setattr(module, "file_digest", whole)
    path.write_bytes(b"two")
    os.utime(path, ns=(0, 1))
    assert cached_file_digest(path) == whole(path) != first
