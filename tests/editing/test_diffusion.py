"""Pipelines of diffusers, on tiny ones: called as they want to be, kept within masks, refused where they are broken."""

import asyncio
import inspect
import json
import shutil

import pytest
import torch
from editing.edits import pixels, white
from editing.hosting import CHANGE, PICTURE, SQUARE, annotated_square, edit, edits
from editing.pipelines import PIPELINES
from lazily import Lazy
from PIL import Image
from safetensors.torch import load_file, save_file
from tiers import mostly_slow

from countersight.editing.diffusion import KINDS, arguments, size_for
from countersight.editing.protocol import EditRequest, open_editor
from countersight.errors import EditFailed, EditorError, ModelError

diffusers = Lazy("diffusers")

torch.set_num_threads(1)  # on a shared machine, threads of models this small wait for each other most of the time

KONTEXT, PIX2PIX, INPAINT = (
    "FluxKontextPipeline",
    "StableDiffusionInstructPix2PixPipeline",
    "StableDiffusionInpaintPipeline",
)
WHOLE = [name for name in PIPELINES if not KINDS[name].fills]
FILLING = [name for name in PIPELINES if KINDS[name].fills]


@pytest.fixture(scope="session")
def tiny_pipeline(tmp_path_factory):
    """The folder of the tiny pipeline of a class."""
    made = {}

    def folder(name):
        if name not in made:
            made[name] = PIPELINES[name](tmp_path_factory.mktemp(name))
        return made[name]

    return folder


class Small:
    """Computes as few pixels as a test needs."""

    default_sample_size = 48
    vae_scale_factor = 2


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Let pipelines compute small pictures; those of Qwen would look at one of a million pixels in any case."""
    monkeypatch.setattr("countersight.editing.diffusion.size_for", lambda _, size: size_for(Small, size))
    for name in ("edit", "edit_inpaint"):
        module = __import__(f"diffusers.pipelines.qwenimage.pipeline_qwenimage_{name}", fromlist=["_"])
        dimensions = module.calculate_dimensions
        monkeypatch.setattr(
            module, "calculate_dimensions", lambda _, ratio, dimensions=dimensions: dimensions(128 * 128, ratio)
        )


def paint(folder, picture=PICTURE, instruction=CHANGE, **more):
    return edit(f"diffusers:{folder}?steps=1", picture, instruction, **more)


@pytest.mark.parametrize("name", KINDS)
def test_every_pipeline_accepts_our_arguments(name):
    kind = KINDS[name]
    taken = inspect.signature(getattr(diffusers, name).__call__).parameters
    picture = Image.new("RGB", (32, 32))
    called = arguments(kind, picture, "words", picture.convert("L") if kind.fills else None)
    called |= {"generator": None, "callback_on_step_end": None, "num_inference_steps": 1}
    assert called.keys() <= taken.keys()
    assert "mask_image" not in taken or kind.fills
    assert ("_auto_resize" in taken) == kind.bounded


@pytest.mark.parametrize("name", mostly_slow(WHOLE, {PIX2PIX}))
def test_edits_depend_on_the_seed_and_keep_the_size(tiny_pipeline, name):
    requests = [EditRequest(PICTURE, CHANGE, seed) for seed in (1, 1, 2)]
    first, same, other = edits(f"diffusers:{tiny_pipeline(name)}?steps=1", *requests)
    assert (first.picture.width, first.picture.height) == (48, 32)
    assert first.picture.data == same.picture.data
    assert first.picture.data != other.picture.data
    assert first.mask is None
    assert first.log["pipeline"] == name
    assert "The square is blue." in first.log["prompt"]


@pytest.mark.parametrize("name", mostly_slow(FILLING, {INPAINT}))
def test_pixels_outside_the_mask_do_not_change(tiny_pipeline, tmp_path, name):
    file = annotated_square(tmp_path / "coco.json")
    (edited,) = edits(
        f"diffusers:{tiny_pipeline(name)}?steps=1&annotations={file}", EditRequest(SQUARE, CHANGE, name="a.png")
    )
    before, after, mask = pixels(SQUARE.data), pixels(edited.picture.data), white(edited.mask)
    assert mask[8:16, 8:20].all()
    assert (after[~mask] == before[~mask]).all()
    assert (after[mask] != before[mask]).any()
    assert edited.log["pipeline"] == name


@pytest.mark.parametrize("size", [(640, 480), (333, 500), (4000, 1000), (17, 1000), (1, 1)])
def test_pictures_are_edited_at_the_models_size_in_their_aspect_ratio(size):
    class Pipeline:
        default_sample_size = 128
        vae_scale_factor = 8

    width, height = size_for(Pipeline, size)
    assert width % 16 == height % 16 == 0
    if max(size) < 20 * min(size):
        assert width * height == pytest.approx(1024 * 1024, rel=0.05)
        assert width / height == pytest.approx(size[0] / size[1], rel=0.05)


def test_a_cancelled_edit_stops_after_the_current_step(tiny_pipeline, monkeypatch):
    steps = []
    step = diffusers.DDIMScheduler.step
    monkeypatch.setattr(diffusers.DDIMScheduler, "step", lambda *a, **k: steps.append(a) or step(*a, **k))

    async def impatiently():
        editor = open_editor(f"diffusers:{tiny_pipeline(PIX2PIX)}?steps=999")
        editing = asyncio.create_task(editor.edit(EditRequest(PICTURE, CHANGE)))
        while not steps:
            await asyncio.sleep(0.01)
        editing.cancel()
        await editing

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(impatiently())
    assert 1 <= len(steps) < 999


def broken(tmp_path, folder):
    shutil.copytree(folder, tmp_path / "broken")
    return tmp_path / "broken"


def weights(folder, part):
    return next((folder / part).glob("*.safetensors"))


def lacking(part, name):
    def lack(folder):
        tensors = load_file(weights(folder, part))
        del tensors[next(key for key in tensors if name in key)]
        save_file(tensors, weights(folder, part), metadata={"format": "pt"})

    return lack


def torn(folder):
    weights(folder, "unet").write_bytes(weights(folder, "unet").read_bytes()[:1000])


def as_a_program(folder):
    torch.save(load_file(weights(folder, "unet")), folder / "unet" / "diffusion_pytorch_model.bin")
    weights(folder, "unet").unlink()


def of_another_class(folder):
    index = json.loads((folder / "model_index.json").read_text())
    (folder / "model_index.json").write_text(json.dumps(index | {"_class_name": "FluxKontextPipelin"}))


def with_code(folder):
    index = json.loads((folder / "model_index.json").read_text())
    (folder / "model_index.json").write_text(json.dumps(index | {"unet": ["my_unet", "Mine"]}))
    ran = f"open({str(folder / 'ran')!r}, 'w')\nclass Mine: pass\n"
    (folder / "unet" / "my_unet.py").write_text(ran)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (lacking("unet", "conv_in.weight"), "unet lacks 1 of its weights, such as conv_in.weight"),
        (torn, "cannot be loaded"),
        (as_a_program, "cannot be loaded: .*safetensors"),
        (lambda folder: shutil.rmtree(folder / "unet"), "not complete: unet is missing"),
        (of_another_class, "contains a FluxKontextPipelin, which cannot edit pictures"),
        (lambda folder: (folder / "model_index.json").write_text("{"), "does not name a pipeline"),
        (lambda folder: (folder / "model_index.json").unlink(), "contains no pipeline"),
        (with_code, "cannot be loaded: .*custom code"),
    ],
)
def test_an_incomplete_pipeline_folder_is_an_error_message(tiny_pipeline, tmp_path, fault, why):
    folder = broken(tmp_path, tiny_pipeline(PIX2PIX))
    fault(folder)
    with pytest.raises(EditorError, match=why) as caught:
        paint(folder)
    assert "\n" not in str(caught.value)
    assert not (folder / "ran").exists()


def test_a_missing_package_or_folder_is_an_error_message(tiny_pipeline, monkeypatch):
    with pytest.raises(EditorError, match="nowhere contains no pipeline"):
        open_editor("diffusers:nowhere")
    for options, why in {
        "device=gpu": "no device 'gpu'",
        "dtype=float8": "no dtype 'float8'",
        "steps=0": "steps=0 must be a whole number from 1 to 1000",
        "steps=many": "must be a whole number",
        "speed=9": "no option 'speed'",
        "annotations=a.json": "no option 'annotations'",  # it does not work under a mask
    }.items():
        with pytest.raises((EditorError, ModelError), match=why):
            open_editor(f"diffusers:{tiny_pipeline(PIX2PIX)}?{options}")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        EditorError, match=r"needs diffusers, which is not installed: pip install 'countersight\[edit\]'"
    ):
        open_editor(f"diffusers:{tiny_pipeline(PIX2PIX)}")


def test_a_numeric_overflow_is_a_failed_edit(tiny_pipeline, tmp_path):
    folder = broken(tmp_path, tiny_pipeline(PIX2PIX))
    tensors = load_file(weights(folder, "vae"))
    save_file({key: value * float("nan") for key, value in tensors.items()}, weights(folder, "vae"), {"format": "pt"})
    with pytest.warns(RuntimeWarning, match="invalid value"), pytest.raises(EditFailed, match="is black"):
        paint(folder)


def test_an_error_in_a_pipeline_is_a_failed_edit(tiny_pipeline, monkeypatch):
    def full(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(getattr(diffusers, PIX2PIX), "__call__", full)
    with pytest.raises(EditFailed, match="not enough memory"):
        paint(tiny_pipeline(PIX2PIX))


def test_a_picture_blocked_by_the_safety_checker_is_moderated(tiny_pipeline, monkeypatch):
    class Held:
        images = [Image.new("RGB", (16, 16))]
        nsfw_content_detected = [True]

    monkeypatch.setattr(getattr(diffusers, PIX2PIX), "__call__", lambda *_, **__: Held())
    with pytest.raises(EditFailed, match="moderated: the pipeline's safety checker"):
        paint(tiny_pipeline(PIX2PIX))


def test_the_settings_contain_pipeline_weights_and_precision(tiny_pipeline, tmp_path):
    folder = broken(tmp_path, tiny_pipeline(PIX2PIX))
    settings = open_editor(f"diffusers:{folder}?steps=1").settings
    assert settings["pipeline"] == PIX2PIX
    assert settings["steps"] == 1
    assert settings["dtype"] in ("float32", "bfloat16")
    tensors = load_file(weights(folder, "vae"))
    save_file({key: value * 2 for key, value in tensors.items()}, weights(folder, "vae"), {"format": "pt"})
    assert open_editor(f"diffusers:{folder}?steps=1").settings["weights"] != settings["weights"]
