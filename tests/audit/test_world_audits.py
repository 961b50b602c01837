"""Worlds are audited whole: a model that answers and explains, edits that are checked, judges calibrated on worlds."""

import asyncio
import json

import pytest
from audits import QUICK, audit
from worlds.examples import discs, picture_of, supports

from countersight.audits.calibration.calibrating import CalibrationOptions, calibrate
from countersight.audits.calibration.items import RIGHT, make_items
from countersight.audits.calibration.sheet import DOMAINS
from countersight.audits.checkers import EditShown
from countersight.audits.checkers.pixels import checked
from countersight.audits.judges.exact import exact_verdict
from countersight.audits.prompts import find_prompts
from countersight.audits.steps import AuditTally
from countersight.cli import main
from countersight.editing import Instruction
from countersight.progress import silent
from countersight.suites import find_suite
from countersight.worlds import explained, supposed

SEES = "visprog:reference?vision=scene"


@pytest.fixture(scope="module")
def items():
    return asyncio.run(make_items(8, 3, "worlds"))


def test_the_right_verdict_of_a_test_about_a_world_is_right_by_the_truth(items):
    assert {type(item.evidence.scene).__name__ for item in items} == {"Supports", "Discs"}
    for item in items:
        found = exact_verdict(item.evidence, 1)
        assert (found.pcs, found.ncc) == item.right == RIGHT[item.kind]
        assert found.moved


def calibrated(output):
    options = CalibrationOptions(
        ("exact",), "exact", find_prompts("brief"), size=4, seed=3, domain="worlds", retry=QUICK
    )
    return asyncio.run(calibrate(output, options, AuditTally(), asyncio.Event()))


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """An audit of a model that sees, with judges calibrated on worlds; its folder and its scores."""
    folder = tmp_path_factory.mktemp("worlds")
    sheet = calibrated(folder / "calibration")
    assert (sheet.domain, sheet.editor.done.right) == (DOMAINS["worlds"], 4)
    find_suite("supports").make(folder / "d", size=10, seed=8, workers=1, progress=silent)
    done = audit(folder / "d", folder / "a", SEES, checkers=("pixels",), calibration=folder / "calibration")
    return folder / "a", done.scores


@pytest.mark.slow
def test_a_model_that_sees_worlds_means_what_it_explains(audited):
    _, scores = audited
    assert scores.kept.ccs.concepts >= 2
    assert scores.everything.ccs.value == 1.0
    assert scores.failed == 0
    assert (scores.checkers["pixels"].no, scores.checkers["pixels"].yes) == (0, scores.edited)


@pytest.mark.slow
def test_the_audit_of_a_world_is_derived_again_and_a_calibration_of_no_known_domain_is_not(audited, capsys):
    folder, _ = audited
    assert main(["audit", "bundle", str(folder)]) == 0
    assert main(["audit", "verify", str(folder)]) == 0
    sheet = folder / "calibration.json"
    sheet.write_text(json.dumps(json.loads(sheet.read_text()) | {"domain": "of dreams"}))
    assert main(["audit", "bundle", str(folder)]) == 0  # sealed anew by whoever altered it
    assert main(["audit", "verify", str(folder)]) == 1
    assert "there is no calibration of 4 tests 'of dreams'" in capsys.readouterr().out


@pytest.mark.parametrize("build", [supports, discs])
def test_pixels_tell_whether_an_edit_of_a_world_did_what_was_asked(build):
    world = build(2)
    name = next(iter(getattr(world, "free", ()) or world.discs)).name
    asked = Instruction(name, "object", "remove", f"Take the {name} away.", target=name)
    after = picture_of(supposed(world, f"the {name} were taken away"))
    assert checked(EditShown(asked, picture_of(world), after, None, world)).check.done is True
    assert checked(EditShown(asked, picture_of(world), picture_of(world), None, world)).check.done is False


def test_an_explanation_says_what_is_seen_and_what_holds_it():
    world = supports(3)
    lying = sum(thing.lies for thing in world.things)
    assert f"{lying} thing" in explained("How many things lie on the floor?", world)
    assert explained("Does the mauve block touch the red block?", world) is None
    assert explained("Is it pretty?", world) is None
