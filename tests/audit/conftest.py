"""Audits that are made once, because each takes seconds; tests change copies of them."""

import shutil

import pytest
from audits import audit as audited
from audits import scenes
from evidence import write_audit
from test_calibration import run as calibrate

from countersight.audits.finishing import finish
from countersight.audits.plan import AuditPlan, write_plan
from countersight.dataset import Dataset


@pytest.fixture(scope="session")
def drawn(tmp_path_factory):
    """Return an audit of generated scenes, judged by `exact` and `rules`, with a calibration and control edits."""
    base = tmp_path_factory.mktemp("insider")
    folder, output = scenes(base / "scenes", size=2), base / "audit"
    calibrate(base / "calibration", "exact", "rules", size=4)
    audited(folder, output, "embedded", judges=("exact", "rules"), calibration=base / "calibration", control=True)
    finish(output)
    return output


@pytest.fixture
def audit(drawn, tmp_path):
    shutil.copytree(drawn.parent / "scenes", tmp_path / "scenes")
    return shutil.copytree(drawn, tmp_path / "audit")


@pytest.fixture(scope="session")
def spoken(tmp_path_factory):
    """Return an audit with language models as extractor and judges."""
    folder = write_audit(tmp_path_factory.mktemp("insider") / "seer")
    finish(folder)
    return folder


@pytest.fixture(scope="session")
def probed(tmp_path_factory):
    """Return an audit with all extensions beyond the paper."""
    base = tmp_path_factory.mktemp("insider")
    more = {"control": True, "uncited": True, "intervene": "both", "strength": 2, "checkers": ("pixels",)}
    folder = scenes(base / "scenes", size=1)
    named = {"judges": ("exact",), "criteria": ("CCS lower end at least 0.05",)}
    write_plan(base / "plan.json", AuditPlan(dataset=Dataset.open(folder).fingerprint, name="scenes", **named, **more))
    audited(folder, base / "probed", "embedded", plan=base / "plan.json", **more)
    finish(base / "probed")
    return base / "probed"


@pytest.fixture
def past(probed, tmp_path):
    return shutil.copytree(probed, tmp_path / "probed")


@pytest.fixture
def said(spoken, tmp_path):
    return shutil.copytree(spoken, tmp_path / "seer")
