import hashlib

import pytest
from mini_folder import write

from legalir.datasets import check, load
from legalir.datasets import folder as folder_format
from legalir.errors import DataError

QRELS = "q1 0 A-2 1\n"


@pytest.fixture
def root(tmp_path, folder, monkeypatch):
    """A source tree: the package, and beside it the judgements that its manifest declares."""
    for path in folder.glob("qrels*"):
        path.unlink()
    write(folder / "dataset.yaml", "qrels: mini\n")
    root = tmp_path / "tree" / "qrels"
    digest = hashlib.sha256(QRELS.encode()).hexdigest()
    write(root / "mini" / "qrels.test.txt", QRELS)
    write(
        root / "manifest.yaml",
        f"files:\n  mini/qrels.test.txt: {{sha256: {digest}, source: ours, licence: ours}}\n",
    )
    monkeypatch.setattr(folder_format, "_PACKAGE", tmp_path / "tree" / "legalir")
    folder_format._declared_digests.cache_clear()
    return root


def test_judgements_beside_the_package(root, folder):
    dataset = load(folder / "test")
    assert dataset.splits == ("test",)
    assert dataset.qrels().values.tolist() == [["q1", "A-2", 1]]
    assert check(folder).ok


def test_judgements_inside_an_installed_package(root, folder, tmp_path):
    inside = tmp_path / "tree" / "legalir" / "qrels"
    inside.parent.mkdir()
    root.rename(inside)
    assert len(load(folder / "test").qrels()) == 1


def test_an_altered_file_is_refused(root, folder):
    write(root / "mini" / "qrels.test.txt", QRELS.replace("1\n", "0\n"))
    with pytest.raises(DataError, match=r"manifest\.yaml"):
        load(folder / "test").qrels()
    assert check(folder).fault_counts == {"sha256": 1}


def test_an_undeclared_file_is_refused(root, folder):
    write(root / "mini" / "qrels.dev.txt", QRELS)
    with pytest.raises(DataError, match="is not declared"):
        load(folder / "dev").qrels()


def test_a_missing_folder_and_a_missing_manifest(root, folder):
    write(folder / "dataset.yaml", "qrels: ../other\n")
    with pytest.raises(DataError, match=r"'\.\./other'"):
        load(folder).folder  # noqa: B018
    (root / "manifest.yaml").unlink()
    with pytest.raises(DataError, match="missing from this installation"):
        load(folder).folder  # noqa: B018


def test_a_manifest_of_another_form(root, folder):
    write(root / "manifest.yaml", "- a list\n")
    with pytest.raises(DataError, match="does not list 'files'"):
        load(folder / "test").qrels()


def test_a_folder_with_both_kinds_of_judgements(root, folder):
    write(folder / "qrels.txt", QRELS)
    with pytest.raises(DataError, match="'qrels'"):
        load(folder).folder  # noqa: B018
