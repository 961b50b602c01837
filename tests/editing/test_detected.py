"""Detector, box, segmenter, hole: an editor of photographs that finds by itself what it is asked to change."""

import asyncio

import numpy as np
import pytest
from editing.edits import edit, instruction, pixels, white
from editing.photographs import landscape, png
from editing.tiny_networks import encoder, migan, sam_decoder
from programs.tiny_onnx import yolo

from countersight.editing import EditRequest, abilities_of, open_editor
from countersight.errors import EditFailed

NAMES = {"names": "{0: 'person', 1: 'cat', 2: 'dining table'}"}


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("networks")
    yolo(folder / "detector.onnx", "v8", scores=(0.1, 0.8, 0.3), metadata=NAMES)
    encoder(folder / "tiny_encoder.onnx")
    sam_decoder(folder / "tiny_decoder.onnx")
    migan(folder / "fill.onnx")
    return folder


@pytest.fixture(scope="module")
def seen():
    """A landscape with one red thing in it, which the tiny detector takes for a cat."""
    tones = np.asarray(landscape()).copy()
    tones[60:100, 90:150] = (250, 10, 10)
    return tones


def able(editor, picture):
    return asyncio.run(abilities_of(open_editor(editor), EditRequest(picture, instruction("remove"))))


def test_a_detected_object_is_cut_out_and_removed(networks, seen):
    editor = f"inpaint:{networks / 'fill.onnx'}?detector={networks / 'detector.onnx'}&segmenter={networks}"
    edited = edit(editor, png(seen), "remove", "the cat")
    assert edited.log["mask from"] == "segmenter in the detector's box of cat 1"
    mask = white(edited.mask)
    assert mask[60:100, 90:150].mean() > 0.95
    assert mask.mean() < 0.15
    after = pixels(edited.picture.data)
    assert (after[~mask] == seen[~mask]).all()
    assert after[80, 120, 0] < 200


def test_without_a_segmenter_an_object_is_cut_out_by_colour(networks, seen):
    edited = edit(f"classical?detector={networks / 'detector.onnx'}", png(seen), "recolour", "cat", "blue")
    assert edited.log["mask from"] == "GrabCut in the detector's box of cat 1"
    after = pixels(edited.picture.data)
    assert after[80, 120, 2] > after[80, 120, 0]


def test_an_undetected_object_is_a_failed_edit_with_the_reason(networks, seen):
    editor = f"classical?detector={networks / 'detector.onnx'}"
    with pytest.raises(EditFailed, match="no detected object in this picture matches “the person”"):
        edit(editor, png(seen), "remove", "the person")
    with pytest.raises(EditFailed, match="no known object has this name"):
        edit(editor, png(seen), "remove", "the lamp")


def test_an_editor_reports_its_abilities_for_a_picture(networks, seen):
    able_to = able(f"classical?detector={networks / 'detector.onnx'}", png(seen))
    assert able_to.things == ("cat",)
    assert "add" not in able_to.actions
    assert "targets that can be found in this picture: cat." in able_to.words
    assert "recolour (value: red" in able_to.words
    empty = able(f"classical?detector={networks / 'detector.onnx'}", png(np.asarray(landscape())))
    assert "in this picture: none." in empty.words
    assert able("classical", png(seen)).things is None
