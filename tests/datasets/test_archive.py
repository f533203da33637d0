import io
import tarfile
import zipfile

import pytest

from legalir.datasets.download import extract
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
    assert extract(archive, ["*/data/*.json"], out) == [out / "laws.json"]
    assert [path.name for path in out.iterdir()] == ["laws.json"]
    assert (out / "laws.json").read_bytes() == b"[1]"


@makers
@pytest.mark.parametrize(
    "bad", ["../evil.json", "/etc/evil.json", "a/../../evil.json", "..\\evil.json", "C:\\evil.json"]
)
def test_a_name_that_leads_outside(tmp_path, make, name, bad):
    archive = make(tmp_path / name, [(bad, b"x")])
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(DataError, match="leads outside"):
        extract(archive, ["*"], out)
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
        extract(archive, ["*.json"], tmp_path)


def test_a_symbolic_link_in_a_zip_is_left_out(tmp_path):
    info = zipfile.ZipInfo("link.json")
    info.external_attr = 0o120777 << 16
    archive = make_zip(tmp_path / "a.zip", [(info, b"/etc/passwd")])
    with pytest.raises(DataError, match="holds nothing"):
        extract(archive, ["*.json"], tmp_path)


@makers
def test_too_much(tmp_path, make, name):
    archive = make(tmp_path / name, [("big.json", b"0" * 100_000)])
    with pytest.raises(DataError, match="unpacks to more than 1000 bytes"):
        extract(archive, ["*"], tmp_path, max_bytes=1000)


@makers
def test_two_of_one_name(tmp_path, make, name):
    archive = make(tmp_path / name, [("a/x.json", b"1"), ("b/x.json", b"2")])
    with pytest.raises(DataError, match=r"two files that are called x\.json"):
        extract(archive, ["*"], tmp_path)


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04 broken"])
def test_no_archive(tmp_path, content):
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(DataError, match=r"not a zip or tar archive|holds nothing"):
        extract(tmp_path / "a.zip", ["*"], tmp_path)
