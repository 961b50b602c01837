"""Did the edit do what was asked, and does it look real? Checked by pixels, rims, a detector, a model that sees."""

import asyncio
from contextlib import AsyncExitStack
from types import SimpleNamespace

import numpy as np
import pytest
from audits import QUICK, audit, scenes
from chat_server import ChatServer
from editing.edits import dots, drawing, exactly, flowers, instruction
from editing.photographs import landscape, png
from labelled_edits import GOOD, rejected
from programs.tiny_onnx import yolo

from countersight.audits.checkers import EditShown, detected
from countersight.audits.checkers.model import check_replies
from countersight.audits.exclusion import edit_fault
from countersight.audits.finishing import finish
from countersight.audits.participants import AuditOptions, Opener
from countersight.audits.prompts import find_prompts
from countersight.audits.records import Check
from countersight.audits.steps import AuditTally
from countersight.audits.trail import read_audit
from countersight.audits.verifying import verify_bundle
from countersight.detection import Detector, Found, encode_mask
from countersight.editing import Edited
from countersight.picture import as_seen

NAMES = {"names": "{0: 'person', 1: 'cat', 2: 'dining table'}"}
BOX = np.s_[60:100, 90:150]


def checker(name):
    others = {"model": "chance", "extractor": "rules", "editor": "exact", "judges": ("exact",)}
    options = AuditOptions(**others, checkers=(name,), prompts=find_prompts("edct"), retry=QUICK)
    return Opener(options, AsyncExitStack(), AuditTally(), asyncio.Event()).open().checkers[0]


def check(name, edit):
    async def looked():
        return await (checker(name) if isinstance(name, str) else name).check(edit, "k")

    return asyncio.run(looked())


def photographed(action, value="", *, before=(250, 10, 10), after=None, target="cat"):
    """A red thing in a landscape, and what became of it: another colour, or the landscape itself."""
    clean = np.asarray(landscape())
    mask = np.zeros(clean.shape[:2], bool)
    mask[BOX] = True
    noise = np.random.default_rng(2).normal(0, 20, clean.shape)
    one, other = clean.copy(), clean.copy()
    one[mask] = np.clip(np.array(before) + noise, 0, 255)[mask]
    if after is not None:
        other[mask] = np.clip(np.array(after) + noise, 0, 255)[mask]
    return EditShown(instruction(action, target, value), png(one), png(other), encode_mask(mask))


# Our own scenes


@pytest.mark.parametrize("scene", [flowers(), dots()])
def test_drawn_objects_are_counted(scene):
    things = "flowers" if scene.flowers else "dots"
    asked = instruction("remove", f"2 {things}")
    done = exactly(scene, "remove", f"2 {things}")
    before = drawing(scene)
    assert check("pixels", EditShown(asked, before, done.picture, done.mask, scene)).done is True
    unchanged = check("pixels", EditShown(asked, before, before, done.mask, scene))
    assert unchanged.done is False
    assert unchanged.asked == f"Is “2 {things}” gone?"
    assert check("seams", EditShown(asked, before, done.picture, done.mask, scene)).done is None


# Photographs


def test_the_new_colour_is_measured_under_the_mask():
    assert check("pixels", photographed("recolour", "blue", after=(30, 60, 200))).done is True
    wrong = check("pixels", photographed("recolour", "blue", after=(30, 160, 40)))
    assert wrong.done is False
    assert "0% of the area has the colour" in wrong.seen
    assert check("pixels", photographed("recolour", "transparent", after=(30, 60, 200))).done is None


def test_a_visible_thing_is_not_gone():
    paler = check("pixels", photographed("remove", after=(255, 80, 80)))
    assert paler.done is False
    assert "is still visible" in paler.seen
    painted = check("pixels", photographed("remove"))
    assert painted.done is None
    assert "pixels alone cannot confirm a removal" in painted.seen


def test_a_detector_reports_whether_it_still_finds_the_thing(tmp_path):
    name = f"detector:{yolo(tmp_path / 'm.onnx', 'v8', scores=(0.1, 0.8, 0.3), metadata=NAMES)}"
    gone = check(name, photographed("remove"))
    assert (gone.done, gone.seen) == (True, "cat is no longer found")
    still = check(name, photographed("remove", after=(255, 20, 20)))
    assert still.done is False
    assert "cat is still found" in still.seen
    assert check(name, photographed("recolour", "blue", after=(30, 60, 200))).done is False  # it is no cat any more
    assert check(name, photographed("remove", before=(30, 60, 200))).done is None
    assert "does not know" in check(name, photographed("remove", target="lamp")).seen


class Colours:
    """An open-vocabulary finder: in the edited area it finds cats where it is red, and dogs where it is blue."""

    classes, least, settings = (), 0.2, {}

    def find(self, image, words, least):
        top, left = BOX[0].start, BOX[1].start
        red, _, blue = np.asarray(image)[BOX].mean(axis=(0, 1))
        seen = "cat" if red > 150 else "dog" if blue - red > 120 else ""
        box = (left, top, BOX[1].stop, BOX[0].stop)
        return [Found(tuple(map(float, box)), words, 0.9)] if words == seen else []


class Boxes:
    """A detector that finds what it is told: the boxes before an edit, and those after it."""

    classes, least, settings = ("cat", "dog", "sofa"), 0.5, {}

    def __init__(self, before, after):
        self._found = [before, after]

    def find(self, image, words, least):
        return [Found(box, name, score) for name, score, box in self._found.pop(0) if score >= least]


CAT, BESIDE, AROUND = (90.0, 60.0, 150.0, 100.0), (10.0, 60.0, 70.0, 100.0), (60.0, 40.0, 200.0, 150.0)


@pytest.mark.parametrize(
    ("before", "after", "done", "seen"),
    [
        ([("cat", 0.9, CAT)], [], True, "cat is no longer found"),
        ([("cat", 0.9, CAT), ("cat", 0.9, BESIDE)], [("cat", 0.9, BESIDE)], True, "cat is no longer found"),
        ([("cat", 0.9, CAT)], [("cat", 0.6, CAT)], False, "cat is still found (0.60)"),
        ([("cat", 0.9, CAT)], [("cat", 0.1, CAT)], None, "cat is found in its place (0.10)"),
        ([("cat", 0.9, CAT)], [("dog", 0.2, CAT)], None, "dog is found in its place (0.20)"),
        ([("cat", 0.6, CAT)], [], None, "cat was found with too little certainty (0.60)"),
        ([("cat", 0.9, CAT), ("sofa", 0.8, AROUND)], [("sofa", 0.8, AROUND)], None, "sofa overlaps with it"),
        ([("dog", 0.9, CAT)], [], None, "the detector does not find cat before the edit either"),
    ],
)
def test_a_detector_confirms_a_removal_only_if_nothing_speaks_against_it(monkeypatch, before, after, done, seen):
    monkeypatch.setattr(detected, "open_detector", lambda where, settings: Detector("d", Boxes(before, after)))
    found = check(detected.DetectorChecker("any"), photographed("remove"))
    assert found.done is done
    assert found.seen.startswith(seen)


BLUE, GREY = (30, 60, 200), (90, 90, 90)


@pytest.mark.parametrize(
    ("edit", "done", "seen"),
    [
        (photographed("replace", "dog", after=BLUE), True, "dog is found there, cat is no longer found"),
        (photographed("replace", "dog", after=(255, 20, 20)), False, "dog is not found there, cat is still found"),
        (photographed("replace", "dog"), False, "dog is not found there, cat is no longer found"),
        (
            photographed("add", "dog", before=(90, 90, 90), after=BLUE, target="sofa"),
            True,
            "dog: 1 found after",
        ),
        (photographed("add", "dog", before=GREY, target="sofa"), False, "dog: 0 found after"),
        (photographed("remove"), True, "cat is no longer found"),
    ],
)
def test_an_open_vocabulary_detector_looks_for_the_new_thing(monkeypatch, edit, done, seen):
    monkeypatch.setattr(detected, "open_detector", lambda where, settings: Detector("d", Colours()))
    found = check(detected.DetectorChecker("any"), edit)
    assert found.done is done
    assert found.seen.startswith(seen)


def test_a_vision_model_gets_the_same_question_about_both_pictures():
    with ChatServer(lambda server, number, body: f"say:{'Yes.' if number % 2 == 0 else 'No.'}") as server:
        found = check(server.name, photographed("remove"))
        assert (found.done, found.said) == (True, ("Yes.", "No."))
        texts = [str(body["messages"]) for body in server.requests]
    assert len(texts) == 2
    assert all("Is there any cat in this picture?" in text and "edit" not in text for text in texts)


@pytest.mark.parametrize(
    ("action", "said", "done"),
    [
        ("remove", ("yes", "yes"), False),
        ("remove", ("no", "no"), None),
        ("replace", ("no", "yes"), True),
        ("recolour", ("No.", "No."), False),
        ("resize", ("yes", "no"), False),
        ("remove", ("yes", "perhaps"), None),
    ],
)
def test_two_answers_decide_a_check(action, said, done):
    assert check_replies("m", instruction(action, "cat", "blue dog"), said).done is done


def grainy():
    """Pictures like photographs, each unlike the next."""
    for seed in range(4):
        scene = np.asarray(landscape(seed)).astype(int)
        noise = np.random.default_rng(seed).normal(0, 14, (160, 240, 3))
        yield np.clip((255 - scene if seed % 2 else scene) + noise, 0, 255).astype(np.uint8)


def test_bad_fills_of_photographs_are_rejected_and_true_ones_are_not():
    found = rejected(list(grainy()))
    assert found.pop(GOOD) == 0
    assert all(number >= 3 for number in found.values()), found  # of 4


# In an audit


def test_checks_are_logged_and_can_be_added_later(tmp_path):
    folder = scenes(tmp_path / "scenes", size=3)
    plain = audit(folder, tmp_path / "a", "embedded").scores
    assert plain.checked is None
    steps = len(read_audit(tmp_path / "a").steps)
    scores = audit(folder, tmp_path / "a", "embedded", checkers=("pixels", "seams")).scores
    again = read_audit(tmp_path / "a")
    tested = [concept for case in again.cases for concept in case.concepts]
    assert len(again.steps) == steps + 2 * len(tested)
    assert (scores.edited, scores.checked) == (len(tested), len(tested))
    found = scores.checkers["pixels"]
    assert (found.yes, found.done.right, found.done.n, found.done.share) == (len(tested), len(tested), len(tested), 1.0)
    assert {check.checker for concept in tested for check in concept.checks} == {"pixels", "seams"}
    assert scores.kept == plain.kept


@pytest.mark.parametrize("action", ["remove", "replace", "add"])
def test_an_edit_that_nobody_can_confirm_does_not_count(action):
    case = SimpleNamespace(record=SimpleNamespace(scene=None))
    told = SimpleNamespace(action=action)
    edit = SimpleNamespace(after="x", failure="", quality=None)
    manifest = SimpleNamespace(checkers=("pixels", "seams"), editor=SimpleNamespace(name="exact"))

    def fault(*checks):
        return edit_fault(case, SimpleNamespace(edit=edit, instruction=told, checks=checks, failures=()), manifest)

    unsure, seams = Check("pixels", "?", None, "cannot tell"), Check("seams", "?", True, "looks real")
    assert fault(unsure, seams) == "no checker can confirm the edit"
    assert fault(seams) == "no checker can confirm the edit"  # the other checker failed
    assert fault(unsure, seams, Check("detector:x", "?", True, "no longer found")) == ""


class Grey:
    """An editor that removes nothing: its pictures only lose their colours."""

    name = "grey"

    def __init__(self):
        self.settings = {}

    async def edit(self, request):
        return Edited(png(np.asarray(as_seen(request.picture).convert("L").convert("RGB"))), mask=None, log={})

    async def close(self):
        pass


def test_an_edit_of_a_drawing_by_another_editor_counts_only_if_a_checker_confirms_it(tmp_path):
    folder = scenes(tmp_path / "scenes", size=4)
    scores = audit(folder, tmp_path / "a", "embedded", editor=Grey(), checkers=("pixels", "seams")).scores
    seen = scores.checkers["pixels"]
    assert (seen.yes, seen.no > 0, seen.unknown > 0, seen.no + seen.unknown) == (0, True, True, len(scores.concepts))
    assert (seen.done.right, seen.done.n) == (0, len(scores.concepts))
    assert scores.kept.ccs.concepts == 0
    assert scores.excluded["no checker can confirm the edit"] == seen.unknown
    assert "any edit of a drawing by an editor other than exact" in scores.rule
    finish(tmp_path / "a")
    assert verify_bundle(tmp_path / "a", dataset=folder).findings == ()
