"""Where models are found: folders, the hub's cache, the hub; and what is said when they are not."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from legalir.errors import ModelError
from legalir.models.folders import find_model, is_folder, is_model_name

pytestmark = pytest.mark.neural

REPOSITORY = (
    *("config.json", "README.md", "tokenizer.json", "vocab.txt", "sentencepiece.bpe.model", "modules.json"),
    *("1_Pooling/config.json", "2_Dense/config.json", "2_Dense/pytorch_model.bin", "sparse_linear.pt"),
    *("colbert_linear.pt", "modeling_own.py", "chat_template.jinja", "onnx/model.onnx", "onnx/config.json"),
    *("openvino/config.json", "checkpoint-3/config.json", "training_args.bin", "tf_model.h5", ".eval_results/a.json"),
)
NEEDED = (
    *("config.json", "tokenizer.json", "vocab.txt", "sentencepiece.bpe.model", "modules.json"),
    *("1_Pooling/config.json", "2_Dense/config.json", "2_Dense/pytorch_model.bin", "sparse_linear.pt"),
    *("colbert_linear.pt", "chat_template.jinja"),
)


def write_folder(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("[]" if name == "modules.json" else "{}", encoding="utf-8")
    return folder


class Hub:
    """Stands in for the hub: what it lists, what its cache holds, and what it was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
        import huggingface_hub
        from huggingface_hub.errors import LocalEntryNotFoundError

        self.files: tuple[str, ...] = ()
        self.cache = cache
        self.fault: Exception | None = None
        self.asked: list[tuple[str, list[str], bool]] = []
        self.absent = LocalEntryNotFoundError
        monkeypatch.setattr(huggingface_hub.HfApi, "model_info", self.model_info)
        monkeypatch.setattr(huggingface_hub, "snapshot_download", self.snapshot_download)

    def model_info(self, name: str, *, timeout: float) -> Any:
        assert timeout <= 10
        if self.fault is not None:
            raise self.fault
        return SimpleNamespace(siblings=[SimpleNamespace(rfilename=file) for file in self.files])

    def snapshot_download(self, name: str, *, allow_patterns: list[str], local_files_only: bool = False) -> str:
        self.asked.append((name, allow_patterns, local_files_only))
        if local_files_only and not self.cache.is_dir():
            raise self.absent("not here")
        if not local_files_only:
            write_folder(self.cache, *allow_patterns)
        return str(self.cache)


@pytest.fixture(name="hub")
def pretended_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Hub:
    return Hub(monkeypatch, tmp_path / "hub" / "snapshot")


def test_a_folder_is_returned_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_folder(tmp_path / "models" / "one", "config.json", "model.safetensors")
    assert find_model(folder) == find_model(str(folder)) == folder
    monkeypatch.chdir(tmp_path)
    assert find_model("models/one") == Path("models/one")  # It is there, so it is no name.
    assert find_model("./models/one") == Path("models/one")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_model("~/models/one") == folder
    assert find_model(write_folder(tmp_path / "static", "modules.json")) == tmp_path / "static"


def test_what_is_a_folder_and_what_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in (".", "./x", "../x", "~/x", "/x", str(tmp_path)):
        assert is_folder(text)
        assert is_model_name(text)
    assert is_folder(Path("x"))
    assert not is_folder("org/name")
    assert is_model_name("org/name")
    assert not is_folder("lsa")
    assert not is_model_name("lsa")
    (tmp_path / "lsa").mkdir()
    assert is_folder("lsa")
    assert not is_model_name("lsa")


@pytest.mark.parametrize(
    ("names", "lacking"),
    [
        ((), "config.json"),
        (("README.md",), "config.json"),
        (("config.json",), "model.safetensors"),
        (("config.json", "model.safetensors"), "sparse_linear.pt"),
    ],
)
def test_a_folder_that_is_not_whole(tmp_path: Path, names: tuple[str, ...], lacking: str) -> None:
    folder = write_folder(tmp_path / "one", *names)
    folder.mkdir(exist_ok=True)
    with pytest.raises(ModelError, match=f"{lacking}"):
        find_model(folder, needs=("sparse_linear.pt",))


def test_parts_and_modules_that_are_listed_have_to_be_there(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, "config.json", "model-1.safetensors")
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    with pytest.raises(ModelError, match=r"model-2\.safetensors"):
        find_model(folder)
    write_folder(folder, "model-2.safetensors")
    modules = [{"path": "", "type": "x.Transformer"}, {"path": "1_Pooling", "type": "x.Pooling"}]
    modules.append({"path": "2_Normalize", "type": "x.Normalize"})  # Which has no files.
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    with pytest.raises(ModelError, match="1_Pooling"):
        find_model(folder)
    write_folder(folder, "1_Pooling/config.json")
    assert find_model(folder) == folder
    (folder / "modules.json").write_text("[{", encoding="utf-8")
    with pytest.raises(ModelError, match=r"modules\.json.*JSON"):
        find_model(folder)


@pytest.mark.parametrize("model", ["", "lsa", "a/b/c", "org/", "org/na me", "https://example.org/x", "-x/y"])
def test_what_is_neither_folder_nor_name(model: str) -> None:
    with pytest.raises(ModelError, match="'BAAI/bge-m3'"):
        find_model(model)


@pytest.mark.parametrize("model", ["./nothing", "~/nothing/at/all", Path("nothing")])
def test_a_folder_that_is_not_there(model: str | Path) -> None:
    with pytest.raises(ModelError, match=r"no folder .*nothing.* at /.*nothing"):
        find_model(model)


def test_what_is_in_the_cache_needs_no_network(hub: Hub) -> None:
    write_folder(hub.cache, "config.json", "model.safetensors")
    hub.fault = AssertionError("asked the hub")
    assert find_model("org/name") == hub.cache
    assert [local for _, _, local in hub.asked] == [True]


def test_only_what_a_model_needs_is_fetched(hub: Hub) -> None:
    hub.files = (*REPOSITORY, "model.safetensors", "pytorch_model.bin")
    assert find_model("org/name") == hub.cache
    assert sorted(hub.asked[-1][1]) == sorted([*NEEDED, "model.safetensors"])


def test_pickled_weights_are_fetched_where_there_are_no_others(hub: Hub) -> None:
    hub.files = (*REPOSITORY, "pytorch_model.bin")
    find_model("org/name")
    assert sorted(hub.asked[-1][1]) == sorted([*NEEDED, "pytorch_model.bin"])


def test_code_is_fetched_only_when_it_is_trusted(hub: Hub) -> None:
    hub.files = (*REPOSITORY, "model.safetensors")
    find_model("org/name", trust_remote_code=True)
    assert sorted(hub.asked[-1][1]) == sorted([*NEEDED, "model.safetensors", "modeling_own.py"])


def test_code_that_was_left_out_is_fetched_when_it_is_trusted(hub: Hub) -> None:
    write_folder(hub.cache, "config.json", "model.safetensors")
    auto_map = {"AutoConfig": "own.Config", "AutoModel": "own.Model", "AutoTokenizer": "other/model--code.Tokenizer"}
    (hub.cache / "config.json").write_text(json.dumps({"auto_map": auto_map}), encoding="utf-8")
    hub.files = ("model.safetensors", "own.py")
    find_model("org/name")
    assert [local for _, _, local in hub.asked] == [True]
    find_model("org/name", trust_remote_code=True)
    find_model("org/name", trust_remote_code=True)
    assert [local for _, _, local in hub.asked] == [True, True, False, True]
    assert (hub.cache / "own.py").is_file()


def test_a_cut_off_download_is_completed(hub: Hub) -> None:
    write_folder(hub.cache, "config.json")
    hub.files = ("config.json", "model.safetensors")
    assert find_model("org/name") == hub.cache
    assert [local for _, _, local in hub.asked] == [True, False]


def test_a_model_of_another_kind(hub: Hub) -> None:
    hub.files = ("config.json", "model.safetensors")
    with pytest.raises(ModelError, match=r"'org/name'.*sparse_linear\.pt"):
        find_model("org/name", needs=("sparse_linear.pt",))


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (ConnectionError("[Errno -2] Name or service not known"), "Name or service not known"),
        (TimeoutError(), "TimeoutError"),
        (OSError("You are trying to access a gated repo.\nMake sure to have access to it."), "gated repo"),
        (ValueError("something new"), "something new"),
        (ValueError("seven. " * 30), " ".join(["seven."] * 22) + " …"),
    ],
)
def test_without_network_the_error_names_the_model_and_the_cure(hub: Hub, fault: Exception, reason: str) -> None:
    hub.fault = fault
    with pytest.raises(ModelError) as caught:
        find_model("org/name")
    message = str(caught.value)
    assert "org/name" in message
    assert f"({reason})" in message.replace("[Errno -2] ", "").replace("You are trying to access a ", "")
    assert "`hf download org/name --local-dir FOLDER`" in message
    assert message.endswith("and give path/to/FOLDER instead of the name.")
    assert "\n" not in message
    assert caught.value.__cause__ is fault


def test_the_real_client_without_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="`hf download BAAI/bge-m3 "):
        find_model("BAAI/bge-m3")
