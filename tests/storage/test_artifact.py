"""Artifacts: whole or absent, refused when they are not what they should be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from legalir.errors import ArtifactError
from legalir.storage.artifact import building, open_build, read_manifest, seal


def build(path: Path, kind: str = "thing", version: int = 1, value: int = 7) -> Path:
    with building(path, kind, version) as (data, facts):
        np.save(data / "numbers.npy", np.arange(value))
        facts["value"] = value
    return path


def names(path: Path) -> set[str]:
    return {child.name for child in path.iterdir()}


def test_a_build_is_a_manifest_and_its_files(tmp_path: Path) -> None:
    path = build(tmp_path / "new" / "thing")
    manifest, arrays = open_build(path, "thing", 1)
    assert (manifest.kind, manifest.version, manifest.facts) == ("thing", 1, {"value": 7})
    assert names(path) == {"manifest.json", "pt_meta.json", manifest.data}
    assert list(manifest.files) == ["numbers.npy"]
    assert arrays["numbers"].tolist() == list(range(7))
    with pytest.raises(ValueError, match="read-only"):
        arrays["numbers"][0] = 1


def test_files_in_folders_are_verified(tmp_path: Path) -> None:
    with building(tmp_path / "thing", "thing", 1) as (data, _):
        (data / "shard" / "deep").mkdir(parents=True)
        (data / "shard" / "deep" / "rows").write_bytes(b"rows")
    manifest, _ = open_build(tmp_path / "thing", "thing", 1)
    assert list(manifest.files) == ["shard/deep/rows"]
    (tmp_path / "thing" / manifest.data / "shard" / "deep" / "rows").write_bytes(b"row!")
    with pytest.raises(ArtifactError, match="rows was altered"):
        open_build(tmp_path / "thing", "thing", 1)


def test_a_new_build_replaces_the_old_one(tmp_path: Path) -> None:
    path = build(tmp_path / "thing", value=3)
    old = read_manifest(path, "thing", 1)
    _, mapped = open_build(path, "thing", 1)
    build(path, value=5)
    new, arrays = open_build(path, "thing", 1)
    assert len(arrays["numbers"]) == 5
    assert names(path) == {"manifest.json", "pt_meta.json", new.data}
    assert old.data != new.data
    assert mapped["numbers"].tolist() == [0, 1, 2]  # who has the old one open keeps it


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_while_building_leaves_the_old_one(tmp_path: Path, error: type[BaseException]) -> None:
    path = build(tmp_path / "thing", value=3)
    before = names(path)
    with pytest.raises(error), building(path, "thing", 1) as (data, _):
        (data / "half").write_bytes(b"half")
        raise error
    assert names(path) == before
    assert open_build(path, "thing", 1)[0].facts == {"value": 3}


def test_an_interrupt_right_after_the_switch_leaves_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = build(tmp_path / "thing", value=3)
    replace = Path.replace

    def interrupted(self: Path, target: Path) -> Path:
        replace(self, target)
        if target.name == "manifest.json":
            raise KeyboardInterrupt
        return target

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "replace", interrupted)
        build(path, value=5)
    assert open_build(path, "thing", 1)[0].facts == {"value": 5}


def test_what_a_killed_build_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    path = build(tmp_path / "thing", value=3)
    for left in ("data-0123456789abcdef", ".spill-a_b1"):
        (path / left).mkdir()
        (path / left / "part").write_bytes(b"part")
    for left in (".manifest.json.abc12", ".pt_meta.json.x_y"):
        (path / left).write_bytes(b"{")
    for kept in ("data-2024", "data-0123456789abcdeg", ".git", ".spill"):
        (path / kept).mkdir()
    (path / "README").write_bytes(b"mine")
    build(path, value=4)
    manifest = read_manifest(path, "thing", 1)
    kept_names = {"data-2024", "data-0123456789abcdeg", ".git", ".spill", "README"}
    assert names(path) == {"manifest.json", "pt_meta.json", manifest.data} | kept_names


def test_what_a_killed_build_left_is_removed_before_the_disk_fills_again(tmp_path: Path) -> None:
    path = build(tmp_path / "thing", value=3)
    (path / "data-0123456789abcdef").mkdir()
    with building(path, "thing", 1) as (data, _):
        assert names(path) == {"manifest.json", "pt_meta.json", read_manifest(path, "thing", 1).data, data.name}


def test_a_path_with_only_leftovers_is_free(tmp_path: Path) -> None:
    path = tmp_path / "thing"
    (path / "data-0123456789abcdef").mkdir(parents=True)
    (path / ".spill-abc").mkdir()
    build(path)
    assert len(names(path)) == 3


def foreign(path: Path, what: str) -> None:
    """Put something at `path` that is not an artifact of the kind ``thing``."""
    if what == "file":
        path.write_bytes(b"a thesis")
    elif what == "another kind":
        build(path, kind="dense_index")
    else:
        path.mkdir()
        name, _, content = what.partition(":")
        if content == "directory":
            (path / name / "deep").mkdir(parents=True)
        else:
            (path / name).write_text(content, encoding="utf-8")


@pytest.mark.parametrize(
    "what",
    [
        "file",
        "another kind",
        "thesis.txt:a thesis",
        ".git:directory",
        # Names like ours: the manifest of a web application, a folder with the data of a year.
        'manifest.json:{"name": "a web application", "data": "x"}',
        "data-2024:directory",
        'pt_meta.json:{"type": "sparse_index", "format": "terrier"}',
        "pt_meta.json:[]",
    ],
)
def test_a_path_that_holds_something_else_is_left_alone(tmp_path: Path, what: str) -> None:
    path = tmp_path / "thing"
    foreign(path, what)
    before = sorted((p.relative_to(path), p.is_file() and p.read_bytes()) for p in path.rglob("*"))
    with pytest.raises(ArtifactError, match="is not a thing"):
        build(path)
    assert sorted((p.relative_to(path), p.is_file() and p.read_bytes()) for p in path.rglob("*")) == before


def test_a_damaged_manifest_can_be_built_over(tmp_path: Path) -> None:
    path = build(tmp_path / "thing", value=3)
    (path / "manifest.json").write_bytes(b"\xff\x00")
    build(path, value=4)
    assert open_build(path, "thing", 1)[0].facts == {"value": 4}
    assert len(names(path)) == 3


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ArtifactError, match="LEGALIR_HOME"):
        build(tmp_path / "file" / "thing")


def test_a_path_without_a_build_says_so(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="nowhere"):
        open_build(tmp_path / "nowhere", "thing", 1)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ArtifactError, match="cannot be read"):
        open_build(tmp_path / "file", "thing", 1)


def test_another_kind_or_version_is_refused(tmp_path: Path) -> None:
    path = build(tmp_path / "thing", version=1)
    with pytest.raises(ArtifactError, match=r"version 1.* version 2"):
        open_build(path, "thing", 2)
    with pytest.raises(ArtifactError, match="thing, and other"):
        open_build(path, "other", 1)


@pytest.mark.parametrize(
    "content",
    ["", "null", "[]", "3", "{}", '{"kind": "thing"}', "\ufeff{}", '{"sha256": null}', "[" * 200 + "]" * 200],
)
def test_a_manifest_that_is_none_is_damaged(tmp_path: Path, content: str) -> None:
    path = build(tmp_path / "thing")
    (path / "manifest.json").write_text(content, encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"manifest\.json is damaged"):
        open_build(path, "thing", 1)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("data", ".."), ("data", "a/../b"), ("version", 1.5)),
        *(("files", {name: {"size": 1, "sha256": "0"}}) for name in ("../x", "a/../../x", "/x", "a//x", "./x")),
        *(("files", {name: {"size": 1, "sha256": "0"}}) for name in ("a\\..\\x", "C:x", "")),
    ],
)
def test_a_manifest_edited_by_hand_is_damaged(tmp_path: Path, key: str, value: object) -> None:
    path = build(tmp_path / "thing")
    content = json.loads((path / "manifest.json").read_text(encoding="utf-8")) | {key: value}
    if key == "files":  # Names that lead elsewhere, with a digest that is right.
        content.pop("sha256")
        content = seal(content)
    (path / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"manifest\.json is damaged"):
        read_manifest(path, "thing", 1)


def test_a_build_that_is_replaced_while_it_is_opened_gives_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from legalir.storage import artifact

    path = build(tmp_path / "thing", value=3)
    verify = artifact.verify

    def late(*arguments: object) -> None:
        monkeypatch.setattr(artifact, "verify", verify)
        build(path, value=5)
        verify(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(artifact, "verify", late)
    manifest, arrays = open_build(path, "thing", 1)
    assert manifest.facts == {"value": 5}
    assert len(arrays["numbers"]) == 5
