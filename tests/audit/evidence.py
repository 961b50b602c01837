"""Audit folders written step by step with the program's own writers: every outcome there is, in milliseconds.

All of it is what an audit would have written: what was asked follows from the prompts, verdicts from what was said, and
edits are measured, so that nothing is found when such a folder is verified.
"""

import io
import json
from functools import cache
from pathlib import Path

import msgspec
from PIL import Image, ImageChops, ImageDraw, ImageOps

from countersight.audits.extraction.model import extract_prompt, parse_concepts
from countersight.audits.extraction.protocol import Statement
from countersight.audits.folder import LOG, AuditFolder, decode_step, encode_step
from countersight.audits.judges.model import judge_prompt, parse_verdict
from countersight.audits.judges.protocol import Evidence
from countersight.audits.prompts import find_prompts
from countersight.audits.records import (
    CONTROL,
    Actor,
    Attempt,
    CaseRecord,
    EditRecord,
    Failed,
    Manifest,
    ModelReply,
    RecordedTurn,
    Step,
    StepPlace,
    Usage,
)
from countersight.audits.score_records import SCORES
from countersight.audits.scores import encode, score
from countersight.audits.selection import Selected, Selection, write_selection
from countersight.audits.stages import NOTHING
from countersight.audits.trail import read_audit
from countersight.case import Question
from countersight.editing.protocol import Instruction
from countersight.editing.quality.measuring import EditQuality, measure_edit
from countersight.engine import DatasetReference
from countersight.files import write_whole
from countersight.picture import check_picture

HOSTILE = "</script><img src=x onerror=alert(1)>\u202eevil\u2066\x00 <b>bold</b> {judge} $policy"
VERDICTS = {"consistent": (1, 1), "answer-only": (1, 0), "explanation-only": (0, 1), "neither": (0, 0)}
PROMPTS = find_prompts("edct")
SAID = "seer-2026-10-01"
EDITOR = "classical"
KINDS = (*VERDICTS, "undecided", "bad edit", "no picture", "no concept", "failed")
"""What can become of a case here."""


def picture(seed: int, *, after: bool = False, size: tuple[int, int] = (60, 40)) -> bytes:
    image = Image.new("RGB", size, (240, 236, 225))
    draw = ImageDraw.Draw(image)
    draw.ellipse((8, 8, 28, 28), fill=(200, 30 + seed % 200, 30))
    if not after:
        draw.ellipse((35, 10, 50, 25), fill=(30, 90, 200))
    return _png(image)


def shifted(data: bytes) -> bytes:
    """Return a picture shifted by a few pixels, as some editors do."""
    return _png(ImageChops.offset(Image.open(io.BytesIO(data)), 3, -2))


def repainted(data: bytes) -> bytes:
    """Return a picture that an editor changed completely."""
    return _png(ImageOps.invert(Image.open(io.BytesIO(data))))


def mask(size: tuple[int, int] = (60, 40)) -> bytes:
    image = Image.new("L", size, 0)
    ImageDraw.Draw(image).ellipse((34, 9, 51, 26), fill=255)
    return _png(image)


def _png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def manifest(**changes: object) -> Manifest:
    fields: dict[str, object] = {
        "dataset": DatasetReference("balls", "../balls", "f" * 32, 9),
        "model": Actor("endpoint:http://127.0.0.1:9/v1#seer", {"temperature": 0.0, "seed": 0}),
        "extractor": Actor("openai:gpt-8"),
        "editor": Actor(EDITOR),
        "judges": (Actor("openai:gpt-8"), Actor("openai:gpt-9", {"temperature": 0.0})),
        "votes": 1,
        "pool": "majority",
        "concepts": 2,
        "control": True,
        "seed": 0,
        "prompts": msgspec.structs.asdict(PROMPTS),
        "started": "2026-11-15T08:00:00+00:00",
        "countersight": "0.1.0",
        "python": "3.11.7",
        "platform": "Linux x86_64",
    }
    return Manifest(**(fields | changes))


SPOILT = {"explanation-only": shifted, "bad edit": repainted}
"""What was done to edited pictures beside the edit."""


class Writer:
    """Append steps to the log of an audit."""

    def __init__(self, folder: Path, about: Manifest) -> None:
        self.folder = AuditFolder.begin(folder, about)
        self.manifest = about
        self.lines: list[bytes] = []
        self._previous = ""

    def step(self, stage, place, output, by="", asked=(), **spent) -> None:
        n = len(self.lines)
        step = Step(
            n=n,
            stage=stage,
            place=place,
            inputs=f"{n:064x}",
            output=output,
            by=by,
            asked=asked,
            spent=Usage(**spent),
            at=f"2026-11-15T08:{n // 60:02}:{n % 60:02}.000+00:00",
            previous=self._previous,
        )
        line, self._previous = encode_step(step)
        self.lines.append(line)

    def case(self, row: int, kind: str, *, words: str = "") -> None:
        """Write a case with this outcome, with the model's words if they matter."""
        place = StepPlace(f"ball-{row}", row)
        before = self.folder.keep(picture(row), "image/png")
        question = Question(f"How many balls are there? {words}", "2", "number")
        self.step("case", place, CaseRecord(before, question, f"images/{row}.png", "balls", f"group {row % 2}"))
        if kind == "failed":
            self.step("answer", place, Failed("503: try later"), self.manifest.model.name, attempts=5)
            return
        why = f"I see a red ball and a blue ball, so there are 2. {words}"
        self._say(place, ("answer", "why"), question, before, "2", why)
        told = Instruction(
            concept="a blue ball",
            kind="object" if row % 2 else "attribute",
            action="remove" if row % 2 else "recolour",
            positive=f"Remove the blue ball. {words}",
            negative="the red ball",
            target="ball",
        )
        self._extract(place, Statement(question.text, "2", why), [] if kind == "no concept" else [told])
        if kind != "no concept":
            said = Evidence(question, "2", why, told, "1", f"I see one red ball. {words}")
            self._test(place, kind, told, said, before)
        if self.manifest.control:
            self._control(place, question, before, why)

    def _control(self, here: StepPlace, question: Question, before: str, why: str) -> None:
        quality = _measured(picture(here.row), picture(here.row), None, control=True)
        edit = EditRecord(NOTHING, before, before, quality=quality, seed=self.manifest.seed)
        self.step("edit", StepPlace(concept=CONTROL, picture=before), edit, self.manifest.editor.name)
        again = msgspec.structs.replace(here, concept=CONTROL)
        self._say(again, ("answer again", "why again"), question, before, "2", why)

    def _say(self, place: StepPlace, stages, question: Question, shown: str, answer: str, why: str) -> None:
        model = self.manifest.model.name
        asked = (RecordedTurn("user", PROMPTS.ask(question), shown),)
        self.step(stages[0], place, ModelReply(answer, "stop", SAID), model, asked, seconds=0.5, tokens_in=10)
        asked = (*asked, RecordedTurn("assistant", answer), RecordedTurn("user", PROMPTS.why))
        self.step(stages[1], place, ModelReply(why, "stop", SAID), model, asked, seconds=0.5, cost=0.01)

    def _extract(self, place: StepPlace, statement: Statement, told: list[Instruction]) -> None:
        said = json.dumps({"concepts": [msgspec.structs.asdict(each) for each in told]})
        asked = (RecordedTurn("user", extract_prompt(PROMPTS, statement, self.manifest.concepts)),)
        found = parse_concepts((Attempt(said),), self.manifest.concepts, statement.explanation, PROMPTS)
        self.step("concepts", place, found, self.manifest.extractor.name, asked)

    def _test(self, here: StepPlace, kind: str, told: Instruction, evidence: Evidence, before: str) -> None:
        place, row, seed = msgspec.structs.replace(here, concept=1), here.row, self.manifest.seed
        words = evidence.question.text.removeprefix("How many balls are there? ")
        if kind == "no picture":
            failed = EditRecord(told, before, failure=f"there is no blue ball {words}", seed=seed)
            self.step("edit", place, failed, self.manifest.editor.name)
            return
        edited = picture(row, after=True)
        if kind in SPOILT:
            edited = SPOILT[kind](edited)
        after, covered = self.folder.keep(edited, "image/png"), self.folder.keep(mask(), "image/png")
        quality = _measured(picture(row), edited, mask())
        self.step(
            "edit", place, EditRecord(told, before, after, covered, quality, seed=seed), self.manifest.editor.name
        )
        stages = ("answer again", "why again")
        self._say(place, stages, evidence.question, after, evidence.new_answer, evidence.new_explanation)
        pcs, ncc = VERDICTS.get(kind, (1, 1))
        for number, judge in enumerate(self.manifest.judges):
            said = {
                "pcs_reason": f"the answer is 1 {words}",
                "pcs": 0 if kind == "undecided" and number else pcs,
                "ncc_reason": f"it no longer cites the blue ball {words}",
                "ncc": ncc,
            }
            given = parse_verdict(judge.name, 1, (Attempt(json.dumps(said)),), PROMPTS)
            asked = (RecordedTurn("user", judge_prompt(PROMPTS, evidence)),)
            place = msgspec.structs.replace(place, judge=judge.name, vote=1)
            self.step("verdict", place, given, judge.name, asked, model="gpt-9-0613" if number else "")

    def close(self) -> Path:
        path = self.folder.path
        (path / LOG).write_bytes(b"".join(self.lines))
        write_whole(path / SCORES, encode(score(read_audit(path))))
        steps = [decode_step(line) for line in self.lines]
        rows = [Selected(step.place.row, step.place.case) for step in steps if step.stage == "case"]
        reference = self.manifest.dataset
        left_out = min(reference.rows, self.manifest.cases or reference.rows) - len(rows)
        write_selection(path, Selection(reference.fingerprint, reference.rows, 0, left_out, tuple(rows)))
        return path


@cache
def _measured(before: bytes, after: bytes, covered: bytes | None, *, control: bool = False) -> EditQuality:
    return measure_edit(check_picture(before), check_picture(after), covered, control=control)


def write_audit(folder: Path, kinds=KINDS, *, words: str = "", **changes: object) -> Path:
    """Write an audit with one case of each of these kinds."""
    writer = Writer(folder, manifest(**changes))
    with writer.folder.writing():
        for row, kind in enumerate(kinds):
            writer.case(row, kind, words=words)
    return writer.close()
