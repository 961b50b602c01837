"""COCO's annotations of instances are read as they are published, and hostile ones do no harm."""

import json

import numpy as np
import pytest
from editing.photographs import HEIGHT, WIDTH, annotations, outlined
from hypothesis import given
from hypothesis import strategies as st
from published import published

from countersight.detection.annotations import Annotations, fill_polygons
from countersight.errors import EditFailed, EditorError

SIZE = (WIDTH, HEIGHT)


def runs_of(mask):
    """Lengths of runs, column by column, beginning with those outside."""
    flat = mask.ravel(order="F").tolist()
    counts, value = [0], False
    for pixel in flat:
        if pixel != value:
            counts.append(0)
            value = pixel
        counts[-1] += 1
    return counts


masks = st.integers(0, 10**6).map(lambda seed: np.random.default_rng(seed).random((9, 7)) < 0.4)


@given(masks)
def test_masks_in_run_lengths_are_read(tmp_path_factory, mask):
    counts = runs_of(mask)
    if not mask.any():
        return
    path = tmp_path_factory.mktemp("runs") / "runs.json"
    outline = {"size": [9, 7], "counts": counts}
    one = {"id": 1, "image_id": 1, "category_id": 1, "segmentation": outline, "bbox": [0, 0, 7, 9], "iscrowd": 1}
    image = {"id": 1, "file_name": "a.jpg", "width": 7, "height": 9}
    path.write_text(json.dumps({"images": [image], "annotations": [one], "categories": [{"id": 1, "name": "person"}]}))
    (thing,) = Annotations(path).things("a.jpg", (7, 9))
    assert thing.crowd
    assert (thing.mask((7, 9)) == mask).all()


def test_polygons_cover_the_pixels_inside_them():
    assert (fill_polygons([[20, 30, 80, 30, 80, 70, 20, 70]], (100, 90)) == outlined((100, 90), (20, 30, 80, 70))).all()
    two = fill_polygons([[0, 0, 10, 0, 10, 10, 0, 10], [20, 20, 30, 20, 30, 30, 20, 30]], (40, 40))
    assert two[5, 5]
    assert two[25, 25]
    assert not two[15, 15]


@pytest.mark.parametrize("name", ["000000391895.jpg", "train/COCO_train2014_000000391895.jpg", "391895.png"])
def test_a_picture_is_known_by_its_name_in_any_release(tmp_path, name):
    things = Annotations(annotations(tmp_path / "a.json")).things(name, SIZE)
    assert [thing.category for thing in things] == ["car", "car", "cat", "dog"]
    assert things[0].box == (20, 90, 80, 120)


def test_pictures_nobody_annotated_and_pictures_of_another_size_are_failed_edits(tmp_path):
    read = Annotations(annotations(tmp_path / "a.json"))
    for name, size, why in (
        ("", SIZE, "has none"),
        ("other.jpg", SIZE, "no annotations for"),
        ("391895.jpg", (5, 5), "5 x 5"),
    ):
        with pytest.raises(EditFailed, match=why):
            read.things(name, size)


@pytest.mark.parametrize(
    "outline",
    [
        {"size": [HEIGHT, WIDTH], "counts": [-5, 10]},
        {"size": [HEIGHT, WIDTH], "counts": [5, 10]},
        {"size": [HEIGHT, WIDTH], "counts": [10**12, 10**12]},
        {"size": [HEIGHT, WIDTH], "counts": "oooo"},
        {"size": [3, 3], "counts": [4, 5]},
        {"size": [HEIGHT, WIDTH], "counts": None},
        [[1, 2, 3]],
        [],
        [[1e300, 1e300, 1e300, 5, 1e300, 0]],
        "somewhere",
        7,
        [[0.0] * 300_000],
    ],
)
def test_hostile_outlines_are_failed_edits(tmp_path, outline):
    path = annotations(tmp_path / "a.json")
    file = json.loads(path.read_text())
    for annotation in file["annotations"]:
        annotation["segmentation"] = outline
    path.write_text(json.dumps(file))
    for thing in Annotations(path).things("391895.jpg", SIZE):
        with pytest.raises(EditFailed):
            thing.mask(SIZE)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"images": 5}', "[" * 100_000])
def test_files_that_are_no_annotations_are_refused_with_a_sentence(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(EditorError, match="contains no COCO instance annotations"):
        Annotations(tmp_path / "a.json")
    with pytest.raises(EditorError, match="cannot be read"):
        Annotations(tmp_path / "absent.json")


@pytest.mark.slow
def test_the_published_masks_have_the_published_areas():
    path = published("photos/annotations/instances_val2017.json")
    read, file = Annotations(path), json.loads(path.read_text())
    sizes = {image["id"]: (image["file_name"], (image["width"], image["height"])) for image in file["images"]}
    areas = {annotation["id"]: annotation["area"] for annotation in file["annotations"]}
    crowds = 0
    for name, size in sizes.values():
        for thing in read.things(name, size):
            area, mask = areas[thing.id], thing.mask(size)
            crowds += thing.crowd
            if not thing.crowd:  # a crowd's area counts those in it who are outlined one by one
                assert mask.sum() == pytest.approx(area, rel=0.05, abs=20)
    assert crowds == 5
