"""Each sample is recognised by its own format, and by no other."""

from pathlib import Path

import pytest

from legalir.statutes.sources import ca_justice, jp_egov, uk_clml, us_uslm
from legalir.statutes.sources.auto import formats

SAMPLES = Path(__file__).with_name("samples")


@pytest.mark.parametrize(
    ("module", "file", "name"),
    [
        (ca_justice, "ca_justice.xml", "L-1.5.xml"),
        (jp_egov, "jp_egov.xml", "law.xml"),
        (jp_egov, "jp_egov.html", "502CO0000000999_20240401_506CO0000000001.html"),
        (uk_clml, "uk_clml.xml", "act.xml"),
        (us_uslm, "us_uslm.xml", "title.xml"),
        (us_uslm, "us_uslm_law.xml", "law.xml"),
    ],
)
def test_recognised_by_its_own_format_first(module, file, name):
    data = (SAMPLES / file).read_bytes()
    fitting = [each for each in formats() if Path(name).suffix in each.suffixes]
    (own,) = module.FORMATS
    assert next(each.name for each in fitting if each.recognises(Path(name), data[:8192])) == own.name
