"""Whatever a released version wrote still opens: folders of 0.1, as that version left them."""

import tarfile
from pathlib import Path

import pytest

import countersight as cs

FOLDERS = Path(__file__).parent / "data" / "version-0.1.tar.xz"


@pytest.fixture(scope="module")
def old(tmp_path_factory) -> Path:
    """A dataset of one case, a whole run of it, one that was killed after its first answer, an audit, a calibration."""
    folder = tmp_path_factory.mktemp("version-0.1")
    with tarfile.open(FOLDERS) as archive:
        archive.extractall(folder, filter="data")
    return folder


def test_a_dataset_opens_and_is_the_one_that_was_written(old):
    dataset = cs.Dataset.open(old / "dataset")
    assert dataset.count == 1
    assert cs.describe(dataset).cases == 1
    assert cs.Run.open(old / "run").dataset().fingerprint == dataset.fingerprint


def test_a_run_is_scored_and_reported(old, tmp_path):
    run = cs.Run.open(old / "run")
    assert run.scores().overall.factual.n == 1
    assert cs.report(run, out=tmp_path / "report").html.stat().st_size > 10_000
    assert cs.leaderboard(run, out=tmp_path / "board").html.is_file()


def test_a_killed_run_resumes(old):
    first = (old / "half" / "replies.jsonl").read_bytes()
    run = cs.run(old / "dataset", "chance", out=old / "half", shown=True)
    journal = (old / "half" / "replies.jsonl").read_bytes()
    assert journal.startswith(first)
    assert len(list(run.replies())) == 3


def test_runs_of_different_weights_are_not_mixed(old):
    with pytest.raises(cs.RunError, match="a different set of settings: weights"):
        cs.run(old / "dataset", "embedded", out=old / "run", shown=True)


def test_an_audit_opens_and_what_cannot_be_derived_of_it_is_called_not_verified(old):
    found = cs.verify(old / "audit")
    assert {finding.what for finding in found.findings} == {"not verified"}
    assert not found.sound
    assert cs.Audit.open(old / "audit").scores().kept.ccs.concepts == 1
