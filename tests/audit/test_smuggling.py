"""Words put where nobody looks: in questions that nobody was asked, beside pixels, in names of folders."""

import base64
import io
import re
import struct
import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from insider import appended, findings, rechained, replace, resealed, swept
from PIL import Image, PngImagePlugin

from countersight.audits.checkers.model import asked_of, heard
from countersight.audits.finishing import finish
from countersight.audits.folder import LOG, MANIFEST, AuditFolder, digest_of, read_steps
from countersight.audits.records import Actor, Asked, Failed, Step
from countersight.audits.selection import SELECTION, Selection, decode_selection, write_selection
from countersight.audits.verifying.finding import holds_more, is_bare_webp
from countersight.cli import main
from countersight.errors import AuditError

CERTIFIED = "certified by a notary"
MADE_UP = (Asked("user", CERTIFIED),)
WORDS = Image.new("RGB", (9, 7), "red")


def told(folder, what):
    assert any(what in line for line in findings(folder)), findings(folder)


def png(image=WORDS, **saved):
    file = io.BytesIO()
    image.save(file, "PNG", **saved)
    return file.getvalue()


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def with_words(picture):
    return picture[:33] + chunk(b"tEXt", b"Comment\0" + CERTIFIED.encode()) + picture[33:]


def test_questions_that_nobody_was_asked(past):
    silent = [step.n for step in read_steps(past / LOG) if not step.asked]
    assert len(silent) == 10
    rechained(past / LOG, lambda step: step if step.asked else replace(step, asked=MADE_UP))
    swept(past)
    told(past, f"step 0, and {len(silent) - 1} more: it says what was asked, and asks nobody")


def test_a_question_in_a_step_that_failed(said):
    rechained(said / LOG, lambda step: replace(step, asked=MADE_UP) if isinstance(step.output, Failed) else step)
    resealed(said)
    told(said, "it says what was asked, and asks nobody")


def test_questions_in_the_log_of_a_calibration(audit):
    rechained(audit / "calibration" / LOG, lambda step: replace(step, asked=MADE_UP))
    swept(audit)
    told(audit, "broken: calibration/steps.jsonl (step 0, and ")


@pytest.mark.parametrize("place", [{"case": "another"}, {"judge": "nobody"}, {"vote": 2}])
def test_a_verdict_of_no_test_judge_or_vote_of_a_calibration(audit, place):
    log = audit / "calibration" / LOG
    given = next(step for step in read_steps(log) if step.by == "rules")
    named = {name: value for name, value in place.items() if name != "case"}
    appended(log, [replace(given, place=replace(given.place, **place), output=replace(given.output, **named))])
    resealed(audit)
    told(audit, "is none that audit.json asks for")


def test_another_question_to_a_model_that_checks(said):
    manifest = AuditFolder.open(said).manifest
    checking = replace(manifest, checkers=(Actor("openai:gpt-7"),))
    (said / MANIFEST).write_bytes(msgspec.json.encode(checking))
    appended(said / LOG, [_check(step) for step in read_steps(said / LOG) if _is_edit_to_check(step)])
    swept(said, papers=True)
    assert findings(said) == []
    rechained(said / LOG, lambda step: replace(step, asked=MADE_UP) if step.stage == "check" else step)
    swept(said)
    told(said, "what openai:gpt-7 was asked is not what the prompts make")


def _is_edit_to_check(step: Step) -> bool:
    return step.stage == "edit" and step.place.concept == 1 and bool(step.output.after)


def _check(step: Step) -> Step:
    edit = step.output
    said = heard("openai:gpt-7", edit.instruction, ("yes", "no"))
    asked = asked_of(edit.instruction, (edit.before, edit.after))
    place = replace(step.place, judge="openai:gpt-7")
    return replace(step, stage="check", place=place, by="openai:gpt-7", output=said, asked=asked, at="")


def test_words_in_a_difference(said):
    file = sorted((said / "differences").iterdir())[0]
    file.write_bytes(with_words(file.read_bytes()))
    resealed(said)
    assert findings(said) == [
        f"broken: differences/{file.name} (it is not where the two pictures differ, or holds more)"
    ]


@pytest.mark.parametrize(
    ("stage", "what"),
    [("edit", "concept 1: after is "), ("dose", "concept 1, dose 1: after is ")],
)
def test_words_in_a_picture_that_can_be_made_again(past, stage, what):
    old = next(step.output.after for step in read_steps(past / LOG) if step.stage == stage and step.place.concept == 1)
    picture = with_words((past / "pictures" / f"{old}.png").read_bytes())
    new = digest_of(picture)
    (past / "pictures" / f"{new}.png").write_bytes(picture)

    def renamed(step):
        return msgspec.json.decode(msgspec.json.encode(step).replace(old.encode(), new.encode()), type=Step)

    rechained(past / LOG, renamed)
    swept(past)
    told(past, what)


def test_words_in_a_picture_of_the_page(said):
    page = said / "report.html"
    shown = re.search(r"data:image/webp;base64,([A-Za-z0-9+/=]+)", page.read_text())[1]
    file = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(shown))) as image:
        image.save(file, "WEBP", lossless=True, xmp=CERTIFIED.encode())
    page.write_text(page.read_text().replace(shown, base64.b64encode(file.getvalue()).decode()))
    resealed(said)
    told(said, "broken: report.html (it shows other pictures than those of the bundle)")


@pytest.mark.parametrize(
    "smuggled",
    [
        with_words(png()),
        png() + CERTIFIED.encode(),
        png() + chunk(b"IDAT", CERTIFIED.encode()),
        png()[:33] + chunk(b"caBX", CERTIFIED.encode()) + png()[33:],
        png()[:33] + chunk(b"IDAT", zlib.compress(WORDS.tobytes() + b"\0" * 7) + CERTIFIED.encode()) + png()[-12:],
        png()[:33] + chunk(b"IDAT", CERTIFIED.encode()) + png()[-12:],
    ],
    ids=["words", "bytes behind", "pixels behind", "credentials", "bytes behind the pixels", "no pixels"],
)
def test_a_png_that_holds_more_than_its_pixels(smuggled):
    assert holds_more(smuggled, png())


def test_a_png_that_another_library_packed_holds_nothing_more():
    mark = PngImagePlugin.PngInfo()
    mark.add_text("Comment", "edited")
    assert not holds_more(png(compress_level=0), png(compress_level=9))
    assert not holds_more(png(compress_level=0), png(pnginfo=mark))
    assert not holds_more(png()[:33] + chunk(b"caBX", b"by somebody") + png()[33:], png(), signed=True)


def test_a_webp_that_holds_more_than_its_pixels():
    for lossless in (False, True):
        file = io.BytesIO()
        WORDS.save(file, "WEBP", lossless=lossless)
        assert is_bare_webp(file.getvalue())
        assert not is_bare_webp(file.getvalue() + b"words")
    assert not is_bare_webp(b"")


@pytest.mark.parametrize("name", ["certified by a notary", "pictures/certified", "a/b/c"])
def test_an_empty_folder_with_a_telling_name(said, name):
    (said / name).mkdir(parents=True)
    told(said, f"added: {name} (is an empty folder, and a bundle has none)")
    with pytest.raises(AuditError, match="is an empty folder, and a bundle has none; take it away"):
        finish(said)


@pytest.mark.parametrize("asked", [{"votes": 10**12}, {"strength": 10**12}])
def test_more_votes_or_doses_than_could_be_looked_for(said, asked):
    manifest = AuditFolder.open(said).manifest
    (said / MANIFEST).write_bytes(msgspec.json.encode(replace(manifest, **asked)))
    resealed(said)
    told(said, "no audit has so many")


@given(st.integers(1, 60), st.integers(0, 60), st.integers(0, 60))
def test_as_many_cases_are_expected_as_the_rule_selects(rows, unreadable, most):
    selection = Selection("", rows, min(unreadable, rows), 0, ())
    readable = selection.rows - selection.unreadable
    places = {nth * rows // most for nth in range(most)}
    by_the_rule = readable if most >= rows else sum(place < readable for place in places)
    assert selection.expected(most) == by_the_rule
    assert Selection("", 10**13, 0, 0, ()).expected(10**12) == 10**12


def test_an_audit_of_no_case_is_not_sound(said, capsys):
    selection = decode_selection((said / SELECTION).read_bytes())
    left_out = selection.left_out + len(selection.cases)
    write_selection(said, replace(selection, left_out=left_out, cases=()))
    (said / LOG).write_bytes(b"")
    swept(said)
    assert main(["audit", "verify", str(said)]) == 1
    words = capsys.readouterr().out
    assert "not verified: steps.jsonl (it holds no case: nothing was audited, and nothing can be sound)" in words
    assert "is sound" not in words
