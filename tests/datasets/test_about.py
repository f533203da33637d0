import pytest
from mini_folder import write

from legalir.datasets import load
from legalir.datasets.folder import read_about
from legalir.errors import FormatError


def test_values_reach_the_dataset(folder):
    content = "title: 작은 모음\nlicence: CC0\nlang: ko\nquery_lang: {en: en}\nquery_field: kind\n"
    content += "labels: {1: cited, 2: key}\n"
    write(folder / "dataset.yaml", content)
    dataset = load(folder / "test")
    assert (dataset.about.title, dataset.about.licence, dataset.about.lang, dataset.about.source) == (
        "작은 모음",
        "CC0",
        "ko",
        None,
    )
    assert list(dataset.topics()["query"]) == ["definition", "purpose"]
    assert dataset.about.labels == {1: "cited", 2: "key"}
    assert dataset.about.queries_lang("en") == "en"
    assert dataset.about.queries_lang("test") == "ko"


def test_one_query_language_for_all(tmp_path):
    path = write(tmp_path / "dataset.yaml", "lang: ko\nquery_lang: en\n")
    assert read_about(path).queries_lang(None) == "en"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("license: MIT", "the key 'license' is unknown. Did you mean 'licence'?"),
        ("- a\n- b", "must be a mapping, got a list"),
        ("title: [a", "is not valid YAML: line"),
        ("title: 3", "'title' must be text (put it in quotes), got 3"),
        ("query_lang: [ko]", "'query_lang' must be a mapping, got a list"),
        ("labels: {a: b}", "'labels', the name 'a' must be a whole number"),
        (b"title: \xff\xfe", "is not UTF-8"),
    ],
)
def test_a_bad_file_says_what_is_wrong(tmp_path, content, fault):
    path = write(tmp_path / "dataset.yaml", content)
    with pytest.raises(FormatError) as error:
        read_about(path)
    assert fault in str(error.value)
    assert str(path) in str(error.value)
