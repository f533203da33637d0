"""The kit beside packages that claim the names of what it uses."""

from __future__ import annotations

import pytest
import right_components as right
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)

from legalir import testing
from legalir.errors import PluginError


def test_a_neighbour_that_claims_the_names_of_the_data_is_named(install: Install) -> None:
    source = "def factory(*anything): raise RuntimeError('not asked for')\n"
    claimed = ("retriever.bm25", "reranker.tfidf", "analyzer.whitespace", "analyzer.char")
    install("acme", dict.fromkeys(claimed, "acme_module:factory"), source)
    for outcomes in (testing.check("fuser", "rrf"), testing.check("reranker", right.squared)):
        failed = [one.message for one in outcomes if not one.ok]
        assert failed
        assert all("acme 1.0" in message and "LEGALIR_DISABLE_PLUGINS=acme" in message for message in failed)
    with pytest.raises(PluginError, match="'bm25' is claimed by legalir"):
        testing.check("retriever", "bm25")
