"""Was the edit good? What an editor may do to a picture beside the edit, and what it may not."""

import io
import sys

import numpy as np
import pytest
from editing.edits import dots, exactly, flowers
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from countersight.editing.quality.measuring import RULE, measure
from countersight.editing.quality.ssim import similarity
from countersight.errors import EditFailed
from countersight.scenes.drawing import draw

Y, X = np.mgrid[:60, :80]
SLOPE = np.stack((3 * X, 4 * Y, X + Y), axis=2).astype(np.uint8)


def photograph(seed=1, width=320, height=240):
    """Something with edges and textures of all sizes, as a photograph has."""
    rng = np.random.default_rng(seed)
    layers = [
        np.asarray(Image.fromarray(rng.integers(0, 256, (n, n, 3), np.uint8)).resize((width, height)), np.float32)
        for n in (5, 12, 30, 80)
    ]
    return Image.fromarray(np.clip(np.mean(layers, axis=0) * 2 - 128, 0, 255).astype(np.uint8))


def edited(picture, box=(90, 60, 150, 110)):
    """The picture with a true edit, and its mask."""
    after = picture.copy()
    after.paste((210, 40, 60), box)
    mask = Image.new("L", picture.size)
    mask.paste(255, box)
    return after, mask


def shifted(picture, x, y):
    return picture.transform(picture.size, Image.Transform.AFFINE, (1, 0, -x, 0, 1, -y), Image.Resampling.BICUBIC)


def zoomed(picture, factor):
    width, height = picture.size
    larger = picture.resize((round(width * factor), round(height * factor)), Image.Resampling.BICUBIC)
    left, top = (larger.width - width) // 2, (larger.height - height) // 2
    return larger.crop((left, top, left + width, top + height))


def reencoded(picture):
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=70)
    return Image.open(file).convert("RGB")


# From scikit-image 0.26: structural_similarity(…, channel_axis=2, gaussian_weights=True, sigma=1.5,
# use_sample_covariance=False, data_range=255, full=True): the mean of its map, and the map at row 30, column 40.
@pytest.mark.parametrize(
    ("other", "mean", "at"),
    [
        (np.where(((X > 20) & (X < 40) & (Y > 10) & (Y < 50))[..., None], np.uint8(90), SLOPE), 0.90031848, 0.37752522),
        (np.clip(SLOPE.astype(int) + 40, 0, 255).astype(np.uint8), 0.85776745, 0.94197711),
        (np.random.default_rng(5).integers(0, 256, (60, 80, 3), np.uint8), 0.00889368, 0.01096259),
        (SLOPE, 1, 1),
    ],
)
def test_similarity_agrees_with_published_values(other, mean, at):
    similar = similarity(SLOPE, other)
    assert similar.mean() == pytest.approx(mean, abs=1e-5)
    assert similar[30, 40] == pytest.approx(at, abs=1e-5)


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(0, 50), st.integers(0, 70), st.integers(1, 20), st.integers(0, 255))
def test_similarity_of_the_differing_part_equals_that_of_the_whole(top, left, side, tone):
    other = SLOPE.copy()
    other[top : top + side, left : left + side] = tone
    frame = other.copy()
    frame[0, 0] ^= 1  # so that the part that differs reaches from corner to corner
    frame[-1, -1] ^= 1
    here, whole = similarity(SLOPE, other), similarity(SLOPE, frame)
    assert here[7:-7, 7:-7] == pytest.approx(whole[7:-7, 7:-7], abs=1e-4)


def test_a_true_edit_is_good_and_measured_inside_and_outside():
    before = photograph()
    after, mask = edited(before)
    quality = measure(before, after, mask)
    assert quality.good
    assert not quality.reason
    assert quality.ssim_outside == 1
    assert quality.ssim_inside < 0.5
    assert quality.changed_inside > 0.8
    assert quality.changed_outside == 0
    assert quality.warp == ()


@pytest.mark.parametrize(
    "also",
    [
        lambda picture: shifted(picture, -9.5, 4.25),
        lambda picture: zoomed(picture, 1.03),
        lambda picture: picture.rotate(0.5, Image.Resampling.BICUBIC),
        reencoded,
        lambda picture: zoomed(picture, 1.01).resize((400, 304), Image.Resampling.BICUBIC),
    ],
)
@pytest.mark.parametrize("masked", [True, False])
def test_shifts_zooms_and_encoding_do_not_make_an_edit_bad(also, masked):
    pytest.importorskip("cv2", reason="no OpenCV")
    before = photograph()
    after, mask = edited(before)
    quality = measure(before, also(after), mask if masked else None)
    assert quality.good, quality.reason
    assert quality.changed == pytest.approx(measure(before, after, mask).changed, abs=0.04)


def test_the_alignment_is_recorded():
    before = photograph()
    after, mask = edited(before)
    quality = measure(before, shifted(after, 3, -2), mask)
    assert quality.warp == pytest.approx((1, 0, 3, 0, 1, -2), abs=0.02)
    assert quality.registration.startswith("shift")
    assert measure(before, after.resize((640, 480)), mask).size == (640, 480)


def test_a_zoom_is_aligned_by_an_affine_map_if_opencv_is_installed(monkeypatch):
    before = photograph()
    after, mask = edited(before)
    monkeypatch.setitem(sys.modules, "cv2", None)
    quality = measure(before, zoomed(after, 1.03), mask)
    assert not quality.registration.startswith("affine")
    assert measure(before, shifted(after, 4, 0), mask).good
    monkeypatch.undo()
    pytest.importorskip("cv2", reason="no OpenCV")
    assert measure(before, zoomed(after, 1.03), mask).registration.startswith("affine")


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize(
    ("after", "why"),
    [
        (photograph(), "nothing changed"),
        (photograph(2), "too much changed"),
        (Image.new("RGB", (320, 240)), "too much changed"),
        (photograph().resize((320, 320)), "320 x 320 pixels, a different shape"),
    ],
)
def test_bad_edits_say_why(after, why, masked):
    before = photograph()
    _, mask = edited(before)
    quality = measure(before, after, mask if masked else None)
    assert not quality.good
    assert why in quality.reason


def test_an_edit_in_the_wrong_place_is_bad():
    before = photograph()
    _, mask = edited(before)
    elsewhere, _ = edited(before, (200, 150, 300, 230))
    assert measure(before, elsewhere, mask).reason == "nothing changed inside the mask"
    both = elsewhere.copy()
    both.paste((210, 40, 60), (90, 60, 150, 110))
    assert "outside the mask" in measure(before, both, mask).reason


def test_another_part_of_the_scene_is_a_bad_edit():
    whole = photograph(width=640, height=480)
    before, after = whole.crop((0, 0, 400, 400)), whole.crop((90, 0, 490, 400))
    quality = measure(before, edited(after)[0], None)
    assert "another part of the scene" in quality.reason


def test_a_changed_structure_outside_the_mask_is_a_bad_edit(monkeypatch):
    monkeypatch.setattr("countersight.editing.quality.measuring.MOST_OUTSIDE", 1.0)
    before = photograph()
    after, mask = edited(before)
    noise = np.random.default_rng(0).integers(-60, 61, (240, 320, 3))
    grainy = Image.fromarray(np.clip(np.asarray(after).astype(int) + noise, 0, 255).astype(np.uint8))
    quality = measure(before, grainy, mask)
    assert "changed outside the mask" in quality.reason


def test_a_control_is_good_if_nothing_changed():
    before = photograph()
    black = Image.new("L", before.size)
    for control in (measure(before, before, black), measure(before, before, None, control=True)):
        assert control.good
        assert control.ssim_outside == 1
        assert control.changed_inside is None
    assert measure(before, reencoded(before), None, control=True).good
    repainted, mask = edited(before, (60, 40, 200, 180))
    assert not measure(before, repainted, mask, control=True).good
    assert not measure(before, repainted, black).good


@pytest.mark.slow
@settings(max_examples=15)
@given(st.integers(0, 20), st.sampled_from(["remove", "recolour", "add", "move"]), st.booleans())
def test_exact_edits_are_good(seed, action, field):
    scene = flowers(seed, regions=(2, 3, 2, 4)) if field else dots(seed)
    target = "2 flowers" if field else "the fullest circle" if action != "add" else "3 dots"
    try:
        edit = exactly(scene, action, target, {"recolour": "green", "move": "left"}.get(action, ""), seed=seed)
    except EditFailed:
        return
    quality = measure(
        Image.fromarray(draw(scene)),
        Image.open(io.BytesIO(edit.picture.data)),
        Image.open(io.BytesIO(edit.mask)),
    )
    assert quality.good, quality.reason
    assert quality.changed_outside == 0
    assert quality.warp == ()


def test_the_rule_is_stated_in_words_with_its_figures():
    words = " ".join(RULE)
    assert all(figure in words for figure in ("2%", "5%", "60%", "0.80", "10%", "15%"))


@pytest.mark.parametrize("size", [(1, 1), (3, 200), (16, 16), (90, 70)])
def test_pictures_of_any_size_and_without_any_edge_are_measured(size):
    before, after = Image.new("RGB", size, "white"), Image.new("RGB", size, "black")
    assert not measure(before, before, None).good
    assert not measure(before, after, Image.new("L", size)).good
    assert measure(before, after, Image.new("L", size, 255)).good


@pytest.mark.slow
def test_large_pictures_are_scaled_down_for_comparison():
    before = photograph(width=2400, height=1600)
    after, mask = edited(before, (600, 500, 1100, 900))
    quality = measure(before, shifted(after, 12, -6), mask)
    assert quality.good
    a, b, c, d, e, f = quality.warp
    assert a * 1200 + b * 800 + c == pytest.approx(1212, abs=0.6)
    assert d * 1200 + e * 800 + f == pytest.approx(794, abs=0.6)
    assert quality.size is None
