"""The bundle of an audit: everything that others need to follow, check and sign it."""

import hashlib
import json

import msgspec
import pytest
from audits import scenes
from evidence import KINDS, write_audit
from insider import reviewed
from making import case, dataset
from PIL import Image

from countersight.audits.calibration.calibration_file import Calibration
from countersight.audits.finishing import finish
from countersight.audits.limits import limits
from countersight.audits.manifest import Actor
from countersight.audits.reviews import read_reviews
from countersight.audits.scores import score
from countersight.audits.selection import SELECTION, select, write_selection
from countersight.audits.sessions import SESSIONS, begin_session, read_sessions
from countersight.audits.trail import read_audit
from countersight.cli import main
from countersight.dataset.folder import Dataset
from countersight.editing.marking import MARK
from countersight.engine import lock_folder
from countersight.errors import AuditError, CountersightError

CALIBRATED = Calibration((), 8, 0, {}, "0.1.0")


def bundled(folder):
    """Return the seal of a bundle."""
    return finish(folder).seal


def sheet(folder, name):
    return json.loads((folder / name).read_text())


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    folder = write_audit(tmp_path_factory.mktemp("audits") / "seer")
    begin_session(folder, "A. Operator")
    bundled(folder)
    return folder


def test_the_page_lists_participants_and_reported_model_versions_and_the_effort(audit):
    page = (audit / "report.html").read_text()
    system = page[page.index('id="system"') : page.index('id="data"')]
    for words in ("endpoint:http://127.0.0.1:9/v1#seer", "seer-2026-10-01", "gpt-9-0613", "classical", "A. Operator"):
        assert words in system
    effort = page[page.index("Effort by stage") : page.index("The prompts in full")]
    assert [word in effort for word in ("answer again", f"${0.01 * (len(KINDS) - 1):.4f}")] == [True, True]


def test_a_session_records_code_packages_and_hardware_once(tmp_path):
    begin_session(tmp_path, "A. Operator")
    first = (tmp_path / SESSIONS).read_bytes()
    begin_session(tmp_path, "A. Operator")
    assert (tmp_path / SESSIONS).read_bytes() == first
    begin_session(tmp_path, "B. Operator")
    one, other = read_sessions(tmp_path)
    assert (one.operator, other.operator) == ("A. Operator", "B. Operator")
    assert one.packages["msgspec"] == msgspec.__version__
    assert len(one.code.sha256) == 64
    assert one.hardware.cores >= 1


def test_the_page_says_what_the_card_of_the_dataset_says(tmp_path):
    cases = dataset(tmp_path / "balls", [case(number) for number in range(3)])
    folder = write_audit(tmp_path / "seer", ["consistent"])
    write_selection(folder, select(Dataset.open(cases), None))
    bundled(folder)
    assert json.loads((folder / SELECTION).read_text())["card"]["license"] == "CC0-1.0"
    page = (folder / "report.html").read_text()
    assert "For tests." in page
    assert "balls: group 0" in page


def test_every_case_has_its_files_answers_scores_and_verdicts(audit):
    lines = [json.loads(line) for line in (audit / "cases.jsonl").read_text().splitlines()]
    assert [line["case"] for line in lines] == [f"ball-{row}" for row in range(len(KINDS))]
    (test,) = lines[KINDS.index("answer-only")]["concepts"]
    edit = test["edit"]
    for name in (edit["before"], edit["after"], edit["mask"], test["difference"]):
        assert (audit / name).is_file()
    assert edit["quality"]["good"]
    assert (test["pcs"], test["ncc"], test["ccs"]) == (1.0, 0.0, 0.0)
    assert [verdict["judge"] for verdict in test["verdicts"]] == ["openai:gpt-8", "openai:gpt-9"]
    assert lines[KINDS.index("consistent")]["control"]["again"]["answer"]["text"] == "2"


def test_the_difference_is_black_exactly_where_pixels_are_equal(audit):
    line = json.loads((audit / "cases.jsonl").read_text().splitlines()[0])
    shown = Image.open(audit / line["concepts"][0]["difference"])
    assert shown.getpixel((42, 17)) != (0, 0, 0)
    assert shown.getpixel((15, 15)) == (0, 0, 0)


def test_the_difference_of_a_shifted_edit_is_taken_after_alignment(audit):
    line = json.loads((audit / "cases.jsonl").read_text().splitlines()[KINDS.index("explanation-only")])
    shown = Image.open(audit / line["concepts"][0]["difference"]).convert("L")
    assert shown.getpixel((42, 17)) > 0
    assert shown.crop((4, 4, 31, 31)).getextrema()[1] < 20, "the red ball is where it was, once the shift is undone"


def test_a_model_that_judges_itself_is_listed_as_a_limit(tmp_path):
    folder = write_audit(tmp_path / "a", ["consistent"], judges=(Actor("openai:m"),), model=Actor("openai:m"))
    found = limits(read_audit(folder).manifest, score(read_audit(folder)), CALIBRATED)
    words = " ".join(each.words for each in found if each.of_this_audit)
    assert "was both the audited model and a judge" in words
    assert "Only one language model judged" in words
    assert "calibrated" not in words


LABEL = {"case": "ball-0", "concept": 1, "person": "p1", "pcs": 0, "ncc": 1, "pcs_reason": "no", "at": "2026-11-16"}


def test_reviews_are_read_and_invalid_ones_reported(tmp_path):
    folder = write_audit(tmp_path / "a", ["consistent"])
    scores = score(read_audit(folder))
    reviewed(folder, LABEL, LABEL | {"concept": 7})
    log = read_reviews(folder, scores)
    assert len(log.reviews) == 2
    assert log.faults == ("reviews/labels.jsonl: there is no concept 7 of case 'ball-0'",)
    reviewed(folder, {"by": "nobody"})
    assert "labels.jsonl line 1 is damaged" in read_reviews(folder, scores).faults[0]


def test_the_seal_has_the_digest_of_every_file(tmp_path):
    folder = write_audit(tmp_path / "a", ["consistent"])
    bundled(folder)
    sealed = sheet(folder, "bundle.json")
    there = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    assert set(sealed["files"]) == there - {"bundle.json", ".lock"}
    for name, kept in sealed["files"].items():
        data = (folder / name).read_bytes()
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (kept["sha256"], kept["bytes"])


def test_a_changed_difference_picture_is_written_again(tmp_path):
    folder = write_audit(tmp_path / "a", ["consistent"])
    bundled(folder)
    file = next((folder / "differences").iterdir())
    before = file.read_bytes()
    file.write_bytes(b"not a picture")
    bundled(folder)
    assert file.read_bytes() == before


def test_files_left_by_a_killed_process_are_not_sealed(tmp_path):
    folder = write_audit(tmp_path / "a", ["consistent"])
    for name in (".report.html.part-123", "pictures/.abc.png.part-123"):
        (folder / name).write_bytes(b"half")
    bundled(folder)
    assert not any("123" in name for name in sheet(folder, "bundle.json")["files"])


def test_too_many_votes_are_refused(tmp_path):
    with pytest.raises(AuditError, match=r"no audit has such a setting: .*votes"):
        write_audit(tmp_path / "a", [], votes=1_001)
    assert not (tmp_path / "a").exists()


def test_a_running_audit_is_not_sealed(tmp_path):
    folder = write_audit(tmp_path / "a", ["consistent"])
    with lock_folder(folder, AuditError), pytest.raises(CountersightError, match="another process"):
        bundled(folder)


def changed_picture(folder):
    picture = sorted((folder / "pictures").iterdir())[0]
    picture.write_bytes(picture.read_bytes() + b"x")


def changed_log(folder):
    log = folder / "steps.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"text":"1"', b'"text":"2"', 1))


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda folder: (folder / "notes").symlink_to("/etc/passwd"), "notes is a link"),
        (
            lambda folder: (folder / "notes.txt").write_text("mine"),
            r"notes\.txt does not belong to the audit; remove it",
        ),
        (lambda folder: (folder / "pictures" / "mine").mkdir(), "is an empty folder, which does not .*; remove it"),
        (changed_picture, r"\.png was changed after"),
        (changed_log, "line 6 was changed"),
    ],
)
def test_a_folder_that_was_changed_is_not_sealed(tmp_path, spoil, why):
    folder = write_audit(tmp_path / "a", ["consistent"])
    spoil(folder)
    with pytest.raises(AuditError, match=why):
        bundled(folder)


def test_the_offline_audit_ends_with_a_page_and_a_seal_and_its_edits_are_marked(tmp_path, capsys):
    flowers, output = scenes(tmp_path / "flowers", 2), tmp_path / "embedded"
    parties = ["--model", "embedded", "--extractor", "rules", "--editor", "exact", "--judge", "exact"]
    assert main(["audit", str(flowers), *parties, "--operator", "A. Operator", "-o", str(output)]) == 0
    told = capsys.readouterr().out
    seal = hashlib.sha256((output / "bundle.json").read_bytes()).hexdigest()
    assert str(output / "report.html") in told
    assert seal in told
    assert main(["audit", "verify", str(output), "--seal", seal]) == 0
    assert read_sessions(output)[0].operator == "A. Operator"
    for line in (output / "cases.jsonl").read_text().splitlines():
        (test,) = json.loads(line)["concepts"]
        assert MARK.encode() in (output / test["edit"]["after"]).read_bytes()
        assert MARK.encode() not in (output / test["edit"]["before"]).read_bytes()
    assert main(["audit", "bundle", str(output)]) == 0
    assert main(["audit", "verify", str(output)]) == 0
    assert main(["audit", "verify", str(output), "--seal", seal]) == 0, "nothing was done since"


def test_resuming_a_finished_audit_changes_no_byte(tmp_path):
    folder = write_audit(tmp_path / "seer", ["consistent"])
    first = finish(folder).seal
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert finish(folder).seal == first
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before
    reviewed(folder)
    assert finish(folder).seal != first


def labelled(export, **changes):
    export.mkdir()
    (export / "labels.jsonl").write_text(json.dumps(LABEL | changes) + "\n")
    return export


def test_labels_of_a_campaign_become_reviews(tmp_path, capsys):
    folder = write_audit(tmp_path / "seer", ["consistent"])
    assert main(["audit", "bundle", str(folder), "--reviews", str(labelled(tmp_path / "labels"))]) == 0
    log = read_reviews(folder, score(read_audit(folder)))
    assert [(each.measure, each.was, each.now, each.label.person) for each in log.reviews] == [
        ("pcs", 1, 0, "p1"),
        ("ncc", 1, 1, "p1"),
    ]
    assert "2 verdicts reviewed, 1 overturned" in (folder / "report.html").read_text()
    capsys.readouterr()
    assert main(["audit", "verify", str(folder)]) == 0
    assert "Taken on trust: people's reviews" in capsys.readouterr().out
    strange = labelled(tmp_path / "strange", case="ball-9")
    assert main(["audit", "bundle", str(folder), "--reviews", str(strange)]) == 2
    assert "name the audit that people reviewed" in capsys.readouterr().err
