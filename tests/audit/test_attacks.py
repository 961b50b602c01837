"""Attacks by an insider who recomputes all hashes: each is found, or the changed part is listed as taken on trust.

A few attacks of each kind always run; the others are slow tests.
"""

import asyncio
import hashlib
import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import pytest
from insider import appended, findings, rechained, replace, resealed, reviewed, swept, with_verdict
from PIL import Image

from countersight import __version__
from countersight.audits.calibration.calibration_file import CALIBRATION, Calibration, write_calibration
from countersight.audits.finishing import finish
from countersight.audits.folder import MANIFEST, AuditFolder, digest_of
from countersight.audits.manifest import Actor
from countersight.audits.plan import LATE
from countersight.audits.records import CONTROL, Attempt, Failed, RecordedTurn, Step
from countersight.audits.seal import FORMAT, SEAL, read_seal
from countersight.audits.selection import SELECTION, decode_selection, write_selection
from countersight.audits.step_log import LOG, read_steps
from countersight.audits.verifying import verify_bundle
from countersight.audits.verifying.trust import TRUSTED
from countersight.cli import main
from countersight.editing import mark_edited
from countersight.picture import check_picture

CERTIFIED = "certified by a notary"
MADE_UP = (RecordedTurn("user", CERTIFIED),)
WORDS = Image.new("RGB", (9, 7), "red")
NONE = "is not required by audit.json"
URL = re.compile(r"data:image/webp;base64,([A-Za-z0-9+/=]*)")


class Attack(NamedTuple):
    """A change to the bundle of a fixture, and the words of the finding that it must cause."""

    what: str
    bundle: str
    change: Callable[[Path], None]
    found: str


def in_manifest(folder, **changes):
    """Change settings in the manifest; a function gets the manifest and returns the new value."""
    there = AuditFolder.open(folder).manifest
    changes = {name: change(there) if callable(change) else change for name, change in changes.items()}
    (folder / MANIFEST).write_bytes(msgspec.json.encode(replace(there, **changes)))


def manifest(**changes):
    """Change settings in the manifest and seal again."""

    def change(folder):
        in_manifest(folder, **changes)
        swept(folder)

    return change


def steps(change):
    """Change or drop steps, rebuild the chain and seal again."""

    def attack(folder):
        rechained(folder / LOG, change)
        swept(folder)

    return attack


def cut(chosen):
    return steps(lambda step: None if chosen(step) else step)


def chosen(is_meant, **changes):
    """Change fields of the chosen steps."""
    return steps(lambda step: replace(step, **changes) if is_meant(step) else step)


def outputs(stage, is_meant=lambda step: True, **changes):
    """Change fields of the outputs of a stage."""
    return steps(
        lambda step: (
            replace(step, output=replace(step.output, **changes)) if step.stage == stage and is_meant(step) else step
        )
    )


def edited(name, change):
    """Change the text of a file and seal again."""

    def attack(folder):
        words = (folder / name).read_text()
        assert change(words) != words, name
        (folder / name).write_text(change(words))
        resealed(folder)

    return attack


def rewritten(name, old, new):
    return edited(name, lambda words: words.replace(old, new, 1))


def in_seal(old, new):
    """Replace text in the seal."""
    return lambda folder: (folder / SEAL).write_text((folder / SEAL).read_text().replace(old, new, 1))


def added(folder):
    """Add a file that no audit writes, and seal again."""
    (folder / "certificate.pdf").write_bytes(b"Certified")
    resealed(folder)


def put_behind(find, **changes):
    """Append a changed copy of a step to the log."""

    def change(folder):
        step = next(step for step in read_steps(folder / LOG) if find(step))
        appended(folder / LOG, [changed(step, **changes)])
        swept(folder)

    return change


def changed(step, place=None, output=None, **changes):
    place = replace(step.place, **(place or {}))
    given = output if isinstance(output, Failed) else replace(step.output, **(output or {}))
    return replace(step, place=place, output=given, **changes)


def is_verdict(step):
    return step.stage == "verdict"


def first_test(folder, stage):
    return next(step for step in read_steps(folder / LOG) if step.stage == stage and step.place.concept == 1)


def refused_edit(folder):
    gone = first_test(folder, "edit")

    def refused(step):
        if step.n == gone.n:
            edit = replace(step.output, after="", mask="", quality=None, scene=None, log={}, failure="no room for it")
            return replace(step, output=edit)
        return None if step.place.case == gone.place.case and step.place.concept == 1 else step

    steps(refused)(folder)


def failed(stage, by):
    def change(folder):
        n = next(step.n for step in read_steps(folder / LOG) if (step.stage, step.by) == (stage, by))
        chosen(lambda step: step.n == n, output=Failed("timed out"))(folder)

    return change


def another_answer(step):
    if step.stage != "case":
        return step
    return replace(step, output=replace(step.output, question=replace(step.output.question, answer="99")))


def emptied(step):
    """Replace the scene, which changes the right answer for `exact`."""
    if step.stage != "case":
        return step
    scene = replace(step.output.scene, flowers=(), circles=(), polygons=())
    return replace(step, output=replace(step.output, scene=scene))


def scene_of_another_picture(folder):
    """Replace the scene of a picture in the dataset and in the log, which changes the right answer for `exact`."""
    rows = [json.loads(line) for line in (folder.parent / "scenes" / "scenes.jsonl").read_text().splitlines()]
    rows[0]["scene"] |= {"flowers": [], "circles": []}
    (folder.parent / "scenes" / "scenes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    steps(lambda step: emptied(step) if step.place.case == rows[0]["id"] else step)(folder)


def better_reply(step):
    """Append a better reply to the one that a judge gave."""
    if step.stage != "verdict" or step.place.case != "ball-3":
        return step
    better = Attempt('{"pcs_reason": "", "pcs": 1, "ncc_reason": "", "ncc": 1}')
    tries = (replace(step.output.tries[0], fault="pcs is 0 or 1"), better)
    return replace(step, output=replace(step.output, tries=tries, pcs=1, ncc=1, pcs_reason="", ncc_reason=""))


def with_quality(is_meant, **changes):
    """Change the measures of edits."""

    def change(step):
        quality = getattr(step.output, "quality", None)
        if not quality or not is_meant(step):
            return step
        return replace(step, output=replace(step.output, quality=replace(quality, **changes)))

    return steps(change)


def asked(words, is_meant):
    """Change the recorded prompts."""

    def change(step):
        turns = tuple(replace(turn, text=words(turn.text)) for turn in step.asked)
        return replace(step, asked=turns) if is_meant(step) else step

    return steps(change)


def with_picture(stage, change):
    """Replace a picture that can be redrawn, and its digest everywhere."""

    def attack(folder):
        old = first_test(folder, stage).output.after
        picture = change((folder / "pictures" / f"{old}.png").read_bytes())
        new = digest_of(picture)
        (folder / "pictures" / f"{new}.png").write_bytes(picture)
        renamed = (old.encode(), new.encode())
        steps(lambda step: msgspec.json.decode(msgspec.json.encode(step).replace(*renamed), type=Step))(folder)

    return attack


def noisy(picture):
    """Add noise of up to five levels, which is invisible but makes an edit bad, so that its test is excluded."""
    with Image.open(io.BytesIO(picture)) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    shaken = pixels + np.random.default_rng(0).integers(-5, 6, pixels.shape)
    return mark_edited(check_picture(png(Image.fromarray(np.clip(shaken, 0, 255).astype(np.uint8))))).data


def noise_of_another_editor(folder):
    """Add noise to an edit by `exact` and name another editor, whose pictures are taken on trust."""
    in_manifest(folder, editor=Actor("classical"))
    rechained(
        folder / LOG, lambda step: replace(step, by="classical") if step.by == "exact" != step.place.judge else step
    )
    with_picture("edit", noisy)(folder)


def png(image=WORDS, **saved):
    file = io.BytesIO()
    image.save(file, "PNG", **saved)
    return file.getvalue()


def no_differences(folder):
    shutil.rmtree(folder / "differences")
    seal = msgspec.json.decode((folder / SEAL).read_bytes())
    seal["files"] = {name: file for name, file in seal["files"].items() if not name.startswith("differences/")}
    (folder / SEAL).write_bytes(msgspec.json.encode(seal))


def swapped_pictures(folder):
    """Swap the names of two pictures."""
    one, other = sorted((folder / "pictures").iterdir())[:2]
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    resealed(folder)


def mixed_up(words):
    """Swap two pictures on the page."""
    one, other = list(dict.fromkeys(URL.findall(words)))[:2]
    return words.replace(one, "\0").replace(other, one).replace("\0", other)


def review_of_nothing(folder):
    reviewed(folder, {"case": "ball-0", "concept": 9, "person": "p", "pcs": 1, "ncc": 1})
    swept(folder)


def dropped_case(folder):
    """Remove the first case from the log and the selection."""
    selection = decode_selection((folder / SELECTION).read_bytes())
    write_selection(folder, replace(selection, cases=selection.cases[1:]))
    cut(lambda step: step.place.case == selection.cases[0].case)(folder)


def improved(folder):
    """Improve the figures of a calibration."""
    sheet = msgspec.json.decode((folder / CALIBRATION).read_bytes(), type=Calibration)
    judge = sheet.judges[1]
    better = replace(judge, pcs=replace(judge.pcs, abstained=0))
    write_calibration(folder, replace(sheet, judges=(sheet.judges[0], better, *sheet.judges[2:])))
    swept(folder)


def no_calibration(folder):
    (folder / CALIBRATION).unlink()
    swept(folder)


def earned(folder):
    rechained(folder / LOG, lambda step: replace(step, spent=replace(step.spent, cost=-5.0)))
    resealed(folder)


def member_in_step(folder):
    """Add an unknown field to a step, with a correct chain."""
    lines, previous = [], ""
    for line in (folder / LOG).read_bytes().splitlines():
        body, _, _ = line.rpartition(b',"hash":')
        body = re.sub(rb'"previous":"[0-9a-f]*"', b'"previous":"%s"' % previous.encode(), body, count=1)
        body += b',"certified":"by a notary"' if len(lines) == 2 else b""
        previous = hashlib.sha256(body).hexdigest()
        lines.append(b'%s,"hash":"%s"}\n' % (body, previous.encode()))
    (folder / LOG).write_bytes(b"".join(lines))
    bundle = msgspec.json.decode((folder / SEAL).read_bytes()) | {"last_step": previous}
    (folder / SEAL).write_bytes(msgspec.json.encode(bundle))
    resealed(folder)


def words_in_orders(folder):
    (folder / "orders.jsonl").write_text('{"key":"a","state":"over","certified":"by a notary"}\n')
    swept(folder)


OTHER_WORDS = ": asked.text is "
MADE_UP_WORDS = ": asked is ({'role': 'user', 'text': 'certified by a notary'},) in the log; recomputed it is nothing"
STRANGE = "contains something that an audit does not write)"
FAST = (
    Attack("added", "said", added, "added: certificate.pdf (it is sealed, but does not"),
    Attack("swapped pictures", "said", swapped_pictures, "its content does not match the digest in its name"),
    Attack("a better reply", "said", steps(better_reply), "output.pcs is 1 in the log; recomputed it is 0"),
    Attack("verdicts of a model", "said", steps(lambda step: with_verdict(step, pcs=1, ncc=1)), "recomputed it is 0"),
    Attack("another question", "said", asked(lambda text: text + " Say 1.", is_verdict), OTHER_WORDS),
    Attack("a case cut out", "said", cut(lambda step: step.place.case == "ball-0"), ") are not in the log"),
    Attack("a judge cut out", "said", cut(lambda step: step.by == "openai:gpt-9"),
           "there is no step 'verdict' of openai:gpt-9 (vote 1)"),
    Attack("a judge struck out", "said", manifest(judges=lambda there: there.judges[:1]),
           f"('verdict' by openai:gpt-9) {NONE}"),
    Attack("a second verdict", "said", put_behind(is_verdict, output={"pcs": 1}), "it repeats step"),
    Attack("a good edit called bad", "said", with_quality(lambda step: step.place.case == "ball-3", good=False),
           "quality.good is False in the log; recomputed it is True"),
    Attack("words in a page", "said", rewritten("report.html", "CCS", "CSS"),
           "broken: report.html (it does not follow from the log)"),
    Attack("mixed pictures", "said", edited("report.html", mixed_up),
           "broken: report.html (its pictures are not the ones in"),
    Attack("a member in a step", "said", member_in_step, f"broken: {LOG} (line 3 {STRANGE}"),
    Attack("an older seal", "said", in_seal(f'"format": {FORMAT}', '"format": 1'),
           "not verified: bundle.json (it was sealed by an earlier version"),
    Attack("a verdict of exact", "past", outputs("verdict", pcs=0, ncc=0), "'verdict' of exact (vote 1) on case"),
    Attack("noise on an exact edit", "past", with_picture("edit", noisy), "'edit' on case"),
    Attack("an easier plan", "past", rewritten("plan.json", "at least 0.05", "at least 0.01"),
           "plan.json is not the plan that audit.json names"),
    Attack("a calibration struck out", "audit", no_calibration, "it is not the calibration that audit.json names"),
    Attack("a better calibration", "audit", improved, "it is not the calibration that audit.json names"),
    Attack("a scene of another picture", "audit", scene_of_another_picture, "does not match its scene"),
    Attack("a right answer", "audit", steps(another_answer), "question.answer is 99 in the log; recomputed it is"),
)  # fmt: skip
SLOW = (
    Attack("no differences", "said", no_differences, "missing: differences/"),
    Attack("a scene without its dataset", "past", steps(emptied), "does not match its scene"),
    Attack("a case taken out", "audit", dropped_case, "broken: selection.json (cases is ("),
    Attack("a larger dataset", "audit", manifest(dataset=lambda there: replace(there.dataset, rows=1_000)),
           "the dataset has "),
    Attack("words in the orders", "past", words_in_orders, f"broken: orders.jsonl (line 1 {STRANGE}"),
    Attack("an edit refused", "audit", refused_edit, "failure is no room for it in the log; recomputed it is nothing"),
    Attack("exact failed", "audit", failed("edit", "exact"), "type is failed in the log; recomputed it is edit"),
    Attack("a check's verdict", "past", outputs("check", done=False), "done is False in the log; recomputed it is"),
    Attack("no control", "said", manifest(control=False), f"('edit' by classical) {NONE}"),
    Attack("no checker", "past", manifest(checkers=()), f"('check' by pixels) {NONE}"),
    Attack("a checker loosened", "past", manifest(
        checkers=lambda there: (*there.checkers, Actor("seams", {"most seam": 99.0}))),
           "seams had other settings than in this version"),
    Attack("another model", "said", manifest(model=lambda there: replace(there.model, name="openai:gpt-9")),
           "seer in the log; recomputed it is openai:gpt-9"),
    Attack("a dose cut out", "past", cut(lambda step: step.place.dose == 1), "dose 1: there is no step 'dose'"),
    Attack("a failure behind a verdict", "said", put_behind(is_verdict, output=Failed("timed out"), asked=()),
           "it failed, although step "),
    Attack("a verdict of no concept", "said", put_behind(is_verdict, place={"concept": 2}), NONE),
    Attack("another concept", "said", outputs("concepts", instructions=()), "instructions is nothing in the log"),
    Attack("a review of no test", "said", review_of_nothing, "broken: reviews/labels.jsonl (reviews/labels.jsonl:"),
    Attack("LPIPS of nobody", "said", with_quality(lambda step: True, lpips=0.01), "quality.lpips is 0.01 in the log"),
    Attack("a bad edit counted", "said", with_quality(lambda step: not step.output.quality.good, good=True, reason=""),
           "quality.good is True in the log; recomputed it is False"),
    Attack("an exact edit of another editor", "past", noise_of_another_editor, "does not match its scene"),
    Attack("another judge's name", "said", outputs("verdict", lambda step: step.by == "openai:gpt-8",
           judge="openai:gpt-9"), "judge is openai:gpt-9 in the log; recomputed it is"),
    Attack("a plan struck out", "past", manifest(plan=""), "broken: verdict.json (it does not follow from the log)"),
    Attack("a criterion added", "past", manifest(requires=("tests at least 1",)), "broken: verdict.json (it does not"),
    *(Attack(f"words of {name}", "past", rewritten(name, old, new), f"broken: {name} (")
      for name, old, new in (
          ("verdict.json", '"why"', '"Why"'),
          ("cases.jsonl", '"text":"', '"text":"1'),
          ("selection.json", '"unreadable":0', '"unreadable":1'),
          *((name, "{", '{"certified":"by a notary",') for name in ("sessions.jsonl", "audit.json")),
          ("audit.json", "{", '{"started":"2020",'),
      )),
    Attack("a member in the seal", "past", in_seal("{", '{"certified":"by a notary",'),
           f"broken: {SEAL} (line 1 {STRANGE}"),
    Attack("questions of nobody", "past", chosen(lambda step: not step.asked, asked=MADE_UP),
           MADE_UP_WORDS),
    Attack("a question in a failure", "said", chosen(lambda step: isinstance(step.output, Failed), asked=MADE_UP),
           MADE_UP_WORDS),
    Attack("a step that earned money", "said", earned, "line 1 was changed after it was written"),
    Attack("endless votes", "said", manifest(votes=10**12), "$.votes"),
)  # fmt: skip
ATTACKS = [
    *(pytest.param(attack, id=attack.what) for attack in FAST),
    *(pytest.param(attack, id=attack.what, marks=pytest.mark.slow) for attack in SLOW),
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_found(attack, request):
    folder = request.getfixturevalue(attack.bundle)
    attack.change(folder)
    found = findings(folder)
    assert any(attack.found in line for line in found), found


def test_unchanged_bundles_have_no_findings(drawn, spoken, probed):
    async def within_a_loop():
        return findings(drawn)

    assert asyncio.run(within_a_loop()) == findings(spoken) == findings(probed) == []


def test_a_failed_verdict_does_not_excuse_a_missing_one(said):
    def failed(step):
        if step.stage != "verdict" or step.place.case != "ball-3":
            return step
        return None if step.by == "openai:gpt-9" else replace(step, output=Failed("timed out"), asked=())

    steps(failed)(said)
    assert findings(said) == [
        "missing: steps.jsonl (case ball-3, concept 1: there is no step 'verdict' of openai:gpt-9 (vote 1), nor one "
        "that failed)"
    ]


def test_a_calibration_has_a_bundle_of_its_own_whose_figures_follow_from_its_log(drawn, tmp_path):
    folder = shutil.copytree(drawn.parent / "calibration", tmp_path / "calibration")
    finish(folder)
    assert findings(folder) == []
    improved(folder)
    AuditFolder.open(folder).name_calibration(digest_of((folder / CALIBRATION).read_bytes()))
    swept(folder, papers=True)
    assert findings(folder) == ["broken: calibration.json (its figures do not follow from the verdicts in its log)"]


@pytest.mark.slow
def test_a_seal_with_millions_of_names_is_refused_before_decoding(said):
    entry = b'"%d":{"sha256":"","bytes":1},'
    names = b"".join(entry % number for number in range(200_001))
    (said / SEAL).write_bytes(b'{"files":{' + names.rstrip(b",") + b"}}")
    (finding,) = findings(said)
    assert "lists more than 200,000 files" in finding
    with open(said / SEAL, "ab") as file:
        file.truncate(65 * 1024**2)
    (finding,) = findings(said)
    assert "bytes" in finding


def test_an_empty_folder_is_found(said):
    (said / "pictures" / "certified").mkdir(parents=True)
    assert "added: pictures/certified (is an empty folder, which does not belong to a bundle)" in findings(said)


def test_an_audit_of_no_case_is_not_sound(said, capsys):
    selection = decode_selection((said / SELECTION).read_bytes())
    left_out = selection.left_out + len(selection.cases)
    write_selection(said, replace(selection, left_out=left_out, cases=()))
    (said / LOG).write_bytes(b"")
    swept(said)
    assert main(["audit", "verify", str(said)]) == 1
    words = capsys.readouterr().out
    assert "not verified: steps.jsonl (it contains no case, so nothing was audited)" in words
    assert "is sound" not in words


def test_another_version_named_in_the_seal_does_not_make_an_edited_page_sound(said, capsys):
    rewritten("report.html", "CCS", "CSS")(said)
    in_seal(read_seal(said)[0].countersight, "0.9.9")(said)
    assert main(["audit", "verify", str(said)]) == 1
    words = capsys.readouterr().out
    assert "not verified: report.html (it was written by Countersight 0.9.9" in words
    assert "is NOT VERIFIED: 1 part of it" in words
    assert "sound" not in words


def test_a_page_that_this_version_would_write_is_sound_under_any_version_name(said):
    in_seal(read_seal(said)[0].countersight, "0.9.9")(said)
    assert findings(said) == []


def test_changed_prompts_under_a_built_in_name_are_found(said):
    prompts = AuditFolder.open(said).manifest.prompts
    kind = prompts | {"why": "Why? Say what the auditor would like to hear."}

    def other(step):
        asked = tuple(replace(turn, text=turn.text.replace(prompts["why"], kind["why"])) for turn in step.asked)
        return replace(step, asked=asked)

    in_manifest(said, prompts=kind, countersight=__version__)
    steps(other)(said)
    assert any("its prompts are called edct, but differ" in line for line in findings(said))
    in_manifest(said, prompts=kind | {"name": "mine"})
    swept(said, papers=True)
    assert findings(said) == []


def test_a_replaced_plan_is_listed_as_taken_on_trust(past):
    replanned(past, criteria=["tests at least 1"])
    found = verify_bundle(past)
    assert found.findings == ()
    assert "whether there was a plan, and when it was written" in {note.what for note in found.notes}
    replanned(past, written="2126-01-01T00:00:00+00:00")
    assert LATE in verify_bundle(past).deviations
    assert "was written on 2126-01-01T00:00:00+00:00, after the audit was started" in (past / "report.html").read_text()
    replanned(past, certified="by a notary")
    assert f"broken: plan.json (line 1 {STRANGE}" in findings(past)
    (past / "plan.json").unlink()
    in_manifest(past, plan="")
    swept(past, papers=True)
    found = verify_bundle(past)
    assert found.findings == ()
    assert "whether there was a plan, and when it was written" in {note.what for note in found.notes}


@pytest.mark.parametrize(
    ("dropped", "changes", "told"),
    [
        (lambda step: step.place.concept == CONTROL, {"control": False}, "the control edits were dropped"),
        (lambda step: step.stage == "uncited" or (step.place.concept or 0) < 0, {"uncited": False},
         "the edits of uncited objects were dropped"),
        (lambda step: step.stage == "check", {"checkers": ()}, "the checker pixels was dropped"),
        (lambda step: step.place.dose or step.stage == "dose", {"strength": 1}, "the number of doses is 1 instead of"),
        (lambda step: "thought" in step.stage, {"intervene": "picture"}, "the kind of intervention is picture instead"),
    ],
)  # fmt: skip
def test_what_was_dropped_after_the_plan_is_named_by_page_verdict_and_command(past, capsys, dropped, changes, told):
    """The insider removes unwelcome steps from the log and the manifest, and writes all derived files again."""
    in_manifest(past, **changes)
    rechained(past / LOG, lambda step: None if dropped(step) else step)
    swept(past, papers=True)
    assert main(["audit", "verify", str(past)]) == 0
    assert f"Not as planned: {told}" in capsys.readouterr().out
    page = (past / "report.html").read_text()
    assert f"Not as planned: {told}" in page[page.index('id="verdict"') : page.index('id="results"')]
    assert json.loads((past / "verdict.json").read_text())["answer"] == "cannot tell"


def replanned(folder, **changes):
    """Change fields of the plan, update its digest and seal again."""
    plan = json.loads((folder / "plan.json").read_text()) | changes
    (folder / "plan.json").write_text(json.dumps(plan))
    in_manifest(folder, plan=digest_of((folder / "plan.json").read_bytes()))
    swept(folder, papers=True)


def test_the_docs_list_exactly_what_is_taken_on_trust():
    page = (Path(__file__).parents[2] / "docs" / "evidence.md").read_text()
    table = page.partition("| taken on trust | why |\n| --- | --- |\n")[2].partition("\n\n")[0]
    assert dict(line.strip("| ").split(" | ") for line in table.splitlines()) == TRUSTED


def test_verify_lists_what_is_taken_on_trust(said, audit, capsys):
    main(["audit", "verify", str(said)])
    words = capsys.readouterr().out
    for what in ("replies of models, ", "the dataset: its rows", "steps that failed, 1 step (", "pictures, masks"):
        assert f"Taken on trust: {what}" in words
    main(["audit", "verify", str(audit)])
    words = capsys.readouterr().out
    assert "the dataset: its rows" not in words
    assert "pictures, masks" not in words
