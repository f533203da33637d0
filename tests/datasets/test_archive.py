import io
import tarfile
import zipfile

import pytest

from legalir.datasets.download import unpack
from legalir.errors import DataError


def make_zip(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in members:
            bundle.writestr(name, data)
    return path


def make_tar(path, members):
    with tarfile.open(path, "w:gz") as bundle:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            bundle.addfile(info, io.BytesIO(data))
    return path


makers = pytest.mark.parametrize(("make", "name"), [(make_zip, "a.zip"), (make_tar, "a.tar.gz")])


@makers
def test_only_what_was_asked_for(tmp_path, make, name):
    archive = make(tmp_path / name, [("top/data/laws.json", b"[1]"), ("top/code.py", b"x"), ("top/data/", b"")])
    out = tmp_path / "out"
    out.mkdir()
    assert unpack(archive, out, ["*/data/*.json"]) == [out / "laws.json"]
    assert [path.name for path in out.iterdir()] == ["laws.json"]
    assert (out / "laws.json").read_bytes() == b"[1]"


@makers
@pytest.mark.parametrize("bad", ["../evil", "/etc/evil", "a/../../evil", "..\\evil", "C:\\evil"])
def test_a_name_that_leads_outside(tmp_path, make, name, bad):
    archive = make(tmp_path / name, [(bad, b"x")])
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(DataError, match="leads outside"):
        unpack(archive, out, ["*"])
    assert not list(tmp_path.rglob("evil.json"))


def test_links_and_devices_are_left_out(tmp_path):
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as bundle:
        for kind, name in (
            (tarfile.SYMTYPE, "link.json"),
            (tarfile.LNKTYPE, "hard.json"),
            (tarfile.FIFOTYPE, "f.json"),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            bundle.addfile(info)
    with pytest.raises(DataError, match="holds nothing that matches"):
        unpack(archive, tmp_path, ["*.json"])


def test_a_symbolic_link_in_a_zip_is_left_out(tmp_path):
    info = zipfile.ZipInfo("link.json")
    info.external_attr = 0o120777 << 16
    archive = make_zip(tmp_path / "a.zip", [(info, b"/etc/passwd")])
    with pytest.raises(DataError, match="holds nothing"):
        unpack(archive, tmp_path, ["*.json"])


@makers
def test_too_much(tmp_path, make, name):
    archive = make(tmp_path / name, [("big.json", b"0" * 100_000)])
    with pytest.raises(DataError, match="unpacks to more than 1000 bytes"):
        unpack(archive, tmp_path, ["*"], max_bytes=1000)


@makers
def test_two_of_one_name(tmp_path, make, name):
    archive = make(tmp_path / name, [("a/x.json", b"1"), ("b/x.json", b"2")])
    with pytest.raises(DataError, match=r"two files 'x\.json'"):
        unpack(archive, tmp_path, ["*"])


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04 broken"])
def test_no_archive(tmp_path, content):
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(DataError, match=r"zip or tar|holds nothing"):
        unpack(tmp_path / "a.zip", tmp_path, ["*"])


@makers
def test_folders_stay(tmp_path, make, name):
    archive = make(tmp_path / name, [("a/law.md", b"1"), ("b/law.md", b"2")])
    assert [str(path.relative_to(tmp_path)) for path in unpack(archive, tmp_path)] == ["a/law.md", "b/law.md"]
    assert (tmp_path / "b" / "law.md").read_bytes() == b"2"


@makers
@pytest.mark.parametrize(
    ("members", "limits", "message"),
    [
        ([("big", b"0" * 100_000)], {"max_bytes": 1000}, "1000 bytes"),
        ([(f"{n}", b"") for n in range(4)], {"max_files": 3}, "3 files"),
        ([("a", b"1"), ("a", b"2")], {}, "'a'"),
        ([("a", b"1"), ("a/b", b"2")], {}, "'a/b'"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_unpacking_has_limits(tmp_path, make, name, members, limits, message):
    archive = make(tmp_path / name, members)
    with pytest.raises(DataError, match=message):
        unpack(archive, tmp_path / "out", **limits)


def test_a_bomb_that_lies_about_its_size(tmp_path):
    archive = make_zip(tmp_path / "a.zip", [("big", b"0" * 5_000_000)])
    small = archive.read_bytes().replace((5_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    archive.write_bytes(small)
    with pytest.raises(DataError, match=r"a\.zip"):
        unpack(archive, tmp_path / "out", max_bytes=1000)
    assert sum(path.stat().st_size for path in (tmp_path / "out").iterdir()) <= 1000


def test_an_encrypted_archive(tmp_path):
    archive = make_zip(tmp_path / "a.zip", [("a", b"x")])
    content = bytearray(archive.read_bytes())
    content[6] |= 1  # The flag in the header of the file,
    content[content.index(b"PK\x01\x02") + 8] |= 1  # and in the directory.
    archive.write_bytes(content)
    with pytest.raises(DataError, match="encrypted"):
        unpack(archive, tmp_path / "out")
