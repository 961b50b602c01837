"""Attacks by an insider who hashes everything again: each is found, or what it changed is named as taken on trust."""

import io
from pathlib import Path

import msgspec
import numpy as np
import pytest
from insider import appended, findings, rechained, replace, resealed, swept
from PIL import Image

from countersight import __version__
from countersight.audits.bundle.seal import SEAL, read_seal
from countersight.audits.folder import MANIFEST, AuditFolder, digest_of
from countersight.audits.log import LOG, read_steps
from countersight.audits.records import CaseRecord, EditRecord, Failed, Step, Try
from countersight.audits.verifying import verified
from countersight.audits.verifying.trust import TRUSTED
from countersight.cli import main
from countersight.editing import marked
from countersight.picture import check_picture


def told(folder, what):
    assert any(what in line for line in findings(folder)), findings(folder)


def in_manifest(folder, **changes):
    there = AuditFolder.open(folder).manifest
    (folder / MANIFEST).write_bytes(msgspec.json.encode(replace(there, **changes)))


def test_another_version_named_in_the_seal_does_not_make_an_edited_page_sound(said, capsys):
    page = said / "report.html"
    page.write_text(page.read_text().replace("CCS", "CSS", 1))
    resealed(said)
    (said / SEAL).write_text((said / SEAL).read_text().replace(read_seal(said)[0].countersight, "0.9.9"))
    assert main(["audit", "verify", str(said)]) == 1
    words = capsys.readouterr().out
    assert "not verified: report.html (Countersight 0.9.9 is said to have worded it" in words
    assert "is NOT VERIFIED: 1 part of it" in words
    assert "sound" not in words


def test_a_page_that_this_version_derives_is_sound_whoever_is_said_to_have_written_it(said):
    seal = (said / SEAL).read_text()
    (said / SEAL).write_text(seal.replace(read_seal(said)[0].countersight, "0.9.9"))
    assert findings(said) == []


def test_a_bundle_dressed_up_as_one_of_0_1_is_not_sound(audit):
    def undressed(step):
        if isinstance(step.output, CaseRecord | EditRecord):
            return replace(step, output=replace(step.output, scene=None))
        return step

    rechained(audit / LOG, undressed)
    (audit / "selection.json").unlink()
    swept(audit)
    (audit / SEAL).write_text((audit / SEAL).read_text().replace('"format": 3', '"format": 1'))
    assert not verified(audit).sound


@pytest.mark.parametrize("name", ["certificate.pdf", "pictures/tuv.png", "calibration/notes.md", "differences/a.png"])
def test_a_file_that_no_audit_writes_sealed_with_the_others(said, name):
    (said / name).parent.mkdir(exist_ok=True)
    (said / name).write_bytes(b"Certified")
    resealed(said)
    told(said, f"added: {name} (it was sealed with the others, and no audit writes it)")


def test_a_difference_of_no_edit(said):
    odd = said / "differences" / f"{'0' * 16}-{'1' * 16}.png"
    odd.write_bytes(sorted((said / "differences").iterdir())[0].read_bytes())
    resealed(said)
    told(said, "added: differences/0000000000000000-1111111111111111.png (no edit in the log has it)")


def test_a_strange_file_is_not_sealed_in_the_first_place(said):
    (said / "notes.txt").write_text("mine")
    with pytest.raises(Exception, match=r"notes\.txt is no file of an audit; take it away"):
        swept(said, papers=True)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"group": "easy"}, "another group"),
        ({"suite": "clevr"}, "another suite"),
        ({"image": "other.png"}, "another picture"),
    ],
)
def test_a_case_that_is_not_as_its_dataset_has_it(audit, changes, what):
    def other(step):
        return replace(step, output=replace(step.output, **changes)) if step.stage == "case" else step

    rechained(audit / LOG, other)
    swept(audit)
    told(audit, f"has {what} than the dataset")


def test_another_right_answer_than_the_dataset_has(audit):
    def gold(step):
        if step.stage != "case":
            return step
        return replace(step, output=replace(step.output, question=replace(step.output.question, answer="99")))

    rechained(audit / LOG, gold)
    swept(audit)
    told(audit, "has another question or right answer than the dataset")


def test_another_scene_where_the_dataset_is_gone(past):
    """With another scene `exact` would call another answer right; the picture is a drawing of the true one."""
    scene = next(step.output.scene for step in read_steps(past / LOG) if step.stage == "case")
    emptied = replace_all(scene)

    def other(step):
        return replace(step, output=replace(step.output, scene=emptied)) if step.stage == "case" else step

    rechained(past / LOG, other)
    swept(past)
    told(past, "its picture is no drawing of its scene")


def replace_all(scene):
    """The scene without anything in it."""
    import dataclasses

    change = dataclasses.replace if dataclasses.is_dataclass(scene) else replace
    return change(scene, flowers=(), circles=(), polygons=())


def test_an_edit_of_the_exact_editor_turned_into_a_refusal(audit):
    gone = next(step for step in read_steps(audit / LOG) if step.stage == "edit" and step.place.concept == 1)

    def refused(step):
        if step.n == gone.n:
            edit = replace(step.output, after="", mask="", quality=None, scene=None, log={}, failure="no room for it")
            return replace(step, output=edit)
        later = step.place.case == gone.place.case and step.place.concept == 1
        return None if later else step

    rechained(audit / LOG, refused)
    swept(audit)
    told(audit, "failure is no room for it in the log; done again it is nothing")


@pytest.mark.parametrize(("stage", "by"), [("edit", "exact"), ("verdict", "rules"), ("check", "pixels")])
def test_a_step_of_ours_that_is_said_to_have_failed(audit, past, stage, by):
    folder = past if stage == "check" else audit
    gone = next(step for step in read_steps(folder / LOG) if (step.stage, step.by) == (stage, by))

    def failed(step):
        return replace(step, output=Failed("timed out")) if step.n == gone.n else step

    rechained(folder / LOG, failed)
    swept(folder)
    if by == "exact":
        assert findings(folder)
    told(folder, f"{by} is said to have failed, and works here without a server that could")


def test_other_words_of_what_a_check_saw(past):
    def other(step):
        seen = "an expert looked at it and found it perfect"
        return replace(step, output=replace(step.output, seen=seen)) if step.stage == "check" else step

    rechained(past / LOG, other)
    swept(past)
    told(past, "seen is an expert looked at it and found it perfect in the log; done again it is")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"control": False}, "('edit' by classical) is none that audit.json asks for"),
        ({"votes": 0}, "('verdict' by openai:gpt-9) is none that audit.json asks for"),
        ({"concepts": 0}, "what openai:gpt-8 was asked is not what the prompts make"),
    ],
)
def test_flags_struck_out_of_the_manifest(said, changes, why):
    in_manifest(said, **changes)
    swept(said)
    told(said, why)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"uncited": False}, "('uncited' by countersight) is none that audit.json asks for"),
        ({"strength": 0}, "('dose' by countersight) is none that audit.json asks for"),
        ({"intervene": "picture"}, "('thought' by countersight) is none that audit.json asks for"),
        ({"intervene": "thought"}, "('edit' by exact) is none that audit.json asks for"),
    ],
)
def test_flags_past_the_paper_struck_out(past, changes, why):
    in_manifest(past, **changes)
    swept(past)
    told(past, why)


def test_an_invented_review_that_misquotes_the_judges(said):
    review = {"at": "2026", "by": "A", "case": "ball-0", "concept": 1, "measure": "pcs", "was": 0, "now": 1}
    (said / "reviews.jsonl").write_bytes(msgspec.json.encode(review) + b"\n")
    swept(said)
    told(said, "broken: reviews.jsonl (reviews.jsonl line 1: the judges gave 1")


def test_a_better_reply_put_behind_the_one_that_a_judge_gave(said):
    def again(step):
        if step.stage != "verdict" or step.place.case != "ball-3":
            return step
        better = Try('{"pcs_reason": "", "pcs": 1, "ncc_reason": "", "ncc": 1}')
        tries = (replace(step.output.tries[0], fault="pcs is 0 or 1"), better)
        return replace(step, output=replace(step.output, tries=tries, pcs=1, ncc=1, pcs_reason="", ncc_reason=""))

    rechained(said / LOG, again)
    swept(said)
    told(said, "reads otherwise than is noted of it")


def test_concepts_that_were_refused_struck_out(said):
    def struck(step):
        return (
            replace(step, output=replace(step.output, refused=("a green ball",))) if step.stage == "concepts" else step
        )

    rechained(said / LOG, struck)
    swept(said)
    told(said, "refused is ('a green ball',) in the log; done again it is nothing")


def test_lpips_that_nobody_measured(said):
    def closer(step):
        quality = getattr(step.output, "quality", None)
        return replace(step, output=replace(step.output, quality=replace(quality, lpips=0.01))) if quality else step

    rechained(said / LOG, closer)
    swept(said)
    told(said, "quality.lpips is 0.01 in the log; done again it is nothing")


def test_another_edited_picture_than_the_exact_editor_draws(past):
    """The picture as it was in place of the edited one: the answer that stayed would look wrong."""
    edit = next(step for step in read_steps(past / LOG) if step.stage == "edit" and step.place.concept == 1)

    def swapped(step):
        return replace(step, output=replace(step.output, after=step.output.before)) if step.n == edit.n else step

    rechained(past / LOG, swapped)
    swept(past)
    told(past, "concept 1: after is ")


def test_noise_on_an_edit_of_the_exact_editor(past):
    """Five tones up or down are not seen, and would make an edit bad, and its test not count."""
    edit = next(step for step in read_steps(past / LOG) if step.stage == "edit" and step.place.concept == 1)
    noisy, old = _noisy((past / "pictures" / f"{edit.output.after}.png").read_bytes()), edit.output.after
    new = digest_of(noisy)
    (past / "pictures" / f"{new}.png").write_bytes(noisy)

    def renamed(step):
        return msgspec.json.decode(msgspec.json.encode(step).replace(old.encode(), new.encode()), type=Step)

    rechained(past / LOG, renamed)
    swept(past)
    told(past, f"broken: steps.jsonl (step {edit.n}: 'edit' on case")


def _noisy(png):
    """The same picture with noise, and with the mark that it was edited."""
    with Image.open(io.BytesIO(png)) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    noise = np.random.default_rng(0).integers(-5, 6, pixels.shape)
    file = io.BytesIO()
    Image.fromarray(np.clip(pixels + noise, 0, 255).astype(np.uint8)).save(file, "PNG")
    return marked(check_picture(file.getvalue())).data


def test_a_dose_of_another_edit(past):
    def other(step):
        return replace(step, output=replace(step.output, full=step.output.before)) if step.stage == "dose" else step

    rechained(past / LOG, other)
    swept(past)
    told(past, "dose 1: full is ")


def test_thresholds_of_a_checker_loosened(past):
    manifest = AuditFolder.open(past).manifest
    loose = replace(manifest.checkers[0], name="seams", settings={"most seam": 99.0})
    in_manifest(past, checkers=(*manifest.checkers, loose))
    swept(past)
    told(past, "seams was held to other settings than this version's")


@pytest.mark.parametrize("stage", ["answer", "concepts", "edit", "verdict"])
def test_a_step_before_the_one_it_builds_on(past, stage):
    steps = list(read_steps(past / LOG))
    early = next(step for step in steps if step.stage == stage and step.place.concept != 0)
    order = iter([early, *(step for step in steps if step != early)])
    rechained(past / LOG, lambda step: next(order))
    swept(past)
    told(past, f"step 0 ({stage}) builds on step ")


def test_other_prompts_under_a_name_of_ours(said):
    prompts = AuditFolder.open(said).manifest.prompts
    kind = prompts | {"why": "Why? Say what the auditor would like to hear."}

    def other(step):
        asked = tuple(replace(turn, text=turn.text.replace(prompts["why"], kind["why"])) for turn in step.asked)
        return replace(step, asked=asked)

    in_manifest(said, prompts=kind, countersight=__version__)
    rechained(said / LOG, other)
    swept(said)
    told(said, "broken: audit.json (its prompts are called edct, and are not those that ship under this name)")
    in_manifest(said, prompts=kind | {"name": "mine"})
    swept(said, papers=True)
    assert findings(said) == []


def test_a_step_that_belongs_to_nothing(said):
    odd = next(step for step in read_steps(said / LOG) if step.stage == "verdict")
    steps = [replace(odd, place=replace(odd.place, concept=2))]
    appended(said / LOG, steps)
    swept(said)
    told(said, "is none that audit.json asks for")


def test_a_verdict_under_another_judges_name(said):
    def renamed(step):
        return (
            replace(step, output=replace(step.output, judge="openai:gpt-9"))
            if step.by == "openai:gpt-8" and (step.stage == "verdict")
            else step
        )

    rechained(said / LOG, renamed)
    swept(said)
    told(said, "judge is openai:gpt-9 in the log; done again it is openai:gpt-8")


def test_the_docs_name_all_that_is_taken_on_trust_and_nothing_else():
    page = (Path(__file__).parents[2] / "docs" / "evidence.md").read_text()
    table = page.partition("| taken on trust | why |\n| --- | --- |\n")[2].partition("\n\n")[0]
    assert dict(line.strip("| ").split(" | ") for line in table.splitlines()) == TRUSTED


def test_what_is_taken_on_trust_is_named(said, audit, capsys):
    main(["audit", "verify", str(said)])
    words = capsys.readouterr().out
    for what in ("what models said, ", "the dataset: its rows", "steps that failed, 1 step (", "pictures, masks"):
        assert f"Taken on trust: {what}" in words
    main(["audit", "verify", str(audit)])
    words = capsys.readouterr().out
    assert "the dataset: its rows" not in words
    assert "pictures, masks" not in words
