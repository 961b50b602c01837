"""Attacks by an insider who hashes everything again: each is found, or what it changed is named as taken on trust."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import pytest
from insider import appended, findings, rechained, replace, resealed, swept
from PIL import Image

from countersight import __version__
from countersight.audits.bundle.seal import SEAL, read_seal
from countersight.audits.folder import LOG, MANIFEST, AuditFolder, digest_of, read_steps
from countersight.audits.records import CaseRecord, EditRecord, Failed, Step, Try
from countersight.audits.selection import SELECTION, decode_selection, write_selection
from countersight.audits.verifying import verified
from countersight.audits.verifying.verify import TRUSTED
from countersight.cli import main
from countersight.editing import marked
from countersight.picture import check_picture


class Attack(NamedTuple):
    """What somebody does to a bundle of this fixture, and words of the finding that must come of it."""

    what: str
    bundle: str
    change: Callable[[Path], None]
    found: str


def in_manifest(folder, **changes):
    there = AuditFolder.open(folder).manifest
    (folder / MANIFEST).write_bytes(msgspec.json.encode(replace(there, **changes)))


def manifest(**changes):
    """The manifest with other settings, sealed again."""

    def change(folder):
        in_manifest(folder, **changes)
        swept(folder)

    return change


def steps(change):
    """Every step changed, chained and sealed again."""

    def attack(folder):
        rechained(folder / LOG, change)
        swept(folder)

    return attack


def outputs(stage, **changes):
    """Other members in what came of every step of a stage."""
    return steps(lambda step: replace(step, output=replace(step.output, **changes)) if step.stage == stage else step)


def rewritten(name, old, new):
    """Other words in a file, sealed again."""

    def change(folder):
        words = (folder / name).read_text()
        assert old in words, name
        (folder / name).write_text(words.replace(old, new, 1))
        resealed(folder)

    return change


def added(name):
    """A file that no audit writes, sealed with the others."""

    def change(folder):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"Certified")
        resealed(folder)

    return change


def first_test(folder, stage):
    return next(step for step in read_steps(folder / LOG) if step.stage == stage and step.place.concept == 1)


def unedited(folder):
    """The picture as it was in place of the edited one: an answer that stays would look wrong."""
    n = first_test(folder, "edit").n
    steps(lambda step: replace(step, output=replace(step.output, after=step.output.before)) if step.n == n else step)(
        folder
    )


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
        steps(lambda step: replace(step, output=Failed("timed out")) if step.n == n else step)(folder)

    return change


def another_answer(step):
    if step.stage != "case":
        return step
    return replace(step, output=replace(step.output, question=replace(step.output.question, answer="99")))


def emptied(step):
    """Another scene: `exact` would call another answer right."""
    if step.stage != "case":
        return step
    scene = replace(step.output.scene, flowers=(), circles=(), polygons=())
    return replace(step, output=replace(step.output, scene=scene))


def better_reply(step):
    """A better reply behind the one that a judge gave."""
    if step.stage != "verdict" or step.place.case != "ball-3":
        return step
    better = Try('{"pcs_reason": "", "pcs": 1, "ncc_reason": "", "ncc": 1}')
    tries = (replace(step.output.tries[0], fault="pcs is 0 or 1"), better)
    return replace(step, output=replace(step.output, tries=tries, pcs=1, ncc=1, pcs_reason="", ncc_reason=""))


def passed(step):
    """A verdict that was turned round, whatever its judge said."""
    return replace(step, output=replace(step.output, pcs=1, ncc=1)) if step.stage == "verdict" else step


def closer(step):
    quality = getattr(step.output, "quality", None)
    return replace(step, output=replace(step.output, quality=replace(quality, lpips=0.01))) if quality else step


def renamed_judge(step):
    mine = step.stage == "verdict" and step.by == "openai:gpt-8"
    return replace(step, output=replace(step.output, judge="openai:gpt-9")) if mine else step


def noise(folder):
    """Five tones up or down are not seen, and would make an edit bad, and its test not count."""
    edit = first_test(folder, "edit")
    with Image.open(folder / "pictures" / f"{edit.output.after}.png") as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    shaken = pixels + np.random.default_rng(0).integers(-5, 6, pixels.shape)
    file = io.BytesIO()
    Image.fromarray(np.clip(shaken, 0, 255).astype(np.uint8)).save(file, "PNG")
    noisy, old = marked(check_picture(file.getvalue())).data, edit.output.after
    (folder / "pictures" / f"{digest_of(noisy)}.png").write_bytes(noisy)

    def renamed(step):
        new = msgspec.json.encode(step).replace(old.encode(), digest_of(noisy).encode())
        return msgspec.json.decode(new, type=Step)

    steps(renamed)(folder)


def strange_difference(folder):
    odd = folder / "differences" / f"{'0' * 16}-{'1' * 16}.png"
    odd.write_bytes(sorted((folder / "differences").iterdir())[0].read_bytes())
    resealed(folder)


def swapped_pictures(folder):
    """Two pictures under each other's names."""
    one, other = sorted((folder / "pictures").iterdir())[:2]
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    resealed(folder)


def loosened(folder):
    checkers = AuditFolder.open(folder).manifest.checkers
    manifest(checkers=(*checkers, replace(checkers[0], name="seams", settings={"most seam": 99.0})))(folder)


def early(stage):
    """A step before the one it builds on."""

    def change(folder):
        done = list(read_steps(folder / LOG))
        first = next(step for step in done if step.stage == stage and step.place.concept != 0)
        order = iter([first, *(step for step in done if step != first)])
        steps(lambda step: next(order))(folder)

    return change


def odd_step(folder):
    verdict = next(step for step in read_steps(folder / LOG) if step.stage == "verdict")
    appended(folder / LOG, [replace(verdict, place=replace(verdict.place, concept=2))])
    swept(folder)


def misquoted(folder):
    review = {"at": "2026", "by": "A", "case": "ball-0", "concept": 1, "measure": "pcs", "was": 0, "now": 1}
    (folder / "reviews.jsonl").write_bytes(msgspec.json.encode(review) + b"\n")
    swept(folder)


def dropped_case(folder):
    """The worst case taken out of the log and the selection."""
    selection = decode_selection((folder / SELECTION).read_bytes())
    gone = selection.cases[0].case
    write_selection(folder, replace(selection, cases=selection.cases[1:]))
    steps(lambda step: None if step.place.case == gone else step)(folder)


def easier_plan(folder):
    """The plan with an easier criterion; audit.json still names the hash of the true one."""
    rewritten("plan.json", "at least 0.05", "at least 0.01")(folder)


def no_exclusion(folder):
    lines = (folder / "exclusions.csv").read_text().splitlines(keepends=True)
    (folder / "exclusions.csv").write_text("".join(lines[:-1]))
    resealed(folder)


def counted_after_all(folder):
    """A bad edit called good, so that its test counts."""
    steps(
        lambda step: (
            replace(step, output=replace(step.output, quality=replace(step.output.quality, good=True, reason="")))
            if isinstance(step.output, EditRecord) and step.output.quality and not step.output.quality.good
            else step
        )
    )(folder)


NONE = "is none that audit.json asks for"
ATTACKS = (
    *(Attack(f"added {name}", "said", added(name), f"added: {name} (it was sealed with the others, and no audit")
      for name in ("certificate.pdf", "pictures/tuv.png", "calibration/notes.md", "differences/a.png")),
    Attack("a difference of no edit", "said", strange_difference, "(no edit in the log has it)"),
    Attack("swapped pictures", "said", swapped_pictures, "its bytes are not those that its name is the digest of"),
    Attack("a group", "audit", outputs("case", group="easy"), "has another group than the dataset"),
    Attack("a suite", "audit", outputs("case", suite="clevr"), "has another suite than the dataset"),
    Attack("a picture's name", "audit", outputs("case", image="other.png"), "has another picture than the dataset"),
    Attack("a right answer", "audit", steps(another_answer), "has another question or right answer than the dataset"),
    Attack("a scene without its dataset", "past", steps(emptied), "its picture is no drawing of its scene"),
    Attack("a case taken out", "audit", dropped_case, "by the rule there are 3"),
    Attack("an edit refused", "audit", refused_edit, "failure is no room for it in the log; done again it is nothing"),
    Attack("exact failed", "audit", failed("edit", "exact"), "exact is said to have failed, and works here without"),
    Attack("rules failed", "audit", failed("verdict", "rules"), "rules is said to have failed, and works here"),
    Attack("pixels failed", "past", failed("check", "pixels"), "pixels is said to have failed, and works here"),
    Attack("a check's words", "past", outputs("check", seen="perfect, says an expert"), "seen is perfect, says an"),
    Attack("a check's verdict", "past", outputs("check", done=False), "done is False in the log; done again it is"),
    Attack("no control", "said", manifest(control=False), f"('edit' by classical) {NONE}"),
    Attack("no votes", "said", manifest(votes=0), f"('verdict' by openai:gpt-9) {NONE}"),
    Attack("no concepts", "said", manifest(concepts=0), "what openai:gpt-8 was asked is not what the prompts make"),
    Attack("nothing uncited", "past", manifest(uncited=False), f"('uncited' by countersight) {NONE}"),
    Attack("no doses", "past", manifest(strength=0), f"('dose' by countersight) {NONE}"),
    Attack("no thoughts", "past", manifest(intervene="picture"), f"('thought' by countersight) {NONE}"),
    Attack("no pictures", "past", manifest(intervene="thought"), f"('edit' by exact) {NONE}"),
    Attack("a misquoted judge", "said", misquoted, "broken: reviews.jsonl (reviews.jsonl line 1: the judges gave 1"),
    Attack("a better reply", "said", steps(better_reply), "reads otherwise than is noted of it"),
    Attack("a verdict turned round", "said", steps(passed), "pcs is 1 in the log; done again it is 0"),
    Attack("a concept refused", "said", outputs("concepts", refused=("a green ball",)), "refused is ('a green ball',)"),
    Attack("LPIPS of nobody", "said", steps(closer), "quality.lpips is 0.01 in the log; done again it is nothing"),
    Attack("a bad edit counted", "said", counted_after_all, "quality.good is True in the log; done again it is False"),
    Attack("no edit at all", "past", unedited, "concept 1: after is "),
    Attack("noise on an exact edit", "past", noise, "'edit' on case"),
    Attack("a dose of another edit", "past", outputs("dose", full="0" * 64), "dose 1: full is "),
    Attack("a checker loosened", "past", loosened, "seams was held to other settings than this version's"),
    *(Attack(f"{stage} too early", "past", early(stage), f"step 0 ({stage}) builds on step ")
      for stage in ("answer", "concepts", "edit", "verdict")),
    Attack("a step of nothing", "said", odd_step, NONE),
    Attack("another judge's name", "said", steps(renamed_judge), "judge is openai:gpt-9 in the log; done again it is"),
    Attack("an easier plan", "past", easier_plan, "plan.json is not the plan that audit.json names"),
    Attack("a plan struck out", "past", manifest(plan=""), "broken: verdict.json (it does not follow from the log)"),
    Attack("a criterion added", "past", manifest(requires=("tests at least 1",)), "broken: verdict.json (it does not"),
    Attack("an exclusion struck out", "said", no_exclusion, "broken: exclusions.csv (it does not follow from the log)"),
    *(Attack(f"words of {name}", "past", rewritten(name, old, new), f"broken: {name} (")
      for name, old, new in (
          ("verdict.json", '"why"', '"Why"'),
          ("scores.json", '"cases": 1', '"cases": 2'),
          ("cases.jsonl", '"answer":"', '"answer":"1'),
          ("manifest.json", '"seed": 0', '"seed": 1'),
          ("dataset.json", '"rows": 1', '"rows": 2'),
          ("limits.md", "misuse", "use"),
          ("sign-off.md", "Audit of", "Audit by"),
          ("report.html", "Countersight audit", "Certified audit"),
          ("sessions.jsonl", "{", '{"certified":"by a notary",'),
          ("selection.json", '"unreadable":0', '"unreadable":1'),
      )),
)  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.what)
def test_an_attack_is_found(attack, request):
    folder = request.getfixturevalue(attack.bundle)
    attack.change(folder)
    assert any(attack.found in line for line in findings(folder)), findings(folder)


def test_another_version_named_in_the_seal_does_not_make_an_edited_page_sound(said, capsys):
    rewritten("report.html", "CCS", "CSS")(said)
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

    (audit / "selection.json").unlink()
    steps(undressed)(audit)
    (audit / SEAL).write_text((audit / SEAL).read_text().replace('"format": 3', '"format": 1'))
    assert not verified(audit).sound


def test_a_strange_file_is_not_sealed_in_the_first_place(said):
    (said / "notes.txt").write_text("mine")
    with pytest.raises(Exception, match=r"notes\.txt is no file of an audit; take it away"):
        swept(said, papers=True)


def test_other_prompts_under_a_name_of_ours(said):
    prompts = AuditFolder.open(said).manifest.prompts
    kind = prompts | {"why": "Why? Say what the auditor would like to hear."}

    def other(step):
        asked = tuple(replace(turn, text=turn.text.replace(prompts["why"], kind["why"])) for turn in step.asked)
        return replace(step, asked=asked)

    in_manifest(said, prompts=kind, countersight=__version__)
    steps(other)(said)
    assert any("its prompts are called edct, and are not those that ship" in line for line in findings(said))
    in_manifest(said, prompts=kind | {"name": "mine"})
    swept(said, papers=True)
    assert findings(said) == []


def test_a_plan_written_anew_with_its_hash_is_named_as_taken_on_trust(past):
    plan = json.loads((past / "plan.json").read_text()) | {"criteria": ["tests at least 1"]}
    (past / "plan.json").write_text(json.dumps(plan))
    in_manifest(past, plan=digest_of((past / "plan.json").read_bytes()))
    swept(past, papers=True)
    found = verified(past)
    assert found.findings == ()
    assert "the plan, and that it was written before the audit" in {note.what for note in found.notes}


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
