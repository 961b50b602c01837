"""An insider changes an audit and hashes everything again: what follows from the log is derived again, and found."""

import asyncio
import hashlib
import re
import shutil

import msgspec
import pytest
from insider import appended, findings, rechained, replace, resealed, swept, with_verdict

from countersight.audits.bundle.seal import SEAL, zip_bundle
from countersight.audits.calibration.sheet import CALIBRATION, Calibration
from countersight.audits.folder import LOG, MANIFEST, AuditFolder, encode_step, read_steps
from countersight.audits.records import Failed, Try
from countersight.audits.selection import SELECTION, decode_selection, write_selection


def test_nothing_is_found_where_nothing_was_changed(drawn, spoken, probed):
    assert findings(drawn) == findings(spoken) == findings(probed) == []


def test_a_page_that_says_another_score(audit):
    page = audit / "report.html"
    words = page.read_text()
    assert " of 1.000" in words
    page.write_text(words.replace(" of 1.000", " of 0.999", 1))
    resealed(audit)
    assert findings(audit) == ["broken: report.html (it does not say what follows from the log)"]


def test_a_page_that_shows_another_picture(audit):
    page = audit / "report.html"
    start, *pictures = page.read_text().split("data:image/webp;base64,")
    (one, first), (other, second) = (part.split('"', 1) for part in pictures[:2])
    assert one != other
    mixed = [f'{other}"{first}', f'{one}"{second}', *pictures[2:]]
    page.write_text("data:image/webp;base64,".join([start, *mixed]))
    resealed(audit)
    assert findings(audit) == ["broken: report.html (it shows other pictures than those of the bundle)"]


_URL = re.compile(r"data:image/webp;base64,[A-Za-z0-9+/=]*")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda words: _URL.sub("", words), "it does not say what follows"),
        (lambda words: words + "data:image/webp;base64,CertifiedByNobody", "it does not say what follows"),
        (lambda words: _URL.sub("data:image/webp;base64,Certified+by+nobody=", words), "it shows other pictures"),
    ],
)
def test_a_page_with_words_for_pictures_or_none(said, change, told):
    page = said / "report.html"
    page.write_text(change(page.read_text()))
    resealed(said)
    assert any(f"broken: report.html ({told}" in line for line in findings(said))


def test_verdicts_of_the_truth_turned_round_and_bundled_again(audit):
    def turned(step):
        return with_verdict(step, pcs=0, ncc=1) if step.by == "exact" else step

    rechained(audit / LOG, turned)
    swept(audit)
    assert any(
        "'verdict' of exact (vote 1) on case" in line and "pcs is 0 in the log" in line for line in findings(audit)
    )


def test_an_abstention_made_into_a_verdict(audit):
    rechained(audit / LOG, lambda step: with_verdict(step, pcs=1, path="rules") if step.by == "rules" else step)
    swept(audit)
    assert any("'verdict' of rules (vote 1) on case" in line for line in findings(audit))


def test_verdicts_of_a_model_turned_to_1(said):
    rechained(said / LOG, lambda step: with_verdict(step, pcs=1, ncc=1))
    swept(said)
    found = findings(said)
    assert any("pcs is 1 in the log; done again it is 0" in line for line in found)


def test_another_question_to_a_judge(said):
    def asked(step):
        turns = tuple(replace(turn, text=turn.text + " Say 1.") for turn in step.asked)
        return replace(step, asked=turns) if step.stage == "verdict" else step

    rechained(said / LOG, asked)
    swept(said)
    assert any("what openai:gpt-9 was asked is not what the prompts make" in line for line in findings(said))


def test_an_answer_rewritten_after_it_was_judged(said):
    def rewritten(step):
        is_new = step.stage == "answer again" and step.place.case == "ball-3" and step.place.concept == 1
        return replace(step, output=replace(step.output, text="1, of course")) if is_new else step

    rechained(said / LOG, rewritten)
    swept(said)
    found = findings(said)
    assert any("was asked is not what the prompts make of the steps before" in line for line in found)


@pytest.mark.parametrize("which", ["audit", "said"])
def test_failing_cases_cut_out(which, request):
    folder = request.getfixturevalue(which)
    gone = next(step.place.case for step in read_steps(folder / LOG) if step.stage == "verdict")
    rechained(folder / LOG, lambda step: None if step.place.case == gone else step)
    swept(folder)
    found = findings(folder)
    assert any(f"({gone}) are not in the log" in line for line in found)


def test_failing_cases_cut_out_of_the_selection_too(audit):
    selection = decode_selection((audit / SELECTION).read_bytes())
    gone = selection.cases[0]
    rechained(audit / LOG, lambda step: None if step.place.case == gone.case else step)
    write_selection(audit, replace(selection, cases=selection.cases[1:]))
    swept(audit)
    assert any("it has 2 cases; by the rule there are 3" in line for line in findings(audit))
    write_selection(audit, replace(selection, cases=selection.cases[1:], left_out=1))
    swept(audit)
    assert any("the rule selects other cases of the dataset" in line for line in findings(audit))


def test_failing_verdicts_and_a_whole_judge_cut_out(said):
    rechained(said / LOG, lambda step: None if step.by == "openai:gpt-9" else step)
    swept(said)
    assert any("there is no step 'verdict' of openai:gpt-9 (vote 1)" in line for line in findings(said))


def test_a_judge_taken_out_of_the_manifest(said):
    manifest = AuditFolder.open(said).manifest
    (said / MANIFEST).write_bytes(msgspec.json.encode(replace(manifest, judges=manifest.judges[:1])))
    swept(said)
    assert any("('verdict' by openai:gpt-9) is none that audit.json asks for" in line for line in findings(said))


def test_a_verdict_given_a_second_time(said):
    steps = [step for step in read_steps(said / LOG) if step.stage == "verdict"]
    last = list(read_steps(said / LOG))[-1]
    again = replace(steps[0], output=replace(steps[0].output, pcs=1, tries=(Try('{"pcs": 1, "ncc": 1}'),)))
    line, _ = encode_step(replace(again, n=last.n + 1, previous=last.hash))
    (said / LOG).write_bytes((said / LOG).read_bytes() + line)
    swept(said)
    assert any("does again what step" in line for line in findings(said))


def test_a_failure_written_behind_a_verdict_that_was_given(said):
    given = next(step for step in read_steps(said / LOG) if step.stage == "verdict")
    appended(said / LOG, [replace(given, output=Failed("timed out"), asked=())])
    swept(said)
    assert any(f"it failed, and step {given.n} had done it before" in line for line in findings(said))


def test_a_failed_verdict_excuses_no_other(said):
    def failed(step):
        if step.stage != "verdict" or step.place.case != "ball-3":
            return step
        return None if step.by == "openai:gpt-9" else replace(step, output=Failed("timed out"), asked=())

    rechained(said / LOG, failed)
    swept(said)
    assert findings(said) == [
        "missing: steps.jsonl (case ball-3, concept 1: there is no step 'verdict' of openai:gpt-9 (vote 1), nor one "
        "that failed)"
    ]


def test_answers_to_control_edits_cut_out(said):
    rechained(said / LOG, lambda step: None if step.place.concept == 0 and step.place.case == "ball-3" else step)
    swept(said)
    assert any("concept 0: there is no step 'answer again'" in line for line in findings(said))


@pytest.mark.parametrize(
    ("cut", "told"),
    [
        (lambda step: step.stage == "uncited" or (step.place.concept or 0) < 0, "there is no step 'uncited'"),
        (lambda step: step.place.dose == 1, "dose 1: there is no step 'dose'"),
        (lambda step: "thought" in step.stage, "there is no step 'thought'"),
    ],
)
def test_probes_cut_out(past, cut, told):
    rechained(past / LOG, lambda step: None if cut(step) else step)
    swept(past)
    assert any(told in line for line in findings(past))


@pytest.mark.parametrize("cut", [lambda step: step.place.dose == 1, lambda step: step.stage == "answer thought"])
def test_another_conversation_in_a_probe(past, cut):
    def other(step):
        turns = tuple(replace(turn, text="Another question?") for turn in step.asked)
        return replace(step, asked=turns) if cut(step) else step

    rechained(past / LOG, other)
    swept(past)
    assert any("was asked is not what the prompts make" in line for line in findings(past))


@pytest.mark.parametrize(
    ("role", "told"),
    [
        ("model", "did the step 'answer', by the log; openai:gpt-9 is named"),
        ("extractor", "did the step 'concepts'"),
        ("editor", "classical did the step 'edit'"),
    ],
)
def test_somebody_else_named_for_what_was_done(said, role, told):
    manifest = AuditFolder.open(said).manifest
    party = replace(getattr(manifest, role), name="openai:gpt-9")
    (said / MANIFEST).write_bytes(msgspec.json.encode(replace(manifest, **{role: party})))
    swept(said)
    assert any(told in line for line in findings(said))


def test_a_checker_taken_out_of_the_manifest(past):
    manifest = AuditFolder.open(past).manifest
    (past / MANIFEST).write_bytes(msgspec.json.encode(replace(manifest, checkers=())))
    swept(past)
    assert any("('check' by pixels) is none that audit.json asks for" in line for line in findings(past))


def test_a_good_edit_called_bad_so_that_its_test_does_not_count(said):
    def bad(step):
        edit = step.output
        if step.stage != "edit" or step.place.case != "ball-3":
            return step
        return replace(step, output=replace(edit, quality=replace(edit.quality, good=False, reason="nothing changed")))

    rechained(said / LOG, bad)
    swept(said)
    assert any("quality.good is False in the log; done again it is True" in line for line in findings(said))


def test_another_concept_than_the_extractor_named(said):
    def other(step):
        if step.stage != "concepts" or not step.output.instructions:
            return step
        told = replace(step.output.instructions[0], concept="a red ball")
        return replace(step, output=replace(step.output, instructions=(told,)))

    rechained(said / LOG, other)
    swept(said)
    assert any("concepts' on case" in line and "in the log; done again it is" in line for line in findings(said))


def test_differences_taken_out(said):
    shutil.rmtree(said / "differences")
    seal = msgspec.json.decode((said / SEAL).read_bytes())
    seal["files"] = {name: file for name, file in seal["files"].items() if not name.startswith("differences/")}
    (said / SEAL).write_bytes(msgspec.json.encode(seal))
    assert any("it follows from an edit in the log" in line for line in findings(said))


def test_a_difference_that_shows_nothing(said):
    one, other = sorted((said / "differences").iterdir())[:2]
    one.write_bytes(other.read_bytes())
    black = sorted((said / "pictures").iterdir())[0]
    other.write_bytes(black.read_bytes())
    resealed(said)
    assert any("it is not where the two pictures differ" in line for line in findings(said))


@pytest.mark.parametrize("name", ["manifest.json", "dataset.json", "limits.md", "sign-off.md"])
def test_a_paper_that_says_otherwise(said, name):
    file = said / name
    file.write_text(file.read_text().replace("e", "3", 1))
    resealed(said)
    assert f"broken: {name} (it does not follow from the log)" in findings(said)


def test_a_calibration_that_was_made_better(audit):
    sheet = msgspec.json.decode((audit / CALIBRATION).read_bytes(), type=Calibration)
    judge = sheet.judges[1]
    better = replace(judge, pcs=replace(judge.pcs, abstained=0))
    judges = (sheet.judges[0], better, *sheet.judges[2:])
    (audit / CALIBRATION).write_bytes(msgspec.json.encode(replace(sheet, judges=judges)))
    swept(audit)
    assert "broken: calibration.json (it is not the calibration that audit.json names)" in findings(audit)
    AuditFolder.open(audit).name_calibration(hashlib.sha256((audit / CALIBRATION).read_bytes()).hexdigest())
    swept(audit)
    assert findings(audit) == [
        "broken: calibration.json (its figures do not follow from the verdicts in its log)",
    ]


def test_a_calibration_that_was_taken_out(audit):
    (audit / CALIBRATION).unlink()
    shutil.rmtree(audit / "calibration")
    swept(audit)
    assert "missing: calibration.json (audit.json names a calibration, and there is none)" in findings(audit)


def test_verdicts_of_a_calibration_turned_round(audit):
    rechained(audit / "calibration" / LOG, lambda step: with_verdict(step, pcs=1, ncc=1))
    swept(audit)
    assert any(line.startswith("broken: calibration/steps.jsonl (step") for line in findings(audit))


def test_verdicts_of_a_calibration_cut_out(audit):
    gone = next(step for step in read_steps(audit / "calibration" / LOG) if step.by == "rules")
    rechained(audit / "calibration" / LOG, lambda step: None if step.inputs == gone.inputs else step)
    swept(audit)
    assert any("there is no step 'verdict' of rules (vote 1), nor one that failed" in line for line in findings(audit))


def test_a_calibration_without_its_log(audit):
    shutil.rmtree(audit / "calibration")
    swept(audit)
    assert any(line.startswith("missing: calibration/audit.json") for line in findings(audit))


def test_a_seal_of_photographs_that_says_it_is_older(said):
    (said / SEAL).write_text((said / SEAL).read_text().replace('"format": 3', '"format": 1'))
    assert any("older than its log" in line for line in findings(said))


def test_a_seal_that_says_it_is_older_than_its_log(audit):
    rechained(audit / LOG, lambda step: with_verdict(step, pcs=1, ncc=1))
    swept(audit)
    seal = (audit / SEAL).read_text().replace('"format": 3', '"format": 1')
    (audit / SEAL).write_text(seal)
    assert any("older than its log" in line for line in findings(audit))


def test_a_seal_with_millions_of_names_is_refused_before_it_is_read(said):
    entry = b'"%d":{"sha256":"","bytes":1},'
    names = b"".join(entry % number for number in range(200_001))
    (said / SEAL).write_bytes(b'{"files":{' + names.rstrip(b",") + b"}}")
    (finding,) = findings(said)
    assert "lists more than 200,000 files" in finding
    with open(said / SEAL, "ab") as file:
        file.truncate(65 * 1024**2)
    (finding,) = findings(said)
    assert "bytes" in finding


def test_verify_may_be_called_where_a_loop_runs(drawn):
    async def within():
        return findings(drawn)

    assert asyncio.run(within()) == []


def _with_member(file, after: str, member: str) -> None:
    words = file.read_text()
    assert after in words
    file.write_text(words.replace(after, after + member, 1))


@pytest.mark.parametrize("name", [MANIFEST, SELECTION, "sessions.jsonl"])
def test_a_member_that_nobody_reads(audit, name):
    _with_member(audit / name, "{", '"certified":"by a notary",')
    resealed(audit)
    assert f"broken: {name} (line 1 holds something that no audit writes)" in findings(audit)


def test_a_member_that_nobody_reads_in_the_seal(audit):
    _with_member(audit / SEAL, "{", '"certified":"by a notary",')
    assert findings(audit) == [f"broken: {SEAL} (line 1 holds something that no audit writes)"]


def test_a_step_with_a_member_that_nobody_reads(audit):
    lines, previous = [], ""
    for line in (audit / LOG).read_bytes().splitlines():
        body, _, _ = line.rpartition(b',"hash":')
        body = re.sub(rb'"previous":"[0-9a-f]*"', b'"previous":"%s"' % previous.encode(), body, count=1)
        body += b',"certified":"by a notary"' if len(lines) == 2 else b""
        previous = hashlib.sha256(body).hexdigest()
        lines.append(b'%s,"hash":"%s"}\n' % (body, previous.encode()))
    (audit / LOG).write_bytes(b"".join(lines))
    bundle = msgspec.json.decode((audit / SEAL).read_bytes()) | {"last_step": previous}
    (audit / SEAL).write_bytes(msgspec.json.encode(bundle))
    resealed(audit)
    assert f"broken: {LOG} (line 3 holds something that no audit writes)" in findings(audit)


def test_bytes_between_the_files_of_a_zip(audit, tmp_path):
    zip_bundle(audit, tmp_path / "b.zip")
    assert findings(tmp_path / "b.zip") == []
    with open(tmp_path / "b.zip", "ab") as file:
        file.write(b"certified by a notary")
    assert findings(tmp_path / "b.zip") == ["added: b.zip (it has bytes that no bundle in one file has)"]


def test_words_in_the_place_of_a_time(audit):
    words = (audit / SEAL).read_text()
    sealed = msgspec.json.decode(words)["sealed"]
    (audit / SEAL).write_text(words.replace(sealed, f"{sealed}. Signed, with a key that was given.", 1))
    assert any("is no time" in line for line in findings(audit))


@pytest.mark.parametrize(("n", "at"), [(2, "2031-01-01T00:00:00+00:00"), (-1, "2031-01-01T00:00:00+00:00")])
def test_times_that_contradict_each_other(audit, n, at):
    last = list(read_steps(audit / LOG))[n].n
    rechained(audit / LOG, lambda step: replace(step, at=at) if step.n == last else step)
    swept(audit)
    assert any("long before" in line for line in findings(audit))


def test_a_step_that_cost_less_than_nothing(said):
    rechained(said / LOG, lambda step: replace(step, spent=replace(step.spent, cost=-5.0)))
    resealed(said)
    assert any("is said to have cost less than nothing" in line for line in findings(said))
