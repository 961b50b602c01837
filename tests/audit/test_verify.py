"""`audit verify` finds any altered, missing or added byte and names it, whatever the bundle is made of."""

import hashlib
import json
import os
import re
import shutil
import time

import msgspec
import pytest
from evidence import HOSTILE, Writer, manifest, write_audit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from insider import findings, resealed, reviewed

from countersight.audits.bundle.seal import read_seal
from countersight.audits.finishing import finish
from countersight.audits.folder import decode_step, encode_step
from countersight.audits.scores import SCORES, AuditScores, encode
from countersight.audits.verifying import verify_bundle
from countersight.cli import main
from countersight.errors import AuditError


def bundled(folder):
    return finish(folder).seal


def verify(folder, seal=""):
    return main(["audit", "verify", str(folder), *(["--seal", seal] if seal else [])])


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    folder = write_audit(tmp_path_factory.mktemp("audits") / "seer")
    bundled(folder)
    return folder


@pytest.fixture
def audit(untouched, tmp_path):
    return shutil.copytree(untouched, tmp_path / "seer")


def test_a_bundle_as_it_was_sealed_is_sound(audit, capsys):
    assert verify(audit) == 0
    told = capsys.readouterr().out
    assert "is sound" in told
    assert "verdicts, edits, scores, documents and page follow" in told
    assert f"Seal: {hashlib.sha256((audit / 'bundle.json').read_bytes()).hexdigest()}" in told


@pytest.mark.slow
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_altered_byte_is_found_and_its_file_named(untouched, data):
    sealed = sorted(read_seal(untouched)[0].files)
    name = data.draw(st.sampled_from(sealed))
    file = untouched / name
    before = file.read_bytes()
    if not before:
        return
    at = data.draw(st.integers(0, len(before) - 1))
    flipped = before[at] ^ (1 << data.draw(st.integers(0, 7)))
    file.write_bytes(before[:at] + bytes([flipped]) + before[at + 1 :])
    try:
        found = findings(untouched)
    finally:
        file.write_bytes(before)
    assert f"altered: {name} (its content differs from the sealed one)" in found


def test_a_cut_and_a_grown_file_are_named_with_their_sizes(audit):
    report = audit / "report.html"
    report.write_bytes(report.read_bytes()[:-1])
    (audit / "limits.md").write_text("")
    found = findings(audit)
    size = len(report.read_bytes())
    assert f"altered: report.html (it has {size:,} bytes instead of {size + 1:,})" in found
    assert any(line.startswith("altered: limits.md (it has 0 bytes") for line in found)


def test_missing_and_added_files_are_named(audit, capsys):
    (audit / "sign-off.md").unlink()
    (audit / "notes.txt").write_text("")
    (audit / "pictures" / ".hidden").write_text("x")
    assert verify(audit) == 1
    told = capsys.readouterr().out
    assert "missing: sign-off.md\n" in told
    assert "added: notes.txt\n" in told
    assert "added: pictures/.hidden\n" in told


def test_a_missing_picture_is_named_by_the_seal_and_by_the_log(audit):
    picture = sorted((audit / "pictures").iterdir())[0]
    picture.unlink()
    assert findings(audit) == [f"missing: pictures/{picture.name}"]
    seal = json.loads((audit / "bundle.json").read_text())
    del seal["files"][f"pictures/{picture.name}"]
    (audit / "bundle.json").write_text(json.dumps(seal))
    assert f"missing: pictures/{picture.stem} (a step refers to it)" in findings(audit)


def test_a_bundle_without_its_seal_is_not_sound(audit):
    (audit / "bundle.json").unlink()
    (finding,) = findings(audit)
    assert finding.startswith("missing: bundle.json")


def test_a_change_of_the_log_under_a_new_seal_breaks_its_chain(audit):
    log = audit / "steps.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"pcs":0', b'"pcs":1', 1))
    resealed(audit)
    assert any(re.search(r"broken: steps.jsonl \(.*line \d+ was changed", line) for line in findings(audit))


def test_a_line_taken_out_of_the_log_breaks_its_chain(audit):
    log = audit / "steps.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:7] + lines[8:]))
    resealed(audit)
    assert any("line 8 is not chained to the line before" in line for line in findings(audit))


def test_steps_added_after_the_seal_are_found(audit):
    log = audit / "steps.jsonl"
    last = decode_step(log.read_bytes().splitlines()[-1])
    line, _ = encode_step(msgspec.structs.replace(last, n=last.n + 1, previous=last.hash, at="later"))
    log.write_bytes(log.read_bytes() + line)
    resealed(audit)
    assert any("steps and another end" in line for line in findings(audit))


def test_a_forged_score_under_a_new_seal_does_not_follow_from_the_verdicts(audit):
    scores = msgspec.json.decode((audit / SCORES).read_bytes(), type=AuditScores)
    ccs = msgspec.structs.replace(scores.kept.ccs, value=0.99)
    forged = msgspec.structs.replace(scores, kept=msgspec.structs.replace(scores.kept, ccs=ccs))
    (audit / SCORES).write_bytes(encode(forged))
    resealed(audit)
    assert findings(audit) == ["broken: scores.json (it does not follow from the log)"]


def test_the_seal_that_was_signed_tells_a_new_seal_from_the_old(audit, capsys):
    signed = read_seal(audit)[1]
    assert verify(audit, signed.upper()) == 0
    reviewed(audit)
    resealed(audit)
    assert findings(audit) == [], "what people add leaves no trace but the seal itself"
    assert any("not the given one" in line for line in findings(audit, signed))
    assert verify(audit, signed) == 1


def test_a_signature_beside_the_seal_is_no_added_file(audit, capsys):
    (audit / "bundle.json.asc").write_bytes(b"signed")
    assert verify(audit) == 0
    told = capsys.readouterr().out
    assert "Not checked: bundle.json.asc (it is not covered by the seal" in told
    assert "It is not signed." in told


def test_only_an_empty_lock_may_lie_there(audit):
    (audit / ".lock").write_bytes(b"payload")
    assert findings(audit) == ["added: .lock"]


def test_the_audit_may_be_looked_at_from_anywhere_and_was_moved(audit, tmp_path, monkeypatch):
    audit.rename(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path)
    assert main(["audit", "verify", "elsewhere"]) == 0


def test_the_command_ends_with_1_where_something_is_wrong_and_2_where_there_is_no_audit(audit, tmp_path, capsys):
    assert main(["audit", "verify", str(audit)]) == 0
    (audit / "limits.md").unlink()
    assert main(["audit", "verify", str(audit)]) == 1
    assert main(["audit", "verify", str(tmp_path)]) == 2
    assert "is not an audit" in capsys.readouterr().err


# ---- hostile bundles ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "pictures/../../x", "a\\..\\b", "x\0y", "\ud800"])
def test_names_that_lead_out_of_the_bundle_are_not_followed(audit, name):
    bundle = json.loads((audit / "bundle.json").read_text())
    bundle["files"][name] = {"sha256": "0" * 64, "bytes": 1}
    (audit / "bundle.json").write_text(json.dumps(bundle))
    found = findings(audit)
    assert len(found) == 1
    assert found[0].startswith(("missing: ", "broken: bundle.json"))


def test_links_are_named_and_never_followed(audit, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    (audit / "added").symlink_to(secret)
    (audit / "loop").symlink_to(audit, target_is_directory=True)
    kept = audit / "limits.md"
    copy = tmp_path / "limits.md"
    copy.write_bytes(kept.read_bytes())
    kept.unlink()
    kept.symlink_to(copy)
    assert sorted(findings(audit))[:3] == [
        "added: added (is a link, which does not belong to a bundle)",
        "added: loop (is a link, which does not belong to a bundle)",
        "altered: limits.md (is a link, which does not belong to a bundle)",
    ]


@pytest.mark.parametrize("name", ["audit.json", "steps.jsonl", "bundle.json", "scores.json", "calibration.json"])
@pytest.mark.timeout(120)
def test_what_is_read_may_be_a_link_to_something_endless(audit, name):
    (audit / name).unlink(missing_ok=True)
    (audit / name).symlink_to("/dev/zero")
    assert any(name in line for line in findings(audit))


@pytest.mark.parametrize("name", ["limits.md", "bundle.json", "steps.jsonl", "calibration.json"])
@pytest.mark.timeout(120)
def test_a_pipe_is_not_waited_for(audit, name):
    (audit / name).unlink(missing_ok=True)
    os.mkfifo(audit / name)
    assert any(name in line for line in findings(audit))


@pytest.mark.timeout(120)
def test_a_file_that_says_it_is_huge_is_not_read(audit):
    for name in ("report.html", "calibration.json", "scores.json"):
        with open(audit / name, "ab") as file:
            file.truncate(1 << 40)
    bundle = json.loads((audit / "bundle.json").read_text())
    bundle["files"]["report.html"]["bytes"] = 1 << 40
    (audit / "bundle.json").write_text(json.dumps(bundle))
    start = time.process_time()
    found = findings(audit)
    assert time.process_time() - start < 10
    assert any(line.startswith("broken: report.html (") and "1,099,511,627,776 bytes" in line for line in found)
    assert any("scores.json" in line for line in found)
    assert any("calibration.json" in line for line in found)


@pytest.mark.timeout(120)
def test_a_log_whose_line_never_ends_is_not_read_into_memory(audit):
    with open(audit / "steps.jsonl", "ab") as file:
        file.truncate(1 << 27)
    resealed(audit)
    assert any("contains something that an audit does not write" in line for line in findings(audit))


def test_folders_within_folders_come_to_an_end(audit):
    deep = audit
    for _ in range(12):
        deep = deep / "d"
    deep.mkdir(parents=True)
    assert any("is nested deeper than" in line for line in findings(audit))


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"format":99}', b'{"files":{"a":1}}', b"null"]
)
@pytest.mark.parametrize("name", ["bundle.json", "audit.json", "scores.json", "steps.jsonl", "calibration.json"])
def test_damaged_files_are_named_and_crash_nothing(audit, name, content):
    (audit / name).write_bytes(content)
    assert any(name in line for line in findings(audit))


def test_names_cannot_steer_the_terminal(audit, capsys):
    (audit / "x\x1b[2J\n").write_text("")
    assert verify(audit) == 1
    assert "\x1b" not in capsys.readouterr().out


def test_hostile_words_in_an_audit_change_nothing(tmp_path):
    folder = write_audit(tmp_path / "a", words=HOSTILE)
    bundled(folder)
    assert findings(folder) == []


@pytest.mark.slow
def test_many_cases_are_verified_in_seconds(tmp_path):
    writer = Writer(tmp_path / "a", manifest(control=False))
    with writer.folder.writing():
        for row in range(100):
            writer.case(row, "consistent" if row % 3 else "neither")
    folder = writer.close()
    bundled(folder)
    start = time.process_time()
    assert findings(folder) == []
    assert time.process_time() - start < 8


def test_a_folder_that_is_no_audit_is_refused(tmp_path):
    with pytest.raises(AuditError, match="is not an audit"):
        verify_bundle(tmp_path)
