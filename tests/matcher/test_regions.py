"""Regions of pictures: LXMERT's files, our own format, encoders and detectors, and training on them."""

import asyncio
import base64
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import replies, run_command

from countersight import make
from countersight.case import Option
from countersight.cli import main
from countersight.errors import CountersightError, ModelError
from countersight.models import ModelSettings, Request
from countersight.models.matcher import (
    FILES,
    Listed,
    Regions,
    Sheet,
    View,
    open_matcher,
    read_sheet,
    side_by_side,
    write_regions,
    write_sheet,
)
from countersight.training import read_tsv

sides = st.integers(1, 4)


def write_tsv(path: Path, pictures) -> None:
    """Write regions in LXMERT's format; columns that are not read are zero."""
    lines = []
    for name, view in pictures:
        count = len(view.boxes)
        unread = [np.zeros(count, kind) for kind in (np.int64, np.float32, np.int64, np.float32)]
        boxes = (view.boxes * np.array([640, 480, 640, 480])).astype(np.float32)
        *known, boxes, features = (
            base64.b64encode(array.tobytes()).decode() for array in (*unread, boxes, view.features)
        )
        lines.append("\t".join([name, "480", "640", *known, str(count), boxes, features]))
    path.write_text("\n".join(lines) + "\n")


@st.composite
def views(draw, size):
    count = draw(sides)
    chance = np.random.default_rng(draw(st.integers(0, 99)))
    return View(chance.normal(size=(count, size)).astype(np.float32), chance.random((count, 4), np.float32))


@given(seen=st.lists(views(size=3), min_size=1, max_size=4))
def test_a_file_of_lxmert_is_read_without_loss(seen, tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("tsv") / "regions.tsv"
    write_tsv(path, ((f"COCO_{number}", view) for number, view in enumerate(seen)))
    for (name, found), (number, view) in zip(read_tsv(path), enumerate(seen), strict=True):
        assert name == f"COCO_{number}"
        assert np.array_equal(found.features, view.features)
        assert found.boxes == pytest.approx(view.boxes, abs=1e-6)


@given(seen=st.lists(views(size=3), min_size=1, max_size=4))
def test_a_folder_of_regions_keeps_sixteen_bits(seen, tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("regions") / "made"
    rows = [(Listed(f"images/{number}.png", f"digest{number}"), view) for number, view in enumerate(seen)]
    made = write_regions(folder, "files", rows, count=len(rows), most=4)
    assert list(made) == [one.name for one, _ in rows]
    for number, view in enumerate(seen):
        for name in (f"images/{number}.png", f"digest{number}"):
            assert made[name].features == pytest.approx(view.features, rel=1e-3, abs=1e-3)
            assert np.array_equal(made[name].boxes, view.boxes)
    features, _, there = side_by_side([made[name] for name in made])
    assert there.sum() == sum(len(view.boxes) for view in seen)
    assert features.shape[:2] == there.shape


@pytest.mark.parametrize("line", ["a\tb", "x\t1\t1\tA\tA\tA\tA\t1\t!\tAAAA", "x\t0\t0\tA\tA\tA\tA\t0\tA\tA"])
def test_an_invalid_line_is_reported(line, tmp_path) -> None:
    (tmp_path / "bad.tsv").write_text(line + "\n")
    with pytest.raises(CountersightError, match=r"bad.tsv, line 1 is not in LXMERT's format"):
        list(read_tsv(tmp_path / "bad.tsv"))


def test_a_folder_without_regions_is_reported(tmp_path) -> None:
    with pytest.raises(CountersightError, match="countersight features DATASET"):
        Regions(tmp_path)


@pytest.fixture(scope="module")
def flowers(tmp_path_factory):
    return make("cvqa-synthetic", tmp_path_factory.mktemp("regions") / "flowers", size=12, seed=1).path


def trained(flowers, regions, folder, vcr=None):
    """Return a matcher trained for one epoch on the regions in a folder."""
    from countersight.dataset import Dataset
    from countersight.training import TrainingPlan, train_matcher

    tiny = {"hidden": 32, "heads": 2, "text_layers": 1, "vision_layers": 1, "cross_layers": 1, "seeds": (1,)}
    plan = TrainingPlan(**tiny, inputs="full", features=str(regions), epochs=1, held_out=0)
    return train_matcher(Dataset.open(flowers), folder, plan, vcr=vcr, say=lambda _: None)


@pytest.mark.slow
def test_regions_of_the_encoder_are_used_in_training_and_ranking(flowers, tmp_path, capsys) -> None:
    assert main(["features", str(flowers), "--encoder", "embedded", "-o", str(tmp_path / "regions")]) == 0
    assert "regions of 12 pictures" in capsys.readouterr().out
    run = trained(flowers, tmp_path / "regions", tmp_path / "run")
    assert json.loads((run / "seed-1/matcher.json").read_text())["view"] == "embedded"
    done = run_command(flowers, tmp_path / "asked", f"matcher:{run}", "--rank", here=False)
    assert done.returncode == 0, done.stderr
    assert len(replies(tmp_path / "asked")) == 24


def test_a_vision_tower_gives_a_grid_of_regions(flowers, tmp_path) -> None:
    from transformers import ViTConfig, ViTImageProcessor, ViTModel

    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    ViTModel(ViTConfig(**sizes, image_size=32, patch_size=4)).save_pretrained(tmp_path / "vit")
    ViTImageProcessor(size={"height": 32, "width": 32}).save_pretrained(tmp_path / "vit")
    view = f"hf:{tmp_path / 'vit'}"
    assert main(["features", str(flowers), "--encoder", view, "-o", str(tmp_path / "regions")]) == 0
    features, boxes = Regions(tmp_path / "regions")["images/000001.png"]
    assert features.shape == (36, 16)
    assert boxes[7] == pytest.approx([1 / 6, 1 / 6, 2 / 6, 2 / 6])


def test_folders_in_a_sheet_are_found_from_any_working_directory(tmp_path, monkeypatch) -> None:
    for name in ("tower", "regions", "matchers/seed-1", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    write_sheet(tmp_path / "matchers/seed-1", Sheet("full", "hf:tower", features="regions"))
    (tmp_path / "moved").mkdir()
    for name in ("tower", "regions", "matchers"):
        (tmp_path / name).rename(tmp_path / "moved" / name)
    monkeypatch.chdir(tmp_path / "elsewhere")
    found = read_sheet(Path("../moved/matchers/seed-1"))
    moved = tmp_path.resolve() / "moved"
    assert (found.view, found.features) == (f"hf:{moved / 'tower'}", str(moved / "regions"))
    (tmp_path / "elsewhere/linked").symlink_to("../moved/matchers/seed-1")
    assert read_sheet(Path("linked")) == found
    write_sheet(Path("linked"), Sheet("full", "hf:../moved/tower", features="../moved/regions"))
    assert read_sheet(moved / "matchers/seed-1") == found
    write_sheet(tmp_path, Sheet("full", "hf:OWNER/NAME"))
    assert read_sheet(tmp_path).view == "hf:OWNER/NAME"


@pytest.mark.slow
def test_regions_from_files_are_used_in_training_and_ranking_and_unknown_pictures_fail(
    flowers, tmp_path, capsys, monkeypatch
) -> None:
    chance = np.random.default_rng(0)
    names = [*(f"{number:06d}" for number in range(1, 13)), "film/7@3"]
    rows = ((name, View(chance.random((5, 7), np.float32), chance.random((5, 4), np.float32))) for name in names)
    write_tsv(tmp_path / "all.tsv", rows)
    asked = {"objects": ["dog"], "question": ["Is", [0], "?"], "answer_choices": [["A"], ["B"]], "answer_label": 0}
    (tmp_path / "vcr.jsonl").write_text(json.dumps({"img_fn": "film/7@3.jpg", **asked}) + "\n")
    files = ["--tsv", str(tmp_path / "all.tsv"), "--with", str(tmp_path / "vcr.jsonl")]
    assert main(["features", str(flowers), *files, "-o", str(tmp_path / "regions")]) == 0
    monkeypatch.chdir(tmp_path)
    run = trained(flowers, "regions", tmp_path / "run", vcr=tmp_path / "vcr.jsonl")
    monkeypatch.chdir(flowers)  # who asks stands elsewhere
    assert "| 47.37 |" in (run / "README.md").read_text()
    done = run_command(flowers, tmp_path / "asked", f"matcher:{run}", "--rank", here=False)
    assert done.returncode == 0, done.stderr
    assert all(one.losses for one in replies(tmp_path / "asked"))
    write_regions(tmp_path / "narrow", FILES, [(Listed("a"), region())], count=1, most=1)
    narrow = open_matcher("m", f"{run}?features={tmp_path / 'narrow'}", ModelSettings())
    with pytest.raises(ModelError, match="narrow has 3 numbers per region, but m was trained with 7: use"):
        asyncio.run(narrow.losses(Request("", (), "choice", (Option("A"), Option("B")))))
    gone = open_matcher("m", f"{run}?features={tmp_path / 'gone'}", ModelSettings())
    with pytest.raises(ModelError, match=r"gone does not exist; set their folder with \?features=DIR"):
        asyncio.run(gone.losses(Request("", (), "choice", (Option("A"), Option("B")))))
    others = make("cvqa-synthetic", tmp_path / "others", size=6, seed=2).path
    run_command(others, tmp_path / "strange", f"matcher:{run}", "--rank", here=False)
    assert all("has no regions for this picture" in one.reason for one in replies(tmp_path / "strange"))


def region(value: float = 1.0, size: int = 3) -> View:
    return View(np.full((1, size), value, np.float32), np.ones((1, 4), np.float32))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("000001", region())], "has no regions for 11 pictures"),
        (
            [("000001", region()), ("000002", region(size=4))],
            "line 2 is not in LXMERT's format (its regions have 4 numbers",
        ),
        (
            [("000001", region(float("nan")))],
            "line 1 is not in LXMERT's format (its features or boxes contain values that are not numbers",
        ),
        ([("000001", region()), ("a/000001", region())], "has 2 lines for 000001"),
        ([(f"{n:06d}", region(7e4)) for n in range(1, 13)], "000001.png has a number too large for 16 bits"),
    ],
)
def test_unusable_regions_are_reported(rows, said, flowers, tmp_path, capsys) -> None:
    write_tsv(tmp_path / "bad.tsv", rows)
    assert main(["features", str(flowers), "--tsv", str(tmp_path / "bad.tsv"), "-o", str(tmp_path / "made")]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "made").exists()
