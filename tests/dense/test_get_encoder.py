"""Finding encoders by name."""

from __future__ import annotations

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)

from legalir.dense.encoders import get_encoder
from legalir.dense.lsa import LSA
from legalir.errors import ComponentError, PluginError

SOURCE = """
class Flat:
    name, fingerprint = "flat", "00"
    def encode(self, texts): return [[1.0]] * len(texts)
    encode_queries = encode
def flat(collection, **parameters): return Flat()
def broken(collection): return "no encoder"
"""


def test_an_encoder_of_a_plugin(install: Install) -> None:
    install("pack", {"encoder.flat": "pack_module:flat"}, SOURCE)
    assert get_encoder("flat").name == "flat"


def test_what_is_no_encoder_is_refused(install: Install) -> None:
    install("pack", {"encoder.broken": "pack_module:broken"}, SOURCE)
    with pytest.raises(PluginError, match=r"pack 1\.0.* str"):
        get_encoder("broken")
    with pytest.raises(ComponentError, match="3 is not an encoder"):
        get_encoder(3)  # type: ignore[arg-type]


def test_an_unknown_name_is_a_mistake_and_a_broken_plugin_is_not(install: Install) -> None:
    with pytest.raises(ComponentError, match=r"'lsaa'.*'lsa'"):
        get_encoder("lsaa")
    install("pack", {"encoder.flat": "pack_module:nothing"}, SOURCE)
    with pytest.raises(PluginError, match=r"pack 1\.0"):
        get_encoder("flat")


def test_a_call_with_parameters() -> None:
    assert get_encoder("lsa(analyzer='char2', dimensions=8)") == LSA("char2", 8)
    assert get_encoder("lsa(dimensions=8)", parameters={"dimensions": 9}) == LSA(dimensions=9)
    with pytest.raises(ComponentError, match=r"'dimension'.*'dimensions'"):
        get_encoder("lsa(dimension=8)")
    with pytest.raises(ComponentError, match=r"'lsaa'.*'lsa'"):
        get_encoder("lsaa(dimensions=8)")
    with pytest.raises(ComponentError, match="'a b' is not a component"):
        get_encoder("a b")


def test_an_encoder_that_cannot_be_made(install: Install) -> None:
    install("pack", {"encoder.odd": "pack_module:odd"}, "def odd(collection): raise SystemExit(1)\n", version="2")
    with pytest.raises(PluginError, match=r"'odd'.*2.*SystemExit: 1"):
        get_encoder("odd")
