"""A missing package is named with its cure, and no other fault is mistaken for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from legalir.errors import MissingExtra
from legalir.extras import require


def test_what_is_installed_is_returned() -> None:
    import json.decoder

    assert require("json.decoder", extra="dense") is json.decoder


def test_what_is_missing_is_named_with_the_command() -> None:
    with pytest.raises(MissingExtra, match=r"'no_such_package'.*'legalir\[dense\]'"):
        require("no_such_package.part", extra="dense")


def test_a_package_that_misses_another_one_is_not_blamed_on_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_installed.py").write_text("import no_such_dependency\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="no_such_dependency"):
        require("half_installed", extra="dense")


def test_a_broken_package_keeps_its_own_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_inside.py").write_text("1 / 0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ZeroDivisionError):
        require("broken_inside", extra="dense")
