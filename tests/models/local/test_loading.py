"""Loading models from folders, and the messages for everything that may be wrong with a folder."""

import importlib.util
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from countersight.errors import ModelError
from countersight.models.local.loading import find_device, find_dtype, fingerprint, load
from countersight.models.protocol import ModelSettings

Folders = Callable[[str], Path]


@pytest.fixture
def copy(tiny_folder: Folders, tmp_path: Path) -> Path:
    """A copy of a model, which the test may damage."""
    return Path(shutil.copytree(tiny_folder("llava"), tmp_path / "model"))


def test_a_downloaded_model_is_found_by_its_name(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path / "cache" / "models--somebody--tiny-llava"
    (repository / "snapshots").mkdir(parents=True)
    copy.rename(repository / "snapshots" / ("0" * 40))
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0" * 40)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    assert load("somebody/tiny-llava", device="cpu").family == "llava"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nobody/nothing", "nothing. is not on this machine; download it with: hf download nobody/nothing"),
        ("/no/such/folder", "is not on this machine; specify a folder with config.json and weights"),
        ("one", "is not on this machine; specify a folder"),
        ("bad\x00name", "is not on this machine; specify a folder"),
    ],
)
def test_a_missing_model_or_invalid_name_is_reported(name: str, reason: str) -> None:
    with pytest.raises(ModelError, match=reason) as caught:
        load(name)
    assert "\n" not in str(caught.value)


INDEX = {"metadata": {}, "weight_map": {"a": "model.safetensors", "b": "model-00002-of-00002.safetensors"}}


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("config.json", None, r"is not a model: it contains no config\.json"),
        ("model.safetensors", None, r"has no weights .*; specify a folder with config\.json and weights"),
        ("preprocessor_config.json", None, "cannot be loaded|has no image processor"),
        (
            "model.safetensors.index.json",
            json.dumps(INDEX).encode(),
            r"not complete: model-00002-of-00002\.safetensors",
        ),
        *(
            ("config.json", content, "cannot be loaded")
            for content in (b"", b"[]", b'{"model_type": "no"}', b"\xff\xfe")
        ),
        *(
            (file, ..., "cannot be loaded")
            for file in ("model.safetensors", "tokenizer.json", "preprocessor_config.json")
        ),
    ],
)
def test_a_missing_damaged_or_truncated_file_is_reported(file: str, content: Any, reason: str, copy: Path) -> None:
    """`...` stands for the first half of the file."""
    if content is None:
        (copy / file).unlink()
    else:
        whole = content if content is not ... else (copy / file).read_bytes()[: (copy / file).stat().st_size // 2]
        (copy / file).write_bytes(whole)
    with pytest.raises(ModelError, match=reason) as caught:
        load(str(copy))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("family", ["blip_2", "qwen2_5_vl", "llava"])
def test_a_missing_tokenizer_is_reported(family: str, tiny_folder: Folders, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_folder(family), tmp_path / "model")
    for file in folder.glob("tokenizer*"):
        file.unlink()
    with pytest.raises(ModelError, match=r"has no tokenizer: tokenizer\.json is missing$"):
        load(str(folder))


def test_missing_weights_are_not_initialised_randomly(copy: Path) -> None:
    weights = load_file(copy / "model.safetensors")
    name = next(name for name in weights if "multi_modal_projector" in name)
    del weights[name]
    save_file(weights, copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match=r"lacks 1 of the model's weights, such as .*multi_modal_projector"):
        load(str(copy))


def test_a_model_without_pictures_or_text_output_is_refused(tmp_path: Path) -> None:
    config = transformers.DistilBertConfig(vocab_size=50, dim=8, hidden_dim=8, n_layers=1, n_heads=1)
    transformers.DistilBertModel(config).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="contains a distilbert model, which does not accept pictures"):
        load(str(tmp_path))


def test_code_in_a_model_folder_is_never_run(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    config |= {"model_type": "theirs", "auto_map": {"AutoConfig": "theirs.Config"}}
    (copy / "config.json").write_text(json.dumps(config))
    ran = copy / "ran"
    (copy / "theirs.py").write_text(f"open({str(ran)!r}, 'w')\nclass Config: pass\n")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load(str(copy))
    assert not ran.exists()


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_a_missing_package_is_reported_with_the_command(
    package: str, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModelError, match=rf"local models need {package}.*pip install 'countersight\[local\]'"):
        load(str(copy))


def test_the_default_dtype_is_that_of_the_weights_or_float32_on_the_cpu() -> None:
    config = transformers.LlavaConfig()
    config.dtype = torch.bfloat16
    assert find_dtype("auto", "cuda", config) == "bfloat16"
    assert find_dtype("auto", "cpu", config) == "float32"
    assert find_dtype("float16", "cpu", config) == "float16"
    with pytest.raises(ModelError, match=r"there is no dtype 'bfloat'; did you mean 'bfloat16'\?"):
        ModelSettings(dtype="bfloat")


def test_a_missing_device_or_a_torch_without_cuda_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=r"there is no device 'cdu'; did you mean 'cpu'\?"):
        find_device("cdu")
    monkeypatch.setattr("torch.version.cuda", None)
    with pytest.raises(ModelError, match=r"the installed torch \(.+\) was built without CUDA"):
        find_device("cuda")


def test_quantised_weights_need_accelerate(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = json.loads((copy / "config.json").read_text())
    quantised = {"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}}
    (copy / "config.json").write_text(json.dumps(config | quantised))
    found = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "accelerate" else found(name))
    with pytest.raises(ModelError, match="quantised weights need accelerate"):
        load(str(copy))


def test_the_fingerprint_depends_on_weights_and_settings(copy: Path) -> None:
    first = fingerprint(copy)
    assert fingerprint(copy) == first
    weights = load_file(copy / "model.safetensors")
    save_file({name: weight + 1 for name, weight in weights.items()}, copy / "model.safetensors", {"format": "pt"})
    second = fingerprint(copy)
    (copy / "chat_template.jinja").write_text("{{ messages }}")
    assert len({first, second, fingerprint(copy)}) == 3
