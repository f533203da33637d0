"""What must hold for any text and any slice."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from legalir.datasets.irds import DocsIter
from legalir.datasets.readers import read_corpus
from legalir.datasets.records import fits_trec

text = st.text(st.characters(exclude_categories=["Cs"]))
docno = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(fits_trec)
bound = st.none() | st.integers(-12, 12)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(docno, st.tuples(text, text), min_size=1, max_size=8), st.booleans())
def test_what_was_written_is_what_is_read(provisions, ascii_only):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        with path.open("w", encoding="utf-8", newline="\n") as out:
            for name, (title, body) in provisions.items():
                row = {"docno": name, "title": title, "text": body}
                out.write(json.dumps(row, ensure_ascii=ascii_only) + "\n")
        found = {record.doc_id: (record.title, record.text) for record in read_corpus(path)}
    assert found == provisions


class Numbers:
    """A collection of ten documents that knows only how to count."""

    def docs_count(self):
        return 10


@settings(deadline=None)
@given(bound, bound, st.none() | st.integers(1, 4), bound, bound)
def test_slices_of_slices_are_those_of_a_list(start, stop, step, second_start, second_stop):
    sliced = DocsIter(Numbers())[start:stop:step][second_start:second_stop]
    assert list(sliced._positions) == list(range(10))[start:stop:step][second_start:second_stop]
