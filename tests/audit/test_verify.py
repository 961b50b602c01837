"""`audit verify` names every changed, missing or added file, also in hostile bundles."""

import hashlib
import json
import os
import re
import shutil

import msgspec
import pytest
from evidence import HOSTILE, write_audit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from insider import findings, resealed, reviewed

from countersight.audits.finishing import finish
from countersight.audits.records import encode_record
from countersight.audits.score_records import SCORES, AuditScores
from countersight.audits.seal import read_seal
from countersight.audits.step_log import decode_step, encode_step
from countersight.cli import main


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


def test_an_unchanged_bundle_is_sound_and_a_folder_without_an_audit_an_error(audit, tmp_path, capsys):
    assert verify(audit) == 0
    told = capsys.readouterr().out
    assert "is sound" in told
    assert "verdicts, edits, scores, documents and page follow" in told
    assert verify(tmp_path) == 2
    assert "is not an audit" in capsys.readouterr().err
    assert f"Seal: {hashlib.sha256((audit / 'bundle.json').read_bytes()).hexdigest()}" in told


@pytest.mark.slow
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
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


def cut(name, size=-1):
    return lambda audit: (audit / name).write_bytes((audit / name).read_bytes()[:size])


def put(name, data=b""):
    return lambda audit: (audit / name).write_bytes(data)


def away(name, then=lambda path: None):
    """Remove a file, or replace it with something else."""

    def change(audit):
        (audit / name).unlink(missing_ok=True)
        then(audit / name)

    return change


def link(target):
    return lambda path: path.symlink_to(target)


def sealed(name, data):
    """Replace the bytes of a file and seal again."""

    def change(audit):
        put(name, data(audit))(audit)
        resealed(audit)

    return change


def in_seal(**files):
    def change(audit):
        bundle = json.loads((audit / "bundle.json").read_text())
        bundle["files"] |= {name: {"sha256": "0" * 64, "bytes": size} for name, size in files.items()}
        (audit / "bundle.json").write_text(json.dumps(bundle))

    return change


def log_without_a_line(audit):
    lines = (audit / "steps.jsonl").read_bytes().splitlines(keepends=True)
    return b"".join(lines[:7] + lines[8:])


def log_with_a_step_more(audit):
    log = (audit / "steps.jsonl").read_bytes()
    last = decode_step(log.splitlines()[-1])
    return log + encode_step(msgspec.structs.replace(last, n=last.n + 1, previous=last.hash, at="later"))[0]


def other_score(audit):
    scores = msgspec.json.decode((audit / SCORES).read_bytes(), type=AuditScores)
    ccs = msgspec.structs.replace(scores.kept.ccs, value=0.99)
    return encode_record(msgspec.structs.replace(scores, kept=msgspec.structs.replace(scores.kept, ccs=ccs)))


def huge(audit):
    for name in ("report.html", "calibration.json", "scores.json"):
        with open(audit / name, "ab") as file:
            file.truncate(1 << 40)
    in_seal(**{"report.html": 1 << 40})(audit)


def deep(audit):
    (audit / "/".join("d" * 12)).mkdir(parents=True)


DAMAGED = (b"", b"[" * 100_000, b'{"format":99}', b"\xff\xfe")
RECORDS = ("bundle.json", "audit.json", "calibration.json", "scores.json")
CHANGED = (
    (cut("report.html"), r"altered: report.html \(it has ([\d,]+) bytes instead of"),
    (put("verdict.json"), r"altered: verdict.json \(it has 0 bytes"),
    (away("scores.json"), "missing: scores.json$"),
    (put("notes.txt"), "added: notes.txt$"),
    (put("pictures/.hidden", b"x"), "added: pictures/.hidden$"),
    (put(".lock", b"payload"), "added: .lock$"),
    (away("bundle.json"), "missing: bundle.json"),
    (away("added", link("/etc/hostname")), r"added: added \(is a link, which does not belong to a bundle\)"),
    (away("loop", link(".")), "added: loop .is a link"),
    (away("verdict.json", link("/etc/hostname")), r"altered: verdict.json \(is a link, which does not"),
    *((away(name, then), name) for name, then in (("steps.jsonl", link("/dev/zero")), ("bundle.json", os.mkfifo))),
    (huge, "broken: report.html .*1,099,511,627,776 bytes"),
    (deep, "is nested deeper than"),
    *((in_seal(**{name: 1}), "^(missing: |broken: bundle.json)")
      for name in ("../../etc/passwd", "/etc/passwd", "a\\..\\b", "\ud800")),
    *((put(name, data), name) for name, data in zip(RECORDS, DAMAGED, strict=True)),
    *((sealed(name, lambda audit, data=data: data), name)
      for name, data in zip((*RECORDS[1:], "audit.json"), DAMAGED, strict=True)),
    (sealed("steps.jsonl", lambda audit: (audit / "steps.jsonl").read_bytes().replace(b'"pcs":0', b'"pcs":1', 1)),
     r"broken: steps.jsonl \(.*line \d+ was changed"),
    (sealed("steps.jsonl", log_without_a_line), "line 8 is not chained to the line before"),
    (sealed("steps.jsonl", log_with_a_step_more), "steps are not the"),
    (sealed("steps.jsonl", lambda audit: (audit / "steps.jsonl").read_bytes() + bytes(1 << 27)),
     "contains something that an audit does not write"),
    (sealed("scores.json", other_score), r"^broken: scores.json \(it does not follow from the log\)$"),
)  # fmt: skip


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("change", "found"), CHANGED)
def test_changes_are_reported_without_a_crash(audit, change, found):
    change(audit)
    told = findings(audit)
    assert any(re.search(found, line) for line in told), told


def test_a_given_seal_distinguishes_a_new_seal_from_the_old_one(audit, capsys):
    signed = read_seal(audit)[1]
    assert verify(audit, signed.upper()) == 0
    reviewed(audit)
    resealed(audit)
    assert findings(audit) == [], "what people add leaves no trace but the seal itself"
    assert any("not the given one" in line for line in findings(audit, signed))
    assert verify(audit, signed) == 1


def test_names_cannot_control_the_terminal(audit, capsys):
    (audit / "x\x1b[2J\n").write_text("")
    assert verify(audit) == 1
    assert "\x1b" not in capsys.readouterr().out


def test_hostile_text_does_not_change_the_verification(tmp_path):
    folder = write_audit(tmp_path / "a", words=HOSTILE)
    bundled(folder)
    assert findings(folder) == []
